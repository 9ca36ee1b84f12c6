// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text that is freed: modules, and the kernel's init text.
 *
 * The sites there become GONE before the text is freed.  Their probes get
 * KPROBE_FLAG_GONE, stay registered, and have no more hits.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rculist.h>
#include <asm/sections.h>
#include "internal.h"

static bool in_init_text(const struct kprobe_site *site, void *data)
{
	return is_kernel_inittext((unsigned long)site->addr);
}

/* Mark the sites for which @going is true, and their probes, as gone. */
static void kprobe_lose_text(bool (*going)(const struct kprobe_site *site,
					   void *data), void *data)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(dirty);
	LIST_HEAD(lost);
	struct kprobe *p;

	guard(mutex)(&kprobe_mutex);

	list_for_each_entry_safe(site, next, &kprobe_sites, all) {
		if (!going(site, data))
			continue;
		hlist_for_each_entry(p, &site->probes, hlist) {
			if (p->enabled)
				kprobe_site_deactivate(site, p);
			p->flags |= KPROBE_FLAG_GONE;
		}
		kprobe_site_mark_dirty(site, &dirty);
		list_move_tail(&site->all, &lost);
	}

	/* Restore the text and ftrace's filters before the text is freed. */
	if (!list_empty(&lost))
		kprobe_reconcile(&dirty, KPROBE_ARM_EACH);
	kprobe_ftrace_flush();
	list_for_each_entry(site, &lost, all) {
		hlist_del_rcu(&site->chain);
		kprobe_site_set_state(site, KPROBE_SITE_GONE);
		kprobe_optimizer_forget(site);
	}
	list_splice_tail(&lost, &kprobe_gone_sites);
}

/**
 * kprobe_free_init_mem - remove probes from the kernel's init text
 *
 * Context: may sleep; no task executes init text any more, but code that
 * patches text still treats it as text.
 */
void kprobe_free_init_mem(void)
{
	/* Must be first, so that no more probes are registered in this text. */
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_give_up_init_text();
	kprobe_lose_text(in_init_text, NULL);
}

#ifdef CONFIG_MODULES
static bool in_module_init(const struct kprobe_site *site, void *mod)
{
	return within_module_init((unsigned long)site->addr, mod);
}

static bool in_module(const struct kprobe_site *site, void *mod)
{
	return within_module((unsigned long)site->addr, mod);
}

static void kprobe_module_gone(struct module *mod)
{
	/* Must be first, so that no more probes are registered in its text. */
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_module_going(mod);
	kprobe_lose_text(in_module, mod);
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_module_forget(mod);
	kprobe_unblacklist(&mod->mem[MOD_TEXT]);
	kprobe_unblacklist(&mod->mem[MOD_INIT_TEXT]);
}

static int kprobe_module_event(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	struct module *mod = data;
	int ret;

	switch (event) {
	case MODULE_STATE_COMING:
		ret = kprobe_blacklist_module(mod);
		if (!ret) {
			guard(mutex)(&kprobe_mutex);
			ret = kprobe_module_coming(mod);
		}
		/* If COMING fails, this notifier gets no GOING: clean up. */
		if (ret)
			kprobe_module_gone(mod);
		return notifier_from_errno(ret);
	case MODULE_STATE_LIVE:
		scoped_guard(mutex, &kprobe_mutex)
			kprobe_module_live(mod);
		kprobe_lose_text(in_module_init, mod);
		kprobe_unblacklist(&mod->mem[MOD_INIT_TEXT]);
		break;
	case MODULE_STATE_GOING:
		kprobe_module_gone(mod);
		break;
	}
	return NOTIFY_DONE;
}

/*
 * This must be the first notifier: before notifiers that register probes when
 * a module is loaded, and before notifiers that may refuse it.  If a notifier
 * refuses the module, only the notifiers before it get GOING.
 */
static struct notifier_block kprobe_module_nb = {
	.notifier_call = kprobe_module_event,
	.priority = INT_MAX,
};

/* Register before any module is loaded. */
static int __init kprobe_gone_init(void)
{
	return register_module_notifier(&kprobe_module_nb);
}
early_initcall(kprobe_gone_init);
#endif /* CONFIG_MODULES */
