// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text that the kernel itself patches: jump labels and static calls.
 *
 * Both tables are sorted by key, so a look-up by address is linear.  The tables
 * of the kernel proper do not change any more, so they are copied and sorted by
 * address when the first probe is registered.  For modules see module.c.
 */
#include <linux/elf.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <asm/sections.h>
#include <linux/kprobes_test.h>
#include "internal.h"

#ifdef CONFIG_MODULES
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
	if (!kprobe_module_is_live(mod))
		return KPROBE_REFUSE_MODULE_STATE;
	return writes(mod, start, end) ? KPROBE_REFUSE_LIVEPATCH : KPROBE_OK;
}
#endif /* CONFIG_MODULES */

/* The places of the kernel proper; under kprobe_mutex. */
static struct patched_places patched_in_kernel;
static bool patched_in_kernel_tried;

/* No patched instruction is longer. */
#define PATCHED_SIZE_MAX	8

#ifdef CONFIG_JUMP_LABEL
#define KERNEL_JUMP_ENTRIES	(__stop___jump_table - __start___jump_table)
#else
#define KERNEL_JUMP_ENTRIES	0
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];

#define KERNEL_STATIC_CALLS						\
	(__stop_static_call_sites - __start_static_call_sites)
#else
#define KERNEL_STATIC_CALLS	0
#endif

/* Return NULL if there is no memory. */
static const struct patched_places *patched_places_of_kernel(void)
{
	struct patched_places *places = &patched_in_kernel;

	lockdep_assert_held(&kprobe_mutex);

	if (patched_in_kernel_tried)
		return places;

	places->base = (unsigned long)_text;
	places->at = kvmalloc_array(KERNEL_JUMP_ENTRIES + KERNEL_STATIC_CALLS +
				    1, sizeof(*places->at),
				    GFP_KERNEL | __GFP_NOWARN);
	/* Try again next time. */
	if (!places->at)
		return NULL;
#ifdef CONFIG_JUMP_LABEL
	kprobe_add_jump_labels(places, __start___jump_table,
			       __stop___jump_table);
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	kprobe_add_static_calls(places, __start_static_call_sites,
				__stop_static_call_sites);
#endif
	kprobe_sort_places(places);
	patched_in_kernel_tried = true;
	return places;
}

/* Find the first place at or after an address. */
static const struct patched_place *
first_place(const struct patched_places *places, unsigned long addr)
{
	unsigned int low = 0, high = places->nr;
	s32 code = addr - places->base;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (places->at[mid].code < code)
			low = mid + 1;
		else
			high = mid;
	}
	return places->at + low;
}

/* Return true if a patched place is in [start, end), or may extend into it. */
static bool places_near(const struct patched_places *places,
			unsigned long start, unsigned long end)
{
	const struct patched_place *place;

	place = first_place(places, start - PATCHED_SIZE_MAX + 1);
	return place < places->at + places->nr &&
	       place->code + places->base < end;
}

/* The same, by a linear search of a module's own tables. */
static bool module_places_near(struct module *mod, unsigned long start,
			       unsigned long end)
{
#ifdef CONFIG_MODULES
	unsigned long __maybe_unused code;
	int __maybe_unused i;

	start -= PATCHED_SIZE_MAX - 1;
#ifdef CONFIG_JUMP_LABEL
	for (i = 0; i < mod->num_jump_entries; i++) {
		code = jump_entry_code(&mod->jump_entries[i]);
		if (code >= start && code < end)
			return true;
	}
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	/* Until the module is live, their owner may be sorting them. */
	for (i = 0; kprobe_module_is_live(mod) &&
	     i < mod->num_static_call_sites; i++) {
		code = kprobe_static_call_code(&mod->static_call_sites[i]);
		if (code >= start && code < end)
			return true;
	}
#endif
#endif
	return false;
}

/**
 * kprobe_patched - check whether the kernel itself patches some bytes
 * @start: first of the bytes
 * @end: first address after the bytes
 *
 * Context: kprobe_mutex, jump_label_mutex held; all in one function.
 * Return: KPROBE_OK or the reason.
 */
enum kprobe_refusal kprobe_patched(unsigned long start, unsigned long end)
{
	void *first = (void *)start, *last = (void *)end - 1;
	struct module *mod = kprobe_module_of(start);
	enum kprobe_refusal why = KPROBE_OK;
	const struct patched_places *places;
	bool near = true;

	if (mod) {
		why = kprobe_livepatched(mod, start, end);
		if (why != KPROBE_OK)
			return why;
		if (kprobe_module_calls(mod, start, end))
			return KPROBE_REFUSE_STATIC_CALL;
	}

	places = mod ? kprobe_module_places(mod) : patched_places_of_kernel();
	if (places)
		near = places_near(places, start, end);
	else if (mod)
		near = module_places_near(mod, start, end);
	if (!near)
		return KPROBE_OK;
	/*
	 * The owners of the tables know the length of the instruction, but skip
	 * a module if they cannot get a reference to it.  Its exit function may
	 * still cause the place to be patched.
	 */
	if (mod && !try_module_get(mod))
		return KPROBE_REFUSE_JUMP_LABEL;
	if (jump_label_text_reserved(first, last))
		why = KPROBE_REFUSE_JUMP_LABEL;
	else if (static_call_text_reserved(first, last))
		why = KPROBE_REFUSE_STATIC_CALL;
	if (mod)
		module_put(mod);
	return why;
}

static void module_targets(struct module *mod, unsigned long start,
			   unsigned long end,
			   void (*found)(void *data, unsigned long target),
			   void *data)
{
#if defined(CONFIG_JUMP_LABEL) && defined(CONFIG_MODULES)
	int i;

	for (i = 0; i < mod->num_jump_entries; i++) {
		struct jump_entry *e = &mod->jump_entries[i];

		if (jump_entry_code(e) >= start && jump_entry_code(e) < end)
			found(data, jump_entry_target(e));
	}
#endif
}

/**
 * kprobe_jump_label_targets - report targets of jump labels, enabled or not
 * @start: start of the text that contains the labels
 * @end: end of this text
 * @found: called for each target; must not look up places
 * @data: passed to @found
 *
 * Context: kprobe_mutex and jump_label_mutex held; all in one function.
 * Return: false if there was no memory.
 */
bool kprobe_jump_label_targets(unsigned long start, unsigned long end,
			       void (*found)(void *data, unsigned long target),
			       void *data)
{
	struct module *mod = kprobe_module_of(start);
	const struct patched_places *places;
	const struct patched_place *place;

	places = mod ? kprobe_module_places(mod) : patched_places_of_kernel();
	if (!places) {
		if (mod)
			module_targets(mod, start, end, found, data);
		return mod;
	}
	for (place = first_place(places, start);
	     place < places->at + places->nr &&
	     place->code + places->base < end; place++)
		if (place->target != NO_TARGET)
			found(data, place->target + places->base);
	return true;
}
