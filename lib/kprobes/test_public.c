// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the functions that modules may call.  It uses exported
 * functions only, so it can be a module.  The other suites access the text and
 * symbols of the kernel, and must be built in.
 */
#include <linux/module.h>
#include "test.h"

static TARGET int public_add(int a, int b)
{
	barrier();
	return a + b;
}

static TARGET int public_sub(int a, int b)
{
	barrier();
	return a - b;
}

/* counted_pre() needs symbols that are not exported. */
static int public_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct counted, probe)->pre++;
	return 0;
}

#define PUBLIC(where, ...)						\
	COUNTED(where, .probe.pre_handler = public_pre, __VA_ARGS__)

static void test_handlers_run(struct kunit *test)
{
	struct counted c = PUBLIC(public_add,
				  .probe.post_handler = counted_post);

	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, public_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, public_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, public_add(3, 4), 7);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, public_add(3, 4), 7);

	KUNIT_EXPECT_EQ(test, c.pre, 2);
	KUNIT_EXPECT_EQ(test, c.post, 2);
	KUNIT_EXPECT_EQ(test, c.probe.nmissed, 0);
}

/* The name of a symbol may have the prefix of its module. */
static void test_module_prefix_is_known(struct kunit *test)
{
	struct counted c = PUBLIC(NULL);
	char name[MODULE_NAME_LEN + sizeof(":public_add")];

#ifdef MODULE
	snprintf(name, sizeof(name), "%s:public_add", THIS_MODULE->name);
#else
	strscpy(name, "public_add");
#endif
	c.probe.symbol_name = name;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, public_add(3, 4), 7);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, c.pre, 1);

	c.probe.addr = NULL;
	c.probe.symbol_name = "there_is_no_such_function";
	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), -ENOENT);

	/* The nameless symbols of a module's sections do not match. */
	*strchrnul(name, ':') = 0;
	strcat(name, ":");
	c.probe.addr = NULL;
	c.probe.symbol_name = name;
	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), -ENOENT);
}

static void test_array_is_registered(struct kunit *test)
{
	struct counted add = PUBLIC(public_add);
	struct counted sub = PUBLIC(public_sub);
	struct kprobe *probes[] = { &add.probe, &sub.probe };

	KUNIT_ASSERT_EQ(test, register_kprobes(probes, 2), 0);
	KUNIT_EXPECT_EQ(test, public_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, public_sub(3, 4), -1);
	unregister_kprobes(probes, 2);
	KUNIT_EXPECT_EQ(test, add.pre, 1);
	KUNIT_EXPECT_EQ(test, sub.pre, 1);
}

/* A return probe and the results recorded by its handlers. */
struct public_return {
	struct kretprobe probe;
	unsigned int entries;
	long value;
	bool known;
};

static int public_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct public_return *r = container_of(get_kretprobe(ri),
					       struct public_return, probe);

	r->entries++;
	*(long *)ri->data = 0x1234;
	return 0;
}

static int public_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct public_return *r = container_of(get_kretprobe(ri),
					       struct public_return, probe);

	r->value = regs_return_value(regs);
	/* Modules that are built for kernels without rethook read these. */
	r->known = ri->rph == r->probe.rph && ri->rph->rp == &r->probe &&
		   *(long *)ri->data == 0x1234;
	return 0;
}

static void test_return_is_seen(struct kunit *test)
{
	struct public_return r = {
		.probe.kp.addr = (kprobe_opcode_t *)public_sub,
		.probe.entry_handler = public_entry,
		.probe.handler = public_returned,
		.probe.data_size = sizeof(long),
	};

	if (!IS_ENABLED(CONFIG_KRETPROBES)) {
		KUNIT_EXPECT_EQ(test, register_kretprobe(&r.probe),
				-EOPNOTSUPP);
		return;
	}
	KUNIT_ASSERT_EQ(test, register_kretprobe(&r.probe), 0);
	KUNIT_EXPECT_EQ(test, public_sub(9, 4), 5);
	unregister_kretprobe(&r.probe);
	KUNIT_EXPECT_EQ(test, public_sub(9, 4), 5);

	KUNIT_EXPECT_EQ(test, r.entries, 1);
	KUNIT_EXPECT_EQ(test, r.value, 5);
	KUNIT_EXPECT_TRUE(test, r.known);
}

static int public_first, public_second;

static int public_watch(int a, int b)
{
	public_first = a;
	public_second = b;
	jprobe_return();
	return 0;
}

static void test_jprobe_sees_arguments(struct kunit *test)
{
	struct jprobe j = JPROBE_AT(public_add, public_watch);

	if (IS_ENABLED(CONFIG_KPROBES_CLASSIC)) {
		KUNIT_EXPECT_EQ(test, register_jprobe(&j), -EOPNOTSUPP);
		return;
	}
	KUNIT_ASSERT_EQ(test, register_jprobe(&j), 0);
	KUNIT_EXPECT_EQ(test, public_add(30, 12), 42);
	unregister_jprobe(&j);
	KUNIT_EXPECT_EQ(test, public_first, 30);
	KUNIT_EXPECT_EQ(test, public_second, 12);
}

static struct kunit_case public_cases[] = {
	KUNIT_CASE(test_handlers_run),
	KUNIT_CASE(test_module_prefix_is_known),
	KUNIT_CASE(test_array_is_registered),
	KUNIT_CASE(test_return_is_seen),
	KUNIT_CASE(test_jprobe_sees_arguments),
	{}
};

static struct kunit_suite public_suite = {
	.name = "kprobes_public",
	.test_cases = public_cases,
};
kunit_test_suite(public_suite);

MODULE_DESCRIPTION("KUnit suite for what modules may call of kprobes");
MODULE_LICENSE("GPL");
