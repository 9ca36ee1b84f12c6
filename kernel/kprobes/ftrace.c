// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on the ftrace call at a function's entry.
 *
 * ftrace patches this call.  If a site is on the call, ftrace delivers its hits
 * through a callback.  The site needs no out-of-line copy, because the
 * instruction does nothing except call ftrace.  All these sites share two
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
 * 2. One store sets site->ftrace_ops.  If the callback still reads the old
 *    value, the trap or jump at the next instruction handles the hit.
 * 3. If the callback reads the new value, the callback handles the hit, and
 *    continues at a copy of the next instruction (arch_kprobe_resume()).
 * 4. The text stays patched: until step 6, each hit is handled exactly once.
 * 5. A grace period of RCU ends: a hit that passed the call before 2 has passed
 *    the next instruction, unless its task was interrupted or preempted.
 * 6. The text is restored on all CPUs.  From then on, hits need no copy.
 *
 * A task that passed the call before 2, and does not reach the next instruction
 * before 6, executes the restored instruction: its hit is neither handled nor
 * counted.  Only a grace period of RCU-tasks would wait for this task, but its
 * length has no limit, and kprobe_mutex is held.  Nor can the text stay patched
 * for so long: the trampoline of a direct call continues at the next
 * instruction, so each call of the function would have a second hit there.
 *
 * If ftrace drops a hit before 6, the trap or jump handles it; if its task gets
 * there only after 6, the hit is lost, too.  After 6, drops are counted.
 *
 * From one ops to the other
 * -------------------------
 *
 * There are two ops, because ftrace allows only one ops with IPMODIFY for each
 * function, and live patching may need it.  By an old convention, a probe that
 * redirects a function has a post handler, so only sites with post handlers are
 * in our ops with IPMODIFY.  With either ops, execution continues at an address
 * that a pre handler has set, unless another user of ftrace redirects the
 * function.  If the function has a direct call, ftrace requests that the call's
 * owner share the function, but only for the ops with IPMODIFY.
 *
 * site->ftrace_ops points to the ops that calls handlers; in ftrace's loop over
 * all ops, the other ops ignores the hit.  While a site moves, the low bits of
 * this pointer hold an enum site_move, so that the fast path matches neither
 * ops.  While a site moves from one ops to the other, this loop calls both for
 * a hit, and exactly one of them must call the handlers:
 *
 * 1. The site belongs to the old ops.  The site is added to the filter of the
 *    new ops, which ignores its hits.
 * 2. A grace period of RCU ends.  For a hit that began before 1, ftrace may
 *    call the old ops alone.  If the hit is in code that the loop calls, the
 *    old ops would mistake this call for the loop's.  The loop cannot be
 *    preempted, so no such call is left after the grace period.
 * 3. kprobe_ftrace_arm() stores the new ops with SITE_MOVE_TO_FIRST or
 *    SITE_MOVE_TO_SECOND.  From then on, whichever of them the loop calls
 *    first leaves a note of each hit, and the other looks for it.  A hit with
 *    a note is handled by the new ops.  A hit without a note passed the first
 *    ops before the store, and is handled by the old ops.
 * 4. A grace period of RCU ends.  A hit that passed the first ops before 3 has
 *    passed the second as well.  Now the site belongs to the new ops.
 * 5. The site is removed from the filter of the old ops.
 *
 * The loop walks a list of ops, and a newly registered ops is added at the
 * head.  If an ops were unregistered and registered again while a loop is at
 * this ops, the loop would be at the head again, and call the other ops a
 * second time.  So an ops is registered again only after a grace period.
 *
 * Outside the loop, a task may be preempted just before it calls the old ops
 * alone, and continue at any later time.  So outside the loop, either ops
 * calls the handlers of an armed site.
 *
 * Deferred updates
 * ----------------
 *
 * An update of ftrace is slow.  The update for a new probe cannot be deferred,
 * but the update for a removed probe can.  site->ftrace_ops is cleared, so the
 * callback ignores hits, and a worker removes the function from the filter
 * later, together with others.  Until then, the function is a "leftover".  If a
 * probe on the function is registered again before that, no update is needed.
 * Large batches are removed immediately, and so are functions of the ops with
 * IPMODIFY, because another user may want to register an ops with IPMODIFY for
 * them.
 *
 * Recursion
 * ---------
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

