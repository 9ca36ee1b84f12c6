/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Around a walk of classic.c through the probes of a site that was hit: set up
 * the context for handlers, and restore it for the architecture's code.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_WALK_H
#define _KERNEL_KPROBES_CLASSIC_WALK_H

#include <linux/irqflags.h>
#include <linux/kprobes_hit.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

/**
 * struct walk - state to restore after a walk through the probes of a site
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
 * On riscv, breakpoints count as NMIs, and the kernel discards most events that
 * are traced in an NMI: all kprobe events except those of returns.  On other
 * architectures with a classic backend they do not count as NMIs, so handlers
 * need not run in an NMI on riscv either.
 */
#define HITS_COUNT_AS_NMI	IS_ENABLED(CONFIG_RISCV)

static __always_inline void walk_begin(struct walk *walk)
{
	local_irq_save(walk->flags);
	/* Handlers expect a raised count. */
	preempt_disable_notrace();
	walk->entered = kprobe_rcu_enter();
	walk->as_nmi = HITS_COUNT_AS_NMI && in_nmi();
	if (walk->as_nmi)
		__preempt_count_sub(NMI_OFFSET);
	walk->running = __this_cpu_read(current_kprobe);
}

/* @goes_on: the hit continues after its handlers */
static __always_inline void walk_end(struct walk *walk,
				     const struct kprobe_site *site,
				     bool goes_on)
{
	__this_cpu_write(current_kprobe, walk->running);
	if (walk->as_nmi)
		__preempt_count_add(NMI_OFFSET);
	kprobe_rcu_exit(walk->entered);
	preempt_enable_notrace();
	/* If the exception code enabled them, keep them off until its end. */
	if (!KPROBE_IRQS_ON_IN_HIT || site->on_ftrace || !goes_on)
		local_irq_restore(walk->flags);
}

#endif /* _KERNEL_KPROBES_CLASSIC_WALK_H */
