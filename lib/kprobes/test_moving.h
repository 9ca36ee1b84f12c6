/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call of a probed function that waits in ftrace's loop while its site moves.
 * Included by the suites that need it.
 */
#ifndef KPROBES_TEST_MOVING_H
#define KPROBES_TEST_MOVING_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/task.h>
#include "../../kernel/kprobes/internal.h"

/* State of the waiting call; there is one at a time. */
static struct {
	struct kprobe_site *site;
	struct completion begun;	/* completed when the call waits */
	bool calls;			/* the next call must wait */
	unsigned int timeout;		/* milliseconds to wait for the move */
	bool seen;			/* the call has seen the move */
	unsigned int linger;		/* milliseconds to linger after that */
	bool released;			/* or until this is set */
	unsigned int nests;		/* nested calls left to make */
	int (*function)(int x);		/* called for each of these */
} moving;

static void notrace wait_until_seen(void)
{
	u8 before = READ_ONCE(moving.site->ftrace);
	u64 end = ktime_get_mono_fast_ns() +
		  (u64)moving.timeout * NSEC_PER_MSEC;

	WRITE_ONCE(moving.calls, false);
	complete(&moving.begun);
	/* A hit after the store does not see the move begin. */
	if (before == SITE_FTRACE_MOVES)
		return;
	while (!READ_ONCE(moving.seen) && ktime_get_mono_fast_ns() < end) {
		cpu_relax();
		WRITE_ONCE(moving.seen,
			   READ_ONCE(moving.site->ftrace) != before);
	}
	end = ktime_get_mono_fast_ns() + (u64)moving.linger * NSEC_PER_MSEC;
	while (!READ_ONCE(moving.released) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

static void notrace wait_for_move(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	if (READ_ONCE(moving.calls))
		wait_until_seen();
	if (!READ_ONCE(moving.seen) || !moving.nests)
		return;
	moving.nests--;
	moving.function(5);
}

/* ftrace calls the most recently registered ops first. */
static __maybe_unused struct ftrace_ops waiter = { .func = wait_for_move };

/* Create a task that runs @call on another CPU; the caller must not migrate. */
static struct task_struct *moving_task(struct kunit *test, int (*call)(void *))
{
	struct task_struct *task;

	moving.seen = false;
	moving.released = false;
	moving.linger = 0;
	moving.nests = 0;
	init_completion(&moving.begun);
	migrate_disable();
	task = kthread_create(call, NULL, "kprobe_moving");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	kthread_bind(task, cpumask_any_but(cpu_online_mask,
					   raw_smp_processor_id()));
	return task;
}

/* Return true if the move has ended and hits are fast again. */
static __maybe_unused bool has_moved(void)
{
	return moving.site->ftrace != SITE_FTRACE_MOVES;
}

static void moving_task_end(struct task_struct *task)
{
	kthread_stop_put(task);
	migrate_enable();
}

static __maybe_unused void wait_until_it_waits(struct kunit *test,
					       struct task_struct *task)
{
	wake_up_process(task);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&moving.begun,
							  10 * HZ), 0);
}

#endif
