// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for functions of the core that few machines use: for unwinders by
 * frame pointers, for backends that treat jumps differently from breakpoints,
 * and for stack traces of running tasks.  It also checks the end of a table,
 * which the next table in memory may hide.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/kprobes_backend.h>
#include "../../kernel/kprobes/internal.h"
#include "test.h"

static TARGET int target_asked(int a, int b)
{
	barrier();
	return a * b + 5;
}

static void test_entry_is_known(struct kunit *test)
{
	struct counted entry = COUNTED(text_of(target_asked));
	struct counted other = COUNTED(0);
	unsigned long at;

	KUNIT_ASSERT_EQ(test, register_kprobe(&entry.probe), 0);
	KUNIT_EXPECT_TRUE(test, kprobe_at_entry(probed_at(&entry.probe)));
	/* Find the next instruction that can be probed; one exists. */
	for (at = probed_at(&entry.probe) + 1; ; at++) {
		KUNIT_EXPECT_FALSE(test, kprobe_at_entry(at));
		other = COUNTED(at);
		if (!register_kprobe(&other.probe))
			break;
		KUNIT_ASSERT_LT(test, at, probed_at(&entry.probe) + 16);
	}
	KUNIT_EXPECT_FALSE(test, kprobe_at_entry(at));
	unregister_kprobe(&other.probe);
	at = probed_at(&entry.probe);
	unregister_kprobe(&entry.probe);
	KUNIT_EXPECT_FALSE(test, kprobe_at_entry(at));
}

static void test_jump_of_batch_is_found(struct kunit *test)
{
	struct kprobe_site *trap, *jump;
	LIST_HEAD(batch);

	trap = kunit_kzalloc(test, sizeof(*trap), GFP_KERNEL);
	jump = kunit_kzalloc(test, sizeof(*jump), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, trap);
	KUNIT_ASSERT_NOT_NULL(test, jump);
	trap->target = KPROBE_SITE_TRAP;
	jump->target = KPROBE_SITE_JUMP;
	KUNIT_EXPECT_FALSE(test, kprobe_batch_makes_jumps(&batch));
	list_add_tail(&trap->batch, &batch);
	KUNIT_EXPECT_FALSE(test, kprobe_batch_makes_jumps(&batch));
	list_add_tail(&jump->batch, &batch);
	KUNIT_EXPECT_TRUE(test, kprobe_batch_makes_jumps(&batch));
}

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
/* All entries of the table must be collected, and nothing after its end. */
static void test_static_calls_are_collected(struct kunit *test)
{
	struct static_call_site sites[4] = {};
	struct patched_place at[ARRAY_SIZE(sites) + 1];
	struct patched_places places = {
		.base = (unsigned long)sites, .at = at,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sites); i++)
		sites[i].addr = 0x100 + i;
	kprobe_add_static_calls(&places, sites, sites + 3);
	KUNIT_EXPECT_EQ(test, places.nr, 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, at[i].code,
				0x100 + i * (sizeof(sites[0]) + 1));
		KUNIT_EXPECT_EQ(test, at[i].target, NO_TARGET);
	}
	kprobe_add_static_calls(&places, sites, sites);
	KUNIT_EXPECT_EQ(test, places.nr, 3);
}
#else
static void test_static_calls_are_collected(struct kunit *test)
{
	kunit_skip(test, "static calls are not in a table here");
}
#endif

/* The state of a task in a followed call. */
static enum { RUN, SLEEP, END } phase;

static TARGET int target_followed(int a)
{
	while (READ_ONCE(phase) == RUN)
		cond_resched();
	while (READ_ONCE(phase) == SLEEP)
		msleep(50);
	return a + 1;
}

static int call_followed(void *result)
{
	*(int *)result = target_followed(1);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static unsigned long recorded_caller(struct task_struct *task)
{
	struct llist_node *cur = NULL;

	return kretprobe_find_ret_addr(task, NULL, &cur);
}

static int followed_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* The return address of a task is reported only while the task sleeps. */
static void test_running_task_is_not_searched(struct kunit *test)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)text_of(target_followed),
		.handler = followed_return,
	};
	struct task_struct *task;
	int result = 0, i;

	WRITE_ONCE(phase, RUN);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	task = kthread_run(call_followed, &result, "kprobes_seldom");
	if (IS_ERR(task)) {
		unregister_kretprobe(&rp);
		KUNIT_FAIL(test, "no thread");
		return;
	}
	/* The task must be in the followed call by then. */
	for (i = 0; i < 20; i++) {
		msleep(20);
		if (task_is_running(task))
			KUNIT_EXPECT_EQ(test, recorded_caller(task), 0);
	}
	WRITE_ONCE(phase, SLEEP);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(recorded_caller(task)));
	WRITE_ONCE(phase, END);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(READ_ONCE(result) == 2));
	kthread_stop(task);
	unregister_kretprobe(&rp);
}

static struct kunit_case seldom_tests[] = {
	KUNIT_CASE(test_entry_is_known),
	KUNIT_CASE(test_jump_of_batch_is_found),
	KUNIT_CASE(test_static_calls_are_collected),
	KUNIT_CASE_SLOW(test_running_task_is_not_searched),
	{}
};

static struct kunit_suite seldom_suite = {
	.name = "kprobes_seldom",
	.test_cases = seldom_tests,
};

kunit_test_suite(seldom_suite);
