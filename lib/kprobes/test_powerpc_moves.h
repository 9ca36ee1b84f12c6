/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that test_move.c probes on powerpc. */
#ifndef _LIB_KPROBES_TEST_POWERPC_MOVES_H
#define _LIB_KPROBES_TEST_POWERPC_MOVES_H

#include "test_powerpc.h"
#include "test_move.h"

#define MOVED	"addi 7, 7, 1\n addi 7, 7, 2\n addi 7, 7, 4\n addi 7, 7, 8"
CODE(move_compute, "li 7, 0", "addi 3, 3, 16", MOVED);
CODE(move_slot, "li 7, 0", "isync", MOVED);
CODE(move_branch, "li 7, 0", "b 1f\n1:", MOVED);
/* Loads from an unmapped address. */
CODE(move_fault, "li 7, 0", LL " 4, 0(3)", MOVED);

static const struct move_case move_cases[] = {
	MOVE_CASE("pre, computes", move_compute, MOVES_PRE),
	MOVE_CASE("post, computes", move_compute, MOVES_POST),
	MOVE_CASE("pre, out of line", move_slot, MOVES_PRE),
	MOVE_CASE("post, out of line", move_slot, MOVES_POST),
	MOVE_CASE("pre, branches", move_branch, MOVES_PRE),
	MOVE_CASE("post, branches", move_branch, MOVES_POST),
	MOVE_CASE("fault", move_fault, MOVES_FAULT),
};

/* An address in the kernel's half, but in none of its regions. */
#ifdef CONFIG_PPC64
#define UNMAPPED	0xcfffffffffff0000UL
#else
#define UNMAPPED	BAD_PAGE
#endif

static unsigned long call_move(void *function)
{
	struct state s = { .r = { UNMAPPED } };

	ppc_call_code(function, &s);
	return s.r[4];
}

#endif /* _LIB_KPROBES_TEST_POWERPC_MOVES_H */
