// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bring the text of sites to their target state, in batches.
 *
 * kprobe_target_state() derives the target state of a site from its probes and
 * the global switch.  Every operation that changes these passes the dirty sites
 * to kprobe_reconcile(), which patches all differences at once.
 *
 * This file removes jumps that must not stay.  optimizer.c makes jumps, later,
 * and removes jumps whose probes are all disabled.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

static bool kprobe_global_on = true;	/* under kprobe_mutex */

/* Number of users of ftrace that are about to redirect functions. */
static unsigned int kprobe_redirects;

/**
 * kprobe_may_skip_ftrace - check whether a site may own the next instruction
 * @site: a site on a call of ftrace; need not be in the table
 *
 * Context: kprobe_mutex held.
 * Return: false if it must use ftrace.
 */
bool kprobe_may_skip_ftrace(const struct kprobe_site *site)
{
	enum kprobe_obstacle what;

	if (!site->owns_next || kprobe_redirects ||
	    kprobe_obstacle_stays(site->obstacle))
		return false;
	what = kprobe_obstacle_now(site);
	/* If the site is armed, a probe inside only makes it a breakpoint. */
	if (what && (what != KPROBE_NOJUMP_PROBE_INSIDE ||
		     site->state == KPROBE_SITE_CLEAN))
		return false;
	return !kprobe_site_at(kprobe_site_text(site)) &&
	       !ftrace_is_redirected((unsigned long)site->addr);
}

static enum kprobe_site_state
kprobe_target_state(const struct kprobe_site *site)
{
	if (site->state == KPROBE_SITE_GONE)
		return KPROBE_SITE_GONE;
	if ((!kprobe_global_on && !kprobe_classic_pinned(site)) ||
	    list_empty(&site->active))
		return KPROBE_SITE_CLEAN;
	if (site->on_ftrace && !kprobe_may_skip_ftrace(site))
		return KPROBE_SITE_FTRACE;
	/* reconcile_jumps() decides whether a jump may stay. */
	return site->state == KPROBE_SITE_JUMP ? KPROBE_SITE_JUMP :
						 KPROBE_SITE_TRAP;
}

/* Return the armed site that owns the text of @site, or NULL. */
static struct kprobe_site *kprobe_owner_of(const struct kprobe_site *site)
{
	struct kprobe_site *owner = kprobe_text_site_at((ulong)site->addr);

	return owner && owner->skip ? owner : NULL;
}

/* As kprobe_target_state(), for a jump that cannot move to ftrace here. */
static enum kprobe_site_state text_target(const struct kprobe_site *site)
{
	enum kprobe_site_state target = kprobe_target_state(site);

	return target == KPROBE_SITE_FTRACE ? KPROBE_SITE_TRAP : target;
}

/*
 * Add to @dirty the jumps that cover a trap about to be written.  Then decide
 * which jumps of @dirty must become breakpoints again, and, for the same
 * reasons, which waiting sites must not become jumps.
 */
static void reconcile_jumps(struct list_head *dirty)
{
	struct kprobe_site *site, *over;
	unsigned int back;
	LIST_HEAD(more);

	list_for_each_entry(site, dirty, batch) {
		if (site->state != KPROBE_SITE_CLEAN ||
		    site->target != KPROBE_SITE_TRAP)
			continue;
		for_each_place_under_jump(back) {
			over = kprobe_jump_over(site, back);
			if (!over || !list_empty(&over->batch))
				continue;
			over->target = text_target(over);
			list_add_tail(&over->batch, &more);
		}
	}
	list_splice_tail(&more, dirty);

	list_for_each_entry(site, dirty, batch) {
		if (site->state == KPROBE_SITE_JUMP) {
			if (site->target == KPROBE_SITE_JUMP &&
			    kprobe_obstacle_now(site))
				site->target = KPROBE_SITE_TRAP;
		} else if (site->trap_uses_detour) {
			if (site->target != KPROBE_SITE_TRAP ||
			    kprobe_obstacle_now(site))
				kprobe_optimizer_cancel(site);
		}
	}
}

/*
 * Restore the next instruction for sites that own it and that ftrace has armed:
 * steps 5 and 6 of the first list at the head of ftrace.c.
 */
