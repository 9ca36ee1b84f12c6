// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The slow path of a hit: nested handlers, NMIs, and hits without RCU watching.
 * The fast path is inline, in <linux/kprobes_hit.h>.  Also kprobe_busy_begin(),
 * and the work of an exception around handlers, for hits without an exception.
 */
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* The probe whose handler runs on this CPU; see also kprobe_current_ctx. */
DEFINE_PER_CPU(struct kprobe *, current_kprobe);

/**
 * kprobe_site_pre_chain - kprobe_site_pre_jump() for several probes
 * @p: the site's first probe with a pre handler
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
 * @site: the site that was hit
 * @regs: full registers
 * @by: mechanism that delivers the hit
 *
 * If a handler runs on this CPU, either it has caused this hit itself, which is
 * recursion, or an interrupt or NMI has interrupted it.
 *
 * Context: any; interrupts off.
 * Return: how the hit continues.
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

		kprobe_site_missed(site, busy ? KPROBE_MISS_BUSY :
						KPROBE_MISS_RECURSION);
		verdict = KPROBE_HIT_MISSED;
	} else {
		p = kprobe_first_pre(site);
		/* If the hit's own exception is an NMI, this id includes it. */
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
 * @site: the site that was hit
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
 * Inform lockdep and tracepoints that interrupts are off, or on again.  A thunk
 * may interrupt any code, including the idle loop.  So these functions use
 * lockdep's own state, which can differ from the flag in the saved registers,
 * and the order of the kernel's entry code: lockdep's state is updated without
 * RCU, and tracepoints are called with RCU watching.
 */

/**
 * kprobe_trace_irqs_off - trace that interrupts are off
 * @irqs_on: whether they were on; ignored if lockdep has its own state
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
	 * Lockdep ignores its own code, and all code once it is turned off.
	 * Then call no tracer: a hit in a tracer would be traced again.
	 */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) && lockdep_hardirqs_enabled())
		return false;
	entered = kprobe_rcu_enter();
	trace_hardirqs_off_finish();
	kprobe_rcu_exit(entered);
	return true;
}
NOKPROBE_SYMBOL(kprobe_trace_irqs_off);

/** kprobe_trace_irqs_on - undo a kprobe_trace_irqs_off() that returned true */
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
 * kprobe_reschedule - schedule if a handler has woken up another task
 * @regs: the registers at the hit
 *
 * Does the same as the exit of an interrupt.  Interrupts stay off until the
 * scheduler has disabled preemption, so hits on the way do not recurse here.
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
 * kprobe_busy_begin - make hits on this CPU miss their handlers
 *
 * For code that shares data with the handlers of probes and must not be entered
 * twice on a CPU, such as handlers of a fprobe with FPROBE_FL_KPROBE_SHARED.
 * Hits in interrupts and NMIs miss their handlers, too, and are counted.
 * Disables preemption.
 *
 * Context: any but a handler, as reported by kprobe_running().
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
 * Set or clear the state of kprobe_busy_begin().  @cpu must be this CPU, with
 * interrupts off, or offline; see offline.c.
 */
void kprobe_cpu_busy(unsigned int cpu, bool busy)
{
	per_cpu(current_kprobe, cpu) = busy ? &kprobe_busy : NULL;
	barrier();
	per_cpu(kprobe_current_ctx, cpu) = busy ? KPROBE_CTX_BUSY :
						  KPROBE_CTX_NONE;
}
NOKPROBE_SYMBOL(kprobe_cpu_busy);

/** kprobe_busy_end - undo kprobe_busy_begin() */
void kprobe_busy_end(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	kprobe_ctx_restore((struct kprobe_saved_ctx) { .id = KPROBE_CTX_NONE });
	raw_local_irq_restore(flags);
	preempt_enable();
}
