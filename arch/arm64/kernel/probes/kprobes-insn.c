// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decide what can be probed on arm64, and find the entry of a function.
 * decode-insn.c classifies instructions.
 */
#include <linux/align.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes_backend.h>
#include <linux/minmax.h>
#include <asm/brk-imm.h>
#include <asm/cpufeature.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include "kprobes-common.h"

kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry)
{
	*on_entry = !offset;

	/*
	 * No branch can replace a landing pad, so probe the next instruction.
	 * A probe there is still on the entry, because the pad changes nothing.
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
 * Return true if @addr is between an exclusive load and its store.  An
 * exception there would clear the monitor in each retry.  Search no further
 * than EXCLUSIVE_BYTES, because the architecture does not guarantee that a
 * longer sequence ever succeeds.  A sequence contains no calls or unconditional
 * branches, and an exclusive load before WFE has no store.
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
 * No CPU executes the space between two functions:
 *
 *	[ function ] [ no-ops, up to an alignment ] [ data ] [ next function ]
 *
 * The data belongs to the ftrace call of the next function, if
 * ftrace_location() finds one.  Otherwise, it is the hash of that function's
 * type, which indirect calls check.
 *
 * A function in assembly may continue into the next symbol.  So a no-op or a
 * possible hash is refused only if the code before it cannot continue to it.
 */
#define CALL_OPS_BYTES	8

/* This many no-ops in a row are padding: do not search for its end. */
#define MANY_NOPS	64

/* Skip no-ops before @addr.  Return true if the code before them ends there. */
static bool follows_end(const kprobe_opcode_t *addr,
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
			/* A last call may never return: a hash may follow. */
			return IS_ENABLED(CONFIG_CFI);
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

/* Return true if @insn may be the last instruction of a function. */
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

	/* The data before a module's first function has no symbol. */
	if (!symbol->size)
		return IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) ||
		       IS_ENABLED(CONFIG_CFI) ? KPROBE_REFUSE_NOT_TEXT :
						KPROBE_OK;

	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) &&
	    (next - addr <= CALL_OPS_BYTES ||
	     insn == aarch64_insn_gen_nop()) && ftrace_location(next)) {
		data = next - CALL_OPS_BYTES;
		if (addr >= data)
			return KPROBE_REFUSE_FTRACE_SITE;
	}
	if (IS_ENABLED(CONFIG_CFI)) {
		data = next - AARCH64_INSN_SIZE;
		if (addr == data && insn != aarch64_insn_gen_nop() &&
		    !ends_function(insn, addr) &&
		    follows_end(site->addr, symbol))
			return KPROBE_REFUSE_CFI_PREAMBLE;
	}
	if (insn == aarch64_insn_gen_nop() && only_nops(site->addr, data) &&
	    follows_end(site->addr, symbol))
		return KPROBE_REFUSE_PADDING;
	return KPROBE_OK;
}

enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol)
{
	struct a64_kprobe_insn *decoded = &site->insn.decoded;
	enum kprobe_refusal why;
	u32 insn;

	if (!IS_ALIGNED((unsigned long)site->addr, AARCH64_INSN_SIZE))
		return KPROBE_REFUSE_MISALIGNED;
	/* Alternatives are not applied yet. */
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
		if (insn == (AARCH64_BREAK_MON | BUG_BRK_IMM << 5))
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
