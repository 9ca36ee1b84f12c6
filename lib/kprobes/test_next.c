// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for entries that own the instruction after the call of ftrace,
 * while that instruction, or one inside its jump, is probed as well.
 */
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include "../../kernel/kprobes/internal.h"
#include "test_ftrace.h"

/* A jump covers several instructions. */
static TARGET int wide_target(int x)
{
	asm volatile("test %0, %0\n"
		     "	test %0, %0\n"
		     "	test %0, %0\n" : : "r" (x) : "cc");
	return x * 3 + 1;
}

/* The condition is unknown, and does not matter. */
static TARGET int branching_target(int x)
{
	asm volatile("jz 1f\n"
		     "	test %0, %0\n"
		     "	test %0, %0\n"
		     "	test %0, %0\n"
		     "1:" : : "r" (x) : "cc");
	return x - 7;
}

/* The compiler must not know which function is called. */
static int (*volatile call_wide)(int x) = wide_target;

static unsigned long next_insn(void)
{
	return ftrace_location((unsigned long)wide_target) + MCOUNT_INSN_SIZE;
}

/* Probe an instruction inside the jump of the entry. */
static struct counted *probe_inside(struct kunit *test, unsigned int flags)
{
	struct counted *inside = alloc_for_test(test, sizeof(*inside));
	int i, ret = -EILSEQ;

	for (i = 1; i < KPROBE_JUMP_SIZE && ret == -EILSEQ; i++) {
		*inside = COUNTED(next_insn() + i, .probe.flags = flags);
		ret = register_kprobe(&inside->probe);
	}
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, counted_remove,
							&inside->probe), 0);
	return inside;
}

static void expect_both_hit(struct kunit *test, struct counted *a,
			    struct counted *b)
{
	a->pre = 0;
	b->pre = 0;
	KUNIT_EXPECT_EQ(test, call_wide(5), 16);
	expect_hits(test, a, 1, 0);
	expect_hits(test, b, 1, 0);
}

/* Both sites of the next instruction must know of the probe inside. */
static void test_probe_enabled_inside_jump_is_hit(struct kunit *test)
{
	const unsigned int off = KPROBE_FLAG_DISABLED;
	struct counted *entry = PROBED_CALL(test, wide_target,
					    .probe.flags = off);
	struct counted *next, *inside;

	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&entry->probe));
	next = PROBED(test, next_insn(), .probe.flags = off);
	inside = probe_inside(test, off);
	unregister_kprobe(&next->probe);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&entry->probe), 0);
	expect_jump(test, &entry->probe, true);
	KUNIT_EXPECT_FALSE(test, kprobe_ftrace(&entry->probe));
	KUNIT_EXPECT_EQ(test, enable_kprobe(&inside->probe), 0);
	KUNIT_EXPECT_EQ(test, state_of(entry), KPROBE_SITE_TRAP);
	expect_both_hit(test, entry, inside);
}

/* The entry stays a jump, so nothing may be written under it. */
static void test_move_refused_leaves_no_trap_in_jump(struct kunit *test)
{
	struct counted *entry = PROBED_CALL(test, wide_target);
	struct counted *inside = probe_inside(test, 0);
	struct counted next = COUNTED(next_insn());
	struct kprobe *both[] = { &next.probe, &inside->probe };

	unregister_kprobe(&inside->probe);
	expect_jump(test, &entry->probe, true);
	kprobe_flush_retired();
	kprobe_ftrace_disabled = true;
	KUNIT_EXPECT_EQ(test, register_kprobes(both, 2), -ENODEV);
	kprobe_ftrace_disabled = false;
	KUNIT_EXPECT_EQ(test, call_wide(5), 16);
	expect_jump(test, &entry->probe, true);
	KUNIT_EXPECT_EQ(test, call_wide(5), 16);
	KUNIT_EXPECT_EQ(test, entry->pre, 2);
	inside = probe_inside(test, 0);
	expect_both_hit(test, entry, inside);
}

