// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for stack traces from every instruction of a hit on arm64.
 *
 * A hardware breakpoint is at each of these instructions in turn.  It takes two
 * stack traces: one from the exception's registers, as a profiler's interrupt
 * would, and one of the exception itself: see test_unwind.h.
 */
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>
#include "test_arm64.h"

#define FIRST_CALLER	1
#define EXCEPTION_SHOWN	true

#include "test_unwind.h"

/* These functions take and return x0, and may use x1. */
#define PUSH		"stp x29, x30, [sp, #-16]!\n\t"
#define MAKE_FRAME	PUSH "mov x29, sp\n\t"
#define DROP_FRAME	"ldp x29, x30, [sp], #16\n\t"

/* The first instruction changes the stack. */
UNWOUND(entry, PROBE(entry) MAKE_FRAME "add x0, x0, #1\n\t" DROP_FRAME
	"ret\n\t");
/* The exception executes the instruction before post handlers. */
UNWOUND(computes, MAKE_FRAME PROBE(computes) "add x0, x0, #1\n\t" DROP_FRAME
	"ret\n\t");
UNWOUND(pushes, MAKE_FRAME PROBE(pushes) "str x0, [sp, #-16]!\n\t"
	"ldr x1, [sp], #16\n\t add x0, x1, #1\n\t" DROP_FRAME "ret\n\t");
UNWOUND(call, MAKE_FRAME PROBE(call) "bl opt_leaf\n\t" DROP_FRAME "ret\n\t");
/* The function has no frame at all. */
UNWOUND(leaf, PROBE(leaf) "add x0, x0, #1\n\t ret\n\t");
UNWOUND(ret, MAKE_FRAME "add x0, x0, #1\n\t" DROP_FRAME PROBE(ret) "ret\n\t");

/* Handlers redirect this one. */
UNWOUND(divert, MAKE_FRAME PROBE(divert) "ldr x1, [sp]\n\t"
	"nop\n\t"
	".Lgoes_on: add x0, x0, #1\n\t" DROP_FRAME "ret\n\t"
	POINTER_TO(goes_on, .Lgoes_on));

static unsigned int probed_length(const struct kprobe_site *site)
{
	return AARCH64_INSN_SIZE;
}

static bool in_trampoline(unsigned long addr)
{
	unsigned long size = 0, offset = 0;

	return kallsyms_lookup_size_offset(addr, &size, &offset) &&
	       is_kretprobe_trampoline(addr - offset);
}

static void at_breakpoint(struct perf_event *bp, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	/* The kernel steps only over breakpoints with the default handler. */
	write_sysreg(0, dbgbcr0_el1);
	isb();
	if (current != stepper.task || user_mode(regs))
		return;
	if (!stepper.callers.nr)
		note_callers(regs, regs->regs[30]);
	stepper.returned = in_trampoline(regs->pc);
	visit(regs);
}
NOKPROBE_SYMBOL(at_breakpoint);

static CALLER unsigned long call_function(void *function)
{
	register unsigned long a asm("x0") = 5;

	asm volatile("blr %[function]"
		     : "+r" (a)
		     : [function] "r" (function)
		     : "x1", "x30", "memory", "cc");
	return a;
}

/*
 * Call the function with a breakpoint at each of these instructions in turn.
 * Return true if each call succeeded.
 */
static CALLER bool step_words(void *where, unsigned long size)
{
	void *function = stepper.target->function;
	struct perf_event_attr attr;
	struct perf_event *bp;
	bool good = true;
	void *end;

	hw_breakpoint_init(&attr);
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_X;
	/* Breakpoints in kernel text are per CPU. */
	migrate_disable();
	for (end = where + size; where < end; where += AARCH64_INSN_SIZE) {
		attr.bp_addr = (unsigned long)where;
		bp = perf_event_create_kernel_counter(&attr,
						      raw_smp_processor_id(),
						      NULL, at_breakpoint,
						      NULL);
		good &= !IS_ERR(bp) && call_function(function) == 6;
		if (IS_ERR(bp))
			break;
		perf_event_release_kernel(bp);
	}
	migrate_enable();
	return good;
}

static bool step_symbol(const char *name)
{
	void *where = kprobe_lookup_name(name, 0);
	unsigned long size, offset;

	return kallsyms_lookup_size_offset((unsigned long)where, &size,
					   &offset) &&
	       step_words(where, size);
}

static noinline unsigned long step_through(void *function)
{
	const struct unwound *target = stepper.target;
	struct kprobe_site *site = stepper.site;
	bool good;

	good = step_words(function, (void *)*target->end - function);
	if (site && site->slot)
		good &= step_words(site->slot, KPROBE_SLOT_SIZE);
	if (site && site->post_slot)
		good &= step_words(site->post_slot, KPROBE_DETOUR_SIZE) &&
			step_symbol("kprobe_post_thunk");
	if (site && site->detour)
		good &= step_words(site->detour, KPROBE_DETOUR_SIZE) &&
			step_symbol("kprobe_jump_thunk");
	/* Only opt_entry() is followed by a return probe. */
	if (site && target->function == opt_entry)
		good &= step_symbol("__kretprobe_trampoline");
	return good ? 6 : 0;
}

static int arm_steps(struct kunit *test)
{
	if (system_supports_bti_kernel())
		kunit_skip(test, "functions begin with no landing pad");
	/* at_breakpoint() disables the first one. */
	if (read_sysreg(dbgbcr0_el1))
		kunit_skip(test, "a breakpoint of others is in use");
	return 0;
}

static void disarm_steps(void)
{
}

UNWIND_SUITE(arm64, TARGET_OF(entry), TARGET_OF(computes), TARGET_OF(pushes),
	     TARGET_OF(call), TARGET_OF(leaf), TARGET_OF(ret));
