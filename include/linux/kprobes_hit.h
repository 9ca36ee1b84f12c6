/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the path of a hit, from the look-up of the site to the last
 * handler.  Inline, so that it becomes one function with what brought the hit;
 * what happens seldom is in kernel/kprobes/hit.c.
 *
 *	hit -> kprobe_site_find() -> kprobe_site_pre() -+-> HIT_DIVERTED
 *	                                                |
 *	                     the instruction, elsewhere <-- HIT_EXECUTE
 *	                                                |
 *	                             kprobe_site_post() <-- unless HIT_MISSED
 *
 * All of it runs with interrupts off: see "Who may run when" at the head of
 * kernel/kprobes.c, which rests on it.
 */
#ifndef _LINUX_KPROBES_HIT_H
#define _LINUX_KPROBES_HIT_H

#include <linux/atomic.h>
#include <linux/context_tracking.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kmsan.h>
#include <linux/kprobes_backend.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <asm/processor.h>

#ifdef CONFIG_KPROBES

/*
 * 1 where kprobe::addr stays at a landing pad that the user has asked for, 0
 * where it becomes the address of the instruction that follows.
 */
#ifndef KPROBE_ADDR_KEEPS_PAD
#define KPROBE_ADDR_KEEPS_PAD	0
#endif

/*
 * Bytes from the probed address to the instruction pointer that pre handlers
 * find, whichever mechanism delivers the hit.
 */
#ifndef KPROBE_IP_SKID
#define KPROBE_IP_SKID	0
#endif

/**
 * enum kprobe_by - what brought a hit; a constant wherever it is passed
 *
 * @KPROBE_BY_CODE: a detour, a slot, a trampoline or ftrace: no exception, so
 *	it may come where RCU is not watching
 * @KPROBE_BY_EXCEPTION: an exception with RCU watching
 * @KPROBE_BY_NMI: the same, which counts as one NMI in preempt_count()
 */
enum kprobe_by {
	KPROBE_BY_CODE,
	KPROBE_BY_EXCEPTION,
	KPROBE_BY_NMI,
};

/* How a hit goes on after the pre handlers. */
enum kprobe_verdict {
	KPROBE_HIT_EXECUTE,	/* execute the instruction; post handlers */
	KPROBE_HIT_MISSED,	/* execute the instruction; no post handlers */
	KPROBE_HIT_DIVERTED,	/* a handler has set the instruction pointer */
};

/*
 * RCU
 */

/** kprobe_rcu_watching - is RCU watching this CPU? */
static __always_inline bool kprobe_rcu_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	/* rcu_is_watching_curr_cpu(), without the address of what it reads. */
	return __this_cpu_read(context_tracking.state.counter) &
	       CT_RCU_WATCHING;
#else
	return true;
#endif
}

/*
 * Has RCU watch this CPU.  Where RCU does already, nothing is done: to enter
 * once more may take a lock of RCU's, which the code around a hit may hold, and
 * calls a tracepoint, whose handlers may be probed.
 *
 * Return: for kprobe_rcu_exit().
 */
static __always_inline bool kprobe_rcu_enter(void)
{
	if (kprobe_rcu_watching())
		return false;
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	ct_nmi_enter();
#endif
	return true;
}

static __always_inline void kprobe_rcu_exit(bool entered)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	if (entered)
		ct_nmi_exit();
#endif
}

/*
 * For readers of sites and instances outside of a hit, unwinders above all,
 * which may be called where RCU is not watching: preemption off, RCU watching.
 *
 * Return: for kprobe_read_unlock().
 */
static __always_inline bool kprobe_read_lock(void)
{
	preempt_disable_notrace();
	return kprobe_rcu_enter();
}

static __always_inline void kprobe_read_unlock(bool entered)
{
	kprobe_rcu_exit(entered);
	preempt_enable_notrace();
}

/*
 * The table of sites
 */

/**
 * struct kprobe_site_table - all sites, by address
 * @shift: turns a hash into the index of a bucket; constant
 * @which: the index into kprobe_site::chain of the links that this table uses;
 *	constant
 * @buckets: the first sites of the chains; changed under kprobe_mutex, read by
 *	RCU
 *
 * kernel/kprobes/table.c says how it is replaced, and why each reader finds
 * every site meanwhile.
 */
struct kprobe_site_table {
	unsigned int shift;
	unsigned int which;
	struct kprobe_site __rcu *buckets[];
};

