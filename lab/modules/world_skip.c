// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_world: the instructions that a handler emulates and skips: no-ops,
 * relative jumps, conditional ones by the flags, and moves of one register to
 * another.  Others are too much work to emulate.
 */
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include "world.h"

#if defined(CONFIG_X86_64)
#include <asm/processor-flags.h>

/* Indexed by the numbers of registers in instructions. */
static notrace unsigned long *x86_reg(struct pt_regs *regs, unsigned int nr)
{
	unsigned long *all[] = {
		&regs->ax, &regs->cx, &regs->dx, &regs->bx, NULL,
		&regs->bp, &regs->si, &regs->di, &regs->r8, &regs->r9,
		&regs->r10, &regs->r11, &regs->r12, &regs->r13, &regs->r14,
		&regs->r15,
	};

	return all[nr];
}

static notrace bool x86_condition(unsigned int cc, unsigned long flags)
{
	bool less = !!(flags & X86_EFLAGS_SF) != !!(flags & X86_EFLAGS_OF);
	bool is = false;

	switch (cc >> 1) {
	case 0:
		is = flags & X86_EFLAGS_OF;
		break;
	case 1:
		is = flags & X86_EFLAGS_CF;
		break;
	case 2:
		is = flags & X86_EFLAGS_ZF;
		break;
	case 3:
		is = flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF);
		break;
	case 4:
		is = flags & X86_EFLAGS_SF;
		break;
	case 5:
		is = flags & X86_EFLAGS_PF;
		break;
	case 6:
		is = less;
		break;
	case 7:
		is = less || (flags & X86_EFLAGS_ZF);
		break;
	}
	return is != (cc & 1);
}

/* A move of 64 bits with a REX prefix, not of the stack pointer. */
static notrace bool x86_moves(const u8 *code, unsigned int len,
			      unsigned int *from, unsigned int *to)
{
	if (len != 3 || (code[0] & 0xfa) != 0x48 ||
	    (code[1] != 0x89 && code[1] != 0x8b) || code[2] < 0xc0)
		return false;
	*from = (code[2] >> 3 & 7) | (code[0] & 4) << 1;
	*to = (code[2] & 7) | (code[0] & 1) << 3;
	if (code[1] == 0x8b)
		swap(*from, *to);
	return *from != 4 && *to != 4;
}

enum world_skip world_can_skip(const u8 *code, unsigned int len)
{
	unsigned int from, to;

	if ((len == 1 && code[0] == 0x90) ||
	    (len == 2 && code[0] == 0x66 && code[1] == 0x90) ||
	    (len >= 3 && code[0] == 0x0f && code[1] == 0x1f))
		return WORLD_SKIP_NOP;
	if ((len == 2 && code[0] == 0xeb) || (len == 5 && code[0] == 0xe9))
		return WORLD_SKIP_JUMP;
	if ((len == 2 && (code[0] & 0xf0) == 0x70) ||
	    (len == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80))
		return WORLD_SKIP_BRANCH;
	if (x86_moves(code, len, &from, &to))
		return WORLD_SKIP_MOVE;
	return WORLD_SKIP_NO;
}

notrace void world_skip(enum world_skip how, unsigned long addr,
			const u8 *code, unsigned int len, struct pt_regs *regs)
{
	long distance = len == 2 ? (s8)code[1] :
				   (s32)get_unaligned_le32(code + len - 4);
	unsigned int cc = (len == 2 ? code[0] : code[1]) & 0xf;
	unsigned int from, to;

	regs->ip = addr + len;
	if (how == WORLD_SKIP_JUMP ||
	    (how == WORLD_SKIP_BRANCH && x86_condition(cc, regs->flags)))
		regs->ip += distance;
	if (how == WORLD_SKIP_MOVE && x86_moves(code, len, &from, &to))
		*x86_reg(regs, to) = *x86_reg(regs, from);
}

#elif defined(CONFIG_ARM64)

static notrace bool arm64_condition(unsigned int cc, u64 pstate)
{
	bool n = pstate & PSR_N_BIT, z = pstate & PSR_Z_BIT;
	bool c = pstate & PSR_C_BIT, v = pstate & PSR_V_BIT;
	bool is = true;

	switch (cc >> 1) {
	case 0:
		is = z;
		break;
	case 1:
		is = c;
		break;
	case 2:
		is = n;
		break;
	case 3:
		is = v;
		break;
	case 4:
		is = c && !z;
		break;
	case 5:
		is = n == v;
		break;
	case 6:
		is = n == v && !z;
		break;
	case 7:
		return true;
	}
	return is != (cc & 1);
}

enum world_skip world_can_skip(const u8 *code, unsigned int len)
{
	u32 insn = get_unaligned_le32(code);

	if (insn == 0xd503201f)
		return WORLD_SKIP_NOP;
	if ((insn & 0xfc000000) == 0x14000000)
		return WORLD_SKIP_JUMP;
	if ((insn & 0xff000010) == 0x54000000)
		return WORLD_SKIP_BRANCH;
	/* ORR Xd, XZR, Xm, of which neither is XZR. */
	if ((insn & 0xffe0ffe0) == 0xaa0003e0 && (insn & 31) != 31 &&
	    (insn >> 16 & 31) != 31)
		return WORLD_SKIP_MOVE;
	return WORLD_SKIP_NO;
}

notrace void world_skip(enum world_skip how, unsigned long addr,
			const u8 *code, unsigned int len, struct pt_regs *regs)
{
	u32 insn = get_unaligned_le32(code);
	long distance = len;

	if (how == WORLD_SKIP_JUMP)
		distance = (long)((s32)(insn << 6) >> 6) * 4;
	if (how == WORLD_SKIP_BRANCH &&
	    arm64_condition(insn & 15, regs->pstate))
		distance = (long)((s32)(insn << 8) >> 13) * 4;
	if (how == WORLD_SKIP_MOVE)
		regs->regs[insn & 31] = regs->regs[insn >> 16 & 31];
	regs->pc = addr + distance;
}

#else

enum world_skip world_can_skip(const u8 *code, unsigned int len)
{
	return WORLD_SKIP_NO;
}

notrace void world_skip(enum world_skip how, unsigned long addr,
			const u8 *code, unsigned int len, struct pt_regs *regs)
{
}

#endif
