/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each architecture defines an array move_cases[] for test_move.c, of
 *
 *	MOVE_CASE("which handler, how it is executed", name, MOVES_PRE),
 *
 * where CODE(name, ...) is a function with four instructions after the probed
 * one, which add 1, 2, 4 and 8 to the result; and call_move(), which calls such
 * a function and returns the sum.
 */
#ifndef _LIB_KPROBES_TEST_MOVE_H
#define _LIB_KPROBES_TEST_MOVE_H

enum mover { MOVES_PRE, MOVES_POST, MOVES_FAULT };

struct move_case {
	const char *name;
	void *function;
	char **probe;
	enum mover by;
};

#define MOVE_CASE(what, fn, mover)					\
	{ what, code_##fn, &probe_##fn, mover }

#endif /* _LIB_KPROBES_TEST_MOVE_H */