static void leave_next(struct list_head *batch)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(text);

	list_for_each_entry_safe(site, next, batch, batch) {
		if (!kprobe_text_is_armed(site->state))
			continue;
		site->target = KPROBE_SITE_CLEAN;
		kprobe_optimizer_cancel(site);
		list_move_tail(&site->batch, &text);
	}
	if (list_empty(&text))
		return;
	synchronize_rcu_expedited();
	kprobe_patch(&text);
	list_for_each_entry(site, &text, batch) {
		site->target = KPROBE_SITE_FTRACE;
		kprobe_ftrace_moved(site);
	}
	list_splice(&text, batch);
}

/* Mark the batch as armed or disarmed by ftrace, and empty it. */
static void reconcile_done(struct list_head *batch)
{
	struct kprobe_site *site;

	if (IS_ENABLED(CONFIG_KPROBE_SKIP_FTRACE))
		leave_next(batch);
	list_for_each_entry(site, batch, batch) {
		/*
		 * Cleared for good: a task that is preempted after its hit at
		 * the call must not be hit again at the next instruction.
		 */
		if (site->target == KPROBE_SITE_FTRACE)
			WRITE_ONCE(site->owns_next, false);
		kprobe_site_set_state(site, site->target);
	}
	kprobe_consider_batch(batch);
}

static void give_up(struct list_head *batch, bool each, int err)
{
	struct kprobe_site *site, *next;

	list_for_each_entry_safe(site, next, batch, batch) {
		if (each && site->state != KPROBE_SITE_FTRACE)
			pr_warn_ratelimited("%pS is not %s (%d)\n", site->addr,
					    site->state != KPROBE_SITE_CLEAN ?
					    "called for by ftrace" : "armed",
					    err);
		list_del_init(&site->batch);
	}
}

/* Retries while ftrace returns -EAGAIN: see reconcile_arm_ftrace(). */
#define FTRACE_TRIES	10

/*
 * Arm all sites of @arm with ftrace, or, with @each, as many as possible.
 * Ftrace accepts or refuses a whole batch, so a refused batch is tried again in
 * halves, down to the sites that cause the refusal.  @arm is empty on return.
 *
 * ftrace returns -EAGAIN if the owner of a direct call was changing that call
 * for longer than ftrace waits.  Try again, because this owner needs only locks
 * that ftrace has released.
 */
static int reconcile_arm_ftrace(struct list_head *arm, bool each)
{
	unsigned int taken, nr = list_count_nodes(arm);
	unsigned int tries = FTRACE_TRIES;
	LIST_HEAD(some);
	int err, ret = 0;

	while (!list_empty(arm)) {
		taken = kprobe_take_sites(arm, nr, &some);
		err = kprobe_ftrace_arm(&some);
		if (!err) {
			reconcile_done(&some);
			nr = 2 * taken;
			continue;
		}
		if (err == -EAGAIN && tries) {
			tries--;
			list_splice_init(&some, arm);
			continue;
		}
		/* -ENODEV means that ftrace is dead: no retry succeeds. */
		if (each && taken > 1 && err != -ENODEV) {
			list_splice_init(&some, arm);
			nr = taken / 2;
			continue;
		}
		ret = ret ?: err;
		give_up(&some, each, err);
	}
	return ret;
}

/*
 * Move sites that must no longer own the next instruction to ftrace.  If some
 * cannot be moved, remove from @dirty the sites on instructions that these own.
 */
static int move_to_ftrace(struct list_head *dirty, bool each)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(move);
	int ret;

	list_for_each_entry_safe(site, next, dirty, batch)
		if (site->target == KPROBE_SITE_FTRACE &&
		    kprobe_text_is_armed(site->state))
			list_move_tail(&site->batch, &move);
	if (list_empty(&move))
		return 0;
	ret = reconcile_arm_ftrace(&move, each);
	list_for_each_entry_safe(site, next, dirty, batch)
		if (ret && kprobe_owner_of(site))
			list_del_init(&site->batch);
	return ret;
}

/* Arm or disarm the sites of @dirty on ftrace, and remove them from @dirty. */
static int reconcile_ftrace(struct list_head *dirty, bool each)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(disarm);
	LIST_HEAD(arm);

	list_for_each_entry_safe(site, next, dirty, batch) {
		if (site->target == KPROBE_SITE_FTRACE)
			list_move_tail(&site->batch, &arm);
		else if (site->state == KPROBE_SITE_FTRACE)
			list_move_tail(&site->batch, &disarm);
	}
	if (!list_empty(&disarm))
		kprobe_ftrace_disarm(&disarm);
	reconcile_done(&disarm);

	return list_empty(&arm) ? 0 : reconcile_arm_ftrace(&arm, each);
}

