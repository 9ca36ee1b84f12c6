// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dynamic probes: the hit, and registration.
 *
 * A *probe* (struct kprobe) is one caller's request.  A *site* (struct
 * kprobe_site) is one probed address.  Every probed address has exactly one
 * site, from its first probe to after its last.
 *
 *	kprobe_site_table, kprobe_sites
 *	     |
 *	  [ site ]---probes---> p2 -> p1 -> p0	all, newest first
 *	     |
 *	     +-------active---> p0 -> p2	the enabled ones, oldest first
 *	     |
 *	     +----------pre---> p2		those with a pre handler; what
 *						a hit walks
 *
 * What lives elsewhere, in kernel/kprobes/: registered.c knows which probes are
 * registered; table.c finds the site of an address; text.c decides how the text
 * of a site is to look and makes it so; optimizer.c has jumps put in the place
 * of breakpoints, later on; ftrace.c has ftrace call where it has a call;
 * slots.c has memory for displaced instructions, retire.c frees it; fault.c
 * tells handlers of faults; kretprobe.c and jprobe.c are built on probes;
 * blacklist.c says what must not be probed, patched.c what the kernel itself
 * patches, refusal.c why a probe is refused; module.c knows which modules there
 * are and has their tables in order; control.c has the files in debugfs.
 * Backends are in arch/.
 *
 * Locks, outermost first
 * ----------------------
 *
 *	kprobe_mutex		sites, probes, states, the global switch
 *	  cpu_hotplug_lock	(read) while text changes or IPIs are waited for
 *	  jump_label_mutex	while an instruction is inspected
 *	    text_mutex		all of the kernel's text
 *	  slot_mutex		slots (slots.c); under none of the above but
 *				kprobe_mutex
 *	  module_mutex		a module's exception table (module.c); the same
 *
 *	blacklist_mutex		ranges not to be probed (blacklist.c); never
 *				with kprobe_mutex
 *
 * Around kprobe_mutex callers may hold what does not depend on probes; known
 * ones are event_mutex and the rwsem of the module notifier.  Nothing is
 * called with kprobe_mutex held that takes either.  No grace period is waited
 * for under kprobe_mutex, unless the owner of module_mutex waits for one.
 *
 * Who may run when
 * ----------------
 *
 * All of a hit's path, from before the look-up of the site to after the
 * return of the last handler, runs with interrupts off: by the hardware
 * where a trap brought it, by kprobe_site_post()'s caller where a displaced
 * copy did.  Everything else rests on that:
 *
 * 1. A CPU that handles an IPI is in no handler.  So once a probe has been
 *    unlinked from site->pre and site->active, one round of IPIs proves that
 *    no CPU runs its handlers or ever will again: site_deactivate() comes
 *    before the IPI is sent, and what a CPU does after it, among that the
 *    walks in kprobe_call_pre() and kprobe_call_post(), comes after.  Patching
 *    text sends such a round by itself.  A hit inside an NMI is covered, too:
 *    a CPU takes no IPI until the NMI has ended.  A CPU that RCU does not
 *    watch is in no handler either and need not take one: text.c.
 *
 * 2. Nothing comes on top of a handler but an NMI, and exceptions that the
 *    handler itself raises.  A hit that finds a handler running on its CPU
 *    therefore is recursion exactly if it stands in the same context, which
 *    kprobe_context_key() tells.  kprobe_busy_begin() marks sections that do
 *    run with interrupts on, of callers whose code must not be entered twice
 *    on a CPU: there every hit is recursion, also in what comes on top.
 *
 * 3. Between the pre handlers and the post handlers of one hit a task may be
 *    interrupted, preempted and migrated; no CPU keeps anything for it
 *    meanwhile.  The displaced copy knows its site, and the post handlers
 *    run are those of the probes enabled when it ends.
 *
 * Text and table
 * --------------
 *
 * A site is in the table before a trap is written (kprobe_table_insert()
 * publishes it; the poke orders it before the trap), and stays there until
 * the trap is gone from all CPUs.  A CPU that has fetched the trap and then
 * lost a race against its removal finds no site and other text than a trap,
 * and goes back to execute that.
 *
 * Who frees what when
 * -------------------
 *
 * A probe belongs to its caller, who may free it once unregister_kprobe()
 * has returned.  A site and its slots are handed to kprobe_retire() once the
 * site is out of the table; they are freed behind a grace period of
 * RCU-tasks, since a preempted task may still stand in a slot, and one of
 * RCU, for readers of the table and of slot owners.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/sections.h>
#include "kprobes/internal.h"

/* Sites, probes, states and the switch; see "Locks" above. */
DEFINE_MUTEX(kprobe_mutex);
LIST_HEAD(kprobe_sites);
LIST_HEAD(kprobe_gone_sites);

