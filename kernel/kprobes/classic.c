// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Connect the core to architectures whose own code knows nothing of sites, but
 * handles one struct kprobe at each probed address.  That code is called "the
 * backend" below.
 *
 * A site contains one struct kprobe for the backend, with the address, the copy
 * of the instruction and two handlers.  The backend arms this struct kprobe,
 * finds it by get_kprobe() at a hit, and steps the instruction.  The backend
 * does not see the probes of users.  Each of the two handlers walks the list of
 * the site's probes, and calls their handlers.
 *
 *	breakpoint -> backend -> get_kprobe() -> kprobe_classic_pre() -> p, p
 *	                 |
 *	                 +-- steps the instruction
 *	                 |
 *	                 +---------------------> kprobe_classic_post() -> p, p
 *
 * Who may run when
 * ----------------
 *
 * The core's rule is that a CPU that handles an IPI is in no handler: "Who may
 * run when" at the head of kernel/kprobes.c.  Backends do not disable
 * interrupts from the exception to the last handler; on mips, loongarch and
 * others, they are on between the exception and the handlers.  So this file
 * must ensure the rule:
 *
 * 1. A user's struct kprobe is read in the walks here (to call handlers, or to
 *    count misses), in kretprobe_entry(), which a walk calls, and at the return
 *    of a followed call.  Interrupts are off from the read of the list's head,
 *    or of kretprobe_holder::rp, to the last use of the result.  So a walk
 *    after an IPI does not find probes that were unlinked before the IPI was
 *    sent, and no IPI interrupts a walk.
 *
 * 2. No data of a user is kept between the walks of one hit.  The backend keeps
 *    only the struct kprobe of the site.
 *
 * 3. RCU may not be watching a CPU that takes the exception of a hit, and the
 *    entry code of most architectures does not make RCU watch before it calls
 *    the backend.  Therefore kprobe_wait_for_handlers() sends an IPI to every
 *    CPU.
 *
 * 4. On s390 and arc, interrupts may be on between the exception and the
 *    look-up of the site; on mips, between the exception and the read of the
 *    text.  The site or the breakpoint may be gone by then, which the
 *    architecture's code treats as an error; classic_trap_is_stale() restarts
 *    the task at the new text instead.
 *
 * Who frees what when
 * -------------------
 *
 * The backend uses a site, with the struct kprobe in it, from get_kprobe() to
 * the end of the step.  The step may end in another exception, with none of our
 * functions on the stack in between.  Meanwhile, preemption or interrupts are
 * off; a page fault in the step ends the step (kprobe_fault_handler()).  So RCU
 * waits for this use.  The site is freed once all CPUs have taken an IPI since
 * the removal of the trap, and a grace period of RCU has ended that began after
 * the site was removed from the table.
 *
 * In the idle loop, RCU is not watching, and only this IPI protects hits:
 * interrupts are off throughout the hit, because they are off in the idle loop.
 * The look-up of such a hit may read another site in the same hash chain, so
 * site.c sends one more IPI before a site is freed.  The idle functions of arc
 * and mips must not be probed, because arc enables interrupts in the exception
 * of a hit, and mips idles with interrupts on.
 *
 * On arm, a jump leads to a copy in which tasks may be preempted.  The copy is
 * freed with the site, after a grace period of RCU-tasks.
 *
 * The core owns the slots.  After the backend's last access to the struct
 * kprobe, the core frees all slots of the site that the backend has not freed.
 *
 * Locks: the backend prepares, arms and disarms sites with kprobe_mutex,
 * cpu_hotplug_lock and text_mutex held, in this order, and may take slot_mutex.
 * These locks are not held when kprobe_classic_release() calls
 * arch_remove_kprobe() and arch_remove_optimized_kprobe(), or when
 * kprobe_classic_refuse() calls arch_disarm_kprobe().
 *
 * State of the backend
 * --------------------
 *
 * current_kprobe and kprobe_ctlblk are the backend's state until its step ends.
 * While current_kprobe is set, the backend treats a hit as recursion.  So if an
 * interrupt arrives during a hit, the hits in the interrupt are missed.  The
 * walks set current_kprobe, to show users the probe whose handler runs, and
 * restore it at the end; so do backends in nested hits.
 *
 * The backends of arc and sh step in place: they remove the breakpoint, and
 * write it again when the step has ended, even if the core has removed it
 * meanwhile.  So classic_disarm_again() waits for grace periods of RCU, with
 * the locks held, until no such step is left.  arch_remove_kprobe() of these
 * backends would undo a step in text that may have been freed by then.  It is
 * not called, because these backends have no slots (kprobe_classic_release()),
 * and not needed, because no step is active by then.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cacheflush.h>
