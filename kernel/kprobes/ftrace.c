// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on the call of ftrace at a function's entry.
 *
 * That instruction is ftrace's to patch.  A site on it is hit by a callback
 * instead of a trap, and needs no copy out of line: what is there does
 * nothing but call.  All such sites share two ftrace_ops, so that a batch of
 * them is one update of ftrace, and the callback finds the site by its
 * address as a trap does.
 *
 * Which of the two: ftrace lets one owner of IPMODIFY change where a function
 * goes; live patching is one.  A probe whose handlers do so has a post handler
 * by an old convention, so sites with post handlers are in the ops with
 * IPMODIFY.  An address that a pre handler has set is honoured in either ops,
 * unless another user of ftrace redirects the function; one with a direct call
 * is asked to share it with the ops with IPMODIFY, and only with that.
 * site->ftrace_ops is the ops that calls handlers; the other one ignores a hit.
 * While an entry moves here from behind the call, KPROBE_FTRACE_NOTES is added,
 * a value that the fast way does not know: moving.c says why.
 * A site that moves is added to the new ops before it leaves the old one.  If
 * it moves while ftrace calls both for one hit, handlers may be called twice or
 * not at all.
 *
 * Each update makes ftrace look at all functions there are, some times over. A
 * probe that comes cannot wait for others.  One that goes can: its site forgets
 * the ops, from then on the callback finds nothing to do, and the function is
 * taken out of the filter by a worker, together with others that have gone
 * meanwhile.  If there is a probe again by then, nothing has to be done at all.
 * Large batches are taken out at once, and so is what other owners of
 * IPMODIFY may wait for.
 *
 * Recursion is the core's business: without FTRACE_OPS_FL_RECURSION ftrace
 * calls in any case, and the core counts what it misses.  Where several ops
 * are on one function, ftrace calls them from a loop that does guard against
 * recursion; kprobe_ftrace_dropped() is told what is lost there.
 */
#include <linux/ftrace.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* In site->ftrace_ops: whoever has a hit notes it, too. */
#define KPROBE_FTRACE_NOTES	1UL

static __always_inline struct ftrace_ops *with_notes(struct ftrace_ops *ops)
{
	return (struct ftrace_ops *)((unsigned long)ops | KPROBE_FTRACE_NOTES);
}

static __always_inline bool takes_notes(const struct ftrace_ops *ops)
{
	return (unsigned long)ops & KPROBE_FTRACE_NOTES;
}

#ifdef CONFIG_KPROBES_CLASSIC
#define ftrace_site_hit	kprobe_classic_ftrace_hit
#else
static noinline void ftrace_site_slow(unsigned long ip, struct pt_regs *regs,
				      struct ftrace_ops *ops)
{
	/* Live patching may have set it: restored behind the handlers. */
	unsigned long next = instruction_pointer(regs);
	enum kprobe_verdict verdict;
	bool entered = kprobe_rcu_enter();
	struct ftrace_ops *calls = NULL;
	struct kprobe_site *site;

	site = kprobe_site_find(ip);
	if (site)
		calls = READ_ONCE(site->ftrace_ops);
	if (calls != ops && calls != with_notes(ops))
		goto out;

	instruction_pointer_set(regs, ip);
	verdict = kprobe_site_pre(site, regs, KPROBE_BY_CODE);
	/* Unless a handler has gone elsewhere, it comes behind the call now. */
	if (takes_notes(calls) &&
	    (verdict != KPROBE_HIT_DIVERTED ||
	     instruction_pointer(regs) == ip + MCOUNT_INSN_SIZE))
		kprobe_note_hit(site, regs);
	if (verdict == KPROBE_HIT_DIVERTED) {
		arch_kprobe_resume(regs);
		goto out;
	}

	if (verdict == KPROBE_HIT_EXECUTE && READ_ONCE(site->npost)) {
		instruction_pointer_set(regs, ip + MCOUNT_INSN_SIZE);
		kprobe_site_post(site, regs, KPROBE_BY_CODE);
		/* A post handler may move on from there, too. */
		if (instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE) {
			arch_kprobe_resume(regs);
			goto out;
		}
	}
	instruction_pointer_set(regs, next);
out:
	kprobe_rcu_exit(entered);
}
NOKPROBE_SYMBOL(ftrace_site_slow);

/* The usual case: it does not nest, and there is no post handler. */
static __always_inline void ftrace_site_fast(unsigned long ip,
					     struct pt_regs *regs,
					     struct ftrace_ops *ops)
{
	struct kprobe_site *site;
	unsigned long next;

