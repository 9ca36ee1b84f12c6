// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on arm64.  The trampoline is in kprobes-thunk.S, the rest in
 * <asm/kprobes.h>.
 */
#include <linux/array_size.h>
#include <linux/kprobes.h>
#include <asm/debug-monitors.h>
#include "kprobes-common.h"

/*
 * Returns once more when the CPU resumes, with the return address it was called
 * with.  What switches stacks must not be probed at all.
 */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "__cpu_suspend_enter" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);

/* Nothing of ours uses this breakpoint. */
int kretprobe_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	return DBG_HOOK_ERROR;
}
NOKPROBE_SYMBOL(kretprobe_brk_handler);