#include <linux/cpu.h>
#include <linux/execmem.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kprobes_hit.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "internal.h"

static struct kprobe *classic_kp_of(struct kprobe_site *site)
{
	return &site->insn.op.kp;
}

static __always_inline struct kprobe_site *classic_site_of(struct kprobe *kp)
{
	return container_of(kp, struct kprobe_site, insn.op.kp);
}

/*
 * The hit
 */

/*
 * struct classic_walk - state to restore after a walk of a site's probes
 * @running: current_kprobe
 * @flags: whether interrupts were on
 * @entered: RCU was not watching
 * @as_nmi: the exception counts as an NMI
 */
struct classic_walk {
	struct kprobe *running;
	unsigned long flags;
	bool entered;
	bool as_nmi;
};

static __always_inline void classic_walk_begin(struct classic_walk *walk)
{
	local_irq_save(walk->flags);
	/* Handlers expect preempt_count() to be raised. */
	preempt_disable_notrace();
	walk->entered = kprobe_rcu_enter();
	walk->as_nmi = KPROBE_HITS_COUNT_AS_NMI && in_nmi();
	/* Exit the NMI but not the hard IRQ. */
	if (walk->as_nmi)
		kprobe_nmi_exit(-(int)HARDIRQ_OFFSET);
	walk->running = __this_cpu_read(current_kprobe);
}

/* @goes_on: no handler has diverted the hit, so the backend continues it */
static __always_inline void classic_walk_end(struct classic_walk *walk,
					     const struct kprobe_site *site,
					     bool goes_on)
{
	__this_cpu_write(current_kprobe, walk->running);
	if (walk->as_nmi)
		kprobe_nmi_enter(-(int)HARDIRQ_OFFSET);
	kprobe_rcu_exit(walk->entered);
	preempt_enable_notrace();
	/* If a step follows, interrupts may have to stay off until it ends. */
	if (!KPROBE_IRQS_ON_IN_HIT || site->on_ftrace || !goes_on)
		local_irq_restore(walk->flags);
}

/**
 * kprobe_classic_pre - call the pre handlers of a site's probes
 * @kp: from get_kprobe()
 * @regs: the registers at the breakpoint
 *
 * Context: a hit.
 * Return: 1 if a handler has set the instruction pointer; 0: step.
 */
int kprobe_classic_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct kprobe_site *site = classic_site_of(kp);
	unsigned long addr = (unsigned long)site->addr;
	struct classic_walk walk;
	bool diverted;

	/* S390 passes the address after the breakpoint; its step resets it. */
	if (instruction_pointer(regs) != addr)
		instruction_pointer_set(regs, addr);
	classic_walk_begin(&walk);
	diverted = kprobe_call_pre(kprobe_first_pre(site), regs);
	classic_walk_end(&walk, site, !diverted);
	return diverted;
}
NOKPROBE_SYMBOL(kprobe_classic_pre);

static noinline void classic_call_post(struct kprobe_site *site,
				       struct pt_regs *regs)
{
	struct classic_walk walk;

	classic_walk_begin(&walk);
	kprobe_call_post(site, regs);
	classic_walk_end(&walk, site, true);
}
NOKPROBE_SYMBOL(classic_call_post);

/**
 * kprobe_classic_post - call the post handlers of a site's probes
 * @kp: from get_kprobe()
 * @regs: the registers after the instruction
 * @flags: not used
 *
 * Context: the end of a step.
 */
void kprobe_classic_post(struct kprobe *kp, struct pt_regs *regs,
			 unsigned long flags)
{
	struct kprobe_site *site = classic_site_of(kp);

	/* With KPROBE_IRQS_ON_IN_HIT, walk to turn interrupts off. */
	if (KPROBE_IRQS_ON_IN_HIT || READ_ONCE(site->npost))
		classic_call_post(site, regs);
}
NOKPROBE_SYMBOL(kprobe_classic_post);

