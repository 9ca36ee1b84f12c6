// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections around mips's code for probes: see struct kprobe_quirks.
 *
 * The architecture's code keeps two facts about a branch in the state of the
 * CPU, from the breakpoint to the end of the step of the branch's delay slot:
 * the target of the branch, and whether the delay slot is empty and needs no
 * step.  A nested hit, whose handlers are missed, overwrites both.
 *
 * A hit without a step ends in the exception of the breakpoint.  Three errors
 * follow: SKIP_DELAYSLOT stays set, so that a later instruction would not be
 * executed at all; interrupts stay off, as for a step; and unless the hit is
 * nested, current_kprobe stays set.
 *
 * After a page fault in a step, execution continues after the instruction, and
 * not at it.
 *
 * If interrupts were on, another task may run after the exception, and remove
 * the breakpoint, before do_bp() reads which one was hit: see
 * mips_trap_address().
 *
 * The code disables interrupts for a step, and restores their state afterwards.
 * Instructions that read or set this state are refused, even in the delay slot
 * of a probed branch, which is the instruction that is stepped.  The code steps
 * a copy, which uses its own address, so on release 6 instructions relative to
 * their address are refused.
 *
 * A breakpoint in a delay slot would be executed forever.  The code looks for a
 * branch in the text, but a probed branch is a breakpoint there, and a jump
 * label may be a no-op that becomes a branch.
 */
#define DISABLE_BRANCH_PROFILING

#include <linux/array_size.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kdebug.h>
#include <linux/kprobes_hit.h>
#include <linux/linkage.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <asm/branch.h>
#include <asm/inst.h>
#include <asm/mipsregs.h>
#include "probes-common.h"

extern unsigned long exception_handlers[32];
asmlinkage void do_bp(struct pt_regs *regs);
asmlinkage void ret_from_exception(void);
asmlinkage void ret_from_irq(void);
asmlinkage void handle_reserved(void);

/*
 * Blacklist the probes code, some of which steps, from its first function to
 * its last.  It probes its own trampoline, which may be anywhere in it.
 */
static void __init mips_blacklist_probes(void)
{
	unsigned long trampoline = (unsigned long)__kretprobe_trampoline;
	unsigned long in_it[] = {
		(unsigned long)arch_arm_kprobe,
		(unsigned long)arch_disarm_kprobe,
		(unsigned long)arch_prepare_kprobe,
		(unsigned long)kprobe_fault_handler,
		(unsigned long)kprobe_exceptions_notify,
	};
	unsigned long start = in_it[0], end = in_it[0], size, offset;
	int i;

	for (i = 0; i < ARRAY_SIZE(in_it); i++) {
		start = min(start, in_it[i]);
		end = max(end, in_it[i]);
	}
	if (trampoline > start && trampoline < end &&
	    kallsyms_lookup_size_offset(trampoline, &size, &offset)) {
		kprobe_add_area_blacklist(start, trampoline);
		start = trampoline + size;
	}
	kprobe_add_area_blacklist(start, end);
	for (i = 0; i < ARRAY_SIZE(in_it); i++) {
		if (!within_kprobe_blacklist(in_it[i]))
			kprobe_add_ksym_blacklist(in_it[i]);
	}
}

/*
 * entry.S and genex.S, handlers of exceptions elsewhere, breakpoints, and
 * branches.  The function in which a CPU idles with interrupts on is in genex.S
 * or in .cpuidle.text.
 */
static void __init mips_blacklist(void)
{
	unsigned long of_exception = (unsigned long)ret_from_exception;
	unsigned long of_irq = (unsigned long)ret_from_irq;
	int i;

	mips_blacklist_probes();
	kprobe_add_area_blacklist(min(of_exception, of_irq),
				  (unsigned long)handle_reserved);
	for (i = 0; i < ARRAY_SIZE(exception_handlers); i++) {
		if (!within_kprobe_blacklist(exception_handlers[i]))
			kprobe_add_ksym_blacklist(exception_handlers[i]);
	}
	kprobe_add_ksym_blacklist((unsigned long)do_bp);
	kprobe_add_ksym_blacklist((unsigned long)__compute_return_epc_for_insn);
}

/* The status register of coprocessor 0 */
#define MIPS_STATUS_REG		12

/* MFC0, DMFC0, MTC0, DMTC0 of that register; DI, EI and others of MFMC0 */
static bool mips_is_of_state(union mips_instruction insn)
{
	if (insn.c0r_format.opcode != cop0_op)
		return false;
	switch (insn.c0r_format.rs) {
	case mfc_op:
	case dmfc_op:
	case mtc_op:
	case dmtc_op:
		return insn.c0r_format.rd == MIPS_STATUS_REG &&
		       !insn.c0r_format.sel;
	case mfmc0_op:
		return true;
	}
	return false;
}

/* ADDIUPC, LWPC, AUIPC and similar instructions, of release 6 only */
static bool mips_is_relative(union mips_instruction insn)
{
	return IS_ENABLED(CONFIG_CPU_MIPSR6) &&
	       insn.i_format.opcode == major_3b_op;
}

static bool mips_is_misread(const kprobe_opcode_t *addr)
{
	/* The instruction that is stepped */
	union mips_instruction insn = addr[__insn_has_delay_slot(addr[0])];

	return mips_is_of_state(insn) || mips_is_relative(insn);
}

