/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for KUnit suites: a task is preempted at some place and kept there by
 * a keeper, which runs on its CPU with a higher priority.
 */
#ifndef _LIB_KPROBES_TEST_PREEMPT_H
#define _LIB_KPROBES_TEST_PREEMPT_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <uapi/linux/sched/types.h>
#include "test.h"

/* Retry, because the scheduler may give the kept task some time. */
#define KEPT_TRIES	10

/* @keep returns true if the task was kept for the whole test. */
static inline void try_to_keep(struct kunit *test,
			       bool (*keep)(struct kunit *test))
{
	int i;

	/* With CONFIG_PREEMPT_DYNAMIC the kernel's command line decides. */
	if (!preempt_model_preemptible())
		kunit_skip(test, "this kernel does not preempt tasks");
	skip_on_one_cpu(test);

	for (i = 0; i < KEPT_TRIES; i++)
		if (keep(test))
			return;
	skip_rest(test, "the task ran too early in each of %d tries",
		  KEPT_TRIES);
}

/**
 * struct keeper - a task that keeps another one from running
 * @probe: optional, with kept_pre(): a hit starts the keeper
 * @task: the keeper
 * @go: starts the keeper
 * @kept: the keeper has begun to run
 * @woken: the probe has been hit before
 * @release: lets the other task run again
 * @switches: context switches of the other task in keeper_wait()
 */
struct keeper {
	struct kprobe probe;
	struct task_struct *task;
	struct completion go;
	struct completion kept;
	atomic_t woken;
	bool release;
	unsigned long switches;
};

/* The caller is preempted as soon as possible: right after the hit. */
static inline int kept_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct keeper *k = container_of(p, struct keeper, probe);

	if (!atomic_xchg(&k->woken, 1))
		complete(&k->go);
	return 0;
}

static int keeper_thread(void *data)
{
	struct keeper *k = data;

	wait_for_completion(&k->go);
	complete(&k->kept);
	while (!READ_ONCE(k->release))
		cpu_relax();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static unsigned long switches_of(const struct task_struct *task)
{
	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

/* Wait until the keeper has taken the CPU from @task. */
static inline void keeper_wait(struct keeper *k, struct task_struct *task)
{
	wait_for_completion(&k->kept);
	k->switches = switches_of(task);
}

/* Return true if @task has not run since keeper_wait(). */
static inline bool keeper_kept(const struct keeper *k,
			       const struct task_struct *task)
{
	return !task_curr(task) && switches_of(task) == k->switches;
}

static inline void keeper_start(struct kunit *test, struct keeper *k)
{
	init_completion(&k->go);
	init_completion(&k->kept);
	k->task = kthread_create_on_cpu(keeper_thread, k, 1, "kprobes-keeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(k->task));
	sched_set_fifo(k->task);
	wake_up_process(k->task);
}

static inline void keeper_stop(struct keeper *k)
{
	WRITE_ONCE(k->release, true);
	kthread_stop(k->task);
}

/* Return a new task that runs on the keeper's CPU. */
static inline struct task_struct *
start_on_keepers_cpu(struct kunit *test, int (*thread)(void *data), void *data)
{
	struct task_struct *task;

	task = kthread_create_on_cpu(thread, data, 1, "kprobes-caller");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wake_up_process(task);
	return task;
}

#endif /* _LIB_KPROBES_TEST_PREEMPT_H */
