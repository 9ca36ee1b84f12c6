// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for jumps in the place of breakpoints, on any architecture: a
 * probe on the first instruction of each function of the kernel that can be
 * probed, but behind the call of ftrace.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_backend.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>
#include "test.h"

/* Without the function tracer there are no calls of ftrace. */
#ifndef MCOUNT_INSN_SIZE
#define MCOUNT_INSN_SIZE	0
#endif

/* With these everything takes ten times as long. */
#if defined(CONFIG_KASAN) || defined(CONFIG_PROVE_LOCKING)
#define EVERY		16	/* so many-th function */
#else
#define EVERY		1
#endif

/* Hits are counted roughly: CPUs may count one at a time. */
struct one {
	struct kprobe probe;
	unsigned long hits;
};

struct all {
	unsigned int nr;
	unsigned int max;
	unsigned int seen;
	struct one *probes;
	struct kprobe **array;
};

static int all_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct one, probe)->hits++;
	return 0;
}
/* One of the functions that are probed, otherwise. */
NOKPROBE_SYMBOL(all_pre);

static int all_count(void *data, const char *name, unsigned long addr)
{
	struct all *all = data;

	all->max += is_kernel_text(addr);
	return 0;
}

static int all_add(void *data, const char *name, unsigned long addr)
{
	struct all *all = data;
	unsigned long call = ftrace_location(addr);
	struct one *one = &all->probes[all->nr];

	if (!is_kernel_text(addr) || is_kernel_inittext(addr) ||
	    all->nr == all->max || all->seen++ % EVERY)
		return 0;
	if (call)
		addr = call + MCOUNT_INSN_SIZE;
	/* Several names of one address are one function. */
	if (all->nr && one[-1].probe.addr == (kprobe_opcode_t *)addr)
		return 0;
	one->probe.addr = (kprobe_opcode_t *)addr;
	one->probe.pre_handler = all_pre;
	one->probe.flags = KPROBE_FLAG_DISABLED;
	all->nr++;
	return 0;
}

static int all_thread(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void all_load(void)
{
	struct task_struct *task;
	int i;

	for (i = 0; i < 20; i++) {
		kfree(kmalloc(100 << (i % 8), GFP_KERNEL));
		vfree(vmalloc(PAGE_SIZE << (i % 4)));
		task = kthread_run(all_thread, NULL, "kprobes-all");
		if (!IS_ERR(task))
			kthread_stop(task);
		msleep(5);
	}
}

/*
 * The time until probes are jumps.  Under QEMU's -icount, milliseconds are
 * millions of instructions.
 */
static unsigned int time_jumps(struct kunit *test, struct kprobe **ps,
			       unsigned int nr)
{
	u64 start, registered, optimized;
	unsigned int i, jumps = 0;

	start = ktime_get_ns();
	KUNIT_ASSERT_EQ(test, register_kprobes(ps, nr), 0);
	registered = ktime_get_ns();
	wait_for_kprobe_optimizer();
	optimized = ktime_get_ns();
	for (i = 0; i < nr; i++)
		jumps += kprobe_optimized(ps[i]);
	kunit_info(test, "%u functions, registered in %llu ms, %u jumps after %llu ms more",
		   nr, div_u64(registered - start, NSEC_PER_MSEC), jumps,
		   div_u64(optimized - registered, NSEC_PER_MSEC));
	return jumps;
}

#define TIMED	(10000 / EVERY)

/* How often they have been hit, and @missed to how often not. */
static unsigned long all_hits(const struct all *all, unsigned int nr,
			      unsigned long *missed)
{
	unsigned long hits = 0;
	unsigned int i;

	*missed = 0;
	for (i = 0; i < nr; i++) {
		hits += container_of(all->array[i], struct one, probe)->hits;
		*missed += all->array[i]->nmissed;
	}
	return hits;
}

/* The most that the optimizer patches while it keeps the locks. */
#define MOST_AT_ONCE	256

static unsigned int most_jumps;

static int patch_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct list_head *plan = (void *)regs_get_kernel_argument(regs, 0);
	struct kprobe_site *site;
	unsigned int jumps = 0;

	list_for_each_entry(site, plan, plan)
		jumps += site->next == KPROBE_SITE_JUMP;
	most_jumps = max(most_jumps, jumps);
	return 0;
}
NOKPROBE_SYMBOL(patch_pre);

