// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pools: the instances of a return probe, one for each followed call.
 *
 *	[ pool ]-- lists[cpu] -> cached, free -> free ->|
 *	     |
 *	     +---- overflow ->|
 *
 * Each CPU can cache one free instance, and has a list of more.  The cached one
 * is taken and put back by exchanging a pointer.  The list has a lock.  When a
 * call is entered, it takes an instance from its CPU; when it returns, it puts
 * the instance back on the CPU where it runs then.  In a steady state no two
 * CPUs write to one cache line, because each instance has cache lines of its
 * own.  A CPU without free instances takes one from another CPU.
 *
 * The holder of a lock executes a few instructions with interrupts off.  A hit
 * in an NMI on its CPU may need the same lock, and must not wait for it.  So
 * locks are only taken by trylock.  An entry searches all lists, up to
 * KRETPROBE_TRIES times, and then counts a miss.  A return that finds its list
 * locked adds the instance to the overflow, a lock-less list.  The next entry
 * that gets no instance from any list collects the overflow.
 *
 * An objpool could not guarantee maxactive instances: while one CPU is pushing
 * an object, other CPUs can neither pop this object nor distinguish it from one
 * in use.  An objpool also has a fixed size.  Here, an entry misses a free
 * instance only
 *
 * - after KRETPROBE_TRIES rounds, or
 * - if, during one round, an instance is added to a list already searched, and
 *   the last instance of a list not yet searched is taken.
 *
 * A pool without a maxactive grows, up to a limit, whenever an entry finds no
 * free instance.  A work item allocates more.  An irq_work queues this work
 * item, because the hit may be in any context.
 *
 * Who frees what when
 * -------------------
 *
 * The pool outlives its return probe while calls are followed:
 *
 * 1. Unregistering clears holder.rp, then waits until all code that was running
 *    with interrupts off has ended.  So code must keep interrupts off from
 *    before it reads holder.rp until it has acted on the result.
 * 2. After the wait, no CPU runs a handler of the return probe.  Each later
 *    return sees no rp, leaves the lists alone, and decrements
 *    pool->outstanding, which starts at 0 and may become negative.
 * 3. Unregistering counts the free instances and adds the number of all others
 *    to pool->outstanding.
 * 4. The pool is freed when step 2 or 3 makes pool->outstanding 0.  In step 2,
 *    the return queues the irq_work for this.  On a CPU that is going offline,
 *    the return instead adds the pool to pools_left, which is emptied once the
 *    CPU is offline, or when probes are next registered or unregistered.
 */
#include <linux/align.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "internal.h"
#include "pool.h"

/*
 * Rounds over all lists before an entry gives up.  One is enough unless the
 * lock of a list is held or the overflow is moved during that round, by another
 * CPU or by code that an NMI has interrupted on this CPU.
 */
#define KRETPROBE_TRIES		100

/* Units of kretprobe_pool::moves; POOL_MOVED exceeds the number of CPUs. */
#define POOL_MOVING		1
#define POOL_MOVED		0x10000

/* Maximum size of a pool that grows, in instances and in bytes. */
#define KRETPROBE_POOL_MAX	65536U
#define KRETPROBE_POOL_BYTES	SZ_32M

/**
 * struct kretprobe_chunk - memory for some instances
 * @next: the chunk allocated before this one
 *
 * The instances begin in the next cache line, kretprobe_pool::size bytes each.
 */
struct kretprobe_chunk {
	struct kretprobe_chunk *next;
};

/* Pools drained on CPUs going offline, linked by kretprobe_pool::link. */
static LLIST_HEAD(pools_left);

static __always_inline bool list_trylock(struct kretprobe_list *list)
{
	return !atomic_xchg_acquire(&list->locked, 1);
}

static __always_inline void list_unlock(struct kretprobe_list *list)
{
	atomic_set_release(&list->locked, 0);
}

