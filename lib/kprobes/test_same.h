/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The case shared by the KUnit suites for instructions on arm64 and powerpc:
 * each instruction has the same results with a probe as without one.
 *
 * The suite includes this after its struct state, which has u64 only, and
 * defines:
 * random_state(): fill the operands of the input @i
 * call_case(): execute the code
 * skip_without(): skip the case if the CPU lacks the instruction
 * jumps(): whether the optimizer replaces the probe's breakpoint
 */
#ifndef _LIB_KPROBES_TEST_SAME_H
#define _LIB_KPROBES_TEST_SAME_H

#include "test_code.h"

/* Flags: a post handler is refused; no detour can contain the instruction. */
#define NO_POST		1
#define NO_JUMP		2

static void random_state(struct rnd_state *rnd, struct state *s, int i);
static void call_case(const struct code_case *c, struct state *s);
static void skip_without(struct kunit *test, const struct code_case *c);
static bool jumps(const struct code_case *c);

static void report_words(struct kunit *test, const struct state *s,
			 const struct state *plain)
{
	const u64 *word = (const u64 *)s, *expected = (const u64 *)plain;
	unsigned int i;

	for (i = 0; i < sizeof(*s) / sizeof(*word); i++)
		kunit_info(test, "  %llx, plain %llx", word[i], expected[i]);
}

/* Execute the code for all inputs with the probe @p. */
static void expect_same(struct kunit *test, const struct code_case *c,
			const struct state *plain, struct counted *p,
			const char *how)
{
	struct rnd_state rnd;
	struct state s;
	int i;

	p->pre = 0;
	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < INPUTS; i++) {
		random_state(&rnd, &s, i);
		call_case(c, &s);
		if (!memcmp(&s, &plain[i], sizeof(s)))
			continue;
		KUNIT_FAIL(test, "%s, input %d:", how, i);
		report_words(test, &s, &plain[i]);
	}
	KUNIT_EXPECT_GE(test, p->pre, INPUTS);
}

/* Add a probe with a post handler to @p. */
static void expect_same_post(struct kunit *test, const struct code_case *c,
			     const struct state *plain, struct counted *p,
			     const char *how)
{
	struct counted q = COUNTED(*c->probe,
				   .probe.post_handler = checked_post);
	bool refused = c->flags & NO_POST;

	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe),
			refused ? -EOPNOTSUPP : 0);
	if (refused)
		return;
	expect_same(test, c, plain, p, how);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_GE(test, q.pre, INPUTS);
	KUNIT_EXPECT_EQ(test, q.post, q.pre);
	KUNIT_EXPECT_EQ(test, q.astray, 0);
	KUNIT_EXPECT_EQ(test, q.probe.nmissed, 0);
}

static void test_probe_changes_no_result(struct kunit *test)
{
	const struct code_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe);
	u32 before = *(u32 *)*c->probe;
	struct rnd_state rnd;
	struct state *plain;
	int i;

	skip_without(test, c);
	plain = kunit_kcalloc(test, INPUTS, sizeof(*plain), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < INPUTS; i++) {
		random_state(&rnd, &plain[i], i);
		call_case(c, &plain[i]);
	}

	switch_jumps(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(*c->probe));
	expect_same(test, c, plain, &p, "trap");
	expect_same_post(test, c, plain, &p, "post");

	switch_jumps(true);
	expect_jump(test, &p.probe, jumps(c));
	if (IS_ENABLED(CONFIG_OPTPROBES) && c->flags & NO_JUMP)
		KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p.probe.addr),
				KPROBE_NOJUMP_BOUND_INSIDE);
	KUNIT_EXPECT_EQ(test, is_probe_trap(*c->probe),
			!kprobe_optimized(&p.probe));
	expect_same(test, c, plain, &p, "jump");
	expect_same_post(test, c, plain, &p, "post after jump");

	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, *(u32 *)*c->probe, before);
	KUNIT_EXPECT_EQ(test, p.astray, 0);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed, 0);
}

static void code_exit(struct kunit *test)
{
	switch_jumps(true);
}

#endif /* _LIB_KPROBES_TEST_SAME_H */