static void test_everything(struct kunit *test)
{
	struct kprobe patch = {
		.symbol_name = "arch_kprobe_patch",
		.pre_handler = patch_pre,
	};
	bool patch_seen;
	unsigned int nr[KPROBE_DETOUR_REACH + 1] = {};
	unsigned int i, idle = 0, good = 0, jumps, slots;
	unsigned long hits, missed;
	size_t size = _etext - _stext;
	struct all all = {};
	void *before;

	kprobe_flush_retired();
	slots = kprobe_slots_in_use();
	kallsyms_on_each_symbol(all_count, &all);
	all.probes = vzalloc(array_size(all.max, sizeof(*all.probes)));
	all.array = vzalloc(array_size(all.max, sizeof(*all.array)));
	before = vmalloc(size);
	KUNIT_ASSERT_NOT_NULL(test, all.probes);
	KUNIT_ASSERT_NOT_NULL(test, all.array);
	KUNIT_ASSERT_NOT_NULL(test, before);
	kallsyms_on_each_symbol(all_add, &all);
	for (i = 0; i < all.nr; i++) {
		struct kprobe *p = &all.probes[i].probe;

		cond_resched();
		if (register_kprobe(p))
			continue;
		unregister_kprobe(p);
		p->flags = 0;
		all.array[good++] = p;
	}
	KUNIT_ASSERT_GT(test, good, 5000 / EVERY);
	kprobe_flush_retired();

	memcpy(before, _stext, size);
	most_jumps = 0;
	patch_seen = !register_kprobe(&patch);
	jumps = time_jumps(test, all.array, good);
	if (patch_seen)
		unregister_kprobe(&patch);
	KUNIT_EXPECT_LE(test, most_jumps, MOST_AT_ONCE);
	for (i = 0; i < good; i++)
		nr[kprobe_obstacle_at((void *)probed_at(all.array[i]))]++;
	all_load();

	/* One by one, and all of the text is as it was. */
	for (i = 0; i < good; i++)
		KUNIT_EXPECT_EQ(test, disable_kprobe(all.array[i]), 0);
	hits = all_hits(&all, good, &missed);
	kunit_info(test, "%lu hits, %lu missed", hits, missed);
	KUNIT_EXPECT_GT(test, hits, 1000);
	all_load();
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!memcmp(before, _stext, size)));
	KUNIT_EXPECT_EQ(test, all_hits(&all, good, &missed), hits);

	/* And again with some of them. */
	for (i = 0; i < good; i += 16)
		KUNIT_EXPECT_EQ(test, enable_kprobe(all.array[i]), 0);
	wait_for_kprobe_optimizer();
	all_load();
	for (i = 0; i < good; i += 16)
		KUNIT_EXPECT_EQ(test, disable_kprobe(all.array[i]), 0);
	unregister_kprobes(all.array, good);
	KUNIT_EXPECT_EQ(test, memcmp(before, _stext, size), 0);
	KUNIT_EXPECT_EQ(test, jumps, nr[KPROBE_NO_OBSTACLE]);
	/* What signs a return address may be one, and begins most functions. */
	KUNIT_EXPECT_GE(test, jumps + nr[KPROBE_LANDING_PAD], good * 9 / 10);
	for (i = 1; i < ARRAY_SIZE(nr); i++)
		if (nr[i])
			kunit_info(test, "%s: %u", kprobe_obstacle_name(i),
				   nr[i]);

	/* Once more, with those that nobody has called. */
	for (i = 0; i < good; i++) {
		struct one *one = container_of(all.array[i], struct one, probe);

		one->probe.flags = 0;
		if (!one->hits && idle < TIMED)
			all.array[idle++] = &one->probe;
	}
	kprobe_flush_retired();
	time_jumps(test, all.array, idle);
	unregister_kprobes(all.array, idle);
	KUNIT_EXPECT_EQ(test, memcmp(before, _stext, size), 0);
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, kprobe_slots_in_use(), slots);

	vfree(before);
	vfree(all.array);
	vfree(all.probes);
}

static struct kunit_case every_tests[] = {
	KUNIT_CASE_SLOW(test_everything),
	{}
};

static struct kunit_suite every_suite = {
	.name = "kprobes_every",
	.test_cases = every_tests,
};

kunit_test_suite(every_suite);

MODULE_DESCRIPTION("KUnit suite for kprobes: jumps everywhere");
MODULE_LICENSE("GPL");
