/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which instructions classic.c refuses before the architecture's code is asked.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_REFUSE_H
#define _KERNEL_KPROBES_CLASSIC_REFUSE_H

#include <linux/align.h>
#include <linux/bug.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/kprobes_backend.h>
#include "classic_exclusive.h"
#include "classic_loongarch.h"
#include "classic_mips.h"
#include "classic_parisc.h"
#include "classic_sh.h"
#include "classic_sparc.h"

/* What addresses of instructions are multiples of. */
#define SHORT_INSNS	(IS_ENABLED(CONFIG_RISCV_ISA_C) ||		\
			 IS_ENABLED(CONFIG_THUMB2_KERNEL) ||		\
			 IS_ENABLED(CONFIG_CSKY))
#define INSN_ALIGNMENT	(SHORT_INSNS ? 2 : sizeof(kprobe_opcode_t))

#ifdef CONFIG_DYNAMIC_FTRACE
/*
 * What ftrace writes for a call, beside the instruction it is known by: riscv
 * has two of them in MCOUNT_INSN_SIZE.
 *
 * On loongarch that is the instruction before the call.  On mips ftrace writes
 * the word behind the call as well (32 bits), or there is a delay slot.  On
 * parisc the call is in front of the function, and known by its last word.
 */
static inline bool is_ftrace_call(unsigned long addr)
{
	unsigned long call = ftrace_location(addr);

	if (call && addr - call < MCOUNT_INSN_SIZE)
		return true;
#ifdef CONFIG_PARISC
	for (int i = 1; i < FTRACE_PATCHABLE_FUNCTION_SIZE; i++) {
		call = addr + i * sizeof(u32);
		if (ftrace_location(call) == call)
			return true;
	}
#endif
	return (IS_ENABLED(CONFIG_LOONGARCH) || IS_ENABLED(CONFIG_MIPS)) &&
	       ftrace_location(addr - sizeof(u32)) == addr - sizeof(u32);
}
#else
static inline bool is_ftrace_call(unsigned long addr)
{
	return false;
}
#endif

/*
 * Faults in the copy, or in what stands for the instruction, would find nothing
 * in the table of exceptions.  Arm emulates accesses to memory in C code, where
 * no access to user memory is allowed, and jumps to copies.  A fault on arc
 * does not end the step.  Backends of other architectures move the fault back.
 */
static inline bool is_fixed_up(unsigned long addr)
{
	return (IS_ENABLED(CONFIG_PARISC) || IS_ENABLED(CONFIG_ARM) ||
		IS_ENABLED(CONFIG_ARC)) && search_exception_tables(addr);
}

/* Context: kprobe_mutex, jump_label_mutex and text_mutex held. */
static inline enum kprobe_refusal
classic_refuses(const kprobe_opcode_t *insn, const struct kprobe_symbol *symbol)
{
	unsigned long addr = (unsigned long)insn;

	if (!IS_ALIGNED(addr, INSN_ALIGNMENT))
		return KPROBE_REFUSE_MISALIGNED;
	if (find_bug(addr))
		return KPROBE_REFUSE_BUG_SITE;
	if (is_ftrace_call(addr))
		return KPROBE_REFUSE_FTRACE_SITE;
	if (sh_is_misread(insn) || sparc_is_misread(insn) ||
	    parisc_is_misread(insn) || mips_is_misread(insn) ||
	    loongarch_is_misread(insn) || mips_is_in_delay_slot(insn) ||
	    is_fixed_up(addr) || is_exclusive(addr, symbol))
		return KPROBE_REFUSE_UNRELOCATABLE;
	return KPROBE_OK;
}

#endif /* _KERNEL_KPROBES_CLASSIC_REFUSE_H */
