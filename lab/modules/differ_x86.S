/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load all registers, execute a form on a stack of its own, and store all
 * registers.  See kprobe_differ.h.
 */
#include <linux/linkage.h>
#include <asm/segment.h>
#include "kprobe_differ.h"

#ifdef CONFIG_X86_64
#define R(name)		%r##name
#define W		8
#define AT(symbol)	symbol(%rip)
#define PUSHF		pushfq
#define POPF		popfq
#else
#define R(name)		%e##name
#define W		4
#define AT(symbol)	symbol
#define PUSHF		pushfl
#define POPF		popfl
#endif
#define IN(n)		AT(differ_in + W * (n))
#define OUT(n)		AT(differ_out + W * (n))
#define EXIT		(DIFFER_REGS + 1)

	.text
SYM_FUNC_START(differ_enter)
	push	R(bx)
	push	R(bp)
	push	R(si)
	push	R(di)
#ifdef CONFIG_X86_64
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	IN(8), %r8
	mov	IN(9), %r9
	mov	IN(10), %r10
	mov	IN(11), %r11
	mov	IN(12), %r12
	mov	IN(13), %r13
	mov	IN(14), %r14
	mov	IN(15), %r15
#else
	/* Always start with the same selectors. */
	push	$__USER_DS
	pop	%ds
	push	$__USER_DS
	pop	%es
#endif
	mov	R(sp), AT(differ_stack_pointer)
	mov	IN(0), R(ax)
	mov	IN(1), R(cx)
	mov	IN(2), R(dx)
	mov	IN(3), R(bx)
	mov	IN(5), R(bp)
	mov	IN(6), R(si)
	mov	IN(7), R(di)
	push	IN(DIFFER_FLAGS)
	POPF
	mov	IN(4), R(sp)
	jmp	*AT(differ_entry)
SYM_FUNC_END(differ_enter)

SYM_FUNC_START_LOCAL(differ_leave)
#ifndef CONFIG_X86_64
	/* The form may have loaded other segments. */
	mov	%ds, %ss:differ_segments
	mov	%es, %ss:differ_segments + 2
	push	$__USER_DS
	pop	%ds
	push	$__USER_DS
	pop	%es
#endif
	mov	R(ax), OUT(0)
	mov	R(cx), OUT(1)
	mov	R(dx), OUT(2)
	mov	R(bx), OUT(3)
	mov	R(sp), OUT(4)
	mov	AT(differ_stack_pointer), R(sp)
	PUSHF
	pop	OUT(DIFFER_FLAGS)
	mov	R(bp), OUT(5)
	mov	R(si), OUT(6)
	mov	R(di), OUT(7)
	/*
	 * Interrupts off, the direction forward, and no access to user memory.
	 */
	push	$2
	POPF
#ifdef CONFIG_X86_64
	mov	%r8, OUT(8)
	mov	%r9, OUT(9)
	mov	%r10, OUT(10)
	mov	%r11, OUT(11)
	mov	%r12, OUT(12)
	mov	%r13, OUT(13)
	mov	%r14, OUT(14)
	mov	%r15, OUT(15)
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
#endif
	pop	R(di)
	pop	R(si)
	pop	R(bp)
	pop	R(bx)
	ret
SYM_FUNC_END(differ_leave)

/* Registers must not change between the form's exit and their storing. */
#ifdef CONFIG_X86_64
#define WAY_OUT(name, how)						\
SYM_FUNC_START(name)							;\
	movq	$how, OUT(EXIT)						;\
	jmp	differ_leave						;\
SYM_FUNC_END(name)
#else
#define WAY_OUT(name, how)						\
SYM_FUNC_START(name)							;\
	movl	$how, %ss:OUT(EXIT)					;\
	jmp	differ_leave						;\
SYM_FUNC_END(name)
#endif

WAY_OUT(differ_exit_fall, DIFFER_FALL)
WAY_OUT(differ_exit_taken, DIFFER_TAKEN)
WAY_OUT(differ_exit_back, DIFFER_BACK)
WAY_OUT(differ_exit_bad, DIFFER_BAD)
WAY_OUT(differ_fixup, DIFFER_FAULT)

	.bss
	.balign	16
SYM_DATA(differ_in, .skip W * (EXIT + 1))
SYM_DATA(differ_out, .skip W * (EXIT + 1))
SYM_DATA(differ_entry, .skip W)
SYM_DATA(differ_stack_pointer, .skip W)
SYM_DATA(differ_segments, .skip 4)
	.balign	4096
	.skip	DIFFER_BUF_ROOM
SYM_DATA(differ_buf, .skip DIFFER_BUF_SIZE)
	.skip	DIFFER_BUF_ROOM
	.balign	64
SYM_DATA(differ_stack, .skip DIFFER_STACK_SIZE)
	.skip	256
	.section .note.GNU-stack, "", @progbits