/* How a site moves, in the low bits of site->ftrace_ops, a tagged pointer. */
enum site_move {
	SITE_MOVE_NONE,
	SITE_MOVE_FROM_NEXT,		/* from the next instruction */
	SITE_MOVE_TO_FIRST,		/* to the ops called first */
	SITE_MOVE_TO_SECOND,		/* to the ops called second */
};

#define SITE_MOVE_MASK	3UL
static_assert(__alignof__(struct ftrace_ops) > SITE_MOVE_MASK);

static __always_inline enum site_move
site_move_of(const struct ftrace_ops *tagged)
{
	return (unsigned long)tagged & SITE_MOVE_MASK;
}

static __always_inline struct ftrace_ops *
site_move_ops(struct ftrace_ops *tagged)
{
	return (struct ftrace_ops *)((unsigned long)tagged & ~SITE_MOVE_MASK);
}

/*
 * The notes of moves between ops.  A note is the address of a hit's struct
 * pt_regs: the loop passes the same one to each ops, but handlers may change
 * its contents.  Each context of a CPU has its own notes, because code that
 * interrupts the loop between the two ops may have a hit.  Each context has a
 * note for the loop, and one for a nested loop, because an ops that the loop
 * calls between ours may cause a hit.  There is no third loop, because the
 * guard of ftrace's loop allows one nested loop in the same context.
 */
static DEFINE_PER_CPU(unsigned long [4][2], site_move_notes);

/* The guard of the loop has a bit for each context and one for nested loops. */
static bool kprobe_ftrace_in_nested_loop(void)
{
	return trace_recursion_test(TRACE_LIST_START + TRACE_CTX_TRANSITION);
}
NOKPROBE_SYMBOL(kprobe_ftrace_in_nested_loop);

/* Return true in ftrace's loop, and in code that the loop calls. */
static bool kprobe_ftrace_in_loop(void)
{
	return trace_recursion_test(TRACE_LIST_START +
				    trace_get_context_bit()) ||
	       kprobe_ftrace_in_nested_loop();
}
NOKPROBE_SYMBOL(kprobe_ftrace_in_loop);

/* Return true if @ops must call the handlers for this hit. */
static bool site_ops_must_handle(struct ftrace_ops *tagged,
				 struct ftrace_ops *ops, struct pt_regs *regs)
{
	enum site_move move = site_move_of(tagged);
	bool to_first = move == SITE_MOVE_TO_FIRST;
	bool is_new = site_move_ops(tagged) == ops;
	unsigned long hit = (unsigned long)regs;
	unsigned long *note;

	if (!to_first && move != SITE_MOVE_TO_SECOND)
		return is_new || !kprobe_ftrace_in_loop();
	if (!kprobe_ftrace_in_loop())
		return true;
	note = this_cpu_ptr(&site_move_notes[interrupt_context_level()]
					    [kprobe_ftrace_in_nested_loop()]);
	if (is_new == to_first) {
		/* The loop calls @ops first. */
		WRITE_ONCE(*note, hit);
		return is_new;
	}
	if (READ_ONCE(*note) != hit)
		return !is_new;
	WRITE_ONCE(*note, 0);
	return is_new;
}
NOKPROBE_SYMBOL(site_ops_must_handle);

static __always_inline struct ftrace_ops *
site_move_read(const struct kprobe_site *site)
{
	/*
	 * Pairs with smp_store_release() in kprobe_ftrace_arm(): if the first
	 * ops reads the new value and leaves the hit to the second, the filter
	 * of the second already has the site.
	 */
	return smp_load_acquire(&site->ftrace_ops);
}

/* Clear stale notes: a hit must not match the note of an older hit. */
static void site_move_clear_notes(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu(site_move_notes, cpu), 0,
		       sizeof(site_move_notes));
}

#ifdef CONFIG_KPROBES_CLASSIC
#define kprobe_ftrace_hit	kprobe_classic_ftrace_hit

/**
 * kprobe_ftrace_must_handle - check whether an ops must call a hit's handlers
 * @site: the site that was hit
 * @ops: the ops that ftrace has called
 * @regs: the registers at the hit
 *
 * Leaves or takes a note, so each ops must call this exactly once for a hit.
 *
 * Context: a hit, not preemptible.
 */
bool kprobe_ftrace_must_handle(struct kprobe_site *site, struct ftrace_ops *ops,
			       struct pt_regs *regs)
{
	struct ftrace_ops *tagged = site_move_read(site);

