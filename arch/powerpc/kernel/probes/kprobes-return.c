// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes on powerpc.  The trampoline is in kprobes-thunk.S, the rest in
 * <asm/kprobes.h>.
 */
#include <linux/array_size.h>
#include <linux/irqflags.h>
#include <linux/kprobes_backend.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#include "kprobes-common.h"

/* These switch stacks. */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "_switch" },
	{ .name = "__switch_to" },
	{ .name = "call_do_irq" },
	{ .name = "call_do_softirq" },
	{ .name = "enter_rtas" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);

/**
 * ppc_kretprobe_hit - what the trampoline calls
 * @regs: general registers, LR, CTR, XER and CR are saved
 *
 * Interrupts are masked as a program check's handler finds them, and user
 * memory is out of reach.  To unmask them may replay what has arrived
 * meanwhile: that is behind the last handler, and in no exception.
 *
 * Context: any; as for kretprobe_hit(), but for interrupts.
 */
void ppc_kretprobe_hit(struct pt_regs *regs)
{
	unsigned long flags, access;

	flags = ppc_kprobe_mask(regs, mfmsr());
	access = ppc_kprobe_block_access();
	kretprobe_hit(regs);
	raw_local_irq_restore(flags);
	/* Last: what is replayed, and who is scheduled then, has none. */
	ppc_kprobe_restore_access(access);
}
NOKPROBE_SYMBOL(ppc_kretprobe_hit);
