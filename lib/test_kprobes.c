// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Basic KUnit suites for kprobes on any architecture: errnos and hits.  All
 * other suites are in lib/kprobes/.
 */
#include <linux/bug.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include "kprobes/test.h"
#include "kprobes/test_hits.h"

static TARGET int target_diverted(int a)
{
	barrier();
	return a + 1000;
}

static TARGET int nokprobe_target(int a)
{
	barrier();
	return a;
}
NOKPROBE_SYMBOL(nokprobe_target);

static __kprobes TARGET int kprobes_section_target(int a)
{
	barrier();
	return a;
}

static TARGET int bug_target(int a)
{
	if (a == 12345)
		BUG();
	return a;
}

static DEFINE_STATIC_KEY_FALSE(test_key);

static TARGET int jump_label_target(int a)
{
	if (static_branch_unlikely(&test_key))
		return a + 1;
	return a;
}

static int static_callee(int a)
{
	return a + 1;
}
DEFINE_STATIC_CALL(test_call, static_callee);

static TARGET int static_call_target(int a)
{
	return static_call(test_call)(a) + 1;
}

static const int rodata_word = 1;

/* A function that each hit calls. */
#ifdef CONFIG_KPROBES_CLASSIC
#define ENGINE	"get_kprobe"
#else
#define ENGINE	"kprobe_site_pre_slow"
#endif

/*
 * Errnos
 */

/**
 * struct errno_case - a probe that must be refused
 * @name: the reason
 * @addr: kprobe::addr
 * @symbol: kprobe::symbol_name
 * @offset: kprobe::offset
 * @flags: kprobe::flags
 * @fill: optional, sets fields at run time
 * @reserved: optional, returns true for the place in the function at @addr
 * @expected: the errno
 */
struct errno_case {
	const char *name;
	void *addr;
	const char *symbol;
	unsigned int offset;
	unsigned int flags;
	void (*fill)(struct kunit *test, struct kprobe *p);
	int (*reserved)(void *start, void *end);
	int expected;
};

static void fill_stack(struct kunit *test, struct kprobe *p)
{
	p->addr = (kprobe_opcode_t *)&test;
}

static void fill_heap(struct kunit *test, struct kprobe *p)
{
	p->addr = kunit_kzalloc(test, 64, GFP_KERNEL);
}

extern char __entry_text_start[] __weak;

static void fill_entry(struct kunit *test, struct kprobe *p)
{
	if (!__entry_text_start)
		kunit_skip(test, "entry code has no section of its own");
	p->addr = (kprobe_opcode_t *)__entry_text_start;
}

/* Find the first address in a function for which @reserved is true. */
static void *find_reserved(struct kunit *test, void *function,
			   int (*reserved)(void *start, void *end))
{
	unsigned long size, offset, i;

	function = (void *)text_of(function);
	if (!kallsyms_lookup_size_offset((unsigned long)function, &size,
					 &offset))
		kunit_skip(test, "no symbol of the target");
	for (i = 0; i < size; i++)
		if (reserved(function + i, function + i))
			return function + i;
	kunit_skip(test, "this kernel patches nothing in the target");
	return NULL;
}

static int jump_label_at(void *start, void *end)
{
	int ret;

	jump_label_lock();
	ret = jump_label_text_reserved(start, end);
	jump_label_unlock();
	return ret;
}

static int bug_at(void *start, void *end)
{
	return !!find_bug((unsigned long)start);
}

#ifdef CONFIG_KPROBES_CLASSIC
static int any_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	return 0;
}

static void fill_fault_handler(struct kunit *test, struct kprobe *p)
{
	p->fault_handler = any_fault;
}
#endif

