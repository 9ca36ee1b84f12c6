// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of the names, errnos and sentences of <linux/kprobes_reasons.h>.
 */
#include <linux/kprobes_reasons.h>
#include "internal.h"

struct reason {
	const char *name;
	const char *sentence;
	int error;
	const char *error_name;
};

#define REFUSAL(id, name, error, sentence)				\
	[KPROBE_REFUSE_##id] = { name, sentence, error, #error },
#define OBSTACLE(id, name, sentence)					\
	[KPROBE_NOJUMP_##id] = { name, sentence },
#define MISS(id, name, sentence)					\
	[KPROBE_MISS_##id] = { name, sentence },

static const struct reason refusals[KPROBE_NR_REFUSALS] = {
	[KPROBE_OK] = { "ok", "It can be probed." },
	KPROBE_REFUSALS(REFUSAL)
};

static const struct reason obstacles[KPROBE_NR_NOJUMPS] = {
	[KPROBE_NOJUMP_NONE] = { "none", "It can be a jump." },
	KPROBE_NOJUMPS_NOW(OBSTACLE)
	KPROBE_NOJUMPS_TEXT(OBSTACLE)
};

static const struct reason misses[KPROBE_NR_MISSES] = {
	KPROBE_MISSES(MISS)
};

int kprobe_refusal_errno(enum kprobe_refusal why)
{
	return refusals[why].error;
}

/* Return the name of the errno of a refusal, without the sign: "EINVAL". */
const char *kprobe_refusal_errno_name(enum kprobe_refusal why)
{
	return refusals[why].error_name + 1;
}

const char *kprobe_refusal_name(enum kprobe_refusal why)
{
	return refusals[why].name;
}

const char *kprobe_refusal_sentence(enum kprobe_refusal why)
{
	return refusals[why].sentence;
}

const char *kprobe_obstacle_name(enum kprobe_obstacle what)
{
	return obstacles[what].name;
}

const char *kprobe_obstacle_sentence(enum kprobe_obstacle what)
{
	return obstacles[what].sentence;
}

const char *kprobe_miss_name(enum kprobe_miss why)
{
	return misses[why].name;
}

const char *kprobe_miss_sentence(enum kprobe_miss why)
{
	return misses[why].sentence;
}
