// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes: follow a call from its entry to its return.
 *
 * A return probe is a kprobe at the entry of a function.  Its pre handler
 * takes an *instance* from the pool of the return probe, saves the return
 * address there and replaces it by the address of a trampoline.  A task's
 * instances form a stack, innermost call first.  When the function returns, the
 * trampoline calls kretprobe_hit(), which calls the handlers and resumes the
 * task at the real return address.
 *
 *	task -> instance -> instance -> instance ->|	followed calls
 *	            |           |           |
 *	            +-----------+-----+-----+
 *	                              v
 *	rp <-----------------------> pool		per return probe
 *
 * If several return probes follow one call, only the first finds the real
 * return address.  The others find the trampoline's address.  Each of their
 * instances is *chained* to the next one in the list and shares its return
 * address; the trampoline handles all of them at once.  The same applies if a
 * followed function jumps to another followed function.  Rethook and the
 * function graph tracer may divert the call as well; the address of their
 * trampoline is then treated like any other return address.
 *
 * The pool (pool.c) of an unregistered return probe is freed after its last
 * followed call has returned.
 *
 * kretprobe_register.c registers return probes.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/kprobes_hit.h>
#include "internal.h"
#include "pool.h"

static __always_inline unsigned long kretprobe_trampoline_address(void)
{
	return (unsigned long)
		dereference_kernel_function_descriptor(__kretprobe_trampoline);
}

/*
 * Frames are aligned, so the bottom bit of kretprobe_instance::fp can mark that
 * the next instance in the task's list follows the same call.  On arm without
 * frame pointers, the value used as the frame may be odd; comparisons then
 * ignore its bottom bit.
 */
#define KRETPROBE_CHAINED	1UL

static __always_inline void *kretprobe_frame(void *fp)
{
	return (void *)((unsigned long)fp & ~KRETPROBE_CHAINED);
}

static __always_inline void *frame_of(const struct kretprobe_instance *ri)
{
	return kretprobe_frame(ri->fp);
}

/*
 * Return this task's innermost instance if it follows the call with this frame.
 * The call's return address must be the trampoline's.
 */
static noinline struct kretprobe_instance *kretprobe_innermost(void *frame)
{
	struct llist_node *first = current->kretprobe_instances.first;
	struct kretprobe_instance *innermost;

	if (!first)
		return NULL;
	innermost = llist_entry(first, struct kretprobe_instance, llist);
	return frame_of(innermost) == frame ? innermost : NULL;
}
NOKPROBE_SYMBOL(kretprobe_innermost);

#ifdef CONFIG_KPROBES_CLASSIC
/* Only the backend knows where the return address is. */
static inline bool kretprobe_is_lost(struct pt_regs *regs)
{
	return false;
}

/*
 * Save the call's return address in @ri.  Return true if the call already
 * returns to the trampoline.
 */
static inline bool kretprobe_note_return(struct kretprobe_instance *ri,
					 struct pt_regs *regs)
{
	/* This also diverts the call. */
	arch_prepare_kretprobe(ri, regs);
	ri->fp = kretprobe_frame(ri->fp);
	return (unsigned long)ri->ret_addr == kretprobe_trampoline_address();
}

/* kretprobe_note_return() has done this. */
static inline void kretprobe_divert(struct pt_regs *regs)
{
}
#else
/* Return true if the real return address is in another call's instance. */
static __always_inline bool kretprobe_is_lost(struct pt_regs *regs)
{
	return unlikely(*arch_kprobe_return_place(regs) ==
			kretprobe_trampoline_address()) &&
	       !kretprobe_innermost(arch_kprobe_frame(regs));
}

/* Save the return address.  Return true if it is the trampoline's. */
static __always_inline bool kretprobe_note_return(struct kretprobe_instance *ri,
						  struct pt_regs *regs)
{
	unsigned long ret = *arch_kprobe_return_place(regs);

	ri->fp = arch_kprobe_frame(regs);
	ri->ret_addr = (kprobe_opcode_t *)ret;
	return ret == kretprobe_trampoline_address();
}

static __always_inline void kretprobe_divert(struct pt_regs *regs)
{
	*arch_kprobe_return_place(regs) = kretprobe_trampoline_address();
}
#endif

