// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_panic: panic this kernel, in one of several ways, on any CPU.
 *
 * "WAY CPU" written to the parameter now selects both.  The data that the next
 * kernel should find in /proc/vmcore is in one page, whose physical address the
 * parameter page reports: the number of hits in functions that a panic calls
 * one after another, and the addresses of their counts of missed hits.
 */
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "nmi.h"

static ulong number;
module_param(number, ulong, 0444);
MODULE_PARM_DESC(number, "identifies this kernel to the next one");

static ulong page;
module_param(page, ulong, 0444);

/* Each is called once, in this order. */
static const char * const called[] = {
	"__crash_kexec", "crash_save_vmcoreinfo", "machine_crash_shutdown",
};

#define CALLED	ARRAY_SIZE(called)

/* Must match lab/guest/vmcore.c. */
struct left_data {
	char magic[16];
	u64 number;
	u64 panics;		/* number of CPUs that panicked */
	u64 hits[CALLED];
	u64 missed[CALLED];	/* the physical address of each number */
	struct kprobe probes[CALLED];
};

static struct left_data *left;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	left->hits[p - left->probes]++;
	return 0;
}

static int probe_called(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < CALLED; i++) {
		struct kprobe *p = &left->probes[i];

		p->symbol_name = called[i];
		p->pre_handler = count_hit;
		ret = register_kprobe(p);
		if (ret) {
			pr_err("kprobe_panic: no probe at %s: %d\n", called[i],
			       ret);
			return ret;
		}
		left->missed[i] = virt_to_phys(&p->nmissed);
	}
	return 0;
}

/*
 * Ways
 */

static void panics(void *unused)
{
	left->panics++;
	panic("kprobe_panic: on purpose\n");
}

static long in_task_of(void *unused)
{
	panics(NULL);
	return 0;
}

static noinline __noclone void dies(unsigned int x)
{
	left->panics++;
	/* Not before its arguments are known. */
	BUG_ON(x);
}

static int follow(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* An oops, in a call that is followed. */
static struct kretprobe followed = {
	.entry_handler = follow,
	.handler = follow,
	.kp.addr = (kprobe_opcode_t *)dies,
};

static long by_bug(void *unused)
{
	dies(1);
	return 0;
}

static noinline __noclone void probed(void)
{
	barrier();
}

static int panic_pre(struct kprobe *p, struct pt_regs *regs)
{
	panics(NULL);
	return 0;
}

static struct kprobe panicking = {
	.addr = (kprobe_opcode_t *)probed,
	.pre_handler = panic_pre,
};

static long in_handler(void *unused)
{
	probed();
	return 0;
}

static bool panic_in_nmi(struct pt_regs *regs)
{
	left->panics++;
	nmi_panic(regs, "kprobe_panic: on purpose");
	return true;
}

static int now_set(const char *line, const struct kernel_param *kp)
{
	unsigned int cpu;
	char way[16];

	if (sscanf(line, "%15s %u", way, &cpu) != 2)
		return -EINVAL;
	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		cpu = cpumask_first(cpu_online_mask);
	if (!strcmp(way, "task"))
		return work_on_cpu(cpu, in_task_of, NULL);
	if (!strcmp(way, "bug"))
		return work_on_cpu(cpu, by_bug, NULL);
	if (!strcmp(way, "handler"))
		return work_on_cpu(cpu, in_handler, NULL);
	if (!strcmp(way, "interrupt"))
		return smp_call_function_single(cpu, panics, NULL, true);
	if (!strcmp(way, "nmi") && have_nmis()) {
		int ret = nmis_begin(panic_in_nmi);

		if (ret)
			return ret;
		send_nmi(cpu);
	}
	return 0;
}

static const struct kernel_param_ops now_ops = {
	.set = now_set,
};

module_param_cb(now, &now_ops, NULL, 0200);

static int __init panic_init(void)
{
	static_assert(sizeof(*left) <= PAGE_SIZE);

	left = (void *)get_zeroed_page(GFP_KERNEL);
	if (!left)
		return -ENOMEM;
	strscpy(left->magic, "kprobe_panic", sizeof(left->magic));
	left->number = number;
	page = virt_to_phys(left);
	/* The module must stay until the kernel ends. */
	__module_get(THIS_MODULE);
	return register_kretprobe(&followed) ?: register_kprobe(&panicking) ?:
	       probe_called();
}
module_init(panic_init);

MODULE_DESCRIPTION("a panic on purpose");
MODULE_LICENSE("GPL");
