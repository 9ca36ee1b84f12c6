/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface between lab/differ-table, the assembly that executes a form, and
 * kprobe_differ.c.
 *
 * A form is an instruction with operands.  Each is in its own function, which
 * starts at the target of backward branches:
 *
 *		b	differ_exit_back
 *	mover:	no-op, where a handler may move to the form
 *		b	differ_exit_bad
 *	before:	no-op, where a jump that covers the form may start
 *	at:	the form
 *		no-ops
 *		b	differ_exit_fall
 *		b	differ_exit_taken
 */
#ifndef _LAB_KPROBE_DIFFER_H
#define _LAB_KPROBE_DIFFER_H

/* How the form was left; differ_fixup() is entered with DIFFER_FAULT. */
#define DIFFER_FALL	1
#define DIFFER_TAKEN	2
#define DIFFER_BACK	3
#define DIFFER_BAD	4
#define DIFFER_FAULT	5

#if defined(CONFIG_X86)
#ifdef CONFIG_X86_64
#define DIFFER_REGS	16
#else
#define DIFFER_REGS	8
#endif
#define DIFFER_SP	4
#define DIFFER_RESULT	0	/* where a fix-up finds the trap's number */
#elif defined(CONFIG_ARM64)
#define DIFFER_REGS	32
#define DIFFER_SP	31
/* PSTATE besides flags: EL1 with its stack, and no access to user memory. */
#define DIFFER_PSTATE	0x400005
#define DIFFER_STACK_ROOM	131072
#elif defined(CONFIG_PPC)
#define DIFFER_REGS	35
#define DIFFER_SP	1
#endif

#define DIFFER_FLAGS	DIFFER_REGS	/* index of the flags among registers */

#define DIFFER_BUF_SIZE		512
/* Operands are relative to the middle of the buffer, with space around it. */
#define DIFFER_BUF_ROOM		4096
#define DIFFER_STACK_SIZE	16384
/* The part of the stack that is compared. */
#define DIFFER_STACK_TOP	2048

#ifndef __ASSEMBLY__

/* State before or after the execution of a form. */
struct differ_cpu {
	/* The registers, in the order of their numbers, and the flags. */
	unsigned long reg[DIFFER_REGS + 1];
	unsigned long exit;	/* one of DIFFER_* */
};

/*
 * A register or a word in memory that must have a certain value for a form.
 * Addresses between the numbers of registers and the buffer are words on the
 * stack: their distance from DIFFER_STACK_FIX is that from the stack pointer.
 */
#define DIFFER_STACK_FIX	2048
#define DIFFER_STACK_FIXES	4096

struct differ_fix {
	unsigned long where;
	unsigned long value;
};

/* The direction flag may be set, which jumps do not support. */
#define DIFFER_DIRECTION	1
/* The place may raise an exception, and has an exception table entry. */
#define DIFFER_MAY_FAULT	2
/*
 * DIFFER_LOW: only the lower half of a register is defined; its number is in
 * the bits above.  DIFFER_BANKED: reads a register that an exception
 * overwrites, so a preceding exception changes the result.
 */
#define DIFFER_LOW		4
#define DIFFER_BANKED		8
#define DIFFER_LOW_REG(flags)	((flags) >> 8 & 31)

/* An instruction. */
struct differ_form {
	unsigned long mover;
	unsigned long before;
	unsigned long at;
	const struct differ_fix *fix;	/* required values */
	unsigned int nr_fixes;		/* number of them */
	/* Bytes below the stack pointer that it writes. */
	unsigned int pushed;
	unsigned int length;		/* in bytes */
	unsigned int flags;		/* DIFFER_* */
	char name[16];			/* of its class */
};

extern const struct differ_form differ_forms[];
extern const unsigned int differ_nr;

/* Execute the form at differ_entry, from differ_in to differ_out. */
extern struct differ_cpu differ_in, differ_out;
extern unsigned long differ_entry, differ_stack_pointer;
extern char differ_buf[], differ_stack[];
void differ_enter(void);
void differ_fixup(void);

#endif /* __ASSEMBLY__ */
#endif /* _LAB_KPROBE_DIFFER_H */
