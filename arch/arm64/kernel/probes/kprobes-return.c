// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on arm64.  The trampoline is in kprobes-thunk.S, the rest in
 * <asm/kprobes.h>.
 */
#include <linux/array_size.h>
#include <linux/kprobes_backend.h>
#include "kprobes-common.h"

/*
 * Functions that switch stacks are not listed, because they cannot be probed.
 *
 * __cpu_suspend_enter() returns a second time when the CPU resumes, to the
 * return address that it was called with.  The functions called between its two
 * returns do not return if the firmware switches the CPU off.  At each suspend,
 * an instance of the return probe would remain in the list of the idle task,
 * which never exits.  These functions are the finisher that is passed to
 * cpu_suspend(), and its callees, down to the instruction that calls the
 * firmware.  (Names of inlined functions match nothing.)  cpu_suspend() itself
 * returns normally, and tasks that suspend the system exit at some time.
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
