// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for stack traces through functions followed by return probes,
 * with and without fprobes on the same functions.
 */
#include <linux/fprobe.h>
#include <linux/stacktrace.h>
#include "test_fprobe_regs.h"
#include "test_return.h"

#define TRACE_MAX	64

struct trace {
	unsigned long entries[TRACE_MAX];
	unsigned int nr;
};

static struct trace inside, at_entry, at_return, from_regs;

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

/* Called at one place, so that all traces have the same callers. */
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

/* Compare the last @nr entries of two traces. */
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
			   unsigned long ret_ip, struct fprobe_regs *regs,
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

/* Whether fprobes are registered before the return probes or after them. */
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

static void test_trace_shows_real_callers(struct kunit *test)
{
	const struct trace_case *c = test->param_value;
	void *targets[] = { trace_leaf, trace_middle, trace_top };
	struct kretprobe *rps, *array[6];
	struct fprobe fp = { };
	struct trace plain;
	int i, ret;

	if (!IS_ENABLED(CONFIG_ARCH_CORRECT_STACKTRACE_ON_KRETPROBE))
		kunit_skip(test, "not promised on this architecture");
	rps = alloc_for_test(test, c->nr * sizeof(*rps));
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
			skip_rest(test, "no fprobe: %d", ret);
		}
	}
	KUNIT_EXPECT_EQ(test, trace_start(), 8);

	unregister_kretprobes(array, c->nr);
	if (c->order != NO_FPROBE)
		unregister_fprobe(&fp);

	/* Entry 4 is this function, which calls from two places. */
	KUNIT_ASSERT_GT(test, plain.nr, 5);
	KUNIT_ASSERT_EQ(test, inside.nr, plain.nr);
	KUNIT_EXPECT_MEMEQ(test, inside.entries, plain.entries,
			   4 * sizeof(long));
	plain.entries[4] = inside.entries[4];
	expect_same_callers(test, &plain, &inside, plain.nr);
	/*
	 * Traces of handlers have more entries on top.  They show only the
	 * callers of the innermost function at its entry, and of the outermost
	 * at its return.
	 */
	expect_same_callers(test, &plain, &at_entry, plain.nr - 1);
	expect_same_callers(test, &plain, &at_return,
			    c->nr == 1 ? plain.nr - 1 : plain.nr - 3);
}

static int trace_regs_handler(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	if (!from_regs.nr)
		from_regs.nr = stack_trace_save_regs(regs, from_regs.entries,
						     TRACE_MAX, 0);
	return 0;
}

/* Check the trace when the innermost of @nr followed functions returns. */
static void expect_callers_from_regs(struct kunit *test, unsigned int nr)
{
	struct kretprobe leaf = KRETPROBE_AT(trace_leaf,
					     .handler = trace_regs_handler);
	struct kretprobe middle = KRETPROBE_AT(trace_middle,
					       .handler = trace_return_handler);
	struct kretprobe *rps[] = { &leaf, &middle };

	KUNIT_ASSERT_EQ(test, register_kretprobes(rps, nr), 0);
	from_regs.nr = 0;
	KUNIT_EXPECT_EQ(test, trace_start(), 8);
	unregister_kretprobes(rps, nr);

	/* Entry 0 of @inside is in trace_leaf(), which has returned. */
	KUNIT_EXPECT_EQ(test, from_regs.nr, inside.nr - 1);
	expect_same_callers(test, &inside, &from_regs, inside.nr - 1);
}

static void test_trace_from_return_registers_shows_callers(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_PPC))
		kunit_skip(test, "about the LR save slot of powerpc");
	expect_callers_from_regs(test, 1);
	expect_callers_from_regs(test, 2);
}

static struct kunit_case trace_tests[] = {
	KUNIT_CASE_PARAM(test_trace_shows_real_callers, trace_gen_params),
	KUNIT_CASE(test_trace_from_return_registers_shows_callers),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "kprobes_return_traces",
	.test_cases = trace_tests,
};

kunit_test_suite(trace_suite);
