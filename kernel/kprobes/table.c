// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of sites: from a probed address to its site, wherever the hit is.
 * The look-up is kprobe_site_find(), inline in <linux/kprobes_hit.h>;
 * here the table is changed.
 *
 *	kprobe_site_table
 *	     |
 *	  [ shift ][ which: 0 ][ bucket | bucket | ... ]
 *				    |
 *		  [ site ].chain[0] --> [ site ].chain[0] --> NULL
 *
 * Why not rhashtable?  Its readers may have to start again: while a chain is
 * being moved, its entries lead into another bucket, and a reader that ends
 * there goes back to the first entry.  For the reader of a hit that may be
 * without end, since a trap, an NMI or an interrupt can come from within the
 * very move, on the same CPU, which goes on only when the reader is done.
 * Here, no change of the table disturbs a reader: each look-up is one walk of
 * one chain.
 *
 * Two links
 * ---------
 *
 * Each site has two links, and a table says which of them its chains use.  To
 * resize is to make a new table that uses the other ones: link all sites into
 * it, publish it, and free the old one behind a grace period.
 *
 * Changes are made under kprobe_mutex.  Readers have preemption off at the
 * least, and RCU is watching them.
 *
 * 1. A reader that has fetched kprobe_site_table walks one chain of that table
 *    by one link only, even if it is interrupted, or delayed, and the table is
 *    replaced meanwhile.  Hits on top of it fetch the table for themselves.
 *
 * 2. A resize writes to the links that the published table does not use.  Only
 *    readers of the table before may use them, and there are none left: a
 *    grace period has passed since the last resize (table_links_free()).  So
 *    it writes what no reader looks at.  A hit from within the resize, on
 *    whichever CPU, sees the published table, which is complete and in order
 *    all the time.
 *
 * 3. rcu_assign_pointer() of kprobe_site_table comes after all that the resize
 *    has written.  It pairs with the dependency of rcu_dereference_raw() in
 *    kprobe_site_find(): a reader that sees the new table sees its buckets
 *    and the links that it uses.
 *
 * 4. A new site gets its link before rcu_assign_pointer() puts it at the head
 *    of its chain, which pairs with rcu_dereference_raw() of the bucket, or of
 *    a link to it.  It comes into the published table only.  A reader that has
 *    fetched the table before that does not find it, and need not: the site is
 *    there before its trap is written, and patched text is ordered behind what
 *    was written before it, for every CPU that executes it.  So a hit of that
 *    trap fetches a table that the site is in: the one that was published
 *    then, or a later one.
 *
 * 5. A removed site leaves the published table only, and keeps its link, so a
 *    reader that stands on it goes on along what has been its chain.  A reader
 *    of the table before may even find it there.  Either reader began before
 *    the removal: the one of the table before has fetched that before it was
 *    replaced.  What has hit the site's trap has ended when the site is removed
 *    (see "Text and table" at the head of kernel/kprobes.c), so for a hit it
 *    makes no difference whether the site is found; other readers ask of text
 *    that they know to stay.
 *
 * 6. A removed site is freed behind a grace period that begins after the
 *    removal (retire.c).  It is in no table that is linked afterwards, since a
 *    resize takes the sites of the published one.  By 5, all readers that can
 *    come to it are those that grace period waits for.
 *
 * 7. Another site for the address of a removed one is never mistaken for it: a
 *    hit that finds the old one has begun before the removal, and has ended
 *    before that.
 *
 * 8. A handler that does not find its trap's site looks at the text.  If there
 *    is no trap, the site was removed.  If there is one, it looks for the site
 *    once more, in order behind that: the trap it has come by may have gone,
 *    and another site have come there, before its trap, by 4.  No third time
 *    is needed, nor may a miss be wrong for a reason of the table's: a trap
 *    without a site then belongs to another owner.
 *
 * Nothing waits for a grace period here.  When the table should be resized and
 * the links are not free yet, it stays as it is; the next change asks again,
 * and so does a worker behind the next grace period.  Chains get longer
 * meanwhile, by what is registered in one grace period, which is some dozens
 * of milliseconds; the next resize goes to the right size at once.  The same
 * where there is no memory: then the old table stays, and the next change
 * tries again.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* Buckets, as powers of two: at first and at least; at most. */
#define TABLE_MIN_BITS	6
#define TABLE_MAX_BITS	24

/* A table that has been allocated; what hits look at is in one place. */
struct table_memory {
	struct rcu_head rcu;
	struct kprobe_site_table table;
};

/* For traps that come before anything can be probed, and for few sites. */
static struct kprobe_site_table first_table = {
	.shift = BITS_PER_LONG - TABLE_MIN_BITS,
	.buckets = { [(1 << TABLE_MIN_BITS) - 1] = NULL },
};

struct kprobe_site_table __rcu *kprobe_site_table __read_mostly =
	RCU_INITIALIZER(&first_table);

/* All under kprobe_mutex. */
static unsigned int nr_sites;
/* Do readers of the former table use the links that the next one needs? */
static bool links_used;
/* The grace period that waits for these readers. */
static unsigned long links_cookie;

static struct rcu_work retry_work;

static struct kprobe_site_table *table_locked(void)
{
	return rcu_dereference_protected(kprobe_site_table,
					 lockdep_is_held(&kprobe_mutex));
}

static struct kprobe_site *site_locked(struct kprobe_site __rcu *link)
{
	return rcu_dereference_protected(link, lockdep_is_held(&kprobe_mutex));
}

