// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches in place of traps on powerpc: the detour, and its hits.
 *
 *	probed address:	b ---->	[site]
 *			     ->	make a frame, save r0 and LR
 *				bl	kprobe_jump_thunk
 *				restore LR and r0, remove the frame
 *				[instruction]
 *	next one:	<----	b
 *
 * From a module, no branch reaches the thunk.  The detour then saves CTR, and
 * loads the thunk's address into CTR through r0.  So detours of modules are
 * twice as large as those in the pool of kprobes-slot.c, which are for the
 * kernel's own text.
 *
 * A branch replaces exactly one instruction, so the rest of the function and
 * its branches do not matter, and no task can be preempted under the branch.
 * The suffix of a prefixed instruction stays in place, and is never reached.
 * The frame is as large as an exception's, because on 64 bit a function may use
 * a red zone below its stack pointer.
 *
 * The copy of a branch is a branch, because CR, CTR and LR have their original
 * values there.  If a branch sets LR, kprobe_hit_jump() sets it, and the copy
 * does not.  ADDPCIS is emulated by kprobe_hit_jump() and not copied.
 *
 * Place in the detour			state that an exception finds
 * ------------------			-----------------------------
 * before the frame is made		nothing has changed: probed address
 * until the frame is removed		r0, LR or CTR are on the stack
 * the instruction			probed address
 * after it				next instruction
 *
 * One instruction makes the frame: it stores and changes r1.  Another one
 * loads r1 to remove the frame.  An interrupt at any point makes its own frame
 * below r1, on 64 bit with a red zone in between.  MSR[RI] stays set, except
 * where kprobes-thunk.S uses SRR0 and SRR1 to continue at another address.
 *
 * Until a site's branch is written, its trap does not use the detour, so the
 * optimizer waits for no grace period.
 */
#include <linux/bits.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_hit.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/wordpart.h>
#include <asm/inst.h>
#include <asm/mmu.h>
#include <asm/page.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#include <asm/sections.h>
#include "kprobes-common.h"

/*
 * The text of a detour
 */

#define DETOUR_WORDS	(KPROBE_DETOUR_SIZE / sizeof(u32))

/*
 * A detour under construction: @nr words so far, for the address @at.  @bad is
 * set if a branch or operand does not reach, or there is no room.
 */
struct detour_text {
	u32 word[DETOUR_WORDS];
	unsigned int nr;
	unsigned long at;
	bool bad;
};

static void emit(struct detour_text *text, u32 word)
{
	if (text->nr == DETOUR_WORDS) {
		text->bad = true;
		return;
	}
	text->word[text->nr++] = word;
}

static void emit_branch(struct detour_text *text, unsigned long target,
			int flags)
{
	unsigned long here = text->at + text->nr * sizeof(u32);
	ppc_inst_t branch;

	if (create_branch(&branch, (u32 *)here, target, flags))
		text->bad = true;
	else
		emit(text, ppc_inst_val(branch));
}

#ifdef CONFIG_PPC64
#define RAW_LL		PPC_RAW_LD
#define RAW_STL		PPC_RAW_STD
#define RAW_STLU	PPC_RAW_STDU
#else
#define RAW_LL		PPC_RAW_LWZ
#define RAW_STL		PPC_RAW_STW
#define RAW_STLU	PPC_RAW_STWU
#endif

#define RAW_MFCTR(r)	PPC_RAW_MFSPR(r, SPRN_CTR)

#define IN_FRAME(reg)	((int)(STACK_INT_FRAME_REGS + \
			       offsetof(struct pt_regs, reg)))

