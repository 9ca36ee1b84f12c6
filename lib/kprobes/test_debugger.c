// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the kernel debugger: kprobes and the debugger must not patch
 * each other's text.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kgdb.h>
#include <linux/kprobes_reasons.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/stop_machine.h>
#include "../../kernel/debug/debug_core.h"
#include "test.h"
#if defined(CONFIG_X86) && defined(CONFIG_OPTPROBES)
#include "test_x86_opt.h"
#endif

static TARGET int target(int x)
{
	barrier();
	return x * 7 + (x >> 3) - (x & 13);
}

/* The debugger stops all CPUs; text patching on x86 relies on that. */
static int in_debugger(int (*function)(void *addr), unsigned long addr)
{
	if (IS_ENABLED(CONFIG_X86))
		return stop_machine(function, (void *)addr, NULL);
	return function((void *)addr);
}

/* Retry because others may be patching text. */
static int soon_in_debugger(int (*function)(void *addr), unsigned long addr)
{
	int tries = 1000, ret;

	while ((ret = in_debugger(function, addr)) == -EBUSY && --tries)
		msleep(20);
	return ret;
}

static int set_break(void *addr)
{
	return dbg_set_sw_break((unsigned long)addr);
}

static int remove_break(void *addr)
{
	return dbg_remove_sw_break((unsigned long)addr);
}

static int try_break(void *addr)
{
	return set_break(addr) ?: remove_break(addr);
}

static int activate(void *unused)
{
	return dbg_activate_sw_breakpoints();
}

static int deactivate(void *unused)
{
	/* With text_mutex locked, x86 would fail, but drop the breakpoint. */
	if (mutex_is_locked(&text_mutex))
		return -EBUSY;
	return dbg_deactivate_sw_breakpoints();
}

static void expect_no_break(struct kunit *test, unsigned long addr)
{
	KUNIT_EXPECT_EQ(test, in_debugger(try_break, addr), -EBUSY);
}

/* Set and activate a breakpoint. */
static void break_begin(struct kunit *test, unsigned long addr)
{
	KUNIT_ASSERT_EQ(test, soon_in_debugger(set_break, addr), 0);
	KUNIT_EXPECT_EQ(test, soon_in_debugger(activate, 0), 0);
}

static __maybe_unused void break_end(struct kunit *test, unsigned long addr)
{
	KUNIT_EXPECT_EQ(test, soon_in_debugger(deactivate, 0), 0);
	KUNIT_EXPECT_EQ(test, in_debugger(remove_break, addr), 0);
}

static void test_no_breakpoint_at_probe_or_jump(struct kunit *test)
{
	struct counted *c = PROBED(test, target);
	unsigned long addr = probed_at(&c->probe), i;
	unsigned long busy = sizeof(kprobe_opcode_t);

	expect_no_break(test, addr);
	KUNIT_EXPECT_EQ(test, target(8), 49);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	wait_for_kprobe_optimizer();
	if (kprobe_optimized(&c->probe))
		busy = KPROBE_JUMP_SIZE;
	for (i = 0; i < busy; i += sizeof(kprobe_opcode_t))
		expect_no_break(test, addr + i);
	for (; i < 8; i += sizeof(kprobe_opcode_t))
		KUNIT_EXPECT_EQ(test, soon_in_debugger(try_break, addr + i), 0);

	/* A disabled probe counts, too: enabling does not check the text. */
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->probe), 0);
	expect_no_break(test, addr);
	wait_for_kprobe_optimizer();
	expect_no_break(test, addr);
	expect_no_break(test, addr + busy - sizeof(kprobe_opcode_t));

	unregister_kprobe(&c->probe);
	for (i = 0; i < 8; i += sizeof(kprobe_opcode_t))
		KUNIT_EXPECT_EQ(test, soon_in_debugger(try_break, addr + i), 0);
}

static void test_no_probe_at_breakpoint(struct kunit *test)
{
	struct counted c = COUNTED(target);
	unsigned long addr;

	/* Find the address of the probed instruction. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	addr = probed_at(&c.probe);
	unregister_kprobe(&c.probe);

	break_begin(test, addr);
	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, kprobe_refusal_at(target, NULL, 0),
			KPROBE_REFUSE_DEBUGGER);
	/* The breakpoint hides where the next instruction begins. */
	if (IS_ENABLED(CONFIG_X86))
		KUNIT_EXPECT_EQ(test, kprobe_refusal_at((void *)addr + 1, NULL,
							0),
				KPROBE_REFUSE_DEBUGGER);
	KUNIT_ASSERT_EQ(test, soon_in_debugger(deactivate, 0), 0);

	/* A breakpoint that cannot be activated does not replace a probe. */
	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, in_debugger(activate, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, target(8), 49);
	KUNIT_EXPECT_EQ(test, c.pre, 1);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, in_debugger(remove_break, addr), 0);
}

/* The debugger must not patch a call of ftrace either. */
static void test_no_breakpoint_at_ftrace_call(struct kunit *test)
{
	struct counted *c = PROBED(test, kprobe_lookup_name("int_sqrt", 0));
	unsigned long addr = probed_at(&c->probe);

	expect_no_break(test, addr);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->probe), 0);
	expect_no_break(test, addr);
}

