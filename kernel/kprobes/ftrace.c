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
 * While a site moves, enum ftrace_move is added, so that the fast way does not
 * know the value.  An entry may come from behind the call: relay.c has these
 * steps.  Or a site leaves one ops for the other.  Ftrace calls both for a hit
 * then, one after the other, and one of them is to call the handlers:
 *
 * 1. The site is the old ops'.  It comes into the filter of the new ops, which
 *    ignores its hits.
 * 2. FTRACE_MOVE_TO_FIRST or FTRACE_MOVE_TO_SECOND is set, with the new ops.
 *    The ops that ftrace calls first notes a hit.  The second looks for that
 *    note: a noted hit is the new ops', and one that has passed the first in 1,
 *    and so is not noted, is the old one's.
 * 3. A grace period of RCU has ended.  Ftrace calls from a loop that cannot be
 *    preempted, so a hit that has passed the first in 1 has passed the second,
 *    too.  The site is the new ops'.
 * 4. It leaves the filter of the old ops.
 *
 * In the order of ftrace's loop an ops that is registered comes first.  A loop
 * that is between the two must not find one of them a second time, so an ops
 * comes back a grace period after it has gone.
 *
 * A task that is interrupted or preempted on its way to the old ops, in 1 or
 * before, may arrive there at any time later, and calls no other ops.  So an
 * ops that is not called from the loop always calls the handlers.
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
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* Added to site->ftrace_ops. */
enum ftrace_move {
	FTRACE_MOVE_NONE,
	FTRACE_MOVE_FROM_BEHIND,	/* whoever has a hit notes it */
	FTRACE_MOVE_TO_FIRST,		/* to the ops that is called first */
	FTRACE_MOVE_TO_SECOND,
};

#define FTRACE_MOVES	3UL
static_assert(__alignof__(struct ftrace_ops) > FTRACE_MOVES);

static __always_inline enum ftrace_move move_of(const struct ftrace_ops *calls)
{
	return (unsigned long)calls & FTRACE_MOVES;
}

static __always_inline struct ftrace_ops *ops_of(struct ftrace_ops *calls)
{
	return (struct ftrace_ops *)((unsigned long)calls & ~FTRACE_MOVES);
}

static struct ftrace_ops *moving_to(struct ftrace_ops *ops,
				    enum ftrace_move move)
{
	return (struct ftrace_ops *)((unsigned long)ops | move);
}

/*
 * The stack pointers of hits that have passed the first ops in 2.  Of each CPU
 * and each context, because an interrupt between the two ops may have a hit.
 * Another ops between the two may have one as well: ftrace's guard against
 * recursion lets one loop begin in another of the same context.
 */
static DEFINE_PER_CPU(unsigned long [4][2], first_passed);

/*
 * Return true if ftrace calls from its loop.  Its guard against recursion has a
 * bit for each context, and one for a loop in another loop.
 */
static bool ftrace_is_looping(void)
{
	return trace_recursion_test(TRACE_LIST_START +
				    trace_get_context_bit()) ||
	       trace_recursion_test(TRACE_LIST_START + TRACE_CTX_TRANSITION);
}
NOKPROBE_SYMBOL(ftrace_is_looping);

/* Return true if @ops must call the handlers for this hit. */
static bool has_hit(struct ftrace_ops *calls, struct ftrace_ops *ops,
		    struct pt_regs *regs)
{
	unsigned long sp = kernel_stack_pointer(regs);
	enum ftrace_move move = move_of(calls);
	bool to_first = move == FTRACE_MOVE_TO_FIRST;
	bool is_new = ops_of(calls) == ops;
	unsigned long *passed;

