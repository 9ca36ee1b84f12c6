// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the table of sites: it changes while probes are hit, and its
 * hash spreads sites evenly.
 */
#include <kunit/test.h>
#include <linux/array_size.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_hit.h>
#include <linux/kprobes_test.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>
#include "test.h"

/* Some architectures stop the machine for each site. */
#define MANY		(IS_ENABLED(CONFIG_KPROBES_CLASSIC) ? 250 : 1000)

/* @bucket: take only functions of this bucket, if not NULL */
struct many {
	struct kprobe *probes;
	struct hlist_head *bucket;
	unsigned int nr;
	unsigned long last;
};

static int many_add(void *data, const char *name, unsigned long addr)
{
	struct many *many = data;

	if (many->nr == MANY)
		return 1;
	if (!is_kernel_text(addr) || is_kernel_inittext(addr) ||
	    addr == many->last || within_kprobe_blacklist(addr))
		return 0;
	if (many->bucket && kprobe_site_bucket(addr) != many->bucket)
		return 0;
	many->last = addr;
	many->probes[many->nr].flags = KPROBE_FLAG_DISABLED;
	many->probes[many->nr++].addr = (kprobe_opcode_t *)addr;
	return 0;
}

static void free_many(void *data)
{
	vfree(data);
}

/* Return probes for up to MANY functions of the kernel, or of a bucket. */
static struct kprobe *find_many(struct kunit *test, struct hlist_head *bucket,
				unsigned int *nr)
{
	struct many many = {
		.probes = vcalloc(MANY, sizeof(*many.probes)),
		.bucket = bucket,
	};

	KUNIT_ASSERT_NOT_NULL(test, many.probes);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_many,
							many.probes), 0);
	kallsyms_on_each_symbol(many_add, &many);
	*nr = many.nr;
	return many.probes;
}

/* Register the probes one by one and return how many succeeded. */
static unsigned int register_many(struct kprobe *probes, unsigned int nr)
{
	unsigned int i, registered = 0;

	for (i = 0; i < nr; i++) {
		if (!register_kprobe(&probes[i]))
			registered++;
		else
			probes[i].addr = NULL;
		cond_resched();
	}
	return registered;
}

static void unregister_many(struct kprobe *probes, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (probes[i].addr)
			unregister_kprobe(&probes[i]);
		cond_resched();
	}
}

/* Functions that interrupts and threads call all the time. */

static TARGET unsigned long table_target(unsigned long x)
{
	/* Clang removes calls of functions that only compute. */
	barrier();
	return x * 3;
}

static TARGET unsigned long table_other(unsigned long x)
{
	barrier();
	return x * 5;
}

static atomic_t calls;
static atomic_t hits;

static int hit_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&hits);
	return 0;
}

static void call_targets(void)
{
	atomic_add(2, &calls);
	table_target(1);
	table_other(1);
}

#define TIMER_NS	(500 * NSEC_PER_USEC)

struct hitter {
	struct hrtimer timer;
	struct task_struct *task;
};

static DEFINE_PER_CPU(struct hitter, hitters);

static enum hrtimer_restart timer_hits(struct hrtimer *timer)
{
	call_targets();
	hrtimer_forward_now(timer, TIMER_NS);
	return HRTIMER_RESTART;
}

static void timer_start(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&hitters.timer);

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = timer_hits;
	hrtimer_start(timer, TIMER_NS, HRTIMER_MODE_REL_PINNED_HARD);
}

static int thread_hits(void *unused)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 100; i++)
			call_targets();
		usleep_range(500, 1000);
	}
	return 0;
}

static void hitters_start(struct kunit *test)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct task_struct *task;

		task = kthread_create_on_cpu(thread_hits, NULL, cpu,
					     "table_hits/%u");
		if (IS_ERR(task)) {
			KUNIT_FAIL(test, "no thread for CPU %d", cpu);
			continue;
		}
		set_user_nice(task, MAX_NICE);
		wake_up_process(task);
		per_cpu(hitters.task, cpu) = task;
	}
	on_each_cpu(timer_start, NULL, true);
}

