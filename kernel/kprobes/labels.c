// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorted tables of text that the kernel itself patches: jump labels and static
 * calls, by address.  patched.c searches them; patched.c has the table of the
 * kernel and module.c that of a module.
 */
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include "internal.h"

static int kprobe_by_code(const void *a, const void *b)
{
	const struct patched_place *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

/* Sort collected places by address. */
void kprobe_sort_places(struct patched_places *places)
{
	sort(places->at, places->nr, sizeof(*places->at), kprobe_by_code, NULL);
}

#ifdef CONFIG_JUMP_LABEL
/* Add the places of jump labels; @places must have enough room. */
void kprobe_add_jump_labels(struct patched_places *places,
			    const struct jump_entry *e,
			    const struct jump_entry *end)
{
	for (; e < end; e++)
		places->at[places->nr++] = (struct patched_place) {
			.code = jump_entry_code(e) - places->base,
			.target = jump_entry_target(e) - places->base,
		};
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
/* Return the address of a static call. */
unsigned long kprobe_static_call_code(const struct static_call_site *s)
{
	return (unsigned long)&s->addr + s->addr;
}

/* Add the places of static calls; @places must have enough room. */
void kprobe_add_static_calls(struct patched_places *places,
			     const struct static_call_site *s,
			     const struct static_call_site *end)
{
	for (; s < end; s++)
		places->at[places->nr++] = (struct patched_place) {
			.code = kprobe_static_call_code(s) - places->base,
			.target = NO_TARGET,
		};
}
#endif
