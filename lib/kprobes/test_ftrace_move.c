// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for sites on calls of ftrace that move between our two ftrace_ops
 * while they are hit: see kernel/kprobes/ftrace.c.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include "test_ftrace.h"
#include "test_moving.h"

static TARGET int target(int x)
{
	barrier();
	return x * 3 + 1;
}

static TARGET int plain_target(int x)
{
	barrier();
	return x - 7;
}

static TARGET int post_target(int x)
{
	barrier();
	return x ^ 3;
}

/* The compiler must not know which function is called. */
static int (*volatile call_target)(int x) = target;
static int (*volatile call_plain)(int x) = plain_target;

static bool nests;
static unsigned int calls;

/* How long a call waits for the move. */
#define WAIT_MS		50

/*
 * Each call waits between our two ops.  The grace period before the move ends
 * after one of these calls, and the next call sees the move begin.  With @nests
 * two more calls follow before the move can end: a call in the same section,
 * and another one nested in it.
 */
static int call_during_move(void *unused)
{
	calls = 0;
	while (!READ_ONCE(moving.seen) && !kthread_should_stop()) {
		scoped_guard(preempt) {
			WRITE_ONCE(moving.calls, true);
			call_target(5);
			calls++;
			if (READ_ONCE(moving.seen) && nests) {
				moving.nests = 1;
				call_target(5);
				calls += 2;
			}
		}
		cond_resched();
	}
	return 0;
}

static const struct move_case {
	const char *name;
	bool post_comes;	/* or it is removed */
	bool to_first;		/* to the ops that ftrace calls first */
	bool nests;		/* a tracer calls the function once more */
} move_cases[] = {
	{ "post handler added, to the first", true, true, false },
	{ "post handler added, to the second", true, false, false },
	{ "post handler removed, to the first", false, true, false },
	{ "post handler removed, to the second", false, false, false },
	{ "to the first, in the loop of another hit", true, true, true },
	{ "to the second, in the loop of another hit", true, false, true },
};

KUNIT_ARRAY_PARAM_DESC(move_cases, move_cases, name);

/* On x86-64, a change of the stack pointer has no effect in a hit by ftrace. */
static int shifting_pre(struct kprobe *p, struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	regs->sp -= sizeof(long);
#endif
	return counted_pre(p, regs);
}

static void move_during_call(struct kunit *test, const struct move_case *how,
			     struct counted *plain, struct counted *post)
{
	struct task_struct *task;

	if (!how->post_comes)
		KUNIT_ASSERT_EQ(test, register_kprobe(&post->probe), 0);
	nests = how->nests;
	plain->pre = 0;
	task = moving_task(test, call_during_move);
	wait_until_it_waits(test, task);
	if (how->post_comes)
		KUNIT_EXPECT_EQ(test, register_kprobe(&post->probe), 0);
	else
		unregister_kprobe(&post->probe);
	moving_task_end(task);
	KUNIT_EXPECT_EQ(test, plain->pre, calls);
	KUNIT_EXPECT_EQ(test, plain->probe.nmissed, 0);
	KUNIT_EXPECT_TRUE(test, has_moved());
	plain->pre = 0;
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, plain->pre, 1);
	if (how->post_comes)
		unregister_kprobe(&post->probe);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, plain->pre, 2);
}

/* The move may begin between two calls. */
#define MOVE_TRIES	10

/* The call waits between our two ops. */
static void test_moving_site_is_hit_once(struct kunit *test)
{
	const struct move_case *how = test->param_value;
	struct counted post = ON(target, .probe.post_handler = counted_post);
	struct counted plain = ON(target, .probe.pre_handler = shifting_pre);
	/* These probes fix the order of our ops in ftrace's loop. */
	struct counted with_post = ON(post_target,
				      .probe.post_handler = counted_post);
	struct counted without = ON(plain_target);
	bool to_post_last = how->post_comes == how->to_first;
	struct counted *first = to_post_last ? &without : &with_post;
	struct counted *last = to_post_last ? &with_post : &without;
	unsigned int tries = 0;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	kprobe_flush_retired();
	KUNIT_ASSERT_EQ(test, watch(&waiter, target), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&first->probe), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&waiter), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&last->probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
	moving.site = plain.probe.site;
	moving.function = target;
	moving.timeout = WAIT_MS;
	do {
		move_during_call(test, how, &plain, &post);
	} while (!moving.seen && ++tries < MOVE_TRIES);
	KUNIT_EXPECT_TRUE(test, moving.seen);
	unregister_kprobe(&plain.probe);
	unregister_kprobe(&last->probe);
	unregister_kprobe(&first->probe);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&waiter), 0);
}

static struct ftrace_ops *late_ops;

