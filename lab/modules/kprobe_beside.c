// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the guarantees of probes on any architecture, on stock kernels as well
 * as ours: a failure on both is not ours.  Prints lines "BESIDE <what>
 * <number>".
 *
 * The addresses of instructions are found by trying a probe at each.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

static unsigned int rounds = 10000;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "how often probes are removed while they are hit");

static unsigned int seconds = 60;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "after which there are no more rounds");

static unsigned int probes = 1000;
module_param(probes, uint, 0444);
MODULE_PARM_DESC(probes, "how many are removed one by one");

static char *parts = "steps,detach,storm";
module_param(parts, charp, 0444);
MODULE_PARM_DESC(parts, "what to run, of steps, detach and storm");

/*
 * Each instruction of a function
 */

/* The called function must be probed, not a clone for one caller. */
#define TARGET	noinline __noclone

static TARGET unsigned int step(unsigned int x, unsigned int n)
{
	barrier();
	return x * 3 + n;
}

/* Loops, branches both ways, memory, and a call. */
static TARGET unsigned int mix(unsigned int x, const u8 *bytes, int nr)
{
	unsigned int odd = 0, sum = x;
	int i;

	for (i = 0; i < nr; i++) {
		if (bytes[i] & 1)
			odd++;
		else
			sum ^= bytes[i] << (i & 7);
		sum = step(sum, odd);
		if (sum > 100000)
			sum >>= 3;
	}
	return sum + odd * 7;
}

static const u8 mixed[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9 };

static unsigned int call_mix(void)
{
	return mix(7, mixed, ARRAY_SIZE(mixed));
}

static unsigned int hits;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

/* The symbol's size follows the slash of "name+0x0/0x123 [module]". */
static unsigned long size_of_mix(void)
{
	char name[KSYM_SYMBOL_LEN], *slash;
	unsigned long size = 0;

	sprint_symbol(name, (unsigned long)mix);
	slash = strchr(name, '/');
	if (slash)
		sscanf(slash + 1, "%li", &size);
	return size;
}

static void try_steps(void)
{
	unsigned int expected = call_mix(), probed = 0, wrong = 0;
	unsigned long size = size_of_mix(), offset;

	for (offset = 0; offset < size; offset += 2) {
		unsigned long addr = (unsigned long)mix + offset;
		struct kprobe p = {
			.addr = (kprobe_opcode_t *)addr,
			.pre_handler = count_pre,
		};
		unsigned int result;

		if (register_kprobe(&p))
			continue;
		result = call_mix();
		unregister_kprobe(&p);
		probed++;
		if (result == expected)
			continue;
		wrong++;
		pr_info("BESIDE wrong-at +%lu %*ph\n", offset, 6,
			(void *)mix + offset);
	}
	pr_info("BESIDE steps-probed %u\n", probed);
	pr_info("BESIDE steps-hits %u\n", hits);
	pr_info("BESIDE steps-wrong %u\n", wrong);
}

/*
 * Probes that are removed while all CPUs hit them
 */

#define ALIVE	0x600dc0deUL

struct guarded {
	struct kprobe p;
	unsigned long alive;
};

static atomic_t dead, thread_hits, irq_hits;
static unsigned long missed;

/*
 * On each CPU, a thread hits the probes whenever it is otherwise idle, and a
 * timer's interrupts hit them while they are registered and removed, also on
 * top of the thread's hits.
 */
#define TIMER_NS	NSEC_PER_MSEC

struct hitter {
	struct task_struct *task;
	struct hrtimer timer;
	bool ticks;
	bool in_tick;
};

static DEFINE_PER_CPU(struct hitter, hitters);

/* Some architectures count the exception of a probe as an interrupt. */
static int guarded_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(container_of(p, struct guarded, p)->alive) != ALIVE)
		atomic_inc(&dead);
	atomic_inc(__this_cpu_read(hitters.in_tick) ? &irq_hits : &thread_hits);
	return 0;
}

static int hammer(void *unused)
{
	while (!kthread_should_stop()) {
		step(1, 2);
		call_mix();
		/* Removing a jump may wait for all tasks to reach this. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	__this_cpu_write(hitters.in_tick, true);
	step(1, 2);
	call_mix();
	__this_cpu_write(hitters.in_tick, false);
	hrtimer_forward_now(timer, TIMER_NS);
	return HRTIMER_RESTART;
}

static void start_ticks(void *unused)
{
	struct hitter *h = this_cpu_ptr(&hitters);

	hrtimer_setup(&h->timer, tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	h->ticks = true;
	hrtimer_start(&h->timer, TIMER_NS, HRTIMER_MODE_REL_PINNED_HARD);
}

/* Return the number of CPUs with a thread. */
static unsigned int start_hitters(void)
{
	unsigned int nr = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		struct task_struct *t = kthread_create_on_cpu(hammer, NULL, cpu,
							      "beside/%u");

		if (IS_ERR(t))
			continue;
		per_cpu(hitters.task, cpu) = t;
		wake_up_process(t);
		nr++;
	}
	on_each_cpu(start_ticks, NULL, 1);
	return nr;
}

static void stop_hitters(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hitter *h = per_cpu_ptr(&hitters, cpu);

		if (h->ticks)
			hrtimer_cancel(&h->timer);
		if (h->task)
			kthread_stop(h->task);
	}
}

static struct guarded *guarded_alloc(void *target)
{
	struct guarded *g = kzalloc(sizeof(*g), GFP_KERNEL);

