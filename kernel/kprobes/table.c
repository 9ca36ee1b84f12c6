// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of sites, by probed address.  The look-up is kprobe_site_find(),
 * inline in <linux/kprobes_hit.h>; this file changes the table.
 *
 *	kprobe_site_table
 *	     |
 *	  [ shift ][ which: 0 ][ bucket | bucket | ... ]
 *				    |
 *		  [ site ].chain[0] --> [ site ].chain[0] --> NULL
 *
 * Why not rhashtable?  Its readers may have to restart: while a chain is being
 * moved, its entries lead into another bucket, and a reader that ends there
 * restarts at the first entry.  For the reader in a hit this may never end,
 * because a trap, an NMI or an interrupt may interrupt the move itself, on the
 * same CPU, and the move continues only when the reader is done.  Here, no
 * change of the table disturbs a reader: each look-up walks one chain once.
 *
 * Two links
 * ---------
 *
 * Each site has two links, and a table selects the one that its chains use.  A
 * resize creates a new table that uses the other link: it links all sites into
 * it, publishes it, and frees the old table after a grace period.
 *
 * Changes are made under kprobe_mutex.  Readers have at least preemption off,
 * and RCU is watching them.
 *
 * 1. A reader that has fetched kprobe_site_table walks one chain of that table
 *    by one link only, even if it is interrupted or delayed and the table is
 *    replaced meanwhile.  A hit that interrupts it fetches the table again.
 *
 * 2. A resize writes to the links that the published table does not use.  Only
 *    readers of the previous table may use them, and none are left: a grace
 *    period has passed since the last resize (table_links_free()).  So no
 *    reader sees the links being written.  A hit that interrupts the resize,
 *    on any CPU, sees the published table, which is always complete and
 *    consistent.
 *
 * 3. rcu_assign_pointer() of kprobe_site_table orders all writes of the resize
 *    before it.  It pairs with the dependency of rcu_dereference_raw() in
 *    kprobe_site_find(): a reader that sees the new table sees its buckets
 *    and the links that it uses.
 *
 * 4. A new site gets its link before rcu_assign_pointer() puts it at the head
 *    of its chain, which pairs with rcu_dereference_raw() of the bucket, or of
 *    a link to it.  The site is added to the published table only.  A reader
 *    that fetched the table earlier does not find it, and need not: the site is
 *    added before its trap is written, and each CPU that executes patched text
 *    sees all earlier writes.  So a hit of that trap fetches a table with the
 *    site: the one that was published then, or a later one.
 *
 * 5. A removed site is unlinked from the published table only, and keeps its
 *    link, so a reader at the site continues along its former chain.  A reader
 *    of the previous table may even find it there.  Both readers began before
 *    the removal: the latter fetched its table before that was replaced.  Hits
 *    of the site's trap have ended when the site is removed (see "Text and
 *    table" at the head of kernel/kprobes.c), so for a hit it does not matter
 *    whether the site is found; other readers look up text that they know to
 *    stay.
 *
 * 6. A removed site is freed after a grace period that begins after the removal
 *    (retire.c).  No later resize links it, because a resize takes its sites
 *    from the published table.  By 5, that grace period waits for all readers
 *    that can reach the site.
 *
 * 7. A new site at the address of a removed one is never mistaken for it: a hit
 *    that finds the old site has begun and ended before the removal.
 *
 * 8. A handler that does not find its trap's site reads the text.  If there is
 *    no trap, the site was removed.  If there is one, the handler looks for the
 *    site again, ordered after that read: its own trap may have been removed,
 *    and another site added there, before its trap, by 4.  A third attempt is
 *    not needed, and the table cannot cause a wrong miss: a trap without a site
 *    then has another owner.
 *
 * Nothing waits for a grace period here.  If the table should be resized but
 * the links are still in use, it is not changed; the next change tries again,
 * and so does a worker after the next grace period.  Meanwhile chains grow by
 * the sites that are registered in one grace period, some tens of milliseconds;
 * the next resize selects the right size at once.  If there is no memory, the
 * old table stays as well, and the next change tries again.
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

/* An allocated table; the part that hits read is contiguous. */
struct table_memory {
	struct rcu_head rcu;
	struct kprobe_site_table table;
};

/* For traps before any site exists, and for few sites. */
static struct kprobe_site_table first_table = {
	.shift = BITS_PER_LONG - TABLE_MIN_BITS,
	.buckets = { [(1 << TABLE_MIN_BITS) - 1] = NULL },
};

struct kprobe_site_table __rcu *kprobe_site_table __read_mostly =
	RCU_INITIALIZER(&first_table);

/* All under kprobe_mutex. */
static unsigned int nr_sites;
/* Readers of the previous table may use the links that the next one needs. */
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

/* Return true if no reader uses the links that the next table needs. */
static bool table_links_free(void)
{
	if (links_used && poll_state_synchronize_rcu(links_cookie))
		links_used = false;
	return !links_used;
}

/*
 * Return the number of buckets, as a power of two.  There are at most three
 * sites for four buckets, and about two after a resize.
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

/* Not inline: a test probes it, to look up sites while they are linked. */
static noinline void table_link(struct kprobe_site_table *table,
				struct kprobe_site *site)
{
	struct kprobe_site __rcu **bucket;

	bucket = kprobe_site_bucket(table, (unsigned long)site->addr);
	RCU_INIT_POINTER(site->chain[table->which], site_locked(*bucket));
	/* Pairs with the dependencies in kprobe_site_find(). */
	rcu_assign_pointer(*bucket, site);
}

/* See "Two links" above. */
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
	/* Hits without RCU watching: see classic.c. */
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
 * kprobe_table_insert - add a site to the table
 * @site: a complete site that is in no table
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
 * kprobe_table_remove - remove a site from the table
 * @site: in the table, its text clean or about to be freed
 *
 * Readers may still use it until an RCU grace period has passed.
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
	/* The next site was published when it was added to the table. */
	RCU_INIT_POINTER(*link, site_locked(site->chain[table->which]));
	nr_sites--;
	table_resize();
}

void __init kprobe_table_init(void)
{
	INIT_RCU_WORK(&retry_work, retry_worker);
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kprobe_table_buckets - return the number of buckets of the table of sites */
unsigned int kprobe_table_buckets(void)
{
	guard(mutex)(&kprobe_mutex);
	return 1U << table_bits(table_locked());
}
EXPORT_SYMBOL_GPL(kprobe_table_buckets);

/** kprobe_table_used - return how many of its buckets are not empty */
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
 * kprobe_table_settle - wait for a postponed resize; sleeps
 *
 * The work may queue itself again, if another resize has used the links, or if
 * polling reports the end of the grace period later than the work begins.
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