/* The probe on the next instruction is unregistered before it is armed. */
static void test_refused_array_keeps_jump(struct kunit *test)
{
	struct counted *entry = PROBED_CALL(test, wide_target);
	struct counted next = COUNTED(next_insn());
	struct kprobe nowhere = KPROBE_ON("no such function");
	struct kprobe *both[] = { &next.probe, &nowhere };

	expect_jump(test, &entry->probe, true);
	KUNIT_EXPECT_EQ(test, register_kprobes(both, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, state_of(entry), KPROBE_SITE_JUMP);
	KUNIT_EXPECT_EQ(test, call_wide(5), 16);
	KUNIT_EXPECT_EQ(test, entry->pre, 1);
}

/* Drop a hit in a move; return true if it continues at the next instruction. */
static bool drop_in_move(struct kprobe *p)
{
	struct pt_regs regs = { .ip = next_insn() };

	guard(mutex)(&kprobe_mutex);
	p->site->ftrace = SITE_FTRACE_MOVES;
	kprobe_ftrace_dropped((unsigned long)p->addr, &regs);
	p->site->ftrace = SITE_FTRACE_OFF;
	return regs.ip == next_insn();
}

/* The text may be restored before a dropped hit continues. */
static void test_drop_in_move_is_counted_once(struct kunit *test)
{
	struct kprobe *p = &PROBED_CALL(test, wide_target)->probe;

	KUNIT_EXPECT_FALSE(test, drop_in_move(p));
	KUNIT_EXPECT_EQ(test, p->nmissed, 1);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_EXPECT_TRUE(test, drop_in_move(p));
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
}

/* Handle a breakpoint at the next instruction; return where it continues. */
static unsigned long hit_next(struct kunit *test)
{
	struct pt_regs regs = {
		.ip = next_insn() + 1,
		.sp = (unsigned long)&regs,
		.cs = __KERNEL_CS,
	};
	int handled;

	scoped_guard(irqsave)
		handled = kprobe_int3_handler(&regs);
	KUNIT_EXPECT_EQ(test, handled, 1);
	return regs.ip;
}

/* The entry moves to ftrace; then the other site is armed. */
static void test_trap_during_move_hits_entry(struct kunit *test)
{
	struct counted *entry = PROBED_CALL(test, wide_target);
	static struct kprobe_site other;

	other = (struct kprobe_site) {
		.addr = (kprobe_opcode_t *)next_insn(),
		.pre = &kprobe_no_pre,
		.target = KPROBE_SITE_TRAP,
	};
	scoped_guard(mutex, &kprobe_mutex) {
		hlist_add_head_rcu(&other.chain,
				   kprobe_site_bucket(next_insn()));
		KUNIT_EXPECT_NE(test, hit_next(test), 0);
		hlist_del_rcu(&other.chain);
	}
	synchronize_rcu();
	KUNIT_EXPECT_EQ(test, entry->pre, 1);
}

static int skipping_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct counted, probe)->pre++;
	instruction_pointer_set(regs, next_insn());
	return 1;
}

/* The breakpoint is written already, but the state is still CLEAN. */
static void test_call_skipped_at_new_trap_is_hit_once(struct kunit *test)
{
	struct counted *entry;

	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	entry = PROBED_CALL(test, wide_target,
			    .probe.pre_handler = skipping_pre);
	scoped_guard(mutex, &kprobe_mutex) {
		entry->probe.site->target = KPROBE_SITE_TRAP;
		KUNIT_EXPECT_NE(test, hit_next(test), next_insn());
		entry->probe.site->target = KPROBE_SITE_CLEAN;
	}
	KUNIT_EXPECT_EQ(test, entry->pre, 1);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	KUNIT_EXPECT_EQ(test, call_wide(5), 16);
	KUNIT_EXPECT_EQ(test, entry->pre, 2);
}

/* The optimizer may find an obstacle that stays. */
static void test_obstacle_found_moves_to_ftrace(struct kunit *test)
{
	struct counted *entry = PROBED_CALL(test, wide_target);

	KUNIT_EXPECT_EQ(test, disable_kprobe(&entry->probe), 0);
	wait_for_kprobe_optimizer();
	entry->probe.site->obstacle = KPROBE_NOJUMP_PATCHED_INSIDE;
	KUNIT_EXPECT_EQ(test, enable_kprobe(&entry->probe), 0);
	KUNIT_EXPECT_EQ(test, state_of(entry), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_wide(5), 16);
	KUNIT_EXPECT_EQ(test, entry->pre, 1);
}