static const struct errno_case errno_cases[] = {
	{ "address and symbol", target_add, "vfs_read", .expected = -EINVAL },
	{ "neither address nor symbol", .expected = -EINVAL },
	{ "unknown flags", target_add, .flags = 0x8000, .expected = -EINVAL },
	{ "no such symbol", .symbol = "there_is_no_such_symbol",
	  .expected = -ENOENT },
	{ "no such module", .symbol = "no_such_module:vfs_read",
	  .expected = -ENOENT },
	{ "first page", (void *)1, .expected = -EINVAL },
	{ "last byte of all", (void *)~0UL, .expected = -EINVAL },
	{ "read-only data", (void *)&rodata_word, .expected = -EINVAL },
	{ "data", &counted_calls, .expected = -EINVAL },
	{ "stack", .fill = fill_stack, .expected = -EINVAL },
	{ "heap", .fill = fill_heap, .expected = -EINVAL },
	{ "user space", (void *)0x400000UL, .expected = -EINVAL },
	{ "far after a symbol", .symbol = "vfs_read", .offset = 0x7fffffff,
	  .expected = -EINVAL },
	{ "NOKPROBE_SYMBOL", nokprobe_target, .expected = -EINVAL },
	{ "__kprobes", kprobes_section_target, .expected = -EINVAL },
	{ "the engine itself", .symbol = ENGINE, .expected = -EINVAL },
	{ "entry text", .fill = fill_entry, .expected = -EINVAL },
	{ "noinstr text", __noinstr_text_start, .expected = -EINVAL },
	{ "jump label", jump_label_target, .reserved = jump_label_at,
	  .expected = -EINVAL },
	{ "static call", static_call_target,
	  .reserved = static_call_text_reserved, .expected = -EINVAL },
	{ "BUG()", bug_target, .reserved = bug_at, .expected = -EINVAL },
#ifdef CONFIG_KPROBES_CLASSIC
	{ "fault handler", target_add, .fill = fill_fault_handler,
	  .expected = -EOPNOTSUPP },
#endif
};

KUNIT_ARRAY_PARAM_DESC(errno, errno_cases, name);

static void test_refused_with_errno(struct kunit *test)
{
	const struct errno_case *c = test->param_value;
	unsigned int sites = kprobe_sites_in_use();
	struct kprobe p = KPROBE_AT(c->addr, .symbol_name = c->symbol,
				    .offset = c->offset, .flags = c->flags);
	int ret;

	if (c->fill)
		c->fill(test, &p);
	if (c->reserved)
		p.addr = find_reserved(test, c->addr, c->reserved);
	ret = register_kprobe(&p);
	KUNIT_EXPECT_EQ(test, ret, c->expected);
	if (!ret)
		unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

static void test_misuse_is_refused(struct kunit *test)
{
	struct counted c = COUNTED(target_add);
	struct kprobe *array[] = { &c.probe }, *none = NULL;

	KUNIT_EXPECT_EQ(test, register_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(&none, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c.probe), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c.probe), -EINVAL);
	unregister_kprobe(NULL);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_NULL(test, c.probe.addr);

	c.probe.addr = (kprobe_opcode_t *)target_add;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), -EINVAL);
	target_add(1, 2);
	KUNIT_EXPECT_EQ(test, c.pre, 1);
	unregister_kprobe(&c.probe);
}

/* The bad entry is at the beginning, in the middle or at the end. */
static void test_bad_entry_undoes_array(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use();
	int i, bad;

	for (bad = 0; bad < 3; bad++) {
		struct counted c[] = {
			COUNTED(target_add), COUNTED(target_mul),
			COUNTED(target_diverted),
		};
		struct kprobe *array[] = {
			&c[0].probe, &c[1].probe, &c[2].probe,
		};

		c[bad] = COUNTED(nokprobe_target);
		KUNIT_EXPECT_EQ(test, register_kprobes(array, 3), -EINVAL);
		KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
		target_add(1, 2);
		target_mul(1, 2);
		target_diverted(1);
		for (i = 0; i < 3; i++) {
			KUNIT_EXPECT_EQ(test, c[i].pre, 0);
			KUNIT_EXPECT_EQ(test, enable_kprobe(array[i]), -EINVAL);
		}
	}
}

