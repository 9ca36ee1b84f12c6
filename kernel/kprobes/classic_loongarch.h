/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that loongarch's own code steps wrongly, and classic.c refuses.
 * On other architectures there is nothing to do.
 *
 * That code disables interrupts for a step.  CSRRD, CSRWR and CSRXCHG of CRMD,
 * the register with the interrupt flag, would read that state, or set one that
 * the end of the step overwrites.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_LOONGARCH_H
#define _KERNEL_KPROBES_CLASSIC_LOONGARCH_H

#include <linux/kprobes_backend.h>

#ifdef CONFIG_LOONGARCH
#include <asm/inst.h>
#include <asm/loongarch.h>

/* CSRRD, CSRWR and CSRXCHG, distinguished by the second operand */
#define LOONGARCH_OP_CSR	0x04

static inline bool loongarch_is_misread(const kprobe_opcode_t *addr)
{
	union loongarch_instruction insn = { .word = *addr };

	return insn.reg2csr_format.opcode == LOONGARCH_OP_CSR &&
	       insn.reg2csr_format.csr == LOONGARCH_CSR_CRMD;
}

#else /* !CONFIG_LOONGARCH */

static inline bool loongarch_is_misread(const kprobe_opcode_t *addr)
{
	return false;
}

#endif /* CONFIG_LOONGARCH */
#endif /* _KERNEL_KPROBES_CLASSIC_LOONGARCH_H */
