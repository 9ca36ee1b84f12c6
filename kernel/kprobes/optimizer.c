// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replace breakpoints by jumps, in the background.
 *
 * A jump leads to the site's detour, which calls the handlers.  If a jump
 * covers several instructions, the detour has copies of all of them, and no
 * task may be between two originals when the jump is written.  So a site
 * becomes a jump in two steps, with a grace period between them, during which
 * no lock is held:
 *
 *	in no list	nothing to do, or an obstacle
 *	  |  kprobe_optimizer_consider()
 *	  v
 *	opt_queue	waits for the worker
 *	  |  analysed, detour built, site->trap_uses_detour set; if jumps
 *	  |  may cover several instructions, traps run the detour's copies
 *	  v
 *	opt_waiting_gp	if jumps may cover several instructions, waits for
 *	  |		RCU-tasks: then no task, running or preempted, is
 *	  |		still between two originals
 *	  |  all waiting sites are patched, in chunks
 *	  v
 *	in no list	KPROBE_SITE_JUMP
 *
 * A site that lacks memory waits in opt_retry, and is queued again later.
 * kprobe_optimizer_cancel() removes a site from any of these three lists: traps
 * again execute only the probed instruction, and the site starts over when it
 * is queued again.  Code that causes an obstacle must cancel the site before it
 * changes text (reconcile.c).  The removal of a jump needs no grace period,
 * because the detour is freed with the site, after RCU-tasks.
 *
 * Removing a jump may take several pokes, and a user who disables one probe
 * often disables many.  So a jump without enabled probes stays for a moment,
 * calls no handler, and is removed together with others:
 *
 *	KPROBE_SITE_JUMP, in no list
 *	  |  kprobe_optimizer_defer()
 *	  v
 *	opt_unoptimizing
 *	  |		waits for opt_unoptimize_worker(), which needs no
 *	  |		grace period; if the reconciler removes the jump
 *	  |		first, it also takes the site off the list
 *	  |  sites still without enabled probes are patched, in chunks
 *	  v
 *	in no list	KPROBE_SITE_CLEAN
 *
 * kprobe_optimizer_consider() must be called whenever an obstacle of a site may
 * have disappeared.  Superfluous calls are cheap.
 *
 * Callers must hold kprobe_mutex, except callers of the worker's functions and
 * where a comment gives another context.
 */
#include <kunit/visibility.h>
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
#include <linux/kprobes_hit.h>
#include "internal.h"

/* All under kprobe_mutex. */
static LIST_HEAD(opt_queue);
static LIST_HEAD(opt_waiting_gp);
static LIST_HEAD(opt_unoptimizing);
static LIST_HEAD(opt_retry);	/* lacked memory; for the next pass */
static bool opt_on = true;
static unsigned int opt_passes;	/* completed passes of the worker */
static struct workqueue_struct *opt_wq;	/* NULL before RCU-tasks works */

static void opt_worker(struct work_struct *work);
static void opt_unoptimize_worker(struct work_struct *work);
static DECLARE_DELAYED_WORK(opt_work, opt_worker);
static DECLARE_DELAYED_WORK(opt_unoptimize_work, opt_unoptimize_worker);

/* Delay in jiffies, to collect probes that users change one by one. */
#define OPT_DELAY	DIV_ROUND_UP(HZ, 50)
/* Delay in jiffies, before the worker retries sites that lacked memory. */
#define OPT_RETRY_DELAY	HZ

static bool site_armed(const struct kprobe_site *site)
{
	return site->state != KPROBE_SITE_CLEAN ||
	       (!list_empty(&site->batch) && site->target != KPROBE_SITE_CLEAN);
}

/**
 * kprobe_obstacle_now - return a temporary obstacle to a jump
 * @site: any site
 *
 * Return: KPROBE_NOJUMP_NONE, or an obstacle that may disappear again.
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
		other = kprobe_text_site_at(kprobe_site_text(site) + i);
		if (other && site_armed(other))
			return KPROBE_NOJUMP_PROBE_INSIDE;
	}
	return KPROBE_NOJUMP_NONE;
}

/* Mark the site at @addr and the owner of @addr.  Return true if any exists. */
static bool opt_mark_neighbours(unsigned long addr)
{
	struct kprobe_site *site, *owner;

	guard(preempt)();
	site = kprobe_site_find(addr);
	if (site)
		site->has_neighbour = true;
	owner = kprobe_site_skipping(addr);
	if (owner)
		owner->has_neighbour = true;
	return site || owner;
}

/**
 * kprobe_optimizer_init_site - initialize the optimizer's part of a new site
 * @site: a site that has been inspected
 */
void kprobe_optimizer_init_site(struct kprobe_site *site)
{
	unsigned long addr = kprobe_site_text(site);
	unsigned int i;

	INIT_LIST_HEAD(&site->optimize);
	/* Sites without this mark need not search for others. */
	for_each_place_under_jump(i)
		site->has_neighbour |= opt_mark_neighbours(addr - i) |
				       opt_mark_neighbours(addr + i);
}

