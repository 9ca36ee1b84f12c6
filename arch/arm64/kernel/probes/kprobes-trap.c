// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Breakpoint hits on arm64.
 *
 *	brk -> site -> pre handlers -+-> emulate, post handlers, return
 *	                             |
 *	                             +-> slot: instruction, branch back
 *	                             |
 *	                             +-> post handlers and an instruction that
 *	                             |   only computes: call post_slot, post
 *	                             |   handlers, return
 *	                             |
 *	                             +-> post_slot: instruction, thunk, post
 *	                                 handlers, branch back
 *
 * Handlers run with interrupts off, as kernel/kprobes/ requires: the exception
 * and kprobes-thunk.S disable them.  el1_brk64() does not count a breakpoint as
 * an NMI.
 */
#include <linux/kprobes_hit.h>
#include <asm/barrier.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/mte-kasan.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/*
 * After the pre handlers: execute an instruction that has post handlers, either
 * here or in its post_slot.
 */
static __always_inline void __nocfi go_on_with_post(struct kprobe_site *site,
						    struct pt_regs *regs)
{
	void *slot;

	/* After reading site->npost; pairs with smp_wmb() in make_slot(). */
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

/* If a handler sets the pc, clear BTYPE, which would restrict the target. */
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
 * kprobe_brk_handler - handle a breakpoint if it is a probe's
 * @regs: of the exception
 * @esr: syndrome
 *
 * Context: exception; all interrupts off, RCU is watching.
 * Return: DBG_HOOK_HANDLED if it was handled, DBG_HOOK_ERROR if it is not ours.
 */
int __nocfi kprobe_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	unsigned long addr = regs->pc;
	enum kprobe_verdict verdict;
	struct kprobe_site *site;
	bool post;

	site = kprobe_site_find(addr);
	if (unlikely(!site)) {
		/* If the trap was removed after the fetch, run the new text. */
		if (READ_ONCE(*(__le32 *)addr) !=
		    cpu_to_le32(BRK64_OPCODE_KPROBES))
			return DBG_HOOK_HANDLED;
		/*
		 * The breakpoint may have been written since the lookup, after
		 * its site was added.  Pairs with the barriers of the writer.
		 */
		smp_rmb();
		site = kprobe_site_find(addr);
		if (!site)
			return DBG_HOOK_ERROR;
	}

	/*
	 * The exception has disabled tag checks, and the kernel's entry for
	 * debug exceptions does not enable them.  ERET restores their state.
	 */
	mte_disable_tco();
	verdict = kprobe_site_pre(site, regs, KPROBE_BY_EXCEPTION);
	/*
	 * BTYPE restricts only the target of an indirect branch.  Clear it,
	 * because the next instruction need not be a landing pad.
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

	/* A pre handler that returns 0 cannot change the pc. */
	regs->pc = addr;
	a64_kprobe_emulate(&site->insn.decoded, regs);
	if (unlikely(post))
		post_emulated(site, regs);
	return DBG_HOOK_HANDLED;
}
NOKPROBE_SYMBOL(kprobe_brk_handler);

/* Bits of the pstate that the thunks have saved. */
#define TCO_RESTORED	(IS_ENABLED(CONFIG_KASAN_HW_TAGS) ? PSR_TCO_BIT : 0)
#define PSTATE_RESTORED	(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT | \
			 PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT | \
			 PSR_PAN_BIT | TCO_RESTORED)

/**
 * a64_kprobe_divert - prepare a thunk to continue at another address
 * @regs: as saved by the thunk
 *
 * The thunk restores all registers except the pc, the pstate and the pmr, frees
 * @regs and executes a breakpoint.  That exception saves the registers where
 * @regs were.  The entry of an exception from kernel mode does not write the
 * three members that are set here, so these pass the values to
 * kprobe_ss_brk_handler().
 *
 * No other exception may use this part of the stack until then: mask them all.
 * NMI-like events from firmware (SDEI) have stacks of their own.
 *
 * Context: a thunk, interrupts off.
 */
__visible void a64_kprobe_divert(struct pt_regs *regs)
{
	asm volatile("msr daifset, #0xf" ::: "memory");
	regs->orig_x0 = regs->pc;
	regs->sdei_ttbr1 = regs->pstate;
	regs->syscallno = regs->pmr;
}
NOKPROBE_SYMBOL(a64_kprobe_divert);

/**
 * kprobe_ss_brk_handler - continue a diverted thunk at its new address
 * @regs: of the exception, saved where the thunk's were: see
 *	a64_kprobe_divert()
 * @esr: syndrome
 *
 * Context: as for kprobe_brk_handler().
 * Return: as kprobe_brk_handler().
 */
int kprobe_ss_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	if (regs->pc != (unsigned long)kprobe_divert_brk)
		return DBG_HOOK_ERROR;

	regs->pc = regs->orig_x0;
	regs->pstate &= ~(u64)PSTATE_RESTORED;
	regs->pstate |= regs->sdei_ttbr1 & PSTATE_RESTORED;
	regs->pmr = regs->syscallno;
	return DBG_HOOK_HANDLED;
}
NOKPROBE_SYMBOL(kprobe_ss_brk_handler);

/**
 * kprobe_hit_post - call post handlers after an out-of-line instruction
 * @site: the site
 * @regs: complete
 *
 * Context: any; interrupts off, as for kprobe_hit_enter().
 * Return: nonzero if a handler has set the program counter.
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
