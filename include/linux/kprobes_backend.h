/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the contract between the core and an architecture's backend,
 * in the order of a site's life.  Documentation/trace/kprobes-porting.rst
 * explains each step.
 *
 * A backend selects HAVE_KPROBE_SITES, and defines in its <asm/kprobes.h>
 *
 *	kprobe_opcode_t		the unit of text that a breakpoint replaces
 *	struct arch_kprobe_insn	the backend's data about a probed instruction
 *	KPROBE_SLOT_SIZE	size of a slot in bytes, a power of two
 *	arch_kprobe_irqs_on(regs)	whether interrupts were on at @regs
 *	arch_kprobe_unwind()	optional, for kprobe_unwind(): see slots.c
 *
 * and the items of sections 3 and 4 below.  A backend may also define
 * KPROBE_ADDR_KEEPS_PAD and KPROBE_IP_SKID: see <linux/kprobes_hit.h>.
 */
#ifndef _LINUX_KPROBES_BACKEND_H
#define _LINUX_KPROBES_BACKEND_H

#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_reasons.h>

struct exception_table_entry;
struct module;

#ifdef CONFIG_KPROBES

/* 1. The site: one probed address. */

/**
 * enum kprobe_site_state - how the text of a site looks
 *
 * kprobe_site_set_state() in patch.c lists the transitions.
 *
 * @KPROBE_SITE_CLEAN: the site is not armed
 * @KPROBE_SITE_TRAP: the text has a breakpoint
 * @KPROBE_SITE_JUMP: the text has a jump to the site's detour
 * @KPROBE_SITE_FTRACE: ftrace calls the core
 * @KPROBE_SITE_GONE: the text has been, or is about to be, freed; final
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
 * The fields that most hits read are first.  Active probes are enabled probes.
 * "Locked": written under kprobe_mutex, and also read under it unless noted.
 *
 * @chain: in the table of sites; locked, read under RCU
 * @addr: the probed address, which handlers see; constant
 * @pre: the first active probe with a pre handler, or kprobe_no_pre; the next
 *	is in kprobe::pre_next; locked, read under RCU
 * @npost: number of active probes with a post handler; locked, read by hits
 * @state: how the text looks; locked, read by hits
 * @state_and_skip: @state and @skip, for a hit that compares both at once
 * @target: the state to reach when the batch is applied; locked, read by hits
 * @on_ftrace: ftrace patches the instruction at @addr; constant
 * @skip: from @addr to the patched text: 0 or the ftrace call's size; constant
 * @owns_next: the site may patch the instruction after the ftrace call; cleared
 *	when ftrace arms the site, and never set again; locked, read by hits
 * @on_entry: the site is at the entry of a function; constant
 * @slot: the out-of-line copy, made in prepare, or NULL; freed by the core
 * @insn: the backend's data; changes that hits may see must be published
 * @post_slot: as @slot, for hits with post handlers
 * @detour: the target of the jump, or NULL; freed by the core
 * @active: active probes by kprobe::list, newest first; locked, read under RCU
 * @ftrace: enum site_ftrace: how ftrace delivers hits; locked, read by hits
 * @claimed: no other ops may redirect the function (ftrace.c); locked
 * @njprobe: number of active probes that are jprobes; locked
 * @probes: all probes by kprobe::hlist, newest first; locked
 * @all: in kprobe_sites or kprobe_gone_sites; locked
 * @batch: in the batch of the reconciler or optimizer; locked
 * @retired: in the queue of site.c, once out of the table
 * @opcode: the text at @addr without probes, read at creation; constant
 * @obstacle: enum kprobe_obstacle of the last attempt to prepare a jump; locked
 * @has_neighbour: another site is, or was, less than a jump away; locked
 * @trap_uses_detour: a jump is pending, and traps use the detour; locked
 * @optimize: in a list of optimizer.c; locked
 * @missed: number of hits whose handlers did not run, by enum kprobe_miss
 */
struct kprobe_site {
	struct hlist_node chain;
	kprobe_opcode_t *addr;
	struct kprobe *pre;
	unsigned int npost;
	union {
		struct { enum kprobe_site_state state : 8; u8 skip; } __packed;
		u16 state_and_skip;
	};
	enum kprobe_site_state target : 8;
	bool owns_next;
	void *slot;
	struct arch_kprobe_insn insn;

