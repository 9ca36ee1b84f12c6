// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on x86: functions that do not return normally.  The trampoline
 * is in thunk_32.S and thunk_64.S, the rest in <asm/kprobes.h>.
 */
#include <linux/array_size.h>
#include <linux/kprobes_backend.h>

/* These functions return on another stack than that of their call. */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "__switch_to" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);