extern struct kprobe_site_table __rcu *kprobe_site_table;

/* The top bits of the product are the ones that depend on all of @addr. */
static __always_inline struct kprobe_site __rcu **
kprobe_site_bucket(struct kprobe_site_table *table, unsigned long addr)
{
#if BITS_PER_LONG == 64
	return &table->buckets[(addr * GOLDEN_RATIO_64) >> table->shift];
#else
	return &table->buckets[(addr * GOLDEN_RATIO_32) >> table->shift];
#endif
}

/**
 * kprobe_site_find - the site of an address
 * @addr: any address
 *
 * Context: any, NMIs included; preemption off, RCU watching.
 * Return: the site, or NULL.
 */
static __always_inline struct kprobe_site *kprobe_site_find(unsigned long addr)
{
	/* Pairs with rcu_assign_pointer() in table_resize(). */
	struct kprobe_site_table *table =
		rcu_dereference_raw(kprobe_site_table);
	struct kprobe_site *site;

	/* Both of these pair with rcu_assign_pointer() in table_link(). */
	site = rcu_dereference_raw(*kprobe_site_bucket(table, addr));
	while (site && unlikely((unsigned long)site->addr != addr))
		site = rcu_dereference_raw(site->chain[table->which]);
	return site;
}

/*
 * Contexts: which handlers may run on top of which
 */

/*
 * What runs on this CPU, together with current_kprobe:
 *
 *	current_kprobe	kprobe_current_ctx
 *	NULL		any		no handler
 *	p		KPROBE_CTX_NONE	a handler outside of NMIs; or one begins
 *					or ends
 *	p		KPROBE_CTX_TRAP	a handler in no NMI but its own trap
 *	p		KPROBE_CTX_BUSY	the caller of kprobe_busy_begin(), or
 *					the CPU is offline
 *	p		context id	a handler in an NMI
 *
 * A handler outside of NMIs has no context id: interrupts are off, so a hit on
 * top of it is in an NMI, or is recursion.  A handler that has one writes it
 * after current_kprobe, and clears it after current_kprobe.  An NMI in between
 * finds KPROBE_CTX_NONE or no handler, which both let its handlers run, and
 * restores what it has found.
 */
DECLARE_PER_CPU(unsigned int, kprobe_current_ctx);
#define KPROBE_CTX_NONE	(~0U)
#define KPROBE_CTX_TRAP	(~1U)
#define KPROBE_CTX_BUSY	(~2U)

/**
 * kprobe_context_id - which context the code around a hit runs in
 * @by: what brought the hit
 *
 * Two hits on one CPU have the same id exactly when neither of them is in an
 * interrupt, a softirq or an NMI on top of the other.  (PREEMPT_RT does not
 * count softirqs there; they never come on top of code with preemption off.)
 */
static __always_inline unsigned int kprobe_context_id(enum kprobe_by by)
{
	unsigned int id = preempt_count() &
			  (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET);

	return by == KPROBE_BY_NMI ? id - NMI_OFFSET - HARDIRQ_OFFSET : id;
}

/* Does the hit come on top of a handler, or in an NMI? */
static __always_inline bool kprobe_hit_nests(enum kprobe_by by)
{
	/* The hit's own exception may be one NMI; another one makes two. */
	const unsigned int nmi = by == KPROBE_BY_NMI ? NMI_MASK & ~NMI_OFFSET :
						       NMI_MASK;

	return __this_cpu_read(current_kprobe) || (preempt_count() & nmi);
}

/* Is a hit one for the slow half, in hit.c?  Asked before any look-up. */
static __always_inline bool kprobe_hit_is_slow(enum kprobe_by by)
{
	if (by == KPROBE_BY_CODE && unlikely(!kprobe_rcu_watching()))
		return true;
	return unlikely(kprobe_hit_nests(by));
}

/* current_kprobe while no particular handler runs but hits are recursion. */
extern struct kprobe kprobe_busy;

/**
 * struct kprobe_saved_ctx - the handler that another one runs on top of
 * @running: its probe
 * @id: of its context
 */
struct kprobe_saved_ctx {
	struct kprobe *running;
	unsigned int id;
};

