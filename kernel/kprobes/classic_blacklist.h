/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that must not be probed, but that the architecture does not annotate:
 * code that an exception runs before its registers are saved and after they are
 * restored, that passes a breakpoint to classic.c, or that steps it.  A probe
 * there hits itself forever, or loses its return address.
 *
 * Architectures have their entry code in ordinary text, in files that are
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
#include <linux/kallsyms.h>
#include <asm/branch.h>
#include <asm/idle.h>

extern unsigned long exception_handlers[32];
asmlinkage void do_bp(struct pt_regs *regs);
asmlinkage void ret_from_exception(void);
asmlinkage void ret_from_irq(void);
asmlinkage void handle_reserved(void);

/*
 * Blacklist the probes code, some of which steps, from its first function to
 * its last.  It probes its own trampoline, which may be anywhere in it.
 */
static inline void __init mips_blacklist_probes(void)
{
	unsigned long trampoline = (unsigned long)__kretprobe_trampoline;
	unsigned long in_it[] = {
		(unsigned long)arch_arm_kprobe,
		(unsigned long)arch_disarm_kprobe,
		(unsigned long)arch_prepare_kprobe,
		(unsigned long)kprobe_fault_handler,
		(unsigned long)kprobe_exceptions_notify,
	};
	unsigned long start = in_it[0], end = in_it[0], size, offset;
	int i;

	for (i = 0; i < ARRAY_SIZE(in_it); i++) {
		start = min(start, in_it[i]);
		end = max(end, in_it[i]);
	}
	if (trampoline > start && trampoline < end &&
	    kallsyms_lookup_size_offset(trampoline, &size, &offset)) {
		kprobe_add_area_blacklist(start, trampoline);
		start = trampoline + size;
	}
	kprobe_add_area_blacklist(start, end);
	for (i = 0; i < ARRAY_SIZE(in_it); i++) {
		if (!within_kprobe_blacklist(in_it[i]))
			kprobe_add_ksym_blacklist(in_it[i]);
	}
}

/*
 * entry.S and genex.S, handlers of exceptions elsewhere, breakpoints, branches,
 * and the function in which a CPU idles with interrupts on.
 */
