// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build the text of slots and detours on arm64.
 *
 * The text is built word by word on the caller's stack, for its final address.
 * If a word does not fit or a branch does not reach, the text is marked as bad,
 * and a64_kprobe_finish() refuses it.  So callers need not check each word.
 *
 * Writing a slot
 * --------------
 *
 * No CPU executes a slot while it is written, so only caches matter.  The data
 * cache is cleaned to the point of unification, and the instruction caches are
 * invalidated; the hardware broadcasts both to all CPUs.  A CPU may still hold
 * instructions that it has previously fetched from this memory, maybe
 * speculatively.  The CPU discards these at its next context synchronization
 * event, which must happen before it executes the slot:
 *
 * 1. A breakpoint is written after its slot.  A CPU that hits the breakpoint
 *    has one event on entry to the exception, and another on return to the
 *    slot.
 * 2. A detour is entered by a branch, which is no such event.
 *    arch_kprobe_patch() sends all CPUs an IPI before it writes the first
 *    branch of a batch.
 * 3. The function generated for an instruction that only computes is called
 *    within the exception.  If the breakpoint is older than the function, a CPU
 *    may have taken the exception before the function was written.  In this
 *    case, and only then, all CPUs are sent an IPI before the function is
 *    published.
 *
 * So all slots of a batch together need one IPI to each CPU if the batch has
 * branches.  A generated function needs one only if the breakpoint is older.
 */
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/cacheflush.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

/**
 * a64_kprobe_in_reach - check the reach of a branch
 * @from: address of the branch
 * @to: its target
 */
bool a64_kprobe_in_reach(unsigned long from, unsigned long to)
{
	long distance = to - from;

	return distance >= -(long)SZ_128M && distance < (long)SZ_128M;
}

/**
 * a64_kprobe_emit - add an instruction
 * @text: to add to
 * @insn: the instruction
 */
void a64_kprobe_emit(struct a64_kprobe_text *text, u32 insn)
{
	if (text->nr == ARRAY_SIZE(text->word)) {
		text->bad = true;
		return;
	}
	text->word[text->nr++] = cpu_to_le32(insn);
}

/**
 * a64_kprobe_emit_data - add data, in the byte order of the kernel
 * @text: to add to
 * @value: the address of the site, before A64_ENTRY, or a literal
 */
void a64_kprobe_emit_data(struct a64_kprobe_text *text, u64 value)
{
	if (text->nr + 2 > ARRAY_SIZE(text->word)) {
		text->bad = true;
		return;
	}
	memcpy(&text->word[text->nr], &value, sizeof(value));
	text->nr += 2;
}

static unsigned long text_here(const struct a64_kprobe_text *text)
{
	return text->at + text->nr * sizeof(u32);
}

/**
 * a64_kprobe_emit_branch - add a branch
 * @text: to add to
 * @target: its target
 */
void a64_kprobe_emit_branch(struct a64_kprobe_text *text, unsigned long target)
{
	unsigned long here = text_here(text);
	u32 insn;

	if (!a64_kprobe_in_reach(here, target)) {
		text->bad = true;
		return;
	}
	insn = aarch64_insn_gen_branch_imm(here, target,
					   AARCH64_INSN_BRANCH_NOLINK);
	a64_kprobe_emit(text, insn);
}

/* LDR @reg, =value; a64_kprobe_finish() fills in the offset. */
static void emit_literal(struct a64_kprobe_text *text, unsigned int reg,
			 u64 value)
{
	unsigned int i = text->nr_literals++;

	if (WARN_ON_ONCE(i == ARRAY_SIZE(text->literal))) {
		text->bad = true;
		return;
	}
	text->literal[i].word = text->nr;
	text->literal[i].value = value;
	a64_kprobe_emit(text, 0x58000000 | reg);
}

/**
 * a64_kprobe_emit_gap - add a NOP if an instruction must not follow a load
 * @text: to add to; its last instruction may be a load
 * @insn: the next instruction
 *
 * Erratum 835769 of Cortex-A53: a 64-bit multiply and accumulate right after a
 * load or store may have a wrong result.  Compilers avoid this pair, and a slot
 * must not create it.
 */
void a64_kprobe_emit_gap(struct a64_kprobe_text *text, u32 insn)
{
	/* MADD, SMADDL, UMADDL and the like; in MUL and SMULH, Ra is XZR. */
	bool has_ra = (insn & 0xff000000) == 0x9b000000 &&
		      (insn >> 10 & 0x1f) != AARCH64_INSN_REG_ZR;

	if (has_ra)
		a64_kprobe_emit(text, aarch64_insn_gen_nop());
}

/* Make a conditional branch skip only the next word. */
static u32 branch_over_one(u32 opcode, const struct a64_kprobe_insn *decoded)
{
	if (decoded->class == A64_TBZ)
		return (opcode & ~GENMASK(18, 5)) | 2 << 5;
	return (opcode & ~GENMASK(23, 5)) | 2 << 5;
}

/**
 * a64_kprobe_emit_copy - add a copy of a probed instruction
 * @text: to add to
 * @site: the probed instruction
 * @next: where to continue unless a branch is taken
 */
