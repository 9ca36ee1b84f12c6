/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors of mips's own code in the exceptions of a probe, which classic.c
 * corrects.  On other architectures there is nothing to do.
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
 * The architecture's breakpoint handler enables interrupts, so classic_mips.S
 * replaces it.  Otherwise another task might run, and remove the breakpoint,
 * before do_bp() reads which breakpoint was hit.
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
#ifndef _KERNEL_KPROBES_CLASSIC_MIPS_H
#define _KERNEL_KPROBES_CLASSIC_MIPS_H

#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/kprobes_backend.h>
#include <linux/linkage.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

#ifdef CONFIG_MIPS
#include <asm/inst.h>
#include <asm/mipsregs.h>
#include <asm/setup.h>
#include "internal.h"
#include "../../arch/mips/kernel/probes-common.h"

/* The status register of coprocessor 0 */
#define MIPS_STATUS_REG		12

/* MFC0, DMFC0, MTC0, DMTC0 of that register; DI, EI and others of MFMC0 */
static inline bool mips_is_of_state(union mips_instruction insn)
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
static inline bool mips_is_relative(union mips_instruction insn)
{
	return IS_ENABLED(CONFIG_CPU_MIPSR6) &&
	       insn.i_format.opcode == major_3b_op;
}

static inline bool mips_is_misread(const kprobe_opcode_t *addr)
{
	/* The instruction that is stepped */
	union mips_instruction insn = addr[__insn_has_delay_slot(addr[0])];

	return mips_is_of_state(insn) || mips_is_relative(insn);
}

/* Return true if the preceding instruction is, or may become, a branch. */
static inline bool mips_is_in_delay_slot(const kprobe_opcode_t *addr)
{
	unsigned long before = (unsigned long)(addr - 1);
	struct kprobe_site *site = kprobe_site_at(before);

	return (site && __insn_has_delay_slot(site->opcode)) ||
	       kprobe_patched(before, before + sizeof(*addr)) != KPROBE_OK;
}

asmlinkage void kprobe_classic_handle_bp(void);

static inline void __init mips_init(void)
{
	set_except_vector(EXCCODE_BP, kprobe_classic_handle_bp);
}

/**
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
	struct kprobe_ctlblk *ctlblk;

	preempt_disable_notrace();
	ctlblk = get_kprobe_ctlblk();
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
	preempt_enable_no_resched_notrace();
}

/* BREAK, with any code */
static __always_inline bool mips_is_break(union mips_instruction insn)
{
	return insn.r_format.opcode == spec_op &&
	       insn.r_format.func == break_op;
}

/* Return the address of a breakpoint that do_bp() has not handled, or 0. */
static __always_inline unsigned long
mips_break_address(unsigned long val, const struct pt_regs *regs)
{
	u32 cause = regs->cp0_cause & (CAUSEF_BD | CAUSEF_EXCCODE);

	return val == DIE_TRAP && cause == EXCCODE_BP << CAUSEB_EXCCODE ?
	       regs->cp0_epc : 0;
}

#else /* !CONFIG_MIPS */

struct mips_hit { };

static inline bool mips_is_misread(const kprobe_opcode_t *addr)
{
	return false;
}

static inline bool mips_is_in_delay_slot(const kprobe_opcode_t *addr)
{
	return false;
}

static inline void mips_init(void) { }

static __always_inline struct mips_hit mips_hit_begin(struct pt_regs *regs)
{
	return (struct mips_hit) { };
}

static __always_inline void mips_hit_end(const struct mips_hit *hit,
					 unsigned long val,
					 struct pt_regs *regs) { }

#endif /* CONFIG_MIPS */
#endif /* _KERNEL_KPROBES_CLASSIC_MIPS_H */
