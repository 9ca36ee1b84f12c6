// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on the call of ftrace at a function's entry.
 *
 * ftrace patches this call.  A site on the call is hit by a callback instead of
 * a trap, and needs no copy out of line, because the instruction has no effect
 * except the call.  All these sites share two ftrace_ops, so that a batch of
 * them needs one update of ftrace, and the callback finds the site by its
 * address, as a trap does.
 *
 * Each update of ftrace examines all functions, and a hit by ftrace costs more
 * than a jump.  If no code jumps to the instruction after the call, a hit there
 * sees the same state as a hit at the call, except for the instruction pointer.
 * A site on the call may therefore own the next instruction
 * (kprobe_site::owns_next), which becomes a trap, then a jump.  Handlers see
 * the address of the call.  The site uses ftrace instead
 *
 * - if code jumps to the next instruction, or a probe is on it,
 * - if a jump cannot replace the next instruction, or jumps are switched off,
 * - if a probe on the site is a jprobe or has a post handler, because these
 *   need a probed instruction without effect, or
 * - if a live patch or a direct call redirects the call.
 *
 * Before ftrace registers an ops that redirects functions, it calls
 * kprobe_redirect_begin(), which moves the sites on functions in the ops'
 * filter to ftrace.  Functions added to the filter later are not examined.
 *
 * kprobe_site_create() decides whether a site may own the next instruction, and
 * builds the copies, which are freed with the site.  The decision does not
 * depend on the probes, and is never repeated.  So even a temporary obstacle at
 * that time, such as a lack of memory or a debugger's breakpoint, lasts until
 * the last probe of the site is unregistered.
 *
 * A site moves from the next instruction to ftrace, and never back.  Because a
 * hit passes the call first, then the next instruction, the steps are:
 *
 * 1. The site is added to ftrace's filter.  The callback ignores its hits.
 * 2. One store sets site->ftrace_ops.  If the callback still reads the old
 *    value, the hit is handled at the next instruction, as before.
 * 3. If the callback reads the new value, the hit is handled at the call, and
 *    continues at a copy of the next instruction (arch_kprobe_resume()).
 * 4. Until step 6, each hit is therefore handled exactly once.
 * 5. A grace period of RCU ends: hits that passed the call before 2, and cannot
 *    be preempted, have passed the next instruction.
 * 6. The text is restored, on all CPUs; from then on, hits need no copy.
 *
 * A task that passed the call before 2, and is interrupted or preempted before
 * the next instruction until 6, then executes the restored instruction: its hit
 * is neither handled nor counted.  Only a grace period of RCU-tasks would wait
 * for this task, but may last any time, with kprobe_mutex held.  The text
 * cannot stay patched until then either, because the trampoline of a direct
 * call enters the function at the next instruction.
 *
 * A hit that ftrace drops before 6 is handled by the trap or jump, unless 6 is
 * done between the call and the next instruction.  From 6 on, it is counted.
 *
 * There are two ops, because ftrace allows only one ops with IPMODIFY for each
 * function, and live patching may need to be that one.  By an old convention, a
 * probe whose handlers redirect has a post handler, so only sites with post
 * handlers are in our ops with IPMODIFY.  With either ops, execution continues
 * at an address that a pre handler has set, unless another user of ftrace
 * redirects the function.  If the function has a direct call, ftrace requests
 * that its owner share the function, but only for the ops with IPMODIFY.
 *
 * site->ftrace_ops is the ops that calls handlers; the other one ignores a hit.
 * While a site moves, a value of enum ftrace_move is added to this pointer, so
 * that the fast path matches neither ops.  When a site moves from one ops to
 * the other, ftrace calls both for a hit, one after the other, and exactly one
 * of them must call the handlers:
 *
 * 1. The site belongs to the old ops.  The site is added to the filter of the
 *    new ops, which ignores its hits.
 * 2. kprobe_ftrace_arm() sets FTRACE_MOVE_TO_FIRST or FTRACE_MOVE_TO_SECOND,
 *    with the new ops.  The ops that ftrace calls first leaves a note of each
 *    hit, and the second ops looks for the note.  A hit with a note is handled
 *    by the new ops.  A hit without a note passed the first ops before the
 *    store, and is handled by the old ops, whether this is first or second.
 * 3. A grace period of RCU ends.  ftrace calls the ops in a loop that cannot be
 *    preempted, so a hit that passed the first ops in 1 has passed the second
 *    as well.  Now the site belongs to the new ops.
 * 4. The site is removed from the filter of the old ops.
 *
 * ftrace's loop walks a list to whose head each registered ops is added.  If an
 * ops were unregistered and registered again while a loop is at this ops, the
 * loop would be at the head again, and call the other ops a second time.  So an
 * ops is registered again only after a grace period.
 *
 * Until step 1 is done, ftrace may call the old ops directly, without its loop.
 * A task that is interrupted or preempted just before such a call may make the
 * call at any later time, and then calls no other ops.  So an ops that is not
 * called from the loop always calls the handlers.
 *
 * An update of ftrace is slow.  The update for a new probe cannot be deferred,
 * but the update for a removed probe can: its site's ftrace_ops is cleared, so
 * the callback ignores hits, and a worker removes the function from the filter
 * later, together with others.  If a probe on the function is registered again
 * before that, no update is needed.  Large batches are removed immediately.  So
 * are functions of the ops with IPMODIFY, because another user may want to
 * register an ops with IPMODIFY for them.
 *
 * The core handles recursion and counts misses itself.  The ops therefore lack
 * FTRACE_OPS_FL_RECURSION, and ftrace calls them even for a hit in a handler.
 * But if several ops are on one function, ftrace calls them from a loop with a
 * guard against recursion.  kprobe_ftrace_dropped() counts the hits that this
 * guard drops.
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

