// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches in the place of breakpoints on arm64: the detour, and the hit by it.
 *
 *	probed address:	b ---->	[site]
 *			     ->	save x0, x1, x29, x30; x0 = site
 *				bl	kprobe_jump_thunk
 *				restore them
 *				[instruction]
 *	behind it:	<----	b
 *
 * A branch is no longer than what it replaces, so it does not matter what else
 * is in the function or who jumps where in it, and nobody can be under it.  The
 * thunk puts right what an exception would, access to user memory above all, so
 * it does not matter either what the function changes of that.  What an
 * indirect branch has to land on is not probed by a branch, in a kernel that
 * checks for that: a branch is no landing pad, and a breakpoint is.
 *
 * Until its branch is there, a site's breakpoint sends the instruction to its
 * slot; there is no need to have it run in the detour, and the optimizer's
 * grace period proves nothing that matters here.
 */
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <asm/cpufeature.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

static bool is_landing_pad(const struct kprobe_site *site)
{
	const u32 paciasp = aarch64_insn_gen_hint(AARCH64_INSN_HINT_PACIASP);
	const u32 pacibsp = aarch64_insn_gen_hint(AARCH64_INSN_HINT_PACIBSP);

	return site->insn.what.how == A64_LANDING ||
	       site->opcode == paciasp || site->opcode == pacibsp;
}

enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site)
{
	const struct a64_insn *what = &site->insn.what;

	if (site->insn.detour)
		return KPROBE_NO_OBSTACLE;
	if (system_supports_bti_kernel()) {
		if (is_landing_pad(site))
			return KPROBE_LANDING_PAD;
		/* A branch with another type than a call's. */
		if (what->how == A64_BLR)
			return KPROBE_BOUND_INSIDE;
	}
	if (what->how == A64_BLR &&
	    (what->rt == 30 || (what->key && what->modifier == 30)))
		return KPROBE_BOUND_INSIDE;

	return KPROBE_NO_OBSTACLE;
}

enum kprobe_obstacle arch_kprobe_detour(struct kprobe_site *site)
{
	unsigned long next = (unsigned long)site->addr + AARCH64_INSN_SIZE;
	struct a64_text text = {};
	void *detour;

	if (site->insn.detour)
		return KPROBE_NO_OBSTACLE;
	detour = kprobe_slot_alloc(site, KPROBE_DETOUR_SIZE);
	if (!detour)
		return KPROBE_DETOUR_MEMORY;

	text.at = (unsigned long)detour;
	a64_emit_site(&text, site);
	a64_emit_call(&text, kprobe_jump_thunk);
	a64_emit_displaced(&text, site, next);
	a64_emit_branch(&text, next);
	if (!a64_finish(&text, detour, KPROBE_DETOUR_SIZE)) {
		kprobe_slot_free(detour);
		return KPROBE_DETOUR_REACH;
	}
	site->insn.detour = detour;
	return KPROBE_NO_OBSTACLE;
}

void arch_kprobe_unanalyse(struct kprobe_site *site)
{
}

void arch_kprobe_use_detour(struct kprobe_site *site, bool use)
{
}

/**
 * a64_jump - the branch that takes the place of a site's breakpoint
 * @site: has a detour
 */
u32 a64_jump(const struct kprobe_site *site)
{
	unsigned long entry = (unsigned long)site->insn.detour +
			      A64_ENTRY * AARCH64_INSN_SIZE;

	return aarch64_insn_gen_branch_imm((unsigned long)site->addr, entry,
					   AARCH64_INSN_BRANCH_NOLINK);
}

static noinline enum kprobe_verdict
site_pre_unwatched(struct kprobe_site *site, struct pt_regs *regs)
{
	enum kprobe_verdict verdict;

	kprobe_rcu_enter();
	verdict = kprobe_site_pre(site, regs, 0);
	kprobe_rcu_exit();
	return verdict;
}
NOKPROBE_SYMBOL(site_pre_unwatched);

/**
 * kprobe_hit_jump - a hit by way of a detour
 * @site: where
 * @regs: complete, but for the program counter
 *
 * Context: any; interrupts off, as for kprobe_thunk_enter().
 * Return: KPROBE_DIVERTED if it goes on elsewhere.
 */
__visible enum kprobe_verdict kprobe_hit_jump(struct kprobe_site *site,
					      struct pt_regs *regs)
{
	unsigned long addr = (unsigned long)site->addr;
	enum kprobe_verdict verdict;
	bool traced_on;

	regs->pc = addr;
	regs->stackframe[1] = addr;

	traced_on = kprobe_thunk_enter();
	if (likely(kprobe_rcu_watching()))
		verdict = kprobe_site_pre(site, regs, 0);
	else
		verdict = site_pre_unwatched(site, regs);
	kprobe_thunk_exit(regs, traced_on);
	return verdict;
}
NOKPROBE_SYMBOL(kprobe_hit_jump);
