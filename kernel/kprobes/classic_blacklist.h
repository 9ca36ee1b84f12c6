/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must not be probed, and no annotation of the architecture says so: what
 * an exception runs before its registers are saved and after they are restored,
 * what leads a breakpoint to classic.c, and what steps it.  A probe there hits
 * itself for ever, or loses where it came from.
 *
 * The architectures have their entry code in ordinary text, in files that are
 * linked as one piece, from the first symbol that is named here to the last.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_BLACKLIST_H
#define _KERNEL_KPROBES_CLASSIC_BLACKLIST_H

#include <linux/array_size.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <asm/sections.h>

#if defined(CONFIG_MIPS)
#include <asm/branch.h>
#include <asm/idle.h>

extern unsigned long exception_handlers[32];
asmlinkage void do_bp(struct pt_regs *regs);
asmlinkage void ret_from_exception(void);
asmlinkage void ret_from_irq(void);
asmlinkage void handle_reserved(void);

/*
 * Entry.S and genex.S, handlers of exceptions elsewhere, breakpoints, branches.
 * And where a CPU is idle: these exceptions switch interrupts on.
 */
static inline void __init backend_blacklist(void)
{
	unsigned long of_exception = (unsigned long)ret_from_exception;
	unsigned long of_irq = (unsigned long)ret_from_irq;
	int i;

	kprobe_add_area_blacklist(min(of_exception, of_irq),
				  (unsigned long)handle_reserved);
	for (i = 0; i < ARRAY_SIZE(exception_handlers); i++) {
		if (!within_kprobe_blacklist(exception_handlers[i]))
			kprobe_add_ksym_blacklist(exception_handlers[i]);
	}
	kprobe_add_ksym_blacklist((unsigned long)do_bp);
	kprobe_add_ksym_blacklist((unsigned long)__compute_return_epc_for_insn);
	kprobe_add_ksym_blacklist((unsigned long)__r4k_wait);
}

#elif defined(CONFIG_SPARC64)
extern char sparc64_ttable_tl1[SZ_16K];

/* Head_64.S, which has all of it, up to the second table of traps. */
static inline void __init backend_blacklist(void)
{
	kprobe_add_area_blacklist((unsigned long)_stext,
				  (unsigned long)sparc64_ttable_tl1 +
				  sizeof(sparc64_ttable_tl1));
}

#elif defined(CONFIG_SUPERH) && defined(CONFIG_CPU_HAS_SR_RB) &&	\
	defined(CONFIG_MMU)
#include <asm/traps.h>

asmlinkage void tlb_miss_load(void);
asmlinkage void exception_none(void);

/* Entry.S of SH-3 and SH-4, and breakpoints. */
static inline void __init backend_blacklist(void)
{
	kprobe_add_area_blacklist((unsigned long)tlb_miss_load,
				  (unsigned long)exception_none);
	kprobe_add_ksym_blacklist((unsigned long)debug_trap_handler);
}

#elif defined(CONFIG_ARC)
#include <linux/cpu.h>

/* Idle CPUs: these exceptions switch interrupts on. */
static inline void __init backend_blacklist(void)
{
	kprobe_add_ksym_blacklist((unsigned long)arch_cpu_idle);
}

#else
static inline void __init backend_blacklist(void) { }
#endif

#endif /* _KERNEL_KPROBES_CLASSIC_BLACKLIST_H */
