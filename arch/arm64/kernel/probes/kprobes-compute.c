// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions that only compute, on arm64.
 *
 * A post_slot must save all registers again after the instruction.  To avoid
 * this for an instruction that only computes a general register, flags or both,
 * its post_slot is a function that applies it to the saved registers of the
 * hit.  The function contains the instruction itself, with other registers:
 *
 *	add x5, x7, x9, lsl #3
 *
 *	void compute(struct pt_regs *regs)
 *		bti	c
 *		flags = flags in regs->pstate
 *		x1 = regs->regs[7]; x2 = regs->regs[9]
 *		add	x4, x1, x2, lsl #3
 *		regs->regs[5] = x4
 *		flags in regs->pstate = flags, if the instruction sets them
 *		ret
 *
 * The zero register (31) is not replaced.  The stack pointer may be read, but
 * instructions that change it get no such function.
 *
 * The instructions that sign or authenticate a return address with the stack
 * pointer are replaced by their forms that use x17 and x16.
 */
#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/kprobes_backend.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/* The fields that a row's instructions use. */
#define HAS_RN		BIT(0)
#define HAS_RM		BIT(1)
#define HAS_RA		BIT(2)
#define READS_RD	BIT(3)	/* because some of its bits are kept */
#define SETS_FLAGS	BIT(4)	/* if bit 29 is set */
#define STACK_RD	BIT(5)	/* Rd 31 is sp unless flags are set */
#define STACK_RN	BIT(6)	/* Rn 31 is sp */
#define NO_RD		BIT(7)	/* only sets flags */

static const struct {
	u32 mask;
	u32 value;
	u8 fields;
} computing[] = {
	/* ADD, SUB with an immediate */
	{ 0x1f800000, 0x11000000, HAS_RN | SETS_FLAGS | STACK_RD | STACK_RN },
	/* ANDS, then AND, ORR, EOR with an immediate */
	{ 0x7f800000, 0x72000000, HAS_RN | SETS_FLAGS },
	{ 0x1f800000, 0x12000000, HAS_RN | STACK_RD },
	/* MOVK, then MOVN, MOVZ */
	{ 0x7f800000, 0x72800000, READS_RD },
	{ 0x3f800000, 0x12800000, 0 },
	/* BFM, then SBFM, UBFM */
	{ 0x7f800000, 0x33000000, HAS_RN | READS_RD },
	{ 0x3f800000, 0x13000000, HAS_RN },
	/* EXTR */
	{ 0x7fa00000, 0x13800000, HAS_RN | HAS_RM },
	/* BICS, ANDS, then AND, BIC, ORR, ORN, EOR, EON */
	{ 0x7f000000, 0x6a000000, HAS_RN | HAS_RM | SETS_FLAGS },
	{ 0x1f000000, 0x0a000000, HAS_RN | HAS_RM },
	/* ADD, SUB, shifted */
	{ 0x1f200000, 0x0b000000, HAS_RN | HAS_RM | SETS_FLAGS },
	/* ADC, SBC */
	{ 0x1fe0fc00, 0x1a000000, HAS_RN | HAS_RM | SETS_FLAGS },
	/* ADD, SUB, extended */
	{ 0x1fe00000, 0x0b200000,
	  HAS_RN | HAS_RM | SETS_FLAGS | STACK_RD | STACK_RN },
	/* CCMN, CCMP, with a register and with an immediate */
	{ 0x3fe00c10, 0x3a400000, HAS_RN | HAS_RM | SETS_FLAGS | NO_RD },
	{ 0x3fe00c10, 0x3a400800, HAS_RN | SETS_FLAGS | NO_RD },
	/* CSEL, CSINC, CSINV, CSNEG */
	{ 0x3fe00800, 0x1a800000, HAS_RN | HAS_RM },
	/* UDIV, SDIV; LSLV, LSRV, ASRV, RORV */
	{ 0x7fe0f800, 0x1ac00800, HAS_RN | HAS_RM },
	{ 0x7fe0f000, 0x1ac02000, HAS_RN | HAS_RM },
	/* CRC32, CRC32C */
	{ 0x7fe0e000, 0x1ac04000, HAS_RN | HAS_RM },
	/* RBIT, REV, CLZ and the like */
	{ 0x7fff0000, 0x5ac00000, HAS_RN },
	/* MADD, MSUB; SMADDL and the like; SMULH, UMULH */
	{ 0x7fe00000, 0x1b000000, HAS_RN | HAS_RM | HAS_RA },
	{ 0xff600000, 0x9b200000, HAS_RN | HAS_RM | HAS_RA },
	{ 0xff600000, 0x9b400000, HAS_RN | HAS_RM | HAS_RA },
};

/* Register numbers in the generated function. */
enum { HELD_REGS, HELD_RN, HELD_RM, HELD_RA, HELD_RD, HELD_FLAGS, HELD_NEW };

#define FIELD_RD	GENMASK(4, 0)
#define FIELD_RN	GENMASK(9, 5)
#define FIELD_RA	GENMASK(14, 10)
#define FIELD_RM	GENMASK(20, 16)

static int computing_fields(u32 insn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(computing); i++)
		if ((insn & computing[i].mask) == computing[i].value)
			return computing[i].fields;
	return -1;
}

