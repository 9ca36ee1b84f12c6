// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoding and emulation of A64 instructions for probes.
 *
 * The first matching row of a table determines the class of an instruction.
 * The few instructions that use the program counter all have a row, so others
 * do not depend on their address.  A kprobe's instruction is decoded once, when
 * the probe is registered.
 *
 * Uprobes use the same table and emulation for a task's instructions.  They
 * refuse branches that authenticate, because the keys belong to the task.
 */
#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#ifdef CONFIG_ARM64_GCS
#include <asm/gcs.h>
#endif
#include <asm/insn.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>
#include "decode-insn.h"

/* Fields that several instructions have at the same bits. */
#define A64_RT		GENMASK(4, 0)
#define A64_RN		GENMASK(9, 5)
#define A64_IMM14	GENMASK(18, 5)
#define A64_IMM19	GENMASK(23, 5)
#define A64_IMM26	GENMASK(25, 0)

/* A row matches if (insn & @mask) == @value; @how: enum a64_kprobe_class. */
struct a64_row {
	u32 mask;
	u32 value;
	u8 how;
};

/* Specific rows must precede more general rows. */
static const struct a64_row rows[] = {
	/* reserved */
	{ 0xffff0000, 0x00000000, A64_TRAP },		/* UDF */
	{ 0x9e000000, 0x00000000, A64_NONE },
	{ 0x1a000000, 0x02000000, A64_NONE },

	/* addresses: ADR, ADRP */
	{ 0x1f000000, 0x10000000, A64_ADR },

	/* immediate branches */
	{ 0xfc000000, 0x14000000, A64_B },
	{ 0xfc000000, 0x94000000, A64_BL },
	{ 0xff000000, 0x54000000, A64_BCOND },		/* B.cond, BC.cond */
	{ 0x7e000000, 0x34000000, A64_CBZ },
	{ 0x7e000000, 0x36000000, A64_TBZ },
	{ 0x7e000000, 0x74000000, A64_REFUSED },	/* CB<cc> */
	{ 0xff000000, 0x55000000, A64_REFUSED },	/* RETAASPPC */

	/* branches by register, with and without authentication */
	{ 0xfffffc1f, 0xd61f0000, A64_BR },
	{ 0xfffff81f, 0xd61f081f, A64_BR },		/* BRAAZ, BRABZ */
	{ 0xfffff800, 0xd71f0800, A64_BR },		/* BRAA, BRAB */
	{ 0xfffffc1f, 0xd63f0000, A64_BLR },
	{ 0xfffff81f, 0xd63f081f, A64_BLR },		/* BLRAAZ, BLRABZ */
	{ 0xfffff800, 0xd73f0800, A64_BLR },		/* BLRAA, BLRAB */
	{ 0xfffffc1f, 0xd65f0000, A64_RET },
	{ 0xfffffbff, 0xd65f0bff, A64_RET },		/* RETAA, RETAB */
	{ 0xfffffbe0, 0xd65f0be0, A64_REFUSED },	/* RETAASPPCR */
	{ 0xffdfffff, 0xd69f03e0, A64_ERET },		/* ERET, DRPS */
	{ 0xfffffbff, 0xd69f0bff, A64_ERET },		/* ERETAA, ERETAB */
	{ 0xfe000000, 0xd6000000, A64_NONE },

	/* exceptions */
	{ 0xffe0001f, 0xd4000001, A64_CALLS_UP },	/* SVC */
	{ 0xffe0001e, 0xd4000002, A64_CALLS_UP },	/* HVC, SMC */
	{ 0xff000000, 0xd4000000, A64_TRAP },		/* BRK, HLT, DCPS */

	/* hints: NOP, landing pads, PACM (modifies the next instruction) */
	{ 0xffffffff, 0xd503201f, A64_NOP },
	{ 0xffffff3f, 0xd503241f, A64_NOP },		/* BTI */
	{ 0xffffffff, 0xd50324ff, A64_REFUSED },	/* PACM */

	/* SPSel; registers of EL1 and EL2 that exceptions overwrite */
	{ 0xfffff0ff, 0xd50040bf, A64_REFUSED },	/* MSR SPSel, #imm */
	{ 0xffdfffe0, 0xd5184200, A64_REFUSED },	/* SPSel */
	{ 0xffdbffc0, 0xd5184000, A64_REFUSED },	/* SPSR, ELR */
	{ 0xffdbffe0, 0xd5185200, A64_REFUSED },	/* ESR */
	{ 0xffdbffe0, 0xd5186000, A64_REFUSED },	/* FAR */

	/* loads of literals */
	{ 0xff000000, 0xd8000000, A64_NOP },		/* PRFM */
	{ 0x3f000000, 0x18000000, A64_LDR },
	{ 0x3f000000, 0x1c000000, A64_REFUSED },	/* to FP registers */

	/* exclusive accesses: of one register, of two, unprivileged */
	{ 0x3fe00000, 0x08400000, A64_LOAD_EX },
	{ 0x3fe00000, 0x08000000, A64_STORE_EX },
	{ 0xbfe00000, 0x88600000, A64_LOAD_EX },
	{ 0xbfe00000, 0x88200000, A64_STORE_EX },
	{ 0xbfe00000, 0x89400000, A64_LOAD_EX },
	{ 0xbfe00000, 0x89000000, A64_STORE_EX },

	/* parts of memory copies and sets, which must follow each other */
	{ 0x3b200c00, 0x19000400, A64_REFUSED },
	{ 0xffff0c00, 0x1ddf0000, A64_REFUSED },	/* SETGOP, ... */

	/* signing and authentication with the program counter */
	{ 0xffffdbff, 0xdac183fe, A64_REFUSED },	/* PACIASPPC, ... */
	{ 0xffc0001f, 0xf380001f, A64_REFUSED },	/* AUTIASPPC, ... */
};

