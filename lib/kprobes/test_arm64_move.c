// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for handlers on arm64 that continue at another instruction: at
 * each one behind the probed one, which may be probed as well.
 */
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "test_arm64.h"

/*
 * Four instructions to continue at, in each state of the text.  Each leaves a
 * bit in x4.
 */
#define MOVED	"add x4, x4, #1\n add x4, x4, #2\n add x4, x4, #4\n" \
		"add x4, x4, #8"
CODE(move_compute, "mov x4, #0", "add x0, x0, #16", MOVED);
CODE(move_slot, "mov x4, #0", "isb", MOVED);
CODE(move_emulated, "mov x4, #0", "cbz xzr, 1f\n1:", MOVED);
/* Loads from BAD_PAGE. */
CODE(move_fault, "mov x4, #0", "ldr x1, [x0]", MOVED);

enum mover { MOVES_PRE, MOVES_POST, MOVES_FAULT };

static const struct move_case {
	const char *name;
	void *function;
	char **probe;
	enum mover by;
} move_cases[] = {
	{ "pre, computes", code_move_compute, &probe_move_compute, MOVES_PRE },
	{ "pre, out of line", code_move_slot, &probe_move_slot,
	  MOVES_PRE },
	{ "pre, emulated", code_move_emulated, &probe_move_emulated,
	  MOVES_PRE },
	{ "post, computes", code_move_compute, &probe_move_compute,
	  MOVES_POST },
	{ "post, out of line", code_move_slot, &probe_move_slot,
	  MOVES_POST },
	{ "post, emulated", code_move_emulated, &probe_move_emulated,
	  MOVES_POST },
	{ "fault", code_move_fault, &probe_move_fault, MOVES_FAULT },
};

KUNIT_ARRAY_PARAM_DESC(move, move_cases, name);

#define BEHIND	4

struct moving {
	struct kprobe probe;
	struct counted behind[BEHIND];
	unsigned long to;
	unsigned int moved;
};

static int move_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct moving *m = container_of(p, struct moving, probe);

	regs->pc = m->to;
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
	for (i = 0; probed && i < BEHIND; i++) {
		m.behind[i] = COUNTED(*c->probe + 4 + 4 * i);
		KUNIT_ASSERT_EQ(test, register_kprobe(&m.behind[i].probe), 0);
	}
	KUNIT_ASSERT_EQ(test, register_kprobe(&m.probe), 0);
	if (state == MOVE_JUMP)
		expect_jump(test, &m.probe, c->by != MOVES_POST);
	for (i = 0; i < BEHIND; i++) {
		struct state s = { .x = { BAD_PAGE } };

		m.to = (unsigned long)*c->probe + 4 + 4 * i;
		call_code(c->function, &s);
		KUNIT_EXPECT_EQ(test, s.x[4], 15 & ~(BIT(i) - 1));
		KUNIT_EXPECT_EQ(test, m.moved, i + 1);
		for (k = 0; probed && k < BEHIND; k++)
			KUNIT_EXPECT_EQ(test, m.behind[k].pre,
					k < i ? k + 1 : i + 1);
	}
	unregister_kprobe(&m.probe);
	for (i = 0; probed && i < BEHIND; i++) {
		unregister_kprobe(&m.behind[i].probe);
		KUNIT_EXPECT_EQ(test, m.behind[i].astray, 0);
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

/*
 * What may only be replaced while the machine is stopped is mapped before, and
 * all of a batch at once.  What maps a single word meanwhile cannot be probed.
 */
static struct task_struct *mapping_task;

static int mapping_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (current == mapping_task)
		container_of(p, struct counted, probe)->pre++;
	return 0;
}

static void test_batch_is_mapped_at_once(struct kunit *test)
{
	struct counted mapping = {
		.probe.symbol_name = "vmap",
		.probe.pre_handler = mapping_pre,
	};
	struct counted p[] = {
		COUNTED(probe_move_compute), COUNTED(probe_move_fault),
		{ .probe.symbol_name = "memchr" },
	};
	struct kprobe *array[] = { &p[0].probe, &p[1].probe, &p[2].probe };

	mapping_task = current;
	KUNIT_ASSERT_EQ(test, register_kprobe(&mapping.probe), 0);
	wait_for_kprobe_optimizer();
	mapping.pre = 0;
	KUNIT_EXPECT_EQ(test, register_kprobes(array, ARRAY_SIZE(array)), 0);
	KUNIT_EXPECT_EQ(test, mapping.pre, 1);
	unregister_kprobes(array, ARRAY_SIZE(array));
	unregister_kprobe(&mapping.probe);
}

static struct kunit_case move_tests[] = {
	KUNIT_CASE(test_batch_is_mapped_at_once),
	KUNIT_CASE_PARAM(test_move_reaches_each_insn, move_gen_params),
	{}
};

static struct kunit_suite move_suite = {
	.name = "kprobes_arm64_move",
	.test_cases = move_tests,
	.exit = move_exit,
};

kunit_test_suite(move_suite);

MODULE_DESCRIPTION("KUnit suite for kprobes on arm64: moving on");
MODULE_LICENSE("GPL");
