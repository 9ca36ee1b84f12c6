// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts jumps in the place of breakpoints, in the background.
 *
 * A jump is longer than a breakpoint: the instructions behind the probed one
 * that it covers go to the detour as well, and nobody may be about to execute
 * them in place when it is written.  So a site becomes a jump in two steps,
 * with a grace period between them that no lock is held across:
 *
 *	in no list	nothing to do, or an obstacle
 *	  |  kprobe_optimizer_consider()
 *	  v
 *	opt_queue	waits for the worker
 *	  |  analysed, its detour built; traps now run the displaced copies of
 *	  |  all of these instructions, in the detour: site->detoured
 *	  v
 *	opt_pass	waits for RCU-tasks: whoever has been among them in
 *	  |		place, running or preempted, has left
 *	  |  all of the pass patched, some hundred at a time
 *	  v
 *	in no list	KPROBE_SITE_JUMP
 *
 * kprobe_optimizer_cancel() takes a site out of either list, and then traps
 * run its instruction alone again; a site that comes back later starts over.
 * Whoever makes an obstacle cancels before the text follows (text.c).  The way
 * back from a jump needs no grace period: the detour stays as long as the
 * site does, and that is freed behind RCU-tasks.
 *
 * To undo a jump takes several pokes, and whoever disables one probe often
 * disables many.  So a jump whose last probe has been disabled stays for a
 * moment, without a handler to run, and goes together with others:
 *
 *	KPROBE_SITE_JUMP, in no list
 *	  |  kprobe_optimizer_idle()
 *	  v
 *	opt_idle	waits for a worker of its own, which waits for nobody;
 *	  |		left with the state, at once, when anything else turns
 *	  |		up that a jump may not stay for
 *	  |  all of them patched, some hundred at a time, but those that have
 *	  |  probes again
 *	  v
 *	in no list	KPROBE_SITE_CLEAN
 *
 * Whenever something might have been in a site's way and no longer is,
 * kprobe_optimizer_consider() is called for it.  To ask once too often costs
 * little.
 */
#include <linux/jiffies.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include <linux/math.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>
#include "internal.h"

/* All under kprobe_mutex. */
static LIST_HEAD(opt_queue);
static LIST_HEAD(opt_pass);
static LIST_HEAD(opt_idle);
static LIST_HEAD(opt_starved);	/* for lack of memory; back in the queue soon */
static bool opt_on = true;
static bool opt_started;
static unsigned int opt_passes;	/* how often the worker has been through */

static struct workqueue_struct *opt_wq;

static void optimizer_worker(struct work_struct *work);
static void starved_worker(struct work_struct *work);
static void idle_worker(struct work_struct *work);
static DECLARE_DELAYED_WORK(opt_work, optimizer_worker);
static DECLARE_DELAYED_WORK(starved_work, starved_worker);
static DECLARE_DELAYED_WORK(idle_work, idle_worker);

/* Many probes come one by one; let them gather for this many jiffies. */
#define OPT_DELAY	DIV_ROUND_UP(HZ, 50)
/* And for memory, this many. */
#define OPT_STARVED_DELAY	HZ

static bool site_armed(const struct kprobe_site *site)
{
	return site->state != KPROBE_SITE_CLEAN ||
	       (!list_empty(&site->plan) && site->next != KPROBE_SITE_CLEAN);
}

static struct kprobe_site *site_at(unsigned long addr)
{
	guard(preempt)();
	return kprobe_site_find(addr);
}

/**
 * kprobe_obstacle_now - what is in the way of a jump that may go again?
 * @site: any
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_NO_OBSTACLE, or one before KPROBE_OBSTACLE_TEXT.
 */
enum kprobe_obstacle kprobe_obstacle_now(const struct kprobe_site *site)
{
	struct kprobe_site *other;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);

	if (!opt_on)
		return KPROBE_SWITCHED_OFF;
	if (site->npost)
		return KPROBE_POST_HANDLER;
	if (site->njprobe)
		return KPROBE_JPROBE;

	for (i = KPROBE_INSN_STEP; site->close && i < KPROBE_JUMP_SIZE;
	     i += KPROBE_INSN_STEP) {
		other = site_at((unsigned long)site->addr + i);
		if (other && site_armed(other))
			return KPROBE_PROBE_INSIDE;
	}
	return KPROBE_NO_OBSTACLE;
}

/**
 * kprobe_detour_over - the site whose jump covers another, if it is a jump or
 *	about to become one
 * @site: the other
 * @back: how many bytes before it the site would be
 *
 * Context: kprobe_mutex held.
 */
struct kprobe_site *kprobe_detour_over(const struct kprobe_site *site,
				       unsigned int back)
{
	struct kprobe_site *over;

	if (!site->close)
		return NULL;
	over = site_at((unsigned long)site->addr - back);
	if (over && (over->detoured || over->state == KPROBE_SITE_JUMP))
		return over;
	return NULL;
}

