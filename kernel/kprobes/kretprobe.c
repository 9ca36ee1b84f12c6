// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes: follow a call from its entry to its return.
 *
 * A return probe is a kprobe at the entry of a function.  Its pre handler
 * takes an *instance* from the pool of the return probe, keeps the return
 * address there and puts that of a trampoline in its place.  A task's
 * instances form a stack, innermost call first.  When the function returns,
 * the trampoline calls kretprobe_hit(), which calls the handlers and sends the
 * task to where it wanted to go.
 *
 *	task -> instance -> instance -> instance ->|	followed calls
 *	            |           |           |
 *	            +-----------+-----+-----+
 *	                              v
 *	rp <-----------------------> pool		per return probe
 *	                              +- lists[cpu] -> free -> free ->|
 *	                              +- strays ->|
 *
 * If several return probes follow one call (or a function that was entered by
 * a jump from another followed one), only the first finds the real return
 * address.  The others find the trampoline's; they are *chained* to the one
 * below them, share its return address, and are all dealt with by one pass
 * through the trampoline.  Other ways of following returns (rethook, function
 * graph) may come in between; they are return addresses as good as any.
 *
 * Pools
 * -----
 *
 * Each CPU has one free instance at hand, which is taken and put back by
 * exchanging a pointer, and a list of more of them, with a lock of its own that
 * is only ever tried.  Entry takes what its CPU has and return puts it there,
 * so in a steady state no two CPUs write to one cache line; each instance has
 * its own.  A CPU that has run out takes one from another.  The holder of a
 * lock executes a few instructions with interrupts off; only an NMI on its CPU
 * can keep it from going on, and hits in that NMI may come for the same lock.
 * So nobody waits for long: an entry that finds nothing in KRETPROBE_TRIES
 * rounds counts a miss, and a return that finds its list locked leaves the
 * instance among the strays, a lock-less list that is collected by whoever runs
 * out next.
 *
 * (objpool would do, but that its size is fixed when it is made, and that an
 * object being pushed cannot be popped by others for a while, nor told from
 * one in use; so that a given maxactive would not be met exactly.)
 *
 * A pool without a maxactive grows whenever an entry has found it empty.  That
 * is work for a work queue; the hit only kicks it, by way of an irq_work since
 * it may have come from anywhere.
 *
 * Who frees what when
 * -------------------
 *
 * The pool outlives its return probe while calls are in flight.  Unregistering
 * clears holder.rp before it waits for handlers to end.  After the wait no CPU
 * is in a handler of it; returns that come later see no rp, call no handler
 * and count their instance as gone in pool->balance, from 0 down, and do not
 * touch the lists.  What has been free is then counted, and the instances
 * still in flight are added to the balance; who brings it to 0 has the pool
 * freed.  Every look at holder.rp together with what follows from it is done
 * with interrupts off, since that is what is waited for.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cache.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "internal.h"

/* Rounds over all lists before an entry gives up. */
#define KRETPROBE_TRIES		100

/* A pool that grows by itself stops at so many instances, and bytes. */
#define KRETPROBE_POOL_MAX	65536U
#define KRETPROBE_POOL_BYTES	SZ_32M

/**
 * struct kretprobe_list - free instances of one CPU
 * @hand: the one to take first, or NULL
 * @locked: somebody works on @first
 * @first: linked by kretprobe_instance::llist
 */
struct kretprobe_list {
	struct kretprobe_instance *hand;
	atomic_t locked;
	struct llist_node *first;
};

/**
 * struct kretprobe_chunk - memory for some instances
 * @next: the chunk allocated before it
 *
 * They begin with the next cache line, and are of kretprobe_pool::size bytes.
 */
struct kretprobe_chunk {
	struct kretprobe_chunk *next;
};

/**
 * struct kretprobe_pool - the instances of one return probe
 * @holder: it; what instances and users see of the pool
 * @lists: free instances
 * @strays: more of them, for whoever finds no list it can lock
 * @moving: how many CPUs are putting strays into lists
 * @balance: instances not yet back; see "Who frees what when"
 * @size: of an instance, in bytes
 * @total: how many instances there are
 * @limit: how many there may be if it grows
 * @grows: @total is not limited by the user
 * @settled: all instances are back and the return probe is gone
 * @chunks: their memory
 * @kick: starts @work or @free from a hit
 * @work: grows the pool
 * @free: frees it, behind a grace period
 * @link: in a list of pools that are being unregistered
 */