static bool kprobe_global_on = true;	/* under kprobe_mutex */
static bool kprobe_ready __read_mostly;

/* The probe whose handler runs on this CPU, and the context it runs in. */
DEFINE_PER_CPU(struct kprobe *, current_kprobe);
DEFINE_PER_CPU(unsigned int, kprobe_current_key) = KPROBE_NO_KEY;

static struct kmem_cache *site_cache;

/**
 * kprobe_site_pre_nested - kprobe_site_pre() where a handler is running
 * @site: what was hit
 * @regs: full registers
 * @entries: how many times irqentry_nmi_enter() was called for this hit
 *
 * Either that handler has led here, which is a miss, or this is an interrupt
 * or NMI that has come on top of it.
 *
 * Context: any; interrupts off.
 * Return: how the hit goes on.
 */
enum kprobe_verdict kprobe_site_pre_nested(struct kprobe_site *site,
					   struct pt_regs *regs,
					   unsigned int entries)
{
	struct kprobe_outer outer;
	struct kprobe *p;
	bool diverted;

	if (kprobe_recursion(kprobe_context_key(entries))) {
		list_for_each_entry_rcu(p, &site->active, list, true)
			kprobe_count_miss(&p->nmissed);
		return KPROBE_STEP_MISSED;
	}

	p = kprobe_first_pre(site);
	outer = kprobe_run_begin(kprobe_context_key(0));
	diverted = kprobe_call_pre(p, regs);
	kprobe_run_end(outer);
	return diverted ? KPROBE_DIVERTED : KPROBE_STEP;
}
NOKPROBE_SYMBOL(kprobe_site_pre_nested);

/**
 * kprobe_site_post_nested - kprobe_site_post() where a handler is running
 * @site: what was hit
 * @regs: full registers after the instruction
 *
 * Context: any; interrupts off.
 */
void kprobe_site_post_nested(struct kprobe_site *site, struct pt_regs *regs)
{
	struct kprobe_outer outer = kprobe_run_begin(kprobe_context_key(0));

	kprobe_call_post(site, regs);
	kprobe_run_end(outer);
}
NOKPROBE_SYMBOL(kprobe_site_post_nested);

static int nobody_pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(nobody_pre_handler);

/* Spares the hit path a question. */
struct kprobe kprobe_nobody = {
	.addr = (void *)nobody_pre_handler,
	.run_pre = nobody_pre_handler,
};

/* Stands for whoever must not be disturbed by handlers. */
struct kprobe kprobe_busy = {
	.addr = (void *)kprobe_busy_begin,
};

#ifdef CONFIG_TRACE_IRQFLAGS
/*
 * In the order that the kernel's own entry code has: lockdep's state is kept
 * without RCU, tracepoints are not, and code that may have stood anywhere, the
 * idle loop included, is what a thunk interrupts.
 */
void kprobe_trace_irqs_off(void)
{
	bool watching = kprobe_rcu_watching();

	lockdep_hardirqs_off(_RET_IP_);
	if (!watching)
		kprobe_rcu_enter();
	trace_hardirqs_off_finish();
	if (!watching)
		kprobe_rcu_exit();
}
NOKPROBE_SYMBOL(kprobe_trace_irqs_off);

void kprobe_trace_irqs_on(void)
{
	bool watching = kprobe_rcu_watching();

	if (!watching)
		kprobe_rcu_enter();
	trace_hardirqs_on_prepare();
	lockdep_hardirqs_on_prepare();
	if (!watching)
		kprobe_rcu_exit();
	lockdep_hardirqs_on(_RET_IP_);
}
NOKPROBE_SYMBOL(kprobe_trace_irqs_on);
#endif

/**
 * kprobe_reschedule - a handler has woken up somebody who is to run now
 * @regs: where the hit has been
 *
 * As if an interrupt had done so.  Until preemption is off again, interrupts
 * are, so that hits on the way there do not lead here.
 *
 * Context: interrupts off, preemption on.
 */
void kprobe_reschedule(struct pt_regs *regs)
{
#ifdef CONFIG_PREEMPTION
	if (arch_kprobe_irqs_on(regs) && preempt_model_preemptible())
		preempt_schedule_irq();
#endif
}
NOKPROBE_SYMBOL(kprobe_reschedule);

/**
 * kprobe_busy_begin - from here on, hits on this CPU miss their handlers
 *
 * For probe-like handlers that share code with handlers of probes and rely on
 * not being entered twice on a CPU, such as those of a fprobe that has
 * FPROBE_FL_KPROBE_SHARED.  Hits in interrupts and NMIs that come on top miss
 * their handlers, too, which is counted.  Disables preemption.
 *
 * Context: any but a handler; kprobe_running() says that there is none.
 */
