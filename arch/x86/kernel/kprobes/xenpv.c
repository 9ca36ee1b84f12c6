// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits by thunks in a paravirtualized guest of Xen.
 *
 * There, cli does nothing, the interrupt flag that pushf stores is always set,
 * and popf leaves it alone: a flag in memory says whether events may come.  So
 * where the thunks of thunk_64.S call these functions, all that rests on
 * interrupts being off is not true yet, and the saved flags are wrong.
 *
 * Breakpoints come by a gate that Xen disables events for, ftrace's callback
 * disables them by paravirt, and there are no jumps.
 */
#include <linux/irqflags.h>
#include <linux/kprobes_backend.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include "common.h"

static __always_inline void events_off(struct pt_regs *regs)
{
	unsigned long flags = arch_local_irq_save();

	regs->flags &= ~X86_EFLAGS_IF;
	regs->flags |= flags & X86_EFLAGS_IF;
}

/* In the order of popf, which does it elsewhere: all else is done. */
static __always_inline void events_restore(unsigned long flags)
{
	if (flags & X86_EFLAGS_IF)
		arch_local_irq_enable();
}

/* The same as x86_kprobe_hit_post(), in such a guest. */
__visible void x86_kprobe_hit_post_xenpv(struct pt_regs *regs)
{
	events_off(regs);
	x86_kprobe_hit_post(regs);
	/* Where it has put them for the thunk. */
	events_restore(*(unsigned long *)regs->orig_ax);
}
NOKPROBE_SYMBOL(x86_kprobe_hit_post_xenpv);

/* The same as kretprobe_hit(), in such a guest. */
__visible void kretprobe_hit_xenpv(struct pt_regs *regs)
{
	events_off(regs);
	kretprobe_hit(regs);
	events_restore(regs->flags);
}
NOKPROBE_SYMBOL(kretprobe_hit_xenpv);
