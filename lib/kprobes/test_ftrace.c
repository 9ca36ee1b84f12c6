// SPDX-License-Identifier: GPL-2.0-or-later
/* KUnit suite for probes on ftrace's call at a function's entry. */
#include <linux/error-injection.h>
#include "../../kernel/kprobes/internal.h"
#include "test_ftrace.h"

static void test_entry_is_hit_by_ftrace(struct kunit *test)
{
	struct counted *c = PROBED_CALL(test, target);

	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&c->probe));
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&c->probe));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_kprobe(&c->probe);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	expect_hits(test, c, 2, 0);
}

#ifdef CONFIG_HAVE_KPROBE_SITES
/* Number of hits whose saved registers show that interrupts were on */
static unsigned int hits_with_irqs;

static int count_irqs_on(struct kprobe *p, struct pt_regs *regs)
{
	hits_with_irqs += arch_kprobe_irqs_on(regs);
	return 0;
}

static void test_registers_show_interrupt_state(struct kunit *test)
{
	PROBED_CALL(test, target, .probe.pre_handler = count_irqs_on);
	hits_with_irqs = 0;
	scoped_guard(irqsave)
		call_target(5);
	KUNIT_EXPECT_EQ(test, hits_with_irqs, 0);
	call_target(5);
	KUNIT_EXPECT_EQ(test, hits_with_irqs, 1);
}
#endif

/* With the sibling, which has a post handler, the site claims its function. */
static void test_each_hit_counts_once(struct kunit *test)
{
	struct counted *plain = PROBED_CALL(test, target);
	struct counted *post;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain->pre, 4 * i + 1);
		post = PROBED_CALL(test, target,
				   .probe.post_handler = counted_post);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain->pre, 4 * i + 2);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&post->probe), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain->pre, 4 * i + 3);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&post->probe), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain->pre, 4 * i + 4);
		expect_hits(test, post, 2, 2);
		unregister_kprobe(&post->probe);
	}
	KUNIT_EXPECT_EQ(test, plain->probe.nmissed, 0);
}

/* An array contains probes with and without post handlers, in both orders. */
static void test_array_is_armed_in_any_order(struct kunit *test)
{
	unsigned int i, sites = kprobe_sites_in_use();

	for (i = 0; i < 4; i++) {
		struct counted plain = ON(target);
		struct counted post = ON(target,
					 .probe.post_handler = counted_post);
		struct counted other = ON(other_target);
		struct kprobe *ps[] = {
			&plain.probe, &post.probe, &other.probe,
		};

		if (i & 1)
			swap(ps[0], ps[1]);
		KUNIT_ASSERT_EQ(test, register_kprobes(ps, 3), 0);
		call_target(5);
		call_other(5);
		if (i & 2) {
			unregister_kprobes(ps, 3);
		} else {
			unregister_kprobe(ps[0]);
			unregister_kprobes(ps + 1, 2);
		}
		expect_hits(test, &plain, 1, 0);
		expect_hits(test, &post, 1, 1);
		expect_hits(test, &other, 1, 0);
		KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	}
}

static void notrace nothing(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

/* Has IPMODIFY, as live patching does, but does not redirect anything. */
static struct ftrace_ops modifier = {
	.func = nothing,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static struct ftrace_ops watcher = {
	.func = nothing,
};

static const char * const entry_names[] = {
	"vfs_read", "vfs_write", "vfs_open", "vfs_statfs", "vfs_rename",
	"vfs_unlink", "vfs_mkdir",
};

/* The global switch must arm all sites except the site ftrace refuses. */
static void test_ipmodify_blocks_one_site(struct kunit *test)
{
	struct kprobe *ps[ARRAY_SIZE(entry_names)];
	struct counted *many = alloc_for_test(test, ARRAY_SIZE(ps) *
						    sizeof(*many));
	struct counted *post = &many[ARRAY_SIZE(ps) / 2];
	struct counted *other, *other_post;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ps); i++) {
		many[i] = COUNTED(NULL, .probe.symbol_name = entry_names[i]);
		ps[i] = &many[i].probe;
	}
	*post = ON(target, .probe.post_handler = counted_post);
	KUNIT_ASSERT_EQ(test, register_kprobes(ps, ARRAY_SIZE(ps)), 0);
	other = PROBED_CALL(test, other_target);
	other_post = PROBED_CALL(test, other_target,
				 .probe.post_handler = counted_post);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&modifier), 0);

	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EBUSY);
	for (i = 0; i < ARRAY_SIZE(ps); i++)
		KUNIT_EXPECT_EQ(test, state_of(&many[i]) == KPROBE_SITE_CLEAN,
				&many[i] == post);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, call_other(5), -2);
	expect_hits(test, post, 0, 0);
	expect_hits(test, other, 1, 0);
	expect_hits(test, other_post, 1, 1);

	/* The switch tries again; a probe that cannot be enabled stays off. */
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EBUSY);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&post->probe), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post->probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	unregister_ftrace_function(&modifier);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post->probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, call_other(5), -2);
	expect_hits(test, post, 1, 1);
	expect_hits(test, other_post, 2, 2);

	/* The switch arms the probe once ftrace accepts the site. */
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EBUSY);
	unregister_ftrace_function(&modifier);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	KUNIT_EXPECT_NE(test, state_of(post), KPROBE_SITE_CLEAN);
	unregister_kprobes(ps, ARRAY_SIZE(ps));
}

