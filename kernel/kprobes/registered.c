// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of registered probes.
 *
 * A caller may pass any struct kprobe: one that was never registered and holds
 * uninitialized data, a copy of a registered one, or the same one twice.  None
 * of its fields can distinguish these cases.  So registered probes are in a
 * table by their own addresses, and fields are read only of probes found there.
 *
 *	buckets[hash of the address] -> probe -> probe ->|
 *
 * The links are in the probes (kprobe::known), and a walk reads no other field
 * of them.  All of it is under kprobe_mutex; hits do not use it.  The number of
 * probes is between an eighth of the buckets and all of them, unless memory
 * for more buckets is short.
 */
#include <linux/array_size.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/slab.h>
#include "internal.h"

#define FIRST_BITS	6

static struct hlist_head first_buckets[1 << FIRST_BITS];
static struct hlist_head *buckets = first_buckets;
static unsigned int bits = FIRST_BITS;
static unsigned int nr_registered;

static struct hlist_head *bucket_of(const struct kprobe *p)
{
	return &buckets[hash_ptr(p, bits)];
}

/* Without memory nothing changes, and chains get longer. */
static void resize(unsigned int new_bits)
{
	struct hlist_head *old = buckets;
	unsigned int i, nr = 1U << bits;
	struct hlist_node *next;
	struct hlist_head *new;
	struct kprobe *p;

	if (new_bits == FIRST_BITS) {
		new = first_buckets;
	} else {
		new = kvcalloc(1UL << new_bits, sizeof(*new),
			       GFP_KERNEL | __GFP_NOWARN);
		if (!new)
			return;
	}
	buckets = new;
	bits = new_bits;
	for (i = 0; i < nr; i++) {
		hlist_for_each_entry_safe(p, next, &old[i], known) {
			hlist_del(&p->known);
			hlist_add_head(&p->known, bucket_of(p));
		}
	}
	if (old != first_buckets)
		kvfree(old);
}

/**
 * kprobe_is_registered - check whether this very probe is registered
 * @p: any pointer, including NULL or one that has never been a probe
 *
 * Context: kprobe_mutex held.
 */
bool kprobe_is_registered(const struct kprobe *p)
{
	const struct kprobe *other;

	lockdep_assert_held(&kprobe_mutex);

	hlist_for_each_entry(other, bucket_of(p), known)
		if (other == p)
			return true;
	return false;
}

/**
 * kprobe_set_registered - add a probe to the table
 * @p: an unregistered probe
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_set_registered(struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);

	if (++nr_registered > 1U << bits)
		resize(bits + 1);
	hlist_add_head(&p->known, bucket_of(p));
}

/**
 * kprobe_clear_registered - remove a probe from the table
 * @p: a registered probe
 *
 * Afterwards the caller may use kprobe::known.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_clear_registered(struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);

	hlist_del_init(&p->known);
	if (--nr_registered < 1U << bits >> 3 && bits > FIRST_BITS)
		resize(bits - 1);
}
