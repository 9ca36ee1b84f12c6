// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Basic KUnit suites for kprobes on any architecture: errnos and hits.  All
 * other suites are in lib/kprobes/.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/slab.h>
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

/* A probe and the results recorded by its handlers. */
struct seen {
	struct kprobe probe;
	int pre;
	int post;
	unsigned long ip;
	unsigned int order;
	unsigned int post_order;
	struct kprobe *running;
	bool irqs_on;
	bool preemptible;
};

static unsigned int order_counter;

static int seen_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct seen *s = container_of(p, struct seen, probe);

	s->pre++;
	s->ip = instruction_pointer(regs);
	s->order = ++order_counter;
	s->running = kprobe_running();
	s->irqs_on |= !irqs_disabled();
	s->preemptible |= preemptible();
	return 0;
}

static void seen_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	struct seen *s = container_of(p, struct seen, probe);

	s->post++;
	s->post_order = ++order_counter;
}

#define SEEN(target)	{						\
	.probe.addr = (kprobe_opcode_t *)(target),			\
	.probe.pre_handler = seen_pre,					\
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
	/* Set fields at run time; may be NULL. */
	void (*fill)(struct kunit *test, struct kprobe *p);
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
static void fill_reserved(struct kunit *test, struct kprobe *p, void *function,
			  int (*reserved)(void *start, void *end))
{
	unsigned long size, offset, i;

	function = (void *)text_of(function);
	if (!kallsyms_lookup_size_offset((unsigned long)function, &size,
					 &offset))
		kunit_skip(test, "no symbol of the target");
	for (i = 0; i < size; i++) {
		if (reserved(function + i, function + i)) {
			p->addr = (kprobe_opcode_t *)(function + i);
			return;
		}
	}
	kunit_skip(test, "this kernel patches nothing in the target");
}

static int jump_label_at(void *start, void *end)
{
	int ret;

	jump_label_lock();
	ret = jump_label_text_reserved(start, end);
	jump_label_unlock();
	return ret;
}

static int static_call_at(void *start, void *end)
{
	return static_call_text_reserved(start, end);
}

static void fill_jump_label(struct kunit *test, struct kprobe *p)
{
	fill_reserved(test, p, jump_label_target, jump_label_at);
}

static void fill_static_call(struct kunit *test, struct kprobe *p)
{
	fill_reserved(test, p, static_call_target, static_call_at);
}

static int bug_at(void *start, void *end)
{
	return !!find_bug((unsigned long)start);
}

static void fill_bug(struct kunit *test, struct kprobe *p)
{
	fill_reserved(test, p, bug_target, bug_at);
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
	{ "data", &order_counter, .expected = -EINVAL },
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
	{ "jump label", .fill = fill_jump_label, .expected = -EINVAL },
	{ "static call", .fill = fill_static_call, .expected = -EINVAL },
	{ "BUG()", .fill = fill_bug, .expected = -EINVAL },
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
				    .offset = c->offset, .flags = c->flags,
				    .pre_handler = seen_pre);
	int ret;

	if (c->fill)
		c->fill(test, &p);
	ret = register_kprobe(&p);
	KUNIT_EXPECT_EQ(test, ret, c->expected);
	if (!ret)
		unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

static void test_null_is_refused(struct kunit *test)
{
	struct kprobe *none = NULL;

	KUNIT_EXPECT_EQ(test, register_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(&none, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kprobe(NULL), -EINVAL);
	unregister_kprobe(NULL);
}

static void test_second_register_fails(struct kunit *test)
{
	struct seen s = SEEN(target_add);

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&s.probe), -EINVAL);
	target_add(1, 2);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
	unregister_kprobe(&s.probe);
}

static void test_empty_array_is_refused(struct kunit *test)
{
	struct seen s = SEEN(target_add);
	struct kprobe *array[] = { &s.probe };

	KUNIT_EXPECT_EQ(test, register_kprobes(array, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, -1), -EINVAL);
}

static void test_unregistered_is_refused(struct kunit *test)
{
	struct seen s = SEEN(target_add);

	KUNIT_EXPECT_EQ(test, enable_kprobe(&s.probe), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&s.probe), -EINVAL);
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_NULL(test, s.probe.addr);
}

static void test_no_kretprobes_without_config(struct kunit *test)
{
	struct kretprobe rp = { .kp.addr = (kprobe_opcode_t *)target_add };

	if (IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "this kernel has return probes");
	KUNIT_EXPECT_EQ(test, register_kretprobe(&rp), -EOPNOTSUPP);
}

/* The index of the bad entry among three. */
static const int rollback_cases[] = { 0, 1, 2 };

static void rollback_desc(const int *bad, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "bad entry %d of 3", *bad);
}

KUNIT_ARRAY_PARAM(rollback, rollback_cases, rollback_desc);