	if (kprobe_hit_is_slow(KPROBE_BY_CODE))
		return ftrace_site_slow(ip, regs, ops);
	site = kprobe_site_find(ip);
	if (unlikely(!site))
		return;
	if (unlikely(READ_ONCE(site->ftrace_ops) != ops ||
		     READ_ONCE(site->npost)))
		return ftrace_site_slow(ip, regs, ops);

	next = instruction_pointer(regs);
	instruction_pointer_set(regs, ip);
	if (likely(!kprobe_call_pre(kprobe_first_pre(site), regs)))
		instruction_pointer_set(regs, next);
	else
		arch_kprobe_resume(regs);
	kprobe_running_clear(KPROBE_BY_CODE);
}

static void ftrace_site_hit(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	/* Complete, since FTRACE_OPS_FL_SAVE_REGS is set. */
	struct pt_regs *regs = arch_kprobe_ftrace_regs(fregs);
	unsigned long flags;
	bool traced_on;

	raw_local_irq_save(flags);
	traced_on = kprobe_hit_enter(!raw_irqs_disabled_flags(flags));
	ftrace_site_fast(ip, regs, ops);
	if (traced_on)
		kprobe_trace_irqs_on();
	/* In this order, since a handler may have woken up a task. */
	raw_local_irq_restore(flags);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ftrace_site_hit);
#endif

/**
 * kprobe_ftrace_dropped - ftrace has not called for a function
 * @ip: of its call
 *
 * To count is part of a hit: interrupts are off and RCU is watching from
 * before the look-up, so that unregistering a probe waits for it.  Nothing
 * here may be traced, or it would be called for that, and so on: interrupts
 * are disabled without telling the tracer of that.
 *
 * Context: any.
 */
void kprobe_ftrace_dropped(unsigned long ip)
{
	const struct ftrace_ops *calls;
	struct kprobe_site *site;
	unsigned long flags;
	bool entered;

	raw_local_irq_save(flags);
	entered = kprobe_read_lock();
	site = kprobe_site_find(ip);
	calls = site ? READ_ONCE(site->ftrace_ops) : NULL;
	/* What would be noted comes behind the call, and is had there. */
	if (calls && !takes_notes(calls))
		kprobe_site_missed(site, NULL, KPROBE_MISS_TRACER);
	/* With interrupts off this does not call the scheduler, traced here. */
	kprobe_read_unlock(entered);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kprobe_ftrace_dropped);

/**
 * struct site_ops - sites that ftrace calls for in one way
 * @ops: for ftrace
 * @nr: how many functions are in its filter; under kprobe_mutex
 */
struct site_ops {
	struct ftrace_ops ops;
	unsigned int nr;
};

static struct site_ops kprobe_ftrace_ops = {
	.ops = {
		.func = ftrace_site_hit,
		.flags = FTRACE_OPS_FL_SAVE_REGS,
	},
};

static struct site_ops kprobe_ipmodify_ops = {
	.ops = {
		.func = ftrace_site_hit,
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
	},
};

/* ftrace has shut itself down: its functions are not to be called. */
bool kprobe_ftrace_disabled;

/* For kprobe_redirect_begin(). */
bool kprobe_ftrace_is_ours(const struct ftrace_ops *ops)
{
	return ops == &kprobe_ftrace_ops.ops || ops == &kprobe_ipmodify_ops.ops;
}

static struct site_ops *site_ops_wanted(const struct kprobe_site *site)
{
	return site->npost ? &kprobe_ipmodify_ops : &kprobe_ftrace_ops;
}

static struct site_ops *site_ops_now(const struct kprobe_site *site)
{
	unsigned long ops = (unsigned long)site->ftrace_ops;

	return container_of((struct ftrace_ops *)(ops & ~KPROBE_FTRACE_NOTES),
			    struct site_ops, ops);
}

/**
 * kprobe_ftrace_moves - is an armed site to be called for in another way?
 * @site: on ftrace
 *
 * Context: kprobe_mutex held.
 */
bool kprobe_ftrace_moves(const struct kprobe_site *site)
{
	return site->ftrace_ops && site_ops_now(site) != site_ops_wanted(site);
}

/* Adds sites to an ops. None is there on failure. */
static int ops_add(struct site_ops *to, unsigned long *ips, unsigned int nr)
{
	int ret;

	if (!nr)
		return 0;
	/* For the first ones register_ftrace_function() does that. */
	if (to->nr && to->ops.flags & FTRACE_OPS_FL_IPMODIFY)
		ret = ftrace_add_ipmodify(&to->ops, ips, nr);
	else
		ret = ftrace_set_filter_ips(&to->ops, ips, nr, 0, 0);
	if (!ret && !to->nr) {
		ret = register_ftrace_function(&to->ops);
		if (ret)
			ftrace_set_filter_ips(&to->ops, ips, nr, 1, 0);
	}
	if (!ret)
		to->nr += nr;
	return ret;
}

