// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the cost of many probes, on stock kernels as well as ours.
 *
 * Run under QEMU's -icount shift=0, where a nanosecond of the guest is an
 * instruction.  Prints lines "BENCH <row>/<probes present> <instructions>".
 *
 * The many probes are on functions of the kernel.  Functions that the measured
 * calls themselves execute are found before and excluded, because hits are
 * measured elsewhere.  With load=1 nothing is measured: all functions are
 * probed, however often they are called, and the hits are reported when 1 is
 * written to the parameter report.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/delay.h>
#include "kprobe_bench.h"
#include "lookup.h"

#define MANY		10000
#define ONE_BY_ONE	50
/* When searching for hot functions: probes at a time, FEW of them singly. */
#define CHUNK		1000
#define FEW		5
#define HITS		2000
#define SHARED		1000
/* Number of functions to try, of which some are refused or hot. */
#define TRIED_MAX	20000

static bool load;
module_param(load, bool, 0444);

struct target {
	struct kprobe p;
	unsigned long hits;
};

/* Do not measure, but find functions that are hit. */
static bool rehearsal;

static unsigned long *addrs;
static int nr_addrs, next_addr;
static struct target *targets;
static struct kprobe **list;
static int nr_targets;

static void (*drain_pages)(struct zone *zone);
static unsigned long text_start, text_end;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct target, p)->hits++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	container_of(p, struct target, p)->hits++;
}

static void row(const char *name, int present, u64 total, unsigned int n)
{
	if (!rehearsal)
		pr_info("BENCH %s/%d %llu\n", name, present,
			div_u64(total + n / 2, n));
}

static void failed(const char *what, int ret)
{
	pr_err("BENCH-FAILED %s: %d\n", what, ret);
}

static int add_address(void *unused, const char *name, unsigned long addr)
{
	if (addr < text_start || addr >= text_end)
		return 0;
	/* Skip parts of functions and the padding before functions. */
	if ((*name && strchr(name + 1, '.')) || !strncmp(name, "__pfx_", 6))
		return 0;
	/* Another name of the same function. */
	if (nr_addrs && addrs[nr_addrs - 1] == addr)
		return 0;
	addrs[nr_addrs++] = addr;
	return nr_addrs == TRIED_MAX;
}

static int find_functions(void)
{
	int (*on_each_symbol)(int (*fn)(void *, const char *, unsigned long),
			      void *data);

	drain_pages = lookup("drain_all_pages");
	text_start = (unsigned long)lookup("_stext");
	text_end = (unsigned long)lookup("_etext");
	on_each_symbol = lookup("kallsyms_on_each_symbol");
	if (!drain_pages || !text_start || !text_end || !on_each_symbol)
		return -ENOENT;
	on_each_symbol(add_address, NULL);
	return 0;
}

static struct kprobe *fresh_probe(struct target *t, u32 flags)
{
	*t = (struct target) {
		.p.addr = t->p.addr,
		.p.pre_handler = count_pre,
		.p.flags = flags,
	};
	return &t->p;
}

/*
 * Register more probes until there are @max: one by one and disabled, which is
 * the cheapest way to try on either kernel.
 */
static void find_targets(int max)
{
	for (; next_addr < nr_addrs && nr_targets < max; next_addr++) {
		struct target *t = targets + nr_targets;

		t->p.addr = (void *)addrs[next_addr];
		if (!register_kprobe(fresh_probe(t, KPROBE_FLAG_DISABLED)))
			list[nr_targets++] = &t->p;
	}
}

static noinline u64 time_calls(void (*called)(void), unsigned int n)
{
	unsigned long flags;
	u64 start;

	local_irq_save(flags);
	start = ktime_get_ns();
	while (n--)
		called();
	start = ktime_get_ns() - start;
	local_irq_restore(flags);
	return start;
}

