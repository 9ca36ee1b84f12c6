// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for jprobes: their handlers see arguments in registers and on the
 * stack, end in several ways, and coexist with other probes of the function.
 */
#include <linux/fprobe.h>
#include <linux/kasan.h>
#include <linux/linkage.h>
#include <linux/sizes.h>
#include "test.h"
#include "test_fprobe_regs.h"

/*
 * Functions with up to 16 integer arguments and a result that depends on all of
 * them, and handlers that record their arguments and overwrite them.
 */
#define NR_ARGS	16

static long got[NR_ARGS];
static int calls;
static bool plain_return;

static void noted(void)
{
	calls++;
	if (!plain_return)
		jprobe_return();
}

#define P0	void
#define P1	long a1
#define P2	P1, long a2
#define P3	P2, long a3
#define P4	P3, long a4
#define P5	P4, long a5
#define P6	P5, long a6
#define P7	P6, long a7
#define P8	P7, long a8
#define P9	P8, long a9
#define P10	P9, long a10
#define P14	P10, long a11, long a12, long a13, long a14
#define P16	P14, long a15, long a16
#define V0
#define V1	(11)
#define V2	LIST(V1, (-22))
#define V3	LIST(V2, ~0UL / 5)
#define V4	LIST(V3, 44)
#define V5	LIST(V4, 55)
#define V6	LIST(V5, (long)-6666666666)
#define V7	LIST(V6, 77)
#define V8	LIST(V7, ~0UL / 15 * 8)
#define V9	LIST(V8, 99)
#define V10	LIST(V9, -101010)
#define V14	LIST(V10, ~0UL / 7, 121212, -131313, 141414)
#define V16	LIST(V14, ~0UL / 11, -161616)

/* f<n>() applies SUM to each argument, and h<n>() applies NOTE. */
#define SUM(n)	(r = r * 31 + a##n)
#define NOTE(n) do {							\
	got[(n) - 1] = a##n;						\
	a##n = ~a##n;							\
	OPTIMIZER_HIDE_VAR(a##n);					\
} while (0)
#define E0(x)
#define E1(x)	x(1)
#define E2(x)	LIST(E1(x); x(2))
#define E3(x)	LIST(E2(x); x(3))
#define E4(x)	LIST(E3(x); x(4))
#define E5(x)	LIST(E4(x); x(5))
#define E6(x)	LIST(E5(x); x(6))
#define E7(x)	LIST(E6(x); x(7))
#define E8(x)	LIST(E7(x); x(8))
#define E9(x)	LIST(E8(x); x(9))
#define E10(x)	LIST(E9(x); x(10))
#define E14(x)	LIST(E10(x); x(11); x(12); x(13); x(14))
#define E16(x)	LIST(E14(x); x(15); x(16))

#define ARGS_OF(n, suffix, linkage)					\
	linkage TARGET long f##suffix(P##n)				\
	{								\
		long r = n;						\
									\
		E##n(SUM);						\
		barrier();						\
		return r;						\
	}								\
									\
	linkage TARGET long h##suffix(P##n)				\
	{								\
		E##n(NOTE);						\
		noted();						\
		return -1;						\
	}								\
									\
	static long call##suffix(void)					\
	{								\
		return f##suffix(V##n);					\
	}

#define ARGS(n)	ARGS_OF(n, n, static)

/* Some architectures pass all asmlinkage arguments on the stack. */
ARGS_OF(5, 5_linked, static asmlinkage)
ARGS(0)
ARGS(1)
ARGS(2)
ARGS(3)
ARGS(4)
ARGS(5)
ARGS(6)
ARGS(7)
ARGS(8)
ARGS(9)
ARGS(10)
/* The longest lists fill the 64 bytes of stack that a jprobe can see. */
#ifdef CONFIG_X86_64
ARGS(14)
#else
ARGS(16)
#endif

static const long values[NR_ARGS] = { V16 };

struct args_case {
	const char *name;
	int nr;
	long (*call)(void);
	void *target;
	void *entry;
};

#define ARGS_CASE(n)	{ #n " arguments", n, call##n, f##n, h##n }

static const struct args_case args_cases[] = {
	{ "asmlinkage", 5, call5_linked, f5_linked, h5_linked },
	ARGS_CASE(0), ARGS_CASE(1), ARGS_CASE(2), ARGS_CASE(3),
	ARGS_CASE(4), ARGS_CASE(5), ARGS_CASE(6), ARGS_CASE(7),
	ARGS_CASE(8), ARGS_CASE(9), ARGS_CASE(10),
#ifdef CONFIG_X86_64
	ARGS_CASE(14),
#else
	ARGS_CASE(16),
#endif
};

