/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load all registers, execute a form on a stack of its own with interrupts off,
 * and store all registers.  See kprobe_differ.h.  A form must not use memory
 * below the stack pointer, as exceptions do not.
 */
#include <linux/linkage.h>
#include <asm/ppc_asm.h>
#include <asm/reg.h>
#include "kprobe_differ.h"

#define R_(n)		(8 * (n))
#define LR		R_(32)
#define CTR		R_(33)
#define XER		R_(34)
#define CR		R_(DIFFER_FLAGS)
#define EXIT		R_(DIFFER_FLAGS + 1)
#define FRAME		336

/* Load the address of a symbol, relative to a label after BCL. */
	.macro	address register, symbol, label
	addis	\register, \register, (\symbol - \label)@ha
	addi	\register, \register, (\symbol - \label)@l
	.endm

	.text
	.globl	differ_enter
	.type	differ_enter, @function
differ_enter:
	mflr	r0
	std	r0, 16(r1)
	stdu	r1, -FRAME(r1)
	mfcr	r0
	std	r0, 32(r1)
	std	r2, 40(r1)
	.irp	n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	std	\n, (48 + 8 * (\n))(r1)
	.endr
	bcl	20, 31, 1f
1:	mflr	r3
	mr	r4, r3
	mr	r5, r3
	address	r4, differ_stack_pointer, 1b
	std	r1, 0(r4)
	address	r5, differ_entry, 1b
	ld	r5, 0(r5)
	address	r3, differ_in, 1b
	/* A return from an exception does not change LR and CTR. */
	mfmsr	r6
	li	r7, 0
	mtmsrd	r7, 1
	mtspr	SPRN_SRR0, r5
	mtspr	SPRN_SRR1, r6
	ld	r0, LR(r3)
	mtlr	r0
	ld	r0, CTR(r3)
	mtctr	r0
	ld	r0, XER(r3)
	mtxer	r0
	ld	r0, CR(r3)
	mtcr	r0
	.irp	n, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	ld	\n, R_(\n)(r3)
	.endr
	ld	r3, R_(3)(r3)
	rfid
	.size	differ_enter, . - differ_enter

/* The exit, r3 and r4 are below the stack. */
	.type	differ_leave, @function
differ_leave:
	mflr	r3
	std	r3, -40(r1)
	bcl	20, 31, 1f
1:	mflr	r4
	address	r4, differ_out, 1b
	.irp	n, 0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	std	\n, R_(\n)(r4)
	.endr
	ld	r3, -16(r1)
	std	r3, R_(3)(r4)
	ld	r3, -24(r1)
	std	r3, R_(4)(r4)
	ld	r3, -32(r1)
	std	r3, EXIT(r4)
	ld	r3, -40(r1)
	std	r3, LR(r4)
	mfctr	r3
	std	r3, CTR(r4)
	mfxer	r3
	std	r3, XER(r4)
	mfcr	r3
	std	r3, CR(r4)
	mflr	r4
	address	r4, differ_stack_pointer, 1b
	ld	r1, 0(r4)
	ld	r2, 40(r1)
	ld	r0, 32(r1)
	mtcr	r0
	.irp	n, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	ld	\n, (48 + 8 * (\n))(r1)
	.endr
	addi	r1, r1, FRAME
	ld	r0, 16(r1)
	mtlr	r0
	blr
	.size	differ_leave, . - differ_leave

	.macro	way_out name, how
	.globl	\name
	.type	\name, @function
\name:
	std	r3, -16(r1)
	std	r4, -24(r1)
	li	r3, \how
	std	r3, -32(r1)
	b	differ_leave
	.size	\name, . - \name
	.endm

	way_out	differ_exit_fall, DIFFER_FALL
	way_out	differ_exit_taken, DIFFER_TAKEN
	way_out	differ_exit_back, DIFFER_BACK
	way_out	differ_exit_bad, DIFFER_BAD
	way_out	differ_fixup, DIFFER_FAULT

	.macro	variable name, size
	.globl	\name
\name:	.skip	\size
	.endm

	.bss
	.balign	128
	variable differ_in, EXIT + 8
	variable differ_out, EXIT + 8
	variable differ_entry, 8
	variable differ_stack_pointer, 8
	.balign	4096
	.skip	DIFFER_BUF_ROOM
	variable differ_buf, DIFFER_BUF_SIZE
	.skip	DIFFER_BUF_ROOM
	variable differ_stack, DIFFER_STACK_SIZE
