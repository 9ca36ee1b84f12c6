// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections around sparc64's code for probes: see struct kprobe_quirks.
 *
 * That code executes a copy with a breakpoint after it.  It computes where to
 * continue from the address of that breakpoint and the address of the next
 * instruction.
 *
 * After a probed delay slot, it executes one instruction at the branch's
 * target, and then continues after the delay slot instead of after that
 * instruction.
 *
 * The code handles branches on integer conditions, and calls.  A branch on a
 * register or on floating point that is taken leads from the copy to a wrong
 * target.
 *
 * These are refused: a branch that annuls its delay slot, because it skips the
 * breakpoint; RDPC, which reads the address of the copy; RDPR of %pil, which
 * reads the interrupt level of the step; WRPR of %pil, which the step undoes.
 */
#define DISABLE_BRANCH_PROFILING

#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <asm/sections.h>

extern char sparc64_ttable_tl1[SZ_16K];

/* All of head_64.S, up to the second trap table */
static void __init sparc_blacklist(void)
{
	kprobe_add_area_blacklist((unsigned long)_stext,
				  (unsigned long)sparc64_ttable_tl1 +
				  sizeof(sparc64_ttable_tl1));
}

/* SETHI and ILLTRAP have the same format. */
static __always_inline bool sparc_is_branch(u32 insn)
{
	return !(insn & 0xc0000000) && (insn & 0x01c00000) != 0x01000000 &&
	       insn & 0x01c00000;
}

/* Return true if that code mistakes a branch for an absolute jump. */
static __always_inline bool sparc_is_misjudged(u32 insn)
{
	return sparc_is_branch(insn) && (insn & 0x01c00000) != 0x00400000 &&
	       (insn & 0x01c00000) != 0x00800000;
}

/* RDPR and WRPR of %pil */
static bool sparc_is_of_pil(u32 insn)
{
	return (insn & 0xc1ffc000) == 0x81520000 ||
	       (insn & 0xfff80000) == 0x91900000;
}

static bool sparc_refuses(const kprobe_opcode_t *addr)
{
	u32 insn = *addr;

	return (sparc_is_branch(insn) && insn & 0x20000000) ||
	       (insn & 0xc1ffc000) == 0x81414000 || sparc_is_of_pil(insn);
}

/* @next: the address of the instruction to execute after the probed one */
static __always_inline void sparc_step_end(const struct kprobe *kp,
					   unsigned long next,
					   struct pt_regs *regs)
{
	unsigned long addr = (unsigned long)kp->addr;

	if (next != addr + 4)
		regs->tnpc = next + 4;
	else if (sparc_is_misjudged(kp->ainsn.insn[0]) &&
		 regs->tnpc != addr + 8)
		regs->tnpc += addr - (unsigned long)kp->ainsn.insn;
}

static noinstr int sparc_exception(struct notifier_block *self,
				   unsigned long val, void *data)
{
	struct kprobe *stepped = NULL;
	unsigned long next = 0;
	int ret;

	if (val == DIE_DEBUG_2) {
		stepped = kprobe_running();
		next = get_kprobe_ctlblk()->kprobe_orig_tnpc;
	}
	ret = kprobe_exceptions_notify(self, val, data);
	if (ret == NOTIFY_STOP && stepped)
		sparc_step_end(stepped, next, ((struct die_args *)data)->regs);
	return ret;
}

const struct kprobe_quirks kprobe_quirks __refconst = {
	.blacklist = sparc_blacklist,
	.refuses = sparc_refuses,
	.exception = sparc_exception,
};
