// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sites, and the probes on them.
 *
 *	kprobe_site_table, kprobe_sites
 *	     |
 *	  [ site ]---probes---> p2 -> p1 -> p0	all, newest first
 *	     |
 *	     +-------active---> p2 -> p0	the enabled ones, newest first
 *	     |
 *	     +----------pre---> p2		enabled, with a pre handler; a
 *						hit walks this list
 *
 * Everything here is under kprobe_mutex, except for readers of the table and
 * the worker that frees sites.  This file does not change the text of sites:
 * see patch.c.
 *
 * The table
 * ---------
 *
 * kprobe_site_find() walks one chain of a hash table that is never resized.
 * Readers must have preemption off, and RCU must be watching.
 *
 * 1. A new site is complete, with its link, before hlist_add_head_rcu()
 *    publishes it.  It is in the table before its trap is written.
 * 2. A removed site keeps its link, so a reader at this site continues along
 *    the chain, and finds all remaining sites in one walk.
 * 3. A removed site is freed after a grace period that begins after its removal
 *    (kprobe_retire()) and waits for all readers that can reach the site.
 * 4. When a site is removed, every hit of its trap has already found the site
 *    ("Text and table" in kernel/kprobes.c).  So no hit finds a removed site in
 *    place of a new one at the same address.
 * 5. If a trap's exception handler finds no site, the handler reads the text.
 *    If a trap is there, the handler looks for the site again, ordered after
 *    that read, because a site and its trap may have been added since the first
 *    look-up.  If there is still no site, the trap has another owner.
 *
 * An rhashtable does not fit: while a chain is moved, its readers may end up in
 * another bucket and must restart.  A hit that has interrupted the move on its
 * own CPU would restart forever.
 */
#include <kunit/visibility.h>
#include <linux/init.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* Sites, probes, states and the switches; see "Locks" in kernel/kprobes.c. */
DEFINE_MUTEX(kprobe_mutex);
LIST_HEAD(kprobe_sites);
LIST_HEAD(kprobe_gone_sites);

struct hlist_head kprobe_site_table[1 << KPROBE_TABLE_BITS];
/* A look-up need not subtract an offset to get a site from its link. */
static_assert(!offsetof(struct kprobe_site, chain));

static struct kmem_cache *site_cache;

/**
 * kprobe_site_at - find the site of an address
 * @addr: any address
 *
 * Return: the site, which stays until kprobe_mutex is released; or NULL.
 */
struct kprobe_site *kprobe_site_at(unsigned long addr)
{
	guard(preempt)();
	return kprobe_site_find(addr);
}

/**
 * kprobe_text_site_at - find the site that patches, or may patch, text
 * @addr: the address of an instruction
 *
 * Two sites may share an instruction: one at @addr, and one on the ftrace call
 * before @addr.  At most one of them is armed there.
 *
 * Context: any; either kprobe_mutex held, or preemption off and RCU watching.
 * Return: the armed site; if neither is armed, the site at @addr if there is
 * one, otherwise the site on the ftrace call, or NULL.
 */
struct kprobe_site *kprobe_text_site_at(unsigned long addr)
{
	struct kprobe_site *site, *owner;

	guard(preempt)();
	owner = kprobe_site_skipping(addr);
	if (owner && kprobe_text_is_armed(owner->state))
		return owner;
	site = kprobe_site_find(addr);
	return site && !site->skip ? site : owner;
}

/**
 * kprobe_patches - check whether a probe patches, or may patch, a byte of text
 * @addr: any address
 *
 * A debugger must check this before it sets a breakpoint: neither side knows
 * which bytes the other has saved, and a breakpoint in a jump would change the
 * jump's target.
 *
 * The debugger may stop the CPUs while a site is inspected or its detour is
 * built.  Kprobes do not notice a breakpoint that is set at that moment.
 *
 * Context: any.
 * Return: true if a site, armed or not, is at @addr or may patch it, or if a
 * site with a detour is so close before @addr that its jump would cover @addr.
 */
bool kprobe_patches(unsigned long addr)
{
	struct kprobe_site *site, *owner;
	unsigned int back;

	guard(preempt)();
	if (kprobe_site_find(addr) || kprobe_site_skipping(addr))
		return true;
	for_each_place_under_jump(back) {
		site = kprobe_site_find(addr - back);
		owner = kprobe_site_skipping(addr - back);
		if ((site && !site->skip && site->detour) ||
		    (owner && owner->detour))
			return true;
	}
	return false;
}
NOKPROBE_SYMBOL(kprobe_patches);

