/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: what the core (kernel/kprobes.c, kernel/kprobes/) and the
 * architectures' backends owe each other.
 *
 * An architecture that works on sites selects HAVE_KPROBE_SITES, defines in its
 * <asm/kprobes.h>
 *
 *	struct arch_kprobe_insn	what it has learned of one instruction, and
 *	KPROBE_SLOT_SIZE	the bytes of one slot (a power of two),
 *
 * and implements the arch_kprobe_*() functions declared here.
 */
#ifndef _LINUX_KPROBES_BACKEND_H
#define _LINUX_KPROBES_BACKEND_H

#include <linux/atomic.h>
#include <linux/context_tracking.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <asm/processor.h>

struct exception_table_entry;
struct module;

/**
 * enum kprobe_refusal - why an address cannot be probed
 *
 * Each has a name and the errno that callers get in kprobe_refusal_errno().
 *
 * @KPROBE_OK: it can
 * @KPROBE_NOT_TEXT: neither kernel nor module text
 * @KPROBE_BLACKLISTED: NOKPROBE_SYMBOL(), __kprobes, entry code and the like
 * @KPROBE_TOO_EARLY: the kernel is still changing its text for this machine
 * @KPROBE_MODULE_STATE: in a module that is being loaded or unloaded, or in
 *	init text that is no longer needed
 * @KPROBE_JUMP_LABEL: the kernel itself patches this jump
 * @KPROBE_STATIC_CALL: the kernel itself patches this call
 * @KPROBE_ALTERNATIVE: the kernel itself patches this prefix
 * @KPROBE_FTRACE_SITE: ftrace patches this call and probes cannot use ftrace
 * @KPROBE_BUG_SITE: a BUG() or WARN(), found by its address when it traps
 * @KPROBE_PADDING: filler between functions, never executed
 * @KPROBE_CFI_PREAMBLE: a type hash that callers read
 * @KPROBE_MISALIGNED: no instruction can begin at such an address
 * @KPROBE_NO_BOUNDARY: in the middle of an instruction
 * @KPROBE_UNDECODABLE: no instruction that the decoder knows
 * @KPROBE_TRAP_INSN: a breakpoint or software interrupt
 * @KPROBE_FAR_TRANSFER: loads the code segment, or enters or leaves the
 *	kernel
 * @KPROBE_UNRELOCATABLE: works only where it stands
 * @KPROBE_OUT_OF_REACH: its operand is too far from any slot
 * @KPROBE_NOT_ENTRY: not the entry of a function, for a return probe or jprobe
 * @KPROBE_NO_RETURN: of a function whose return cannot be followed
 * @KPROBE_NO_MEMORY: no memory
 */
enum kprobe_refusal {
	KPROBE_OK,
	KPROBE_NOT_TEXT,
	KPROBE_BLACKLISTED,
	KPROBE_TOO_EARLY,
	KPROBE_MODULE_STATE,
	KPROBE_JUMP_LABEL,
	KPROBE_STATIC_CALL,
	KPROBE_ALTERNATIVE,
	KPROBE_FTRACE_SITE,
	KPROBE_BUG_SITE,
	KPROBE_PADDING,
	KPROBE_CFI_PREAMBLE,
	KPROBE_MISALIGNED,
	KPROBE_NO_BOUNDARY,
	KPROBE_UNDECODABLE,
	KPROBE_TRAP_INSN,
	KPROBE_FAR_TRANSFER,
	KPROBE_UNRELOCATABLE,
	KPROBE_OUT_OF_REACH,
	KPROBE_NOT_ENTRY,
	KPROBE_NO_RETURN,
	KPROBE_NO_MEMORY,
};

int kprobe_refusal_errno(enum kprobe_refusal why);
const char *kprobe_refusal_name(enum kprobe_refusal why);

#ifdef CONFIG_HAVE_KPROBE_SITES

