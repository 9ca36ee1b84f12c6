/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that test_move.c probes on arm64. */
#ifndef _LIB_KPROBES_TEST_ARM64_MOVES_H
#define _LIB_KPROBES_TEST_ARM64_MOVES_H

#include "test_arm64.h"
#include "test_move.h"

#define MOVED	"add x4, x4, #1\n add x4, x4, #2\n add x4, x4, #4\n" \
		"add x4, x4, #8"
CODE(move_compute, "mov x4, #0", "add x0, x0, #16", MOVED);
CODE(move_slot, "mov x4, #0", "isb", MOVED);
CODE(move_emulated, "mov x4, #0", "cbz xzr, 1f\n1:", MOVED);
/* The branch leads to a landing pad; the next instruction is not one. */
CODE(move_branch, "mov x4, #0\n b 2f\n1: bti j\n b 3f\n2: adr x5, 1b",
     "br x5", "3: " MOVED);
/* Loads from BAD_PAGE. */
CODE(move_fault, "mov x4, #0", "ldr x1, [x0]", MOVED);

static const struct move_case move_cases[] = {
	MOVE_CASE("pre, computes", move_compute, MOVES_PRE),
	MOVE_CASE("post, computes", move_compute, MOVES_POST),
	MOVE_CASE("pre, out of line", move_slot, MOVES_PRE),
	MOVE_CASE("post, out of line", move_slot, MOVES_POST),
	MOVE_CASE("pre, emulated", move_emulated, MOVES_PRE),
	MOVE_CASE("post, emulated", move_emulated, MOVES_POST),
	MOVE_CASE("pre, branch by register", move_branch, MOVES_PRE),
	MOVE_CASE("post, branch by register", move_branch, MOVES_POST),
	MOVE_CASE("fault", move_fault, MOVES_FAULT),
};

static unsigned long call_move(void *function)
{
	struct state s = { .x = { BAD_PAGE } };

	call_code(function, &s);
	return s.x[4];
}

#endif /* _LIB_KPROBES_TEST_ARM64_MOVES_H */