static void test_bad_entry_undoes_array(struct kunit *test)
{
	int i, bad = *(const int *)test->param_value;
	unsigned int sites = kprobe_sites_in_use();
	struct seen s[] = {
		SEEN(target_add), SEEN(target_mul), SEEN(target_diverted),
	};
	struct kprobe *array[] = { &s[0].probe, &s[1].probe, &s[2].probe };

	s[bad].probe.addr = (kprobe_opcode_t *)nokprobe_target;
	KUNIT_EXPECT_EQ(test, register_kprobes(array, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);

	target_add(1, 2);
	target_mul(1, 2);
	target_diverted(1);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, s[i].pre, 0);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&s[i].probe), -EINVAL);
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
	KUNIT_CASE(test_null_is_refused),
	KUNIT_CASE(test_second_register_fails),
	KUNIT_CASE(test_empty_array_is_refused),
	KUNIT_CASE(test_unregistered_is_refused),
	KUNIT_CASE(test_no_kretprobes_without_config),
	KUNIT_CASE_PARAM(test_bad_entry_undoes_array, rollback_gen_params),
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

static void test_pre_handler_runs(struct kunit *test)
{
	struct seen s = SEEN(target_add);

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
	KUNIT_EXPECT_EQ(test, s.ip, pre_ip(&s.probe));
	KUNIT_EXPECT_PTR_EQ(test, s.running, &s.probe);
	KUNIT_EXPECT_FALSE(test, s.preemptible);
	KUNIT_EXPECT_TRUE(test, s.probe.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	preempt_disable();
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();

	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
	KUNIT_EXPECT_EQ(test, s.probe.nmissed, 0);
}

static void test_post_handler_runs(struct kunit *test)
{
	struct seen s = SEEN(target_add);

	s.probe.post_handler = seen_post;
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, target_add(4, 4), 8);
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.pre, 2);
	KUNIT_EXPECT_EQ(test, s.post, 2);
}

static void test_post_handler_runs_alone(struct kunit *test)
{
	struct seen s = SEEN(target_add);

	s.probe.pre_handler = NULL;
	s.probe.post_handler = seen_post;
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.post, 1);
}

static void test_handlers_are_optional(struct kunit *test)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)target_add };

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	unregister_kprobe(&p);
}

static void test_symbol_gives_address(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "vfs_read" };

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)p.addr,
			shown_at(&p, text_of(vfs_read)));
	unregister_kprobe(&p);
}

/* Callers see the probed instruction, which may follow a landing pad. */
static void test_entry_gives_address(struct kunit *test)
{
	struct seen first = SEEN(target_add), second = SEEN(target_add);
	unsigned int sites = kprobe_sites_in_use();

	KUNIT_ASSERT_EQ(test, register_kprobe(&first.probe), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)first.probe.addr,
			shown_at(&first.probe, text_of(target_add)));

	/* A probe after the landing pad is at the same site. */
	second.probe.addr = (kprobe_opcode_t *)probed_at(&first.probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&second.probe), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)second.probe.addr,
			probed_at(&first.probe));
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites + 1);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, first.pre, 1);
	KUNIT_EXPECT_EQ(test, second.pre, 1);
	KUNIT_EXPECT_EQ(test, first.ip, second.ip);
	unregister_kprobe(&first.probe);
	unregister_kprobe(&second.probe);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

/* A refused probe gets the same address as an accepted one. */
static void test_refused_gets_address(struct kunit *test)
{
	struct kprobe p = { .symbol_name = ENGINE };
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
	struct seen first = SEEN(target_add), last = SEEN(target_add);
	struct kprobe divert = KPROBE_AT(target_add, .pre_handler = divert_pre,
					 .post_handler = seen_post);

	first.probe.post_handler = seen_post;
	/* The newest probe is called first. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&last.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&divert), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&first.probe), 0);
	KUNIT_EXPECT_EQ(test, target_add(5, 6), 1005);
	unregister_kprobe(&first.probe);
	unregister_kprobe(&divert);
	unregister_kprobe(&last.probe);
	KUNIT_EXPECT_EQ(test, first.pre, 1);
	KUNIT_EXPECT_EQ(test, first.post, 0);
	KUNIT_EXPECT_EQ(test, last.pre, 0);
	KUNIT_EXPECT_EQ(test, target_add(5, 6), 11);
}

static void test_newest_handlers_run_first(struct kunit *test)
{
	struct seen s[] = {
		SEEN(target_add), SEEN(target_add), SEEN(target_add),
	};
	int i;

	for (i = 0; i < 3; i++) {
		s[i].probe.post_handler = seen_post;
		KUNIT_ASSERT_EQ(test, register_kprobe(&s[i].probe), 0);
	}
	target_add(1, 1);
	KUNIT_EXPECT_GT(test, s[0].order, s[1].order);
	KUNIT_EXPECT_GT(test, s[1].order, s[2].order);
	KUNIT_EXPECT_LT(test, s[0].order, s[2].post_order);
	KUNIT_EXPECT_GT(test, s[0].post_order, s[1].post_order);
	KUNIT_EXPECT_GT(test, s[1].post_order, s[2].post_order);

	/* Probes are disabled one by one and keep their registration order. */
	KUNIT_EXPECT_EQ(test, disable_kprobe(&s[1].probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s[0].pre, 2);
	KUNIT_EXPECT_EQ(test, s[1].pre, 1);
	KUNIT_EXPECT_EQ(test, s[2].pre, 2);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&s[1].probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s[1].pre, 2);
	KUNIT_EXPECT_GT(test, s[0].order, s[1].order);
	KUNIT_EXPECT_GT(test, s[1].order, s[2].order);

	unregister_kprobe(&s[0].probe);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s[0].pre, 3);
	KUNIT_EXPECT_EQ(test, s[1].pre, 3);
	KUNIT_EXPECT_EQ(test, s[2].pre, 4);
	unregister_kprobe(&s[2].probe);
	unregister_kprobe(&s[1].probe);
}