/**
 * kprobe_reconcile - bring the text of sites to their target state
 * @dirty: sites, linked by kprobe_site::batch, whose target state may have
 *	changed; empty on return
 * @how: KPROBE_ARM_EACH: arm each site that can be armed; without it, ftrace
 *	arms all new sites or none, and on failure the caller must undo its
 *	change.  KPROBE_WAIT: the caller has unlinked handlers; on return, every
 *	CPU has left the handlers that it was in.
 *
 * Only arming with ftrace can fail.  The state of sites that could not be armed
 * does not change; everything else is done.
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0, -ENOMEM, or the first error of ftrace.
 */
int kprobe_reconcile(struct list_head *dirty, unsigned int how)
{
	struct kprobe_site *site, *next, *owner;
	bool waited = false;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	/* Sites on calls of ftrace are last, because others may affect them. */
	list_for_each_entry(site, dirty, batch) {
		if (site->on_ftrace)
			continue;
		site->target = kprobe_target_state(site);
		/* A probe on the next instruction takes it from its owner. */
		owner = kprobe_owner_of(site);
		if (owner && !hlist_empty(&site->probes))
			kprobe_site_mark_dirty(owner, dirty);
	}
	list_for_each_entry(site, dirty, batch)
		if (site->on_ftrace)
			site->target = kprobe_target_state(site);
	ret = move_to_ftrace(dirty, how & KPROBE_ARM_EACH);
	reconcile_jumps(dirty);
	list_for_each_entry_safe(site, next, dirty, batch) {
		if (site->target != site->state)
			continue;
		if (site->state == KPROBE_SITE_FTRACE &&
		    kprobe_ftrace_moves(site))
			continue;
		list_del_init(&site->batch);
		/* A post handler that was an obstacle may be gone. */
		kprobe_optimizer_consider(site);
	}

	ret = reconcile_ftrace(dirty, how & KPROBE_ARM_EACH) ?: ret;

	if (!list_empty(dirty)) {
		kprobe_patch_batch(dirty);
		waited = true;
	}
	if (how & KPROBE_WAIT && !waited)
		kprobe_wait_for_handlers();
	return ret;
}

/*
 * Reconcile a chunk of the @left sites, and move them to the end of the list.
 * Sites that are created between two calls follow the switch from the start,
 * and are after all others.  If a site is freed, another one is visited twice,
 * which is harmless.
 */
static int switch_chunk(unsigned int *left, unsigned int how)
{
	struct kprobe_site *site;
	unsigned int n = 0;
	LIST_HEAD(dirty);

	while (*left && n < KPROBE_PATCH_CHUNK && !list_empty(&kprobe_sites)) {
		site = list_first_entry(&kprobe_sites, struct kprobe_site, all);
		list_move_tail(&site->all, &kprobe_sites);
		kprobe_site_mark_dirty(site, &dirty);
		n += kprobe_site_patches_text(site);
		--*left;
	}
	if (list_empty(&kprobe_sites))
		*left = 0;
	return kprobe_reconcile(&dirty, how);
}

/**
 * kprobe_set_global - disarm all probes, or arm them again
 * @on: whether probes are armed
 *
 * The disabled state of each probe does not change.  Switching off waits for
 * handlers that were running when it was called.  On return, handlers may still
 * run for hits that had already begun, and when followed calls return.
 *
 * Switching on arms all sites that can be armed, and logs each one that cannot:
 * ftrace refuses some, for example if another owner of IPMODIFY is registered
 * by now.  These are tried again when their probes change, or when probes are
 * switched on again.
 *
 * Context: may sleep.
 * Return: 0, or ftrace's error for the first site that stays unarmed.
 */
int kprobe_set_global(bool on)
{
	unsigned int how = KPROBE_ARM_EACH | (on ? 0 : KPROBE_WAIT);
	unsigned int left;
	int err, ret = 0;

	guard(mutex)(&kprobe_switch_mutex);

	scoped_guard(mutex, &kprobe_mutex) {
		if (kprobe_global_on != on)
			pr_info("Kprobes globally %s\n",
				on ? "enabled" : "disabled");
		kprobe_global_on = on;
		left = list_count_nodes(&kprobe_sites);
	}
	/* A site that changes meanwhile follows the new switch as well. */
	while (left) {
		scoped_guard(mutex, &kprobe_mutex)
			err = switch_chunk(&left, how);
		ret = ret ?: err;
		cond_resched();
	}
	return ret;
}