	if (!to_first && move != FTRACE_MOVE_TO_SECOND)
		return is_new || !ftrace_is_looping();
	if (!ftrace_is_looping())
		return true;
	passed = *this_cpu_ptr(&first_passed[interrupt_context_level()]);
	if (is_new == to_first) {
		/* The first. */
		WRITE_ONCE(passed[!!READ_ONCE(passed[0])], sp);
		return is_new;
	}
	if (READ_ONCE(*passed) != sp)
		passed++;
	if (READ_ONCE(*passed) != sp)
		return !is_new;
	WRITE_ONCE(*passed, 0);
	return is_new;
}
NOKPROBE_SYMBOL(has_hit);

static __always_inline struct ftrace_ops *
read_calls(const struct kprobe_site *site)
{
	/*
	 * Ftrace looks only then whether it is to call the other ops, too.
	 * Pairs with kprobe_ftrace_arm().
	 */
	return smp_load_acquire(&site->ftrace_ops);
}

/* A hit that passes the first in 1 must not look like one noted before that. */
static void forget_passed(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu(first_passed, cpu), 0, sizeof(first_passed));
}

#ifdef CONFIG_KPROBES_CLASSIC
#define ftrace_site_hit	kprobe_classic_ftrace_hit

/**
 * kprobe_ftrace_has_hit - does an ops call the handlers of a hit?
 * @site: what was hit
 * @ops: for which ftrace calls
 * @regs: of the hit
 *
 * Context: a hit; once for each ops; not preemptible.
 */
bool kprobe_ftrace_has_hit(struct kprobe_site *site, struct ftrace_ops *ops,
			   struct pt_regs *regs)
{
	return has_hit(read_calls(site), ops, regs);
}
NOKPROBE_SYMBOL(kprobe_ftrace_has_hit);
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
	bool from_behind;

	site = kprobe_site_find(ip);
	if (site)
		calls = read_calls(site);
	if (!calls || !has_hit(calls, ops, regs))
		goto out;
	from_behind = move_of(calls) == FTRACE_MOVE_FROM_BEHIND;
	/* The relay handles a hit that finds no room for its note. */
	if (from_behind && !kprobe_note_hit(regs))
		goto out;

	instruction_pointer_set(regs, ip + KPROBE_IP_SKID);
	verdict = kprobe_site_pre(site, regs, KPROBE_BY_CODE);
	if (verdict == KPROBE_HIT_DIVERTED)
		goto diverted;

	if (verdict == KPROBE_HIT_EXECUTE && READ_ONCE(site->npost)) {
		instruction_pointer_set(regs, ip + MCOUNT_INSN_SIZE);
		kprobe_site_post(site, regs, KPROBE_BY_CODE);
		/* A post handler may move on from there, too. */
		if (instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE)
			goto diverted;
	}
	instruction_pointer_set(regs, next);
	goto out;
diverted:
	/* The note must not wait for a hit that does not reach the relay. */
	if (from_behind && instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE)
		kprobe_hit_noted(site, regs);
	arch_kprobe_resume(regs);
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
	instruction_pointer_set(regs, ip + KPROBE_IP_SKID);
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
	traced_on = kprobe_hit_enter(regs, !raw_irqs_disabled_flags(flags));
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
	struct kprobe_site *site;
	struct ftrace_ops *calls;
	unsigned long flags;
	bool entered;

	raw_local_irq_save(flags);
	entered = kprobe_read_lock();
	site = kprobe_site_find(ip);
	calls = site ? READ_ONCE(site->ftrace_ops) : NULL;
	/* A hit that moves from behind the call comes there, and is had. */
	if (calls && move_of(calls) != FTRACE_MOVE_FROM_BEHIND)
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
 * @gone: RCU's cookie of the moment since which ftrace does not know it
 */