static enum a64_kprobe_class a64_class(u32 insn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if ((insn & rows[i].mask) == rows[i].value)
			return rows[i].how;
	return A64_PLAIN;
}

/* Convert a signed number of instructions to bytes. */
static long words(u64 field, unsigned int bits)
{
	return sign_extend64(field, bits - 1) * AARCH64_INSN_SIZE;
}

static unsigned long adr_target(u32 insn, unsigned long addr)
{
	long imm = sign_extend64(FIELD_GET(GENMASK(23, 5), insn) << 2 |
				 FIELD_GET(GENMASK(30, 29), insn), 20);

	if (insn & BIT(31))
		return (addr & ~0xfffUL) + imm * 4096;
	return addr + imm;
}

/* Bit 11 is set if a branch authenticates; bit 10 selects the key. */
static void decode_register_branch(u32 insn, struct a64_kprobe_insn *result)
{
	bool modified = insn & BIT(24);

	result->rt = FIELD_GET(A64_RN, insn);
	if (!(insn & BIT(11)))
		return;
	result->key = insn & BIT(10) ? 'B' : 'A';
	result->modifier = modified ? FIELD_GET(A64_RT, insn) :
				      A64_MODIFIER_ZERO;
	if (result->class == A64_RET) {
		result->rt = 30;
		result->modifier = A64_MODIFIER_SP;
	}
}

/**
 * a64_kprobe_decode - classify a probed instruction
 * @insn: the instruction
 * @addr: its address
 * @result: filled in
 */
void a64_kprobe_decode(u32 insn, unsigned long addr,
		       struct a64_kprobe_insn *result)
{
	*result = (struct a64_kprobe_insn) {
		.class = a64_class(insn),
		.rt = FIELD_GET(A64_RT, insn),
	};

	switch ((enum a64_kprobe_class)result->class) {
	case A64_B:
	case A64_BL:
		result->target = addr + words(FIELD_GET(A64_IMM26, insn), 26);
		break;
	case A64_BCOND:
		result->bit = insn & 0xf;
		result->target = addr + words(FIELD_GET(A64_IMM19, insn), 19);
		break;
	case A64_CBZ:
		result->invert = insn & BIT(24);
		result->wide = insn & BIT(31);
		result->target = addr + words(FIELD_GET(A64_IMM19, insn), 19);
		break;
	case A64_TBZ:
		result->invert = insn & BIT(24);
		result->bit = FIELD_GET(GENMASK(23, 19), insn) |
			      FIELD_GET(BIT(31), insn) << 5;
		result->target = addr + words(FIELD_GET(A64_IMM14, insn), 14);
		break;
	case A64_BR:
	case A64_BLR:
	case A64_RET:
		decode_register_branch(insn, result);
		break;
	case A64_ADR:
		result->target = adr_target(insn, addr);
		break;
	case A64_LDR:
		result->wide = insn & BIT(30);
		result->sign = insn & BIT(31);
		result->target = addr + words(FIELD_GET(A64_IMM19, insn), 19);
		break;
	default:
		break;
	}
}

