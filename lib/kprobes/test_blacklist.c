// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the blacklist: ranges are added, and each address in a range
 * is found.
 */
#include "test.h"

/* Only this suite uses the function, because a range is never removed. */
static TARGET int target_listed(int a, int b)
{
	barrier();
	return a * b + (a ^ b);
}

static TARGET int target_whole(int a, int b)
{
	barrier();
	return a - b * (a | b);
}

/* The size of the listed range at its start, in bytes. */
#define LISTED	8

/* Ranges within a range: they begin after its start and end before its end. */
static void test_nested_ranges_are_found(struct kunit *test)
{
	unsigned long start = (unsigned long)target_listed, at;

	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(start));
	for (at = start + 1; at < start + LISTED - 1; at++)
		KUNIT_ASSERT_EQ(test, kprobe_add_area_blacklist(at, at + 1), 0);
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(start));
	KUNIT_ASSERT_EQ(test,
			kprobe_add_area_blacklist(start, start + LISTED), 0);
	for (at = start; at < start + LISTED; at++)
		KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(at));
}

static void test_empty_range_is_refused(struct kunit *test)
{
	unsigned long start = (unsigned long)target_listed;

	KUNIT_EXPECT_EQ(test, kprobe_add_area_blacklist(start, start), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_add_area_blacklist(start, start - 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_add_ksym_blacklist(0), -EINVAL);
}

/* A function may be added twice, and by any of its addresses. */
static void test_whole_function_is_found(struct kunit *test)
{
	unsigned long start = text_of(target_whole), at, size, offset;
	struct kprobe p = KPROBE_AT(start);

	KUNIT_ASSERT_NE(test, kallsyms_lookup_size_offset(start, &size,
							  &offset), 0);
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(start));
	KUNIT_EXPECT_EQ(test, kprobe_add_ksym_blacklist(start + 1), (int)size);
	KUNIT_EXPECT_EQ(test, kprobe_add_ksym_blacklist(start), (int)size);
	for (at = start; at < start + size; at++)
		KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(at));
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), -EINVAL);
}

static struct kunit_case blacklist_tests[] = {
	KUNIT_CASE(test_nested_ranges_are_found),
	KUNIT_CASE(test_empty_range_is_refused),
	KUNIT_CASE(test_whole_function_is_found),
	{}
};

static struct kunit_suite blacklist_suite = {
	.name = "kprobes_blacklist",
	.test_cases = blacklist_tests,
};

kunit_test_suite(blacklist_suite);