/**
 * is_kretprobe_trampoline - check whether an address is the trampoline's
 * @addr: any address
 *
 * Context: any.
 */
bool is_kretprobe_trampoline(unsigned long addr)
{
	return addr == kretprobe_trampoline_address();
}
NOKPROBE_SYMBOL(is_kretprobe_trampoline);

static __always_inline bool is_chained(const struct kretprobe_instance *ri)
{
	return (unsigned long)ri->fp & KRETPROBE_CHAINED;
}

/* Chain @ri to the innermost instance if both follow the same call. */
static noinline bool kretprobe_chain(struct kretprobe_instance *ri)
{
	struct kretprobe_instance *below = kretprobe_innermost(ri->fp);

	if (!below)
		return false;
	ri->ret_addr = below->ret_addr;
	ri->fp += KRETPROBE_CHAINED;
	return true;
}
NOKPROBE_SYMBOL(kretprobe_chain);

/* Follow a call of a function with a return probe.  Return 0. */
static noinline int kretprobe_entry_slow(struct kretprobe *rp,
					 struct pt_regs *regs)
{
	kretprobe_handler_t entry_handler = READ_ONCE(rp->entry_handler);
	struct kretprobe_instance *ri = pool_get(pool_of(rp->rph));

	if (unlikely(!ri)) {
		kretprobe_missed(rp, KPROBE_MISS_FULL);
		return 0;
	}

	ri->rp = rp;
	ri->task = current;
	if (entry_handler) {
		/* Skip entry_handler if the call is known to be missed. */
		if (kretprobe_is_lost(regs))
			goto no_address;
		if (entry_handler(ri, regs)) {
			recycle(ri);
			return 0;
		}
	}
	/* The entry handler may have changed the return address. */
	if (unlikely(kretprobe_note_return(ri, regs)) &&
	    !kretprobe_chain(ri))
		goto no_address;
	/* Link before kretprobe_divert(), so that NMIs can unwind. */
	barrier();
	__llist_add(&ri->llist, &current->kretprobe_instances);
	barrier();
	kretprobe_divert(regs);
	return 0;

no_address:
	/* The real return address is in the instance of another call. */
	kretprobe_missed(rp, KPROBE_MISS_NO_ADDRESS);
	recycle(ri);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_entry_slow);

/* Report a lost return address.  The task cannot continue without it. */
static noinline void __noreturn kretprobe_unmatched(void *frame)
{
	struct llist_node *first = current->kretprobe_instances.first;
	struct kretprobe_instance *ri;
	struct kretprobe *rp = NULL;

	if (first) {
		ri = llist_entry(first, struct kretprobe_instance, llist);
		/* Not ri->rp, which may have been unregistered and freed. */
		rp = READ_ONCE(ri->rph->rp);
	}
	/* Users' scripts look for the first line. */
	pr_err("kretprobe BUG!: Processing kretprobe %p @ %pS\n",
	       rp, rp ? rp->kp.addr : NULL);
	pr_err("no followed call returns from frame %p\n", frame);
	BUG();
}
NOKPROBE_SYMBOL(kretprobe_unmatched);

/* Recycle the instances above @node. */
static noinline void kretprobe_pop_until(struct llist_node *node)
{
	struct llist_node **first = &current->kretprobe_instances.first;

	while (*first != node) {
		struct kretprobe_instance *gone =
			llist_entry(*first, struct kretprobe_instance, llist);

		*first = gone->llist.next;
		recycle(gone);
	}
}
NOKPROBE_SYMBOL(kretprobe_pop_until);

/*
 * Find the instance of the call that returns from @frame.  Recycle the
 * instances above it: their calls have ended without a return.
 */
static noinline struct kretprobe_instance *
kretprobe_drop_abandoned(void *frame)
{
	struct kretprobe_instance *ri;
	struct llist_node *node;

	llist_for_each(node, current->kretprobe_instances.first) {
		ri = llist_entry(node, struct kretprobe_instance, llist);
		if (frame_of(ri) == frame)
			break;
	}
	if (!node)
		kretprobe_unmatched(frame);

	kretprobe_pop_until(node);
	return ri;
}
NOKPROBE_SYMBOL(kretprobe_drop_abandoned);

