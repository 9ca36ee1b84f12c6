/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the path of a hit, from the look-up of the site to the last
 * handler.  The fast path is inlined into the code that delivers the hit; the
 * slow path is in kernel/kprobes/hit.c.
 *
 *	hit -> kprobe_site_find() -> kprobe_site_pre() -+-> HIT_DIVERTED
 *	                                                |
 *	                   the instruction, out of line <-- HIT_EXECUTE, _MISSED
 *	                                                |
 *	                             kprobe_site_post() <-- HIT_EXECUTE only
 *
 * Except while the instruction executes out of line, interrupts are off on this
 * path: see "Who may run when" at the head of kernel/kprobes.c.
 */
#ifndef _LINUX_KPROBES_HIT_H
#define _LINUX_KPROBES_HIT_H

#include <linux/atomic.h>
#include <linux/context_tracking.h>
#include <linux/hardirq.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kmsan.h>
#include <linux/kprobes_backend.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/trace_irqs.h>
#include <asm/processor.h>
#ifdef CONFIG_KPROBE_SKIP_FTRACE
#include <asm/ftrace.h>
#endif

#ifdef CONFIG_KPROBES

/*
 * If a user requests a probe on a landing pad (BTI, ENDBR), the site is after
 * the pad.  If this is 1, kprobe::addr keeps the address of the pad; if 0,
 * registration replaces it with the address of the site.
 */
#ifndef KPROBE_ADDR_KEEPS_PAD
#define KPROBE_ADDR_KEEPS_PAD	0
#endif

/*
 * For pre handlers, the instruction pointer is this number of bytes after the
 * probed address, whichever mechanism delivers the hit.
 */
#ifndef KPROBE_IP_SKID
#define KPROBE_IP_SKID	0
#endif

/**
 * enum kprobe_by - mechanism that delivers a hit
 *
 * @KPROBE_BY_CODE: a call from a detour, a slot, a return trampoline or ftrace;
 *	no exception, so RCU might not be watching
 * @KPROBE_BY_EXCEPTION: an exception with RCU watching
 * @KPROBE_BY_NMI: an exception with RCU watching, counted as one NMI in
 *	preempt_count()
 *
 * Callers must pass a constant, so that the compiler can drop the other cases.
 */
enum kprobe_by {
	KPROBE_BY_CODE,
	KPROBE_BY_EXCEPTION,
	KPROBE_BY_NMI,
};

/* How a hit continues after the pre handlers. */
enum kprobe_verdict {
	KPROBE_HIT_EXECUTE,	/* execute the instruction and post handlers */
	KPROBE_HIT_MISSED,	/* only execute the instruction */
	KPROBE_HIT_DIVERTED,	/* a handler has set the instruction pointer */
};

/*
 * RCU
 */

/** kprobe_rcu_watching - return true if RCU is watching this CPU */
static __always_inline bool kprobe_rcu_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	/* rcu_is_watching_curr_cpu() is slower: it uses this_cpu_ptr(). */
	return __this_cpu_read(context_tracking.state.counter) &
	       CT_RCU_WATCHING;
#else
	return true;
#endif
}

/*
 * Make RCU watch this CPU.  If RCU is watching already, ct_nmi_enter() must not
 * be called: it might take a lock of RCU that the interrupted code holds, and
 * would call a tracepoint, whose handlers may be probed.
 *
 * Return: the argument for kprobe_rcu_exit().
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
 * Disable preemption and make RCU watch this CPU, for readers of sites and of
 * instances outside of a hit, mainly unwinders.
 *
 * Return: the argument for kprobe_read_unlock().
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

/* Never resized: 128 KiB on 64 bits.  More sites make the chains longer. */
#if IS_ENABLED(CONFIG_BASE_SMALL)
#define KPROBE_TABLE_BITS	8
#elif BITS_PER_LONG == 64
#define KPROBE_TABLE_BITS	14
#else
#define KPROBE_TABLE_BITS	12
#endif

/*
 * All sites, by address: changed under kprobe_mutex, read under RCU.  The head
 * of kernel/kprobes/site.c explains why readers find every site.
 */
extern struct hlist_head kprobe_site_table[1 << KPROBE_TABLE_BITS];

/* Use the top bits of the product: these depend on all bits of @addr. */
static __always_inline struct hlist_head *kprobe_site_bucket(unsigned long addr)
{
#if BITS_PER_LONG == 64
	addr *= GOLDEN_RATIO_64;
#else
	addr *= GOLDEN_RATIO_32;
#endif
	return &kprobe_site_table[addr >> (BITS_PER_LONG - KPROBE_TABLE_BITS)];
}

/**
 * kprobe_site_find - find the site of an address
 * @addr: any address
 *
 * Context: any, NMIs included; preemption off, RCU watching.
 * Return: the site, or NULL.
 */
static __always_inline struct kprobe_site *kprobe_site_find(unsigned long addr)
{
	struct kprobe_site *site;

	/* Pairs with hlist_add_head_rcu() in kprobe_site_create(). */
	hlist_for_each_entry_rcu_notrace(site, kprobe_site_bucket(addr), chain)
		if (likely((unsigned long)site->addr == addr))
			return site;
	return NULL;
}

