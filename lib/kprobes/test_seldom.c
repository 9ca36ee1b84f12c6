// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for functions of the core that few machines use: for unwinders by
 * frame pointers, for backends that treat jumps differently from breakpoints,
 * and for stack traces of running tasks.  It also checks that the owners of
 * jump labels and static calls find all of them by address.
 */
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/static_call.h>
#include <linux/kprobes_backend.h>
#include "../../kernel/kprobes/internal.h"
#include "test_return.h"

static TARGET int target_asked(int a, int b)
{
	barrier();
	return a * b + 5;
}

static void test_entry_is_known(struct kunit *test)
{
	struct counted *entry = PROBED(test, text_of(target_asked));
	unsigned long start = probed_at(&entry->probe), at;
	struct counted other;

	KUNIT_EXPECT_TRUE(test, kprobe_at_entry(start));
	/* Find the next instruction that can be probed; one exists. */
	for (at = start + 1; ; at++) {
		KUNIT_EXPECT_FALSE(test, kprobe_at_entry(at));
		other = COUNTED(at);
		if (!register_kprobe(&other.probe))
			break;
		KUNIT_ASSERT_LT(test, at, start + 16);
	}
	KUNIT_EXPECT_FALSE(test, kprobe_at_entry(at));
	unregister_kprobe(&other.probe);
	unregister_kprobe(&entry->probe);
	KUNIT_EXPECT_FALSE(test, kprobe_at_entry(start));
}

static void test_jump_of_batch_is_found(struct kunit *test)
{
	struct kprobe_site *trap = alloc_for_test(test, sizeof(*trap));
	struct kprobe_site *jump = alloc_for_test(test, sizeof(*jump));
	LIST_HEAD(batch);

	trap->target = KPROBE_SITE_TRAP;
	jump->target = KPROBE_SITE_JUMP;
	KUNIT_EXPECT_FALSE(test, kprobe_batch_makes_jumps(&batch));
	list_add_tail(&trap->batch, &batch);
	KUNIT_EXPECT_FALSE(test, kprobe_batch_makes_jumps(&batch));
	list_add_tail(&jump->batch, &batch);
	KUNIT_EXPECT_TRUE(test, kprobe_batch_makes_jumps(&batch));
}

/* Return true if the tables hold entries of init text that is freed. */
static bool init_text_is_freed(void)
{
	return system_state >= SYSTEM_RUNNING;
}

/*
 * Return for how many ranges at the @nr-th entry, which is at @at, a search by
 * address finds something else than a walk through the table.
 */
static __maybe_unused unsigned int
count_different(unsigned long at, unsigned int nr,
		int (*search)(void *start, void *end),
		bool (*walk)(unsigned long start, unsigned long end))
{
	unsigned int i, different = !search((void *)at, (void *)at);

	/* A walk is slow: check ranges around a few of the entries. */
	for (i = 0; !(nr % 64) && i < 10; i++, at++) {
		void *last = (void *)at - 1;

		different += walk(at - 1, at - 1) != !!search(last, last);
		different += walk(at - 5, at - 1) != !!search(last - 4, last);
	}
	return different;
}

#ifdef CONFIG_JUMP_LABEL
static bool label_in_table(unsigned long start, unsigned long end)
{
	struct jump_entry *e;

	for (e = __start___jump_table; e < __stop___jump_table; e++) {
		unsigned long code = jump_entry_code(e);

		/* Decoding the size is slow on x86. */
		if (!(jump_entry_is_init(e) && init_text_is_freed()) &&
		    code <= end && code + 8 > start &&
		    code + jump_entry_size(e) > start)
			return true;
	}
	return false;
}

static void count_target(void *nr, unsigned long target)
{
	++*(unsigned int *)nr;
}

/* The search by address must find the same as a walk through the table. */
static void test_jump_labels_are_found_by_address(struct kunit *test)
{
	unsigned int nr = 0, targets = 0, different = 0;
	struct jump_entry *e;

	jump_label_lock();
	for (e = __start___jump_table; e < __stop___jump_table; e++) {
		if (jump_entry_is_init(e) && init_text_is_freed())
			continue;
		different += count_different(jump_entry_code(e), nr++,
					     jump_label_text_reserved,
					     label_in_table);
	}
	jump_label_visit_targets(NULL, (void *)ULONG_MAX, count_target,
				 &targets);
	jump_label_unlock();
	KUNIT_EXPECT_EQ(test, different, 0);
	KUNIT_EXPECT_EQ(test, targets, nr);
}
#else
static void test_jump_labels_are_found_by_address(struct kunit *test)
{
	kunit_skip(test, "this kernel has no jump labels");
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];

static unsigned long call_of(const struct static_call_site *s)
{
	return (unsigned long)&s->addr + s->addr;
}

static bool call_is_freed(const struct static_call_site *s)
{
	return ((unsigned long)&s->key + s->key) & STATIC_CALL_SITE_INIT &&
	       init_text_is_freed();
}

static bool call_in_table(unsigned long start, unsigned long end)
{
	struct static_call_site *s;

	for (s = __start_static_call_sites; s < __stop_static_call_sites; s++)
		if (!call_is_freed(s) && call_of(s) <= end &&
		    call_of(s) + CALL_INSN_SIZE > start)
			return true;
	return false;
}

static void test_static_calls_are_found_by_address(struct kunit *test)
{
	unsigned int different = 0, nr = 0;
	struct static_call_site *s;

	for (s = __start_static_call_sites; s < __stop_static_call_sites; s++) {
		if (call_is_freed(s))
			continue;
		different += count_different(call_of(s), nr++,
					     static_call_text_reserved,
					     call_in_table);
	}
	KUNIT_EXPECT_EQ(test, different, 0);
}
#else
static void test_static_calls_are_found_by_address(struct kunit *test)
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

/* The return address of a task is reported only while the task sleeps. */
static void test_running_task_is_not_searched(struct kunit *test)
{
	struct task_struct *task;
	int result = 0, i;

	WRITE_ONCE(phase, RUN);
	FOLLOW(test, text_of(target_followed));
	task = kthread_run(call_followed, &result, "kprobes_seldom");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
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
}

static struct kunit_case seldom_tests[] = {
	KUNIT_CASE(test_entry_is_known),
	KUNIT_CASE(test_jump_of_batch_is_found),
	KUNIT_CASE_SLOW(test_jump_labels_are_found_by_address),
	KUNIT_CASE_SLOW(test_static_calls_are_found_by_address),
	KUNIT_CASE_SLOW(test_running_task_is_not_searched),
	{}
};

static struct kunit_suite seldom_suite = {
	.name = "kprobes_seldom",
	.test_cases = seldom_tests,
};

kunit_test_suite(seldom_suite);