/* Load @addr into r0. */
static void emit_address(struct detour_text *text, unsigned long addr)
{
	u32 high = upper_32_bits(addr), low = lower_32_bits(addr);

	if (IS_ENABLED(CONFIG_PPC64)) {
		emit(text, PPC_RAW_LIS(_R0, high >> 16));
		emit(text, PPC_RAW_ORI(_R0, _R0, high));
		emit(text, PPC_RAW_SLDI(_R0, _R0, 32));
		emit(text, PPC_RAW_ORIS(_R0, _R0, low >> 16));
	} else {
		emit(text, PPC_RAW_LIS(_R0, low >> 16));
	}
	emit(text, PPC_RAW_ORI(_R0, _R0, low));
}

/* Call the thunk by CTR, because no branch reaches it. */
static void emit_far_call(struct detour_text *text, unsigned long addr)
{
	emit(text, RAW_MFCTR(_R0));
	emit(text, RAW_STL(_R0, _R1, IN_FRAME(ctr)));
	emit_address(text, addr);
	emit(text, PPC_RAW_MTCTR(_R0));
	emit(text, PPC_RAW_BCTRL());
}

/*
 * Emit the words from the entry to the removal of the frame.  The thunk finds
 * the pointer to the site at the start of the aligned block that its return
 * address is in.
 */
static void emit_call(struct detour_text *text, const struct kprobe_site *site,
		      bool near)
{
	memcpy(text->word, &site, sizeof(site));
	text->nr = PPC_DETOUR_ENTRY;
	emit(text, RAW_STLU(_R1, _R1, -(int)STACK_INT_FRAME_SIZE));
	emit(text, RAW_STL(_R0, _R1, IN_FRAME(gpr[0])));
	emit(text, PPC_RAW_MFLR(_R0));
	emit(text, RAW_STL(_R0, _R1, IN_FRAME(link)));
	if (near)
		emit_branch(text, (unsigned long)kprobe_jump_thunk,
			    BRANCH_SET_LINK);
	else
		emit_far_call(text, (unsigned long)kprobe_jump_thunk_far);
	/* LR must be in the first block: see PPC_DETOUR_ALIGN_SHIFT. */
	text->bad |= text->nr * sizeof(u32) >= PPC_DETOUR_ALIGN;
	emit(text, RAW_LL(_R0, _R1, IN_FRAME(link)));
	emit(text, PPC_RAW_MTLR(_R0));
	emit(text, RAW_LL(_R0, _R1, IN_FRAME(gpr[0])));
	emit(text, RAW_LL(_R1, _R1, IN_FRAME(gpr[1])));
}

/* Distance fields of B and BC. */
#define B_DISTANCE	GENMASK(25, 2)
#define BC_DISTANCE	GENMASK(15, 2)

static unsigned long target_of(u32 word, unsigned long addr)
{
	long distance = get_op(word) == OP_B ?
			sign_extend32(word & B_DISTANCE, 25) :
			sign_extend32(word & BC_DISTANCE, 15);

	return word & BRANCH_ABSOLUTE ? distance : addr + distance;
}

/* Emit an instruction that a trap emulates.  ADDPCIS needs no text. */
static void emit_emulated(struct detour_text *text,
			  const struct kprobe_site *site)
{
	unsigned long addr = (unsigned long)site->addr;
	u32 word = site->opcode;

	switch (get_op(word)) {
	case OP_BC:
		/* Skip the next word. */
		emit(text, (word & GENMASK(31, 16)) | 2 * sizeof(u32));
		emit_branch(text, ppc_kprobe_next(site), 0);
		fallthrough;
	case OP_B:
		emit_branch(text, target_of(word, addr), 0);
		break;
	default:
		if (!ppc_kprobe_is_addpcis(word))
			emit(text, word & ~BRANCH_SET_LINK);
	}
}

