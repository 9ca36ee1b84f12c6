// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From what is wanted to the text, in batches.
 *
 * What a site's text should look like follows from its probes and from the
 * global switch by kprobe_target_state().  Every operation changes those, and
 * hands the sites that are dirty to kprobe_reconcile(), which patches all that
 * differ in one go.
 *
 * optimizer.c makes jumps, later, and removes those that only disabled probes
 * are left on.  Here jumps are kept, or turned back.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "internal.h"

static bool kprobe_global_on = true;	/* under kprobe_mutex */

static enum kprobe_site_state
kprobe_target_state(const struct kprobe_site *site)
{
	if (site->state == KPROBE_SITE_GONE)
		return KPROBE_SITE_GONE;
	if ((!kprobe_global_on && !kprobe_classic_pinned(site)) ||
	    list_empty(&site->active))
		return KPROBE_SITE_CLEAN;
	/* Or BEHIND: see switch_relays(). */
	if (site->on_ftrace)
		return KPROBE_SITE_FTRACE;
	/* Whether it may stay depends on other sites: see turn_jumps_back(). */
	return site->state == KPROBE_SITE_JUMP ? KPROBE_SITE_JUMP :
						 KPROBE_SITE_TRAP;
}

/*
 * Decides which jumps of @dirty have to go, and adds those that cover a trap
 * which is to be written.  Sites on the way to a jump stay breakpoints for the
 * same reasons.
 */
static void turn_jumps_back(struct list_head *dirty)
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
			over->target = kprobe_target_state(over);
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
 * A relay of an entry has changed: what stands behind the call is to follow.
 */
static void behind_follows(struct kprobe_site *site, bool on,
			   struct list_head *dirty)
{
	struct kprobe_site *behind = kprobe_relay_switch(site, on);

	kprobe_site_mark_dirty(behind, dirty);
	behind->target = kprobe_target_state(behind);
}

/*
 * Ftrace calls for entries that have been hit behind the call.  The steps are
 * those of relay.c.
 */
static void leave_behind(struct list_head *batch, struct list_head *dirty)
{
	struct kprobe_site *site;
	bool waited = false;

	list_for_each_entry(site, batch, batch) {
		if (site->state != KPROBE_SITE_BEHIND)
			continue;
		if (!waited)
			synchronize_rcu_expedited();
		waited = true;
		behind_follows(site, false, dirty);
		kprobe_ftrace_moved(site);
	}
}

/*
 * Ftrace calls for a batch as it should: empties it.  What stood for some of
 * these sites comes into @dirty.
 */
static void batch_done(struct list_head *batch, struct list_head *dirty)
{
	struct kprobe_site *site;

	if (IS_ENABLED(CONFIG_KPROBE_RELAYS))
		leave_behind(batch, dirty);
	list_for_each_entry(site, batch, batch)
		kprobe_site_set_state(site, site->target);
	kprobe_consider_batch(batch);
}

static void give_up(struct list_head *batch, bool each, int err)
{
	struct kprobe_site *site, *next;

	list_for_each_entry_safe(site, next, batch, batch) {
		if (each && site->state != KPROBE_SITE_FTRACE)
			pr_warn_ratelimited("%pS is not %s (%d)\n", site->addr,
					    site->state == KPROBE_SITE_BEHIND ?
					    "called for by ftrace" : "armed",
					    err);
		list_del_init(&site->batch);
	}
}

/* So often ftrace is asked while an owner of a direct call is busy with it. */
#define FTRACE_TRIES	10

/*
 * Has ftrace call for all sites of @arm, or, with @each, for all that it can:
 * ftrace takes a batch or refuses it, so what it refuses is tried again in
 * halves, down to the ones that are to blame.  @arm is empty on return; @dirty
 * as for batch_done().
 *
 * With -EAGAIN an owner of a direct call is changing it, has been waited for
 * some time, and is done as soon as it gets the locks that ftrace has let go.
 */
static int arm_ftrace(struct list_head *arm, bool each,
		      struct list_head *dirty)
{
	unsigned int taken, nr = list_count_nodes(arm);
	unsigned int tries = FTRACE_TRIES;
	LIST_HEAD(some);
	int err, ret = 0;