/* Number of armed sites that own the instruction after an ftrace call */
extern unsigned int kprobe_skipping_armed;

/**
 * kprobe_site_skipping - find the site that owns the instruction at @addr
 * @addr: the address of any instruction
 *
 * Context: as kprobe_site_find().
 * Return: the site on the ftrace call before @addr, or NULL.
 */
static __always_inline struct kprobe_site *
kprobe_site_skipping(unsigned long addr)
{
#ifdef CONFIG_KPROBE_SKIP_FTRACE
	struct kprobe_site *site = kprobe_site_find(addr - MCOUNT_INSN_SIZE);

	if (site && READ_ONCE(site->owns_next))
		return site;
#endif
	return NULL;
}

struct kprobe_site *kprobe_text_site_at(unsigned long addr);

/*
 * Contexts: may a hit call handlers if it interrupts another handler?
 */

/*
 * The state of this CPU, together with current_kprobe:
 *
 *	current_kprobe	kprobe_current_ctx
 *	NULL		any		no handler
 *	p		KPROBE_CTX_NONE	a handler outside of NMIs; or a handler
 *					is about to run or has just ended
 *	p		KPROBE_CTX_TRAP	a handler of a trap that counts as an
 *					NMI, but not in another NMI
 *	p		KPROBE_CTX_BUSY	code after kprobe_busy_begin(), or an
 *					offline CPU
 *	p		context id	a handler of the slow path, for example
 *					in an NMI; a fault handler
 *
 * A handler of the fast path needs no context id: interrupts are off, so a hit
 * that interrupts it is in an NMI, or is recursion.  Where both variables
 * change, current_kprobe is written first.  An NMI between the two writes finds
 * no handler, KPROBE_CTX_NONE, or the id of another context.  In each case, its
 * hits call handlers and restore the values that they found.
 */
DECLARE_PER_CPU(unsigned int, kprobe_current_ctx);
#define KPROBE_CTX_NONE	(~0U)
#define KPROBE_CTX_TRAP	(~1U)
#define KPROBE_CTX_BUSY	(~2U)

/*
 * preempt_count() counts nested NMIs, unless it has only one bit for NMIs, as
 * on some architectures of Linux 7.3.  Then nmi_nesting counts them.
 */
#define KPROBE_NMI_MASK	(0xfU << NMI_SHIFT)

/* Return the contexts in preempt_count(), with the number of nested NMIs. */
static __always_inline unsigned int kprobe_contexts(void)
{
	unsigned int contexts = preempt_count();

#if NMI_MASK == NMI_OFFSET
	contexts &= ~NMI_MASK;
	contexts |= __this_cpu_read(nmi_nesting) << NMI_SHIFT;
#endif
	return contexts & (KPROBE_NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET);
}

/* Count an NMI as irqentry_nmi_enter() does; add @more to preempt_count(). */
static __always_inline void kprobe_nmi_enter(int more)
{
#if NMI_MASK == NMI_OFFSET
	if (more)
		__preempt_count_add(more);
	__preempt_count_nmi_enter();
#else
	__preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET + more);
#endif
}

static __always_inline void kprobe_nmi_exit(int more)
{
#if NMI_MASK == NMI_OFFSET
	__preempt_count_nmi_exit();
	if (more)
		__preempt_count_sub(more);
#else
	__preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET + more);
#endif
}

/**
 * kprobe_context_id - identify the context of the code that a hit interrupts
 * @by: mechanism that delivers the hit
 *
 * If one of two hits on a CPU interrupts the other, their ids are the same if
 * and only if no interrupt, softirq or NMI is in between.  (PREEMPT_RT does not
 * count softirqs, but these never interrupt code with preemption off.)
 */
static __always_inline unsigned int kprobe_context_id(enum kprobe_by by)
{
	unsigned int id = kprobe_contexts();

	return by == KPROBE_BY_NMI ? id - NMI_OFFSET - HARDIRQ_OFFSET : id;
}

/* Return true if the hit interrupts a handler or is in an NMI. */
static __always_inline bool kprobe_hit_nests(enum kprobe_by by)
{
	/* Ignore the hit's own exception if it counts as an NMI. */
	const unsigned int nmi = by == KPROBE_BY_NMI ?
				 KPROBE_NMI_MASK & ~NMI_OFFSET :
				 KPROBE_NMI_MASK;

	return __this_cpu_read(current_kprobe) || (kprobe_contexts() & nmi);
}

/* Return true if a hit needs the slow path, which makes RCU watch if needed. */
static __always_inline bool kprobe_hit_is_slow(enum kprobe_by by)
{
	if (by == KPROBE_BY_CODE && unlikely(!kprobe_rcu_watching()))
		return true;
	return unlikely(kprobe_hit_nests(by));
}

/* current_kprobe in fault handlers, in "busy" code, and on offline CPUs */
extern struct kprobe kprobe_busy;

/**
 * struct kprobe_saved_ctx - the state of this CPU before handlers began
 * @running: the value of current_kprobe
 * @id: the value of kprobe_current_ctx
 */
