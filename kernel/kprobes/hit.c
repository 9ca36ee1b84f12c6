// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits: the state of a CPU that runs handlers, missed hits, the slow path,
 * exceptions in handlers and slots, and offline CPUs.
 *
 * The fast path is inline, in <linux/kprobes_hit.h>.  With classic.c, this file
 * has only the state of a CPU, missed hits and offline CPUs.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/*
 * The state of a CPU that runs handlers
 */

/* The context that the handler of current_kprobe runs in: see kprobes_hit.h. */
DEFINE_PER_CPU(unsigned int, kprobe_current_ctx) = KPROBE_CTX_NONE;

/* Set while unregistering ignores this CPU: see the last section. */
DEFINE_PER_CPU(bool, kprobe_cpu_offline);

static int kprobe_no_handler(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(kprobe_no_handler);

/* The empty handler saves the hit path a test for NULL. */
struct kprobe kprobe_no_pre = {
	.addr = (void *)kprobe_no_handler,
	.run_pre = kprobe_no_handler,
};

struct kprobe kprobe_busy = {
	.addr = (void *)kprobe_no_handler,
};

#ifdef CONFIG_DEBUG_IRQFLAGS
/**
 * kprobe_check_irqs_off - warn about a handler that returns with interrupts on
 *
 * Unregistering does not wait for the rest of this hit.
 *
 * Context: after handlers, or in kprobe_busy_end(); current_kprobe is the probe
 * of the last handler, or a placeholder.
 */
void kprobe_check_irqs_off(void)
{
	WARN_ONCE(!irqs_disabled(),
		  "Handler of the probe at %pS returns with interrupts on\n",
		  __this_cpu_read(current_kprobe)->addr);
}
NOKPROBE_SYMBOL(kprobe_check_irqs_off);
#endif

/*
 * Missed hits, counted by reason, for each site and in total since boot
 *
 * Except in real mode, the counting functions run with interrupts off and RCU
 * watching, in a hit, in a return, or when ftrace drops a hit.  Unregistering
 * waits for such code before it clears kprobe::site and drops the site.
 * Misses are rare, so all CPUs share each counter, and update it by
 * try_cmpxchg(), which is safe against NMIs.
 */

static unsigned long kprobe_miss_counts[KPROBE_NR_MISSES];

#define add_one(counter)						\
do {									\
	typeof(counter) __counter = (counter);				\
	typeof(*__counter) __n = READ_ONCE(*__counter);			\
									\
	while (!try_cmpxchg(__counter, &__n, __n + 1))			\
		cpu_relax();						\
} while (0)

/**
 * kprobe_site_missed_alone - count a miss without access to the site's probes
 * @site: the site that was hit, or NULL if it cannot be accessed
 * @why: the reason
 *
 * The miss is counted for the site, but not in nmissed of its probes.  With the
 * MMU off (real mode), a probe in a module's memory cannot be accessed.  On an
 * offline CPU, a probe may be freed at any time, because unregistering does not
 * wait for this CPU.
 *
 * Context: a hit, even with the MMU off.
 */
void kprobe_site_missed_alone(struct kprobe_site *site, enum kprobe_miss why)
{
	add_one(&kprobe_miss_counts[why]);
	if (site)
		add_one(&site->missed[why]);
}
NOKPROBE_SYMBOL(kprobe_site_missed_alone);

/**
 * kprobe_site_missed - count a hit that runs none of a site's handlers
 * @site: the site that was hit
 * @why: the reason
 *
 * The hit is also counted in nmissed of each active probe; without any, it is
 * not counted.  On an offline CPU, only the counter of the site is incremented.
 *
 * Context: a hit; interrupts off, RCU watching.
 */
void kprobe_site_missed(struct kprobe_site *site, enum kprobe_miss why)
{
	struct kprobe *p;

	if (unlikely(__this_cpu_read(kprobe_cpu_offline))) {
		kprobe_site_missed_alone(site, why);
		return;
	}
	if (list_empty(&site->active))
		return;
	kprobe_site_missed_alone(site, why);
	list_for_each_entry_rcu(p, &site->active, list, true)
		add_one(&p->nmissed);
}
NOKPROBE_SYMBOL(kprobe_site_missed);

/**
 * kretprobe_missed - count a call that is not followed
 * @rp: the return probe
 * @why: the reason
 *
 * Context: the pre handler of the return probe.
 */
void kretprobe_missed(struct kretprobe *rp, enum kprobe_miss why)
{
	kprobe_site_missed_alone(rp->kp.site, why);
	add_one(&rp->nmissed);
}
NOKPROBE_SYMBOL(kretprobe_missed);

/**
 * kprobe_count_missed - count a hit that a user's handler could not use
 * @p: the probe
 * @why: the reason
 *
 * The hit is counted for the site, but not in nmissed, because the handler
 * itself has run.
 *
 * Context: a handler of @p.
 */
void kprobe_count_missed(const struct kprobe *p, enum kprobe_miss why)
{
	kprobe_site_missed_alone(p->site, why);
}
NOKPROBE_SYMBOL(kprobe_count_missed);

/**
 * kprobe_missed_in_all - return the total number of missed hits since boot
 * @why: count only hits that were missed for this reason
 *
 * Context: any.
 */
unsigned long kprobe_missed_in_all(enum kprobe_miss why)
{
	return READ_ONCE(kprobe_miss_counts[why]);
}

#ifdef CONFIG_HAVE_KPROBE_SITES
/*
 * The slow path of a hit: nested handlers, NMIs, and hits without RCU watching
 *
 * This section also has kprobe_busy_begin(), and the work of an exception's
 * entry and exit code, which hits without an exception must do themselves.
 */

/* The probe whose handler runs on this CPU; see also kprobe_current_ctx. */
DEFINE_PER_CPU(struct kprobe *, current_kprobe);

/**
 * kprobe_site_pre_chain - kprobe_site_pre_jump() for several probes
 * @p: the site's first probe with a pre handler
 * @regs: full registers; the ip is KPROBE_IP_SKID past the site
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
 * kprobe_site_pre_slow - kprobe_site_pre() for a hit that may be nested
 * @site: the site that was hit
 * @regs: full registers
 * @by: mechanism that delivers the hit
 *
 * If a handler is running on this CPU, either the handler itself has caused the
 * hit, which is recursion, or the hit is in an NMI that has interrupted the
 * handler.
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
		/* Nested hits find this hit's exception in preempt_count(). */
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
 * kprobe_site_post_slow - kprobe_site_post() for a hit that may be nested
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
 * Notify lockdep and tracepoints that interrupts are off, or on again.
 *
 * A hit may interrupt any code, including the idle loop, where lockdep's state
 * can differ from the flag in the saved registers.  With PROVE_LOCKING, use
 * lockdep's state.  As in the kernel's entry code, this state is updated even
 * if RCU is not watching, but tracepoints are called with RCU watching.
 */

/**
 * kprobe_trace_irqs_off - notify lockdep and tracers that interrupts are off
 * @irqs_on: whether interrupts were on; ignored with PROVE_LOCKING
 *
 * Return: true if kprobe_trace_irqs_on() must be called before interrupts are
 * enabled again.
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
	 * Lockdep ignores this call if lockdep is off, or if its own code was
	 * hit.  Then call no tracer: for lockdep, interrupts are still on, so
	 * each hit in the tracer would call the tracer again.
	 */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) && lockdep_hardirqs_enabled())
		return false;
	entered = kprobe_rcu_enter();
	trace_hardirqs_off_finish();
	kprobe_rcu_exit(entered);
	return true;
}
NOKPROBE_SYMBOL(kprobe_trace_irqs_off);

