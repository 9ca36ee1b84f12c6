// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suites for return probes: errnos, what handlers see, running out of
 * instances, tasks that sleep and die in followed functions, backtraces.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/kprobes_backend.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "test.h"

static TARGET int follow_add(int a, int b)
{
	barrier();
	return a + b;
}

static TARGET int follow_mul(int a, int b)
{
	barrier();
	return a * b;
}

static TARGET int follow_forbidden(int a)
{
	barrier();
	return a;
}
NOKPROBE_SYMBOL(follow_forbidden);

static TARGET int follow_sum(int n)
{
	int below = n ? follow_sum(n - 1) : 0;

	/* Not a loop. */
	barrier();
	return below + n;
}

/* A return probe, and what its handlers have seen. */
struct followed {
	struct kretprobe probe;
	atomic_t entries;
	atomic_t returns;
	long value;
	unsigned long retaddr;
	unsigned long ip;
	struct task_struct *task;
	struct kretprobe *owner;
	struct kretprobe *raw_owner;
	struct kretprobe *held_for;
	bool same_holder;
	struct kprobe *running;
	unsigned int order;
	bool irqs_on;
	bool preemptible;
};

static unsigned int order_counter;

static int followed_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct followed *f = container_of(get_kretprobe(ri), struct followed,
					  probe);

	atomic_inc(&f->entries);
	return 0;
}

static int followed_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct followed *f = container_of(get_kretprobe(ri), struct followed,
					  probe);

	atomic_inc(&f->returns);
	f->value = regs_return_value(regs);
	f->retaddr = get_kretprobe_retaddr(ri);
	f->ip = instruction_pointer(regs);
	f->task = ri->task;
	f->owner = get_kretprobe(ri);
	f->raw_owner = ri->rp;
	/* What modules look at that are made for kernels without rethook. */
	f->held_for = ri->rph->rp;
	f->same_holder = ri->rph == f->probe.rph;
	f->running = kprobe_running();
	f->order = ++order_counter;
	f->irqs_on |= !irqs_disabled();
	f->preemptible |= preemptible();
	return 0;
}

#define FOLLOWED(target)	{					\
	.probe.kp.addr = (kprobe_opcode_t *)(target),			\
	.probe.entry_handler = followed_entry,				\
	.probe.handler = followed_return,				\
}

static void expect_calls(struct kunit *test, struct followed *f, int calls)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&f->entries), calls);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->returns), calls);
}

/*
 * Errnos
 */

struct errno_case {
	const char *name;
	void *addr;
	const char *symbol;
	unsigned int offset;
	unsigned int flags;
	size_t data_size;
	int expected;
};

static const struct errno_case errno_cases[] = {
	{ "address and symbol", follow_add, "vfs_read", 0, 0, 0, -EINVAL },
	{ "neither address nor symbol", .expected = -EINVAL },
	{ "flags nobody knows", follow_add, .flags = 0x8000,
	  .expected = -EINVAL },
	{ "no such symbol", .symbol = "there_is_no_such_symbol",
	  .expected = -ENOENT },
	{ "not at the entry", follow_sum, .offset = 8, .expected = -EINVAL },
	{ "not at the entry of a symbol", .symbol = "vfs_read", .offset = 9,
	  .expected = -EINVAL },
	{ "NOKPROBE_SYMBOL", follow_forbidden, .expected = -EINVAL },
#ifdef CONFIG_X86
	{ "returns on another stack", .symbol = "__switch_to",
	  .expected = -EINVAL },
#endif
	{ "too much data", follow_add, .data_size = KRETPROBE_MAX_DATA_SIZE + 1,
	  .expected = -E2BIG },
	{ "as much data as can be", follow_add,
	  .data_size = KRETPROBE_MAX_DATA_SIZE, .expected = 0 },
};

KUNIT_ARRAY_PARAM_DESC(errno, errno_cases, name);

