/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: what the core owes to backends that do not know sites, but
 * work on a struct kprobe at each probed address.  kernel/kprobes/classic.c
 * makes sites look like that to them.
 *
 * Nothing here is for users of probes.  <linux/kprobes.h> includes this file
 * where the architecture has such a backend.
 */
#ifndef _LINUX_KPROBES_CLASSIC_H
#define _LINUX_KPROBES_CLASSIC_H

struct ftrace_ops;
struct ftrace_regs;
struct notifier_block;

/*
 * kprobe_ctlblk::kprobe_status, the backend's state of a hit on this CPU.
 * Backends test several of them at once.
 */
#define KPROBE_HIT_ACTIVE	1	/* the pre handler runs */
#define KPROBE_HIT_SS		2	/* the instruction is being stepped */
#define KPROBE_REENTER		4	/* the same, of a hit inside of a hit */
#define KPROBE_HIT_SSDONE	8	/* the post handler runs */

DECLARE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);

static inline struct kprobe_ctlblk *get_kprobe_ctlblk(void)
{
	return this_cpu_ptr(&kprobe_ctlblk);
}

/* The hit that the ending one is on top of, where backends cannot tell. */
#ifdef CONFIG_PARISC
DECLARE_PER_CPU(struct kprobe *, kprobe_outer);
#define KPROBE_OUTER	__this_cpu_read(kprobe_outer)
#else
#define KPROBE_OUTER	NULL
#endif

/* A backend's hit has ended. */
static inline void reset_current_kprobe(void)
{
	__this_cpu_write(current_kprobe, KPROBE_OUTER);
}

/*
 * 1. What backends call
 */
struct kprobe *get_kprobe(void *addr);
void kprobes_inc_nmissed_count(struct kprobe *kp);
void dump_kprobe(struct kprobe *kp);

/* While arch_prepare_kprobe() runs. */
kprobe_opcode_t *get_insn_slot(void);
void free_insn_slot(kprobe_opcode_t *slot, int dirty);

int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);

/*
 * 2. What they define.  Those with weak stand-ins in classic.c need not be.
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
 * A page fault in kernel mode.  The backend's kprobe_fault_handler() looks at
 * the hit of this CPU; in handlers and steps no task is preempted.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	bool handled;

	if (user_mode(regs) || preemptible() || !kprobe_running())
		return false;
	/* On sh, where the backend leaves the breakpoint of the step behind. */
	if (IS_ENABLED(CONFIG_SUPERH) && kprobe_classic_step_faults(regs))
		return false;
	preempt_disable_notrace();
	handled = kprobe_fault_handler(regs, trap);
	/*
	 * The step has ended, and some backends do not say so: a hit that finds
	 * the next one not quite begun would take it for a step.
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
 * @kp: what backends see of a site
 * @list: in the list for arch_optimize_kprobes()
 * @optinsn: the backend's
 */
struct optimized_kprobe {
	struct kprobe kp;
	struct list_head list;
	struct arch_optimized_insn optinsn;
};

/* While arch_prepare_optimized_kprobe() runs. */
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
 * 5. Returns, where they do not go by rethook
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
 * 6. For the core: what a site has of the backend
 */

/**
 * struct arch_kprobe_insn - the backend's part of a site
 * @op: what it sees of the site
 * @emulated: it needs no slot for the instruction
 * @refused: the instruction turned out to be one that cannot be probed
 */
struct arch_kprobe_insn {
	struct optimized_kprobe op;
	bool emulated;
	bool refused;
};

/*
 * The exception code of loongarch switches interrupts on before a hit, that of
 * mips leaves them on; then they go off.  In between is a state of the hit that
 * a hit in an interrupt would overwrite, or find unfinished and call a bug.
 */
#define KPROBE_IRQS_ON_IN_HIT						\
	(IS_ENABLED(CONFIG_MIPS) || IS_ENABLED(CONFIG_LOONGARCH))

/* Backends with slots write two instructions to one, at most. */
#define KPROBE_SLOT_SIZE	16
#define KPROBE_DETOUR_SIZE	256

/* Any page will do, for any site. */
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

/* Such backends allocate pages as they write to them. */
#define arch_kprobe_free_slots execmem_free
static inline int arch_kprobe_protect_slots(void *text)
{
	return 0;
}

#endif /* _LINUX_KPROBES_CLASSIC_H */
