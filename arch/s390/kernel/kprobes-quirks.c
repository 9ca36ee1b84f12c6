// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections around s390's code for probes: see struct kprobe_quirks.
 *
 * Interrupts may be on between the exception of a breakpoint and the search for
 * its site.
 *
 * That code uses one errno for instructions that it cannot step and for
 * addresses inside an instruction.  The former are refused here, before it is
 * called.
 */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>

static bool s390_refuses(const kprobe_opcode_t *addr)
{
	return probe_is_prohibited_opcode((kprobe_opcode_t *)addr);
}

static noinstr unsigned long s390_trap_address(unsigned long val,
					       const struct die_args *args)
{
	return val == DIE_BPT ?
	       instruction_pointer(args->regs) - sizeof(kprobe_opcode_t) : 0;
}

static noinstr bool s390_is_trap(kprobe_opcode_t insn)
{
	return insn == BREAKPOINT_INSTRUCTION;
}

const struct kprobe_quirks kprobe_quirks = {
	.einval = KPROBE_REFUSE_NO_BOUNDARY,
	.refuses = s390_refuses,
	.trap_address = s390_trap_address,
	.is_trap = s390_is_trap,
};
