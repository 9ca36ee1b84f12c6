// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for return probes: errnos, values that handlers see, exhausted
 * pools and recursion.
 */
#include <linux/irq_work.h>
#include <linux/smp.h>
#include "test_regs.h"
#include "test_return.h"
#ifdef CONFIG_X86
#include "test_x86.h"
#endif

static TARGET int follow_blacklisted(int a)
{
	barrier();
	return a;
}
NOKPROBE_SYMBOL(follow_blacklisted);

static TARGET int follow_sum(int n)
{
	int below = n ? follow_sum(n - 1) : 0;

	/* Keep the compiler from turning the recursion into a loop. */
	barrier();
	return below + n;
}

/* A cold part of a function, entered and left by branches only. */
#ifdef CONFIG_X86
#define PARTED	"push " AX "\n test %eax, %eax\n"			\
		"jz follow_parted.cold\n1: pop " AX "\n" ASM_RET
#define BACK	"jmp 1b\n"
#elif defined(CONFIG_ARM64)
#define PARTED	"cbz x0, follow_parted.cold\n1: ret\n"
#define BACK	"b 1b\n"
#elif defined(CONFIG_PPC)
#define PARTED	"b follow_parted.cold\n1: blr\n"
#define BACK	"b 1b\n"
#endif
#ifndef NO_ENDBR
#define NO_ENDBR ""
#endif
#ifdef PARTED
asm(".pushsection .text\n"
	".balign 16\n"
	".type follow_parted, %function\n"
	"follow_parted: " NO_ENDBR PARTED
	".size follow_parted, . - follow_parted\n"
	".balign 16\n"
	".type follow_parted.cold, %function\n"
	"follow_parted.cold: nop\n nop\n" BACK
	".size follow_parted.cold, . - follow_parted.cold\n"
	".popsection");
extern char follow_parted[];
#endif

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
	{ "address and symbol", target_add, "vfs_read", 0, 0, 0, -EINVAL },
	{ "neither address nor symbol", .expected = -EINVAL },
	{ "unknown flags", target_add, .flags = 0x8000,
	  .expected = -EINVAL },
	{ "no such symbol", .symbol = "there_is_no_such_symbol",
	  .expected = -ENOENT },
	{ "not at the entry", follow_sum, .offset = 12, .expected = -EINVAL },
	{ "not at the entry of a symbol", .symbol = "vfs_read", .offset = 9,
	  .expected = -EINVAL },
	{ "NOKPROBE_SYMBOL", follow_blacklisted, .expected = -EINVAL },
#ifdef PARTED
	{ "cold part of a function", .symbol = "follow_parted.cold",
	  .expected = -EINVAL },
#endif
#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
	{ "entered by no call", .symbol = "ret_from_fork_asm",
	  .expected = -EINVAL },
#endif
#ifdef CONFIG_X86
	{ "returns on another stack", .symbol = "__switch_to",
	  .expected = -EINVAL },
#endif
	{ "too much data", target_add, .data_size = 4097, .expected = -E2BIG },
	{ "as much data as can be", target_add, .data_size = 4096 },
	{ "entry of a symbol", .symbol = "vfs_read" },
};

KUNIT_ARRAY_PARAM_DESC(errno, errno_cases, name);