/*
 * Registering an array must update ftrace's calls once, and unregistering it
 * once more, whether or not other functions have probes on ftrace's call.
 */
static void expect_one_update(struct kunit *test, struct counted *updates,
			      kprobe_post_handler_t post_handler)
{
	struct kprobe *ps[ARRAY_SIZE(entry_names)];
	struct counted *many = alloc_for_test(test, ARRAY_SIZE(ps) *
						    sizeof(*many));
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ps); i++) {
		many[i] = ON(kallsyms_lookup_name(entry_names[i]),
			     .probe.post_handler = post_handler);
		ps[i] = &many[i].probe;
	}
	kprobe_flush_retired();
	updates->pre = 0;
	KUNIT_EXPECT_EQ(test, register_kprobes(ps, ARRAY_SIZE(ps)), 0);
	KUNIT_EXPECT_EQ(test, updates->pre, 1);
	for (i = 0; i < ARRAY_SIZE(ps); i++)
		KUNIT_EXPECT_TRUE(test, kprobe_ftrace(ps[i]));
	unregister_kprobes(ps, ARRAY_SIZE(ps));
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, updates->pre, 2);
}

/* Count the updates of ftrace's calls. */
static struct counted *count_updates(struct kunit *test)
{
	return PROBED(test, 0, .probe.symbol_name = "ftrace_modify_all_code");
}

static void test_array_is_one_update(struct kunit *test)
{
	struct counted *updates = count_updates(test);

	expect_one_update(test, updates, NULL);
	expect_one_update(test, updates, counted_post);
	PROBED_CALL(test, target);
	PROBED_CALL(test, other_target, .probe.post_handler = counted_post);
	expect_one_update(test, updates, NULL);
	expect_one_update(test, updates, counted_post);
	KUNIT_EXPECT_EQ(test, updates->probe.nmissed, 0);
}

/* An armed site can claim its function, and release it, without an update. */
static void test_claim_is_no_update(struct kunit *test)
{
	struct counted *updates = count_updates(test);
	struct counted *plain = PROBED_CALL(test, target);
	struct counted *post;

	kprobe_flush_retired();
	updates->pre = 0;
	post = PROBED_CALL(test, target, .probe.post_handler = counted_post);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), -EBUSY);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&post->probe), 0);
	KUNIT_EXPECT_EQ(test, updates->pre, 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), 0);
	updates->pre = 0;
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post->probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, updates->pre, 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post->probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, plain->pre, 1);
	KUNIT_EXPECT_EQ(test, post->post, 1);
}

static void test_refused_claim_is_undone(struct kunit *test)
{
	struct counted post = ON(target, .probe.post_handler = counted_post);
	unsigned int sites = kprobe_sites_in_use();
	void *call = (void *)target_call();
	u8 text[MCOUNT_INSN_SIZE];
	struct counted *plain;

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&modifier), 0);
	kprobe_flush_retired();
	memcpy(text, call, sizeof(text));
	/* The second try finds the function in the filter. */
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), -EBUSY);
	kprobe_flush_retired();
	KUNIT_EXPECT_MEMEQ(test, call, text, sizeof(text));
	/* A probe without a post handler does not need IPMODIFY. */
	plain = PROBED_CALL(test, target);
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	expect_hits(test, plain, 1, 0);
	expect_hits(test, &post, 0, 0);
	unregister_kprobe(&plain->probe);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, post.post, 1);
	unregister_kprobe(&post.probe);
}