/* Before handlers with a context id; they may run on top of another handler. */
static __always_inline struct kprobe_saved_ctx kprobe_ctx_save(unsigned int id)
{
	struct kprobe_saved_ctx saved = {
		.running = __this_cpu_read(current_kprobe),
		.id = __this_cpu_read(kprobe_current_ctx),
	};

	__this_cpu_write(current_kprobe, &kprobe_busy);
	barrier();
	__this_cpu_write(kprobe_current_ctx, id);
	barrier();
	return saved;
}

#ifdef CONFIG_DEBUG_IRQFLAGS
void kprobe_check_irqs_off(void);
#else
static __always_inline void kprobe_check_irqs_off(void) { }
#endif

/* After these handlers: the one that they ran on top of, if any, goes on. */
static __always_inline void kprobe_ctx_restore(struct kprobe_saved_ctx saved)
{
	kprobe_check_irqs_off();
	barrier();
	__this_cpu_write(current_kprobe, saved.running);
	barrier();
	__this_cpu_write(kprobe_current_ctx, saved.id);
}

/* Is a hit in this context recursion, so that it misses its handlers? */
static __always_inline bool kprobe_recursion(unsigned int id)
{
	unsigned int running = __this_cpu_read(kprobe_current_ctx);

	if (!__this_cpu_read(current_kprobe))
		return false;
	if (running == KPROBE_CTX_BUSY)
		return true;
	if (running == KPROBE_CTX_NONE)
		return (id & NMI_MASK) == 0;
	if (running == KPROBE_CTX_TRAP)
		return (id & NMI_MASK) == NMI_OFFSET;
	return running == id;
}

/* Before and after the handlers of a hit that does not nest. */
static __always_inline void kprobe_running_set(struct kprobe *p,
					       enum kprobe_by by)
{
	__this_cpu_write(current_kprobe, p);
	barrier();
	if (by == KPROBE_BY_NMI)
		__this_cpu_write(kprobe_current_ctx, KPROBE_CTX_TRAP);
	barrier();
}

static __always_inline void kprobe_running_clear(enum kprobe_by by)
{
	kprobe_check_irqs_off();
	barrier();
	__this_cpu_write(current_kprobe, NULL);
	barrier();
	if (by == KPROBE_BY_NMI)
		__this_cpu_write(kprobe_current_ctx, KPROBE_CTX_NONE);
}

/*
 * Handlers
 */

/* Stands in site->pre where no active probe has a pre handler. */
extern struct kprobe kprobe_no_pre;

static __always_inline struct kprobe *
kprobe_first_pre(const struct kprobe_site *site)
{
	return rcu_dereference_raw(site->pre);
}

/* Calls pre handlers, from @p on.  Return: whether one has diverted the hit. */
static __always_inline bool kprobe_call_pre(struct kprobe *p,
					    struct pt_regs *regs)
{
	do {
		__this_cpu_write(current_kprobe, p);
		if (p->run_pre(p, regs))
			return true;
		p = rcu_dereference_raw(p->pre_next);
	} while (unlikely(p));
	return false;
}

static __always_inline void kprobe_call_post(struct kprobe_site *site,
					     struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &site->active, list, true) {
		if (!p->run_post)
			continue;
		__this_cpu_write(current_kprobe, p);
		p->run_post(p, regs, 0);
	}
}

/* Set on a CPU of which nothing waits for handlers: see offline.c. */
DECLARE_PER_CPU(bool, kprobe_cpu_offline);

/* missed.c: hits whose handlers did not run */
void kprobe_site_missed(struct kprobe_site *site, struct pt_regs *regs,
			enum kprobe_miss why);
void kprobe_site_missed_alone(struct kprobe_site *site, enum kprobe_miss why);

enum kprobe_verdict kprobe_site_pre_slow(struct kprobe_site *site,
					 struct pt_regs *regs,
					 enum kprobe_by by);
void kprobe_site_post_slow(struct kprobe_site *site, struct pt_regs *regs);

/**
 * kprobe_site_pre - a site was hit: call its pre handlers
 * @site: the site; stays, since the hit is at its text or in its detour
 * @regs: full registers, the instruction pointer KPROBE_IP_SKID past the site
 * @by: what brought the hit
 *
 * Context: any; interrupts off.
 * Return: how the hit goes on.
 */
static __always_inline enum kprobe_verdict
kprobe_site_pre(struct kprobe_site *site, struct pt_regs *regs,
		enum kprobe_by by)
{
	struct kprobe *first;

	if (unlikely(kprobe_hit_is_slow(by)))
		return kprobe_site_pre_slow(site, regs, by);

