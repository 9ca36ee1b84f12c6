// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hit on powerpc: a trap, and what follows from it; and what can be probed.
 * How traps come into the text is in kprobes-patch.c.
 *
 *	trap -> site -> pre handlers -+-> depends on its place: emulated, post
 *	                              |   handlers, go on
 *	                              |
 *	                              +-> slot: instruction, branch back
 *	                              |
 *	                              +-> with post handlers, one that only
 *	                              |   computes: emulated, go on
 *	                              |
 *	                              +-> post_slot: instruction, trap -> post
 *	                                  handlers, go on
 *
 * All of it runs with interrupts off, as kernel/kprobes.c demands.  The program
 * check's handler has soft-masked them, all of them, on 64 bit; what arrives
 * meanwhile is only noted, also the IPIs by which the core waits for handlers.
 * A program check neither counts as an NMI nor has RCU watch.
 *
 * A handler that changes regs->nip or regs->msr may do so without
 * regs_set_return_ip(): what the CPU holds of them is forgotten after each hit.
 */
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/kernel.h>
#include <linux/kprobes_hit.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <asm/bug.h>
#include <asm/feature-fixups.h>
#include <asm/inst.h>
#include <asm/probes.h>
#include "kprobes-common.h"

/*
 * Places
 */

/*
 * The words of a function's start, as they are while nothing is probed.  A trap
 * whose site has gone meanwhile has gone as well: try again.
 */
static bool first_words(u32 *words, const u32 *entry, unsigned int nr)
{
	struct kprobe_site *site;
	unsigned int i, tries;
	bool entered;

	for (i = 0; i < nr; i++) {
		for (tries = 0; tries < 2; tries++) {
			if (copy_from_kernel_nofault(&words[i], &entry[i],
						     sizeof(words[i])))
				return false;
			entered = kprobe_read_lock();
			site = kprobe_site_find((unsigned long)&entry[i]);
			if (site)
				words[i] = site->opcode;
			kprobe_read_unlock(entered);
			if (words[i] != BREAKPOINT_INSTRUCTION)
				break;
		}
	}
	return true;
}

/* What sets r2 at the entry for callers with another TOC: two instructions. */
static bool sets_toc(const u32 *entry)
{
	u32 words[2];

	if (!IS_ENABLED(CONFIG_PPC64_ELF_ABI_V2) ||
	    !first_words(words, entry, ARRAY_SIZE(words)))
		return false;
	return ppc_function_entry(words) != (unsigned long)words;
}

/*
 * A function with a TOC of its own has two entries.  A probe on either of them
 * is at the second one, which every call comes to.
 */
kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry)
{
	*on_entry = !offset;
	if (addr % sizeof(u32))
		return (kprobe_opcode_t *)addr;

	if ((!offset || offset == 2 * sizeof(u32)) &&
	    sets_toc((const u32 *)(addr - offset))) {
		*on_entry = true;
		return (kprobe_opcode_t *)(addr - offset + 2 * sizeof(u32));
	}
	return (kprobe_opcode_t *)addr;
}

/*
 * Is an exception here one between a load and a store that belong together?
 * It would take the reservation away from them, each time they are tried again.
 * Such sequences are short, and have neither calls nor branches that are always
 * taken.
 */
#define RESERVED_WORDS	32

static bool in_reserved_sequence(const kprobe_opcode_t *addr,
				 const struct kprobe_symbol *symbol)
{
	unsigned long from = max(symbol->start, (unsigned long)addr -
				 RESERVED_WORDS * sizeof(u32));
	u32 word;

	if (!symbol->size)
		return false;
	while ((unsigned long)addr > from) {
		word = ppc_kprobe_original_word(--addr);
		switch (ppc_kprobe_decode(ppc_inst(word), 0)) {
		case PPC_KPROBE_LOAD_RESERVE:
			return true;
		case PPC_KPROBE_STORE_COND:
		case PPC_KPROBE_SYSTEM:
			return false;
		default:
			break;
		}
		/* B, BL; BLR */
		if (get_op(word) == 18 || word == PPC_RAW_BLR())
			return false;
	}
	return false;
}