static void test_refused_with_errno(struct kunit *test)
{
	const struct errno_case *c = test->param_value;
	unsigned int sites = kprobe_sites_in_use();
	struct kretprobe rp = {
		.kp.addr = c->addr,
		.kp.symbol_name = c->symbol,
		.kp.offset = c->offset,
		.kp.flags = c->flags,
		.data_size = c->data_size,
	};
	int ret = register_kretprobe(&rp);

	KUNIT_EXPECT_EQ(test, ret, c->expected);
	/* A probe that is refused within a function gets no address. */
	if (c->symbol && c->offset)
		KUNIT_EXPECT_NULL(test, rp.kp.addr);
	if (c->symbol && !ret)
		KUNIT_EXPECT_TRUE(test,
				  rp.kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	if (!ret)
		unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	expect_no_pools(test);
}

#ifdef PARTED
static void test_kprobe_on_cold_part_is_no_entry(struct kunit *test)
{
	struct kprobe p = KPROBE_ON("follow_parted.cold");

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_FALSE(test, p.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	/* This reference also keeps the linker from dropping the code. */
	KUNIT_EXPECT_TRUE(test, (char *)p.addr > follow_parted);
	unregister_kprobe(&p);
}
#endif

static void test_misuse_is_refused(struct kunit *test)
{
	struct kretprobe *none = NULL;
	struct followed f = FOLLOWED(target_add);
	struct kretprobe *array[] = { &f.probe, &f.probe };

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

	f.probe.kp.addr = (kprobe_opcode_t *)target_add;
	KUNIT_EXPECT_EQ(test, register_kretprobes(array, 2), -EINVAL);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kretprobe(&f.probe), -EINVAL);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	unregister_kretprobes(array, 2);
	expect_calls(test, &f, 1);
	expect_no_pools(test);
}

/* The kind of the probe decides, not the function used to unregister it. */
static void test_unregistered_as_kprobe(struct kunit *test)
{
	struct followed f = FOLLOWED(target_add);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	unregister_kprobe(&f.probe.kp);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	expect_calls(test, &f, 1);
	expect_no_pools(test);
	/* The kprobe must not keep anything of the return probe. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&f.probe.kp), 0);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	unregister_kprobe(&f.probe.kp);
	expect_calls(test, &f, 1);
}

static void test_bad_entry_undoes_array(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use();
	struct followed f[] = {
		FOLLOWED(target_add), FOLLOWED(target_mul),
		FOLLOWED(follow_blacklisted),
	};
	struct kretprobe *array[] = {
		&f[0].probe, &f[1].probe, &f[2].probe,
	};

	KUNIT_EXPECT_EQ(test, register_kretprobes(array, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	target_add(1, 2);
	target_mul(1, 2);
	expect_calls(test, &f[0], 0);
	expect_calls(test, &f[1], 0);
	expect_no_pools(test);

	KUNIT_ASSERT_EQ(test, register_kretprobes(array, 2), 0);
	target_add(1, 2);
	target_mul(1, 2);
	unregister_kretprobes(array, 2);
	expect_calls(test, &f[0], 1);
	expect_calls(test, &f[1], 1);
}

/*
 * Hits
 */

static void test_return_handler_runs(struct kunit *test)
{
	struct followed *f = FOLLOW(test, target_add);

	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	preempt_disable();
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();
	unregister_kretprobe(&f->probe);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);

	expect_calls(test, f, 1);
	KUNIT_EXPECT_EQ(test, f->value, 7);
	KUNIT_EXPECT_PTR_EQ(test, f->task, current);
	KUNIT_EXPECT_PTR_EQ(test, f->owner, &f->probe);
	KUNIT_EXPECT_PTR_EQ(test, f->raw_owner, &f->probe);
	KUNIT_EXPECT_PTR_EQ(test, f->held_for, &f->probe);
	KUNIT_EXPECT_TRUE(test, f->same_holder);
	KUNIT_EXPECT_PTR_EQ(test, f->running, &f->probe.kp);
	KUNIT_EXPECT_EQ(test, f->ip, f->retaddr);
	KUNIT_EXPECT_LT(test,
			f->retaddr - text_of(test_return_handler_runs),
			0x800UL);
	KUNIT_EXPECT_FALSE(test, f->preemptible);
	KUNIT_EXPECT_FALSE(test, f->irqs_on);
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, 0);
}

static void test_entry_handler_is_optional(struct kunit *test)
{
	struct followed *f = FOLLOW(test, target_add,
				    .probe.entry_handler = NULL);

	FOLLOW(test, target_add, .probe.entry_handler = NULL,
	       .probe.handler = NULL);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->returns), 1);
}

/* Decline calls with odd arguments. */
static int picky_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	followed_entry(ri, regs);
	return first_argument(regs) & 1;
}

static void test_entry_handler_declines(struct kunit *test)
{
	struct followed *f = FOLLOW(test, target_add,
				    .probe.entry_handler = picky_entry,
				    .probe.maxactive = 1);
	int i;

	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, target_add(i, i), 2 * i);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->entries), 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->returns), 5);
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, 0);
}

#define RECURSION	20

/* Each recursive call has its own data from its entry to its return. */
struct own_data {
	int n;
	char filler[53];
};

static atomic_t wrong_data, crowded;

