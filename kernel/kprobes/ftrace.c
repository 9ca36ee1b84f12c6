// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on the ftrace call at a function's entry.
 *
 * ftrace patches this call.  If a site is on the call, ftrace delivers its hits
 * through a callback.  The site needs no out-of-line copy, because the
 * instruction does nothing except call ftrace.  All these sites share one
 * ftrace_ops, so one update of ftrace arms a batch.  The callback looks up the
 * site by its address, as a trap does.
 *
 * An update of ftrace scans all functions, and a hit by ftrace costs more than
 * a hit by a jump.  A site that "owns" the next instruction (owns_next is set)
 * therefore patches it instead: first with a trap, then with a jump.  Unless
 * other code branches there, a hit at the next instruction finds the same state
 * as a hit at the call, except for the instruction pointer; handlers see the
 * call's address in both cases.  The site must use ftrace
 *
 * - if code jumps to the next instruction, or a probe is on it,
 * - if jumps are switched off, or no jump can replace it (but an armed site may
 *   keep its trap if a probe is in the way of its jump),
 * - if a probe on the site is a jprobe or has a post handler, because these
 *   need a probed instruction without effect, or
 * - if a live patch or a direct call redirects the call.
 *
 * Before ftrace registers an ops that redirects functions, ftrace calls
 * kprobe_redirect_begin(), which moves the sites on functions in the ops'
 * filter to ftrace.  Functions that ftrace_set_filter_ip() adds to a registered
 * ops are not examined.
 *
 * kprobe_site_create() decides once whether a site may ever own the next
 * instruction, and builds its copy.  So even a temporary obstacle, such as a
 * lack of memory or a debugger's breakpoint, lasts as long as the site.
 *
 * From the next instruction to ftrace
 * -----------------------------------
 *
 * A site moves from the next instruction to ftrace, and never back.  A hit
 * passes the call first, then the next instruction.  The steps are:
 *
 * 1. The site is added to ftrace's filter.  The callback ignores its hits.
 * 2. One store sets site->ftrace.  If the callback still reads the old value,
 *    the trap or jump at the next instruction handles the hit.
 * 3. If the callback reads the new value, the callback handles the hit, and
 *    continues at a copy of the next instruction (arch_kprobe_resume()).
 * 4. The text stays patched: until step 6, each hit is handled exactly once.
 * 5. A grace period of RCU ends: a hit that passed the call before 2 has passed
 *    the next instruction, unless its task was interrupted or preempted.
 * 6. The text is restored on all CPUs.  From then on, hits need no copy.
 *
 * A task that passed the call before 2, and does not reach the next instruction
 * before 6, executes the restored instruction: its hit is neither handled nor
 * counted, because only the task's instruction pointer shows that it passed the
 * call.  Only a grace period of RCU-tasks would wait for this task, but its
 * length has no limit, and kprobe_mutex is held.  Nor can the text stay patched
 * for so long: the trampoline of a direct call continues at the next
 * instruction, so each call of the function would have a second hit there.
 *
 * If ftrace drops a hit after 2, kprobe_ftrace_dropped() counts it as missed,
 * and the task continues at the copy.
 *
 * Permission to redirect
 * ----------------------
 *
 * ftrace allows only one user to redirect a function, and live patching may
 * need to be this user.  By an old convention, a probe that redirects a
 * function has a post handler.  So the ops lacks FTRACE_OPS_FL_IPMODIFY, and an
 * armed site "claims" its function only while it has post handlers.  Then
 * ftrace refuses live patches of the function, and the owner of a direct call
 * must share it.  With or without a claim, execution continues at an address
 * that a handler has set, unless another user of ftrace redirects the function.
 *
 * A claim and its release set and clear a flag of ftrace's record, and change
 * no text themselves.  The function must stay in the filter while it is claimed
 * (see ftrace_claim_ipmodify()), so arming adds it to the filter before the
 * claim, and disarming removes it after the release.  A hit that began before
 * the release may lose its redirection if a direct call is then not shared any
 * more.
 *
 * Deferred updates
 * ----------------
 *
 * An update of ftrace is slow.  The update for a new probe cannot be deferred,
 * but the update for a removed probe can.  site->ftrace is cleared, so the
 * callback ignores hits, and a worker removes the function from the filter
 * later, together with others.  Until then, the function is a "leftover".  If a
 * probe on the function is registered again before that, no update is needed.
 * Large batches are removed immediately.  A function that could not be claimed
 * is a leftover, too.
 *
 * Recursion
 * ---------
 *
 * The core handles recursion and counts misses itself.  The ops therefore lacks
 * FTRACE_OPS_FL_RECURSION, and ftrace calls it even for a hit in a handler.
 * But if several ops are on one function, ftrace calls them from a loop with a
 * guard against recursion.  kprobe_ftrace_dropped() counts the hits that this
 * guard drops.
 */
