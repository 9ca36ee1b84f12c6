// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Breakpoint hits on powerpc.  kprobes-insn.c decides what can be probed;
 * kprobes-patch.c writes the traps.
 *
 *	trap -> site -> pre handlers -+-> the instruction depends on where it
 *	                              |   is: emulate, post handlers, return
 *	                              |
 *	                              +-> slot: instruction, branch back
 *	                              |
 *	                              +-> post handlers, and the instruction
 *	                              |   only computes or accesses the stack:
 *	                              |   emulate, post handlers, return
 *	                              |
 *	                              +-> post_slot: instruction, trap -> post
 *	                                  handlers, return
 *
 * All of this runs with interrupts off, as kernel/kprobes/ requires.  The
 * program check's handler has soft-masked them; interrupts that arrive
 * meanwhile are only noted, including the IPIs by which the core waits for
 * handlers.  On 32 bit, MSR[EE] is off.  A program check does not count as an
 * NMI, and RCU may not be watching.
 *
 * Handlers may change regs->nip or regs->msr without regs_set_return_ip(),
 * because every hit calls set_return_regs_changed().
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/kprobes_hit.h>
#include <linux/ptrace.h>
#include <asm/inst.h>
#include <asm/page.h>
#include <asm/probes.h>
#include <asm/sections.h>
#include "kprobes-common.h"

/*
 * After the pre handlers: execute an instruction that has post handlers, either
 * here or in its post_slot.
 */
static __always_inline void go_on_with_post(struct kprobe_site *site,
					    struct pt_regs *regs)
{
	if (site->insn.class == PPC_KPROBE_COMPUTE) {
		ppc_kprobe_emulate(site, regs);
	} else if (!ppc_kprobe_emulate_access(site, regs)) {
		/* After npost is read; pairs with smp_wmb() in make_slot(). */
		smp_rmb();
		regs->nip = (unsigned long)site->post_slot;
		return;
	}
	kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
}

static __always_inline void hit_site(struct kprobe_site *site,
				     struct pt_regs *regs)
{
	unsigned long addr = regs->nip;
	enum kprobe_verdict verdict;
	bool post;

	verdict = kprobe_site_pre(site, regs, KPROBE_BY_EXCEPTION);
	if (verdict == KPROBE_HIT_DIVERTED)
		return;

	post = verdict == KPROBE_HIT_EXECUTE && READ_ONCE(site->npost);
	/* A pre handler that returns 0 cannot change the nip. */
	regs->nip = addr;
	if (site->slot) {
		if (unlikely(post))
			go_on_with_post(site, regs);
		else
			regs->nip = (unsigned long)site->slot;
		return;
	}
	ppc_kprobe_emulate(site, regs);
	if (unlikely(post))
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
}

/*
 * Handle the trap after an executed instruction in a slot.  Look up nothing,
 * not even the slot's owner: the functions that look it up may be probed, too,
 * and the traps in their slots would lead here again.
 */
static __always_inline void hit_post(struct pt_regs *regs)
{
	struct ppc_kprobe_slot *slot =
		(void *)ALIGN_DOWN(regs->nip, KPROBE_SLOT_SIZE);
	struct kprobe_site *site = slot->site;

	regs->nip = ppc_kprobe_next(site);
	/* Otherwise the trap ends a slot that is too far for a branch. */
	if (slot == site->post_slot)
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
}

/* Handle a trap that was removed, is in a slot, or had no site at first. */
static bool hit_no_site(struct pt_regs *regs)
{
	u32 word = READ_ONCE(*(u32 *)regs->nip);
	struct kprobe_site *site;

	/* If the trap was removed after the fetch, run the new text. */
	if (!is_trap(word))
		return true;
	if (word == PPC_KPROBE_SLOT_TRAP) {
		hit_post(regs);
		return true;
	}
	if (word != BREAKPOINT_INSTRUCTION)
		return false;
	/*
	 * The trap may have been written since the lookup, after its site was
	 * added.  Pairs with smp_wmb() in arch_kprobe_patch().
	 */
	smp_rmb();
	site = kprobe_site_find(regs->nip);
	if (!site)
		return false;
	hit_site(site, regs);
	return true;
}

/*
 * A hit in real mode is counted as missed, as in kprobe_hit_jump().  Here it is
 * also counted for the probes, which are accessible because the exception is
 * handled with translation on.  Handlers do not run, because they would assume
 * that the probed code runs with translation, too.
 *
 * Sites are found by their translated address.  The instruction pointer is
 * either that or the real address, without the top bits; in the slot it keeps
 * this form.  Only the kernel's own text can run in real mode, so a hit whose
 * slot is not in its pool is not handled.
 */
static bool hit_in_real_mode(struct pt_regs *regs)
{
	unsigned long addr = regs->nip | PAGE_OFFSET;
	struct kprobe_site *site;

	if (!IS_ENABLED(CONFIG_PPC64) || !is_kernel_text(addr))
		return false;
	site = kprobe_site_find(addr);
	if (!site) {
		if (!is_trap(READ_ONCE(*(u32 *)addr)))
			return true;
		/* As in hit_no_site(). */
		smp_rmb();
		site = kprobe_site_find(addr);
		if (!site)
			return false;
	}
	if (site->slot && !is_kernel_text((unsigned long)site->slot))
		return false;

	kprobe_site_missed(site, KPROBE_MISS_REAL_MODE);
	if (site->slot)
		regs->nip += (unsigned long)site->slot - addr;
	else
		ppc_kprobe_emulate(site, regs);
	return true;
}

/**
 * kprobe_handler - handle a trap if it is a probe's
 * @regs: of the exception
 *
 * Context: exception; interrupts off.
 * Return: true if the trap was handled.
 */
bool kprobe_handler(struct pt_regs *regs)
{
	struct kprobe_site *site;
	bool handled = true;
	bool entered;

	if (user_mode(regs))
		return false;

	preempt_disable_notrace();
	entered = kprobe_rcu_enter();

	if (unlikely(ppc_kprobe_real_mode(regs->msr))) {
		handled = hit_in_real_mode(regs);
		goto out;
	}
	site = kprobe_site_find(regs->nip);
	if (likely(site))
		hit_site(site, regs);
	else
		handled = hit_no_site(regs);
out:
	set_return_regs_changed();

	kprobe_rcu_exit(entered);
	/* The exit of the exception reschedules. */
	preempt_enable_no_resched_notrace();
	return handled;
}
NOKPROBE_SYMBOL(kprobe_handler);
