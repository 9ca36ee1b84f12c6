// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread returns from a followed call whose instance cannot be found, which
 * must end the thread.  The parameter "returned" reports if it continued.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

static bool returned;
module_param(returned, bool, 0444);

/* Not static, so that the compiler leaves it as it is. */
int kprobe_lost_function(int x);

/* The frame of this function identifies a followed call on its return. */
noinline notrace int kprobe_lost_function(int x)
{
	struct kretprobe_instance *ri;

	ri = llist_entry(current->kretprobe_instances.first,
			 struct kretprobe_instance, llist);
	ri->fp += 64;
	barrier();
	return x + 1;
}

static int lose(void *unused)
{
	kprobe_lost_function(1);
	WRITE_ONCE(returned, true);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "kprobe_lost:kprobe_lost_function",
};

/* The death of the thread frees its instance. */
static int __init kprobe_lost_init(void)
{
	struct task_struct *task;
	int ret, tries = 500;

	ret = register_kretprobe(&probe);
	if (ret)
		return ret;
	task = kthread_create(lose, NULL, "kprobe_lost");
	if (IS_ERR(task)) {
		unregister_kretprobe(&probe);
		return PTR_ERR(task);
	}
	get_task_struct(task);
	wake_up_process(task);
	while (!READ_ONCE(task->exit_state) && --tries)
		msleep(20);
	put_task_struct(task);
	unregister_kretprobe(&probe);
	return tries ? 0 : -ETIMEDOUT;
}
module_init(kprobe_lost_init);

static void __exit kprobe_lost_exit(void)
{
}
module_exit(kprobe_lost_exit);

MODULE_DESCRIPTION("a return of a call that is not followed any more");
MODULE_LICENSE("GPL");
