// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Brings the kernel's text to what the sites want, in batches.
 *
 * What a site should look like follows from its probes and from the global
 * switch by kprobe_site_wish().  Callers change those and hand the sites they
 * have touched to kprobe_reconcile(), which patches all that differ with one
 * round of synchronisation.  Nobody else changes a site's state, but for the
 * optimizer: it makes jumps, and removes those that only disabled probes are
 * left on.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/context_tracking_state.h>
#include <linux/cpu.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/smp.h>
#include "internal.h"

/*
 * Only the optimizer makes jumps; here they are kept, at first. Whether they
 * may stay depends on other sites, too: see kprobe_plan_jumps().
 */
static enum kprobe_site_state kprobe_site_wish(const struct kprobe_site *site,
					       bool global_on)
{
	if (site->state == KPROBE_SITE_GONE)
		return KPROBE_SITE_GONE;
	if (!global_on || list_empty(&site->active))
		return KPROBE_SITE_CLEAN;
	if (site->on_ftrace)
		return KPROBE_SITE_FTRACE;
	return site->state == KPROBE_SITE_JUMP ? KPROBE_SITE_JUMP :
						 KPROBE_SITE_TRAP;
}

static bool kprobe_transition_exists(enum kprobe_site_state from,
				     enum kprobe_site_state to)
{
	switch (from) {
	case KPROBE_SITE_CLEAN:
		return to != KPROBE_SITE_JUMP;
	case KPROBE_SITE_TRAP:
		return to == KPROBE_SITE_CLEAN || to == KPROBE_SITE_JUMP;
	case KPROBE_SITE_JUMP:
		return to == KPROBE_SITE_CLEAN || to == KPROBE_SITE_TRAP;
	case KPROBE_SITE_FTRACE:
		return to == KPROBE_SITE_CLEAN || to == KPROBE_SITE_FTRACE;
	case KPROBE_SITE_GONE:
		break;
	}
	return false;
}

/*
 * The only place where a state changes.
 *
 *	      register, enable, switch on
 *	CLEAN --------------------------> TRAP or FTRACE, by kind of the site
 *	 | ^  <--------------------------
 *	 | |   unregister, disable, off
 *	 | |
 *	 | |         the optimizer, once nothing is in the way
 *	 | |  TRAP ------------------------------------------> JUMP
 *	 | |   ^                                               |  |
 *	 | |   +-----------------------------------------------+  |
 *	 | |     a post handler, a jprobe, a probe inside, sysctl |
 *	 | |                                                      |
 *	 | +------------------------------------------------------+
 *	 |           unregister, off; the optimizer, after disable;
 *	 |           whatever is in the way, if it has not been there yet
 *	 v
 *	GONE	module unloaded, init text freed
 */
static void kprobe_site_set_state(struct kprobe_site *site,
				  enum kprobe_site_state state)
{
	lockdep_assert_held(&kprobe_mutex);
	WARN_ON_ONCE(!kprobe_transition_exists(site->state, state));

#ifdef CONFIG_OPTPROBES
	struct kprobe *p;

	if (site->state == KPROBE_SITE_JUMP || state == KPROBE_SITE_JUMP)
		hlist_for_each_entry(p, &site->probes, hlist)
			kprobe_set_flag(p, KPROBE_FLAG_OPTIMIZED,
					state == KPROBE_SITE_JUMP);
	if (site->state == KPROBE_SITE_JUMP)
		list_del_init(&site->optimize);
#endif
	site->state = state;
}

/**
 * kprobe_site_mark_gone - there is no text any more at this site
 * @site: its text is about to be freed and is executed by nobody
 *
 * Context: kprobe_mutex held.
 */
void kprobe_site_mark_gone(struct kprobe_site *site)
{
	kprobe_site_set_state(site, KPROBE_SITE_GONE);
	kprobe_optimizer_forget(site);
}

static void kprobe_plan_done(struct list_head *plan)
{
	struct kprobe_site *site, *next;

	list_for_each_entry_safe(site, next, plan, plan) {
		kprobe_site_set_state(site, site->next);
		list_del_init(&site->plan);
		kprobe_optimizer_consider(site);
	}
}

