// SPDX-License-Identifier: GPL-2.0-or-later
/* Jprobes on x86: call another function with the probed one's arguments. */
#include <linux/bug.h>
#include <linux/kasan.h>
#include <linux/kprobes_backend.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <asm/asm.h>
#include <asm/ptrace.h>
#include "common.h"

/* The stack pointer in the innermost x86_jprobe_call() of this CPU. */
DEFINE_PER_CPU(unsigned long, x86_jprobe_frame);

void arch_jprobe_call(void *entry, struct pt_regs *regs)
{
	unsigned long *stack = (unsigned long *)regs->sp;
	unsigned long outer = __this_cpu_read(x86_jprobe_frame);
	unsigned long copy[X86_JPROBE_STACK_WORDS + 1];

	/* The stack may end at the end of the page. */
	if (unlikely(offset_in_page(stack) + sizeof(copy) > PAGE_SIZE)) {
		unsigned long here = PAGE_SIZE - offset_in_page(stack);

		if (copy_from_kernel_nofault(copy, stack, sizeof(copy))) {
			/* A failed copy may have written to the buffer. */
			memset(copy, 0, sizeof(copy));
			memcpy(copy, stack, here);
		}
		stack = copy;
	}

	/* Skip the return address. */
	x86_jprobe_call(entry, regs, stack + 1);
	__this_cpu_write(x86_jprobe_frame, outer);
}
NOKPROBE_SYMBOL(arch_jprobe_call);

void notrace arch_jprobe_return(void)
{
	unsigned long frame = __this_cpu_read(x86_jprobe_frame);
	unsigned long here = current_stack_pointer;

	/* Without a running jprobe there is nowhere to return to. */
	BUG_ON(!frame);
	/* The skipped functions cannot unpoison their redzones. */
	kasan_unpoison_range((void *)here, frame - here);
	x86_jprobe_return(frame);
}
NOKPROBE_SYMBOL(arch_jprobe_return);
