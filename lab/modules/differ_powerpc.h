/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For kprobe_differ.c: registers and exceptions of 64-bit powerpc.
 */
#include <asm/hw_irq.h>
#include <asm/interrupt.h>
#include <asm/paca.h>

/* A branch replaces one instruction, and covers no other one. */
#define ARCH_JUMP_COVERS	false
/* An instruction has four bytes. */
#define ARCH_DECODER		NULL

/* Carries and overflows, also of 32 bits, and the length of a string. */
#define XER_AT_RANDOM		0xe00c007fUL

#define LR			32
#define CTR			33
#define XER			34

static const char * const register_names[DIFFER_REGS + 1] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
	"r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20",
	"r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30",
	"r31", "lr", "ctr", "xer", "cr",
};

struct arch_state {
	u64 unused;
};

static struct arch_state arch_out;

static unsigned long arch_stack(void)
{
	return (unsigned long)differ_stack;
}

static unsigned long arch_flags(u32 random, unsigned int kind)
{
	return random;
}

/* The kernel finds its per-CPU data by r13. */
static void arch_fix_registers(struct rnd_state *rnd)
{
	differ_in.reg[13] = (unsigned long)get_paca();
	differ_in.reg[XER] &= XER_AT_RANDOM;
}

static void arch_registers(const struct pt_regs *regs, unsigned long *reg)
{
	memcpy(reg, regs->gpr, sizeof(regs->gpr));
	reg[LR] = regs->link;
	reg[CTR] = regs->ctr;
	reg[XER] = regs->xer;
	reg[DIFFER_FLAGS] = regs->ccr;
}

static void arch_begin(struct rnd_state *rnd)
{
}

/* The tasks that ran before decide if the FPU is on, and MFMSR reads that. */
static void arch_irq_off(void)
{
	hard_irq_disable();
	mtmsr(mfmsr() & ~(MSR_FP | MSR_VEC | MSR_VSX));
}

static void arch_end(void)
{
}

/* SRR0 was changed: exits of exceptions must not rely on its value. */
static void arch_collect(void)
{
	srr_regs_clobbered();
}

static unsigned long arch_fault_address(unsigned long trap)
{
	return trap ? mfspr(SPRN_DAR) : 0;
}

/* Nothing else has a fix-up here. */
static unsigned long arch_trap(struct differ_cpu *cpu)
{
	return 1;
}

/* Illegal instructions end the kernel. */
static bool arch_unexpected(unsigned long why, struct die_args *args)
{
	return false;
}

static bool arch_is_jump(unsigned long addr)
{
	return *(u32 *)addr >> 26 == 18;
}

static bool arch_misread(const struct differ_form *form, void *decode)
{
	return false;
}

static bool arch_undefined(unsigned long trap)
{
	return false;
}