static unsigned int table_bits(const struct kprobe_site_table *table)
{
	return BITS_PER_LONG - table->shift;
}

/* Whether no reader is left on the links that the next table will use. */
static bool table_links_free(void)
{
	if (links_used && poll_state_synchronize_rcu(links_cookie))
		links_used = false;
	return !links_used;
}

/*
 * The size that is right for so many sites: less than three quarters of the
 * buckets, and after a change of size about half of them.
 */
static unsigned int table_bits_wanted(unsigned int bits)
{
	const unsigned long buckets = 1UL << bits;

	if (nr_sites <= buckets / 4 * 3 &&
	    (nr_sites >= buckets / 8 || bits == TABLE_MIN_BITS))
		return bits;
	return clamp(order_base_2(nr_sites + nr_sites / 3 + 1),
		     TABLE_MIN_BITS, TABLE_MAX_BITS);
}

/* Not inline: a test probes it, to look sites up while they are linked. */
static noinline void table_link(struct kprobe_site_table *table,
				struct kprobe_site *site)
{
	struct kprobe_site __rcu **bucket;

	bucket = kprobe_site_bucket(table, (unsigned long)site->addr);
	RCU_INIT_POINTER(site->chain[table->which], site_locked(*bucket));
	/* Pairs with the dependencies in kprobe_site_find(). */
	rcu_assign_pointer(*bucket, site);
}

/* "Two links" above. */
static void table_resize(void)
{
	struct kprobe_site_table *table = table_locked(), *new;
	struct table_memory *memory;
	unsigned int bits = table_bits(table);
	unsigned int wanted = table_bits_wanted(bits);
	struct kprobe_site *site;
	unsigned long i;

	if (wanted == bits)
		return;
	if (!table_links_free()) {
		queue_rcu_work(system_unbound_wq, &retry_work);
		return;
	}
	memory = kvzalloc(struct_size(memory, table.buckets, 1UL << wanted),
			  GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY);
	if (!memory)
		return;
	new = &memory->table;
	new->shift = BITS_PER_LONG - wanted;
	new->which = !table->which;

	for (i = 0; i < 1UL << bits; i++) {
		for (site = site_locked(table->buckets[i]); site;
		     site = site_locked(site->chain[table->which]))
			table_link(new, site);
		if (i % 1024 == 1023)
			cond_resched();
	}

	/* Pairs with the dependencies in kprobe_site_find(). */
	rcu_assign_pointer(kprobe_site_table, new);
	/* Hits where RCU does not watch: see classic.c. */
	kprobe_classic_sync();
	links_cookie = start_poll_synchronize_rcu();
	links_used = true;
	if (table != &first_table) {
		memory = container_of(table, struct table_memory, table);
		kvfree_rcu(memory, rcu);
	}
}

static void retry_worker(struct work_struct *work)
{
	guard(mutex)(&kprobe_mutex);
	table_resize();
}

/**
 * kprobe_table_insert - let hits find a site
 * @site: in no table, complete
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_table_insert(struct kprobe_site *site)
{
	lockdep_assert_held(&kprobe_mutex);

	table_link(table_locked(), site);
	nr_sites++;
	table_resize();
}

/**
 * kprobe_table_remove - let hits find a site no longer
 * @site: in the table, its text clean or about to be freed
 *
 * Readers may stand on it until an RCU grace period has passed.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_table_remove(struct kprobe_site *site)
{
	struct kprobe_site_table *table = table_locked();
	struct kprobe_site __rcu **link;
	struct kprobe_site *at;

	lockdep_assert_held(&kprobe_mutex);

	link = kprobe_site_bucket(table, (unsigned long)site->addr);
	while ((at = site_locked(*link)) != site) {
		if (WARN_ON_ONCE(!at))
			return;
		link = &at->chain[table->which];
	}
	/* What comes after it was published when it came into the table. */
	RCU_INIT_POINTER(*link, site_locked(site->chain[table->which]));
	nr_sites--;
	table_resize();
}

void __init kprobe_table_init(void)
{
	INIT_RCU_WORK(&retry_work, retry_worker);
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kprobe_table_buckets - how large the table of sites is */
unsigned int kprobe_table_buckets(void)
{
	guard(mutex)(&kprobe_mutex);
	return 1U << table_bits(table_locked());
}
EXPORT_SYMBOL_GPL(kprobe_table_buckets);

/** kprobe_table_used - how many of its buckets are not empty */
unsigned int kprobe_table_used(void)
{
	struct kprobe_site_table *table;
	unsigned int used = 0;
	unsigned long i;

	guard(mutex)(&kprobe_mutex);
	table = table_locked();
	for (i = 0; i < 1UL << table_bits(table); i++)
		used += !!rcu_access_pointer(table->buckets[i]);
	return used;
}
EXPORT_SYMBOL_GPL(kprobe_table_used);

/**
 * kprobe_table_settle - wait for a resize that was put off; sleeps
 *
 * The work may queue itself once more: a resize that came between has used the
 * links, or the cookie's grace period, by polling, ends after the work's.
 */
void kprobe_table_settle(void)
{
	unsigned int busy;

	do {
		flush_rcu_work(&retry_work);
		/* It is queued under kprobe_mutex only. */
		scoped_guard(mutex, &kprobe_mutex)
			busy = work_busy(&retry_work.work);
	} while (busy);
}
EXPORT_SYMBOL_GPL(kprobe_table_settle);
#endif
