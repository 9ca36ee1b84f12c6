/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers shared by the KUnit suites for kprobes: functions that can be probed,
 * a probe that counts its hits, and waiting.  It includes the headers that most
 * suites need.
 */
#ifndef _LIB_KPROBES_TEST_H
#define _LIB_KPROBES_TEST_H

#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_hit.h>
#include <linux/kprobes_test.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

/* Several elements or statements, as one macro. */
#define LIST(...)	__VA_ARGS__

/*
 * Marks probed functions: the compiler must not let callers rely on their
 * bodies.  Clang lacks the attribute, but assumes little about a function that
 * may be called from anywhere.
 */
#ifdef CONFIG_CC_IS_CLANG
#define TARGET	LIST(noinline __used)
#else
#define TARGET	__attribute__((noipa))
#endif

/* Xen PV guests have no jumps. */
static inline bool in_xen_pv(void)
{
#ifdef CONFIG_XEN_PV
	return cpu_feature_enabled(X86_FEATURE_XENPV);
#else
	return false;
#endif
}

/* Return the address of the code: @function may point to a descriptor. */
static inline unsigned long text_of(void *function)
{
	return (unsigned long)dereference_kernel_function_descriptor(function);
}

/* Probes at a place: a function, or the address of an instruction. */
#define KPROBE_AT(where, ...)						\
	((struct kprobe) { .addr = (kprobe_opcode_t *)(where), __VA_ARGS__ })
#define KRETPROBE_AT(where, ...)					\
	((struct kretprobe) {						\
		.kp.addr = (kprobe_opcode_t *)(where), __VA_ARGS__	\
	})

/* A probe on the symbol @name. */
#define KPROBE_ON(name, ...)						\
	((struct kprobe) { .symbol_name = (name), __VA_ARGS__ })

/* A jprobe, whose handler is @function. */
#define JPROBE_AT(where, function)					\
	((struct jprobe) {						\
		.kp.addr = (kprobe_opcode_t *)(where), .entry = (function) \
	})

/* Describe a parameter that is the name of a function. */
static inline void name_desc(const char * const *name, char *desc)
{
	strscpy(desc, *name, KUNIT_PARAM_DESC_SIZE);
}

/* Return the address of the function that the parameter names. */
static inline unsigned long named_function(struct kunit *test)
{
	const char *name = *(const char * const *)test->param_value;
	unsigned long addr = (unsigned long)kprobe_lookup_name(name, 0);

	if (!addr || !kernel_text_address(addr))
		kunit_skip(test, "this kernel has no such function");
	return addr;
}

/* Functions for any suite to probe. */
static __maybe_unused TARGET int target_add(int a, int b)
{
	barrier();
	return a + b;
}

static __maybe_unused TARGET int target_mul(int a, int b)
{
	barrier();
	return a * b;
}

/* Return the address of the probed instruction, after any landing pad. */
static inline unsigned long probed_at(const struct kprobe *p)
{
	return (unsigned long)p->site->addr;
}

/* Return kprobe::addr of a registered probe whose user requested @place. */
static inline unsigned long shown_at(const struct kprobe *p,
				     unsigned long place)
{
	return IS_ENABLED(CONFIG_ARM64) ? place : probed_at(p);
}

/* Return the instruction pointer that pre handlers see. */
static inline unsigned long pre_ip(const struct kprobe *p)
{
	return probed_at(p) + IS_ENABLED(CONFIG_X86);
}

/* Return the size of the head of the text, where sparc64 writes tables. */
static inline size_t size_of_head(void)
{
	unsigned long addr = (unsigned long)_stext;

	while (IS_ENABLED(CONFIG_SPARC64) && within_kprobe_blacklist(addr))
		addr += sizeof(u32);
	return addr - (unsigned long)_stext;
}

/*
 * Return true if the text has not changed.  Text that cannot be probed is
 * skipped because it may contain slots.
 */
static inline bool same_text(const void *before)
{
	size_t head = size_of_head();
	size_t first = __kprobes_text_start - _stext;
	size_t after = __kprobes_text_end - _stext;

	return !memcmp(before + head, _stext + head, first - head) &&
	       !memcmp(before + after, _stext + after,
		       _etext - __kprobes_text_end);
}

/**
 * struct counted - a probe and the counts of its handlers
 * @probe: the probe
 * @pre: calls of the pre handler
 * @post: calls of the post handler
 * @astray: calls of the pre handler at a wrong address or in a wrong context
 * @order: counted_calls in the last call of the pre handler
 * @post_order: counted_calls in the last call of the post handler
 */
struct counted {
	struct kprobe probe;
	unsigned int pre;
	unsigned int post;
	unsigned int astray;
	unsigned int order;
	unsigned int post_order;
};

/* Calls of the handlers of all probes. */
static __maybe_unused unsigned int counted_calls;

/*
 * Tests that compare counts hit the probe on one CPU.  In other tests several
 * CPUs may count at once, and a lost count is harmless.
 */
static inline void count_call(unsigned int *calls, unsigned int *order)
{
	/* See above. */
	data_race(++*calls);
	/* See above. */
	data_race(*order = ++counted_calls);
}