/** kprobe_trace_irqs_on - notify lockdep and tracers that irqs are on again */
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
 * As at the exit of an interrupt, interrupts stay off until the scheduler has
 * disabled preemption, so a hit before that does not reschedule again.
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
 * twice on a CPU, such as handlers of an fprobe with FPROBE_FL_KPROBE_SHARED.
 * Hits in interrupts and NMIs are missed and counted as well.  This disables
 * preemption.
 *
 * Context: any but a handler: kprobe_running() must return NULL.
 */
void kprobe_busy_begin(void)
{
	unsigned long flags;

	preempt_disable();
	/* A hit in an interrupt must not find only one of the variables set. */
	raw_local_irq_save(flags);
	kprobe_ctx_save(KPROBE_CTX_BUSY);
	raw_local_irq_restore(flags);
}

/*
 * Set the state of a CPU as kprobe_busy_begin() does, or clear it.  @cpu must
 * be offline, or be this CPU with interrupts off.
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

/*
 * Exceptions raised by handlers and by instructions out of line
 *
 * The architecture's exception handlers call kprobe_fault() before they search
 * the exception tables.  If a probe's handler is running in the same context,
 * the handler has raised the exception, and the exception is passed to the
 * fault handler of that probe.  Otherwise, an exception in a slot is passed to
 * the probes of the slot's site, as if the instruction had raised it in place.
 */

/*
 * Call the fault handler of a probe.  Hits in the fault handler are missed, and
 * its own faults are not passed to a fault handler.
 */
static bool kprobe_call_fault(struct kprobe *p, struct pt_regs *regs,
			      unsigned int trap)
{
	kprobe_fault_handler_t handler = READ_ONCE(p->fault_handler);
	struct kprobe_saved_ctx saved;
	bool handled;

	if (!handler)
		return false;

	saved = kprobe_ctx_save(kprobe_context_id(KPROBE_BY_CODE));
	handled = handler(p, regs, trap);
	/* kprobe_check_irqs_off() must report @p, not kprobe_busy. */
	__this_cpu_write(current_kprobe, p);
	kprobe_ctx_restore(saved);
	if (handled)
		arch_kprobe_resume(regs);
	return handled;
}
NOKPROBE_SYMBOL(kprobe_call_fault);