/**
 * enum kprobe_obstacle - why a breakpoint cannot become a jump
 *
 * Up to @KPROBE_OBSTACLE_TEXT they come and go; from there on they are in the
 * text, which does not change.
 *
 * @KPROBE_NO_OBSTACLE: it can
 * @KPROBE_SWITCHED_OFF: by the sysctl
 * @KPROBE_POST_HANDLER: a probe there has a post handler, and needs the trap
 * @KPROBE_JPROBE: a jprobe is there
 * @KPROBE_PROBE_INSIDE: another probe stands under the jump
 * @KPROBE_FOREIGN_TRAP: somebody else's breakpoint in the function
 * @KPROBE_DETOUR_MEMORY: no memory for the detour; tried again after a while
 * @KPROBE_OBSTACLE_TEXT: an ftrace site, or none of the following
 * @KPROBE_NOT_ANALYSED: the function is too large, or its text unreadable
 * @KPROBE_FUNCTION_END: the jump would reach beyond the function
 * @KPROBE_COLD_PART: a part of a function that others jump into
 * @KPROBE_JUMPED_INTO: a branch leads under the jump
 * @KPROBE_EXCEPTION_LANDING: an exception fix-up leads under the jump
 * @KPROBE_INDIRECT_JUMP: the function has an indirect jump with unknown targets
 * @KPROBE_CALL_INSIDE: a call under the jump: it would return there
 * @KPROBE_FAULT_INSIDE: an instruction under the jump, other than the first,
 *	that may fault and be restarted
 * @KPROBE_PATCHED_INSIDE: the kernel itself patches what is under the jump
 * @KPROBE_FORBIDDEN_INSIDE: what is under the jump must not be probed
 * @KPROBE_BOUND_INSIDE: an instruction under the jump works only where it
 *	stands
 * @KPROBE_DIRECTION: the function sets the direction flag
 * @KPROBE_LANDING_PAD: indirect branches land there, and on no jump
 * @KPROBE_DETOUR_LENGTH: the displaced instructions need too much room
 * @KPROBE_DETOUR_REACH: their operands are too far from any detour
 */
enum kprobe_obstacle {
	KPROBE_NO_OBSTACLE,
	KPROBE_SWITCHED_OFF,
	KPROBE_POST_HANDLER,
	KPROBE_JPROBE,
	KPROBE_PROBE_INSIDE,
	KPROBE_FOREIGN_TRAP,
	KPROBE_DETOUR_MEMORY,
	KPROBE_OBSTACLE_TEXT,
	KPROBE_NOT_ANALYSED,
	KPROBE_FUNCTION_END,
	KPROBE_COLD_PART,
	KPROBE_JUMPED_INTO,
	KPROBE_EXCEPTION_LANDING,
	KPROBE_INDIRECT_JUMP,
	KPROBE_CALL_INSIDE,
	KPROBE_FAULT_INSIDE,
	KPROBE_PATCHED_INSIDE,
	KPROBE_FORBIDDEN_INSIDE,
	KPROBE_BOUND_INSIDE,
	KPROBE_DIRECTION,
	KPROBE_LANDING_PAD,
	KPROBE_DETOUR_LENGTH,
	KPROBE_DETOUR_REACH,
};

const char *kprobe_obstacle_name(enum kprobe_obstacle what);

/**
 * enum kprobe_site_state - how the text of a site looks
 *
 *	JUMP <----> TRAP <----> CLEAN <----> FTRACE
 *	  |                     ^ |
 *	  +---------------------+ v
 *	                         GONE
 *
 * @KPROBE_SITE_CLEAN: as if nobody probed it
 * @KPROBE_SITE_TRAP: a breakpoint stands there
 * @KPROBE_SITE_JUMP: a jump to the detour stands there
 * @KPROBE_SITE_FTRACE: ftrace calls for it
 * @KPROBE_SITE_GONE: there is no such text any more; final
 */
enum kprobe_site_state {
	KPROBE_SITE_CLEAN,
	KPROBE_SITE_TRAP,
	KPROBE_SITE_JUMP,
	KPROBE_SITE_FTRACE,
	KPROBE_SITE_GONE,
};

