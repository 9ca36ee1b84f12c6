// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for stack traces from every instruction of a hit on x86, with ORC
 * or frame pointers.
 *
 * A hit is single-stepped, and each debug exception takes two stack traces: one
 * from its registers, like a profiler's NMI, and one of itself, which finds
 * these registers on the stack.  This covers each instruction in the function,
 * detour, slots, thunks and trampoline, and in C code called by these.  Each
 * trace must show the probed function, then its callers, and the same end as
 * without probes.
 *
 * With frame pointers, a function without a frame hides its caller.  A caller
 * that is hidden without probes may be hidden in a hit of the same instruction.
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

#define TRACE_MAX	40
/* Words below the stack pointer that an interrupt may overwrite. */
#define CLOBBERED	4

struct step_trace {
	unsigned long entries[TRACE_MAX];
	unsigned int nr;
};

/*
 * Functions with known stacks, which objtool follows.  At its probed place each
 * has plain instructions that are at least as long as a jump.
 */
#define UNWOUND(name, ...)						\
	FOLLOWED(name, __VA_ARGS__					\
		 POINTER_TO(end_##name, .Lend_##name));			\
	extern char *end_##name

#define MAKE_FRAME	"push " BP "\n\t mov " SP ", " BP "\n\t"
#define DROP_FRAME	"pop " BP "\n\t"
#define PROBE(name)	".Lprobe_" #name ":\n\t"
#define END(name)	".Lend_" #name ":\n\t"

/* The first instruction is one byte long, and changes the stack. */
UNWOUND(entry, PROBE(entry) MAKE_FRAME "lea 1(" AX "), %eax\n\t" DROP_FRAME
	ASM_RET END(entry));
/* The function keeps words on the stack. */
UNWOUND(pushed, MAKE_FRAME "push " BX "\n\t push " BX "\n\t"
	PROBE(pushed) "lea 1(" AX "), %eax\n\t lea (" AX "), %eax\n\t"
	"pop " BX "\n\t pop " BX "\n\t" DROP_FRAME ASM_RET END(pushed));
/* Instructions in the middle that change the stack. */
UNWOUND(pushing, MAKE_FRAME PROBE(pushing) "push " BX "\n\t push " BX "\n\t"
	"push " BX "\n\t pop " BX "\n\t pop " BX "\n\t"
	"pop " BX "\n\t lea 1(" AX "), %eax\n\t" DROP_FRAME ASM_RET
	END(pushing));
/* The probed instruction is a call, which is emulated or ends the detour. */
UNWOUND(call, MAKE_FRAME "push " BX "\n\t" PROBE(call)
	"call opt_leaf\n\t pop " BX "\n\t" DROP_FRAME ASM_RET END(call));
UNWOUND(leaf, PROBE(leaf) "lea (" AX "), %eax\n\t lea (" AX "), %eax\n\t"
	"lea 1(" AX "), %eax\n\t" ASM_RET END(leaf));
/* The jump covers the return. */
UNWOUND(ret, MAKE_FRAME "lea 1(" AX "), %eax\n\t" DROP_FRAME
	PROBE(ret) "lea (" AX "), %eax\n\t" ASM_RET
	"int3\n\t int3\n\t int3\n\t" END(ret));
/* User memory may be accessible, so the detour begins with CLAC. */
UNWOUND(user, MAKE_FRAME PROBE(user) "lea 1(" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	"1: mov (" SP "), " CX "\n\t 2: xor %ecx, %ecx\n\t"
	DROP_FRAME ASM_RET END(user) _ASM_EXTABLE_UA(1b, 2b));

struct unwound {
	const char *name;
	void *function;
	char **at;
	char **end;
};

#define TARGET_OF(n) { #n, opt_##n, &probe_##n, &end_##n }

/*
 * The stepper
 */

#define BARE_MAX	16

static struct {
	struct task_struct *task;
	const struct unwound *target;
	struct kprobe_site *site;
	struct step_trace callers;
	/* instructions that hide the caller without a probe */
	unsigned long bare[BARE_MAX];
	unsigned int nr_bare;
	/* the stack pointer at the function's entry */
	unsigned long sp;
	/* the stack is the caller's again */
	bool returned;
	unsigned int traces;
	unsigned int in_slot;
	unsigned int in_thunk;
	unsigned int wrong;
	unsigned long wrong_ips[8];
	/* the first wrong one */
	struct step_trace wrong_trace;
} stepper;

static bool in_target(unsigned long addr)
{
	return addr - (unsigned long)stepper.target->function <
	       *stepper.target->end - (char *)stepper.target->function;
}

static bool is_bare(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < stepper.nr_bare; i++)
		if (stepper.bare[i] == addr)
			return true;
	return false;
}

enum place { OUTSIDE, IN_PLACE, IN_SLOT, IN_THUNK, IN_MITIGATION };

static enum place place_of(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	if (is_kprobe_insn_slot(addr))
		return IN_SLOT;
	if (lookup_symbol_name(addr, name))
		return OUTSIDE;
	if (str_has_prefix(name, "opt_"))
		return IN_PLACE;
	if (!strcmp(name, "kprobe_jump_thunk") ||
	    !strcmp(name, "kprobe_post_thunk") ||
	    !strcmp(name, "__kretprobe_trampoline"))
		return IN_THUNK;
	/* Thunks of branches and returns have no stack layout of their own. */
	return strstr(name, "_thunk") ? IN_MITIGATION : OUTSIDE;
}

/*
 * Return the instruction whose trace without a probe is the reference, or 0 for
 * a hit at a function's entry, where unwinders know that no frame exists yet.
 */
static unsigned long place_without_probe(unsigned long ip, enum place place)
{
	struct kprobe_site *site = stepper.site;
	unsigned long orig = kprobe_orig_ip(ip);

	if (place == IN_PLACE || orig != ip || !site)
		return orig;
	if (site->post_slot)
		return (unsigned long)site->addr + site->insn.len;
	return site->on_entry ? 0 : (unsigned long)site->addr;
}

/* Number of identical callers in all runs: step_through(), step_target(). */
#define SAME	2

/*
 * Return true if the callers after the first @hidden follow, and the trace ends
 * as expected.  Set @shown if the function precedes them.
 */
static bool callers_follow(const struct step_trace *t, unsigned int hidden,
			   bool *shown)
{
	const struct step_trace *c = &stepper.callers;
	unsigned int i;

	*shown = false;
	for (i = 0; i < t->nr && t->entries[i] != c->entries[hidden]; i++)
		*shown |= in_target(t->entries[i]);
	return i + SAME - hidden <= t->nr &&
	       !memcmp(t->entries + i, c->entries + hidden,
		       (SAME - hidden) * sizeof(long)) &&
	       t->entries[t->nr - 1] == c->entries[c->nr - 1];
}

static bool trace_is_right(const struct step_trace *t, unsigned long ip,
			   enum place place)
{
	unsigned long at = place_without_probe(ip, place);
	bool shown;

	/* A trace may lack the function only after it has returned. */
	if (callers_follow(t, 0, &shown) && (shown || stepper.returned))
		return true;
	if (IS_ENABLED(CONFIG_UNWINDER_ORC) || !callers_follow(t, 1, &shown))
		return false;
	if (!stepper.site && stepper.nr_bare < BARE_MAX && !is_bare(at))
		stepper.bare[stepper.nr_bare++] = at;
	return is_bare(at);
}

static void check_trace(const struct step_trace *t, unsigned long ip,
			enum place place)
{
	stepper.traces++;
	if (trace_is_right(t, ip, place))
		return;
	if (!stepper.wrong)
		stepper.wrong_trace = *t;
	if (stepper.wrong < ARRAY_SIZE(stepper.wrong_ips))
		stepper.wrong_ips[stepper.wrong] = ip;
	stepper.wrong++;
}

static void trace_regs(struct pt_regs *regs, enum place place)
{
	struct step_trace t;

	t.nr = stack_trace_save_regs(regs, t.entries, TRACE_MAX, 0);
	check_trace(&t, regs->ip, place);
}

/* Take a trace of the exception, which contains the registers. */
static void trace_exception(struct pt_regs *regs, enum place place)
{
	struct step_trace t;

	t.nr = stack_trace_save(t.entries, TRACE_MAX, 0);
	check_trace(&t, regs->ip, place);
}

/* Record the callers, from the registers at the function's entry. */
static void note_callers(struct pt_regs *regs)
{
	struct step_trace *t = &stepper.callers;
	unsigned int nr;

	t->entries[0] = *(unsigned long *)regs->sp;
	/* With frame pointers, the trace lacks the caller. */
	nr = IS_ENABLED(CONFIG_UNWINDER_ORC) ? 2 : 1;
	t->nr = 1 + stack_trace_save_regs(regs, t->entries + 1, TRACE_MAX - 1,
					  nr);
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
		if (!stepper.callers.nr)
			note_callers(regs);
	}
	/* Stop when the caller is reached. */
	if (regs->ip == stepper.callers.entries[0])
		stepper.sp = 0;
	if (!stepper.sp)
		return;
	stepper.returned |= regs->sp > stepper.sp ||
			    is_kretprobe_trampoline(regs->ip);
	/* An interrupt may overwrite these words, so nothing may use them. */
	if (regs->flags & X86_EFLAGS_IF)
		for (i = 1; i <= CLOBBERED; i++)
			((unsigned long *)regs->sp)[-i] = 0x18;
	if (place == IN_MITIGATION)
		return;
	stepper.in_slot += place == IN_SLOT;
	stepper.in_thunk += place == IN_THUNK;
	trace_regs(regs, place);
	trace_exception(regs, place);
	/*
	 * The return from the breakpoint steps over the first instruction of
	 * the slot; these are the registers there.
	 */
	if (stepper.site && copy.ip == (unsigned long)stepper.site->addr) {
		if (stepper.site->slot) {
			copy.ip = (unsigned long)stepper.site->slot;
			trace_regs(&copy, IN_SLOT);
		}
		if (stepper.site->post_slot) {
			copy.ip = (unsigned long)stepper.site->post_slot;
			trace_regs(&copy, IN_SLOT);
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
	/* The error code is a pointer to dr6. */
	*(unsigned long *)args->err &= ~DR_STEP;
	step(args->regs);
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

static noinline unsigned long step_target(const struct unwound *target,
					  struct kprobe_site *site)
{
	unsigned long result;

	stepper.target = target;
	stepper.site = site;
	stepper.sp = 0;
	stepper.traces = 0;
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
		   stepper.wrong, stepper.traces);
	for (i = 0; i < ARRAY_SIZE(stepper.wrong_ips) && i < stepper.wrong; i++)
		kunit_info(test, "  %pS", (void *)stepper.wrong_ips[i]);
	kunit_info(test, "The first of these is:");
	for (i = 0; i < stepper.wrong_trace.nr; i++)
		kunit_info(test, "  %pS",
			   (void *)stepper.wrong_trace.entries[i]);
}

/* A registered probe is hit by a jump if it is to be; Xen PV has no jumps. */
static void expect_way(struct kunit *test, struct kprobe *p, enum way way)
{
	expect_jump(test, p, way == BY_JUMP && !in_xen_pv());
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
	expect_way(test, &p, way);
	KUNIT_EXPECT_EQ(test, step_target(target, p.site), 6);
	report_wrong(test, what);
	kunit_info(test, "%s: %u traces, slots %u, thunks %u\n", what,
		   stepper.traces, stepper.in_slot, stepper.in_thunk);
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

	/* Traces without a probe are the reference. */
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
			.kp.addr = (kprobe_opcode_t *)opt_entry,
			.handler = plain_return,
		};

		switch_jumps(way == BY_JUMP);
		KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
		expect_way(test, &rp.kp, way);
		KUNIT_EXPECT_EQ(test, step_target(&target, rp.kp.site), 6);
		report_wrong(test, way_names[way]);
		KUNIT_EXPECT_GT(test, stepper.in_thunk, 20);
		unregister_kretprobe(&rp);
	}
}
#endif

UNWOUND(divert, MAKE_FRAME PROBE(divert) "lea (" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	"lea (" AX "), %eax\n\t"
	".Lgoes_on: lea 1(" AX "), %eax\n\t"
	DROP_FRAME ASM_RET END(divert)
	POINTER_TO(goes_on, .Lgoes_on));
extern char *goes_on;

static void test_sample_in_divert_shows_callers(struct kunit *test)
{
	static const struct unwound target = TARGET_OF(divert);
	enum way way;

	KUNIT_EXPECT_EQ(test, step_target(&target, NULL), 6);
	move_to = (unsigned long)goes_on;
	for (way = BY_TRAP; way <= BY_POST; way++) {
		struct kprobe p = {
			.addr = (kprobe_opcode_t *)probe_divert,
		};

		if (way == BY_POST)
			p.post_handler = moving_post;
		else
			p.pre_handler = moving_pre;
		switch_jumps(way == BY_JUMP);
		KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
		expect_way(test, &p, way);
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