void kprobe_busy_begin(void)
{
	unsigned long flags;

	preempt_disable();
	/* An interrupt must not see the one without the other. */
	raw_local_irq_save(flags);
	kprobe_run_begin(KPROBE_BUSY_KEY);
	raw_local_irq_restore(flags);
}

/** kprobe_busy_end - the end of what kprobe_busy_begin() began */
void kprobe_busy_end(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	kprobe_run_end((struct kprobe_outer) { .key = KPROBE_NO_KEY });
	raw_local_irq_restore(flags);
	preempt_enable();
}

/*
 * Places
 */

/**
 * kprobe_lookup_name - the address of a symbol
 * @name: "symbol" or "module:symbol"
 * @offset: what the caller will add to it
 *
 * Context: may sleep.
 * Return: the address, or NULL.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	return (kprobe_opcode_t *)kallsyms_lookup_name(name);
}

/*
 * Finds the address that @addr or @symbol and @offset mean, as callers see it.
 *
 * Return: 0; -EINVAL for both or neither of them; -ENOENT for no such symbol.
 */
static int kprobe_place(kprobe_opcode_t *addr, const char *symbol,
			unsigned long offset, unsigned long *place)
{
	if (!symbol == !addr)
		return -EINVAL;

	if (symbol) {
		addr = kprobe_lookup_name(symbol, offset);
		if (!addr)
			return -ENOENT;
	}
	*place = (unsigned long)addr + offset;
	return 0;
}

/**
 * kprobe_module_of - the module that an address is in the text of
 * @addr: any address
 *
 * Context: any; that the module stays is the caller's business.
 * Return: the module, or NULL.
 */
struct module *kprobe_module_of(unsigned long addr)
{
	guard(preempt)();
	return __module_text_address(addr);
}

/**
 * kprobe_find_symbol - the symbol around an address
 * @addr: the address, of text that stays
 * @symbol: filled in
 *
 * A look-up takes longer than much else here, and is done once for a site.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_find_symbol(unsigned long addr, struct kprobe_symbol *symbol)
{
	struct module *mod = kprobe_module_of(addr);
	unsigned long offset;
	char *module;

	if (mod && kprobe_module_symbol(mod, addr, symbol))
		return;
	if (kallsyms_lookup(addr, &symbol->size, &offset, &module,
			    symbol->name))
		symbol->start = addr - offset;
	else
		symbol->size = 0;
}

/**
 * kprobe_on_func_entry - is this place the entry of a function?
 * @addr: an address, or NULL
 * @sym: or the symbol
 * @offset: bytes behind it
 *
 * Context: may sleep.
 * Return: 0 if so; -EINVAL if not; -ENOENT if there is no such symbol.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	unsigned long place, size;
	bool on_entry;
	int ret;

	ret = kprobe_place(addr, sym, offset, &place);
	if (ret)
		return ret;
	if (!kallsyms_lookup_size_offset(place, &size, &offset))
		return -EINVAL;
	arch_kprobe_entry(place, offset, &on_entry);
	return on_entry ? 0 : -EINVAL;
}

/**
 * kprobe_at_entry - is a probed instruction the first of its function?
 * @addr: any address
 *
 * For unwinders: the function has not made a stack frame there.
 *
 * Context: any.
 */
bool kprobe_at_entry(unsigned long addr)
{
	struct kprobe_site *site;
	bool entered, at_entry;

	entered = kprobe_read_lock();
	site = kprobe_site_find(addr);
	at_entry = site && site->on_entry;
	kprobe_read_unlock(entered);
	return at_entry;
}

/*
 * Is this address in text that stays until kprobe_mutex is given up?  What goes
 * then tells kprobe_lose_text() first.
 */
static enum kprobe_refusal kprobe_admit_text(unsigned long addr)
{
	return core_kernel_text(addr) ? KPROBE_OK : kprobe_admit_module(addr);
}

/* Where a probe comes to be, and what there is to know of that place. */
struct kprobe_entry {
	kprobe_opcode_t *addr;
	bool on_entry;
	struct kprobe_symbol symbol;
};

static void kprobe_find_entry(unsigned long place, struct kprobe_entry *entry)
{
	struct kprobe_symbol *symbol = &entry->symbol;

	kprobe_find_symbol(place, symbol);
	entry->addr = arch_kprobe_entry(place, symbol->size ?
					place - symbol->start : ULONG_MAX,
					&entry->on_entry);
	/* Behind a landing pad that is a symbol of its own. */
	place = (unsigned long)entry->addr;
	if (symbol->size && place - symbol->start >= symbol->size)
		kprobe_find_symbol(place, symbol);
}

