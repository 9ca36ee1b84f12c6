// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The slow half of a hit: handlers on top of handlers, in NMIs, and where RCU
 * is not watching.  The fast half is inline, in <linux/kprobes_hit.h>.
 */
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* The probe whose handler runs on this CPU; its context is in running.c. */
DEFINE_PER_CPU(struct kprobe *, current_kprobe);

/**
 * kprobe_site_pre_chain - kprobe_site_pre_jump() for several probes
 * @p: the first of the site's with a pre handler
 * @regs: full registers, the instruction pointer KPROBE_IP_SKID past the site
 *
 * Context: any; interrupts off.
 * Return: nonzero if a handler has set the instruction pointer.
 */
int kprobe_site_pre_chain(struct kprobe *p, struct pt_regs *regs)
{
	int diverted = kprobe_call_pre(p, regs);

	kprobe_running_clear(KPROBE_BY_CODE);
	return diverted;
}
NOKPROBE_SYMBOL(kprobe_site_pre_chain);

/**
 * kprobe_site_pre_slow - kprobe_site_pre() for a hit that may nest
 * @site: what was hit
 * @regs: full registers
 * @by: what brought the hit
 *
 * If a handler runs on this CPU, either it has led here itself, which is
 * recursion, or this is an interrupt or NMI on top of it.
 *
 * Context: any; interrupts off.
 * Return: how the hit goes on.
 */
enum kprobe_verdict kprobe_site_pre_slow(struct kprobe_site *site,
					 struct pt_regs *regs,
					 enum kprobe_by by)
{
	enum kprobe_verdict verdict = KPROBE_HIT_EXECUTE;
	bool entered = kprobe_rcu_enter();
	struct kprobe_saved_ctx saved;
	struct kprobe *p;

	if (kprobe_recursion(kprobe_context_id(by))) {
		bool busy = __this_cpu_read(kprobe_current_ctx) ==
			    KPROBE_CTX_BUSY;

		kprobe_site_missed(site, regs, busy ? KPROBE_MISS_BUSY :
						      KPROBE_MISS_RECURSION);
		verdict = KPROBE_HIT_MISSED;
	} else {
		p = kprobe_first_pre(site);
		/* Also counts the NMI that the hit's own exception is. */
		saved = kprobe_ctx_save(kprobe_context_id(KPROBE_BY_CODE));
		if (kprobe_call_pre(p, regs))
			verdict = KPROBE_HIT_DIVERTED;
		kprobe_ctx_restore(saved);
	}
	kprobe_rcu_exit(entered);
	return verdict;
}
NOKPROBE_SYMBOL(kprobe_site_pre_slow);

/**
 * kprobe_site_post_slow - kprobe_site_post() for a hit that may nest
 * @site: what was hit
 * @regs: full registers after the instruction
 *
 * Context: any; interrupts off.
 */
void kprobe_site_post_slow(struct kprobe_site *site, struct pt_regs *regs)
{
	bool entered = kprobe_rcu_enter();
	struct kprobe_saved_ctx saved;

	saved = kprobe_ctx_save(kprobe_context_id(KPROBE_BY_CODE));
	kprobe_call_post(site, regs);
	kprobe_ctx_restore(saved);
	kprobe_rcu_exit(entered);
}
NOKPROBE_SYMBOL(kprobe_site_post_slow);

#ifdef CONFIG_TRACE_IRQFLAGS
/*
 * These two tell lockdep and tracepoints that interrupts are off, or on again.
 * A thunk may interrupt any code, the idle loop included.  So they go by
 * lockdep's own state, which can differ from the flag in the saved registers,
 * and keep to the order of the kernel's entry code: lockdep's state is kept
 * without RCU, and tracepoints are called with RCU watching.
 */

/**
 * kprobe_trace_irqs_off - tell that interrupts are off
 * @irqs_on: whether they were on; lockdep's own state goes first
 *
 * Return: whether to call kprobe_trace_irqs_on() when they are on again.
 */
bool kprobe_trace_irqs_off(bool irqs_on)
{
	bool entered;

	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		irqs_on = lockdep_hardirqs_enabled();
	if (!irqs_on)
		return false;
	lockdep_hardirqs_off(_RET_IP_);
	/*
	 * Lockdep does not follow in itself, or once it has been turned off.  A
	 * hit in what is called for the tracers would be told to them again.
	 */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) && lockdep_hardirqs_enabled())
		return false;
	entered = kprobe_rcu_enter();
	trace_hardirqs_off_finish();
	kprobe_rcu_exit(entered);
	return true;
}
NOKPROBE_SYMBOL(kprobe_trace_irqs_off);

/** kprobe_trace_irqs_on - if kprobe_trace_irqs_off() returned true */
void kprobe_trace_irqs_on(void)
{
	bool entered = kprobe_rcu_enter();

	trace_hardirqs_on_prepare();
	lockdep_hardirqs_on_prepare();
	kprobe_rcu_exit(entered);
	lockdep_hardirqs_on(_RET_IP_);
}
NOKPROBE_SYMBOL(kprobe_trace_irqs_on);
#endif

/**
 * kprobe_reschedule - a handler has woken up a task that is to run now
 * @regs: where the hit was
 *
 * Does what the exit of an interrupt does.  Interrupts stay off until the
 * scheduler has preemption off, so hits on the way there do not lead here.
 *
 * Context: interrupts off, preemption on.
 */
void kprobe_reschedule(struct pt_regs *regs)
{
#ifdef CONFIG_PREEMPTION
	if (arch_kprobe_irqs_on(regs) && preempt_model_preemptible())
		preempt_schedule_irq();
#endif
}
NOKPROBE_SYMBOL(kprobe_reschedule);

/**
 * kprobe_busy_begin - from here on, hits on this CPU miss their handlers
 *
 * For code that shares data with the handlers of probes and relies on not being
 * entered twice on a CPU, as the handlers of a fprobe with
 * FPROBE_FL_KPROBE_SHARED do.  Hits in interrupts and NMIs on top miss their
 * handlers, too, and are counted.  Disables preemption.
 *
 * Context: any but a handler; kprobe_running() says that none runs.
 */
void kprobe_busy_begin(void)
{
	unsigned long flags;

	preempt_disable();
	/* An interrupt must not see current_kprobe without its context. */
	raw_local_irq_save(flags);
	kprobe_ctx_save(KPROBE_CTX_BUSY);
	raw_local_irq_restore(flags);
}

/*
 * What kprobe_busy_begin() and kprobe_busy_end() do, for a CPU that is this
 * one, with interrupts off, or that is offline; see offline.c.
 */
void kprobe_cpu_busy(unsigned int cpu, bool busy)
{
	per_cpu(current_kprobe, cpu) = busy ? &kprobe_busy : NULL;
	barrier();
	per_cpu(kprobe_current_ctx, cpu) = busy ? KPROBE_CTX_BUSY :
						  KPROBE_CTX_NONE;
}
NOKPROBE_SYMBOL(kprobe_cpu_busy);

/** kprobe_busy_end - the end of what kprobe_busy_begin() began */
void kprobe_busy_end(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	kprobe_ctx_restore((struct kprobe_saved_ctx) { .id = KPROBE_CTX_NONE });
	raw_local_irq_restore(flags);
	preempt_enable();
}
