/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For kprobe_differ.c: registers and exceptions of arm64. */
#include <asm/memory.h>
#include <asm/sysreg.h>

#define FLAGS_COMPARED							\
	(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT | PSR_I_BIT)

/* A branch replaces one instruction, and covers no other one. */
#define ARCH_JUMP_COVERS	false
/* An instruction has four bytes. */
#define ARCH_DECODER		NULL

static const char * const register_names[DIFFER_REGS + 1] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20",
	"x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
	"sp", "flags",
};

struct arch_state {
	u64 unused;
};

static struct arch_state arch_out;

/* Entry code detects a stack overflow by one bit of the stack pointer. */
static unsigned long arch_stack(void)
{
	return ALIGN((unsigned long)differ_stack, 2 * THREAD_SIZE);
}

static unsigned long arch_flags(u32 random, unsigned int kind)
{
	return random & FLAGS_COMPARED;
}

static void arch_fix_registers(struct rnd_state *rnd)
{
}

static void arch_registers(const struct pt_regs *regs, unsigned long *reg)
{
	memcpy(reg, regs->regs, sizeof(regs->regs));
	reg[DIFFER_SP] = regs->sp;
	reg[DIFFER_FLAGS] = regs->pstate & FLAGS_COMPARED;
}

static void arch_begin(struct rnd_state *rnd)
{
	static_assert(DIFFER_STACK_ROOM >= 2 * THREAD_SIZE);
	static_assert(DIFFER_STACK_SIZE <= THREAD_SIZE);
}

static void arch_irq_off(void)
{
}

static void arch_end(void)
{
}

static void arch_collect(void)
{
}

static unsigned long arch_fault_address(unsigned long trap)
{
	return trap ? read_sysreg(far_el1) : 0;
}

/* Nothing else has a fix-up here. */
static unsigned long arch_trap(struct differ_cpu *cpu)
{
	return 1;
}

/* Undefined instructions end the kernel. */
static bool arch_unexpected(unsigned long why, struct die_args *args)
{
	return false;
}

static bool arch_is_jump(unsigned long addr)
{
	return (*(u32 *)addr & 0xfc000000) == 0x14000000;
}

static bool arch_misread(const struct differ_form *form, void *decode)
{
	return false;
}

static bool arch_undefined(unsigned long trap)
{
	return false;
}
