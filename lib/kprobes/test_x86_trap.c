// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for foreign breakpoints on x86: a debugger may set one at a
 * probed address.
 */
#include <linux/kdebug.h>
#include <linux/math.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <asm/text-patching.h>
#include "test.h"
#include "test_x86.h"

/*
 * The debugger continues after the instruction: a one-byte no-op or a call of
 * ftrace.
 */
static unsigned int seen;
static unsigned long debugged;
static unsigned int debugged_length;

static int debugger(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (event != DIE_INT3 || args->regs->ip != debugged + INT3_INSN_SIZE)
		return NOTIFY_DONE;
	seen++;
	args->regs->ip = debugged + debugged_length;
	return NOTIFY_STOP;
}
NOKPROBE_SYMBOL(debugger);

static struct notifier_block debugger_nb = {
	.notifier_call = debugger,
	.priority = INT_MAX,
};

static TARGET unsigned long trap_target(unsigned long x)
{
	asm volatile(".Lprobe_debugged: nop\n"
		     POINTER_TO(probe_debugged, .Lprobe_debugged));
	return x + 1;
}

extern char *probe_debugged;

/* Call a function while the debugger has a breakpoint at the site. */
static void call_debugged(struct kunit *test, struct counted *c,
			  unsigned int length,
			  unsigned long (*function)(unsigned long x))
{
	const u8 trap = INT3_INSN_OPCODE;
	u8 old;

	seen = 0;
	debugged = probed_at(&c->probe);
	debugged_length = length;
	KUNIT_ASSERT_EQ(test, register_die_notifier(&debugger_nb), 0);
	old = *(u8 *)debugged;
	write_text((void *)debugged, &trap, sizeof(trap));
	function(3);
	write_text((void *)debugged, &old, sizeof(old));
	unregister_die_notifier(&debugger_nb);
	KUNIT_EXPECT_EQ(test, seen, 1);
	KUNIT_EXPECT_EQ(test, c->pre, 0);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 0);
}

/* A disabled probe must not handle the breakpoint. */
static void test_debugger_stops_at_disabled_probe(struct kunit *test)
{
	struct counted *c = PROBED(test, probe_debugged,
				   .probe.flags = KPROBE_FLAG_DISABLED);

	call_debugged(test, c, 1, trap_target);
	/* Repeat after the probe has had a breakpoint. */
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->probe), 0);
	KUNIT_EXPECT_EQ(test, trap_target(3), 4);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->probe), 0);
	/* A jump without probes stays for a moment. */
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(*(u8 *)probe_debugged == 0x90));
	c->pre = 0;
	call_debugged(test, c, 1, trap_target);
	unregister_kprobe(&c->probe);
	KUNIT_EXPECT_EQ(test, trap_target(3), 4);
}

/* A probe called by ftrace must not handle it, and is not hit. */
static void test_debugger_stops_at_ftrace_call(struct kunit *test)
{
	struct counted c = COUNTED(int_sqrt);
	bool on_ftrace;

	/* With jumps, the instruction after the call would be probed. */
	kprobe_set_jumps(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	on_ftrace = c.probe.site->on_ftrace;
	if (on_ftrace)
		call_debugged(test, &c, CALL_INSN_SIZE, int_sqrt);
	unregister_kprobe(&c.probe);
	kprobe_set_jumps(true);
	if (!on_ftrace)
		skip_rest(test, "ftrace does not call there");
}

static struct kunit_case trap_tests[] = {
	KUNIT_CASE(test_debugger_stops_at_disabled_probe),
	KUNIT_CASE(test_debugger_stops_at_ftrace_call),
	{}
};

static struct kunit_suite trap_suite = {
	.name = "kprobes_x86_trap",
	.test_cases = trap_tests,
};

kunit_test_suite(trap_suite);
