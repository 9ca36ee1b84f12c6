/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that classic.c refuses before it calls the architecture's code.
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

/* Alignment of instructions */
#define SHORT_INSNS	(IS_ENABLED(CONFIG_RISCV_ISA_C) ||		\
			 IS_ENABLED(CONFIG_THUMB2_KERNEL) ||		\
			 IS_ENABLED(CONFIG_CSKY))
#define INSN_ALIGNMENT	(SHORT_INSNS ? 2 : sizeof(kprobe_opcode_t))

#ifdef CONFIG_DYNAMIC_FTRACE
/*
 * Return true for text that ftrace writes for a call, in addition to the
 * address by which it knows the call: riscv has two instructions in
 * MCOUNT_INSN_SIZE.
 *
 * On loongarch ftrace knows the instruction before the call.  On mips it also
 * writes the word after the call (32 bits), or there is a delay slot.  On
 * parisc the call precedes the function, and is known by its last word.
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
 * Faults in the copy, or in code that replaces the instruction, would not be
 * found in the exception tables.  Arm emulates memory accesses in C code, which
 * must not access user memory, and jumps to copies.  A fault on arc does not
 * end the step.  Backends of other architectures move the fault back.
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

	/* The architecture's code reads and writes MIPS32 instructions. */
	if (IS_ENABLED(CONFIG_CPU_MICROMIPS))
		return KPROBE_REFUSE_UNDECODABLE;
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
