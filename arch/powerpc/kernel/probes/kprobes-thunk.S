/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thunks for hits without an exception, calls of jprobes' functions, and the
 * pool of slots for the kernel's own text.
 */
#include <asm/asm-offsets.h>
#ifdef CONFIG_PPC64
#ifdef CONFIG_PPC_BOOK3S
#include <asm/exception-64s.h>
#else
#include <asm/exception-64e.h>
#endif
#endif
#include <asm/hw_irq.h>
#include <asm/ppc_asm.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#include "kprobes-common.h"

/*
 * This section cannot be probed.  The pool is read-only like all text; its
 * unused pages are zero, which is no instruction.
 */
	.section .kprobes.text, "ax"

	.balign	PAGE_SIZE
	.globl	ppc_kprobe_pool
ppc_kprobe_pool:
	.space	PPC_KPROBE_POOL_SIZE
	.globl	ppc_kprobe_pool_end
ppc_kprobe_pool_end:

/* Offset of the return address in the frame of a caller. */
#define LR_SAVE		(STACK_FRAME_LR_SAVE * SZL)

/* Load the kernel's TOC: the probed code may be in a module with its own. */
.macro load_kernel_toc
#ifdef CONFIG_PPC64
	LOAD_PACA_TOC()
#endif
.endm

/* \to = \from with the low \bits cleared. */
.macro clear_right to, from, bits
#ifdef CONFIG_PPC64
	clrrdi	\to, \from, \bits
#else
	clrrwi	\to, \from, \bits
#endif
.endm

/*
 * Save the registers as an exception would to the frame at r1, which has the
 * size of an exception's.  Other code saves r0, CTR, LR, NIP, MSR and the soft
 * mask.  DAR and DSISR are not saved: no exception has set them.  Sets r0 to 0,
 * r3 to the stack pointer above the frame, r31 to LR and, on 64 bit, r2 to the
 * kernel's TOC; on 32 bit, r2 is the current task.  Clobbers r5 and r6.
 */
.macro save_state
	SAVE_GPRS(2, 31, r1)
	mflr	r31
	addi	r3, r1, INT_FRAME_SIZE
	mfxer	r5
	mfcr	r6
	PPC_STL	r3, GPR1(r1)
	PPC_STL	r5, _XER(r1)
	PPC_STL	r6, _CCR(r1)
	li	r0, 0
	PPC_STL	r0, ORIG_GPR3(r1)
	PPC_STL	r0, _TRAP(r1)
	PPC_STL	r0, RESULT(r1)
	load_kernel_toc
.endm

/*
 * Restore all but r0, r1 and LR.  On 64 bit r13 is not changed, because this
 * may be another CPU.  On 32 bit it is one of the NVGPRS.
 */
.macro restore_state
	PPC_LL	r4, _CTR(r1)
	PPC_LL	r5, _XER(r1)
	PPC_LL	r6, _CCR(r1)
	mtctr	r4
	mtxer	r5
	mtcr	r6
	REST_GPRS(2, 12, r1)
	REST_NVGPRS(r1)
.endm

/*
 * Called from a detour, which has made a frame of INT_FRAME_SIZE and saved r0
 * and LR there; a far one also CTR.  Restores all but r0, r1 and LR.  An
 * unwinder takes the frame for an exception's.
 */
	.globl	kprobe_jump_thunk
kprobe_jump_thunk:
	mfctr	r0
	PPC_STL	r0, _CTR(r1)
	.globl	kprobe_jump_thunk_far
kprobe_jump_thunk_far:
	save_state
	lis	r5, STACK_FRAME_REGS_MARKER@ha
	addi	r5, r5, STACK_FRAME_REGS_MARKER@l
	PPC_STL	r5, STACK_INT_FRAME_MARKER(r1)
	/* The site is at the start of the block that the call is in. */
	clear_right r3, r31, PPC_DETOUR_ALIGN_SHIFT
	PPC_LL	r3, 0(r3)
	addi	r4, r1, STACK_INT_FRAME_REGS
	bl	CFUNC(kprobe_hit_jump)
	cmpwi	r3, PPC_KPROBE_DIVERTED
	/* Overwrite the marker; the result in r3 never equals it. */
	PPC_STL	r3, STACK_INT_FRAME_MARKER(r1)
	beq-	.Ldiverted
	mtlr	r31
	restore_state
	blr
	.globl	kprobe_jump_thunk_end
kprobe_jump_thunk_end:

/*
 * Mask all interrupts; \state is the MSR for the return.  With MSR[EE] off,
 * only non-maskable ones remain, for which MSR[RI], if it exists, is cleared as
 * at the exit of any exception.
 *
 * On 64 bit, the return sets MSR[EE] again if it was set, unless an interrupt
 * that must stay masked has arrived since: its handler has then cleared MSR[EE]
 * and recorded this in the PACA.  PACASRR_VALID is cleared because SRR0 and
 * SRR1 will no longer hold what the kernel has prepared for a return.
 */
.macro mask_all state
	mfmsr	\state
#ifdef CONFIG_BOOKE
	wrteei	0
#elif defined(CONFIG_PPC64)
	li	r0, 0
	mtmsrd	r0, 1
	stb	r0, PACASRR_VALID(r13)
#else
	rlwinm	r0, \state, 0, ~MSR_EE
	rlwinm	r0, r0, 0, ~MSR_RI
	mtmsr	r0
	isync
