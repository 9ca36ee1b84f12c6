// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the kernel patches its own text: jump labels and static calls.
 *
 * The tables of both are in the order of their keys, and a look-up by address
 * would be a walk through all of them.  So those of the kernel proper, which do
 * not change any more, are copied in the order of addresses when the first
 * probe comes; those of a module are few.
 */
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <asm/sections.h>
#include "internal.h"

/* A place, relative to _text; target 0 is a static call. */
struct patched_place {
	s32 code;
	s32 target;
};

/* All under kprobe_mutex. */
static struct patched_place *places;
static unsigned int nr_places;
static bool places_tried;

/* No patched instruction is longer. */
#define PATCHED_SIZE_MAX	8

static int by_code(const void *a, const void *b)
{
	const struct patched_place *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

static s32 relative(unsigned long addr)
{
	return addr - (unsigned long)_text;
}

static unsigned long absolute(s32 rel)
{
	return (unsigned long)_text + rel;
}

#ifdef CONFIG_JUMP_LABEL
#define KERNEL_JUMP_ENTRIES	(__stop___jump_table - __start___jump_table)

static void collect_jump_labels(void)
{
	struct jump_entry *e;

	for (e = __start___jump_table; e < __stop___jump_table; e++)
		places[nr_places++] = (struct patched_place) {
			.code = relative(jump_entry_code(e)),
			.target = relative(jump_entry_target(e)),
		};
}
#else
#define KERNEL_JUMP_ENTRIES	0
static void collect_jump_labels(void) { }
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];

#define KERNEL_STATIC_CALLS						\
	(__stop_static_call_sites - __start_static_call_sites)

static unsigned long site_code(const struct static_call_site *s)
{
	return (unsigned long)&s->addr + s->addr;
}

static void collect_static_calls(void)
{
	struct static_call_site *s;

	for (s = __start_static_call_sites; s < __stop_static_call_sites; s++)
		places[nr_places++] = (struct patched_place) {
			.code = relative(site_code(s)),
		};
}
#else
#define KERNEL_STATIC_CALLS	0
static void collect_static_calls(void) { }
#endif

/* Return: whether the tables can be looked up by address. */
static bool places_ready(void)
{
	lockdep_assert_held(&kprobe_mutex);

	if (places_tried)
		return places;

	places = kvmalloc_array(KERNEL_JUMP_ENTRIES + KERNEL_STATIC_CALLS + 1,
				sizeof(*places), GFP_KERNEL | __GFP_NOWARN);
	/* Next time there may be memory. */
	if (!places)
		return false;
	collect_jump_labels();
	collect_static_calls();
	sort(places, nr_places, sizeof(*places), by_code, NULL);
	places_tried = true;
	return true;
}

/* The first place of the kernel proper at or behind an address. */
static const struct patched_place *first_place(unsigned long addr)
{
	unsigned int low = 0, high = nr_places;
	s32 rel = relative(addr);

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (places[mid].code < rel)
			low = mid + 1;
		else
			high = mid;
	}
	return places + low;
}

/* Whether something is patched in [start, end), or so close before it. */
static bool places_near(unsigned long start, unsigned long end)
{
	const struct patched_place *place;

	if (!places_ready())
		return true;
	place = first_place(start - PATCHED_SIZE_MAX + 1);
	return place < places + nr_places && absolute(place->code) < end;
}

#ifdef CONFIG_MODULES
static bool module_places_near(struct module *mod, unsigned long start,
			       unsigned long end)
{
	int i;

	start -= PATCHED_SIZE_MAX - 1;
#ifdef CONFIG_JUMP_LABEL
	for (i = 0; i < mod->num_jump_entries; i++) {
		unsigned long code = jump_entry_code(&mod->jump_entries[i]);

		if (code >= start && code < end)
			return true;
	}
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	for (i = 0; i < mod->num_static_call_sites; i++) {
		unsigned long code = site_code(&mod->static_call_sites[i]);

		if (code >= start && code < end)
			return true;
	}
#endif
	return false;
}
#else
static bool module_places_near(struct module *mod, unsigned long start,
			       unsigned long end)
{
	return false;
}
#endif

/* The module that an address is in; it cannot go: see kprobe_lose_text(). */
static struct module *module_of(unsigned long addr)
{
	guard(preempt)();
	return __module_text_address(addr);
}

/**
 * kprobe_patched - does the kernel itself patch some of these bytes?
 * @start: the first of them
 * @end: behind the last
 *
 * Context: kprobe_mutex, jump_label_mutex held; all in one function.
 * Return: KPROBE_OK, KPROBE_JUMP_LABEL or KPROBE_STATIC_CALL.
 */
enum kprobe_refusal kprobe_patched(unsigned long start, unsigned long end)
{
	struct module *mod = module_of(start);
	void *first = (void *)start, *last = (void *)end - 1;

	if (!(mod ? module_places_near(mod, start, end) :
		    places_near(start, end)))
		return KPROBE_OK;
	/* How long it is they know themselves. */
	if (jump_label_text_reserved(first, last))
		return KPROBE_JUMP_LABEL;
	if (static_call_text_reserved(first, last))
		return KPROBE_STATIC_CALL;
	return KPROBE_OK;
}

/**
 * kprobe_jump_label_targets - where jump labels lead, also those now off
 * @start: of the text that they are in
 * @end: behind it
 * @found: called for each target
 * @data: for it
 *
 * Context: kprobe_mutex held; all in one function.
 * Return: whether there was memory to find them.
 */
bool kprobe_jump_label_targets(unsigned long start, unsigned long end,
			       void (*found)(void *data, unsigned long target),
			       void *data)
{
	const struct patched_place *place;
	struct module *mod = module_of(start);

#if defined(CONFIG_JUMP_LABEL) && defined(CONFIG_MODULES)
	int i;

	for (i = 0; mod && i < mod->num_jump_entries; i++) {
		struct jump_entry *e = &mod->jump_entries[i];

		if (jump_entry_code(e) >= start && jump_entry_code(e) < end)
			found(data, jump_entry_target(e));
	}
#endif
	if (mod)
		return true;
	if (!places_ready())
		return false;
	for (place = first_place(start);
	     place < places + nr_places && absolute(place->code) < end; place++)
		if (place->target)
			found(data, absolute(place->target));
	return true;
}
