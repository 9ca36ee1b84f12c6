// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bring the text of sites to their target state, in batches.
 *
 * kprobe_target_state() derives the target state of a site from its probes, the
 * switches, nearby sites, and other users of ftrace on its function.  An
 * operation that changes one of these collects the affected ("dirty") sites and
 * calls kprobe_reconcile(), which patches all of them at once.
 *
 * The reconciler does not write jumps, but turns them back into breakpoints or
 * removes them.  The optimizer writes jumps later, and also removes jumps whose
 * probes are all disabled (optimizer.c).
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* Serializes changes of switches, which release kprobe_mutex between chunks. */
static DEFINE_MUTEX(kprobe_switch_mutex);

static bool kprobe_global_on = true;	/* under kprobe_mutex */

/* Number of ops between kprobe_redirect_begin() and kprobe_redirect_end(). */
static unsigned int kprobe_redirects;	/* under kprobe_mutex */

/**
 * kprobe_may_skip_ftrace - check whether a site may own the next instruction
 * @site: a site on an ftrace call; need not be in the table
 *
 * Context: kprobe_mutex held.
 * Return: false if the site must use ftrace.
 */
bool kprobe_may_skip_ftrace(const struct kprobe_site *site)
{
	enum kprobe_obstacle what;

	if (!site->owns_next || kprobe_redirects ||
	    kprobe_obstacle_stays(site->obstacle))
		return false;
	what = kprobe_obstacle_now(site);
	/* An armed site may keep its trap if a probe is under its jump. */
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
	/* reconcile_jumps() changes JUMP to TRAP if there is an obstacle. */
	return site->state == KPROBE_SITE_JUMP ? KPROBE_SITE_JUMP :
						 KPROBE_SITE_TRAP;
}

/* Return true if ftrace must claim or release the function of @site. */
static bool reconcile_changes_claim(const struct kprobe_site *site)
{
	return site->ftrace && site->claimed != !!site->npost;
}

/* Return the armed site that owns @site's instruction, or NULL. */
static struct kprobe_site *kprobe_owner_of(const struct kprobe_site *site)
{
	struct kprobe_site *owner = kprobe_text_site_at((ulong)site->addr);

	return owner && owner->skip ? owner : NULL;
}

/* As kprobe_target_state(), for callers that cannot move a site to ftrace. */
static enum kprobe_site_state
reconcile_text_target(const struct kprobe_site *site)
{
	enum kprobe_site_state target = kprobe_target_state(site);

	return target == KPROBE_SITE_FTRACE ? KPROBE_SITE_TRAP : target;
}

/* Return the site @back bytes before @site if it has, or awaits, a jump. */
static struct kprobe_site *
reconcile_jump_over(const struct kprobe_site *site, unsigned int back)
{
	struct kprobe_site *over;

	if (!site->has_neighbour)
		return NULL;
	over = kprobe_text_site_at(kprobe_site_text(site) - back);
	/* Traps may already execute the copies in the detour. */
	if (over && (over->trap_uses_detour || over->state == KPROBE_SITE_JUMP))
		return over;
	return NULL;
}

/*
 * Add to @dirty each site whose jump, written or pending, covers a trap about
 * to be written.  Then change the target of jumps with an obstacle from JUMP to
 * TRAP, and cancel pending jumps that must no longer be written.
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
			over = reconcile_jump_over(site, back);
			if (!over || !list_empty(&over->batch))
				continue;
			over->target = reconcile_text_target(over);
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
 * Restore the next instruction of sites that move to ftrace.  These are steps 5
 * and 6 of a move: see the head of ftrace.c.
 */
static void reconcile_restore_next(struct list_head *batch)
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
		/* From now on, hits need no copy. */
		WRITE_ONCE(site->ftrace, SITE_FTRACE_ON);
	}
	list_splice(&text, batch);
}

/* Finish moves, mark the batch as armed or disarmed by ftrace, and empty it. */
static void reconcile_done(struct list_head *batch)
{
	struct kprobe_site *site;

	if (IS_ENABLED(CONFIG_KPROBE_SKIP_FTRACE))
		reconcile_restore_next(batch);
	list_for_each_entry(site, batch, batch) {
		/*
		 * The site must never own the next instruction again: a task
		 * that is preempted after its hit at the call would have a
		 * second hit at that instruction.
		 */
		if (site->target == KPROBE_SITE_FTRACE)
			WRITE_ONCE(site->owns_next, false);
		kprobe_site_set_state(site, site->target);
	}
	kprobe_consider_batch(batch);
}

