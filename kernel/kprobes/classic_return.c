// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on architectures that follow calls by rethook.
 *
 * Rethook has the instances, the trampoline and the list of each task.  This
 * file replaces kretprobe.c and pool.c: at a function's entry,
 * kretprobe_entry() takes a node of rethook, and at its return, rethook passes
 * the return probe's holder to kretprobe_return().
 *
 *	rp <----> pool (holder) <---- rethook (data) <---- node in an instance
 *
 * Rethook's pools do not grow: if all nodes are in use, further calls are
 * missed.
 *
 * Who frees what when
 * -------------------
 *
 * kretprobe_pool_leave() clears holder.rp before unregistering waits for
 * handlers.  kretprobe_return() has interrupts off from before it reads
 * holder.rp until the user's handler has returned, so no handler runs after the
 * wait.  Then rethook_free() clears rethook's pointer to kretprobe_return(),
 * and rethook frees the nodes as calls return.  Rethook has preemption off from
 * before it reads this pointer until kretprobe_return() has returned.  So the
 * pool is freed after a grace period of RCU that begins after rethook_free().
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/llist.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/kprobes_hit.h>
#include "internal.h"
#include "pool.h"

/* See kretprobe.c.  Called in a walk of classic.c, with interrupts off. */
int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	kretprobe_handler_t entry_handler = READ_ONCE(rp->entry_handler);
	struct kretprobe_instance *ri;
	struct rethook_node *node;

	node = rethook_try_get(pool_of(rp->rph)->rethook);
	if (!node) {
		kretprobe_missed(rp, KPROBE_MISS_FULL);
		return 0;
	}
	ri = container_of(node, struct kretprobe_instance, node);
	ri->rp = rp;
	ri->rph = rp->rph;
	ri->task = current;
	if (entry_handler && entry_handler(ri, regs)) {
		rethook_recycle(node);
		return 0;
	}
	rethook_hook(node, regs, p->site->on_ftrace);
	ri->ret_addr = (kprobe_opcode_t *)node->ret_addr;
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_entry);

static void kretprobe_return(struct rethook_node *node, void *data,
			     unsigned long ret_addr, struct pt_regs *regs)
{
	struct kretprobe_instance *ri =
		container_of(node, struct kretprobe_instance, node);
	struct kretprobe_holder *holder = data;
	kretprobe_handler_t handler;
	struct kretprobe *rp;
	unsigned long flags;
	bool entered;

	/* If probes share the call, node->ret_addr may be a trampoline's. */
	ri->ret_addr = (kprobe_opcode_t *)ret_addr;
	local_irq_save(flags);
	/* RCU must be watching: it keeps the holder from being freed. */
	entered = kprobe_rcu_enter();
	rp = READ_ONCE(holder->rp);
	handler = rp ? READ_ONCE(rp->handler) : NULL;
	if (handler) {
		/* Make the backend treat hits in the handler as recursion. */
		kprobe_busy_begin();
		__this_cpu_write(current_kprobe, &rp->kp);
		handler(ri, regs);
		kprobe_busy_end();
	}
	kprobe_rcu_exit(entered);
	local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kretprobe_return);

/* As in pool.c, with instances of rethook. */
struct kretprobe_pool *kretprobe_pool_create(struct kretprobe *rp)
{
	int nr = rp->maxactive;
	struct kretprobe_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return NULL;
	if (nr <= 0)
		nr = pool_start(num_possible_cpus());
	pool->holder.rp = rp;
	pool->rethook = rethook_alloc(&pool->holder, kretprobe_return,
				      sizeof(struct kretprobe_instance) +
				      rp->data_size, nr);
	if (IS_ERR(pool->rethook)) {
		kfree(pool);
		return NULL;
	}
	atomic_inc(&kretprobe_pools);
	return pool;
}

static void classic_pool_free(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct kretprobe_pool, rcu));
	atomic_dec(&kretprobe_pools);
}

/* As in pool.c; rethook frees the instances as calls return. */
void kretprobe_pools_retire(struct llist_head *leaving)
{
	struct llist_node *first = __llist_del_all(leaving);
	struct kretprobe_pool *pool, *next;

	llist_for_each_entry_safe(pool, next, first, link) {
		rethook_free(pool->rethook);
		call_rcu(&pool->rcu, classic_pool_free);
	}
}