	while (!list_empty(arm)) {
		taken = kprobe_take_sites(arm, nr, &some);
		err = kprobe_ftrace_arm(&some);
		if (!err) {
			batch_done(&some, dirty);
			nr = 2 * taken;
			continue;
		}
		if (err == -EAGAIN && tries) {
			tries--;
			list_splice_init(&some, arm);
			continue;
		}
		/* After -ENODEV, of an ftrace that is dead, none succeeds. */
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
 * Entries that are, or are to be, hit by what stands behind the call of ftrace
 * need no change of their own text: takes them off @dirty, and puts the sites
 * behind on it.  Those that ftrace is to call for from now on go to ftrace
 * first.
 */
static int switch_relays(struct list_head *dirty, bool each)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(move);

	if (!IS_ENABLED(CONFIG_KPROBE_RELAYS))
		return 0;
	list_for_each_entry_safe(site, next, dirty, batch) {
		if (site->target == KPROBE_SITE_FTRACE &&
		    kprobe_relay_wanted(site))
			site->target = KPROBE_SITE_BEHIND;
		if (site->target != KPROBE_SITE_BEHIND &&
		    site->state != KPROBE_SITE_BEHIND)
			continue;
		if (site->target == KPROBE_SITE_FTRACE) {
			list_move_tail(&site->batch, &move);
			continue;
		}
		list_del_init(&site->batch);
		if (site->target == site->state)
			continue;
		kprobe_site_set_state(site, site->target);
		behind_follows(site, site->state == KPROBE_SITE_BEHIND, dirty);
	}

	return list_empty(&move) ? 0 : arm_ftrace(&move, each, dirty);
}

/* Those of @dirty that ftrace arms or disarms; takes them off @dirty. */
static int reconcile_ftrace(struct list_head *dirty, bool each)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(disarm);
	LIST_HEAD(arm);

	list_for_each_entry_safe(site, next, dirty, batch) {
		if (!site->on_ftrace)
			continue;
		list_move_tail(&site->batch,
			       site->target == KPROBE_SITE_FTRACE ?
			       &arm : &disarm);
	}
	if (!list_empty(&disarm))
		kprobe_ftrace_disarm(&disarm);
	batch_done(&disarm, dirty);

	return list_empty(&arm) ? 0 : arm_ftrace(&arm, each, dirty);
}

/**
 * kprobe_reconcile - make the text of sites what it should be
 * @dirty: sites, linked by kprobe_site::batch, whose target state may have
 *	changed; empty on return
 * @how: KPROBE_ARM_EACH: arm each site that can be armed; without it, ftrace
 *	arms all that are new or none, and on failure the caller undoes its
 *	change.  KPROBE_WAIT: the caller has unlinked handlers: on return every
 *	CPU has left those that it was in.
 *
 * Only arming can fail, and only by ftrace; sites that could not be armed
 * stay as they were, all else is done.
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0, -ENOMEM, or what ftrace says first.
 */
int kprobe_reconcile(struct list_head *dirty, unsigned int how)
{
	struct kprobe_site *site, *next;
	bool waited = false;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	list_for_each_entry(site, dirty, batch)
		site->target = kprobe_target_state(site);
	ret = switch_relays(dirty, how & KPROBE_ARM_EACH);
	turn_jumps_back(dirty);
	list_for_each_entry_safe(site, next, dirty, batch) {
		if (site->target != site->state)
			continue;
		if (site->state == KPROBE_SITE_FTRACE &&
		    kprobe_ftrace_moves(site))
			continue;
		list_del_init(&site->batch);
		/*
		 * Text unchanged, but a post handler that blocked a jump may be
		 * gone.
		 */
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
 * Reconcile the first of the @left sites, and move them to the end of the list.
 * Sites that are created between two calls follow the switch from the start,
 * and are after all others.  Where a site is freed, another one is visited
 * twice.
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
 * kprobe_set_global - take all probes out of the text, or put them back
 * @on: which
 *
 * Probes' own disabled state is not touched.  On return from switching off no
 * handler runs that did when it was called; of hits that have begun by then,
 * and calls that are followed, handlers may still run.
 *
 * Switching on arms all sites that can be.  One that cannot is named in the
 * log; only ftrace refuses any, where another owner of IPMODIFY has come
 * meanwhile.  It is tried again with the next change of its probes, or when
 * probes are switched on once more.
 *
 * Context: may sleep.
 * Return: 0, or what ftrace says to the first of its sites that stay unarmed.
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
	/* Each site agrees with the switch as soon as anything changes it. */
	while (left) {
		scoped_guard(mutex, &kprobe_mutex)
			err = switch_chunk(&left, how);
		ret = ret ?: err;
		cond_resched();
	}
	return ret;
}

/** kprobe_get_global - whether probes are armed at all */
bool kprobe_get_global(void)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_global_on;
}