	first = kprobe_first_pre(site);
	if (by == KPROBE_BY_NMI) {
		/*
		 * No pre handler: armed for post handlers only.  Not tested
		 * for jumps, which nearly always have one.
		 */
		if (first == &kprobe_no_pre)
			return KPROBE_HIT_EXECUTE;
		kprobe_running_set(first, by);
	}
	if (unlikely(kprobe_call_pre(first, regs))) {
		kprobe_running_clear(by);
		return KPROBE_HIT_DIVERTED;
	}
	kprobe_running_clear(by);
	return KPROBE_HIT_EXECUTE;
}

int kprobe_site_pre_chain(struct kprobe *p, struct pt_regs *regs);

/**
 * kprobe_site_pre_jump - kprobe_site_pre() for a hit by way of a detour
 * @site: the site
 * @regs: full registers, the instruction pointer KPROBE_IP_SKID past the site
 *
 * No post handlers follow, so with a single probe, the usual case, nothing that
 * is known here has to be kept while its handler runs.
 *
 * Context: any; interrupts off.
 * Return: nonzero if a handler has set the instruction pointer.
 */
static __always_inline int kprobe_site_pre_jump(struct kprobe_site *site,
						struct pt_regs *regs)
{
	struct kprobe *p;
	int diverted;

	if (unlikely(kprobe_hit_is_slow(KPROBE_BY_CODE)))
		return kprobe_site_pre_slow(site, regs, KPROBE_BY_CODE) ==
		       KPROBE_HIT_DIVERTED;

	p = kprobe_first_pre(site);
	if (unlikely(rcu_dereference_raw(p->pre_next)))
		return kprobe_site_pre_chain(p, regs);
	__this_cpu_write(current_kprobe, p);
	diverted = p->run_pre(p, regs);
	kprobe_running_clear(KPROBE_BY_CODE);
	return diverted;
}

/**
 * kprobe_site_post - the instruction was executed: call the post handlers
 * @site: where; kprobe_site_pre() said KPROBE_HIT_EXECUTE
 * @regs: full registers after the instruction
 * @by: what brought the hit
 *
 * Context: any; interrupts off.
 */
static __always_inline void kprobe_site_post(struct kprobe_site *site,
					     struct pt_regs *regs,
					     enum kprobe_by by)
{
	if (unlikely(kprobe_hit_is_slow(by)))
		return kprobe_site_post_slow(site, regs);

	kprobe_running_set(&kprobe_busy, by);
	kprobe_call_post(site, regs);
	kprobe_running_clear(by);
}

/*
 * Around the handlers of a hit that no exception brought
 */

void kprobe_reschedule(struct pt_regs *regs);
#ifdef CONFIG_TRACE_IRQFLAGS
bool kprobe_trace_irqs_off(bool irqs_on);
void kprobe_trace_irqs_on(void);
#else
static __always_inline bool kprobe_trace_irqs_off(bool on) { return false; }
static __always_inline void kprobe_trace_irqs_on(void) { }
#endif

/**
 * kprobe_hit_enter - give handlers what an exception would give them
 * @regs: that the handlers will see, saved by code in assembly
 * @irqs_on: whether interrupts were on where the hit came from
 *
 * The caller has disabled interrupts, without telling lockdep, and will restore
 * them.  Preemption is off from here on.
 *
 * Return: for kprobe_hit_exit().
 */
static __always_inline bool kprobe_hit_enter(struct pt_regs *regs, bool irqs_on)
{
	bool traced_on = kprobe_trace_irqs_off(irqs_on);

	preempt_disable_notrace();
	kmsan_unpoison_entry_regs(regs);
	return traced_on;
}

/**
 * kprobe_hit_exit - the end of what kprobe_hit_enter() began, for a thunk
 * @regs: that the thunk has saved, and from which it restores interrupts
 * @traced_on: from kprobe_hit_enter()
 */
static __always_inline void kprobe_hit_exit(struct pt_regs *regs,
					    bool traced_on)
{
#ifdef CONFIG_PREEMPTION
	if (unlikely(__preempt_count_dec_and_test()))
		kprobe_reschedule(regs);
#else
	preempt_enable_notrace();
#endif
	if (traced_on)
		kprobe_trace_irqs_on();
}

#endif /* CONFIG_KPROBES */
#endif /* _LINUX_KPROBES_HIT_H */