static void time_post(int present)
{
	static struct target t;
	u64 idle;
	int ret;

	t.p.addr = (void *)bench_here;
	fresh_probe(&t, 0);
	t.p.post_handler = count_post;
	time_calls(bench_target, HITS);
	idle = time_calls(bench_target, HITS);
	ret = register_kprobe(&t.p);
	if (ret)
		return failed("post", ret);
	time_calls(bench_target, HITS);
	t.hits = 0;
	row("hit-post", present, time_calls(bench_target, HITS) - idle, HITS);
	if (t.hits != 2 * HITS)
		failed("hits", t.hits);
	unregister_kprobe(&t.p);
}

/* Each row is the cost of one call, over @nr calls from probe @first on. */
static void time_disabled(int first, int nr, int present)
{
	struct kprobe **spare = list + first;
	int i, ret = 0;
	u64 start;

	for (i = 0; i < nr; i++)
		fresh_probe(targets + first + i, KPROBE_FLAG_DISABLED);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		ret = ret ?: register_kprobe(spare[i]);
	row("register-disabled", present, ktime_get_ns() - start, nr);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		ret = ret ?: enable_kprobe(spare[i]);
	row("enable", present, ktime_get_ns() - start, nr);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		ret = ret ?: disable_kprobe(spare[i]);
	row("disable", present, ktime_get_ns() - start, nr);
	unregister_kprobes(spare, nr);
	if (ret)
		failed("one by one", ret);
	msleep(500);
}

static void time_armed(int first, int nr, int present)
{
	struct kprobe **spare = list + first;
	int i, ret = 0;
	u64 start;

	for (i = 0; i < nr; i++)
		fresh_probe(targets + first + i, 0);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		ret = ret ?: register_kprobe(spare[i]);
	row("register", present, ktime_get_ns() - start, nr);
	/* As tools do: not before they have become jumps. */
	msleep(500);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		ret = ret ?: disable_kprobe(spare[i]);
	row("disable-jump", present, ktime_get_ns() - start, nr);
	for (i = 0; i < nr; i++)
		ret = ret ?: enable_kprobe(spare[i]);
	msleep(500);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		unregister_kprobe(spare[i]);
	row("unregister", present, ktime_get_ns() - start, nr);
	if (ret)
		failed("one by one", ret);
	msleep(500);
}

static long free_pages_now(void)
{
	struct sysinfo info;

	/* Wait until memory is freed after grace periods. */
	msleep(1000);
	rcu_barrier();
	msleep(1000);
	drain_pages(NULL);
	si_meminfo(&info);
	return info.freeram;
}

/* Wait until no more jumps appear; print milliseconds since @start. */
static void time_jumps(int nr, u64 start)
{
	int i, now, jumps = 0, still = 0;
	u64 last = start;

	while (still++ < 100) {
		msleep(20);
		for (i = now = 0; i < nr; i++)
			now += is_jump(list[i]->addr);
		if (now != jumps) {
			still = 0;
			jumps = now;
			last = ktime_get_ns();
		}
	}
	row("jumps", nr, jumps, 1);
	if (jumps)
		row("jumps-ms", nr, last - start, NSEC_PER_MSEC);
}

static void time_many(int nr)
{
	unsigned long stray = 0;
	int i, ret;
	long pages, left;
	u64 start;

	for (i = 0; i < nr; i++)
		fresh_probe(targets + i, 0);
	pages = free_pages_now();
	start = ktime_get_ns();
	ret = register_kprobes(list, nr);
	row("register-array", nr, ktime_get_ns() - start, nr);
	if (ret)
		return failed("array", ret);
	time_jumps(nr, start);
	left = free_pages_now();
	if (nr >= 1000 && left < pages)
		row("memory", nr, (pages - left) * PAGE_SIZE, nr);

	time_disabled(MANY, ONE_BY_ONE, nr);
	time_armed(MANY, ONE_BY_ONE, nr);
	time_post(nr);
	start = ktime_get_ns();
	unregister_kprobes(list, nr);
	row("unregister-array", nr, ktime_get_ns() - start, nr);
	for (i = 0; i < nr; i++) {
		if (targets[i].hits && !stray)
			pr_info("%ps was not to be hit\n", list[i]->addr);
		stray += targets[i].hits;
	}
	row("stray-hits", nr, stray, 1);
	msleep(1000);
}

/*
 * Add functions that nothing in the measurement hits to the targets: probe all
 * of them during one run.  The last few are added and removed.
 */