/* Functions that instrumented code calls from any function. */
static const char * const instrumentation[] = {
	"__asan_load8", "__asan_store1_noabort", "__asan_loadN_noabort",
	"__asan_memcpy", "__asan_handle_no_return", "kasan_check_range",
	"__kasan_check_read", "__kasan_check_write", "__tsan_read8",
	"__tsan_write4", "__tsan_func_entry", "kcsan_setup_watchpoint",
	"__kcsan_check_access", "__msan_metadata_ptr_for_load_8",
	"__sanitizer_cov_trace_pc", "__sanitizer_cov_trace_const_cmp4",
	"write_comp_data", "check_kcov_mode", "__ubsan_handle_out_of_bounds",
	"__ubsan_handle_shift_out_of_bounds", "ftrace_likely_update",
};

KUNIT_ARRAY_PARAM(instrumentation, instrumentation, name_desc);

static void test_instrumentation_is_refused(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(named_function(test));
	int ret = register_kprobe(&p);

	KUNIT_EXPECT_EQ(test, ret, -EINVAL);
	if (!ret)
		unregister_kprobe(&p);
}

static struct kunit_case errno_tests[] = {
	KUNIT_CASE_PARAM(test_refused_with_errno, errno_gen_params),
	KUNIT_CASE(test_misuse_is_refused),
	KUNIT_CASE(test_bad_entry_undoes_array),
	KUNIT_CASE_PARAM(test_instrumentation_is_refused,
			 instrumentation_gen_params),
	{}
};

static struct kunit_suite errno_suite = {
	.name = "kprobes_errno",
	.test_cases = errno_tests,
};

/*
 * Hits
 */

static void expect_handlers_run(struct kunit *test, bool pre, bool post)
{
	struct counted c = COUNTED(target_add);

	c.probe.pre_handler = pre ? counted_pre : NULL;
	c.probe.post_handler = post ? counted_post : NULL;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_TRUE(test, c.probe.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	preempt_disable();
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();
	KUNIT_EXPECT_EQ(test, target_add(4, 4), 8);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	expect_hits(test, &c, 2 * pre, 2 * post);
	KUNIT_EXPECT_EQ(test, c.probe.nmissed, 0);
}

static void test_pre_handler_runs(struct kunit *test)
{
	expect_handlers_run(test, false, false);
	expect_handlers_run(test, true, false);
}

/* With a pre handler, and alone. */
static void test_post_handler_runs(struct kunit *test)
{
	expect_handlers_run(test, true, true);
	expect_handlers_run(test, false, true);
}

static void test_symbol_gives_address(struct kunit *test)
{
	struct kprobe p = KPROBE_ON("vfs_read");

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)p.addr,
			shown_at(&p, text_of(vfs_read)));
	unregister_kprobe(&p);
}

/* Callers see the probed instruction, which may follow a landing pad. */
static void test_entry_gives_address(struct kunit *test)
{
	struct counted first = COUNTED(target_add), second;
	unsigned int sites = kprobe_sites_in_use();

	KUNIT_ASSERT_EQ(test, register_kprobe(&first.probe), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)first.probe.addr,
			shown_at(&first.probe, text_of(target_add)));

	/* A probe after the landing pad is at the same site. */
	second = COUNTED(probed_at(&first.probe));
	KUNIT_ASSERT_EQ(test, register_kprobe(&second.probe), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)second.probe.addr,
			probed_at(&first.probe));
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites + 1);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	expect_hits(test, &first, 1, 0);
	expect_hits(test, &second, 1, 0);
	unregister_kprobe(&first.probe);
	unregister_kprobe(&second.probe);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

/* A refused probe gets the same address as an accepted one. */
static void test_refused_gets_address(struct kunit *test)
{
	struct kprobe p = KPROBE_ON(ENGINE);
	kprobe_opcode_t *addr = kprobe_lookup_name(p.symbol_name, 0);
	bool on_entry;

	if (!addr)
		kunit_skip(test, "this kernel has no such function");
	if (!KPROBE_ADDR_KEEPS_PAD)
		addr = arch_kprobe_entry((unsigned long)addr, 0, &on_entry);
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, p.addr, addr);
}