/*
 * Without memory for a new filter of all, functions are removed one by one,
 * which may need less.  One that stays in the filter does no harm: when the
 * caller is done no site refers to @from for it, and the callback does nothing.
 */
static void ops_remove(struct site_ops *from, unsigned long *ips,
		       unsigned int nr)
{
	unsigned int i;

	if (!nr || kprobe_ftrace_disabled)
		return;
	from->nr -= nr;
	/* An empty filter would mean every function. */
	if (!from->nr)
		unregister_ftrace_function(&from->ops);
	if (!ftrace_set_filter_ips(&from->ops, ips, nr, 1, 0))
		return;
	for (i = 0; i < nr; i++)
		ftrace_set_filter_ip(&from->ops, ips[i], 1, 0);
}

/**
 * struct leftover - a function in the filter of kprobe_ftrace_ops that has no
 *	armed site
 * @node: in the table of them
 * @ip: of its call
 */
struct leftover {
	struct hlist_node node;
	unsigned long ip;
};

/* Under kprobe_mutex. */
static DEFINE_HASHTABLE(leftovers, 9);
static unsigned int nr_leftovers;

/* Batches with more sites than this leave the filter at once. */
#define LEFTOVERS_BATCH	64
/* About so many functions without an armed site stay in the filter at most. */
#define LEFTOVERS_MAX	4096
/* A worker removes them after so many jiffies. */
#define LEFTOVERS_DELAY	DIV_ROUND_UP(HZ, 50)

static struct leftover *leftover_find(unsigned long ip)
{
	struct leftover *left;

	hash_for_each_possible(leftovers, left, node, ip)
		if (left->ip == ip)
			return left;
	return NULL;
}

static void leftover_free(struct leftover *left)
{
	hash_del(&left->node);
	kfree(left);
	nr_leftovers--;
}

/**
 * kprobe_ftrace_flush - take all functions without an armed site out of the
 *	filter
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_ftrace_flush(void)
{
	unsigned long ips[16];
	struct hlist_node *next;
	struct leftover *left;
	unsigned long *all;
	unsigned int nr = 0;
	int bucket;

	lockdep_assert_held(&kprobe_mutex);

	if (!nr_leftovers)
		return;
	all = kvmalloc_array(nr_leftovers, sizeof(*all), GFP_KERNEL);
	hash_for_each_safe(leftovers, bucket, next, left, node) {
		if (!all && nr == ARRAY_SIZE(ips)) {
			ops_remove(&kprobe_ftrace_ops, ips, nr);
			nr = 0;
		}
		(all ?: ips)[nr++] = left->ip;
		leftover_free(left);
	}
	ops_remove(&kprobe_ftrace_ops, all ?: ips, nr);
	kvfree(all);
}

static void leftovers_worker(struct work_struct *work)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_ftrace_flush();
}

static DECLARE_DELAYED_WORK(leftovers_work, leftovers_worker);

/* Return: whether this function may stay in the filter for a while. */
static bool leave_over(unsigned long ip)
{
	struct leftover *left = kmalloc(sizeof(*left), GFP_KERNEL);

	if (!left)
		return false;
	left->ip = ip;
	hash_add(leftovers, &left->node, ip);
	if (!nr_leftovers++)
		schedule_delayed_work(&leftovers_work, LEFTOVERS_DELAY);
	return true;
}

/* Those sites of a batch that are to come into an ops and are not in it yet. */
static unsigned int collect_wanted(struct list_head *batch,
				   struct site_ops *ops, unsigned long *ips)
{
	struct kprobe_site *site;
	unsigned int nr = 0;

	list_for_each_entry(site, batch, batch) {
		unsigned long ip = (unsigned long)site->addr;

		if (site_ops_wanted(site) != ops)
			continue;
		if (ops != &kprobe_ftrace_ops || !leftover_find(ip))
			ips[nr++] = ip;
	}
	return nr;
}

/* Those that are in it and are to be taken out now. */
static unsigned int collect_going(struct list_head *batch, struct site_ops *ops,
				  bool at_once, unsigned long *ips)
{
	struct kprobe_site *site;
	unsigned int nr = 0;

	list_for_each_entry(site, batch, batch) {
		unsigned long ip = (unsigned long)site->addr;

		if (site_ops_now(site) == ops && (at_once || !leave_over(ip)))
			ips[nr++] = ip;
	}
	return nr;
}