/* LDR or STR of a register, at an offset in the struct pt_regs. */
static u32 regs_access(bool load, unsigned int reg, unsigned int offset)
{
	return (load ? 0xf9400000 : 0xf9000000) | offset / 8 << 10 |
	       HELD_REGS << 5 | reg;
}

static_assert(offsetof(struct pt_regs, sp) == 31 * sizeof(u64));

/*
 * Load the register in @field of @insn into register @held.  Return @insn with
 * @held in this field.  With @stack, register 31 is the stack pointer.
 */
static __always_inline u32 hold_reg(struct a64_kprobe_text *text, u32 insn,
				    u32 field, unsigned int held, bool stack)
{
	unsigned int nr = u32_get_bits(insn, field);

	if (nr == 31 && !stack)
		return insn;
	a64_kprobe_emit(text, regs_access(true, held, nr * sizeof(u64)));
	return u32_replace_bits(insn, held, field);
}

#define RET	0xd65f03c0

/* Sign or authenticate x17 with x16 in place of x30 with sp. */
static const struct {
	enum aarch64_insn_hint_cr_op insn;
	enum aarch64_insn_hint_cr_op on_x17;
} signing[] = {
	{ AARCH64_INSN_HINT_PACIASP, AARCH64_INSN_HINT_PACIA_1716 },
	{ AARCH64_INSN_HINT_PACIBSP, AARCH64_INSN_HINT_PACIB_1716 },
	{ AARCH64_INSN_HINT_AUTIASP, AARCH64_INSN_HINT_AUTIA_1716 },
	{ AARCH64_INSN_HINT_AUTIBSP, AARCH64_INSN_HINT_AUTIB_1716 },
};

static bool emit_signing(struct a64_kprobe_text *text, u32 insn)
{
	const unsigned int lr = offsetof(struct pt_regs, regs[30]);
	const unsigned int sp = offsetof(struct pt_regs, sp);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(signing); i++)
		if (insn == aarch64_insn_gen_hint(signing[i].insn))
			break;
	if (i == ARRAY_SIZE(signing))
		return false;

	a64_kprobe_emit(text, aarch64_insn_gen_hint(AARCH64_INSN_HINT_BTIC));
	a64_kprobe_emit(text, regs_access(true, 17, lr));
	a64_kprobe_emit(text, regs_access(true, 16, sp));
	a64_kprobe_emit(text, aarch64_insn_gen_hint(signing[i].on_x17));
	a64_kprobe_emit(text, regs_access(false, 17, lr));
	a64_kprobe_emit(text, RET);
	return true;
}

/**
 * a64_kprobe_emit_compute - generate a function that applies @insn to pt_regs
 * @text: empty; the function is added
 * @insn: the instruction
 *
 * Return: false if @insn does more than compute, or sets the stack pointer.
 */
bool a64_kprobe_emit_compute(struct a64_kprobe_text *text, u32 insn)
{
	unsigned int rd = FIELD_GET(FIELD_RD, insn);
	const unsigned int pstate = offsetof(struct pt_regs, pstate);
	int fields = computing_fields(insn);
	bool flags, writes;

	if (fields < 0)
		return emit_signing(text, insn);
	flags = fields & SETS_FLAGS && insn & BIT(29);
	if (fields & STACK_RD && !flags && rd == 31)
		return false;
	writes = rd != 31 && !(fields & NO_RD);

	a64_kprobe_emit(text, aarch64_insn_gen_hint(AARCH64_INSN_HINT_BTIC));
	a64_kprobe_emit(text, regs_access(true, HELD_FLAGS, pstate));
	a64_kprobe_emit(text, 0xd51b4200 | HELD_FLAGS);	/* MSR NZCV */
	if (fields & HAS_RN)
		insn = hold_reg(text, insn, FIELD_RN, HELD_RN,
				fields & STACK_RN);
	if (fields & HAS_RM)
		insn = hold_reg(text, insn, FIELD_RM, HELD_RM, false);
	if (fields & HAS_RA)
		insn = hold_reg(text, insn, FIELD_RA, HELD_RA, false);
	if (fields & READS_RD)
		insn = hold_reg(text, insn, FIELD_RD, HELD_RD, false);
	if (writes)
		insn = u32_replace_bits(insn, HELD_RD, FIELD_RD);
	a64_kprobe_emit_gap(text, insn);
	a64_kprobe_emit(text, insn);
	if (writes)
		a64_kprobe_emit(text, regs_access(false, HELD_RD,
						  rd * sizeof(u64)));
	if (flags) {
		a64_kprobe_emit(text, 0xd53b4200 | HELD_NEW);	/* MRS NZCV */
		/* AND flags, flags, #~NZCV; ORR flags, flags, new */
		a64_kprobe_emit(text, 0x9260ec00 | HELD_FLAGS << 5 |
				HELD_FLAGS);
		a64_kprobe_emit(text, 0xaa000000 | HELD_NEW << 16 |
				HELD_FLAGS << 5 | HELD_FLAGS);
		a64_kprobe_emit(text, regs_access(false, HELD_FLAGS, pstate));
	}
	a64_kprobe_emit(text, RET);
	return true;
}
