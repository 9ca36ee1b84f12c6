/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers shared by the KUnit suites for kprobes: functions that can be probed,
 * a probe that counts its hits, and waiting.
 */
#ifndef _LIB_KPROBES_TEST_H
#define _LIB_KPROBES_TEST_H

#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_hit.h>
#include <linux/kprobes_test.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/string.h>
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

/*
 * Interrupts may run between a hit and its handlers; hits in them are missed.
 */
#ifdef CONFIG_KPROBES_CLASSIC
#define HITS_TAKE_INTERRUPTS	KPROBE_IRQS_ON_IN_HIT
#else
#define HITS_TAKE_INTERRUPTS	false
#endif

/* Xen PV guests have no jumps. */
static __maybe_unused bool in_xen_pv(void)
{
#ifdef CONFIG_XEN_PV
	return cpu_feature_enabled(X86_FEATURE_XENPV);
#else
	return false;
#endif
}

/* Return the address of the code: @function may point to a descriptor. */
static __maybe_unused unsigned long text_of(void *function)
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

/* A jprobe, whose handler is @function. */
#define JPROBE_AT(where, function)					\
	((struct jprobe) {						\
		.kp.addr = (kprobe_opcode_t *)(where), .entry = (function) \
	})

/* Describe a parameter that is the name of a function. */
static __maybe_unused void name_desc(const char * const *name, char *desc)
{
	strscpy(desc, *name, KUNIT_PARAM_DESC_SIZE);
}

/* Return the address of the function that the parameter names. */
static __maybe_unused unsigned long named_function(struct kunit *test)
{
	const char *name = *(const char * const *)test->param_value;
	unsigned long addr = (unsigned long)kprobe_lookup_name(name, 0);

	if (!addr || !kernel_text_address(addr))
		kunit_skip(test, "this kernel has no such function");
	return addr;
}

/* Return the address of the probed instruction, after any landing pad. */
static __maybe_unused unsigned long probed_at(const struct kprobe *p)
{
	return (unsigned long)p->site->addr;
}

/* Return kprobe::addr of a registered probe whose user requested @place. */
static __maybe_unused unsigned long shown_at(const struct kprobe *p,
					     unsigned long place)
{
	return IS_ENABLED(CONFIG_ARM64) ? place : probed_at(p);
}

/* Return the instruction pointer that pre handlers see. */
static __maybe_unused unsigned long pre_ip(const struct kprobe *p)
{
	return probed_at(p) + IS_ENABLED(CONFIG_X86);
}

/* Return the size of the head of the text, where sparc64 writes tables. */
static __maybe_unused size_t size_of_head(void)
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
static __maybe_unused bool same_text(const void *before)
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
 */
struct counted {
	struct kprobe probe;
	unsigned int pre;
	unsigned int post;
	unsigned int astray;
};

/*
 * Tests that compare counts hit the probe on one CPU.  In other tests several
 * CPUs may count at once, and a lost count is harmless.
 */
static __maybe_unused int counted_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counted *c = container_of(p, struct counted, probe);

	/* Several CPUs may count; see above. */
	data_race(c->pre++);
	if (instruction_pointer(regs) != pre_ip(p) ||
	    kprobe_running() != p || !irqs_disabled() || preemptible())
		c->astray++;
	/* Tracing needs a raised preempt count, and subtracts one from it. */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT) &&
	    !(preempt_count() & PREEMPT_MASK))
		c->astray++;
	return 0;
}

static __maybe_unused void counted_post(struct kprobe *p, struct pt_regs *regs,
					unsigned long flags)
{
	/* Several CPUs may count; see above. */
	data_race(container_of(p, struct counted, probe)->post++);
}

/* Count calls in a wrong context, too. */
static __maybe_unused void checked_post(struct kprobe *p, struct pt_regs *regs,
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

static __maybe_unused int captured_pre(struct kprobe *p, struct pt_regs *regs)
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
static __maybe_unused void switch_jumps(bool on)
{
	kprobe_set_jumps(on);
	wait_for_kprobe_optimizer();
}

/* Check the state after the optimizer has finished. */
static __maybe_unused void expect_jump(struct kunit *test, struct kprobe *p,
				       bool jump)
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
