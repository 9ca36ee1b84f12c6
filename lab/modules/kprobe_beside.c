// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What probes owe on any architecture, for stock kernels as well as ours: what
 * fails on both is not ours.  Prints lines "BESIDE <what> <number>".
 *
 * The addresses of instructions are found by asking for a probe at each.
 */
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

static unsigned int rounds = 200;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "how often probes are removed while they are hit");

static char *only = "";
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "the one part to run: steps, storm or detach");

/*
 * Each instruction of a function
 */

static noinline unsigned int step(unsigned int x, unsigned int n)
{
	barrier();
	return x * 3 + n;
}

/* Loops, branches both ways, memory, and a call. */
static noinline unsigned int mix(unsigned int x, const u8 *bytes, int nr)
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

/* The symbol's size is behind the slash of "name+0x0/0x123 [module]". */
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

static atomic_t dead, storm_hits;

static int guarded_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(container_of(p, struct guarded, p)->alive) != ALIVE)
		atomic_inc(&dead);
	atomic_inc(&storm_hits);
	return 0;
}

static int hammer(void *unused)
{
	while (!kthread_should_stop()) {
		step(1, 2);
		call_mix();
		cond_resched();
	}
	return 0;
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
	struct task_struct *tasks[8] = { };
	unsigned int i, failed = 0, nr = min(num_online_cpus(), 8U);

	for (i = 0; i < nr; i++) {
		tasks[i] = kthread_create(hammer, NULL, "beside/%u", i);
		if (IS_ERR(tasks[i]))
			break;
		kthread_bind(tasks[i], i);
		wake_up_process(tasks[i]);
	}
	nr = i;
	for (i = 0; i < rounds; i++)
		failed += !!storm_round(i & 1);
	for (i = 0; i < nr; i++)
		kthread_stop(tasks[i]);
	pr_info("BESIDE storm-cpus %u\n", nr);
	pr_info("BESIDE storm-rounds %u\n", rounds);
	pr_info("BESIDE storm-hits %u\n", atomic_read(&storm_hits));
	pr_info("BESIDE storm-failed %u\n", failed);
	pr_info("BESIDE storm-dead %u\n", atomic_read(&dead));
}

/*
 * What it takes to remove probes one by one
 */

#define F1(n)								\
	static noinline int f##n(int x) { barrier(); return x + (n); }
#define F4(n)	F1(n##0) F1(n##1) F1(n##2) F1(n##3)
#define F16(n)	F4(n##0) F4(n##1) F4(n##2) F4(n##3)
#define F64(n)	F16(n##0) F16(n##1) F16(n##2) F16(n##3)
#define A4(n)	f##n##0, f##n##1, f##n##2, f##n##3
#define A16(n)	A4(n##0), A4(n##1), A4(n##2), A4(n##3)
#define A64(n)	A16(n##0), A16(n##1), A16(n##2), A16(n##3)

F64(1)
F64(2)

static int (*const functions[])(int x) = { A64(1), A64(2) };
static struct kprobe many[ARRAY_SIZE(functions)];
static struct kprobe *many_array[ARRAY_SIZE(functions)];

static void try_detach(void)
{
	u64 begin, each, grace;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		many[i].addr = (kprobe_opcode_t *)functions[i];
		many[i].pre_handler = count_pre;
		many_array[i] = &many[i];
	}
	ret = register_kprobes(many_array, ARRAY_SIZE(many));
	if (ret) {
		pr_info("BESIDE detach-failed %d\n", ret);
		return;
	}
	begin = ktime_get_ns();
	for (i = 0; i < ARRAY_SIZE(many); i++)
		unregister_kprobe(&many[i]);
	each = div_u64(ktime_get_ns() - begin, ARRAY_SIZE(many));
	begin = ktime_get_ns();
	for (i = 0; i < 10; i++)
		synchronize_rcu();
	grace = div_u64(ktime_get_ns() - begin, 10);
	pr_info("BESIDE detach-probes %zu\n", ARRAY_SIZE(many));
	pr_info("BESIDE detach-us-each %llu\n", div_u64(each, 1000));
	pr_info("BESIDE grace-period-us %llu\n", div_u64(grace, 1000));
}

static bool wanted(const char *part)
{
	return !*only || !strcmp(only, part);
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
