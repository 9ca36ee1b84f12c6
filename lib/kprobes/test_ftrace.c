// SPDX-License-Identifier: GPL-2.0-or-later
/* KUnit suite for probes on ftrace's call at a function's entry. */
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/static_call.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include "../../kernel/kprobes/internal.h"
#include "test_ftrace.h"

static TARGET int target(int x)
{
	barrier();
	return x * 3 + 1;
}

static TARGET int other_target(int x)
{
	barrier();
	return x - 7;
}

/* The compiler must not know which function is called. */
static int (*volatile call_target)(int x) = target;
static int (*volatile call_other)(int x) = other_target;

/* On powerpc a function's entry precedes its call of ftrace. */
static unsigned long target_call(void)
{
	return ftrace_location((unsigned long)target);
}

#define ON_TARGET(...)	ON(target, __VA_ARGS__)

static void test_entry_is_hit_by_ftrace(struct kunit *test)
{
	struct counted c = ON_TARGET();

	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&c.probe));
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&c.probe));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c.pre, 2);
	KUNIT_EXPECT_EQ(test, c.astray, 0);
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
	struct kprobe p = KPROBE_AT(target_call(),
				    .pre_handler = count_irqs_on);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	hits_with_irqs = 0;
	scoped_guard(irqsave)
		call_target(5);
	KUNIT_EXPECT_EQ(test, hits_with_irqs, 0);
	call_target(5);
	KUNIT_EXPECT_EQ(test, hits_with_irqs, 1);
	unregister_kprobe(&p);
}
#endif

/* With the sibling, which has a post handler, the site claims its function. */
static void test_each_hit_counts_once(struct kunit *test)
{
	struct counted plain = ON_TARGET();
	unsigned int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
	for (i = 0; i < 3; i++) {
		struct counted post = ON_TARGET(.probe.post_handler =
						counted_post);

		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain.pre, 4 * i + 1);
		KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain.pre, 4 * i + 2);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&post.probe), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain.pre, 4 * i + 3);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&post.probe), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, plain.pre, 4 * i + 4);
		KUNIT_EXPECT_EQ(test, post.pre, 2);
		KUNIT_EXPECT_EQ(test, post.post, 2);
		unregister_kprobe(&post.probe);
	}
	unregister_kprobe(&plain.probe);
	KUNIT_EXPECT_EQ(test, plain.probe.nmissed, 0);
}

/* An array contains probes with and without post handlers, in both orders. */
static void test_array_is_armed_in_any_order(struct kunit *test)
{
	unsigned int i, sites = kprobe_sites_in_use();

	for (i = 0; i < 4; i++) {
		struct counted plain = ON_TARGET();
		struct counted post = ON_TARGET(.probe.post_handler =
						counted_post);
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
		KUNIT_EXPECT_EQ(test, plain.pre, 1);
		KUNIT_EXPECT_EQ(test, post.pre, 1);
		KUNIT_EXPECT_EQ(test, post.post, 1);
		KUNIT_EXPECT_EQ(test, other.pre, 1);
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

static void test_ipmodify_excludes_post(struct kunit *test)
{
	struct counted plain = ON_TARGET();
	struct counted post = ON_TARGET(.probe.post_handler = counted_post);
	unsigned int sites = kprobe_sites_in_use();

	KUNIT_ASSERT_EQ(test, watch(&modifier, target), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&modifier), 0);

	/* A probe without a post handler does not need IPMODIFY. */
	KUNIT_EXPECT_EQ(test, register_kprobe(&plain.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), -EBUSY);
	call_target(5);
	KUNIT_EXPECT_EQ(test, plain.pre, 1);
	KUNIT_EXPECT_EQ(test, post.pre, 0);
	unregister_kprobe(&plain.probe);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	unregister_ftrace_function(&modifier);

	post = ON_TARGET(.probe.post_handler = counted_post);
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), -EBUSY);
	unregister_kprobe(&post.probe);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), 0);
	unregister_ftrace_function(&modifier);
}

