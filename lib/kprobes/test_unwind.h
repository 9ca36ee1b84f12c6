/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared code of KUnit suites for stack traces from every instruction of a hit.
 *
 * An architecture's suite has functions with known stacks.  Its step_through()
 * calls one of them and has visit() called at each instruction of a hit: in the
 * function, detour, slots, thunks and trampoline.  Each trace must show the
 * probed function, its callers after it, and the same end as without probes.
 *
 * The suite defines before it includes this:
 * FIRST_CALLER: number of entries before the caller's caller in a trace at a
 *	function's entry
 * EXCEPTION_SHOWN: whether a trace of an exception shows its address
 *
 * After that it defines:
 * UNWOUND(entry), UNWOUND(divert), goes_on: functions that take and return an
 *	argument and add 1; a handler may redirect the second one to goes_on
 * probed_length(): length of the instruction at a site
 * arm_steps(), disarm_steps(), step_through(): see above
 * UNWIND_SUITE(arch, targets): the suite itself
 *
 * Unless the unwinder knows each instruction's stack layout, a function without
 * a frame hides its caller.  A caller that is hidden without probes may be
 * hidden in a hit of the same instruction.
 */
#ifndef _LIB_KPROBES_TEST_UNWIND_H
#define _LIB_KPROBES_TEST_UNWIND_H

#include <linux/stacktrace.h>
#include "../../kernel/kprobes/internal.h"
#include "test.h"

#define TRACE_MAX	40

/* True if the unwinder knows each instruction's stack layout. */
#define LAYOUTS_KNOWN	IS_ENABLED(CONFIG_UNWINDER_ORC)

struct step_trace {
	unsigned long entries[TRACE_MAX];
	unsigned int nr;
};

/* The function's symbol is @name with the prefix "opt_". */
struct unwound {
	const char *name;
	void *function;
	char **at;
	char **end;
};

#define TARGET_OF(n) { #n, opt_##n, &probe_##n, &end_##n }
#define PROBE(name)	".Lprobe_" #name ":\n\t"

#ifndef UNWOUND
#define POINTER_TO(name, label)						\
	".pushsection .data\n"						\
	".balign 8\n"							\
	#name ": .dc.a " #label "\n"					\
	".popsection\n"

