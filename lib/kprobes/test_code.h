/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables for the KUnit suites of an architecture's instructions: instructions
 * to execute with random operands, and instructions that must be refused.  The
 * architecture's own header defines CODE().
 */
#ifndef _LIB_KPROBES_TEST_CODE_H
#define _LIB_KPROBES_TEST_CODE_H

#include <linux/prandom.h>
#include "test.h"

/* The suite defines the @flags. */
struct code_case {
	const char *name;
	void *function;
	char **probe;
	unsigned int flags;
};

#define ENTRY(name, ...)						\
	{ #name, code_##name, &probe_##name, ##__VA_ARGS__ }

/* How often each instruction is executed. */
#define INPUTS	24

/* Fill @words at random; every fourth input begins with 0 to take branches. */
static __maybe_unused void random_words(struct rnd_state *rnd, u64 *words,
					unsigned int nr, int input)
{
	unsigned int k;

	for (k = 0; k < nr; k++)
		words[k] = (u64)prandom_u32_state(rnd) << 32 |
			   prandom_u32_state(rnd);
	if (input % 4 == 0)
		words[0] = 0;
}

/* A probe at @offset from the pointer is refused with @errno. */
struct refusal_case {
	const char *name;
	char **probe;
	unsigned int offset;
	int errno;
};

#define REFUSED(name, errno) { #name, &probe_##name, 0, errno }
/* For lists of X(name, errno, instruction). */
#define REFUSED_CASE(name, errno, insn)	REFUSED(name, errno),

/* An accepted probe must not outlive the case. */
static __maybe_unused void expect_refused(struct kunit *test,
					  struct counted *p, int errno,
					  const char *name)
{
	int ret = register_kprobe(&p->probe);

	KUNIT_EXPECT_EQ_MSG(test, ret, errno, "%s", name);
	if (!ret)
		unregister_kprobe(&p->probe);
}

static __maybe_unused void test_refused_with_errno(struct kunit *test)
{
	const struct refusal_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe + c->offset);
	unsigned int sites = kprobe_sites_in_use();
	u32 before = *(u32 *)*c->probe;

	expect_refused(test, &p, c->errno, c->name);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	KUNIT_EXPECT_EQ(test, *(u32 *)*c->probe, before);
}

/* The parameter is the name of a function that may be missing. */
static __maybe_unused void test_blacklisted_is_refused(struct kunit *test)
{
	unsigned long addr = named_function(test);
	struct counted p = COUNTED(addr);

	expect_refused(test, &p, -EINVAL, "blacklisted");
	KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(addr));
}

#endif /* _LIB_KPROBES_TEST_CODE_H */
