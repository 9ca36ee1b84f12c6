// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on arm64.  The trampoline is in kprobes-thunk.S, the rest in
 * <asm/kprobes.h>.
 */
#include <linux/array_size.h>
#include <linux/kprobes_backend.h>
#include <asm/debug-monitors.h>
#include "kprobes-common.h"

/*
 * What switches stacks must not be probed at all.
 *
 * __cpu_suspend_enter() returns once more when the CPU resumes, with the return
 * address it was called with.  And what is called between its two returns does
 * not return if the firmware has switched the CPU off: each time an instance of
 * the return probe would be left in the list of the idle task, which never
 * ends.  That is the finisher, which cpu_suspend() is given, down to the
 * instruction that calls the firmware.  (Where functions are inline their names
 * are unknown.)  cpu_suspend() itself returns as others do, and tasks that
 * suspend the system end one day.
 */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "__cpu_suspend_enter" },
	{ .name = "psci_suspend_finisher" },
	{ .name = "psci_system_suspend" },
	{ .name = "psci_0_1_cpu_suspend" },
	{ .name = "psci_0_2_cpu_suspend" },
	{ .name = "__psci_cpu_suspend" },
	{ .name = "__invoke_psci_fn_hvc" },
	{ .name = "__invoke_psci_fn_smc" },
	{ .name = "__arm_smccc_hvc" },
	{ .name = "__arm_smccc_smc" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);

/* The trampoline has no breakpoint: this one is not kprobes'. */
int kretprobe_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	return DBG_HOOK_ERROR;
}
NOKPROBE_SYMBOL(kretprobe_brk_handler);
