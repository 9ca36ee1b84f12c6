/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exclusive loads and stores: the store fails if the CPU has taken an exception
 * since the load, and then the load is tried again.  With a probe in between,
 * this never ends.
 *
 * So these instructions must not be probed, nor anything between a load and the
 * next store.  A load without a following store is an atomic one by itself.
 *
 * The same holds for sequences of sh that exceptions restart (gUSA): they begin
 * with a negative length in the stack pointer, and end when it is restored.
 */
#ifndef _KERNEL_KPROBES_CLASSIC_EXCLUSIVE_H
#define _KERNEL_KPROBES_CLASSIC_EXCLUSIVE_H

#include <linux/kprobes_backend.h>
#include <linux/minmax.h>

enum exclusive {
	EXCLUSIVE_NONE,
	EXCLUSIVE_LOAD,
	EXCLUSIVE_STORE,
};

#if defined(CONFIG_RISCV)
#include <asm/insn.h>

#define INSN_BYTES(at)		GET_INSN_LENGTH(*(const u16 *)(at))

/* LR and SC, of any width and order */
static inline enum exclusive exclusive_access(unsigned long at)
{
	const u16 *half = (const u16 *)at;
	u32 insn = half[0];

	if (INSN_BYTES(at) != sizeof(insn))
		return EXCLUSIVE_NONE;
	insn |= (u32)half[1] << 16;
	switch (insn & 0xf800007f) {
	case 0x1000002f:
		return EXCLUSIVE_LOAD;
	case 0x1800002f:
		return EXCLUSIVE_STORE;
	}
	return EXCLUSIVE_NONE;
}

#elif defined(CONFIG_THUMB2_KERNEL)
#include <asm/opcodes.h>
#include <asm/ptrace.h>

#define INSN_BYTES(at)							\
	(is_wide_instruction(__mem_to_opcode_thumb16(*(const u16 *)(at))) ? \
	 4 : 2)

/* LDREX, LDAEX, STREX, STLEX; also for bytes, halfwords and two words */
static inline enum exclusive exclusive_access(unsigned long at)
{
	const u16 *half = (const u16 *)at;
	u32 insn;

	if (INSN_BYTES(at) != sizeof(insn))
		return EXCLUSIVE_NONE;
	insn = __opcode_thumb32_compose(__mem_to_opcode_thumb16(half[0]),
					__mem_to_opcode_thumb16(half[1]));
	if ((insn & 0xfff00000) == 0xe8500000 ||
	    (insn & 0xfff00040) == 0xe8d00040)
		return EXCLUSIVE_LOAD;
	if ((insn & 0xfff00000) == 0xe8400000 ||
	    (insn & 0xfff00040) == 0xe8c00040)
		return EXCLUSIVE_STORE;
	return EXCLUSIVE_NONE;
}

#elif defined(CONFIG_ARM)
#include <asm/opcodes.h>

/* The same, with any condition */
static inline enum exclusive exclusive_access(unsigned long at)
{
	switch (__mem_to_opcode_arm(*(const u32 *)at) & 0x0f900ef0) {
	case 0x01900e90:
		return EXCLUSIVE_LOAD;
	case 0x01800e90:
		return EXCLUSIVE_STORE;
	}
	return EXCLUSIVE_NONE;
}

#elif defined(CONFIG_MIPS)
#include <asm/inst.h>

/* LL, SC and LLD, SCD; also those of release 6, and for user addresses */
static inline enum exclusive exclusive_access(unsigned long at)
{
	union mips_instruction insn = *(const union mips_instruction *)at;

	switch (insn.i_format.opcode) {
	case ll_op:
	case lld_op:
		return EXCLUSIVE_LOAD;
	case sc_op:
	case scd_op:
		return EXCLUSIVE_STORE;
	case spec3_op:
		break;
	default:
		return EXCLUSIVE_NONE;
	}
	switch (insn.r_format.func) {
	case ll6_op:
	case lld6_op:
	case lle_op:
		return EXCLUSIVE_LOAD;
	case sc6_op:
	case scd6_op:
	case sce_op:
		return EXCLUSIVE_STORE;
	}
	return EXCLUSIVE_NONE;
}

#elif defined(CONFIG_LOONGARCH)
#include <asm/inst.h>

