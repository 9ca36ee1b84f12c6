// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for calls that last while their return probe changes: tasks sleep
 * and die in followed functions, CPUs go offline in one, and return probes are
 * unregistered meanwhile.
 */
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include "test_return.h"

/* How a thread leaves the followed function. */
enum way_out { RETURNS, SLEEPS, DIES, IS_KILLED };

struct visitor {
	enum way_out way_out;
	struct completion inside;
	struct completion leave;
	struct completion done;
	long result;
};

static void visitor_init(struct visitor *v, enum way_out way_out)
{
	*v = (struct visitor) { .way_out = way_out };
	init_completion(&v->inside);
	init_completion(&v->leave);
	init_completion(&v->done);
}

static TARGET long follow_visit(struct visitor *v)
{
	complete_all(&v->inside);
	switch (v->way_out) {
	case SLEEPS:
		wait_for_completion(&v->leave);
		break;
	case IS_KILLED:
		wait_for_completion_killable(&v->leave);
		break;
	case DIES:
		kthread_complete_and_exit(&v->done, 0);
	case RETURNS:
		break;
	}
	return (long)v ^ 0x5a5a;
}

static int visit(void *data)
{
	struct visitor *v = data;

	allow_signal(SIGKILL);
	v->result = follow_visit(v);
	/* The memory of @v may be reused as soon as it is done. */
	kthread_complete_and_exit(&v->done, 0);
}

static struct task_struct *send_visitor(struct kunit *test, struct visitor *v,
					enum way_out way_out)
{
	struct task_struct *task;

	visitor_init(v, way_out);
	task = kthread_create(visit, v, "kprobe_visitor");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	return task;
}

static void await_visitor(struct visitor *v, struct task_struct *task)
{
	if (v->way_out == SLEEPS)
		complete(&v->leave);
	if (v->way_out == IS_KILLED) {
		/* The signal would be ignored before allow_signal(). */
		wait_for_completion(&v->inside);
		send_sig(SIGKILL, task, 1);
	}
	wait_for_completion(&v->done);
	put_task_struct(task);
}

static void test_unregister_spares_calls(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_visit);
	struct task_struct *task;
	struct visitor v;

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	task = send_visitor(test, &v, SLEEPS);
	wait_for_completion(&v.inside);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.entries), 1);
	if (OWN_POOLS)
		KUNIT_EXPECT_EQ(test, kretprobe_pools_in_use(), 1);
	await_visitor(&v, task);
	KUNIT_EXPECT_EQ(test, v.result, (long)&v ^ 0x5a5a);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 0);
	expect_no_pools(test);
}

static void test_disabled_call_still_returns(struct kunit *test)
{
	struct followed *f = FOLLOW(test, follow_visit);
	struct visitor v, other;
	struct task_struct *task;

	visitor_init(&other, RETURNS);
	task = send_visitor(test, &v, SLEEPS);
	wait_for_completion(&v.inside);
	KUNIT_EXPECT_EQ(test, disable_kretprobe(&f->probe), 0);
	follow_visit(&other);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->returns), 0);
	await_visitor(&v, task);
	expect_calls(test, f, 1);
}

/* The only instance must be available again after the task has died. */
static void test_dead_task_returns_instance(struct kunit *test)
{
	struct followed *f = FOLLOW(test, follow_visit, .probe.maxactive = 1);
	struct visitor v;

	await_visitor(&v, send_visitor(test, &v, DIES));
	KUNIT_EXPECT_EQ(test, atomic_read(&f->entries), 1);

	visitor_init(&v, RETURNS);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(({
		follow_visit(&v);
		atomic_read(&f->returns);
	})));
}

#ifdef CONFIG_HOTPLUG_CPU
/*
 * The idle task of an offline CPU must release the only instance, although it
 * never returns from the function.
 */
static void test_offline_cpu_returns_instance(struct kunit *test)
{
	struct followed *f;

	skip_on_one_cpu(test);
	f = FOLLOW(test, NULL, .probe.kp.symbol_name = "cpu_startup_entry",
		   .probe.maxactive = 1);
	cycle_last_cpu(test);
	cycle_last_cpu(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->entries), 2);
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, 0);
	unregister_kretprobe(&f->probe);
	cycle_last_cpu(test);
	expect_no_pools(test);
}

static const struct hotplug_case {
	const char *symbol;
	int calls;
} hotplug_cases[] = {
	/* RCU already watches the CPU in this call: its hit must be handled. */
	{ "notify_cpu_starting", 1 },
	/* Nothing waits for handlers on an offline CPU: none may run there. */
	{ "arch_cpu_idle_dead", 0 },
};

KUNIT_ARRAY_PARAM_DESC(hotplug, hotplug_cases, symbol);

static void test_watched_cpu_follows_calls(struct kunit *test)
{
	const struct hotplug_case *c = test->param_value;
	struct followed *f;

	skip_on_one_cpu(test);
	f = FOLLOW(test, NULL, .probe.kp.symbol_name = c->symbol,
		   .probe.maxactive = 1);
	cycle_last_cpu(test);
	expect_calls(test, f, c->calls);
	KUNIT_EXPECT_EQ(test, f->probe.kp.nmissed, 0UL);
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, 0);
}
#endif

#define CROWD	8

/* One of many visitors and its task. */
struct guest {
	struct visitor v;
	struct task_struct *task;
};

static void guest_sent(struct kunit *test, struct guest *g, unsigned int nr)
{
	static const enum way_out ways[] = { RETURNS, SLEEPS, DIES, IS_KILLED };

	g->task = send_visitor(test, &g->v, ways[nr % ARRAY_SIZE(ways)]);
}