/* For each condition, the values of the flags (NZCV) for which it holds. */
static const u16 conditions[] = {
	0xf0f0, 0x0f0f,		/* EQ, NE: Z */
	0xcccc, 0x3333,		/* CS, CC: C */
	0xff00, 0x00ff,		/* MI, PL: N */
	0xaaaa, 0x5555,		/* VS, VC: V */
	0x0c0c, 0xf3f3,		/* HI, LS: C and not Z */
	0xaa55, 0x55aa,		/* GE, LT: N == V */
	0x0a05, 0xf5fa,		/* GT, LE: N == V and not Z */
	0xffff, 0xffff,		/* AL, in both encodings */
};

static __always_inline bool condition_holds(unsigned int cond, u64 pstate)
{
	return conditions[cond] & BIT(FIELD_GET(GENMASK(31, 28), pstate));
}

/*
 * Authenticate as the instruction would, with the kernel's keys.  On a CPU
 * without pointer authentication, the hint does nothing, and no pointer was
 * signed.
 *
 * The asm() itself loads x17 and x16, which the hints use.  With register
 * variables, a compiler might call sanitizer functions between two assignments.
 */
#define AUTHENTICATE(hint, ptr, modifier) ({				\
	asm volatile("mov	x17, %0\n\t"				\
		     "mov	x16, %1\n\t"				\
		     hint "\n\t"					\
		     "mov	%0, x17"				\
		     : "+r" (ptr) : "r" (modifier) : "x16", "x17");	\
})

static noinline unsigned long authenticate(const struct a64_kprobe_insn *insn,
					   struct pt_regs *regs)
{
	unsigned long ptr = regs->regs[insn->rt];
	unsigned long modifier = 0;

	if (insn->modifier == A64_MODIFIER_SP)
		modifier = regs->sp;
	else if (insn->modifier < A64_MODIFIER_SP)
		modifier = regs->regs[insn->modifier];

	if (insn->key == 'A')
		AUTHENTICATE("hint #12", ptr, modifier);
	else
		AUTHENTICATE("hint #14", ptr, modifier);
	return ptr;
}
NOKPROBE_SYMBOL(authenticate);

/* Return the BTYPE that an indirect branch sets for its target. */
static __always_inline u64 branch_type(const struct a64_kprobe_insn *insn)
{
	if (insn->class == A64_BLR)
		return PSR_BTYPE_C;
	if (insn->class == A64_BR)
		return insn->rt == 16 || insn->rt == 17 ? PSR_BTYPE_JC :
							  PSR_BTYPE_J;
	return PSR_BTYPE_NONE;
}

/**
 * a64_kprobe_emulate - emulate an instruction
 * @insn: the instruction
 * @regs: the registers; regs->pc is the address of the instruction
 *
 * Context: any.
 */
void a64_kprobe_emulate(const struct a64_kprobe_insn *insn,
			struct pt_regs *regs)
{
	unsigned long next = regs->pc + AARCH64_INSN_SIZE;
	bool taken = true;
	u64 value;

