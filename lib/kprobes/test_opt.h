/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for KUnit suites: a jump whose probe is disabled and that the
 * optimizer has not removed yet.
 */
#ifndef _LIB_KPROBES_TEST_OPT_H
#define _LIB_KPROBES_TEST_OPT_H

#include "test.h"

/* Retry, because the optimizer may be faster than the test. */
#define IDLE_JUMP_TRIES	20

/* Disable a probe and return while its jump is still in place. */
static inline void disable_on_jump(struct kunit *test, struct kprobe *p)
{
	int i;

	for (i = 0; i < IDLE_JUMP_TRIES; i++) {
		wait_for_kprobe_optimizer();
		KUNIT_ASSERT_TRUE(test, kprobe_optimized(p));
		KUNIT_ASSERT_EQ(test, disable_kprobe(p), 0);
		if (kprobe_optimized(p))
			return;
		KUNIT_ASSERT_EQ(test, enable_kprobe(p), 0);
	}
	KUNIT_FAIL_AND_ABORT(test, "no jump stays after disable");
}

/* Disable a probe, and enable @p at its place before the jump is removed. */
static inline void enable_on_jump(struct kunit *test, struct kprobe *disabled,
				  struct kprobe *p)
{
	int i;

	for (i = 0; i < IDLE_JUMP_TRIES; i++) {
		disable_on_jump(test, disabled);
		KUNIT_ASSERT_EQ(test, enable_kprobe(p), 0);
		if (kprobe_optimized(p))
			return;
		KUNIT_ASSERT_EQ(test, enable_kprobe(disabled), 0);
		if (p != disabled)
			KUNIT_ASSERT_EQ(test, disable_kprobe(p), 0);
	}
	KUNIT_FAIL_AND_ABORT(test, "no jump stays until enable");
}

#endif /* _LIB_KPROBES_TEST_OPT_H */
