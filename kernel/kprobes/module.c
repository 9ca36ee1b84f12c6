// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules that may be probed, and their text that live patching writes.
 *
 * A lookup by address can find a module before its text is complete, or after
 * its load has failed; the module's state does not show that.  So probes are
 * admitted only while the module is known: from COMING to GOING, for both of
 * which our notifier is called first and takes kprobe_mutex (see
 * kprobe_module_nb).  So a module is known when other notifiers register probes
 * at COMING, and is no longer known when they handle GOING.  If loading fails
 * before COMING, in live patching or elsewhere, the module has no probes.  If a
 * notifier after ours or the module's init function fails, the module is freed
 * only after a GOING, which waits for kprobe_mutex.  So no known module is
 * freed while kprobe_mutex is held.
 *
 * Everything here is under kprobe_mutex.  Each module that is looked up is
 * known or contains a site.  The module cannot be freed meanwhile, because
 * kprobe_module_gone() must run first, and takes this mutex.
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
#include "../module/internal.h"
#include "internal.h"

/**
 * kprobe_module_of - find the module whose text contains an address
 * @addr: any address
 *
 * Context: any; the caller must ensure that the module stays.
 * Return: the module, or NULL.
 */
struct module *kprobe_module_of(unsigned long addr)
{
	guard(preempt)();
	return __module_text_address(addr);
}

/**
 * kprobe_admit_module - check whether text of a module may be probed
 * @addr: any address that is not the kernel's own
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_OK, valid until kprobe_mutex is released; or the reason.
 */
enum kprobe_refusal kprobe_admit_module(unsigned long addr)
{
	struct module *mod;

	lockdep_assert_held(&kprobe_mutex);

	/* An unknown module is freed after a grace period. */
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
 * kprobe_module_refused - log the refusal of a probe that a module's init makes
 * @p: the probe
 * @why: the reason
 *
 * The user of the module sees only the errno that its init returns.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_module_refused(const struct kprobe *p, enum kprobe_refusal why)
{
	struct module *mod;

	/* The module stays, because its init is the caller. */
	scoped_guard(preempt)
		mod = __module_address((unsigned long)p);
	if (!mod || mod->state != MODULE_STATE_COMING)
		return;
	if (p->symbol_name)
		pr_info_ratelimited("%s: no probe on %s+0x%x: %s: %s\n",
				    mod->name, p->symbol_name, p->offset,
				    kprobe_refusal_name(why),
				    kprobe_refusal_sentence(why));
	else
		pr_info_ratelimited("%s: no probe on %pS: %s: %s\n", mod->name,
				    (void *)p->addr + p->offset,
				    kprobe_refusal_name(why),
				    kprobe_refusal_sentence(why));
}

/**
 * kprobe_module_extable - return a module's exception table
 * @mod: the module
 * @table: set to the table
 *
 * The table shrinks when the init function has returned; the old entries stay
 * in memory, and stay correct for all text except init text.
 *
 * Context: may sleep; no locks but kprobe_mutex held.
 * Return: the number of its entries.
 */
unsigned int kprobe_module_extable(struct module *mod,
				   const struct exception_table_entry **table)
{
	/*
	 * trim_init_extable() changes both fields under this mutex.  Other
	 * owners may hold the mutex for long.
	 */
	guard(mutex)(&module_mutex);
	*table = mod->extable;
	return mod->num_exentries;
}

/*
 * Text of a live patch that has yet to be written
 *
 * A module with a live patch for another module refers to symbols of that
 * module before it is loaded.  Live patching keeps these relocations in memory.
 * Each is applied when the other module is loaded and cleared when that is
 * unloaded, while functions of the patch may already be probed.  The copy of an
 * instruction in a slot or detour would keep the old operand, so such
 * instructions are refused.
 *
 * The relocations are found by mod->klp_info, which load_module() fills in
 * without a lock after COMING and before module.c handles LIVE, and which
 * lasts until the module is freed.  In between, the relocations are not known,
 * and no text of the module may be probed.
 */

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
	if (!mod->kprobes_live)
		return KPROBE_REFUSE_MODULE_STATE;
	return writes(mod, start, end) ? KPROBE_REFUSE_LIVEPATCH : KPROBE_OK;
}