/* The function has no descriptor. */
#define UNWOUND(name, body)						\
	asm(".pushsection .text\n"					\
	    ".balign 16\n"						\
	    ".type opt_" #name ", @function\n"				\
	    "opt_" #name ":\n\t" body					\
	    ".Lend_" #name ":\n\t"					\
	    ".size opt_" #name ", . - opt_" #name "\n"			\
	    ".popsection\n"						\
	    POINTER_TO(probe_##name, .Lprobe_##name)			\
	    POINTER_TO(end_##name, .Lend_##name));			\
	extern char opt_##name[], *probe_##name, *end_##name
#endif

extern char opt_entry[], *probe_entry, *end_entry;
extern char opt_divert[], *probe_divert, *end_divert, *goes_on;

static unsigned int probed_length(const struct kprobe_site *site);
static int arm_steps(struct kunit *test);
static void disarm_steps(void);
static unsigned long step_through(void *function);

/*
 * The stepper
 */

#define BARE_MAX	32

static struct {
	struct task_struct *task;
	const struct unwound *target;
	struct kprobe_site *site;
	struct step_trace callers;
	/* Instructions that hide the caller without a probe. */
	unsigned long bare[BARE_MAX];
	unsigned int nr_bare;
	/* The stack pointer at the function's entry. */
	unsigned long sp;
	/* The stack is that of the caller again. */
	bool returned;
	unsigned int traces;
	unsigned int in_slot;
	unsigned int in_thunk;
	unsigned int wrong;
	/* The first wrong trace. */
	unsigned long wrong_ip;
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
	if (str_has_prefix(name, "kprobe_jump_thunk") ||
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
		return (unsigned long)site->addr + probed_length(site);
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
			   enum place place, bool show)
{
	unsigned long at = place_without_probe(ip, place);
	bool shown;

	/* A trace may lack the function only after it has returned. */
	if (callers_follow(t, 0, &shown) &&
	    (shown || stepper.returned || !show))
		return true;
	if (LAYOUTS_KNOWN || !callers_follow(t, 1, &shown))
		return false;
	if (!stepper.site && stepper.nr_bare < BARE_MAX && !is_bare(at))
		stepper.bare[stepper.nr_bare++] = at;
	return is_bare(at);
}

static void check_trace(const struct step_trace *t, unsigned long ip,
			enum place place, bool show)
{
	stepper.traces++;
	if (trace_is_right(t, ip, place, show))
		return;
	if (stepper.wrong++)
		return;
	stepper.wrong_ip = ip;
	stepper.wrong_trace = *t;
}

static void trace_regs(struct pt_regs *regs, enum place place)
{
	struct step_trace t;

	t.nr = stack_trace_save_regs(regs, t.entries, TRACE_MAX, 0);
	check_trace(&t, instruction_pointer(regs), place, true);
}

/* Take a trace of the exception, which contains the registers. */
static void trace_exception(struct pt_regs *regs, enum place place)
{
	struct step_trace t;

	t.nr = stack_trace_save(t.entries, TRACE_MAX, 0);
	check_trace(&t, instruction_pointer(regs), place, EXCEPTION_SHOWN);
}

/* Record the callers, from the registers at the function's entry. */
static void note_callers(struct pt_regs *regs, unsigned long ret)
{
	struct step_trace *t = &stepper.callers;

	t->entries[0] = ret;
	t->nr = 1 + stack_trace_save_regs(regs, t->entries + 1, TRACE_MAX - 1,
					  FIRST_CALLER);
}

static __maybe_unused void trace_slot(const struct pt_regs *regs, void *slot)
{
	struct pt_regs copy = *regs;

	if (!slot)
		return;
	instruction_pointer_set(&copy, (unsigned long)slot);
	trace_regs(&copy, IN_SLOT);
}

/* Check both traces; called in the exception at an instruction of a hit. */
static void visit(struct pt_regs *regs)
{
	enum place place = place_of(instruction_pointer(regs));

	if (place == IN_MITIGATION)
		return;
	stepper.in_slot += place == IN_SLOT;
	stepper.in_thunk += place == IN_THUNK;
	trace_regs(regs, place);
	trace_exception(regs, place);
}
NOKPROBE_SYMBOL(visit);

/* Visit an instruction of a task that is single-stepped. */
static __maybe_unused void step(struct pt_regs *regs, unsigned long ret)
{
	unsigned long ip = instruction_pointer(regs);
	struct pt_regs copy = *regs;

	if (!stepper.sp) {
		if (ip != (unsigned long)stepper.target->function)
			return;
		stepper.sp = kernel_stack_pointer(regs);
		if (!stepper.callers.nr)
			note_callers(regs, ret);
	}
	/* Stop when the caller is reached. */
	if (ip == stepper.callers.entries[0])
		stepper.sp = 0;
	if (!stepper.sp)
		return;
	stepper.returned |= kernel_stack_pointer(regs) > stepper.sp ||
			    is_kretprobe_trampoline(ip);
	visit(regs);
	/*
	 * The return from the breakpoint steps over the first instruction of
	 * the slot; these are the registers there.
	 */
	if (stepper.site && ip == (unsigned long)stepper.site->addr) {
		trace_slot(&copy, stepper.site->slot);
		trace_slot(&copy, stepper.site->post_slot);
	}
}
NOKPROBE_SYMBOL(step);

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

/*
 * The cases
 */

enum way { BY_TRAP, BY_JUMP, BY_POST };
static const char * const way_names[] = { "trap", "jump", "post" };

static void report_wrong(struct kunit *test, const char *what)
{
	unsigned int i;

	if (!stepper.wrong)
		return;
	KUNIT_FAIL(test, "%s: %u of %u traces are wrong, the first at %pS:",
		   what, stepper.wrong, stepper.traces,
		   (void *)stepper.wrong_ip);
	for (i = 0; i < stepper.wrong_trace.nr; i++)
		kunit_info(test, "  %pS",
			   (void *)stepper.wrong_trace.entries[i]);
}

/* Expect a jump if @way needs one; Xen PV has none. */
static void expect_way(struct kunit *test, struct kprobe *p, enum way way)
{
	expect_jump(test, p, way == BY_JUMP && !in_xen_pv());
}

/* Step through a function with a registered probe. */
static void step_hit(struct kunit *test, const struct unwound *target,
		     struct kprobe *p, enum way way)
{
	char what[32];

	snprintf(what, sizeof(what), "%s by %s", target->name, way_names[way]);
	expect_way(test, p, way);
	KUNIT_EXPECT_EQ(test, step_target(target, p->site), 6);
	report_wrong(test, what);
	kunit_info(test, "%s: %u traces, slots %u, thunks %u\n", what,
		   stepper.traces, stepper.in_slot, stepper.in_thunk);
	if (kprobe_optimized(p))
		KUNIT_EXPECT_GT(test, stepper.in_thunk, 20);
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
			enum way way, kprobe_pre_handler_t pre,
			kprobe_post_handler_t post)
{
	struct kprobe p = KPROBE_AT(*target->at, .pre_handler = pre,
				    .post_handler = post);

	switch_jumps(way == BY_JUMP);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	step_hit(test, target, &p, way);
	unregister_kprobe(&p);
}

static int unwind_init(struct kunit *test)
{
	memset(&stepper, 0, sizeof(stepper));
	return arm_steps(test);
}

static void unwind_exit(struct kunit *test)
{
	disarm_steps();
	switch_jumps(true);
}

/* Step without a probe, for the reference. */
static void step_bare(struct kunit *test, const struct unwound *target)
{
	KUNIT_EXPECT_EQ(test, step_target(target, NULL), 6);
	KUNIT_ASSERT_GT(test, stepper.callers.nr, 3);
	report_wrong(test, "without a probe");
}

static void test_sample_in_hit_shows_callers(struct kunit *test)
{
	enum way way;

	step_bare(test, test->param_value);
	for (way = BY_TRAP; way <= BY_POST; way++)
		step_probed(test, test->param_value, way, plain_pre,
			    way == BY_POST ? plain_post : NULL);
}

static int plain_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static void test_sample_in_return_shows_callers(struct kunit *test)
{
	static const struct unwound target = TARGET_OF(entry);
	enum way way;

	step_bare(test, &target);
	for (way = BY_TRAP; way <= BY_JUMP; way++) {
		struct kretprobe rp = KRETPROBE_AT(opt_entry,
						   .handler = plain_return);

		switch_jumps(way == BY_JUMP);
		KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
		step_hit(test, &target, &rp.kp, way);
		KUNIT_EXPECT_GT(test, stepper.in_thunk, 20);
		unregister_kretprobe(&rp);
	}
}

static int divert_pre(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)goes_on);
	return 1;
}

static void divert_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	instruction_pointer_set(regs, (unsigned long)goes_on);
}

static void test_sample_in_divert_shows_callers(struct kunit *test)
{
	static const struct unwound target = TARGET_OF(divert);
	enum way way;

	/* A trace exception would not be recoverable. */
	if (IS_ENABLED(CONFIG_PPC))
		kunit_skip(test, "diverted hits end with MSR[RI] clear");
	step_bare(test, &target);
	for (way = BY_TRAP; way <= BY_POST; way++)
		step_probed(test, &target, way,
			    way == BY_POST ? NULL : divert_pre,
			    way == BY_POST ? divert_post : NULL);
}

#define UNWIND_SUITE(arch, ...)						\
	static const struct unwound targets[] = { __VA_ARGS__ };	\
									\
	KUNIT_ARRAY_PARAM_DESC(target, targets, name);			\
									\
	static struct kunit_case unwind_tests[] = {			\
		KUNIT_CASE_PARAM(test_sample_in_hit_shows_callers,	\
				 target_gen_params),			\
		KUNIT_CASE(test_sample_in_return_shows_callers),	\
		KUNIT_CASE(test_sample_in_divert_shows_callers),	\
		{}							\
	};								\
									\
	static struct kunit_suite unwind_suite = {			\
		.name = "kprobes_" #arch "_unwind",			\
		.test_cases = unwind_tests,				\
		.init = unwind_init,					\
		.exit = unwind_exit,					\
	};								\
									\
	kunit_test_suite(unwind_suite)

#endif /* _LIB_KPROBES_TEST_UNWIND_H */
