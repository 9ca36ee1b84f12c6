// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts jumps in the place of breakpoints, in the background.
 *
 * A jump is longer than a breakpoint: the instructions behind the probed one
 * that it covers go to the detour as well, and no task may be about to execute
 * them in the original text when the jump is written.  So a site becomes a jump
 * in two steps, with a grace period between them that no lock is held across:
 *
 *	in no list	nothing to do, or an obstacle
 *	  |  kprobe_optimizer_consider()
 *	  v
 *	opt_queue	waits for the worker
 *	  |  analysed, its detour built; traps now run the copies of all of
 *	  |  these instructions, in the detour: site->trap_uses_detour
 *	  v
 *	opt_waiting_gp	waits for RCU-tasks: every task that was among the
 *	  |		original instructions, running or preempted, has left
 *	  |  all that waited patched, some hundred at a time
 *	  v
 *	in no list	KPROBE_SITE_JUMP
 *
 * kprobe_optimizer_cancel() takes a site out of either list; from then on traps
 * run its instruction alone again, and a site that comes back later starts
 * over.  What makes an obstacle cancels before the text follows (reconcile.c).
 * The way back from a jump needs no grace period: the detour stays as long as
 * the site does, and that is freed behind RCU-tasks.
 *
 * To undo a jump takes several pokes, and a user who disables one probe often
 * disables many.  So a jump whose last probe has been disabled stays for a
 * moment, without a handler to run, and goes together with other ones:
 *
 *	KPROBE_SITE_JUMP, in no list
 *	  |  kprobe_optimizer_defer()
 *	  v
 *	opt_unoptimizing
 *	  |		waits for a worker of its own, which waits for no grace
 *	  |		period; left with the state, at once, when the
 *	  |		reconciler turns the jump back
 *	  |  those that are still without probes patched, some hundred at a time
 *	  v
 *	in no list	KPROBE_SITE_CLEAN
 *
 * Whenever an obstacle of a site may have gone, kprobe_optimizer_consider() is
 * called for it.  To ask once too often costs little.
 */
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include <linux/math.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include "internal.h"

/* All under kprobe_mutex. */
static LIST_HEAD(opt_queue);
static LIST_HEAD(opt_waiting_gp);
static LIST_HEAD(opt_unoptimizing);
static LIST_HEAD(opt_retry);	/* for lack of memory; back in the queue soon */
static bool opt_on = true;
static bool opt_started;
static unsigned int opt_passes;	/* how often the worker has been through */

static struct workqueue_struct *opt_wq;

static void optimizer_worker(struct work_struct *work);
static void retry_worker(struct work_struct *work);
static void unoptimize_worker(struct work_struct *work);
static DECLARE_DELAYED_WORK(opt_work, optimizer_worker);
static DECLARE_DELAYED_WORK(retry_work, retry_worker);
static DECLARE_DELAYED_WORK(unoptimize_work, unoptimize_worker);

/* Many probes come one by one; let them gather for this many jiffies. */
#define OPT_DELAY	DIV_ROUND_UP(HZ, 50)
/* A site without memory for its detour waits for this many. */
#define OPT_RETRY_DELAY	HZ

static bool site_armed(const struct kprobe_site *site)
{
	return site->state != KPROBE_SITE_CLEAN ||
	       (!list_empty(&site->batch) && site->target != KPROBE_SITE_CLEAN);
}

/**
 * kprobe_obstacle_now - what is in the way of a jump that may go again?
 * @site: any
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_NOJUMP_NONE, or one before KPROBE_NOJUMP_FTRACE_SITE.
 */
enum kprobe_obstacle kprobe_obstacle_now(const struct kprobe_site *site)
{
	struct kprobe_site *other;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);

	if (!opt_on)
		return KPROBE_NOJUMP_SWITCHED_OFF;
	if (site->npost)
		return KPROBE_NOJUMP_POST_HANDLER;
	if (site->njprobe)
		return KPROBE_NOJUMP_JPROBE;

	if (!site->has_neighbour)
		return KPROBE_NOJUMP_NONE;
	for_each_place_under_jump(i) {
		other = kprobe_site_at((unsigned long)site->addr + i);
		if (other && site_armed(other))
			return KPROBE_NOJUMP_PROBE_INSIDE;
	}
	return KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_jump_over - find a site whose jump covers another site
 * @site: the site that may be covered
 * @back: bytes from the start of the jump to @site
 *
 * Context: kprobe_mutex held.
 * Return: the site @back bytes before @site, if it is a jump or its traps run
 * the detour already; otherwise NULL.
 */