/** kprobe_get_global - return the global switch */
bool kprobe_get_global(void)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_global_on;
}

#ifdef CONFIG_KPROBE_SKIP_FTRACE
/* Move to ftrace the sites that @ops concerns, or all if @ops is NULL. */
static void reconcile_to_ftrace(struct ftrace_ops *ops,
				bool (*concerns)(struct ftrace_ops *ops,
						 unsigned long ip))
{
	struct kprobe_site *site;
	LIST_HEAD(dirty);

	list_for_each_entry(site, &kprobe_sites, all)
		if (site->owns_next && site->state != KPROBE_SITE_CLEAN &&
		    (!ops || concerns(ops, (unsigned long)site->addr)))
			kprobe_site_mark_dirty(site, &dirty);
	kprobe_reconcile(&dirty, KPROBE_ARM_EACH);
}

/**
 * kprobe_redirect_begin - prepare for a user of ftrace that redirects functions
 * @ops: the ops of this user; not registered yet
 * @concerns: returns true if @ops is for the function with its call at @ip
 *
 * The sites on these calls use ftrace from now on.  Until kprobe_redirect_end()
 * is called, so does every site on a call of ftrace that is armed or changed.
 * If ftrace cannot arm a site, the site may have no more hits; this is logged.
 *
 * Context: may sleep; no lock of ftrace held.
 */
void kprobe_redirect_begin(struct ftrace_ops *ops,
			   bool (*concerns)(struct ftrace_ops *ops,
					    unsigned long ip))
{
	/* Our own ops are registered with kprobe_mutex held. */
	if (kprobe_ftrace_is_ours(ops))
		return;
	guard(mutex)(&kprobe_mutex);
	kprobe_redirects++;
	reconcile_to_ftrace(ops, concerns);
}

/**
 * kprobe_redirect_end - end kprobe_redirect_begin()
 * @ops: as before
 *
 * From now on, ftrace_is_redirected() returns true for the functions that @ops
 * redirects.
 *
 * Context: may sleep; no lock of ftrace held.
 */
void kprobe_redirect_end(struct ftrace_ops *ops)
{
	if (kprobe_ftrace_is_ours(ops))
		return;
	guard(mutex)(&kprobe_mutex);
	kprobe_redirects--;
}
#else
static void reconcile_to_ftrace(struct ftrace_ops *ops,
				bool (*concerns)(struct ftrace_ops *ops,
						 unsigned long ip))
{
}
#endif

/* Make a chunk of jumps breakpoints again.  Return true if more may be left. */
static bool turn_back_chunk(void)
{
	struct kprobe_site *site;
	unsigned int n = 0;
	LIST_HEAD(dirty);

	list_for_each_entry(site, &kprobe_sites, all) {
		if (site->state != KPROBE_SITE_JUMP)
			continue;
		site->target = text_target(site);
		list_add_tail(&site->batch, &dirty);
		if (++n == KPROBE_PATCH_CHUNK)
			break;
	}
	reconcile_jumps(&dirty);
	if (!list_empty(&dirty))
		kprobe_patch_batch(&dirty);
	return n == KPROBE_PATCH_CHUNK;
}

/**
 * kprobe_set_jumps - allow jumps, or make all of them breakpoints again
 * @on: whether jumps are allowed
 *
 * Context: may sleep.
 */
void kprobe_set_jumps(bool on)
{
	struct kprobe_site *site;
	bool more = true;

	guard(mutex)(&kprobe_switch_mutex);

	if (IS_ENABLED(CONFIG_OPTPROBES) && kprobe_jumps_allowed() != on)
		pr_info("kprobe jump-optimization is %s\n", on ?
			"enabled. All kprobes are optimized if possible." :
			"disabled. All kprobes are based on software breakpoint.");
	scoped_guard(mutex, &kprobe_mutex) {
		kprobe_optimizer_allow(on);
		list_for_each_entry(site, &kprobe_sites, all)
			if (on)
				kprobe_optimizer_consider(site);
			else if (site->trap_uses_detour)
				kprobe_optimizer_cancel(site);
		/* Not in chunks, because one update of ftrace serves all. */
		if (!on)
			reconcile_to_ftrace(NULL, NULL);
	}
	/* No site becomes a jump meanwhile. */
	while (!on && more) {
		scoped_guard(mutex, &kprobe_mutex)
			more = turn_back_chunk();
		cond_resched();
	}
}
