// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hit on arm64: a breakpoint, and what follows from it.
 *
 *	brk -> site -> pre handlers -+-> emulated: post handlers, go on
 *	                             |
 *	                             +-> slot: instruction, branch back
 *	                             |
 *	                             +-> with post handlers, one that only
 *	                             |   computes: executed right here, go on
 *	                             |
 *	                             +-> post_slot: instruction, thunk, post
 *	                                 handlers, branch back
 *
 * Everything here runs with interrupts off, as kernel/kprobes.c demands: the
 * exception sees to that, and kprobes-thunk.S.  A breakpoint is no NMI here:
 * el1_brk64() does not count it as one.
 */
#include <linux/kprobes_hit.h>
#include <asm/barrier.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/mte-kasan.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/*
 * Behind the pre handlers of an instruction out of line, with post handlers to
 * come.  It may run right here, or in its slot.
 */
static __always_inline void __nocfi go_on_with_post(struct kprobe_site *site,
						    struct pt_regs *regs)
{
	void *slot;

	/* Behind site->npost; pairs with smp_wmb() in make_slot(). */
	smp_rmb();
	slot = site->post_slot;

	if (site->insn.computes) {
		((void (*)(struct pt_regs *regs))slot)(regs);
		regs->pc = (unsigned long)site->addr + AARCH64_INSN_SIZE;
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
	} else {
		regs->pc = (unsigned long)slot + A64_ENTRY * AARCH64_INSN_SIZE;
	}
}

/* BTYPE says where an indirect branch may lead, and a handler anywhere. */
static noinline void post_emulated(struct kprobe_site *site,
				   struct pt_regs *regs)
{
	unsigned long next = regs->pc;

	kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
	if (regs->pc != next)
		regs->pstate &= ~(u64)PSR_BTYPE_MASK;
}
NOKPROBE_SYMBOL(post_emulated);

/**
 * kprobe_brk_handler - is this breakpoint one of ours?
 * @regs: of the exception
 * @esr: syndrome
 *
 * Context: exception; all interrupts off, RCU is watching.
 * Return: DBG_HOOK_HANDLED if it was and has been dealt with.
 */
int __nocfi kprobe_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	unsigned long addr = regs->pc;
	enum kprobe_verdict verdict;
	struct kprobe_site *site;
	bool post;

	site = kprobe_site_find(addr);
	if (unlikely(!site)) {
		/* Removed since it was fetched?  Then execute what is there. */
		if (READ_ONCE(*(__le32 *)addr) !=
		    cpu_to_le32(BRK64_OPCODE_KPROBES))
			return DBG_HOOK_HANDLED;
		/*
		 * Put there since it was looked for?  Its site came first:
		 * pairs with the barriers of writing the text.
		 */
		smp_rmb();
		site = kprobe_site_find(addr);
		if (!site)
			return DBG_HOOK_ERROR;
	}

	/*
	 * The exception has switched tag checks off, and the kernel's entry for
	 * debug exceptions leaves them off.  ERET restores them.
	 */
	mte_disable_tco();
	verdict = kprobe_site_pre(site, regs, KPROBE_BY_EXCEPTION);
	/*
	 * BTYPE is for the instruction an indirect branch leads to; what is
	 * executed next need not be a landing pad.
	 */
	regs->pstate &= ~(u64)PSR_BTYPE_MASK;
	if (verdict == KPROBE_HIT_DIVERTED)
		return DBG_HOOK_HANDLED;

	post = verdict == KPROBE_HIT_EXECUTE && READ_ONCE(site->npost);
	if (site->slot) {
		regs->pc = (unsigned long)site->slot;
		if (unlikely(post))
			go_on_with_post(site, regs);
		return DBG_HOOK_HANDLED;
	}

	/* A pre handler's change of it means nothing if it returns 0. */
	regs->pc = addr;
	a64_kprobe_emulate(&site->insn.decoded, regs);
	if (unlikely(post))
		post_emulated(site, regs);
	return DBG_HOOK_HANDLED;
}
NOKPROBE_SYMBOL(kprobe_brk_handler);

/* What the thunks have saved. */
#define TCO_RESTORED	(IS_ENABLED(CONFIG_KASAN_HW_TAGS) ? PSR_TCO_BIT : 0)
#define PSTATE_RESTORED	(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT | \
			 PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT | \
			 PSR_PAN_BIT | TCO_RESTORED)

/**
 * a64_kprobe_divert - go on where registers say, not where the thunk came from
 * @regs: that the thunk has saved
 *
 * The thunk restores all registers but these, and executes a breakpoint.  By
 * then it has left @regs, and the exception saves its own registers right
 * there, in the same struct pt_regs.  Three members of it are not written on
 * the way from kernel mode to kprobe_ss_brk_handler(): they have what is left
 * to be restored.  So there is nothing that another hit could change.
 *
 * Nothing may come until that breakpoint has been executed; what would be an
 * NMI from firmware has stacks of its own.
 *
 * Context: a thunk, interrupts off.
 */
__visible void a64_kprobe_divert(struct pt_regs *regs)
{
	asm volatile("msr daifset, #0xf" ::: "memory");
	regs->orig_x0 = regs->pc;
	regs->sdei_ttbr1 = regs->pstate;
	regs->unused2 = regs->pmr_save;
}
NOKPROBE_SYMBOL(a64_kprobe_divert);

/**
 * kprobe_ss_brk_handler - the end of a thunk that was diverted
 * @regs: of the exception; where the thunk had its own, see a64_kprobe_divert()
 * @esr: syndrome
 *
 * Context: as for kprobe_brk_handler().
 * Return: the same.
 */
int kprobe_ss_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	if (regs->pc != (unsigned long)kprobe_divert_brk)
		return DBG_HOOK_ERROR;

	regs->pc = regs->orig_x0;
	regs->pstate &= ~(u64)PSTATE_RESTORED;
	regs->pstate |= regs->sdei_ttbr1 & PSTATE_RESTORED;
	regs->pmr_save = regs->unused2;
	return DBG_HOOK_HANDLED;
}
NOKPROBE_SYMBOL(kprobe_ss_brk_handler);

/**
 * kprobe_hit_post - an instruction has been executed out of line
 * @site: whose
 * @regs: complete
 *
 * Context: any; interrupts off, as for kprobe_hit_enter().
 * Return: nonzero if it goes on elsewhere.
 */
__visible int kprobe_hit_post(struct kprobe_site *site, struct pt_regs *regs)
{
	unsigned long next = regs->pc;
	bool traced_on;

	traced_on = kprobe_hit_enter(regs, arch_kprobe_irqs_on(regs));
	kprobe_site_post(site, regs, KPROBE_BY_CODE);
	kprobe_hit_exit(regs, traced_on);
	return regs->pc != next;
}
NOKPROBE_SYMBOL(kprobe_hit_post);
