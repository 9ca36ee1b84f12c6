/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thunks for hits without an exception, and calls of jprobes' functions. */
#include <linux/linkage.h>
#include <asm/alternative.h>
#include <asm/asm-offsets.h>
#include <asm/asm-uaccess.h>
#include <asm/assembler.h>
#include <asm/brk-imm.h>
#include <asm/insn-def.h>
#include <asm/ptrace.h>
#include <asm/stacktrace/frame.h>
#include <asm/sysreg.h>

#define SYS_TCO		sys_reg(3, 3, 4, 2, 7)

	.text

/* Save or restore x2 to x28, in the struct pt_regs on the stack. */
	.macro	for_most_regs pair, single
	\pair	x2, x3, [sp, #S_X0 + 8 * 2]
	\pair	x4, x5, [sp, #S_X0 + 8 * 4]
	\pair	x6, x7, [sp, #S_X0 + 8 * 6]
	\pair	x8, x9, [sp, #S_X0 + 8 * 8]
	\pair	x10, x11, [sp, #S_X0 + 8 * 10]
	\pair	x12, x13, [sp, #S_X0 + 8 * 12]
	\pair	x14, x15, [sp, #S_X0 + 8 * 14]
	\pair	x16, x17, [sp, #S_X0 + 8 * 16]
	\pair	x18, x19, [sp, #S_X0 + 8 * 18]
	\pair	x20, x21, [sp, #S_X0 + 8 * 20]
	\pair	x22, x23, [sp, #S_X0 + 8 * 22]
	\pair	x24, x25, [sp, #S_X0 + 8 * 24]
	\pair	x26, x27, [sp, #S_X0 + 8 * 26]
	\single	x28, [sp, #S_X0 + 8 * 28]
	.endm

/*
 * Prepare memory accesses for handlers as kernel_entry and kprobe_brk_handler()
 * do: user memory is inaccessible, and tags are checked.  The previous state is
 * added to the pstate, x2.  If the CPU has no PAN, the PAN bit means that TTBR0
 * was disabled.  Interrupts must be off.  Clobbers x4 and x30.
 */
	.macro	save_access
#ifdef CONFIG_ARM64_SW_TTBR0_PAN
alternative_if_not ARM64_HAS_PAN
	bl	kprobe_disable_ttbr0
	nop
	nop
alternative_else
	mrs_s	x4, SYS_PSTATE_PAN
	orr	x2, x2, x4
	SET_PSTATE_PAN(1)
alternative_endif
#else
alternative_if ARM64_HAS_PAN
	mrs_s	x4, SYS_PSTATE_PAN
	orr	x2, x2, x4
	SET_PSTATE_PAN(1)
alternative_else_nop_endif
#endif
#ifdef CONFIG_KASAN_HW_TAGS
alternative_if ARM64_MTE
	mrs_s	x4, SYS_TCO
	orr	x2, x2, x4
	SET_PSTATE_TCO(0)
alternative_else_nop_endif
#endif
	.endm

/* Restore the state that save_access has changed. */
	.macro	restore_access
#ifdef CONFIG_KASAN_HW_TAGS
	tbz	x2, #KPROBE_TCO_SHIFT, .Lchecked\@
	SET_PSTATE_TCO(1)
.Lchecked\@:
#endif
	tbnz	x2, #KPROBE_PAN_SHIFT, .Lno_access\@
#ifdef CONFIG_ARM64_SW_TTBR0_PAN
alternative_if_not ARM64_HAS_PAN
	bl	kprobe_enable_ttbr0
alternative_else
	SET_PSTATE_PAN(0)
alternative_endif
#else
alternative_if ARM64_HAS_PAN
	SET_PSTATE_PAN(0)
alternative_else_nop_endif
#endif
.Lno_access\@:
	.endm

#ifdef CONFIG_ARM64_SW_TTBR0_PAN
/* Called with interrupts off.  Updates the pstate in x2; clobbers x4. */
SYM_CODE_START_LOCAL(kprobe_disable_ttbr0)
	mrs	x4, ttbr0_el1
	tst	x4, #TTBRx_EL1_ASID_MASK	// the reserved one?
	orr	x2, x2, #PSR_PAN_BIT
	b.eq	1f
	bic	x2, x2, #PSR_PAN_BIT
	__uaccess_ttbr0_disable x4
1:	ret
SYM_CODE_END(kprobe_disable_ttbr0)
NOKPROBE(kprobe_disable_ttbr0)

/*
 * Mask pseudo-NMIs, too: after a pseudo-NMI that accesses user memory between
 * the writes of TTBR1 and TTBR0, the reserved ASID would remain in use.  The
 * caller restores DAIF.  Clobbers x3 and x4.
 */
SYM_CODE_START_LOCAL(kprobe_enable_ttbr0)
	msr	daifset, #3
	__uaccess_ttbr0_enable x3, x4
	ret
SYM_CODE_END(kprobe_enable_ttbr0)
NOKPROBE(kprobe_enable_ttbr0)
#endif

/*
 * Save the rest of the struct pt_regs, with \where as the program counter and
 * as the return address that an unwinder finds.  Mask interrupts as the kernel
 * does, by DAIF or by priority.  Make a frame record and point x29 to it;
 * kprobe_recordless[] lists the code from \begin until then.  Clobbers x2 to x4
 * and x30.
 */
	.macro	save_state where, begin
	mrs	x2, nzcv
	mrs	x3, daif
#ifdef CONFIG_ARM64_PSEUDO_NMI
alternative_if_not ARM64_HAS_GIC_PRIO_MASKING
	b	.Lby_daif\@
alternative_else_nop_endif
	mrs_s	x4, SYS_ICC_PMR_EL1
	str	w4, [sp, #S_PMR]
	mov	x4, #GIC_PRIO_IRQOFF
	msr_s	SYS_ICC_PMR_EL1, x4
	b	.Lmasked\@
.Lby_daif\@:
#endif
	msr	daifset, #3
.Lmasked\@:
	orr	x2, x2, x3
alternative_if_not ARM64_HAS_VIRT_HOST_EXTN
	add	x2, x2, #PSR_MODE_EL1h
alternative_else
	add	x2, x2, #PSR_MODE_EL2h
alternative_endif
	add	x3, sp, #PT_REGS_SIZE
	str	x3, [sp, #S_SP]
	/* The unwinder finds the program counter and x29 in the registers. */
	str	\where, [sp, #S_PC]
	stp	xzr, xzr, [sp, #S_STACKFRAME]
	mov	x3, #FRAME_META_TYPE_PT_REGS
	str	x3, [sp, #S_STACKFRAME_TYPE]
	add	x29, sp, #S_STACKFRAME
	.pushsection .rodata.kprobe_recordless, "a"
	.long	\begin - kprobe_post_thunk, 772f - kprobe_post_thunk
	.popsection
772:
	save_access
	stp	\where, x2, [sp, #S_PC]
	.endm

/* Clobbers x2 to x4 and x30. */
	.macro	restore_state
	ldr	x2, [sp, #S_PSTATE]
	restore_access
	and	x3, x2, #PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT
	and	x2, x2, #PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT
	msr	nzcv, x3
#ifdef CONFIG_ARM64_PSEUDO_NMI
alternative_if_not ARM64_HAS_GIC_PRIO_MASKING
	b	.Lby_daif\@
alternative_else_nop_endif
	ldr	w3, [sp, #S_PMR]
	msr_s	SYS_ICC_PMR_EL1, x3
alternative_if_not ARM64_HAS_GIC_PRIO_RELAXED_SYNC
	dsb	sy			// for the redistributor
alternative_else_nop_endif
.Lby_daif\@:
#endif
	msr	daif, x2
	.endm

/*
 * Called from a slot or a detour (a64_kprobe_emit_call()): x0 is the site; x0,
 * x1, x29 and x30 have been saved.  Calls \function(site, regs) with a program
 * counter \skip bytes after the probed address.  If \function returns nonzero,
 * the thunk does not return to the slot or detour.
 */
	.macro	define_thunk name, function, skip
SYM_CODE_START(\name)
	bti	c
	for_most_regs stp, str
	mov	x19, x30
	ldr	x5, [x0, #KPROBE_SITE_ADDR]
	.if	\skip
	add	x5, x5, #\skip
	.endif
	save_state x5, \name
	mov	x1, sp
	bl	\function
	cbnz	w0, kprobe_divert
	restore_state
	mov	x30, x19
	for_most_regs ldp, ldr
	ret
SYM_CODE_END(\name)
NOKPROBE(\name)
	.endm

	.pushsection .rodata.kprobe_recordless, "a"
	.balign	4
SYM_DATA_START(kprobe_recordless)
	.popsection
	define_thunk kprobe_post_thunk, kprobe_hit_post, AARCH64_INSN_SIZE
	define_thunk kprobe_jump_thunk, a64_kprobe_hit_jump, 0

/*
 * A handler has set the program counter.  A branch there would need a register,
 * but a return from an exception does not, so execute a breakpoint.  Its entry
 * overwrites most members of the struct pt_regs.  A member that it keeps passes
 * the address to the breakpoint's handler: see a64_kprobe_divert().
 */
SYM_CODE_START_LOCAL(kprobe_divert)
	mov	x0, sp
	bl	a64_kprobe_divert
	for_most_regs ldp, ldr
	ldp	x29, x30, [sp, #S_FP]
	ldp	x0, x1, [sp], #PT_REGS_SIZE
SYM_INNER_LABEL(kprobe_divert_brk, SYM_L_GLOBAL)
	brk	#KPROBES_BRK_SS_IMM
SYM_CODE_END(kprobe_divert)
NOKPROBE(kprobe_divert)

/*
 * Return address of a followed call.  Unwinders find the same frame record as
 * before the function's return.  kretprobe_hit() stores the real return address
 * as x30.
 */
SYM_CODE_START(__kretprobe_trampoline)
	stp	x0, x1, [sp, #-PT_REGS_SIZE]!
	for_most_regs stp, str
	stp	x29, x30, [sp, #S_FP]
	adr	x5, __kretprobe_trampoline
	save_state x5, __kretprobe_trampoline
	mov	x0, sp
	bl	kretprobe_hit
	restore_state
	for_most_regs ldp, ldr
	ldp	x29, x30, [sp, #S_FP]
.Lno_record:
	ldp	x0, x1, [sp], #PT_REGS_SIZE
	ret
	.pushsection .rodata.kprobe_recordless, "a"
	.long	.Lno_record - kprobe_post_thunk
	.long	.Lno_record_end - kprobe_post_thunk
	.popsection
.Lno_record_end:
SYM_CODE_END(__kretprobe_trampoline)
NOKPROBE(__kretprobe_trampoline)
	.pushsection .rodata.kprobe_recordless, "a"
SYM_DATA_END_LABEL(kprobe_recordless, SYM_L_GLOBAL, kprobe_recordless_end)
	.popsection

/* The frame that arch_jprobe_call() saves and arch_jprobe_return() restores. */
#define JPROBE_FRAME_SIZE	112
#define JPROBE_FRAME_X18	96	/* of the shadow call stack */

/* Bytes of the stack that are copied for a jprobe's function. */
#define JPROBE_STACK_BYTES	64

	.macro	for_callee_saved op
	\op	x19, x20, [sp, #16]
	\op	x21, x22, [sp, #32]
	\op	x23, x24, [sp, #48]
	\op	x25, x26, [sp, #64]
	\op	x27, x28, [sp, #80]
	.endm

/*
 * void arch_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
 *			 unsigned long *frame)
 *
 * See kernel/kprobes/jprobe.c.
 */
SYM_FUNC_START(arch_jprobe_call)
	stp	x29, x30, [sp, #-JPROBE_FRAME_SIZE]!
	mov	x29, sp
	for_callee_saved stp
	str	x18, [sp, #JPROBE_FRAME_X18]
	mov	x4, sp
	str	x4, [x3]

	sub	sp, sp, #JPROBE_STACK_BYTES
	.set	.Loffset, 0
	.rept	JPROBE_STACK_BYTES / 16
	ldp	x4, x5, [x2, #.Loffset]
	stp	x4, x5, [sp, #.Loffset]
	.set	.Loffset, .Loffset + 16
	.endr

	mov	x16, x0
	mov	x17, x1
	ldp	x0, x1, [x17, #S_X0]
	ldp	x2, x3, [x17, #S_X0 + 8 * 2]
	ldp	x4, x5, [x17, #S_X0 + 8 * 4]
	ldp	x6, x7, [x17, #S_X0 + 8 * 6]
	ldr	x8, [x17, #S_X0 + 8 * 8]
	blr	x16
	mov	x0, x29
	b	.Lback_from_jprobe
SYM_FUNC_END(arch_jprobe_call)
NOKPROBE(arch_jprobe_call)

/* void arch_jprobe_return(unsigned long frame): the end of the above. */
SYM_FUNC_START(arch_jprobe_return)
.Lback_from_jprobe:
	mov	sp, x0
	for_callee_saved ldp
#ifdef CONFIG_SHADOW_CALL_STACK
	ldr	x18, [sp, #JPROBE_FRAME_X18]
#endif
	ldp	x29, x30, [sp], #JPROBE_FRAME_SIZE
	ret
SYM_FUNC_END(arch_jprobe_return)
NOKPROBE(arch_jprobe_return)