/* Take an instance.  Clear @sure if a free one may have been overlooked. */
static __always_inline struct kretprobe_instance *
list_take(struct kretprobe_list *list, bool *sure)
{
	struct kretprobe_instance *ri;
	struct llist_node *node;

	if (READ_ONCE(list->cached)) {
		ri = xchg_acquire(&list->cached, NULL);
		if (ri)
			return ri;
	}
	/*
	 * Read before locking: otherwise, if all instances are in use, CPUs
	 * would contend for this cache line.  If the list is empty but locked,
	 * the lock's holder is adding an instance, or has taken the last one.
	 */
	if (!READ_ONCE(list->first)) {
		if (atomic_read(&list->locked))
			*sure = false;
		return NULL;
	}
	/* If locked, an instance is being added or taken. */
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

/* Put a free instance into a list of the pool.  Interrupts must be off. */
static __always_inline void pool_put_to(struct kretprobe_pool *pool,
					struct kretprobe_list *list,
					struct kretprobe_instance *ri)
{
	if (unlikely(!list_trylock(list))) {
		llist_add(&ri->llist, &pool->overflow);
		return;
	}
	ri->llist.next = list->first;
	list->first = &ri->llist;
	list_unlock(list);
}

/**
 * kretprobe_pool_put_list - put an instance into this CPU's list
 * @pool: the pool
 * @ri: a free instance
 *
 * Context: any; interrupts off.
 */
void kretprobe_pool_put_list(struct kretprobe_pool *pool,
			     struct kretprobe_instance *ri)
{
	pool_put_to(pool, this_cpu_ptr(pool->lists), ri);
}
NOKPROBE_SYMBOL(kretprobe_pool_put_list);

/* Take one instance from the overflow; put the rest in this CPU's list. */
static struct kretprobe_instance *pool_collect(struct kretprobe_pool *pool)
{
	struct kretprobe_instance *ri, *next;
	struct llist_node *first;

	if (llist_empty(&pool->overflow))
		return NULL;

	/*
	 * CPUs that find no instance during the move must search again.
	 * llist_del_all() is a full barrier, so a CPU that finds the overflow
	 * emptied by it also sees POOL_MOVING.
	 */
	atomic_add(POOL_MOVING, &pool->moves);
	first = llist_del_all(&pool->overflow);
	llist_for_each_entry_safe(ri, next, first ? first->next : NULL, llist)
		kretprobe_pool_put_list(pool, ri);
	/* Pairs with the acquire in kretprobe_pool_scavenge(). */
	atomic_add_return_release(POOL_MOVED - POOL_MOVING, &pool->moves);
	return first ? llist_entry(first, struct kretprobe_instance, llist) :
		       NULL;
}
NOKPROBE_SYMBOL(pool_collect);

/*
 * Return true if this CPU can queue an irq_work.  A CPU that is going offline
 * may still follow calls after it has run its last irq_work.  An irq_work that
 * is queued then would not run, and neither would those queued after it on this
 * CPU, because only the first in a CPU's list raises an interrupt.  The result
 * stays valid while interrupts are off.
 */
static __always_inline bool can_kick(void)
{
	return cpu_online(raw_smp_processor_id());
}

/**
 * kretprobe_pool_scavenge - search all lists for an instance
 * @pool: a pool without a cached instance on this CPU
 *
 * Context: any; interrupts off.
 * Return: an instance, from this CPU's list if possible; or NULL, after which a
 * pool without a maxactive grows.
 */
struct kretprobe_instance *kretprobe_pool_scavenge(struct kretprobe_pool *pool)
{
	int cpu, nr, try;

	for (try = 0; try < KRETPROBE_TRIES; try++) {
		int moves = atomic_read_acquire(&pool->moves);
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
		/* Search the lists before reading pool->moves again. */
		smp_rmb();
		if (sure && moves % POOL_MOVED == 0 &&
		    moves == atomic_read(&pool->moves))
			break;
		cpu_relax();
	}

	/* If this CPU cannot queue the irq_work, a later miss does. */
	if (READ_ONCE(pool->total) < pool->limit && can_kick())
		irq_work_queue(&pool->kick);
	return NULL;
}
NOKPROBE_SYMBOL(kretprobe_pool_scavenge);

/**
 * kretprobe_pool_drain - free an instance of an unregistered return probe
 * @pool: the pool of the instance
 *
 * Context: any; interrupts off.
 */
void kretprobe_pool_drain(struct kretprobe_pool *pool)
{
	if (!atomic_dec_and_test(&pool->outstanding))
		return;
	WRITE_ONCE(pool->drained, true);
	if (likely(can_kick()))
		irq_work_queue(&pool->kick);
	else
		llist_add(&pool->link, &pools_left);
}
NOKPROBE_SYMBOL(kretprobe_pool_drain);

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
	atomic_dec(&kretprobe_pools);
}

