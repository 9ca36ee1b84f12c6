/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers shared by the KUnit suites for probes on calls of ftrace. */
#ifndef _LIB_KPROBES_TEST_FTRACE_H
#define _LIB_KPROBES_TEST_FTRACE_H

#include <linux/ftrace.h>
#include "test.h"

/*
 * A counted probe on the call in a function.  Use the address: the name of a
 * local function may not be unique.
 */
#define ON(function, ...)						\
	COUNTED(ftrace_location((unsigned long)(function)), __VA_ARGS__)

static __maybe_unused enum kprobe_site_state state_of(const struct counted *c)
{
	return c->probe.site->state;
}

/*
 * Limit an ops to one function.  The filter stays after the ops is unregistered
 * until this is called again.
 */
static __maybe_unused int watch(struct ftrace_ops *ops, void *function)
{
	return ftrace_set_filter_ip(ops,
				    ftrace_location((unsigned long)function),
				    0, 1);
}

#endif /* _LIB_KPROBES_TEST_FTRACE_H */
