// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Emulation of probed instructions on powerpc, by sstep.c.
 *
 * Branches and other instructions that depend on their address are emulated.
 * With a post handler, instructions that only compute are emulated, too, which
 * avoids the trap after them.  Both kinds use only a struct pt_regs, so their
 * emulation cannot fail.
 *
 * With a post handler, loads and stores of the stack are emulated as well if
 * sstep.c executes them by one instruction.  Accesses of other memory are not,
 * because the exception may have changed it, for example the preemption count
 * or the soft mask of interrupts.  If the access faults, it has had no effect.
 * The probed instruction is then executed in its post_slot, and faults there as
 * in place.  A watchpoint, however, is reported with an address in sstep.c.
 */
#include <linux/align.h>
#include <linux/bug.h>
#include <linux/kprobes_backend.h>
#include <asm/ptrace.h>
#include <asm/sstep.h>
#include <asm/thread_info.h>
#include "kprobes-common.h"

/**
 * ppc_kprobe_emulate - emulate an instruction on registers
 * @site: the instruction, PPC_KPROBE_COMPUTE or PPC_KPROBE_EMULATE
 * @regs: nip is the probed address; set to where the instruction continues
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
 * Return true for an access of the stack by one instruction, unless it moves
 * the stack pointer: sstep.c would delay the store of STDU until after the post
 * handlers.  Below the red zone is the frame of the exception.
 */
static __always_inline bool is_stack_access(const struct instruction_op *op,
					    const struct pt_regs *regs)
{
	unsigned int size = GETSIZE(op->type);

	if (GETTYPE(op->type) != LOAD && GETTYPE(op->type) != STORE)
		return false;
	if (op->type & UPDATE && op->update_reg == 1)
		return false;
	return size <= sizeof(long) && IS_ALIGNED(op->ea, size) &&
	       op->ea + KERNEL_REDZONE_SIZE >= regs->gpr[1] &&
	       (op->ea ^ regs->gpr[1]) < THREAD_SIZE;
}

/**
 * ppc_kprobe_emulate_access - emulate a load or store
 * @site: the instruction, which has a slot
 * @regs: nip is the probed address; set to the next one if successful
 *
 * Context: a hit.
 * Return: true if successful; otherwise no register has changed.
 */
bool ppc_kprobe_emulate_access(const struct kprobe_site *site,
			       struct pt_regs *regs)
{
	struct instruction_op op = {};

	if (analyse_instr(&op, regs, site->insn.insn) ||
	    !is_stack_access(&op, regs))
		return false;
	if (emulate_loadstore(regs, &op))
		return false;
	regs->nip = ppc_kprobe_next(site);
	return true;
}
NOKPROBE_SYMBOL(ppc_kprobe_emulate_access);
