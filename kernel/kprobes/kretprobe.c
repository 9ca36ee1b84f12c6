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
 *	                              +- overflow ->|
 *
 * If several return probes follow one call (or a function that was entered by
 * a jump from another followed one), only the first finds the real return
 * address.  Later ones find the trampoline's; they are *chained* to the one
 * below them, share its return address, and are all dealt with by one pass
 * through the trampoline.  Other ways of following returns (rethook, function
 * graph) may come in between; they are return addresses as good as any.
 *
 * Instances come from the pool of the return probe (pool.c), which outlives it
 * while calls are in flight.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bug.h>
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/kprobes_hit.h>
#include "internal.h"
#include "pool.h"

#ifndef CONFIG_KRETPROBE_ON_RETHOOK
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
 * Has the call return to the trampoline; @ri keeps its return address.  Return:
 * whether that was the trampoline's already.
 */
#ifdef CONFIG_KPROBES_CLASSIC
static bool divert_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	arch_prepare_kretprobe(ri, regs);
	return (unsigned long)ri->ret_addr == trampoline_address();
}
#else
static __always_inline bool divert_return(struct kretprobe_instance *ri,
					  struct pt_regs *regs)
{
	unsigned long *place = arch_kprobe_return_place(regs);
	unsigned long ret = *place;

	ri->fp = arch_kprobe_frame(regs);
	ri->ret_addr = (kprobe_opcode_t *)ret;
	*place = trampoline_address();
	return ret == trampoline_address();
}
#endif

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
 * The return address says that the call is followed already.  Return: whether
 * the innermost instance of this task follows it.
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

static noinline int kretprobe_entry_slow(struct kretprobe *rp,
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
		/* Another instance has the real address: leave it to that. */
		kprobe_count_miss(&rp->nmissed);
		recycle(ri);
		return 0;
	}
	/* Complete, for an NMI that looks at the stack. */
	barrier();
	__llist_add(&ri->llist, &current->kretprobe_instances);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_entry_slow);

#ifdef CONFIG_KPROBES_CLASSIC
static int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	return kretprobe_entry_slow(container_of(p, struct kretprobe, kp),
				    regs);
}
#else
/*
 * The pre handler of the kprobe in a return probe.  What happens nearly always
 * is written out, so that it needs neither calls nor registers to be saved.
 */
static int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	unsigned long *place = arch_kprobe_return_place(regs);
	struct task_struct *task = current;
	struct kretprobe_instance *ri;
	unsigned long ret = *place;

	if (unlikely(READ_ONCE(rp->entry_handler) ||
		     ret == trampoline_address()))
		return kretprobe_entry_slow(rp, regs);
	ri = pool_take_cached(pool_of(rp->rph));
	if (unlikely(!ri))
		return kretprobe_entry_slow(rp, regs);

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
}
#endif
NOKPROBE_SYMBOL(kretprobe_entry);

/* The return address is lost, so the task cannot go on. */
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
 * Finds the instance of the call that returns from @frame, where it is not the
 * innermost one.  Calls above it have ended without a return: recycles theirs.
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
	struct kprobe_saved_ctx saved;

	saved = kprobe_ctx_save(kprobe_context_id(KPROBE_BY_CODE));
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
	kprobe_ctx_restore(saved);
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

static noinline void follow_return_slow(struct pt_regs *regs, void *frame)
{
	struct llist_node **top = &current->kretprobe_instances.first;
	struct kretprobe_instance *ri, *last;
	struct llist_node *node = *top;
	unsigned long ret;
	bool entered;

	/* Pools are freed behind a grace period: before any look into one. */
	entered = kprobe_rcu_enter();
	ri = llist_entry(node, struct kretprobe_instance, llist);
	if (unlikely(!node || frame_of(ri) != frame))
		ri = drop_abandoned(regs, frame);

	ret = (unsigned long)ri->ret_addr;
	instruction_pointer_set(regs, ret);

	/* Still in the task's list: handlers may ask for stack traces. */
	last = call_handlers(ri, regs);

	arch_kretprobe_fixup_return(regs, (kprobe_opcode_t *)ret);
	/* From here on an unwinder finds the real address there. */
	barrier();
	*top = last->llist.next;
	recycle_chain(ri, last);
	kprobe_rcu_exit(entered);
}
NOKPROBE_SYMBOL(follow_return_slow);