	return tagged && site_ops_must_handle(tagged, ops, regs);
}
NOKPROBE_SYMBOL(kprobe_ftrace_must_handle);
#else
static noinline void kprobe_ftrace_hit_slow(unsigned long ip,
					    struct pt_regs *regs,
					    struct ftrace_ops *ops)
{
	/* The next instruction, or the address that live patching has set. */
	unsigned long next = instruction_pointer(regs);
	enum kprobe_verdict verdict;
	bool entered = kprobe_rcu_enter();
	struct ftrace_ops *tagged = NULL;
	struct kprobe_site *site;

	site = kprobe_site_find(ip);
	if (site)
		tagged = site_move_read(site);
	if (!tagged || !site_ops_must_handle(tagged, ops, regs))
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
	if (site_move_of(tagged) != SITE_MOVE_FROM_NEXT)
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
						   struct pt_regs *regs,
						   struct ftrace_ops *ops)
{
	struct kprobe_site *site;
	unsigned long next;

	if (kprobe_hit_is_slow(KPROBE_BY_CODE))
		return kprobe_ftrace_hit_slow(ip, regs, ops);
	site = kprobe_site_find(ip);
	if (unlikely(!site))
		return;
	if (unlikely(READ_ONCE(site->ftrace_ops) != ops ||
		     READ_ONCE(site->npost)))
		return kprobe_ftrace_hit_slow(ip, regs, ops);

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
	kprobe_ftrace_hit_fast(ip, regs, ops);
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
 *
 * This keeps interrupts off and RCU watching until the hit is counted, because
 * unregistering a probe waits only for such code.  Disabling interrupts must
 * not be traced, because a tracer would recurse.
 *
 * Context: any.
 */
void kprobe_ftrace_dropped(unsigned long ip)
{
	struct kprobe_site *site;
	struct ftrace_ops *tagged;
	unsigned long flags;
	bool entered;

	raw_local_irq_save(flags);
	entered = kprobe_read_lock();
	site = kprobe_site_find(ip);
	tagged = site ? READ_ONCE(site->ftrace_ops) : NULL;
	/* Until the next instruction is restored, the hit is handled there. */
	if (tagged && (site_move_of(tagged) != SITE_MOVE_FROM_NEXT ||
		       !kprobe_text_is_armed(site->state)))
		kprobe_site_missed(site, KPROBE_MISS_TRACER);
	/* Interrupts are still off, so this does not call the scheduler. */
	kprobe_read_unlock(entered);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kprobe_ftrace_dropped);

/**
 * struct site_ops - an ops and its number of sites
 * @ops: the ops; registered with ftrace while @nr is not 0
 * @nr: number of its armed sites and leftovers; under kprobe_mutex
 * @gone: RCU cookie from the last time that @ops was unregistered, or 0
 */
struct site_ops {
	struct ftrace_ops ops;
	unsigned int nr;
	unsigned long gone;
};

static struct site_ops kprobe_ftrace_ops = {
	.ops = {
		.func = kprobe_ftrace_hit,
		.flags = FTRACE_OPS_FL_SAVE_REGS,
	},
};

static struct site_ops kprobe_ipmodify_ops = {
	.ops = {
		.func = kprobe_ftrace_hit,
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
	},
};

/* Set once ftrace has shut itself down: its functions must not be called. */
bool kprobe_ftrace_disabled;

/* Return true if @ops belongs to this file. */
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
	return container_of(site_move_ops(site->ftrace_ops), struct site_ops,
			    ops);
}

/**
 * kprobe_ftrace_moves - check whether a site must move to the other ops
 * @site: a site on an ftrace call
 *
 * Context: kprobe_mutex held.
 */
bool kprobe_ftrace_moves(const struct kprobe_site *site)
{
	return site->ftrace_ops && site_ops_now(site) != site_ops_wanted(site);
}

/* If both ops are registered, the one called first; under kprobe_mutex. */
static struct site_ops *site_ops_called_first;

/*
 * Remove functions from the filter of an ops.  If @shared and the ops has
 * IPMODIFY, also notify the owners of direct calls that they need not share
 * these functions any more.
 */
