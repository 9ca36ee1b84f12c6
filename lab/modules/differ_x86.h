/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For kprobe_differ.c: registers, exceptions and the FPU of x86.
 */
#include <asm/fpu/api.h>
#include <asm/insn.h>
#include <asm/segment.h>
#include <asm/special_insns.h>
#include <asm/trapnr.h>

#define FLAGS_AT_RANDOM							\
	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF | \
	 X86_EFLAGS_SF | X86_EFLAGS_OF | X86_EFLAGS_IF | X86_EFLAGS_ID)

/* A jump covers the instruction after a short one. */
#define ARCH_JUMP_COVERS	true
#define ARCH_DECODER		"insn_decode"

static const char * const register_names[DIFFER_REGS + 1] = {
	"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
#ifdef CONFIG_X86_64
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
#endif
	"flags",
};

struct arch_state {
	u8 fx[512] __aligned(16);
	u16 ds, es;
};

static struct arch_state arch_in, arch_out;

static unsigned long arch_stack(void)
{
	return (unsigned long)differ_stack;
}

static void arch_fix_registers(struct rnd_state *rnd)
{
}

static unsigned long arch_flags(u32 random, unsigned int kind)
{
	unsigned long flags = X86_EFLAGS_FIXED | (random & FLAGS_AT_RANDOM);

	if (kind & DIFFER_DIRECTION)
		flags |= random & BIT(31) ? X86_EFLAGS_DF : 0;
	return flags;
}

static void arch_registers(const struct pt_regs *regs, unsigned long *reg)
{
	const unsigned long all[] = {
		regs->ax, regs->cx, regs->dx, regs->bx,
		kernel_stack_pointer((struct pt_regs *)regs),
		regs->bp, regs->si, regs->di,
#ifdef CONFIG_X86_64
		regs->r8, regs->r9, regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15,
#endif
		regs->flags & ~X86_EFLAGS_RF,
	};

	static_assert(sizeof(all) == sizeof(differ_in.reg));
	memcpy(reg, all, sizeof(all));
}

/* Set the FPU to the same state for each execution of a form. */
static void arch_begin(struct rnd_state *rnd)
{
	static const u16 mxcsr_at = 24;
	unsigned int i;

	prandom_bytes_state(rnd, arch_in.fx + 160, 256);
	/* Half of the vectors are small numbers, and not NaN. */
	for (i = 160; i < 416; i += 16)
		arch_in.fx[i + 7] &= 0x7f;
	*(u16 *)arch_in.fx = 0x37f;
	*(u32 *)(arch_in.fx + mxcsr_at) = 0x1f80;
	kernel_fpu_begin();
	asm volatile("fxrstor %0" : : "m" (arch_in.fx));
	memset(&arch_out, 0, sizeof(arch_out));
}

static void arch_irq_off(void)
{
}

static void arch_end(void)
{
	asm volatile("fxsave %0" : "=m" (arch_out.fx));
	/* The address of the last x87 instruction. */
	memset(arch_out.fx + 6, 0, 18);
	/* The contents after the last register are undefined. */
	memset(arch_out.fx + 416, 0, 96);
	kernel_fpu_end();
}

/* Called directly after the form. */
static void arch_collect(void)
{
#ifdef CONFIG_X86_64
	savesegment(ds, arch_out.ds);
	savesegment(es, arch_out.es);
	loadsegment(ds, 0);
	loadsegment(es, 0);
#else
	extern u16 differ_segments[];

	arch_out.ds = differ_segments[0];
	arch_out.es = differ_segments[1];
#endif
}

static unsigned long arch_fault_address(unsigned long trap)
{
	return trap == X86_TRAP_PF ? native_read_cr2() : 0;
}

/* Return the trap's number and clear the register that held it. */
static unsigned long arch_trap(struct differ_cpu *cpu)
{
	unsigned long trap = cpu->reg[DIFFER_RESULT];

	cpu->reg[DIFFER_RESULT] = 0;
	return trap;
}

/* Handle exceptions of forms without an entry in the exception table. */
static bool arch_unexpected(unsigned long why, struct die_args *args)
{
	if (why != DIE_TRAP && why != DIE_GPF)
		return false;
	args->regs->ip = (unsigned long)differ_fixup;
	args->regs->ax = args->trapnr;
	return true;
}

static bool arch_is_jump(unsigned long addr)
{
	return *(u8 *)addr == 0xe9;
}

/* Return true if the kernel's decoder gets the form's length wrong. */
static bool arch_misread(const struct differ_form *form, void *decode)
{
	typeof(insn_decode) *insn_decode = decode;
	struct insn insn;

	return insn_decode(&insn, (void *)form->at, MAX_INSN_SIZE,
			   INSN_MODE_KERN) ||
	       insn.length != form->length;
}

static bool arch_undefined(unsigned long trap)
{
	return trap == X86_TRAP_UD;
}
