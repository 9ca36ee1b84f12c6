/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lab/differ-table, the assembly that executes a form, and kprobe_differ.c
 * know of each other.
 *
 * A form is an instruction with operands. Each stands in a function of its own,
 * which begins at the landing of branches backward:
 *
 *		b	differ_exit_back
 *	mover:	no-op, where a handler may set out for the form
 *		b	differ_exit_bad
 *	before:	no-op, where a jump may begin that covers the form
 *	at:	the form
 *		no-ops
 *		b	differ_exit_fall
 *		b	differ_exit_taken
 */
#ifndef _LAB_KPROBE_DIFFER_H
#define _LAB_KPROBE_DIFFER_H

/* How the form was left; differ_fixup() is entered by DIFFER_FAULT. */
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
/* What is set besides flags: at EL1, with its stack, and no access to users. */
#define DIFFER_PSTATE	0x400005
#define DIFFER_STACK_ROOM	131072
#elif defined(CONFIG_PPC)
#define DIFFER_REGS	35
#define DIFFER_SP	1
#endif

#define DIFFER_FLAGS	DIFFER_REGS	/* index of the flags among registers */

#define DIFFER_BUF_SIZE		512
/* Operands are relative to the middle of the buffer, with room around it. */
#define DIFFER_BUF_ROOM		4096
#define DIFFER_STACK_SIZE	16384
/* The part of it that is compared. */
#define DIFFER_STACK_TOP	2048

#ifndef __ASSEMBLY__

/**
 * struct differ_cpu - what a form is executed with, or leaves
 * @reg: the registers, in the order of their numbers, and the flags
 * @exit: one of DIFFER_*
 */
struct differ_cpu {
	unsigned long reg[DIFFER_REGS + 1];
	unsigned long exit;
};

/*
 * A register, or a word in memory, that a form wants to have a value.  Between
 * the numbers of registers and addresses are words on the stack: as far from
 * DIFFER_STACK_FIX as they are from the stack pointer.
 */
#define DIFFER_STACK_FIX	2048
#define DIFFER_STACK_FIXES	4096

struct differ_fix {
	unsigned long where;
	unsigned long value;
};

/* The direction flag may be set: jumps do not expect that. */
#define DIFFER_DIRECTION	1
/* It may raise an exception, and has an entry in the table of these. */
#define DIFFER_MAY_FAULT	2
/*
 * Only the lower half of a register is defined, whose number is above; what an
 * exception overwrites is read, so that one before it makes a difference.
 */
#define DIFFER_LOW		4
#define DIFFER_BANKED		8
#define DIFFER_LOW_REG(flags)	((flags) >> 8 & 31)

/**
 * struct differ_form - an instruction
 * @mover: see above
 * @before: see above
 * @at: see above
 * @fix: what it wants to have
 * @nr_fixes: how many of these
 * @pushed: how many bytes below the stack pointer it writes
 * @length: in bytes
 * @flags: DIFFER_*
 * @name: of its class
 */
struct differ_form {
	unsigned long mover;
	unsigned long before;
	unsigned long at;
	const struct differ_fix *fix;
	unsigned int nr_fixes;
	unsigned int pushed;
	unsigned int length;
	unsigned int flags;
	char name[16];
};

extern const struct differ_form differ_forms[];
extern const unsigned int differ_nr;

/* Executes the form that differ_entry leads to, from differ_in to differ_out. */
extern struct differ_cpu differ_in, differ_out;
extern unsigned long differ_entry, differ_stack_pointer;
extern char differ_buf[], differ_stack[];
void differ_enter(void);
void differ_fixup(void);

#endif /* __ASSEMBLY__ */
#endif /* _LAB_KPROBE_DIFFER_H */
