/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers shared by the KUnit suites for hits on x86 and arm64: perf events for
 * the text of slots, and hits while RCU is not watching.
 */
#ifndef _LIB_KPROBES_TEST_HIT_H
#define _LIB_KPROBES_TEST_HIT_H

#include <linux/cpuidle.h>
#include <linux/ptrace.h>
#include "test.h"

static __maybe_unused int told_pre(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long addr = regs_get_kernel_argument(regs, 0);
	unsigned long old_len = regs_get_kernel_argument(regs, 2);

	if (is_kprobe_insn_slot(addr) && !old_len)
		container_of(p, struct counted, probe)->pre++;
	return 0;
}

/*
 * Check that perf learns of the text of slots and detours, which it needs to
 * decode branch traces.  @told counts these events; both probes stay in place.
 */
static __maybe_unused void expect_slots_told(struct kunit *test,
					     struct counted *told,
					     struct counted *p)
{
	*told = (struct counted) {
		.probe.symbol_name = "perf_event_text_poke",
		.probe.pre_handler = told_pre,
	};
	KUNIT_ASSERT_EQ(test, register_kprobe(&told->probe), 0);
	/* Perf also reports the probe on that function. */
	wait_for_kprobe_optimizer();
	told->pre = 0;
	switch_jumps(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p->probe), 0);
	KUNIT_EXPECT_EQ(test, told->pre, 1);
	switch_jumps(true);
	expect_jump(test, &p->probe, true);
	KUNIT_EXPECT_EQ(test, told->pre, 2);
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

static __maybe_unused int watched_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (!rcu_is_watching())
		container_of(p, struct counted, probe)->astray++;
	return counted_pre(p, regs);
}

static __maybe_unused void watched_post(struct kprobe *p, struct pt_regs *regs,
					unsigned long flags)
{
	if (!rcu_is_watching())
		container_of(p, struct counted, probe)->astray++;
	counted_post(p, regs, flags);
}
#endif

#endif /* _LIB_KPROBES_TEST_HIT_H */
