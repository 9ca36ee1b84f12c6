// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules that may be probed, and sorted copies of their patched places.
 *
 * A lookup by address can find a module before its text is complete, or after
 * its load has failed; the module's state does not show that.  So probes are
 * admitted only while the module is known here: from COMING to GOING, for both
 * of which our notifier is called first and takes kprobe_mutex (see
 * kprobe_module_nb).  So a module is known when other notifiers register probes
 * at COMING, and is no longer known when they handle GOING.  If loading fails
 * before COMING, in live patching or elsewhere, the module has no probes.  If a
 * notifier after ours or the module's init function fails, the module is freed
 * only after a GOING, which waits for kprobe_mutex.  So no known module is
 * freed while kprobe_mutex is held.
 *
 * A module's jump labels are sorted by key, so a lookup by address is linear:
 * acceptable once, not for a probe on each of thousands of functions.  So after
 * some lookups in a row, the tables of the module are copied and sorted.  The
 * copy lasts until a lookup in another module, until the module is unloaded, or
 * until no lookup was made for a while.
 *
 * Everything here is under kprobe_mutex.  Each module that is looked up is
 * known or contains a site.  The module cannot be freed meanwhile, because
 * kprobe_module_gone() must run first, and takes this mutex.
 *
 * After our COMING, jump_label.c sorts the module's jump labels under
 * jump_label_mutex, which callers of kprobe_module_places() hold.
 * static_call_inline.c sorts the static calls under a private mutex.  Therefore
 * copy_static_calls() saves their addresses at COMING, and
 * kprobe_module_calls() uses the copy until the module is live.
 *
 * Once unloading has begun, both files no longer report a module's places,
 * although its exit function may still cause text to be patched.  So patched.c
 * refuses probes near these places then.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/hashtable.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <asm/extable.h>
#include "../module/internal.h"
#include "internal.h"

/**
 * struct known_module - a module between its COMING and its GOING
 * @node: in the table of known modules
 * @mod: the module
 * @live: the notifier has reported MODULE_STATE_LIVE
 * @calls: addresses of its static calls; NULL once it is live
 * @nr_calls: number of static calls
 */
struct known_module {
	struct hlist_node node;
	struct module *mod;
	bool live;
	unsigned long *calls;
	unsigned int nr_calls;
};

/* Under kprobe_mutex. */
static DEFINE_HASHTABLE(kprobe_known_modules, 6);

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

static struct known_module *find_known(const struct module *mod)
{
	struct known_module *known;

	hash_for_each_possible(kprobe_known_modules, known, node,
			       (unsigned long)mod)
		if (known->mod == mod)
			return known;
	return NULL;
}

/* Must run before static_call_inline.c sorts the module's static calls. */
static int copy_static_calls(struct known_module *known)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	const struct module *mod = known->mod;
	unsigned int i;

	if (!mod->num_static_call_sites)
		return 0;
	known->calls = kvmalloc_array(mod->num_static_call_sites,
				      sizeof(*known->calls), GFP_KERNEL);
	if (!known->calls)
		return -ENOMEM;
	for (i = 0; i < mod->num_static_call_sites; i++)
		known->calls[i] =
			kprobe_static_call_code(&mod->static_call_sites[i]);
	known->nr_calls = mod->num_static_call_sites;
#endif
	return 0;
}

static void drop_static_calls(struct known_module *known)
{
	kvfree(known->calls);
	known->calls = NULL;
	known->nr_calls = 0;
}

/**
 * kprobe_module_coming - allow probes in a module
 * @mod: the module
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0 or -ENOMEM.
 */
int kprobe_module_coming(struct module *mod)
{
	struct known_module *known;

	lockdep_assert_held(&kprobe_mutex);

	known = kzalloc(sizeof(*known), GFP_KERNEL);
	if (!known)
		return -ENOMEM;
	known->mod = mod;
	if (copy_static_calls(known)) {
		kfree(known);
		return -ENOMEM;
	}
	hash_add(kprobe_known_modules, &known->node, (unsigned long)mod);
	return 0;
}

/**
 * kprobe_module_live - note that a module's init function has returned
 * @mod: the module
 *
 * Context: kprobe_mutex held.
 */
void kprobe_module_live(struct module *mod)
{
	struct known_module *known = find_known(mod);

	lockdep_assert_held(&kprobe_mutex);

	if (!known)
		return;
	known->live = true;
	drop_static_calls(known);
}

/**
 * kprobe_module_is_live - check whether a module's init function has returned
 * @mod: any module
 *
 * Context: kprobe_mutex held.
 * Return: true if it has, and the module is not being unloaded.
 */
bool kprobe_module_is_live(const struct module *mod)
{
	struct known_module *known = find_known(mod);

	return known && known->live;
}

/**
 * kprobe_module_calls - check a new module for static calls in some bytes
 * @mod: the module
 * @start: first of the bytes
 * @end: first address after the bytes
 *
 * Context: kprobe_mutex held.
 * Return: true if there is one; always false for a live module, whose own table
 * the caller must search.
 */
