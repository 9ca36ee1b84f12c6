/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for the KUnit suites for jumps on x86: functions with a probed place,
 * and checks of the text there.
 */
#ifndef _LIB_KPROBES_TEST_X86_OPT_H
#define _LIB_KPROBES_TEST_X86_OPT_H

#include <linux/objtool.h>
#include <asm/cpufeature.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/linkage.h>
#include <asm/text-patching.h>
#include "test.h"
#include "test_x86.h"

/*
 * FOLLOWED(name, body): takes and returns eax, may use ecx and edx.  Its probed
 * label .Lprobe_<name> has a pointer probe_<name>.  The function itself needs a
 * pointer, too: at boot the kernel seals landing pads without one, and with
 * CFI_CLANG writes into the padding before the function.
 * FUNCTION(name, body): the same; objtool does not follow its stack.
 * CODE(name, probed, after): a FUNCTION() that begins with @probed.
 */
#define FOLLOWED(name, ...)						\
	asm(".pushsection .text\n"					\
	    ".balign 16, 0xcc\n" ASM_FUNC_ALIGN "\n"			\
	    ".type opt_" #name ", @function\n"				\
	    "opt_" #name ":\n\t" ASM_ENDBR				\
	    __VA_ARGS__ "\n"						\
	    ".size opt_" #name ", . - opt_" #name "\n"			\
	    ".balign 16, 0xcc\n"					\
	    ".popsection\n"						\
	    POINTER_TO(probe_##name, .Lprobe_##name)			\
	    POINTER_TO(start_##name, opt_##name));			\
	extern char opt_##name[], *probe_##name

#define FUNCTION(name, ...) LIST(					\
	FOLLOWED(name, __VA_ARGS__);					\
	STACK_FRAME_NON_STANDARD(opt_##name))

#define CODE(name, probed, after)					\
	FUNCTION(name, ".Lprobe_" #name ":\n\t" probed "\n\t"		\
		 after "\n\t" ASM_RET)

/* Two instructions of three bytes: a jump covers the boundary between them. */
#define FIRST	"lea 1(" AX "), %ecx\n\t"
#define SECOND	"lea 2(" AX "), %edx\n\t"
#define AFTER	"lea (" CX ", " DX "), %eax\n\t"

#define NOP5	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"

/* Handlers that continue elsewhere. */
static __maybe_unused unsigned long move_to;

static __maybe_unused int moving_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ip = move_to;
	return 1;
}

static __maybe_unused void moving_post(struct kprobe *p, struct pt_regs *regs,
				       unsigned long flags)
{
	regs->ip = move_to;
}

/* Size of the text to compare: more than a jump covers. */
#define TEXT_SIZE	48

static noinline __maybe_unused unsigned int call(void *function,
						 unsigned long a)
{
	asm volatile(SAFE "call *%[function]"
		     : "+a" (a), ASM_CALL_CONSTRAINT
		     : [function] "D" (function)
		     : "cx", "dx", "memory", "cc");
	return a;
}

/* Return true if the optimizer has made a jump. */
static __maybe_unused bool is_jump(const void *where)
{
	wait_for_kprobe_optimizer();
	return *(u8 *)where == JMP32_INSN_OPCODE;
}

static __maybe_unused bool is_probe_trap(const void *where)
{
	return *(u8 *)where == INT3_INSN_OPCODE;
}

static __maybe_unused int x86_opt_init(struct kunit *test)
{
	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		kunit_skip(test, "a Xen PV guest has no jumps");
	return 0;
}

static __maybe_unused void x86_opt_exit(struct kunit *test)
{
	kprobe_set_jumps(true);
}

#endif /* _LIB_KPROBES_TEST_X86_OPT_H */
