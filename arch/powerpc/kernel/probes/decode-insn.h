/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power instructions as probes see them: what of an instruction depends on
 * where it stands, and what can be done in its place.
 */
#ifndef __POWERPC_KERNEL_PROBES_DECODE_INSN_H
#define __POWERPC_KERNEL_PROBES_DECODE_INSN_H

#include <linux/types.h>
#include <asm/inst.h>

/**
 * enum ppc_kprobe_class - what is to be done with a probed instruction
 *
 * First those that can be probed; from @PPC_KPROBE_REFUSED on, those that
 * cannot.
 *
 * @PPC_KPROBE_PLAIN: does the same wherever it stands
 * @PPC_KPROBE_COMPUTE: the same, and sstep.c can do it to the registers
 * @PPC_KPROBE_RELATIVE: has an operand relative to itself, which can be changed
 * @PPC_KPROBE_LOAD_RESERVE: plain, but begins a sequence that must not be
 *	interrupted
 * @PPC_KPROBE_EMULATE: depends on where it stands, and sstep.c can do it
 * @PPC_KPROBE_REFUSED: the first of those that cannot be probed
 * @PPC_KPROBE_STORE_COND: ends a sequence that must not be interrupted
 * @PPC_KPROBE_WHERE: depends on where it stands, and is not emulated
 * @PPC_KPROBE_MSR: changes under which state instructions are executed
 * @PPC_KPROBE_TRAP: a trap
 * @PPC_KPROBE_SYSTEM: enters or leaves the kernel, or stops the CPU
 * @PPC_KPROBE_NONE: no instruction at all
 */
enum ppc_kprobe_class {
	PPC_KPROBE_PLAIN,
	PPC_KPROBE_COMPUTE,
	PPC_KPROBE_RELATIVE,
	PPC_KPROBE_LOAD_RESERVE,
	PPC_KPROBE_EMULATE,
	PPC_KPROBE_REFUSED,
	PPC_KPROBE_STORE_COND = PPC_KPROBE_REFUSED,
	PPC_KPROBE_WHERE,
	PPC_KPROBE_MSR,
	PPC_KPROBE_TRAP,
	PPC_KPROBE_SYSTEM,
	PPC_KPROBE_NONE,
};

/* Primary opcodes of relative branches. */
#define OP_BC	16
#define OP_B	18

/* Bytes that no prefixed instruction crosses. */
#define PPC_PREFIX_BLOCK	64

bool ppc_kprobe_is_addpcis(u32 word);
bool ppc_kprobe_is_bclr(u32 word);
enum ppc_kprobe_class ppc_kprobe_decode(ppc_inst_t insn, unsigned long addr);
bool ppc_kprobe_relocate(ppc_inst_t *insn, unsigned long from,
			 unsigned long to);

#endif /* __POWERPC_KERNEL_PROBES_DECODE_INSN_H */
