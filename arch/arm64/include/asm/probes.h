/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probed instructions on arm64, as kprobes and uprobes store them. */
#ifndef _ASM_ARM64_PROBES_H
#define _ASM_ARM64_PROBES_H

#include <linux/types.h>

struct pt_regs;

typedef u32 probe_opcode_t;

/**
 * struct a64_kprobe_insn - a decoded instruction
 * @class: enum a64_kprobe_class
 * @rt: number of a register; 31 is the zero register
 * @bit: number of a bit, or condition
 * @invert: branch on the inverse condition
 * @wide: test or load 64 bits
 * @sign: sign-extend the loaded value
 * @key: 'A' or 'B', with which the branch authenticates, or 0
 * @modifier: number of the register with the modifier, or A64_MODIFIER_*
 * @target: an address
 */
struct a64_kprobe_insn {
	u8 class;
	u8 rt;
	u8 bit;
	bool invert : 1;
	bool wide : 1;
	bool sign : 1;
	u8 key;
	u8 modifier;
	unsigned long target;
};

/**
 * struct arch_probe_insn - how uprobes execute an instruction
 * @handler: emulates @insn from @addr on @regs; NULL if the instruction must be
 *	executed out of line
 */
struct arch_probe_insn {
	void (*handler)(u32 insn, long addr, struct pt_regs *regs);
};

#endif /* _ASM_ARM64_PROBES_H */
