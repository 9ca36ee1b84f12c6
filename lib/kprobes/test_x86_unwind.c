// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for stack traces from every instruction of a hit on x86, with
 * ORC.  Frame pointers lose callers in entry code by design.
 *
 * A hit is single-stepped, and each debug exception takes a stack trace from
 * its registers, as a profiler's NMI would: in the function, detour, slots,
 * thunks and trampoline, and in the C code below these.  Without probes, the
 * first step in the function shows its callers.  Each later trace must show
 * the probed function, the same callers after it, and the same end.
 */
#include <linux/kdebug.h>
#include <linux/kprobes_hit.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/objtool.h>
#include <linux/stacktrace.h>
#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>
#include "../../kernel/kprobes/internal.h"
#include "test_x86_opt.h"

#define TRACE_MAX	32
/* Words below the stack pointer that an interrupt may overwrite. */
#define CLOBBERED	4

struct step_trace {
	unsigned long entries[TRACE_MAX];
	unsigned int nr;
};

/*
 * Functions with known stacks: objtool follows them.  Each is probed at the
 * label .Lprobe_<name>, and begins with at least a jump's length of plain
 * instructions there.
 */
#define UNWOUND(name, ...)						\
	asm(".pushsection .text\n"					\
	    ".balign 16, 0xcc\n" ASM_FUNC_ALIGN "\n"			\
	    ".type unwound_" #name ", @function\n"			\
	    "unwound_" #name ":\n\t" ASM_ENDBR				\
	    __VA_ARGS__ "\n"						\
	    ".size unwound_" #name ", . - unwound_" #name "\n"		\
	    ".balign 16, 0xcc\n"					\
	    ".popsection\n"						\
	    POINTER_TO(unwound_at_##name, .Lprobe_unwound_##name)	\
	    POINTER_TO(unwound_end_##name, .Lend_unwound_##name)	\
	    POINTER_TO(unwound_start_##name, unwound_##name));		\
	extern char unwound_##name[];					\
	extern char *unwound_at_##name, *unwound_end_##name

#define FRAME_BEGIN	"push " BP "\n\t mov " SP ", " BP "\n\t"
#define FRAME_END	"pop " BP "\n\t"
#define PROBE(name)	".Lprobe_unwound_" #name ":\n\t"
#define END(name)	".Lend_unwound_" #name ":\n\t"

/* The first instruction is one byte long, and changes the stack. */
UNWOUND(entry, PROBE(entry) FRAME_BEGIN "lea 1(" AX "), %eax\n\t" FRAME_END
	ASM_RET END(entry));
/* Words of its own on the stack. */
UNWOUND(pushed, FRAME_BEGIN "push " BX "\n\t push " BX "\n\t"
	PROBE(pushed) "lea 1(" AX "), %eax\n\t lea (" AX "), %eax\n\t"
	"pop " BX "\n\t pop " BX "\n\t" FRAME_END ASM_RET END(pushed));
/* Instructions that change the stack, in the middle. */
UNWOUND(pushing, FRAME_BEGIN PROBE(pushing) "push " BX "\n\t push " BX "\n\t"
	"push " BX "\n\t pop " BX "\n\t pop " BX "\n\t"
	"pop " BX "\n\t lea 1(" AX "), %eax\n\t" FRAME_END ASM_RET
	END(pushing));
/* The probed instruction calls, which is emulated or ends the detour. */
UNWOUND(call, FRAME_BEGIN "push " BX "\n\t" PROBE(call)
	"call unwound_leaf\n\t pop " BX "\n\t" FRAME_END ASM_RET END(call));
UNWOUND(leaf, PROBE(leaf) "lea (" AX "), %eax\n\t lea (" AX "), %eax\n\t"
	"lea 1(" AX "), %eax\n\t" ASM_RET END(leaf));
/* Under the jump it returns. */
UNWOUND(ret, FRAME_BEGIN "lea 1(" AX "), %eax\n\t" FRAME_END
	PROBE(ret) "lea (" AX "), %eax\n\t" ASM_RET
	"int3\n\t int3\n\t int3\n\t" END(ret));
/* User memory may be accessible, so the detour begins with CLAC. */
UNWOUND(user, FRAME_BEGIN PROBE(user) "lea 1(" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	"1: mov (" SP "), " CX "\n\t 2: xor %ecx, %ecx\n\t"
	FRAME_END ASM_RET END(user) _ASM_EXTABLE_UA(1b, 2b));

struct unwound {
	const char *name;
	void *function;
	char **at;
	char **end;
};

#define TARGET_OF(n) { #n, unwound_##n, &unwound_at_##n, &unwound_end_##n }

/*
 * The stepper
 */

static struct {
	struct task_struct *task;
	const struct unwound *target;
	struct kprobe_site *site;
	struct step_trace callers;
	/* The stack pointer at the function's entry. */
	unsigned long sp;
	/* The stack is that of the caller again. */
	bool returned;
	unsigned int steps;
	unsigned int in_slot;
	unsigned int in_thunk;
	unsigned int wrong;
	unsigned long wrong_ips[8];
	/* The first wrong one. */
	struct step_trace wrong_trace;
} stepper;

static bool in_target(unsigned long addr)
{
	return addr - (unsigned long)stepper.target->function <
	       *stepper.target->end - (char *)stepper.target->function;
}

/* Callers that are the same in all runs: step_through() and step_target(). */
#define SAME	2

/* The callers follow the function, and the trace ends where it should. */
static bool trace_is_right(const struct step_trace *t)
{
	const struct step_trace *c = &stepper.callers;
	bool shown = false;
	unsigned int i;

	for (i = 0; i < t->nr && t->entries[i] != c->entries[0]; i++)
		shown |= in_target(t->entries[i]);
	if (i + SAME > t->nr ||
	    memcmp(t->entries + i, c->entries, SAME * sizeof(long)) ||
	    t->entries[t->nr - 1] != c->entries[c->nr - 1])
		return false;
	/* The function has returned, or is about to. */
	return shown || stepper.returned;
}

static void step_trace(struct pt_regs *regs)
{
	struct step_trace t;

	t.nr = stack_trace_save_regs(regs, t.entries, TRACE_MAX, 0);
	stepper.steps++;
	if (trace_is_right(&t))
		return;
	if (!stepper.wrong)
		stepper.wrong_trace = t;
	if (stepper.wrong < ARRAY_SIZE(stepper.wrong_ips))
		stepper.wrong_ips[stepper.wrong] = regs->ip;
	stepper.wrong++;
}

/* From the registers at the entry of the function. */
static void note_callers(struct pt_regs *regs)
{
	struct step_trace *t = &stepper.callers;

	t->nr = stack_trace_save_regs(regs, t->entries, TRACE_MAX, 1);
}

enum place { OUTSIDE, IN_SLOT, IN_THUNK, IN_MITIGATION };

static enum place place_of(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	if (is_kprobe_insn_slot(addr))
		return IN_SLOT;
	if (lookup_symbol_name(addr, name))
		return OUTSIDE;
	if (!strcmp(name, "kprobe_jump_thunk") ||
	    !strcmp(name, "kprobe_post_thunk") ||
	    !strcmp(name, "__kretprobe_trampoline"))
		return IN_THUNK;
	/* Thunks of branches and returns have no stack layout of their own. */
	return strstr(name, "_thunk") ? IN_MITIGATION : OUTSIDE;
}

static void step(struct pt_regs *regs)
{
	enum place place = place_of(regs->ip);
	struct pt_regs copy = *regs;
	int i;

	if (!stepper.sp) {
		if (regs->ip != (unsigned long)stepper.target->function)
			return;
		stepper.sp = regs->sp;
		if (!stepper.callers.nr) {
			note_callers(regs);
			return;
		}
	}
	/* Back in the caller? */
	if (regs->ip == stepper.callers.entries[0])
		stepper.sp = 0;
	if (!stepper.sp)
		return;
	stepper.returned |= regs->sp > stepper.sp ||
			    is_kretprobe_trampoline(regs->ip);
	/* Only an exception with a stack of its own leaves these alone. */
	if (regs->flags & X86_EFLAGS_IF)
		for (i = 1; i <= CLOBBERED; i++)
			((unsigned long *)regs->sp)[-i] = 0x18;
	if (place == IN_MITIGATION)
		return;
	stepper.in_slot += place == IN_SLOT;
	stepper.in_thunk += place == IN_THUNK;
	step_trace(regs);
	/*
	 * The return from the breakpoint steps over the first instruction of
	 * the slot, at which the registers are these.
	 */
	if (stepper.site && copy.ip == (unsigned long)stepper.site->addr) {
		if (stepper.site->slot) {
			copy.ip = (unsigned long)stepper.site->slot;
			step_trace(&copy);
		}
		if (stepper.site->post_slot) {
			copy.ip = (unsigned long)stepper.site->post_slot;
			step_trace(&copy);
		}
	}
}
NOKPROBE_SYMBOL(step);

static int step_notify(struct notifier_block *nb, unsigned long val,
		       void *data)
{
	struct die_args *args = data;

	if (val != DIE_DEBUG || current != stepper.task ||
	    user_mode(args->regs))
		return NOTIFY_DONE;
	/* dr6 is passed by a pointer in the place of the error code. */
	*(unsigned long *)args->err &= ~DR_STEP;
	step(args->regs);
	return NOTIFY_STOP;
}
NOKPROBE_SYMBOL(step_notify);

static struct notifier_block step_notifier = {
	.notifier_call = step_notify,
	.priority = INT_MAX,
};

/* Calls a function step by step. */
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

static noinline unsigned long step_target(const struct unwound *target,
					  struct kprobe_site *site)
{
	unsigned long result;

	stepper.target = target;
	stepper.site = site;
	stepper.sp = 0;
	stepper.steps = 0;
	stepper.in_slot = 0;
	stepper.in_thunk = 0;
	stepper.wrong = 0;
	stepper.returned = false;
	stepper.task = current;
	barrier();
	result = step_through(target->function);
	barrier();
	stepper.task = NULL;
	return result;
}

static const struct unwound targets[] = {
	TARGET_OF(entry), TARGET_OF(pushed), TARGET_OF(pushing),
	TARGET_OF(call), TARGET_OF(ret), TARGET_OF(user),
};

enum way { BY_TRAP, BY_JUMP, BY_POST };
static const char * const way_names[] = { "trap", "jump", "post" };

static void report_wrong(struct kunit *test, const char *what)
{
	unsigned int i;

	if (!stepper.wrong)
		return;
	KUNIT_FAIL(test, "%s: %u of %u traces are wrong, the first at", what,
		   stepper.wrong, stepper.steps);
	for (i = 0; i < ARRAY_SIZE(stepper.wrong_ips) && i < stepper.wrong; i++)
		kunit_info(test, "  %pS", (void *)stepper.wrong_ips[i]);
	kunit_info(test, "The first of these is:");
	for (i = 0; i < stepper.wrong_trace.nr; i++)
		kunit_info(test, "  %pS",
			   (void *)stepper.wrong_trace.entries[i]);
}

static int plain_pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void plain_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
}

static void step_probed(struct kunit *test, const struct unwound *target,
			enum way way)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)*target->at,
		.pre_handler = plain_pre,
		.post_handler = way == BY_POST ? plain_post : NULL,
	};
	char what[32];

	snprintf(what, sizeof(what), "%s by %s", target->name, way_names[way]);
	switch_jumps(way == BY_JUMP);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	wait_for_kprobe_optimizer();
	if (way == BY_JUMP && !kprobe_optimized(&p)) {
		kunit_info(test, "%s: no jump", what);
	} else {
		KUNIT_EXPECT_EQ(test, step_target(target, p.site), 6);
		report_wrong(test, what);
		kunit_info(test, "%s: %u traces, slots %u, thunks %u\n", what,
			   stepper.steps, stepper.in_slot, stepper.in_thunk);
	}
	unregister_kprobe(&p);
	switch_jumps(true);
}

