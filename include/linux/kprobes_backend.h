/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the contract between the core and an architecture's backend,
 * in the order of a site's life.  Documentation/trace/kprobes-porting.rst goes
 * through it step by step.
 *
 * A backend selects HAVE_KPROBE_SITES, and defines in its <asm/kprobes.h>
 *
 *	kprobe_opcode_t		what a breakpoint replaces
 *	struct arch_kprobe_insn	what it keeps of a probed instruction
 *	KPROBE_SLOT_SIZE	bytes of a slot, a power of two
 *	arch_kprobe_irqs_on(regs)	whether interrupts were on at @regs
 *	arch_kprobe_unwind()	optional: orig_ip() and a stack pointer
 *
 * and what 3. and 4. below say.  The path of a hit is in <linux/kprobes_hit.h>,
 * with KPROBE_ADDR_KEEPS_PAD and KPROBE_IP_SKID, which a backend may define.
 */
#ifndef _LINUX_KPROBES_BACKEND_H
#define _LINUX_KPROBES_BACKEND_H

#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_reasons.h>

struct exception_table_entry;
struct kprobe_relay;
struct module;

#ifdef CONFIG_KPROBES

/* 1. The site: one probed address. */

/**
 * enum kprobe_site_state - how the text of a site looks
 *
 * kprobe_site_set_state() in patch.c shows what changes which into which.
 *
 * @KPROBE_SITE_CLEAN: as without a probe
 * @KPROBE_SITE_TRAP: a breakpoint stands there
 * @KPROBE_SITE_JUMP: a jump to the site's detour stands there
 * @KPROBE_SITE_FTRACE: ftrace calls the core
 * @KPROBE_SITE_BEHIND: the same as CLEAN, but hits at the instruction behind
 *	are this site's, too: see relay.c
 * @KPROBE_SITE_GONE: the text has been freed; final
 */
enum kprobe_site_state {
	KPROBE_SITE_CLEAN,
	KPROBE_SITE_TRAP,
	KPROBE_SITE_JUMP,
	KPROBE_SITE_FTRACE,
	KPROBE_SITE_BEHIND,
	KPROBE_SITE_GONE,
};

/**
 * struct kprobe_site - one probed address
 *
 * The fields that a hit reads come first.  "Locked" means under kprobe_mutex.
 *
 * @chain: links in the table of sites (table.c); locked, read by RCU
 * @addr: the probed address; constant
 * @pre: the first active probe with a pre handler, or kprobe_no_pre; the next
 *	ones by kprobe::pre_next; locked, read by RCU
 * @npost: active probes with a post handler; locked, read by hits
 * @state: how the text looks; locked, and under text_mutex
 * @target: how it is to look when the batch is applied; locked
 * @on_ftrace: the instruction is ftrace's to patch; constant
 * @on_entry: no instruction of the function comes before it; constant
 * @slot: the out-of-line copy, if the backend has made one in prepare
 * @insn: the backend's; what changes once the site can be hit is published by
 *	the backend
 * @post_slot: the same as @slot, for hits with post handlers
 * @detour: where the jump leads; NULL while there is none
 * @active: enabled probes by kprobe::list, newest first; locked, read by RCU
 * @ftrace_ops: by which ftrace calls, see ftrace.c; locked, read by hits
 * @relay: of a site on ftrace: the probe on the instruction behind; locked
 * @no_relay: that instruction must not be probed for this one; locked
 * @probes: all probes by kprobe::hlist, newest first; locked
 * @all: in the list of all sites; locked
 * @batch: in the batch of the reconciler or optimizer; locked
 * @retired: out of the table, in the queue of retire.c
 * @njprobe: active probes that are jprobes; locked
 * @opcode: what the breakpoint replaces; constant
 * @obstacle: enum kprobe_obstacle that the last try to make a jump met; locked
 * @has_neighbour: another site is, or was, less than a jump away; locked
 * @trap_uses_detour: traps run the copy in the detour already; locked
 * @optimize: in a list of optimizer.c; locked
 * @missed: hits there whose handlers did not run, by enum kprobe_miss
 */
struct kprobe_site {
	struct kprobe_site __rcu *chain[2];
	kprobe_opcode_t *addr;
	struct kprobe *pre;
	unsigned int npost;
	enum kprobe_site_state state : 8;
	enum kprobe_site_state target : 8;
	bool on_ftrace;
	bool on_entry;
	void *slot;
	struct arch_kprobe_insn insn;