#endif
#ifdef CONFIG_PPC64
	lbz	r5, PACAIRQHAPPENED(r13)
	andi.	r5, r5, PACA_IRQ_HARD_DIS
	beq	1f
	ori	\state, \state, MSR_EE
	xori	\state, \state, MSR_EE
1:
#endif
.endm

.macro return_to_kernel
#ifdef CONFIG_PPC64
	RFI_TO_KERNEL
#else
	rfi
#endif
.endm

/*
 * A handler has set NIP.  A branch there would need LR or CTR, which must have
 * their own values; the return from an exception needs neither.  A TLB miss
 * that causes an exception would change SRR0.  So both ends of the registers
 * are read before SRR0 is set, and the code after that does not cross a page.
 * They are read with interrupts off, because code that interrupts this may
 * replace TLB entries, and once before, because a fault with RI clear is fatal.
 */
	.balign	256
.Ldiverted:
	PPC_LL	r7, _LINK(r1)
	PPC_LL	r8, GPR0(r1)	/* only to access it */
	mask_all r4
	PPC_LL	r3, _NIP(r1)
	PPC_LL	r7, _LINK(r1)
	PPC_LL	r8, GPR0(r1)
	mtspr	SPRN_SRR0, r3
	mtspr	SPRN_SRR1, r4
	mtlr	r7
	restore_state
	REST_GPR(0, r1)
	PPC_LL	r1, GPR1(r1)
	return_to_kernel

/*
 * Return address of a followed call.  r1 is the caller's, and LR still holds
 * the trampoline's address, which is stored where the callee may have saved LR,
 * so that an unwinder finds the same stack as before the function's return.
 * \function(regs) sets regs->link to the real return address.  r2 may be the
 * TOC of another module, which the caller restores.  The trampoline is never
 * called by a pointer, so it has no descriptor.
 */
.macro define_trampoline name, function
	.globl	\name
	.type	\name, @function
\name:
	PPC_STLU r1, -INT_FRAME_SIZE(r1)
	SAVE_GPR(0, r1)
	mfctr	r0
	PPC_STL	r0, _CTR(r1)
	save_state
	PPC_STL	r0, STACK_INT_FRAME_MARKER(r1)
	PPC_STL	r31, _NIP(r1)
	PPC_STL	r31, _LINK(r1)
	PPC_STL	r31, LR_SAVE(r3)
	addi	r3, r1, STACK_INT_FRAME_REGS
	bl	CFUNC(\function)
	PPC_LL	r3, _LINK(r1)
	mtlr	r3
	restore_state
	REST_GPR(0, r1)
	addi	r1, r1, INT_FRAME_SIZE
	blr
.endm

	define_trampoline __kretprobe_trampoline, kretprobe_hit
#ifdef CONFIG_RETHOOK
	define_trampoline arch_rethook_trampoline, ppc_rethook_hit
#endif

/*
 * The frame in which a jprobe's function is called: the ABI's header, the
 * copied arguments, and the registers that a function preserves.
 */
#define FRAME_REGS	(PPC_JPROBE_STACK + PPC_JPROBE_STACK_BYTES)
#define NVGPRS		(FRAME_REGS - 14 * SZL)
#define FRAME_TOC	(FRAME_REGS + 18 * SZL)
#define FRAME_CR	(FRAME_TOC + SZL)
#define FRAME_SIZE	((FRAME_CR + SZL + 15) & ~15)

/* Load CTR, r12, r2 and r11 for a call of the function pointer in r3. */
.macro load_function
#ifdef CONFIG_PPC64_ELF_ABI_V1
	ld	r12, 0(r3)
	ld	r2, 8(r3)
	ld	r11, 16(r3)
#else
	mr	r12, r3
#endif
	mtctr	r12
.endm

/*
 * void arch_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
 *			 unsigned long *frame)
 *
 * See kernel/kprobes/jprobe.c.  The arguments are PPC_JPROBE_STACK bytes after
 * @stack.
 */
_GLOBAL(arch_jprobe_call)
	mflr	r0
	mfcr	r12
	PPC_STL	r0, LR_SAVE(r1)
	PPC_STLU r1, -FRAME_SIZE(r1)
	PPC_STL	r2, FRAME_TOC(r1)
	PPC_STL	r12, FRAME_CR(r1)
	OP_REGS PPC_STL, SZL, 14, 31, r1, NVGPRS
	PPC_STL	r1, 0(r6)

	.if	PPC_JPROBE_STACK_BYTES != 16 * SZL
	.error	"other than 16 registers' worth"
	.endif
	OP_REGS PPC_LL, SZL, 16, 31, r5, PPC_JPROBE_STACK - 16 * SZL
	OP_REGS PPC_STL, SZL, 16, 31, r1, PPC_JPROBE_STACK - 16 * SZL

	mr	r14, r4
	load_function
	OP_REGS PPC_LL, SZL, 3, 10, r14, 0
	bctrl
	mr	r3, r1
	b	.Lback_from_jprobe

/* void arch_jprobe_return(unsigned long frame): the end of the above. */
_GLOBAL(arch_jprobe_return)
.Lback_from_jprobe:
	mr	r1, r3
	PPC_LL	r2, FRAME_TOC(r1)
	PPC_LL	r12, FRAME_CR(r1)
	OP_REGS PPC_LL, SZL, 14, 31, r1, NVGPRS
	addi	r1, r1, FRAME_SIZE
	PPC_LL	r0, LR_SAVE(r1)
	mtlr	r0
	mtcr	r12
	blr