/* The global switch must arm all sites except the site ftrace refuses. */
static void test_ipmodify_blocks_one_site(struct kunit *test)
{
	struct counted post = ON_TARGET(.probe.post_handler = counted_post);
	struct counted other = ON(other_target);
	struct counted other_post = ON(other_target,
				       .probe.post_handler = counted_post);
	struct kprobe *ps[] = {
		&post.probe, &other.probe, &other_post.probe,
	};

	KUNIT_ASSERT_EQ(test, watch(&modifier, target), 0);
	KUNIT_ASSERT_EQ(test, register_kprobes(ps, 3), 0);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&modifier), 0);

	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EBUSY);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, call_other(5), -2);
	KUNIT_EXPECT_EQ(test, post.pre, 0);
	KUNIT_EXPECT_EQ(test, other.pre, 1);
	KUNIT_EXPECT_EQ(test, other_post.pre, 1);
	KUNIT_EXPECT_EQ(test, other_post.post, 1);

	/* The switch tries again; a probe that cannot be enabled stays off. */
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EBUSY);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post.probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	unregister_ftrace_function(&modifier);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, call_other(5), -2);
	KUNIT_EXPECT_EQ(test, post.pre, 1);
	KUNIT_EXPECT_EQ(test, post.post, 1);
	KUNIT_EXPECT_EQ(test, other_post.pre, 2);
	unregister_kprobes(ps, 3);
}

static const char * const entry_names[] = {
	"vfs_read", "vfs_write", "vfs_open", "vfs_statfs", "vfs_rename",
	"vfs_unlink", "vfs_mkdir",
};

/* Remove the filter entries now, instead of waiting for the worker. */
static void flush_filters(void)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_ftrace_flush();
}

/*
 * Registering an array must update ftrace's calls once, and unregistering it
 * once more, whether or not other functions have probes on ftrace's call.
 */
static void expect_one_update(struct kunit *test, struct counted *updates,
			      kprobe_post_handler_t post_handler)
{
	struct kprobe *ps[ARRAY_SIZE(entry_names)];
	struct counted *many;
	unsigned int i;

	many = kunit_kcalloc(test, ARRAY_SIZE(ps), sizeof(*many), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, many);
	for (i = 0; i < ARRAY_SIZE(ps); i++) {
		many[i].probe.addr = (kprobe_opcode_t *)
			ftrace_location(kallsyms_lookup_name(entry_names[i]));
		many[i].probe.pre_handler = counted_pre;
		many[i].probe.post_handler = post_handler;
		ps[i] = &many[i].probe;
	}
	flush_filters();
	updates->pre = 0;
	KUNIT_EXPECT_EQ(test, register_kprobes(ps, ARRAY_SIZE(ps)), 0);
	KUNIT_EXPECT_EQ(test, updates->pre, 1);
	for (i = 0; i < ARRAY_SIZE(ps); i++)
		KUNIT_EXPECT_TRUE(test, kprobe_ftrace(ps[i]));
	unregister_kprobes(ps, ARRAY_SIZE(ps));
	flush_filters();
	KUNIT_EXPECT_EQ(test, updates->pre, 2);
}

static void test_array_is_one_update(struct kunit *test)
{
	struct counted updates = COUNTED(0, .probe.symbol_name =
					 "ftrace_modify_all_code");
	struct counted plain = ON_TARGET();
	struct counted post = ON(other_target,
				 .probe.post_handler = counted_post);

	KUNIT_ASSERT_EQ(test, register_kprobe(&updates.probe), 0);
	expect_one_update(test, &updates, NULL);
	expect_one_update(test, &updates, counted_post);
	KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	expect_one_update(test, &updates, NULL);
	expect_one_update(test, &updates, counted_post);
	unregister_kprobe(&plain.probe);
	unregister_kprobe(&post.probe);
	unregister_kprobe(&updates.probe);
	KUNIT_EXPECT_EQ(test, updates.probe.nmissed, 0);
}