	if (!g)
		return NULL;
	g->alive = ALIVE;
	g->p.addr = (kprobe_opcode_t *)target;
	g->p.pre_handler = guarded_pre;
	return g;
}

/* Poisoned, so that a handler that still runs is noticed. */
static void guarded_free(struct guarded *g)
{
	if (!g)
		return;
	missed += g->p.nmissed;
	memset(g, 0x5a, sizeof(*g));
	udelay(5);
	kfree(g);
}

static int storm_round(bool as_array)
{
	struct guarded *g[] = { guarded_alloc(step), guarded_alloc(mix) };
	struct kprobe *array[] = { &g[0]->p, &g[1]->p };
	int ret = -ENOMEM;

	if (!g[0] || !g[1])
		goto out;
	if (as_array) {
		ret = register_kprobes(array, 2);
		usleep_range(50, 100);
		if (!ret)
			unregister_kprobes(array, 2);
	} else {
		ret = register_kprobe(array[0]) ?: register_kprobe(array[1]);
		usleep_range(50, 100);
		if (!ret) {
			unregister_kprobe(array[0]);
			unregister_kprobe(array[1]);
		}
	}
out:
	guarded_free(g[0]);
	guarded_free(g[1]);
	return ret;
}

static void try_storm(void)
{
	unsigned long end = jiffies + seconds * HZ;
	unsigned int i, failed = 0, cpus;

	cpus_read_lock();
	cpus = start_hitters();
	cpus_read_unlock();
	for (i = 0; i < rounds && time_before(jiffies, end); i++)
		failed += !!storm_round(i & 1);
	stop_hitters();
	pr_info("BESIDE storm-cpus %u\n", cpus);
	pr_info("BESIDE storm-rounds %u\n", i);
	pr_info("BESIDE storm-hits-in-threads %u\n",
		atomic_read(&thread_hits));
	pr_info("BESIDE storm-hits-in-interrupts %u\n",
		atomic_read(&irq_hits));
	pr_info("BESIDE storm-missed %lu\n", missed);
	pr_info("BESIDE storm-failed %u\n", failed);
	pr_info("BESIDE storm-dead %u\n", atomic_read(&dead));
}

/* Cost of removing probes one by one */

#define F1(n)								\
	static TARGET int f##n(int x) { barrier(); return x + 1##n; }
#define F10(n)								\
	F1(n##0) F1(n##1) F1(n##2) F1(n##3) F1(n##4)			\
	F1(n##5) F1(n##6) F1(n##7) F1(n##8) F1(n##9)
#define F100(n)								\
	F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4)		\
	F10(n##5) F10(n##6) F10(n##7) F10(n##8) F10(n##9)
#define A10(n)								\
	f##n##0, f##n##1, f##n##2, f##n##3, f##n##4,			\
	f##n##5, f##n##6, f##n##7, f##n##8, f##n##9
#define A100(n)								\
	A10(n##0), A10(n##1), A10(n##2), A10(n##3), A10(n##4),		\
	A10(n##5), A10(n##6), A10(n##7), A10(n##8), A10(n##9)

F100(0) F100(1) F100(2) F100(3) F100(4)
F100(5) F100(6) F100(7) F100(8) F100(9)

static int (*const functions[])(int x) = {
	A100(0), A100(1), A100(2), A100(3), A100(4),
	A100(5), A100(6), A100(7), A100(8), A100(9),
};

static struct kprobe many[ARRAY_SIZE(functions)];
static struct kprobe *many_array[ARRAY_SIZE(functions)];

static void try_detach(void)
{
	unsigned int i, nr = min_t(unsigned int, probes, ARRAY_SIZE(many));
	u64 begin, attach, each, grace;
	int ret;

	for (i = 0; i < nr; i++) {
		many[i].addr = (kprobe_opcode_t *)functions[i];
		many[i].pre_handler = count_pre;
		many_array[i] = &many[i];
	}
	hits = 0;
	begin = ktime_get_ns();
	ret = register_kprobes(many_array, nr);
	if (ret) {
		pr_info("BESIDE detach-failed %d\n", ret);
		return;
	}
	attach = ktime_get_ns() - begin;
	for (i = 0; i < nr; i++)
		functions[i](i);
	begin = ktime_get_ns();
	for (i = 0; i < nr; i++)
		unregister_kprobe(&many[i]);
	each = div_u64(ktime_get_ns() - begin, nr);
	begin = ktime_get_ns();
	for (i = 0; i < 10; i++)
		synchronize_rcu();
	grace = div_u64(ktime_get_ns() - begin, 10);
	pr_info("BESIDE attach-array-us %llu\n", div_u64(attach, 1000));
	pr_info("BESIDE detach-probes %u\n", nr);
	pr_info("BESIDE detach-hits %u\n", hits);
	pr_info("BESIDE detach-us-each %llu\n", div_u64(each, 1000));
	pr_info("BESIDE grace-period-us %llu\n", div_u64(grace, 1000));
}

static bool wanted(const char *part)
{
	return strstr(parts, part);
}

static int __init beside_init(void)
{
	if (wanted("steps"))
		try_steps();
	if (wanted("detach"))
		try_detach();
	if (wanted("storm"))
		try_storm();
	pr_info("BESIDE end 0\n");
	return 0;
}

static void __exit beside_exit(void)
{
}

module_init(beside_init);
module_exit(beside_exit);
MODULE_DESCRIPTION("What probes owe on any architecture");
MODULE_LICENSE("GPL");
