// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dynamic probes: registration, and the rules that the whole subsystem obeys.
 *
 * A *probe* (struct kprobe) is one caller's request.  A *site* (struct
 * kprobe_site) is one probed address.  Every probed address has exactly one
 * site, from its first probe until after its last.  The *target state* of a
 * site follows from its probes and the switches, and the reconciler brings the
 * site's text to this state.
 *
 * The layers in kernel/kprobes/; a file calls only files below it:
 *
 *	control.c			files and sysctls
 *	kretprobe_register.c  jprobe.c	registration of probes on calls
 *	kretprobe.c			calls that are followed
 *	kprobes.c			registration; text that is freed
 *	pool.c				instances of return probes
 *	reconcile.c			bring text to target states, in batches
 *	optimizer.c			jumps, in the background
 *	ftrace.c			sites on calls of ftrace
 *	patch.c				change text, wait for handlers
 *	site.c				sites and their probes
 *	place.c				addresses
 *	blacklist.c			text that must not be probed
 *	module.c			modules that may be probed
 *	hit.c				the slow path of a hit, exceptions,
 *					missed hits, offline CPUs
 *	slots.c				memory for instructions out of line
 *	reasons.c			names, errnos and sentences
 *	classic*.c			the backend of architectures without one
 *					of their own; replaces most of hit.c
 *					and, with rethook, kretprobe.c and
 *					pool.c; has no jprobes; in no layer
 *
 * The fast path of a hit is inline, in <linux/kprobes_hit.h>.  Backends are in
 * arch/ and implement <linux/kprobes_backend.h>.
 *
 * Locks, outermost first
 * ----------------------
 *
 *	kprobe_switch_mutex	changes of a switch; these release
 *				kprobe_mutex between chunks of sites
 *	kprobe_mutex		sites, probes, states, the switches (site.c)
 *	  cpu_hotplug_lock	(read) during changes of text and waits for IPIs
 *	  direct_mutex, ftrace_lock
 *				ftrace's own, while it changes its calls
 *	  jump_label_mutex	while an instruction is inspected
 *	    static_call_mutex	while static_call_text_reserved() searches
 *	    text_mutex		all of the kernel's text
 *	  slot_mutex		slots (slots.c); under kprobe_mutex or no lock,
 *				with classic.c also under text_mutex; x86 takes
 *				text_mutex inside it
 *	  module_mutex		a module's exception table (module.c); under
 *				kprobe_mutex alone
 *
 *	explain_mutex		the last place written to "explain" (control.c);
 *				never held with kprobe_mutex
 *
 * Callers may hold locks of their own around kprobe_mutex.  Known ones are
 * event_mutex, the rwsem of the module notifier, and locks that users of ftrace
 * hold when they register: klp_mutex, the mutex of a BPF trampoline.  With
 * kprobe_mutex held, the core must not call functions that take one of these.
 * When a post handler is registered on a function with a BPF trampoline, ftrace
 * calls BPF code that only tries to lock the trampoline's mutex; if that fails,
 * ftrace returns -EAGAIN.
 *
 * The core must not wait for a grace period under kprobe_mutex, except to move
 * a site to ftrace (reconcile.c), to disarm sites that are stepped in place
 * (classic.c), or to get module_mutex, whose owner may wait for a grace period
 * (module.c).
 *
 * Who may run when
 * ----------------
 *
 * Interrupts are off from before the look-up of a hit's site until after its
 * last pre handler, and again while its post handlers run.  For a trap, the
 * hardware disables them; detours, the thunk of post handlers, the return
 * trampoline and ftrace's callback do so themselves.  (With classic.c, they are
 * off only while a site's handlers are called.)  All rules depend on this:
 *
 * 1. A CPU that handles an IPI is in no handler.  So once a probe has been
 *    unlinked from site->pre and site->active, one round of IPIs proves that
 *    no CPU runs its handlers or will run them: the IPI orders the stores of
 *    kprobe_site_deactivate() before the CPU's later walks in kprobe_call_pre()
 *    and kprobe_call_post().  Changing text includes this round.  Hits inside
 *    an NMI are covered, too, because a CPU takes no IPI until the NMI has
 *    ended.  A CPU that RCU does not watch is in no handler and needs no IPI
 *    (patch.c).  A CPU that has reported itself offline runs no handlers and
 *    touches no probe, so nothing waits for it (hit.c).
 *
 * 2. Only an NMI, or an exception that the handler itself raises, interrupts a
 *    handler.  A hit that finds a handler running on its CPU is therefore
 *    recursion if and only if both are in the same context, which
 *    kprobe_context_id() identifies.  Code that must not be entered twice on a
 *    CPU, even with interrupts on, calls kprobe_busy_begin(): then all hits on
 *    this CPU are missed, including hits in interrupts.
 *
 * 3. Between the pre handlers and the post handlers of one hit, a task may be
 *    interrupted, preempted and migrated, and no CPU keeps state for it: the
 *    out-of-line copy identifies its site.  (Not with classic.c.)  After the
 *    copy, the post handlers of all probes enabled by then are called.
 *
 * Text and table
 * --------------
 *
 * A site is in the table before a trap is written (kprobe_site_create()
 * publishes it; the poke orders it before the trap), and stays there until
 * the trap is gone from all CPUs.  A CPU takes no IPI between a trap and the
 * look-up of its site, and an IPI to all CPUs separates the removal of the
 * trap from that of the site, so a hit of our trap always finds its site.
 * A trap without a site has another owner, such as a debugger, which may have
 * removed the trap since: the CPU reads the text again, and resumes there if
 * the trap is gone.  (Not all of this holds with classic.c: see its head.)
 *
 * Who frees what when
 * -------------------
 *
 * A probe belongs to its caller, who may free it once unregister_kprobe() has
 * returned.  A site and its slots are passed to kprobe_retire() once the site
 * is out of the table.  They are freed after grace periods of RCU-tasks (a
 * preempted task may still be in a slot) and of RCU (for readers of the table
 * and of slot owners).
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <asm/sections.h>
#include <linux/kprobes_hit.h>
#include "kprobes/internal.h"
#include "kprobes/pool.h"