/**
 * kprobe_classic_find - find the backend's struct kprobe of a site
 * @addr: any address
 *
 * Context: preemption off, or kprobe_mutex held.
 * Return: the struct kprobe of the site there, or NULL.
 */
struct kprobe *kprobe_classic_find(void *addr)
{
	struct kprobe_site *site = kprobe_site_find((unsigned long)addr);

	return site ? classic_kp_of(site) : NULL;
}
NOKPROBE_SYMBOL(kprobe_classic_find);

/* Quirks may override this, to see where a hit begins. */
struct kprobe * __weak get_kprobe(void *addr)
{
	return kprobe_classic_find(addr);
}
NOKPROBE_SYMBOL(get_kprobe);

/**
 * kprobes_inc_nmissed_count - count a hit whose handlers do not run
 * @kp: from get_kprobe()
 */
void kprobes_inc_nmissed_count(struct kprobe *kp)
{
	unsigned long flags;
	bool entered;

	/* raw_: in a tracer, backends could not handle a nested hit. */
	raw_local_irq_save(flags);
	entered = kprobe_rcu_enter();
	/* Never _BUSY: some backends have already changed current_kprobe. */
	kprobe_site_missed(classic_site_of(kp), KPROBE_MISS_RECURSION);
	kprobe_rcu_exit(entered);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kprobes_inc_nmissed_count);

/**
 * dump_kprobe - log the address at which a backend cannot continue
 * @kp: from get_kprobe()
 */
void dump_kprobe(struct kprobe *kp)
{
	pr_err("cannot continue from the hit at %pS\n", kp->addr);
}
NOKPROBE_SYMBOL(dump_kprobe);

/**
 * kprobe_busy_begin - make hits on this CPU miss their handlers
 *
 * See hit.c.  A backend treats this state as a running handler.
 *
 * Context: kprobe_running() must return NULL.
 */
void kprobe_busy_begin(void)
{
	unsigned long flags;

	preempt_disable();
	/* A hit in an interrupt between the writes would set kprobe_status. */
	raw_local_irq_save(flags);
	get_kprobe_ctlblk()->kprobe_status = KPROBE_HIT_ACTIVE;
	barrier();
	__this_cpu_write(current_kprobe, &kprobe_busy);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kprobe_busy_begin);

/* See hit.c.  @cpu must be offline, or this CPU with interrupts off. */
void kprobe_cpu_busy(unsigned int cpu, bool busy)
{
	per_cpu(kprobe_ctlblk, cpu).kprobe_status = KPROBE_HIT_ACTIVE;
	barrier();
	per_cpu(current_kprobe, cpu) = busy ? &kprobe_busy : NULL;
}
NOKPROBE_SYMBOL(kprobe_cpu_busy);

/** kprobe_busy_end - undo kprobe_busy_begin() */
void kprobe_busy_end(void)
{
	__this_cpu_write(current_kprobe, NULL);
	preempt_enable();
}
NOKPROBE_SYMBOL(kprobe_busy_end);

/*
 * Slots
 */

/* The site for which the backend allocates slots; under kprobe_mutex. */
static struct kprobe_site *classic_preparing;

/* s390 overrides this. */
void * __weak alloc_insn_page(void)
{
	return execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);
}

/* Nothing to do: the backend fills a slot when it prepares a site. */
void arch_kprobe_fill_slots(void *text, size_t size)
{
}

kprobe_opcode_t *get_insn_slot(void)
{
	lockdep_assert_held(&kprobe_mutex);
	if (WARN_ON_ONCE(!classic_preparing || classic_preparing->slot))
		return NULL;
	classic_preparing->slot = kprobe_slot_alloc(classic_preparing,
						    KPROBE_SLOT_SIZE);
	return classic_preparing->slot;
}

/* Free one of the slots of a site, and clear the site's pointer to it. */
static void classic_slot_free(void *slot)
{
	struct kprobe_site *owner;
	void *start;

	scoped_guard(rcu)
		owner = kprobe_slot_owner((unsigned long)slot, &start);
	if (WARN_ON_ONCE(!owner))
		return;
	if (owner->slot == slot)
		owner->slot = NULL;
	if (owner->detour == slot)
		owner->detour = NULL;
	kprobe_slot_free(slot);
}