static enum kprobe_refusal kprobe_inspect(struct kprobe_site *site,
					  const struct kprobe_symbol *symbol)
{
	unsigned long addr = (unsigned long)site->addr;
	enum kprobe_refusal why;

	if (kprobe_blacklisted(addr, symbol))
		return KPROBE_BLACKLISTED;

	/* ftrace knows this instruction, and what to do with it. */
	if (ftrace_location(addr) == addr) {
		if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
			return KPROBE_FTRACE_SITE;
		site->on_ftrace = true;
		site->opcode = *site->addr;
		return KPROBE_OK;
	}

	jump_label_lock();
	mutex_lock(&text_mutex);
	why = arch_kprobe_inspect(site, symbol);
	if (why == KPROBE_OK)
		why = kprobe_patched(addr, addr + 1);
	mutex_unlock(&text_mutex);
	jump_label_unlock();
	return why;
}

/*
 * Sites and the probes on them, all under kprobe_mutex
 */

static struct kprobe_site *kprobe_site_at(unsigned long addr)
{
	guard(preempt)();
	return kprobe_site_find(addr);
}

static enum kprobe_refusal site_create(const struct kprobe_entry *entry,
				       struct kprobe_site **result)
{
	struct kprobe_site *site;
	enum kprobe_refusal why;

	site = kmem_cache_zalloc(site_cache, GFP_KERNEL);
	if (!site)
		return KPROBE_NO_MEMORY;

	site->addr = entry->addr;
	site->on_entry = entry->on_entry;
	site->pre = &kprobe_nobody;
	INIT_LIST_HEAD(&site->active);
	INIT_LIST_HEAD(&site->plan);
	INIT_HLIST_HEAD(&site->probes);

	why = kprobe_inspect(site, &entry->symbol);
	if (why != KPROBE_OK)
		goto free;
	if (!site->on_ftrace)
		why = arch_kprobe_prepare(site, false);
	if (why != KPROBE_OK)
		goto free;
	kprobe_table_insert(site);
	list_add_tail(&site->all, &kprobe_sites);
	kprobe_optimizer_init_site(site);
	*result = site;
	return KPROBE_OK;

free:
	kprobe_site_free(site);
	return why;
}

/** kprobe_site_free - free a site that nobody knows any more */
void kprobe_site_free(struct kprobe_site *site)
{
	kmem_cache_free(site_cache, site);
}

/* Lets go of a site nobody probes any more; its text is clean or gone. */
static void site_drop(struct kprobe_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	WARN_ON_ONCE(site->state != KPROBE_SITE_CLEAN &&
		     site->state != KPROBE_SITE_GONE);

	if (site->state != KPROBE_SITE_GONE)
		kprobe_table_remove(site);
	list_del(&site->all);
	kprobe_optimizer_forget(site);
	kprobe_retire(site);
}

static void site_touch(struct kprobe_site *site, struct list_head *touched)
{
	if (list_empty(&site->plan))
		list_add_tail(&site->plan, touched);
}

/* What points, or is to point, to an active probe in the list site->pre. */
static struct kprobe **site_pre_link(struct kprobe_site *site,
				     struct kprobe *p)
{
	list_for_each_entry_continue_reverse(p, &site->active, list)
		if (p->run_pre)
			return &p->pre_next;
	return &site->pre;
}

/* Puts an enabled probe among the site's active ones, by age. */
static void site_activate(struct kprobe_site *site, struct kprobe *p)
{
	struct list_head *older = &site->active;
	struct kprobe *other = p;

	hlist_for_each_entry_continue(other, hlist) {
		if (other->enabled) {
			older = &other->list;
			break;
		}
	}
	p->enabled = true;
	/* Pairs with the walk in kprobe_call_post(). */
	list_add_rcu(&p->list, older);
	if (p->run_pre) {
		struct kprobe **link = site_pre_link(site, p);

		p->pre_next = *link == &kprobe_nobody ? NULL : *link;
		/* Pairs with rcu_dereference_raw() in kprobe_first_pre(). */
		smp_store_release(link, p);
	}
	if (p->run_post)
		WRITE_ONCE(site->npost, site->npost + 1);
	if (kprobe_is_jprobe(p))
		site->njprobe++;
}

/* The caller waits for handlers before @p->list is used again. */
static void site_deactivate(struct kprobe_site *site, struct kprobe *p)
{
	p->enabled = false;
	if (p->run_pre) {
		struct kprobe **link = site_pre_link(site, p);
		struct kprobe *next = p->pre_next;

		if (!next && link == &site->pre)
			next = &kprobe_nobody;
		WRITE_ONCE(*link, next);
	}
	list_del_rcu(&p->list);
	if (p->run_post)
		WRITE_ONCE(site->npost, site->npost - 1);
	if (kprobe_is_jprobe(p))
		site->njprobe--;
}