/* Updates of ftrace for others must leave a claim alone. */
static void test_claim_survives_updates(struct kunit *test)
{
	struct counted *post = PROBED_CALL(test, target, .probe.post_handler =
					   counted_post);

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&watcher), 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&watcher), 0);
	unregister_kprobe(&PROBED_CALL(test, other_target)->probe);
	reenable(test, &post->probe);
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), -EBUSY);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), -EBUSY);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, post->post, 1);
	/* The function is still in the filter, but not claimed any more. */
	unregister_kprobe(&post->probe);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), 0);
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_FALSE(test, kprobe_ftrace_disabled);
}

/* A handler calls the probed function, with and without a tracer on it. */
static void test_recursive_call_is_missed(struct kunit *test)
{
	int watched;

	for (watched = 0; watched < 2; watched++) {
		struct counted c = ON(target, .probe.pre_handler = calling_pre);

		if (watched)
			KUNIT_ASSERT_EQ(test,
					register_ftrace_function(&watcher), 0);
		KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, c.pre, 1);
		KUNIT_EXPECT_EQ(test, c.probe.nmissed, 1);
		KUNIT_EXPECT_EQ(test,
				c.probe.site->missed[KPROBE_MISS_RECURSION], 1);
		unregister_kprobe(&c.probe);
		if (watched)
			unregister_ftrace_function(&watcher);
	}
}

static unsigned int watch_depth;

static void notrace call_again(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops,
			       struct ftrace_regs *fregs)
{
	if (watch_depth < 5) {
		watch_depth++;
		call_target(1);
	}
}

static struct ftrace_ops recursing = {
	.func = call_again,
};

/*
 * A tracer calls the traced function.  ftrace admits one recursive call,
 * because it might be an interrupt that has not updated its context yet, and
 * ignores the next one.
 */
static void test_call_kept_from_kprobes_is_missed(struct kunit *test)
{
	struct counted *c;

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&recursing), 0);
	c = PROBED_CALL(test, target);
	watch_depth = 0;
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_ftrace_function(&recursing);
	KUNIT_EXPECT_EQ(test, watch_depth, 2);
	KUNIT_EXPECT_EQ(test, c->pre, 2);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, c->probe.site->missed[KPROBE_MISS_TRACER], 1);
	KUNIT_EXPECT_EQ(test, c->probe.site->missed[KPROBE_MISS_RECURSION], 0);
}

/* Two tracers of all functions; they must not trace the hit path. */
static struct ftrace_ops watch_all[2] = {
	{ .func = nothing },
	{ .func = nothing },
};

static int calling_both_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct counted, probe)->pre++;
	call_other(call_target(1));
	return 0;
}

static void test_global_tracers_coexist(struct kunit *test)
{
	struct counted *c = PROBED_CALL(test, target, .probe.pre_handler =
					calling_both_pre);
	struct counted *d = PROBED_CALL(test, other_target);
	int i;

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&watch_all[0]), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&watch_all[1]), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_ftrace_function(&watch_all[0]);
	unregister_ftrace_function(&watch_all[1]);
	KUNIT_EXPECT_EQ(test, c->pre, 10);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 10);
	KUNIT_EXPECT_EQ(test, d->pre, 0);
	KUNIT_EXPECT_EQ(test, d->probe.nmissed, 10);
}

static int divert_pre(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)other_target);
	return 1;
}

static void test_pre_handler_diverts(struct kunit *test)
{
	int post;

	for (post = 0; post < 2; post++) {
		struct counted older = ON(target);
		struct counted c = ON(target,
				      .probe.pre_handler = divert_pre);

		if (post)
			c.probe.post_handler = counted_post;
		KUNIT_ASSERT_EQ(test, register_kprobe(&older.probe), 0);
		KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), -2);
		unregister_kprobe(&c.probe);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		unregister_kprobe(&older.probe);
		KUNIT_EXPECT_EQ(test, older.pre, 1);
		KUNIT_EXPECT_EQ(test, c.post, 0);
	}
}