static int site_ops_unfilter(struct site_ops *from, unsigned long *ips,
			     unsigned int nr, bool shared)
{
	if (shared && from->ops.flags & FTRACE_OPS_FL_IPMODIFY)
		return ftrace_remove_ipmodify(&from->ops, ips, nr);
	return ftrace_set_filter_ips(&from->ops, ips, nr, 1, 0);
}

/*
 * Wait for ftrace's loops on CPUs that RCU is not watching.  With
 * ARCH_WANTS_NO_INSTR, ftrace is not called there.
 */
static void site_ops_wait_for_loops(void)
{
#ifndef CONFIG_ARCH_WANTS_NO_INSTR
	synchronize_rcu_tasks_rude();
#endif
}

/* Add sites to an ops.  On failure, none is added. */
static int site_ops_add(struct site_ops *to, unsigned long *ips,
			unsigned int nr)
{
	int ret;

	if (!nr)
		return 0;
	/*
	 * For the first sites, register_ftrace_function() notifies the owners
	 * of direct calls.
	 */
	if (to->nr && to->ops.flags & FTRACE_OPS_FL_IPMODIFY)
		ret = ftrace_add_ipmodify(&to->ops, ips, nr);
	else
		ret = ftrace_set_filter_ips(&to->ops, ips, nr, 0, 0);
	if (!ret && !to->nr) {
		if (to->gone) {
			cond_synchronize_rcu_expedited(to->gone);
			site_ops_wait_for_loops();
		}
		ret = register_ftrace_function(&to->ops);
		if (ret)
			site_ops_unfilter(to, ips, nr, true);
		else
			site_ops_called_first = to;
	}
	if (!ret)
		to->nr += nr;
	return ret;
}

/*
 * Remove functions from an ops.  If ftrace refuses the new filter, for example
 * for lack of memory, retry one by one.  A function that stays in the filter is
 * harmless: once the caller has changed site->ftrace_ops, the callback ignores
 * hits.
 */
static void site_ops_remove(struct site_ops *from, unsigned long *ips,
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
	/* For the last sites, unregistering has notified the owners. */
	if (!site_ops_unfilter(from, ips, nr, from->nr))
		return;
	for (i = 0; i < nr; i++)
		site_ops_unfilter(from, &ips[i], 1, from->nr);
}

/**
 * struct leftover - a function in the filter of kprobe_ftrace_ops without a
 *	site that uses this ops
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
/* Approximate maximum of nr_leftovers. */
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
	struct hlist_node *next;
	struct leftover *left;
	unsigned long *ips;
	unsigned int nr = 0;
	int bucket;

	lockdep_assert_held(&kprobe_mutex);

	if (!nr_leftovers)
		return;
	ips = kvmalloc_array(nr_leftovers, sizeof(*ips), GFP_KERNEL);
	hash_for_each_safe(leftovers, bucket, next, left, node) {
		if (ips)
			ips[nr++] = left->ip;
		else
			site_ops_remove(&kprobe_ftrace_ops, &left->ip, 1);
		leftover_free(left);
	}
	site_ops_remove(&kprobe_ftrace_ops, ips, nr);
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
	struct leftover *left = kmalloc(sizeof(*left), GFP_KERNEL);

	if (!left)
		return false;
	left->ip = ip;
	hash_add(leftovers, &left->node, ip);
	if (!nr_leftovers++)
		schedule_delayed_work(&leftovers_work, LEFTOVERS_DELAY);
	return true;
}