	void *post_slot;
	void *detour;
	struct list_head active;
	struct ftrace_ops *ftrace_ops;
	struct kprobe_relay *relay;
	struct hlist_head probes;
	struct list_head all;
	union {
		struct list_head batch;
		struct llist_node retired;
	};
	unsigned int njprobe;
	kprobe_opcode_t opcode;
	u8 obstacle;
	bool has_neighbour;
	bool trap_uses_detour;
	bool no_relay;
	struct list_head optimize;
	unsigned int missed[KPROBE_NR_MISSES];
};

/* What kallsyms says of an address. */
struct kprobe_symbol {
	unsigned long start;		/* of the symbol around it */
	unsigned long size;		/* up to the next one; 0: none around */
	char name[KSYM_NAME_LEN];
};

/*
 * 2. The verbs, in the order of a site's life.  All are called with
 *    kprobe_mutex held and may sleep; exceptions say so.
 */

/** arch_kprobe_blacklist - at boot: blacklist text; returns 0 or -ENOMEM */
int arch_kprobe_blacklist(void);

/*
 * Fills fresh slot memory with what traps.  If slots have to be near their
 * sites or come from elsewhere than execmem, <asm/kprobes.h> has more: see
 * arch_kprobe_slots_near() and arch_kprobe_free_slots() in slots.c.
 */
void arch_kprobe_fill_slots(void *text, size_t size);

/**
 * arch_kprobe_entry - from what the user asked for to what is probed
 * @addr: the address that was asked for
 * @offset: its distance from the start of the function
 * @on_entry: set to whether the result is the entry of the function
 *
 * Context: any.
 * Return: @addr, or the instruction behind the landing pad at @addr.
 */
kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry);

/**
 * arch_kprobe_inspect - may this instruction be probed?
 * @site: addr is set; fills in opcode and insn
 * @symbol: around it
 *
 * Decodes and classifies the instruction; allocates nothing, changes no text.
 * The core holds jump_label_mutex and text_mutex as well.
 *
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol);

/* Is an inspected site's instruction emulated? */
bool arch_kprobe_emulated(const struct kprobe_site *site);

/**
 * arch_kprobe_prepare - make the slots that hits of this site need
 * @site: has been inspected
 * @with_post: post handlers are to be called; may come when @site is armed
 *
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post);

/**
 * arch_kprobe_patch - bring the text of a batch to its target state
 * @batch: sites by kprobe_site::batch; state and target differ in each, and
 *	are CLEAN, TRAP or JUMP
 *
 * On return every CPU executes the new text, and has left the handlers that it
 * was in before.  CPU hotplug is excluded and text_mutex held.
 */
void arch_kprobe_patch(struct list_head *batch);

/* Release is the core's: it frees the three slots behind a grace period. */

/**
 * arch_kprobe_orig_ip - which address does one in a slot stand for?
 * @site: the owner of the slot
 * @slot: its slot, post_slot or detour
 * @ip: an address in it
 *
 * Context: any; also from NMIs.
 * Return: the address in the original text, or @ip where there is none.
 */
unsigned long arch_kprobe_orig_ip(struct kprobe_site *site, void *slot,
				  unsigned long ip);

/* Can a task at @ip go on in the original text?  If so, sets @ip to where. */
bool arch_kprobe_can_resume(struct kprobe_site *site, void *slot,
			    unsigned long *ip);

/*
 * 3. Jumps, for a backend that selects HAVE_OPTPROBES.  <asm/kprobes.h> has
 *    KPROBE_JUMP_SIZE and KPROBE_DETOUR_SIZE (bytes, the latter a power of
 *    two), and, if a jump may cover several instructions, defines
 *    arch_kprobe_resume: where a handler has set regs->ip to an instruction
 *    under a jump, that function moves it to the copy in the detour.  It may be
 *    defined for what else follows from a handler's change of regs->ip.
 */
#ifdef CONFIG_OPTPROBES
/**
 * arch_kprobe_analyse - may a jump replace this site's breakpoint?
 * @site: has been inspected
 *
 * Return: KPROBE_NOJUMP_NONE, FOREIGN_TRAP, NO_MEMORY, or one in the text.
 */
enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site);

#ifdef CONFIG_KPROBE_RELAYS
/**
 * arch_kprobe_jumped_to - may anything but what stands before lead to a site?
 * @site: arch_kprobe_analyse() has found nothing in the way of a jump
 */
