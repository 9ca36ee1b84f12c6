/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Around a walk of classic.c through the probes of a site that was hit: what
 * handlers find, and what the architecture's code finds again.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_WALK_H
#define _KERNEL_KPROBES_CLASSIC_WALK_H

#include <linux/irqflags.h>
#include <linux/kprobes_hit.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

/**
 * struct walk - what a walk through the probes of a site puts back at its end
 * @running: current_kprobe
 * @flags: whether interrupts were on
 * @entered: RCU was not watching
 * @as_nmi: the exception counts as an NMI
 */
struct walk {
	struct kprobe *running;
	unsigned long flags;
	bool entered;
	bool as_nmi;
};

/*
 * Breakpoints count as NMIs on riscv, and the kernel drops what is traced in
 * one there: all events of kprobes but those of returns.  On other
 * architectures with such a backend they do not count as NMIs, and so handlers
 * here do not need to be in one either.
 */
#define HITS_COUNT_AS_NMI	IS_ENABLED(CONFIG_RISCV)

static __always_inline void walk_begin(struct walk *walk)
{
	local_irq_save(walk->flags);
	/* For handlers, which expect a raised count. */
	preempt_disable_notrace();
	walk->entered = kprobe_rcu_enter();
	walk->as_nmi = HITS_COUNT_AS_NMI && in_nmi();
	if (walk->as_nmi)
		__preempt_count_sub(NMI_OFFSET);
	walk->running = __this_cpu_read(current_kprobe);
}

/* @goes_on: the hit, whose handlers have been called */
static __always_inline void walk_end(struct walk *walk,
				     const struct kprobe_site *site,
				     bool goes_on)
{
	__this_cpu_write(current_kprobe, walk->running);
	if (walk->as_nmi)
		__preempt_count_add(NMI_OFFSET);
	kprobe_rcu_exit(walk->entered);
	preempt_enable_notrace();
	/* Where they came on in the exception, they stay off for its end. */
	if (!KPROBE_IRQS_ON_IN_HIT || site->on_ftrace || !goes_on)
		local_irq_restore(walk->flags);
}

#endif /* _KERNEL_KPROBES_CLASSIC_WALK_H */
