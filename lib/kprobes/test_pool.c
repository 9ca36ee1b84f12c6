// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the pools of return probes while another CPU, or a hit in an
 * NMI, holds the lock of a list.  This is rare, so the test itself takes the
 * locks.
 */
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "../../kernel/kprobes/internal.h"
#include "../../kernel/kprobes/pool.h"
#include "test.h"

#define INSTANCES	3

/* Take or release the locks of all lists of a pool. */
static void lock_lists(struct kretprobe_pool *pool, bool lock)
{
	int cpu;

	for_each_possible_cpu(cpu)
		atomic_set(&per_cpu_ptr(pool->lists, cpu)->locked, lock);
}

/* Create the pool of a return probe; there is one at a time. */
static struct kretprobe_pool *make_pool(struct kunit *test, int maxactive)
{
	static struct kretprobe rp;
	struct kretprobe_pool *pool;

	rp = (struct kretprobe) { .maxactive = maxactive };
	pool = kretprobe_pool_create(&rp);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	return pool;
}

/* Retire the pool as if the return probe were unregistered. */
static void retire(struct kretprobe_pool *pool)
{
	LLIST_HEAD(leaving);

	WRITE_ONCE(pool->holder.rp, NULL);
	llist_add(&pool->link, &leaving);
	kretprobe_pools_retire(&leaving);
}

/* The pool is freed only if all instances have been returned. */
static void expect_freed(struct kunit *test, struct kretprobe_pool *pool)
{
	retire(pool);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

/* Take up to @max instances and return their number. */
static unsigned int take_up_to(struct kretprobe_pool *pool, unsigned int max,
			       struct llist_head *taken)
{
	struct kretprobe_instance *ri;
	unsigned int nr = 0;

	guard(irqsave)();
	while (nr < max && (ri = pool_get(pool))) {
		__llist_add(&ri->llist, taken);
		nr++;
	}
	return nr;
}

/* Put instances back and return their number. */
static unsigned int put_all(struct kretprobe_pool *pool,
			    struct llist_head *taken)
{
	struct kretprobe_instance *ri, *next;
	unsigned int put = 0;

	guard(irqsave)();
	llist_for_each_entry_safe(ri, next, __llist_del_all(taken), llist) {
		pool_put(pool, ri);
		put++;
	}
	return put;
}

/* Take all instances of a pool of INSTANCES.  Interrupts must be off. */
static bool take_all(struct kretprobe_pool *pool,
		     struct kretprobe_instance **taken)
{
	int i;

	for (i = 0; i < INSTANCES; i++)
		taken[i] = pool_get(pool);
	return taken[0] && taken[1] && taken[2] && taken[0] != taken[1] &&
	       taken[0] != taken[2] && taken[1] != taken[2];
}

/* Instances are dealt to the CPUs in turn; one CPU must find them all. */
static void test_all_instances_are_found(struct kunit *test)
{
	unsigned int nr = 2 * num_possible_cpus() + 1;
	struct kretprobe_pool *pool = make_pool(test, nr);
	LLIST_HEAD(taken);

	KUNIT_EXPECT_EQ(test, take_up_to(pool, nr + 1, &taken), nr);
	KUNIT_EXPECT_EQ(test, put_all(pool, &taken), nr);
	expect_freed(test, pool);
}

/* Instances returned meanwhile must be found again, each exactly once. */
static void test_locked_list_overflows(struct kunit *test)
{
	struct kretprobe_pool *pool = make_pool(test, INSTANCES);
	struct kretprobe_instance *taken[INSTANCES];
	bool first, none, overflow, again, empty;
	int i;

	scoped_guard(irqsave) {
		first = take_all(pool, taken);
		none = !pool_get(pool);
		lock_lists(pool, true);
		for (i = 0; i < INSTANCES; i++)
			pool_put(pool, taken[i]);
		lock_lists(pool, false);
		/* This CPU has cached the first instance. */
		overflow = pool->overflow.first == &taken[2]->llist &&
			   taken[2]->llist.next == &taken[1]->llist;
		again = take_all(pool, taken);
		empty = llist_empty(&pool->overflow) && !pool_get(pool);
		for (i = 0; i < INSTANCES; i++)
			pool_put(pool, taken[i]);
	}
	KUNIT_EXPECT_TRUE(test, first);
	KUNIT_EXPECT_TRUE(test, none);
	KUNIT_EXPECT_TRUE(test, overflow);
	KUNIT_EXPECT_TRUE(test, again);
	KUNIT_EXPECT_TRUE(test, empty);
	expect_freed(test, pool);
}

/* An entry must give up on locked lists after a while, and lose no instance. */
static void test_locked_list_is_left_alone(struct kunit *test)
{
	struct kretprobe_instance *taken[INSTANCES], *locked, *found;
	struct kretprobe_pool *pool = make_pool(test, INSTANCES);
	struct kretprobe_instance *nothing_there;
	bool first;
	int i;

	scoped_guard(irqsave) {
		first = take_all(pool, taken);
		lock_lists(pool, true);
		nothing_there = pool_get(pool);
		lock_lists(pool, false);
		kretprobe_pool_put_list(pool, taken[0]);
		lock_lists(pool, true);
		locked = pool_get(pool);
		lock_lists(pool, false);
		found = pool_get(pool);
		for (i = 0; i < INSTANCES; i++)
			pool_put(pool, taken[i]);
	}
	KUNIT_EXPECT_TRUE(test, first);
	KUNIT_EXPECT_NULL(test, nothing_there);
	KUNIT_EXPECT_NULL(test, locked);
	KUNIT_EXPECT_PTR_EQ(test, found, taken[0]);
	expect_freed(test, pool);
}

#ifdef CONFIG_HOTPLUG_CPU
static int nothing(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* An irq_work that is queued on the CPU under test. */
static struct irq_work asked;
static bool answered;

static void answer(struct irq_work *work)
{
	WRITE_ONCE(answered, true);
}

static void ask(void *unused)
{
	irq_work_queue(&asked);
}

static bool answers(unsigned int cpu)
{
	asked = IRQ_WORK_INIT_HARD(answer);
	WRITE_ONCE(answered, false);
	smp_call_function_single(cpu, ask, NULL, 1);
	return EVENTUALLY(READ_ONCE(answered));
}

/*
 * A CPU that is going offline has run its last irq_work when it finds a pool
 * empty.  It must not queue another one to grow the pool: unregistering would
 * wait for that, and later ones would never run.
 */
static void test_offline_cpu_has_no_pool_grow(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask), total;
	struct kretprobe rp = {
		.kp.symbol_name = "sched_cpu_dying", .handler = nothing,
	};
	struct kretprobe_pool *pool;
	LLIST_HEAD(taken);

	skip_on_one_cpu(test);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	pool = pool_of(rp.rph);
	total = pool->total;
	KUNIT_EXPECT_EQ(test, take_up_to(pool, total, &taken), total);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, rp.nmissed, 1);
	KUNIT_EXPECT_FALSE(test, irq_work_is_busy(&pool->kick));
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_TRUE(test, answers(cpu));
	KUNIT_EXPECT_EQ(test, pool->total, total);

	put_all(pool, &taken);
	/* Going offline again runs the irq_work if it is still queued. */
	cycle_last_cpu(test);
	KUNIT_EXPECT_EQ(test, rp.nmissed, 1);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

/* The last instance of this pool is returned on a CPU that is going offline. */
static struct kretprobe_pool *draining;

static int drain(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe_pool *pool = xchg(&draining, NULL);

	if (pool)
		kretprobe_pool_drain(pool);
	return 0;
}

/* The pool must be freed after that CPU has stopped, without an irq_work. */
static void test_offline_cpu_drains_pool(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct kprobe p = KPROBE_ON("sched_cpu_dying", .pre_handler = drain);
	struct kretprobe_pool *pool;
	LLIST_HEAD(taken);

	skip_on_one_cpu(test);
	pool = make_pool(test, 1);
	KUNIT_EXPECT_EQ(test, take_up_to(pool, 1, &taken), 1);
	retire(pool);
	KUNIT_EXPECT_EQ(test, kretprobe_pools_in_use(), 1);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	draining = pool;
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_NULL(test, draining);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_TRUE(test, answers(cpu));
	/* Going offline again runs an irq_work that is still queued. */
	cycle_last_cpu(test);
	unregister_kprobe(&p);
}
#endif

/* A pool starts with two instances per CPU, but at least ten. */
static void test_pool_begins_with_cpus(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pool_start(1), 10);
	KUNIT_EXPECT_EQ(test, pool_start(5), 10);
	KUNIT_EXPECT_EQ(test, pool_start(6), 12);
	KUNIT_EXPECT_EQ(test, pool_start(4096), 8192);
}