static int own_data_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct own_data *data = (struct own_data *)ri->data;

	data->n = first_argument(regs);
	memset(data->filler, data->n, sizeof(data->filler));
	if (!IS_ALIGNED((unsigned long)data, sizeof(long)))
		atomic_inc(&wrong_data);
	if (!IS_ALIGNED((unsigned long)ri, L1_CACHE_BYTES))
		atomic_inc(&crowded);
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

/* Instances share no cache line, because the line would bounce between CPUs. */
static void test_each_call_has_its_data_and_cache_line(struct kunit *test)
{
	struct followed *f = FOLLOW(test, follow_sum,
				    .probe.entry_handler = own_data_entry,
				    .probe.handler = own_data_return,
				    .probe.data_size = sizeof(struct own_data),
				    .probe.maxactive = RECURSION + 1);

	atomic_set(&wrong_data, 0);
	atomic_set(&crowded, 0);
	KUNIT_EXPECT_EQ(test, follow_sum(RECURSION),
			RECURSION * (RECURSION + 1) / 2);
	expect_calls(test, f, RECURSION + 1);
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong_data), 0);
	if (OWN_POOLS)
		KUNIT_EXPECT_EQ(test, atomic_read(&crowded), 0);
}

static const int maxactive_cases[] = { 1, 2, 3, 7, 30 };

static void maxactive_desc(const int *maxactive, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "maxactive %d", *maxactive);
}

KUNIT_ARRAY_PARAM(maxactive, maxactive_cases, maxactive_desc);

/* Exactly maxactive instances must be usable, on any CPU. */
static void test_maxactive_limits_instances(struct kunit *test)
{
	int max = *(const int *)test->param_value, depth, calls = 0, missed = 0;
	struct followed *f = FOLLOW(test, follow_sum, .probe.maxactive = max);

	for (depth = 0; depth < 20; depth++) {
		KUNIT_EXPECT_EQ(test, follow_sum(depth),
				depth * (depth + 1) / 2);
		calls += min(depth + 1, max);
		missed += max(depth + 1 - max, 0);
	}
	KUNIT_EXPECT_EQ(test, f->probe.kp.site->missed[KPROBE_MISS_FULL],
			missed);
	expect_calls(test, f, calls);
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, missed);
	KUNIT_EXPECT_EQ(test, f->probe.kp.nmissed, 0);
}

#ifdef CONFIG_X86
#ifdef CONFIG_X86_64
#define DEEP_BEGIN	"endbr64\n xor %eax, %eax\n"
#define DEEP_N		"%edi"
#else
#define DEEP_BEGIN	""
#define DEEP_N		"%eax"
#endif

/* A thousand calls of this fit on a stack: each takes one word. */
int follow_deep(int n);
asm(".pushsection .text\n"
    ASM_FUNC_ALIGN "\n"
    ".type follow_deep, @function\n"
    "follow_deep:\n"
    DEEP_BEGIN
    "	test	" DEEP_N ", " DEEP_N "\n"
    "	jz	1f\n"
    "	dec	" DEEP_N "\n"
    "	call	follow_deep\n"
    "	inc	%eax\n"
    "1:	" ASM_RET
    ".size follow_deep, . - follow_deep\n"
    ".popsection\n");
#define DEPTH	1000
#else
/* Keep the compiler from using a loop or reusing a result. */
static TARGET int follow_deep(int n)
{
	int ret = n ? follow_deep(n - 1) : -1;

	barrier();
	OPTIMIZER_HIDE_VAR(ret);
	return ret + 1;
}
/* On sparc64 a frame has at least 176 bytes, and the stack 16 KiB. */
#define DEPTH	(IS_ENABLED(CONFIG_SPARC64) ? 50 : 100)
#endif

static void test_pool_grows(struct kunit *test)
{
	struct followed *f;
	int i, missed;

	if (!OWN_POOLS)
		kunit_skip(test, "rethook's pools do not grow");
	f = FOLLOW(test, follow_deep);
	/* The pool doubles in the background after it has run out. */
	for (i = 0; i < 100; i++) {
		missed = f->probe.nmissed;
		KUNIT_EXPECT_EQ(test, follow_deep(DEPTH), DEPTH);
		if (missed == f->probe.nmissed)
			break;
		msleep(20);
	}
	KUNIT_EXPECT_GT(test, missed, 0);
	KUNIT_EXPECT_LT(test, i, 100);

	atomic_set(&f->returns, 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, follow_deep(DEPTH), DEPTH);
	unregister_kretprobe(&f->probe);
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, missed);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->returns), 10 * (DEPTH + 1));
	expect_no_pools(test);
}

