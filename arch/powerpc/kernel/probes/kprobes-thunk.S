/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits that no exception has brought, calls in place of another, and the pool
 * of slots for the kernel's own text.
 */
#include <asm/asm-offsets.h>
#include <asm/ppc_asm.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/*
 * Here nothing can be probed.  The pool is read-only like all text; until it is
 * used it has zeros, which are no instruction.
 */
	.section .kprobes.text, "ax"

	.balign	PAGE_SIZE
	.globl	ppc_kprobe_pool
ppc_kprobe_pool:
	.space	PPC_KPROBE_POOL_SIZE
	.globl	ppc_kprobe_pool_end
ppc_kprobe_pool_end:

/* Where the frame of a caller has the return address of what it calls. */
#define LR_SAVE		(STACK_FRAME_LR_SAVE * SZL)

/*
 * Where a followed call returns to, with r1 the caller's.  LR still has the
 * address of this.  It goes to where the callee may have saved it, so that an
 * unwinder finds what it would find if the function had not returned yet.
 * kretprobe_hit() puts the real return address into regs->link.  r2 may be the
 * TOC of another module, and is the caller's affair.
 */
_GLOBAL(__kretprobe_trampoline)
	PPC_STLU r1, -INT_FRAME_SIZE(r1)
	SAVE_GPR(0, r1)
	SAVE_GPRS(2, 31, r1)
	addi	r3, r1, INT_FRAME_SIZE
	PPC_STL	r3, GPR1(r1)
	mflr	r4
	PPC_STL	r4, _NIP(r1)
	PPC_STL	r4, _LINK(r1)
	PPC_STL	r4, LR_SAVE(r3)
	mfctr	r4
	mfxer	r5
	mfcr	r6
	PPC_STL	r4, _CTR(r1)
	PPC_STL	r5, _XER(r1)
	PPC_STL	r6, _CCR(r1)
	li	r4, 0
	PPC_STL	r4, ORIG_GPR3(r1)
	PPC_STL	r4, _TRAP(r1)
	PPC_STL	r4, _DAR(r1)
	PPC_STL	r4, _DSISR(r1)
	PPC_STL	r4, RESULT(r1)
	PPC_STL	r4, STACK_INT_FRAME_MARKER(r1)
	LOAD_PACA_TOC()
	addi	r3, r1, STACK_INT_FRAME_REGS
	bl	CFUNC(ppc_kretprobe_hit)
	PPC_LL	r3, _LINK(r1)
	PPC_LL	r4, _CTR(r1)
	PPC_LL	r5, _XER(r1)
	PPC_LL	r6, _CCR(r1)
	mtlr	r3
	mtctr	r4
	mtxer	r5
	mtcr	r6
	REST_GPR(0, r1)
	REST_GPRS(2, 12, r1)
	/* r13 stays: this may be another CPU. */
	REST_NVGPRS(r1)
	addi	r1, r1, INT_FRAME_SIZE
	blr

/*
 * The frame in which a jprobe's function is called: the ABI's header, the
 * copied arguments, and the registers that a function preserves.
 */
#define FRAME_TOC	24
#define FRAME_CR	8
#define FRAME_ARGS	STACK_FRAME_MIN_SIZE
#define FRAME_REGS	(FRAME_ARGS + PPC_JPROBE_STACK_BYTES)
#define FRAME_SIZE	(FRAME_REGS + 18 * SZL)
#define NVGPRS		(FRAME_REGS - 14 * SZL)

/*
 * void ppc_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
 *			unsigned long *frame)
 *
 * Calls @entry with the argument registers in @regs and a copy of
 * PPC_JPROBE_STACK_BYTES at @stack.  @frame is set to where to come back to.
 */
_GLOBAL(ppc_jprobe_call)
	mflr	r0
	mfcr	r12
	std	r0, LR_SAVE(r1)
	std	r12, FRAME_CR(r1)
	stdu	r1, -FRAME_SIZE(r1)
	std	r2, FRAME_TOC(r1)
	OP_REGS std, 8, 14, 31, r1, NVGPRS
	std	r1, 0(r6)

	li	r0, PPC_JPROBE_STACK_BYTES / 8
	mtctr	r0
	addi	r5, r5, -8
	addi	r6, r1, FRAME_ARGS - 8
1:	ldu	r0, 8(r5)
	stdu	r0, 8(r6)
	bdnz	1b

	mr	r12, r3
	mtctr	r12
	mr	r11, r4
	OP_REGS ld, 8, 3, 10, r11, 0
	bctrl
	mr	r3, r1
	b	.Lback_from_jprobe

/* void ppc_jprobe_return(unsigned long frame): the end of the above. */
_GLOBAL(ppc_jprobe_return)
.Lback_from_jprobe:
	mr	r1, r3
	ld	r2, FRAME_TOC(r1)
	OP_REGS ld, 8, 14, 31, r1, NVGPRS
	addi	r1, r1, FRAME_SIZE
	ld	r0, LR_SAVE(r1)
	ld	r12, FRAME_CR(r1)
	mtlr	r0
	mtcr	r12
	blr
