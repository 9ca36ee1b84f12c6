// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decide what can be probed on powerpc: where functions begin, and which
 * instructions are refused.
 */
#include <linux/array_size.h>
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/kprobes_hit.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <asm/feature-fixups.h>
#include <asm/inst.h>
#include <asm/probes.h>
#include <asm/sections.h>
#include "kprobes-common.h"

/*
 * Read the first words of a function as they are without probes.  If a site is
 * removed between the read of its trap and the lookup, the second read returns
 * the original word.
 */
static bool first_words(u32 *words, const u32 *entry, unsigned int nr)
{
	struct kprobe_site *site;
	unsigned int i, tries;
	bool entered;
	u32 again;

	for (i = 0; i < nr; i++) {
		if (copy_from_kernel_nofault(&words[i], &entry[i], sizeof(u32)))
			return false;
		for (tries = 0; tries < 3; tries++) {
			entered = kprobe_read_lock();
			site = kprobe_site_find((unsigned long)&entry[i]);
			if (site)
				words[i] = site->opcode;
			kprobe_read_unlock(entered);
			if (site)
				break;
			if (get_kernel_nofault(again, &entry[i]))
				return false;
			if (again == words[i])
				break;
			words[i] = again;
		}
	}
	return true;
}

/*
 * Return true if the first two instructions of a function set r2, for callers
 * with another TOC.  This is version 2 of the ABI; in version 1, callers load
 * r2 from the descriptor.
 */
static bool sets_toc(const u32 *entry)
{
	u32 words[2];

	if (!IS_ENABLED(CONFIG_PPC64_ELF_ABI_V2) ||
	    !first_words(words, entry, ARRAY_SIZE(words)))
		return false;
	return ppc_function_entry(words) != (unsigned long)words;
}

/*
 * A function with its own TOC has two entries.  A probe on either of them is
 * placed at the second one, which every call reaches.
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
 * Return true if @addr is between a load with reservation and its store.  An
 * exception there would cancel the reservation in each retry.  Such sequences
 * are short, and contain no calls or unconditional branches.
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
		word = ppc_kprobe_original_insn(--addr);
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
	return symbol->size && (unsigned long)addr > symbol->start &&
	       get_op(ppc_kprobe_original_insn(addr - 1)) == OP_PREFIX;
}

static enum kprobe_refusal refuse_trap(unsigned long addr)
{
	return find_bug(addr) ? KPROBE_REFUSE_BUG_SITE :
				KPROBE_REFUSE_TRAP_INSN;
}

/*
 * Root can switch speculation barriers on and off.  This patches them without
 * text_mutex, and overwrites probes.  The barriers of a module do not change
 * once it is loaded.
 */
#ifdef CONFIG_PPC_BARRIER_NOSPEC
/* Number of words that feature-fixups.c writes for a barrier. */
#define BARRIER_WORDS	(IS_ENABLED(CONFIG_PPC_E500) ? 2 : 1)

static bool is_barrier(unsigned long addr)
{
	long *entry;

	for (entry = &__start___barrier_nospec_fixup;
	     entry < &__stop___barrier_nospec_fixup; entry++)
		if (addr - ((unsigned long)entry + *entry) <
		    BARRIER_WORDS * sizeof(u32))
			return true;
	return false;
}
#else
static bool is_barrier(unsigned long addr)
{
	return false;
}
#endif

/*
 * Return true if a function reads or writes TLB entries.  It keeps an entry in
 * special-purpose registers, which a TLB miss overwrites, and any memory access
 * of a hit may cause one.
 */
#ifdef CONFIG_BOOKE
#define OP_31_XOP_TLBILX	18
#define OP_31_XOP_TLBSX		914
#define OP_31_XOP_TLBRE		946
#define OP_31_XOP_TLBWE		978

static bool is_about_tlb(u32 word)
{
	if (get_op(word) != OP_31)
		return false;
	switch (get_xop(word)) {
	case OP_31_XOP_TLBILX:
	case OP_31_XOP_TLBSX:
	case OP_31_XOP_TLBRE:
	case OP_31_XOP_TLBWE:
		return true;
	default:
		return false;
	}
}

static bool handles_tlb(const struct kprobe_symbol *symbol)
{
	const u32 *end = (u32 *)(symbol->start + symbol->size);
	const u32 *addr;
	u32 word;

	for (addr = (u32 *)symbol->start; addr < end; addr++) {
		if (get_kernel_nofault(word, addr))
			break;
		if (is_about_tlb(word))
			return true;
	}
	return false;
}
#else
static bool handles_tlb(const struct kprobe_symbol *symbol)
{
	return false;
}
#endif

/*
 * A module calls distant functions through stubs that the loader adds.  A stub
 * ends with data: a magic word, and the function's address or, in version 1 of
 * the ABI, its descriptor.
 */
#ifdef CONFIG_PPC64
#define STUB_MAGIC	0x73747562
#define STUB_WORDS	(1 + (IS_ENABLED(CONFIG_PPC64_ELF_ABI_V1) ? 6 : 2))

static bool is_stub_data(unsigned long addr)
{
	const u32 *word = (const u32 *)addr;
	unsigned int i;
	u32 value;

	if (!is_module_text_address(addr))
		return false;
	for (i = 0; i < STUB_WORDS; i++) {
		if (get_kernel_nofault(value, word - i))
			break;
		if (value == STUB_MAGIC)
			return true;
	}
	return false;
}
#else
static bool is_stub_data(unsigned long addr)
{
	return false;
}
#endif

/* On 32 bit, ftrace may store the ops of a function in the word before it. */
static bool is_ops_of_ftrace(unsigned long addr)
{
	return IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) &&
	       IS_ENABLED(CONFIG_PPC32) &&
	       ftrace_location(addr + sizeof(u32)) > addr + sizeof(u32);
}

/*
 * Return true if @addr is in a stub that a traced function branches to.  Ftrace
 * compares the stub's call before it changes it, and takes the address of the
 * function from the stub's last branch.
 */
#ifdef CONFIG_PPC_FTRACE_OUT_OF_LINE
static bool is_in_stubs(const struct ftrace_ool_stub *stubs, unsigned int nr,
			unsigned long addr)
{
	return addr - (unsigned long)stubs < nr * sizeof(*stubs);
}

static bool is_ftrace_stub(unsigned long addr)
{
	struct module *mod = kprobe_module_of(addr);

	if (mod)
		return is_in_stubs(mod->arch.ool_stubs,
				   mod->arch.ool_stub_count, addr);
	return is_in_stubs(ftrace_ool_stub_text, ftrace_ool_stub_text_count,
			   addr) ||
	       is_in_stubs(ftrace_ool_stub_text_end,
			   ftrace_ool_stub_text_end_count, addr) ||
	       (is_kernel_inittext(addr) &&
		is_in_stubs(ftrace_ool_stub_inittext,
			    ftrace_ool_stub_inittext_count, addr));
}
#else
static bool is_ftrace_stub(unsigned long addr)
{
	return false;
}
#endif

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
	if (is_stub_data(addr))
		return KPROBE_REFUSE_PADDING;
	if (is_ops_of_ftrace(addr) || is_ftrace_stub(addr))
		return KPROBE_REFUSE_FTRACE_SITE;
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
	return in_reserved_sequence(site->addr, symbol) ||
	       handles_tlb(symbol) ? KPROBE_REFUSE_UNRELOCATABLE : KPROBE_OK;
}
