// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: everything that can happen to probes, concurrently and at
 * random.
 *
 * Threads, as many as there are CPUs, pick operations at random from a seed.
 * Each thread knows the required state of its own probes and the required
 * result of each call; a handler knows whether it may be called; a function
 * knows its result.  Violations are printed as lines RACES-FAULT.  When the
 * parameter over reads Y, the threads are done.  When the module is removed, it
 * prints statistics as lines RACES <what> <number>, of which broken must be 0.
 *
 * On one CPU under QEMU's -icount, two runs with the same seed have the same
 * digests, so a violation can be reproduced.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include "races.h"
#include "test_symbols.h"

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "of all that is picked by chance");

static unsigned int seconds = 20;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "after which threads end");

static unsigned int ops = UINT_MAX;
module_param(ops, uint, 0444);
MODULE_PARM_DESC(ops, "after which a thread ends");

static unsigned int threads;
module_param(threads, uint, 0444);
MODULE_PARM_DESC(threads, "how many; as many as there are CPUs by default");

static bool over;
module_param(over, bool, 0444);

static bool stop;
static u64 deadline;
static struct races_thread workers[RACES_THREADS];
static atomic_t working;

/* Digests: all operations in order, with their results */

static DEFINE_RAW_SPINLOCK(digest_lock);
static u64 digest = 0xcbf29ce484222325;

void races_note(struct races_thread *t, u32 what, u32 result)
{
	guard(raw_spinlock_irqsave)(&digest_lock);
	digest ^= t->nr << 24 | what << 16 | (result & 0xffff);
	digest *= 0x100000001b3;
}

bool races_is_over(void)
{
	return READ_ONCE(stop) || ktime_get_ns() > deadline;
}

/*
 * Threads
 */

static void op_call(struct races_thread *t)
{
	races_call_shared(races_random(t));
}

static const struct {
	void (*op)(struct races_thread *t);
	unsigned int weight;
} table[] = {
	{ races_op_register, 300 },
	{ races_op_unregister, 250 },
	{ races_op_enable, 200 },
	{ races_op_register_array, 60 },
	{ races_op_unregister_array, 60 },
	{ races_op_common, 100 },
	{ races_op_quiet, 150 },
	{ op_call, 150 },
	{ races_op_nmi, 30 },
	{ races_op_jumps, 6 },
	{ races_op_switch, 4 },
	{ races_op_tower, 2 },
	{ races_op_files, 2 },
	{ races_op_module, 3 },
	{ races_op_cpu, 1 },
};

static void one_op(struct races_thread *t)
{
	unsigned int i, sum = 0;
	u32 n;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		sum += table[i].weight;
	n = races_below(t, sum);
	for (i = 0; n >= table[i].weight; i++)
		n -= table[i].weight;
	table[i].op(t);
	t->ops++;
}

static int work(void *data)
{
	struct races_thread *t = data;

	while (!races_is_over() && t->ops < ops) {
		one_op(t);
		cond_resched();
	}
	races_remove_all(t);
	if (atomic_dec_and_test(&working))
		WRITE_ONCE(over, true);
	/* Until the module is removed. */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int start(unsigned int nr)
{
	struct races_thread *t = &workers[nr];
	unsigned int cpu = nr % num_online_cpus();

	t->nr = nr;
	INIT_LIST_HEAD(&t->graves);
	prandom_seed_state(&t->random, seed * 1000003ULL + nr);
	t->task = kthread_create(work, t, "races/%u", nr);
	if (IS_ERR(t->task))
		return PTR_ERR(t->task);
	set_cpus_allowed_ptr(t->task, cpumask_of(cpu));
	atomic_inc(&working);
	return 0;
}

static void end_threads(void)
{
	unsigned int i;

	WRITE_ONCE(stop, true);
	for (i = 0; i < RACES_THREADS; i++)
		if (!IS_ERR_OR_NULL(workers[i].task))
			kthread_stop(workers[i].task);
}

static int __init races_init(void)
{
	unsigned int i;
	int ret;

	threads = clamp(threads ?: num_online_cpus(), 1, RACES_THREADS);
	races_keep_text();
	ret = races_find_places(threads) ?: races_common_begin();
	if (ret)
		return ret;
	ret = races_world_begin();
	for (i = 0; i < threads && !ret; i++)
		ret = start(i);
	if (ret) {
		end_threads();
		races_world_end();
		races_common_end();
		return ret;
	}
	deadline = ktime_get_ns() + seconds * (u64)NSEC_PER_SEC;
	for (i = 0; i < threads; i++)
		wake_up_process(workers[i].task);
	return 0;
}
module_init(races_init);

/*
 * The report
 */

#define SAY(what, number)						\
	pr_info("RACES " what " %lu\n", (unsigned long)(number))

static void report(void)
{
	unsigned long all = 0;
	unsigned int i;

	for (i = 0; i < threads; i++)
		all += workers[i].ops;
	SAY("seed", seed);
	SAY("threads", threads);
	SAY("ops", all);
	SAY("places", races_places_probed());
	SAY("hits-in-threads", atomic_long_read(&races_thread_hits));
	SAY("hits-in-interrupts", atomic_long_read(&races_irq_hits));
	SAY("hits-in-nmis", atomic_long_read(&races_nmi_hits));
	SAY("hits-of-jprobes", races_shared_jprobe_hits());
	SAY("quiet-checks", races_quiet_checks);
	SAY("exact-checks", races_exact_checks);
	SAY("towers", races_towers);
	SAY("nmis-sent", atomic_long_read(&races_nmis_sent));
	SAY("nmis-on-handlers", atomic_long_read(&races_nmis_on_handlers));
	for (i = 0; races_world_name[i]; i++)
		pr_info("RACES %s %ld\n", races_world_name[i],
			atomic_long_read(&races_world_count[i]));
	pr_info("RACES digest %016llx\n", digest);
}

/*
 * Check that everything is as before: nothing in use, and no text changed.
 * Pools are freed after a grace period, by a work queue.
 */
static void check_rest(void)
{
	unsigned int changed;

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
	unsigned int i;

	kprobe_flush_retired();
	for (i = 0; i < 100 && kretprobe_pools_in_use(); i++)
		msleep(50);
	SAY("sites-left", kprobe_sites_in_use());
	SAY("slots-left", kprobe_slots_in_use());
	SAY("pools-left", kretprobe_pools_in_use());
	if (kprobe_sites_in_use())
		races_fault("%u sites are left", kprobe_sites_in_use());
	if (kprobe_slots_in_use())
		races_fault("%u slots are left", kprobe_slots_in_use());
	if (kretprobe_pools_in_use())
		races_fault("%u pools are left", kretprobe_pools_in_use());
#endif
	changed = races_changed_text();
	if (changed)
		races_fault("the text of %u functions has changed", changed);
}

static void __exit races_exit(void)
{
	end_threads();
	races_common_end();
	races_world_end();
	check_rest();
	report();
	SAY("broken", atomic_read(&races_broken));
}
module_exit(races_exit);

MODULE_DESCRIPTION("races between operations on probes");
MODULE_LICENSE("GPL");
