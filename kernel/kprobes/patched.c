// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the kernel patches its own text: jump labels and static calls.
 *
 * The tables of both are in the order of their keys, and a look-up by address
 * would be a walk through all of them.  So those of the kernel proper, which do
 * not change any more, are copied in the order of addresses when the first
 * probe comes.  Those of a module are in module.c.
 */
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <asm/sections.h>
#include "internal.h"

/* Those of the kernel proper; under kprobe_mutex. */
static struct patched_places kernel_places;
static bool kernel_places_tried;

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

/* Return: NULL without memory. */
static const struct patched_places *places_of_kernel(void)
{
	struct patched_places *places = &kernel_places;

	lockdep_assert_held(&kprobe_mutex);

	if (kernel_places_tried)
		return places;

	places->base = (unsigned long)_text;
	places->at = kvmalloc_array(KERNEL_JUMP_ENTRIES + KERNEL_STATIC_CALLS +
				    1, sizeof(*places->at),
				    GFP_KERNEL | __GFP_NOWARN);
	/* Next time there may be memory. */
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
	kernel_places_tried = true;
	return places;
}

/* The first place at or behind an address. */
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

/* Is something patched in [start, end), or so close that it may reach in? */
static bool places_near(const struct patched_places *places,
			unsigned long start, unsigned long end)
{
	const struct patched_place *place;

	place = first_place(places, start - PATCHED_SIZE_MAX + 1);
	return place < places->at + places->nr &&
	       place->code + places->base < end;
}

/* The same by a walk through a module's own tables. */
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
	/* Until the module is live they may be being sorted. */
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
 * kprobe_patched - does the kernel itself patch some of these bytes?
 * @start: the first of them
 * @end: behind the last
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

	places = mod ? kprobe_module_places(mod) : places_of_kernel();
	if (places)
		near = places_near(places, start, end);
	else if (mod)
		near = module_places_near(mod, start, end);
	if (!near)
		return KPROBE_OK;
	/*
	 * Their owners know how long the instruction is, but say nothing of a
	 * module that they cannot get a reference of.  Its exit function may
	 * still have the place patched.
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
 * kprobe_jump_label_targets - where jump labels lead, also those now off
 * @start: of the text that they are in
 * @end: behind it
 * @found: called for each target; asks for no places
 * @data: for it
 *
 * Context: kprobe_mutex and jump_label_mutex held; all in one function.
 * Return: whether there was memory to find them.
 */
bool kprobe_jump_label_targets(unsigned long start, unsigned long end,
			       void (*found)(void *data, unsigned long target),
			       void *data)
{
	struct module *mod = kprobe_module_of(start);
	const struct patched_places *places;
	const struct patched_place *place;

	places = mod ? kprobe_module_places(mod) : places_of_kernel();
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
