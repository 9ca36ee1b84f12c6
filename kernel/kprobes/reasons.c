// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of the names, errnos and sentences of <linux/kprobes_reasons.h>.
 */
#include <linux/kprobes_reasons.h>

#define REFUSAL(id, name, error, sentence)				\
	[KPROBE_REFUSE_##id] = { name, sentence, error, &#error[1] },
#define OBSTACLE(id, name, sentence)					\
	[KPROBE_NOJUMP_##id] = { name, sentence },
#define MISS(id, name, sentence)					\
	[KPROBE_MISS_##id] = { name, sentence },

const struct kprobe_reason kprobe_refusals[KPROBE_NR_REFUSALS] = {
	[KPROBE_OK] = { "ok", "It can be probed." },
	KPROBE_REFUSALS(REFUSAL)
};

const struct kprobe_reason kprobe_obstacles[KPROBE_NR_NOJUMPS] = {
	[KPROBE_NOJUMP_NONE] = { "none", "It can be a jump." },
	KPROBE_NOJUMPS_NOW(OBSTACLE)
	KPROBE_NOJUMPS_TEXT(OBSTACLE)
};

const struct kprobe_reason kprobe_misses[KPROBE_NR_MISSES] = {
	KPROBE_MISSES(MISS)
};
