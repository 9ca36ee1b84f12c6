// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches in place of breakpoints on arm64: the detour, and its hits.
 *
 *	probed address:	b ---->	[site]
 *			     ->	save x0, x1, x29, x30; x0 = site
 *				bl	kprobe_jump_thunk
 *				restore them
 *				[instruction]
 *	next one:	<----	b
 *
 * A branch replaces exactly one instruction, so the rest of the function and
 * its branches do not matter, no task can be preempted under the branch, and
 * the optimizer waits for no grace period.  Until the branch is written, the
 * breakpoint does not use the detour.
 *
 * The thunk changes the state as an exception would: for example, user memory
 * is inaccessible in handlers even if the function has enabled access.  With
 * BTI, a landing pad is not replaced by a branch, because an indirect branch
 * may land on a breakpoint, but not on a branch.
 */
#include <linux/kprobes_hit.h>
#include <linux/memory.h>
#include <asm/cpufeature.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

static bool is_landing_pad(const struct kprobe_site *site)
{
	const u32 paciasp = aarch64_insn_gen_hint(AARCH64_INSN_HINT_PACIASP);
	const u32 pacibsp = aarch64_insn_gen_hint(AARCH64_INSN_HINT_PACIBSP);

	return aarch64_insn_is_bti(site->opcode) ||
	       site->opcode == paciasp || site->opcode == pacibsp;
}

enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site,
					 const struct kprobe_symbol *symbol)
{
	const struct a64_kprobe_insn *decoded = &site->insn.decoded;

	if (system_supports_bti_kernel() && is_landing_pad(site))
		return KPROBE_NOJUMP_LANDING_PAD;
	/*
	 * The copy loads x30 and executes BR.  BR sets a different BTYPE, and
	 * would read the new x30.
	 */
	if (decoded->class == A64_BLR &&
	    (system_supports_bti_kernel() || decoded->rt == 30 ||
	     decoded->modifier == 30))
		return KPROBE_NOJUMP_BOUND_INSIDE;

	return KPROBE_NOJUMP_NONE;
}

enum kprobe_obstacle arch_kprobe_build_detour(struct kprobe_site *site)
{
	unsigned long next = (unsigned long)site->addr + AARCH64_INSN_SIZE;
	struct a64_kprobe_text text = {};
	void *detour;

	if (site->detour)
		return KPROBE_NOJUMP_NONE;
	detour = kprobe_slot_alloc(site, KPROBE_DETOUR_SIZE);
	if (!detour)
		return KPROBE_NOJUMP_NO_MEMORY;

	text.at = (unsigned long)detour;
	a64_kprobe_emit_data(&text, (unsigned long)site);
	a64_kprobe_emit_call(&text, kprobe_jump_thunk);
	a64_kprobe_emit_gap(&text, site->opcode);
	/* Count the gap as part of the call: the copy is at call.end. */
	text.call.end = text.nr;
	a64_kprobe_emit_copy(&text, site, next);
	a64_kprobe_emit_branch(&text, next);
	if (!a64_kprobe_finish(&text, detour, KPROBE_DETOUR_SIZE)) {
		kprobe_slot_free(detour);
		return KPROBE_NOJUMP_DETOUR_REACH;
	}
	site->insn.detour_call = text.call;
	site->detour = detour;
	return KPROBE_NOJUMP_NONE;
}

/**
 * a64_kprobe_jump - encode the branch that replaces a site's breakpoint
 * @site: has a detour
 */
u32 a64_kprobe_jump(const struct kprobe_site *site)
{
	unsigned long entry = (unsigned long)site->detour +
			      A64_ENTRY * AARCH64_INSN_SIZE;

	return aarch64_insn_gen_branch_imm((unsigned long)site->addr, entry,
					   AARCH64_INSN_BRANCH_NOLINK);
}

/**
 * a64_kprobe_hit_jump - handle a hit by a detour
 * @site: the site
 * @regs: complete
 *
 * Context: any; interrupts off, as for kprobe_hit_enter().
 * Return: nonzero if a handler has set the program counter.
 */
__visible int a64_kprobe_hit_jump(struct kprobe_site *site,
				  struct pt_regs *regs)
{
	bool traced_on = kprobe_hit_enter(regs, arch_kprobe_irqs_on(regs));
	int diverted = kprobe_site_pre_jump(site, regs);

	kprobe_hit_exit(regs, traced_on);
	return diverted;
}
NOKPROBE_SYMBOL(a64_kprobe_hit_jump);
