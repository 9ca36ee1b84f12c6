// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on x86: what the trampoline (thunk.S) calls.
 */
#include <linux/array_size.h>
#include <linux/kprobes_backend.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include "common.h"

/* Returns on another stack than it was called on. */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "__switch_to" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);

/**
 * kretprobe_hit - a followed call has returned to the trampoline
 * @regs: as the trampoline has saved them; behind them is the word that the
 *	return address was taken from, and where it is to be put
 */
__visible void kretprobe_hit(struct pt_regs *regs)
{
	unsigned long *place = (unsigned long *)(regs + 1);
	struct kprobe_hit_state state;

	/* As behind the return. */
	regs->sp = (unsigned long)(place + 1);
	regs->cs = __KERNEL_CS;
	regs->orig_ax = -1;

	state = kprobe_hit_enter();
	__kretprobe_trampoline_handler(regs, place);
	kprobe_hit_exit(state);
}
NOKPROBE_SYMBOL(kretprobe_hit);
