/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thunks for hits without an exception, and calls of jprobes' functions, on
 * i386.  thunk_64.S explains each of them.  The differences:
 *
 * An NMI uses the current stack, so nothing below the stack pointer is ever
 * read.  The segment registers are the kernel's own, except around calls of the
 * APM BIOS, which cannot be probed: they are saved because handlers may read
 * them, but not restored.
 */
#include <linux/linkage.h>
#include <asm/asm-offsets.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/smap.h>
#include "common.h"
#include "thunk_macros.S"

	.text

/* Push all of a struct pt_regs below orig_ax. */
.macro PUSH_HIT_REGS
	PUSH_ALL $0			/* gs, as on any entry */
	PUSH_ALL %fs, %es, %ds, %eax, %ebp, %edi, %esi, %edx, %ecx, %ebx
#ifdef CONFIG_FRAME_POINTER
	/* ENCODE_FRAME_POINTER in one instruction, because of NMIs. */
	leal	0x80000000(%esp), %ebp
#endif
	THUNK_STACK thunk_ret, PT_EBP/4
.endm

/* Pop the registers again, and drop the rest up to the offset @next. */
.macro POP_HIT_REGS next:req
	POP_ALL	%ebx, %ecx, %edx, %esi, %edi, %ebp, %eax
	leal	(\next - PT_DS)(%esp), %esp
	THUNK_MOVED -(\next-PT_DS)/4
.endm

.macro SAVE_HIT_REGS ip=4*4(%esp)
	PUSH_ALL $__KERNEL_DS		/* ss */
	PUSH_ALL %esp			/* sp, two words lower than it was */
	pushfl				/* flags */
	THUNK_MOVED 1
	cli
	PUSH_ALL $__KERNEL_CS		/* cs */
	PUSH_ALL \ip			/* ip */
	PUSH_ALL $-1			/* orig_ax */
	PUSH_HIT_REGS
	addl	$2*4, PT_OLDESP(%esp)
	ASM_CLAC
.endm

/* Pop a pointer to flags and an address, and continue with these. */
.macro LEAVE_HIT
	THUNK_STACK X86_KPROBE_INDIRECT
	movl	(%esp), %esp
	THUNK_STACK 1
	popfl
	THUNK_MOVED -1
	RET
.endm

	.pushsection .rodata.kprobe_thunk_frames, "a"
SYM_DATA_START(kprobe_thunk_frames)
	.popsection
SYM_CODE_START(kprobe_post_thunk)
	THUNK_STACK 0
	SAVE_HIT_REGS
	cld
	movl	%esp, %eax
	call	x86_kprobe_hit_post
	POP_HIT_REGS next=PT_ORIG_EAX
	LEAVE_HIT
SYM_CODE_END(kprobe_post_thunk)
_ASM_NOKPROBE(kprobe_post_thunk)

	DETOUR_TEMPLATE

SYM_CODE_START(kprobe_jump_thunk)
	THUNK_STACK 0
	addl	$4, (PT_OLDESP - PT_ORIG_EAX)(%esp)
	PUSH_HIT_REGS
	movl	PT_ORIG_EAX(%esp), %eax
	movl	%esp, %edx
	movl	kprobe_detour - kprobe_detour_call_end(%eax), %eax
	call	x86_kprobe_hit_jump
	testl	%eax, %eax
	jnz	.Ldivert
	POP_HIT_REGS next=PT_ORIG_EAX
	RET
.Ldivert:
	THUNK_STACK PT_ORIG_EAX/4, PT_EBP/4
	movl	%esp, %eax
	call	arch_kprobe_resume
	movl	PT_EFLAGS(%esp), %ecx
	movl	PT_EIP(%esp), %edx
	movl	PT_OLDESP(%esp), %eax
	subl	$2*4, %eax
	movl	%edx, 4(%eax)
	movl	%ecx, (%eax)
	movl	%eax, PT_ORIG_EAX(%esp)
	THUNK_STACK X86_KPROBE_INDIRECT+PT_ORIG_EAX/4, PT_EBP/4
	POP_HIT_REGS next=PT_ORIG_EAX
	LEAVE_HIT
SYM_CODE_END(kprobe_jump_thunk)
_ASM_NOKPROBE(kprobe_jump_thunk)

SYM_CODE_START(__kretprobe_trampoline)
	pushl	$__kretprobe_trampoline
	THUNK_STACK 0
	SAVE_HIT_REGS ip=$__kretprobe_trampoline
	movl	%esp, %eax
	call	kretprobe_hit
	POP_HIT_REGS next=PT_EFLAGS
	popfl
	THUNK_MOVED -1
	leal	2*4(%esp), %esp		/* sp, ss; no flag is changed */
	THUNK_MOVED -2
	RET
	THUNK_STACK 0
SYM_CODE_END(__kretprobe_trampoline)
_ASM_NOKPROBE(__kretprobe_trampoline)
	.pushsection .rodata.kprobe_thunk_frames, "a"
SYM_DATA_END_LABEL(kprobe_thunk_frames, SYM_L_GLOBAL, kprobe_thunk_frames_end)
	.popsection

/* Words of the stack that are copied for a jprobe's function: 64 bytes. */
#define STACK_WORDS	16

/* Pop the registers that arch_jprobe_call() has pushed. */
.macro POP_CALLEE_SAVED
	popl	%edi
	popl	%esi
	popl	%ebx
	popl	%ebp
.endm

/*
 * void arch_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
 *			 unsigned long *frame)
 *
 * See kernel/kprobes/jprobe.c.  The first word of @stack is the return address.
 * The first arguments of @entry are in registers, and the others on the stack.
 * If @entry is asmlinkage, all of them are on the stack.
 */
SYM_FUNC_START(arch_jprobe_call)
	pushl	%ebp
	movl	%esp, %ebp
	pushl	%ebx
	pushl	%esi
	pushl	%edi
	movl	8(%ebp), %ebx
	movl	%esp, (%ebx)
	.set offset, 4*STACK_WORDS + 4
	.rept STACK_WORDS
	.set offset, offset - 4
	pushl	offset(%ecx)
	.endr
	movl	%eax, %edi
	movl	PT_ECX(%edx), %ecx
	movl	PT_EAX(%edx), %eax
	movl	PT_EDX(%edx), %edx
	CALL_NOSPEC edi
	leal	-3*4(%ebp), %esp
	POP_CALLEE_SAVED
	RET
SYM_FUNC_END(arch_jprobe_call)
_ASM_NOKPROBE(arch_jprobe_call)

SYM_CODE_START(arch_jprobe_return)
	movl	%eax, %esp
	POP_CALLEE_SAVED
	RET
SYM_CODE_END(arch_jprobe_return)
_ASM_NOKPROBE(arch_jprobe_return)
