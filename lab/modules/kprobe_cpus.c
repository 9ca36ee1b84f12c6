// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the cost of probes on SMP machines, on stock kernels as well as ours.
 *
 * Run under QEMU's -icount shift=0, where a nanosecond of the guest is an
 * instruction of any of its CPUs.  Prints lines "BENCH <row>/<CPUs>
 * <instructions>".  During the measured calls the other CPUs are idle.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/smp.h>
#include "kprobe_bench.h"

#define HITS		2000
#define ONE_BY_ONE	20

static unsigned int cpus;

static int do_nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void row(const char *name, u64 total, unsigned int n)
{
	pr_info("BENCH %s/%u %llu\n", name, cpus, div_u64(total + n / 2, n));
}

static void call_many(void *unused)
{
	unsigned int n = HITS;

	while (n--)
		bench_jump();
}

/* Time calls on this CPU, or on each at once. */
static u64 time_calls(bool on_each)
{
	u64 start;

	preempt_disable();
	start = ktime_get_ns();
	if (on_each)
		on_each_cpu(call_many, NULL, 1);
	else
		call_many(NULL);
	start = ktime_get_ns() - start;
	preempt_enable();
	return start;
}

static u64 none_here, none_on_each;

static void time_none(void)
{
	time_calls(true);
	none_here = time_calls(false);
	none_on_each = time_calls(true);
}

static void time_hits(const char *here, const char *on_each)
{
	int i;

	/* Wait until it is a jump, if it becomes one. */
	for (i = 0; i < 100 && !is_jump(text_of(bench_jump)); i++)
		msleep(100);
	time_calls(true);
	row(here, time_calls(false) - none_here, HITS);
	row(on_each, time_calls(true) - none_on_each, HITS * cpus);
}

static int time_kprobe(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)text_of(bench_jump),
		.pre_handler = do_nothing,
	};
	int ret = register_kprobe(&p);

	if (ret)
		return ret;
	time_hits("cpus-hit", "cpus-hit-each");
	unregister_kprobe(&p);
	return 0;
}

static int return_nothing(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static int time_return(void)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)text_of(bench_jump),
		.handler = return_nothing,
	};
	int ret = register_kretprobe(&rp);

	if (ret)
		return ret;
	time_hits("cpus-return", "cpus-return-each");
	unregister_kretprobe(&rp);
	return 0;
}

static struct kprobe probes[ONE_BY_ONE];

static int register_one(struct kprobe *p) { return register_kprobe(p); }
static int enable_one(struct kprobe *p) { return enable_kprobe(p); }
static int disable_one(struct kprobe *p) { return disable_kprobe(p); }

static int unregister_one(struct kprobe *p)
{
	unregister_kprobe(p);
	return 0;
}

static int time_each(const char *name, int (*call)(struct kprobe *p))
{
	u64 start, total = 0;
	int i, ret;

	for (i = 0; i < ONE_BY_ONE; i++) {
		start = ktime_get_ns();
		ret = call(&probes[i]);
		total += ktime_get_ns() - start;
		if (ret)
			return ret;
	}
	row(name, total, ONE_BY_ONE);
	return 0;
}

static int time_calls_of_each(void)
{
	int i, ret;

	for (i = 0; i < ONE_BY_ONE; i++) {
		probes[i].addr = (kprobe_opcode_t *)(bench_many + 16 * i);
		probes[i].pre_handler = do_nothing;
	}
	ret = time_each("cpus-register", register_one);
	ret = ret ?: time_each("cpus-disable", disable_one);
	/* Wait until the text is restored. */
	msleep(500);
	ret = ret ?: time_each("cpus-enable", enable_one);
	msleep(2000);
	ret = ret ?: time_each("cpus-unregister", unregister_one);
	return ret;
}

static int __init kprobe_cpus_init(void)
{
	int ret;

	cpus = num_online_cpus();
	time_none();
	ret = time_kprobe();
	ret = ret ?: time_return();
	ret = ret ?: time_calls_of_each();
	if (ret)
		pr_info("BENCH-FAILED cpus %d\n", ret);
	pr_info("BENCH-END\n");
	return ret;
}
module_init(kprobe_cpus_init);

static void __exit kprobe_cpus_exit(void)
{
}
module_exit(kprobe_cpus_exit);

MODULE_DESCRIPTION("measures the cost of probes on several CPUs");
MODULE_LICENSE("GPL");
