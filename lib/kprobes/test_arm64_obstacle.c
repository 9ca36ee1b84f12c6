// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for obstacles on arm64: instructions whose breakpoint cannot be
 * replaced with a branch.
 */
#include "test_arm64.h"

CODE(add, "", "add x0, x1, x2, lsl #3", "");
CODE(blr_x30, "mov x3, #1\n adr x30, 1f", "blr x30", "mov x3, #2\n b 2f\n"
     "1: hint #34\n mov x4, x30\n mov x3, #5\n ret\n"
     "2: adr x5, 2b\n sub x5, x5, x4\n mov x4, xzr");
CODE(pan, "", "add x0, x1, x2", "b 1f\n .inst 0xd500409f\n1:");
CODE(tco, "", "add x0, x1, x2", "b 1f\n .inst 0xd503409f\n1:");
CODE(ttbr, "", "add x0, x1, x2", "b 1f\n msr ttbr0_el1, x0\n1:");
CODE(daif, "", "add x0, x1, x2", "b 1f\n msr daifset, #2\n1:");

static const struct obstacle_case {
	const char *name;
	char **probe;
	enum kprobe_obstacle expected;
} obstacle_cases[] = {
	{ "nothing", &probe_add, KPROBE_NOJUMP_NONE },
	{ "user access", &probe_pan, KPROBE_NOJUMP_NONE },
	{ "tag check override", &probe_tco, KPROBE_NOJUMP_NONE },
	{ "page tables", &probe_ttbr, KPROBE_NOJUMP_NONE },
	{ "interrupts", &probe_daif, KPROBE_NOJUMP_NONE },
	{ "call by the link register", &probe_blr_x30,
	  KPROBE_NOJUMP_BOUND_INSIDE },
};

KUNIT_ARRAY_PARAM_DESC(obstacle, obstacle_cases, name);

static void test_obstacle_is_found(struct kunit *test)
{
	const struct obstacle_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe);
	enum kprobe_obstacle found;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	wait_for_kprobe_optimizer();
	found = kprobe_obstacle_at((void *)probed_at(&p.probe));
	KUNIT_EXPECT_STREQ(test, kprobe_obstacles[found].name,
			   kprobe_obstacles[c->expected].name);
	KUNIT_EXPECT_EQ(test, kprobe_optimized(&p.probe), !c->expected);
	unregister_kprobe(&p.probe);
}

CODE(push, "", "stp x0, x1, [sp, #-16]!", "ldp x2, x3, [sp], #16");

/* A branch covers one instruction: a probe on the next does not prevent it. */
static void test_neighbours_both_jump(struct kunit *test)
{
	struct counted p = COUNTED(probe_push);
	struct counted q = COUNTED(probe_push + 4);
	struct state s = { .x = { 1, 2 } };

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&p.probe));
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&q.probe));
	call_code(code_push, &s);
	KUNIT_EXPECT_EQ(test, s.x[2], 1);
	KUNIT_EXPECT_EQ(test, s.x[3], 2);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 1);
	KUNIT_EXPECT_EQ(test, q.pre, 1);
}

static struct kunit_case obstacle_tests[] = {
	KUNIT_CASE_PARAM(test_obstacle_is_found, obstacle_gen_params),
	KUNIT_CASE(test_neighbours_both_jump),
	{}
};

static struct kunit_suite obstacle_suite = {
	.name = "kprobes_arm64_obstacle",
	.test_cases = obstacle_tests,
};

kunit_test_suite(obstacle_suite);
