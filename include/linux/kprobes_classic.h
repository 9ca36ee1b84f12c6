/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the interface for classic backends.  These know nothing of
 * sites, but handle one struct kprobe at each probed address.
 * kernel/kprobes/classic.c provides this struct for each site.
 *
 * Users of probes must not use anything in this file.  <linux/kprobes.h>
 * includes it if the architecture has a classic backend.
 */
#ifndef _LINUX_KPROBES_CLASSIC_H
#define _LINUX_KPROBES_CLASSIC_H

#include <linux/kprobes_reasons.h>

struct die_args;
struct ftrace_ops;
struct ftrace_regs;
struct notifier_block;

/*
 * Values of kprobe_ctlblk::kprobe_status, the backend's state of a hit on this
 * CPU.  They are bits because backends test several of them at once.
 */
#define KPROBE_HIT_ACTIVE	1	/* the pre handler runs */
#define KPROBE_HIT_SS		2	/* the instruction is being stepped */
#define KPROBE_REENTER		4	/* a nested hit is being stepped */
#define KPROBE_HIT_SSDONE	8	/* the post handler runs */

DECLARE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);

static inline struct kprobe_ctlblk *get_kprobe_ctlblk(void)
{
	return this_cpu_ptr(&kprobe_ctlblk);
}

/* The hit that this hit has interrupted, if the backend does not save it */
#ifdef CONFIG_PARISC
DECLARE_PER_CPU(struct kprobe *, kprobe_outer);
#define KPROBE_OUTER	__this_cpu_read(kprobe_outer)
#else
#define KPROBE_OUTER	NULL
#endif

/* Mark a backend's hit as ended. */
static inline void reset_current_kprobe(void)
{
	__this_cpu_write(current_kprobe, KPROBE_OUTER);
}

/*
 * 1. Functions for backends to call
 */
struct kprobe *get_kprobe(void *addr);
void kprobes_inc_nmissed_count(struct kprobe *kp);
void dump_kprobe(struct kprobe *kp);

/* Only for calls from arch_prepare_kprobe(): */
kprobe_opcode_t *get_insn_slot(void);
void free_insn_slot(kprobe_opcode_t *slot, int dirty);

/*
 * 2. Functions that backends define; classic.c has defaults for the weak ones
 */
int arch_prepare_kprobe(struct kprobe *kp);
void arch_arm_kprobe(struct kprobe *kp);
void arch_disarm_kprobe(struct kprobe *kp);
int arch_init_kprobes(void);
int arch_trampoline_kprobe(struct kprobe *kp);
/* weak */
void *alloc_insn_page(void);
int arch_populate_kprobe_blacklist(void);
bool arch_within_kprobe_blacklist(unsigned long addr);
int kprobe_exceptions_notify(struct notifier_block *self, unsigned long val,
			     void *data);

/*
 * 3. Quirks
 */

/* How an instruction accesses memory exclusively: see classic_refuse.c. */
enum kprobe_exclusive {
	KPROBE_EXCLUSIVE_NONE,
	KPROBE_EXCLUSIVE_LOAD,
	KPROBE_EXCLUSIVE_STORE,
};