/* Add @nr instances, distributed over the CPUs. */
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

		ri->rph = &pool->holder;
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
		scoped_guard(irqsave)
			pool_put_to(pool, per_cpu_ptr(pool->lists, cpu), ri);
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

	pool_free(pool);
}

/*
 * Free a pool after a grace period, because an unwinder may still read an
 * instance that has just become free, and irq_work_single() may still access
 * pool->kick.  No worker waits for the grace period: while thousands of return
 * probes are unregistered one by one, waiting workers would block a workqueue
 * that the whole kernel uses.
 */
static void pool_free_later(struct kretprobe_pool *pool)
{
	queue_rcu_work(system_dfl_wq, &pool->free);
}

static void pool_kick(struct irq_work *kick)
{
	struct kretprobe_pool *pool =
		container_of(kick, struct kretprobe_pool, kick);

	if (READ_ONCE(pool->drained))
		pool_free_later(pool);
	else
		queue_work(system_dfl_wq, &pool->work);
}

/**
 * kretprobe_pool_create - create the pool of a return probe
 * @rp: the return probe to be registered
 *
 * Context: may sleep.
 * Return: the pool, or NULL if there is no memory.
 */
struct kretprobe_pool *kretprobe_pool_create(struct kretprobe *rp)
{
	struct kretprobe_pool *pool;
	bool grows = rp->maxactive <= 0;
	unsigned int nr;

	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return NULL;
	atomic_inc(&kretprobe_pools);
	pool->lists = alloc_percpu(struct kretprobe_list);
	if (!pool->lists)
		goto free;

	nr = grows ? pool_start(num_possible_cpus()) : rp->maxactive;
	pool->size = ALIGN(struct_size_t(struct kretprobe_instance, data,
					 rp->data_size), L1_CACHE_BYTES);
	pool->limit = grows ? clamp(KRETPROBE_POOL_BYTES / pool->size, nr,
				    KRETPROBE_POOL_MAX) : nr;
	/* Hard, so that irq_work_sync() need not wait for RCU on PREEMPT_RT. */
	pool->kick = IRQ_WORK_INIT_HARD(pool_kick);
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

/* Free a pool once all instances are free.  No handler may be running. */
static void pool_retire(struct kretprobe_pool *pool)
{
	unsigned int idle;
	int cpu;

	/* Sync only if busy, because irq_work_sync() may wait for RCU. */
	if (irq_work_is_busy(&pool->kick))
		irq_work_sync(&pool->kick);
	cancel_work_sync(&pool->work);

	idle = chain_length(pool->overflow.first);
	for_each_possible_cpu(cpu) {
		struct kretprobe_list *list = per_cpu_ptr(pool->lists, cpu);

		idle += chain_length(list->first) + !!list->cached;
	}

	if (!atomic_add_return(pool->total - idle, &pool->outstanding))
		pool_free_later(pool);
}

/**
 * kretprobe_pools_flush_left - free pools drained on CPUs going offline
 *
 * Context: any but an NMI or a hit.
 */
void kretprobe_pools_flush_left(void)
{
	struct llist_node *first = llist_del_all(&pools_left);
	struct kretprobe_pool *pool, *next;

	llist_for_each_entry_safe(pool, next, first, link)
		pool_free_later(pool);
}

/**
 * kretprobe_pools_retire - free pools once all of their instances are free
 * @leaving: pools of unregistered return probes, by kretprobe_pool::link
 *
 * Context: may sleep; none of their handlers is running.
 */
void kretprobe_pools_retire(struct llist_head *leaving)
{
	struct llist_node *first = __llist_del_all(leaving);
	struct kretprobe_pool *pool, *next;

	llist_for_each_entry_safe(pool, next, first, link)
		pool_retire(pool);
	kretprobe_pools_flush_left();
}
