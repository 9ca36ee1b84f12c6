/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A64 instructions as probes see them: what of an instruction depends on where
 * it stands, and what it does if that is done in its place.
 */
#ifndef __ARM64_KERNEL_PROBES_DECODE_INSN_H
#define __ARM64_KERNEL_PROBES_DECODE_INSN_H

#include <asm/probes.h>

/**
 * enum a64_kprobe_class - what is to be done with a probed instruction
 *
 * First those that can be probed; from @A64_REFUSED on, those that cannot.
 *
 * @A64_PLAIN: does the same wherever it stands
 * @A64_LOAD_EX: the same, but begins a sequence that must not be interrupted
 * @A64_NOP: does nothing
 * @A64_LANDING: does nothing but to let indirect branches in
 * @A64_B: branch to @target
 * @A64_BL: call of @target
 * @A64_BCOND: branch to @target on condition @bit
 * @A64_CBZ: branch to @target if register @rt is zero; if it is not: @invert
 * @A64_TBZ: branch to @target if bit @bit of @rt is zero; same
 * @A64_BR: branch to where @rt points
 * @A64_BLR: call of that
 * @A64_RET: return to that
 * @A64_ADR: load @target into @rt
 * @A64_LDR: load what is at @target into @rt
 * @A64_PREFETCH: a hint that something at @target may be wanted
 * @A64_REFUSED: the first of those that cannot be probed
 * @A64_LDR_FP: load what is at @target into a vector register
 * @A64_STORE_EX: ends a sequence that must not be interrupted
 * @A64_MOPS: one of three instructions that must follow each other
 * @A64_WHERE: depends on where it stands in a way that is not emulated
 * @A64_BANKED: reads or writes what exceptions overwrite, or switches the stack
 * @A64_TRAP: a breakpoint, a halt, or what is meant to be undefined
 * @A64_CALLS_UP: calls the next exception level
 * @A64_ERET: returns from an exception
 * @A64_NONE: no instruction at all
 */
enum a64_kprobe_class {
	A64_PLAIN,
	A64_LOAD_EX,
	A64_NOP,
	A64_LANDING,
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
	A64_PREFETCH,
	A64_REFUSED,
	A64_LDR_FP = A64_REFUSED,
	A64_STORE_EX,
	A64_MOPS,
	A64_WHERE,
	A64_BANKED,
	A64_TRAP,
	A64_CALLS_UP,
	A64_ERET,
	A64_NONE,
};

/* The modifier of an authenticated branch, where it is no register. */
#define A64_MODIFIER_SP		31
#define A64_MODIFIER_ZERO	32

void a64_kprobe_decode(u32 insn, unsigned long addr,
		       struct a64_kprobe_insn *result);
bool a64_kprobe_emulated(const struct a64_kprobe_insn *insn);
void a64_kprobe_emulate(const struct a64_kprobe_insn *insn,
			struct pt_regs *regs);

/* What uprobes ask. */
enum probe_insn {
	INSN_REJECTED,
	INSN_GOOD_NO_SLOT,
	INSN_GOOD,
};

enum probe_insn arm_probe_decode_insn(u32 insn, struct arch_probe_insn *api);

#endif /* __ARM64_KERNEL_PROBES_DECODE_INSN_H */