	void *post_slot;
	void *detour;
	struct list_head active;
	u8 ftrace;
	bool claimed;
	unsigned int njprobe;
	struct hlist_head probes;
	struct list_head all;
	union {
		struct list_head batch;
		struct llist_node retired;
	};
	kprobe_opcode_t opcode;
	u8 obstacle;
	bool on_ftrace;
	bool on_entry;
	bool has_neighbour;
	bool trap_uses_detour;
	struct list_head optimize;
	unsigned int missed[KPROBE_NR_MISSES];
};

/* Return the address of the instruction that a site patches. */
static __always_inline unsigned long
kprobe_site_text(const struct kprobe_site *site)
{
	return (unsigned long)site->addr + site->skip;
}

/* The symbol that contains an address */
struct kprobe_symbol {
	unsigned long start;
	unsigned long size;		/* to the next symbol; 0: no symbol */
	char name[KSYM_NAME_LEN];
};

/*
 * 2. The operations, in the order of a site's life.  Unless noted otherwise,
 *    they are called with kprobe_mutex held and may sleep.
 */

/* At boot: blacklist text of the architecture.  Return 0 or -ENOMEM. */
int arch_kprobe_blacklist(void);

/*
 * Fill fresh slot memory with trapping instructions.  If slots must be near
 * their sites, define arch_kprobe_slots_near(); if their pages are not from
 * execmem, also define arch_kprobe_free_slots(): see slots.c.
 */
void arch_kprobe_fill_slots(void *text, size_t size);

/**
 * arch_kprobe_entry - map a requested address to the address to probe
 * @addr: the requested address
 * @offset: its distance from the start of the function; ULONG_MAX if unknown
 * @on_entry: set to true if the result is the entry of the function, else false
 *
 * Context: any.
 * Return: @addr, or the address after a landing pad or the setup of a TOC.
 */
kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry);

/**
 * arch_kprobe_inspect - check whether an instruction may be probed
 * @site: addr and skip are set; the backend fills in opcode and insn
 * @symbol: the symbol that contains the address
 *
 * Decode and classify the instruction at kprobe_site_text(); do not allocate
 * memory or change text.  The core also holds jump_label_mutex and text_mutex.
 *
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol);

/* Return true if the instruction of an inspected site is emulated. */
bool arch_kprobe_emulated(const struct kprobe_site *site);

/**
 * arch_kprobe_prepare - allocate and fill the slots that hits of a site need
 * @site: an inspected site
 * @with_post: false: make the slot of a new site; true: make what post handlers
 *	need in addition, unless it exists; @site may be armed already
 *
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post);

/**
 * arch_kprobe_patch - bring the text of a batch to its target state
 * @batch: sites linked by kprobe_site::batch; the state and the target of each
 *	are CLEAN, TRAP or JUMP, and differ
 *
 * On return, every CPU executes the new text and has left the handlers that it
 * ran before.  The caller also holds cpu_hotplug_lock and text_mutex.
 */
void arch_kprobe_patch(struct list_head *batch);

/**
 * arch_kprobe_orig_ip - translate an address in a slot
 * @site: the owner of the slot
 * @slot: its slot, post_slot or detour
 * @ip: an address in @slot
 *
 * Context: any, NMIs included.
 * Return: the address in the original text, or @ip if it has none.
 */
unsigned long arch_kprobe_orig_ip(struct kprobe_site *site, void *slot,
				  unsigned long ip);

/* In an exception, move @ip to the original text, or return false. */
bool arch_kprobe_can_resume(struct kprobe_site *site, void *slot,
			    unsigned long *ip);

/*
 * 3. Jumps, for a backend that selects HAVE_OPTPROBES.  <asm/kprobes.h> defines
 *    KPROBE_JUMP_SIZE and KPROBE_DETOUR_SIZE (bytes, the latter a power of
 *    two).  It may define arch_kprobe_resume(), which is called after a handler
 *    has set regs->ip.  If a jump may cover several instructions, this function
 *    must move an ip under a jump to the copy in the detour.  Otherwise, the
 *    empty defaults of arch_kprobe_unanalyse() and arch_kprobe_use_detour() do.
 */