struct kretprobe_pool {
	struct kretprobe_holder holder;
	struct kretprobe_list __percpu *lists;
	struct llist_head strays;
	atomic_t moving;
	atomic_t balance;
	size_t size;
	unsigned int total;
	unsigned int limit;
	bool grows;
	bool settled;
	struct kretprobe_chunk *chunks;
	struct irq_work kick;
	struct work_struct work;
	struct rcu_work free;
	struct llist_node link;
};

static atomic_t pools_in_use;

static __always_inline struct kretprobe_pool *
pool_of(struct kretprobe_holder *holder)
{
	return container_of(holder, struct kretprobe_pool, holder);
}

/*
 * Free instances; all with interrupts off
 */

static __always_inline bool list_trylock(struct kretprobe_list *list)
{
	return !atomic_xchg_acquire(&list->locked, 1);
}

static __always_inline void list_unlock(struct kretprobe_list *list)
{
	atomic_set_release(&list->locked, 0);
}

/* @sure: set to false where a free instance may have been overlooked. */
static __always_inline struct kretprobe_instance *
list_take(struct kretprobe_list *list, bool *sure)
{
	struct kretprobe_instance *ri;
	struct llist_node *node;

	if (READ_ONCE(list->hand)) {
		ri = xchg(&list->hand, NULL);
		if (ri)
			return ri;
	}
	/*
	 * Looked at before it is locked: when all is in use, as many CPUs as
	 * come here would take this line from each other.  With nothing to
	 * take, who holds the lock adds something, or has taken the last.
	 */
	if (!READ_ONCE(list->first)) {
		if (atomic_read(&list->locked))
			*sure = false;
		return NULL;
	}
	/* Locked: something is being added or taken. */
	if (!list_trylock(list)) {
		*sure = false;
		return NULL;
	}
	node = list->first;
	if (node)
		list->first = node->next;
	list_unlock(list);
	return node ? llist_entry(node, struct kretprobe_instance, llist) :
		      NULL;
}

static noinline void pool_put_list(struct kretprobe_pool *pool,
				   struct kretprobe_instance *ri)
{
	struct kretprobe_list *list = this_cpu_ptr(pool->lists);

	if (unlikely(!list_trylock(list))) {
		llist_add(&ri->llist, &pool->strays);
		return;
	}
	ri->llist.next = list->first;
	list->first = &ri->llist;
	list_unlock(list);
}
NOKPROBE_SYMBOL(pool_put_list);

static __always_inline void pool_put(struct kretprobe_pool *pool,
				     struct kretprobe_instance *ri)
{
	struct kretprobe_instance *none = NULL;

	if (unlikely(!try_cmpxchg(&this_cpu_ptr(pool->lists)->hand, &none, ri)))
		pool_put_list(pool, ri);
}

/* Takes one of the strays and puts the others where they are found. */
static struct kretprobe_instance *pool_collect(struct kretprobe_pool *pool)
{
	struct llist_node *node, *next, *first;

	if (llist_empty(&pool->strays))
		return NULL;

	/* Others who find nothing are to look again. */
	atomic_inc(&pool->moving);
	first = llist_del_all(&pool->strays);
	for (node = first ? first->next : NULL; node; node = next) {
		next = node->next;
		pool_put_list(pool,
			      llist_entry(node, struct kretprobe_instance,
					  llist));
	}
	atomic_dec(&pool->moving);
	return first ? llist_entry(first, struct kretprobe_instance, llist) :
		       NULL;
}
NOKPROBE_SYMBOL(pool_collect);

/* This CPU has nothing at hand: looks everywhere, its own list first. */
static noinline struct kretprobe_instance *
pool_scavenge(struct kretprobe_pool *pool)
{
	int cpu, nr, try;

	for (try = 0; try < KRETPROBE_TRIES; try++) {
		struct kretprobe_instance *ri;
		bool sure = true;

		cpu = raw_smp_processor_id();
		for (nr = 0; nr < nr_cpu_ids; nr++, cpu++) {
			if (cpu >= nr_cpu_ids)
				cpu = 0;
			if (!cpu_possible(cpu))
				continue;
			ri = list_take(per_cpu_ptr(pool->lists, cpu), &sure);
			if (ri)
				return ri;
		}
		ri = pool_collect(pool);
		if (ri)
			return ri;
		if (sure && !atomic_read(&pool->moving))
			break;
		cpu_relax();
	}

	if (pool->grows && READ_ONCE(pool->total) < pool->limit)
		irq_work_queue(&pool->kick);
	return NULL;
}
NOKPROBE_SYMBOL(pool_scavenge);

