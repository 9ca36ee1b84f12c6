// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for faults on arm64: in handlers and in instructions out of line.
 */
#include <linux/irqflags.h>
#include <linux/uaccess.h>
#include <asm/asm-extable.h>
#include <asm/exception.h>
#include <asm/ptrace.h>
#include "test_arm64.h"
#include "test_fault.h"

CODE(add, "", "add x0, x1, x2, lsl #3", "");
/* Loads from x0; the fix-up sets x3 to 2. */
CODE(load, "mov x3, #1", "ldr x1, [x0]",
     "b 2f\n1: mov x3, #2\n2:\n"
     _ASM_EXTABLE_UACCESS(.Lprobe_load, 1b));
CODE(undefined, "mov x3, #1", ".inst 0xd5380c00 | 0x1f", "mov x3, #5");

static u64 call_load(unsigned long from, u64 *word)
{
	struct state s = { .x = { from } };

	call_code(code_load, &s);
	*word = s.x[1];
	return s.x[3];
}

static void test_undefined_is_handled(struct kunit *test)
{
	struct fault_seen s = FAULT_SEEN(probe_undefined);
	struct state state = {};

	s.handle = true;
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	call_code(code_undefined, &state);
	KUNIT_EXPECT_EQ(test, state.x[3], 5);
	KUNIT_EXPECT_EQ(test, s.faults, 1);
	KUNIT_EXPECT_EQ(test, s.ip, (unsigned long)probe_undefined);
	unregister_kprobe(&s.probe);
}

/* Loads from x0; a fault handler continues at load_resume. */
unsigned long load_or_resume(unsigned long addr);
extern char load_resume[];
asm(".pushsection .text\n"
    ".type load_or_resume, @function\n"
    "load_or_resume:\n"
    "	hint	#34\n"
    "	ldr	x0, [x0]\n"
    "	ret\n"
    "load_resume:\n"
    "	mov	x0, #77\n"
    "	ret\n"
    ".size load_or_resume, . - load_or_resume\n"
    ".popsection\n");

/* Set to 77 by the handlers of the next two cases. */
static unsigned long handler_got;

/* Hit the case's probe by a trap, and by a jump. */
static void hit_twice(struct kunit *test)
{
	struct state s = { .x = { 0, 1, 2 } };
	int i;

	for (i = 0; i < 2; i++) {
		handler_got = 0;
		call_code(code_add, &s);
		KUNIT_EXPECT_EQ(test, handler_got, 77);
		KUNIT_EXPECT_EQ(test, s.x[0], 17);
		wait_for_kprobe_optimizer();
	}
}

static int faulting_pre(struct kprobe *p, struct pt_regs *regs)
{
	handler_got = load_or_resume(BAD_PAGE);
	return 0;
}

static int resume_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	regs->pc = (unsigned long)load_resume;
	return 1;
}

static void test_fault_in_handler_is_handled(struct kunit *test)
{
	PROBED(test, probe_add, .probe.pre_handler = faulting_pre,
	       .probe.fault_handler = resume_fault);
	hit_twice(test);
}

/* A handler reads a bad address with copy_from_kernel_nofault(). */
static int nofault_pre(struct kprobe *p, struct pt_regs *regs)
{
	u64 word;

	if (copy_from_kernel_nofault(&word, (void *)BAD_PAGE, sizeof(word)))
		handler_got = 77;
	return 0;
}

static void test_nofault_read_fails(struct kunit *test)
{
	PROBED(test, probe_add, .probe.pre_handler = nofault_pre);
	hit_twice(test);
}

/*
 * A jprobe on the first function of a stack, which ends where the frame of the
 * function would begin: no word can be copied from it.
 */
static const struct pt_regs *seen_by_jprobe, *seen_by_first;

static void first_handler(struct pt_regs *regs)
{
	seen_by_jprobe = regs;
	jprobe_return();
}

static noinline void first_on_stack(struct pt_regs *regs)
{
	seen_by_first = regs;
}

static void test_jprobe_stops_at_stack_end(struct kunit *test)
{
	struct jprobe jp = JPROBE_AT(first_on_stack, first_handler);
	struct pt_regs regs;
	unsigned long flags;

	seen_by_jprobe = NULL;
	seen_by_first = NULL;
	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	/* An interrupt would also begin at the top of that stack. */
	local_irq_save(flags);
	call_on_irq_stack(&regs, first_on_stack);
	local_irq_restore(flags);
	unregister_jprobe(&jp);
	KUNIT_EXPECT_PTR_EQ(test, seen_by_jprobe, &regs);
	KUNIT_EXPECT_PTR_EQ(test, seen_by_first, &regs);
	KUNIT_EXPECT_EQ(test, jp.kp.nmissed, 0);
}

static struct kunit_case fault_tests[] = {
	KUNIT_CASE(test_fault_in_slot_is_handled),
	KUNIT_CASE(test_undefined_is_handled),
	KUNIT_CASE(test_fault_in_handler_is_handled),
	KUNIT_CASE(test_nofault_read_fails),
	KUNIT_CASE(test_jprobe_stops_at_stack_end),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "kprobes_arm64_fault",
	.test_cases = fault_tests,
};

kunit_test_suite(fault_suite);