/**
 * kprobe_ftrace_arm - have ftrace call for a set of sites
 * @batch: sites, linked by kprobe_site::batch, for none of which it does yet in
 *	the way that they want
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0; -ENOMEM; -ENODEV, -EBUSY or -EAGAIN of ftrace.  On failure all is
 * as it was.
 */
int kprobe_ftrace_arm(struct list_head *batch)
{
	unsigned int nr, plain = 0, all = list_count_nodes(batch), rest = all;
	struct kprobe_site *site;
	unsigned long *ips;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	/* For leftovers ftrace is not called, so the error is returned here. */
	if (kprobe_ftrace_disabled)
		return -ENODEV;
	ips = kvmalloc_array(all, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return -ENOMEM;

	nr = collect_wanted(batch, &kprobe_ftrace_ops, ips);
	ret = ops_add(&kprobe_ftrace_ops, ips, nr);
	if (!ret) {
		nr = collect_wanted(batch, &kprobe_ipmodify_ops, ips);
		ret = ops_add(&kprobe_ipmodify_ops, ips, nr);
		if (ret) {
			nr = collect_wanted(batch, &kprobe_ftrace_ops, ips);
			ops_remove(&kprobe_ftrace_ops, ips, nr);
		}
	}
	if (ret) {
		kvfree(ips);
		return ret;
	}

	kprobe_forget_notes();
	/* Those that move are called for by both, for a moment. */
	list_for_each_entry(site, batch, batch) {
		struct ftrace_ops *before = site->ftrace_ops;
		struct ftrace_ops *after = &site_ops_wanted(site)->ops;
		struct leftover *left;

		if (site_ops_wanted(site) == &kprobe_ftrace_ops) {
			left = leftover_find((unsigned long)site->addr);
			if (left)
				leftover_free(left);
		}
		WRITE_ONCE(site->ftrace_ops,
			   site->state == KPROBE_SITE_BEHIND ?
			   with_notes(after) : after);
		if (before == &kprobe_ftrace_ops.ops)
			ips[plain++] = (unsigned long)site->addr;
		else if (before)
			ips[--rest] = (unsigned long)site->addr;
	}
	ops_remove(&kprobe_ftrace_ops, ips, plain);
	ops_remove(&kprobe_ipmodify_ops, ips + rest, all - rest);
	kvfree(ips);
	return 0;
}

/**
 * kprobe_ftrace_moved - no hit of an entry is seen behind the call any more
 * @site: kprobe_ftrace_arm() was called for it
 *
 * A hit that reads this, and so is not noted, is to find the relay gone when it
 * comes behind the call.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_ftrace_moved(struct kprobe_site *site)
{
	/* Pairs with ftrace's callback, whose hit goes on only afterwards. */
	smp_store_release(&site->ftrace_ops, &site_ops_now(site)->ops);
}

/**
 * kprobe_ftrace_disarm - have ftrace call for a set of sites no more
 * @batch: sites for which ftrace calls
 *
 * Calls may go on for a while; the callback finds that they are for no site.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_ftrace_disarm(struct list_head *batch)
{
	unsigned int nr, all = list_count_nodes(batch);
	bool at_once = all > LEFTOVERS_BATCH || nr_leftovers > LEFTOVERS_MAX;
	struct kprobe_site *site;
	unsigned long *ips;

	lockdep_assert_held(&kprobe_mutex);

	if (at_once)
		kprobe_ftrace_flush();
	ips = kvmalloc_array(all, sizeof(*ips), GFP_KERNEL);
	if (ips) {
		nr = collect_going(batch, &kprobe_ftrace_ops, at_once, ips);
		ops_remove(&kprobe_ftrace_ops, ips, nr);
		nr = collect_going(batch, &kprobe_ipmodify_ops, true, ips);
		ops_remove(&kprobe_ipmodify_ops, ips, nr);
		kvfree(ips);
	}
	list_for_each_entry(site, batch, batch) {
		unsigned long ip = (unsigned long)site->addr;

		if (!ips)
			ops_remove(site_ops_now(site), &ip, 1);
		WRITE_ONCE(site->ftrace_ops, NULL);
	}
}

/**
 * kprobe_ftrace_kill - ftrace has shut itself down after an error
 *
 * It calls for no site any more, and refuses new ones.  Sites are forgotten
 * when their users unregister.
 *
 * Context: any.
 */
void kprobe_ftrace_kill(void)
{
	kprobe_ftrace_disabled = true;
}