static bool kprobe_ready __read_mostly;

#define KPROBE_FLAGS_KNOWN	(KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED | \
				 KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE | \
				 KPROBE_FLAG_ON_FUNC_ENTRY)

/*
 * Find or create the site of a place in text.  Set p->addr to the address of
 * the site, unless KPROBE_ADDR_KEEPS_PAD.  @result is valid only for KPROBE_OK.
 */
static enum kprobe_refusal kprobe_site_for(const struct kprobe_array *array,
					   struct kprobe *p,
					   unsigned long place,
					   struct kprobe_site **result)
{
	/* Static, because it is large; under kprobe_mutex. */
	static struct kprobe_entry entry;
	enum kprobe_refusal why = KPROBE_OK;
	struct kprobe_site *site;

	lockdep_assert_held(&kprobe_mutex);

	site = kprobe_site_at(place);
	if (site) {
		entry.addr = site->addr;
		entry.on_entry = site->on_entry;
	} else {
		kprobe_find_entry(place, &entry);
		site = kprobe_site_at((unsigned long)entry.addr);
	}
	if (!KPROBE_ADDR_KEEPS_PAD)
		p->addr = entry.addr;
	if (array->admit)
		why = array->admit(entry.addr, entry.on_entry);
	if (why == KPROBE_OK && !site) {
		why = kprobe_site_create(&entry, &site);
		if (why == KPROBE_OK)
			kprobe_optimizer_init_site(site);
	}
	*result = site;
	return why;
}

/*
 * Check that a place is in text, then call kprobe_site_for().  A refused return
 * probe or jprobe keeps its p->addr unless a symbol begins at the place.
 */
static enum kprobe_refusal kprobe_admit(const struct kprobe_array *array,
					struct kprobe *p, unsigned long place,
					struct kprobe_site **result)
{
	enum kprobe_refusal why = kprobe_admit_text(place);
	kprobe_opcode_t *given = p->addr;
	unsigned long size, offset;

	/* The symbol's module may have been unloaded since its look-up. */
	if (why == KPROBE_REFUSE_NOT_TEXT && p->symbol_name &&
	    !kprobe_lookup_name(p->symbol_name, p->offset))
		why = KPROBE_REFUSE_MODULE_STATE;
	/* Keep addr: a retry by symbol may find another address. */
	if (why != KPROBE_REFUSE_MODULE_STATE)
		p->addr = (kprobe_opcode_t *)place;
	if (why == KPROBE_OK)
		why = kprobe_site_for(array, p, place, result);
	if (why != KPROBE_OK && array->admit &&
	    (!kallsyms_lookup_size_offset(place, &size, &offset) || offset))
		p->addr = given;
	return why;
}