struct site_ops {
	struct ftrace_ops ops;
	unsigned int nr;
	unsigned long gone;
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
	return container_of(ops_of(site->ftrace_ops), struct site_ops, ops);
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

/* Ftrace calls it before the other one.  Under kprobe_mutex. */
static struct site_ops *called_first;

/* @shared: owners of direct calls have been asked to share, and not told yet */
static int filter_remove(struct site_ops *from, unsigned long *ips,
			 unsigned int nr, bool shared)
{
	if (shared && from->ops.flags & FTRACE_OPS_FL_IPMODIFY)
		return ftrace_remove_ipmodify(&from->ops, ips, nr);
	return ftrace_set_filter_ips(&from->ops, ips, nr, 1, 0);
}

/*
 * Wait for hits in the loop where RCU does not watch, which kernels with
 * ARCH_WANTS_NO_INSTR do not have.
 */
static void wait_for_blind_loops(void)
{
#ifndef CONFIG_ARCH_WANTS_NO_INSTR
	synchronize_rcu_tasks_rude();
#endif
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
		if (to->gone) {
			cond_synchronize_rcu_expedited(to->gone);
			wait_for_blind_loops();
		}
		ret = register_ftrace_function(&to->ops);
		if (ret)
			filter_remove(to, ips, nr, true);
		else
			called_first = to;
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
	if (!from->nr) {
		unregister_ftrace_function(&from->ops);
		from->gone = get_state_synchronize_rcu();
	}
	/* unregister_ftrace_function() has told them. */
	if (!filter_remove(from, ips, nr, from->nr))
		return;
	for (i = 0; i < nr; i++)
		filter_remove(from, &ips[i], 1, from->nr);
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
 * kprobe_ftrace_moved - hits of a site have one place only
 * @site: kprobe_ftrace_arm() was called for it
 *
 * Where it has come from behind the call, a hit that reads this, and so is not
 * noted, is to find the relay gone when it comes there.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_ftrace_moved(struct kprobe_site *site)
{
	/* Pairs with ftrace's callback, whose hit goes on only afterwards. */
	smp_store_release(&site->ftrace_ops, &site_ops_now(site)->ops);
}

/* How a site, which is in the filter of @to by now, gets there. */
static enum ftrace_move move_to(const struct kprobe_site *site,
				const struct site_ops *to)
{
	if (site->state == KPROBE_SITE_BEHIND)
		return FTRACE_MOVE_FROM_BEHIND;
	if (!site->ftrace_ops)
		return FTRACE_MOVE_NONE;
	return to == called_first ? FTRACE_MOVE_TO_FIRST :
				    FTRACE_MOVE_TO_SECOND;
}

static bool leaves_an_ops(const struct kprobe_site *site)
{
	return move_of(site->ftrace_ops) >= FTRACE_MOVE_TO_FIRST;
}

/* Those that ftrace has called for in another way: steps 3 and 4. */
static void leave_old_ops(struct list_head *batch, unsigned long *ips)
{
	struct site_ops *from[] = { &kprobe_ftrace_ops, &kprobe_ipmodify_ops };
	struct kprobe_site *site;
	bool any = false;
	unsigned int i, nr;

	list_for_each_entry(site, batch, batch)
		any |= leaves_an_ops(site);
	if (!any)
		return;
	synchronize_rcu_expedited();
	wait_for_blind_loops();
	for (i = 0; i < ARRAY_SIZE(from); i++) {
		nr = 0;
		list_for_each_entry(site, batch, batch) {
			if (!leaves_an_ops(site) ||
			    site_ops_now(site) == from[i])
				continue;
			ips[nr++] = (unsigned long)site->addr;
			kprobe_ftrace_moved(site);
		}
		ops_remove(from[i], ips, nr);
	}
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
	unsigned int nr, all = list_count_nodes(batch);
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
	forget_passed();
	list_for_each_entry(site, batch, batch) {
		struct site_ops *to = site_ops_wanted(site);
		struct leftover *left;

		if (to == &kprobe_ftrace_ops) {
			left = leftover_find((unsigned long)site->addr);
			if (left)
				leftover_free(left);
		}
		/* Notes are forgotten, and the filters set, before this. */
		smp_store_release(&site->ftrace_ops,
				  moving_to(&to->ops, move_to(site, to)));
		/* A late hit may have been handled here: see relay.c. */
		site->no_relay = true;
	}
	leave_old_ops(batch, ips);
	kvfree(ips);
	return 0;
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