/* Whether a site is at an address; if so, it is close to another one. */
static bool mark_close(unsigned long addr)
{
	struct kprobe_site *site = site_at(addr);

	if (site)
		site->close = true;
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
	/* Looked for once: there are few, and all changes would ask. */
	for (i = KPROBE_INSN_STEP; i < KPROBE_JUMP_SIZE; i += KPROBE_INSN_STEP)
		site->close |= mark_close(addr - i) | mark_close(addr + i);
}

static void consider_one(struct kprobe_site *site)
{
	if (site->state != KPROBE_SITE_TRAP || !list_empty(&site->optimize) ||
	    site->obstacle >= KPROBE_OBSTACLE_TEXT || kprobe_obstacle_now(site))
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
	if (site->state != KPROBE_SITE_CLEAN || !site->close)
		return;
	for (back = KPROBE_INSN_STEP; back < KPROBE_JUMP_SIZE;
	     back += KPROBE_INSN_STEP) {
		before = site_at((unsigned long)site->addr - back);
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
	if (!site->detoured)
		return;
	arch_kprobe_use_detour(site, false);
	site->detoured = false;
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
 * kprobe_optimizer_idle - a probe has been disabled: may the text follow later?
 * @site: where
 *
 * Context: kprobe_mutex held.
 * Return: whether this is seen to, and the site need not be reconciled.
 */
bool kprobe_optimizer_idle(struct kprobe_site *site)
{
	lockdep_assert_held(&kprobe_mutex);

	if (site->state != KPROBE_SITE_JUMP || !list_empty(&site->active))
		return false;
	if (list_empty(&site->optimize)) {
		list_add_tail(&site->optimize, &opt_idle);
		queue_delayed_work(opt_wq, &idle_work, OPT_DELAY);
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
 * So many sites are patched before others get a chance at the locks: as many
 * as text_poke_bp() takes in one go where pages are small.
 */
#define OPT_PATCH_CHUNK	256

/*
 * Patches those sites of @from that @wanted tells, a chunk at a time.  What is
 * added to @from meanwhile is dealt with, too.
 */
static void patch_chunks(struct list_head *from, enum kprobe_site_state next,
			 bool (*wanted)(struct kprobe_site *site))
{
	struct kprobe_site *site;
	unsigned int n;
	LIST_HEAD(plan);

	do {
		scoped_guard(mutex, &kprobe_mutex) {
			for (n = 0; n < OPT_PATCH_CHUNK && !list_empty(from);
			     n++) {
				site = list_first_entry(from,
							struct kprobe_site,
							optimize);
				list_del_init(&site->optimize);
				if (!wanted(site))
					continue;
				site->next = next;
				list_add_tail(&site->plan, &plan);
			}
			if (!list_empty(&plan))
				kprobe_patch(&plan);
		}
		cond_resched();
	} while (n == OPT_PATCH_CHUNK);
}

static bool wants_no_jump(struct kprobe_site *site)
{
	return list_empty(&site->active);
}

/* Takes the jumps away that only disabled probes are left on. */
static void idle_worker(struct work_struct *work)
{
	/* Text is patched in the order of addresses. */
	scoped_guard(mutex, &kprobe_mutex)
		list_sort(NULL, &opt_idle, by_address);
	patch_chunks(&opt_idle, KPROBE_SITE_CLEAN, wants_no_jump);
}

static void starved_worker(struct work_struct *work)
{
	guard(mutex)(&kprobe_mutex);

	if (list_empty(&opt_starved))
		return;
	list_splice_tail_init(&opt_starved, &opt_queue);
	queue_delayed_work(opt_wq, &opt_work, 0);
}

/* Takes a site out of the queue, to the next step if there is nothing else. */
static void prepare_jump(struct kprobe_site *site)
{
	list_del_init(&site->optimize);
	/* Whoever removes what is in the way considers it again. */
	if (site->state != KPROBE_SITE_TRAP || kprobe_obstacle_now(site))
		return;

	site->obstacle = arch_kprobe_analyse(site);
	if (!site->obstacle)
		site->obstacle = arch_kprobe_detour(site);
	if (site->obstacle == KPROBE_DETOUR_MEMORY) {
		list_add_tail(&site->optimize, &opt_starved);
		queue_delayed_work(opt_wq, &starved_work, OPT_STARVED_DELAY);
	} else if (!site->obstacle) {
		arch_kprobe_use_detour(site, true);
		site->detoured = true;
		list_add_tail(&site->optimize, &opt_pass);
	}
}

/* How many sites are prepared before others get a chance at the lock. */
#define OPT_CHUNK	64

static bool wants_jump(struct kprobe_site *site)
{
	bool ready = site->state == KPROBE_SITE_TRAP && site->detoured &&
		     !kprobe_obstacle_now(site);

	/* What has made an obstacle has cancelled it. */
	if (WARN_ON_ONCE(!ready)) {
		kprobe_optimizer_cancel(site);
		return false;
	}
	site->detoured = false;
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
	n = list_count_nodes(&opt_pass);
	if (!n) {
		opt_passes++;
		mutex_unlock(&kprobe_mutex);
		return;
	}
	mutex_unlock(&kprobe_mutex);

	synchronize_rcu_tasks();

	/* Only this worker adds to the pass: it ends with these. */
	patch_chunks(&opt_pass, KPROBE_SITE_JUMP, wants_jump);
	scoped_guard(mutex, &kprobe_mutex)
		opt_passes++;
}

/* What is queued now has had its turn after two passes: one may be halfway. */
static bool optimizer_settled(unsigned int before)
{
	guard(mutex)(&kprobe_mutex);
	return opt_passes - before >= 2 ||
	       (list_empty(&opt_queue) && list_empty(&opt_pass) &&
		list_empty(&opt_idle));
}

/* Who only wants to look waits no longer than so many jiffies. */
#define OPT_SETTLE	(5 * HZ)

/**
 * kprobe_optimizer_settle - let the optimizer do what it has to do by now
 *
 * Unlike wait_for_kprobe_optimizer() this ends after some seconds: a task that
 * stands under a jump to be may do so for as long as it likes.
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
 * kprobe_optimizer_switch - allow jumps or turn all of them back
 * @on: which
 *
 * Context: may sleep.
 */
void kprobe_optimizer_switch(bool on)
{
	struct kprobe_site *site;
	LIST_HEAD(touched);

	guard(mutex)(&kprobe_mutex);

	opt_on = on;
	if (on) {
		list_for_each_entry(site, &kprobe_sites, all)
			kprobe_optimizer_consider(site);
		return;
	}
	list_for_each_entry(site, &kprobe_sites, all)
		list_add_tail(&site->plan, &touched);
	kprobe_reconcile_jumps(&touched);
}

/** kprobe_optimizer_on - whether jumps are allowed */
bool kprobe_optimizer_on(void)
{
	guard(mutex)(&kprobe_mutex);
	return opt_on;
}

#ifdef CONFIG_SYSCTL
/* Users know the switch under two names. */
static int switch_handler(const struct ctl_table *table, int write,
			  void *buffer, size_t *lenp, loff_t *ppos)
{
	char text[4] = "";
	bool on = kprobe_optimizer_on();
	int ret;

	if (!write) {
		struct ctl_table shown = {
			.data = text,
			.maxlen = sizeof(text),
		};

		text[0] = on ? '1' : '0';
		return proc_dostring(&shown, 0, buffer, lenp, ppos);
	}

	/* kstrtobool() looks at one letter only, and knows more of them. */
	if (*ppos || !*lenp || *lenp >= sizeof(text))
		return -EINVAL;
	memcpy(text, buffer, *lenp);
	if (strlen(strim(text)) != 1 || !strchr("01nyNY", *strim(text)))
		return -EINVAL;
	ret = kstrtobool(strim(text), &on);
	if (ret)
		return ret;
	kprobe_optimizer_switch(on);
	*ppos += *lenp;
	return 0;
}

static struct ctl_table optimizer_sysctls[] = {
	{
		.procname = "kprobes-optimization",
		.mode = 0644,
		.proc_handler = switch_handler,
	},
	{
		.procname = "kprobes_optimization",
		.mode = 0644,
		.proc_handler = switch_handler,
	},
};

static void __init sysctls_init(void)
{
	register_sysctl_init("debug", optimizer_sysctls);
}
#else
static void __init sysctls_init(void) { }
#endif

/**
 * kprobe_optimizer_start - from now on RCU-tasks can be waited for
 *
 * What has been registered before has been queued.
 */
void __init kprobe_optimizer_start(void)
{
	/* The worker waits for long: not on a queue that others wait for. */
	sysctls_init();
	opt_wq = alloc_workqueue("kprobe-optimizer", WQ_UNBOUND, 0);
	if (!opt_wq)
		return;

	guard(mutex)(&kprobe_mutex);
	opt_started = true;
	queue_delayed_work(opt_wq, &opt_work, OPT_DELAY);
}

/**
 * wait_for_kprobe_optimizer - until what can be a jump by now is one, and what
 *	nobody wants any more is none
 *
 * Context: may sleep.
 */
void wait_for_kprobe_optimizer(void)
{
	/* What was covered by one that goes may become a jump then. */
	flush_delayed_work(&idle_work);
	flush_delayed_work(&opt_work);
	/* What was queued while the worker waited. */
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
	site = site_at((unsigned long)addr);
	if (!site)
		return KPROBE_DETOUR_MEMORY;
	if (site->on_ftrace)
		return KPROBE_OBSTACLE_TEXT;
	return site->obstacle ?: kprobe_obstacle_now(site);
}
EXPORT_SYMBOL_GPL(kprobe_obstacle_at);
#endif