void free_insn_slot(kprobe_opcode_t *slot, int dirty)
{
	classic_slot_free(slot);
}

/*
 * A site's life
 */

kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry)
{
	/* Bit 0 selects Thumb mode, and is not part of the address. */
	if (IS_ENABLED(CONFIG_THUMB2_KERNEL)) {
		addr &= ~1UL;
		offset &= ~1UL;
	}
	*on_entry = !offset;
	return (kprobe_opcode_t *)addr;
}

bool arch_kprobe_emulated(const struct kprobe_site *site)
{
	return site->insn.emulated;
}

#ifdef CONFIG_KPROBES_ON_FTRACE
static void classic_prepare_ftrace(struct kprobe *kp)
{
	kp->flags |= KPROBE_FLAG_FTRACE;
	arch_prepare_kprobe_ftrace(kp);
}

/**
 * kprobe_classic_ftrace_hit - handle an ftrace hit
 * @ip: the address of the call
 * @parent_ip: the caller
 * @ops: the ops of ftrace.c
 * @fregs: registers
 *
 * If this CPU is handling another hit, count this hit as missed here, because
 * the backend's test for recursion might not count it.
 */
void kprobe_classic_ftrace_hit(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops,
			       struct ftrace_regs *fregs)
{
	bool entered = kprobe_read_lock();
	struct kprobe_site *site = kprobe_site_find(ip);
	struct pt_regs *regs = ftrace_get_regs(fregs);
	unsigned long next = regs ? instruction_pointer(regs) : 0;
	unsigned long flags;

	if (!site || !regs || !READ_ONCE(site->ftrace))
		goto out;
	if (kprobe_running()) {
		kprobes_inc_nmissed_count(classic_kp_of(site));
		goto out;
	}
	/* A hit in an interrupt must not find the backend's state half set. */
	local_irq_save(flags);
	kprobe_ftrace_handler(ip, parent_ip, ops, fregs);
	local_irq_restore(flags);
	/* The backend of s390 loses the target of a live patch. */
	if (IS_ENABLED(CONFIG_LIVEPATCH) &&
	    instruction_pointer(regs) == ip + MCOUNT_INSN_SIZE)
		instruction_pointer_set(regs, next);
out:
	kprobe_read_unlock(entered);
}
NOKPROBE_SYMBOL(kprobe_classic_ftrace_hit);
#else
static void classic_prepare_ftrace(struct kprobe *kp) { }
#endif

/**
 * kprobe_classic_init_site - initialize the struct kprobe of a site
 * @site: a site that has been inspected
 *
 * Context: kprobe_mutex held.
 */
void kprobe_classic_init_site(struct kprobe_site *site)
{
	struct kprobe *kp = classic_kp_of(site);

	kp->addr = site->addr;
	kp->pre_handler = kprobe_quirks.pre_handler ?: kprobe_classic_pre;
	kp->post_handler = kprobe_quirks.post_handler ?: kprobe_classic_post;
	if (site->on_entry)
		kp->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	if (site->on_ftrace)
		classic_prepare_ftrace(kp);
}

static enum kprobe_refusal classic_refusal(int err)
{
	switch (err) {
	case 0:
		return KPROBE_OK;
	case -ENOMEM:
		return KPROBE_REFUSE_NO_MEMORY;
	case -EILSEQ:
		return KPROBE_REFUSE_NO_BOUNDARY;
	case -EINVAL:
		return kprobe_quirks.einval ?: KPROBE_REFUSE_UNRELOCATABLE;
	}
	return KPROBE_REFUSE_UNRELOCATABLE;
}

enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post)
{
	struct kprobe *kp = classic_kp_of(site);
	int err;

	lockdep_assert_held(&kprobe_mutex);

	if (with_post)
		return KPROBE_OK;

	classic_preparing = site;
	cpus_read_lock();
	mutex_lock(&text_mutex);
	err = arch_prepare_kprobe(kp);
	if (!err && kprobe_quirks.prepare)
		err = kprobe_quirks.prepare(kp);
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	classic_preparing = NULL;

	site->opcode = kp->opcode;
#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
	site->insn.emulated = !site->slot;
#endif
	/* Not all backends flush the instruction cache. */
	if (!err && site->slot)
		flush_icache_range((unsigned long)site->slot,
				   (unsigned long)site->slot +
				   KPROBE_SLOT_SIZE);
	return classic_refusal(err);
}