KUNIT_ARRAY_PARAM_DESC(args, args_cases, name);

static void test_arguments_are_seen(struct kunit *test)
{
	const struct args_case *c = test->param_value;
	struct jprobe jp = JPROBE_AT(c->target, c->entry);
	long plain = c->call();
	int i;

	for (i = 0; i < 2; i++) {
		calls = 0;
		plain_return = i;
		memset(got, 0, sizeof(got));
		KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
		KUNIT_EXPECT_EQ(test, c->call(), plain);
		unregister_jprobe(&jp);
		KUNIT_EXPECT_EQ(test, c->call(), plain);
		KUNIT_EXPECT_EQ(test, calls, 1);
		KUNIT_EXPECT_MEMEQ(test, got, values, c->nr * sizeof(long));
		KUNIT_EXPECT_EQ(test, jp.kp.nmissed, 0);
	}
}

/* Call with the most arguments, @room bytes further down the stack. */
static noinline long call_below(const struct args_case *c, size_t room)
{
	void *below = __builtin_alloca(room);
	long ret;

	barrier_data(below);
	ret = c->call();
	barrier_data(below);
	return ret;
}

/* At some depth the arguments on the stack must be in two pages. */
static void test_arguments_in_two_pages_are_seen(struct kunit *test)
{
	const struct args_case *c = &args_cases[ARRAY_SIZE(args_cases) - 1];
	struct jprobe jp = JPROBE_AT(c->target, c->entry);
	unsigned int wrong = 0;
	long plain = c->call();
	size_t room;

	plain_return = false;
	calls = 0;
	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	for (room = 16; room <= SZ_4K; room += 16) {
		memset(got, 0, sizeof(got));
		wrong += call_below(c, room) != plain ||
			 memcmp(got, values, c->nr * sizeof(long));
	}
	unregister_jprobe(&jp);
	KUNIT_EXPECT_EQ(test, calls, SZ_4K / 16);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* End the handler in a callee, with registers saved in each frame. */
static TARGET void deep_return(int n)
{
	if (n)
		deep_return(n - 1);
	else
		jprobe_return();
	barrier();
}

static long deep_handler(P2)
{
	calls++;
	deep_return(5);
	calls += 100;
	return 0;
}

static void test_callee_may_end_handler(struct kunit *test)
{
	struct jprobe jp = JPROBE_AT(f2, deep_handler);
	long plain = call2();
	int i;

	calls = 0;
	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, call2(), plain);
	unregister_jprobe(&jp);
	KUNIT_EXPECT_EQ(test, calls, 10);
}

static struct kprobe *running;
static bool irqs_on, may_preempt;

static long state_handler(P1)
{
	running = kprobe_running();
	irqs_on = !irqs_disabled();
	may_preempt = preemptible();
	calls++;
	jprobe_return();
	return 0;
}

static void test_handler_is_not_preempted(struct kunit *test)
{
	struct jprobe jp = JPROBE_AT(f1, JPROBE_ENTRY(state_handler));

	calls = 0;
	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	call1();
	preempt_disable();
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();
	unregister_jprobe(&jp);
	KUNIT_EXPECT_EQ(test, calls, 1);
	KUNIT_EXPECT_PTR_EQ(test, running, &jp.kp);
	KUNIT_EXPECT_FALSE(test, may_preempt);
	/* The documentation guarantees this for x86. */
	if (IS_ENABLED(CONFIG_X86))
		KUNIT_EXPECT_FALSE(test, irqs_on);
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
}

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	calls += 10;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	calls += 100;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	calls += 1000;
	return 0;
}

