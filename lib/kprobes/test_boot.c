// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for probes that are registered early during boot, before
 * secondary CPUs run and before the optimizer can work.
 *
 * KUnit starts too late for that.  Initcalls therefore register and hit the
 * probes, and the cases check the recorded results.
 */
#include <linux/init.h>
#include "test.h"

/* Both functions begin with instructions long enough for a jump. */
static TARGET int boot_lasting(int a)
{
	barrier();
	return a * 1000003;
}

static TARGET int boot_passing(int a)
{
	barrier();
	return a * 1000033;
}

static int nr_hits;

static int hits(struct kprobe *p, struct pt_regs *regs)
{
	nr_hits++;
	return 0;
}

static int returns(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	nr_hits += 100;
	return 0;
}

/* A probe and the results recorded by the initcalls. */
struct boot_probe {
	struct kprobe probe;
	int registered;
	int early;	/* hits before secondary CPUs run */
	int late;	/* hits at the end of boot */
	bool optimized_early;
	bool optimized_late;
};

static struct boot_probe lasting = {
	.probe.addr = (kprobe_opcode_t *)boot_lasting,
	.probe.pre_handler = hits,
};

static struct boot_probe passing = {
	.probe.addr = (kprobe_opcode_t *)boot_passing,
	.probe.pre_handler = hits,
};

static struct kretprobe returning = {
	.kp.addr = (kprobe_opcode_t *)boot_lasting,
	.handler = returns,
};

#define HITS_AND_RETURNS	(IS_ENABLED(CONFIG_KRETPROBES) ? 202 : 2)

static int hits_of(int (*target)(int a))
{
	nr_hits = 0;
	target(1);
	target(2);
	return nr_hits;
}

static int returning_registered;
static int first_registered;

/* Memory for slots may not be available yet. */
static int __init boot_first(void)
{
	struct kprobe p = KPROBE_AT(boot_passing);

	first_registered = register_kprobe(&p);
	if (!first_registered)
		unregister_kprobe(&p);
	return 0;
}
pure_initcall(boot_first);

static int __init boot_early(void)
{
	lasting.registered = register_kprobe(&lasting.probe);
	if (IS_ENABLED(CONFIG_KRETPROBES))
		returning_registered = register_kretprobe(&returning);
	lasting.early = hits_of(boot_lasting);

	/* The memory of this probe can be freed only later during boot. */
	passing.registered = register_kprobe(&passing.probe);
	passing.early = hits_of(boot_passing);
	unregister_kprobe(&passing.probe);
	passing.late = hits_of(boot_passing);

	/* The optimizer has not started; this call must not wait for it. */
	wait_for_kprobe_optimizer();
	lasting.optimized_early = kprobe_optimized(&lasting.probe);
	return 0;
}

/* The first level at which slots can be allocated. */
#ifdef CONFIG_ARCH_WANTS_EXECMEM_LATE
core_initcall_sync(boot_early);
#else
early_initcall(boot_early);
#endif

static int __init boot_late(void)
{
	wait_for_kprobe_optimizer();
	lasting.optimized_late = kprobe_optimized(&lasting.probe);
	lasting.late = hits_of(boot_lasting);
	if (IS_ENABLED(CONFIG_KRETPROBES))
		unregister_kretprobe(&returning);
	unregister_kprobe(&lasting.probe);
	return 0;
}
late_initcall_sync(boot_late);

static void test_first_probe_gets_errno(struct kunit *test)
{
	bool late = IS_ENABLED(CONFIG_ARCH_WANTS_EXECMEM_LATE);

	KUNIT_EXPECT_EQ(test, first_registered, late ? -EAGAIN : 0);
}

static void test_early_probe_is_hit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lasting.registered, 0);
	KUNIT_EXPECT_EQ(test, returning_registered, 0);
	KUNIT_EXPECT_EQ(test, lasting.early, HITS_AND_RETURNS);
	KUNIT_EXPECT_EQ(test, lasting.late, HITS_AND_RETURNS);
	KUNIT_EXPECT_EQ(test, lasting.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, hits_of(boot_lasting), 0);
}

static void test_early_unregister_ends_hits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, passing.registered, 0);
	KUNIT_EXPECT_EQ(test, passing.early, 2);
	KUNIT_EXPECT_EQ(test, passing.late, 0);
}

/* The optimizer starts by itself once it can wait for grace periods. */
static void test_early_probe_becomes_jump(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_OPTPROBES) || in_xen_pv())
		kunit_skip(test, "this kernel makes no jumps");
	KUNIT_EXPECT_FALSE(test, lasting.optimized_early);
	KUNIT_EXPECT_TRUE(test, lasting.optimized_late);
}

static struct kunit_case boot_tests[] = {
	KUNIT_CASE(test_first_probe_gets_errno),
	KUNIT_CASE(test_early_probe_is_hit),
	KUNIT_CASE(test_early_unregister_ends_hits),
	KUNIT_CASE(test_early_probe_becomes_jump),
	{}
};

static struct kunit_suite boot_suite = {
	.name = "kprobes_boot",
	.test_cases = boot_tests,
};

kunit_test_suites(&boot_suite);