/* How a site moves, in the low bits of site->ftrace_ops. */
enum ftrace_move {
	FTRACE_MOVE_NONE,
	FTRACE_MOVE_FROM_NEXT,		/* from the next instruction */
	FTRACE_MOVE_TO_FIRST,		/* to the ops called first */
	FTRACE_MOVE_TO_SECOND,		/* to the ops called second */
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
 * The notes of a move between ops: the stack pointers of hits that have passed
 * the first ops.  Each context of a CPU has its own notes, because code that
 * interrupts the loop between the two ops may have a hit.  Each context has two
 * notes, because a user's ops between the two may have a hit as well: the guard
 * of ftrace's loop lets one loop begin inside another in the same context.
 */
static DEFINE_PER_CPU(unsigned long [4][2], first_passed);

/*
 * Return true if ftrace has called the ops from its loop, whose guard has one
 * bit for each context, and one bit for a loop inside another.
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
		/* This is the ops that ftrace calls first. */
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
	 * If the first ops reads a new value, it may leave the hit to the
	 * second, so ftrace must find the site in the filter of the second.
	 * Pairs with kprobe_ftrace_arm().
	 */
	return smp_load_acquire(&site->ftrace_ops);
}

/* Clear the notes, because a hit must not match an older hit's note. */
static void forget_passed(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu(first_passed, cpu), 0, sizeof(first_passed));
}

#ifdef CONFIG_KPROBES_CLASSIC
#define ftrace_site_hit	kprobe_classic_ftrace_hit

/**
 * kprobe_ftrace_has_hit - check whether an ops must call the handlers of a hit
 * @site: the site that was hit
 * @ops: the ops that ftrace calls
 * @regs: the registers at the hit
 *
 * Context: a hit, not preemptible; must be called once for each ops.
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
	/* Restored after the handlers: live patching may have set it. */
	unsigned long next = instruction_pointer(regs);
	enum kprobe_verdict verdict;
	bool entered = kprobe_rcu_enter();
	struct ftrace_ops *calls = NULL;
	struct kprobe_site *site;

	site = kprobe_site_find(ip);
	if (site)
		calls = read_calls(site);
	if (!calls || !has_hit(calls, ops, regs))
		goto out;

	instruction_pointer_set(regs, ip + KPROBE_IP_SKID);
	verdict = kprobe_site_pre(site, regs, KPROBE_BY_CODE);
	if (verdict == KPROBE_HIT_DIVERTED)
		goto diverted;

	if (verdict == KPROBE_HIT_EXECUTE && READ_ONCE(site->npost)) {
		instruction_pointer_set(regs, ip + MCOUNT_INSN_SIZE);
		kprobe_site_post(site, regs, KPROBE_BY_CODE);
		/* A post handler may redirect the task, too. */
		if (instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE)
			goto diverted;
	}
	instruction_pointer_set(regs, next);
	if (move_of(calls) != FTRACE_MOVE_FROM_NEXT)
		goto out;
