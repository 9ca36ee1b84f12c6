// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on arm64.  The trampoline is in kprobes-thunk.S, the rest in
 * <asm/kprobes.h>.
 */
#include <linux/kprobes.h>
#include <asm/debug-monitors.h>
#include "kprobes-common.h"

/* What switches stacks must not be probed at all. */
struct kretprobe_blackpoint kretprobe_blacklist[] = { };

const int kretprobe_blacklist_size;

/* Nothing of ours uses this breakpoint. */
int kretprobe_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	return DBG_HOOK_ERROR;
}
NOKPROBE_SYMBOL(kretprobe_brk_handler);
