// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for sites on calls of ftrace that claim their functions, or move
 * to ftrace, while they are hit: see kernel/kprobes/ftrace.c.
 */
#include "test_ftrace.h"

static unsigned int calls;

static int call_often(void *unused)
{
	unsigned long flags;

	while (!kthread_should_stop()) {
		local_irq_save(flags);
		call_target(5);
		calls++;
		local_irq_restore(flags);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

#define MOVES	20

/* A post handler makes the site claim its function, and release it. */
static void test_claims_lose_no_hit(struct kunit *test)
{
	struct task_struct *task;
	struct counted *plain;
	unsigned int i;

	skip_on_one_cpu(test);
	plain = PROBED_CALL(test, target);
	calls = 0;
	task = other_cpu_task(test, call_often);
	wake_up_process(task);
	for (i = 0; i < MOVES; i++) {
		struct counted post = ON(target,
					 .probe.post_handler = counted_post);

		usleep_range(100, 200);
		KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), 0);
		usleep_range(100, 200);
		unregister_kprobe(&post.probe);
	}
	other_cpu_end(task);
	KUNIT_EXPECT_NE(test, calls, 0);
	KUNIT_EXPECT_EQ(test, plain->pre + plain->probe.nmissed, calls);
}

#ifdef CONFIG_KPROBE_SKIP_FTRACE
/* Redirects the function to itself, as a live patch may. */
static void notrace patch_hit(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

static struct ftrace_ops patcher = {
	.func = patch_hit,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static struct ftrace_ops direct;

/* Ways to make a site leave the instruction after the call. */
enum leave_way {
	LEAVE_BY_SWITCH,
	LEAVE_BY_POST_HANDLER,
	LEAVE_BY_NEXT_PROBE,
	LEAVE_BY_LIVE_PATCH,
	LEAVE_BY_DIRECT_CALL,
};

static const char * const leave_cases[] = {
	[LEAVE_BY_SWITCH]	= "jumps are switched off",
	[LEAVE_BY_POST_HANDLER]	= "a post handler",
	[LEAVE_BY_NEXT_PROBE]	= "a probe there",
	[LEAVE_BY_LIVE_PATCH]	= "a live patch",
	[LEAVE_BY_DIRECT_CALL]	= "a direct call",
};

KUNIT_ARRAY_PARAM(leave, leave_cases, name_desc);

static int leave_begin(enum leave_way way, struct kprobe *other)
{
	switch (way) {
	case LEAVE_BY_SWITCH:
		switch_jumps(false);
		return 0;
	case LEAVE_BY_LIVE_PATCH:
		return register_ftrace_function(&patcher);
	case LEAVE_BY_DIRECT_CALL:
		return register_ftrace_direct(&direct, (unsigned long)
					      ftrace_stub_direct_tramp);
	default:
		return register_kprobe(other);
	}
}

static void leave_end(enum leave_way way, struct kprobe *other)
{
	switch (way) {
	case LEAVE_BY_SWITCH:
		switch_jumps(true);
		break;
	case LEAVE_BY_LIVE_PATCH:
		unregister_ftrace_function(&patcher);
		break;
	case LEAVE_BY_DIRECT_CALL:
		unregister_ftrace_direct(&direct, (unsigned long)
					 ftrace_stub_direct_tramp, false);
		break;
	default:
		unregister_kprobe(other);
	}
}

static void leave_next(struct kunit *test, enum leave_way way, bool jump)
{
	struct counted c = ON(target);
	struct counted other = ON(target, .probe.post_handler = counted_post);
	struct task_struct *task = other_cpu_task(test, call_often);

	if (way == LEAVE_BY_NEXT_PROBE)
		other = COUNTED((unsigned long)c.probe.addr + MCOUNT_INSN_SIZE);
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_FALSE(test, kprobe_ftrace(&c.probe));
	if (jump)
		wait_for_kprobe_optimizer();
	calls = 0;
	wake_up_process(task);
	usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(test, leave_begin(way, &other.probe), 0);
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&c.probe));
	usleep_range(500, 1000);
	other_cpu_end(task);
	KUNIT_EXPECT_NE(test, calls, 0);
	KUNIT_EXPECT_EQ(test, c.pre + c.probe.nmissed, calls);
	KUNIT_EXPECT_EQ(test, c.astray, 0);
	leave_end(way, &other.probe);
	unregister_kprobe(&c.probe);
}

static void test_site_leaving_next_insn_loses_no_hit(struct kunit *test)
{
	unsigned int i, way = (const char * const *)test->param_value -
			      leave_cases;

	skip_on_one_cpu(test);
	KUNIT_ASSERT_EQ(test, watch(&patcher, target), 0);
	KUNIT_ASSERT_EQ(test, watch(&direct, target), 0);
	switch_jumps(true);
	for (i = 0; i < MOVES; i++)
		leave_next(test, way, i & 1);
	switch_jumps(false);
}
#endif

static int suite_init(struct kunit *test)
{
	KUNIT_ASSERT_NE(test, ftrace_location((unsigned long)target), 0);
	/* With jumps, the instruction after the call may be probed. */
	switch_jumps(false);
	return 0;
}

static void suite_exit(struct kunit *test)
{
	switch_jumps(true);
}

static struct kunit_case ftrace_move_tests[] = {
	KUNIT_CASE(test_claims_lose_no_hit),
#ifdef CONFIG_KPROBE_SKIP_FTRACE
	KUNIT_CASE_PARAM(test_site_leaving_next_insn_loses_no_hit,
			 leave_gen_params),
#endif
	{}
};

static struct kunit_suite ftrace_move_suite = {
	.name = "kprobes_ftrace_move",
	.init = suite_init,
	.exit = suite_exit,
	.test_cases = ftrace_move_tests,
};

kunit_test_suite(ftrace_move_suite);