static void test_other_probes_run_too(struct kunit *test)
{
	struct jprobe jps[] = { JPROBE_AT(f8, h8), JPROBE_AT(f8, h8) };
	struct jprobe *array[] = { &jps[0], &jps[1] };
	struct kprobe p = KPROBE_AT(f8, .pre_handler = count_pre,
				    .post_handler = count_post);
	struct kretprobe rp = KRETPROBE_AT(f8, .handler = count_return);
	bool returns = IS_ENABLED(CONFIG_KRETPROBES);
	long plain = call8();
	int all = returns ? 1112 : 112;

	plain_return = false;
	calls = 0;
	KUNIT_ASSERT_EQ(test, register_jprobes(array, 2), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	if (returns)
		KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	KUNIT_EXPECT_EQ(test, call8(), plain);
	KUNIT_EXPECT_EQ(test, calls, all);

	calls = 0;
	KUNIT_EXPECT_EQ(test, disable_jprobe(&jps[0]), 0);
	KUNIT_EXPECT_EQ(test, call8(), plain);
	KUNIT_EXPECT_EQ(test, calls, all - 1);
	KUNIT_EXPECT_EQ(test, disable_jprobe(&jps[1]), 0);
	KUNIT_EXPECT_EQ(test, call8(), plain);
	KUNIT_EXPECT_EQ(test, calls, 2 * all - 3);
	KUNIT_EXPECT_EQ(test, enable_jprobe(&jps[0]), 0);
	KUNIT_EXPECT_EQ(test, enable_jprobe(&jps[1]), 0);
	calls = 0;
	KUNIT_EXPECT_EQ(test, call8(), plain);
	KUNIT_EXPECT_EQ(test, calls, all);

	if (returns)
		unregister_kretprobe(&rp);
	unregister_kprobe(&p);
	unregister_jprobes(array, 2);
	calls = 0;
	KUNIT_EXPECT_EQ(test, call8(), plain);
	KUNIT_EXPECT_EQ(test, calls, 0);
}

static long calling_handler(P1)
{
	calls++;
	f2(1, 2);
	jprobe_return();
	return 0;
}

static void test_hit_in_handler_is_missed(struct kunit *test)
{
	struct jprobe outer = JPROBE_AT(f1, calling_handler);
	struct jprobe inner = JPROBE_AT(f2, h2);

	calls = 0;
	KUNIT_ASSERT_EQ(test, register_jprobe(&inner), 0);
	KUNIT_ASSERT_EQ(test, register_jprobe(&outer), 0);
	call1();
	unregister_jprobe(&outer);
	unregister_jprobe(&inner);
	KUNIT_EXPECT_EQ(test, calls, 1);
	KUNIT_EXPECT_EQ(test, inner.kp.nmissed, 1);
}

/*
 * An fprobe follows the handler, which never returns, and the caller of the
 * probed function, which does.
 */
static TARGET long around(void)
{
	return call2() + 1;
}

static int fprobe_exits;

static void fprobe_exit(struct fprobe *fp, unsigned long ip,
			unsigned long ret_ip, struct fprobe_regs *regs,
			void *data)
{
	fprobe_exits++;
}

static void test_fprobe_outlives_jprobe_return(struct kunit *test)
{
	unsigned long addrs[] = {
		(unsigned long)around, (unsigned long)h2,
		(unsigned long)deep_return,
	};
	struct jprobe jp = JPROBE_AT(f2, h2);
	struct fprobe fp = { .exit_handler = fprobe_exit };
	long plain = call2();
	int i, ret;

	calls = 0;
	plain_return = false;
	fprobe_exits = 0;
	ret = register_fprobe_ips(&fp, addrs, ARRAY_SIZE(addrs));
	if (ret)
		kunit_skip(test, "no fprobe: %d", ret);
	ret = register_jprobe(&jp);
	KUNIT_EXPECT_EQ(test, ret, 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, around(), plain + 1);
	if (!ret)
		unregister_jprobe(&jp);
	unregister_fprobe(&fp);
	KUNIT_EXPECT_EQ(test, calls, 10);
	KUNIT_EXPECT_EQ(test, fprobe_exits, 10);
}

struct errno_case {
	const char *name;
	void *addr;
	const char *symbol;
	unsigned int offset;
	void *entry;
	int expected;
};

static const struct errno_case errno_cases[] = {
	{ "no entry", f1, NULL, 0, NULL, -EINVAL },
	{ "address and symbol", f1, "vfs_read", 0, h1, -EINVAL },
	{ "neither address nor symbol", NULL, NULL, 0, h1, -EINVAL },
	{ "no such symbol", NULL, "there_is_no_such_symbol", 0, h1, -ENOENT },
	{ "not at the entry", f10, NULL, 9, h10, -EINVAL },
	{ "not at the entry of a symbol", NULL, "vfs_read", 9, h10, -EINVAL },
	{ "the engine", NULL, "kprobe_site_pre_slow", 0, h1, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(errno, errno_cases, name);

static void test_refused_with_errno(struct kunit *test)
{
	const struct errno_case *c = test->param_value;
	unsigned int sites = kprobe_sites_in_use();
	struct jprobe jp = {
		.kp.addr = c->addr,
		.kp.symbol_name = c->symbol,
		.kp.offset = c->offset,
		.entry = c->entry,
	};
	struct jprobe good = JPROBE_AT(f1, h1);
	struct jprobe *array[] = { &good, &jp };
	int ret;

	ret = register_jprobe(&jp);
	KUNIT_EXPECT_EQ(test, ret, c->expected);
	if (!ret)
		unregister_jprobe(&jp);
	calls = 0;
	KUNIT_EXPECT_EQ(test, register_jprobes(array, 2), c->expected);
	call1();
	KUNIT_EXPECT_EQ(test, calls, 0);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

static void test_misuse_is_refused(struct kunit *test)
{
	struct jprobe jp = JPROBE_AT(f1, h1);
	struct jprobe *array[] = { &jp }, *none = NULL;

	KUNIT_EXPECT_EQ(test, register_jprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_jprobes(&none, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_jprobes(array, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_jprobe(&jp), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_jprobe(&jp), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_jprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_jprobe(NULL), -EINVAL);
	unregister_jprobe(NULL);
	unregister_jprobe(&jp);
	KUNIT_EXPECT_NULL(test, jp.kp.addr);

	jp.kp.addr = (kprobe_opcode_t *)f1;
	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	KUNIT_EXPECT_EQ(test, register_jprobe(&jp), -EINVAL);
	unregister_jprobe(&jp);
}

/* jprobe_return() must unpoison the frames that it drops, like a return. */
#ifdef CONFIG_KASAN_GENERIC
static unsigned long left_frame;

static noinline void leave_frame(char *buffer)
{
	left_frame = (unsigned long)buffer;
	OPTIMIZER_HIDE_VAR(buffer);
	*buffer = 1;
	jprobe_return();
}

static void leaving_handler(void)
{
	char buffer[40];

	leave_frame(buffer);
	OPTIMIZER_HIDE_VAR(buffer[0]);
}

static __no_sanitize_address unsigned int poisoned(unsigned long start,
						   unsigned long end)
{
	unsigned int n = 0;

	for (; start < end; start += 1UL << KASAN_SHADOW_SCALE_SHIFT)
		n += !!READ_ONCE(*(s8 *)kasan_mem_to_shadow((void *)start));
	return n;
}

static void test_left_frames_are_unpoisoned(struct kunit *test)
{
	struct jprobe jp = JPROBE_AT(f0, leaving_handler);
	unsigned int found;

	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	left_frame = 0;
	f0();
	/* Check before another deep call unpoisons the same stack. */
	found = poisoned(left_frame - 32, left_frame + 64);
	unregister_jprobe(&jp);
	KUNIT_ASSERT_NE(test, left_frame, 0);
	KUNIT_EXPECT_EQ(test, found, 0);
}
#else
static void test_left_frames_are_unpoisoned(struct kunit *test)
{
	kunit_skip(test, "this kernel has no redzones on the stack");
}
#endif

/* The kind of the probe decides, not the function used to unregister it. */
static void test_return_probe_is_unregistered_as_jprobe(struct kunit *test)
{
	struct kretprobe rp = KRETPROBE_AT(f1, .handler = count_return);

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "this kernel has no return probes");
	calls = 0;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	call1();
	unregister_jprobe(container_of(&rp.kp, struct jprobe, kp));
	call1();
	KUNIT_EXPECT_EQ(test, calls, 1000);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static struct kunit_case jprobe_tests[] = {
	KUNIT_CASE_PARAM(test_arguments_are_seen, args_gen_params),
	KUNIT_CASE(test_arguments_in_two_pages_are_seen),
	KUNIT_CASE(test_callee_may_end_handler),
	KUNIT_CASE(test_handler_is_not_preempted),
	KUNIT_CASE(test_other_probes_run_too),
	KUNIT_CASE(test_hit_in_handler_is_missed),
	KUNIT_CASE(test_fprobe_outlives_jprobe_return),
	KUNIT_CASE_PARAM(test_refused_with_errno, errno_gen_params),
	KUNIT_CASE(test_misuse_is_refused),
	KUNIT_CASE(test_left_frames_are_unpoisoned),
	KUNIT_CASE(test_return_probe_is_unregistered_as_jprobe),
	{}
};

static struct kunit_suite jprobe_suite = {
	.name = "kprobes_jprobe",
	.test_cases = jprobe_tests,
};

kunit_test_suite(jprobe_suite);