bool arch_kprobe_jumped_to(struct kprobe_site *site);
#endif

/* Fills in @site->detour; returns as arch_kprobe_analyse() does. */
enum kprobe_obstacle arch_kprobe_build_detour(struct kprobe_site *site);
/* Has traps run the copy in the detour from now on, or no longer. */
void arch_kprobe_use_detour(struct kprobe_site *site, bool use);
/* The site or its text goes: forgets what the analysis has kept of it. */
void arch_kprobe_unanalyse(struct kprobe_site *site);
#else
#define KPROBE_JUMP_SIZE	0
static inline void arch_kprobe_use_detour(struct kprobe_site *s, bool use) { }
#endif

#ifndef arch_kprobe_resume
static __always_inline void arch_kprobe_resume(struct pt_regs *regs) { }
#endif

/*
 * 4. Calls of functions.  <asm/kprobes.h> has these as inline functions:
 *
 *	arch_kprobe_return_place(regs)	at a function's entry: pointer to its
 *					return address
 *	arch_kprobe_frame(regs)		identifies the call until it returns
 *	arch_kretprobe_enter(regs)	completes @regs; returns the frame
 *	arch_kretprobe_exit(regs)	optional; behind the last handler
 *	arch_kretprobe_fixup_return(regs, ret)	puts the real address back
 *	arch_kprobe_ftrace_regs(fregs)	with HAVE_KPROBES_ON_FTRACE: complete
 *					registers; before interrupts are off
 *
 * Its __kretprobe_trampoline() disables interrupts, saves registers and calls
 * kretprobe_hit().  kretprobe_blacklist[] has kretprobe_blacklist_size
 * functions that return elsewhere.
 */
void kretprobe_hit(struct pt_regs *regs);

/* Calls @entry with the arguments, 64 bytes of stack among them. */
void arch_jprobe_call(void *entry, struct pt_regs *regs);
/** arch_jprobe_return - back to the innermost arch_jprobe_call() of this CPU */
void arch_jprobe_return(void);

/* 5. What a backend may call; kprobe_mutex held unless it says otherwise. */
void *kprobe_slot_alloc(struct kprobe_site *owner, unsigned int size);
void kprobe_slot_free(void *slot);
void kprobe_find_symbol(unsigned long addr, struct kprobe_symbol *symbol);
void kprobe_module_extable(struct module *mod,
			   const struct exception_table_entry **start,
			   const struct exception_table_entry **end);
enum kprobe_refusal kprobe_patched(unsigned long start, unsigned long end);
enum kprobe_refusal kprobe_livepatched(struct module *mod, unsigned long start,
				       unsigned long end);
bool kprobe_batch_makes_jumps(struct list_head *batch);
bool kprobe_jump_label_targets(unsigned long start, unsigned long end,
			       void (*found)(void *data, unsigned long target),
			       void *data);
/* In any context. */
bool kprobe_blacklist_covers(unsigned long addr);
#ifdef CONFIG_MODULES
struct module *kprobe_module_of(unsigned long addr);
#else
static inline struct module *kprobe_module_of(unsigned long a) { return NULL; }
#endif
/* At boot. */
int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);
#endif /* CONFIG_KPROBES */

/*
 * 6. Where the architecture's code has to ask; slots.c and fault.c have these.
 *
 *	exceptions in kernel mode	kprobe_page_fault() or kprobe_fault()
 *	what decodes text at regs->ip	kprobe_regs_leave_slot()
 *	exception tables		kprobe_orig_ip()
 *	unwinders: kprobe_unwind(), kprobe_at_entry(), kprobe_traced_address()
 */
#ifdef CONFIG_KPROBES
unsigned long kprobe_orig_ip(unsigned long addr);
unsigned long kprobe_traced_address(unsigned long addr);
bool kprobe_at_entry(unsigned long addr);
struct kprobe_site *kprobe_regs_leave_slot(struct pt_regs *regs);
#else
static inline unsigned long kprobe_orig_ip(unsigned long addr) { return addr; }
#define kprobe_traced_address kprobe_orig_ip
static inline bool kprobe_at_entry(unsigned long addr) { return false; }
static inline void kprobe_regs_leave_slot(struct pt_regs *regs) { }
#endif

#endif /* _LINUX_KPROBES_BACKEND_H */
