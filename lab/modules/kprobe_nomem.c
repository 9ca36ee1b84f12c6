// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make each allocation of each call fail, one at a time: in a call's first
 * trial the first allocation of the loading task, in the second trial the
 * second one, until a call needs no more of them.  A call whose allocation
 * fails either returns -ENOMEM or succeeds without it.  Then it must not have
 * armed or lost any probe, and the same call must succeed in the next trial.
 *
 * Loading fails with -EINVAL if a check fails; see the log.  The faults are
 * those of CONFIG_FAULT_INJECTION: before loading this, configure failslab and
 * fail_page_alloc in debugfs to include allocations that may sleep.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kprobes_hit.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "test_symbols.h"

#define MAX_TRIALS	1000
#define NR		4
#define CODE_SIZE	16

/* Neither inlined nor cloned. */
#define __noipa	__attribute__((__noipa__))

/* The probed functions; only the last one has a call of ftrace. */
static __noipa notrace int target_0(int x) { barrier(); return x * 3 + 1; }
static __noipa notrace int target_1(int x) { barrier(); return x * 5 + 1; }
static __noipa notrace int target_2(int x) { barrier(); return x * 7 + 1; }
static __noipa int target_3(int x) { barrier(); return x * 9 + 1; }

static int (*const targets[NR])(int) = {
	target_0, target_1, target_2, target_3,
};

static u8 code[NR][CODE_SIZE];
static unsigned int hits;

static struct kprobe probes[NR], other;
static struct kretprobe returns[NR];
static struct jprobe jump;
static struct kprobe *all_probes[NR];
static struct kretprobe *all_returns[NR];

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int count_jump(int x)
{
	hits++;
	jprobe_return();
	return 0;
}

static void *entry(int i)
{
	return dereference_function_descriptor(targets[i]);
}

/* Reset all of them, because a structure must not be used twice otherwise. */
static void fresh(void)
{
	int i;

	memset(&other, 0, sizeof(other));
	memset(&jump, 0, sizeof(jump));
	jump.kp.addr = entry(0);
	jump.entry = count_jump;
	other.addr = entry(0);
	other.pre_handler = count_pre;
	for (i = 0; i < NR; i++) {
		memset(&probes[i], 0, sizeof(probes[i]));
		probes[i].addr = entry(i);
		probes[i].pre_handler = count_pre;
		all_probes[i] = &probes[i];
		memset(&returns[i], 0, sizeof(returns[i]));
		returns[i].kp.addr = entry(i);
		returns[i].handler = count_return;
		returns[i].data_size = 64;
		all_returns[i] = &returns[i];
	}
}

static int nothing(void) { return 0; }
static void nothing_undone(void) { }

static int one(void) { return register_kprobe(&probes[0]); }
static void no_one(void) { unregister_kprobe(&probes[0]); }
static int one_by_ftrace(void) { return register_kprobe(&probes[3]); }
static void no_one_by_ftrace(void) { unregister_kprobe(&probes[3]); }
static int another(void) { return register_kprobe(&other); }
static void no_other(void) { unregister_kprobe(&other); }

static int one_with_post(void)
{
	probes[0].post_handler = count_post;
	return one();
}

static int one_by_name(void)
{
	probes[0].addr = NULL;
	probes[0].symbol_name = "kprobe_nomem:target_0";
	return one();
}

static int one_disabled(void)
{
	probes[0].flags = KPROBE_FLAG_DISABLED;
	return one();
}

static int enable_one(void) { return enable_kprobe(&probes[0]); }
static int disable_one(void) { return disable_kprobe(&probes[0]); }

static int remove_one(void)
{
	no_one();
	return 0;
}

static int many(void) { return register_kprobes(all_probes, NR); }
static void no_many(void) { unregister_kprobes(all_probes, NR); }

static int remove_many(void)
{
	no_many();
	return 0;
}

static int one_return(void) { return register_kretprobe(&returns[0]); }
static void no_return(void) { unregister_kretprobe(&returns[0]); }
static int many_returns(void) { return register_kretprobes(all_returns, NR); }
static void no_returns(void) { unregister_kretprobes(all_returns, NR); }

static int remove_returns(void)
{
	no_returns();
	return 0;
}

static int one_jump(void) { return register_jprobe(&jump); }
static void no_jump(void) { unregister_jprobe(&jump); }

/*
 * So many disabled probes, each on an instruction that has a slot, that all
 * slots of a page are in use: the next one needs a new page.
 */
#ifdef CONFIG_X86_64
#define SLOTS	(PAGE_SIZE / KPROBE_SLOT_SIZE)

extern u8 many_insns[];
static struct kprobe fill[SLOTS], *all_fill[SLOTS];
static int nr_fill;

/* Five bytes each. */
static __noipa notrace void fill_target(void)
{
	asm volatile("many_insns:\n"
		     ".rept %c0\n"
		     "	mov $1, %%eax\n"
		     ".endr\n"
		     : : "i" (SLOTS) : "eax");
}

static int page_full(void)
{
	int i;

	/* Called once, so that the linker keeps it. */
	fill_target();
	kprobe_flush_retired();
	nr_fill = SLOTS - kprobe_slots_in_use() % SLOTS;
	for (i = 0; i < nr_fill; i++) {
		memset(&fill[i], 0, sizeof(fill[i]));
		fill[i].addr = many_insns + 5 * i;
		fill[i].flags = KPROBE_FLAG_DISABLED;
		all_fill[i] = &fill[i];
	}
	return register_kprobes(all_fill, nr_fill);
}

