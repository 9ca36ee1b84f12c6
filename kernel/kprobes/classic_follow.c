// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on architectures with their own trampoline and a backend that
 * does not know sites: the functions that this backend calls for each return.
 * The rest is in kretprobe.c.
 */
#include <linux/irqflags.h>
#include "follow.h"

/* Backends whose unwinder reads the trampoline's frame override this. */
void __weak arch_kretprobe_fixup_return(struct pt_regs *regs,
					kprobe_opcode_t *correct_ret_addr)
{
}

/**
 * kretprobe_entry - the pre handler of a return probe's kprobe
 * @p: that kprobe
 * @regs: the registers at the entry
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
 * __kretprobe_trampoline_handler - handle the return of a followed call to the
 *	trampoline, or to the probe there
 * @regs: as saved by the backend
 * @frame: as saved by arch_prepare_kretprobe()
 *
 * Context: hits on this CPU miss their handlers.
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

/* The same, for a trampoline without a probe. */
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