/* A function whose probe is gone stays in the filter for a while. */
static void test_rearmed_site_survives_flush(struct kunit *test)
{
	struct counted c = ON_TARGET();

	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	unregister_kprobe(&c.probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	flush_filters();
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c.pre, 1);
	unregister_kprobe(&c.probe);
}

/* An armed site can claim its function, and release it, without an update. */
static void test_claim_is_no_update(struct kunit *test)
{
	struct counted updates = COUNTED(0, .probe.symbol_name =
					 "ftrace_modify_all_code");
	struct counted plain = ON_TARGET();
	struct counted post = ON_TARGET(.probe.post_handler = counted_post);

	KUNIT_ASSERT_EQ(test, watch(&modifier, target), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&updates.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&plain.probe), 0);
	flush_filters();
	updates.pre = 0;
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), -EBUSY);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, updates.pre, 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), 0);
	updates.pre = 0;
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post.probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, updates.pre, 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, plain.pre, 1);
	KUNIT_EXPECT_EQ(test, post.post, 1);
	unregister_kprobe(&post.probe);
	unregister_kprobe(&plain.probe);
	unregister_kprobe(&updates.probe);
}

static void test_refused_claim_is_undone(struct kunit *test)
{
	struct counted post = ON_TARGET(.probe.post_handler = counted_post);
	void *call = (void *)target_call();
	u8 text[MCOUNT_INSN_SIZE];

	KUNIT_ASSERT_EQ(test, watch(&modifier, target), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&modifier), 0);
	flush_filters();
	memcpy(text, call, sizeof(text));
	/* The second try finds the function in the filter. */
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), -EBUSY);
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), -EBUSY);
	flush_filters();
	KUNIT_EXPECT_MEMEQ(test, call, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, post.post, 1);
	unregister_kprobe(&post.probe);
}

/* Updates of ftrace for others must leave a claim alone. */
static void test_claim_survives_updates(struct kunit *test)
{
	struct counted post = ON_TARGET(.probe.post_handler = counted_post);
	struct counted other = ON(other_target);

	KUNIT_ASSERT_EQ(test, watch(&modifier, target), 0);
	KUNIT_ASSERT_EQ(test, watch(&watcher, target), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&watcher), 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&watcher), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&other.probe), 0);
	unregister_kprobe(&other.probe);
	flush_filters();
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), -EBUSY);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), -EBUSY);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, post.post, 1);
	/* The function is still in the filter, but not claimed any more. */
	unregister_kprobe(&post.probe);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&modifier), 0);
	flush_filters();
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_FALSE(test, kprobe_ftrace_disabled);
}

/* The site in the middle of the array cannot be armed. */
static void test_one_failure_spares_the_rest(struct kunit *test)
{
	struct counted *many;
	struct kprobe *ps[ARRAY_SIZE(entry_names) + 1];
	unsigned int i, bad = ARRAY_SIZE(entry_names) / 2;

	many = kunit_kcalloc(test, ARRAY_SIZE(ps), sizeof(*many), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, many);
	for (i = 0; i < ARRAY_SIZE(ps); i++) {
		many[i].probe.pre_handler = counted_pre;
		if (i == bad) {
			many[i] = ON_TARGET();
			many[i].probe.post_handler = counted_post;
		} else {
			many[i].probe.symbol_name = entry_names[i - (i > bad)];
		}
		ps[i] = &many[i].probe;
	}

	KUNIT_ASSERT_EQ(test, watch(&modifier, target), 0);
	KUNIT_ASSERT_EQ(test, register_kprobes(ps, ARRAY_SIZE(ps)), 0);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&modifier), 0);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EBUSY);
	for (i = 0; i < ARRAY_SIZE(ps); i++)
		KUNIT_EXPECT_EQ(test, ps[i]->site->state == KPROBE_SITE_CLEAN,
				i == bad);
	unregister_ftrace_function(&modifier);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	KUNIT_EXPECT_TRUE(test, ps[bad]->site->state != KPROBE_SITE_CLEAN);
	unregister_kprobes(ps, ARRAY_SIZE(ps));
}

