// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probe the first instruction of each function of the kernel that can be
 * probed, while this is loaded.  The parameters report the number of probes,
 * the number that were hit, and the number of hits.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "lookup.h"

struct one {
	struct kprobe probe;
	unsigned long hits;
};

static unsigned int probes;
module_param(probes, uint, 0444);

static unsigned long text_start, text_end;
static struct one *all;
static struct kprobe **list;
static unsigned int max, nr;

/* A rough count: concurrent CPUs may lose increments. */
static int everywhere_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct one, probe)->hits++;
	return 0;
}

static int hit_get(char *buffer, const struct kernel_param *kp)
{
	unsigned long hits = 0;
	unsigned int i, hit = 0;

	for (i = 0; i < probes; i++) {
		hits += container_of(list[i], struct one, probe)->hits;
		hit += !!container_of(list[i], struct one, probe)->hits;
	}
	return sysfs_emit(buffer, "%u functions, %lu hits\n", hit, hits);
}

static const struct kernel_param_ops hit_ops = { .get = hit_get };
module_param_cb(hit, &hit_ops, NULL, 0444);

static int count(void *unused, const char *name, unsigned long addr)
{
	max += addr >= text_start && addr < text_end;
	return 0;
}

static int add(void *unused, const char *name, unsigned long addr)
{
	struct one *one = &all[nr];

	if (addr < text_start || addr >= text_end || nr == max)
		return 0;
	/* Several names of one address are one function. */
	if (nr && one[-1].probe.addr == (kprobe_opcode_t *)addr)
		return 0;
	one->probe.addr = (kprobe_opcode_t *)addr;
	one->probe.pre_handler = everywhere_pre;
	one->probe.flags = KPROBE_FLAG_DISABLED;
	nr++;
	return 0;
}

static int everywhere_register(void)
{
	unsigned int i;

	/* One by one, because some cannot be probed. */
	for (i = 0; i < nr; i++) {
		struct kprobe *p = &all[i].probe;

		cond_resched();
		if (register_kprobe(p))
			continue;
		unregister_kprobe(p);
		p->flags = 0;
		list[probes++] = p;
	}
	return register_kprobes(list, probes);
}

static int __init everywhere_init(void)
{
	int (*on_each_symbol)(int (*fn)(void *, const char *, unsigned long),
			      void *data);
	int ret = -ENOMEM;

	on_each_symbol = lookup("kallsyms_on_each_symbol");
	text_start = (unsigned long)lookup("_stext");
	text_end = (unsigned long)lookup("_etext");
	if (!on_each_symbol || !text_start || !text_end)
		return -ENOENT;

	on_each_symbol(count, NULL);
	all = kvcalloc(max, sizeof(*all), GFP_KERNEL);
	list = kvcalloc(max, sizeof(*list), GFP_KERNEL);
	if (all && list) {
		on_each_symbol(add, NULL);
		ret = everywhere_register();
	}
	if (ret) {
		kvfree(all);
		kvfree(list);
	}
	return ret;
}
module_init(everywhere_init);

static void __exit everywhere_exit(void)
{
	unregister_kprobes(list, probes);
	kvfree(all);
	kvfree(list);
}
module_exit(everywhere_exit);

MODULE_DESCRIPTION("kprobes on every function");
MODULE_LICENSE("GPL");
