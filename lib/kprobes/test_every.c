// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for jumps on any architecture: it probes each function of the
 * kernel that can be probed, in two parts, at its first instruction or after
 * its call of ftrace.
 */
#include <linux/ftrace.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include "test.h"

/* Without the function tracer there are no calls of ftrace. */
#ifndef MCOUNT_INSN_SIZE
#define MCOUNT_INSN_SIZE	0
#endif

/* KASAN and lockdep make the case ten times as slow. */
#if defined(CONFIG_KASAN) || defined(CONFIG_PROVE_LOCKING)
#define EVERY		16	/* probe one function in 16 */
#else
#define EVERY		1
#endif

/*
 * KUnit limits a case to five minutes.  With the function tracer and all
 * mitigations, one case for all functions takes four on a busy machine.
 */
#define PARTS		2

/* The count is approximate because CPUs may race. */
struct one {
	struct kprobe probe;
	unsigned long hits;
};

/**
 * struct all - a probe for each function of one part
 * @part: index of the part, below PARTS
 * @max: maximum number of probes
 * @seen: functions that were looked at
 * @nr: probes in @probes
 * @probes: one for each function
 * @good: probes in @array
 * @array: probes that can be registered
 * @before: the kernel's text without probes
 */
struct all {
	unsigned int part;
	unsigned int max;
	unsigned int seen;
	unsigned int nr;
	struct one *probes;
	unsigned int good;
	struct kprobe **array;
	void *before;
};

#define TEXT_SIZE	((size_t)(_etext - _stext))

static int all_pre(struct kprobe *p, struct pt_regs *regs)
{
	/* Several CPUs may count at once; the test needs no exact number. */
	data_race(container_of(p, struct one, probe)->hits++);
	return 0;
}
/* The handler must not be probed itself. */
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
	    all->nr == all->max ||
	    all->seen++ % (PARTS * EVERY) != all->part * EVERY)
		return 0;
	if (call)
		addr = call + MCOUNT_INSN_SIZE;
	/* Several symbols may share an address. */
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
 * Measure the time until probes are jumps.  With QEMU's -icount, a millisecond
 * is a million instructions.
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

/* Return the hits of all probes; @missed is set to hits without handlers. */
static unsigned long all_hits(const struct all *all, unsigned long *missed)
{
	unsigned long hits = 0;
	unsigned int i;

	*missed = 0;
	for (i = 0; i < all->good; i++) {
		hits += container_of(all->array[i], struct one, probe)->hits;
		*missed += all->array[i]->nmissed;
	}
	return hits;
}

/* The maximum number of jumps that the optimizer makes in one patch. */
#define MOST_AT_ONCE	256

static unsigned int most_jumps;

static int patch_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct list_head *batch = (void *)regs_get_kernel_argument(regs, 0);
	struct kprobe_site *site;
	unsigned int jumps = 0;

	list_for_each_entry(site, batch, batch)
		jumps += site->target == KPROBE_SITE_JUMP;
	most_jumps = max(most_jumps, jumps);
	return 0;
}
NOKPROBE_SYMBOL(patch_pre);

/* Find the functions that can be probed. */
static void all_find(struct kunit *test, struct all *all)
{
	unsigned int i;

	kallsyms_on_each_symbol(all_count, all);
	all->probes = alloc_for_test(test, array_size(all->max,
						      sizeof(*all->probes)));
	all->array = alloc_for_test(test, array_size(all->max,
						     sizeof(*all->array)));
	all->before = alloc_for_test(test, TEXT_SIZE);
	kallsyms_on_each_symbol(all_add, all);
	for (i = 0; i < all->nr; i++) {
		struct kprobe *p = &all->probes[i].probe;

		cond_resched();
		if (register_kprobe(p))
			continue;
		unregister_kprobe(p);
		p->flags = 0;
		all->array[all->good++] = p;
	}
	KUNIT_ASSERT_GT(test, all->good, 5000 / EVERY / PARTS);
	kunit_info(test, "%u functions can be probed", all->good);
	kprobe_flush_retired();
	memcpy(all->before, _stext, TEXT_SIZE);
}

