/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following calls: what kretprobe.c, and the files in which entries and returns
 * begin, owe each other.
 */
#ifndef _KERNEL_KPROBES_FOLLOW_H
#define _KERNEL_KPROBES_FOLLOW_H

#include <linux/kallsyms.h>
#include <linux/kprobes_hit.h>
#include "internal.h"
#include "pool.h"

int kretprobe_entry_slow(struct kretprobe *rp, struct pt_regs *regs);
unsigned long kretprobe_return_slow(struct pt_regs *regs, void *frame);

static __always_inline unsigned long kretprobe_trampoline_address(void)
{
	return (unsigned long)
		dereference_kernel_function_descriptor(__kretprobe_trampoline);
}

/*
 * Frames are aligned: the bottom bit of kretprobe_instance::fp says that the
 * call is followed by the next one in the task's list as well.  On arm without
 * frame pointers any value may be in that register, and its bottom bit is
 * ignored.
 */
#define KRETPROBE_CHAINED	1UL

static __always_inline void *kretprobe_frame(void *fp)
{
	return (void *)((unsigned long)fp & ~KRETPROBE_CHAINED);
}

#ifdef CONFIG_KPROBES_CLASSIC
/* What the architecture keeps the address in, only its own code knows. */
static inline bool kretprobe_is_diverted(struct pt_regs *regs)
{
	return false;
}

static inline void *kretprobe_frame_at(struct pt_regs *regs)
{
	return NULL;
}

/*
 * Has @ri keep the call's return address.  Return: whether that is the
 * trampoline's already.
 */
static inline bool kretprobe_note_return(struct kretprobe_instance *ri,
					 struct pt_regs *regs)
{
	/* It diverts the call as well. */
	arch_prepare_kretprobe(ri, regs);
	ri->fp = kretprobe_frame(ri->fp);
	return (unsigned long)ri->ret_addr == kretprobe_trampoline_address();
}

/* Has the call return to the trampoline. */
static inline void kretprobe_divert(struct pt_regs *regs)
{
}
#else
/* Does the call that is entered return to the trampoline already? */
static __always_inline bool kretprobe_is_diverted(struct pt_regs *regs)
{
	return *arch_kprobe_return_place(regs) ==
	       kretprobe_trampoline_address();
}

static __always_inline void *kretprobe_frame_at(struct pt_regs *regs)
{
	return arch_kprobe_frame(regs);
}

/* The same two. */
static __always_inline bool kretprobe_note_return(struct kretprobe_instance *ri,
						  struct pt_regs *regs)
{
	unsigned long ret = *arch_kprobe_return_place(regs);

	ri->fp = arch_kprobe_frame(regs);
	ri->ret_addr = (kprobe_opcode_t *)ret;
	return ret == kretprobe_trampoline_address();
}

static __always_inline void kretprobe_divert(struct pt_regs *regs)
{
	*arch_kprobe_return_place(regs) = kretprobe_trampoline_address();
}
#endif

#endif /* _KERNEL_KPROBES_FOLLOW_H */