static void test_errno(struct kunit *test)
{
	const struct errno_case *c = test->param_value;
	unsigned int sites = kprobe_sites_in_use();
	struct kretprobe rp = {
		.kp.addr = c->addr,
		.kp.symbol_name = c->symbol,
		.kp.offset = c->offset,
		.kp.flags = c->flags,
		.data_size = c->data_size,
		.handler = followed_return,
	};
	int ret = register_kretprobe(&rp);

	KUNIT_EXPECT_EQ(test, ret, c->expected);
	if (!ret)
		unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static void test_null(struct kunit *test)
{
	struct kretprobe *none = NULL;
	struct followed f = FOLLOWED(follow_add);
	struct kretprobe *array[] = { &f.probe };

	KUNIT_EXPECT_EQ(test, register_kretprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobes(&none, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobes(array, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobes(array, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kretprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kretprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kretprobe(&f.probe), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kretprobe(&f.probe), -EINVAL);
	unregister_kretprobe(NULL);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_NULL(test, f.probe.kp.addr);
}

static void test_twice(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);
	struct kretprobe *array[] = { &f.probe, &f.probe };

	KUNIT_EXPECT_EQ(test, register_kretprobes(array, 2), -EINVAL);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kretprobe(&f.probe), -EINVAL);
	KUNIT_EXPECT_EQ(test, follow_add(1, 2), 3);
	unregister_kretprobes(array, 2);
	expect_calls(test, &f, 1);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static void test_rollback(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use();
	struct followed f[] = {
		FOLLOWED(follow_add), FOLLOWED(follow_mul),
		FOLLOWED(follow_forbidden),
	};
	struct kretprobe *array[] = {
		&f[0].probe, &f[1].probe, &f[2].probe,
	};

	KUNIT_EXPECT_EQ(test, register_kretprobes(array, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	follow_add(1, 2);
	follow_mul(1, 2);
	expect_calls(test, &f[0], 0);
	expect_calls(test, &f[1], 0);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));

	KUNIT_ASSERT_EQ(test, register_kretprobes(array, 2), 0);
	follow_add(1, 2);
	follow_mul(1, 2);
	unregister_kretprobes(array, 2);
	expect_calls(test, &f[0], 1);
	expect_calls(test, &f[1], 1);
}

/*
 * Hits
 */

static void test_return(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_EXPECT_EQ(test, follow_add(3, 4), 7);
	preempt_disable();
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_EQ(test, follow_add(3, 4), 7);

	expect_calls(test, &f, 1);
	KUNIT_EXPECT_EQ(test, f.value, 7);
	KUNIT_EXPECT_PTR_EQ(test, f.task, current);
	KUNIT_EXPECT_PTR_EQ(test, f.owner, &f.probe);
	KUNIT_EXPECT_PTR_EQ(test, f.raw_owner, &f.probe);
	KUNIT_EXPECT_PTR_EQ(test, f.held_for, &f.probe);
	KUNIT_EXPECT_TRUE(test, f.same_holder);
	KUNIT_EXPECT_PTR_EQ(test, f.running, &f.probe.kp);
	KUNIT_EXPECT_EQ(test, f.ip, f.retaddr);
	KUNIT_EXPECT_LT(test, f.retaddr - (unsigned long)test_return, 0x800UL);
	KUNIT_EXPECT_FALSE(test, f.preemptible);
	KUNIT_EXPECT_FALSE(test, f.irqs_on);
	KUNIT_EXPECT_EQ(test, f.probe.nmissed, 0);
}

static void test_no_entry_handler(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);
	struct kretprobe silent = { .kp.addr = f.probe.kp.addr };

	f.probe.entry_handler = NULL;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&silent), 0);
	KUNIT_EXPECT_EQ(test, follow_add(3, 4), 7);
	unregister_kretprobe(&silent);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 1);
}

static void test_by_symbol(struct kunit *test)
{
	struct kretprobe rp = {
		.kp.symbol_name = "vfs_read",
		.handler = followed_return,
	};

	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	KUNIT_EXPECT_TRUE(test, rp.kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	unregister_kretprobe(&rp);
}

/* Odd arguments are not followed. */
static int picky_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	followed_entry(ri, regs);
	return regs_get_kernel_argument(regs, 0) & 1;
}

static void test_entry_declines(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);
	int i;

	f.probe.entry_handler = picky_entry;
	f.probe.maxactive = 1;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, follow_add(i, i), 2 * i);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.entries), 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 5);
	KUNIT_EXPECT_EQ(test, f.probe.nmissed, 0);
}

/* A call's own data, from its entry to its return, through a recursion. */
struct own_data {
	int n;
	char filler[53];
};

static atomic_t wrong_data;

static int own_data_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct own_data *data = (struct own_data *)ri->data;

	data->n = regs_get_kernel_argument(regs, 0);
	memset(data->filler, data->n, sizeof(data->filler));
	if (!IS_ALIGNED((unsigned long)data, sizeof(long)))
		atomic_inc(&wrong_data);
	return followed_entry(ri, regs);
}

