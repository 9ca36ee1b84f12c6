/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pools of instances for return probes: what a hit does with them, inline.  The
 * rest, and how it all works, is in pool.c.
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

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
/**
 * struct kretprobe_pool - what a return probe has of rethook
 * @holder: what returns come with
 * @rethook: has the instances
 * @rcu: for freeing it
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
 * @cached: the one to take first, or NULL
 * @locked: a CPU works on @first
 * @first: linked by kretprobe_instance::llist
 */
struct kretprobe_list {
	struct kretprobe_instance *cached;
	atomic_t locked;
	struct llist_node *first;
};

/* How many instances a pool begins with that grows by itself. */
static inline unsigned int pool_start(unsigned int cpus)
{
	return max(10U, 2 * cpus);
}

/**
 * struct kretprobe_pool - the instances of one return probe
 * @holder: that return probe; what instances and users see of the pool
 * @lists: free instances
 * @overflow: more of them, put there where a list was locked
 * @moves: how many CPUs are moving the overflow into lists, in multiples of
 *	POOL_MOVING, and how often one has, in multiples of POOL_MOVED
 * @outstanding: instances still in use once the return probe is unregistered:
 *	see "Who frees what when" in pool.c
 * @size: of an instance, in bytes
 * @total: how many instances there are
 * @limit: how many there may be if it grows
 * @grows: @total is not limited by the user
 * @drained: all instances are back and the return probe is gone
 * @chunks: their memory
 * @kick: starts @work or @free from a hit
 * @work: grows the pool
 * @free: frees it, behind a grace period
 * @link: in a list of pools that are being unregistered, or then of those that
 *	were drained on a CPU that went offline
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
	bool grows;
	bool drained;
	struct kretprobe_chunk *chunks;
	struct irq_work kick;
	struct work_struct work;
	struct rcu_work free;
	struct llist_node link;
};
#endif

static __always_inline struct kretprobe_pool *
pool_of(struct kretprobe_holder *holder)
{
	return container_of(holder, struct kretprobe_pool, holder);
}

/* Both kinds of pools do this in kretprobe_pool_leave(). */
static inline void pool_leave(struct kretprobe *rp, struct llist_head *leaving)
{
	/* Returning tasks read it by way of their instances. */
	WRITE_ONCE(rp->rph->rp, NULL);
	__llist_add(&pool_of(rp->rph)->link, leaving);
	/* As a plain kprobe it would look for the pool. */
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
 * All of these with interrupts off.  What puts an instance back releases it,
 * and what takes one acquires it: the call before is done with it then.
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

/* An instance is no longer in use, of a return probe that may be gone. */
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