/*
 * Free sites and their slots once no task can be in them
 *
 * A task that is preempted in a slot resumes there, however long ago the probe
 * was removed.  So slots are freed after a grace period of RCU-tasks, which
 * waits until every task has switched voluntarily.  No task does so in a slot:
 * only a page fault could make it sleep, and the fault handler first calls
 * kprobe_regs_leave_slot().
 *
 * RCU-tasks does not wait for idle tasks.  With ARCH_WANTS_NO_INSTR, RCU waits
 * for idle tasks in slots, because code that RCU does not watch is noinstr and
 * cannot be probed.  On other architectures each CPU must schedule once, which
 * Tasks Rude RCU ensures.  No CPU may halt in a slot: x86 refuses probes on HLT
 * and MWAIT, and powerpc on all instructions that stop a CPU.  On arm64, WFI
 * ends at the next interrupt, and each change of text sends one.
 *
 * The grace period takes tens of milliseconds or longer.  Only the worker waits
 * for it, and holds no lock meanwhile.
 */

static LLIST_HEAD(site_retired);
static struct workqueue_struct *site_retire_wq;
/* Set once RCU-tasks works. */
static bool site_retire_ready;

static void site_retire_worker(struct work_struct *work)
{
	struct llist_node *first = llist_del_all(&site_retired);
	struct kprobe_site *site, *next;

	if (!first)
		return;

	synchronize_rcu_tasks();
#ifndef CONFIG_ARCH_WANTS_NO_INSTR
	synchronize_rcu_tasks_rude();
#endif
	/* Wait for idle tasks in slots; with classic.c, also for hits. */
	synchronize_rcu();
	llist_for_each_entry(site, first, retired) {
		kprobe_classic_release(site);
		kprobe_slots_release(site);
		cond_resched();
	}
	/* Wait for readers that have found a site by kprobe_slot_owner(). */
	synchronize_rcu();
	/* Wait for hits that RCU does not watch: see classic.c. */
	if (IS_ENABLED(CONFIG_KPROBES_CLASSIC))
		kick_all_cpus_sync();

	llist_for_each_entry_safe(site, next, first, retired) {
		kmem_cache_free(site_cache, site);
		cond_resched();
	}
}

static DECLARE_DELAYED_WORK(site_retire_work, site_retire_worker);

/* Collect retired sites for this many jiffies, to share grace periods. */
#define RETIRE_DELAY	(HZ / 20)

/* Free a site after grace periods.  The site must not be in the table. */
static void kprobe_retire(struct kprobe_site *site)
{
	if (llist_add(&site->retired, &site_retired) &&
	    READ_ONCE(site_retire_ready))
		queue_delayed_work(site_retire_wq, &site_retire_work,
				   RETIRE_DELAY);
}

/* Free sites retired before RCU-tasks was initialized by a core_initcall(). */
static int __init kprobe_retire_start(void)
{
	WRITE_ONCE(site_retire_ready, true);
	if (site_retire_wq)
		queue_delayed_work(site_retire_wq, &site_retire_work, 0);
	return 0;
}
postcore_initcall(kprobe_retire_start);

/**
 * kprobe_site_create - create a site and add it to the table
 * @entry: the instruction to probe
 * @result: filled in unless the place is refused
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal kprobe_site_create(const struct kprobe_entry *entry,
				       struct kprobe_site **result)
{
	struct kprobe_site *site;
	enum kprobe_refusal why;

	lockdep_assert_held(&kprobe_mutex);

	site = kmem_cache_zalloc(site_cache, GFP_KERNEL);
	if (!site)
		return KPROBE_REFUSE_NO_MEMORY;

	site->addr = entry->addr;
	site->on_entry = entry->on_entry;
	site->pre = &kprobe_no_pre;
	INIT_LIST_HEAD(&site->active);
	INIT_LIST_HEAD(&site->batch);
	INIT_HLIST_HEAD(&site->probes);

	why = kprobe_inspect(site, &entry->symbol);
	if (why != KPROBE_OK) {
		kmem_cache_free(site_cache, site);
		return why;
	}
	kprobe_classic_init_site(site);
	if (!site->on_ftrace)
		why = arch_kprobe_prepare(site, false);
	/* Without a slot for the next instruction, the site uses ftrace. */
	if (site->owns_next && arch_kprobe_prepare(site, false) != KPROBE_OK) {
		site->owns_next = false;
		site->skip = 0;
	}
	if (why != KPROBE_OK) {
		/* Readers may have found the site by a slot. */
		kprobe_retire(site);
		return why;
	}
	/* Pairs with the dependencies in kprobe_site_find(). */
	hlist_add_head_rcu(&site->chain, kprobe_site_bucket((ulong)site->addr));
	list_add_tail(&site->all, &kprobe_sites);
	*result = site;
	return KPROBE_OK;
}