static __always_inline struct kretprobe_instance *
pool_take_hand(struct kretprobe_pool *pool)
{
	return xchg(&this_cpu_ptr(pool->lists)->hand, NULL);
}

static __always_inline struct kretprobe_instance *
pool_get(struct kretprobe_pool *pool)
{
	return pool_take_hand(pool) ?: pool_scavenge(pool);
}

/* An instance is back after its return probe was unregistered. */
static void pool_settle(struct kretprobe_pool *pool)
{
	if (!atomic_dec_and_test(&pool->balance))
		return;
	WRITE_ONCE(pool->settled, true);
	irq_work_queue(&pool->kick);
}
NOKPROBE_SYMBOL(pool_settle);

static __always_inline void recycle(struct kretprobe_instance *ri)
{
	struct kretprobe_pool *pool = pool_of(ri->rph);

	if (likely(READ_ONCE(pool->holder.rp)))
		pool_put(pool, ri);
	else
		pool_settle(pool);
}

/*
 * The hit
 */

static __always_inline unsigned long trampoline_address(void)
{
	return (unsigned long)
		dereference_kernel_function_descriptor(__kretprobe_trampoline);
}

/**
 * is_kretprobe_trampoline - does a followed call return to this address?
 * @addr: any address
 *
 * Context: any.
 */
bool is_kretprobe_trampoline(unsigned long addr)
{
	return addr == trampoline_address();
}
NOKPROBE_SYMBOL(is_kretprobe_trampoline);

/*
 * Has the call return to the trampoline; the rest is in @ri.  Return: whether
 * it has been doing so before.
 */
static __always_inline bool divert_return(struct kretprobe_instance *ri,
					  struct pt_regs *regs)
{
#ifdef CONFIG_HAVE_KPROBE_SITES
	unsigned long *place = arch_kprobe_return_place(regs);
	unsigned long ret = *place;

	ri->fp = arch_kprobe_frame(regs);
	ri->ret_addr = (kprobe_opcode_t *)ret;
	*place = trampoline_address();
	return ret == trampoline_address();
#else
	arch_prepare_kretprobe(ri, regs);
	return (unsigned long)ri->ret_addr == trampoline_address();
#endif
}

/*
 * Frames are aligned: the bottom bit of kretprobe_instance::fp says that the
 * call is followed by the next one in the task's list as well.
 */
#define KRETPROBE_CHAINED	1UL

static __always_inline bool is_chained(const struct kretprobe_instance *ri)
{
	return (unsigned long)ri->fp & KRETPROBE_CHAINED;
}

static __always_inline void *frame_of(const struct kretprobe_instance *ri)
{
	return (void *)((unsigned long)ri->fp & ~KRETPROBE_CHAINED);
}

/*
 * The call is followed already, says its return address.  Return: whether
 * that is true of the innermost instance of this task.
 */
static noinline bool chain_to_innermost(struct kretprobe_instance *ri)
{
	struct llist_node *first = current->kretprobe_instances.first;
	struct kretprobe_instance *below;

	if (!first)
		return false;
	below = llist_entry(first, struct kretprobe_instance, llist);
	if (frame_of(below) != ri->fp)
		return false;
	ri->ret_addr = below->ret_addr;
	ri->fp += KRETPROBE_CHAINED;
	return true;
}
NOKPROBE_SYMBOL(chain_to_innermost);

static noinline int kretprobe_entry_slowly(struct kretprobe *rp,
					   struct pt_regs *regs)
{
	kretprobe_handler_t entry_handler = READ_ONCE(rp->entry_handler);
	struct kretprobe_instance *ri = pool_get(pool_of(rp->rph));

	if (unlikely(!ri)) {
		kprobe_count_miss(&rp->nmissed);
		return 0;
	}

	ri->rp = rp;
	ri->task = current;
	if (entry_handler && entry_handler(ri, regs)) {
		recycle(ri);
		return 0;
	}

