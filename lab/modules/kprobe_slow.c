// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A handler that calls very many functions, in a hit by a jump where there are
 * jumps.  With the clock "counter", their number is its time for the tracer
 * irqsoff.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#define CALLS	200000

static noinline notrace unsigned int slow_function(unsigned int x)
{
	OPTIMIZER_HIDE_VAR(x);
	x *= 5;
	barrier();
	return x + 1;
}

static noinline void slow_traced(void)
{
	barrier();
}

static int slow_pre(struct kprobe *p, struct pt_regs *regs)
{
	int i;

	for (i = 0; i < CALLS; i++)
		slow_traced();
	return 0;
}

static struct kprobe probe = {
	.addr = (kprobe_opcode_t *)slow_function,
	.pre_handler = slow_pre,
};

static int __init kprobe_slow_init(void)
{
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	msleep(300);
	slow_function(1);
	return 0;
}

static void __exit kprobe_slow_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(kprobe_slow_init);
module_exit(kprobe_slow_exit);
MODULE_DESCRIPTION("Keeps interrupts off in a handler");
MODULE_LICENSE("GPL");