/**
 * kprobe_classic_rehearse - check whether the backend refuses an instruction
 * @site: a temporary site, which has been inspected and is not in the table
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal kprobe_classic_rehearse(struct kprobe_site *site)
{
	enum kprobe_refusal why;

	kprobe_classic_init_site(site);
	if (site->on_ftrace)
		return KPROBE_OK;
	why = arch_kprobe_prepare(site, false);
	kprobe_slots_release(site);
	return why;
}

/**
 * kprobe_classic_release - release the backend's data of a site
 * @site: the site; no task may be in its slots
 *
 * Context: may sleep.
 */
void kprobe_classic_release(struct kprobe_site *site)
{
	if (IS_ENABLED(CONFIG_OPTPROBES) && site->detour)
		arch_remove_optimized_kprobe(&site->insn.op);
	if (site->slot)
		arch_remove_kprobe(classic_kp_of(site));
}

unsigned long arch_kprobe_orig_ip(struct kprobe_site *site, void *slot,
				  unsigned long ip)
{
	return ip == (unsigned long)slot ? (unsigned long)site->addr : ip;
}

/* Not used: backends themselves move faults out of slots. */
bool arch_kprobe_can_resume(struct kprobe_site *site, void *slot,
			    unsigned long *ip)
{
	return false;
}

/*
 * Text
 */

static bool classic_text_is_clean(const struct kprobe_site *site)
{
	return !memcmp(site->addr, &site->opcode, sizeof(site->opcode));
}

/*
 * Remove breakpoints that steps have written again.
 *
 * A CPU that was in a step when the breakpoint was removed writes the
 * breakpoint again at the end of the step.  Preemption is off during a step, so
 * a grace period of RCU waits for its end.  But the new breakpoint may have
 * been hit by then, so repeat this until the text stays clean.  On a single
 * CPU, no step is active when a task changes text.
 */
static void classic_disarm_again(struct list_head *batch)
{
	struct kprobe_site *site;
	bool again;

	if (!kprobe_quirks.steps_in_place || num_possible_cpus() == 1)
		return;
	do {
		again = false;
		synchronize_rcu();
		list_for_each_entry(site, batch, batch) {
			if (site->target != KPROBE_SITE_CLEAN ||
			    classic_text_is_clean(site))
				continue;
			arch_disarm_kprobe(classic_kp_of(site));
			again = true;
		}
	} while (again);
}

void arch_kprobe_patch(struct list_head *batch)
{
	struct kprobe_site *site;
	LIST_HEAD(jumps);

	lockdep_assert_held(&text_mutex);

	list_for_each_entry(site, batch, batch) {
		/* A jump has the size of a breakpoint: remove it like one. */
		if (site->target == KPROBE_SITE_CLEAN)
			arch_disarm_kprobe(classic_kp_of(site));
		else if (site->target == KPROBE_SITE_JUMP)
			list_add_tail(&site->insn.op.list, &jumps);
		else if (IS_ENABLED(CONFIG_OPTPROBES) &&
			 site->state == KPROBE_SITE_JUMP)
			arch_unoptimize_kprobe(&site->insn.op);
		else if (site->state == KPROBE_SITE_CLEAN)
			arch_arm_kprobe(classic_kp_of(site));
	}
	if (IS_ENABLED(CONFIG_OPTPROBES) && !list_empty(&jumps))
		arch_optimize_kprobes(&jumps);
	classic_disarm_again(batch);
	/* Not all backends send an IPI to each CPU. */
	kick_all_cpus_sync();
}

/*
 * Jumps
 */
#ifdef CONFIG_OPTPROBES
kprobe_opcode_t *get_optinsn_slot(void)
{
	lockdep_assert_held(&kprobe_mutex);
	if (WARN_ON_ONCE(!classic_preparing || classic_preparing->detour ||
			 MAX_OPTINSN_SIZE > KPROBE_DETOUR_SIZE))
		return NULL;
	classic_preparing->detour = kprobe_slot_alloc(classic_preparing,
						      KPROBE_DETOUR_SIZE);
	return classic_preparing->detour;
}

