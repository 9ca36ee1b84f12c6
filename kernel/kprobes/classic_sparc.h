/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that sparc64's own code steps wrongly, which classic.c corrects
 * or refuses.  On other architectures there is nothing to do.
 *
 * That code executes a copy with a breakpoint after it.  It computes where to
 * continue from the address of that breakpoint and the address of the next
 * instruction.
 *
 * After a probed delay slot, it executes one instruction at the branch's
 * target, and then continues after the delay slot instead of after that
 * instruction.
 *
 * It knows branches on integer conditions and calls.  A branch on a register or
 * on floating point that is taken leads from the copy to a wrong target.
 *
 * These are refused: a branch that annuls its delay slot, because it skips the
 * breakpoint; RDPC, which reads the address of the copy; RDPR of %pil, which
 * reads the interrupt level of the step; WRPR of %pil, which the step undoes.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_SPARC_H
#define _KERNEL_KPROBES_CLASSIC_SPARC_H

#include <linux/kdebug.h>
#include <linux/kprobes_backend.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>

#ifdef CONFIG_SPARC64

/**
 * struct sparc_hit - the state of the CPU before an exception
 * @running: the struct kprobe whose step it ends, or NULL for the breakpoint
 * @next: address of the instruction to execute after the probed one
 */
struct sparc_hit {
	struct kprobe *running;
	unsigned long next;
};

/* SETHI and ILLTRAP have the same format. */
static __always_inline bool sparc_is_branch(u32 insn)
{
	return !(insn & 0xc0000000) && (insn & 0x01c00000) != 0x01000000 &&
	       insn & 0x01c00000;
}

/* Does that code mistake a branch for a jump to an absolute address? */
static __always_inline bool sparc_is_misjudged(u32 insn)
{
	return sparc_is_branch(insn) && (insn & 0x01c00000) != 0x00400000 &&
	       (insn & 0x01c00000) != 0x00800000;
}

/* RDPR and WRPR of %pil */
static inline bool sparc_is_of_pil(u32 insn)
{
	return (insn & 0xc1ffc000) == 0x81520000 ||
	       (insn & 0xfff80000) == 0x91900000;
}

static inline bool sparc_is_misread(const kprobe_opcode_t *addr)
{
	u32 insn = *addr;

	return (sparc_is_branch(insn) && insn & 0x20000000) ||
	       (insn & 0xc1ffc000) == 0x81414000 || sparc_is_of_pil(insn);
}

/* Read per-CPU state only in a step, when the task stays on its CPU. */
static __always_inline struct sparc_hit sparc_hit_begin(unsigned long val)
{
	if (val != DIE_DEBUG_2)
		return (struct sparc_hit) { };
	return (struct sparc_hit) {
		.running = kprobe_running(),
		.next = get_kprobe_ctlblk()->kprobe_orig_tnpc,
	};
}

static __always_inline void sparc_hit_end(const struct sparc_hit *hit,
					  int ret, struct pt_regs *regs)
{
	struct kprobe *kp = hit->running;
	unsigned long addr;

	if (ret != NOTIFY_STOP || !kp)
		return;
	addr = (unsigned long)kp->addr;
	if (hit->next != addr + 4)
		regs->tnpc = hit->next + 4;
	else if (sparc_is_misjudged(kp->ainsn.insn[0]) &&
		 regs->tnpc != addr + 8)
		regs->tnpc += addr - (unsigned long)kp->ainsn.insn;
}

#else /* !CONFIG_SPARC64 */

struct sparc_hit { };

static inline bool sparc_is_misread(const kprobe_opcode_t *addr)
{
	return false;
}

static __always_inline struct sparc_hit sparc_hit_begin(unsigned long val)
{
	return (struct sparc_hit) { };
}

static __always_inline void sparc_hit_end(const struct sparc_hit *hit,
					  int ret, struct pt_regs *regs) { }

#endif /* CONFIG_SPARC64 */
#endif /* _KERNEL_KPROBES_CLASSIC_SPARC_H */