static bool is_suffix(const kprobe_opcode_t *addr,
		      const struct kprobe_symbol *symbol)
{
	return IS_ENABLED(CONFIG_PPC64) &&
	       symbol->size && (unsigned long)addr > symbol->start &&
	       get_op(ppc_kprobe_original_word(addr - 1)) == OP_PREFIX;
}

static enum kprobe_refusal refuse_trap(unsigned long addr)
{
#ifdef CONFIG_GENERIC_BUG
	if (find_bug(addr))
		return KPROBE_REFUSE_BUG_SITE;
#endif
	return KPROBE_REFUSE_TRAP_INSN;
}

/*
 * Barriers against speculation are switched on and off as root likes, by a
 * patch that asks neither text_mutex nor probes.  Those of a module stay as
 * they are when it has been loaded.
 */
static bool is_barrier(unsigned long addr)
{
#ifdef CONFIG_PPC_BARRIER_NOSPEC
	long *entry;

	for (entry = &__start___barrier_nospec_fixup;
	     entry < &__stop___barrier_nospec_fixup; entry++)
		if ((unsigned long)entry + *entry == addr)
			return true;
#endif
	return false;
}

enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol)
{
	unsigned long addr = (unsigned long)site->addr;
	ppc_inst_t insn;

	if (addr % sizeof(u32))
		return KPROBE_REFUSE_MISALIGNED;
	if (copy_inst_from_kernel_nofault(&insn, site->addr))
		return KPROBE_REFUSE_NOT_TEXT;
	site->opcode = ppc_inst_val(insn);
	site->insn.insn = insn;
	if (is_suffix(site->addr, symbol))
		return KPROBE_REFUSE_NO_BOUNDARY;
	if (is_barrier(addr))
		return KPROBE_REFUSE_ALTERNATIVE;

	site->insn.class = ppc_kprobe_decode(insn, addr);
	switch ((enum ppc_kprobe_class)site->insn.class) {
	case PPC_KPROBE_NONE:
		return site->opcode ? KPROBE_REFUSE_UNDECODABLE :
				      KPROBE_REFUSE_PADDING;
	case PPC_KPROBE_TRAP:
		return refuse_trap(addr);
	case PPC_KPROBE_SYSTEM:
		return KPROBE_REFUSE_FAR_TRANSFER;
	default:
		if (site->insn.class >= PPC_KPROBE_REFUSED)
			return KPROBE_REFUSE_UNRELOCATABLE;
	}
	return in_reserved_sequence(site->addr, symbol) ?
	       KPROBE_REFUSE_UNRELOCATABLE : KPROBE_OK;
}

/*
 * The hit
 */

/*
 * Behind the pre handlers of an instruction out of line, with post handlers to
 * come.
 */
static __always_inline void go_on_with_post(struct kprobe_site *site,
					    struct pt_regs *regs)
{
	if (site->insn.class == PPC_KPROBE_COMPUTE) {
		ppc_kprobe_compute(site, regs);
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
	ppc_kprobe_compute(site, regs);
	if (unlikely(post))
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
}

/*
 * The trap behind an instruction in a slot, which has been executed.  Neither
 * the owner of the slot nor anything else is looked up: what a look-up calls
 * may be probed, and come here again.
 */
static __always_inline void hit_behind(struct pt_regs *regs)
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
		hit_behind(regs);
		return true;
	}
	if (word != BREAKPOINT_INSTRUCTION)
		return false;
	/*
	 * Put there since it was looked for?  Its site came first: pairs with
	 * the barriers of patch_uint().
	 */
	smp_rmb();
	site = kprobe_site_find(regs->nip);
	if (!site)
		return false;
	hit_site(site, regs);
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

	if (user_mode(regs) || ppc_kprobe_real_mode(regs->msr))
		return false;

	preempt_disable_notrace();
	entered = kprobe_rcu_enter();

	site = kprobe_site_find(regs->nip);
	if (likely(site))
		hit_site(site, regs);
	else
		handled = hit_no_site(regs);
	set_return_regs_changed();

	kprobe_rcu_exit(entered);
	/* The exit of the exception reschedules. */
	preempt_enable_no_resched_notrace();
	return handled;
}
NOKPROBE_SYMBOL(kprobe_handler);