	if (unlikely(divert_return(ri, regs)) && !chain_to_innermost(ri)) {
		/* Whosever it is, it is still on its way to the trampoline. */
		kprobe_count_miss(&rp->nmissed);
		recycle(ri);
		return 0;
	}
	/* Complete, for an NMI that looks at the stack. */
	barrier();
	__llist_add(&ri->llist, &current->kretprobe_instances);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_entry_slowly);

/*
 * The pre handler of the kprobe in a return probe.  What happens nearly always
 * is written out, so that it needs neither calls nor registers to be saved.
 */
static int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
#ifdef CONFIG_HAVE_KPROBE_SITES
	unsigned long *place = arch_kprobe_return_place(regs);
	struct task_struct *task = current;
	struct kretprobe_instance *ri;
	unsigned long ret = *place;

	if (unlikely(READ_ONCE(rp->entry_handler) ||
		     ret == trampoline_address()))
		return kretprobe_entry_slowly(rp, regs);
	ri = pool_take_hand(pool_of(rp->rph));
	if (unlikely(!ri))
		return kretprobe_entry_slowly(rp, regs);

	ri->rp = rp;
	ri->task = task;
	ri->fp = arch_kprobe_frame(regs);
	ri->ret_addr = (kprobe_opcode_t *)ret;
	*place = trampoline_address();
	ri->llist.next = task->kretprobe_instances.first;
	/* Complete, for an NMI that looks at the stack. */
	barrier();
	task->kretprobe_instances.first = &ri->llist;
	return 0;
#else
	return kretprobe_entry_slowly(rp, regs);
#endif
}
NOKPROBE_SYMBOL(kretprobe_entry);

/* There is no way on: the return address is lost. */
static noinline void __noreturn return_unmatched(struct pt_regs *regs,
						 void *frame)
{
	struct llist_node *first = current->kretprobe_instances.first;
	struct kretprobe *rp = NULL;

	if (first)
		rp = llist_entry(first, struct kretprobe_instance, llist)->rp;
	pr_err("kretprobe BUG!: Processing kretprobe %p @ %p\n", rp, frame);
	BUG();
}
NOKPROBE_SYMBOL(return_unmatched);

/*
 * Finds what follows the call that returns from @frame, where it is not the
 * innermost instance: those above it have been left without a return.
 */
static noinline struct kretprobe_instance *
drop_abandoned(struct pt_regs *regs, void *frame)
{
	struct llist_node **first = &current->kretprobe_instances.first;
	struct kretprobe_instance *ri;
	struct llist_node *node;

	for (node = *first; node; node = node->next) {
		ri = llist_entry(node, struct kretprobe_instance, llist);
		if (frame_of(ri) == frame)
			break;
	}
	if (!node)
		return_unmatched(regs, frame);

	while (*first != node) {
		struct kretprobe_instance *gone =
			llist_entry(*first, struct kretprobe_instance, llist);

		*first = gone->llist.next;
		recycle(gone);
	}
	return ri;
}
NOKPROBE_SYMBOL(drop_abandoned);

#ifndef arch_kretprobe_fixup_return
/* Backends whose unwinder looks at the trampoline's frame put it right. */
void __weak arch_kretprobe_fixup_return(struct pt_regs *regs,
					kprobe_opcode_t *correct_ret_addr)
{
}
#endif

/* Calls the handlers of a followed call; those chained to it come next. */
static struct kretprobe_instance *call_handlers(struct kretprobe_instance *ri,
						struct pt_regs *regs)
{
	struct kprobe_outer outer = kprobe_run_begin(kprobe_context_key(0));

	for (;;) {
		struct kretprobe *rp = READ_ONCE(ri->rph->rp);
		kretprobe_handler_t handler;

		handler = rp ? READ_ONCE(rp->handler) : NULL;
		if (likely(handler)) {
			__this_cpu_write(current_kprobe, &rp->kp);
			handler(ri, regs);
		}
		if (!is_chained(ri))
			break;
		ri = llist_entry(ri->llist.next, struct kretprobe_instance,
				 llist);
	}
	kprobe_run_end(outer);
	return ri;
}
NOKPROBE_SYMBOL(call_handlers);