static void opt_consider_one(struct kprobe_site *site)
{
	if (site->state != KPROBE_SITE_TRAP || !list_empty(&site->optimize) ||
	    kprobe_obstacle_stays(site->obstacle) || kprobe_obstacle_now(site))
		return;

	list_add_tail(&site->optimize, &opt_queue);
	if (opt_wq)
		queue_delayed_work(opt_wq, &opt_work, OPT_DELAY);
}

/**
 * kprobe_optimizer_consider - queue sites that may become jumps after a change
 * @site: the changed site; if it is clean now, sites before it, whose jump it
 *	may have prevented, are considered as well
 */
void kprobe_optimizer_consider(struct kprobe_site *site)
{
	struct kprobe_site *before;
	unsigned int back;

	lockdep_assert_held(&kprobe_mutex);

	opt_consider_one(site);
	if (site->state != KPROBE_SITE_CLEAN || !site->has_neighbour)
		return;
	for_each_place_under_jump(back) {
		before = kprobe_text_site_at(kprobe_site_text(site) - back);
		if (before)
			opt_consider_one(before);
	}
}

/**
 * kprobe_optimizer_cancel - stop a site from becoming a jump
 * @site: any site; it need not be in a list
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

void __weak arch_kprobe_unanalyse(struct kprobe_site *site) { }

/**
 * kprobe_optimizer_forget - free the optimizer's data of a site
 * @site: a site to be removed, or in text to be freed; neither trap nor jump
 */
void kprobe_optimizer_forget(struct kprobe_site *site)
{
	kprobe_optimizer_cancel(site);
	arch_kprobe_unanalyse(site);
}

/**
 * kprobe_optimizer_defer - defer the removal of a jump
 * @site: the site of a probe that was disabled
 *
 * Return: true if the caller need not reconcile the site.
 */
bool kprobe_optimizer_defer(struct kprobe_site *site)
{
	lockdep_assert_held(&kprobe_mutex);

	if (site->state != KPROBE_SITE_JUMP || !list_empty(&site->active))
		return false;
	if (list_empty(&site->optimize)) {
		list_add_tail(&site->optimize, &opt_unoptimizing);
		queue_delayed_work(opt_wq, &opt_unoptimize_work, OPT_DELAY);
	}
	return true;
}

static int opt_by_address(void *unused, const struct list_head *a,
			  const struct list_head *b)
{
	return list_entry(a, struct kprobe_site, optimize)->addr >
	       list_entry(b, struct kprobe_site, optimize)->addr;
}

/*
 * Empty @from, including sites added meanwhile, one chunk at a time.  Bring the
 * sites for which @wanted() returns true to the state @next.
 */
static void opt_patch_chunks(struct list_head *from,
			     enum kprobe_site_state next,
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
			kprobe_patch_batch(&batch);
		}
		cond_resched();
	} while (n == KPROBE_PATCH_CHUNK);
}

static bool opt_wants_no_jump(struct kprobe_site *site)
{
	return list_empty(&site->active);
}

/* Remove jumps whose probes are all disabled. */
static void opt_unoptimize_worker(struct work_struct *work)
{
	/* Patch text in the order of addresses. */
	scoped_guard(mutex, &kprobe_mutex)
		list_sort(NULL, &opt_unoptimizing, opt_by_address);
	opt_patch_chunks(&opt_unoptimizing, KPROBE_SITE_CLEAN,
			 opt_wants_no_jump);
}

/* Take a site off the queue.  If it may become a jump, build its detour. */
static void prepare_jump(struct kprobe_site *site)
{
	list_del_init(&site->optimize);
	/* kprobe_optimizer_consider() queues the site again after a change. */
	if (site->state != KPROBE_SITE_TRAP || kprobe_obstacle_now(site))
		return;

	site->obstacle = arch_kprobe_analyse(site, NULL);
	if (!site->obstacle)
		site->obstacle = arch_kprobe_build_detour(site);
	if (site->obstacle == KPROBE_NOJUMP_NO_MEMORY) {
		list_add_tail(&site->optimize, &opt_retry);
	} else if (!site->obstacle) {
		arch_kprobe_use_detour(site, true);
		site->trap_uses_detour = true;
		list_add_tail(&site->optimize, &opt_waiting_gp);
	}
}

/* Number of sites to prepare before the lock is released for others. */
#define OPT_CHUNK	64

static bool opt_wants_jump(struct kprobe_site *site)
{
	bool ready = site->state == KPROBE_SITE_TRAP &&
		     site->trap_uses_detour && !kprobe_obstacle_now(site);

	/* A site with an obstacle must have been cancelled: see reconcile.c. */
	if (WARN_ON_ONCE(!ready)) {
		kprobe_optimizer_cancel(site);
		return false;
	}
	site->trap_uses_detour = false;
	return true;
}

