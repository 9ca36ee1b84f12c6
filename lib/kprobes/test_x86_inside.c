// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for probes on x86 at an instruction under another probe's jump,
 * in any order of registration, and for idle jumps there.
 */
#include "test_x86_opt.h"
#include "test_opt.h"

CODE(plain, FIRST, SECOND AFTER);

/* A probe under a jump must see the original instruction and be hit. */
static void test_inner_probe_undoes_jump(struct kunit *test)
{
	struct counted *p, *q, *r;
	u8 before[TEXT_SIZE];

	memcpy(before, probe_plain, sizeof(before));
	p = PROBED(test, probe_plain);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	/* A probe directly after the jump does not prevent it. */
	r = PROBED(test, probe_plain + 6);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);

	q = PROBED(test, probe_plain + 3);
	KUNIT_EXPECT_EQ(test, (u8)q->probe.opcode, before[3]);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(probe_plain));
	KUNIT_EXPECT_TRUE(test, is_probe_trap(probe_plain + 3));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p->probe.addr),
			KPROBE_NOJUMP_PROBE_INSIDE);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q->pre, 2);

	/* A disabled probe under the jump does not prevent it. */
	KUNIT_EXPECT_EQ(test, disable_kprobe(&q->probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q->pre, 2);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&q->probe), 0);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	unregister_kprobe(&q->probe);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	unregister_kprobe(&p->probe);
	unregister_kprobe(&r->probe);
	expect_hits(test, p, 5, 0);
	expect_hits(test, q, 3, 0);
	expect_hits(test, r, 5, 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
}

static bool call_while_patched;

static int patched_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (call_while_patched)
		call(opt_plain, 5);
	return 0;
}

/*
 * When a trap replaces a jump, its hits must not skip another trap of the same
 * batch as soon as all CPUs see both.  A handler makes the call, so the hits
 * are misses.
 */
static void test_undone_jump_skips_no_trap(struct kunit *test)
{
	struct counted *p, *q;

	/* Without CPU hotplug, this is an empty inline function. */
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "cpus_read_unlock() is no function");
	/* The first function called after the text has been patched. */
	PROBED(test, 0, .probe.symbol_name = "cpus_read_unlock",
	       .probe.pre_handler = patched_pre);
	p = PROBED(test, probe_plain);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	call_while_patched = true;
	q = PROBED(test, probe_plain + 3);
	call_while_patched = false;
	KUNIT_EXPECT_GT(test, p->probe.nmissed, 0);
	KUNIT_EXPECT_GT(test, q->probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, p->astray + q->astray, 0);
}

/* An array contains both probes, in either order. */
static void test_array_order_is_irrelevant(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);
	struct kprobe *ps[] = { &p.probe, &q.probe };
	u8 before[TEXT_SIZE];
	int i;

	memcpy(before, probe_plain, sizeof(before));
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, register_kprobes(ps, 2), 0);
		KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
		unregister_kprobes(ps, 2);
		KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
		p.probe.addr = (kprobe_opcode_t *)probe_plain;
		q.probe.addr = (kprobe_opcode_t *)probe_plain + 3;
		swap(ps[0], ps[1]);
	}
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_EXPECT_EQ(test, q.pre, 2);
}

/* A probe under an idle jump must remove the jump at once. */
static void test_inner_probe_ends_idle_jump(struct kunit *test)
{
	struct counted *p, *q;
	u8 before[TEXT_SIZE];

	memcpy(before, probe_plain, sizeof(before));
	p = PROBED(test, probe_plain);
	disable_on_jump(test, &p->probe);
	q = PROBED(test, probe_plain + 3);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, 3);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(probe_plain + 3));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	unregister_kprobe(&q->probe);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	KUNIT_EXPECT_EQ(test, p->pre, 0);
	KUNIT_EXPECT_EQ(test, p->probe.nmissed, 0);
	expect_hits(test, q, 1, 0);
}

/* A jump may cover the place of a disabled probe's jump. */
static void test_outer_jump_ends_idle_jump(struct kunit *test)
{
	struct counted *q = PROBED(test, probe_plain + 3), *p;

	disable_on_jump(test, &q->probe);
	p = PROBED(test, probe_plain);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, p->pre, 2);
	KUNIT_EXPECT_EQ(test, q->pre, 0);
}

static struct kunit_case inside_tests[] = {
	KUNIT_CASE(test_inner_probe_undoes_jump),
	KUNIT_CASE(test_undone_jump_skips_no_trap),
	KUNIT_CASE(test_array_order_is_irrelevant),
	KUNIT_CASE(test_inner_probe_ends_idle_jump),
	KUNIT_CASE(test_outer_jump_ends_idle_jump),
	{}
};

static struct kunit_suite inside_suite = {
	.name = "kprobes_x86_inside",
	.test_cases = inside_tests,
	.init = x86_opt_init,
	.exit = x86_opt_exit,
};

kunit_test_suite(inside_suite);
