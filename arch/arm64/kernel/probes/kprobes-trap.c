// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hit on arm64: a breakpoint, and what follows from it; and what can be
 * probed.  How breakpoints come into the text is in kprobes-patch.c.
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
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes_hit.h>
#include <linux/minmax.h>
#include <asm/barrier.h>
#include <asm/brk-imm.h>
#include <asm/cpufeature.h>
#include <asm/daifflags.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/patching.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/*
 * Places
 */

kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry)
{
	*on_entry = !offset;

	/*
	 * A landing pad has to stay where indirect calls land, and nothing of
	 * the function has been executed behind it.
	 */
	if (offset <= AARCH64_INSN_SIZE && !(addr & 3)) {
		u32 first;

		if (!aarch64_insn_read((void *)(addr - offset), &first) &&
		    aarch64_insn_is_bti(first)) {
			*on_entry = true;
			return (kprobe_opcode_t *)(addr - offset +
						   AARCH64_INSN_SIZE);
		}
	}
	return (kprobe_opcode_t *)addr;
}

/*
 * Is an exception here one between a load and a store that belong together?
 * It would take the monitor away from them, each time they are tried again.
 * Such sequences have neither calls nor branches that are always taken, and the
 * architecture does not promise that longer ones ever come to an end.  A load
 * without a store is what WFE waits for.
 */
#define EXCLUSIVE_BYTES	128

static bool in_exclusive_sequence(const kprobe_opcode_t *addr,
				  const struct kprobe_symbol *symbol)
{
	unsigned long from = max(symbol->start,
				 (unsigned long)addr - EXCLUSIVE_BYTES);
	struct a64_kprobe_insn decoded;
	u32 insn;

	if (!symbol->size)
		return false;
	while ((unsigned long)addr > from) {
		insn = a64_kprobe_original_insn(--addr);
		if (aarch64_insn_is_clrex(insn) ||
		    insn == aarch64_insn_gen_hint(AARCH64_INSN_HINT_WFE))
			return false;
		a64_kprobe_decode(insn, 0, &decoded);
		switch ((enum a64_kprobe_class)decoded.class) {
		case A64_LOAD_EX:
			return true;
		case A64_STORE_EX:
		case A64_B:
		case A64_BL:
		case A64_BR:
		case A64_BLR:
		case A64_RET:
			return false;
		default:
			break;
		}
	}
	return false;
}

/*
 * What stands between two functions is executed by no CPU, or no instruction:
 *
 *	[ function ] [ no-ops, up to an alignment ] [ data ] [ next function ]
 *
 * The data is what ftrace calls for the next function, which is known by what
 * ftrace has of that, or the hash of its type, for indirect calls.
 *
 * Functions in assembly may go on into the next symbol.  So a no-op, or what
 * may be a hash, is only taken for such if what stands before it ends the flow.
 */
#define CALL_OPS_BYTES	8

/* More no-ops than that in a row are an alignment: no need to see all of it. */
#define MANY_NOPS	64

/* Does the last instruction before @addr that is no no-op end the flow? */
static bool behind_end(const kprobe_opcode_t *addr,
		       const struct kprobe_symbol *symbol)
{
	unsigned int nops = 0;
	struct a64_kprobe_insn decoded;
	u32 insn;

	while ((unsigned long)addr > symbol->start && nops < MANY_NOPS) {
		insn = a64_kprobe_original_insn(--addr);
		if (insn == aarch64_insn_gen_nop()) {
			nops++;
			continue;
		}
		a64_kprobe_decode(insn, 0, &decoded);
		switch ((enum a64_kprobe_class)decoded.class) {
		case A64_B:
		case A64_BR:
		case A64_RET:
		case A64_ERET:
		case A64_TRAP:
			return true;
		case A64_BL:
			/* Compilers end functions with calls, too. */
			return IS_ENABLED(CONFIG_CFI_CLANG);
		default:
			return false;
		}
	}
	return nops == MANY_NOPS;
}

static bool only_nops(const kprobe_opcode_t *addr, unsigned long end)
{
	unsigned int nops;

	for (nops = 0; nops < MANY_NOPS; nops++, addr++) {
		if ((unsigned long)addr >= end)
			return true;
		if (a64_kprobe_original_insn(addr) != aarch64_insn_gen_nop())
			return false;
	}
	return true;
}

/* May a function end with this, without going on into the next one? */
static bool ends_function(u32 insn, unsigned long addr)
{
	struct a64_kprobe_insn decoded;

	a64_kprobe_decode(insn, addr, &decoded);
	switch ((enum a64_kprobe_class)decoded.class) {
	case A64_B:
	case A64_BL:
		return kernel_text_address(decoded.target);
	case A64_BR:
	case A64_RET:
	case A64_ERET:
	case A64_TRAP:
		return true;
	default:
		return false;
	}
}