static void test_disabled_is_silent(struct kunit *test)
{
	struct seen s = SEEN(target_add);

	s.probe.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s.pre, 0);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&s.probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&s.probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
	unregister_kprobe(&s.probe);
}

static int recursing_pre(struct kprobe *p, struct pt_regs *regs)
{
	target_mul(2, 2);
	return 0;
}

static unsigned int missed_at(const struct seen *s, enum kprobe_miss why)
{
	return s->probe.site->missed[why];
}

static void test_recursive_hit_is_missed(struct kunit *test)
{
	struct seen inner = SEEN(target_mul), second = SEEN(target_mul);
	struct seen off = SEEN(target_mul);
	struct kprobe outer = KPROBE_AT(target_add,
					.pre_handler = recursing_pre);

	inner.probe.post_handler = seen_post;
	off.probe.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, register_kprobe(&inner.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&second.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&off.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	KUNIT_EXPECT_EQ(test, inner.pre, 0);
	KUNIT_EXPECT_EQ(test, inner.post, 0);
	KUNIT_EXPECT_EQ(test, inner.probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, second.probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, off.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, outer.nmissed, 0);
	KUNIT_EXPECT_EQ(test, missed_at(&inner, KPROBE_MISS_RECURSION), 1);
	KUNIT_EXPECT_EQ(test, missed_at(&inner, KPROBE_MISS_BUSY), 0);

	KUNIT_EXPECT_EQ(test, target_mul(3, 3), 9);
	KUNIT_EXPECT_EQ(test, inner.pre, 1);
	unregister_kprobe(&outer);
	unregister_kprobe(&off.probe);
	unregister_kprobe(&second.probe);
	unregister_kprobe(&inner.probe);
}

static int recursing_into_self_pre(struct kprobe *p, struct pt_regs *regs)
{
	target_add(7, 7);
	return 0;
}

static void test_self_recursion_is_missed(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(target_add,
				    .pre_handler = recursing_into_self_pre);
	struct seen s = SEEN(target_add);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	unregister_kprobe(&p);
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, p.nmissed, 1);
	KUNIT_EXPECT_EQ(test, s.probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
}

static void recursing_post(struct kprobe *p, struct pt_regs *regs,
			   unsigned long flags)
{
	target_mul(2, 2);
}

static void test_recursion_from_post_is_missed(struct kunit *test)
{
	struct seen inner = SEEN(target_mul);
	struct kprobe outer = KPROBE_AT(target_add,
					.post_handler = recursing_post);

	KUNIT_ASSERT_EQ(test, register_kprobe(&inner.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
	KUNIT_EXPECT_EQ(test, target_add(1, 2), 3);
	unregister_kprobe(&outer);
	unregister_kprobe(&inner.probe);
	KUNIT_EXPECT_EQ(test, inner.pre, 0);
	KUNIT_EXPECT_EQ(test, inner.probe.nmissed, 1);
}

static void irq_hits(struct irq_work *work)
{
	target_mul(2, 2);
}

/* Between kprobe_busy_begin() and _end(), interrupts run no handlers either. */
static void test_busy_cpu_misses_hits(struct kunit *test)
{
	struct seen s = SEEN(target_mul);
	struct irq_work work = IRQ_WORK_INIT_HARD(irq_hits);

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	kprobe_busy_begin();
	target_mul(1, 1);
	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
	kprobe_busy_end();
	target_mul(1, 1);
	/* Backends called by classic.c do not distinguish the two. */
	KUNIT_EXPECT_EQ(test, missed_at(&s, IS_ENABLED(CONFIG_KPROBES_CLASSIC) ?
					    KPROBE_MISS_RECURSION :
					    KPROBE_MISS_BUSY), 2);
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.probe.nmissed, 2);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
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
	KUNIT_CASE(test_post_handler_runs_alone),
	KUNIT_CASE(test_handlers_are_optional),
	KUNIT_CASE(test_symbol_gives_address),
	KUNIT_CASE(test_entry_gives_address),
	KUNIT_CASE(test_refused_gets_address),
	KUNIT_CASE(test_pre_handler_diverts),
	KUNIT_CASE(test_newest_handlers_run_first),
	KUNIT_CASE(test_disabled_is_silent),
	KUNIT_CASE(test_recursive_hit_is_missed),
	KUNIT_CASE(test_self_recursion_is_missed),
	KUNIT_CASE(test_recursion_from_post_is_missed),
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
