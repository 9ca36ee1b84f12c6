// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jprobes on powerpc: the arguments of the probed function for another one.
 */
#include <linux/bug.h>
#include <linux/kasan.h>
#include <linux/kprobes_backend.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/* The stack in ppc_jprobe_call() of the jprobe that runs on this CPU. */
static DEFINE_PER_CPU(unsigned long, jprobe_frame);

void arch_jprobe_call(void *entry, struct pt_regs *regs)
{
	unsigned long outer = __this_cpu_read(jprobe_frame);
	void *stack = (void *)kernel_stack_pointer(regs) + PPC_JPROBE_STACK;
	u8 copy[PPC_JPROBE_STACK_BYTES] __aligned(16);
	unsigned int here = PAGE_ALIGN((unsigned long)stack) -
			    (unsigned long)stack;

	/*
	 * The caller's frame may be smaller, and the stack end behind it, or
	 * here.
	 */
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

	/* Outside of a jprobe's function there is no way back. */
	BUG_ON(!frame);
	/* The functions in between will not remove their redzones. */
	kasan_unpoison_range((void *)here, frame - here);
	ppc_jprobe_return(frame);
}
NOKPROBE_SYMBOL(arch_jprobe_return);