void a64_kprobe_emit_copy(struct a64_kprobe_text *text,
			  const struct kprobe_site *site, unsigned long next)
{
	const struct a64_kprobe_insn *decoded = &site->insn.decoded;
	u32 opcode = site->opcode;

	switch ((enum a64_kprobe_class)decoded->class) {
	case A64_BCOND:
	case A64_CBZ:
	case A64_TBZ:
		a64_kprobe_emit(text, branch_over_one(opcode, decoded));
		a64_kprobe_emit_branch(text, next);
		fallthrough;
	case A64_B:
		a64_kprobe_emit_branch(text, decoded->target);
		break;
	case A64_BL:
		emit_literal(text, 30, next);
		a64_kprobe_emit_branch(text, decoded->target);
		break;
	case A64_BLR:
		emit_literal(text, 30, next);
		/* Turn BLR into BR, BLRAA into BRAA and so on. */
		a64_kprobe_emit(text, opcode & ~BIT(21));
		break;
	case A64_ADR:
		if (decoded->rt != 31)
			emit_literal(text, decoded->rt, decoded->target);
		break;
	case A64_LDR:
		/* A load into the zero register has no effect. */
		if (decoded->rt == 31)
			break;
		emit_literal(text, decoded->rt, decoded->target);
		/* LDRSW, LDR X or LDR W */
		a64_kprobe_emit(text, (decoded->sign ? 0xb9800000 :
				decoded->wide ? 0xf9400000 : 0xb9400000) |
			 decoded->rt << 5 | decoded->rt);
		break;
	case A64_NOP:
		break;
	default:
		a64_kprobe_emit(text, opcode);
	}
}

/* Loads and stores of two registers on the stack. */
#define STP_PUSH	0xa9800000
#define STP		0xa9000000
#define LDP		0xa9400000
#define LDP_POP		0xa8c00000

static void emit_pair(struct a64_kprobe_text *text, u32 how, unsigned int a,
		      unsigned int b, int offset)
{
	a64_kprobe_emit(text, how | (offset / 8 & GENMASK(6, 0)) << 15 |
			b << 10 | AARCH64_INSN_REG_SP << 5 | a);
}

#define FRAME_SIZE	((int)sizeof(struct pt_regs))
#define FRAME_X29	((int)offsetof(struct pt_regs, regs[29]))

/**
 * a64_kprobe_emit_call - add a call of a thunk
 * @text: to add to; begins with the pointer to the site
 * @thunk: called with the site in x0 and a struct pt_regs on the stack, which
 *	holds x0, x1, x29 and x30; must restore all other registers
 */
void a64_kprobe_emit_call(struct a64_kprobe_text *text, void (*thunk)(void))
{
	unsigned long here, addr = (unsigned long)thunk;
	u32 insn;

	text->call.begin = text->nr;
	emit_pair(text, STP_PUSH, 0, 1, -FRAME_SIZE);
	emit_pair(text, STP, 29, 30, FRAME_X29);
	/* LDR x0, from the start of the text */
	a64_kprobe_emit(text, 0x58000000 | (-text->nr & GENMASK(18, 0)) << 5);
	here = text_here(text);
	if (a64_kprobe_in_reach(here, addr)) {
		insn = aarch64_insn_gen_branch_imm(here, addr,
						   AARCH64_INSN_BRANCH_LINK);
		a64_kprobe_emit(text, insn);
	} else {
		emit_literal(text, 30, addr);
		a64_kprobe_emit(text, 0xd63f03c0);		/* BLR x30 */
	}
	emit_pair(text, LDP, 29, 30, FRAME_X29);
	emit_pair(text, LDP_POP, 0, 1, FRAME_SIZE);
	text->call.end = text->nr;
}

/*
 * Write new text without an IPI: see the head of this file.  Perf records it,
 * for decoders of branch traces, before any CPU can execute it.
 */
static void write_slot(void *slot, const void *text, unsigned int size)
{
	unsigned int at;
	u64 value;

	perf_event_text_poke(slot, NULL, 0, text, size);
	for (at = 0; at < size; at += sizeof(value)) {
		memcpy(&value, text + at, sizeof(value));
		if (*(u64 *)(slot + at) != value)
			WARN_ON_ONCE(aarch64_insn_write_literal_u64(slot + at,
								    value));
	}
	caches_clean_inval_pou((unsigned long)slot, (unsigned long)slot + size);
}

/**
 * a64_kprobe_finish - add literals, and write the text
 * @text: the text
 * @slot: destination
 * @size: size of the destination in bytes
 *
 * Context: may sleep.
 * Return: true if it fits and all branches reach.
 */
bool a64_kprobe_finish(struct a64_kprobe_text *text, void *slot,
		       unsigned int size)
{
	unsigned int i;

	for (i = 0; i < text->nr_literals && !text->bad; i++) {
		unsigned int word = text->literal[i].word;

		if (text->nr & 1)
			a64_kprobe_emit(text, AARCH64_BREAK_FAULT);
		le32_add_cpu(&text->word[word], (text->nr - word) << 5);
		a64_kprobe_emit_data(text, text->literal[i].value);
	}
	if (text->bad || text->nr * sizeof(u32) > size)
		return false;
	while (text->nr * sizeof(u32) < size)
		a64_kprobe_emit(text, AARCH64_BREAK_FAULT);
	write_slot(slot, text->word, size);
	return true;
}