static inline enum exclusive exclusive_access(unsigned long at)
{
	union loongarch_instruction insn = { .word = *(const u32 *)at };

	switch (insn.reg2i14_format.opcode) {
	case llw_op:
	case lld_op:
		return EXCLUSIVE_LOAD;
	case scw_op:
	case scd_op:
		return EXCLUSIVE_STORE;
	}
	switch (insn.reg2_format.opcode) {
	case llacqw_op:
	case llacqd_op:
		return EXCLUSIVE_LOAD;
	case screlw_op:
	case screld_op:
		return EXCLUSIVE_STORE;
	}
	return insn.reg3_format.opcode == scq_op ? EXCLUSIVE_STORE :
						   EXCLUSIVE_NONE;
}

#elif defined(CONFIG_SUPERH)

#define INSN_SIZE		sizeof(u16)

/* MOVLI.L, MOVCO.L; MOV #-imm, R15 and MOV R1, R15 */
static inline enum exclusive exclusive_access(unsigned long at)
{
	u16 insn = *(const u16 *)at;

	if ((insn & 0xf0ff) == 0x0063 || (insn & 0xff80) == 0xef80)
		return EXCLUSIVE_LOAD;
	if ((insn & 0xf0ff) == 0x0073 || insn == 0x6f13)
		return EXCLUSIVE_STORE;
	return EXCLUSIVE_NONE;
}

#elif defined(CONFIG_ARC)

/*
 * Instructions have several lengths, but each halfword can be checked.  A long
 * operand that looks like one of these could hide a sequence or cause a wrong
 * refusal.
 */
#define INSN_SIZE		sizeof(u16)

/* LLOCK, LLOCKD; SCOND, SCONDD. */
static inline enum exclusive exclusive_access(unsigned long at)
{
	const u16 *half = (const u16 *)at;

	if ((half[0] & 0xf8ff) != 0x202f)
		return EXCLUSIVE_NONE;
	switch (half[1] & 0x003f) {
	case 0x10:
	case 0x12:
		return EXCLUSIVE_LOAD;
	case 0x11:
	case 0x13:
		return EXCLUSIVE_STORE;
	}
	return EXCLUSIVE_NONE;
}

#elif defined(CONFIG_CSKY)

#define INSN_BYTES(at)							\
	((*(const u16 *)(at) & 0xc000) == 0xc000 ? 4 : 2)

/* LDEX.W, STEX.W. */
static inline enum exclusive exclusive_access(unsigned long at)
{
	const u16 *half = (const u16 *)at;

	if ((half[0] & 0xf800) != 0xd800 || (half[1] & 0xf000) != 0x7000)
		return EXCLUSIVE_NONE;
	return half[0] & 0x0400 ? EXCLUSIVE_STORE : EXCLUSIVE_LOAD;
}

#else
#define HAS_EXCLUSIVE		false

static inline enum exclusive exclusive_access(unsigned long at)
{
	return EXCLUSIVE_NONE;
}
#endif

#ifndef HAS_EXCLUSIVE
#define HAS_EXCLUSIVE		true
#endif

/* If all instructions have one length, decoding may start anywhere. */
#ifdef INSN_BYTES
#define INSN_SIZES_DIFFER	true
#else
#define INSN_SIZES_DIFFER	false
#ifndef INSN_SIZE
#define INSN_SIZE		sizeof(u32)
#endif
#define INSN_BYTES(at)		((void)(at), INSN_SIZE)
#endif

/* No architecture guarantees progress for longer sequences. */
#define EXCLUSIVE_BYTES		128

/*
 * Context: kprobe_mutex and text_mutex held.  Breakpoints are never on these
 * accesses, and are as long as the instructions that they replace.
 */
static inline bool is_exclusive(unsigned long addr,
				const struct kprobe_symbol *symbol)
{
	unsigned long at, load = 0, end = symbol->start + symbol->size;
	enum exclusive access;

	if (!HAS_EXCLUSIVE || !symbol->size)
		return false;
	if (exclusive_access(addr) != EXCLUSIVE_NONE)
		return true;
	at = INSN_SIZES_DIFFER ? symbol->start :
	     max(symbol->start, addr - EXCLUSIVE_BYTES);
	for (; at < addr; at += INSN_BYTES(at)) {
		access = exclusive_access(at);
		if (access != EXCLUSIVE_NONE)
			load = access == EXCLUSIVE_LOAD ? at : 0;
	}
	if (!load)
		return false;
	for (end = min(end, load + EXCLUSIVE_BYTES); at < end;
	     at += INSN_BYTES(at)) {
		access = exclusive_access(at);
		if (access != EXCLUSIVE_NONE)
			return access == EXCLUSIVE_STORE;
	}
	return false;
}

#endif /* _KERNEL_KPROBES_CLASSIC_EXCLUSIVE_H */