static inline void __init backend_blacklist(void)
{
	unsigned long of_exception = (unsigned long)ret_from_exception;
	unsigned long of_irq = (unsigned long)ret_from_irq;
	int i;

	mips_blacklist_probes();
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

/* All of head_64.S, up to the second trap table */
static inline void __init backend_blacklist(void)
{
	kprobe_add_area_blacklist((unsigned long)_stext,
				  (unsigned long)sparc64_ttable_tl1 +
				  sizeof(sparc64_ttable_tl1));
}

#elif defined(CONFIG_SUPERH)
#include <asm/cacheflush.h>
#include <asm/traps.h>

#if defined(CONFIG_CPU_HAS_SR_RB) && defined(CONFIG_MMU)
asmlinkage void tlb_miss_load(void);
asmlinkage void exception_none(void);

/* entry.S of SH-3 and SH-4, and breakpoints */
static inline void __init sh_blacklist_entry(void)
{
	kprobe_add_area_blacklist((unsigned long)tlb_miss_load,
				  (unsigned long)exception_none);
	kprobe_add_ksym_blacklist((unsigned long)debug_trap_handler);
}
#else
static inline void __init sh_blacklist_entry(void) { }
#endif

/* A step writes text, and flushes the caches of this CPU. */
static inline void __init backend_blacklist(void)
{
	sh_blacklist_entry();
	kprobe_add_ksym_blacklist((unsigned long)flush_icache_range);
	kprobe_add_ksym_blacklist((unsigned long)local_flush_icache_range);
}

#elif defined(CONFIG_PARISC)
#include <linux/kallsyms.h>
#include <asm/processor.h>

extern const char fault_vector_20[], set_register[];

/* entry.S up to its last function, and the functions that it calls */
static inline void __init backend_blacklist(void)
{
	unsigned long last = (unsigned long)set_register;
	void *c_code = handle_interruption;
	/* Static, and no function any more if it was inlined. */
	void *of_break = kprobe_lookup_name("handle_break", 0);

	kprobe_add_area_blacklist((unsigned long)fault_vector_20, last);
	kprobe_add_ksym_blacklist(last);
	c_code = dereference_kernel_function_descriptor(c_code);
	kprobe_add_ksym_blacklist((unsigned long)c_code);
	if (of_break)
		kprobe_add_ksym_blacklist((unsigned long)of_break);
}

#elif defined(CONFIG_ARC)
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <asm/cacheflush.h>

extern void (*_cache_line_loop_ic_fn)(phys_addr_t paddr, unsigned long vaddr,
				      unsigned long sz, const int op,
				      const int full_page);

/*
 * Idle CPUs, because these exceptions enable interrupts.  A step writes text
 * and flushes the caches, for modules by their physical address.
 */
static inline void __init backend_blacklist(void)
{
	kprobe_add_ksym_blacklist((unsigned long)arch_cpu_idle);
	kprobe_add_ksym_blacklist((unsigned long)flush_icache_range);
	kprobe_add_ksym_blacklist((unsigned long)__sync_icache_dcache);
	if (_cache_line_loop_ic_fn)
		kprobe_add_ksym_blacklist((unsigned long)
					  _cache_line_loop_ic_fn);
	kprobe_add_ksym_blacklist((unsigned long)vmalloc_to_pfn);
	kprobe_add_ksym_blacklist((unsigned long)vmalloc_to_page);
}

#elif defined(CONFIG_CSKY)
#include <asm/switch_to.h>
#include <asm/traps.h>

asmlinkage void csky_cmpxchg(void);
asmlinkage void csky_pagefault(void);

/*
 * From the first to the last function of entry.S, the system call in atomic.S,
 * and the handlers of the exceptions that breakpoints and steps raise.
 */
static inline void __init backend_blacklist(void)
{
	kprobe_add_area_blacklist((unsigned long)csky_pagefault,
				  (unsigned long)__switch_to);
	kprobe_add_ksym_blacklist((unsigned long)__switch_to);
	kprobe_add_ksym_blacklist((unsigned long)csky_cmpxchg);
	kprobe_add_ksym_blacklist((unsigned long)trap_c);
	kprobe_add_ksym_blacklist((unsigned long)do_trap_illinsn);
	kprobe_add_ksym_blacklist((unsigned long)do_trap_bkpt);
}

#elif defined(CONFIG_RISCV)
#include <linux/kallsyms.h>
#include <linux/types.h>
#include <asm/insn.h>

asmlinkage void handle_exception(void);
extern char ret_from_exception_end[];

/* Maximum depth of nested calls to follow */
#define CALL_DEPTH	3
/* Calls write their return address to this register. */
#define REG_RA		1

/* Return the target of the call at @at; 0 if it is no call, or not known. */
static inline unsigned long __init call_target(const u16 *at)
{
	unsigned long addr = (unsigned long)at;
	u32 insn = at[0], next;

	if (riscv_insn_is_c_jal(insn))
		return addr + (s32)RVC_EXTRACT_JTYPE_IMM(insn);
	if (GET_INSN_LENGTH(insn) == sizeof(u16))
		return 0;
	insn |= (u32)at[1] << 16;
	if (RV_EXTRACT_RD_REG(insn) != REG_RA)
		return 0;
	if (riscv_insn_is_jal(insn))
		return addr + riscv_insn_extract_jtype_imm(insn);
	/* The upper part of the distance, and a call with the lower part */
	next = at[2] | (u32)at[3] << 16;
	if (!riscv_insn_is_auipc(insn) || !riscv_insn_is_jalr(next) ||
	    RV_EXTRACT_RD_REG(next) != REG_RA ||
	    RV_EXTRACT_RS1_REG(next) != REG_RA)
		return 0;
	return addr + riscv_insn_extract_utype_itype_imm(insn, next);
}

static inline void __init blacklist_callees(unsigned long start,
					    unsigned long end, int depth)
{
	unsigned long at, target, size, offset;

	for (at = start; at < end; at += GET_INSN_LENGTH(*(u16 *)at)) {
		target = call_target((u16 *)at);
		/* Noinstr functions, such as handlers, annotate callees. */
		if (!target || within_kprobe_blacklist(target) ||
		    !kallsyms_lookup_size_offset(target, &size, &offset))
			continue;
		kprobe_add_ksym_blacklist(target);
		if (depth > 1)
			blacklist_callees(target, target - offset + size,
					  depth - 1);
	}
}

/*
 * entry.S is blacklisted already.  Between saving registers and the handler of
 * an exception, and on the way back, it calls functions in ordinary text for
 * each exception, such as those that save vector registers.
 */
static inline void __init backend_blacklist(void)
{
	blacklist_callees((unsigned long)handle_exception,
			  (unsigned long)ret_from_exception_end, CALL_DEPTH);
}

#else
static inline void __init backend_blacklist(void) { }
#endif

#endif /* _KERNEL_KPROBES_CLASSIC_BLACKLIST_H */
