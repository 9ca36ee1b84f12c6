// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fast paths of following a call, which nearly all entries and returns
 * take.  The slow paths and the overview are in kretprobe.c.
 */
#include <linux/llist.h>
#include <linux/sched.h>
#include "follow.h"

/* On powerpc, a tail call is a plain branch only within one file. */
static noinline int entry_slow(struct kretprobe *rp, struct pt_regs *regs)
{
	return kretprobe_entry_slow(rp, regs);
}
NOKPROBE_SYMBOL(entry_slow);

/*
 * The pre handler of a return probe's kprobe.  The usual case is open-coded, so
 * that it needs no stack frame and saves no registers.
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
	return entry_slow(rp, regs);
}
NOKPROBE_SYMBOL(kretprobe_entry);

/* The usual case is open-coded, as in kretprobe_entry(). */
static __always_inline void follow_return(struct pt_regs *regs, void *frame)
{
	struct llist_node *node = current->kretprobe_instances.first;
	struct kretprobe_instance *ri =
		llist_entry(node, struct kretprobe_instance, llist);
	kretprobe_handler_t handler;
	struct kretprobe *rp;

	if (unlikely(kprobe_hit_is_slow(KPROBE_BY_CODE)))
		goto slow;
	/* The fp of a chained instance has KRETPROBE_CHAINED set. */
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
	 * No need to read rph->rp again: even if rp has been unregistered
	 * meanwhile, free instances are counted after a wait for this CPU.
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
 * kretprobe_hit - handle the return of a followed call to the trampoline
 * @regs: as saved by the trampoline
 *
 * Context: any in which functions return.  The trampoline has disabled
 * interrupts, as for kprobe_hit_enter(), or arch_kretprobe_enter() masks them.
 */
__visible void kretprobe_hit(struct pt_regs *regs)
{
	void *frame = arch_kretprobe_enter(regs);
	bool traced_on;

	traced_on = kprobe_hit_enter(regs, arch_kprobe_irqs_on(regs));
	follow_return(regs, frame);
	kprobe_hit_exit(regs, traced_on);
	arch_kretprobe_exit(regs);
}
NOKPROBE_SYMBOL(kretprobe_hit);