static void test_array_in_any_order_uses_ftrace(struct kunit *test)
{
	struct counted entry = ON(wide_target);
	struct counted *inside = probe_inside(test, 0);
	struct kprobe *both[] = { &entry.probe, &inside->probe };
	unsigned int i;

	unregister_kprobe(&inside->probe);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, register_kprobes(both, 2), 0);
		KUNIT_EXPECT_EQ(test, state_of(&entry), KPROBE_SITE_FTRACE);
		expect_both_hit(test, &entry, inside);
		unregister_kprobes(both, 2);
		swap(both[0], both[1]);
	}
}

/* The copy of a branch would bypass a probe inside its jump. */
static void test_branch_on_condition_uses_ftrace(struct kunit *test)
{
	const u8 *call = (u8 *)ftrace_location((unsigned long)branching_target);
	/* No frame pointer or canary precedes it. */
	bool first = call[MCOUNT_INSN_SIZE] == 0x74;
	struct counted *entry = PROBED_CALL(test, branching_target);

	if (first)
		KUNIT_EXPECT_EQ(test, state_of(entry), KPROBE_SITE_FTRACE);
}

/* ftrace changes the instruction at the address of the entry. */
static void test_opcode_while_traced_is_the_same(struct kunit *test)
{
	struct kprobe *before = &PROBED_CALL(test, wide_target)->probe;
	struct kprobe *after;

	KUNIT_EXPECT_EQ(test, before->opcode, *before->addr);
	PROBED_CALL(test, wide_target, .probe.post_handler = counted_post);
	KUNIT_EXPECT_NE(test, before->opcode, *before->addr);
	after = &PROBED_CALL(test, wide_target)->probe;
	KUNIT_EXPECT_EQ(test, after->opcode, before->opcode);
}

static unsigned long seen_context;

static int context_pre(struct kprobe *p, struct pt_regs *regs)
{
	seen_context = preempt_count() & (NMI_MASK | HARDIRQ_MASK);
	call_wide(1);
	return 0;
}

/* A hit at the breakpoint must look like one by ftrace or by a jump. */
static void test_trap_on_next_insn_is_no_nmi(struct kunit *test)
{
	struct counted *entry = PROBED_CALL(test, wide_target,
					    .probe.pre_handler = context_pre);
	/* This probe prevents the jump. */
	struct counted *inside = probe_inside(test, 0);
	unsigned long count;

	KUNIT_EXPECT_EQ(test, state_of(entry), KPROBE_SITE_TRAP);
	seen_context = -1;
	count = preempt_count();
	KUNIT_EXPECT_EQ(test, call_wide(5), 16);
	KUNIT_EXPECT_EQ(test, preempt_count(), count);
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING))
		KUNIT_EXPECT_EQ(test, seen_context, 0);
	/* The call in the handler is recursion for both probes. */
	KUNIT_EXPECT_EQ(test, entry->probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, inside->pre, 1);
	KUNIT_EXPECT_EQ(test, inside->probe.nmissed, 1);
}

static int suite_init(struct kunit *test)
{
	KUNIT_ASSERT_NE(test, ftrace_location((unsigned long)wide_target), 0);
	kprobe_flush_retired();
	return 0;
}

static struct kunit_case next_tests[] = {
	KUNIT_CASE(test_probe_enabled_inside_jump_is_hit),
	KUNIT_CASE(test_move_refused_leaves_no_trap_in_jump),
	KUNIT_CASE(test_refused_array_keeps_jump),
	KUNIT_CASE(test_drop_in_move_is_counted_once),
	KUNIT_CASE(test_trap_during_move_hits_entry),
	KUNIT_CASE(test_call_skipped_at_new_trap_is_hit_once),
	KUNIT_CASE(test_obstacle_found_moves_to_ftrace),
	KUNIT_CASE(test_array_in_any_order_uses_ftrace),
	KUNIT_CASE(test_branch_on_condition_uses_ftrace),
	KUNIT_CASE(test_opcode_while_traced_is_the_same),
	KUNIT_CASE(test_trap_on_next_insn_is_no_nmi),
	{}
};

static struct kunit_suite next_suite = {
	.name = "kprobes_next",
	.init = suite_init,
	.test_cases = next_tests,
};

kunit_test_suite(next_suite);
