/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pools of instances for return probes: the inline part.  The rest and the
 * overview are in pool.c.
 */
#ifndef _KERNEL_KPROBES_POOL_H
#define _KERNEL_KPROBES_POOL_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

/* Number of instances for a user who sets no maxactive; more may be added. */
static inline unsigned int pool_start(unsigned int cpus)
{
	return max(10U, 2 * cpus);
}

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
/**
 * struct kretprobe_pool - a return probe's rethook
 * @holder: passed to the handlers of returns
 * @rethook: owns the instances
 * @rcu: for freeing the pool
 * @link: in a list of pools that are being unregistered
 */
struct kretprobe_pool {
	struct kretprobe_holder holder;
	struct rethook *rethook;
	struct rcu_head rcu;
	struct llist_node link;
};
#else
struct kretprobe_chunk;

/**
 * struct kretprobe_list - free instances of one CPU
 * @cached: the instance to use first, or NULL
 * @locked: set while a CPU accesses @first
 * @first: linked by kretprobe_instance::llist
 */
struct kretprobe_list {
	struct kretprobe_instance *cached;
	atomic_t locked;
	struct llist_node *first;
};

/**
 * struct kretprobe_pool - the instances of one return probe
 * @holder: the return probe; seen by instances and users
 * @lists: free instances
 * @overflow: free instances that found their list locked
 * @moves: the sum of POOL_MOVING for each CPU that is moving the overflow into
 *	lists, and POOL_MOVED for each completed move
 * @outstanding: instances still in use once the return probe is unregistered:
 *	see "Who frees what when" in pool.c
 * @size: bytes of an instance
 * @total: number of instances
 * @limit: maximum of @total; the pool grows up to it
 * @drained: the return probe is unregistered and all instances are free
 * @chunks: memory of the instances
 * @kick: queues @work or @free from any context
 * @work: grows the pool
 * @free: frees the pool after a grace period
 * @link: in a list of pools that are being unregistered, and later of pools
 *	that were drained on a CPU going offline
 */
struct kretprobe_pool {
	struct kretprobe_holder holder;
	struct kretprobe_list __percpu *lists;
	struct llist_head overflow;
	atomic_t moves;
	atomic_t outstanding;
	size_t size;
	unsigned int total;
	unsigned int limit;
	bool drained;
	struct kretprobe_chunk *chunks;
	struct irq_work kick;
	struct work_struct work;
	struct rcu_work free;
	struct llist_node link;
};
#endif

/* Number of allocated pools, for tests. */
extern atomic_t kretprobe_pools;

static __always_inline struct kretprobe_pool *
pool_of(struct kretprobe_holder *holder)
{
	return container_of(holder, struct kretprobe_pool, holder);
}

/**
 * kretprobe_pool_leave - detach a return probe from its pool
 * @rp: the return probe; later returns do not call its handler
 * @leaving: the list of pools to pass to kretprobe_pools_retire()
 *
 * Context: kprobe_mutex held; handlers may be running.
 */
static inline void kretprobe_pool_leave(struct kretprobe *rp,
					struct llist_head *leaving)
{
	/* Returning tasks read rph->rp through their instances. */
	WRITE_ONCE(rp->rph->rp, NULL);
	__llist_add(&pool_of(rp->rph)->link, leaving);
	/* Users may register rp->kp as a kprobe: it must not use the pool. */
	rp->kp.pre_handler = NULL;
}

int kretprobe_entry(struct kprobe *p, struct pt_regs *regs);
struct kretprobe_pool *kretprobe_pool_create(struct kretprobe *rp);
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
static inline void kretprobe_pools_flush_left(void) { }
#else
void kretprobe_pool_put_list(struct kretprobe_pool *pool,
			     struct kretprobe_instance *ri);
struct kretprobe_instance *kretprobe_pool_scavenge(struct kretprobe_pool *pool);
void kretprobe_pool_drain(struct kretprobe_pool *pool);
void kretprobe_pools_flush_left(void);

/*
 * Interrupts must be off.  Putting an instance back is a release and taking it
 * is an acquire, so accesses to an instance follow those of earlier calls.
 */

static __always_inline void pool_put(struct kretprobe_pool *pool,
				     struct kretprobe_instance *ri)
{
	struct kretprobe_instance *none = NULL;

	if (unlikely(!try_cmpxchg_release(&this_cpu_ptr(pool->lists)->cached,
					  &none, ri)))
		kretprobe_pool_put_list(pool, ri);
}

static __always_inline struct kretprobe_instance *
pool_take_cached(struct kretprobe_pool *pool)
{
	return xchg_acquire(&this_cpu_ptr(pool->lists)->cached, NULL);
}

static __always_inline struct kretprobe_instance *
pool_get(struct kretprobe_pool *pool)
{
	return pool_take_cached(pool) ?: kretprobe_pool_scavenge(pool);
}

/* Free an instance, whose return probe may have been unregistered. */
static __always_inline void recycle(struct kretprobe_instance *ri)
{
	struct kretprobe_pool *pool = pool_of(ri->rph);

	if (likely(READ_ONCE(pool->holder.rp)))
		pool_put(pool, ri);
	else
		kretprobe_pool_drain(pool);
}
#endif

#endif /* _KERNEL_KPROBES_POOL_H */