/**
 * struct kprobe_site - one probed address
 *
 * First what a hit looks at; on 64 bits it is one cache line with the first
 * fields of @insn.
 *
 * @chain: the next ones in the table of sites, one link for each of two tables;
 *	under kprobe_mutex, read by RCU
 * @addr: the probed address; constant
 * @pre: those of @active that have a pre handler, by kprobe::pre_next, or
 *	kprobe_nobody; changed under kprobe_mutex, read by RCU
 * @npost: how many of @active have a post handler; same
 * @state: how the text looks; under kprobe_mutex and text_mutex
 * @next: how it is to look when the batch is applied; under kprobe_mutex
 * @on_ftrace: the instruction is ftrace's to patch; constant
 * @on_entry: nothing of the function has been executed before; constant
 * @insn: what the backend knows of the instruction; what of it changes once
 *	the site can be hit, the backend publishes
 * @active: kprobe::list of the enabled probes, in the order of their
 *	registration; changed under kprobe_mutex, read by RCU
 * @ftrace_ops: by which ftrace calls; under kprobe_mutex, read by its callback
 * @probes: kprobe::hlist of all probes, newest first; under kprobe_mutex
 * @all: in the list of all sites; under kprobe_mutex
 * @plan: in the batch that the reconciler works on; under kprobe_mutex
 * @retired: once out of the table: in the queue of things to free behind a
 *	grace period
 * @njprobe: how many of @active are jprobes; under kprobe_mutex
 * @opcode: what the trap stands in the place of; constant
 * @obstacle: enum kprobe_obstacle in the text, if it has been analysed; under
 *	kprobe_mutex
 * @close: there is, or has been, another site so close that a jump at one of
 *	the two would cover the other; under kprobe_mutex
 * @detoured: traps already run the displaced copy in the detour; under
 *	kprobe_mutex
 * @optimize: in a list of kernel/kprobes/optimizer.c; under kprobe_mutex
 */
struct kprobe_site {
	struct kprobe_site __rcu *chain[2];
	kprobe_opcode_t *addr;
	struct kprobe *pre;
	unsigned int npost;
	enum kprobe_site_state state : 8;
	enum kprobe_site_state next : 8;
	bool on_ftrace;
	bool on_entry;
	struct arch_kprobe_insn insn;
	struct list_head active;
#ifdef CONFIG_KPROBES_ON_FTRACE
	struct ftrace_ops *ftrace_ops;
#endif

	struct hlist_head probes;
	struct list_head all;
	union {
		struct list_head plan;
		struct llist_node retired;
	};
	unsigned int njprobe;
	kprobe_opcode_t opcode;
#ifdef CONFIG_OPTPROBES
	u8 obstacle;
	bool close;
	bool detoured;
	struct list_head optimize;
#endif
};

/**
 * arch_kprobe_entry - move a probe from a function's first byte to its first
 *	instruction that can be probed
 * @addr: where the caller wants it
 * @offset: how far that is behind the start of the function
 * @on_entry: set to whether the result is the entry of the function
 *
 * Return: the address to probe.
 */
kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry);

/**
 * struct kprobe_symbol - what kallsyms says of an address
 * @start: where the symbol begins that it is in
 * @size: up to the next symbol, in bytes; 0: there is none, and no @name
 * @name: of the symbol
 */
struct kprobe_symbol {
	unsigned long start;
	unsigned long size;
	char name[KSYM_NAME_LEN];
};

/**
 * arch_kprobe_inspect - may the instruction at this address be probed?
 * @site: @addr is set; filled in: opcode and insn
 * @symbol: around it
 *
 * Decodes the instruction and finds out how it is to be executed from
 * elsewhere.  Allocates nothing and changes no text.
 *
 * Context: kprobe_mutex, jump_label_mutex and text_mutex held.
 * Return: the reason for a refusal, or KPROBE_OK.
 */
enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol);

/** arch_kprobe_emulated - is the instruction of an inspected site emulated? */
bool arch_kprobe_emulated(const struct kprobe_site *site);

/**
 * arch_kprobe_prepare - make what @site needs to be hit
 * @site: has been inspected
 * @with_post: post handlers are to be called, too
 *
 * May be called again when a post handler comes to a site without any.
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: the reason for a refusal, or KPROBE_OK.
 */
enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post);

/** arch_kprobe_release - free what arch_kprobe_prepare() made; may sleep */
void arch_kprobe_release(struct kprobe_site *site);

/**
 * arch_kprobe_patch - bring the text of a set of sites to their next state
 * @plan: sites, linked by kprobe_site::plan; each differs in state and next
 *
 * On return every CPU executes the new text, and every CPU has left the
 * handlers it was in when the call began.
 *
 * Context: may sleep; CPU hotplug excluded, kprobe_mutex and text_mutex held.
 */
void arch_kprobe_patch(struct list_head *plan);

/* A module's exception table; kprobe_mutex held. */
void kprobe_module_extable(struct module *mod,
			   const struct exception_table_entry **start,
			   const struct exception_table_entry **end);

/* The module that an address is in the text of, or NULL. */
struct module *kprobe_module_of(unsigned long addr);

/* The symbol around an address of text that stays; kprobe_mutex held. */
void kprobe_find_symbol(unsigned long addr, struct kprobe_symbol *symbol);

/* Is this address in a range that must not be probed? */
bool kprobe_blackout_covers(unsigned long addr);

/* Does the kernel itself patch some of [start, end)? */
enum kprobe_refusal kprobe_patched(unsigned long start, unsigned long end);

/* Where jump labels in [start, end) lead, also those off. */
bool kprobe_jump_label_targets(unsigned long start, unsigned long end,
			       void (*found)(void *data, unsigned long target),
			       void *data);

#ifdef CONFIG_OPTPROBES
/*
 * Jumps.  <asm/kprobes.h> has KPROBE_DETOUR_SIZE, the bytes of a detour (a
 * power of two), and KPROBE_JUMP_SIZE, those of the jump.
 */

/**
 * arch_kprobe_analyse - may a jump take the place of this site's trap?
 * @site: has been inspected
 *
 * Fills in what arch_kprobe_detour() wants to know.
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: KPROBE_NO_OBSTACLE, or what is in the way: an obstacle in the text,
 * KPROBE_FOREIGN_TRAP or KPROBE_DETOUR_MEMORY.
 */
enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site);

/**
 * arch_kprobe_detour - build the detour of a site
 * @site: has been analysed with success; may have one already
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: as arch_kprobe_analyse().
 */
enum kprobe_obstacle arch_kprobe_detour(struct kprobe_site *site);

/**
 * arch_kprobe_use_detour - where is a trap to run the displaced instruction?
 * @site: has a detour
 * @use: there, with all others under the jump; or alone, in its slot
 *
 * Context: kprobe_mutex held.
 */
void arch_kprobe_use_detour(struct kprobe_site *site, bool use);

/*
 * A handler may go on anywhere, also at an instruction that a jump covers.
 * Where a jump covers more than one, <asm/kprobes.h> defines arch_kprobe_resume
 * and has
 *
 *	void arch_kprobe_resume(struct pt_regs *regs)
 *		called after a handler has chosen the instruction pointer in
 *		@regs, with interrupts off, in the hit or in the exception:
 *		moves it to where that instruction can be executed.
 */

/**
 * arch_kprobe_unanalyse - forget what is still known of a site's function
 * @site: goes away, or its text does
 *
 * Context: kprobe_mutex held.
 */
void arch_kprobe_unanalyse(struct kprobe_site *site);

#endif /* CONFIG_OPTPROBES */

#ifndef arch_kprobe_resume
static __always_inline void arch_kprobe_resume(struct pt_regs *regs) { }
#endif