static int own_data_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct own_data *data = (struct own_data *)ri->data;

	if ((int)regs_return_value(regs) != data->n * (data->n + 1) / 2 ||
	    memchr_inv(data->filler, data->n, sizeof(data->filler)))
		atomic_inc(&wrong_data);
	return followed_return(ri, regs);
}

static void test_own_data(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_sum);

	atomic_set(&wrong_data, 0);
	f.probe.entry_handler = own_data_entry;
	f.probe.handler = own_data_return;
	f.probe.data_size = sizeof(struct own_data);
	f.probe.maxactive = 21;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_EXPECT_EQ(test, follow_sum(20), 210);
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, 21);
	KUNIT_EXPECT_EQ(test, f.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong_data), 0);
}

static atomic_t crowded;

static int line_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!IS_ALIGNED((unsigned long)ri, L1_CACHE_BYTES))
		atomic_inc(&crowded);
	return followed_entry(ri, regs);
}

/* No two share a cache line, which CPUs would have to pass to and fro. */
static void test_own_line(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_sum);

	atomic_set(&crowded, 0);
	f.probe.entry_handler = line_entry;
	f.probe.maxactive = 21;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_EXPECT_EQ(test, follow_sum(20), 210);
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, 21);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowded), 0);
}

static const int maxactive_cases[] = { 1, 2, 3, 7, 30 };

static void maxactive_desc(const int *maxactive, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "maxactive %d", *maxactive);
}

KUNIT_ARRAY_PARAM(maxactive, maxactive_cases, maxactive_desc);

/* That many and no more, wherever the free instances are. */
static void test_maxactive(struct kunit *test)
{
	int max = *(const int *)test->param_value, depth, calls = 0, missed = 0;
	struct followed f = FOLLOWED(follow_sum);

	f.probe.maxactive = max;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	for (depth = 0; depth < 20; depth++) {
		KUNIT_EXPECT_EQ(test, follow_sum(depth),
				depth * (depth + 1) / 2);
		calls += min(depth + 1, max);
		missed += max(depth + 1 - max, 0);
	}
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, calls);
	KUNIT_EXPECT_EQ(test, f.probe.nmissed, missed);
	KUNIT_EXPECT_EQ(test, f.probe.kp.nmissed, 0);
}

#ifdef CONFIG_X86_64
/* A stack of 16 KiB has room for a thousand calls of this. */
int follow_deep(int n);
asm(".pushsection .text\n"
    ASM_FUNC_ALIGN "\n"
    ".type follow_deep, @function\n"
    "follow_deep:\n"
    "	endbr64\n"
    "	xor	%eax, %eax\n"
    "	test	%edi, %edi\n"
    "	jz	1f\n"
    "	dec	%edi\n"
    "	call	follow_deep\n"
    "	inc	%eax\n"
    "1:	" ASM_RET
    ".size follow_deep, . - follow_deep\n"
    ".popsection\n");
#define DEPTH	1000
#elif defined(CONFIG_X86_32)
/* And one of 8 KiB. */
int follow_deep(int n);
asm(".pushsection .text\n"
    ".type follow_deep, @function\n"
    "follow_deep:\n"
    "	test	%eax, %eax\n"
    "	jz	1f\n"
    "	dec	%eax\n"
    "	call	follow_deep\n"
    "	inc	%eax\n"
    "1:	" ASM_RET
    ".size follow_deep, . - follow_deep\n"
    ".popsection\n");
#define DEPTH	1000
#else
/* Neither made a loop of, nor called once for all. */
static TARGET int follow_deep(int n)
{
	int ret = n ? follow_deep(n - 1) : -1;

	barrier();
	OPTIMIZER_HIDE_VAR(ret);
	return ret + 1;
}
#define DEPTH	100
#endif

static void test_pool_grows(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_deep);
	int i, missed;

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	/* It doubles, in the background, whenever it has run out. */
	for (i = 0; i < 100; i++) {
		missed = f.probe.nmissed;
		KUNIT_EXPECT_EQ(test, follow_deep(DEPTH), DEPTH);
		if (missed == f.probe.nmissed)
			break;
		msleep(20);
	}
	KUNIT_EXPECT_GT(test, missed, 0);
	KUNIT_EXPECT_LT(test, i, 100);

	atomic_set(&f.returns, 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, follow_deep(DEPTH), DEPTH);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_EQ(test, f.probe.nmissed, missed);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 10 * (DEPTH + 1));
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static int change_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, regs_return_value(regs) + 1);
	return 0;
}

