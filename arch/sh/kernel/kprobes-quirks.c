// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections around sh's code for probes: see struct kprobe_quirks.
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
#define DISABLE_BRANCH_PROFILING

#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <asm/cacheflush.h>
#include <asm/processor.h>
#include <asm/traps.h>

#if defined(CONFIG_CPU_HAS_SR_RB) && defined(CONFIG_MMU)
asmlinkage void tlb_miss_load(void);
asmlinkage void exception_none(void);

/* entry.S of SH-3 and SH-4, and breakpoints */
static void __init sh_blacklist_entry(void)
{
	kprobe_add_area_blacklist((unsigned long)tlb_miss_load,
				  (unsigned long)exception_none);
	kprobe_add_ksym_blacklist((unsigned long)debug_trap_handler);
}
#else
static inline void sh_blacklist_entry(void) { }
#endif

/* A step writes text, and flushes the caches of this CPU. */
static void __init sh_blacklist(void)
{
	sh_blacklist_entry();
	kprobe_add_ksym_blacklist((unsigned long)flush_icache_range);
	kprobe_add_ksym_blacklist((unsigned long)local_flush_icache_range);
}

/*
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
static bool sh_is_conditional(u16 insn)
{
	return (insn & 0xf900) == 0x8900;
}

static bool sh_is_branch(u16 insn)
{
	return (insn & 0xe000) == 0xa000;
}

/* RTS; JSR, JMP */
static bool sh_is_absolute(u16 insn)
{
	return insn == 0x000b || (insn & 0xf0df) == 0x400b;
}

/* Return true if that code would write the breakpoint to a wrong place. */
static bool sh_refuses(const kprobe_opcode_t *addr)
{
	u16 insn = *addr;

	if (sh_is_branch(insn))
		return insn & 0x0800;
	if (sh_is_conditional(insn) && insn & 0x80)
		return true;
	return (insn & 0xf) == 0xb && !sh_is_absolute(insn);
}

/*
 * MOVLI.L, MOVCO.L; MOV #-imm, R15 and MOV R1, R15.
 *
 * The latter two are not exclusive, but exceptions restart the sequence between
 * them (gUSA), which begins with a negative length in the stack pointer.
 */
static enum kprobe_exclusive sh_exclusive(unsigned long at)
{
	u16 insn = *(const u16 *)at;

	if ((insn & 0xf0ff) == 0x0063 || (insn & 0xff80) == 0xef80)
		return KPROBE_EXCLUSIVE_LOAD;
	if ((insn & 0xf0ff) == 0x0073 || insn == 0x6f13)
		return KPROBE_EXCLUSIVE_STORE;
	return KPROBE_EXCLUSIVE_NONE;
}

/* STC SR, STC.L SR, LDC SR, LDC.L SR, which access the mask of interrupts */
static __always_inline bool sh_is_of_mask(u16 insn)
{
	return (insn & 0xf0ff) == 0x0002 || (insn & 0xf0ff) == 0x4003 ||
	       (insn & 0xf0ff) == 0x400e || (insn & 0xf0ff) == 0x4007;
}

static noinstr void sh_post_later(struct kprobe *kp, struct pt_regs *regs,
				  unsigned long flags)
{
	__this_cpu_write(sh_step.post, kp);
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

static noinstr int sh_exception(struct notifier_block *self, unsigned long val,
				void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	int ret = kprobe_exceptions_notify(self, val, data);
	struct kprobe *kp;

	sh_hit_end(val, ret, regs);
	kp = sh_post_due();
	if (kp) {
		kprobe_busy_begin();
		kprobe_classic_post(kp, regs, 0);
		kprobe_busy_end();
	}
	return ret;
}

/*
 * A page fault ends the step as its breakpoint does, without post handlers.
 * The instruction is executed again, from the restored breakpoint.
 */
static noinstr bool sh_fault(struct pt_regs *regs)
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

const struct kprobe_quirks kprobe_quirks __refconst = {
	.steps_in_place = true,
	.blacklist = sh_blacklist,
	.exclusive = sh_exclusive,
	.refuses = sh_refuses,
	.post_handler = sh_post_later,
	.exception = sh_exception,
	.fault = sh_fault,
};