static void emit_copy(struct detour_text *text, struct kprobe_site *site)
{
	ppc_inst_t insn = site->insn.insn;
	unsigned long here;

	site->insn.detour.copy = text->nr;
	if (arch_kprobe_emulated(site)) {
		emit_emulated(text, site);
	} else {
		here = text->at + text->nr * sizeof(u32);
		if (ppc_inst_prefixed(insn) &&
		    here % PPC_PREFIX_BLOCK == PPC_PREFIX_BLOCK - sizeof(u32)) {
			emit(text, PPC_RAW_NOP());
			here += sizeof(u32);
		}
		if (site->insn.class == PPC_KPROBE_RELATIVE &&
		    !ppc_kprobe_relocate(&insn, (unsigned long)site->addr,
					 here))
			text->bad = true;
		emit(text, ppc_inst_val(insn));
		if (ppc_inst_prefixed(insn))
			emit(text, ppc_inst_suffix(insn));
	}
	site->insn.detour.end = text->nr;
	emit_branch(text, ppc_kprobe_next(site), 0);
}

static enum ppc_detour_kind kind_of(const struct kprobe_site *site)
{
	if (!arch_kprobe_emulated(site))
		return PPC_DETOUR_PLAIN;
	if (ppc_kprobe_is_addpcis(site->opcode))
		return PPC_DETOUR_COMPUTES;
	return site->opcode & BRANCH_SET_LINK ? PPC_DETOUR_LINKS :
						PPC_DETOUR_PLAIN;
}

/*
 * Return true if a site can be accessed in real mode.  A partition with a hash
 * table reaches only the start of its memory there.  Beyond that,
 * kprobe_hit_jump() can only count a hit, and not apply the effects of an
 * instruction.
 */
static __always_inline bool in_real_mode_area(const struct kprobe_site *site)
{
#ifdef CONFIG_PPC_BOOK3S_64
	return __pa(site) < ppc64_rma_size;
#else
	return true;
#endif
}

/*
 * Functions that the core calls
 */

enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site,
					 const struct kprobe_symbol *symbol)
{
	/* BCLRL reads LR, which kprobe_hit_jump() would have overwritten. */
	if (kind_of(site) == PPC_DETOUR_LINKS &&
	    ppc_kprobe_is_bclr(site->opcode))
		return KPROBE_NOJUMP_BOUND_INSIDE;
	return KPROBE_NOJUMP_NONE;
}

enum kprobe_obstacle arch_kprobe_build_detour(struct kprobe_site *site)
{
	bool near = core_kernel_text((unsigned long)site->addr);
	unsigned int size = near ? PPC_DETOUR_NEAR_SIZE : KPROBE_DETOUR_SIZE;
	struct detour_text text = {};
	void *detour;

	if (site->detour)
		return KPROBE_NOJUMP_NONE;
	/* Modules never run in real mode. */
	if (near && kind_of(site) != PPC_DETOUR_PLAIN &&
	    !in_real_mode_area(site))
		return KPROBE_NOJUMP_DETOUR_REACH;
	detour = kprobe_slot_alloc(site, size);
	if (!detour)
		return KPROBE_NOJUMP_NO_MEMORY;

	site->insn.detour.kind = kind_of(site);
	text.at = (unsigned long)detour;
	emit_call(&text, site, near);
	emit_copy(&text, site);
	if (text.bad || text.nr * sizeof(u32) > size ||
	    !is_offset_in_branch_range((long)text.at - (long)site->addr)) {
		kprobe_slot_free(detour);
		return KPROBE_NOJUMP_DETOUR_REACH;
	}
	while (text.nr * sizeof(u32) < size)
		emit(&text, PPC_RAW_TRAP());
	/* Notify decoders of traces before any CPU can execute the text. */
	perf_event_text_poke(detour, NULL, 0, text.word, size);
	if (patch_instructions(detour, text.word, size, false)) {
		kprobe_slot_free(detour);
		return KPROBE_NOJUMP_NO_MEMORY;
	}
	site->detour = detour;
	return KPROBE_NOJUMP_NONE;
}

/**
 * ppc_kprobe_jump - encode the branch that replaces a site's trap
 * @site: has a detour
 */