/* Collect functions of a batch that must be added to an ops. */
static unsigned int site_ops_to_add(struct list_head *batch,
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

/*
 * Collect functions of a batch that must be removed from an ops now: all if
 * @at_once, else those that could not be made leftovers.
 */
static unsigned int site_ops_to_remove(struct list_head *batch,
				       struct site_ops *ops, bool at_once,
				       unsigned long *ips)
{
	struct kprobe_site *site;
	unsigned int nr = 0;

	list_for_each_entry(site, batch, batch) {
		unsigned long ip = (unsigned long)site->addr;

		if (site_ops_now(site) == ops && (at_once || !leftover_add(ip)))
			ips[nr++] = ip;
	}
	return nr;
}

/**
 * kprobe_ftrace_moved - end the move of a site
 * @site: a site that kprobe_ftrace_arm() has armed
 *
 * Context: kprobe_mutex held.
 */
void kprobe_ftrace_moved(struct kprobe_site *site)
{
	WRITE_ONCE(site->ftrace_ops, &site_ops_now(site)->ops);
}

/* Return how a site moves to @to, whose filter already has the site. */
static enum site_move site_move_to(const struct kprobe_site *site,
				   const struct site_ops *to)
{
	if (!site->ftrace_ops)
		return site->state == KPROBE_SITE_CLEAN ?
		       SITE_MOVE_NONE : SITE_MOVE_FROM_NEXT;
	return to == site_ops_called_first ? SITE_MOVE_TO_FIRST :
				    SITE_MOVE_TO_SECOND;
}

/* Wait for all running loops of ftrace. */
static void site_move_wait(void)
{
	synchronize_rcu_expedited();
	site_ops_wait_for_loops();
}

/* Complete the moves from one ops to the other: steps 4 and 5 above. */
static void site_move_finish(struct list_head *batch, unsigned long *ips)
{
	struct site_ops *from[] = { &kprobe_ftrace_ops, &kprobe_ipmodify_ops };
	struct kprobe_site *site;
	unsigned int i, nr;

	site_move_wait();
	for (i = 0; i < ARRAY_SIZE(from); i++) {
		nr = 0;
		list_for_each_entry(site, batch, batch) {
			if (site_move_of(site->ftrace_ops) <
				    SITE_MOVE_TO_FIRST ||
			    site_ops_now(site) == from[i])
				continue;
			ips[nr++] = (unsigned long)site->addr;
			kprobe_ftrace_moved(site);
		}
		site_ops_remove(from[i], ips, nr);
	}
}

/**
 * kprobe_ftrace_arm - arm a set of sites with ftrace
 * @batch: sites, linked by kprobe_site::batch, that are not armed with ftrace
 *	or must move to the other ops
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0, -ENOMEM, -ENODEV, or -EBUSY or -EAGAIN from ftrace.  On failure,
 * no site has changed.
 */
int kprobe_ftrace_arm(struct list_head *batch)
{
	unsigned int nr, all = list_count_nodes(batch);
	struct kprobe_site *site;
	unsigned long *ips;
	bool moves = false;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	/* Check here: leftovers alone cause no call of ftrace below. */
	if (kprobe_ftrace_disabled)
		return -ENODEV;
	ips = kvmalloc_array(all, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return -ENOMEM;

	nr = site_ops_to_add(batch, &kprobe_ftrace_ops, ips);
	ret = site_ops_add(&kprobe_ftrace_ops, ips, nr);
	if (!ret) {
		nr = site_ops_to_add(batch, &kprobe_ipmodify_ops, ips);
		ret = site_ops_add(&kprobe_ipmodify_ops, ips, nr);
		if (ret) {
			nr = site_ops_to_add(batch, &kprobe_ftrace_ops, ips);
			site_ops_remove(&kprobe_ftrace_ops, ips, nr);
		}
	}
	if (ret) {
		kvfree(ips);
		return ret;
	}

	list_for_each_entry(site, batch, batch)
		moves |= kprobe_ftrace_moves(site);
	if (moves) {
		site_move_wait();
		site_move_clear_notes();
	}
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
				  (void *)&to->ops + site_move_to(site, to));
	}
	if (moves)
		site_move_finish(batch, ips);
	kvfree(ips);
	return 0;
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
	unsigned int nr, all = list_count_nodes(batch);
	bool at_once = all > LEFTOVERS_BATCH || nr_leftovers > LEFTOVERS_MAX;
	struct kprobe_site *site;
	unsigned long *ips;

	lockdep_assert_held(&kprobe_mutex);

	if (at_once)
		kprobe_ftrace_flush();
	ips = kvmalloc_array(all, sizeof(*ips), GFP_KERNEL);
	if (ips) {
		nr = site_ops_to_remove(batch, &kprobe_ftrace_ops, at_once,
					ips);
		site_ops_remove(&kprobe_ftrace_ops, ips, nr);
		nr = site_ops_to_remove(batch, &kprobe_ipmodify_ops, true, ips);
		site_ops_remove(&kprobe_ipmodify_ops, ips, nr);
		kvfree(ips);
	}
	list_for_each_entry(site, batch, batch) {
		unsigned long ip = (unsigned long)site->addr;

		if (!ips)
			site_ops_remove(site_ops_now(site), &ip, 1);
		WRITE_ONCE(site->ftrace_ops, NULL);
	}
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
