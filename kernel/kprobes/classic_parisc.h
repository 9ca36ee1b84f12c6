/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The step of parisc, which classic.c makes instead of the architecture's code.
 * On other architectures there is nothing to do.
 *
 * That code goes on behind the instruction whatever the instruction was, a
 * branch or one that skips the next.  A hit on top of another hit ends in a
 * breakpoint that is executed for ever.  So its step is never begun: to it,
 * each hit looks like one whose handler has sent it elsewhere, and none is on
 * top of another.
 *
 * The CPU has the addresses of the next two instructions in a queue.  The first
 * is replaced by that of the copy, the second stays:
 *
 *	queue:	slot[0], what was next
 *
 * That needs no end.  What is next may be the target of a branch whose delay
 * slot was probed, the copy may skip it, and return addresses are reckoned from
 * it.
 *
 * With post handlers the step has an end, and so have branches that are
 * relative to the first address, all with interrupts off:
 *
 *	queue:	slot[1], parisc_end_insns[0]
 *
 * Both have a breakpoint, the latter's second word for an instruction that
 * skips the next.  A branch skips nothing in slot[1]: so its target is still in
 * the queue at the breakpoint, if it was taken.  Slots are too far from there
 * for a branch to lead there by itself.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_PARISC_H
#define _KERNEL_KPROBES_CLASSIC_PARISC_H

#include <linux/kprobes_backend.h>
#include <linux/ptrace.h>

#ifdef CONFIG_PARISC
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/stringify.h>
#include <asm/psw.h>

/**
 * struct parisc_step - a step of this CPU that has an end
 * @kp: whose
 * @next: the second address of the queue
 * @irqs_on: the flag in the status word
 */
struct parisc_step {
	struct kprobe *kp;
	unsigned long next;
	unsigned long irqs_on;
};

static DEFINE_PER_CPU(struct parisc_step, parisc_stepped);
DEFINE_PER_CPU(struct kprobe *, kprobe_outer);

extern const u32 parisc_end_insns[2];
asm(".pushsection .kprobes.text, \"ax\"\n"
	".align 4\n"
"parisc_end_insns:\n"
	".word " __stringify(PARISC_KPROBES_BREAK_INSN) "\n"
	".word " __stringify(PARISC_KPROBES_BREAK_INSN) "\n"
	".popsection\n");

/* This bit of a branch skips what is behind it. */
#define PARISC_NULLIFY		2

/* All of it that has no displacement of memory. */
static __always_inline bool parisc_is_branch(u32 insn)
{
	switch (insn >> 26) {
	case 0x20 ... 0x23:
	case 0x27 ... 0x2b:
	case 0x2f ... 0x33:
	case 0x38 ... 0x3b:
		return true;
	}
	return false;
}

/* Of those with a register for where they came from, and BV. */
static __always_inline unsigned int parisc_minor(u32 insn)
{
	return insn >> 13 & 7;
}

/* BE; BE,L; BV, BVE and BVE,L */
static __always_inline bool parisc_is_absolute(u32 insn)
{
	u32 major = insn >> 26;

	return major == 0x38 || major == 0x39 ||
	       (major == 0x3a && parisc_minor(insn) >= 6);
}

static __always_inline bool parisc_is_relative(u32 insn)
{
	return parisc_is_branch(insn) && !parisc_is_absolute(insn);
}

static __always_inline bool parisc_is_conditional(u32 insn)
{
	return insn >> 26 < 0x38;
}

/* The register in which a branch leaves where it came from; 0 if in none. */
static __always_inline unsigned int parisc_link(u32 insn)
{
	if (insn >> 26 == 0x39)
		return 31;
	if (insn >> 26 != 0x3a)
		return 0;
	switch (parisc_minor(insn)) {
	case 0:
	case 2:
		return insn >> 21 & 0x1f;
	case 6:
		return 0;
	}
	return 2;
}

/*
 * BREAK; MFIA, which reads its own address; RFI and RFI,R; and RSM, SSM, MTSM,
 * which see whether interrupts are on.  And GATE, which sees its page.
 */
static inline bool parisc_is_of_state(u32 insn)
{
	switch (insn & 0xfc001fe0) {
	case 0x0000:
	case 0x14a0:
	case 0x0c00:
	case 0x0ca0:
	case 0x0e60:
	case 0x0d60:
	case 0x1860:
		return true;
	}
	return insn >> 26 == 0x3a && parisc_minor(insn) == 1;
}

static inline bool parisc_is_misread(const kprobe_opcode_t *addr)
{
	return parisc_is_of_state(*addr);
}

/* The slot, which has the instruction.  As far as any branch reaches: */
#define PARISC_REACH		SZ_16M

static inline int parisc_fill_slot(struct kprobe *kp)
{
	u32 *slot = kp->ainsn.insn;
	unsigned long away = (unsigned long)slot -
			     (unsigned long)parisc_end_insns;

	if (away + PARISC_REACH < 2 * PARISC_REACH)
		return -EINVAL;
	slot[1] = parisc_is_branch(slot[0]) ? slot[0] & ~PARISC_NULLIFY :
					      slot[0];
	return 0;
}

