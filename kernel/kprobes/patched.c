// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text that the kernel itself patches: jump labels and static calls.
 *
 * Both tables are sorted by key, so a look-up by address is linear.  The tables
 * of the kernel proper do not change any more, so they are copied and sorted by
 * address when the first probe is registered.  For modules see module.c.
 */
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <asm/sections.h>
#include "internal.h"

/* The places of the kernel proper; under kprobe_mutex. */
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

/* Return NULL if there is no memory. */
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
	kernel_places_tried = true;
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

	places = mod ? kprobe_module_places(mod) : places_of_kernel();
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
