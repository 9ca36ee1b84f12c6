// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions that are emulated on powerpc, by sstep.c.
 *
 * These are branches and what else depends on where it stands, and with a post
 * handler all that only compute, which spares the trap behind them.  They work
 * on a struct pt_regs alone, so they cannot fail.  Loads and stores are always
 * executed in a slot: there they fault as they do in place.
 */
#include <linux/bug.h>
#include <linux/kprobes_backend.h>
#include <asm/ptrace.h>
#include <asm/sstep.h>
#include "kprobes-common.h"

/**
 * ppc_kprobe_emulate - do to registers what an instruction does
 * @site: the instruction, PPC_KPROBE_COMPUTE or PPC_KPROBE_EMULATE
 * @regs: at it; moved on
 *
 * Context: a hit.
 */
void ppc_kprobe_emulate(const struct kprobe_site *site, struct pt_regs *regs)
{
	struct instruction_op op;

	if (WARN_ON_ONCE(analyse_instr(&op, regs, site->insn.insn) <= 0))
		return;
	emulate_update_regs(regs, &op);
}
NOKPROBE_SYMBOL(ppc_kprobe_emulate);
