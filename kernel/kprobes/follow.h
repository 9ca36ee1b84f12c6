/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following calls: the interface between kretprobe.c and the files in which
 * entries and returns begin.
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
 * Frames are aligned, so the bottom bit of kretprobe_instance::fp can mark that
 * the next instance in the task's list follows the same call.  On arm without
 * frame pointers, that register may hold any value, and its bottom bit is
 * ignored.
 */
#define KRETPROBE_CHAINED	1UL

static __always_inline void *kretprobe_frame(void *fp)
{
	return (void *)((unsigned long)fp & ~KRETPROBE_CHAINED);
}

#ifdef CONFIG_KPROBES_CLASSIC
/* Only the backend knows where the return address is. */
static inline bool kretprobe_is_diverted(struct pt_regs *regs)
{
	return false;
}

static inline void *kretprobe_frame_at(struct pt_regs *regs)
{
	return NULL;
}

/*
 * Save the call's return address in @ri.  Return true if it is already the
 * trampoline's.
 */
static inline bool kretprobe_note_return(struct kretprobe_instance *ri,
					 struct pt_regs *regs)
{
	/* This also diverts the call. */
	arch_prepare_kretprobe(ri, regs);
	ri->fp = kretprobe_frame(ri->fp);
	return (unsigned long)ri->ret_addr == kretprobe_trampoline_address();
}

/* Make the call return to the trampoline. */
static inline void kretprobe_divert(struct pt_regs *regs)
{
}
#else
/* Return true if the call already returns to the trampoline. */
static __always_inline bool kretprobe_is_diverted(struct pt_regs *regs)
{
	return *arch_kprobe_return_place(regs) ==
	       kretprobe_trampoline_address();
}

static __always_inline void *kretprobe_frame_at(struct pt_regs *regs)
{
	return arch_kprobe_frame(regs);
}

/* As above. */
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