#define KPROBE_FLAGS_KNOWN	(KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED | \
				 KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE | \
				 KPROBE_FLAG_ON_FUNC_ENTRY)

/*
 * Finds or makes the site of a place that is in text.
 *
 * @result: filled in if it is not refused
 */
static enum kprobe_refusal kprobe_site_for(const struct kprobe_batch *batch,
					   unsigned long place,
					   struct kprobe_site **result)
{
	/* Under kprobe_mutex: too large for a stack. */
	static struct kprobe_entry entry;
	enum kprobe_refusal why = KPROBE_OK;
	struct kprobe_site *site;

	site = kprobe_site_at(place);
	if (site) {
		entry.addr = site->addr;
		entry.on_entry = site->on_entry;
	} else {
		kprobe_find_entry(place, &entry);
		site = kprobe_site_at((unsigned long)entry.addr);
	}
	if (batch->admit)
		why = batch->admit(entry.addr, entry.on_entry);
	if (why == KPROBE_OK && !site)
		why = site_create(&entry, &site);
	*result = site;
	return why;
}

/*
 * Puts the @i-th probe of a batch on its site, which is created if need be and
 * added to @touched.  Changes nothing on failure.
 */
static int kprobe_attach(struct kprobe_batch *batch, int i,
			 struct list_head *touched)
{
	struct kprobe *p = batch->nth(batch->array, i);
	kprobe_post_handler_t post;
	enum kprobe_refusal why;
	struct kprobe_site *site;
	unsigned long place;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	/* If it is registered, it must stay as it is. */
	if (!p || kprobe_is_registered(p))
		return -EINVAL;
	if (p->flags & ~KPROBE_FLAGS_KNOWN)
		return -EINVAL;
	ret = kprobe_place(p->addr, p->symbol_name, p->offset, &place);
	if (ret)
		return ret;

	why = kprobe_admit_text(place);
	/* A module that is not there now will be elsewhere when it is. */
	if (why != KPROBE_MODULE_STATE)
		p->addr = (kprobe_opcode_t *)place;
	if (why == KPROBE_OK)
		why = kprobe_site_for(batch, place, &site);
	if (why != KPROBE_OK)
		goto refuse;
	if (batch->join) {
		ret = batch->join(batch, i);
		if (ret)
			goto drop;
	}
	/* Once: users may write these fields at any time. */
	post = READ_ONCE(p->post_handler);
	if (post && !site->on_ftrace) {
		why = arch_kprobe_prepare(site, true);
		if (why != KPROBE_OK)
			goto leave;
	}

