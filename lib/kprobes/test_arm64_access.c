// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for access to user memory in hits on arm64: it must be off while
 * a handler runs, and unchanged for the interrupted code, whether the hit is by
 * a breakpoint, a branch or a return.
 */
#include <linux/kasan-enabled.h>
#include <linux/mman.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include "test_arm64.h"

CODE(isb, "", "isb", "");

#define ACCESS_USER	1
#define ACCESS_UNTAGGED	2

#define SYS_TCO		sys_reg(3, 3, 4, 2, 7)

static unsigned int access_now(void)
{
	unsigned int access = 0;

	if (system_uses_hw_pan()) {
		if (!(read_sysreg_s(SYS_PSTATE_PAN) & PSR_PAN_BIT))
			access |= ACCESS_USER;
	} else if (read_sysreg(ttbr0_el1) & TTBRx_EL1_ASID_MASK) {
		access |= ACCESS_USER;
	}
	if (kasan_hw_tags_enabled() && system_supports_mte() &&
	    read_sysreg_s(SYS_TCO) & PSR_TCO_BIT)
		access |= ACCESS_UNTAGGED;
	return access;
}

static CALLER unsigned int call_with_access(void *function, struct state *s,
					    unsigned int *before)
{
	unsigned int after;

	uaccess_enable_privileged();
	*before = access_now();
	call_code(function, s);
	after = access_now();
	uaccess_disable_privileged();
	return after;
}

static struct {
	u32 __user *word;
	/* The handler makes the code return at once. */
	bool leaves;
	unsigned int hits;
	unsigned int access;
	unsigned int wrong;
} access_seen;

/* Read user memory as the unwinder of a user stack does. */
static void look_at_access(struct pt_regs *regs)
{
	u32 word;

	access_seen.hits++;
	access_seen.access |= access_now();
	if (copy_from_user_nofault(&word, access_seen.word, sizeof(word)) ||
	    word != 4711)
		access_seen.wrong++;
	access_seen.access |= access_now();
	if (access_seen.leaves)
		regs->pc = regs->regs[9];
}

static int access_pre(struct kprobe *p, struct pt_regs *regs)
{
	look_at_access(regs);
	return access_seen.leaves;
}

static void access_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	look_at_access(regs);
}

static const struct access_case {
	const char *name;
	kprobe_pre_handler_t pre;
	kprobe_post_handler_t post;
	bool leaves;
	bool jump;
} access_cases[] = {
	{ "trap", .pre = access_pre },
	{ "trap, diverted", .pre = access_pre, .leaves = true },
	{ "post", .post = access_post },
	{ "post, diverted", .post = access_post, .leaves = true },
	{ "jump", .pre = access_pre, .jump = true },
	{ "jump, diverted", .pre = access_pre, .leaves = true, .jump = true },
	{ "return" },
};

KUNIT_ARRAY_PARAM_DESC(access, access_cases, name);

static void expect_access(struct kunit *test)
{
	unsigned int before, after;
	struct state s = {};

	memset(&access_seen.hits, 0, sizeof(access_seen) -
	       offsetof(typeof(access_seen), hits));
	after = call_with_access(code_isb, &s, &before);
	KUNIT_EXPECT_TRUE(test, before & ACCESS_USER);
	KUNIT_EXPECT_EQ(test, after, before);
	KUNIT_EXPECT_EQ(test, access_seen.hits, 1);
	KUNIT_EXPECT_EQ(test, access_seen.access, 0);
	KUNIT_EXPECT_EQ(test, access_seen.wrong, 0);

	/* Access must stay off if it was off. */
	call_code(code_isb, &s);
	KUNIT_EXPECT_EQ(test, access_now(), 0);
	KUNIT_EXPECT_EQ(test, access_seen.hits, 2);
	KUNIT_EXPECT_EQ(test, access_seen.wrong, 0);
}

static int access_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look_at_access(regs);
	return 0;
}

static void expect_access_return(struct kunit *test)
{
	struct kretprobe rp = KRETPROBE_AT(code_isb, .handler = access_return,
					   .maxactive = 1);

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "this kernel has no return probes");
	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	expect_access(test);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, rp.nmissed, 0);
}

static void test_handler_has_no_user_access(struct kunit *test)
{
	const struct access_case *c = test->param_value;
	unsigned long user;
	struct counted *p;

	if (!system_uses_hw_pan() && !system_uses_ttbr0_pan())
		kunit_skip(test, "user memory is always accessible");

	user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, user, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(user));
	access_seen.word = (u32 __user *)user;
	access_seen.leaves = c->leaves;
	KUNIT_ASSERT_EQ(test, put_user(4711, access_seen.word), 0);

	if (!c->pre && !c->post) {
		expect_access_return(test);
		return;
	}
	switch_jumps(c->jump);
	p = PROBED(test, probe_isb, .probe.pre_handler = c->pre,
		   .probe.post_handler = c->post);
	expect_jump(test, &p->probe, c->jump);
	expect_access(test);
	KUNIT_EXPECT_EQ(test, p->probe.nmissed, 0);
}

static void access_exit(struct kunit *test)
{
	switch_jumps(true);
}

static struct kunit_case access_tests[] = {
	KUNIT_CASE_PARAM(test_handler_has_no_user_access, access_gen_params),
	{}
};

static struct kunit_suite access_suite = {
	.name = "kprobes_arm64_access",
	.test_cases = access_tests,
	.exit = access_exit,
};

kunit_test_suite(access_suite);
