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
	struct followed *outer = FOLLOW(test, abandoning,
					.probe.maxactive = 1);
	struct followed *inner = FOLLOW(test, abandoned, .probe.maxactive = 1);
	struct followed *chained = FOLLOW(test, abandoned,
					  .probe.maxactive = 1);
	int i;

	for (i = 1; i <= 3; i++) {
		KUNIT_EXPECT_EQ(test, abandoning(), RESULT);
		expect_calls(test, outer, i);
		KUNIT_EXPECT_EQ(test, outer->value, RESULT);
		KUNIT_EXPECT_EQ(test, atomic_read(&inner->entries), i);
		KUNIT_EXPECT_EQ(test, atomic_read(&chained->entries), i);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&inner->returns), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&chained->returns), 0);
	KUNIT_EXPECT_EQ(test, inner->probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, chained->probe.nmissed, 0);
	unregister_kretprobe(&chained->probe);
	unregister_kretprobe(&inner->probe);
	unregister_kretprobe(&outer->probe);
	expect_no_pools(test);
}

/* The pool of an unregistered return probe lasts until its call is dropped. */
static void test_abandoned_call_keeps_pool(struct kunit *test)
{
	struct followed *inner = FOLLOW(test, abandoned), *outer;

	/* No followed function returns here, so the instance remains in use. */
	KUNIT_EXPECT_EQ(test, abandoning(), RESULT);
	unregister_kretprobe(&inner->probe);
	KUNIT_EXPECT_EQ(test, kretprobe_pools_in_use(), 1);
	/* The instance of the outer call is newer, so it is found first. */
	outer = FOLLOW(test, abandoning);
	KUNIT_EXPECT_EQ(test, abandoning(), RESULT);
	expect_calls(test, outer, 1);
	unregister_kretprobe(&outer->probe);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(kretprobe_pools_in_use() == 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&inner->entries), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&inner->returns), 0);
}

/*
 * abandoned() is entered with the return address of a followed call, but at
 * another place on the stack.
 */
static void test_copied_address_is_not_followed(struct kunit *test)
{
	struct followed *outer = FOLLOW(test, copying);
	struct followed *inner = FOLLOW(test, abandoned);
	/* Probes without an entry handler check the address elsewhere. */
	struct followed *plain = FOLLOW(test, abandoned,
					.probe.entry_handler = NULL);

	KUNIT_EXPECT_EQ(test, copying(), RESULT);
	KUNIT_EXPECT_EQ(test, inner->probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, plain->probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test,
			inner->probe.kp.site->missed[KPROBE_MISS_NO_ADDRESS],
			2);
	expect_calls(test, inner, 0);
	expect_calls(test, outer, 1);
	KUNIT_EXPECT_EQ(test, outer->value, RESULT);
}

static void test_abandoned_calls_end_with_task(struct kunit *test)
{
	expect_no_pools(test);
}

/* The instances of the last case must be recycled when its task exits. */
static int abandoned_init(struct kunit *test)
{
	expect_no_pools(test);
	return 0;
}

static struct kunit_case abandoned_tests[] = {
	KUNIT_CASE(test_abandoned_call_is_taken_back),
	KUNIT_CASE(test_abandoned_call_keeps_pool),
	KUNIT_CASE(test_copied_address_is_not_followed),
	KUNIT_CASE(test_abandoned_calls_end_with_task),
	{}
};

static struct kunit_suite abandoned_suite = {
	.name = "kprobes_abandoned",
	.init = abandoned_init,
	.test_cases = abandoned_tests,
};

kunit_test_suite(abandoned_suite);
