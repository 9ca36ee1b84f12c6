/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power instructions in probes: how an instruction depends on its address. */
#ifndef __POWERPC_KERNEL_PROBES_DECODE_INSN_H
#define __POWERPC_KERNEL_PROBES_DECODE_INSN_H

#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/inst.h>

/**
 * enum ppc_kprobe_class - how a probed instruction is handled
 *
 * Classes from @PPC_KPROBE_REFUSED on cannot be probed.
 *
 * @PPC_KPROBE_PLAIN: does not depend on its address
 * @PPC_KPROBE_COMPUTE: the same, and sstep.c can emulate it on a pt_regs
 * @PPC_KPROBE_RELATIVE: has an operand relative to itself, which can be
 *	adjusted
 * @PPC_KPROBE_LOAD_RESERVE: plain, but starts a reservation
 * @PPC_KPROBE_EMULATE: depends on its address, and sstep.c can emulate it
 * @PPC_KPROBE_REFUSED: the first class that cannot be probed
 * @PPC_KPROBE_STORE_COND: ends a reservation
 * @PPC_KPROBE_WHERE: depends on its address, and is not emulated
 * @PPC_KPROBE_MSR: changes the state in which instructions are executed
 * @PPC_KPROBE_TRAP: a trap
 * @PPC_KPROBE_SYSTEM: enters or leaves the kernel, or stops the CPU
 * @PPC_KPROBE_NONE: not an instruction
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

/* Size of the blocks that a prefixed instruction must not cross. */
#define PPC_PREFIX_BLOCK	64

bool ppc_kprobe_is_addpcis(u32 word);
bool ppc_kprobe_is_bclr(u32 word);
enum ppc_kprobe_class ppc_kprobe_decode(ppc_inst_t insn, unsigned long addr);
bool ppc_kprobe_relocate(ppc_inst_t *insn, unsigned long from,
			 unsigned long to);

#endif /* __POWERPC_KERNEL_PROBES_DECODE_INSN_H */
