// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names, errnos and sentences of <linux/kprobes_reasons.h> as tables.
 */
#include <linux/kprobes_reasons.h>
#include "internal.h"

#define REFUSAL(id, _name, _error, _sentence)				\
	[KPROBE_REFUSE_##id] = {					\
		.name = _name, .error = _error, .sentence = _sentence,	\
	},

static const struct {
	const char *name;
	const char *sentence;
	int error;
} refusals[KPROBE_NR_REFUSALS] = {
	[KPROBE_OK] = { .name = "ok", .sentence = "It can be probed." },
	KPROBE_REFUSALS(REFUSAL)
};

#define OBSTACLE(id, _name, _sentence)					\
	[KPROBE_NOJUMP_##id] = { .name = _name, .sentence = _sentence, },

static const struct {
	const char *name;
	const char *sentence;
} obstacles[KPROBE_NR_NOJUMPS] = {
	[KPROBE_NOJUMP_NONE] = {
		.name = "none", .sentence = "It can be a jump.",
	},
	KPROBE_NOJUMPS_NOW(OBSTACLE)
	KPROBE_NOJUMPS_TEXT(OBSTACLE)
};

#define MISS(id, _name, _sentence)					\
	[KPROBE_MISS_##id] = { .name = _name, .sentence = _sentence, },

static const struct {
	const char *name;
	const char *sentence;
} misses[KPROBE_NR_MISSES] = {
	KPROBE_MISSES(MISS)
};

int kprobe_refusal_errno(enum kprobe_refusal why)
{
	return refusals[why].error;
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