static int change_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	set_return_value(regs, regs_return_value(regs) + 1);
	return 0;
}

static void test_return_value_changes(struct kunit *test)
{
	FOLLOW(test, target_add, .probe.handler = change_return);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 8);
}

static void test_several_share_a_function(struct kunit *test)
{
	struct followed f[] = {
		FOLLOWED(target_add), FOLLOWED(target_add),
		FOLLOWED(target_add),
	};
	struct kretprobe *array[] = {
		&f[0].probe, &f[1].probe, &f[2].probe,
	};
	int i;

	KUNIT_ASSERT_EQ(test, register_kretprobes(array, 3), 0);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	/* The oldest probe is called first; all must see the return address. */
	KUNIT_EXPECT_LT(test, f[0].order, f[1].order);
	KUNIT_EXPECT_LT(test, f[1].order, f[2].order);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, f[i].retaddr, f[0].retaddr);
		KUNIT_EXPECT_EQ(test, f[i].value, 7);
		KUNIT_EXPECT_LT(test, f[i].retaddr -
				text_of(test_several_share_a_function),
				0x800UL);
	}

	KUNIT_EXPECT_EQ(test, disable_kretprobe(&f[1].probe), 0);
	target_add(3, 4);
	KUNIT_EXPECT_EQ(test, enable_kretprobe(&f[1].probe), 0);
	target_add(3, 4);
	unregister_kretprobes(array, 3);
	expect_calls(test, &f[0], 3);
	expect_calls(test, &f[1], 2);
	expect_calls(test, &f[2], 3);
}

static int calling_pre(struct kprobe *p, struct pt_regs *regs)
{
	target_add(1, 1);
	return 0;
}

static int calling_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	target_add(1, 1);
	return 0;
}

static void expect_calls_missed(struct kunit *test, int nr_pre, int nr_return)
{
	struct followed f = FOLLOWED(target_add);
	struct kprobe p = KPROBE_AT(target_mul, .pre_handler = calling_pre);
	struct kretprobe outer[] = {
		KRETPROBE_AT(target_mul, .handler = calling_return),
		KRETPROBE_AT(target_mul, .handler = calling_return),
	};
	struct kretprobe *array[] = { &outer[0], &outer[1] };

	KUNIT_ASSERT_EQ(test, register_kretprobe(&f.probe), 0);
	if (nr_pre)
		KUNIT_EXPECT_EQ(test, register_kprobe(&p), 0);
	if (nr_return)
		KUNIT_EXPECT_EQ(test, register_kretprobes(array, nr_return), 0);
	KUNIT_EXPECT_EQ(test, target_mul(3, 4), 12);
	unregister_kretprobes(array, nr_return);
	unregister_kprobe(&p);
	unregister_kretprobe(&f.probe);
	expect_calls(test, &f, 0);
	KUNIT_EXPECT_EQ(test, f.probe.kp.nmissed, nr_pre + nr_return);
}

/* A call by a handler must not be followed, and must be counted as missed. */
static void test_call_from_handler_is_missed(struct kunit *test)
{
	int nr_pre, nr_return;

	for (nr_pre = 0; nr_pre <= 1; nr_pre++)
		for (nr_return = 0; nr_return <= 2; nr_return++)
			expect_calls_missed(test, nr_pre, nr_return);
}

static void irq_calls(struct irq_work *work)
{
	target_add(2, 2);
}

static void test_busy_cpu_misses_calls(struct kunit *test)
{
	struct followed *f = FOLLOW(test, target_add);
	struct irq_work work = IRQ_WORK_INIT_HARD(irq_calls);

	kprobe_busy_begin();
	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
	kprobe_busy_end();
	expect_calls(test, f, 0);
	KUNIT_EXPECT_EQ(test, f->probe.kp.nmissed, 1);
}

#define CALLS_PER_CPU	1000

static void call_often(void *unused)
{
	int i;

	for (i = 0; i < CALLS_PER_CPU; i++)
		target_add(i, 1);
}

