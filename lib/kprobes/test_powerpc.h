/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for the KUnit suites for kprobes on powerpc: functions around a
 * probed instruction, and calls of these functions.
 */
#ifndef _LIB_KPROBES_TEST_POWERPC_H
#define _LIB_KPROBES_TEST_POWERPC_H

#include <asm/asm-compat.h>
#include <asm/probes.h>
#include <asm/ptrace.h>
#include "test.h"

/* Operations on registers for assembly in strings. */
#define LL	PPC_LL
#define STL	PPC_STL
#define STLU	PPC_STLU

/*
 * FUNCTION(name), FUNCTION_END(name): enclose an assembly function that is
 * called from C.
 */
#ifdef CONFIG_PPC64_ELF_ABI_V1
#define FUNCTION(name)							\
	".pushsection .opd, \"aw\"\n"					\
	".balign 8\n"							\
	".globl " #name "\n"						\
	#name ": .quad ." #name ", .TOC.@tocbase, 0\n"			\
	".popsection\n"							\
	".globl ." #name "\n"						\
	".type ." #name ", @function\n"					\
	"." #name ":\n\t"
#define FUNCTION_END(name) ".size ." #name ", . - ." #name "\n"
#else
#define FUNCTION(name)							\
	".globl " #name "\n"						\
	".type " #name ", @function\n"					\
	#name ":\n\t"
#define FUNCTION_END(name) ".size " #name ", . - " #name "\n"
#endif

/*
 * CODE(name, before, probed, after): code around the probed instruction, to
 * which probe_<name> points.  Operands and results are in r3 to r8, CR and XER.
 * The code must preserve r11, its return address.  It may use r9, r10 and the
 * bytes below the stack; on 32 bit, which does not preserve these, 16 bytes
 * from 16(r1) on.  It has no descriptor: only assembly may call it.
 */
#ifdef CONFIG_PPC64
#define CODE_MACHINE "power10"
#else
#define CODE_MACHINE "ppc"
#endif
#define CODE(name, before, probed, after)				\
	asm(".pushsection .text\n"					\
	    ".machine push\n"						\
	    ".machine " CODE_MACHINE "\n"				\
	    ".balign 64\n"						\
	    ".type code_" #name ", @function\n"				\
	    "code_" #name ":\n\t"					\
	    "mflr 11\n\t"						\
	    before "\n"							\
	    ".Lprobe_" #name ":\n\t" probed "\n\t"			\
	    after "\n\t"						\
	    "mtlr 11\n\t"						\
	    "blr\n"							\
	    ".size code_" #name ", . - code_" #name "\n"		\
	    ".machine pop\n"						\
	    ".popsection\n"						\
	    ".pushsection .data\n"					\
	    ".balign 8\n"						\
	    "probe_" #name ": " PPC_LONG ".Lprobe_" #name "\n"		\
	    ".popsection\n");						\
	extern char code_##name[], *probe_##name

/*
 * CALLEE(name, code): a function that CODE() may call, because objtool refuses
 * a call of a label in the same function.
 */
#define CALLEE(name, code)						\
	asm(".pushsection .text\n"					\
	    ".type " #name ", @function\n"				\
	    #name ":\n\t"						\
	    code "\n\t"							\
	    "blr\n"							\
	    ".size " #name ", . - " #name "\n"				\
	    ".popsection\n")

/* The last page is never mapped. */
#define BAD_PAGE	(-4096UL)

/* 32-bit code uses the lower halves. */
struct state {
	u64 r[6];
	u64 cr;
	u64 xer;
};

/* See test_powerpc_code.c. */
void ppc_call_code(void *function, struct state *s);

static __maybe_unused bool is_probe_trap(const void *where)
{
	return *(u32 *)where == BREAKPOINT_INSTRUCTION;
}

#endif /* _LIB_KPROBES_TEST_POWERPC_H */
