// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for probes on instructions that another probe's jump covers, on
 * x86: whichever is registered first, enabled, or on its way out.
 */
#include <linux/module.h>
#include <linux/string.h>
#include "test_x86_opt.h"
#include "test_opt.h"

CODE(plain, FIRST, SECOND AFTER);

/* A probe under another's jump: sees the instruction there, and is hit. */
static void test_probe_inside(struct kunit *test)
{
	u8 before[TEXT_SIZE];
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);
	struct counted r = COUNTED(probe_plain + 6);

	memcpy(before, probe_plain, sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	/* Right behind the jump. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&r.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);

	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	KUNIT_EXPECT_EQ(test, (u8)q.probe.opcode, before[3]);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain + 3));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p.probe.addr),
			KPROBE_PROBE_INSIDE);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q.pre, 2);

	/* A disarmed one is not in the way. */
	KUNIT_EXPECT_EQ(test, disable_kprobe(&q.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q.pre, 2);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&q.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q.pre, 3);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	unregister_kprobe(&p.probe);
	unregister_kprobe(&r.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 5);
	KUNIT_EXPECT_EQ(test, r.pre, 5);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray + r.astray, 0);
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
 * The trap that a jump leaves behind sends no hit past the other traps of the
 * same batch once all CPUs have been told of them.  Called from a handler, so
 * that hits are misses.
 */
static void test_leaves_detour(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);
	/* The first that is called when the text has been patched. */
	struct kprobe after = {
		.symbol_name = "cpus_read_unlock",
		.pre_handler = patched_pre,
	};

	if (register_kprobe(&after))
		kunit_skip(test, "cpus_read_unlock() cannot be probed");
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	call_while_patched = true;
	KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), 0);
	call_while_patched = false;
	unregister_kprobe(&q.probe);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&after);
	KUNIT_EXPECT_GT(test, p.probe.nmissed, 0);
	KUNIT_EXPECT_GT(test, q.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray, 0);
}

/* The same in one array: whoever comes first in it. */
static void test_array_inside(struct kunit *test)
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

/* The jump of a disabled probe goes at once for a probe that it covers. */
static void test_inside_idle(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);
	u8 before[TEXT_SIZE];

	memcpy(before, probe_plain, sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	disable_on_jump(test, &p.probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, 3);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain + 3));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q.pre, 1);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 0);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, q.astray, 0);
}

/* A probe may cover the place of a disabled one's jump. */
static void test_idle_inside(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);

	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	disable_on_jump(test, &q.probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_EXPECT_EQ(test, q.pre, 0);
}

static struct kunit_case inside_tests[] = {
	KUNIT_CASE(test_probe_inside),
	KUNIT_CASE(test_leaves_detour),
	KUNIT_CASE(test_array_inside),
	KUNIT_CASE(test_inside_idle),
	KUNIT_CASE(test_idle_inside),
	{}
};

static struct kunit_suite inside_suite = {
	.name = "kprobes_x86_inside",
	.test_cases = inside_tests,
	.init = x86_opt_init,
	.exit = x86_opt_exit,
};

kunit_test_suite(inside_suite);

MODULE_DESCRIPTION("KUnit suite for kprobes on x86: probes under jumps");
MODULE_LICENSE("GPL");
