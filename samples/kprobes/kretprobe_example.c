// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows how long calls of a kernel function take, and what they return.
 *
 *	insmod kretprobe_example.ko symbol=vfs_read limit=3
 */
#define pr_fmt(fmt) "kretprobe_example: " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

static char *symbol = "kernel_clone";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "function to follow");

static unsigned int limit = 5;
module_param(limit, uint, 0444);
MODULE_PARM_DESC(limit, "number of calls to show");

static atomic_t shown;
static atomic64_t returns;

/* Data kept for each call, from its entry to its return. */
struct stopwatch {
	u64 start;
};

/* Follow only calls by user tasks: kernel threads have no mm. */
static int start_watch(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct stopwatch *watch = (struct stopwatch *)ri->data;

	if (!current->mm)
		return 1;
	/* This clock may be read in any context. */
	watch->start = local_clock();
	return 0;
}

static int show_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct stopwatch *watch = (struct stopwatch *)ri->data;
	u64 ns = local_clock() - watch->start;

	atomic64_inc(&returns);
	if (atomic_inc_return(&shown) <= limit)
		pr_info("%s returned %ld after %llu ns, called from %pS\n",
			symbol, (long)regs_return_value(regs), ns,
			(void *)get_kretprobe_retaddr(ri));
	return 0;
}

static struct kretprobe probe = {
	.handler = show_call,
	.entry_handler = start_watch,
	.data_size = sizeof(struct stopwatch),
};

static int __init kretprobe_example_init(void)
{
	int ret;

	probe.kp.symbol_name = symbol;
	ret = register_kretprobe(&probe);
	if (ret)
		pr_err("cannot follow %s: %d\n", symbol, ret);
	return ret;
}
module_init(kretprobe_example_init);

static void __exit kretprobe_example_exit(void)
{
	unregister_kretprobe(&probe);
	pr_info("%s: %lld returns, %d calls missed\n", symbol,
		atomic64_read(&returns), probe.nmissed);
}
module_exit(kretprobe_example_exit);

MODULE_DESCRIPTION("duration and return value of a function");
MODULE_LICENSE("GPL");