static void no_page_full(void) { unregister_kprobes(all_fill, nr_fill); }
#define LEAST_OF_PAGE	3
#else
static int page_full(void) { return 0; }
static void no_page_full(void) { }
#define LEAST_OF_PAGE	1
#endif

/*
 * The call with faults, the calls without faults before and after it, the
 * number of handlers that a call of all targets runs before and after it, and
 * the minimum number of failed allocations.
 */
static const struct call {
	const char *name;
	int (*before)(void);
	int (*call)(void);
	void (*undo)(void);
	void (*after)(void);
	unsigned int hits_before, hits_after, least;
} calls[] = {
	{ "register_kprobe", nothing, one, no_one, nothing_undone, 0, 1, 1 },
	{ "register_kprobe by name", nothing, one_by_name, no_one,
	  nothing_undone, 0, 1, 1 },
	{ "register_kprobe with a post handler", nothing, one_with_post, no_one,
	  nothing_undone, 0, 1, 1 },
	{ "register_kprobe by ftrace", nothing, one_by_ftrace, no_one_by_ftrace,
	  nothing_undone, 0, 1, 1 },
	/* A free slot may be left. */
	{ "register_kprobe beside another", one, another, no_other, no_one,
	  1, 2, 0 },
	{ "register_kprobe without a free slot", page_full, one, no_one,
	  no_page_full, 0, 1, LEAST_OF_PAGE },
	{ "register_kprobe, disabled", nothing, one_disabled, no_one,
	  nothing_undone, 0, 0, 1 },
	{ "register_kprobes", nothing, many, no_many, nothing_undone,
	  0, NR, 1 },
	{ "enable_kprobe", one_disabled, enable_one, nothing_undone, no_one,
	  0, 1 },
	{ "disable_kprobe", one, disable_one, nothing_undone, no_one, 1, 0 },
	{ "unregister_kprobe", one, remove_one, nothing_undone, nothing_undone,
	  1, 0 },
	{ "unregister_kprobes", many, remove_many, nothing_undone,
	  nothing_undone, NR, 0 },
	{ "register_kretprobe", nothing, one_return, no_return, nothing_undone,
	  0, 1, 1 },
	{ "register_kretprobes", nothing, many_returns, no_returns,
	  nothing_undone, 0, NR, 1 },
	{ "unregister_kretprobes", many_returns, remove_returns, nothing_undone,
	  nothing_undone, NR, 0 },
	{ "register_jprobe", nothing, one_jump, no_jump, nothing_undone,
	  0, 1, 1 },
};

/* Return the number of handlers that run when each target is called. */
static unsigned int hits_now(void)
{
	unsigned int before = hits;
	int i;

	for (i = 0; i < NR; i++)
		targets[i](i);
	return hits - before;
}

/* Wait: a worker removes ftrace's calls a little later. */
static bool text_is_back(void)
{
	int i, tries;

	for (tries = 0; tries < 500; tries++) {
		for (i = 0; i < NR; i++) {
			if (memcmp(code[i], entry(i), CODE_SIZE))
				break;
		}
		if (i == NR)
			return true;
		msleep(20);
	}
	return false;
}

static int complain(const struct call *c, int n, const char *what, int number)
{
	pr_err("%s, allocation %d failed: %s %d\n", c->name, n, what, number);
	return -EINVAL;
}

/* Return 1 if the call needs no nth allocation, 0 if it does, or an errno. */
static int trial(const struct call *c, int n, unsigned int *without)
{
	bool failed;
	int ret, wrong;

	fresh();
	ret = c->before();
	if (ret)
		return complain(c, n, "the preparation returns", ret);
	wrong = hits_now() == c->hits_before ? 0 :
		complain(c, n, "hits before are not", c->hits_before);

	current->fail_nth = n;
	ret = c->call();
	failed = !current->fail_nth;
	current->fail_nth = 0;

	if (ret && (!failed || ret != -ENOMEM))
		wrong = complain(c, n, "it returns", ret);
	if (!wrong && hits_now() != (ret ? c->hits_before : c->hits_after))
		wrong = complain(c, n, "hits are wrong after it returned", ret);
	if (!ret) {
		*without += failed;
		c->undo();
	}
	c->after();
	if (!wrong && hits_now())
		wrong = complain(c, n, "probes remain after it returned", ret);
	if (!wrong && !text_is_back())
		wrong = complain(c, n, "text differs after it returned", ret);
	return wrong ?: !failed;
}

static int __init kprobe_nomem_init(void)
{
	unsigned int i, n, without;
	int ret;

	for (i = 0; i < NR; i++)
		memcpy(code[i], entry(i), CODE_SIZE);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		without = 0;
		for (n = 1; n < MAX_TRIALS; n++) {
			ret = trial(&calls[i], n, &without);
			if (ret)
				break;
		}
		if (ret < 0)
			return ret;
		if (!ret)
			return complain(&calls[i], n, "there is no end", 0);
		if (n - 1 < calls[i].least)
			return complain(&calls[i], n, "too few:", n - 1);
		pr_info("%s: each of %u failed, %u times it did without\n",
			calls[i].name, n - 1, without);
	}
	return 0;
}

static void __exit kprobe_nomem_exit(void)
{
}

module_init(kprobe_nomem_init);
module_exit(kprobe_nomem_exit);
MODULE_DESCRIPTION("Each allocation of each call of kprobes fails");
MODULE_LICENSE("GPL");