static void add_cold_targets(void)
{
	int i, cold = nr_targets, few;

	find_targets(cold + CHUNK);
	for (i = cold; i < nr_targets; i++)
		enable_kprobe(list[i]);
	few = min(FEW, nr_targets - cold);
	nr_targets -= few;
	unregister_kprobes(list + nr_targets, few);
	time_disabled(nr_targets, few, 0);
	time_armed(nr_targets, few, 0);
	time_post(0);
	free_pages_now();
	pr_info("%d functions tried\n", next_addr);
	unregister_kprobes(list + cold, nr_targets - cold);
	for (i = cold; i < nr_targets; i++)
		if (!targets[i].hits)
			targets[cold++].p.addr = targets[i].p.addr;
	nr_targets = cold;
}

static int find_cold_targets(void)
{
	rehearsal = true;
	while (nr_targets < MANY + ONE_BY_ONE && next_addr < nr_addrs)
		add_cold_targets();
	rehearsal = false;
	pr_info("%d functions that are not called here, of %d tried\n",
		nr_targets, next_addr);
	return nr_targets >= MANY + ONE_BY_ONE ? 0 : -ERANGE;
}

/* Many probes at one address: the cost of each further one per hit. */
static void time_shared(void)
{
	u64 idle, one = 0;
	int i, ret;

	idle = time_calls(bench_target, HITS);
	for (i = 0; i < SHARED; i++) {
		targets[i].p.addr = (void *)bench_here;
		ret = register_kprobe(fresh_probe(targets + i, 0));
		if (ret)
			return failed("shared", ret);
		if (!i)
			one = time_calls(bench_target, HITS) - idle;
	}
	row("hit-each-further", SHARED,
	    time_calls(bench_target, HITS) - idle - one, HITS * (SHARED - 1));
	unregister_kprobes(list, SHARED);
}

static int measure(void)
{
	int ret;

	ret = find_cold_targets();
	if (ret)
		return ret;

	msleep(1000);
	time_post(0);
	time_many(100);
	time_many(1000);
	time_many(MANY);
	time_shared();
	return 0;
}

static int start_load(void)
{
	int i, ret = 0;

	find_targets(MANY);
	if (nr_targets < MANY)
		return -ERANGE;
	for (i = 0; i < nr_targets; i++)
		ret = ret ?: enable_kprobe(list[i]);
	return ret;
}

static int report_load(const char *unused, const struct kernel_param *kp)
{
	unsigned long hits = 0, missed = 0;
	int i;

	for (i = 0; i < nr_targets; i++) {
		hits += targets[i].hits;
		missed += targets[i].p.nmissed;
	}
	row("load-hits", nr_targets, hits, 1);
	row("load-missed", nr_targets, missed, 1);
	return 0;
}

static const struct kernel_param_ops report_ops = {
	.set = report_load,
};
module_param_cb(report, &report_ops, NULL, 0200);

static void free_all(void)
{
	kvfree(addrs);
	kvfree(targets);
	kvfree(list);
}

static int __init kprobe_scale_init(void)
{
	int ret = -ENOMEM;

	addrs = kvcalloc(TRIED_MAX, sizeof(*addrs), GFP_KERNEL);
	targets = kvcalloc(TRIED_MAX, sizeof(*targets), GFP_KERNEL);
	list = kvcalloc(TRIED_MAX, sizeof(*list), GFP_KERNEL);
	if (addrs && targets && list)
		ret = find_functions();
	if (ret)
		goto out;

	ret = load ? start_load() : measure();
	if (ret && load)
		unregister_kprobes(list, nr_targets);
out:
	if (ret) {
		failed("scale", ret);
		free_all();
		return ret;
	}
	pr_info("BENCH-END\n");
	return 0;
}
module_init(kprobe_scale_init);

static void __exit kprobe_scale_exit(void)
{
	if (load)
		unregister_kprobes(list, nr_targets);
	free_all();
}
module_exit(kprobe_scale_exit);

MODULE_DESCRIPTION("measures the cost of many kprobes");
MODULE_LICENSE("GPL");