#ifdef CONFIG_OPTPROBES
/**
 * arch_kprobe_analyse - check whether a jump may replace the breakpoint
 * @site: an inspected site; if skip is not 0, nothing may branch to its text
 * @symbol: the symbol that contains its text, or NULL if it is not known yet
 *
 * Return: KPROBE_NOJUMP_NONE, FOREIGN_TRAP, NO_MEMORY, or a permanent obstacle.
 */
enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site,
					 const struct kprobe_symbol *symbol);
/* Build @site->detour; return values as for arch_kprobe_analyse(). */
enum kprobe_obstacle arch_kprobe_build_detour(struct kprobe_site *site);
/* Free cached analyses, before a site or text is freed, and after explain. */
void arch_kprobe_unanalyse(struct kprobe_site *site);
#else
#define KPROBE_JUMP_SIZE	0
#endif
/* Make traps execute the copies in the detour, or only the instruction. */
void arch_kprobe_use_detour(struct kprobe_site *site, bool use);

#ifndef arch_kprobe_resume
static __always_inline void arch_kprobe_resume(struct pt_regs *regs) { }
#endif

/*
 * 4. Function calls.  <asm/kprobes.h> defines these inline functions:
 *
 *	arch_kprobe_return_place(regs)	at function entry: pointer to the
 *					return address
 *	arch_kprobe_frame(regs)		the frame, which identifies the call
 *	arch_kretprobe_enter(regs)	at return: complete @regs; get frame
 *	arch_kretprobe_exit(regs)	optional: after the last handler
 *	arch_kretprobe_fixup_return(regs, ret)	restore the return address
 *	arch_kprobe_ftrace_regs(fregs)	with HAVE_KPROBES_ON_FTRACE: return
 *					complete registers; called before
 *					interrupts are disabled
 *
 * The backend's __kretprobe_trampoline() saves registers and calls
 * kretprobe_hit(); it or arch_kretprobe_enter() disables interrupts.  Functions
 * in kretprobe_blacklist[] (kretprobe_blacklist_size) get no return probes.
 */
void kretprobe_hit(struct pt_regs *regs);

#define JPROBE_STACK_WORDS	22	/* read from @stack; see jprobe.c */
void arch_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
		      unsigned long *frame);
void arch_jprobe_return(unsigned long frame);

/* 5. Functions for backends.  Hold kprobe_mutex, except to free a slot: */
void *kprobe_slot_alloc(struct kprobe_site *owner, unsigned int size);
void kprobe_slot_free(void *slot);
void kprobe_find_symbol(unsigned long addr, struct kprobe_symbol *symbol);
unsigned int kprobe_module_extable(struct module *mod,
				   const struct exception_table_entry **table);
enum kprobe_refusal kprobe_patched(unsigned long start, unsigned long end);
enum kprobe_refusal kprobe_livepatched(struct module *mod, unsigned long start,
				       unsigned long end);
bool kprobe_batch_makes_jumps(struct list_head *batch);
/* In any context: */
bool kprobe_blacklist_covers(unsigned long addr);
bool kprobe_debugger_trap(unsigned long addr);
#ifdef CONFIG_MODULES
struct module *kprobe_module_of(unsigned long addr);
#else
static inline struct module *kprobe_module_of(unsigned long a) { return NULL; }
#endif
/* At boot: */
int kprobe_blacklist_callees(unsigned long start, unsigned long end,
			     unsigned long max, unsigned int depth,
			     unsigned long (*target)(unsigned long at, u32 *l));
#endif /* CONFIG_KPROBES */

/*
 * 6. Functions for other code of the architecture: see slots.c and hit.c.
 *
 *	exceptions in kernel mode	kprobe_page_fault() or kprobe_fault()
 *	decoders of text at regs->ip	kprobe_read_insn() on x86
 *	exception tables	kprobe_regs_leave_slot(), kprobe_orig_ip()
 *	unwinders	kprobe_orig_ip(), kprobe_unwind(), kprobe_at_entry(),
 *			kprobe_traced_address()
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