/* Takes back the instances from the @first to the @last of one call. */
static noinline void recycle_chain(struct kretprobe_instance *first,
				   struct kretprobe_instance *last)
{
	struct kretprobe_instance *next;

	for (; first != last; first = next) {
		next = llist_entry(first->llist.next,
				   struct kretprobe_instance, llist);
		recycle(first);
	}
	recycle(last);
}
NOKPROBE_SYMBOL(recycle_chain);

static noinline unsigned long follow_return_slowly(struct pt_regs *regs,
						   void *frame)
{
	struct llist_node **top = &current->kretprobe_instances.first;
	struct kretprobe_instance *ri, *last;
	struct llist_node *node = *top;
	unsigned long ret;

	ri = llist_entry(node, struct kretprobe_instance, llist);
	if (unlikely(!node || frame_of(ri) != frame))
		ri = drop_abandoned(regs, frame);

	ret = (unsigned long)ri->ret_addr;
	instruction_pointer_set(regs, ret);

	/* On the stack while the handlers run: they may look at it. */
	last = call_handlers(ri, regs);

	arch_kretprobe_fixup_return(regs, (kprobe_opcode_t *)ret);
	/* From here on an unwinder finds the real address there. */
	barrier();
	*top = last->llist.next;
	recycle_chain(ri, last);
	return ret;
}
NOKPROBE_SYMBOL(follow_return_slowly);

#ifdef CONFIG_HAVE_KPROBE_SITES
/* What happens nearly always, as in kretprobe_entry(). */
static __always_inline void follow_return(struct pt_regs *regs, void *frame)
{
	struct llist_node *node = current->kretprobe_instances.first;
	struct kretprobe_instance *ri =
		llist_entry(node, struct kretprobe_instance, llist);
	kretprobe_handler_t handler;
	struct kretprobe *rp;

	/* One that is chained does not have this frame, either. */
	if (unlikely(!node || ri->fp != frame || kprobe_hit_nests(0)))
		goto slowly;
	rp = READ_ONCE(ri->rph->rp);
	if (unlikely(!rp))
		goto slowly;
	handler = READ_ONCE(rp->handler);
	if (unlikely(!handler))
		goto slowly;

	instruction_pointer_set(regs, (unsigned long)ri->ret_addr);
	__this_cpu_write(current_kprobe, &rp->kp);
	handler(ri, regs);
	__this_cpu_write(current_kprobe, NULL);

	arch_kretprobe_fixup_return(regs, ri->ret_addr);
	barrier();
	current->kretprobe_instances.first = ri->llist.next;
	/* It still is: unregistering waits for this CPU before it counts. */
	pool_put(pool_of(ri->rph), ri);
	return;

slowly:
	follow_return_slowly(regs, frame);
}

static noinline void follow_return_unwatched(struct pt_regs *regs, void *frame)
{
	kprobe_rcu_enter();
	follow_return_slowly(regs, frame);
	kprobe_rcu_exit();
}
NOKPROBE_SYMBOL(follow_return_unwatched);

/**
 * kretprobe_hit - a followed call has returned to the trampoline
 * @regs: as the trampoline has saved them
 *
 * Context: any in which functions return; interrupts off, as for
 * kprobe_thunk_enter().
 */
__visible void kretprobe_hit(struct pt_regs *regs)
{
	void *frame = arch_kretprobe_enter(regs);
	bool traced_on;

	traced_on = kprobe_thunk_enter();
	if (likely(kprobe_rcu_watching()))
		follow_return(regs, frame);
	else
		follow_return_unwatched(regs, frame);
	kprobe_thunk_exit(regs, traced_on);
}
NOKPROBE_SYMBOL(kretprobe_hit);
#else
/**
 * __kretprobe_trampoline_handler - a followed call returns
 * @regs: as the function left them; the instruction pointer is set to where
 *	the task goes on
 * @frame_pointer: what arch_prepare_kretprobe() has told the call by
 *
 * Context: any in which functions return; preemption off.
 * Return: where the task goes on.
 */
unsigned long __kretprobe_trampoline_handler(struct pt_regs *regs,
					     void *frame_pointer)
{
	return follow_return_slowly(regs, frame_pointer);
}
NOKPROBE_SYMBOL(__kretprobe_trampoline_handler);
#endif

/* Another task may run after all, and its instances change under our eyes. */
#define KRETPROBE_STEPS		100000

