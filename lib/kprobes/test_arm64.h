/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for the KUnit suites for kprobes on arm64: functions around a probed
 * instruction, and calls of these functions.
 */
#ifndef _LIB_KPROBES_TEST_ARM64_H
#define _LIB_KPROBES_TEST_ARM64_H

#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include "test.h"

/*
 * CODE(name, before, probed, after): a function around the probed instruction,
 * to which probe_<name> points.  Operands and results are in x0 to x5 and the
 * flags.  The code must preserve x9, its return address.  It has a frame.
 */
#define CODE(name, before, probed, after)				\
	asm(".pushsection .text\n"					\
	    ".arch_extension pauth\n"					\
	    ".balign 16\n"						\
	    ".type code_" #name ", @function\n"				\
	    "code_" #name ":\n\t"					\
	    "hint #34\n\t"						\
	    "mov x9, x30\n\t"						\
	    before "\n"							\
	    ".Lprobe_" #name ":\n\t" probed "\n\t"			\
	    after "\n\t"						\
	    "ret x9\n"							\
	    ".size code_" #name ", . - code_" #name "\n"		\
	    ".popsection\n"						\
	    ".pushsection .data\n"					\
	    ".balign 8\n"						\
	    "probe_" #name ": .quad .Lprobe_" #name "\n"		\
	    ".popsection\n");						\
	extern char code_##name[], *probe_##name

/* Operands in memory are on the stack. */
#define ON_STACK "stp x0, x1, [sp, #-16]!\n"
#define OFF_STACK "\n ldp x0, x1, [sp], #16"
#define NOPS(nr) "\n .rept " #nr "\n nop\n .endr\n"

/* The last page is never mapped. */
#define BAD_PAGE	0xfffffffffffff000UL

struct state {
	u64 x[6];
	u64 nzcv;
};

/* The called code clobbers more than the compiler knows. */
#ifdef CONFIG_CC_IS_CLANG
#define CALLER	LIST(noinline __used)
#else
#define CALLER	__attribute__((noipa))
#endif

static __maybe_unused CALLER void call_code(void *function, struct state *s)
{
	register void *fn asm("x10") = function;
	register struct state *state asm("x11") = s;

	asm volatile("stp	x29, x30, [sp, #-32]!\n\t"
		     "mov	x29, sp\n\t"
		     "str	x11, [sp, #16]\n\t"
		     "ldr	x12, [x11, #48]\n\t"
		     "msr	nzcv, x12\n\t"
		     "ldp	x0, x1, [x11]\n\t"
		     "ldp	x2, x3, [x11, #16]\n\t"
		     "ldp	x4, x5, [x11, #32]\n\t"
		     "blr	x10\n\t"
		     "ldr	x11, [sp, #16]\n\t"
		     "stp	x0, x1, [x11]\n\t"
		     "stp	x2, x3, [x11, #16]\n\t"
		     "stp	x4, x5, [x11, #32]\n\t"
		     "mrs	x12, nzcv\n\t"
		     "str	x12, [x11, #48]\n\t"
		     "ldp	x29, x30, [sp], #32\n\t"
		     : "+r" (fn), "+r" (state)
		     :
		     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
		       "x9", "x12", "x13", "x14", "x15", "x16", "x17", "x30",
		       "memory", "cc");
}

static __maybe_unused bool is_probe_trap(const void *where)
{
	return *(__le32 *)where == cpu_to_le32(BRK64_OPCODE_KPROBES);
}

#endif /* _LIB_KPROBES_TEST_ARM64_H */
