/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thunks for hits without an exception, from slots, detours and returns of
 * followed calls; the template of a detour; and calls of jprobes' functions.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/alternative.h>
#include <asm/asm.h>
#include <asm/cpufeatures.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/segment.h>
#include <asm/smap.h>
#include <asm/unwind_hints.h>
#include "common.h"
#include "thunk_macros.S"

	.text

/*
 * Push all of a struct pt_regs below orig_ax, and record the layout for the
 * unwinder of frame pointers.
 */
.macro PUSH_HIT_REGS
	PUSH_ALL %rdi, %rsi, %rdx, %rcx, %rax, %r8, %r9, %r10, %r11, %rbx, %rbp
	PUSH_ALL %r12, %r13, %r14, %r15
	ENCODE_FRAME_POINTER
	THUNK_STACK thunk_ret, RBP/8
.endm

.macro POP_HIT_REGS
	POP_ALL %r15, %r14, %r13, %r12, %rbp, %rbx, %r11, %r10, %r9, %r8
	POP_ALL %rax, %rcx, %rdx, %rsi, %rdi
.endm

/*
 * Save the registers as a trap would, and disable interrupts.  The word on top
 * of the stack is a return address, which the interrupted code has not pushed.
 * Save it as the instruction pointer: an unwinder finds the slot by this.
 */
.macro SAVE_HIT_REGS ip=4*8(%rsp), unwind_hint=1
	PUSH_ALL $__KERNEL_DS		/* ss */
	PUSH_ALL %rsp			/* sp, two words lower than it was */
	pushfq				/* flags */
	THUNK_MOVED 1
	cli
	PUSH_ALL $__KERNEL_CS		/* cs */
	PUSH_ALL \ip			/* ip */
	PUSH_ALL $-1			/* orig_ax */
	PUSH_HIT_REGS
	addq	$2*8, RSP(%rsp)
	.if \unwind_hint
	UNWIND_HINT_REGS
	.endif
	ASM_CLAC
.endm

/*
 * Pop a pointer to two words, flags and above them an address, and continue at
 * this address with these flags.  The hints have signal=1 because the address
 * is that of an instruction to execute, not one after a call.
 */
.macro LEAVE_HIT
	UNWIND_HINT sp_reg=ORC_REG_SP_INDIRECT sp_offset=2*8 \
		    type=UNWIND_HINT_TYPE_CALL signal=1
	THUNK_STACK X86_KPROBE_INDIRECT
	movq	(%rsp), %rsp
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=2*8 \
		    type=UNWIND_HINT_TYPE_CALL signal=1
	THUNK_STACK 1
	popfq
	THUNK_MOVED -1
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=8 \
		    type=UNWIND_HINT_TYPE_CALL signal=1
	RET_KEEPING_FLAGS
.endm

/* Call a function with the saved registers; for Xen, see xenpv.c. */
.macro CALL_HIT function:req
	movq	%rsp, %rdi
#ifdef CONFIG_XEN_PV
	ALTERNATIVE "call \function", "call \function\()_xenpv", \
		    X86_FEATURE_XENPV
#else
	call	\function
#endif
.endm

/*
 * Return without changing flags.  With call depth tracking, the usual return
 * (call_depth_return_thunk) shifts a counter, which would change the flags
 * after popf.  The counter protects against an empty return predictor.  Here,
 * the predictor is not empty: it holds at least the call of the thunk.
 */
.macro RET_KEEPING_FLAGS
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	ALTERNATIVE __stringify(RET),					\
		    __stringify(ANNOTATE_UNRET_SAFE; ret; int3),	\
		    X86_FEATURE_CALL_DEPTH
#else
	RET
#endif
.endm

/*
 * Called from a post_slot; slot.c shows where the pointer to the site is.
 * x86_kprobe_hit_post() replaces the instruction pointer, sets orig_ax, and
 * stores flags and the address to continue at for the last two instructions:
 *
 *	regs->orig_ax ->	flags
 *				ip
 */
	.pushsection .rodata.kprobe_thunk_frames, "a"
SYM_DATA_START(kprobe_thunk_frames)
	.popsection
SYM_CODE_START(kprobe_post_thunk)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
	THUNK_STACK 0
	SAVE_HIT_REGS
	cld
	CALL_HIT x86_kprobe_hit_post
	POP_HIT_REGS
	LEAVE_HIT			/* by orig_ax */
SYM_CODE_END(kprobe_post_thunk)
_ASM_NOKPROBE(kprobe_post_thunk)

	DETOUR_TEMPLATE

/*
 * Called from a detour with an exception's frame on the stack, in which the
 * return address takes the place of orig_ax, and the saved stack pointer is one
 * word too low.  Unless a handler has set the instruction pointer, the thunk
 * returns to the detour, which pops the rest of the frame.
 */