static void opt_worker(struct work_struct *work)
{
	unsigned int n = 0;
	bool waiting;

	mutex_lock(&kprobe_mutex);
	list_splice_init(&opt_retry, &opt_queue);
	list_sort(NULL, &opt_queue, opt_by_address);
	while (!list_empty(&opt_queue)) {
		prepare_jump(list_first_entry(&opt_queue, struct kprobe_site,
					      optimize));
		if (++n % OPT_CHUNK == 0) {
			mutex_unlock(&kprobe_mutex);
			cond_resched();
			mutex_lock(&kprobe_mutex);
		}
	}
	waiting = !list_empty(&opt_waiting_gp);
	mutex_unlock(&kprobe_mutex);

	/* No task can be inside a jump that covers only one instruction. */
	if (waiting && KPROBE_JUMP_SIZE > KPROBE_INSN_STEP)
		synchronize_rcu_tasks();

	/* Only this worker fills the list: no sites join meanwhile. */
	opt_patch_chunks(&opt_waiting_gp, KPROBE_SITE_JUMP, opt_wants_jump);
	scoped_guard(mutex, &kprobe_mutex) {
		opt_passes++;
		if (!list_empty(&opt_retry))
			queue_delayed_work(opt_wq, &opt_work, OPT_RETRY_DELAY);
	}
}

/*
 * Return true if all lists but opt_retry are empty, if there is no worker, or
 * after two passes: a site may have been queued too late for the first.
 */
static bool opt_settled(unsigned int before)
{
	guard(mutex)(&kprobe_mutex);
	return !opt_wq || opt_passes - before >= 2 ||
	       (list_empty(&opt_queue) && list_empty(&opt_waiting_gp) &&
		list_empty(&opt_unoptimizing));
}

/* Maximum wait of a task that opens the file kprobes/list, in jiffies. */
#define OPT_SETTLE	(5 * HZ)

/**
 * kprobe_optimizer_settle - wait for the optimizer to process its queue
 *
 * Unlike wait_for_kprobe_optimizer(), this waits some seconds at most, because
 * the worker waits for preempted tasks, and a task may stay preempted forever.
 *
 * Context: may sleep; a signal ends the wait.
 */
void kprobe_optimizer_settle(void)
{
	unsigned long end = jiffies + OPT_SETTLE;
	unsigned int before;

	scoped_guard(mutex, &kprobe_mutex)
		before = opt_passes;
	while (!opt_settled(before) && time_before(jiffies, end) &&
	       !signal_pending(current))
		schedule_timeout_interruptible(OPT_DELAY);
}

/**
 * kprobe_optimizer_allow - allow new jumps, or forbid them and cancel pending
 *	ones
 * @on: whether they are allowed
 *
 * Context: kprobe_mutex held.  To forbid jumps, the caller must also remove
 * existing ones.
 */
void kprobe_optimizer_allow(bool on)
{
	struct kprobe_site *site, *next;

	lockdep_assert_held(&kprobe_mutex);
	opt_on = on;
	if (on)
		return;
	list_for_each_entry_safe(site, next, &opt_waiting_gp, optimize)
		kprobe_optimizer_cancel(site);
}

/** kprobe_get_jumps - return whether jumps are allowed; takes kprobe_mutex */
bool kprobe_get_jumps(void)
{
	guard(mutex)(&kprobe_mutex);
	return opt_on;
}

/* Start the worker once RCU-tasks works; earlier sites are in opt_queue. */
static int __init opt_start(void)
{
	struct workqueue_struct *wq;

	/* On a shared queue, this worker would delay others who flush it. */
	wq = alloc_workqueue("kprobe-optimizer", WQ_UNBOUND, 0);
	if (!wq)
		return -ENOMEM;

	guard(mutex)(&kprobe_mutex);
	opt_wq = wq;
	queue_delayed_work(opt_wq, &opt_work, OPT_DELAY);
	return 0;
}
late_initcall(opt_start);

/**
 * wait_for_kprobe_optimizer - wait until all sites that may become jumps are
 *	jumps, and jumps without enabled probes are removed
 *
 * Sites that lack memory for a detour are not waited for.
 *
 * Context: may sleep.
 */
void wait_for_kprobe_optimizer(void)
{
	/* Do this first, because removing a jump may queue other sites. */
	flush_delayed_work(&opt_unoptimize_work);
	flush_delayed_work(&opt_work);
	/* Again, for sites queued while the worker waited. */
	flush_delayed_work(&opt_work);
}
EXPORT_SYMBOL_IF_KUNIT(wait_for_kprobe_optimizer);

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/**
 * kprobe_obstacle_at - return why the probe at an address is not a jump
 * @addr: the address of the probe
 *
 * Context: may sleep.
 * Return: the obstacle; KPROBE_NOJUMP_NO_MEMORY also if there is no site.
 */
enum kprobe_obstacle kprobe_obstacle_at(kprobe_opcode_t *addr)
{
	struct kprobe_site *site;

	guard(mutex)(&kprobe_mutex);
	site = kprobe_site_at((unsigned long)addr);
	if (!site)
		return KPROBE_NOJUMP_NO_MEMORY;
	if (site->on_ftrace && !site->owns_next)
		return KPROBE_NOJUMP_FTRACE_SITE;
	return site->obstacle ?: kprobe_obstacle_now(site);
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_obstacle_at);
#endif