static void guest_gone(struct kunit *test, struct guest *g)
{
	await_visitor(&g->v, g->task);
	if (g->v.way_out != DIES)
		KUNIT_EXPECT_EQ(test, g->v.result, (long)&g->v ^ 0x5a5a);
}

/* See STORM_ROUNDS in test_lifetime.c. */
#define VISIT_ROUNDS	(IS_ENABLED(CONFIG_X86) ? 1000 : \
			 IS_ENABLED(CONFIG_PPC) ? 50 : 200)

static void test_followed_tasks_leak_no_pool(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use(), i, nr = 0;
	struct guest *guests = alloc_for_test(test, CROWD * sizeof(*guests));
	struct followed *f;

	for (i = 0; i < CROWD; i++)
		guest_sent(test, &guests[i], nr++);

	for (i = 0; i < VISIT_ROUNDS; i++) {
		/* A handler that runs too late would read freed memory. */
		f = kzalloc(sizeof(*f), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, f);
		*f = (struct followed)FOLLOWED(follow_visit);
		KUNIT_ASSERT_EQ(test, register_kretprobe(&f->probe), 0);
		guest_gone(test, &guests[i % CROWD]);
		guest_sent(test, &guests[i % CROWD], nr++);
		if (i % 3)
			wait_for_completion(&guests[i % CROWD].v.inside);
		unregister_kretprobe(&f->probe);
		KUNIT_EXPECT_GE(test, atomic_read(&f->entries),
				atomic_read(&f->returns));
		memset(f, 0x6b, sizeof(*f));
		kfree(f);
	}
	for (i = 0; i < CROWD; i++)
		guest_gone(test, &guests[i]);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	expect_no_pools(test);
}

/*
 * Pools are freed after a grace period.  No worker may wait for it, because a
 * shared queue must not block while hundreds of return probes are unregistered.
 */
#define GOING	600	/* more than the workers of a queue */

struct reader {
	bool stop;
	struct completion inside;
	struct completion done;
	struct work_struct work;
};

/* The reader must end by itself because it may occupy the test's own CPU. */
#define READER_MAX	(10 * HZ)

static int read_long(void *data)
{
	struct reader *r = data;
	unsigned long end;

	rcu_read_lock();
	complete(&r->inside);
	end = jiffies + READER_MAX;
	while (!READ_ONCE(r->stop) && time_before(jiffies, end))
		cpu_relax();
	rcu_read_unlock();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void reader_work(struct work_struct *work)
{
	complete(&container_of(work, struct reader, work)->done);
}

static void test_freeing_blocks_no_worker(struct kunit *test)
{
	struct kretprobe *rps, **array;
	struct task_struct *task;
	struct reader r = { };
	unsigned int waiting;
	unsigned long left;
	ktime_t start;
	s64 took;
	int i;

	if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		kunit_skip(test, "a long RCU reader cannot be preempted");
	if (IS_ENABLED(CONFIG_RCU_BOOST))
		kunit_skip(test, "a preempted RCU reader is boosted");
	rps = alloc_for_test(test, GOING * sizeof(*rps));
	array = alloc_for_test(test, GOING * sizeof(*array));
	for (i = 0; i < GOING; i++) {
		array[i] = &rps[i];
		rps[i].kp.addr = (kprobe_opcode_t *)follow_visit;
		rps[i].maxactive = 1;
	}
	init_completion(&r.inside);
	init_completion(&r.done);
	INIT_WORK_ONSTACK(&r.work, reader_work);
	KUNIT_ASSERT_EQ(test, register_kretprobes(array, GOING), 0);

	task = kthread_run(read_long, &r, "kprobes-reader");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&r.inside);
	start = ktime_get();
	for (i = 0; i < GOING; i++)
		unregister_kretprobe(&rps[i]);
	queue_work(system_dfl_wq, &r.work);
	left = wait_for_completion_timeout(&r.done, 3 * HZ);
	waiting = kretprobe_pools_in_use();
	took = ktime_ms_delta(ktime_get(), start);
	KUNIT_EXPECT_GT(test, left, 0);
	WRITE_ONCE(r.stop, true);
	kthread_stop(task);
	flush_work(&r.work);
	destroy_work_on_stack(&r.work);
	/* On a slow machine the reader may have ended by itself. */
	if (took < jiffies_to_msecs(READER_MAX))
		KUNIT_EXPECT_GE(test, waiting, GOING);
	expect_no_pools(test);
	kunit_info(test, "%d return probes in %lld ms", GOING, took);
}

static struct kunit_case visit_tests[] = {
	KUNIT_CASE(test_unregister_spares_calls),
	KUNIT_CASE(test_disabled_call_still_returns),
	KUNIT_CASE(test_dead_task_returns_instance),
	KUNIT_CASE(test_freeing_blocks_no_worker),
#ifdef CONFIG_HOTPLUG_CPU
	KUNIT_CASE(test_offline_cpu_returns_instance),
	KUNIT_CASE_PARAM(test_watched_cpu_follows_calls, hotplug_gen_params),
#endif
	KUNIT_CASE_SLOW(test_followed_tasks_leak_no_pool),
	{}
};

/* The pools of earlier cases are freed in the background. */
static int visit_init(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
	return 0;
}

static struct kunit_suite visit_suite = {
	.name = "kprobes_return_visits",
	.init = visit_init,
	.test_cases = visit_tests,
};

kunit_test_suite(visit_suite);