static int calling_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct counted, probe)->pre++;
	call_target(1);
	return 0;
}

/* A handler calls the probed function, with and without a tracer on it. */
static void test_recursive_call_is_missed(struct kunit *test)
{
	int watched;

	KUNIT_ASSERT_EQ(test, watch(&watcher, target), 0);
	for (watched = 0; watched < 2; watched++) {
		struct counted c = ON_TARGET(.probe.pre_handler = calling_pre);

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
	struct counted c = ON_TARGET();

	KUNIT_ASSERT_EQ(test, watch(&recursing, target), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&recursing), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	watch_depth = 0;
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_ftrace_function(&recursing);
	KUNIT_EXPECT_EQ(test, watch_depth, 2);
	KUNIT_EXPECT_EQ(test, c.pre, 2);
	KUNIT_EXPECT_EQ(test, c.probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, c.probe.site->missed[KPROBE_MISS_TRACER], 1);
	KUNIT_EXPECT_EQ(test, c.probe.site->missed[KPROBE_MISS_RECURSION], 0);
	unregister_kprobe(&c.probe);
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
	struct counted c = ON_TARGET(.probe.pre_handler = calling_both_pre);
	struct counted d = ON(other_target);
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&d.probe), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&watch_all[0]), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&watch_all[1]), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_ftrace_function(&watch_all[0]);
	unregister_ftrace_function(&watch_all[1]);
	unregister_kprobe(&c.probe);
	unregister_kprobe(&d.probe);
	KUNIT_EXPECT_EQ(test, c.pre, 10);
	KUNIT_EXPECT_EQ(test, c.probe.nmissed, 10);
	KUNIT_EXPECT_EQ(test, d.pre, 0);
	KUNIT_EXPECT_EQ(test, d.probe.nmissed, 10);
}

static int divert_pre(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)other_target);
	return 1;
}

static void divert_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
}

static void test_pre_handler_diverts(struct kunit *test)
{
	int post;

	for (post = 0; post < 2; post++) {
		struct kprobe p = {
			.addr = (kprobe_opcode_t *)target_call(),
			.pre_handler = divert_pre,
			.post_handler = post ? divert_post : NULL,
		};
		struct counted older = ON_TARGET();

		KUNIT_ASSERT_EQ(test, register_kprobe(&older.probe), 0);
		KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), -2);
		unregister_kprobe(&p);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		unregister_kprobe(&older.probe);
		KUNIT_EXPECT_EQ(test, older.pre, 1);
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
	struct kprobe p = KPROBE_AT(target_call(),
				    .pre_handler = skip_function_pre);
	unsigned long stack = livepatch_stack();
	unsigned int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_EQ(test, call_target(5), 4711);
		if (livepatch_stack() != stack)
			break;
	}
	unregister_kprobe(&p);
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
		struct counted plain = ON_TARGET();
		struct counted post = ON_TARGET(.probe.post_handler =
						counted_post);

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
		KUNIT_EXPECT_EQ(test, post.pre, 2);
		KUNIT_EXPECT_EQ(test, post.post, 2);
		KUNIT_EXPECT_EQ(test, plain.pre, 2);
	}
	kprobe_flush_retired();
	KUNIT_EXPECT_MEMEQ(test, (void *)target_call(), before, sizeof(before));
}

static int suite_init(struct kunit *test)
{
	KUNIT_ASSERT_NE(test, target_call(), 0);
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
	KUNIT_CASE(test_ipmodify_excludes_post),
	KUNIT_CASE(test_ipmodify_blocks_one_site),
	KUNIT_CASE(test_rearmed_site_survives_flush),
	KUNIT_CASE(test_claim_is_no_update),
	KUNIT_CASE(test_refused_claim_is_undone),
	KUNIT_CASE(test_claim_survives_updates),
	KUNIT_CASE(test_array_is_one_update),
	KUNIT_CASE(test_one_failure_spares_the_rest),
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
