// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return addresses of the thunks, which have no stack frames, for the
 * frame-pointer unwinder.
 */
#include <linux/kprobes_backend.h>
#include <linux/uaccess.h>
#include "common.h"

/**
 * kprobe_thunk_frame - provide a stack frame for a thunk
 * @regs: any registers
 * @bp: the frame pointer in @regs; replaced if the thunk has saved the original
 *	one on the stack
 *
 * Context: any.
 * Return: a frame with the thunk's return address, but without a valid saved
 * frame pointer.  NULL if the instruction pointer is in no thunk; if it is at
 * the trampoline's first instruction, because the function's return has popped
 * the address; or if the stack cannot be read.
 */
unsigned long *kprobe_thunk_frame(struct pt_regs *regs, unsigned long **bp)
{
	const struct x86_kprobe_thunk_frame *f = kprobe_thunk_frames_end - 1;
	unsigned long at = regs->ip - (unsigned long)kprobe_post_thunk;
	unsigned long *sp = (unsigned long *)regs->sp, *ret, saved;

	if (at >= f->at || is_kretprobe_trampoline(regs->ip))
		return NULL;
	while (f->at > at)
		f--;
	if (f->bp >= 0) {
		if (get_kernel_nofault(saved, sp + f->bp))
			return NULL;
		*bp = (unsigned long *)saved;
	}
	ret = sp + (f->ret & ~X86_KPROBE_INDIRECT);
	if (f->ret & X86_KPROBE_INDIRECT) {
		if (get_kernel_nofault(saved, ret))
			return NULL;
		ret = (unsigned long *)saved + 1;
	}
	return ret - 1;
}