static void test_change_value(struct kunit *test)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)follow_add,
		.handler = change_return,
	};

	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	KUNIT_EXPECT_EQ(test, follow_add(3, 4), 8);
	unregister_kretprobe(&rp);
}

static void test_several(struct kunit *test)
{
	struct followed f[] = {
		FOLLOWED(follow_add), FOLLOWED(follow_add),
		FOLLOWED(follow_add),
	};
	struct kretprobe *array[] = {
		&f[0].probe, &f[1].probe, &f[2].probe,
	};
	int i;

	KUNIT_ASSERT_EQ(test, register_kretprobes(array, 3), 0);
	KUNIT_EXPECT_EQ(test, follow_add(3, 4), 7);
	/* Last in, first out; all know where the call returns to. */
	KUNIT_EXPECT_GT(test, f[0].order, f[1].order);
	KUNIT_EXPECT_GT(test, f[1].order, f[2].order);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, f[i].retaddr, f[0].retaddr);
		KUNIT_EXPECT_EQ(test, f[i].value, 7);
		KUNIT_EXPECT_LT(test, f[i].retaddr -
				(unsigned long)test_several, 0x800UL);
	}

	KUNIT_EXPECT_EQ(test, disable_kretprobe(&f[1].probe), 0);
	follow_add(3, 4);
	KUNIT_EXPECT_EQ(test, enable_kretprobe(&f[1].probe), 0);
	follow_add(3, 4);
	unregister_kretprobes(array, 3);
	expect_calls(test, &f[0], 3);
	expect_calls(test, &f[1], 2);
	expect_calls(test, &f[2], 3);
}

static int busy_pre(struct kprobe *p, struct pt_regs *regs)
{
	follow_add(1, 1);
	return 0;
}

/* A call made by a handler is not followed, and counted. */
static void test_call_from_handler(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)follow_mul,
		.pre_handler = busy_pre,
	};

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_EQ(test, follow_mul(3, 4), 12);
	unregister_kprobe(&p);
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, 0);
	KUNIT_EXPECT_EQ(test, f.probe.kp.nmissed, 1);
}

static int busy_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	follow_add(1, 1);
	return 0;
}

static void test_call_from_return_handler(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);
	struct kretprobe outer = {
		.kp.addr = (kprobe_opcode_t *)follow_mul,
		.handler = busy_return,
	};

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&outer), 0);
	KUNIT_EXPECT_EQ(test, follow_mul(3, 4), 12);
	unregister_kretprobe(&outer);
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, 0);
	KUNIT_EXPECT_EQ(test, f.probe.kp.nmissed, 1);
}

static void irq_calls(struct irq_work *work)
{
	follow_add(2, 2);
}

static void test_interrupt_on_top(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);
	struct irq_work work = IRQ_WORK_INIT_HARD(irq_calls);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	kprobe_busy_begin();
	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
	kprobe_busy_end();
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, 0);
	KUNIT_EXPECT_EQ(test, f.probe.kp.nmissed, 1);
}

#define CALLS_PER_CPU	1000

static void call_often(void *unused)
{
	int i;

	for (i = 0; i < CALLS_PER_CPU; i++)
		follow_add(i, 1);
}

static void test_all_cpus(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	on_each_cpu(call_often, NULL, 1);
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, CALLS_PER_CPU * num_online_cpus());
	KUNIT_EXPECT_EQ(test, f.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, f.probe.kp.nmissed, 0);
}

#ifdef CONFIG_X86
/* Goes on in the other function, and returns from there. */
int follow_tail(int a, int b);
asm(".pushsection .text\n"
    ASM_FUNC_ALIGN "\n"
    ".type follow_tail, @function\n"
    "follow_tail:\n"
#ifdef CONFIG_X86_64
    "	endbr64\n"
    "	inc	%edi\n"
#else
    "	inc	%eax\n"
#endif
    "	jmp	follow_add\n"
    ".size follow_tail, . - follow_tail\n"
    ".popsection\n");

