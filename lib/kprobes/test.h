/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the KUnit suites for kprobes share: functions to be probed, a probe that
 * counts, and waiting.
 */
#ifndef _LIB_KPROBES_TEST_H
#define _LIB_KPROBES_TEST_H

#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kprobes_backend.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

/*
 * Functions to be probed.  Nothing about them is known to callers, so they are
 * called as they stand.  Clang knows little of functions that may be called
 * from anywhere, and has no name for one of which it knows nothing.
 */
#ifdef CONFIG_CC_IS_CLANG
#define TARGET	noinline __used
#else
#define TARGET	__attribute__((noipa))
#endif

/* Where a registered probe is: behind a landing pad, if there is one. */
static __maybe_unused unsigned long probed_at(const struct kprobe *p)
{
#ifdef CONFIG_HAVE_KPROBE_SITES
	return (unsigned long)p->site->addr;
#else
	return (unsigned long)p->addr;
#endif
}

/**
 * struct counted - a probe, and what its handlers have seen
 * @probe: the probe
 * @pre: calls of the pre handler
 * @post: calls of the post handler
 * @astray: calls of the pre handler that were not as they have to be
 */
struct counted {
	struct kprobe probe;
	unsigned int pre;
	unsigned int post;
	unsigned int astray;
};

static __maybe_unused int counted_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counted *c = container_of(p, struct counted, probe);

	c->pre++;
	if (instruction_pointer(regs) != probed_at(p) ||
	    kprobe_running() != p || !irqs_disabled() || preemptible())
		c->astray++;
	/* Whatever else keeps others away: tracing takes one off the count. */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT) &&
	    !(preempt_count() & PREEMPT_MASK))
		c->astray++;
	return 0;
}

static __maybe_unused void counted_post(struct kprobe *p, struct pt_regs *regs,
					unsigned long flags)
{
	container_of(p, struct counted, probe)->post++;
}

/* COUNTED(address, initializers...) */
#define COUNTED(where, ...)						\
	(struct counted) {						\
		.probe.addr = (kprobe_opcode_t *)(where),		\
		.probe.pre_handler = counted_pre,			\
		__VA_ARGS__						\
	}

/* Wait until what runs behind the test's back has come about. */
#define EVENTUALLY(condition) ({					\
	int __tries = 1000;						\
	while (!(condition) && --__tries)				\
		msleep(20);						\
	(condition);							\
})

#endif /* _LIB_KPROBES_TEST_H */