struct kprobe_site *kprobe_jump_over(const struct kprobe_site *site,
				     unsigned int back)
{
	struct kprobe_site *over;

	if (!site->has_neighbour)
		return NULL;
	over = kprobe_site_at((unsigned long)site->addr - back);
	if (over && (over->trap_uses_detour || over->state == KPROBE_SITE_JUMP))
		return over;
	return NULL;
}

/* Whether a site is at an address; if so, it is close to another one. */
static bool mark_neighbour(unsigned long addr)
{
	struct kprobe_site *site = kprobe_site_at(addr);

	if (site)
		site->has_neighbour = true;
	return site;
}

/**
 * kprobe_optimizer_init_site - there is a new site
 * @site: it; has been inspected
 *
 * Context: kprobe_mutex held.
 */
void kprobe_optimizer_init_site(struct kprobe_site *site)
{
	unsigned long addr = (unsigned long)site->addr;
	unsigned int i;

	INIT_LIST_HEAD(&site->optimize);
	/* Noted here: later a site without neighbours needs no look-ups. */
	for_each_place_under_jump(i)
		site->has_neighbour |= mark_neighbour(addr - i) |
				       mark_neighbour(addr + i);
}

static void consider_one(struct kprobe_site *site)
{
	if (site->state != KPROBE_SITE_TRAP || !list_empty(&site->optimize) ||
	    kprobe_obstacle_stays(site->obstacle) || kprobe_obstacle_now(site))
		return;

	list_add_tail(&site->optimize, &opt_queue);
	if (opt_started)
		queue_delayed_work(opt_wq, &opt_work, OPT_DELAY);
}

/**
 * kprobe_optimizer_consider - a site has changed: should any become a jump?
 * @site: it; those before it, which it may have been in the way of, are
 *	looked at as well
 *
 * Context: kprobe_mutex held.
 */
void kprobe_optimizer_consider(struct kprobe_site *site)
{
	struct kprobe_site *before;
	unsigned int back;

	lockdep_assert_held(&kprobe_mutex);

	consider_one(site);
	if (site->state != KPROBE_SITE_CLEAN || !site->has_neighbour)
		return;
	for_each_place_under_jump(back) {
		before = kprobe_site_at((unsigned long)site->addr - back);
		if (before)
			consider_one(before);
	}
}

/**
 * kprobe_optimizer_cancel - a site that waits is to stay a breakpoint
 * @site: not a jump
 *
 * Context: kprobe_mutex held.
 */
void kprobe_optimizer_cancel(struct kprobe_site *site)
{
	lockdep_assert_held(&kprobe_mutex);

	list_del_init(&site->optimize);
	if (!site->trap_uses_detour)
		return;
	arch_kprobe_use_detour(site, false);
	site->trap_uses_detour = false;
}

/**
 * kprobe_optimizer_forget - a site, or its text, goes away
 * @site: neither a trap nor a jump
 *
 * Context: kprobe_mutex held.
 */
void kprobe_optimizer_forget(struct kprobe_site *site)
{
	kprobe_optimizer_cancel(site);
	arch_kprobe_unanalyse(site);
}

/**
 * kprobe_optimizer_defer - a probe was disabled: may the text follow later?
 * @site: where
 *
 * Context: kprobe_mutex held.
 * Return: whether this is seen to, and the site need not be reconciled.
 */
bool kprobe_optimizer_defer(struct kprobe_site *site)
{
	lockdep_assert_held(&kprobe_mutex);

	if (site->state != KPROBE_SITE_JUMP || !list_empty(&site->active))
		return false;
	if (list_empty(&site->optimize)) {
		list_add_tail(&site->optimize, &opt_unoptimizing);
		queue_delayed_work(opt_wq, &unoptimize_work, OPT_DELAY);
	}
	return true;
}

