// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for followed calls that end without a return, as calls skipped
 * by longjmp() do: a function drops its caller's frame, too, and returns to
 * the caller's caller.
 *
 *	KUnit -> abandoning() -> abandoned() -> KUnit
 *	KUnit -> copying()   -> abandoned() -> KUnit, with a copy of the return
 *						address on top of the first
 */
#include <linux/objtool.h>
#include "test_return.h"

/* The return value of abandoned(). */
#define RESULT	7

int abandoning(void);
int copying(void);
int abandoned(void);

#ifdef CONFIG_X86
#include <asm/ibt.h>
#include "test_x86.h"

#define FUNCTION(name, body)						\
	".type " name ", @function\n"					\
	name ":\n"							\
	ASM_ENDBR							\
	body								\
	".size " name ", . - " name "\n"

asm(".pushsection .text, \"ax\"\n"
    FUNCTION("abandoned",
	     "mov $" __stringify(RESULT) ", %eax\n"
	     "lea " WORD "(" SP "), " SP "\n"
	     ASM_RET)
    FUNCTION("abandoning", "call abandoned\n" ASM_RET)
    FUNCTION("copying", "push (" SP ")\n jmp abandoned\n")
    ".popsection\n");

/* objtool cannot follow their stacks. */
STACK_FRAME_NON_STANDARD(abandoned);
STACK_FRAME_NON_STANDARD(abandoning);
STACK_FRAME_NON_STANDARD(copying);
#else /* arm64 */
#define FUNCTION(name, body)						\
	".type " name ", %function\n"					\
	name ":\n"							\
	"bti c\n"							\
	body								\
	".size " name ", . - " name "\n"

asm(".pushsection .text, \"ax\"\n"
    ".balign 4\n"
    FUNCTION("abandoned",
	     "mov w0, #" __stringify(RESULT) "\n"
	     "ldp x29, x30, [sp], #16\n"
	     "ret\n")
    FUNCTION("abandoning",
	     "stp x29, x30, [sp, #-16]!\n"
	     "mov x29, sp\n"
	     "bl abandoned\n"
	     "ret\n")
    FUNCTION("copying",
	     "stp x29, x30, [sp, #-16]!\n"
	     "mov x29, sp\n"
	     "b abandoned\n")
    ".popsection\n");
#endif

/* Each return probe has one instance, which is recycled after each call. */
static void test_abandoned_call_is_taken_back(struct kunit *test)
{
	struct followed outer = FOLLOWED(abandoning);
	struct followed inner = FOLLOWED(abandoned);
	struct followed chained = FOLLOWED(abandoned);
	int i;

	outer.probe.maxactive = 1;
	inner.probe.maxactive = 1;
	chained.probe.maxactive = 1;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&outer.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&inner.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&chained.probe), 0);
	for (i = 1; i <= 3; i++) {
		KUNIT_EXPECT_EQ(test, abandoning(), RESULT);
		expect_calls(test, &outer, i);
		KUNIT_EXPECT_EQ(test, outer.value, RESULT);
		KUNIT_EXPECT_EQ(test, atomic_read(&inner.entries), i);
		KUNIT_EXPECT_EQ(test, atomic_read(&chained.entries), i);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&inner.returns), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&chained.returns), 0);
	KUNIT_EXPECT_EQ(test, inner.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, chained.probe.nmissed, 0);
	unregister_kretprobe(&chained.probe);
	unregister_kretprobe(&inner.probe);
	unregister_kretprobe(&outer.probe);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

/* The pool of an unregistered return probe lasts until its call is dropped. */
static void test_abandoned_call_keeps_pool(struct kunit *test)
{
	struct followed inner = FOLLOWED(abandoned);
	struct followed outer = FOLLOWED(abandoning);

	/* No followed function returns here, so the instance remains in use. */
	KUNIT_ASSERT_EQ(test, register_kretprobe(&inner.probe), 0);
	KUNIT_EXPECT_EQ(test, abandoning(), RESULT);
	unregister_kretprobe(&inner.probe);
	KUNIT_EXPECT_EQ(test, kretprobe_pools_in_use(), 1);
	/* The instance of the outer call is newer, so it is found first. */
	KUNIT_ASSERT_EQ(test, register_kretprobe(&outer.probe), 0);
	KUNIT_EXPECT_EQ(test, abandoning(), RESULT);
	expect_calls(test, &outer, 1);
	unregister_kretprobe(&outer.probe);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(kretprobe_pools_in_use() == 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&inner.entries), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&inner.returns), 0);
}

/* The instance of the last case must be recycled when its task exits. */
static void test_abandoned_call_ends_with_task(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

/*
 * abandoned() is entered with the return address of a followed call, but at
 * another place on the stack.
 */
static void test_copied_address_is_not_followed(struct kunit *test)
{
	struct followed outer = FOLLOWED(copying);
	struct followed inner = FOLLOWED(abandoned);
	/* Probes without an entry handler check the address elsewhere. */
	struct kretprobe plain = KRETPROBE_AT(abandoned);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&outer.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&inner.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&plain), 0);
	KUNIT_EXPECT_EQ(test, copying(), RESULT);
	KUNIT_EXPECT_EQ(test, atomic_read(&inner.entries), 0);
	KUNIT_EXPECT_EQ(test, inner.probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, plain.nmissed, 1);
	KUNIT_EXPECT_EQ(test,
			inner.probe.kp.site->missed[KPROBE_MISS_NO_ADDRESS],
			2);
	KUNIT_EXPECT_EQ(test, atomic_read(&inner.returns), 0);
	expect_calls(test, &outer, 1);
	KUNIT_EXPECT_EQ(test, outer.value, RESULT);
	unregister_kretprobe(&plain);
	unregister_kretprobe(&inner.probe);
	unregister_kretprobe(&outer.probe);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static struct kunit_case abandoned_tests[] = {
	KUNIT_CASE(test_abandoned_call_is_taken_back),
	KUNIT_CASE(test_abandoned_call_keeps_pool),
	KUNIT_CASE(test_abandoned_call_ends_with_task),
	KUNIT_CASE(test_copied_address_is_not_followed),
	{}
};

static struct kunit_suite abandoned_suite = {
	.name = "kprobes_abandoned",
	.test_cases = abandoned_tests,
};

kunit_test_suite(abandoned_suite);
