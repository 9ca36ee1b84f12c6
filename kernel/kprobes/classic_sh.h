/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that sh's own code steps wrongly, which classic.c corrects or
 * refuses.  On other architectures there is nothing to do.
 *
 * That code steps in place: it writes a breakpoint to the target of the
 * instruction, and the next breakpoint that is hit, whichever it is, ends the
 * step.
 *
 * It decodes each instruction whose last four bits are 1011 as RTS, and
 * displacements of branches as positive.  So it writes the breakpoint to a
 * wrong place, where it may overwrite a constant: such instructions are
 * refused.
 *
 * It leaves interrupts on in a step.  A breakpoint that is hit in an interrupt
 * would end the step before the instruction has been executed.
 *
 * It calls the post handler while it still needs its data about the step, and a
 * hit from that handler overwrites these.  So the walk is deferred until the
 * step has ended.
 *
 * After a page fault in a step, the step's breakpoint stays in the text, and no
 * code recognizes it there.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_SH_H
#define _KERNEL_KPROBES_CLASSIC_SH_H

#include <linux/kprobes_backend.h>
#include <linux/ptrace.h>

#ifdef CONFIG_SUPERH
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <asm/processor.h>

/**
 * struct sh_step - a step of this CPU
 * @masked: interrupts were masked for the step
 * @imask: the mask before that
 * @post: the struct kprobe whose post handlers are due after the step
 */
struct sh_step {
	bool masked;
	unsigned long imask;
	struct kprobe *post;
};

static DEFINE_PER_CPU(struct sh_step, sh_step);

/* BT, BF, BT/S, BF/S; BRA, BSR */
static inline bool sh_is_conditional(u16 insn)
{
	return (insn & 0xf900) == 0x8900;
}

static inline bool sh_is_branch(u16 insn)
{
	return (insn & 0xe000) == 0xa000;
}

/* RTS; JSR, JMP */
static inline bool sh_is_absolute(u16 insn)
{
	return insn == 0x000b || (insn & 0xf0df) == 0x400b;
}

/* Would that code write the breakpoint of the step to a wrong place? */
static inline bool sh_is_misread(const kprobe_opcode_t *addr)
{
	u16 insn = *addr;

	if (sh_is_branch(insn))
		return insn & 0x0800;
	if (sh_is_conditional(insn) && insn & 0x80)
		return true;
	return (insn & 0xf) == 0xb && !sh_is_absolute(insn);
}

/* STC SR, STC.L SR, LDC SR, LDC.L SR, which access the mask of interrupts */
static inline bool sh_is_of_mask(u16 insn)
{
	return (insn & 0xf0ff) == 0x0002 || (insn & 0xf0ff) == 0x4003 ||
	       (insn & 0xf0ff) == 0x400e || (insn & 0xf0ff) == 0x4007;
}

static __always_inline bool sh_post_later(struct kprobe *kp)
{
	__this_cpu_write(sh_step.post, kp);
	return true;
}

/* Return the struct kprobe whose post handlers were deferred, or NULL. */
static __always_inline struct kprobe *sh_post_due(void)
{
	struct kprobe *kp = __this_cpu_read(sh_step.post);

	__this_cpu_write(sh_step.post, NULL);
	return kp;
}

static __always_inline void sh_step_ends(struct pt_regs *regs)
{
	if (!__this_cpu_read(sh_step.masked))
		return;
	__this_cpu_write(sh_step.masked, false);
	regs->sr = (regs->sr & ~SR_IMASK) | __this_cpu_read(sh_step.imask);
}

static __always_inline bool sh_in_step(void)
{
	return kprobe_running() && get_kprobe_ctlblk()->kprobe_status &
				   (KPROBE_HIT_SS | KPROBE_REENTER);
}

/* Mask interrupts if a handled exception begins a step, or restore the mask. */
static __always_inline void sh_hit_end(unsigned long val, int ret,
				       struct pt_regs *regs)
{
	if (val != DIE_TRAP || ret != NOTIFY_STOP)
		return;
	if (!sh_in_step())
		return sh_step_ends(regs);
	if (sh_is_of_mask(kprobe_running()->opcode))
		return;
	__this_cpu_write(sh_step.masked, true);
	__this_cpu_write(sh_step.imask, regs->sr & SR_IMASK);
	regs->sr |= SR_IMASK;
}

/*
 * A page fault ends the step as its breakpoint does, without post handlers.
 * The instruction is executed again, from the restored breakpoint.
 */
static __always_inline bool sh_fault(struct pt_regs *regs)
{
	struct die_args args = {
		.regs = regs,
		.trapnr = BREAKPOINT_INSTRUCTION & 0xff,
	};

	if (!sh_in_step())
		return false;
	kprobe_exceptions_notify(NULL, DIE_TRAP, &args);
	sh_post_due();
	sh_step_ends(regs);
	return true;
}

#else /* !CONFIG_SUPERH */

static inline bool sh_is_misread(const kprobe_opcode_t *addr)
{
	return false;
}

static __always_inline bool sh_post_later(struct kprobe *kp)
{
	return false;
}

static __always_inline struct kprobe *sh_post_due(void)
{
	return NULL;
}

static __always_inline void sh_hit_end(unsigned long val, int ret,
				       struct pt_regs *regs) { }

#endif /* CONFIG_SUPERH */
#endif /* _KERNEL_KPROBES_CLASSIC_SH_H */