	switch ((enum a64_kprobe_class)insn->class) {
	case A64_BL:
		regs->regs[30] = next;
		break;
	case A64_B:
		break;
	case A64_BCOND:
		taken = condition_holds(insn->bit, regs->pstate);
		break;
	case A64_CBZ:
		value = pt_regs_read_reg(regs, insn->rt);
		if (!insn->wide)
			value = (u32)value;
		taken = !value != insn->invert;
		break;
	case A64_TBZ:
		value = pt_regs_read_reg(regs, insn->rt);
		taken = !(value & BIT_ULL(insn->bit)) != insn->invert;
		break;
	case A64_BR:
	case A64_BLR:
	case A64_RET:
		if (unlikely(insn->key))
			value = authenticate(insn, regs);
		else
			value = pt_regs_read_reg(regs, insn->rt);
		if (insn->class == A64_BLR)
			regs->regs[30] = next;
		if (!user_mode(regs) && system_supports_bti_kernel())
			regs->pstate |= branch_type(insn);
		regs->pc = value;
		return;
	case A64_ADR:
		pt_regs_write_reg(regs, insn->rt, insn->target);
		taken = false;
		break;
	default:
		taken = false;
		break;
	}
	regs->pc = taken ? insn->target : next;
}
NOKPROBE_SYMBOL(a64_kprobe_emulate);

#ifdef CONFIG_UPROBES
/* Load a literal from the task's memory. */
static void load_literal(const struct a64_kprobe_insn *insn,
			 struct pt_regs *regs)
{
	u32 narrow;
	u64 value;

	if (insn->wide ?
	    get_user(value, (u64 __user *)insn->target) :
	    get_user(narrow, (u32 __user *)insn->target)) {
		force_sig_fault(SIGSEGV, SEGV_MAPERR,
				(void __user *)insn->target);
		return;
	}
	if (!insn->wide)
		value = insn->sign ? (s64)(s32)narrow : narrow;
	pt_regs_write_reg(regs, insn->rt, value);
	regs->pc += AARCH64_INSN_SIZE;
}

#ifdef CONFIG_ARM64_GCS
/*
 * Push or pop the task's guarded control stack as a call or return does.  Send
 * a signal and return false if the instruction would fault.
 */
static bool emulate_guarded_stack(const struct a64_kprobe_insn *insn,
				  struct pt_regs *regs)
{
	int err = 0;
	u64 top;

	if (!task_gcs_el0_enabled(current))
		return true;
	if (insn->class == A64_BL || insn->class == A64_BLR) {
		push_user_gcs(regs->pc + AARCH64_INSN_SIZE, &err);
	} else if (insn->class == A64_RET) {
		/* A return that faults pops nothing. */
		top = read_sysreg_s(SYS_GCSPR_EL0);
		if (get_user_gcs((unsigned long __user *)top, &err) !=
		    pt_regs_read_reg(regs, insn->rt))
			err = -EFAULT;
		if (!err)
			write_sysreg_s(top + sizeof(u64), SYS_GCSPR_EL0);
	}
	if (err) {
		force_sig_fault(SIGSEGV, SEGV_CPERR, (void __user *)regs->pc);
		return false;
	}
	return true;
}
#else
static bool emulate_guarded_stack(const struct a64_kprobe_insn *insn,
				  struct pt_regs *regs)
{
	return true;
}
#endif

/* Uprobes store only the instruction, so decode it again. */
static void emulate_for_task(u32 opcode, long addr, struct pt_regs *regs)
{
	struct a64_kprobe_insn insn;

	a64_kprobe_decode(opcode, addr, &insn);
	if (!emulate_guarded_stack(&insn, regs))
		return;
	regs->pstate &= ~(u64)PSR_BTYPE_MASK;
	if (insn.class == A64_LDR)
		load_literal(&insn, regs);
	else
		a64_kprobe_emulate(&insn, regs);
}

/**
 * arm_probe_decode_insn - decide if and how uprobes execute an instruction
 * @insn: the instruction
 * @api: filled in
 */
enum probe_insn arm_probe_decode_insn(u32 insn, struct arch_probe_insn *api)
{
	struct a64_kprobe_insn decoded;

	a64_kprobe_decode(insn, 0, &decoded);
	/* A step clears the exclusive monitor; the kernel has other keys. */
	if (decoded.class >= A64_REFUSED || decoded.class == A64_LOAD_EX ||
	    decoded.key)
		return INSN_REJECTED;
	if (decoded.class == A64_PLAIN)
		return INSN_GOOD;
	api->handler = emulate_for_task;
	return INSN_GOOD_NO_SLOT;
}
#endif
