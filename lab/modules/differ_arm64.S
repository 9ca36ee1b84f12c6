/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load all registers, execute a form on a stack of its own, and store all
 * registers.  See kprobe_differ.h.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>
#include "kprobe_differ.h"

#define R(n)		(8 * (n))
#define EXIT		R(DIFFER_REGS + 1)

	.text
SYM_FUNC_START(differ_enter)
	stp	x29, x30, [sp, #-112]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mrs	x0, daif
	stp	x18, x0, [sp, #96]
	adr_l	x0, differ_stack_pointer
	mov	x1, sp
	str	x1, [x0]
	/* An exception return loads registers that no branch can load. */
	adr_l	x0, differ_entry
	ldr	x0, [x0]
	msr	elr_el1, x0
	adr_l	x0, differ_in
	ldr	x1, [x0, #R(DIFFER_FLAGS)]
	mov_q	x2, DIFFER_PSTATE
	orr	x1, x1, x2
	msr	spsr_el1, x1
	ldr	x1, [x0, #R(DIFFER_SP)]
	mov	sp, x1
	ldp	x2, x3, [x0, #R(2)]
	ldp	x4, x5, [x0, #R(4)]
	ldp	x6, x7, [x0, #R(6)]
	ldp	x8, x9, [x0, #R(8)]
	ldp	x10, x11, [x0, #R(10)]
	ldp	x12, x13, [x0, #R(12)]
	ldp	x14, x15, [x0, #R(14)]
	ldp	x16, x17, [x0, #R(16)]
	ldp	x18, x19, [x0, #R(18)]
	ldp	x20, x21, [x0, #R(20)]
	ldp	x22, x23, [x0, #R(22)]
	ldp	x24, x25, [x0, #R(24)]
	ldp	x26, x27, [x0, #R(26)]
	ldp	x28, x29, [x0, #R(28)]
	ldr	x30, [x0, #R(30)]
	ldp	x0, x1, [x0]
	eret
SYM_FUNC_END(differ_enter)

/* x0 is the exit; the form's x0 and x1 are on the stack. */
SYM_FUNC_START_LOCAL(differ_leave)
	adr_l	x1, differ_out
	str	x0, [x1, #EXIT]
	mrs	x0, nzcv
	str	x0, [x1, #R(DIFFER_FLAGS)]
	mrs	x0, daif
	msr	daifset, #2
	stp	x2, x3, [x1, #R(2)]
	and	x0, x0, #0x80
	ldr	x2, [x1, #R(DIFFER_FLAGS)]
	orr	x0, x0, x2
	str	x0, [x1, #R(DIFFER_FLAGS)]
	ldp	x2, x3, [sp]
	stp	x2, x3, [x1]
	add	x0, sp, #32
	str	x0, [x1, #R(DIFFER_SP)]
	stp	x4, x5, [x1, #R(4)]
	stp	x6, x7, [x1, #R(6)]
	stp	x8, x9, [x1, #R(8)]
	stp	x10, x11, [x1, #R(10)]
	stp	x12, x13, [x1, #R(12)]
	stp	x14, x15, [x1, #R(14)]
	stp	x16, x17, [x1, #R(16)]
	stp	x18, x19, [x1, #R(18)]
	stp	x20, x21, [x1, #R(20)]
	stp	x22, x23, [x1, #R(22)]
	stp	x24, x25, [x1, #R(24)]
	stp	x26, x27, [x1, #R(26)]
	stp	x28, x29, [x1, #R(28)]
	str	x30, [x1, #R(30)]
	adr_l	x0, differ_stack_pointer
	ldr	x0, [x0]
	mov	sp, x0
	ldp	x18, x0, [sp, #96]
	msr	daif, x0
	ldp	x27, x28, [sp, #80]
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #112
	ret
SYM_FUNC_END(differ_leave)

	.macro	way_out name, how
SYM_FUNC_START(\name)
	sub	sp, sp, #32
	stp	x0, x1, [sp]
	mov	x0, #\how
	b	differ_leave
SYM_FUNC_END(\name)
	.endm

	way_out	differ_exit_fall, DIFFER_FALL
	way_out	differ_exit_taken, DIFFER_TAKEN
	way_out	differ_exit_back, DIFFER_BACK
	way_out	differ_exit_bad, DIFFER_BAD
	way_out	differ_fixup, DIFFER_FAULT

	.bss
	.balign	64
SYM_DATA(differ_in, .skip EXIT + 8)
SYM_DATA(differ_out, .skip EXIT + 8)
SYM_DATA(differ_entry, .skip 8)
SYM_DATA(differ_stack_pointer, .skip 8)
	.balign	4096
	.skip	DIFFER_BUF_ROOM
SYM_DATA(differ_buf, .skip DIFFER_BUF_SIZE)
	.skip	DIFFER_BUF_ROOM
SYM_DATA(differ_stack, .skip DIFFER_STACK_SIZE + DIFFER_STACK_ROOM)