/* What there is where a step ends. */
static int parisc_step_ends(struct kprobe *end, struct pt_regs *regs);
static struct kprobe parisc_end = { .pre_handler = parisc_step_ends };

/*
 * A breakpoint leads to get_kprobe(), and there to here.  It is not known to
 * be on top of another: reset_current_kprobe() puts back which one that was.
 * Interrupts stay off until the breakpoint has been dealt with.
 */
static __always_inline struct kprobe *parisc_hit_begin(struct kprobe *kp,
						       const void *addr)
{
	if (addr == &parisc_end_insns[0] || addr == &parisc_end_insns[1])
		kp = &parisc_end;
	/* Calls of ftrace end otherwise, and are no hit on top. */
	if (!kp || kp->flags & KPROBE_FLAG_FTRACE)
		return kp;
	raw_local_irq_disable();
	__this_cpu_write(kprobe_outer, __this_cpu_read(current_kprobe));
	__this_cpu_write(current_kprobe, NULL);
	return kp;
}

/* Which hit this one, whose handlers are due, is on top of. */
static __always_inline struct kprobe *parisc_hit_below(const struct kprobe *kp)
{
	if (kp->flags & KPROBE_FLAG_FTRACE)
		return NULL;
	return __this_cpu_read(kprobe_outer);
}

/* Calls return all the same, whatever they return in. */
static __always_inline bool parisc_is_missed(struct kprobe *kp)
{
	return parisc_hit_below(kp) && !arch_trampoline_kprobe(kp);
}

/* After handlers, whose hits were on top of this one. */
static __always_inline void parisc_hit_end(struct kprobe *below)
{
	__this_cpu_write(kprobe_outer, below);
}

/* @with_post: post handlers are to be called.  Return: whether it was done. */
static __always_inline bool parisc_step(struct kprobe *kp,
					struct pt_regs *regs, bool with_post)
{
	kprobe_opcode_t *slot = kp->ainsn.insn;

	if (kp->flags & KPROBE_FLAG_FTRACE)
		return false;
	if (!with_post && !parisc_is_relative(kp->opcode)) {
		regs->iaoq[0] = (unsigned long)slot;
		return true;
	}
	__this_cpu_write(parisc_stepped.kp, kp);
	__this_cpu_write(parisc_stepped.next, regs->iaoq[1]);
	__this_cpu_write(parisc_stepped.irqs_on, regs->gr[0] & PSW_I);
	regs->gr[0] &= ~PSW_I;
	regs->iaoq[0] = (unsigned long)(slot + 1);
	regs->iaoq[1] = (unsigned long)parisc_end_insns;
	return true;
}

/* Has the queue as the branch would have left it. */
static __always_inline void parisc_branched(const struct kprobe *kp,
					    struct pt_regs *regs,
					    unsigned long next)
{
	bool taken = regs->iaoq[1] != (unsigned long)&parisc_end_insns[1];
	unsigned long after = taken ? regs->iaoq[1] : next + 4;
	bool skips = kp->opcode & PARISC_NULLIFY;

	if (taken && parisc_is_relative(kp->opcode))
		after += (unsigned long)kp->addr -
			 (unsigned long)(kp->ainsn.insn + 1);
	/* Forward, if they are taken; backward, if they are not. */
	if (parisc_is_conditional(kp->opcode))
		skips = skips && taken != (kp->opcode & 1);
	if (skips)
		return instruction_pointer_set(regs, after);
	regs->iaoq[0] = next;
	regs->iaoq[1] = after;
}

/* Has registers as they would be without the step.  Return: whose it was. */
static __always_inline struct kprobe *parisc_step_end(struct pt_regs *regs)
{
	struct kprobe *kp = __this_cpu_read(parisc_stepped.kp);
	unsigned long next = __this_cpu_read(parisc_stepped.next);
	unsigned int link;

	regs->gr[0] |= __this_cpu_read(parisc_stepped.irqs_on);
	if (!parisc_is_branch(kp->opcode)) {
		/* It may have skipped what was next. */
		if (regs->iaoq[0] != (unsigned long)parisc_end_insns)
			next += 4;
		instruction_pointer_set(regs, next);
		return kp;
	}
	link = parisc_link(kp->opcode);
	if (link)
		regs->gr[link] = next + 4;
	parisc_branched(kp, regs, next);
	return kp;
}

#else /* !CONFIG_PARISC */

static inline bool parisc_is_misread(const kprobe_opcode_t *addr)
{
	return false;
}

static inline int parisc_fill_slot(struct kprobe *kp)
{
	return 0;
}

static __always_inline struct kprobe *parisc_hit_begin(struct kprobe *kp,
						       const void *addr)
{
	return kp;
}

static __always_inline struct kprobe *parisc_hit_below(const struct kprobe *kp)
{
	return NULL;
}

static __always_inline bool parisc_is_missed(struct kprobe *kp)
{
	return false;
}

static __always_inline void parisc_hit_end(struct kprobe *below) { }

static __always_inline bool parisc_step(struct kprobe *kp,
					struct pt_regs *regs, bool with_post)
{
	return false;
}

#endif /* CONFIG_PARISC */
#endif /* _KERNEL_KPROBES_CLASSIC_PARISC_H */
