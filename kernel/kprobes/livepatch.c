// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of a live patch that has yet to be written.
 *
 * A module with a live patch for another module refers to symbols of that
 * module before it is loaded.  Live patching keeps these relocations in memory.
 * It applies them when the other module is loaded and clears them when that is
 * unloaded, while functions of the patch may already be probed.  The copy of an
 * instruction in a slot or detour would keep the old operand, so such
 * instructions are refused.
 *
 * The relocations are found by mod->klp_info, which load_module() fills in
 * without a lock after COMING and before module.c handles LIVE, and which
 * lasts until the module is freed.  In between, the relocations are not known,
 * and no text of the module may be probed.
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

/* On powerpc, a call's relocation also writes the next instruction. */
#define WRITES_AFTER	(IS_ENABLED(CONFIG_PPC64) ? 4UL : 0UL)

/* The core may check one byte only; on s390 the operand is two bytes later. */
#define OPERAND_AT	(IS_ENABLED(CONFIG_S390) ? 2UL : 0UL)

/* Relocations for the kernel proper have been applied before COMING. */
static bool applied_late(const struct klp_modinfo *info, const Elf_Shdr *sec)
{
	const char *name = info->secstrings + sec->sh_name;

	return (sec->sh_flags & SHF_RELA_LIVEPATCH) &&
	       !strstarts(name, ".klp.rela.vmlinux.");
}

/**
 * kprobe_klp_writes - check whether a live patch's relocations write bytes
 * @info: of the module with the live patch
 * @start: start of an instruction
 * @end: end of this or of a later instruction
 *
 * Context: any; the caller must ensure that the module stays.
 * Return: true if live patching may still write there.
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
			    addr + WRITES_AFTER >= start)
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
 * kprobe_livepatched - check whether live patching may write bytes
 * @mod: the module that contains them
 * @start: start of an instruction
 * @end: end of this or of a later instruction
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_OK, KPROBE_REFUSE_LIVEPATCH, or KPROBE_REFUSE_MODULE_STATE
 * while a module with a live patch is not live yet.
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