static void hitters_stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hitter *hitter = per_cpu_ptr(&hitters, cpu);

		if (hitter->timer.function)
			hrtimer_cancel(&hitter->timer);
		if (hitter->task)
			kthread_stop(hitter->task);
		*hitter = (struct hitter) {};
	}
}

/* Interrupts must hit their probes while sites are added and removed. */
static void test_change_loses_no_hit(struct kunit *test)
{
	struct kprobe targets[] = {
		{
			.addr = (kprobe_opcode_t *)table_target,
			.pre_handler = hit_pre,
		}, {
			.addr = (kprobe_opcode_t *)table_other,
			.pre_handler = hit_pre,
		},
	};
	struct kprobe *both[] = { &targets[0], &targets[1] };
	unsigned int sites = kprobe_sites_in_use();
	unsigned int nr, round;
	struct kprobe *probes = find_many(test, NULL, &nr);
	unsigned long missed;

	atomic_set(&calls, 0);
	atomic_set(&hits, 0);
	KUNIT_ASSERT_EQ(test, register_kprobes(both, 2), 0);
	hitters_start(test);
	for (round = 0; round < 2; round++) {
		register_many(probes, nr);
		unregister_many(probes, nr);
	}
	hitters_stop();
	unregister_kprobes(both, 2);

	KUNIT_EXPECT_GT(test, atomic_read(&calls), 0);
	missed = targets[0].nmissed + targets[1].nmissed;
	KUNIT_EXPECT_EQ(test, atomic_read(&hits) + missed, atomic_read(&calls));
	if (!HITS_TAKE_INTERRUPTS)
		KUNIT_EXPECT_EQ(test, missed, 0);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

static bool is_found(const struct kprobe *p)
{
	guard(preempt)();
	return kprobe_site_find((unsigned long)p->addr) == p->site;
}

/* Sites of one bucket are removed from the head, middle and end of a chain. */
static void test_removed_site_hides_no_other(struct kunit *test)
{
	unsigned int nr, all, from, left, i;
	struct kprobe *probes;

	probes = find_many(test, kprobe_site_bucket((ulong)table_target), &nr);
	all = register_many(probes, nr);
	if (all < 3) {
		unregister_many(probes, nr);
		kunit_skip(test, "only %u functions in a bucket", all);
	}
	for (from = 0; from < 3; from++) {
		for (i = from; i < nr; i += 3) {
			if (probes[i].addr)
				unregister_kprobe(&probes[i]);
			probes[i].addr = NULL;
		}
		for (i = 0, left = 0; i < nr; i++) {
			if (!probes[i].addr)
				continue;
			left++;
			KUNIT_EXPECT_TRUE(test, is_found(&probes[i]));
		}
		KUNIT_EXPECT_LT(test, left, all);
		all = left;
	}
	KUNIT_EXPECT_EQ(test, all, 0);
}

/*
 * A random hash puts about nr * nr / (2 * buckets) of @nr sites into a bucket
 * that is used already.
 */
static void test_hash_spreads_sites(struct kunit *test)
{
	unsigned int nr, i, registered, used = 0;
	struct kprobe *probes = find_many(test, NULL, &nr);

	registered = register_many(probes, nr);
	for (i = 0; i < ARRAY_SIZE(kprobe_site_table); i++)
		used += !hlist_empty(&kprobe_site_table[i]);
	unregister_many(probes, nr);
	KUNIT_EXPECT_LE(test, registered,
			used + 2 * nr * nr / ARRAY_SIZE(kprobe_site_table));
}

static struct kunit_case table_tests[] = {
	KUNIT_CASE_SLOW(test_change_loses_no_hit),
	KUNIT_CASE_SLOW(test_removed_site_hides_no_other),
	KUNIT_CASE_SLOW(test_hash_spreads_sites),
	{}
};

static struct kunit_suite table_suite = {
	.name = "kprobes_table",
	.test_cases = table_tests,
};

kunit_test_suite(table_suite);

MODULE_DESCRIPTION("KUnit suite for kprobes: the table of sites");
MODULE_LICENSE("GPL");