/*
 * Act as a call that was preempted on its way to @late_ops and resumes now.
 * That call is not in ftrace's loop, even if the loop has called this
 * function.
 */
static void notrace call_late(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	int loop = TRACE_LIST_START + trace_get_context_bit();
	bool loops = trace_recursion_test(loop);

	if (loops)
		trace_recursion_clear(loop);
	late_ops->func(ftrace_location((unsigned long)target), parent_ip,
		       late_ops, fregs);
	if (loops)
		trace_recursion_set(loop);
}

static struct ftrace_ops late_caller = {
	.func = call_late,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static void test_late_call_of_old_ops_is_handled(struct kunit *test)
{
	struct counted post = ON(target, .probe.post_handler = counted_post);
	struct counted plain = ON(target);

	if (IS_ENABLED(CONFIG_KPROBES_CLASSIC))
		kunit_skip(test, "the backend continues after the late call");
	KUNIT_ASSERT_EQ(test, watch(&late_caller, plain_target), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&late_caller), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
	late_ops = plain.probe.site->ftrace_ops;
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_EXPECT_PTR_NE(test, plain.probe.site->ftrace_ops, late_ops);
	KUNIT_EXPECT_EQ(test, call_plain(5), -2);
	KUNIT_EXPECT_EQ(test, plain.pre, 1);
	KUNIT_EXPECT_EQ(test, post.pre, 1);
	KUNIT_EXPECT_EQ(test, plain.astray, 0);
	unregister_kprobe(&post.probe);
	unregister_kprobe(&plain.probe);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&late_caller), 0);
}

/*
 * Act as a function that is called in ftrace's loop, and for which ftrace calls
 * the old ops alone, after a while.
 */
static void notrace call_old_ops(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops,
				 struct ftrace_regs *fregs)
{
	if (!READ_ONCE(moving.calls))
		return;
	wait_until_seen();
	late_ops->func(ftrace_location((unsigned long)target), parent_ip,
		       late_ops, fregs);
}

static struct ftrace_ops old_ops_caller = {
	.func = call_old_ops,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static int call_plain_during_move(void *unused)
{
	WRITE_ONCE(moving.calls, true);
	call_plain(5);
	return 0;
}

static void test_call_of_old_ops_in_loop_is_handled(struct kunit *test)
{
	struct counted post = ON(target, .probe.post_handler = counted_post);
	struct counted plain = ON(target);
	/* These probes make ftrace call the old ops first, and use its loop. */
	struct counted first = ON(post_target,
				  .probe.post_handler = counted_post);
	struct counted last = ON(plain_target);
	struct task_struct *task;

	if (IS_ENABLED(CONFIG_KPROBES_CLASSIC))
		kunit_skip(test, "the backend continues after the late call");
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	kprobe_flush_retired();
	KUNIT_ASSERT_EQ(test, watch(&old_ops_caller, plain_target), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&old_ops_caller), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&first.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&last.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
	moving.site = plain.probe.site;
	moving.timeout = 4 * WAIT_MS;
	late_ops = moving.site->ftrace_ops;
	task = moving_task(test, call_plain_during_move);
	wait_until_it_waits(test, task);
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), 0);
	moving_task_end(task);
	KUNIT_EXPECT_PTR_NE(test, moving.site->ftrace_ops, late_ops);
	KUNIT_EXPECT_EQ(test, plain.pre, 1);
	unregister_kprobe(&post.probe);
	unregister_kprobe(&plain.probe);
	unregister_kprobe(&last.probe);
	unregister_kprobe(&first.probe);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&old_ops_caller), 0);
}

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

static void test_moves_lose_no_hit(struct kunit *test)
{
	struct counted plain = ON(target);
	struct task_struct *task;
	unsigned int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
	calls = 0;
	task = moving_task(test, call_often);
	wake_up_process(task);
	for (i = 0; i < MOVES; i++) {
		struct counted post = ON(target,
					 .probe.post_handler = counted_post);

		KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), 0);
		unregister_kprobe(&post.probe);
	}
	moving_task_end(task);
	KUNIT_EXPECT_NE(test, calls, 0);
	KUNIT_EXPECT_EQ(test, plain.pre + plain.probe.nmissed, calls);
	unregister_kprobe(&plain.probe);
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
	struct task_struct *task = moving_task(test, call_often);

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
	moving_task_end(task);
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

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
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
	KUNIT_CASE_PARAM(test_moving_site_is_hit_once, move_cases_gen_params),
	KUNIT_CASE(test_late_call_of_old_ops_is_handled),
	KUNIT_CASE(test_call_of_old_ops_in_loop_is_handled),
	KUNIT_CASE(test_moves_lose_no_hit),
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
