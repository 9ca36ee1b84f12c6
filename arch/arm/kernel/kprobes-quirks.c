// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections around arm's code for probes: see struct kprobe_quirks.
 *
 * That code emulates memory accesses in C, which must not access user memory,
 * and jumps to copies.  The exception tables cover neither.
 */
#include <linux/kprobes.h>
#include <asm/opcodes.h>
#include <asm/ptrace.h>

#ifdef CONFIG_THUMB2_KERNEL
static unsigned int arm_insn_bytes(unsigned long at)
{
	u16 first = __mem_to_opcode_thumb16(*(const u16 *)at);

	return is_wide_instruction(first) ? 4 : 2;
}

/* LDREX, LDAEX, STREX, STLEX; also for bytes, halfwords and two words */
static enum kprobe_exclusive arm_exclusive(unsigned long at)
{
	const u16 *half = (const u16 *)at;
	u32 insn;

	if (arm_insn_bytes(at) != sizeof(insn))
		return KPROBE_EXCLUSIVE_NONE;
	insn = __opcode_thumb32_compose(__mem_to_opcode_thumb16(half[0]),
					__mem_to_opcode_thumb16(half[1]));
	if ((insn & 0xfff00000) == 0xe8500000 ||
	    (insn & 0xfff00040) == 0xe8d00040)
		return KPROBE_EXCLUSIVE_LOAD;
	if ((insn & 0xfff00000) == 0xe8400000 ||
	    (insn & 0xfff00040) == 0xe8c00040)
		return KPROBE_EXCLUSIVE_STORE;
	return KPROBE_EXCLUSIVE_NONE;
}
#else
#define arm_insn_bytes	NULL

/* The same, with any condition */
static enum kprobe_exclusive arm_exclusive(unsigned long at)
{
	switch (__mem_to_opcode_arm(*(const u32 *)at) & 0x0f900ef0) {
	case 0x01900e90:
		return KPROBE_EXCLUSIVE_LOAD;
	case 0x01800e90:
		return KPROBE_EXCLUSIVE_STORE;
	}
	return KPROBE_EXCLUSIVE_NONE;
}
#endif

const struct kprobe_quirks kprobe_quirks = {
	.refuses_fixups = true,
	.insn_bytes = arm_insn_bytes,
	.exclusive = arm_exclusive,
};
