// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The step of parisc, instead of that of parisc's own code for probes: see
 * struct kprobe_quirks.
 *
 * After a step, that code always continues at the following instruction, even
 * if the instruction was a branch or skipped the next.  A nested hit
 * ends in a breakpoint that is executed forever.  So its step is never begun:
 * to that code, each hit looks as if its handler had redirected it, and none is
 * nested.
 *
 * The CPU has the addresses of the next two instructions in a queue.  The first
 * is replaced by that of the copy, the second stays:
 *
 *	queue:	slot[0], the next address
 *
 * This needs no exception at the end of the step.  The next address may be the
 * target of a branch whose delay slot is probed, the copy may skip it, and
 * return addresses are computed from it.
 *
 * A step ends in a breakpoint, with interrupts off, if there are post handlers
 * or the instruction is a branch relative to the first address:
 *
 *	queue:	slot[1], parisc_end_insns[0]
 *
 * parisc_end_insns has two breakpoints, the second for an instruction that
 * skips the next.  A branch in slot[1] skips nothing, so if it was taken, its
 * target is still in the queue at the breakpoint.  Slots are too far away for a
 * branch to have parisc_end_insns as its target.
 */
#define DISABLE_BRANCH_PROFILING

#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_backend.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/stringify.h>
#include <asm/processor.h>
#include <asm/psw.h>
#include <asm/sections.h>

extern const char fault_vector_20[], set_register[];

/* entry.S up to its last function, and the functions that it calls */
static void __init parisc_blacklist(void)
{
	unsigned long last = (unsigned long)set_register;
	void *c_code = handle_interruption;
	/* Static, and no function any more if it was inlined. */
	void *of_break = kprobe_lookup_name("handle_break", 0);

	kprobe_add_area_blacklist((unsigned long)fault_vector_20, last);
	kprobe_add_ksym_blacklist(last);
	c_code = dereference_kernel_function_descriptor(c_code);
	kprobe_add_ksym_blacklist((unsigned long)c_code);
	if (of_break)
		kprobe_add_ksym_blacklist((unsigned long)of_break);
}

/*
 * struct parisc_step - a step of this CPU that has an end
 * @kp: the struct kprobe of the hit
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

/* This bit of a branch skips the next instruction. */
#define PARISC_NULLIFY		2

/* Return true for any branch, not for loads and stores. */
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

/* The minor opcode of BV and of branches with a link register */
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

/* Return the link register of a branch, or 0. */
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
 * BREAK; MFIA, which reads its own address; RFI and RFI,R; RSM, SSM and MTSM,
 * which access the interrupt flag; and GATE, which depends on its page.
 */
static bool parisc_is_of_state(u32 insn)
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

static bool parisc_refuses(const kprobe_opcode_t *addr)
{
	return parisc_is_of_state(*addr);
}

/* The reach of any branch */
#define PARISC_REACH		SZ_16M

/* Add the copy for steps with an end.  slot[0] has the instruction already. */
static int parisc_fill_slot(struct kprobe *kp)
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

/* The struct kprobe of the breakpoints at the end of a step. */
static int parisc_step_ends(struct kprobe *end, struct pt_regs *regs);
static struct kprobe parisc_end = { .pre_handler = parisc_step_ends };

/**
 * get_kprobe - begin the hit of a breakpoint
 * @addr: its address
 *
 * The backend must not see a nested hit, so reset_current_kprobe() restores the
 * interrupted one.  Interrupts stay off until the breakpoint has been handled.
 *
 * Return: the struct kprobe there, or NULL.
 */
noinstr struct kprobe *get_kprobe(void *addr)
{
	struct kprobe *kp = kprobe_classic_find(addr);

	if (addr == &parisc_end_insns[0] || addr == &parisc_end_insns[1])
		kp = &parisc_end;
	/* Hits by ftrace end elsewhere, and are never nested. */
	if (!kp || kp->flags & KPROBE_FLAG_FTRACE)
		return kp;
	raw_local_irq_disable();
	__this_cpu_write(kprobe_outer, __this_cpu_read(current_kprobe));
	__this_cpu_write(current_kprobe, NULL);
	return kp;
}

/* Before the handlers: return the kprobe of the interrupted hit, or NULL. */
static __always_inline struct kprobe *parisc_hit_below(const struct kprobe *kp)
{
	if (kp->flags & KPROBE_FLAG_FTRACE)
		return NULL;
	return __this_cpu_read(kprobe_outer);
}

/* A nested hit misses its handlers, except that followed calls must return. */
static __always_inline bool parisc_is_missed(struct kprobe *kp)
{
	return parisc_hit_below(kp) && !arch_trampoline_kprobe(kp);
}

/* Restore kprobe_outer after handlers, whose own hits have changed it. */
static __always_inline void parisc_hit_end(struct kprobe *below)
{
	__this_cpu_write(kprobe_outer, below);
}

/* Step, with an end if @with_post.  Return false for a hit by ftrace. */
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

/* Set the queue as the branch would have left it. */
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
	/* Forward branches skip if taken, backward ones if not. */
	if (parisc_is_conditional(kp->opcode))
		skips = skips && taken != (kp->opcode & 1);
	if (skips)
		return instruction_pointer_set(regs, after);
	regs->iaoq[0] = next;
	regs->iaoq[1] = after;
}

/* Set registers as they would be without the step.  Return its kprobe. */
static __always_inline struct kprobe *parisc_step_end(struct pt_regs *regs)
{
	struct kprobe *kp = __this_cpu_read(parisc_stepped.kp);
	unsigned long next = __this_cpu_read(parisc_stepped.next);
	unsigned int link;

	regs->gr[0] |= __this_cpu_read(parisc_stepped.irqs_on);
	if (!parisc_is_branch(kp->opcode)) {
		/* The instruction may have skipped the next. */
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

static noinstr int parisc_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct kprobe_site *site = container_of(kp, struct kprobe_site,
						insn.op.kp);
	struct kprobe *below = parisc_hit_below(kp);
	int diverted;

	if (parisc_is_missed(kp)) {
		kprobes_inc_nmissed_count(kp);
		return parisc_step(kp, regs, false);
	}
	diverted = kprobe_classic_pre(kp, regs);
	parisc_hit_end(below);
	return diverted || parisc_step(kp, regs, READ_ONCE(site->npost));
}

static noinstr int parisc_step_ends(struct kprobe *end, struct pt_regs *regs)
{
	struct kprobe *below = parisc_hit_below(end);
	struct kprobe *kp = parisc_step_end(regs);

	/* A nested hit has no post handlers: only its branch needed an end. */
	if (!below)
		kprobe_classic_post(kp, regs, 0);
	parisc_hit_end(below);
	return 1;
}

const struct kprobe_quirks kprobe_quirks __refconst = {
	.refuses_fixups = true,
#ifdef CONFIG_DYNAMIC_FTRACE
	/* A call precedes its function, and ftrace knows its last word. */
	.ftrace_from = -(FTRACE_PATCHABLE_FUNCTION_SIZE - 1) * (int)sizeof(u32),
#endif
	.blacklist = parisc_blacklist,
	.refuses = parisc_refuses,
	.prepare = parisc_fill_slot,
	.pre_handler = parisc_pre,
};