static enum kprobe_refusal between_functions(const struct kprobe_site *site,
					     const struct kprobe_symbol *symbol)
{
	unsigned long next = symbol->start + symbol->size;
	unsigned long addr = (unsigned long)site->addr;
	unsigned long data = next;
	u32 insn = site->opcode;

	if (!symbol->size)
		return KPROBE_OK;

	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) &&
	    (next - addr <= CALL_OPS_BYTES ||
	     insn == aarch64_insn_gen_nop()) && ftrace_location(next)) {
		data = next - CALL_OPS_BYTES;
		if (addr >= data)
			return KPROBE_REFUSE_FTRACE_SITE;
	}
	if (IS_ENABLED(CONFIG_CFI_CLANG)) {
		data = next - AARCH64_INSN_SIZE;
		if (addr == data && insn != aarch64_insn_gen_nop() &&
		    !ends_function(insn, addr) &&
		    behind_end(site->addr, symbol))
			return KPROBE_REFUSE_CFI_PREAMBLE;
	}
	if (insn == aarch64_insn_gen_nop() && only_nops(site->addr, data) &&
	    behind_end(site->addr, symbol))
		return KPROBE_REFUSE_PADDING;
	return KPROBE_OK;
}

static bool is_bug(u32 insn)
{
	return insn == (AARCH64_BREAK_MON | BUG_BRK_IMM << 5);
}

enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol)
{
	struct a64_kprobe_insn *decoded = &site->insn.decoded;
	enum kprobe_refusal why;
	u32 insn;

	if (!IS_ALIGNED((unsigned long)site->addr, AARCH64_INSN_SIZE))
		return KPROBE_REFUSE_MISALIGNED;
	/* Alternatives are still to be applied. */
	if (!system_capabilities_finalized())
		return KPROBE_REFUSE_TOO_EARLY;
	if (aarch64_insn_read(site->addr, &insn))
		return KPROBE_REFUSE_NOT_TEXT;
	site->opcode = insn;
	why = between_functions(site, symbol);
	if (why != KPROBE_OK)
		return why;

	a64_kprobe_decode(insn, (unsigned long)site->addr, decoded);
	switch ((enum a64_kprobe_class)decoded->class) {
	case A64_TRAP:
		if (is_bug(insn))
			return KPROBE_REFUSE_BUG_SITE;
		return insn ? KPROBE_REFUSE_TRAP_INSN : KPROBE_REFUSE_PADDING;
	case A64_CALLS_UP:
	case A64_ERET:
		return KPROBE_REFUSE_FAR_TRANSFER;
	case A64_NONE:
		return KPROBE_REFUSE_UNDECODABLE;
	default:
		if (decoded->class >= A64_REFUSED)
			return KPROBE_REFUSE_UNRELOCATABLE;
	}
	return in_exclusive_sequence(site->addr, symbol) ?
	       KPROBE_REFUSE_UNRELOCATABLE : KPROBE_OK;
}

/*
 * The hit
 */

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

	verdict = kprobe_site_pre(site, regs, KPROBE_BY_EXCEPTION);
	/* Wherever this goes on, it is not where an indirect branch led. */
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
		kprobe_site_post(site, regs, KPROBE_BY_EXCEPTION);
	return DBG_HOOK_HANDLED;
}
NOKPROBE_SYMBOL(kprobe_brk_handler);

/* The thunks test one bit. */
static_assert(KPROBE_HIT_DIVERTED == 2 && KPROBE_HIT_MISSED < 2);

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
 * @regs: complete, but for the program counter
 *
 * Context: any; interrupts off, as for kprobe_hit_enter().
 * Return: KPROBE_HIT_DIVERTED if it goes on elsewhere.
 */
__visible enum kprobe_verdict kprobe_hit_post(struct kprobe_site *site,
					      struct pt_regs *regs)
{
	unsigned long next = (unsigned long)site->addr + AARCH64_INSN_SIZE;
	bool traced_on;

	regs->pc = next;
	regs->stackframe[1] = next;

	traced_on = kprobe_hit_enter(arch_kprobe_irqs_on(regs));
	kprobe_site_post(site, regs, KPROBE_BY_CODE);
	kprobe_hit_exit(regs, traced_on);

	return regs->pc == next ? KPROBE_HIT_EXECUTE : KPROBE_HIT_DIVERTED;
}
NOKPROBE_SYMBOL(kprobe_hit_post);