#ifdef CONFIG_KPROBES_CLASSIC
/**
 * __kretprobe_trampoline_handler - a followed call has returned to the
 *	trampoline, or to the probe there
 * @regs: as the backend has saved them
 * @frame: as arch_prepare_kretprobe() has noted it
 *
 * Context: hits on this CPU miss their handlers.
 * Return: where the call returns to.
 */
unsigned long __kretprobe_trampoline_handler(struct pt_regs *regs, void *frame)
{
	struct kretprobe_instance *ri;
	struct llist_node *node;
	unsigned long ret;
	unsigned long flags;

	local_irq_save(flags);
	node = current->kretprobe_instances.first;
	ri = llist_entry(node, struct kretprobe_instance, llist);
	if (!node || frame_of(ri) != frame)
		ri = drop_abandoned(regs, frame);
	ret = (unsigned long)ri->ret_addr;
	follow_return_slow(regs, frame);
	local_irq_restore(flags);
	return ret;
}
NOKPROBE_SYMBOL(__kretprobe_trampoline_handler);

/* The same, for a trampoline that no hit has led to. */
unsigned long kretprobe_trampoline_handler(struct pt_regs *regs, void *frame)
{
	unsigned long ret, flags;

	local_irq_save(flags);
	kprobe_busy_begin();
	ret = __kretprobe_trampoline_handler(regs, frame);
	kprobe_busy_end();
	local_irq_restore(flags);
	return ret;
}
NOKPROBE_SYMBOL(kretprobe_trampoline_handler);
#else
/* What happens nearly always, as in kretprobe_entry(). */
static __always_inline void follow_return(struct pt_regs *regs, void *frame)
{
	struct llist_node *node = current->kretprobe_instances.first;
	struct kretprobe_instance *ri =
		llist_entry(node, struct kretprobe_instance, llist);
	kretprobe_handler_t handler;
	struct kretprobe *rp;

	if (kprobe_hit_is_slow(KPROBE_BY_CODE))
		goto slow;
	/* One that is chained does not have this frame, either. */
	if (unlikely(!node || ri->fp != frame))
		goto slow;
	rp = READ_ONCE(ri->rph->rp);
	if (unlikely(!rp))
		goto slow;
	handler = READ_ONCE(rp->handler);
	if (unlikely(!handler))
		goto slow;

	instruction_pointer_set(regs, (unsigned long)ri->ret_addr);
	__this_cpu_write(current_kprobe, &rp->kp);
	handler(ri, regs);
	__this_cpu_write(current_kprobe, NULL);

	arch_kretprobe_fixup_return(regs, ri->ret_addr);
	barrier();
	current->kretprobe_instances.first = ri->llist.next;
	/* Unregistering waits for this CPU before it counts free instances. */
	pool_put(pool_of(ri->rph), ri);
	return;

slow:
	follow_return_slow(regs, frame);
}

/**
 * kretprobe_hit - a followed call has returned to the trampoline
 * @regs: as the trampoline has saved them
 *
 * Context: any in which functions return; interrupts off, as for
 * kprobe_hit_enter().
 */
__visible void kretprobe_hit(struct pt_regs *regs)
{
	void *frame = arch_kretprobe_enter(regs);
	bool traced_on;

	traced_on = kprobe_hit_enter(arch_kprobe_irqs_on(regs));
	follow_return(regs, frame);
	kprobe_hit_exit(regs, traced_on);
}
NOKPROBE_SYMBOL(kretprobe_hit);
#endif /* CONFIG_KPROBES_CLASSIC */

/* A task that begins to run may change its list: the walk has to end. */
#define KRETPROBE_STEPS		100000