/**
 * kprobe_site_drop - remove a site without probes
 * @site: its text is clean or gone, and kprobe_optimizer_forget() was called
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_site_drop(struct kprobe_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	WARN_ON_ONCE(site->state != KPROBE_SITE_CLEAN &&
		     site->state != KPROBE_SITE_GONE);

	if (site->state != KPROBE_SITE_GONE)
		hlist_del_rcu(&site->chain);
	list_del(&site->all);
	kprobe_retire(site);
}

/* Add a site to @dirty because its target state may have changed. */
void kprobe_site_mark_dirty(struct kprobe_site *site, struct list_head *dirty)
{
	if (list_empty(&site->batch))
		list_add_tail(&site->batch, dirty);
}

/* Return the link in the list at site->pre that must point to @p. */
static struct kprobe **pre_link(struct kprobe_site *site, struct kprobe *p)
{
	list_for_each_entry_continue_reverse(p, &site->active, list)
		if (p->run_pre)
			return &p->pre_next;
	return &site->pre;
}

/**
 * kprobe_site_activate - make hits call the handlers of a probe
 * @site: the site
 * @p: one of its probes
 */
void kprobe_site_activate(struct kprobe_site *site, struct kprobe *p)
{
	struct list_head *next = &site->active;
	struct kprobe *older = p;

	/* Keep the order of registration, even if the probe was disabled. */
	hlist_for_each_entry_continue(older, hlist) {
		if (older->enabled) {
			next = &older->list;
			break;
		}
	}
	p->enabled = true;
	/* Pairs with the walk in kprobe_call_post(). */
	list_add_tail_rcu(&p->list, next);
	if (p->run_pre) {
		struct kprobe **link = pre_link(site, p);

		p->pre_next = *link == &kprobe_no_pre ? NULL : *link;
		/* Pairs with kprobe_first_pre() and kprobe_call_pre(). */
		smp_store_release(link, p);
	}
	if (p->run_post)
		WRITE_ONCE(site->npost, site->npost + 1);
	if (p->kind == KPROBE_KIND_JPROBE)
		site->njprobe++;
}

/**
 * kprobe_site_deactivate - stop hits from calling the handlers of a probe
 * @site: the site
 * @p: one of its enabled probes
 *
 * Context: kprobe_mutex held.  The caller must wait for handlers before it uses
 * p->list again.
 */
void kprobe_site_deactivate(struct kprobe_site *site, struct kprobe *p)
{
	p->enabled = false;
	if (p->run_pre) {
		struct kprobe **link = pre_link(site, p);
		struct kprobe *next = p->pre_next;

		if (!next && link == &site->pre)
			next = &kprobe_no_pre;
		WRITE_ONCE(*link, next);
	}
	list_del_rcu(&p->list);
	if (p->run_post)
		WRITE_ONCE(site->npost, site->npost - 1);
	if (p->kind == KPROBE_KIND_JPROBE)
		site->njprobe--;
}

/* Return true if @p is in site->probes. */
bool kprobe_site_has(const struct kprobe_site *site, const struct kprobe *p)
{
	const struct kprobe *other;

	hlist_for_each_entry(other, &site->probes, hlist)
		if (other == p)
			return true;
	return false;
}

/**
 * kprobe_is_registered - check whether a probe is registered
 * @p: any probe, or NULL
 *
 * @p may be uninitialized, a copy of a registered probe, or registered already.
 * So only the lists of sites decide, and kprobe::place selects the site.
 */
bool kprobe_is_registered(const struct kprobe *p)
{
	struct kprobe_site *site;

	lockdep_assert_held(&kprobe_mutex);

	if (!p || !p->place)
		return false;
	site = kprobe_site_at(p->place);
	if (site && kprobe_site_has(site, p))
		return true;
	list_for_each_entry(site, &kprobe_gone_sites, all)
		if ((unsigned long)site->addr == p->place &&
		    kprobe_site_has(site, p))
			return true;
	return false;
}

int __init kprobe_site_init(void)
{
	site_cache = KMEM_CACHE(kprobe_site, SLAB_HWCACHE_ALIGN);
	if (!site_cache)
		return -ENOMEM;
	/* The worker waits long: use a workqueue without other users. */
	site_retire_wq = alloc_workqueue("kprobes", WQ_UNBOUND, 1);
	return site_retire_wq ? 0 : -ENOMEM;
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kprobe_sites_in_use - return the number of sites, including gone ones */
unsigned int kprobe_sites_in_use(void)
{
	guard(mutex)(&kprobe_mutex);
	return list_count_nodes(&kprobe_sites) +
	       list_count_nodes(&kprobe_gone_sites);
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_sites_in_use);

/* Wait until all retired sites are freed. */
void kprobe_retire_flush(void)
{
	flush_delayed_work(&site_retire_work);
	/* Again, for sites that were added while the worker ran. */
	flush_delayed_work(&site_retire_work);
}
#endif