static void test_tail_call(struct kunit *test)
{
	struct followed outer = FOLLOWED(follow_tail);
	struct followed inner = FOLLOWED(follow_add);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&inner.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&outer.probe), 0);
	KUNIT_EXPECT_EQ(test, follow_tail(3, 4), 8);
	KUNIT_EXPECT_LT(test, inner.order, outer.order);
	KUNIT_EXPECT_EQ(test, inner.retaddr, outer.retaddr);
	KUNIT_EXPECT_EQ(test, follow_add(3, 4), 7);
	unregister_kretprobe(&inner.probe);
	KUNIT_EXPECT_EQ(test, follow_tail(3, 4), 8);
	unregister_kretprobe(&outer.probe);
	expect_calls(test, &inner, 2);
	expect_calls(test, &outer, 2);
}
#endif

/* Handlers that are taken away are not called, and that is all. */
static void test_handlers_cleared(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_add);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_EXPECT_EQ(test, follow_add(1, 2), 3);
	f.probe.entry_handler = NULL;
	KUNIT_EXPECT_EQ(test, follow_add(1, 2), 3);
	f.probe.handler = NULL;
	f.probe.kp.pre_handler = NULL;
	f.probe.kp.addr = NULL;
	KUNIT_EXPECT_EQ(test, follow_add(1, 2), 3);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_EQ(test, follow_add(1, 2), 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.entries), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 2);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static struct kunit_case return_tests[] = {
	KUNIT_CASE_PARAM(test_errno, errno_gen_params),
	KUNIT_CASE(test_null),
	KUNIT_CASE(test_twice),
	KUNIT_CASE(test_rollback),
	KUNIT_CASE(test_return),
	KUNIT_CASE(test_no_entry_handler),
	KUNIT_CASE(test_by_symbol),
	KUNIT_CASE(test_entry_declines),
	KUNIT_CASE(test_own_data),
	KUNIT_CASE(test_own_line),
	KUNIT_CASE_PARAM(test_maxactive, maxactive_gen_params),
	KUNIT_CASE(test_pool_grows),
	KUNIT_CASE(test_handlers_cleared),
	KUNIT_CASE(test_change_value),
	KUNIT_CASE(test_several),
	KUNIT_CASE(test_call_from_handler),
	KUNIT_CASE(test_call_from_return_handler),
	KUNIT_CASE(test_interrupt_on_top),
	KUNIT_CASE(test_all_cpus),
#ifdef CONFIG_X86
	KUNIT_CASE(test_tail_call),
#endif
	{}
};

static struct kunit_suite return_suite = {
	.name = "kprobes_return",
	.test_cases = return_tests,
};

/*
 * Calls that last
 */

/* What a thread does in the followed function. */
enum way_out { RETURNS, SLEEPS, DIES, IS_KILLED };

struct visitor {
	enum way_out way_out;
	struct completion inside;
	struct completion leave;
	struct completion done;
	long result;
};

static void visitor_init(struct visitor *v, enum way_out way_out)
{
	*v = (struct visitor) { .way_out = way_out };
	init_completion(&v->inside);
	init_completion(&v->leave);
	init_completion(&v->done);
}

static TARGET long follow_visit(struct visitor *v)
{
	complete_all(&v->inside);
	switch (v->way_out) {
	case SLEEPS:
		wait_for_completion(&v->leave);
		break;
	case IS_KILLED:
		wait_for_completion_killable(&v->leave);
		break;
	case DIES:
		kthread_complete_and_exit(&v->done, 0);
	case RETURNS:
		break;
	}
	return (long)v ^ 0x5a5a;
}

static int visit(void *data)
{
	struct visitor *v = data;

	allow_signal(SIGKILL);
	v->result = follow_visit(v);
	/* It is gone from memory as soon as it is done. */
	kthread_complete_and_exit(&v->done, 0);
}

static struct task_struct *send_visitor(struct kunit *test, struct visitor *v)
{
	struct task_struct *task = kthread_create(visit, v, "kprobe_visitor");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	return task;
}

static void await_visitor(struct visitor *v, struct task_struct *task)
{
	if (v->way_out == SLEEPS)
		complete(&v->leave);
	if (v->way_out == IS_KILLED) {
		/* Before allow_signal() it would be ignored. */
		wait_for_completion(&v->inside);
		send_sig(SIGKILL, task, 1);
	}
	wait_for_completion(&v->done);
	put_task_struct(task);
}

