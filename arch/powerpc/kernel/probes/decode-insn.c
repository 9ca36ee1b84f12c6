// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decide once, when a site is inspected, how a probed Power instruction is
 * executed.
 *
 * Few instructions depend on their address: branches that are relative or set a
 * return address, ADDPCIS, and prefixed instructions with R (PC-relative) set.
 * All others execute in a slot as in place.  analyse_instr() of sstep.c decides
 * whether an instruction can be emulated on a struct pt_regs.  Only the type of
 * the operation matters here, so any values of registers can be passed to it,
 * except 0, because it divides by them.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <asm/cputable.h>
#include <asm/ppc-opcode.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#include <asm/probes.h>
#include <asm/sstep.h>
#include "decode-insn.h"

#define OP_19_XOP_ADDPCIS	2
#define OP_19_XOP_BCLR		16
#define OP_19_XOP_RFEBB		146
#define OP_19_XOP_BCTAR		560
#define OP_31_XOP_LBARX		52
#define OP_31_XOP_LHARX		116
#define OP_31_XOP_STBCX		694
#define OP_31_XOP_STHCX		726

/* The types of prefixed loads and stores, and of PADDI. */
#define PREFIX_TYPE(prefix)	((prefix) >> 24 & 3)
#define PREFIX_8LS		0
#define PREFIX_MLS		2

static bool is_relative(ppc_inst_t insn)
{
	u32 prefix = ppc_inst_val(insn);

	if (!ppc_inst_prefixed(insn))
		return false;
	return (PREFIX_TYPE(prefix) == PREFIX_8LS ||
		PREFIX_TYPE(prefix) == PREFIX_MLS) && GET_PREFIX_R(prefix);
}

/** ppc_kprobe_is_addpcis - check for an add to the next address */
bool ppc_kprobe_is_addpcis(u32 word)
{
	return get_op(word) == OP_19 && (word >> 1 & 0x1f) == OP_19_XOP_ADDPCIS;
}

/** ppc_kprobe_is_bclr - check for a branch to LR */
bool ppc_kprobe_is_bclr(u32 word)
{
	return get_op(word) == OP_19 && get_xop(word) == OP_19_XOP_BCLR;
}

static enum ppc_kprobe_class decode_19(u32 word)
{
	if (ppc_kprobe_is_addpcis(word))
		return PPC_KPROBE_EMULATE;
	/* sstep.c does not know the branch to TAR. */
	if (get_xop(word) == OP_19_XOP_BCTAR)
		return PPC_KPROBE_WHERE;
	/* RFEBB returns from a user's event handler. */
	if (get_xop(word) == OP_19_XOP_RFEBB)
		return PPC_KPROBE_SYSTEM;
	return PPC_KPROBE_PLAIN;
}

/* Find accesses that sstep.c knows only with CONFIG_PPC_HAS_LBARX_LHARX. */
static enum ppc_kprobe_class decode_31(u32 word)
{
	switch (get_xop(word)) {
	case OP_31_XOP_LBARX:
	case OP_31_XOP_LHARX:
		return PPC_KPROBE_LOAD_RESERVE;
	case OP_31_XOP_STBCX:
	case OP_31_XOP_STHCX:
		return PPC_KPROBE_STORE_COND;
	default:
		return PPC_KPROBE_PLAIN;
	}
}

/* Classify by the word alone. */
static enum ppc_kprobe_class decode_word(u32 word)
{
	if (!get_op(word))
		return PPC_KPROBE_NONE;
	if (is_trap(word))
		return PPC_KPROBE_TRAP;
	if (IS_MTMSRD(ppc_inst(word)))
		return PPC_KPROBE_MSR;
	if (!can_single_step(word) || IS_RFID(ppc_inst(word)))
		return PPC_KPROBE_SYSTEM;
	switch (get_op(word)) {
	case OP_19:
		return decode_19(word);
	case OP_31:
		return decode_31(word);
	default:
		return PPC_KPROBE_PLAIN;
	}
}

/**
 * ppc_kprobe_decode - classify a probed instruction
 * @insn: the instruction
 * @addr: its address
 *
 * Context: any.
 */
enum ppc_kprobe_class ppc_kprobe_decode(ppc_inst_t insn, unsigned long addr)
{
	struct pt_regs regs = {
		.gpr = { [0 ... 31] = 1 },
		.nip = addr,
		.msr = MSR_KERNEL,
	};
	struct instruction_op op = {};
	enum ppc_kprobe_class class;
	int computes;

	if (ppc_inst_prefixed(insn)) {
		if (addr % PPC_PREFIX_BLOCK == PPC_PREFIX_BLOCK - sizeof(u32) ||
		    !cpu_has_feature(CPU_FTR_ARCH_31))
			return PPC_KPROBE_NONE;
		return is_relative(insn) ? PPC_KPROBE_RELATIVE :
					   PPC_KPROBE_PLAIN;
	}

	class = decode_word(ppc_inst_val(insn));
	if (class != PPC_KPROBE_PLAIN)
		return class;

	computes = analyse_instr(&op, &regs, insn);
	switch (GETTYPE(op.type)) {
	case BRANCH:
		return computes > 0 ? PPC_KPROBE_EMULATE : PPC_KPROBE_WHERE;
	case LARX:
		return PPC_KPROBE_LOAD_RESERVE;
	case STCX:
		return PPC_KPROBE_STORE_COND;
	case SYSCALL:
	case SYSCALL_VECTORED_0:
	case RFI:
		return PPC_KPROBE_SYSTEM;
	case INTERRUPT:
		return PPC_KPROBE_TRAP;
	case MTMSR:
		return PPC_KPROBE_MSR;
	default:
		return computes > 0 ? PPC_KPROBE_COMPUTE : PPC_KPROBE_PLAIN;
	}
}

/* A distance of 34 bits, 18 of them in the prefix. */
#define RELATIVE_BITS	34

/**
 * ppc_kprobe_relocate - adjust an instruction to a new address
 * @insn: the instruction, PPC_KPROBE_RELATIVE
 * @from: its address
 * @to: its new address
 *
 * Return: true if the operand is in reach.
 */
bool ppc_kprobe_relocate(ppc_inst_t *insn, unsigned long from,
			 unsigned long to)
{
	u32 prefix = ppc_inst_val(*insn), suffix = ppc_inst_suffix(*insn);
	s64 distance = (u64)(prefix & GENMASK(17, 0)) << 16 | (suffix & 0xffff);

	distance = sign_extend64(distance, RELATIVE_BITS - 1) + (s64)from -
		   (s64)to;
	if (distance != sign_extend64(distance, RELATIVE_BITS - 1))
		return false;
	prefix = (prefix & ~GENMASK(17, 0)) | (distance >> 16 & GENMASK(17, 0));
	suffix = (suffix & ~GENMASK(15, 0)) | (distance & GENMASK(15, 0));
	*insn = ppc_inst_prefix(prefix, suffix);
	return true;
}