#if defined(CONFIG_LIVEPATCH_64) && defined(CONFIG_FUNCTION_ERROR_INJECTION)
static int skip_function_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs_set_return_value(regs, 4711);
	override_function_with_return(regs);
	return 1;
}

/* Return the powerpc stack for return addresses of livepatched calls. */
static unsigned long livepatch_stack(void)
{
	return (unsigned long)current_thread_info()->livepatch_sp;
}

/* The handler makes the function return at once, like bpf_override_return(). */
static void test_diverted_hits_use_no_stack(struct kunit *test)
{
	unsigned long stack = livepatch_stack();
	unsigned int i;

	PROBED_CALL(test, target, .probe.pre_handler = skip_function_pre);
	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_EQ(test, call_target(5), 4711);
		if (livepatch_stack() != stack)
			break;
	}
	KUNIT_EXPECT_EQ(test, i, 1000);
}
#endif

/* After unregistering, ftrace may call kprobes once more: run no handlers. */
static void test_late_ftrace_call_is_ignored(struct kunit *test)
{
	u8 before[MCOUNT_INSN_SIZE];
	unsigned int i;

	kprobe_flush_retired();
	memcpy(before, (void *)target_call(), sizeof(before));
	for (i = 0; i < 3; i++) {
		struct counted plain = ON(target);
		struct counted post = ON(target,
					 .probe.post_handler = counted_post);

		KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
		call_target(5);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&plain.probe), 0);
		call_target(5);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&plain.probe), 0);
		if (i == 2)
			kprobe_flush_retired();
		call_target(5);
		unregister_kprobe(&plain.probe);
		call_target(5);
		KUNIT_EXPECT_EQ(test, plain.pre, 2);
		KUNIT_EXPECT_EQ(test, plain.probe.nmissed, 0);

		KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
		call_target(5);
		if (i == 1)
			kprobe_flush_retired();
		call_target(5);
		unregister_kprobe(&post.probe);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		expect_hits(test, &post, 2, 2);
		expect_hits(test, &plain, 2, 0);
	}
	kprobe_flush_retired();
	KUNIT_EXPECT_MEMEQ(test, (void *)target_call(), before, sizeof(before));
}

static int suite_init(struct kunit *test)
{
	KUNIT_ASSERT_NE(test, target_call(), 0);
	KUNIT_ASSERT_EQ(test, watch(&recursing, target), 0);
	KUNIT_ASSERT_EQ(test, watch(&watcher, target), 0);
	KUNIT_ASSERT_EQ(test, watch(&modifier, target), 0);
	/* With jumps, the instruction after the call may be probed. */
	switch_jumps(false);
	return 0;
}

static void suite_exit(struct kunit *test)
{
	switch_jumps(true);
}

static struct kunit_case ftrace_tests[] = {
	KUNIT_CASE(test_entry_is_hit_by_ftrace),
#ifdef CONFIG_HAVE_KPROBE_SITES
	KUNIT_CASE(test_registers_show_interrupt_state),
#endif
	KUNIT_CASE(test_each_hit_counts_once),
	KUNIT_CASE(test_array_is_armed_in_any_order),
	KUNIT_CASE(test_ipmodify_blocks_one_site),
	KUNIT_CASE(test_claim_is_no_update),
	KUNIT_CASE(test_refused_claim_is_undone),
	KUNIT_CASE(test_claim_survives_updates),
	KUNIT_CASE(test_array_is_one_update),
	KUNIT_CASE(test_recursive_call_is_missed),
	KUNIT_CASE(test_call_kept_from_kprobes_is_missed),
	KUNIT_CASE(test_global_tracers_coexist),
	KUNIT_CASE(test_pre_handler_diverts),
#if defined(CONFIG_LIVEPATCH_64) && defined(CONFIG_FUNCTION_ERROR_INJECTION)
	KUNIT_CASE(test_diverted_hits_use_no_stack),
#endif
	KUNIT_CASE(test_late_ftrace_call_is_ignored),
	{}
};

static struct kunit_suite ftrace_suite = {
	.name = "kprobes_ftrace",
	.init = suite_init,
	.exit = suite_exit,
	.test_cases = ftrace_tests,
};

kunit_test_suite(ftrace_suite);