/**
 * kretprobe_find_ret_addr - where a followed call really returns to
 * @tsk: current, or a task that does not run
 * @fp: the frame whose return address is the trampoline's; NULL for the next
 *	followed call, whatever its frame
 * @cur: where the last search has ended; NULL in it to begin with
 *
 * Should another task begin to run, the result may be wrong, but no more.
 *
 * Context: any.
 * Return: the address, or 0 where there is none.
 */
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	struct llist_node *node, *after;
	int steps = KRETPROBE_STEPS;
	unsigned long ret = 0;
	bool entered;

	if (WARN_ON_ONCE(!cur) || (tsk != current && task_is_running(tsk)))
		return 0;

	/* Pools are freed behind a grace period: wherever this is called. */
	entered = kprobe_read_lock();

	node = READ_ONCE(tsk->kretprobe_instances.first);
	/* The last one may be gone, for another task: do not look into it. */
	for (after = node; *cur && after && --steps; after = after->next) {
		if (after == *cur) {
			node = after->next;
			break;
		}
	}

	for (; node && --steps > 0; node = READ_ONCE(node->next)) {
		struct kretprobe_instance *ri =
			llist_entry(node, struct kretprobe_instance, llist);

		/* One frame, one answer: go to the end of a chain. */
		if ((!fp || ri->fp == fp) && !is_chained(ri)) {
			*cur = node;
			ret = (unsigned long)ri->ret_addr;
			break;
		}
	}
	kprobe_read_unlock(entered);
	return ret;
}
NOKPROBE_SYMBOL(kretprobe_find_ret_addr);

/**
 * kprobe_flush_task - a task is dead; its followed calls will never return
 * @tsk: it
 *
 * Context: any but a hit; nobody looks at the task's stack any more.
 */
void kprobe_flush_task(struct task_struct *tsk)
{
	struct llist_node *node = __llist_del_all(&tsk->kretprobe_instances);

	while (node) {
		struct kretprobe_instance *ri =
			llist_entry(node, struct kretprobe_instance, llist);

		node = node->next;
		/* Handlers are waited for with interrupts, and so is this. */
		scoped_guard(irqsave)
			recycle(ri);
	}
}
NOKPROBE_SYMBOL(kprobe_flush_task);

#ifdef CONFIG_HOTPLUG_CPU
/*
 * A CPU that went offline has left its idle task in the midst of functions that
 * do not return.  The task begins anew when the CPU comes back; until then it
 * runs nowhere, and a CPU that is offline handles no NMI.
 */
static int flush_idle_task(unsigned int cpu)
{
	kprobe_flush_task(idle_task(cpu));
	return 0;
}

static int __init flush_idle_tasks(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					    "kprobes:idle", flush_idle_task,
					    NULL);

	return ret < 0 ? ret : 0;
}
core_initcall(flush_idle_tasks);
#endif

/*
 * Making and freeing pools
 */

static void pool_free(struct kretprobe_pool *pool)
{
	struct kretprobe_chunk *chunk = pool->chunks;

	while (chunk) {
		struct kretprobe_chunk *next = chunk->next;

		kvfree(chunk);
		chunk = next;
	}
	free_percpu(pool->lists);
	kfree(pool);
	atomic_dec(&pools_in_use);
}

/* Adds @nr instances, spread over the CPUs. */
static int pool_add(struct kretprobe_pool *pool, unsigned int nr)
{
	struct kretprobe_chunk *chunk;
	unsigned int i;
	void *first;
	int cpu = -1;

	chunk = kvmalloc(size_add(sizeof(*chunk) + L1_CACHE_BYTES,
				  size_mul(nr, pool->size)),
			 GFP_KERNEL | __GFP_NOWARN);
	if (!chunk)
		return -ENOMEM;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	first = PTR_ALIGN((void *)(chunk + 1), L1_CACHE_BYTES);
	WRITE_ONCE(pool->total, pool->total + nr);

	for (i = 0; i < nr; i++) {
		struct kretprobe_instance *ri = first + i * pool->size;
		struct kretprobe_list *list;
		bool added = false;

		ri->rph = &pool->holder;
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
		list = per_cpu_ptr(pool->lists, cpu);
		scoped_guard(irqsave) {
			if (list_trylock(list)) {
				ri->llist.next = list->first;
				list->first = &ri->llist;
				list_unlock(list);
				added = true;
			}
		}
		if (!added)
			llist_add(&ri->llist, &pool->strays);
	}
	return 0;
}

