// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures what probes cost: calls of a function that has one, and registering
 * and unregistering many on it. All functions that are used exist in older
 * kernels, too, so that kernels can be compared. The log has nanoseconds.
 *
 *	insmod kprobe_cost.ko
 *	dmesg | grep kprobe_cost
 *
 * An idle machine with a constant clock rate gives the most stable figures.
 */
#define pr_fmt(fmt) "kprobe_cost: " fmt

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>

static unsigned int calls = 1000000;
module_param(calls, uint, 0444);
MODULE_PARM_DESC(calls, "number of calls of the probed function");

static unsigned int nr = 100;
module_param(nr, uint, 0444);
MODULE_PARM_DESC(nr, "number of probes to register on it");

static struct kprobe *probes;
static struct kprobe **pointers;

static noinline int probed(int x)
{
	barrier();
	return x + 1;
}

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static void measure_calls(const char *what)
{
	unsigned int i;
	int x = 0;
	u64 ns;

	ns = ktime_get_ns();
	for (i = 0; i < calls; i++)
		x = probed(x);
	ns = ktime_get_ns() - ns;
	pr_info("a call %s: %llu ns\n", what, div_u64(ns, calls));
}

static int measure_probe(const char *what, struct kprobe *p)
{
	int ret;

	p->addr = (kprobe_opcode_t *)probed;
	ret = register_kprobe(p);
	if (ret)
		return ret;
	/* A jump may replace the breakpoint in the background. */
	msleep(1000);
	measure_calls(what);
	unregister_kprobe(p);
	return 0;
}

static int measure_hits(void)
{
	struct kprobe simple = { .pre_handler = pre };
	struct kprobe both = { .pre_handler = pre, .post_handler = post };
	struct kretprobe followed = { .handler = returned };
	int ret;

	measure_calls("without a probe");
	ret = measure_probe("with a probe", &simple) ?:
	      measure_probe("with a probe with a post handler", &both);
	if (ret || !IS_ENABLED(CONFIG_KRETPROBES))
		return ret;

	followed.kp.addr = (kprobe_opcode_t *)probed;
	ret = register_kretprobe(&followed);
	if (ret)
		return ret;
	msleep(1000);
	measure_calls("with a return probe");
	unregister_kretprobe(&followed);
	return 0;
}

/* Older kernels set KPROBE_FLAG_DISABLED at unregistration: clear it. */
static void reset_probes(void)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		probes[i] = (struct kprobe) {
			.addr = (kprobe_opcode_t *)probed,
			.pre_handler = pre,
		};
		pointers[i] = &probes[i];
	}
}

static void report(const char *what, u64 start)
{
	pr_info("%s %u probes: %llu ns each\n", what, nr,
		div_u64(ktime_get_ns() - start, nr));
}

static int measure_registration(void)
{
	unsigned int i;
	int ret = 0;
	u64 start;

	reset_probes();
	start = ktime_get_ns();
	for (i = 0; i < nr && !ret; i++)
		ret = register_kprobe(&probes[i]);
	if (ret) {
		unregister_kprobes(pointers, i - 1);
		return ret;
	}
	report("registering", start);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		unregister_kprobe(&probes[i]);
	report("unregistering", start);

	reset_probes();
	start = ktime_get_ns();
	ret = register_kprobes(pointers, nr);
	if (ret)
		return ret;
	report("registering an array of", start);
	start = ktime_get_ns();
	unregister_kprobes(pointers, nr);
	report("unregistering an array of", start);
	return 0;
}

static int __init kprobe_cost_init(void)
{
	int ret;

	if (!calls || !nr)
		return -EINVAL;
	probes = kcalloc(nr, sizeof(*probes), GFP_KERNEL);
	pointers = kcalloc(nr, sizeof(*pointers), GFP_KERNEL);
	ret = -ENOMEM;
	if (probes && pointers)
		ret = measure_hits();
	if (!ret)
		ret = measure_registration();
	kfree(pointers);
	kfree(probes);
	return ret;
}
module_init(kprobe_cost_init);

static void __exit kprobe_cost_exit(void)
{
}
module_exit(kprobe_cost_exit);

MODULE_DESCRIPTION("measures what probes cost");
MODULE_LICENSE("GPL");