/**
 * arch_kprobe_blacklist - what the architecture wants never to be probed
 *
 * Calls kprobe_add_area_blacklist() and its like.
 *
 * Return: 0 or -ENOMEM.
 */
int arch_kprobe_blacklist(void);

/*
 * The hit path.  All of it runs with interrupts off: see "Who may run when"
 * at the head of kernel/kprobes.c, which rests on it.  It is written here so
 * that a backend's entry and the walk of the handlers become one function:
 * calls between them would cost more than what they do.
 */

/**
 * kprobe_context_key - which context the code around a hit runs in
 * @entries: how many times irqentry_nmi_enter() was called for this very hit
 *
 * Two hits on one CPU have the same key exactly when none of them stands in
 * an interrupt, a softirq or an NMI that came on top of the other.  (With
 * PREEMPT_RT softirqs are not counted there, and come on top of nothing that
 * has preemption off.)
 */
static __always_inline unsigned int kprobe_context_key(unsigned int entries)
{
	return (preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)) -
	       entries * (NMI_OFFSET + HARDIRQ_OFFSET);
}

/*
 * Who is running on this CPU, together with current_kprobe:
 *
 *	current_kprobe	kprobe_current_key
 *	NULL		any		nothing
 *	p		KPROBE_NO_KEY	a handler, in no NMI; or begins, ends
 *	p		KPROBE_TRAP_KEY	a handler, in no NMI but its trap's
 *	p		KPROBE_BUSY_KEY	the caller of kprobe_busy_begin()
 *	p		key		a handler in an NMI: in this context
 *
 * Outside of NMIs a handler need not say more: interrupts are off, so a hit on
 * top of it stands in an NMI, or has been brought about by it.  Whoever has a
 * key writes it after current_kprobe and takes it away after that is NULL; an
 * NMI that comes between finds KPROBE_NO_KEY or nobody, which for an NMI is
 * the same, and leaves both as it has found them.
 */
DECLARE_PER_CPU(unsigned int, kprobe_current_key);
#define KPROBE_NO_KEY	(~0U)
#define KPROBE_TRAP_KEY	(~1U)
#define KPROBE_BUSY_KEY	(~2U)

/*
 * Whether a hit has to tell its context from others': something is running on
 * this CPU, or this is an NMI.  @entries: as for kprobe_context_key().
 */
static __always_inline bool kprobe_hit_nests(unsigned int entries)
{
	/* The hit's own entry is one NMI, and a second one makes two. */
	const unsigned int nmi = entries ? NMI_MASK & ~NMI_OFFSET : NMI_MASK;

	return __this_cpu_read(current_kprobe) || (preempt_count() & nmi);
}

/* Adds 1 to a counter that belongs to users: rare, but exact. */
#define kprobe_count_miss(counter)					\
do {									\
	typeof(counter) __counter = (counter);				\
	typeof(*__counter) __n = READ_ONCE(*__counter);			\
									\
	while (!try_cmpxchg(__counter, &__n, __n + 1))			\
		cpu_relax();						\
} while (0)

/* A current_kprobe for those who are none. */
extern struct kprobe kprobe_busy;

/**
 * struct kprobe_outer - a handler on top of which others run
 * @running: it
 * @key: that of its context
 */
struct kprobe_outer {
	struct kprobe *running;
	unsigned int key;
};

/* Handlers are about to run with a key, on top of whatever there is. */
static __always_inline struct kprobe_outer kprobe_run_begin(unsigned int key)
{
	struct kprobe_outer outer = {
		.running = __this_cpu_read(current_kprobe),
		.key = __this_cpu_read(kprobe_current_key),
	};

	__this_cpu_write(current_kprobe, &kprobe_busy);
	barrier();
	__this_cpu_write(kprobe_current_key, key);
	barrier();
	return outer;
}