/* Call the handlers of @ri and of its chain.  Return the last instance. */
static struct kretprobe_instance *
kretprobe_call_handlers(struct kretprobe_instance *ri, struct pt_regs *regs)
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
NOKPROBE_SYMBOL(kretprobe_call_handlers);

/*
 * Handle the return of the followed call with this frame.  Return the real
 * return address, which is also set in @regs.
 */
static noinline unsigned long kretprobe_return_slow(struct pt_regs *regs,
						    void *frame)
{
	struct llist_node *node = current->kretprobe_instances.first;
	struct kretprobe_instance *ri, *last;
	unsigned long ret;
	bool entered;

	/* RCU keeps pools from being freed, so it must be watching. */
	entered = kprobe_rcu_enter();
	ri = llist_entry(node, struct kretprobe_instance, llist);
	if (unlikely(!node || frame_of(ri) != frame))
		ri = kretprobe_drop_abandoned(frame);

	ret = (unsigned long)ri->ret_addr;
	instruction_pointer_set(regs, ret);

	/* Keep the instance in the list: handlers may unwind the stack. */
	last = kretprobe_call_handlers(ri, regs);

	arch_kretprobe_fixup_return(regs, (kprobe_opcode_t *)ret);
	/* Unlink last: until the fixup, unwinders need the instance. */
	barrier();
	kretprobe_pop_until(last->llist.next);
	kprobe_rcu_exit(entered);
	return ret;
}
NOKPROBE_SYMBOL(kretprobe_return_slow);

#ifdef CONFIG_KPROBES_CLASSIC
/*
 * Architectures with their own trampoline and a backend that does not know
 * sites
 */

/* Overridden by backends whose unwinder reads the trampoline's frame. */
void __weak arch_kretprobe_fixup_return(struct pt_regs *regs,
					kprobe_opcode_t *correct_ret_addr)
{
}

/* A pre handler, called by classic.c with interrupts off. */
int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	return kretprobe_entry_slow(container_of(p, struct kretprobe, kp),
				    regs);
}
NOKPROBE_SYMBOL(kretprobe_entry);

/**
 * __kretprobe_trampoline_handler - handle the return of a followed call, in the
 *	trampoline or in the handler of a probe on it
 * @regs: as saved by the backend
 * @frame: as saved by arch_prepare_kretprobe()
 *
 * Context: a hit, or after kprobe_busy_begin().
 * Return: the real return address.
 */
unsigned long __kretprobe_trampoline_handler(struct pt_regs *regs, void *frame)
{
	unsigned long ret, flags;

	local_irq_save(flags);
	ret = kretprobe_return_slow(regs, kretprobe_frame(frame));
	local_irq_restore(flags);
	return ret;
}
NOKPROBE_SYMBOL(__kretprobe_trampoline_handler);

/* As __kretprobe_trampoline_handler(), for a trampoline without a probe. */
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
/*
 * The fast paths, which nearly all entries and returns of followed calls take
 */

/**
 * kretprobe_entry - the pre handler of a return probe's kprobe
 * @p: that kprobe
 * @regs: the registers at the entry
 *
 * The usual case is open-coded, so that it needs no stack frame and saves no
 * registers.
 *
 * Return: 0.
 */
int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	unsigned long *place = arch_kprobe_return_place(regs);
	struct task_struct *task = current;
	struct kretprobe_instance *ri;
	unsigned long ret = *place;

	if (unlikely(READ_ONCE(rp->entry_handler) ||
		     ret == kretprobe_trampoline_address()))
		goto slow;
	ri = pool_take_cached(pool_of(rp->rph));
	if (unlikely(!ri))
		goto slow;

	ri->rp = rp;
	ri->task = task;
	ri->fp = arch_kprobe_frame(regs);
	ri->ret_addr = (kprobe_opcode_t *)ret;
	ri->llist.next = task->kretprobe_instances.first;
	/* Link first, so an unwinder in an NMI can resolve the trampoline. */
	barrier();
	task->kretprobe_instances.first = &ri->llist;
	barrier();
	*place = kretprobe_trampoline_address();
	return 0;

slow:
	return kretprobe_entry_slow(rp, regs);
}
NOKPROBE_SYMBOL(kretprobe_entry);