static int divert_pre(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, text_of(target_diverted));
	return 1;
}

static void test_pre_handler_diverts(struct kunit *test)
{
	struct counted first = COUNTED(target_add,
				       .probe.post_handler = counted_post);
	struct counted divert = COUNTED(target_add,
					.probe.post_handler = counted_post);
	struct counted last = COUNTED(target_add);

	divert.probe.pre_handler = divert_pre;
	/* The newest probe is called first. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&last.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&divert.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&first.probe), 0);
	KUNIT_EXPECT_EQ(test, target_add(5, 6), 1005);
	unregister_kprobe(&first.probe);
	unregister_kprobe(&divert.probe);
	unregister_kprobe(&last.probe);
	expect_hits(test, &first, 1, 0);
	expect_hits(test, &divert, 0, 0);
	expect_hits(test, &last, 0, 0);
	KUNIT_EXPECT_EQ(test, target_add(5, 6), 11);
}

static void test_newest_handlers_run_first(struct kunit *test)
{
	struct counted *c[3];
	int i;

	for (i = 0; i < 3; i++)
		c[i] = PROBED(test, target_add,
			      .probe.post_handler = counted_post);
	target_add(1, 1);
	KUNIT_EXPECT_GT(test, c[0]->order, c[1]->order);
	KUNIT_EXPECT_GT(test, c[1]->order, c[2]->order);
	KUNIT_EXPECT_LT(test, c[0]->order, c[2]->post_order);
	KUNIT_EXPECT_GT(test, c[0]->post_order, c[1]->post_order);
	KUNIT_EXPECT_GT(test, c[1]->post_order, c[2]->post_order);

	/* Probes are disabled one by one and keep their registration order. */
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c[1]->probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c[1]->probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_GT(test, c[0]->order, c[1]->order);
	KUNIT_EXPECT_GT(test, c[1]->order, c[2]->order);

	unregister_kprobe(&c[0]->probe);
	target_add(1, 1);
	expect_hits(test, c[0], 3, 3);
	expect_hits(test, c[1], 3, 3);
	expect_hits(test, c[2], 4, 4);
}

/* kprobe_disabled() must agree with the flag, which users may read as well. */
static void expect_disabled(struct kunit *test, struct counted *c,
			    bool disabled)
{
	c->pre = 0;
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, c->pre, !disabled);
	KUNIT_EXPECT_EQ(test, kprobe_disabled(&c->probe), disabled);
	KUNIT_EXPECT_EQ(test, !!(c->probe.flags & KPROBE_FLAG_DISABLED),
			disabled);
}

static void test_disabled_probe_is_silent_and_flagged(struct kunit *test)
{
	struct counted *c = PROBED(test, target_add,
				   .probe.flags = KPROBE_FLAG_DISABLED);
	int i;

	expect_disabled(test, c, true);
	for (i = 0; i < 2; i++) {
		reenable(test, &c->probe);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&c->probe), 0);
		expect_disabled(test, c, false);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&c->probe), 0);
		expect_disabled(test, c, true);
	}
	/* A probe that is registered again must still be enabled. */
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->probe), 0);
	unregister_kprobe(&c->probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->probe), 0);
	expect_disabled(test, c, false);
}

static int recursing_pre(struct kprobe *p, struct pt_regs *regs)
{
	target_mul(2, 2);
	return 0;
}

static void recursing_post(struct kprobe *p, struct pt_regs *regs,
			   unsigned long flags)
{
	target_mul(2, 2);
}