/* They have run. */
static __always_inline void kprobe_run_end(struct kprobe_outer outer)
{
	barrier();
	__this_cpu_write(current_kprobe, outer.running);
	barrier();
	__this_cpu_write(kprobe_current_key, outer.key);
}

/* Whether a hit with this key misses its handlers. */
static __always_inline bool kprobe_recursion(unsigned int key)
{
	unsigned int running = __this_cpu_read(kprobe_current_key);

	if (!__this_cpu_read(current_kprobe))
		return false;
	if (running == KPROBE_BUSY_KEY)
		return true;
	if (running == KPROBE_NO_KEY)
		return (key & NMI_MASK) == 0;
	if (running == KPROBE_TRAP_KEY)
		return (key & NMI_MASK) == NMI_OFFSET;
	return running == key;
}

/* What a hit that does not nest says of itself, before and behind handlers. */
static __always_inline void kprobe_run_first(struct kprobe *p,
					     unsigned int entries)
{
	__this_cpu_write(current_kprobe, p);
	barrier();
	if (entries)
		__this_cpu_write(kprobe_current_key, KPROBE_TRAP_KEY);
	barrier();
}

static __always_inline void kprobe_run_last(unsigned int entries)
{
	barrier();
	__this_cpu_write(current_kprobe, NULL);
	barrier();
	if (entries)
		__this_cpu_write(kprobe_current_key, KPROBE_NO_KEY);
}

/*
 * The table of sites
 */

/**
 * struct kprobe_site_table - all sites, by address
 * @shift: leaves as many bits of a hash as there are bits in a bucket's index
 * @which: of kprobe_site::chain its chains use; constant
 * @buckets: the first sites of the chains; changed under kprobe_mutex, read by
 *	RCU
 *
 * kernel/kprobes/table.c says how it is replaced and why no reader is led
 * astray by that.
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

/** enum kprobe_verdict - how a hit goes on after the pre handlers */
enum kprobe_verdict {
	KPROBE_STEP,		/* execute the instruction; post handlers */
	KPROBE_STEP_MISSED,	/* execute the instruction; no post handlers */
	KPROBE_DIVERTED,	/* a handler has set the instruction pointer */
};

/* Where a site without pre handlers has its first probe that has one. */
extern struct kprobe kprobe_nobody;

static __always_inline struct kprobe *
kprobe_first_pre(const struct kprobe_site *site)
{
	return rcu_dereference_raw(site->pre);
}

/*
 * Calls pre handlers, from kprobe_first_pre() on.
 *
 * Return: whether one of them has moved on.
 */
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

enum kprobe_verdict kprobe_site_pre_nested(struct kprobe_site *site,
					   struct pt_regs *regs,
					   unsigned int entries);
void kprobe_site_post_nested(struct kprobe_site *site, struct pt_regs *regs);

/**
 * kprobe_site_pre - a site was hit: call its pre handlers
 * @site: it
 * @regs: full registers, the instruction pointer at the site
 * @entries: how many times irqentry_nmi_enter() was called for this hit
 *
 * Context: any; interrupts off.
 * Return: how the hit goes on.
 */
static __always_inline enum kprobe_verdict
kprobe_site_pre(struct kprobe_site *site, struct pt_regs *regs,
		unsigned int entries)
{
	struct kprobe *first;

	if (unlikely(kprobe_hit_nests(entries)))
		return kprobe_site_pre_nested(site, regs, entries);

	first = kprobe_first_pre(site);
	if (entries) {
		/* May be there for post handlers. Jumps seldom have nobody. */
		if (first == &kprobe_nobody)
			return KPROBE_STEP;
		kprobe_run_first(first, entries);
	}
	if (unlikely(kprobe_call_pre(first, regs))) {
		kprobe_run_last(entries);
		return KPROBE_DIVERTED;
	}
	kprobe_run_last(entries);
	return KPROBE_STEP;
}

/**
 * kprobe_site_post - the instruction was executed: call the post handlers
 * @site: where; kprobe_site_pre() said KPROBE_STEP
 * @regs: full registers after the instruction
 * @entries: as for kprobe_site_pre()
 *
 * Context: any; interrupts off.
 */