static int by_address(void *unused, const struct list_head *a,
		      const struct list_head *b)
{
	return list_entry(a, struct kprobe_site, optimize)->addr >
	       list_entry(b, struct kprobe_site, optimize)->addr;
}

/*
 * Patches the sites of @from for which @wanted() returns true, a chunk at a
 * time, also those added to @from meanwhile.
 */
static void patch_chunks(struct list_head *from, enum kprobe_site_state next,
			 bool (*wanted)(struct kprobe_site *site))
{
	struct kprobe_site *site;
	unsigned int n;
	LIST_HEAD(batch);

	do {
		scoped_guard(mutex, &kprobe_mutex) {
			for (n = 0; n < KPROBE_PATCH_CHUNK && !list_empty(from);
			     n++) {
				site = list_first_entry(from,
							struct kprobe_site,
							optimize);
				list_del_init(&site->optimize);
				if (!wanted(site))
					continue;
				site->target = next;
				list_add_tail(&site->batch, &batch);
			}
			if (!list_empty(&batch))
				kprobe_patch_batch(&batch);
		}
		cond_resched();
	} while (n == KPROBE_PATCH_CHUNK);
}

static bool wants_no_jump(struct kprobe_site *site)
{
	return list_empty(&site->active);
}

/* Takes the jumps away that only disabled probes are left on. */
static void unoptimize_worker(struct work_struct *work)
{
	/* Text is patched in the order of addresses. */
	scoped_guard(mutex, &kprobe_mutex)
		list_sort(NULL, &opt_unoptimizing, by_address);
	patch_chunks(&opt_unoptimizing, KPROBE_SITE_CLEAN, wants_no_jump);
}

static void retry_worker(struct work_struct *work)
{
	guard(mutex)(&kprobe_mutex);

	if (list_empty(&opt_retry))
		return;
	list_splice_tail_init(&opt_retry, &opt_queue);
	queue_delayed_work(opt_wq, &opt_work, 0);
}

/* Takes a site out of the queue; builds its detour if nothing forbids it. */
static void prepare_jump(struct kprobe_site *site)
{
	list_del_init(&site->optimize);
	/* When the obstacle goes, the site is considered again. */
	if (site->state != KPROBE_SITE_TRAP || kprobe_obstacle_now(site))
		return;

	site->obstacle = arch_kprobe_analyse(site);
	if (!site->obstacle)
		site->obstacle = arch_kprobe_build_detour(site);
	if (site->obstacle == KPROBE_NOJUMP_NO_MEMORY) {
		list_add_tail(&site->optimize, &opt_retry);
		queue_delayed_work(opt_wq, &retry_work, OPT_RETRY_DELAY);
	} else if (!site->obstacle) {
		arch_kprobe_use_detour(site, true);
		site->trap_uses_detour = true;
		list_add_tail(&site->optimize, &opt_waiting_gp);
	}
}

/* How many sites are prepared before others get a chance at the lock. */
#define OPT_CHUNK	64

static bool wants_jump(struct kprobe_site *site)
{
	bool ready = site->state == KPROBE_SITE_TRAP &&
		     site->trap_uses_detour && !kprobe_obstacle_now(site);

	/* What makes an obstacle calls kprobe_optimizer_cancel(). */
	if (WARN_ON_ONCE(!ready)) {
		kprobe_optimizer_cancel(site);
		return false;
	}
	site->trap_uses_detour = false;
	return true;
}

static void optimizer_worker(struct work_struct *work)
{
	unsigned int n = 0;

	mutex_lock(&kprobe_mutex);
	list_sort(NULL, &opt_queue, by_address);
	while (!list_empty(&opt_queue)) {
		prepare_jump(list_first_entry(&opt_queue, struct kprobe_site,
					      optimize));
		if (++n % OPT_CHUNK == 0) {
			mutex_unlock(&kprobe_mutex);
			cond_resched();
			mutex_lock(&kprobe_mutex);
		}
	}
	n = list_count_nodes(&opt_waiting_gp);
	if (!n) {
		opt_passes++;
		mutex_unlock(&kprobe_mutex);
		return;
	}
	mutex_unlock(&kprobe_mutex);

	synchronize_rcu_tasks();

	/* Only this worker adds to the pass: it ends with these. */
	patch_chunks(&opt_waiting_gp, KPROBE_SITE_JUMP, wants_jump);
	scoped_guard(mutex, &kprobe_mutex)
		opt_passes++;
}