/* All probes without an obstacle become jumps, in patches of limited size. */
static void all_become_jumps(struct kunit *test, struct all *all)
{
	struct kprobe patch = KPROBE_ON("arch_kprobe_patch",
					.pre_handler = patch_pre);
	unsigned int nr[KPROBE_NR_NOJUMPS] = {};
	unsigned int i, jumps;

	most_jumps = 0;
	KUNIT_ASSERT_EQ(test, register_kprobe(&patch), 0);
	jumps = time_jumps(test, all->array, all->good);
	unregister_kprobe(&patch);
	KUNIT_EXPECT_LE(test, most_jumps, MOST_AT_ONCE);

	for (i = 0; i < all->good; i++)
		nr[kprobe_obstacle_at((void *)probed_at(all->array[i]))]++;
	KUNIT_EXPECT_EQ(test, jumps, nr[KPROBE_NOJUMP_NONE]);
	if (in_xen_pv()) {
		KUNIT_EXPECT_EQ(test, nr[KPROBE_NOJUMP_XEN_PV], all->good);
		return;
	}
	KUNIT_EXPECT_GT(test, most_jumps, 0);
	/* An instruction that signs a return address may be a landing pad. */
	KUNIT_EXPECT_GE(test, jumps + nr[KPROBE_NOJUMP_LANDING_PAD],
			all->good * 9 / 10);
	for (i = 1; i < ARRAY_SIZE(nr); i++)
		if (nr[i])
			kunit_info(test, "%s: %u", kprobe_obstacles[i].name,
				   nr[i]);
}

/* Disable probes one by one: hits must stop, and the text must be clean. */
static void all_disable(struct kunit *test, const struct all *all)
{
	unsigned long hits, missed;
	unsigned int i;

	for (i = 0; i < all->good; i++) {
		KUNIT_EXPECT_EQ(test, disable_kprobe(all->array[i]), 0);
		/* The lab takes a long silence for a hang. */
		if (i % 4096 == 4095)
			kunit_info(test, "%u are disabled", i + 1);
	}
	hits = all_hits(all, &missed);
	kunit_info(test, "%lu hits, %lu missed", hits, missed);
	KUNIT_EXPECT_GT(test, hits, 100);
	all_load();
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(same_text(all->before)));
	KUNIT_EXPECT_EQ(test, all_hits(all, &missed), hits);
}

/* Enable and disable some probes again before all are unregistered. */
static void all_unregister(struct kunit *test, const struct all *all)
{
	unsigned int i;

	for (i = 0; i < all->good; i += 16)
		KUNIT_EXPECT_EQ(test, enable_kprobe(all->array[i]), 0);
	wait_for_kprobe_optimizer();
	all_load();
	for (i = 0; i < all->good; i += 16)
		KUNIT_EXPECT_EQ(test, disable_kprobe(all->array[i]), 0);
	unregister_kprobes(all->array, all->good);
	KUNIT_EXPECT_TRUE(test, same_text(all->before));
}

/* Measure functions that were not called, so that no hit delays the result. */
static void time_idle_functions(struct kunit *test, struct all *all)
{
	unsigned int i, idle = 0;

	for (i = 0; i < all->good; i++) {
		struct one *one = container_of(all->array[i], struct one,
					       probe);

		one->probe.flags = 0;
		if (!one->hits && idle < TIMED)
			all->array[idle++] = &one->probe;
	}
	kprobe_flush_retired();
	time_jumps(test, all->array, idle);
	unregister_kprobes(all->array, idle);
	KUNIT_EXPECT_TRUE(test, same_text(all->before));
}

static const unsigned int parts[PARTS] = { 0, 1 };

static void part_desc(const unsigned int *part, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "part %u of %u", *part + 1,
		 PARTS);
}

KUNIT_ARRAY_PARAM(part, parts, part_desc);

static void test_every_function_jumps(struct kunit *test)
{
	struct all all = { .part = *(const unsigned int *)test->param_value };
	unsigned int slots = slots_after_flush();

	all_find(test, &all);
	all_become_jumps(test, &all);
	all_load();
	all_disable(test, &all);
	all_unregister(test, &all);
	time_idle_functions(test, &all);
	KUNIT_EXPECT_EQ(test, slots_after_flush(), slots);
}

static struct kunit_case every_tests[] = {
	KUNIT_CASE_PARAM_ATTR(test_every_function_jumps, part_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	{}
};

static struct kunit_suite every_suite = {
	.name = "kprobes_every",
	.test_cases = every_tests,
};

kunit_test_suite(every_suite);