u32 ppc_kprobe_jump(const struct kprobe_site *site)
{
	u32 *entry = (u32 *)site->detour + PPC_DETOUR_ENTRY;

	return PPC_RAW_BRANCH((unsigned long)entry - (unsigned long)site->addr);
}

/**
 * ppc_kprobe_detour_place - map an address in a detour to the original text
 * @site: the site
 * @ip: the address
 * @saved: set to true if registers are on the stack there
 *
 * Context: any.
 * Return: the address in the original text.
 */
unsigned long ppc_kprobe_detour_place(const struct kprobe_site *site,
				      unsigned long ip, bool *saved)
{
	unsigned int at = (ip - (unsigned long)site->detour) / sizeof(u32);

	*saved = at > PPC_DETOUR_ENTRY && at < site->insn.detour.copy;
	return at < site->insn.detour.end ? (unsigned long)site->addr :
					    ppc_kprobe_next(site);
}
NOKPROBE_SYMBOL(ppc_kprobe_detour_place);

/*
 * A handler has changed NIP, but SRR0 may still hold the address of the
 * exception.  regs->result marks the new NIP, so that ftrace_regs_exit does not
 * take it for the function of a live patch.
 */
void arch_kprobe_resume(struct pt_regs *regs)
{
	set_return_regs_changed();
	regs->result = ~regs->nip;
}
NOKPROBE_SYMBOL(arch_kprobe_resume);

/*
 * The hit
 */

/* Apply the effects that an instruction's copy lacks. */
static __always_inline void before_copy(const struct kprobe_site *site,
					struct pt_regs *regs)
{
	enum ppc_detour_kind kind = site->insn.detour.kind;

	if (likely(kind == PPC_DETOUR_PLAIN))
		return;
	if (kind == PPC_DETOUR_LINKS) {
		regs->link = ppc_kprobe_next(site);
	} else {
		/* Ignore a nip set by handlers that returned 0. */
		regs->nip = (unsigned long)site->addr;
		ppc_kprobe_emulate(site, regs);
	}
}

/**
 * kprobe_hit_jump - handle a hit that a detour delivers
 * @site: the site
 * @regs: complete, except for nip, msr and the soft mask
 *
 * While handlers run, interrupts are masked and user memory is inaccessible, as
 * in a program check.  Interrupts that arrive meanwhile are replayed at the
 * end, with their frames below the frame with @regs.
 *
 * Context: any.  In real mode, on 64 bit, the hit is only counted and the
 * instruction executed, because handlers and their data are not accessible.  On
 * 32 bit, all code that runs in real mode is blacklisted.
 * Return: KPROBE_HIT_DIVERTED to continue at @regs->nip.
 */
__visible enum kprobe_verdict kprobe_hit_jump(struct kprobe_site *site,
					      struct pt_regs *regs)
{
	unsigned long msr = mfmsr();
	enum kprobe_verdict verdict;
	bool traced_on;

	if (unlikely(ppc_kprobe_real_mode(msr)) && !in_real_mode_area(site)) {
		kprobe_site_missed_alone(NULL, KPROBE_MISS_REAL_MODE);
		return KPROBE_HIT_MISSED;
	}
	regs->nip = (unsigned long)site->addr;
	if (unlikely(ppc_kprobe_real_mode(msr))) {
		kprobe_site_missed_alone(site, KPROBE_MISS_REAL_MODE);
		before_copy(site, regs);
		return KPROBE_HIT_MISSED;
	}
	ppc_kprobe_enter(regs, msr);
	traced_on = kprobe_hit_enter(regs, arch_kprobe_irqs_on(regs));
	verdict = kprobe_site_pre(site, regs, KPROBE_BY_CODE);
	kprobe_hit_exit(regs, traced_on);
	if (likely(verdict != KPROBE_HIT_DIVERTED))
		before_copy(site, regs);
	ppc_kprobe_exit(regs);
	return verdict;
}
NOKPROBE_SYMBOL(kprobe_hit_jump);
