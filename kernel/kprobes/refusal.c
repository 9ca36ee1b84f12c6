// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why an address cannot be probed: the reasons' names, and the errno that
 * callers of register_kprobe() have always got for each.  And why a probe is
 * not hit by a jump.
 */
#include <linux/array_size.h>
#include "internal.h"

static const struct {
	const char *name;
	int error;
} refusals[] = {
	[KPROBE_OK]		= { "ok", 0 },
	[KPROBE_NOT_TEXT]	= { "not-text", -EINVAL },
	[KPROBE_BLACKLISTED]	= { "blacklisted", -EINVAL },
	[KPROBE_TOO_EARLY]	= { "too-early", -EAGAIN },
	[KPROBE_MODULE_STATE]	= { "module-state", -ENOENT },
	[KPROBE_JUMP_LABEL]	= { "jump-label", -EINVAL },
	[KPROBE_STATIC_CALL]	= { "static-call", -EINVAL },
	[KPROBE_ALTERNATIVE]	= { "alternative", -EINVAL },
	[KPROBE_FTRACE_SITE]	= { "ftrace-site", -EINVAL },
	[KPROBE_BUG_SITE]	= { "bug-site", -EINVAL },
	[KPROBE_PADDING]	= { "padding", -EINVAL },
	[KPROBE_CFI_PREAMBLE]	= { "cfi-preamble", -EINVAL },
	[KPROBE_MISALIGNED]	= { "misaligned", -EINVAL },
	[KPROBE_NO_BOUNDARY]	= { "no-boundary", -EILSEQ },
	[KPROBE_UNDECODABLE]	= { "undecodable", -EILSEQ },
	[KPROBE_TRAP_INSN]	= { "trap-instruction", -EINVAL },
	[KPROBE_FAR_TRANSFER]	= { "far-transfer", -EOPNOTSUPP },
	[KPROBE_UNRELOCATABLE]	= { "unrelocatable", -EOPNOTSUPP },
	[KPROBE_OUT_OF_REACH]	= { "out-of-reach", -EOPNOTSUPP },
	[KPROBE_NOT_ENTRY]	= { "not-entry", -EINVAL },
	[KPROBE_NO_RETURN]	= { "no-return", -EINVAL },
	[KPROBE_NO_MEMORY]	= { "no-memory", -ENOMEM },
};

static_assert(ARRAY_SIZE(refusals) == KPROBE_NO_MEMORY + 1);

/** kprobe_refusal_errno - what register_kprobe() returns for this reason */
int kprobe_refusal_errno(enum kprobe_refusal why)
{
	return refusals[why].error;
}

/** kprobe_refusal_name - what users are shown for this reason */
const char *kprobe_refusal_name(enum kprobe_refusal why)
{
	return refusals[why].name;
}

static const char * const obstacles[] = {
	[KPROBE_NO_OBSTACLE]		= "none",
	[KPROBE_SWITCHED_OFF]		= "switched-off",
	[KPROBE_POST_HANDLER]		= "post-handler",
	[KPROBE_JPROBE]			= "jprobe",
	[KPROBE_PROBE_INSIDE]		= "probe-inside",
	[KPROBE_FOREIGN_TRAP]		= "foreign-trap",
	[KPROBE_DETOUR_MEMORY]		= "no-memory",
	[KPROBE_OBSTACLE_TEXT]		= "ftrace-site",
	[KPROBE_NOT_ANALYSED]		= "not-analysed",
	[KPROBE_FUNCTION_END]		= "function-end",
	[KPROBE_COLD_PART]		= "cold-part",
	[KPROBE_JUMPED_INTO]		= "jumped-into",
	[KPROBE_EXCEPTION_LANDING]	= "exception-landing",
	[KPROBE_INDIRECT_JUMP]		= "indirect-jump",
	[KPROBE_CALL_INSIDE]		= "call-inside",
	[KPROBE_FAULT_INSIDE]		= "fault-inside",
	[KPROBE_PATCHED_INSIDE]		= "patched-inside",
	[KPROBE_FORBIDDEN_INSIDE]	= "forbidden-inside",
	[KPROBE_BOUND_INSIDE]		= "bound-inside",
	[KPROBE_DIRECTION]		= "direction-flag",
	[KPROBE_LANDING_PAD]		= "landing-pad",
	[KPROBE_DETOUR_LENGTH]		= "detour-size",
	[KPROBE_DETOUR_REACH]		= "detour-reach",
};

static_assert(ARRAY_SIZE(obstacles) == KPROBE_DETOUR_REACH + 1);

/** kprobe_obstacle_name - what users are shown for this obstacle */
const char *kprobe_obstacle_name(enum kprobe_obstacle what)
{
	return obstacles[what];
}