/* The pool must grow while its lists are locked, until it is large enough. */
static void test_pool_grows_into_overflow(struct kunit *test)
{
	struct kretprobe_pool *pool = make_pool(test, 0);
	unsigned int total = pool->total, added = 0;
	struct llist_node *node;

	KUNIT_EXPECT_EQ(test, total, pool_start(num_possible_cpus()));
	lock_lists(pool, true);
	pool->work.func(&pool->work);
	lock_lists(pool, false);
	KUNIT_EXPECT_EQ(test, pool->total, 2 * total);
	llist_for_each(node, pool->overflow.first)
		added++;
	KUNIT_EXPECT_EQ(test, added, total);

	pool->limit = pool->total;
	pool->work.func(&pool->work);
	KUNIT_EXPECT_EQ(test, pool->total, 2 * total);
	expect_freed(test, pool);
}

static struct kunit_case pool_tests[] = {
	KUNIT_CASE(test_all_instances_are_found),
	KUNIT_CASE(test_locked_list_overflows),
	KUNIT_CASE(test_locked_list_is_left_alone),
	KUNIT_CASE(test_pool_begins_with_cpus),
	KUNIT_CASE(test_pool_grows_into_overflow),
#ifdef CONFIG_HOTPLUG_CPU
	KUNIT_CASE(test_offline_cpu_has_no_pool_grow),
	KUNIT_CASE(test_offline_cpu_drains_pool),
#endif
	{}
};

static struct kunit_suite pool_suite = {
	.name = "kprobes_pool",
	.test_cases = pool_tests,
};

kunit_test_suite(pool_suite);