/**
 * kprobe_fault - pass an exception to the fault handlers of probes
 * @regs: the registers; if the instruction pointer is in a slot, it is moved to
 *	the original text: see kprobe_regs_leave_slot()
 * @trap: the number of the exception
 *
 * Context: the exception, before it may sleep; interrupts as in @regs, or off.
 * Return: true if a fault_handler has handled it.
 */
bool kprobe_fault(struct pt_regs *regs, unsigned int trap)
{
	struct kprobe_site *site = kprobe_regs_leave_slot(regs);
	bool handled = false;
	struct kprobe *p;

	/* With interrupts on, no handler can have raised the exception. */
	if (!site && likely(arch_kprobe_irqs_on(regs)))
		return false;

	guard(irqsave)();

	if (kprobe_recursion(kprobe_context_id(KPROBE_BY_CODE)))
		return kprobe_call_fault(__this_cpu_read(current_kprobe),
					 regs, trap);
	/* An ftrace site's slot has the next instruction, not a probed one. */
	if (!site || site->on_ftrace)
		return false;

	list_for_each_entry_rcu(p, &site->active, list, true) {
		handled = kprobe_call_fault(p, regs, trap);
		if (handled)
			break;
	}
	return handled;
}
NOKPROBE_SYMBOL(kprobe_fault);
#endif /* CONFIG_HAVE_KPROBE_SITES */

#ifdef CONFIG_HOTPLUG_CPU
/*
 * CPUs that are taken offline, and brought online again
 *
 * An offline CPU takes no IPI, and no grace period waits for it, so a probe
 * could be unregistered and freed while that CPU runs the probe's handler.  An
 * offline CPU does execute kernel code: before it stops, from its start until
 * RCU watches it again, and on some machines at each wakeup.  Therefore,
 * kprobe_cpu_offline marks a CPU from before RCU stops watching the CPU until
 * RCU watches it again.  All hits on a marked CPU miss their handlers, as
 * between kprobe_busy_begin() and kprobe_busy_end(), and do not touch probes.
 *
 *	set_cpu_online(false)
 *	kprobe_cpu_leaves()		rcutree_report_cpu_dead() does both
 *	RCU stops watching the CPU
 *	the CPU stops			cpu_hotplug_lock is held until then
 *	...
 *	the CPU starts
 *	RCU watches the CPU		rcutree_report_cpu_starting() does both
 *	kprobe_cpu_comes()
 *	set_cpu_online(true)		the controlling CPU waits for this, and
 *					holds cpu_hotplug_lock until then
 *
 * A CPU that gets no more IPIs but is not marked yet may still run handlers.
 * cpu_hotplug_lock is held for writing until the CPU is marked.  To wait for
 * this, kprobe_wait_for_handlers() and kprobe_patch() lock it for reading.
 *
 * Once a CPU has been started, only code on that CPU writes its mark, so no
 * handler sees the mark change.  At boot, CPUs are marked until they are first
 * online.  A CPU that fails to start keeps the mark, or sets it again
 * (cpu_die_early() on arm64).  Without CONFIG_HOTPLUG_CPU, CPUs start only at
 * boot, before users register probes.
 *
 * The return path does not check the mark.  While the mark is set, no call is
 * followed.  Of the calls followed before, only rcutree_report_cpu_dead()
 * returns, with cpu_hotplug_lock still held for writing.  The others never
 * return, because the idle task starts afresh when the CPU is online again.
 *
 * A hit on a marked CPU still uses its site and slots, and no grace period
 * waits for that CPU.  But before a site is freed, kprobe_patch() or
 * kprobe_wait_for_handlers() takes cpu_hotplug_lock, which is held for writing
 * until a leaving CPU has stopped, or a starting one is online.  A stopped CPU
 * may wake up without the lock, so the loops in which it waits must not be
 * probed.
 */

/**
 * kprobe_cpu_leaves - mark this CPU as offline, so that its hits are missed
 *
 * Context: the idle task, or a CPU that fails to start; interrupts off, until
 * the CPU starts again.
 */
void kprobe_cpu_leaves(void)
{
	__this_cpu_write(kprobe_cpu_offline, true);
	kprobe_cpu_busy(smp_processor_id(), true);
}
NOKPROBE_SYMBOL(kprobe_cpu_leaves);

/**
 * kprobe_cpu_comes - mark this CPU as online, so that its hits call handlers
 * @cpu: this CPU
 *
 * Context: a CPU that is being started, with RCU watching, or the boot CPU;
 * interrupts off.
 */
void kprobe_cpu_comes(unsigned int cpu)
{
	kprobe_cpu_busy(cpu, false);
	per_cpu(kprobe_cpu_offline, cpu) = false;
}
NOKPROBE_SYMBOL(kprobe_cpu_comes);

/* Mark the CPUs that have not been started yet as offline. */
static int __init kprobe_offline_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			continue;
		per_cpu(kprobe_cpu_offline, cpu) = true;
		kprobe_cpu_busy(cpu, true);
	}
	return 0;
}
early_initcall(kprobe_offline_init);
#endif /* CONFIG_HOTPLUG_CPU */