static int unwind_init(struct kunit *test)
{
	memset(&stepper, 0, sizeof(stepper));
	return register_die_notifier(&step_notifier);
}

static void unwind_exit(struct kunit *test)
{
	unregister_die_notifier(&step_notifier);
	switch_jumps(true);
}

KUNIT_ARRAY_PARAM_DESC(target, targets, name);

static void test_sample_in_hit_shows_callers(struct kunit *test)
{
	const struct unwound *target = test->param_value;
	enum way way;

	/* The reference. */
	KUNIT_EXPECT_EQ(test, step_target(target, NULL), 6);
	KUNIT_ASSERT_GT(test, stepper.callers.nr, 3);
	report_wrong(test, "without a probe");
	for (way = BY_TRAP; way <= BY_POST; way++)
		step_probed(test, target, way);
}

#ifdef CONFIG_KRETPROBES
static int plain_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static void test_sample_in_return_shows_callers(struct kunit *test)
{
	static const struct unwound target = TARGET_OF(entry);
	enum way way;

	KUNIT_EXPECT_EQ(test, step_target(&target, NULL), 6);
	for (way = BY_TRAP; way <= BY_JUMP; way++) {
		struct kretprobe rp = {
			.kp.addr = (kprobe_opcode_t *)unwound_entry,
			.handler = plain_return,
		};

		switch_jumps(way == BY_JUMP);
		KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, step_target(&target, rp.kp.site), 6);
		report_wrong(test, way_names[way]);
		KUNIT_EXPECT_GT(test, stepper.in_thunk, 20);
		unregister_kretprobe(&rp);
	}
}
#endif

