// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the interrupt state that tracers see in hits and after them.
 */
#include <linux/percpu.h>
#include <linux/tracepoint.h>
#include <linux/trace_irqs.h>
#include <trace/events/preemptirq.h>
#include "test.h"

/* The last state reported on this CPU. */
static DEFINE_PER_CPU(bool, traced_off);

/* Report interrupts as on, which a trap at the entry does not. */
static TARGET int target_traced(int a)
{
	local_irq_disable();
	local_irq_enable();
	return a;
}

static void trace_off(void *unused, unsigned long ip, unsigned long parent_ip)
{
	this_cpu_write(traced_off, true);
}

static void trace_on(void *unused, unsigned long ip, unsigned long parent_ip)
{
	this_cpu_write(traced_off, false);
}

static void tracer_start(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, register_trace_irq_enable(trace_on, NULL), 0);
	KUNIT_EXPECT_EQ(test, register_trace_irq_disable(trace_off, NULL), 0);
}

static void tracer_stop(void)
{
	unregister_trace_irq_disable(trace_off, NULL);
	unregister_trace_irq_enable(trace_on, NULL);
	tracepoint_synchronize_unregister();
}

/* Handlers that ran, and their number while interrupts were traced as on. */
static unsigned int handlers, unexpected;

static int traced_pre(struct kprobe *p, struct pt_regs *regs)
{
	handlers++;
	unexpected += !this_cpu_read(traced_off);
	return 0;
}

static void traced_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	traced_pre(p, regs);
}

/* Return true if interrupts are traced as off after a call with a tracer. */
static bool call_traced(struct kunit *test)
{
	int result;
	bool off;

	handlers = 0;
	unexpected = 0;
	tracer_start(test);
	preempt_disable();
	local_irq_disable();
	local_irq_enable();
	result = target_traced(2);
	off = this_cpu_read(traced_off);
	preempt_enable();
	tracer_stop();
	KUNIT_EXPECT_EQ(test, result, 2);
	return off;
}

static void test_handlers_of_trap_are_traced(struct kunit *test)
{
	PROBED(test, text_of(target_traced), .probe.pre_handler = traced_pre,
	       .probe.post_handler = traced_post);
	/* Exceptions report their end to lockdep only. */
	call_traced(test);
	KUNIT_EXPECT_EQ(test, handlers, 2);
	KUNIT_EXPECT_EQ(test, unexpected, 0);
}

#ifdef CONFIG_KRETPROBES
static int traced_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return traced_pre(NULL, regs);
}

static void test_handler_of_return_is_traced(struct kunit *test)
{
	struct kretprobe rp = KRETPROBE_AT(text_of(target_traced),
					   .handler = traced_return);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	KUNIT_EXPECT_FALSE(test, call_traced(test));
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, handlers, 1);
	KUNIT_EXPECT_EQ(test, unexpected, 0);
}
#endif

static void test_key_is_on_for_tracer_or_lockdep(struct kunit *test)
{
	bool lockdep = IS_ENABLED(CONFIG_PROVE_LOCKING);

	KUNIT_EXPECT_EQ(test, trace_irqs_enabled(), lockdep);
	tracer_start(test);
	KUNIT_EXPECT_TRUE(test, trace_irqs_enabled());
	tracer_stop();
	KUNIT_EXPECT_EQ(test, trace_irqs_enabled(), lockdep);
}

static struct kunit_case irqs_tests[] = {
	KUNIT_CASE(test_handlers_of_trap_are_traced),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(test_handler_of_return_is_traced),
#endif
	KUNIT_CASE(test_key_is_on_for_tracer_or_lockdep),
	{}
};

static struct kunit_suite irqs_suite = {
	.name = "kprobes_irqs",
	.test_cases = irqs_tests,
};

kunit_test_suite(irqs_suite);