	p->site = site;
	p->pad = (unsigned long)site->addr - place;
	p->run_pre = READ_ONCE(p->pre_handler);
	p->run_post = post;
	p->enabled = false;
	p->opcode = site->opcode;
	p->nmissed = 0;
	p->flags &= KPROBE_FLAG_DISABLED;
	if (site->on_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	if (site->on_ftrace)
		p->flags |= KPROBE_FLAG_FTRACE;
	if (site->state == KPROBE_SITE_JUMP)
		p->flags |= KPROBE_FLAG_OPTIMIZED;
	INIT_LIST_HEAD(&p->list);
	kprobe_set_registered(p);
	hlist_add_head(&p->hlist, &site->probes);
	if (!(p->flags & KPROBE_FLAG_DISABLED))
		site_activate(site, p);
	site_touch(site, touched);
	return 0;

leave:
	if (batch->leave)
		batch->leave(batch, i);
drop:
	if (hlist_empty(&site->probes))
		site_drop(site);
refuse:
	if (why == KPROBE_OK)
		return ret;
	pr_debug("%pS refused: %s\n", (void *)place, kprobe_refusal_name(why));
	return kprobe_refusal_errno(why);
}

/*
 * Takes the first @num probes of a batch off their sites and waits until none
 * of their handlers runs.  A probe that is not registered gets addr = NULL.
 */
static void kprobes_detach(struct kprobe_batch *batch, int num)
{
	struct kprobe_site *site, *next;
	struct hlist_node *after;
	HLIST_HEAD(leaving);
	LIST_HEAD(touched);
	LIST_HEAD(empty);
	struct kprobe *p;
	bool quiet;
	int i;

	lockdep_assert_held(&kprobe_mutex);

	for (i = 0; i < num; i++) {
		p = batch->nth(batch->array, i);
		if (!kprobe_is_registered(p)) {
			if (p)
				p->addr = NULL;
			continue;
		}
		site = p->site;
		if (batch->leave)
			batch->leave(batch, i);
		if (p->enabled)
			site_deactivate(site, p);
		hlist_del_init(&p->hlist);
		kprobe_clear_registered(p);
		hlist_add_head(&p->known, &leaving);
		p->flags &= KPROBE_FLAG_DISABLED;
		site_touch(site, &touched);
	}

	/* Those that stay probed by others need no more than a wait. */
	list_for_each_entry_safe(site, next, &touched, plan)
		if (hlist_empty(&site->probes))
			list_move_tail(&site->all, &empty);
	if (list_empty(&touched))
		return;

	/* What fails, if anything, is to arm others' probes once more. */
	kprobe_reconcile(&touched, kprobe_global_on, true, &quiet);
	if (!quiet)
		kprobe_wait_for_handlers();

	list_for_each_entry_safe(site, next, &empty, all)
		site_drop(site);
	/* No reader is left on these: callers may look whether they are in. */
	hlist_for_each_entry_safe(p, after, &leaving, known) {
		INIT_HLIST_NODE(&p->known);
		INIT_LIST_HEAD(&p->list);
		p->site = NULL;
	}
}

/**
 * kprobe_register_batch - register the probes of a batch, all or none
 * @batch: probes of any kind
 *
 * Context: may sleep.
 * Return: as register_kprobes().
 */
int kprobe_register_batch(struct kprobe_batch *batch)
{
	LIST_HEAD(touched);
	struct kprobe_site *site, *next;
	int i, ret = 0;

	if (batch->num <= 0 || !batch->array)
		return -EINVAL;
	if (!kprobe_ready)
		return -EAGAIN;

	guard(mutex)(&kprobe_mutex);

	for (i = 0; i < batch->num; i++) {
		ret = kprobe_attach(batch, i, &touched);
		if (ret)
			break;
	}
	if (ret)
		list_for_each_entry_safe(site, next, &touched, plan)
			list_del_init(&site->plan);
	else
		ret = kprobe_reconcile(&touched, kprobe_global_on, false, NULL);
	if (ret)
		kprobes_detach(batch, i);
	return ret;
}

/**
 * kprobe_unregister_batch - unregister the probes of a batch
 * @batch: probes of any kind
 *
 * Context: may sleep.
 */
void kprobe_unregister_batch(struct kprobe_batch *batch)
{
	if (batch->num <= 0 || !batch->array)
		return;

	guard(mutex)(&kprobe_mutex);
	kprobes_detach(batch, batch->num);
}

static struct kprobe *nth_kprobe(void *array, int i)
{
	return ((struct kprobe **)array)[i];
}

/*
 * The interface
 */

/**
 * register_kprobes - register several probes, all or none
 * @ps: the probes
 * @num: how many
 *
 * Each is armed on return, unless it has KPROBE_FLAG_DISABLED or probes are
 * switched off as a whole.  All are armed in one go.
 *
 * Context: may sleep; not from a handler.
 * Return: 0, or what was wrong with the first bad one:
 * -EINVAL: @num is not positive; a probe is NULL, is registered already, has
 * both or neither of addr and symbol_name, or flags nobody knows; the address
 * is not in text, forbidden, padding, misaligned, or patched by the kernel
 * itself; the instruction is a trap.
 * -ENOENT: no such symbol; a module that is being loaded or unloaded.
 * -EILSEQ: not at the start of an instruction.
 * -EOPNOTSUPP: an instruction that only works where it stands.
 * -EAGAIN: too early in the boot process.
 * -ENOMEM: no memory.
 * -ENODEV, -EBUSY: what ftrace says, where the instruction is a call of it.
 */
int register_kprobes(struct kprobe **ps, int num)
{
	struct kprobe_batch batch = {
		.array = ps, .num = num, .nth = nth_kprobe,
	};

	return kprobe_register_batch(&batch);
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
 * @ps: the probes
 * @num: how many
 *
 * On return no handler of theirs runs or will run, and they may be freed.
 * Those that were not registered get addr = NULL.
 *
 * Context: may sleep; not from a handler.
 */
void unregister_kprobes(struct kprobe **ps, int num)
{
	struct kprobe_batch batch = {
		.array = ps, .num = num, .nth = nth_kprobe,
	};

	kprobe_unregister_batch(&batch);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe - unregister a probe
 * @p: the probe
 *
 * As unregister_kprobes().
 */
void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

#if defined(CONFIG_DEBUG_FS) || IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/* What is in the way of a jump at a site that is, or might be, a breakpoint. */
static enum kprobe_obstacle explain_obstacle(struct kprobe_site *site)
{
#ifdef CONFIG_OPTPROBES
	enum kprobe_obstacle what = site->obstacle;

	if (what < KPROBE_OBSTACLE_TEXT)
		what = arch_kprobe_analyse(site);
	return what ?: kprobe_obstacle_now(site);
#else
	return KPROBE_SWITCHED_OFF;
#endif
}

/**
 * kprobe_explain - what would happen to a probe, and why
 * @addr: its address, or NULL
 * @symbol: or its symbol
 * @offset: bytes behind either
 * @what: filled in
 *
 * Context: may sleep.
 * Return: 0; -ENOENT where there is no such symbol.
 */
int kprobe_explain(kprobe_opcode_t *addr, const char *symbol,
		   unsigned long offset, struct kprobe_explanation *what)
{
	/* Under kprobe_mutex: too large for a stack. */
	static struct kprobe_entry entry;
	struct kprobe_site *site, fresh = {};
	unsigned long place;
	int ret;

	*what = (struct kprobe_explanation) {};
	ret = kprobe_place(addr, symbol, offset, &place);
	if (ret)
		return ret;

	guard(mutex)(&kprobe_mutex);

	what->addr = (void *)place;
	what->why = kprobe_admit_text(place);
	if (what->why != KPROBE_OK)
		return 0;

	kprobe_find_entry(place, &entry);
	what->addr = entry.addr;
	site = kprobe_site_at((unsigned long)entry.addr);
	if (!site) {
		site = &fresh;
		site->addr = entry.addr;
		INIT_LIST_HEAD(&site->plan);
		what->why = kprobe_inspect(site, &entry.symbol);
		if (what->why != KPROBE_OK)
			return 0;
		kprobe_optimizer_init_site(site);
	}
	what->how = KPROBE_HOW_DISPLACED;
	if (site->on_ftrace)
		what->how = KPROBE_HOW_FTRACE;
	else if (arch_kprobe_emulated(site))
		what->how = KPROBE_HOW_EMULATED;
	what->state = site->state;
	what->obstacle = site->on_ftrace ? KPROBE_OBSTACLE_TEXT :
					   explain_obstacle(site);
#ifdef CONFIG_OPTPROBES
	if (site == &fresh)
		arch_kprobe_unanalyse(site);
#endif
	return 0;
}
#endif /* CONFIG_DEBUG_FS || CONFIG_KPROBES_SANITY_TEST */

static int kprobe_set_disabled(struct kprobe *p, bool disable)
{
	struct kprobe_site *site;
	LIST_HEAD(touched);
	bool quiet;
	int ret;

	guard(mutex)(&kprobe_mutex);

	if (!kprobe_is_registered(p))
		return -EINVAL;
	site = p->site;
	if (site->state == KPROBE_SITE_GONE)
		return -EINVAL;
	kprobe_set_flag(p, KPROBE_FLAG_DISABLED, disable);
	if (p->enabled == !disable)
		return 0;

	if (disable)
		site_deactivate(site, p);
	else
		site_activate(site, p);

	if (disable && kprobe_optimizer_idle(site)) {
		kprobe_wait_for_handlers();
		return 0;
	}

	site_touch(site, &touched);
	ret = kprobe_reconcile(&touched, kprobe_global_on, false, &quiet);
	if (ret && !disable) {
		/* Not armed: nothing has been hit meanwhile. */
		site_deactivate(site, p);
		kprobe_set_flag(p, KPROBE_FLAG_DISABLED, true);
	}
	/* What failed was to arm another probe; this one is off. */
	if (disable)
		ret = 0;
	if (!p->enabled && !quiet)
		kprobe_wait_for_handlers();
	return ret;
}

/**
 * disable_kprobe - keep a probe registered, but without hits
 * @kp: the probe
 *
 * On return no handler of it runs or will run until it is enabled.  A jump or
 * a call of ftrace may be seen in the text for some milliseconds more.
 *
 * Context: may sleep; not from a handler.
 * Return: 0, also if it was disabled; -EINVAL if it is not registered or its
 * address is gone.
 */
int disable_kprobe(struct kprobe *kp)
{
	return kprobe_set_disabled(kp, true);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * enable_kprobe - let a disabled probe be hit again
 * @kp: the probe
 *
 * Context: may sleep; not from a handler.
 * Return: 0, also if it was enabled; -EINVAL if it is not registered or its
 * address is gone.
 */
int enable_kprobe(struct kprobe *kp)
{
	return kprobe_set_disabled(kp, false);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

/**
 * kprobe_set_global - take all probes out of the text, or put them back
 * @on: which
 *
 * Probes' own disabled state is not touched.  On return from switching off no
 * handler runs that did when it was called; of hits that have begun by then,
 * and calls that are followed, handlers may still run.
 *
 * Switching on arms all sites that can be.  One that cannot is named in the
 * log; only ftrace refuses any, where another owner of IPMODIFY has come
 * meanwhile.  It is tried again with the next change of its probes, or when
 * probes are switched on once more.
 *
 * Context: may sleep.
 * Return: 0, or what ftrace says to the first of its sites that stay unarmed.
 */
int kprobe_set_global(bool on)
{
	struct kprobe_site *site;
	LIST_HEAD(touched);
	bool quiet;
	int ret;

	guard(mutex)(&kprobe_mutex);

	kprobe_global_on = on;
	list_for_each_entry(site, &kprobe_sites, all)
		site_touch(site, &touched);
	ret = kprobe_reconcile(&touched, on, true, &quiet);
	if (!on && !quiet)
		kprobe_wait_for_handlers();
	return ret;
}

/** kprobe_get_global - whether probes are armed at all */
bool kprobe_get_global(void)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_global_on;
}

/*
 * Text that goes away
 */

static bool in_init_text(const struct kprobe_site *site, void *data)
{
	return is_kernel_inittext((unsigned long)site->addr);
}

/* Marks the sites that @going tells, and the probes on them, as gone. */
static void kprobe_lose_text(bool (*going)(const struct kprobe_site *site,
					   void *data), void *data)
{
	struct kprobe_site *site, *next;
	LIST_HEAD(touched);
	LIST_HEAD(lost);
	struct kprobe *p;

	guard(mutex)(&kprobe_mutex);

	list_for_each_entry_safe(site, next, &kprobe_sites, all) {
		if (!going(site, data))
			continue;
		hlist_for_each_entry(p, &site->probes, hlist) {
			if (p->enabled)
				site_deactivate(site, p);
			p->flags |= KPROBE_FLAG_GONE;
		}
		site_touch(site, &touched);
		list_move_tail(&site->all, &lost);
	}

	/* The text is still there: leave it, and ftrace, in good order. */
	if (!list_empty(&lost))
		kprobe_reconcile(&touched, kprobe_global_on, true, NULL);
	kprobe_ftrace_flush();
	list_for_each_entry(site, &lost, all) {
		kprobe_table_remove(site);
		kprobe_site_mark_gone(site);
	}
	list_splice_tail(&lost, &kprobe_gone_sites);
}

/**
 * kprobe_free_init_mem - the kernel's init text is about to be freed
 *
 * Context: may sleep; nobody executes init text.
 */
void kprobe_free_init_mem(void)
{
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
	/* First: what is registered from now on would not be lost. */
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_module_going(mod);
	kprobe_lose_text(in_module, mod);
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_module_forget(mod);
	kprobe_unblacklist_module(mod);
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
		/* A COMING that fails gets no GOING from us: clean up now. */
		if (ret)
			kprobe_module_gone(mod);
		return notifier_from_errno(ret);
	case MODULE_STATE_LIVE:
		kprobe_lose_text(in_module_init, mod);
		break;
	case MODULE_STATE_GOING:
		kprobe_module_gone(mod);
		break;
	}
	return NOTIFY_DONE;
}

/*
 * Before those who register probes when a module comes, and before those who
 * may refuse it, after which only those notifiers are told that it goes which
 * had been told that it comes.
 */
static struct notifier_block kprobe_module_nb = {
	.notifier_call = kprobe_module_event,
	.priority = INT_MAX,
};
#endif /* CONFIG_MODULES */

static int __init kprobe_init(void)
{
	int ret;

	site_cache = KMEM_CACHE(kprobe_site, SLAB_HWCACHE_ALIGN);
	if (!site_cache)
		return -ENOMEM;
	kprobe_table_init();
	ret = kprobe_retire_init();
	if (ret)
		return ret;
	ret = kprobe_blacklist_init();
	if (ret)
		return ret;
#ifdef CONFIG_MODULES
	/* An early_initcall: there are no modules yet. */
	ret = register_module_notifier(&kprobe_module_nb);
	if (ret)
		return ret;
#endif
	kprobe_ready = true;
	return 0;
}
early_initcall(kprobe_init);

static int __init kprobe_init_files(void)
{
	kprobe_optimizer_start();
	kprobe_control_init();
	return 0;
}
late_initcall(kprobe_init_files);

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kprobe_sites_in_use - how many addresses are probed, gone ones included */
unsigned int kprobe_sites_in_use(void)
{
	guard(mutex)(&kprobe_mutex);
	return list_count_nodes(&kprobe_sites) +
	       list_count_nodes(&kprobe_gone_sites);
}
EXPORT_SYMBOL_GPL(kprobe_sites_in_use);

#ifdef CONFIG_OPTPROBES
/** kprobe_explained_obstacle - what kprobe_explain() says is in the way */
enum kprobe_obstacle kprobe_explained_obstacle(kprobe_opcode_t *addr)
{
	struct kprobe_explanation what;

	if (kprobe_explain(addr, NULL, 0, &what))
		return KPROBE_DETOUR_MEMORY;
	return what.obstacle;
}
EXPORT_SYMBOL_GPL(kprobe_explained_obstacle);
#endif
#endif
