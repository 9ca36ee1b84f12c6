// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While this is loaded, each call of the function "at" sees one failure: its
 * "nth" allocation fails, or, if "null" names a function, the "nth" call of
 * that one is skipped and returns "value".  Both are found by probes, so "at"
 * may be a function of kprobes itself, if no hit executes it.  The parameter
 * "failed" counts failures.
 *
 * CONFIG_FAULT_INJECTION makes allocations fail: before loading this, configure
 * failslab and fail_page_alloc in debugfs to include allocations that may
 * sleep.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

static char *at, *null;
module_param(at, charp, 0);
module_param(null, charp, 0);

static int nth = 1;
module_param(nth, int, 0);

static long value;
module_param(value, long, 0);

static unsigned int failed;
module_param(failed, uint, 0444);

/* The task in the function, one at a time, and the calls left to fail. */
static struct task_struct *inside;
static int left;

static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (cmpxchg(&inside, NULL, current))
		return 1;
	left = nth;
	if (!null)
		current->fail_nth = nth;
	return 0;
}

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!null) {
		failed += !current->fail_nth;
		current->fail_nth = 0;
	}
	WRITE_ONCE(inside, NULL);
	return 0;
}

static struct kretprobe at_probe = {
	.entry_handler = enter,
	.handler = leave,
};

static notrace __attribute__((__noipa__)) void return_at_once(void)
{
}

/* After a call by ftrace, a change of the stack pointer has no effect. */
static int fail(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(inside) != current || --left)
		return 0;
	failed++;
	regs->ax = value;
	regs->ip = (unsigned long)return_at_once;
	return 1;
}

static struct kprobe null_probe = {
	.pre_handler = fail,
};

static int __init kprobe_faults_init(void)
{
	int ret;

	if (null) {
		null_probe.symbol_name = null;
		ret = register_kprobe(&null_probe);
		if (ret)
			return ret;
	}
	at_probe.kp.symbol_name = at;
	ret = register_kretprobe(&at_probe);
	if (ret && null)
		unregister_kprobe(&null_probe);
	return ret;
}
module_init(kprobe_faults_init);

static void __exit kprobe_faults_exit(void)
{
	unregister_kretprobe(&at_probe);
	if (null)
		unregister_kprobe(&null_probe);
}
module_exit(kprobe_faults_exit);

MODULE_DESCRIPTION("makes allocations of a function fail");
MODULE_LICENSE("GPL");