/* A handler that goes on at the end of the function. */
static unsigned long divert_to;

static int diverting_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ip = divert_to;
	return 1;
}

static void diverting_post(struct kprobe *p, struct pt_regs *regs,
			   unsigned long flags)
{
	regs->ip = divert_to;
}

UNWOUND(divert, FRAME_BEGIN PROBE(divert) "lea (" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	".Lunwound_goes_on: lea 1(" AX "), %eax\n\t"
	FRAME_END ASM_RET END(divert)
	POINTER_TO(unwound_goes_on, .Lunwound_goes_on));
extern char *unwound_goes_on;

static void test_sample_in_divert_shows_callers(struct kunit *test)
{
	static const struct unwound target = TARGET_OF(divert);
	enum way way;

	KUNIT_EXPECT_EQ(test, step_target(&target, NULL), 6);
	divert_to = (unsigned long)unwound_goes_on;
	for (way = BY_TRAP; way <= BY_POST; way++) {
		struct kprobe p = {
			.addr = (kprobe_opcode_t *)unwound_at_divert,
		};

		if (way == BY_POST)
			p.post_handler = diverting_post;
		else
			p.pre_handler = diverting_pre;
		switch_jumps(way == BY_JUMP);
		KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, step_target(&target, p.site), 6);
		report_wrong(test, way_names[way]);
		unregister_kprobe(&p);
	}
}

static struct kunit_case unwind_tests[] = {
	KUNIT_CASE_PARAM(test_sample_in_hit_shows_callers, target_gen_params),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(test_sample_in_return_shows_callers),
#endif
	KUNIT_CASE(test_sample_in_divert_shows_callers),
	{}
};

static struct kunit_suite unwind_suite = {
	.name = "kprobes_x86_unwind",
	.test_cases = unwind_tests,
	.init = unwind_init,
	.exit = unwind_exit,
};

kunit_test_suite(unwind_suite);

MODULE_DESCRIPTION("KUnit suite for kprobes on x86: stack traces from a hit");
MODULE_LICENSE("GPL");