/**
 * struct kprobe_quirks - facts about a backend, and corrections of its errors
 * @unsupported: the backend cannot read the code of this kernel: refuse every
 *	probe
 * @steps_in_place: the backend removes the breakpoint for a step
 * @refuses_fixups: a fault in the copy would not be found in the exception
 *	tables: refuse instructions that have an entry there
 * @einval: the meaning of -EINVAL from arch_prepare_kprobe(); 0 means
 *	KPROBE_REFUSE_UNRELOCATABLE
 * @ftrace_from: offset from ftrace_location() of the first word that ftrace
 *	writes for a call, in bytes
 * @ftrace_to: offset of the last word that ftrace writes, likewise
 * @blacklist: blacklist text that must not be probed but is not annotated:
 *	exception code that runs before registers are saved or after they are
 *	restored, that passes breakpoints to classic.c, or that steps; a probe
 *	there would be hit forever, or destroy the exception's return address
 * @insn_bytes: return the length of the instruction at an address; NULL if all
 *	instructions have the size of kprobe_opcode_t
 * @exclusive: classify the instruction at an address
 * @refuses: return true if the backend steps this instruction wrongly
 * @prepare: called after arch_prepare_kprobe(); same return values
 * @pre_handler: wraps kprobe_classic_pre(): called in its place for each hit,
 *	and must call it
 * @post_handler: the same for kprobe_classic_post()
 * @exception: wraps kprobe_exceptions_notify(): may save state that the backend
 *	loses, and correct its result
 * @fault: called for a page fault in a hit; if the hit is in a step, end the
 *	step and return true, and the backend does not see the fault
 * @trap_address: return the address of a breakpoint that the backend has not
 *	handled yet, or 0; needed if interrupts are on before the backend looks
 *	up the site of the breakpoint
 * @is_trap: return true for a breakpoint; needed with @trap_address
 *
 * Each architecture with a classic backend defines kprobe_quirks in its
 * kprobes-quirks.c; all fields are optional.
 *
 * Context: @blacklist is __init.  @insn_bytes, @exclusive, @refuses and
 * @prepare are called with kprobe_mutex and text_mutex held, all except
 * @prepare with jump_label_mutex as well.  The other functions run in
 * exceptions, and must be noinstr: they must not be traced, probed or
 * instrumented.  In @exception and the handlers, preemption is off.  RCU is
 * watching in @exception, but might not be in the handlers.
 */
struct kprobe_quirks {
	bool unsupported;
	bool steps_in_place;
	bool refuses_fixups;
	enum kprobe_refusal einval;
	int ftrace_from;
	int ftrace_to;

	void (*blacklist)(void);

	unsigned int (*insn_bytes)(unsigned long at);
	enum kprobe_exclusive (*exclusive)(unsigned long at);
	bool (*refuses)(const kprobe_opcode_t *addr);
	int (*prepare)(struct kprobe *kp);

	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	int (*exception)(struct notifier_block *self, unsigned long val,
			 void *data);
	bool (*fault)(struct pt_regs *regs);
	unsigned long (*trap_address)(unsigned long val,
				      const struct die_args *args);
	bool (*is_trap)(kprobe_opcode_t insn);
};

extern const struct kprobe_quirks kprobe_quirks;

/* Only for quirks: */
int kprobe_classic_pre(struct kprobe *kp, struct pt_regs *regs);
void kprobe_classic_post(struct kprobe *kp, struct pt_regs *regs,
			 unsigned long flags);
struct kprobe *kprobe_classic_find(void *addr);

/*
 * Handle a page fault in kernel mode.  Only a fault with preemption off can
 * belong to a hit, and the backend's kprobe_fault_handler() uses the state of
 * the hit on this CPU.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	bool handled;

	if (user_mode(regs) || preemptible() || !kprobe_running())
		return false;
	if (kprobe_quirks.fault && kprobe_quirks.fault(regs))
		return false;
	preempt_disable_notrace();
	handled = kprobe_fault_handler(regs, trap);
	/*
	 * Some backends do not mark the step as ended.  A hit that interrupts
	 * the start of the next hit would then mistake that hit for a step.
	 */
	if (!kprobe_running())
		get_kprobe_ctlblk()->kprobe_status = KPROBE_HIT_SSDONE;
	preempt_enable_notrace();
	return handled;
}

/*
 * 4. Jumps
 */
struct arch_optimized_insn;

/**
 * struct optimized_kprobe - a struct kprobe that may become a jump
 * @kp: the backend's view of a site
 * @list: in the list for arch_optimize_kprobes()
 * @optinsn: the backend's data
 */
struct optimized_kprobe {
	struct kprobe kp;
	struct list_head list;
#ifdef CONFIG_OPTPROBES
	struct arch_optimized_insn optinsn;
#endif
};

