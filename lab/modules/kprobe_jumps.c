// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tells where probes on the kernel's instructions become jumps: at one in each
 * @each, from the one numbered @first on, some thousand at a time.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/insn.h>
#include "callable.h"

#define BATCH	4096
/* So many addresses a line. */
#define IN_LINE	8

static unsigned int each = 7;
module_param(each, uint, 0444);
static unsigned int first;
module_param(first, uint, 0444);

static struct kprobe *probes;
static unsigned int nr, in_line;
static unsigned long registered, refused, jumps, number;
static unsigned long text_start, text_end, last;

static int (*size_of)(unsigned long addr, unsigned long *size,
		      unsigned long *offset);
static typeof(insn_decode) *decode;

static int jumps_pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void tell(unsigned long addr)
{
	if (!in_line)
		pr_info("JUMPS");
	pr_cont(" %lx", addr);
	in_line = (in_line + 1) % IN_LINE;
	jumps++;
}

static void flush(void)
{
	unsigned int i;

	wait_for_kprobe_optimizer();
	for (i = 0; i < nr; i++) {
		if (kprobe_optimized(&probes[i]))
			tell((unsigned long)probes[i].addr);
		/* The next ones are told while this one is no jump. */
		unregister_kprobe(&probes[i]);
		cond_resched();
	}
	memset(probes, 0, sizeof(*probes) * nr);
	nr = 0;
}

static void try(unsigned long addr)
{
	struct kprobe *p = &probes[nr];

	p->addr = (kprobe_opcode_t *)addr;
	p->pre_handler = jumps_pre;
	if (register_kprobe(p)) {
		memset(p, 0, sizeof(*p));
		refused++;
		return;
	}
	registered++;
	if (++nr == BATCH)
		flush();
}

static int walk(void *unused, const char *name, unsigned long addr)
{
	unsigned long size, offset, at;
	struct insn insn;

	if (addr < text_start || addr >= text_end || addr <= last ||
	    !size_of(addr, &size, &offset))
		return 0;
	last = addr;
	for (at = addr; at < addr + size; at += insn.length) {
		/* Filler, and what a probe has been put on. */
		if (*(u8 *)at == 0xcc) {
			insn.length = 1;
			continue;
		}
		if (decode(&insn, (void *)at, MAX_INSN_SIZE, INSN_MODE_KERN))
			break;
		if (number++ % each == first)
			try(at);
	}
	cond_resched();
	return 0;
}

static int __init jumps_init(void)
{
	struct kprobe p = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int (*on_each_symbol)(int (*fn)(void *, const char *, unsigned long),
			      void *data);
	unsigned long (*lookup)(const char *name);
	int ret;

	ret = register_kprobe(&p);
	if (ret)
		return ret;
	lookup = callable(p.addr);
	unregister_kprobe(&p);
	on_each_symbol = (void *)lookup("kallsyms_on_each_symbol");
	size_of = (void *)lookup("kallsyms_lookup_size_offset");
	decode = (void *)lookup("insn_decode");
	text_start = lookup("_stext");
	text_end = lookup("_etext");
	if (!on_each_symbol || !size_of || !decode || !text_start || !text_end)
		return -ENOENT;
	probes = kvcalloc(BATCH, sizeof(*probes), GFP_KERNEL);
	if (!probes)
		return -ENOMEM;
	on_each_symbol(walk, NULL);
	flush();
	pr_info("JUMPS-END %lu instructions, %lu probed, %lu refused, %lu jumps\n",
		number, registered, refused, jumps);
	kvfree(probes);
	return 0;
}
module_init(jumps_init);

static void __exit jumps_exit(void)
{
}
module_exit(jumps_exit);

MODULE_DESCRIPTION("Where probes become jumps");
MODULE_LICENSE("GPL");