/* A pre handler hits the other probes first, and then a post handler. */
static void test_recursive_hit_is_missed(struct kunit *test)
{
	struct counted *inner = PROBED(test, target_mul,
				       .probe.post_handler = counted_post);
	struct counted *second = PROBED(test, target_mul);
	struct counted *off = PROBED(test, target_mul,
				     .probe.flags = KPROBE_FLAG_DISABLED);
	const unsigned int *missed = inner->probe.site->missed;
	int i;

	for (i = 1; i <= 2; i++) {
		struct kprobe outer = KPROBE_AT(target_add);

		if (i == 1)
			outer.pre_handler = recursing_pre;
		else
			outer.post_handler = recursing_post;
		KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
		KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
		KUNIT_EXPECT_EQ(test, outer.nmissed, 0);
		unregister_kprobe(&outer);
		expect_hits(test, inner, 0, 0);
		KUNIT_EXPECT_EQ(test, inner->probe.nmissed, i);
		KUNIT_EXPECT_EQ(test, second->probe.nmissed, i);
		KUNIT_EXPECT_EQ(test, missed[KPROBE_MISS_RECURSION], i);
	}
	KUNIT_EXPECT_EQ(test, missed[KPROBE_MISS_BUSY], 0);
	KUNIT_EXPECT_EQ(test, off->probe.nmissed, 0);

	KUNIT_EXPECT_EQ(test, target_mul(3, 3), 9);
	expect_hits(test, inner, 1, 1);
}

static void test_self_recursion_is_missed(struct kunit *test)
{
	struct kprobe self = KPROBE_AT(target_mul,
				       .pre_handler = recursing_pre);
	struct counted *c = PROBED(test, target_mul);

	KUNIT_ASSERT_EQ(test, register_kprobe(&self), 0);
	KUNIT_EXPECT_EQ(test, target_mul(1, 2), 2);
	unregister_kprobe(&self);
	KUNIT_EXPECT_EQ(test, self.nmissed, 1);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
}

static void irq_hits(struct irq_work *work)
{
	target_mul(2, 2);
}

/* Between kprobe_busy_begin() and _end(), interrupts run no handlers either. */
static void test_busy_cpu_misses_hits(struct kunit *test)
{
	struct counted *c = PROBED(test, target_mul);
	struct irq_work work = IRQ_WORK_INIT_HARD(irq_hits);
	/* Backends called by classic.c do not distinguish the two. */
	enum kprobe_miss why = IS_ENABLED(CONFIG_KPROBES_CLASSIC) ?
			       KPROBE_MISS_RECURSION : KPROBE_MISS_BUSY;

	kprobe_busy_begin();
	target_mul(1, 1);
	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
	kprobe_busy_end();
	target_mul(1, 1);
	KUNIT_EXPECT_EQ(test, c->probe.site->missed[why], 2);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 2);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
}

#define HITS_PER_CPU	1000

static void hit_often(void *unused)
{
	int i;

	for (i = 0; i < HITS_PER_CPU; i++)
		target_add(i, 1);
}

static void test_no_cpu_loses_a_hit(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(target_add, .pre_handler = count_pre,
				    .post_handler = count_post);

	take_cpu_hits();
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	on_each_cpu(hit_often, NULL, 1);
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, take_cpu_hits(),
			2UL * HITS_PER_CPU * num_online_cpus());
	KUNIT_EXPECT_EQ(test, p.nmissed, 0);
}

static struct kunit_case hit_tests[] = {
	KUNIT_CASE(test_pre_handler_runs),
	KUNIT_CASE(test_post_handler_runs),
	KUNIT_CASE(test_symbol_gives_address),
	KUNIT_CASE(test_entry_gives_address),
	KUNIT_CASE(test_refused_gets_address),
	KUNIT_CASE(test_pre_handler_diverts),
	KUNIT_CASE(test_newest_handlers_run_first),
	KUNIT_CASE(test_disabled_probe_is_silent_and_flagged),
	KUNIT_CASE(test_recursive_hit_is_missed),
	KUNIT_CASE(test_self_recursion_is_missed),
	KUNIT_CASE(test_busy_cpu_misses_hits),
	KUNIT_CASE(test_no_cpu_loses_a_hit),
	{}
};

static struct kunit_suite hit_suite = {
	.name = "kprobes_hit",
	.test_cases = hit_tests,
};

kunit_test_suites(&errno_suite, &hit_suite);

MODULE_DESCRIPTION("KUnit suites for kprobes");
MODULE_LICENSE("GPL");
