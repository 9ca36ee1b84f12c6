// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on powerpc.  The trampoline is in kprobes-thunk.S, the rest in
 * <asm/kprobes.h>.
 */
#include <linux/array_size.h>
#include <linux/kprobes_backend.h>

/*
 * All but the last two switch stacks.  The last two return when an offline CPU
 * is restarted, after kretprobe_flush_idle_task() has dropped their instances.
 */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "_switch" },
	{ .name = "__switch_to" },
	{ .name = "call_do_irq" },
	{ .name = "call_do_softirq" },
	{ .name = "enter_rtas" },
	{ .name = "pnv_cpu_offline" },
	{ .name = "pnv_cpu_offline_self" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);