void free_optinsn_slot(kprobe_opcode_t *slot, int dirty)
{
	classic_slot_free(slot);
}

/**
 * opt_pre_handler - handle a hit that a jump delivers
 * @kp: from struct optimized_kprobe
 * @regs: full registers
 *
 * The backend ignores an instruction pointer that a handler has set.  A probe
 * whose handler sets it must therefore have a post handler, so that the site
 * stays a breakpoint.
 */
void opt_pre_handler(struct kprobe *kp, struct pt_regs *regs)
{
	kprobe_classic_pre(kp, regs);
}
NOKPROBE_SYMBOL(opt_pre_handler);

/* Backends check the text when they build the detour. */
enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site,
					 const struct kprobe_symbol *symbol)
{
	return KPROBE_NOJUMP_NONE;
}

enum kprobe_obstacle arch_kprobe_build_detour(struct kprobe_site *site)
{
	struct optimized_kprobe *op = &site->insn.op;
	int err;

	lockdep_assert_held(&kprobe_mutex);

	if (site->detour)
		return KPROBE_NOJUMP_NONE;
	classic_preparing = site;
	cpus_read_lock();
	mutex_lock(&text_mutex);
	err = arch_prepare_optimized_kprobe(op, &op->kp);
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	classic_preparing = NULL;
	switch (err) {
	case 0:
		return KPROBE_NOJUMP_NONE;
	case -ENOMEM:
		return KPROBE_NOJUMP_NO_MEMORY;
	case -ERANGE:
		return KPROBE_NOJUMP_DETOUR_REACH;
	}
	return KPROBE_NOJUMP_BOUND_INSIDE;
}
#endif

/*
 * Instructions that the backend refuses after registration
 */

/* Disable the probes of refused sites, whose text is already restored. */
static void classic_refused_worker(struct work_struct *work)
{
	struct kprobe_site *site;
	LIST_HEAD(dirty);
	struct kprobe *p;

	guard(mutex)(&kprobe_mutex);

	list_for_each_entry(site, &kprobe_sites, all) {
		if (!READ_ONCE(site->insn.refused))
			continue;
		/* Clear this first, because a new refusal may set it again. */
		WRITE_ONCE(site->insn.refused, false);
		hlist_for_each_entry(p, &site->probes, hlist) {
			if (p->enabled)
				kprobe_site_deactivate(site, p);
			p->flags |= KPROBE_FLAG_DISABLED;
		}
		kprobe_site_mark_dirty(site, &dirty);
	}
	kprobe_reconcile(&dirty, KPROBE_ARM_EACH | KPROBE_WAIT);
}

static DECLARE_WORK(classic_refused_work, classic_refused_worker);

/**
 * kprobe_classic_refuse - handle a backend's call of unregister_kprobe()
 * @p: the argument of unregister_kprobe(): from get_kprobe(), or a user's probe
 *
 * Sh calls unregister_kprobe() in an exception, if a breakpoint turns out to be
 * in the delay slot of a branch.  The text must be restored at once, because
 * the branch is executed again.  A worker disables the probes, because this
 * takes locks.
 *
 * Context: any.
 * Return: true if @p is from get_kprobe().
 */
bool kprobe_classic_refuse(struct kprobe *p)
{
	struct kprobe_site *site;

	if (!p)
		return false;
	guard(preempt)();
	site = kprobe_site_find((unsigned long)p->addr);
	if (!site || p != classic_kp_of(site))
		return false;
	arch_disarm_kprobe(p);
	WRITE_ONCE(site->insn.refused, true);
	schedule_work(&classic_refused_work);
	return true;
}

/*
 * Exceptions
 */

/*
 * Return true if a breakpoint was removed after it was executed, and make the
 * task execute the new text at @addr.
 *
 * Interrupts may have been on before the backend looked up the site of the
 * breakpoint.  If this CPU took an IPI or ran another task before that, the
 * breakpoint and its site may be gone, or another breakpoint may be there.
 *
 * A site stays in the table until all CPUs have taken an IPI after the removal
 * of its breakpoint.  So if, with interrupts off, a breakpoint is read and no
 * site is found, the breakpoint is not ours.  But an instruction that raises
 * this exception without being a breakpoint would be restarted forever.  So
 * after STALE_TRAPS consecutive exceptions at one address, leave the exception
 * to the kernel.  A handled hit elsewhere does not reset the number, because
 * reading the text here may cause one.
 */