/* Remove a site without probes, whose text is clean or gone. */
static void kprobe_drop_site(struct kprobe_site *site)
{
	kprobe_optimizer_forget(site);
	kprobe_site_drop(site);
}

/* Mark a probe as registered and link it to its site. */
static void kprobe_join_site(struct kprobe *p, struct kprobe_site *site)
{
	p->site = site;
	p->enabled = false;
	p->opcode = site->opcode;
	p->nmissed = 0;
	p->flags &= KPROBE_FLAG_DISABLED;
	if (site->on_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	p->flags |= kprobe_site_flags(site);
	INIT_LIST_HEAD(&p->list);
	p->place = (unsigned long)site->addr;
	hlist_add_head(&p->hlist, &site->probes);
	if (!(p->flags & KPROBE_FLAG_DISABLED))
		kprobe_site_activate(site, p);
}

/* Check a probe to be registered, without changing it. */
static int kprobe_check_new(const struct kprobe *p)
{
	if (!p || kprobe_is_registered(p) || p->flags & ~KPROBE_FLAGS_KNOWN)
		return -EINVAL;
	/* Classic backends handle faults themselves. */
	if (IS_ENABLED(CONFIG_KPROBES_CLASSIC) && p->fault_handler)
		return -EOPNOTSUPP;
	return 0;
}

/*
 * Link a probe of an array to its site, which is created if necessary and
 * added to @dirty.  On failure, nothing is linked.
 */
static int kprobe_attach(struct kprobe_array *array, struct kprobe *p,
			 struct list_head *dirty)
{
	kprobe_post_handler_t post;
	enum kprobe_refusal why;
	struct kprobe_site *site;
	unsigned long place;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	ret = kprobe_check_new(p) ?:
	      kprobe_find_place(p->addr, p->symbol_name, p->offset, &place);
	if (ret == -ENOENT)
		kprobe_module_refused(p, 0, KPROBE_REFUSE_NO_SYMBOL);
	if (ret)
		return ret;

	why = kprobe_admit(array, p, place, &site);
	if (why != KPROBE_OK)
		goto refuse;
	/* The user may have cleared kprobe::place of a registered probe. */
	if (kprobe_site_has(site, p))
		return -EINVAL;
	if (array->join) {
		ret = array->join(p);
		if (ret)
			goto drop;
	}
	/* Read once: users may write these fields at any time. */
	post = READ_ONCE(p->post_handler);
	if (post && !site->on_ftrace)
		why = arch_kprobe_prepare(site, true);
	/* No pool leaks here, because return probes have no post handler. */
	if (why != KPROBE_OK)
		goto drop;

	p->run_pre = READ_ONCE(p->pre_handler);
	p->run_post = post;
	p->kind = array->kind;
	kprobe_join_site(p, site);
	kprobe_site_mark_dirty(site, dirty);
	return 0;

drop:
	if (hlist_empty(&site->probes))
		kprobe_drop_site(site);
refuse:
	if (why == KPROBE_OK)
		return ret;
	kprobe_module_refused(p, place, why);
	return kprobe_refusal_errno(why);
}

/*
 * Unlink the probes of an array with indices from @first to @end - 1, and wait
 * until none of their handlers runs.  Set addr = NULL in probes that are not
 * registered.  Stop after KPROBE_PATCH_CHUNK probes on sites that may patch
 * text, and return the index of the first remaining probe.
 */
static int kprobes_detach(struct kprobe_array *array, int first, int end)
{
	unsigned int n = 0;
	struct kprobe_site *site, *next;
	struct hlist_node *after;
	HLIST_HEAD(leaving);
	LIST_HEAD(dirty);
	LIST_HEAD(empty);
	struct kprobe *p;
	int i;

	lockdep_assert_held(&kprobe_mutex);

	for (i = first; i < end && n < KPROBE_PATCH_CHUNK; i++) {
		p = array->probes[i];
		if (!kprobe_is_registered(p)) {
			if (p)
				p->addr = NULL;
			continue;
		}
		site = p->site;
		/* An array may mix kinds: use that of the probe. */
		if (p->kind == KPROBE_KIND_RETURN)
			kretprobe_pool_leave(container_of(p, struct kretprobe,
							  kp), &array->pools);
		if (p->enabled)
			kprobe_site_deactivate(site, p);
		hlist_del(&p->hlist);
		p->place = 0;
		hlist_add_head(&p->hlist, &leaving);
		p->flags &= KPROBE_FLAG_DISABLED;
		kprobe_site_mark_dirty(site, &dirty);
		n += kprobe_site_patches_text(site);
		/* Sites on ftrace do not count, so a chunk may be large. */
		cond_resched();
	}

	list_for_each_entry(site, &dirty, batch)
		if (hlist_empty(&site->probes))
			list_move_tail(&site->all, &empty);
	/* Ignore errors: only other probes can cause them. */
	kprobe_reconcile(&dirty, KPROBE_ARM_EACH | KPROBE_WAIT);

	list_for_each_entry_safe(site, next, &empty, all)
		kprobe_drop_site(site);
	/* Reset the links for callers that test them: no reader is left. */
	hlist_for_each_entry_safe(p, after, &leaving, hlist) {
		INIT_HLIST_NODE(&p->hlist);
		INIT_LIST_HEAD(&p->list);
		p->site = NULL;
	}
	return i;
}

/* Unlink the probes with indices below @end from their sites, in chunks. */
static void kprobes_detach_all(struct kprobe_array *array, int end)
{
	int i = 0;

	while (i < end) {
		scoped_guard(mutex, &kprobe_mutex)
			i = kprobes_detach(array, i, end);
		cond_resched();
	}
}

/*
 * Register the probes of an array from @first on, until KPROBE_PATCH_CHUNK of
 * them are on sites that may patch text.  If one fails, register none of them.
 * Return the index of the first remaining probe, or an errno.
 */
static int kprobes_attach(struct kprobe_array *array, int first)
{
	struct kprobe_site *site, *next;
	unsigned int n = 0;
	LIST_HEAD(dirty);
	int i, ret = 0;

	lockdep_assert_held(&kprobe_mutex);

	for (i = first; i < array->num && n < KPROBE_PATCH_CHUNK; i++) {
		ret = kprobe_attach(array, array->probes[i], &dirty);
		if (ret)
			break;
		n += kprobe_site_patches_text(array->probes[i]->site);
		/* Sites on ftrace do not count, so a chunk may be large. */
		cond_resched();
	}
	if (ret)
		list_for_each_entry_safe(site, next, &dirty, batch)
			list_del_init(&site->batch);
	else
		ret = kprobe_reconcile(&dirty, 0);
	if (!ret)
		return i;
	while (first < i)
		first = kprobes_detach(array, first, i);
	return ret;
}

/* Warn and return true in a handler: the API would wait for this handler. */
static bool kprobe_called_by_handler(void)
{
	bool has_id = this_cpu_read(kprobe_current_ctx) < KPROBE_CTX_BUSY;
	struct kprobe *p = this_cpu_read(current_kprobe);

	/* Check interrupts, too: after an oops, current_kprobe stays set. */
	if (!irqs_disabled() || !p)
		return false;
	/* With kprobe_busy, only a fault handler has an id. */
	if (p == &kprobe_busy)
		return WARN_ONCE(has_id,
				 "A fault handler calls the kprobes API\n");
	return WARN_ONCE(true,
			 "Handler of the probe at %pS calls the kprobes API\n",
			 p->addr);
}

/**
 * kprobe_register_array - register the probes of an array, all or none
 * @array: probes of any kind
 *
 * Context: may sleep.
 * Return: as register_kprobes().
 */
int kprobe_register_array(struct kprobe_array *array)
{
	int i = 0, ret = 0;

	if (array->num <= 0 || !array->probes)
		return -EINVAL;
	if (!kprobe_ready)
		return -EAGAIN;
	if (kprobe_called_by_handler())
		return -EDEADLK;

	/*
	 * Each chunk is a complete registration of its probes, so other users
	 * find a consistent state between chunks, even if these probes are
	 * unregistered again because a later one is refused.
	 */
	while (i < array->num && ret >= 0) {
		scoped_guard(mutex, &kprobe_mutex)
			ret = kprobes_attach(array, i);
		if (ret >= 0)
			i = ret;
		cond_resched();
	}
	if (ret < 0)
		kprobes_detach_all(array, i);
	/* Free the pools of return probes that were unregistered again. */
	kretprobe_pools_retire(&array->pools);
	return min(ret, 0);
}

/*
 * The interface
 */

/**
 * register_kprobes - register several probes, all or none
 * @ps: the probes
 * @num: how many
 *
 * On return, each probe is armed unless it has KPROBE_FLAG_DISABLED or the
 * global switch is off.  Probes are armed in chunks: handlers may run before
 * this returns, even if it fails.
 *
 * Context: may sleep; not from a handler.
 * Return:
 * * 0: all are registered; otherwise none is, and the errno is for the first
 *   probe that was refused.
 * * -EINVAL: @num is not positive; @ps or a probe is NULL; a probe is already
 *   registered, or has both or neither of addr and symbol_name, or unknown
 *   flags; the address is blacklisted, misaligned, in padding or in the type
 *   hash before a function, patched by the kernel itself, or not in text; the
 *   instruction is a trap, BUG(), WARN() or type check.
 * * -ENOENT: no such symbol; the address is in a module before
 *   MODULE_STATE_COMING or after MODULE_STATE_LIVE, in a live patch before
 *   MODULE_STATE_LIVE, or in a module's init code after it has run.
 * * -EILSEQ: the address is inside an instruction, or the decoder fails.
 * * -EOPNOTSUPP: the instruction cannot be executed out of line; the probe has
 *   a fault_handler, and the architecture has no backend of its own.
 * * -EAGAIN: too early in the boot process; or the probe has a post handler,
 *   its instruction is a call of ftrace, and a BPF program is being attached
 *   or detached there: try again.
 * * -ENOMEM: no memory.
 * * -EDEADLK: the caller is a handler.
 * * -ENODEV, -EBUSY: from ftrace, if the address is one of its calls or the
 *   instruction after one.
 * * -EBUSY: a debugger has a breakpoint there.
 */
int register_kprobes(struct kprobe **ps, int num)
{
	struct kprobe_array array = { .probes = ps, .num = num };

	return kprobe_register_array(&array);
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe - register a probe
 * @p: the probe
 *
 * Context and return values: as register_kprobes().
 */
int register_kprobe(struct kprobe *p)
{
	return register_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/**
 * unregister_kprobes - unregister several probes
 * @ps: the probes, of any kind
 * @num: how many
 *
 * On return, no handler of these probes runs or will run; the caller may free
 * the probes.  Probes that were not registered get addr = NULL.  If a handler
 * calls this, the kernel warns once and the probes stay registered.
 *
 * Context: may sleep; not from a handler.
 */
void unregister_kprobes(struct kprobe **ps, int num)
{
	struct kprobe_array array = { .probes = ps, .num = num };

	if (num <= 0 || !ps || kprobe_called_by_handler())
		return;

	kprobes_detach_all(&array, num);
	kretprobe_pools_retire(&array.pools);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe - unregister a probe
 * @p: the probe
 *
 * See unregister_kprobes().
 */
void unregister_kprobe(struct kprobe *p)
{
	if (kprobe_classic_refuse(p))
		return;
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

static int kprobe_set_disabled(struct kprobe *p, bool disable)
{
	struct kprobe_site *site;
	LIST_HEAD(dirty);
	int ret;

	if (kprobe_called_by_handler())
		return -EDEADLK;

	guard(mutex)(&kprobe_mutex);

	if (!kprobe_is_registered(p))
		return -EINVAL;
	site = p->site;
	if (site->state == KPROBE_SITE_GONE)
		return disable ? 0 : -EINVAL;
	/* The flag is for users; from now on, the core reads p->enabled. */
	if (disable)
		p->flags |= KPROBE_FLAG_DISABLED;
	else
		p->flags &= ~KPROBE_FLAG_DISABLED;
	if (p->enabled == !disable)
		return 0;

	if (disable)
		kprobe_site_deactivate(site, p);
	else
		kprobe_site_activate(site, p);

	if (disable && kprobe_optimizer_defer(site)) {
		kprobe_wait_for_handlers();
		return 0;
	}

	kprobe_site_mark_dirty(site, &dirty);
	ret = kprobe_reconcile(&dirty, disable ? KPROBE_WAIT : 0);
	/* After a disable, only other probes can cause an error. */
	if (disable || !ret)
		return 0;
	kprobe_site_deactivate(site, p);
	p->flags |= KPROBE_FLAG_DISABLED;
	kprobe_wait_for_handlers();
	return ret;
}

/**
 * disable_kprobe - disable a probe but keep it registered
 * @kp: the probe
 *
 * On return, its handlers do not run until it is enabled again.  A jump, or
 * ftrace's call of the core, may stay for some milliseconds more.
 *
 * Context: may sleep; not from a handler.
 * Return: 0, even if it was already disabled or its text is gone; -EINVAL if it
 * is not registered; -EDEADLK in a handler.
 */
int disable_kprobe(struct kprobe *kp)
{
	return kprobe_set_disabled(kp, true);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * enable_kprobe - enable a disabled probe
 * @kp: the probe
 *
 * On failure, the probe stays disabled.
 *
 * Context: may sleep; not from a handler.
 * Return:
 * * 0: it is enabled, or was already;
 * * -EINVAL: it is not registered, or its text is gone;
 * * -ENOMEM: no memory;
 * * -EBUSY: it needs ftrace, and another user redirects the function;
 * * -EAGAIN: as -EBUSY, but that user is changing its direct call: try again;
 * * -ENODEV: it needs ftrace, which has shut itself down;
 * * -EDEADLK: the caller is a handler.
 */
int enable_kprobe(struct kprobe *kp)
{
	return kprobe_set_disabled(kp, false);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

/*
 * Text that is freed: modules, and the kernel's init text
 *
 * The sites there become GONE before the text is freed.  Their probes get
 * KPROBE_FLAG_GONE, stay registered, and have no more hits.  Their handlers
 * have ended by then, so disable_kprobe() need not wait.
 */

/*
 * Mark the sites in a range of text, and their probes, as gone.  The caller
 * must have ensured that no more probes can be registered there.
 */
static void kprobe_lose_text(unsigned long start, unsigned long size)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(dirty);
	LIST_HEAD(lost);
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);

	list_for_each_entry_safe(site, next, &kprobe_sites, all) {
		if ((unsigned long)site->addr - start >= size)
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
	kprobe_reconcile(&dirty, KPROBE_ARM_EACH | KPROBE_WAIT);
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
 * Context: may sleep.  No task executes init text any more, but the kernel can
 * still patch it, because system_state is below SYSTEM_FREEING_INITMEM.
 */
void kprobe_free_init_mem(void)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_init_text_gone = true;
	kprobe_lose_text((unsigned long)_sinittext, _einittext - _sinittext);
}

#ifdef CONFIG_MODULES
static void kprobe_lose_module_text(const struct module_memory *text)
{
	kprobe_lose_text((unsigned long)text->base, text->size);
	kprobe_unblacklist(text);
}

static void kprobe_module_gone(struct module *mod)
{
	mod->kprobes_known = false;
	mod->kprobes_live = false;
	kprobe_lose_module_text(&mod->mem[MOD_TEXT]);
	kprobe_lose_module_text(&mod->mem[MOD_INIT_TEXT]);
}

static int kprobe_module_event(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	struct module *mod = data;
	int ret = 0;

	guard(mutex)(&kprobe_mutex);

	switch (event) {
	case MODULE_STATE_COMING:
		ret = kprobe_blacklist_module(mod);
		/* If COMING fails, this notifier gets no GOING: clean up. */
		if (ret)
			kprobe_module_gone(mod);
		else
			mod->kprobes_known = true;
		break;
	case MODULE_STATE_LIVE:
		mod->kprobes_live = true;
		kprobe_lose_module_text(&mod->mem[MOD_INIT_TEXT]);
		break;
	case MODULE_STATE_GOING:
		kprobe_module_gone(mod);
		break;
	}
	return notifier_from_errno(ret);
}

/*
 * This must be the first notifier, because others may register probes when a
 * module is loaded.  If one of them refuses the module, this one gets GOING.
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

static int __init kprobe_init(void)
{
	int ret = kprobe_site_init() ?: kprobe_blacklist_init();

	if (ret)
		return ret;
	kprobe_ready = true;
	return kprobe_classic_init();
}

/* Slots need execmem, which some architectures initialize later. */
#ifdef CONFIG_ARCH_WANTS_EXECMEM_LATE
core_initcall_sync(kprobe_init);
#else
early_initcall(kprobe_init);
#endif

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kprobe_flush_retired - wait until all retired memory is freed; sleeps */
void kprobe_flush_retired(void)
{
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_ftrace_flush();
	kprobe_retire_flush();
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_flush_retired);
#endif
