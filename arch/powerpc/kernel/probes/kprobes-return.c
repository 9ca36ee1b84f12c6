// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on powerpc.  The trampoline is in kprobes-thunk.S, the rest in
 * <asm/kprobes.h>.
 */
#include <linux/array_size.h>
#include <linux/kprobes_backend.h>

/* These switch stacks. */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "_switch" },
	{ .name = "__switch_to" },
	{ .name = "call_do_irq" },
	{ .name = "call_do_softirq" },
	{ .name = "enter_rtas" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);