/**
 * kretprobe_find_ret_addr - where a followed call really returns to
 * @tsk: current, or a task that does not run
 * @fp: the frame whose return address is the trampoline's; NULL for the next
 *	followed call, whatever its frame
 * @cur: where the last search has ended; NULL in it to begin with
 *
 * If another task begins to run meanwhile, the result may be wrong.
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
	/* Another task may have given *cur back: only compare its address. */
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
 * @tsk: the task
 *
 * Context: any but a hit; the task's stack is not walked any more.
 */
void kprobe_flush_task(struct task_struct *tsk)
{
	struct llist_node *node = __llist_del_all(&tsk->kretprobe_instances);

	while (node) {
		struct kretprobe_instance *ri =
			llist_entry(node, struct kretprobe_instance, llist);

		node = node->next;
		/* Unregistering waits by IPI; so it waits for this, too. */
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
#endif /* CONFIG_KRETPROBE_ON_RETHOOK */

/*
 * The interface
 */

/* Return probes being registered or unregistered, and pools to be freed. */
struct kretprobe_array {
	struct kprobe_array array;
	struct llist_head pools;
};

static struct kprobe *nth_kretprobe(void *probes, int i)
{
	struct kretprobe *rp = ((struct kretprobe **)probes)[i];

	return rp ? &rp->kp : NULL;
}

/* Looks up the addresses of the functions in kretprobe_blacklist[]. */
static void find_blacklisted(void)
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
		return KPROBE_REFUSE_NOT_ENTRY;
	find_blacklisted();
	for (i = 0; i < kretprobe_blacklist_size; i++)
		if (addr == kretprobe_blacklist[i].addr)
			return KPROBE_REFUSE_NO_RETURN;
	return KPROBE_OK;
}

/* No hit and no other caller can find it yet: kprobe_mutex is held. */
static int kretprobe_join(struct kprobe_array *array, int i)
{
	struct kretprobe *rp = ((struct kretprobe **)array->probes)[i];
	struct kretprobe_pool *pool;

	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return -E2BIG;

	rp->kp.pre_handler = kretprobe_entry;
	rp->kp.post_handler = NULL;
	rp->nmissed = 0;
	pool = kretprobe_pool_create(rp);
	if (!pool)
		return -ENOMEM;
	rp->rph = &pool->holder;
	return 0;
}

static void kretprobe_leave(struct kprobe_array *array, int i)
{
	struct kretprobe_array *a =
		container_of(array, struct kretprobe_array, array);
	struct kretprobe *rp = ((struct kretprobe **)array->probes)[i];

	/* Returning tasks read it by way of their instances. */
	WRITE_ONCE(rp->rph->rp, NULL);
	__llist_add(&pool_of(rp->rph)->link, &a->pools);
}

/**
 * register_kretprobes - register several return probes, all or none
 * @rps: the return probes
 * @num: how many
 *
 * Context: may sleep; not from a handler.
 * Return: as register_kprobes(), and:
 *
 * * -EINVAL: not at the entry of a function, or of one whose return cannot be
 *   followed.
 * * -E2BIG: data_size is above KRETPROBE_MAX_DATA_SIZE.
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kretprobe_array a = {
		.array = {
			.kind = KPROBE_KIND_RETURN,
			.probes = rps, .num = num, .nth = nth_kretprobe,
			.admit = kretprobe_admit,
			.join = kretprobe_join, .leave = kretprobe_leave,
		},
	};
	int ret = kprobe_register_array(&a.array);

	kretprobe_pools_retire(&a.pools);
	return ret;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * register_kretprobe - register a return probe
 * @rp: the return probe
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
	struct kretprobe_array a = {
		.array = {
			.kind = KPROBE_KIND_RETURN,
			.probes = rps, .num = num, .nth = nth_kretprobe,
			.leave = kretprobe_leave,
		},
	};

	kprobe_unregister_array(&a.array);
	kretprobe_pools_retire(&a.pools);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

/**
 * unregister_kretprobe - unregister a return probe
 * @rp: the return probe
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