static void pool_work(struct work_struct *work)
{
	struct kretprobe_pool *pool =
		container_of(work, struct kretprobe_pool, work);
	unsigned int more;

	if (pool->total >= pool->limit)
		return;
	more = min(pool->total, pool->limit - pool->total);
	pool_add(pool, more);
}

static void pool_free_work(struct work_struct *work)
{
	struct kretprobe_pool *pool =
		container_of(to_rcu_work(work), struct kretprobe_pool, free);

	irq_work_sync(&pool->kick);
	pool_free(pool);
}

/*
 * Those who walk the stack of a task that is just gone may look into a pool for
 * a grace period more.  No worker waits for that: thousands of return probes
 * may be unregistered one by one, and the queue serves the whole kernel.
 */
static void pool_free_later(struct kretprobe_pool *pool)
{
	queue_rcu_work(system_unbound_wq, &pool->free);
}

static void pool_kick(struct irq_work *kick)
{
	struct kretprobe_pool *pool =
		container_of(kick, struct kretprobe_pool, kick);

	if (READ_ONCE(pool->settled))
		pool_free_later(pool);
	else
		queue_work(system_unbound_wq, &pool->work);
}

static struct kretprobe_pool *pool_create(struct kretprobe *rp)
{
	struct kretprobe_pool *pool;
	unsigned int nr = rp->maxactive;

	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return NULL;
	atomic_inc(&pools_in_use);
	pool->lists = alloc_percpu(struct kretprobe_list);
	if (!pool->lists)
		goto free;

	if (rp->maxactive <= 0) {
		nr = max(10U, 2 * num_possible_cpus());
		pool->grows = true;
	}
	pool->size = ALIGN(struct_size_t(struct kretprobe_instance, data,
					 rp->data_size), L1_CACHE_BYTES);
	pool->limit = clamp(KRETPROBE_POOL_BYTES / pool->size, nr,
			    KRETPROBE_POOL_MAX);
	init_irq_work(&pool->kick, pool_kick);
	INIT_WORK(&pool->work, pool_work);
	INIT_RCU_WORK(&pool->free, pool_free_work);
	if (pool_add(pool, nr))
		goto free;
	pool->holder.rp = rp;
	return pool;

free:
	pool_free(pool);
	return NULL;
}

static unsigned int chain_length(struct llist_node *node)
{
	unsigned int length = 0;

	for (; node; node = node->next)
		length++;
	return length;
}

/*
 * Frees a pool as soon as all of its instances are back: its return probe has
 * left it, and no handler is running.
 */
static void pool_retire(struct kretprobe_pool *pool)
{
	unsigned int idle;
	int cpu;

	irq_work_sync(&pool->kick);
	cancel_work_sync(&pool->work);

	idle = chain_length(pool->strays.first);
	for_each_possible_cpu(cpu) {
		struct kretprobe_list *list = per_cpu_ptr(pool->lists, cpu);

		idle += chain_length(list->first) + !!list->hand;
	}

	if (!atomic_add_return(pool->total - idle, &pool->balance))
		pool_free_later(pool);
}

static void pools_retire(struct llist_head *leaving)
{
	struct llist_node *first = __llist_del_all(leaving);
	struct kretprobe_pool *pool, *next;

	llist_for_each_entry_safe(pool, next, first, link)
		pool_retire(pool);
}

/*
 * The interface
 */

/* Return probes on their way in or out, and their pools. */
struct kretprobe_batch {
	struct kprobe_batch probes;
	struct llist_head pools;
};

static struct kprobe *nth_kretprobe(void *array, int i)
{
	struct kretprobe *rp = ((struct kretprobe **)array)[i];

	return rp ? &rp->kp : NULL;
}

/* Fills in where those are that have only a name. */
static void find_forbidden(void)
{
	static bool found;	/* under kprobe_mutex */
	unsigned long addr;
	bool on_entry;
	int i;

	if (found)
		return;
	for (i = 0; i < kretprobe_blacklist_size; i++) {
		addr = kallsyms_lookup_name(kretprobe_blacklist[i].name);
		if (addr)
			kretprobe_blacklist[i].addr =
				arch_kprobe_entry(addr, 0, &on_entry);
	}
	found = true;
}