/* Return true if the preceding instruction is, or may become, a branch. */
static bool mips_is_in_delay_slot(const kprobe_opcode_t *addr)
{
	struct kprobe_site *site = kprobe_site_find((unsigned long)(addr - 1));

	return (site && __insn_has_delay_slot(site->opcode)) ||
	       jump_label_text_reserved((void *)(addr - 1), (void *)addr - 1);
}

static bool mips_refuses(const kprobe_opcode_t *addr)
{
	return mips_is_misread(addr) || mips_is_in_delay_slot(addr);
}

/* LL, SC and LLD, SCD; also those of release 6, and for user addresses */
static enum kprobe_exclusive mips_exclusive(unsigned long at)
{
	union mips_instruction insn = *(const union mips_instruction *)at;

	switch (insn.i_format.opcode) {
	case ll_op:
	case lld_op:
		return KPROBE_EXCLUSIVE_LOAD;
	case sc_op:
	case scd_op:
		return KPROBE_EXCLUSIVE_STORE;
	case spec3_op:
		break;
	default:
		return KPROBE_EXCLUSIVE_NONE;
	}
	switch (insn.r_format.func) {
	case ll6_op:
	case lld6_op:
	case lle_op:
		return KPROBE_EXCLUSIVE_LOAD;
	case sc6_op:
	case scd6_op:
	case sce_op:
		return KPROBE_EXCLUSIVE_STORE;
	}
	return KPROBE_EXCLUSIVE_NONE;
}

/*
 * struct mips_hit - the state of the CPU before an exception
 * @running: the struct kprobe of the hit that the exception interrupts, or
 *	whose step it ends
 * @stage: kprobe_ctlblk::kprobe_status, valid with @running only
 * @target: the target of its branch
 * @irqs_on: the flag in the status register
 */
struct mips_hit {
	struct kprobe *running;
	unsigned long stage;
	unsigned long target;
	unsigned long irqs_on;
};

/* target_epc of an interrupted hit, until the step of the nested one ends */
static DEFINE_PER_CPU(unsigned long, mips_outer_target);

static __always_inline struct mips_hit mips_hit_begin(struct pt_regs *regs)
{
	struct kprobe_ctlblk *ctlblk = get_kprobe_ctlblk();

	return (struct mips_hit) {
		.running = kprobe_running(),
		.stage = ctlblk->kprobe_status,
		.target = ctlblk->target_epc,
		.irqs_on = regs->cp0_status & ST0_IE,
	};
}

/* Correct the state after a breakpoint. */
static __always_inline void mips_hit_broke(const struct mips_hit *hit,
					   struct pt_regs *regs)
{
	struct kprobe_ctlblk *ctlblk = get_kprobe_ctlblk();
	bool skipped = ctlblk->flags & SKIP_DELAYSLOT;

	ctlblk->flags &= ~SKIP_DELAYSLOT;
	if (hit->running && !skipped)
		__this_cpu_write(mips_outer_target, hit->target);
	else if (hit->running)
		ctlblk->target_epc = hit->target;
	else if (skipped)
		__this_cpu_write(current_kprobe, NULL);
	if (skipped)
		regs->cp0_status |= hit->irqs_on;
}

static __always_inline void mips_hit_end(const struct mips_hit *hit,
					 unsigned long val,
					 struct pt_regs *regs)
{
	struct kprobe_ctlblk *ctlblk = get_kprobe_ctlblk();

	if (val == DIE_BREAK)
		mips_hit_broke(hit, regs);
	else if (val == DIE_SSTEPBP && hit->running &&
		 hit->stage == KPROBE_REENTER)
		ctlblk->target_epc = __this_cpu_read(mips_outer_target);
	else if (val == DIE_PAGE_FAULT && hit->running && !kprobe_running())
		instruction_pointer_set(regs,
					(unsigned long)hit->running->addr);
}

static noinstr int mips_exception(struct notifier_block *self,
				  unsigned long val, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	struct mips_hit hit = mips_hit_begin(regs);
	int ret = kprobe_exceptions_notify(self, val, data);

	mips_hit_end(&hit, val, regs);
	return ret;
}

/* BREAK, with any code */
static noinstr bool mips_is_break(union mips_instruction insn)
{
	return insn.r_format.opcode == spec_op &&
	       insn.r_format.func == break_op;
}

/* The address of a breakpoint that do_bp() has not handled, or 0 */
static noinstr unsigned long mips_trap_address(unsigned long val,
					       const struct die_args *args)
{
	u32 cause = args->regs->cp0_cause & (CAUSEF_BD | CAUSEF_EXCCODE);

	return val == DIE_TRAP && cause == EXCCODE_BP << CAUSEB_EXCCODE ?
	       args->regs->cp0_epc : 0;
}

const struct kprobe_quirks kprobe_quirks __refconst = {
	/* That code reads and writes MIPS32 instructions. */
	.unsupported = IS_ENABLED(CONFIG_CPU_MICROMIPS),
	/* The word after the call, or its delay slot */
	.ftrace_to = sizeof(u32),
	.blacklist = mips_blacklist,
	.exclusive = mips_exclusive,
	.refuses = mips_refuses,
	.exception = mips_exception,
	.trap_address = mips_trap_address,
	.is_trap = mips_is_break,
};
