// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why an address cannot be probed: the reasons' names, and the errno that
 * callers of register_kprobe() have always got for each.
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
