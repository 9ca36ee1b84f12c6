// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits from thunks in a Xen PV guest.
 *
 * In such guests, cli does nothing, pushf always stores a set interrupt flag,
 * and popf ignores it; a flag in memory masks events instead.  When the thunks
 * of thunk_64.S call these functions, events may therefore still be enabled,
 * and the saved flags are wrong.
 *
 * Xen disables events before it enters the handler of int3, and saves the right
 * flags.  ftrace's callback disables events by a paravirt call, but ftrace has
 * saved the flags by pushf.  Jumps are not used.
 */
#include <linux/irqflags.h>
#include <linux/kprobes_backend.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include "common.h"

static __always_inline void xenpv_events_off(struct pt_regs *regs)
{
	unsigned long flags = arch_local_irq_save();

	regs->flags &= ~X86_EFLAGS_IF;
	regs->flags |= flags & X86_EFLAGS_IF;
}

/* Correct the flags that ftrace has saved; events are not disabled yet. */
void x86_kprobe_xenpv_flags(struct pt_regs *regs)
{
	regs->flags &= ~X86_EFLAGS_IF;
	regs->flags |= arch_local_save_flags() & X86_EFLAGS_IF;
}
NOKPROBE_SYMBOL(x86_kprobe_xenpv_flags);

/* This must be the last step, because events may arrive from here on. */
static __always_inline void xenpv_events_restore(unsigned long flags)
{
	if (flags & X86_EFLAGS_IF)
		arch_local_irq_enable();
}

/* x86_kprobe_hit_post() for Xen PV guests. */
__visible void x86_kprobe_hit_post_xenpv(struct pt_regs *regs)
{
	xenpv_events_off(regs);
	x86_kprobe_hit_post(regs);
	/* x86_kprobe_hit_post() has stored the flags there for the thunk. */
	xenpv_events_restore(*(unsigned long *)regs->orig_ax);
}
NOKPROBE_SYMBOL(x86_kprobe_hit_post_xenpv);

/* kretprobe_hit() for Xen PV guests. */
__visible void kretprobe_hit_xenpv(struct pt_regs *regs)
{
	xenpv_events_off(regs);
	kretprobe_hit(regs);
	xenpv_events_restore(regs->flags);
}
NOKPROBE_SYMBOL(kretprobe_hit_xenpv);
