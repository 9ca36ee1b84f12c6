// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for stack traces from every instruction of a hit on x86, with ORC
 * or frame pointers.
 *
 * A hit is single-stepped, and each debug exception takes two stack traces: one
 * from its registers, like a profiler's NMI, and one of itself, which finds
 * these registers on the stack.  This covers each instruction in the function,
 * detour, slots, thunks and trampoline, and in C code called by these: see
 * test_unwind.h.
 */
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/objtool.h>
#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>
#include "test_x86_opt.h"

/* Words below the stack pointer that an interrupt may overwrite. */
#define CLOBBERED	4

/*
 * Functions with known stacks, which objtool follows.  At its probed place each
 * has plain instructions that are at least as long as a jump.
 */
#define UNWOUND(name, ...)						\
	FOLLOWED(name, __VA_ARGS__					\
		 ".Lend_" #name ":\n\t"					\
		 POINTER_TO(end_##name, .Lend_##name));			\
	extern char *end_##name

#define FIRST_CALLER	(LAYOUTS_KNOWN ? 2 : 1)
#define EXCEPTION_SHOWN	true
#include "test_unwind.h"

#define MAKE_FRAME	"push " BP "\n\t mov " SP ", " BP "\n\t"
#define DROP_FRAME	"pop " BP "\n\t"

/* The first instruction is one byte long, and changes the stack. */
UNWOUND(entry, PROBE(entry) MAKE_FRAME "lea 1(" AX "), %eax\n\t" DROP_FRAME
	ASM_RET);
/* The function keeps words on the stack. */
UNWOUND(pushed, MAKE_FRAME "push " BX "\n\t push " BX "\n\t"
	PROBE(pushed) "lea 1(" AX "), %eax\n\t lea (" AX "), %eax\n\t"
	"pop " BX "\n\t pop " BX "\n\t" DROP_FRAME ASM_RET);
/* Instructions in the middle that change the stack. */
UNWOUND(pushing, MAKE_FRAME PROBE(pushing) "push " BX "\n\t push " BX "\n\t"
	"push " BX "\n\t pop " BX "\n\t pop " BX "\n\t"
	"pop " BX "\n\t lea 1(" AX "), %eax\n\t" DROP_FRAME ASM_RET);
/* The probed instruction is a call, which is emulated or ends the detour. */
UNWOUND(call, MAKE_FRAME "push " BX "\n\t" PROBE(call)
	"call opt_leaf\n\t pop " BX "\n\t" DROP_FRAME ASM_RET);
UNWOUND(leaf, PROBE(leaf) "lea (" AX "), %eax\n\t lea (" AX "), %eax\n\t"
	"lea 1(" AX "), %eax\n\t" ASM_RET);
/* The jump covers the return. */
UNWOUND(ret, MAKE_FRAME "lea 1(" AX "), %eax\n\t" DROP_FRAME
	PROBE(ret) "lea (" AX "), %eax\n\t" ASM_RET
	"int3\n\t int3\n\t int3\n\t");
/* User memory may be accessible, so the detour begins with CLAC. */
UNWOUND(user, MAKE_FRAME PROBE(user) "lea 1(" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	"1: mov (" SP "), " CX "\n\t 2: xor %ecx, %ecx\n\t"
	DROP_FRAME ASM_RET _ASM_EXTABLE_UA(1b, 2b));

/* Handlers redirect this one. */
UNWOUND(divert, MAKE_FRAME PROBE(divert) "lea (" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	".Lgoes_on: lea 1(" AX "), %eax\n\t"
	DROP_FRAME ASM_RET
	POINTER_TO(goes_on, .Lgoes_on));

static unsigned int probed_length(const struct kprobe_site *site)
{
	return site->insn.len;
}

/* An interrupt may overwrite these words, so nothing may use them. */
static void overwrite_unused(struct pt_regs *regs)
{
	int i;

	if (regs->flags & X86_EFLAGS_IF)
		for (i = 1; i <= CLOBBERED; i++)
			((unsigned long *)regs->sp)[-i] = 0x18;
}
NOKPROBE_SYMBOL(overwrite_unused);

static int step_notify(struct notifier_block *nb, unsigned long val,
		       void *data)
{
	struct die_args *args = data;

	if (val != DIE_DEBUG || current != stepper.task ||
	    user_mode(args->regs))
		return NOTIFY_DONE;
	/* The error code is a pointer to dr6. */
	*(unsigned long *)args->err &= ~DR_STEP;
	if (stepper.sp)
		overwrite_unused(args->regs);
	step(args->regs, *(unsigned long *)args->regs->sp);
	return NOTIFY_STOP;
}
NOKPROBE_SYMBOL(step_notify);

static struct notifier_block step_notifier = {
	.notifier_call = step_notify,
	.priority = INT_MAX,
};

/* Call a function step by step. */
static noinline unsigned long step_through(void *function)
{
	unsigned long a = 5;

	asm volatile("pushf\n\t"
		     "orl $" __stringify(X86_EFLAGS_TF) ", (%%" _ASM_SP ")\n\t"
		     "popf\n\t"
		     SAFE "call *%[function]\n\t"
		     "pushf\n\t"
		     "andl $~" __stringify(X86_EFLAGS_TF)
		     ", (%%" _ASM_SP ")\n\t"
		     "popf"
		     : "+a" (a), ASM_CALL_CONSTRAINT
		     : [function] "D" (function)
		     : "cx", "dx", "memory", "cc");
	return a;
}

static int arm_steps(struct kunit *test)
{
	const struct unwound *target = test->param_value;
	char name[KSYM_NAME_LEN];

	/*
	 * Call depth tracking calls code in the padding before opt_leaf().  In
	 * Linux 7.3, padding before assembly has no symbol and no stack layout.
	 */
	if (cpu_feature_enabled(X86_FEATURE_CALL_DEPTH) && target &&
	    target->at == &probe_call &&
	    !lookup_symbol_name((unsigned long)opt_leaf - 1, name) &&
	    !str_has_prefix(name, "__pfx_"))
		kunit_skip(test, "the callee's padding has no symbol");
	return register_die_notifier(&step_notifier);
}

static void disarm_steps(void)
{
	unregister_die_notifier(&step_notifier);
}

UNWIND_SUITE(x86, TARGET_OF(entry), TARGET_OF(pushed), TARGET_OF(pushing),
	     TARGET_OF(call), TARGET_OF(ret), TARGET_OF(user));
