// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions that are emulated on powerpc, by sstep.c.
 *
 * These are branches and what else depends on where it stands, and with a post
 * handler all that only compute, which spares the trap behind them.  They work
 * on a struct pt_regs alone, so they cannot fail.
 *
 * So are loads and stores with a post handler, where they do to the kernel's
 * memory what they would do in place: one access by one instruction.  If that
 * faults nothing has been done.  Then they are executed in their slot, as
 * without a post handler, and fault there as in place.  A watchpoint finds the
 * access in sstep.c.
 */
#include <linux/align.h>
#include <linux/bug.h>
#include <linux/kprobes_backend.h>
#include <asm/page.h>
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

/*
 * Is this an access of the kernel's memory by one instruction?  sstep.c puts a
 * store that moves the stack off to the end of the exception, which is behind
 * the post handlers.  User memory is out of reach here.
 */
static __always_inline bool is_plain_access(const struct instruction_op *op)
{
	unsigned int size = GETSIZE(op->type);

	if (GETTYPE(op->type) != LOAD && GETTYPE(op->type) != STORE)
		return false;
	if (op->type & UPDATE && op->update_reg == 1)
		return false;
	return size <= sizeof(long) && IS_ALIGNED(op->ea, size) &&
	       is_kernel_addr(op->ea);
}

/**
 * ppc_kprobe_emulate_access - do what a load or store does
 * @site: the instruction, which has a slot
 * @regs: at it; moved on if it has been done
 *
 * Context: a hit.
 * Return: whether it has been done.  If not, no register has changed.
 */
bool ppc_kprobe_emulate_access(const struct kprobe_site *site,
			       struct pt_regs *regs)
{
	struct instruction_op op = {};

	if (analyse_instr(&op, regs, site->insn.insn) || !is_plain_access(&op))
		return false;
	if (emulate_loadstore(regs, &op))
		return false;
	regs->nip = ppc_kprobe_next(site);
	return true;
}
NOKPROBE_SYMBOL(ppc_kprobe_emulate_access);