#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/maple_tree.h>
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

#ifdef CONFIG_KPROBES_CLASSIC
#define kprobe_ftrace_hit	kprobe_classic_ftrace_hit
#else
static noinline void kprobe_ftrace_hit_slow(unsigned long ip,
					    struct pt_regs *regs)
{
	/* The next instruction, or the address that live patching has set. */
	unsigned long next = instruction_pointer(regs);
	enum site_ftrace how = SITE_FTRACE_OFF;
	bool entered = kprobe_rcu_enter();
	enum kprobe_verdict verdict;
	struct kprobe_site *site;

	site = kprobe_site_find(ip);
	if (site)
		how = READ_ONCE(site->ftrace);
	if (how == SITE_FTRACE_OFF)
		goto out;

	instruction_pointer_set(regs, ip + KPROBE_IP_SKID);
	verdict = kprobe_site_pre(site, regs, KPROBE_BY_CODE);
	if (verdict == KPROBE_HIT_DIVERTED)
		goto diverted;

	if (verdict == KPROBE_HIT_EXECUTE && READ_ONCE(site->npost)) {
		instruction_pointer_set(regs, ip + MCOUNT_INSN_SIZE);
		kprobe_site_post(site, regs, KPROBE_BY_CODE);
		/* A post handler may also set the instruction pointer. */
		if (instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE)
			goto diverted;
	}
	instruction_pointer_set(regs, next);
	if (how != SITE_FTRACE_MOVES)
		goto out;
diverted:
	/* If the text at this ip is patched, continue at its copy. */
	arch_kprobe_resume(regs);
out:
	kprobe_rcu_exit(entered);
}
NOKPROBE_SYMBOL(kprobe_ftrace_hit_slow);

/* The usual case: no nesting, no post handler, and no move of the site. */
static __always_inline void kprobe_ftrace_hit_fast(unsigned long ip,
						   struct pt_regs *regs)
{
	struct kprobe_site *site;
	unsigned long next;

	if (kprobe_hit_is_slow(KPROBE_BY_CODE))
		return kprobe_ftrace_hit_slow(ip, regs);
	site = kprobe_site_find(ip);
	if (unlikely(!site))
		return;
	if (unlikely(READ_ONCE(site->ftrace) != SITE_FTRACE_ON ||
		     READ_ONCE(site->npost)))
		return kprobe_ftrace_hit_slow(ip, regs);

	next = instruction_pointer(regs);
	instruction_pointer_set(regs, ip + KPROBE_IP_SKID);
	if (likely(!kprobe_call_pre(kprobe_first_pre(site), regs)))
		instruction_pointer_set(regs, next);
	else
		arch_kprobe_resume(regs);
	kprobe_running_clear(KPROBE_BY_CODE);
}

static void kprobe_ftrace_hit(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	/* FTRACE_OPS_FL_SAVE_REGS ensures that all registers are saved. */
	struct pt_regs *regs = arch_kprobe_ftrace_regs(fregs);
	unsigned long flags;
	bool traced_on;

	raw_local_irq_save(flags);
	traced_on = kprobe_hit_enter(regs, !raw_irqs_disabled_flags(flags));
	kprobe_ftrace_hit_fast(ip, regs);
	if (traced_on)
		kprobe_trace_irqs_on();
	/*
	 * Enable interrupts first.  Otherwise preempt_enable_notrace() would
	 * not schedule, although a handler may have woken up a task.
	 */
	raw_local_irq_restore(flags);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_ftrace_hit);
#endif

/**
 * kprobe_ftrace_dropped - count a hit that the guard of ftrace's loop drops
 * @ip: the address of the call
 * @regs: complete registers, or NULL
 *
 * This keeps interrupts off and RCU watching until the hit is counted, because
 * unregistering a probe waits only for such code.  Disabling interrupts must
 * not be traced, because a tracer would recurse.
 *
 * Context: any.
 */
