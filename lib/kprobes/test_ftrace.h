/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers shared by the KUnit suites for probes on calls of ftrace. */
#ifndef _LIB_KPROBES_TEST_FTRACE_H
#define _LIB_KPROBES_TEST_FTRACE_H

#include <linux/ftrace.h>
#include "test.h"

/*
 * A counted probe on the call in a function; PROBED_CALL() also registers it.
 * Use the address: the name of a local function may not be unique.
 */
#define ON(function, ...)						\
	COUNTED(ftrace_location((unsigned long)(function)), __VA_ARGS__)
#define PROBED_CALL(test, ...)	counted_add(test, &ON(__VA_ARGS__))

static __maybe_unused TARGET int target(int x)
{
	barrier();
	return x * 3 + 1;
}

static __maybe_unused TARGET int other_target(int x)
{
	barrier();
	return x - 7;
}

/* The compiler must not know which function is called. */
static __maybe_unused int (*volatile call_target)(int x) = target;
static __maybe_unused int (*volatile call_other)(int x) = other_target;

/* On powerpc a function's entry precedes its call of ftrace. */
static inline unsigned long target_call(void)
{
	return ftrace_location((unsigned long)target);
}

static inline enum kprobe_site_state state_of(const struct counted *c)
{
	return c->probe.site->state;
}

/* Call the target from a handler. */
static inline int calling_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct counted, probe)->pre++;
	call_target(1);
	return 0;
}

/*
 * Limit an ops to one function.  The filter stays after the ops is unregistered
 * until this is called again.
 */
static inline int watch(struct ftrace_ops *ops, void *function)
{
	return ftrace_set_filter_ip(ops,
				    ftrace_location((unsigned long)function),
				    0, 1);
}

#endif /* _LIB_KPROBES_TEST_FTRACE_H */