diverted:
	/* If the next instruction is patched, continue at its copy instead. */
	arch_kprobe_resume(regs);
out:
	kprobe_rcu_exit(entered);
}
NOKPROBE_SYMBOL(ftrace_site_slow);

/* The usual case: the hit does not nest, and there is no post handler. */
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
	/* Complete, because FTRACE_OPS_FL_SAVE_REGS is set. */
	struct pt_regs *regs = arch_kprobe_ftrace_regs(fregs);
	unsigned long flags;
	bool traced_on;

	raw_local_irq_save(flags);
	traced_on = kprobe_hit_enter(regs, !raw_irqs_disabled_flags(flags));
	ftrace_site_fast(ip, regs, ops);
	if (traced_on)
		kprobe_trace_irqs_on();
	/*
	 * Restore interrupts first.  Otherwise preempt_enable_notrace() would
	 * not schedule, although a handler may have woken up a task.
	 */
	raw_local_irq_restore(flags);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(ftrace_site_hit);
#endif

/**
 * kprobe_ftrace_dropped - count a hit for which ftrace calls no ops
 * @ip: the address of the call
 *
 * Interrupts must be off and RCU must be watching from the look-up until the
 * hit is counted, because only then does unregistering a probe wait for this.
 * Nothing here may be traced, because that would recurse, so interrupts are
 * disabled without informing the tracer.
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
	/* While a site moves from its trap or jump, that handles this hit. */
	if (calls && (move_of(calls) != FTRACE_MOVE_FROM_NEXT ||
		      !kprobe_text_is_armed(site->state)))
		kprobe_site_missed(site, KPROBE_MISS_TRACER);
	/* Interrupts are still off, so this does not call the scheduler. */
	kprobe_read_unlock(entered);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kprobe_ftrace_dropped);

/**
 * struct site_ops - an ops and its number of sites
 * @ops: for ftrace
 * @nr: number of its armed sites and leftovers; under kprobe_mutex
 * @gone: RCU cookie from its last unregistration; 0 before the first
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

/* True once ftrace has shut itself down: do not call its functions. */
bool kprobe_ftrace_disabled;

/* Return true for an ops of this file. */
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
 * kprobe_ftrace_moves - check whether an armed site must move to the other ops
 * @site: on ftrace
 *
 * Context: kprobe_mutex held.
 */
bool kprobe_ftrace_moves(const struct kprobe_site *site)
{
	return site->ftrace_ops && site_ops_now(site) != site_ops_wanted(site);
}

/* The ops that ftrace calls before the other one; under kprobe_mutex. */
static struct site_ops *called_first;

/* If @shared, tell owners of direct calls that they need not share @ips. */
static int filter_remove(struct site_ops *from, unsigned long *ips,
			 unsigned int nr, bool shared)
{
	if (shared && from->ops.flags & FTRACE_OPS_FL_IPMODIFY)
		return ftrace_remove_ipmodify(&from->ops, ips, nr);
	return ftrace_set_filter_ips(&from->ops, ips, nr, 1, 0);
}

/*
 * Wait for ftrace's loops that run without RCU watching.  Kernels with
 * ARCH_WANTS_NO_INSTR have none.
 */
static void wait_for_blind_loops(void)
{
#ifndef CONFIG_ARCH_WANTS_NO_INSTR
	synchronize_rcu_tasks_rude();
#endif
}