struct kprobe_saved_ctx {
	struct kprobe *running;
	unsigned int id;
};

/* Set the context for handlers that may have interrupted another handler. */
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

/* Restore the context of the interrupted handler. */
static __always_inline void kprobe_ctx_restore(struct kprobe_saved_ctx saved)
{
	kprobe_check_irqs_off();
	barrier();
	__this_cpu_write(current_kprobe, saved.running);
	barrier();
	__this_cpu_write(kprobe_current_ctx, saved.id);
}

/* Return true if a hit in context @id must be missed: recursion, or busy. */
static __always_inline bool kprobe_recursion(unsigned int id)
{
	unsigned int running = __this_cpu_read(kprobe_current_ctx);

	if (!__this_cpu_read(current_kprobe))
		return false;
	if (running == KPROBE_CTX_BUSY)
		return true;
	if (running == KPROBE_CTX_NONE)
		return (id & KPROBE_NMI_MASK) == 0;
	if (running == KPROBE_CTX_TRAP)
		return (id & KPROBE_NMI_MASK) == NMI_OFFSET;
	return running == id;
}

/* Begin and end the handlers of a hit that does not nest. */
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

/* The value of site->pre if no active probe has a pre handler. */
extern struct kprobe kprobe_no_pre;

static __always_inline struct kprobe *
kprobe_first_pre(const struct kprobe_site *site)
{
	return rcu_dereference_raw(site->pre);
}

/* Call the pre handlers from @p on.  Return true if one diverted the hit. */
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

/* Set while unregistering ignores this CPU's handlers: see hit.c. */
DECLARE_PER_CPU(bool, kprobe_cpu_offline);

/* hit.c: count hits whose handlers did not run */
void kprobe_site_missed(struct kprobe_site *site, enum kprobe_miss why);
void kprobe_site_missed_alone(struct kprobe_site *site, enum kprobe_miss why);

enum kprobe_verdict kprobe_site_pre_slow(struct kprobe_site *site,
					 struct pt_regs *regs,
					 enum kprobe_by by);
void kprobe_site_post_slow(struct kprobe_site *site, struct pt_regs *regs);

/**
 * kprobe_site_pre - call the pre handlers of a site
 * @site: the site; cannot be freed while a hit is at its text or in its detour
 * @regs: full registers; the ip is KPROBE_IP_SKID past the site
 * @by: mechanism that delivers the hit
 *
 * Context: any; interrupts off.
 * Return: how the hit continues.
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
		 * If the site has only post handlers, there is nothing to call
		 * here.  The other mechanisms do not test for this: they call
		 * the empty handler of kprobe_no_pre.
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
 * kprobe_site_pre_jump - kprobe_site_pre() for a hit through a detour
 * @site: the site
 * @regs: full registers; the ip is KPROBE_IP_SKID past the site
 *
 * Post handlers are not called: a site that gets one loses its jump.  So with a
 * single probe, as usual, no variable has to survive the call of the handler.
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
	/* A plain read lets x86 use a memory operand; the walk reads again. */
	if (unlikely(data_race(p->pre_next)))
		return kprobe_site_pre_chain(p, regs);
	__this_cpu_write(current_kprobe, p);
	diverted = p->run_pre(p, regs);
	kprobe_running_clear(KPROBE_BY_CODE);
	return diverted;
}

/**
 * kprobe_site_post - call the post handlers of a site
 * @site: the site, after kprobe_site_pre() returned KPROBE_HIT_EXECUTE
 * @regs: full registers after the instruction
 * @by: mechanism that delivers the hit
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

#ifndef CONFIG_KPROBES_CLASSIC
/*
 * Work before and after the handlers of a hit that is not an exception
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
 * kprobe_hit_enter - do the entry work of an exception, for a hit without one
 * @regs: the registers for the handlers, saved by assembly code
 * @irqs_on: whether interrupts were on in the probed code
 *
 * This disables preemption.  The caller must have disabled interrupts without
 * notifying lockdep, and must restore them.
 *
 * Return: the argument for kprobe_hit_exit().
 */
static __always_inline bool kprobe_hit_enter(struct pt_regs *regs, bool irqs_on)
{
	bool traced_on = trace_irqs_enabled() && kprobe_trace_irqs_off(irqs_on);

	preempt_disable_notrace();
	kmsan_unpoison_entry_regs(regs);
	return traced_on;
}

/**
 * kprobe_hit_exit - undo kprobe_hit_enter()
 * @regs: the registers, from which assembly code restores the interrupt state
 * @traced_on: the return value of kprobe_hit_enter()
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
	/*
	 * Also report to a tracer that was started since the entry: tracers
	 * ignore redundant reports.  With PROVE_LOCKING, @traced_on decides.
	 */
	if (traced_on || (!IS_ENABLED(CONFIG_PROVE_LOCKING) &&
			  trace_irqs_enabled() && arch_kprobe_irqs_on(regs)))
		kprobe_trace_irqs_on();
}
#endif /* CONFIG_KPROBES_CLASSIC */

#endif /* CONFIG_KPROBES */
#endif /* _LINUX_KPROBES_HIT_H */