#define STALE_TRAPS	100

static DEFINE_PER_CPU(unsigned long, classic_stale_addr);
static DEFINE_PER_CPU(unsigned int, classic_stale_traps);

static bool classic_trap_is_stale(unsigned long addr,
				  const struct die_args *args)
{
	unsigned long flags;
	kprobe_opcode_t now;
	bool read, stale;

	if (!addr || user_mode(args->regs))
		return false;
	raw_local_irq_save(flags);
	read = !get_kernel_nofault(now, (kprobe_opcode_t *)addr);
	if (__this_cpu_read(classic_stale_addr) != addr) {
		__this_cpu_write(classic_stale_addr, addr);
		__this_cpu_write(classic_stale_traps, 0);
	}
	stale = read &&
		(!kprobe_quirks.is_trap(now) || kprobe_site_find(addr)) &&
		__this_cpu_inc_return(classic_stale_traps) < STALE_TRAPS;
	if (!stale)
		__this_cpu_write(classic_stale_traps, 0);
	raw_local_irq_restore(flags);
	if (stale)
		instruction_pointer_set(args->regs, addr);
	return stale;
}
NOKPROBE_SYMBOL(classic_trap_is_stale);

static __always_inline void classic_trap_handled(unsigned long addr)
{
	if (addr && this_cpu_read(classic_stale_addr) == addr)
		this_cpu_write(classic_stale_traps, 0);
}

/* Pass an exception to the backend, which needs RCU to look up the site. */
static int classic_exception(struct notifier_block *self, unsigned long val,
			     void *data)
{
	unsigned long addr = 0;
	bool entered;
	int ret;

	/* Do this first: the backend may change the instruction pointer. */
	if (kprobe_quirks.trap_address)
		addr = kprobe_quirks.trap_address(val, data);
	/* Interrupts may be on, and the task must stay on its CPU. */
	preempt_disable_notrace();
	entered = kprobe_rcu_enter();
	if (kprobe_quirks.exception)
		ret = kprobe_quirks.exception(self, val, data);
	else
		ret = kprobe_exceptions_notify(self, val, data);
	if (ret == NOTIFY_STOP)
		classic_trap_handled(addr);
	else if (classic_trap_is_stale(addr, data))
		ret = NOTIFY_STOP;
	kprobe_rcu_exit(entered);
	/* The exception's exit path reschedules. */
	preempt_enable_no_resched_notrace();
	return ret;
}
NOKPROBE_SYMBOL(classic_exception);

/*
 * Boot
 */

/* Defaults: no more text to blacklist, and no notification. */
int __init __weak arch_populate_kprobe_blacklist(void)
{
	return 0;
}

bool __weak arch_within_kprobe_blacklist(unsigned long addr)
{
	return false;
}

int __weak kprobe_exceptions_notify(struct notifier_block *self,
				    unsigned long val, void *data)
{
	return NOTIFY_DONE;
}
NOKPROBE_SYMBOL(kprobe_exceptions_notify);

/* Ignore -EINVAL: some areas that backends add may be empty. */
int __init arch_kprobe_blacklist(void)
{
	if (kprobe_quirks.blacklist)
		kprobe_quirks.blacklist();
	return arch_populate_kprobe_blacklist() == -ENOMEM ? -ENOMEM : 0;
}

/* This must be the first notifier: others must not see exceptions of hits. */
static struct notifier_block classic_exceptions_nb = {
	.notifier_call = classic_exception,
	.priority = INT_MAX,
};

/**
 * kprobe_classic_init - start the backend, once probes can be registered
 *
 * Some backends register a probe on their return trampoline.
 */
int __init kprobe_classic_init(void)
{
	int ret;

	/* Each probe is refused, so there are no hits. */
	if (kprobe_quirks.unsupported)
		return 0;
	ret = register_die_notifier(&classic_exceptions_nb) ?:
	      arch_init_kprobes();
	if (ret)
		pr_err("the architecture's code cannot be initialized: %d\n",
		       ret);
	return ret;
}
