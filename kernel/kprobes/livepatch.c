// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of a live patch that is still to be written.
 *
 * A module with a live patch for other modules refers to their symbols before
 * they are loaded.  Live patching applies these relocations, which stay in
 * memory for it, when such a module comes, and clears them when it goes, while
 * functions of the patch may already be probed.  The copy of an instruction in
 * a slot or detour would keep the old operand, so such instructions are
 * refused.
 *
 * The relocations are found by mod->klp_info, which load_module() fills in
 * without a lock after COMING and before module.c is told of LIVE, and which
 * lasts until the module is freed.  In between nothing is known of them, and
 * no text of the module is probed.
 */
#include <linux/elf.h>
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/kprobes_test.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/string.h>
#include "internal.h"

#ifdef CONFIG_LIVEPATCH

/* On powerpc that of a call also writes the instruction behind the call. */
#define WRITES_BEHIND	(IS_ENABLED(CONFIG_PPC64) ? 4UL : 0UL)

/* Where the core asks for one byte: an operand on s390 comes behind two. */
#define OPERAND_AT	(IS_ENABLED(CONFIG_S390) ? 2UL : 0UL)

/* Those for the kernel proper have been applied before COMING. */
static bool applied_late(const struct klp_modinfo *info, const Elf_Shdr *sec)
{
	const char *name = info->secstrings + sec->sh_name;

	return (sec->sh_flags & SHF_RELA_LIVEPATCH) &&
	       !strstarts(name, ".klp.rela.vmlinux.");
}

/**
 * kprobe_klp_writes - do relocations of a live patch write some of these bytes?
 * @info: of the module with the live patch
 * @start: where an instruction begins
 * @end: where this one or a later one ends
 *
 * Context: any; the caller knows why the module stays.
 * Return: whether live patching may write there from now on.
 */
bool kprobe_klp_writes(const struct klp_modinfo *info, unsigned long start,
		       unsigned long end)
{
	unsigned int i, n;

	for (i = 1; i < info->hdr.e_shnum; i++) {
		const Elf_Shdr *sec = info->sechdrs + i;
		const Elf_Rela *rela = (const void *)sec->sh_addr;
		unsigned long base;

		if (!applied_late(info, sec))
			continue;
		base = info->sechdrs[sec->sh_info].sh_addr;
		for (n = 0; n < sec->sh_size / sizeof(*rela); n++) {
			unsigned long addr = base + rela[n].r_offset;

			if (addr < end + OPERAND_AT &&
			    addr + WRITES_BEHIND >= start)
				return true;
		}
	}
	return false;
}

static bool writes(const struct module *mod, unsigned long start,
		   unsigned long end)
{
	return kprobe_klp_writes(mod->klp_info, start, end);
}

#else

static bool writes(const struct module *mod, unsigned long start,
		   unsigned long end)
{
	return false;
}

#endif /* CONFIG_LIVEPATCH */

/**
 * kprobe_livepatched - may live patching write some of these bytes?
 * @mod: the module that they are in
 * @start: where an instruction begins
 * @end: where this one or a later one ends
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_OK, KPROBE_REFUSE_LIVEPATCH, or KPROBE_REFUSE_MODULE_STATE
 * while nothing is known of a live patch that is being loaded.
 */
enum kprobe_refusal kprobe_livepatched(struct module *mod, unsigned long start,
				       unsigned long end)
{
	lockdep_assert_held(&kprobe_mutex);

	if (!is_livepatch_module(mod))
		return KPROBE_OK;
	if (!kprobe_module_is_live(mod))
		return KPROBE_REFUSE_MODULE_STATE;
	return writes(mod, start, end) ? KPROBE_REFUSE_LIVEPATCH : KPROBE_OK;
}
