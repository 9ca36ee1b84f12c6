/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probed instructions on arm64: what kprobes and uprobes keep of one.
 */
#ifndef _ASM_ARM64_PROBES_H
#define _ASM_ARM64_PROBES_H

#include <linux/types.h>

struct pt_regs;

typedef u32 probe_opcode_t;

/**
 * struct a64_kprobe_insn - an instruction, decoded
 * @class: enum a64_kprobe_class
 * @rt: register, 31 for none
 * @bit: number of a bit, or condition
 * @invert: the other way round
 * @wide: looks at 64 bits, or loads them
 * @sign: extends the sign of what it loads
 * @key: 'A' or 'B' to authenticate the branch with; or 0
 * @modifier: which register to do that with
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
 * struct arch_probe_insn - how an instruction is executed elsewhere
 * @handler: does what @insn at @addr does, to @regs; NULL where it is to be
 *	executed out of line
 */
struct arch_probe_insn {
	void (*handler)(u32 insn, long addr, struct pt_regs *regs);
};

#endif /* _ASM_ARM64_PROBES_H */
