/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the interface for backends that do not know sites, but work
 * on a struct kprobe at each probed address.  kernel/kprobes/classic.c presents
 * sites to them in this form.
 *
 * Nothing here is for users of probes.  <linux/kprobes.h> includes this file
 * if the architecture has a classic backend.
 */
#ifndef _LINUX_KPROBES_CLASSIC_H
#define _LINUX_KPROBES_CLASSIC_H

struct ftrace_ops;
struct ftrace_regs;
struct notifier_block;

/*
 * kprobe_ctlblk::kprobe_status, the backend's state of a hit on this CPU.
 * Backends test several of these bits at once.
 */
#define KPROBE_HIT_ACTIVE	1	/* the pre handler runs */
#define KPROBE_HIT_SS		2	/* the instruction is being stepped */
#define KPROBE_REENTER		4	/* the same, for a hit inside a hit */
#define KPROBE_HIT_SSDONE	8	/* the post handler runs */

DECLARE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);

static inline struct kprobe_ctlblk *get_kprobe_ctlblk(void)
{
	return this_cpu_ptr(&kprobe_ctlblk);
}

/* The hit that the ending hit interrupted, for backends that do not know it. */
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

int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);

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

bool kprobe_classic_step_faults(struct pt_regs *regs);

/*
 * Handle a page fault in kernel mode.  The backend's kprobe_fault_handler()
 * uses this CPU's hit; handlers and steps run with preemption disabled.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	bool handled;

	if (user_mode(regs) || preemptible() || !kprobe_running())
		return false;
	/* On sh, the backend does not remove the step's breakpoint itself. */
	if (IS_ENABLED(CONFIG_SUPERH) && kprobe_classic_step_faults(regs))
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
 * 3. Jumps
 */
#ifdef CONFIG_OPTPROBES
/**
 * struct optimized_kprobe - a struct kprobe that may become a jump
 * @kp: the backend's view of a site
 * @list: in the list for arch_optimize_kprobes()
 * @optinsn: the backend's data
 */
struct optimized_kprobe {
	struct kprobe kp;
	struct list_head list;
	struct arch_optimized_insn optinsn;
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

#define KPROBE_JUMP_SIZE	MAX_OPTIMIZED_LENGTH
#else
struct optimized_kprobe {
	struct kprobe kp;
};
#endif

/*
 * 4. ftrace
 */
#ifdef CONFIG_KPROBES_ON_FTRACE
void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs);
int arch_prepare_kprobe_ftrace(struct kprobe *kp);
#endif

/*
 * 5. Returns, on architectures without rethook
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
 * 6. For the core: the backend's part of a site
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
 * mips's leaves them on.  They are disabled later.  In between, a hit in an
 * interrupt would overwrite the state of the interrupted hit, or find it
 * unfinished and report a bug.
 */
#define KPROBE_IRQS_ON_IN_HIT						\
	(IS_ENABLED(CONFIG_MIPS) || IS_ENABLED(CONFIG_LOONGARCH))

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