/* Empty a refused batch.  With @each, log sites that ftrace has not armed. */
static void reconcile_report_failed(struct list_head *batch, bool each, int err)
{
	struct kprobe_site *site, *next;

	list_for_each_entry_safe(site, next, batch, batch) {
		if (each && site->state != KPROBE_SITE_FTRACE)
			pr_warn_ratelimited("%pS cannot be %s ftrace (%d)\n",
					    site->addr,
					    site->state != KPROBE_SITE_CLEAN ?
					    "moved to" : "armed with", err);
		list_del_init(&site->batch);
	}
}

/* Maximum number of retries if ftrace returns -EAGAIN. */
#define RECONCILE_RETRIES	10

/*
 * Arm all sites of @arm with ftrace, or, with @each, as many as possible.
 * ftrace accepts or refuses a whole batch.  With @each, retry with half of a
 * refused batch, down to the single sites that cause the refusal.  @arm is
 * empty on return.
 *
 * ftrace returns -EAGAIN while the owner of a direct call changes this call.  A
 * retry may succeed, because ftrace has released the locks that the owner may
 * be waiting for.
 */
static int reconcile_arm_ftrace(struct list_head *arm, bool each)
{
	unsigned int taken, nr = list_count_nodes(arm);
	unsigned int tries = RECONCILE_RETRIES;
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
		/* After -ENODEV, ftrace is dead: no smaller batch succeeds. */
		if (each && taken > 1 && err != -ENODEV) {
			list_splice_init(&some, arm);
			nr = taken / 2;
			continue;
		}
		ret = ret ?: err;
		reconcile_report_failed(&some, each, err);
	}
	return ret;
}

/*
 * Move to ftrace the sites that must no longer own the next instruction.  If a
 * site cannot be moved, its next instruction stays patched.  If another site is
 * at this instruction, remove that site from @dirty: it must not be armed.
 */
static int reconcile_move_to_ftrace(struct list_head *dirty, bool each)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(move);
	int ret;

	list_for_each_entry_safe(site, next, dirty, batch)
		if (site->target == KPROBE_SITE_FTRACE &&
		    kprobe_text_is_armed(site->state))
			list_move_tail(&site->batch, &move);
	ret = reconcile_arm_ftrace(&move, each);
	list_for_each_entry_safe(site, next, dirty, batch)
		if (ret && kprobe_owner_of(site))
			list_del_init(&site->batch);
	return ret;
}

/* Make ftrace arm or disarm sites of @dirty, and remove these from @dirty. */
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

	return reconcile_arm_ftrace(&arm, each);
}

/**
 * kprobe_reconcile - bring the text of sites to their target state
 * @dirty: sites, linked by kprobe_site::batch, whose target state may have
 *	changed; empty on return
 * @how: flags.  KPROBE_ARM_EACH: arm each site that can be armed; without this
 *	flag, one refused site may prevent others from being armed, and the
 *	caller must undo its change on failure.  KPROBE_WAIT: the caller has
 *	unlinked handlers; wait until none of them runs.
 *
 * Only arming with ftrace can fail.  Refused sites, and other sites on
 * instructions that they own, keep their state.
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0, -ENOMEM, or an error of ftrace.
 */