/* Only for calls from arch_prepare_optimized_kprobe(): */
kprobe_opcode_t *get_optinsn_slot(void);
void free_optinsn_slot(kprobe_opcode_t *slot, int dirty);
void opt_pre_handler(struct kprobe *kp, struct pt_regs *regs);

int arch_prepared_optinsn(struct arch_optimized_insn *optinsn);
int arch_check_optimized_kprobe(struct optimized_kprobe *op);
int arch_prepare_optimized_kprobe(struct optimized_kprobe *op,
				  struct kprobe *kp);
void arch_remove_optimized_kprobe(struct optimized_kprobe *op);
void arch_optimize_kprobes(struct list_head *oplist);
void arch_unoptimize_kprobes(struct list_head *oplist,
			     struct list_head *done_list);
void arch_unoptimize_kprobe(struct optimized_kprobe *op);
int arch_within_optimized_kprobe(struct optimized_kprobe *op,
				 kprobe_opcode_t *addr);

#ifdef CONFIG_OPTPROBES
#define KPROBE_JUMP_SIZE	MAX_OPTIMIZED_LENGTH
#endif

/*
 * 5. ftrace
 */
#ifdef CONFIG_KPROBES_ON_FTRACE
void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs);
int arch_prepare_kprobe_ftrace(struct kprobe *kp);
#endif

/*
 * 6. Returns, on architectures without rethook
 */
#if defined(CONFIG_KRETPROBES) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)
void arch_prepare_kretprobe(struct kretprobe_instance *ri,
			    struct pt_regs *regs);
void arch_kretprobe_fixup_return(struct pt_regs *regs,
				 kprobe_opcode_t *correct_ret_addr);
unsigned long __kretprobe_trampoline_handler(struct pt_regs *regs,
					     void *frame_pointer);
unsigned long kretprobe_trampoline_handler(struct pt_regs *regs,
					   void *frame_pointer);
#endif

/*
 * 7. For the core: the backend's part of a site
 */

/**
 * struct arch_kprobe_insn - the backend's part of a site
 * @op: the backend's view of the site
 * @emulated: the instruction needs no slot
 * @refused: the backend refuses to probe the instruction
 */
struct arch_kprobe_insn {
	struct optimized_kprobe op;
	bool emulated;
	bool refused;
};

/*
 * Interrupts are on when a hit begins: loongarch's exception code enables them,
 * mips's leaves them on.  classic.c disables them for handlers, and leaves them
 * off afterwards: a hit in an interrupt would overwrite the state of the
 * interrupted hit, or find it unfinished and report a bug.
 */
#define KPROBE_IRQS_ON_IN_HIT						\
	(IS_ENABLED(CONFIG_MIPS) || IS_ENABLED(CONFIG_LOONGARCH))

/*
 * On riscv, breakpoints count as NMIs, and the kernel discards most events that
 * are traced in an NMI: all kprobe events except those of returns.  So handlers
 * run outside of the NMI, as on all other architectures with a classic backend.
 */
#define KPROBE_HITS_COUNT_AS_NMI	IS_ENABLED(CONFIG_RISCV)

/* Backends with slots write at most two instructions to each. */
#define KPROBE_SLOT_SIZE	16
#define KPROBE_DETOUR_SIZE	256

/* A slot may be at any distance from its site. */
#define arch_kprobe_slots_near arch_kprobe_slots_near
static inline bool arch_kprobe_slots_near(const void *text,
					  const struct kprobe_site *site)
{
	return true;
}

static inline void *arch_kprobe_alloc_slots(const struct kprobe_site *site)
{
	return alloc_insn_page();
}

/* These backends allocate pages with the protection that they need. */
#define arch_kprobe_free_slots execmem_free
static inline int arch_kprobe_protect_slots(void *text)
{
	return 0;
}

#endif /* _LINUX_KPROBES_CLASSIC_H */