bool kprobe_module_calls(const struct module *mod, unsigned long start,
			 unsigned long end)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	const struct known_module *known = find_known(mod);
	unsigned int i;

	for (i = 0; known && i < known->nr_calls; i++)
		if (known->calls[i] < end &&
		    known->calls[i] + CALL_INSN_SIZE > start)
			return true;
#endif
	return false;
}

/**
 * kprobe_module_going - refuse further probes in a module
 * @mod: any module
 *
 * Context: kprobe_mutex held.
 */
void kprobe_module_going(struct module *mod)
{
	struct known_module *known = find_known(mod);

	lockdep_assert_held(&kprobe_mutex);

	if (!known)
		return;
	hash_del(&known->node);
	drop_static_calls(known);
	kfree(known);
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
	struct module *mod = kprobe_module_of(addr);

	lockdep_assert_held(&kprobe_mutex);

	if (!mod)
		return KPROBE_REFUSE_NOT_TEXT;
	/* Test this first, because an unknown module may be incomplete. */
	if (!find_known(mod) || mod->state == MODULE_STATE_GOING)
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

/*
 * Sorted copy of the places of the last module that was looked up.  @asked
 * counts lookups since @mod changed, or since kprobe_order_expire() last ran.
 */
static struct {
	struct module *mod;
	struct patched_places places;
	unsigned int asked;
} order;

/* Sorting takes at least as long as this many linear lookups. */
#define WALKS_FIRST	20

/* A copy lasts for one to two times this many jiffies after the last lookup. */
#define ORDER_KEPT	HZ

static void order_drop(void)
{
	kvfree(order.places.at);
	order.places = (struct patched_places) {};
}

static void kprobe_order_expire(struct work_struct *work)
{
	guard(mutex)(&kprobe_mutex);

	if (order.asked) {
		order.asked = 0;
		schedule_delayed_work(to_delayed_work(work), ORDER_KEPT);
	} else {
		order_drop();
	}
}

static DECLARE_DELAYED_WORK(kprobe_order_work, kprobe_order_expire);

static void order_places(struct module *mod)
{
	unsigned int nr = 1;

#ifdef CONFIG_JUMP_LABEL
	nr += mod->num_jump_entries;
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	nr += mod->num_static_call_sites;
#endif
	order.places.base = (unsigned long)mod->mem[MOD_TEXT].base;
	order.places.at = kvmalloc_array(nr, sizeof(*order.places.at),
					 GFP_KERNEL | __GFP_NOWARN);
	if (!order.places.at)
		return;
#ifdef CONFIG_JUMP_LABEL
	kprobe_add_jump_labels(&order.places, mod->jump_entries,
			       mod->jump_entries + mod->num_jump_entries);
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	kprobe_add_static_calls(&order.places, mod->static_call_sites,
				mod->static_call_sites +
				mod->num_static_call_sites);
#endif
	kprobe_sort_places(&order.places);
	schedule_delayed_work(&kprobe_order_work, ORDER_KEPT);
}

/* Count a lookup.  Return true if the module's tables should be sorted. */
static bool asked_often(struct module *mod)
{
	lockdep_assert_held(&kprobe_mutex);

	if (order.mod != mod) {
		order_drop();
		order.mod = mod;
		order.asked = 0;
	}
	return ++order.asked >= WALKS_FIRST;
}

/**
 * kprobe_module_places - return the patched places of a module, sorted
 * @mod: the module
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: the places, valid until the next call or until kprobe_mutex is
 * released; NULL if the caller must search the module's own tables.
 */
const struct patched_places *kprobe_module_places(struct module *mod)
{
	bool often = asked_often(mod);

	if (!order.places.at && often && mod->state == MODULE_STATE_LIVE)
		order_places(mod);
	return order.places.at ? &order.places : NULL;
}

/**
 * kprobe_module_extable - return a module's exception table
 * @mod: the module
 * @start: set to its first entry
 * @end: set to the address after its last entry
 *
 * The table shrinks when the init function has returned; the old entries stay
 * in memory, and stay correct for all text except init text.
 *
 * Context: may sleep; no locks but kprobe_mutex held.
 */
void kprobe_module_extable(struct module *mod,
			   const struct exception_table_entry **start,
			   const struct exception_table_entry **end)
{
	/*
	 * trim_init_extable() changes both fields under this mutex.  Other
	 * owners may hold the mutex for long.
	 */
	guard(mutex)(&module_mutex);
	*start = mod->extable;
	*end = mod->extable + mod->num_exentries;
}

/**
 * kprobe_module_forget - drop sorted tables of a module that is being unloaded
 * @mod: the module
 *
 * Context: kprobe_mutex held.
 */
void kprobe_module_forget(struct module *mod)
{
	if (order.mod != mod)
		return;
	order_drop();
	order.mod = NULL;
}