int kprobe_reconcile(struct list_head *dirty, unsigned int how)
{
	struct kprobe_site *site, *next, *owner;
	bool waited = false;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	if (list_empty(dirty))
		return 0;
	/* Sites on ftrace calls are last: their targets depend on others. */
	list_for_each_entry(site, dirty, batch) {
		if (site->on_ftrace)
			continue;
		site->target = kprobe_target_state(site);
		/* A probe is here: @owner must restore the instruction. */
		owner = kprobe_owner_of(site);
		if (owner && !hlist_empty(&site->probes))
			kprobe_site_mark_dirty(owner, dirty);
	}
	list_for_each_entry(site, dirty, batch)
		if (site->on_ftrace)
			site->target = kprobe_target_state(site);
	ret = reconcile_move_to_ftrace(dirty, how & KPROBE_ARM_EACH);
	reconcile_jumps(dirty);
	list_for_each_entry_safe(site, next, dirty, batch) {
		if (site->target != site->state ||
		    reconcile_changes_claim(site))
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
 * Reconcile all sites after a change of a switch, in chunks.  Take each chunk
 * from the head of the list, and move it to the tail.  Sites that are created
 * or changed between two chunks obey the new setting anyway.  If a site is
 * freed meanwhile, another site is visited twice, which is harmless.
 */
static int reconcile_all(unsigned int how)
{
	struct kprobe_site *site;
	unsigned int left, n;
	int err, ret = 0;
	LIST_HEAD(dirty);

	scoped_guard(mutex, &kprobe_mutex)
		left = list_count_nodes(&kprobe_sites);
	while (left) {
		mutex_lock(&kprobe_mutex);
		for (n = 0; left && n < KPROBE_PATCH_CHUNK; left--) {
			site = list_first_entry_or_null(&kprobe_sites,
							struct kprobe_site,
							all);
			if (!site) {
				left = 0;
				break;
			}
			list_move_tail(&site->all, &kprobe_sites);
			kprobe_site_mark_dirty(site, &dirty);
			n += kprobe_site_patches_text(site);
		}
		err = kprobe_reconcile(&dirty, how);
		mutex_unlock(&kprobe_mutex);
		ret = ret ?: err;
		cond_resched();
	}
	return ret;
}

/**
 * kprobe_set_global - disarm all probes, or arm them again
 * @on: whether probes are armed
 *
 * The switch does not enable or disable any probe.  Switching off waits for
 * running handlers.  Afterwards, no hit begins.  But a hit that has begun may
 * still call post handlers, and the return of a followed call still calls its
 * return probe's handler.
 *
 * Switching on arms as many sites as possible, and logs the others.  ftrace
 * refuses a site with post handlers, for example, if another user has meanwhile
 * registered an ops with IPMODIFY for its function.  A refused site is tried
 * again when its probes change, or when a switch changes.
 *
 * Context: may sleep.
 * Return: 0, or the first error of kprobe_reconcile().
 */
int kprobe_set_global(bool on)
{
	guard(mutex)(&kprobe_switch_mutex);

	scoped_guard(mutex, &kprobe_mutex) {
		if (kprobe_global_on != on)
			pr_info("Kprobes globally %s\n",
				on ? "enabled" : "disabled");
		kprobe_global_on = on;
	}
	return reconcile_all(KPROBE_ARM_EACH | (on ? 0 : KPROBE_WAIT));
}

/** kprobe_get_global - return the global switch */
bool kprobe_get_global(void)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_global_on;
}

/*
 * Reconcile armed sites that own the next instruction, on all functions that
 * @ops concerns, or on all functions if @ops is NULL.
 */
static void reconcile_owners(struct ftrace_ops *ops,
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

#ifdef CONFIG_KPROBE_SKIP_FTRACE
/**
 * kprobe_redirect_begin - move sites to ftrace before an ops redirects calls
 * @ops: the ops, which is not registered yet
 * @concerns: returns true if @ops applies to the function whose ftrace call is
 *	at @ip
 *
 * From now on, sites on functions of @ops use ftrace.  Until
 * kprobe_redirect_end() is called, reconciling any other site on an ftrace call
 * makes it use ftrace as well, because ftrace_is_redirected() might not
 * consider @ops yet.
 *
 * A site that ftrace cannot arm is logged, and may have no more hits.
 *
 * Context: may sleep; no lock of ftrace held.
 */
void kprobe_redirect_begin(struct ftrace_ops *ops,
			   bool (*concerns)(struct ftrace_ops *ops,
					    unsigned long ip))
{
	guard(mutex)(&kprobe_mutex);
	kprobe_redirects++;
	reconcile_owners(ops, concerns);
}

/**
 * kprobe_redirect_end - end the section that kprobe_redirect_begin() has begun
 * @ops: the ops passed to kprobe_redirect_begin()
 *
 * If @ops is registered, ftrace_is_redirected() must return true for its
 * functions by now.
 *
 * Context: may sleep; no lock of ftrace held.
 */
void kprobe_redirect_end(struct ftrace_ops *ops)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_redirects--;
}
#endif

/**
 * kprobe_set_jumps - allow jumps, or forbid and remove them
 * @on: whether jumps are allowed
 *
 * A site on an ftrace call keeps its jump if it cannot be armed with ftrace,
 * which is logged.
 *
 * Context: may sleep.
 */
void kprobe_set_jumps(bool on)
{
	struct kprobe_site *site;

	guard(mutex)(&kprobe_switch_mutex);

	if (IS_ENABLED(CONFIG_OPTPROBES) && kprobe_get_jumps() != on)
		pr_info("kprobe jump-optimization is %s\n", on ?
			"enabled. All kprobes are optimized if possible." :
			"disabled. All kprobes are based on software breakpoint.");
	scoped_guard(mutex, &kprobe_mutex) {
		kprobe_optimizer_allow(on);
		list_for_each_entry(site, &kprobe_sites, all)
			if (on)
				kprobe_optimizer_consider(site);
		/* Not in chunks: one update of ftrace arms all owners. */
		if (!on)
			reconcile_owners(NULL, NULL);
	}
	/* Jumps are forbidden by now: none is written between chunks. */
	if (!on)
		reconcile_all(KPROBE_ARM_EACH);
}