/*
 * Traps at sites whose jumps go are to run their own instruction alone: others
 * under the jump may be sites of this plan.  While the jump stands, or is half
 * removed, the text or text_poke_bp() sends hits into the detour, and where a
 * trap is left in its place the rest of the text is there first.  Said before
 * anything is patched: a trap that still sends its hit into the detour has done
 * so before the last IPI of arch_kprobe_patch(), and what is hit later finds
 * the other sites' traps.
 */
static void kprobe_plan_leave_detours(struct list_head *plan)
{
#ifdef CONFIG_OPTPROBES
	struct kprobe_site *site;

	list_for_each_entry(site, plan, plan)
		if (site->state == KPROBE_SITE_JUMP)
			arch_kprobe_use_detour(site, false);
#endif
}

/**
 * kprobe_patch - bring the text of sites to their next state
 * @plan: sites, linked by kprobe_site::plan, none of them ftrace's; empty on
 *	return
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_patch(struct list_head *plan)
{
	kprobe_plan_leave_detours(plan);
	cpus_read_lock();
	mutex_lock(&text_mutex);
	arch_kprobe_patch(plan);
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	kprobe_plan_done(plan);
}

#ifdef CONFIG_OPTPROBES
/*
 * Decides which jumps of @touched have to go, also those that no one has
 * touched but into which a trap of @touched is to be written.  The same for
 * sites that are on the way to a jump: those go on with the trap.
 */
static void kprobe_plan_jumps(struct list_head *touched)
{
	struct kprobe_site *site, *over;
	unsigned int back;
	LIST_HEAD(more);

	list_for_each_entry(site, touched, plan) {
		if (site->state != KPROBE_SITE_CLEAN ||
		    site->next != KPROBE_SITE_TRAP)
			continue;
		for (back = KPROBE_INSN_STEP; back < KPROBE_JUMP_SIZE;
		     back += KPROBE_INSN_STEP) {
			over = kprobe_detour_over(site, back);
			if (!over || !list_empty(&over->plan))
				continue;
			over->next = kprobe_site_wish(over, true);
			list_add_tail(&over->plan, &more);
		}
	}
	list_splice_tail(&more, touched);

	list_for_each_entry(site, touched, plan) {
		if (site->state == KPROBE_SITE_JUMP) {
			if (site->next == KPROBE_SITE_JUMP &&
			    kprobe_obstacle_now(site))
				site->next = KPROBE_SITE_TRAP;
		} else if (site->detoured) {
			if (site->next != KPROBE_SITE_TRAP ||
			    kprobe_obstacle_now(site))
				kprobe_optimizer_cancel(site);
		}
	}
}
#else
static void kprobe_plan_jumps(struct list_head *touched) { }
#endif

/*
 * Has ftrace call for all sites of @arm, or, with @each, for all that it can:
 * ftrace takes a batch or refuses it, so what it refuses is tried again in
 * halves, down to the ones that are to blame.  @arm is empty on return.
 */
static int kprobe_arm_ftrace(struct list_head *arm, bool each)
{
	unsigned int nr = list_count_nodes(arm);
	struct kprobe_site *site, *next;
	struct list_head *last;
	unsigned int taken;
	LIST_HEAD(some);
	int err, ret = 0;

	while (!list_empty(arm)) {
		taken = 0;
		list_for_each(last, arm)
			if (++taken == nr)
				break;
		if (taken < nr)
			list_splice_init(arm, &some);
		else
			list_cut_position(&some, arm, last);

		err = kprobe_ftrace_arm(&some);
		if (!err) {
			kprobe_plan_done(&some);
			nr = 2 * taken;
			continue;
		}
		/* After -ENODEV, of an ftrace that is dead, none succeeds. */
		if (each && taken > 1 && err != -ENODEV) {
			list_splice_init(&some, arm);
			nr = taken / 2;
			continue;
		}
		ret = ret ?: err;
		list_for_each_entry_safe(site, next, &some, plan) {
			if (each && site->state == KPROBE_SITE_CLEAN)
				pr_warn("%pS is not armed (%d)\n",
					site->addr, err);
			list_del_init(&site->plan);
		}
	}
	return ret;
}