static __always_inline void kprobe_site_post(struct kprobe_site *site,
					     struct pt_regs *regs,
					     unsigned int entries)
{
	if (unlikely(kprobe_hit_nests(entries)))
		return kprobe_site_post_nested(site, regs);

	kprobe_run_first(&kprobe_busy, entries);
	kprobe_call_post(site, regs);
	kprobe_run_last(entries);
}

#ifdef CONFIG_TRACE_IRQFLAGS
/*
 * Tell lockdep and tracepoints of interrupts, which are off already and still.
 * RCU need not be watching, and is if tracepoints are called.
 */
void kprobe_trace_irqs_off(void);
void kprobe_trace_irqs_on(void);
#endif

/**
 * kprobe_hit_enter - make a hit that no exception brought like one
 *
 * Handlers find interrupts and preemption off; see kprobe_rcu_watching(), too.
 *
 * Return: for kprobe_hit_exit().
 */
static __always_inline unsigned long kprobe_hit_enter(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
#ifdef CONFIG_TRACE_IRQFLAGS
	if (!raw_irqs_disabled_flags(flags))
		kprobe_trace_irqs_off();
#endif
	preempt_disable_notrace();
	return flags;
}

/*
 * kprobe_hit_exit - the reverse of kprobe_hit_enter()
 *
 * In this order, since a handler may have woken up somebody on this CPU.
 */
static __always_inline void kprobe_hit_exit(unsigned long flags)
{
#ifdef CONFIG_TRACE_IRQFLAGS
	if (!raw_irqs_disabled_flags(flags))
		kprobe_trace_irqs_on();
#endif
	raw_local_irq_restore(flags);
	preempt_enable_notrace();
}

void kprobe_reschedule(struct pt_regs *regs);

/**
 * kprobe_thunk_enter - the same for a hit that a backend's own code has brought
 *
 * It has already disabled interrupts, and will restore them from the registers
 * that it has saved.
 *
 * Return: for kprobe_thunk_exit().
 */
static __always_inline bool kprobe_thunk_enter(void)
{
	bool traced_on = false;

#ifdef CONFIG_TRACE_IRQFLAGS
	/* Which is not the same as what the registers say, everywhere. */
	traced_on = lockdep_hardirqs_enabled();
	if (traced_on)
		kprobe_trace_irqs_off();
#endif
	preempt_disable_notrace();
	return traced_on;
}

/** kprobe_thunk_exit - the reverse of kprobe_thunk_enter() */
static __always_inline void kprobe_thunk_exit(struct pt_regs *regs,
					      bool traced_on)
{
#ifdef CONFIG_PREEMPTION
	if (unlikely(__preempt_count_dec_and_test()))
		kprobe_reschedule(regs);
#else
	preempt_enable_notrace();
#endif
#ifdef CONFIG_TRACE_IRQFLAGS
	if (traced_on)
		kprobe_trace_irqs_on();
#endif
}

/*
 * Where its ftrace can save all registers, <asm/kprobes.h> also has
 *
 *	struct pt_regs *arch_kprobe_ftrace_regs(struct ftrace_regs *fregs)
 *		the registers, for one that asked for them.
 */

/*
 * Calls of functions: what return probes and jprobes need of a backend.
 *
 * Its <asm/kprobes.h> has, as inline functions,
 *
 *	unsigned long *arch_kprobe_return_place(struct pt_regs *regs)
 *		where a function that is about to begin has its return
 *		address, on the stack or in @regs,
 *	bool arch_kprobe_irqs_on(struct pt_regs *regs)
 *		whether interrupts were on where these are from, and
 *	void *arch_kprobe_frame(struct pt_regs *regs)
 *		what the call can be told from others by, until it returns.
 *
 *	void *arch_kretprobe_enter(struct pt_regs *regs)
 *		completes registers that __kretprobe_trampoline() has saved,
 *		after which it has disabled interrupts; returns what
 *		arch_kprobe_frame() has told the call by.
 *
 * __kretprobe_trampoline() calls kretprobe_hit(), which sets the instruction
 * pointer in the registers to where the call really returns to.
 */