static enum kprobe_refusal kretprobe_admit(kprobe_opcode_t *addr, bool on_entry)
{
	int i;

	if (!on_entry)
		return KPROBE_NOT_ENTRY;
	find_forbidden();
	for (i = 0; i < kretprobe_blacklist_size; i++)
		if (addr == kretprobe_blacklist[i].addr)
			return KPROBE_NO_RETURN;
	return KPROBE_OK;
}

/* Nobody knows it yet; kprobe_mutex keeps it so. */
static int kretprobe_join(struct kprobe_batch *batch, int i)
{
	struct kretprobe *rp = ((struct kretprobe **)batch->array)[i];
	struct kretprobe_pool *pool;

	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return -E2BIG;

	rp->kp.pre_handler = kretprobe_entry;
	rp->kp.post_handler = NULL;
	rp->nmissed = 0;
	pool = pool_create(rp);
	if (!pool)
		return -ENOMEM;
	rp->rph = &pool->holder;
	return 0;
}

static void kretprobe_leave(struct kprobe_batch *batch, int i)
{
	struct kretprobe_batch *b =
		container_of(batch, struct kretprobe_batch, probes);
	struct kretprobe *rp = ((struct kretprobe **)batch->array)[i];

	/* Read by those who hold an instance. */
	WRITE_ONCE(rp->rph->rp, NULL);
	__llist_add(&pool_of(rp->rph)->link, &b->pools);
}

/**
 * register_kretprobes - register several return probes, all or none
 * @rps: the return probes
 * @num: how many
 *
 * Context: may sleep; not from a handler.
 * Return: as register_kprobes(), and:
 * -EINVAL: not at the entry of a function, or of one whose return cannot be
 * followed.
 * -E2BIG: data_size is above KRETPROBE_MAX_DATA_SIZE.
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kretprobe_batch b = {
		.probes = {
			.array = rps, .num = num, .nth = nth_kretprobe,
			.admit = kretprobe_admit,
			.join = kretprobe_join, .leave = kretprobe_leave,
		},
	};
	int ret = kprobe_register_batch(&b.probes);

	pools_retire(&b.pools);
	return ret;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * register_kretprobe - register a return probe
 * @rp: it
 *
 * Context and return values: as register_kretprobes().
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/**
 * unregister_kretprobes - unregister several return probes
 * @rps: the return probes
 * @num: how many
 *
 * On return no handler of theirs runs or will run, calls that are followed
 * at that time included; the return probes may be freed.
 *
 * Context: may sleep; not from a handler.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	struct kretprobe_batch b = {
		.probes = {
			.array = rps, .num = num, .nth = nth_kretprobe,
			.leave = kretprobe_leave,
		},
	};

	kprobe_unregister_batch(&b.probes);
	pools_retire(&b.pools);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

/**
 * unregister_kretprobe - unregister a return probe
 * @rp: it
 *
 * As unregister_kretprobes().
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);

/**
 * disable_kretprobe - follow no more calls until enabled again
 * @rp: the return probe
 *
 * Calls that are followed already are followed to their end.
 *
 * Context: may sleep; not from a handler.
 * Return: as disable_kprobe().
 */
int disable_kretprobe(struct kretprobe *rp)
{
	return rp ? disable_kprobe(&rp->kp) : -EINVAL;
}
EXPORT_SYMBOL_GPL(disable_kretprobe);

/**
 * enable_kretprobe - follow calls again
 * @rp: the return probe
 *
 * Context: may sleep; not from a handler.
 * Return: as enable_kprobe().
 */
int enable_kretprobe(struct kretprobe *rp)
{
	return rp ? enable_kprobe(&rp->kp) : -EINVAL;
}
EXPORT_SYMBOL_GPL(enable_kretprobe);

/** kprobe_is_kretprobe - is this registered kprobe a return probe's? */
bool kprobe_is_kretprobe(const struct kprobe *p)
{
	return p->run_pre == kretprobe_entry;
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kretprobe_pools_in_use - pools not freed yet, registered or not */
unsigned int kretprobe_pools_in_use(void)
{
	return atomic_read(&pools_in_use);
}
EXPORT_SYMBOL_GPL(kretprobe_pools_in_use);
#endif
