/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A64 instructions in probes: how an instruction depends on its address, and
 * its emulation.
 */
#ifndef __ARM64_KERNEL_PROBES_DECODE_INSN_H
#define __ARM64_KERNEL_PROBES_DECODE_INSN_H

#include <asm/probes.h>

/**
 * enum a64_kprobe_class - how a probed instruction is handled
 *
 * Classes from @A64_REFUSED on cannot be probed.
 *
 * @A64_PLAIN: does not depend on its address
 * @A64_LOAD_EX: the same, but starts an exclusive sequence
 * @A64_NOP: a no-op, a landing pad or a prefetch: need not be executed
 * @A64_B: branch to @target
 * @A64_BL: call of @target
 * @A64_BCOND: branch to @target on condition @bit
 * @A64_CBZ: branch to @target if register @rt is zero; with @invert, if not
 * @A64_TBZ: branch to @target if bit @bit of @rt is zero; with @invert, if not
 * @A64_BR: branch to the address in @rt
 * @A64_BLR: call of the address in @rt
 * @A64_RET: return to the address in @rt
 * @A64_ADR: load @target into @rt
 * @A64_LDR: load the value at @target into @rt
 * @A64_REFUSED: can be neither copied nor emulated
 * @A64_STORE_EX: ends an exclusive sequence
 * @A64_TRAP: a breakpoint, a halt, or a permanently undefined instruction
 * @A64_CALLS_UP: SVC, HVC or SMC
 * @A64_ERET: returns from an exception
 * @A64_NONE: not an instruction
 */
enum a64_kprobe_class {
	A64_PLAIN,
	A64_LOAD_EX,
	A64_NOP,
	A64_B,
	A64_BL,
	A64_BCOND,
	A64_CBZ,
	A64_TBZ,
	A64_BR,
	A64_BLR,
	A64_RET,
	A64_ADR,
	A64_LDR,
	A64_REFUSED,
	A64_STORE_EX,
	A64_TRAP,
	A64_CALLS_UP,
	A64_ERET,
	A64_NONE,
};

/* Modifiers of an authenticated branch that are not general registers. */
#define A64_MODIFIER_SP		31
#define A64_MODIFIER_ZERO	32

void a64_kprobe_decode(u32 insn, unsigned long addr,
		       struct a64_kprobe_insn *result);
void a64_kprobe_emulate(const struct a64_kprobe_insn *insn,
			struct pt_regs *regs);

/* Results for uprobes. */
enum probe_insn {
	INSN_REJECTED,
	INSN_GOOD_NO_SLOT,
	INSN_GOOD,
};

enum probe_insn arm_probe_decode_insn(u32 insn, struct arch_probe_insn *api);

#endif /* __ARM64_KERNEL_PROBES_DECODE_INSN_H */
