// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on modules: when a module may be probed, and where live patching
 * writes to its text.
 *
 * A lookup by address can find a module before its text is complete, or after
 * its load has failed; the module's state shows neither.  So probes are
 * admitted only while the module is known (mod->kprobes_known).  The notifier
 * kprobe_module_nb sets this flag at COMING and clears it at GOING, under
 * kprobe_mutex, and is the first notifier at both.  So other notifiers can
 * register probes at COMING, but not at GOING.  If loading fails before COMING,
 * for example in live patching, the module has no probes.  If a later notifier
 * or the module's init function fails, the module is freed only after GOING.
 *
 * The core calls these functions with kprobe_mutex held.  A module that is
 * known or contains a site cannot be freed meanwhile, because the notifier must
 * run first, and takes this mutex.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/elf.h>
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/string.h>
#include <linux/kprobes_test.h>
#include <asm/extable.h>
#include "../module/internal.h"	/* module_mutex */
#include "internal.h"

/**
 * kprobe_module_of - find the module whose text contains an address
 * @addr: any address
 *
 * Context: any; the caller must ensure that the module is not freed.
 * Return: the module, or NULL.
 */
struct module *kprobe_module_of(unsigned long addr)
{
	guard(preempt)();
	return __module_text_address(addr);
}

/**
 * kprobe_admit_module - check whether text of a module may be probed
 * @addr: any address outside of the kernel's own text
 *
 * Return: KPROBE_OK, valid until kprobe_mutex is released; or the reason.
 */
enum kprobe_refusal kprobe_admit_module(unsigned long addr)
{
	struct module *mod;

	lockdep_assert_held(&kprobe_mutex);

	/* RCU keeps even an unknown module until preemption is enabled. */
	guard(preempt)();
	mod = __module_text_address(addr);
	if (!mod)
		return KPROBE_REFUSE_NOT_TEXT;
	/* Test this first, because an unknown module may be incomplete. */
	if (!mod->kprobes_known || mod->state == MODULE_STATE_GOING)
		return KPROBE_REFUSE_MODULE_STATE;
	/* Init text is freed once the module is live. */
	if (within_module_init(addr, mod) && mod->state != MODULE_STATE_COMING)
		return KPROBE_REFUSE_MODULE_STATE;
	return KPROBE_OK;
}

/**
 * kprobe_module_refused - log why a loading module's own probe is refused
 * @p: the probe; ignored unless it is in memory of a module that is loading
 * @place: the requested address; not used if the probe has a symbol_name
 * @why: the reason
 *
 * Without the log, the user who loads the module sees only the errno that its
 * init function returns.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_module_refused(const struct kprobe *p, unsigned long place,
			   enum kprobe_refusal why)
{
	struct module *mod;

	/* The module is not freed meanwhile, because the caller uses @p. */
	scoped_guard(preempt)
		mod = __module_address((unsigned long)p);
	if (!mod || mod->state != MODULE_STATE_COMING)
		return;
	if (p->symbol_name)
		pr_info_ratelimited("%s: no probe on %s+0x%x: %s: %s\n",
				    mod->name, p->symbol_name, p->offset,
				    kprobe_refusals[why].name,
				    kprobe_refusals[why].sentence);
	else
		pr_info_ratelimited("%s: no probe on %pS: %s: %s\n", mod->name,
				    (void *)place,
				    kprobe_refusals[why].name,
				    kprobe_refusals[why].sentence);
}

/**
 * kprobe_module_extable - return a module's exception table
 * @mod: the module
 * @table: set to the table
 *
 * After the init function has returned, the entries for init text are removed
 * from the table.  The caller may still use the old table for other text.
 *
 * Context: may sleep; of the locks listed at the head of kernel/kprobes.c, the
 * caller may hold only kprobe_mutex.
 * Return: the number of entries in the table.
 */
unsigned int kprobe_module_extable(struct module *mod,
				   const struct exception_table_entry **table)
{
	/*
	 * trim_init_extable() changes both fields under this mutex.  The wait
	 * for the mutex may be long.
	 */
	guard(mutex)(&module_mutex);
	*table = mod->extable;
	return mod->num_exentries;
}

/*
 * Instructions of a live patch whose relocations are applied later
 *
 * A module with a live patch may be loaded before the module to be patched, and
 * has relocations for that module's symbols.  Live patching applies these when
 * the patched module is loaded, and clears them when it is unloaded.  Functions
 * of the patch may be probed before that, and the copy of an instruction in a
 * slot or detour would keep the old operand.  So probes on instructions with
 * these relocations are refused.
 *
 * mod->klp_info holds the relocations until the module is freed.  load_module()
 * sets it without a lock between COMING and LIVE, so before LIVE, no text of a
 * module with a live patch may be probed.
 */

#ifdef CONFIG_LIVEPATCH

/* On powerpc, a call's relocation also writes the next instruction. */
#define WRITES_AFTER	(IS_ENABLED(CONFIG_PPC64) ? 4UL : 0UL)

/* On s390, the operand is at byte 2; kprobe_inspect() checks only byte 0. */
#define OPERAND_AT	(IS_ENABLED(CONFIG_S390) ? 2UL : 0UL)

/* Relocations for symbols of vmlinux were applied before COMING. */
static bool applied_late(const struct klp_modinfo *info, const Elf_Shdr *sec)
{
	const char *name = info->secstrings + sec->sh_name;

	return (sec->sh_flags & SHF_RELA_LIVEPATCH) &&
	       !strstarts(name, ".klp.rela.vmlinux.");
}

/**
 * kprobe_klp_writes - check whether late relocations write to a range of text
 * @info: mod->klp_info of the module with the live patch
 * @start: start of an instruction
 * @end: first address after the range, maybe in the middle of an instruction
 *
 * Context: any; the caller must ensure that the module is not freed.
 * Return: true if live patching may write to the range later.
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

/**
 * kprobe_livepatched - check whether live patching may write to a range of text
 * @mod: the module that contains the range
 * @start: start of an instruction
 * @end: first address after the range, maybe in the middle of an instruction
 *
 * Return: KPROBE_OK, KPROBE_REFUSE_LIVEPATCH, or KPROBE_REFUSE_MODULE_STATE
 * while a module with a live patch is not live yet.
 */
enum kprobe_refusal kprobe_livepatched(struct module *mod, unsigned long start,
				       unsigned long end)
{
	lockdep_assert_held(&kprobe_mutex);

	if (!is_livepatch_module(mod))
		return KPROBE_OK;
	if (!mod->kprobes_live)
		return KPROBE_REFUSE_MODULE_STATE;
	return kprobe_klp_writes(mod->klp_info, start, end) ?
	       KPROBE_REFUSE_LIVEPATCH : KPROBE_OK;
}

#else

enum kprobe_refusal kprobe_livepatched(struct module *mod, unsigned long start,
				       unsigned long end)
{
	return KPROBE_OK;
}

#endif /* CONFIG_LIVEPATCH */