/* Add sites to an ops.  On failure, none is added. */
static int ops_add(struct site_ops *to, unsigned long *ips, unsigned int nr)
{
	int ret;

	if (!nr)
		return 0;
	/* For the first sites, register_ftrace_function() does this itself. */
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
 * Remove functions from an ops.  If an allocation for the new filter fails,
 * remove them one by one, which may need less memory.  A function that stays in
 * the filter is harmless: once the caller is done, site->ftrace_ops does not
 * refer to @from, so the callback ignores hits.
 */
static void ops_remove(struct site_ops *from, unsigned long *ips,
		       unsigned int nr)
{
	unsigned int i;

	if (!nr || kprobe_ftrace_disabled)
		return;
	from->nr -= nr;
	/* An empty filter would select every function. */
	if (!from->nr) {
		unregister_ftrace_function(&from->ops);
		from->gone = get_state_synchronize_rcu();
	}
	/* For the last sites, unregister_ftrace_function() has told owners. */
	if (!filter_remove(from, ips, nr, from->nr))
		return;
	for (i = 0; i < nr; i++)
		filter_remove(from, &ips[i], 1, from->nr);
}

/**
 * struct leftover - a function in the filter of kprobe_ftrace_ops that has no
 *	armed site
 * @node: in the table of leftovers
 * @ip: the address of the call
 */
struct leftover {
	struct hlist_node node;
	unsigned long ip;
};

/* Under kprobe_mutex. */
static DEFINE_HASHTABLE(leftovers, 9);
static unsigned int nr_leftovers;

/* Batches with more sites than this are removed without delay. */
#define LEFTOVERS_BATCH	64
/* Approximate maximum of functions without an armed site in the filter. */
#define LEFTOVERS_MAX	4096
/* Jiffies until a worker removes leftovers from the filter. */
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
 * kprobe_ftrace_flush - remove all leftovers from the filter
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

/* Leave a function in the filter for a while; return false if impossible. */
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

/* Collect sites of a batch that must be added to an ops. */
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

/* Collect sites of a batch that must be removed from an ops now. */
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
 * kprobe_ftrace_moved - end the move of a site
 * @site: a site for which kprobe_ftrace_arm() was called
 *
 * Context: kprobe_mutex held.
 */
void kprobe_ftrace_moved(struct kprobe_site *site)
{
	WRITE_ONCE(site->ftrace_ops, &site_ops_now(site)->ops);
}

/* Return how a site moves to @to, whose filter already has the site. */
static enum ftrace_move move_to(const struct kprobe_site *site,
				const struct site_ops *to)
{
	if (!site->ftrace_ops)
		return site->state == KPROBE_SITE_CLEAN ?
		       FTRACE_MOVE_NONE : FTRACE_MOVE_FROM_NEXT;
	return to == called_first ? FTRACE_MOVE_TO_FIRST :
				    FTRACE_MOVE_TO_SECOND;
}

static bool leaves_an_ops(const struct kprobe_site *site)
{
	return move_of(site->ftrace_ops) >= FTRACE_MOVE_TO_FIRST;
}

/* Complete the moves from one ops to the other: steps 3 and 4. */
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
 * kprobe_ftrace_arm - arm a set of sites with ftrace
 * @batch: sites, linked by kprobe_site::batch, that are not armed with ftrace
 *	or must move to the other ops
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0; -ENOMEM; -ENODEV, -EBUSY or -EAGAIN of ftrace.  On failure nothing
 * has changed.
 */
int kprobe_ftrace_arm(struct list_head *batch)
{
	unsigned int nr, all = list_count_nodes(batch);
	struct kprobe_site *site;
	unsigned long *ips;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	/* Needed if all sites are leftovers: ftrace is then not called. */
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

	forget_passed();
	list_for_each_entry(site, batch, batch) {
		struct site_ops *to = site_ops_wanted(site);
		struct leftover *left;

		if (to == &kprobe_ftrace_ops) {
			left = leftover_find((unsigned long)site->addr);
			if (left)
				leftover_free(left);
		}
		/* Publish after the notes are cleared and the filters set. */
		smp_store_release(&site->ftrace_ops,
				  moving_to(&to->ops, move_to(site, to)));
	}
	leave_old_ops(batch, ips);
	kvfree(ips);
	return 0;
}

/**
 * kprobe_ftrace_disarm - disarm a set of sites with ftrace
 * @batch: sites that are armed with ftrace
 *
 * ftrace may still call the callback for a while, but it ignores these hits.
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
 * kprobe_ftrace_kill - note that ftrace has shut itself down after an error
 *
 * ftrace no longer calls the callback, and refuses new sites.  The existing
 * sites stay until their probes are unregistered.
 *
 * Context: any.
 */
void kprobe_ftrace_kill(void)
{
	kprobe_ftrace_disabled = true;
}
