// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for handlers that continue at another instruction, where each has
 * four bytes: all instructions after the probed one, probed or not.
 */
#include <linux/bits.h>
#include "test.h"
#if defined(CONFIG_ARM64)
#include "test_arm64_moves.h"
#elif defined(CONFIG_PPC)
#include "test_powerpc_moves.h"
#endif

KUNIT_ARRAY_PARAM_DESC(move, move_cases, name);

#define INSN_BYTES	4
#define LATER		4

struct moving {
	struct kprobe probe;
	struct counted later[LATER];
	unsigned long to;
	unsigned int moved;
};

static int move_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct moving *m = container_of(p, struct moving, probe);

	instruction_pointer_set(regs, m->to);
	m->moved++;
	return 1;
}

static void move_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	move_pre(p, regs);
}

static int move_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	return move_pre(p, regs);
}

enum move_state { MOVE_TRAP, MOVE_QUEUED, MOVE_JUMP };

static void expect_moves(struct kunit *test, const struct move_case *c,
			 enum move_state state, bool probed)
{
	struct moving m = {
		.probe.addr = (kprobe_opcode_t *)*c->probe,
		.probe.pre_handler = c->by == MOVES_PRE ? move_pre : NULL,
		.probe.post_handler = c->by == MOVES_POST ? move_post : NULL,
		.probe.fault_handler = c->by == MOVES_FAULT ? move_fault : NULL,
	};
	unsigned int i, k;

	switch_jumps(state != MOVE_TRAP);
	for (i = 0; probed && i < LATER; i++) {
		m.later[i] = COUNTED(*c->probe + INSN_BYTES * (i + 1));
		KUNIT_ASSERT_EQ(test, register_kprobe(&m.later[i].probe), 0);
	}
	KUNIT_ASSERT_EQ(test, register_kprobe(&m.probe), 0);
	if (state == MOVE_JUMP)
		expect_jump(test, &m.probe, c->by != MOVES_POST);
	for (i = 0; i < LATER; i++) {
		unsigned long left;

		m.to = (unsigned long)*c->probe + INSN_BYTES * (i + 1);
		left = call_move(c->function);
		KUNIT_EXPECT_EQ(test, left, 15 & ~(BIT(i) - 1));
		KUNIT_EXPECT_EQ(test, m.moved, i + 1);
		for (k = 0; probed && k < LATER; k++)
			KUNIT_EXPECT_EQ(test, m.later[k].pre,
					k < i ? k + 1 : i + 1);
	}
	unregister_kprobe(&m.probe);
	for (i = 0; probed && i < LATER; i++) {
		unregister_kprobe(&m.later[i].probe);
		KUNIT_EXPECT_EQ(test, m.later[i].astray, 0);
	}
}

static void test_move_reaches_each_insn(struct kunit *test)
{
	const struct move_case *c = test->param_value;

	expect_moves(test, c, MOVE_TRAP, false);
	expect_moves(test, c, MOVE_TRAP, true);
	expect_moves(test, c, MOVE_QUEUED, false);
	expect_moves(test, c, MOVE_QUEUED, true);
	expect_moves(test, c, MOVE_JUMP, false);
	expect_moves(test, c, MOVE_JUMP, true);
}

static void move_exit(struct kunit *test)
{
	switch_jumps(true);
}

static struct kunit_case move_tests[] = {
	KUNIT_CASE_PARAM(test_move_reaches_each_insn, move_gen_params),
	{}
};

static struct kunit_suite move_suite = {
	.name = "kprobes_move",
	.test_cases = move_tests,
	.exit = move_exit,
};

kunit_test_suite(move_suite);