static void test_no_cpu_loses_a_call(struct kunit *test)
{
	struct followed *f = FOLLOW(test, target_add);

	on_each_cpu(call_often, NULL, 1);
	expect_calls(test, f, CALLS_PER_CPU * num_online_cpus());
	KUNIT_EXPECT_EQ(test, f->probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, f->probe.kp.nmissed, 0);
}

#ifdef CONFIG_X86
/* Jumps to target_add(), which returns to the caller. */
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
    "	jmp	target_add\n"
    ".size follow_tail, . - follow_tail\n"
    ".popsection\n");

static void test_tail_call_is_followed(struct kunit *test)
{
	struct followed *inner = FOLLOW(test, target_add);
	struct followed *outer = FOLLOW(test, follow_tail);

	KUNIT_EXPECT_EQ(test, follow_tail(3, 4), 8);
	KUNIT_EXPECT_LT(test, inner->order, outer->order);
	KUNIT_EXPECT_EQ(test, inner->retaddr, outer->retaddr);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	unregister_kretprobe(&inner->probe);
	KUNIT_EXPECT_EQ(test, follow_tail(3, 4), 8);
	expect_calls(test, inner, 2);
	expect_calls(test, outer, 2);
}
#endif

/* A handler that the user has cleared must not run any more. */
static void test_cleared_handlers_do_not_run(struct kunit *test)
{
	struct followed *f = FOLLOW(test, target_add);

	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	f->probe.entry_handler = NULL;
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	f->probe.handler = NULL;
	f->probe.kp.pre_handler = NULL;
	f->probe.kp.addr = NULL;
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	unregister_kretprobe(&f->probe);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->entries), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->returns), 2);
	expect_no_pools(test);
}

/* A return probe registered as a kprobe has no pool to free. */
static void test_kprobe_is_unregistered_as_kretprobe(struct kunit *test)
{
	struct kretprobe rp = KRETPROBE_AT(target_add, .rph = (void *)-1L);
	unsigned int sites = kprobe_sites_in_use();

	KUNIT_ASSERT_EQ(test, register_kprobe(&rp.kp), 0);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&rp.kp), -EINVAL);
}

/* The user may register it as a kprobe instead. */
static void test_refused_for_memory_has_no_handler(struct kunit *test)
{
	struct kretprobe rp = KRETPROBE_AT(target_add, .maxactive = INT_MAX);

	KUNIT_EXPECT_EQ(test, register_kretprobe(&rp), -ENOMEM);
	KUNIT_EXPECT_NULL(test, rp.kp.pre_handler);
}

static struct kunit_case return_tests[] = {
	KUNIT_CASE_PARAM(test_refused_with_errno, errno_gen_params),
#ifdef PARTED
	KUNIT_CASE(test_kprobe_on_cold_part_is_no_entry),
#endif
	KUNIT_CASE(test_misuse_is_refused),
	KUNIT_CASE(test_kprobe_is_unregistered_as_kretprobe),
	KUNIT_CASE(test_unregistered_as_kprobe),
	KUNIT_CASE(test_bad_entry_undoes_array),
	KUNIT_CASE(test_return_handler_runs),
	KUNIT_CASE(test_entry_handler_is_optional),
	KUNIT_CASE(test_entry_handler_declines),
	KUNIT_CASE(test_each_call_has_its_data_and_cache_line),
	KUNIT_CASE_PARAM(test_maxactive_limits_instances, maxactive_gen_params),
	KUNIT_CASE(test_pool_grows),
	KUNIT_CASE(test_cleared_handlers_do_not_run),
	KUNIT_CASE(test_return_value_changes),
	KUNIT_CASE(test_several_share_a_function),
	KUNIT_CASE(test_call_from_handler_is_missed),
	KUNIT_CASE(test_busy_cpu_misses_calls),
	KUNIT_CASE(test_no_cpu_loses_a_call),
	KUNIT_CASE(test_refused_for_memory_has_no_handler),
#ifdef CONFIG_X86
	KUNIT_CASE(test_tail_call_is_followed),
#endif
	{}
};

static struct kunit_suite return_suite = {
	.name = "kprobes_return",
	.test_cases = return_tests,
};

kunit_test_suite(return_suite);