/* Those of @touched that ftrace arms or disarms, and takes off @touched. */
static int kprobe_reconcile_ftrace(struct list_head *touched, bool each)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(disarm);
	LIST_HEAD(arm);
	int ret = 0;

	list_for_each_entry_safe(site, next, touched, plan) {
		if (!site->on_ftrace)
			continue;
		list_move_tail(&site->plan, site->next == KPROBE_SITE_FTRACE ?
			       &arm : &disarm);
	}
	if (!list_empty(&disarm))
		kprobe_ftrace_disarm(&disarm);
	kprobe_plan_done(&disarm);

	if (!list_empty(&arm))
		ret = kprobe_arm_ftrace(&arm, each);
	return ret;
}

/**
 * kprobe_reconcile - make the text of sites what it should be
 * @touched: sites, linked by kprobe_site::plan, whose wish may have changed;
 *	empty on return
 * @global_on: whether probes are armed at all
 * @each: all sites are to be armed that can be; otherwise none of ftrace's is
 *	if any of them cannot, and the caller goes back
 * @quiet: set to whether every CPU has left the handlers it was in when this
 *	was called; may be NULL
 *
 * Only arming can fail, and only by ftrace; sites that could not be armed
 * stay clean, all else is done.
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0, -ENOMEM, or what ftrace says first.
 */
int kprobe_reconcile(struct list_head *touched, bool global_on, bool each,
		     bool *quiet)
{
	struct kprobe_site *site, *next;
	bool patched;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	list_for_each_entry(site, touched, plan)
		site->next = kprobe_site_wish(site, global_on);
	kprobe_plan_jumps(touched);
	list_for_each_entry_safe(site, next, touched, plan) {
		if (site->next != site->state)
			continue;
		if (site->state == KPROBE_SITE_FTRACE &&
		    kprobe_ftrace_moves(site))
			continue;
		list_del_init(&site->plan);
		/* What has been in the way may have been a handler. */
		kprobe_optimizer_consider(site);
	}

	ret = kprobe_reconcile_ftrace(touched, each);

	patched = !list_empty(touched);
	if (patched)
		kprobe_patch(touched);
	if (quiet)
		*quiet = patched;
	return ret;
}

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_reconcile_jumps - turn back the jumps that may no longer be
 * @touched: as for kprobe_reconcile()
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_reconcile_jumps(struct list_head *touched)
{
	struct kprobe_site *site, *next;

	lockdep_assert_held(&kprobe_mutex);

	list_for_each_entry(site, touched, plan) {
		site->next = site->state;
		/* Where there are jumps, probes are switched on. */
		if (site->state == KPROBE_SITE_JUMP)
			site->next = kprobe_site_wish(site, true);
	}
	kprobe_plan_jumps(touched);
	list_for_each_entry_safe(site, next, touched, plan)
		if (site->next == site->state)
			list_del_init(&site->plan);
	if (!list_empty(touched))
		kprobe_patch(touched);
}
#endif

static void kprobe_was_here(void *unused)
{
}

/*
 * Whether a handler can be running on this CPU: not if RCU is not watching it,
 * which is so where it idles, and on some machines where it is in user mode.
 *
 * All handlers are looked up and run while RCU is watching, if need be between
 * kprobe_rcu_enter() and kprobe_rcu_exit(), and RCU begins and ends to watch
 * with a fully ordered read-modify-write of what is read here.  The acquire
 * pairs with the one that ended it: what handlers did before has been done.
 * The barrier in kprobe_wait_for_handlers() pairs with the one that begins it
 * next: it has not been seen here, so what comes after it on that CPU sees
 * what the caller has unlinked.
 */
static bool kprobe_cpu_watched(int cpu, void *unused)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return ct_rcu_watching_cpu_acquire(cpu) & CT_RCU_WATCHING;
#else
	return true;
#endif
}

/**
 * kprobe_wait_for_handlers - wait until running handlers have ended
 *
 * A handler runs with interrupts off from before its probe is looked up to
 * after its return, so a CPU that takes an IPI is in none.  The IPI also
 * orders what the caller has unlinked before what later hits read: see
 * "Who may run when" at the head of kernel/kprobes.c.  CPUs that idle are
 * left alone.
 *
 * Context: may sleep; interrupts on; not from a handler.
 */
void kprobe_wait_for_handlers(void)
{
	/* Pairs with ct_kernel_enter_state(): see kprobe_cpu_watched(). */
	smp_mb();
	cpus_read_lock();
	on_each_cpu_cond(kprobe_cpu_watched, kprobe_was_here, NULL, true);
	cpus_read_unlock();
}
