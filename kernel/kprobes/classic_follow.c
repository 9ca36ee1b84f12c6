// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes where the architecture has a trampoline of its own, and a
 * backend that does not know sites.  What it calls for each return is here; the
 * rest is in kretprobe.c.
 */
#include <linux/irqflags.h>
#include "follow.h"

/* Backends whose unwinder looks at the trampoline's frame put it right. */
void __weak arch_kretprobe_fixup_return(struct pt_regs *regs,
					kprobe_opcode_t *correct_ret_addr)
{
}

/**
 * kretprobe_entry - the pre handler of the kprobe in a return probe
 * @p: that kprobe
 * @regs: of the entry
 *
 * Context: a walk of classic.c; interrupts off.
 * Return: 0.
 */
int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	return kretprobe_entry_slow(container_of(p, struct kretprobe, kp),
				    regs);
}
NOKPROBE_SYMBOL(kretprobe_entry);

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
	unsigned long ret, flags;

	local_irq_save(flags);
	ret = kretprobe_return_slow(regs, kretprobe_frame(frame));
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