#ifdef CONFIG_KPROBE_SKIP_FTRACE
/* A disabled site on the call of ftrace must not hide the jump after it. */
static void test_no_breakpoint_under_jump_after_ftrace_call(struct kunit *test)
{
	struct counted *entry = PROBED(test, kprobe_lookup_name("int_sqrt", 0),
				       .probe.flags = KPROBE_FLAG_DISABLED);
	unsigned long addr = probed_at(&entry->probe) + MCOUNT_INSN_SIZE, i;
	struct counted *next = PROBED(test, addr);

	expect_jump(test, &next->probe, true);
	for (i = 0; i < KPROBE_JUMP_SIZE; i++)
		expect_no_break(test, addr + i);
	unregister_kprobe(&next->probe);
	expect_no_break(test, addr);
}
#endif

#if defined(CONFIG_X86) && defined(CONFIG_OPTPROBES)
/*
 * At the breakpoint, traps might be padding.  The next bytes would be decoded
 * as a shift of five bytes, which hides the branch to the second instruction.
 */
CODE(hidden_branch, FIRST, "1:" SECOND "jmp 2f\n test %eax, %eax\n je 1b\n"
     "nop\n nop\n2: nop\n" AFTER);
#define BREAK_AFTER_JUMP	8

/* With a breakpoint on the return, the no-op may look like padding. */
FUNCTION(hidden_return, ".Lprobe_hidden_return: nop\n" SAFE "ret\n");

static enum kprobe_obstacle obstacle_to_jump(struct kunit *test, void *addr)
{
	struct counted *c = PROBED(test, addr);
	enum kprobe_obstacle why;

	wait_for_kprobe_optimizer();
	why = kprobe_obstacle_at(c->probe.addr);
	unregister_kprobe(&c->probe);
	return why;
}

static void test_breakpoint_hides_no_branch(struct kunit *test)
{
	unsigned long addr = (unsigned long)probe_hidden_branch +
			     BREAK_AFTER_JUMP;

	if (in_xen_pv())
		kunit_skip(test, "Xen emulates the breakpoint");
	KUNIT_EXPECT_EQ(test, obstacle_to_jump(test, probe_hidden_branch),
			KPROBE_NOJUMP_JUMPED_INTO);
	break_begin(test, addr);
	KUNIT_EXPECT_EQ(test, obstacle_to_jump(test, probe_hidden_branch),
			KPROBE_NOJUMP_FOREIGN_TRAP);
	break_end(test, addr);
}

static void test_breakpoint_is_no_padding(struct kunit *test)
{
	unsigned long addr = (unsigned long)probe_hidden_return + 1;

	break_begin(test, addr);
	KUNIT_EXPECT_EQ(test, kprobe_refusal_at(probe_hidden_return, NULL, 0),
			KPROBE_OK);
	break_end(test, addr);
}
#endif

#if defined(CONFIG_X86) && defined(CONFIG_JUMP_LABEL)
static DEFINE_STATIC_KEY_FALSE(debugged_key);

static TARGET int labelled(int x)
{
	if (static_branch_unlikely(&debugged_key))
		x = -x;
	return x * 5 + 3;
}

static unsigned long label_of(const struct static_key *key)
{
	struct jump_entry *e;

	for (e = __start___jump_table; e < __stop___jump_table; e++)
		if (jump_entry_key(e) == key)
			return jump_entry_code(e);
	return 0;
}

/* A query for the next bytes decodes the label, whose size varies. */
static void test_breakpoint_on_label_hides_no_label(struct kunit *test)
{
	unsigned long label = label_of(&debugged_key.key);
	void *inside = (void *)label + 1;
	int reserved;

	KUNIT_ASSERT_NE(test, label, 0);
	break_begin(test, label);
	jump_label_lock();
	reserved = jump_label_text_reserved(inside, inside);
	jump_label_unlock();
	break_end(test, label);
	KUNIT_EXPECT_TRUE(test, reserved);
	KUNIT_EXPECT_EQ(test, labelled(2), 13);
}
#endif

static int suite_init(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "kgdb takes a lock that sleeps");
	if (soon_in_debugger(try_break, text_of(target)) == -EFAULT)
		kunit_skip(test, "kgdb cannot write text that is read-only");
	return 0;
}

static struct kunit_case debugger_tests[] = {
	KUNIT_CASE(test_no_breakpoint_at_probe_or_jump),
	KUNIT_CASE(test_no_breakpoint_at_ftrace_call),
#ifdef CONFIG_KPROBE_SKIP_FTRACE
	KUNIT_CASE(test_no_breakpoint_under_jump_after_ftrace_call),
#endif
	KUNIT_CASE(test_no_probe_at_breakpoint),
#if defined(CONFIG_X86) && defined(CONFIG_OPTPROBES)
	KUNIT_CASE(test_breakpoint_hides_no_branch),
	KUNIT_CASE(test_breakpoint_is_no_padding),
#endif
#if defined(CONFIG_X86) && defined(CONFIG_JUMP_LABEL)
	KUNIT_CASE(test_breakpoint_on_label_hides_no_label),
#endif
	{}
};

static struct kunit_suite debugger_suite = {
	.name = "kprobes_debugger",
	.init = suite_init,
	.test_cases = debugger_tests,
};

kunit_test_suite(debugger_suite);
