/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers shared by the KUnit suites for hits on x86 and arm64: perf events for
 * the text of slots, and hits while RCU is not watching.
 */
#ifndef _LIB_KPROBES_TEST_HIT_H
#define _LIB_KPROBES_TEST_HIT_H

#include <linux/cpuidle.h>
#include <linux/panic.h>
#include <linux/ptrace.h>
#include "test.h"

static inline int told_pre(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long addr = regs_get_kernel_argument(regs, 0);
	unsigned long old_len = regs_get_kernel_argument(regs, 2);

	if (is_kprobe_insn_slot(addr) && !old_len)
		container_of(p, struct counted, probe)->pre++;
	return 0;
}

/*
 * Check that perf learns of the text of slots and detours, which it needs to
 * decode branch traces.  Return the probe that counts these events.
 */
static inline struct counted *expect_slots_told(struct kunit *test,
						const char *place)
{
	struct counted *told, *p;

	told = PROBED(test, 0, .probe.symbol_name = "perf_event_text_poke",
		      .probe.pre_handler = told_pre);
	/* Perf also reports the probe on that function. */
	wait_for_kprobe_optimizer();
	told->pre = 0;
	switch_jumps(false);
	p = PROBED(test, place);
	KUNIT_EXPECT_EQ(test, told->pre, 1);
	switch_jumps(true);
	expect_jump(test, &p->probe, true);
	KUNIT_EXPECT_EQ(test, told->pre, 2);
	return told;
}

#ifdef CONFIG_CONTEXT_TRACKING_IDLE
/*
 * Enclose a call like the wait in the idle loop: RCU is not watching, and
 * lockdep assumes that interrupts are on.  Lockdep warns if tracepoints are
 * called meanwhile.
 */
static __always_inline void idle_begin(void)
{
	local_irq_disable();
	ct_cpuidle_enter();
}

static __always_inline void idle_end(void)
{
	ct_cpuidle_exit();
	local_irq_enable();
}

static inline int watched_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (!rcu_is_watching())
		container_of(p, struct counted, probe)->astray++;
	return counted_pre(p, regs);
}

static inline void watched_post(struct kprobe *p, struct pt_regs *regs,
				unsigned long flags)
{
	if (!rcu_is_watching())
		container_of(p, struct counted, probe)->astray++;
	counted_post(p, regs, flags);
}

/*
 * RCU must watch handlers at a breakpoint, at a jump, and after an instruction.
 * @call hits @place while RCU is not watching, and returns the code's result.
 */
static void expect_rcu_watching(struct kunit *test, const char *place,
				unsigned long (*call)(void))
{
	int warned = test_taint(TAINT_WARN);
	unsigned long result;
	struct counted *p, *q;

	if (IS_ENABLED(CONFIG_RCU_EQS_DEBUG))
		kunit_skip(test, "only the idle task may be idle");

	result = call();
	p = PROBED(test, place, .probe.pre_handler = watched_pre);
	KUNIT_EXPECT_EQ(test, call(), result);
	expect_jump(test, &p->probe, true);
	KUNIT_EXPECT_EQ(test, call(), result);
	q = PROBED(test, place, .probe.post_handler = watched_post);
	KUNIT_EXPECT_EQ(test, call(), result);
	unregister_kprobe(&q->probe);
	unregister_kprobe(&p->probe);
	expect_hits(test, p, 3, 0);
	expect_hits(test, q, 1, 1);
	KUNIT_EXPECT_EQ(test, test_taint(TAINT_WARN), warned);
}
#endif

#endif /* _LIB_KPROBES_TEST_HIT_H */
