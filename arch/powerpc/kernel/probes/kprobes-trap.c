// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hit on powerpc: a trap, and what follows from it.  What can be probed is
 * in kprobes-insn.c; how traps come into the text, in kprobes-patch.c.
 *
 *	trap -> site -> pre handlers -+-> depends on its place: emulated, post
 *	                              |   handlers, go on
 *	                              |
 *	                              +-> slot: instruction, branch back
 *	                              |
 *	                              +-> with post handlers, one that only
 *	                              |   computes, or accesses the kernel's
 *	                              |   memory: emulated, go on
 *	                              |
 *	                              +-> post_slot: instruction, trap -> post
 *	                                  handlers, go on
 *
 * All of it runs with interrupts off, as kernel/kprobes.c demands.  The program
 * check's handler has soft-masked all of them; what arrives meanwhile is only
 * noted, also the IPIs by which the core waits for handlers.  On 32 bit
 * MSR[EE] is off and keeps all away.  A program check neither counts as an NMI
 * nor has RCU watch.
 *
 * A handler that changes regs->nip or regs->msr may do so without
 * regs_set_return_ip(): what the CPU holds of them is forgotten after each hit.
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
 * Behind the pre handlers of an instruction out of line, with post handlers to
 * come.
 */
static __always_inline void go_on_with_post(struct kprobe_site *site,
					    struct pt_regs *regs)
{
	if (site->insn.class == PPC_KPROBE_COMPUTE) {
		ppc_kprobe_emulate(site, regs);
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
		return;
	}
	if (ppc_kprobe_emulate_access(site, regs)) {
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
		return;
	}
	/* Behind site->npost; pairs with smp_wmb() in make_slot(). */
	smp_rmb();
	regs->nip = (unsigned long)site->post_slot;
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
	/* A pre handler's change of it means nothing if it returns 0. */
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
 * The trap behind an instruction in a slot, which has been executed.  Neither
 * the owner of the slot nor anything else is looked up: what a look-up calls
 * may be probed, and come here again.
 */
static __always_inline void hit_post(struct pt_regs *regs)
{
	struct ppc_kprobe_slot *slot =
		(void *)ALIGN_DOWN(regs->nip, KPROBE_SLOT_SIZE);
	struct kprobe_site *site = slot->site;

	regs->nip = ppc_kprobe_next(site);
	/* Else it was a slot that is far from the site. */
	if (slot == site->post_slot)
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
}

/* There was no site: is there one now, or no trap? */
static bool hit_no_site(struct pt_regs *regs)
{
	u32 word = READ_ONCE(*(u32 *)regs->nip);
	struct kprobe_site *site;

	/* Removed since it was fetched?  Then execute what is there. */
	if (!is_trap(word))
		return true;
	if (word == PPC_KPROBE_SLOT_TRAP) {
		hit_post(regs);
		return true;
	}
	if (word != BREAKPOINT_INSTRUCTION)
		return false;
	/*
	 * Put there since it was looked for?  Its site came first: pairs with
	 * smp_wmb() in arch_kprobe_patch().
	 */
	smp_rmb();
	site = kprobe_site_find(regs->nip);
	if (!site)
		return false;
	hit_site(site, regs);
	return true;
}

/*
 * A hit in real mode, which is a missed one, as in kprobe_hit_jump().  The
 * exception is handled with translation on, so all can be reached that is to be
 * counted; but handlers would take the code for one that they could, too.
 *
 * Text is known by its translated address.  The instruction pointer may be that
 * or the real one, which lacks the first bits, and stays of its kind.  Only the
 * kernel's own text runs in real mode, and so can only a slot in its pool.
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

	kprobe_site_missed(site, regs, KPROBE_MISS_REAL_MODE);
	if (site->slot)
		regs->nip += (unsigned long)site->slot - addr;
	else
		ppc_kprobe_emulate(site, regs);
	return true;
}

/**
 * kprobe_handler - is this trap one of ours?
 * @regs: of the exception
 *
 * Context: exception; interrupts off.
 * Return: whether it was, and has been dealt with.
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
