// SPDX-License-Identifier: GPL-2.0-or-later
/* Corrections around riscv's code for probes: see struct kprobe_quirks. */
#include <linux/init.h>
#include <linux/kprobes_backend.h>
#include <linux/linkage.h>
#include <linux/types.h>
#include <asm/insn.h>

asmlinkage void handle_exception(void);
extern char ret_from_exception_end[];

/* Maximum depth of nested calls to follow */
#define CALL_DEPTH	3
/* Calls write their return address to this register. */
#define REG_RA		1

static unsigned long __init riscv_call_target(unsigned long addr, u32 *length)
{
	const u16 *at = (u16 *)addr;
	u32 insn = at[0], next;

	*length = GET_INSN_LENGTH(insn);
	if (riscv_insn_is_c_jal(insn))
		return addr + (s32)RVC_EXTRACT_JTYPE_IMM(insn);
	if (*length == sizeof(u16))
		return 0;
	insn |= (u32)at[1] << 16;
	if (RV_EXTRACT_RD_REG(insn) != REG_RA)
		return 0;
	if (riscv_insn_is_jal(insn))
		return addr + riscv_insn_extract_jtype_imm(insn);
	/* The upper part of the distance, and a call with the lower part */
	next = at[2] | (u32)at[3] << 16;
	if (!riscv_insn_is_auipc(insn) || !riscv_insn_is_jalr(next) ||
	    RV_EXTRACT_RD_REG(next) != REG_RA ||
	    RV_EXTRACT_RS1_REG(next) != REG_RA)
		return 0;
	return addr + riscv_insn_extract_utype_itype_imm(insn, next);
}

/*
 * entry.S is blacklisted already.  Between saving registers and the handler of
 * an exception, and on the way back, it calls functions in ordinary text for
 * each exception, for example to save vector registers.  Noinstr functions,
 * such as handlers, annotate their callees.
 */
static void __init riscv_blacklist(void)
{
	kprobe_blacklist_callees((unsigned long)handle_exception,
				 (unsigned long)ret_from_exception_end,
				 0, CALL_DEPTH, riscv_call_target);
}

static unsigned int riscv_insn_bytes(unsigned long at)
{
	return GET_INSN_LENGTH(*(const u16 *)at);
}

/* LR and SC, of any width and order */
static enum kprobe_exclusive riscv_exclusive(unsigned long at)
{
	const u16 *half = (const u16 *)at;
	u32 insn = half[0];

	if (riscv_insn_bytes(at) != sizeof(insn))
		return KPROBE_EXCLUSIVE_NONE;
	insn |= (u32)half[1] << 16;
	switch (insn & 0xf800007f) {
	case 0x1000002f:
		return KPROBE_EXCLUSIVE_LOAD;
	case 0x1800002f:
		return KPROBE_EXCLUSIVE_STORE;
	}
	return KPROBE_EXCLUSIVE_NONE;
}

const struct kprobe_quirks kprobe_quirks __refconst = {
	.blacklist = riscv_blacklist,
	.insn_bytes = IS_ENABLED(CONFIG_RISCV_ISA_C) ? riscv_insn_bytes : NULL,
	.exclusive = riscv_exclusive,
};