SYM_CODE_START(kprobe_jump_thunk)
	UNWIND_HINT_FUNC		/* called by the detour */
	ANNOTATE_NOENDBR
	THUNK_STACK 0
	addq	$8, RSP-ORIG_RAX(%rsp)
	UNWIND_HINT_IRET_REGS offset=8
	PUSH_HIT_REGS
	UNWIND_HINT_REGS
	movq	ORIG_RAX(%rsp), %rdi
	movq	%rsp, %rsi
	movq	kprobe_detour - kprobe_detour_call_end(%rdi), %rdi
	call	x86_kprobe_hit_jump
	testl	%eax, %eax
	jnz	.Ldivert
	POP_HIT_REGS
	UNWIND_HINT_IRET_REGS offset=8
	RET

	/*
	 * Push flags and the new address on the new stack.  The handler may
	 * have pushed one word, which replaced ss.  The detour leaves no gap
	 * below the stack, so these stores may overwrite the saved flags and
	 * stack pointer.  Load both first; the unwinder finds the new stack
	 * pointer in di.
	 */
.Ldivert:
	UNWIND_HINT_REGS
	THUNK_STACK ORIG_RAX/8, RBP/8
	movq	%rsp, %rdi
	call	arch_kprobe_resume
	movq	EFLAGS(%rsp), %rax
	movq	RIP(%rsp), %rdx
	movq	RSP(%rsp), %rdi
	leaq	-2*8(%rdi), %rcx
	movq	%rdx, -8(%rdi)
	UNWIND_HINT sp_reg=ORC_REG_DI type=UNWIND_HINT_TYPE_CALL signal=1
	movq	%rax, (%rcx)
	movq	%rcx, ORIG_RAX(%rsp)
	THUNK_STACK X86_KPROBE_INDIRECT+ORIG_RAX/8, RBP/8
	POP_HIT_REGS
	LEAVE_HIT
SYM_CODE_END(kprobe_jump_thunk)
_ASM_NOKPROBE(kprobe_jump_thunk)

/*
 * Return address of a followed call.  The trampoline pushes its own address
 * again, so that an unwinder sees the same stack as in the function.
 * kretprobe_hit() replaces this word with the real return address.
 */
SYM_CODE_START(__kretprobe_trampoline)
	/* The function's return has popped the address: see unwind_orc.c. */
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=0 type=UNWIND_HINT_TYPE_CALL
	ANNOTATE_NOENDBR
	pushq	$__kretprobe_trampoline
	UNWIND_HINT_FUNC
	THUNK_STACK 0
	SAVE_HIT_REGS ip=$__kretprobe_trampoline, unwind_hint=0
	CALL_HIT kretprobe_hit
	POP_HIT_REGS
	leaq	3*8(%rsp), %rsp		/* orig_ax, ip, cs */
	THUNK_MOVED -3
	popfq
	THUNK_MOVED -1
	leaq	2*8(%rsp), %rsp		/* sp, ss */
	THUNK_MOVED -2
	RET				/* no flag is live */
	THUNK_STACK 0
SYM_CODE_END(__kretprobe_trampoline)
_ASM_NOKPROBE(__kretprobe_trampoline)
	.pushsection .rodata.kprobe_thunk_frames, "a"
SYM_DATA_END_LABEL(kprobe_thunk_frames, SYM_L_GLOBAL, kprobe_thunk_frames_end)
	.popsection

/*
 * Jump to a function that may lack an ENDBR at its start: FineIBT moves the
 * ENDBR to a preamble, which also checks the type of the call.
 */
#ifdef CONFIG_FINEIBT
SYM_FUNC_START_LOCAL(x86_jprobe_go)
	pushq	%r11
	UNWIND_HINT_FUNC	/* as in a retpoline */
	RET
SYM_FUNC_END(x86_jprobe_go)
_ASM_NOKPROBE(x86_jprobe_go)
#define CALL_ENTRY	call x86_jprobe_go
#else
#define CALL_ENTRY	CALL_NOSPEC r11
#endif

/* Words of the stack that are copied for a jprobe's function: 64 bytes. */
#define STACK_WORDS	8

/* Pop the registers that arch_jprobe_call() has pushed. */
.macro POP_CALLEE_SAVED
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
.endm

/*
 * void arch_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
 *			 unsigned long *frame)
 *
 * See kernel/kprobes/jprobe.c.  The argument registers include rax, which
 * counts vector registers for variable arguments.  The first word of @stack is
 * the return address.
 */
SYM_FUNC_START(arch_jprobe_call)
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rcx)
	.set offset, 8*STACK_WORDS + 8
	.rept STACK_WORDS
	.set offset, offset - 8
	pushq	offset(%rdx)
	.endr
	movq	%rdi, %r11
	movq	%rsi, %r10
	movq	RDI(%r10), %rdi
	movq	RSI(%r10), %rsi
	movq	RDX(%r10), %rdx
	movq	RCX(%r10), %rcx
	movq	R8(%r10), %r8
	movq	R9(%r10), %r9
	movq	RAX(%r10), %rax
	CALL_ENTRY
	leaq	-5*8(%rbp), %rsp
	POP_CALLEE_SAVED
	RET
SYM_FUNC_END(arch_jprobe_call)
_ASM_NOKPROBE(arch_jprobe_call)

/* void arch_jprobe_return(unsigned long frame): the end of the above. */
SYM_CODE_START(arch_jprobe_return)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
	movq	%rdi, %rsp
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=7*8 type=UNWIND_HINT_TYPE_CALL
	POP_CALLEE_SAVED
	UNWIND_HINT_FUNC
	RET
SYM_CODE_END(arch_jprobe_return)
_ASM_NOKPROBE(arch_jprobe_return)