static inline int counted_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counted *c = container_of(p, struct counted, probe);

	count_call(&c->pre, &c->order);
	if (instruction_pointer(regs) != pre_ip(p) ||
	    kprobe_running() != p || !irqs_disabled() || preemptible())
		c->astray++;
	/* Tracing needs a raised preempt count, and subtracts one from it. */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT) &&
	    !(preempt_count() & PREEMPT_MASK))
		c->astray++;
	return 0;
}

static inline void counted_post(struct kprobe *p, struct pt_regs *regs,
				unsigned long flags)
{
	struct counted *c = container_of(p, struct counted, probe);

	count_call(&c->post, &c->post_order);
}

/* Count calls in a wrong context, too. */
static inline void checked_post(struct kprobe *p, struct pt_regs *regs,
				unsigned long flags)
{
	counted_post(p, regs, flags);
	if (!irqs_disabled() || preemptible())
		container_of(p, struct counted, probe)->astray++;
}

/* COUNTED(address, initializers...) */
#define COUNTED(where, ...)						\
	((struct counted) {						\
		.probe.addr = (kprobe_opcode_t *)(where),		\
		.probe.pre_handler = counted_pre,			\
		__VA_ARGS__						\
	})

static inline void free_for_test(void *memory)
{
	vfree(memory);
}

/* Return zeroed memory that is freed after the case. */
static inline void *alloc_for_test(struct kunit *test, size_t size)
{
	void *memory = vzalloc(size);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_for_test,
							memory), 0);
	return memory;
}

static inline void counted_remove(void *probe)
{
	unregister_kprobe(probe);
}

static inline struct counted *counted_add(struct kunit *test,
					  const struct counted *c)
{
	struct counted *added = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, added);
	*added = *c;
	KUNIT_ASSERT_EQ(test, register_kprobe(&added->probe), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, counted_remove,
							&added->probe), 0);
	return added;
}

/*
 * PROBED(test, address, initializers...): register a counted probe.  It is
 * unregistered after the case, unless the case has done so.
 */
#define PROBED(test, ...)	counted_add(test, &COUNTED(__VA_ARGS__))

/* Check the calls of both handlers, and that none was astray. */
static inline void expect_hits(struct kunit *test, const struct counted *c,
			       unsigned int pre, unsigned int post)
{
	KUNIT_EXPECT_EQ(test, c->pre, pre);
	KUNIT_EXPECT_EQ(test, c->post, post);
	KUNIT_EXPECT_EQ(test, c->astray, 0);
}

static inline void reenable(struct kunit *test, struct kprobe *p)
{
	KUNIT_EXPECT_EQ(test, disable_kprobe(p), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(p), 0);
}

/* Return the slots in use after retired sites have been freed. */
static inline unsigned int slots_after_flush(void)
{
	kprobe_flush_retired();
	return kprobe_slots_in_use();
}

static inline void skip_on_one_cpu(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
}

/* Create a task on another CPU; the caller must not migrate meanwhile. */
static inline struct task_struct *other_cpu_task(struct kunit *test,
						 int (*thread)(void *data))
{
	struct task_struct *task;

	migrate_disable();
	task = kthread_create(thread, NULL, "kprobes-other-cpu");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	kthread_bind(task, cpumask_any_but(cpu_online_mask,
					   raw_smp_processor_id()));
	return task;
}

static inline void other_cpu_end(struct task_struct *task)
{
	kthread_stop_put(task);
	migrate_enable();
}

#ifdef CONFIG_HOTPLUG_CPU
/* Take the last CPU offline and online again. */
static inline void cycle_last_cpu(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);

	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
}
#endif

/**
 * struct captured - a probe and the registers that its handler has seen
 * @probe: the probe
 * @regs: registers of the last hit
 * @hits: calls of the handler
 */
struct captured {
	struct kprobe probe;
	struct pt_regs regs;
	unsigned int hits;
};

static inline int captured_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct captured *c = container_of(p, struct captured, probe);

	c->regs = *regs;
	c->hits++;
	return 0;
}

/*
 * kunit_skip() for use after expectations: a skipped case passes even if an
 * expectation has failed before.
 */
#define skip_rest(test, fmt, ...)					\
do {									\
	KUNIT_ASSERT_NE(test, READ_ONCE((test)->status), KUNIT_FAILURE); \
	kunit_skip(test, fmt, ##__VA_ARGS__);				\
} while (0)

/* Without jumps, all probes remain breakpoints. */
#ifdef CONFIG_OPTPROBES
static inline void switch_jumps(bool on)
{
	kprobe_set_jumps(on);
	wait_for_kprobe_optimizer();
}

/* Check the state after the optimizer has finished. */
static inline void expect_jump(struct kunit *test, struct kprobe *p, bool jump)
{
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, kprobe_optimized(p), jump);
}
#else
static inline void switch_jumps(bool on)
{
}

static inline void expect_jump(struct kunit *test, struct kprobe *p, bool jump)
{
}
#endif

/* Wait until background work has made the condition true. */
#define EVENTUALLY(condition) ({					\
	int __tries = 1000;						\
	while (!(condition) && --__tries)				\
		msleep(20);						\
	(condition);							\
})

#endif /* _LIB_KPROBES_TEST_H */
