// SPDX-License-Identifier: GPL-2.0-or-later
/* Jprobes on powerpc: call another function with the probed one's arguments. */
#include <linux/bug.h>
#include <linux/kasan.h>
#include <linux/kprobes_backend.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/* The stack pointer in ppc_jprobe_call(), for the jprobe on this CPU. */
static DEFINE_PER_CPU(unsigned long, jprobe_frame);

void arch_jprobe_call(void *entry, struct pt_regs *regs)
{
	unsigned long outer = __this_cpu_read(jprobe_frame);
	void *stack = (void *)kernel_stack_pointer(regs) + PPC_JPROBE_STACK;
	u8 copy[PPC_JPROBE_STACK_BYTES] __aligned(16);
	unsigned int here = PAGE_ALIGN((unsigned long)stack) -
			    (unsigned long)stack;

	/* The caller's frame may be smaller, and the stack may end after it. */
	if (unlikely(here < sizeof(copy))) {
		memset(copy, 0, sizeof(copy));
		if (copy_from_kernel_nofault(copy, stack, sizeof(copy)))
			memcpy(copy, stack, here);
		stack = copy;
	}

	ppc_jprobe_call(entry, regs, stack, this_cpu_ptr(&jprobe_frame));
	__this_cpu_write(jprobe_frame, outer);
}
NOKPROBE_SYMBOL(arch_jprobe_call);

void notrace arch_jprobe_return(void)
{
	unsigned long frame = __this_cpu_read(jprobe_frame);
	unsigned long here = current_stack_frame();

	/* Without a running jprobe there is nowhere to return to. */
	BUG_ON(!frame);
	/* The skipped functions cannot unpoison their redzones. */
	kasan_unpoison_range((void *)here, frame - here);
	ppc_jprobe_return(frame);
}
NOKPROBE_SYMBOL(arch_jprobe_return);