/* The usual case is open-coded, as in kretprobe_entry(). */
static __always_inline void kretprobe_follow_return(struct pt_regs *regs,
						    void *frame)
{
	struct llist_node *node = current->kretprobe_instances.first;
	struct kretprobe_instance *ri =
		llist_entry(node, struct kretprobe_instance, llist);
	kretprobe_handler_t handler;
	struct kretprobe *rp;

	if (unlikely(kprobe_hit_is_slow(KPROBE_BY_CODE)))
		goto slow;
	/* A chained instance is slow, too: its fp has KRETPROBE_CHAINED set. */
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
	kprobe_check_irqs_off();
	__this_cpu_write(current_kprobe, NULL);

	arch_kretprobe_fixup_return(regs, ri->ret_addr);
	barrier();
	current->kretprobe_instances.first = ri->llist.next;
	/*
	 * Even if rp is being unregistered by now, the instance can be put
	 * back, because unregistering waits for this CPU before it counts the
	 * free instances.
	 */
	pool_put(pool_of(ri->rph), ri);
	return;

slow:
	kretprobe_return_slow(regs, frame);
}

#ifndef arch_kretprobe_exit
/* By default, the trampoline needs no help to restore registers. */
static __always_inline void arch_kretprobe_exit(struct pt_regs *regs) { }
#endif

/**
 * kretprobe_hit - handle a followed call that has returned to the trampoline
 * @regs: as saved by the trampoline
 *
 * Context: any in which functions return.  The trampoline, or
 * arch_kretprobe_enter(), disables interrupts for kprobe_hit_enter().
 */
__visible void kretprobe_hit(struct pt_regs *regs)
{
	void *frame = arch_kretprobe_enter(regs);
	bool traced_on;

	traced_on = kprobe_hit_enter(regs, arch_kprobe_irqs_on(regs));
	kretprobe_follow_return(regs, frame);
	kprobe_hit_exit(regs, traced_on);
	arch_kretprobe_exit(regs);
}
NOKPROBE_SYMBOL(kretprobe_hit);
#endif

/* Limit the walk, because a task that starts to run may change its list. */
#define KRETPROBE_STEPS		100000

/**
 * kretprobe_find_ret_addr - find the real return address of a followed call
 * @tsk: current, or a task that does not run
 * @fp: the frame whose return address is the trampoline's; NULL for the next
 *	followed call at any frame
 * @cur: *@cur must be NULL at first; pass @cur again to find the next
 *
 * If @tsk starts to run meanwhile, the result may be wrong.
 *
 * Context: any.
 * Return: the address, or 0 if there is none or if @tsk is running.
 */
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	struct llist_node *node, *after;
	void *frame = kretprobe_frame(fp);
	int steps = KRETPROBE_STEPS;
	unsigned long ret = 0;
	bool entered;

	if (WARN_ON_ONCE(!cur) || (tsk != current && task_is_running(tsk)))
		return 0;

	/* RCU keeps pools from being freed, so it must be watching. */
	entered = kprobe_read_lock();

	node = READ_ONCE(tsk->kretprobe_instances.first);
	/* *cur may have been recycled: do not dereference it. */
	for (after = node; *cur && after && --steps; after = after->next) {
		if (after == *cur) {
			node = after->next;
			break;
		}
	}

	for (; node && --steps > 0; node = READ_ONCE(node->next)) {
		struct kretprobe_instance *ri =
			llist_entry(node, struct kretprobe_instance, llist);

		/* Report each frame once: skip to the end of its chain. */
		if ((!fp || ri->fp == frame) && !is_chained(ri)) {
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
 * kprobe_flush_task - recycle a task's instances, whose calls never return
 * @tsk: a dead task, or the idle task of an offline CPU
 *
 * Context: any but a hit; the task's stack is not unwound any more.
 */
void kprobe_flush_task(struct task_struct *tsk)
{
	struct llist_node *first = __llist_del_all(&tsk->kretprobe_instances);
	struct kretprobe_instance *ri, *next;

	llist_for_each_entry_safe(ri, next, first, llist)
		/* Unregistering waits for sections with interrupts off. */
		scoped_guard(irqsave)
			recycle(ri);
}
NOKPROBE_SYMBOL(kprobe_flush_task);