#ifdef CONFIG_KPROBE_RELAYS
/* Those entries for which @concerns() returns true, or all. */
static void relays_to_ftrace(struct ftrace_ops *ops,
			     bool (*concerns)(struct ftrace_ops *ops,
					      unsigned long ip))
{
	struct kprobe_site *site;
	LIST_HEAD(dirty);

	list_for_each_entry(site, &kprobe_sites, all)
		if (site->state == KPROBE_SITE_BEHIND &&
		    (!ops || concerns(ops, (unsigned long)site->addr)))
			kprobe_site_mark_dirty(site, &dirty);
	kprobe_reconcile(&dirty, KPROBE_ARM_EACH);
}

/**
 * kprobe_redirect_begin - a user of ftrace will decide where functions lead
 * @ops: of this user; not registered yet
 * @concerns: whether it is for the function with this call
 *
 * The entries of these functions are hit by way of ftrace from now on, others
 * that are armed until kprobe_redirect_end() is called, too.  One that ftrace
 * has no memory for is named in the log, and may have no more hits.
 *
 * Context: may sleep; no lock of ftrace held.
 */
void kprobe_redirect_begin(struct ftrace_ops *ops,
			   bool (*concerns)(struct ftrace_ops *ops,
					    unsigned long ip))
{
	/* With kprobe_mutex held, and for sites that are on ftrace. */
	if (kprobe_ftrace_is_ours(ops))
		return;
	guard(mutex)(&kprobe_mutex);
	kprobe_relay_redirects(true);
	relays_to_ftrace(ops, concerns);
}

/**
 * kprobe_redirect_end - it does so, or has failed: ftrace_is_redirected() tells
 * @ops: as before
 *
 * Context: may sleep; no lock of ftrace held.
 */
void kprobe_redirect_end(struct ftrace_ops *ops)
{
	if (kprobe_ftrace_is_ours(ops))
		return;
	guard(mutex)(&kprobe_mutex);
	kprobe_relay_redirects(false);
}
#else
static void relays_to_ftrace(struct ftrace_ops *ops,
			     bool (*concerns)(struct ftrace_ops *ops,
					      unsigned long ip))
{
}
#endif

/*
 * Turn jumps back to breakpoints, as many as one chunk has.  Return true if
 * more may be left.
 */
static bool turn_back_chunk(void)
{
	struct kprobe_site *site;
	unsigned int n = 0;
	LIST_HEAD(dirty);

	list_for_each_entry(site, &kprobe_sites, all) {
		if (site->state != KPROBE_SITE_JUMP)
			continue;
		site->target = kprobe_target_state(site);
		list_add_tail(&site->batch, &dirty);
		if (++n == KPROBE_PATCH_CHUNK)
			break;
	}
	turn_jumps_back(&dirty);
	if (!list_empty(&dirty))
		kprobe_patch_batch(&dirty);
	return n == KPROBE_PATCH_CHUNK;
}

/**
 * kprobe_set_jumps - allow jumps or turn all of them back
 * @on: which
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
		/* All of them, because that is one update of ftrace. */
		if (!on)
			relays_to_ftrace(NULL, NULL);
	}
	/* Nothing becomes a jump meanwhile. */
	while (!on && more) {
		scoped_guard(mutex, &kprobe_mutex)
			more = turn_back_chunk();
		cond_resched();
	}
}