static void test_unregister_in_flight(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_visit);
	struct task_struct *task;
	struct visitor v;

	/* Others' are freed some time after their return probes are gone. */
	KUNIT_ASSERT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
	visitor_init(&v, SLEEPS);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	task = send_visitor(test, &v);
	wait_for_completion(&v.inside);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.entries), 1);
	KUNIT_EXPECT_EQ(test, kretprobe_pools_in_use(), 1);
	await_visitor(&v, task);
	KUNIT_EXPECT_EQ(test, v.result, (long)&v ^ 0x5a5a);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 0);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static void test_disable_in_flight(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_visit);
	struct visitor v, other;
	struct task_struct *task;

	visitor_init(&v, SLEEPS);
	visitor_init(&other, RETURNS);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	task = send_visitor(test, &v);
	wait_for_completion(&v.inside);
	KUNIT_EXPECT_EQ(test, disable_kretprobe(&f.probe), 0);
	follow_visit(&other);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 0);
	await_visitor(&v, task);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.returns), 1);
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, 1);
}

/* The only instance comes back when the task has gone. */
static void test_death(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_visit);
	struct task_struct *task;
	struct visitor v;

	f.probe.maxactive = 1;
	visitor_init(&v, DIES);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	task = send_visitor(test, &v);
	await_visitor(&v, task);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.entries), 1);

	visitor_init(&v, RETURNS);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(({
		follow_visit(&v);
		atomic_read(&f.returns);
	})));
	unregister_kretprobe(&f.probe);
}

static void test_death_after_unregister(struct kunit *test)
{
	struct followed f = FOLLOWED(follow_visit);
	struct task_struct *task;
	struct visitor v;

	visitor_init(&v, DIES);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	task = send_visitor(test, &v);
	wait_for_completion(&v.inside);
	unregister_kretprobe(&f.probe);
	await_visitor(&v, task);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

#ifdef CONFIG_HOTPLUG_CPU
/* The only instance comes back when the CPU does, whose idle task had it. */
static void test_cpu_offline(struct kunit *test)
{
	struct followed f = FOLLOWED(NULL);
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int i;

	if (!cpu)
		kunit_skip(test, "a single CPU");
	f.probe.kp.symbol_name = "arch_cpu_idle_dead";
	f.probe.maxactive = 1;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
		KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&f.entries), 2);
	KUNIT_EXPECT_EQ(test, f.probe.nmissed, 0);
	unregister_kretprobe(&f.probe);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}
#endif

#define CROWD	8

/* One of the many visitors that come and go. */
struct guest {
	struct visitor v;
	struct task_struct *task;
};

static void guest_sent(struct kunit *test, struct guest *g, unsigned int nr)
{
	static const enum way_out ways[] = { RETURNS, SLEEPS, DIES, IS_KILLED };

	visitor_init(&g->v, ways[nr % 4]);
	g->task = send_visitor(test, &g->v);
}

static void guest_gone(struct kunit *test, struct guest *g)
{
	bool comes_back = g->v.way_out != DIES;

	await_visitor(&g->v, g->task);
	if (comes_back)
		KUNIT_EXPECT_EQ(test, g->v.result, (long)&g->v ^ 0x5a5a);
}

/* Where the machine is stopped for each change, an emulator takes long. */
#define VISIT_ROUNDS	(IS_ENABLED(CONFIG_ARM64) ? 200 : 1000)