void kprobe_ftrace_dropped(unsigned long ip, struct pt_regs *regs)
{
	struct kprobe_site *site;
	enum site_ftrace how;
	unsigned long flags;
	bool entered;

	raw_local_irq_save(flags);
	entered = kprobe_read_lock();
	site = kprobe_site_find(ip);
	how = site ? READ_ONCE(site->ftrace) : SITE_FTRACE_OFF;
	/* Without @regs, the task passed the call before the move began. */
	if (how == SITE_FTRACE_ON || (how == SITE_FTRACE_MOVES && regs))
		kprobe_site_missed(site, KPROBE_MISS_TRACER);
	if (how == SITE_FTRACE_MOVES && regs)
		arch_kprobe_resume(regs);
	/* Interrupts are still off, so this does not call the scheduler. */
	kprobe_read_unlock(entered);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kprobe_ftrace_dropped);

/*
 * Without IPMODIFY, so that register_ftrace_function() does not call
 * kprobe_redirect_begin(), which would take kprobe_mutex again.
 */
static struct ftrace_ops kprobe_ftrace_ops = {
	.func = kprobe_ftrace_hit,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

/* Number of functions in the filter; the ops is registered if it is not 0. */
static unsigned int kprobe_ftrace_nr;	/* under kprobe_mutex */

/* Set once ftrace has shut itself down: its functions must not be called. */
bool kprobe_ftrace_disabled;

/* Claim the function of a site, which must be in the filter. */
static int site_claim(struct kprobe_site *site)
{
	int ret = ftrace_claim_ipmodify((unsigned long)site->addr);

	site->claimed = !ret;
	return ret;
}

/* Release the claim of a site, if any, while the function is in the filter. */
static void site_release(struct kprobe_site *site)
{
	/* If ftrace is dead, owners of direct calls must not be notified. */
	if (site->claimed && !kprobe_ftrace_disabled)
		ftrace_release_ipmodify((unsigned long)site->addr);
	site->claimed = false;
}

/* Add functions to the filter.  On failure, none is added. */
static int site_ops_add(unsigned long *ips, unsigned int nr)
{
	int ret;

	if (!nr)
		return 0;
	ret = ftrace_set_filter_ips(&kprobe_ftrace_ops, ips, nr, 0, 0);
	if (ret)
		return ret;
	if (!kprobe_ftrace_nr)
		ret = register_ftrace_function(&kprobe_ftrace_ops);
	if (ret)
		ftrace_set_filter_ips(&kprobe_ftrace_ops, ips, nr, 1, 0);
	else
		kprobe_ftrace_nr += nr;
	return ret;
}

/*
 * Remove functions from the filter.  If ftrace refuses the new filter, for
 * example for lack of memory, retry one by one.  A function that stays in the
 * filter is harmless: once site->ftrace is cleared, the callback ignores hits.
 */
static void site_ops_remove(unsigned long *ips, unsigned int nr)
{
	unsigned int i;

	if (!nr || kprobe_ftrace_disabled)
		return;
	kprobe_ftrace_nr -= nr;
	/* An empty filter would select every function. */
	if (!kprobe_ftrace_nr)
		unregister_ftrace_function(&kprobe_ftrace_ops);
	if (!ftrace_set_filter_ips(&kprobe_ftrace_ops, ips, nr, 1, 0))
		return;
	for (i = 0; i < nr; i++)
		ftrace_set_filter_ip(&kprobe_ftrace_ops, ips[i], 1, 0);
}

/*
 * Leftovers by address; each entry is its address.  If a site is armed again,
 * its function remains here until the next flush, which then skips it.  Under
 * kprobe_mutex.
 */
static DEFINE_MTREE(leftovers);
static unsigned int nr_leftovers;

/* Batches with more sites than this are removed without delay. */
#define LEFTOVERS_BATCH	64
/* Approximate maximum of nr_leftovers. */
#define LEFTOVERS_MAX	4096
/* Jiffies until a worker removes leftovers from the filter. */
#define LEFTOVERS_DELAY	DIV_ROUND_UP(HZ, 50)

/**
 * kprobe_ftrace_flush - remove all leftovers from the filter
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_ftrace_flush(void)
{
	unsigned long *ips, ip, next = 0;
	struct kprobe_site *site;
	unsigned int nr = 0;
	void *entry;

	lockdep_assert_held(&kprobe_mutex);

	if (!nr_leftovers)
		return;
	ips = kvmalloc_array(nr_leftovers, sizeof(*ips), GFP_KERNEL);
	mt_for_each(&leftovers, entry, next, ULONG_MAX) {
		ip = (unsigned long)entry;
		site = kprobe_site_at(ip);
		if (site && site->ftrace)
			continue;
		if (ips)
			ips[nr++] = ip;
		else
			site_ops_remove(&ip, 1);
	}
	mtree_destroy(&leftovers);
	nr_leftovers = 0;
	site_ops_remove(ips, nr);
	kvfree(ips);
}

static void leftovers_worker(struct work_struct *work)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_ftrace_flush();
}

static DECLARE_DELAYED_WORK(leftovers_work, leftovers_worker);

/* Leave a function in the filter for a while.  Return false on failure. */
static bool leftover_add(unsigned long ip)
{
	int ret = mtree_insert(&leftovers, ip, (void *)ip, GFP_KERNEL);

	if (!ret && !nr_leftovers++)
		schedule_delayed_work(&leftovers_work, LEFTOVERS_DELAY);
	return !ret || ret == -EEXIST;
}

/**
 * kprobe_ftrace_arm - arm a set of sites with ftrace
 * @batch: sites, linked by kprobe_site::batch, that are not armed with ftrace
 *	or whose claims change
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0, -ENOMEM, -ENODEV, or -EBUSY or -EAGAIN from ftrace.  On failure,
 * no site is armed and no function is claimed; claims may have been released.
 */
int kprobe_ftrace_arm(struct list_head *batch)
{
	unsigned int nr = 0, all = list_count_nodes(batch);
	struct kprobe_site *site;
	unsigned long *ips;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	/* A release cannot fail, so make it even if the rest fails. */
	list_for_each_entry(site, batch, batch)
		if (!site->npost)
			site_release(site);
	/* Check here: if all sites are leftovers, no call below would fail. */
	if (kprobe_ftrace_disabled)
		return -ENODEV;
	ips = kvmalloc_array(all, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return -ENOMEM;

	list_for_each_entry(site, batch, batch) {
		unsigned long ip = (unsigned long)site->addr;

		if (!site->ftrace && !mtree_load(&leftovers, ip))
			ips[nr++] = ip;
	}
	ret = site_ops_add(ips, nr);
	if (ret)
		goto free;
	/* In this batch, no site with post handlers has a claim yet. */
	list_for_each_entry(site, batch, batch) {
		if (site->npost)
			ret = site_claim(site);
		if (ret)
			break;
	}
	if (ret) {
		list_for_each_entry(site, batch, batch)
			if (site->npost)
				site_release(site);
		/* Keep them in the filter: a retry then needs no update. */
		while (nr && leftover_add(ips[nr - 1]))
			nr--;
		site_ops_remove(ips, nr);
		goto free;
	}
	list_for_each_entry(site, batch, batch) {
		if (!site->ftrace)
			WRITE_ONCE(site->ftrace,
				   site->state == KPROBE_SITE_CLEAN ?
				   SITE_FTRACE_ON : SITE_FTRACE_MOVES);
	}
free:
	kvfree(ips);
	return ret;
}

/**
 * kprobe_ftrace_disarm - disarm a set of sites that are armed with ftrace
 * @batch: sites, linked by kprobe_site::batch
 *
 * The callback, which ftrace may still call for these sites, ignores the hits.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_ftrace_disarm(struct list_head *batch)
{
	struct kprobe_site *site;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);

	list_for_each_entry(site, batch, batch) {
		unsigned long ip = (unsigned long)site->addr;

		WRITE_ONCE(site->ftrace, SITE_FTRACE_OFF);
		site_release(site);
		if (!leftover_add(ip))
			site_ops_remove(&ip, 1);
		nr++;
	}
	if (nr > LEFTOVERS_BATCH || nr_leftovers > LEFTOVERS_MAX)
		kprobe_ftrace_flush();
}

/**
 * kprobe_ftrace_kill - record that ftrace has shut itself down after an error
 *
 * From now on, ftrace changes no call, and no site can be armed with ftrace.
 * Sites that were armed with it may still have hits, and stay until their
 * probes are unregistered.
 *
 * Context: any.
 */
void kprobe_ftrace_kill(void)
{
	kprobe_ftrace_disabled = true;
}
