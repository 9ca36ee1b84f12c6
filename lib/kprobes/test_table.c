// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the table of sites: it grows and shrinks while probes are
 * hit, and its hash spreads sites evenly.
 */
#include <kunit/test.h>
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

/*
 * The table must double several times for this many sites.  Some architectures
 * stop the machine for each site.
 */
#define MANY		(IS_ENABLED(CONFIG_KPROBES_CLASSIC) ? 250 : 1000)
/* With more sites left, the table may not shrink to its minimum size. */
#define FEW		12

struct many {
	struct kprobe *probes;
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
	many->last = addr;
	many->probes[many->nr].flags = KPROBE_FLAG_DISABLED;
	many->probes[many->nr++].addr = (kprobe_opcode_t *)addr;
	return 0;
}

static void free_many(void *data)
{
	vfree(data);
}

/* Return probes for up to MANY functions of the kernel. */
static struct kprobe *find_many(struct kunit *test, unsigned int *nr)
{
	struct many many = {
		.probes = vcalloc(MANY, sizeof(*many.probes)),
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

/* Interrupts must hit their probes during each resize. */
static void test_resize_loses_no_hit(struct kunit *test)
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
	unsigned int buckets, nr, registered, round;
	struct kprobe *probes = find_many(test, &nr);
	unsigned long missed;

	/* The table shrinks only while three quarters of it stay empty. */
	if (sites > FEW)
		kunit_skip(test, "%u other sites decide about the size", sites);
	kprobe_table_settle();
	buckets = kprobe_table_buckets();
	atomic_set(&calls, 0);
	atomic_set(&hits, 0);
	KUNIT_ASSERT_EQ(test, register_kprobes(both, 2), 0);
	hitters_start(test);
	for (round = 0; round < 2; round++) {
		registered = register_many(probes, nr);
		kprobe_table_settle();
		KUNIT_EXPECT_GE(test, kprobe_table_buckets(), registered);
		unregister_many(probes, nr);
		kprobe_table_settle();
		KUNIT_EXPECT_EQ(test, kprobe_table_buckets(), buckets);
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

/* A resize calls this after it has published the new table. */
#define WITHIN_RESIZE	"start_poll_synchronize_rcu"
/* A resize calls this for each site before it links the site. */
#define BEFORE_LINK	"table_link"

struct within {
	struct kprobe probe;
	struct kprobe link;
	struct kprobe *probes;
	unsigned int nr;
	unsigned int resizes;
	unsigned int links;
	unsigned int lost;
};

static bool is_lost(const struct kprobe *p)
{
	return p->site && !kprobe_site_find((unsigned long)p->site->addr);
}

static int within_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct within *w = container_of(p, struct within, probe);
	unsigned int i;

	w->resizes++;
	for (i = 0; i < w->nr; i++)
		w->lost += is_lost(&w->probes[i]);
	return 0;
}

/* Check one site per call, because links are numerous. */
static int link_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct within *w = container_of(p, struct within, link);

	w->lost += is_lost(&w->probes[w->links++ % w->nr]);
	return 0;
}

/* A hit during a resize, on the same CPU, must find all sites. */
static void test_resize_hides_no_site(struct kunit *test)
{
	struct within w = {
		.probe.symbol_name = WITHIN_RESIZE,
		.probe.pre_handler = within_pre,
		.link.symbol_name = BEFORE_LINK,
		.link.pre_handler = link_pre,
	};
	struct kprobe *probes, *more;
	unsigned int nr;

	probes = find_many(test, &nr);
	w.probes = probes;
	w.nr = nr / 16;
	more = &probes[w.nr];
	nr -= w.nr;
	register_many(probes, w.nr);
	KUNIT_EXPECT_EQ(test, register_kprobe(&w.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&w.link), 0);
	register_many(more, nr);
	kprobe_table_settle();
	unregister_many(more, nr);
	kprobe_table_settle();
	unregister_kprobe(&w.link);
	unregister_kprobe(&w.probe);
	unregister_many(probes, w.nr);
	/* The table must have grown and shrunk at least once each. */
	KUNIT_EXPECT_GE(test, w.resizes, 2);
	KUNIT_EXPECT_GT(test, w.links, w.nr);
	KUNIT_EXPECT_EQ(test, w.lost, 0);
}

/*
 * The table has at most three sites for four buckets.  A random hash would use
 * 7 buckets for 10 sites.
 */
static void test_hash_spreads_sites(struct kunit *test)
{
	unsigned int nr, registered, used;
	struct kprobe *probes = find_many(test, &nr);

	registered = register_many(probes, nr);
	kprobe_table_settle();
	used = kprobe_table_used();
	unregister_many(probes, nr);
	KUNIT_EXPECT_GT(test, used * 20, registered * 11);
}

static struct kunit_case table_tests[] = {
	KUNIT_CASE_SLOW(test_resize_loses_no_hit),
	KUNIT_CASE_SLOW(test_resize_hides_no_site),
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