static void test_visitor_storm(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use(), i, nr = 0;
	struct followed *f;
	struct guest *guests;

	guests = kunit_kcalloc(test, CROWD, sizeof(*guests), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, guests);
	for (i = 0; i < CROWD; i++)
		guest_sent(test, &guests[i], nr++);

	for (i = 0; i < VISIT_ROUNDS; i++) {
		/* Not left in memory for a handler that comes too late. */
		f = kzalloc(sizeof(*f), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, f);
		*f = (struct followed)FOLLOWED(follow_visit);
		KUNIT_ASSERT_EQ(test, register_kretprobe(&f->probe), 0);
		guest_gone(test, &guests[i % CROWD]);
		guest_sent(test, &guests[i % CROWD], nr++);
		if (i % 3)
			wait_for_completion(&guests[i % CROWD].v.inside);
		unregister_kretprobe(&f->probe);
		KUNIT_EXPECT_GE(test, atomic_read(&f->entries),
				atomic_read(&f->returns));
		memset(f, 0x6b, sizeof(*f));
		kfree(f);
	}
	for (i = 0; i < CROWD; i++)
		guest_gone(test, &guests[i]);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

/*
 * Pools are freed behind a grace period, for which no worker waits: the queue
 * is for others, too, also while thousands of return probes come and go.
 */
#define GOING	600	/* more than a queue has workers */

struct reader {
	bool stop;
	struct completion done;
	struct work_struct work;
};

/* It ends by itself: its CPU may be the one that would have to stop it. */
#define READER_MAX	(10 * HZ)

static int read_long(void *data)
{
	unsigned long end = jiffies + READER_MAX;
	struct reader *r = data;

	rcu_read_lock();
	while (!READ_ONCE(r->stop) && time_before(jiffies, end))
		cpu_relax();
	rcu_read_unlock();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void reader_work(struct work_struct *work)
{
	complete(&container_of(work, struct reader, work)->done);
}

static void test_many_going(struct kunit *test)
{
	struct kretprobe *rps, **array;
	struct task_struct *task;
	struct reader r = { };
	unsigned int waiting;
	unsigned long left;
	ktime_t start;
	s64 took;
	int i;

	if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		kunit_skip(test, "a long reader is not preempted");
	if (IS_ENABLED(CONFIG_RCU_BOOST))
		kunit_skip(test, "a preempted reader gets a priority above the test's");
	rps = kunit_kcalloc(test, GOING, sizeof(*rps), GFP_KERNEL);
	array = kunit_kcalloc(test, GOING, sizeof(*array), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rps);
	KUNIT_ASSERT_NOT_NULL(test, array);
	for (i = 0; i < GOING; i++) {
		array[i] = &rps[i];
		rps[i].kp.addr = (kprobe_opcode_t *)follow_add;
		rps[i].maxactive = 1;
	}
	init_completion(&r.done);
	INIT_WORK_ONSTACK(&r.work, reader_work);
	KUNIT_ASSERT_EQ(test, register_kretprobes(array, GOING), 0);

	task = kthread_run(read_long, &r, "kprobes-reader");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	msleep(20);
	start = ktime_get();
	for (i = 0; i < GOING; i++)
		unregister_kretprobe(&rps[i]);
	queue_work(system_unbound_wq, &r.work);
	left = wait_for_completion_timeout(&r.done, 3 * HZ);
	waiting = kretprobe_pools_in_use();
	took = ktime_ms_delta(ktime_get(), start);
	KUNIT_EXPECT_GT(test, left, 0);
	WRITE_ONCE(r.stop, true);
	kthread_stop(task);
	flush_work(&r.work);
	destroy_work_on_stack(&r.work);
	KUNIT_EXPECT_GE(test, waiting, GOING);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
	kunit_info(test, "%d return probes in %lld ms", GOING, took);
}

static struct kunit_case visit_tests[] = {
	KUNIT_CASE(test_unregister_in_flight),
	KUNIT_CASE(test_disable_in_flight),
	KUNIT_CASE(test_death),
	KUNIT_CASE(test_death_after_unregister),
	KUNIT_CASE(test_many_going),
#ifdef CONFIG_HOTPLUG_CPU
	KUNIT_CASE(test_cpu_offline),
#endif
	KUNIT_CASE_SLOW(test_visitor_storm),
	{}
};

/* What earlier cases have left behind goes in its own time. */
static int visit_init(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
	return 0;
}

static struct kunit_suite visit_suite = {
	.name = "kprobes_return_visits",
	.init = visit_init,
	.test_cases = visit_tests,
};

/*
 * Backtraces
 */

#define TRACE_MAX	64

struct trace {
	unsigned long entries[TRACE_MAX];
	unsigned int nr;
};

static struct trace inside, at_entry, at_return;

static TARGET int trace_leaf(int a)
{
	inside.nr = stack_trace_save(inside.entries, TRACE_MAX, 0);
	barrier();
	return a;
}

static TARGET int trace_middle(int a)
{
	return trace_leaf(a) + 1;
}

static TARGET int trace_top(int a)
{
	return trace_middle(a) + 1;
}

/* The one place from which all of it is called. */
static TARGET int trace_start(void)
{
	return trace_top(5) + 1;
}

static int trace_entry_handler(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	at_entry.nr = stack_trace_save(at_entry.entries, TRACE_MAX, 0);
	return 0;
}

static int trace_return_handler(struct kretprobe_instance *ri,
				struct pt_regs *regs)
{
	at_return.nr = stack_trace_save(at_return.entries, TRACE_MAX, 0);
	return 0;
}

/* The last @nr entries of two traces. */
static void expect_same_callers(struct kunit *test, const struct trace *a,
				const struct trace *b, unsigned int nr)
{
	unsigned int i;

	KUNIT_ASSERT_GE(test, a->nr, nr);
	KUNIT_ASSERT_GE(test, b->nr, nr);
	for (i = 1; i <= nr; i++)
		if (a->entries[a->nr - i] != b->entries[b->nr - i])
			KUNIT_FAIL(test, "%u of %u from the end: %pS, not %pS",
				   i, nr, (void *)b->entries[b->nr - i],
				   (void *)a->entries[a->nr - i]);
}

static void fprobe_returns(struct fprobe *fp, unsigned long ip,
			   unsigned long ret_ip, struct pt_regs *regs,
			   void *data)
{
}

static int trace_fprobe(struct fprobe *fp)
{
	unsigned long addrs[] = {
		(unsigned long)trace_leaf, (unsigned long)trace_middle,
		(unsigned long)trace_top,
	};

	fp->exit_handler = fprobe_returns;
	return register_fprobe_ips(fp, addrs, ARRAY_SIZE(addrs));
}
/* fprobes are there: not at all, from before, from after the return probes. */
enum fprobe_order { NO_FPROBE, FPROBE_FIRST, FPROBE_LAST };

struct trace_case {
	const char *name;
	int nr;
	enum fprobe_order order;
};

static const struct trace_case trace_cases[] = {
	{ "one", 1, NO_FPROBE },
	{ "nested", 3, NO_FPROBE },
	{ "nested, two each", 6, NO_FPROBE },
	{ "fprobe, then nested", 3, FPROBE_FIRST },
	{ "nested, then fprobe", 3, FPROBE_LAST },
	{ "fprobe, then nested, two each", 6, FPROBE_FIRST },
};

KUNIT_ARRAY_PARAM_DESC(trace, trace_cases, name);

static void test_backtrace(struct kunit *test)
{
	const struct trace_case *c = test->param_value;
	void *targets[] = { trace_leaf, trace_middle, trace_top };
	struct kretprobe *rps, *array[6];
	struct fprobe fp = { };
	struct trace plain;
	int i, ret;

	if (!IS_ENABLED(CONFIG_ARCH_CORRECT_STACKTRACE_ON_KRETPROBE))
		kunit_skip(test, "not expected of this architecture");
	rps = kunit_kcalloc(test, c->nr, sizeof(*rps), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rps);
	if (c->order == FPROBE_FIRST) {
		ret = trace_fprobe(&fp);
		if (ret)
			kunit_skip(test, "no fprobe: %d", ret);
	}

	for (i = 0; i < c->nr; i++) {
		array[i] = &rps[i];
		rps[i].kp.addr = targets[i % 3];
		rps[i].handler = trace_return_handler;
		rps[i].entry_handler = trace_entry_handler;
	}

	KUNIT_EXPECT_EQ(test, trace_start(), 8);
	plain = inside;

	KUNIT_EXPECT_EQ(test, register_kretprobes(array, c->nr), 0);
	if (c->order == FPROBE_LAST) {
		ret = trace_fprobe(&fp);
		if (ret) {
			unregister_kretprobes(array, c->nr);
			kunit_skip(test, "no fprobe: %d", ret);
		}
	}
	KUNIT_EXPECT_EQ(test, trace_start(), 8);

	unregister_kretprobes(array, c->nr);
	if (c->order != NO_FPROBE)
		unregister_fprobe(&fp);

	/* Leaf, middle, top, start, and this function, at two places. */
	KUNIT_ASSERT_GT(test, plain.nr, 5);
	KUNIT_ASSERT_EQ(test, inside.nr, plain.nr);
	KUNIT_EXPECT_MEMEQ(test, inside.entries, plain.entries,
			   4 * sizeof(long));
	plain.entries[4] = inside.entries[4];
	expect_same_callers(test, &plain, &inside, plain.nr);
	/*
	 * Handlers see more on top, and of the innermost (at its entry) or of
	 * the outermost function (at its return) only the callers.
	 */
	expect_same_callers(test, &plain, &at_entry, plain.nr - 1);
	expect_same_callers(test, &plain, &at_return,
			    c->nr == 1 ? plain.nr - 1 : plain.nr - 3);
}

static struct kunit_case trace_tests[] = {
	KUNIT_CASE_PARAM(test_backtrace, trace_gen_params),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "kprobes_return_traces",
	.test_cases = trace_tests,
};

kunit_test_suites(&return_suite, &visit_suite, &trace_suite);

MODULE_DESCRIPTION("KUnit suites for return probes");
MODULE_LICENSE("GPL");
