// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exceptions raised by handlers and by instructions out of line.
 *
 * The architecture's exception handlers call kprobe_fault() before they search
 * their exception tables.  An exception belongs to the probe whose handler runs
 * in that same context.  Otherwise, if raised in a slot, it belongs to the
 * site's probes, which see it as if the instruction had raised it in place.
 */
#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/*
 * While a fault handler runs, hits in its context are missed, and faults that
 * it raises are not passed to a fault handler.
 */
static bool call_fault_handler(struct kprobe *p, struct pt_regs *regs,
			       unsigned int trap)
{
	kprobe_fault_handler_t handler = READ_ONCE(p->fault_handler);
	struct kprobe_saved_ctx saved;
	bool handled;

	if (!handler)
		return false;

	saved = kprobe_ctx_save(kprobe_context_id(KPROBE_BY_CODE));
	handled = handler(p, regs, trap);
	kprobe_ctx_restore(saved);
	if (handled)
		arch_kprobe_resume(regs);
	return handled;
}
NOKPROBE_SYMBOL(call_fault_handler);

/**
 * kprobe_fault - pass an exception to the fault handlers of probes
 * @regs: its registers, not from user mode; moved out of a slot
 * @trap: its number
 *
 * Context: the exception, before interrupts are enabled again.
 * Return: true if a fault_handler has handled it.
 */
bool kprobe_fault(struct pt_regs *regs, unsigned int trap)
{
	struct kprobe_site *site = kprobe_regs_leave_slot(regs);
	bool handled = false;
	struct kprobe *p;

	/* Handlers run with interrupts off, so none has raised this. */
	if (!site && likely(arch_kprobe_irqs_on(regs)))
		return false;

	guard(irqsave)();

	if (kprobe_recursion(kprobe_context_id(KPROBE_BY_CODE)))
		return call_fault_handler(__this_cpu_read(current_kprobe),
					  regs, trap);
	/* A copy of the instruction after ftrace's call is not a probed one. */
	if (!site || site->on_ftrace)
		return false;

	list_for_each_entry_rcu(p, &site->active, list, true) {
		handled = call_fault_handler(p, regs, trap);
		if (handled)
			break;
	}
	return handled;
}
NOKPROBE_SYMBOL(kprobe_fault);