void kretprobe_hit(struct pt_regs *regs);

/**
 * arch_jprobe_call - call a function with the arguments of another
 * @entry: the function to call
 * @regs: at the entry of the other
 *
 * Stack arguments are copied, 64 bytes at least.
 *
 * Context: the hit of a probe; returns when @entry does or when it calls
 * arch_jprobe_return().
 */
void arch_jprobe_call(void *entry, struct pt_regs *regs);

/** arch_jprobe_return - see there; does not return to its caller */
void arch_jprobe_return(void);

/*
 * Slots: memory for displaced instructions, never writable and executable.
 *
 * Where not any memory will do, <asm/kprobes.h> defines arch_kprobe_slots_near
 * and has
 *
 *	bool arch_kprobe_slots_near(const void *text,
 *				    const struct kprobe_site *site)
 *		whether a page can have slots for a site, and
 *	void *arch_kprobe_alloc_slots(const struct kprobe_site *site)
 *		a new one that can, to be freed by execmem_free(); or NULL.
 */
void *kprobe_slot_alloc(struct kprobe_site *owner, unsigned int size);
void kprobe_slot_free(void *slot);
struct kprobe_site *kprobe_slot_owner(unsigned long addr, void **slot);

/* Fills fresh slot memory, not yet executable, with what traps. */
void arch_kprobe_fill_slots(void *text, size_t size);

/* Where a displaced instruction pointer would be in place. */
unsigned long arch_kprobe_undisplaced(struct kprobe_site *site, void *slot,
				      unsigned long ip);

/*
 * The same for one that is to go on there: changes @ip and returns true, unless
 * nobody may go on there.
 */
bool arch_kprobe_in_place(struct kprobe_site *site, void *slot,
			  unsigned long *ip);

#endif /* CONFIG_HAVE_KPROBE_SITES */

/**
 * kprobe_rcu_watching - is RCU watching this CPU?
 *
 * If it is not, handlers are to be called between kprobe_rcu_enter() and
 * kprobe_rcu_exit(), out of line, since that is rare.
 */
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

static __always_inline void kprobe_rcu_enter(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	ct_nmi_enter();
#endif
}

static __always_inline void kprobe_rcu_exit(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	ct_nmi_exit();
#endif
}

/*
 * Readers of sites and instances that may be called where RCU is not watching,
 * by an unwinder above all: preemption off, RCU watching.
 *
 * Return: for kprobe_read_unlock().
 */
static __always_inline bool kprobe_read_lock(void)
{
	preempt_disable_notrace();
	if (likely(kprobe_rcu_watching()))
		return false;
	kprobe_rcu_enter();
	return true;
}

static __always_inline void kprobe_read_unlock(bool entered)
{
	if (unlikely(entered))
		kprobe_rcu_exit();
	preempt_enable_notrace();
}

/* Blacklist; the ranges are half open. */
int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/* For the tests: how much is in use, and wait until what was freed is free. */
unsigned int kprobe_slots_in_use(void);
unsigned int kprobe_sites_in_use(void);
unsigned int kprobe_table_buckets(void);
unsigned int kprobe_table_used(void);
void kprobe_table_settle(void);
unsigned int kretprobe_pools_in_use(void);
void kprobe_flush_retired(void);
int kprobe_set_global(bool on);
#ifdef CONFIG_OPTPROBES
void kprobe_optimizer_switch(bool on);
enum kprobe_obstacle kprobe_obstacle_at(kprobe_opcode_t *addr);
enum kprobe_obstacle kprobe_explained_obstacle(kprobe_opcode_t *addr);
#endif
#endif

#endif /* _LINUX_KPROBES_BACKEND_H */
