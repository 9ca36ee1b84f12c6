// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections around loongarch's code for probes: see struct kprobe_quirks.
 *
 * That code disables interrupts for a step.  CSRRD, CSRWR and CSRXCHG of CRMD,
 * the register with the interrupt flag, would read the state of the step, or
 * set a state that the end of the step overwrites.
 */
#include <linux/kprobes.h>
#include <asm/inst.h>
#include <asm/loongarch.h>

/* CSRRD, CSRWR and CSRXCHG, distinguished by the second operand */
#define LOONGARCH_OP_CSR	0x04

static bool loongarch_refuses(const kprobe_opcode_t *addr)
{
	union loongarch_instruction insn = { .word = *addr };

	return insn.reg2csr_format.opcode == LOONGARCH_OP_CSR &&
	       insn.reg2csr_format.csr == LOONGARCH_CSR_CRMD;
}

static enum kprobe_exclusive loongarch_exclusive(unsigned long at)
{
	union loongarch_instruction insn = { .word = *(const u32 *)at };

	switch (insn.reg2i14_format.opcode) {
	case llw_op:
	case lld_op:
		return KPROBE_EXCLUSIVE_LOAD;
	case scw_op:
	case scd_op:
		return KPROBE_EXCLUSIVE_STORE;
	}
	switch (insn.reg2_format.opcode) {
	case llacqw_op:
	case llacqd_op:
		return KPROBE_EXCLUSIVE_LOAD;
	case screlw_op:
	case screld_op:
		return KPROBE_EXCLUSIVE_STORE;
	}
	return insn.reg3_format.opcode == scq_op ? KPROBE_EXCLUSIVE_STORE :
						   KPROBE_EXCLUSIVE_NONE;
}

const struct kprobe_quirks kprobe_quirks = {
	/* ftrace knows the instruction before the call. */
	.ftrace_to = sizeof(u32),
	.exclusive = loongarch_exclusive,
	.refuses = loongarch_refuses,
};