/* What is queued now has had its turn after two passes: one may be halfway. */
static bool optimizer_settled(unsigned int before)
{
	guard(mutex)(&kprobe_mutex);
	return opt_passes - before >= 2 ||
	       (list_empty(&opt_queue) && list_empty(&opt_waiting_gp) &&
		list_empty(&opt_unoptimizing));
}

/* Readers of the file list wait no longer than this; in jiffies. */
#define OPT_SETTLE	(5 * HZ)

/**
 * kprobe_optimizer_settle - let the optimizer do what it has to do by now
 *
 * Unlike wait_for_kprobe_optimizer() this ends after some seconds: there is no
 * limit to how long a preempted task may stand where a jump is to be.
 *
 * Context: may sleep; a signal ends it.
 */
void kprobe_optimizer_settle(void)
{
	unsigned long end = jiffies + OPT_SETTLE;
	unsigned int before;

	scoped_guard(mutex, &kprobe_mutex)
		before = opt_passes;
	while (!optimizer_settled(before) && time_before(jiffies, end) &&
	       !signal_pending(current))
		schedule_timeout_interruptible(OPT_DELAY);
}

/**
 * kprobe_optimizer_allow - may the optimizer make jumps?
 * @on: whether it may
 *
 * Context: kprobe_mutex held.  The caller sees to the jumps that there are.
 */
void kprobe_optimizer_allow(bool on)
{
	lockdep_assert_held(&kprobe_mutex);
	opt_on = on;
}

/* Whether they are; kprobe_mutex or kprobe_switch_mutex held. */
bool kprobe_jumps_allowed(void)
{
	return opt_on;
}

/** kprobe_get_jumps - whether jumps are allowed */
bool kprobe_get_jumps(void)
{
	guard(mutex)(&kprobe_mutex);
	return opt_on;
}

/* From now on RCU-tasks can be waited for; earlier sites have been queued. */
static int __init optimizer_start(void)
{
	/* The worker waits for long: keep it off queues that are flushed. */
	opt_wq = alloc_workqueue("kprobe-optimizer", WQ_UNBOUND, 0);
	if (!opt_wq)
		return -ENOMEM;

	guard(mutex)(&kprobe_mutex);
	opt_started = true;
	queue_delayed_work(opt_wq, &opt_work, OPT_DELAY);
	return 0;
}
late_initcall(optimizer_start);

/**
 * wait_for_kprobe_optimizer - until all jumps that can be made are made, and
 *	those without enabled probes are gone
 *
 * Context: may sleep.
 */
void wait_for_kprobe_optimizer(void)
{
	/* First, since a site under a jump that goes may become one then. */
	flush_delayed_work(&unoptimize_work);
	flush_delayed_work(&opt_work);
	/* Once more, for sites queued while the worker waited. */
	flush_delayed_work(&opt_work);
}
EXPORT_SYMBOL_GPL(wait_for_kprobe_optimizer);

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/**
 * kprobe_obstacle_at - why is the probe at an address not hit by a jump?
 * @addr: a site
 *
 * Context: may sleep.
 */
enum kprobe_obstacle kprobe_obstacle_at(kprobe_opcode_t *addr)
{
	struct kprobe_site *site;

	guard(mutex)(&kprobe_mutex);
	site = kprobe_site_at((unsigned long)addr);
	if (!site)
		return KPROBE_NOJUMP_NO_MEMORY;
	site = kprobe_relay_site(site);
	if (site->on_ftrace)
		return KPROBE_NOJUMP_FTRACE_SITE;
	return site->obstacle ?: kprobe_obstacle_now(site);
}
EXPORT_SYMBOL_GPL(kprobe_obstacle_at);
#endif
