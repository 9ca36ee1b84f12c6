// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for backends that work on a struct kprobe at each probed address:
 * the features that classic.c adds, and each instruction of one function.
 */
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include "test.h"
#include "test_machine.h"
#include "test_return.h"

/* Define a function in assembly. */
#define ASM_FUNCTION(name, body)					\
	asm(".pushsection .text\n"					\
	    "	.align	2\n"						\
	    "	.type	" #name ", %function\n"				\
	    #name ":\n"							\
	    body							\
	    "	.size	" #name ", . - " #name "\n"			\
	    "	.popsection\n")

static TARGET unsigned int classic_step(unsigned int x, unsigned int n)
{
	barrier();
	return x * 3 + n;
}

/* Contains loops, branches, memory accesses and a call. */
static TARGET unsigned int classic_mix(unsigned int x, const u8 *bytes, int nr)
{
	unsigned int odd = 0, sum = x;
	int i;

	for (i = 0; i < nr; i++) {
		if (bytes[i] & 1)
			odd++;
		else
			sum ^= bytes[i] << (i & 7);
		sum = classic_step(sum, odd);
		if (sum > 100000)
			sum >>= 3;
	}
	return sum + odd * 7;
}

static const u8 mixed[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9 };

static unsigned int mix(void)
{
	return classic_mix(7, mixed, ARRAY_SIZE(mixed));
}

static void test_misaligned_is_refused(struct kunit *test)
{
	/* Use the offset: Thumb drops bit 0 of a function pointer. */
	struct counted c = COUNTED(target_add, .probe.offset = 1);

	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), -EINVAL);
}

#ifdef CONFIG_THUMB2_KERNEL
/* Function pointers are odd; the list and the missed file show addresses. */
static void test_thumb_place_is_even(struct kunit *test)
{
	struct counted *c = PROBED(test, target_add);

	KUNIT_EXPECT_EQ(test, (unsigned long)c->probe.addr & 1, 0);
}
#endif

/*
 * Architectures that refuse each address in a function at which no instruction
 * begins, and that have no data in functions.
 */
#define INSTRUCTIONS_KNOWN						\
	((IS_ENABLED(CONFIG_ARM) && !IS_ENABLED(CONFIG_THUMB2_KERNEL)) || \
	 IS_ENABLED(CONFIG_RISCV) || IS_ENABLED(CONFIG_S390) ||		\
	 IS_ENABLED(CONFIG_MIPS) || IS_ENABLED(CONFIG_LOONGARCH) ||	\
	 IS_ENABLED(CONFIG_SPARC64) || IS_ENABLED(CONFIG_PARISC))

/* Call the function with @c inside it, as a jump if possible. */
static void mix_probed(struct kunit *test, struct counted *c,
		       unsigned int expected)
{
	unsigned long offset = (unsigned long)c->probe.addr -
			       (unsigned long)classic_mix;

	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ_MSG(test, mix(), expected, "probe at +%lu", offset);
	KUNIT_EXPECT_EQ_MSG(test, c->astray, 0, "probe at +%lu", offset);
}

static void each_instruction(struct kunit *test, bool post)
{
	unsigned long size, offset, at = (unsigned long)classic_mix;
	unsigned int probed = 0, hits = 0, jumps = 0;
	unsigned int expected = mix();

	if (!INSTRUCTIONS_KNOWN)
		kunit_skip(test, "addresses of instructions are not known");
	skip_unless_steps(test);
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(at, &size, NULL));
	for (offset = 0; offset < size; offset += 2) {
		struct counted c = COUNTED(at + offset);

		if (post)
			c.probe.post_handler = counted_post;
		if (register_kprobe(&c.probe))
			continue;
		mix_probed(test, &c, expected);
		probed++;
		hits += c.pre;
		jumps += !!(c.probe.flags & KPROBE_FLAG_OPTIMIZED);
		unregister_kprobe(&c.probe);
		if (post)
			KUNIT_EXPECT_EQ(test, c.post, c.pre);
	}
	/* A few words of padding follow the last instruction. */
	KUNIT_EXPECT_GE(test, probed, 16);
	KUNIT_EXPECT_GT(test, hits, probed);
	if (IS_ENABLED(CONFIG_OPTPROBES) && !post)
		KUNIT_EXPECT_GT(test, jumps, probed / 2);
	if (post)
		KUNIT_EXPECT_EQ(test, jumps, 0);
	KUNIT_EXPECT_EQ(test, mix(), expected);
	kunit_info(test, "%u of %lu bytes are instructions, %u hits, %u jumps",
		   probed, size, hits, jumps);
}

static void test_each_instruction_works_on(struct kunit *test)
{
	each_instruction(test, false);
}

static void test_each_instruction_works_on_with_post(struct kunit *test)
{
	each_instruction(test, true);
}

/* On mips this is one branch with an empty delay slot. */
static TARGET void classic_nothing(void)
{
	barrier();
}

static unsigned int nested_result;

static int nested_pre(struct kprobe *p, struct pt_regs *regs)
{
	classic_nothing();
	nested_result = classic_step(5, 2);
	return 0;
}

static void nested_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	nested_pre(p, regs);
}

/* A nested hit executes its instruction and leaves no state. */
static void test_nested_hits_are_executed(struct kunit *test)
{
	struct kprobe outer = KPROBE_AT(target_add, .pre_handler = nested_pre);
	struct counted *nothing, *step;
	int i;

	skip_unless_steps(test);
	nothing = PROBED(test, classic_nothing);
	step = PROBED(test, classic_step);
	for (i = 0; i < 2; i++) {
		nested_result = 0;
		outer.post_handler = i ? nested_post : NULL;
		KUNIT_ASSERT_EQ(test, register_kprobe(&outer), 0);
		KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
		unregister_kprobe(&outer);
		KUNIT_EXPECT_EQ(test, nested_result, 17);
		/* The nested hit must not affect later ones. */
		KUNIT_EXPECT_EQ(test, classic_step(1, 1), 4);
		KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	}
	KUNIT_EXPECT_EQ(test, step->pre, 2);
	KUNIT_EXPECT_EQ(test, nothing->pre, 0);
	KUNIT_EXPECT_EQ(test, nothing->probe.nmissed, 3);
}

/* A hit, handled or missed, must leave interrupts on if they were on before. */
static void test_hit_leaves_interrupts_on(struct kunit *test)
{
	struct counted *nothing;
	bool off, missed_off;

	skip_unless_steps(test);
	nothing = PROBED(test, classic_nothing);
	classic_nothing();
	off = irqs_disabled();
	local_irq_enable();
	kprobe_busy_begin();
	classic_nothing();
	missed_off = irqs_disabled();
	local_irq_enable();
	kprobe_busy_end();
	KUNIT_EXPECT_FALSE(test, off);
	KUNIT_EXPECT_FALSE(test, missed_off);
	KUNIT_EXPECT_EQ(test, nothing->pre, 1);
	KUNIT_EXPECT_EQ(test, nothing->probe.nmissed, 1);
}

static int hit_again_and_again(void *unused)
{
	while (!kthread_should_stop()) {
		classic_nothing();
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/*
 * A task may be preempted between its breakpoint and the lookup of the probe,
 * because interrupts are on.  The probe may be unregistered before the task
 * resumes.
 */
#define REMOVALS	200

static void test_hit_of_removed_probe_is_retried(struct kunit *test)
{
	struct counted c = COUNTED(classic_nothing);
	struct task_struct *task;
	int i;

	task = kthread_create(hit_again_and_again, NULL, "kprobes_hits");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, raw_smp_processor_id());
	wake_up_process(task);
	for (i = 0; i < REMOVALS; i++) {
		KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), 0);
		usleep_range(100, 200);
		unregister_kprobe(&c.probe);
	}
	kthread_stop(task);
	KUNIT_EXPECT_GT(test, c.pre, 0);
	KUNIT_EXPECT_EQ(test, c.astray, 0);
}

/* Interrupts must stay off during hits until the interrupt is acknowledged. */
static void test_interrupts_may_be_hit(struct kunit *test)
{
	static const char * const names[] = { "irq_enter", "irq_enter_rcu" };
	struct counted c[ARRAY_SIZE(names)];
	unsigned int i, nr = 0, hits = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		int ret;

		c[i] = COUNTED(NULL, .probe.symbol_name = names[i]);
		ret = register_kprobe(&c[i].probe);
		/* Some instructions cannot be probed. */
		KUNIT_EXPECT_TRUE(test, !ret || ret == -EOPNOTSUPP);
		nr += !ret;
	}
	if (!nr)
		kunit_skip(test, "neither can be probed");
	schedule_timeout_uninterruptible(HZ / 5);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		unregister_kprobe(&c[i].probe);
		hits += c[i].pre;
		KUNIT_EXPECT_EQ(test, c[i].astray, 0);
	}
	KUNIT_EXPECT_GT(test, hits, 0);
}

#ifdef CONFIG_DYNAMIC_FTRACE
/* On mips and loongarch the call consists of two words. */
#define CALL_SIZE							\
	(MCOUNT_INSN_SIZE + (IS_ENABLED(CONFIG_MIPS) ? 4 : 0) +		\
	 (IS_ENABLED(CONFIG_LOONGARCH) ? 4 : 0))

/* ftrace writes its whole call, and would overwrite a breakpoint in it. */
static void test_rest_of_ftrace_call_is_refused(struct kunit *test)
{
	unsigned long call = ftrace_location((unsigned long)vfs_read);
	unsigned int i;

	if (!call || CALL_SIZE == sizeof(kprobe_opcode_t))
		kunit_skip(test, "a call is one instruction");
	for (i = 2; i < CALL_SIZE; i += 2) {
		struct counted c = COUNTED(call + i);

		KUNIT_EXPECT_EQ_MSG(test, register_kprobe(&c.probe), -EINVAL,
				    "+%u", i);
	}
}
#endif

#ifdef CONFIG_RISCV
static const char * const called_by_entry[] = {
	"riscv_v_context_nesting_start", "riscv_v_context_nesting_end",
};

KUNIT_ARRAY_PARAM(called_by_entry, called_by_entry, name_desc);

/* The handler of a hit needs this code: a probe there would recurse forever. */
static void test_entry_code_is_refused(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(named_function(test),
				    .flags = KPROBE_FLAG_DISABLED);

	KUNIT_EXPECT_EQ(test, register_kprobe(&p), -EINVAL);
}
#endif

static TARGET int classic_switches_off(int a)
{
	kprobe_set_global(false);
	barrier();
	return a + 1;
}

/* The return address may be a breakpoint itself, and must remain one. */
static void test_call_returns_when_switched_off(struct kunit *test)
{
	struct followed *f = FOLLOW(test, classic_switches_off);
	int ret;

	ret = classic_switches_off(3);
	KUNIT_EXPECT_EQ(test, ret, 4);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	expect_calls(test, f, 1);
}

#ifdef CONFIG_OPTPROBES
static bool jumps(const struct counted *c)
{
	return c->probe.flags & KPROBE_FLAG_OPTIMIZED;
}

/* Handlers must see the same at a jump as at a breakpoint. */
static void test_probe_becomes_a_jump(struct kunit *test)
{
	struct counted first = COUNTED(target_add);
	struct counted post = COUNTED(target_add,
				      .probe.post_handler = counted_post);

	KUNIT_ASSERT_EQ(test, register_kprobe(&first.probe), 0);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(jumps(&first)));
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, first.pre, 1);

	/* A post handler turns the jump into a breakpoint at once. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_EXPECT_FALSE(test, jumps(&first));
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, post.post, 1);
	unregister_kprobe(&post.probe);

	KUNIT_EXPECT_TRUE(test, EVENTUALLY(jumps(&first)));
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, first.pre, 3);
	unregister_kprobe(&first.probe);
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	expect_hits(test, &first, 3, 0);
	expect_hits(test, &post, 1, 1);
}

static int jumping_pre(struct kprobe *p, struct pt_regs *regs)
{
	classic_step(1, 1);
	return 0;
}

/* A hit of a jump in a handler is counted as a miss. */
static void test_jump_from_handler_is_missed(struct kunit *test)
{
	struct counted *inner = PROBED(test, classic_step);

	PROBED(test, target_add, .probe.pre_handler = jumping_pre);
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(jumps(inner)));
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	KUNIT_EXPECT_EQ(test, inner->pre, 0);
	KUNIT_EXPECT_EQ(test, inner->probe.nmissed, 1);
}
#endif

#if defined(CONFIG_ARM) && !defined(CONFIG_THUMB2_KERNEL)
/* Call with an odd value in r11, which is not a frame pointer there. */
int classic_odd_frame(int a, int b);
ASM_FUNCTION(classic_odd_frame,
	     "	push	{r11, lr}\n"
	     "	mov	r11, #91\n"
	     "	bl	target_add\n"
	     "	pop	{r11, pc}\n");

static void test_any_frame_is_followed(struct kunit *test)
{
	struct followed *first = FOLLOW(test, target_add), *second;

	KUNIT_EXPECT_EQ(test, classic_odd_frame(3, 4), 7);
	expect_calls(test, first, 1);
	second = FOLLOW(test, target_add);
	KUNIT_EXPECT_EQ(test, classic_odd_frame(3, 4), 7);
	expect_calls(test, first, 2);
	expect_calls(test, second, 1);
}

/* A store below the stack pointer is refused after its slot is allocated. */
void classic_stores_below(void);
ASM_FUNCTION(classic_stores_below,
	     "	str	r0, [sp, -r1]\n"
	     "	bx	lr\n");

static void test_refused_probe_leaves_no_slot(struct kunit *test)
{
	struct counted c = COUNTED(classic_stores_below);
	unsigned int slots = slots_after_flush();
	unsigned int sites = kprobe_sites_in_use();

	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, slots_after_flush(), slots);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}
#endif

/* An addition that is retried if an exception interrupts it. */
#if defined(CONFIG_RISCV)
#define EXCLUSIVE_LOAD	"lr.w	a2, (a0)\n"
#define EXCLUSIVE_ADD	"addw	a4, a2, a1\n"
#define EXCLUSIVE_STORE	"sc.w	a3, a4, (a0)\n"
#define EXCLUSIVE_END	"bnez	a3, classic_exclusive\n	ret\n"
#elif defined(CONFIG_ARM) && !defined(CONFIG_THUMB2_KERNEL)
#define EXCLUSIVE_LOAD	"ldrex	r2, [r0]\n"
#define EXCLUSIVE_ADD	"add	r2, r2, r1\n"
#define EXCLUSIVE_STORE	"strex	r3, r2, [r0]\n"
#define EXCLUSIVE_END	"cmp	r3, #0\n	bne	classic_exclusive\n	bx	lr\n"
#elif defined(CONFIG_MIPS)
#define EXCLUSIVE_LOAD	"ll	$2, 0($4)\n"
#define EXCLUSIVE_ADD	"addu	$2, $2, $5\n"
#define EXCLUSIVE_STORE	"sc	$2, 0($4)\n"
#define EXCLUSIVE_END	"beqz	$2, classic_exclusive\n	jr	$31\n"
#elif defined(CONFIG_GUSA)
/* An exception restarts the sequence at its second instruction. */
#define EXCLUSIVE_BEFORE 4
#define EXCLUSIVE_START	"mova	1f, r0\n	mov	r15, r1\n"
#define EXCLUSIVE_LOAD	"mov	#-6, r15\n	mov.l	@r4, r2\n"
#define EXCLUSIVE_ADD	"add	r5, r2\n	mov.l	r2, @r4\n"
#define EXCLUSIVE_STORE	"1:	mov	r1, r15\n	nop\n"
#define EXCLUSIVE_END	"nop\n	rts\n	nop\n"
#endif
#ifndef EXCLUSIVE_START
#define EXCLUSIVE_BEFORE 0
#define EXCLUSIVE_START
#endif

#ifdef EXCLUSIVE_LOAD
void classic_exclusive(unsigned int *sum, unsigned int a);
ASM_FUNCTION(classic_exclusive,
	     "	" EXCLUSIVE_START
	     "	" EXCLUSIVE_LOAD
	     "	" EXCLUSIVE_ADD
	     "	" EXCLUSIVE_STORE
	     "	" EXCLUSIVE_END);

static void test_exclusive_access_is_refused(struct kunit *test)
{
	unsigned long at = (unsigned long)classic_exclusive + EXCLUSIVE_BEFORE;
	struct counted refused[] = {
		COUNTED(at), COUNTED(at + 4), COUNTED(at + 8),
	};
	struct counted c = COUNTED(at + 12);
	unsigned int i, sum = 3;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ(test, register_kprobe(&refused[i].probe),
				-EOPNOTSUPP);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	classic_exclusive(&sum, 4);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, sum, 7);
	KUNIT_EXPECT_GT(test, c.pre, 0);
}
#endif

#ifdef CONFIG_MIPS
/* Return the value that the branch's delay slot computes. */
int classic_delayed(int a);
extern kprobe_opcode_t classic_delay_slot[];
ASM_FUNCTION(classic_delayed,
	     "	.set	push\n"
	     "	.set	noreorder\n"
	     "	jr	$31\n"
	     "classic_delay_slot:\n"
	     "	addiu	$2, $4, 5\n"
	     "	.set	pop\n");

/* The text has a breakpoint there, but the instruction is still a branch. */
static void test_delay_slot_is_refused(struct kunit *test)
{
	struct counted branch = COUNTED(classic_delayed);
	struct counted slot = COUNTED(classic_delay_slot);

	KUNIT_EXPECT_EQ(test, register_kprobe(&slot.probe), -EOPNOTSUPP);
	KUNIT_ASSERT_EQ(test, register_kprobe(&branch.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&slot.probe), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, classic_delayed(2), 7);
	unregister_kprobe(&branch.probe);
	KUNIT_EXPECT_EQ(test, branch.pre, 1);
}
#endif

#if defined(CONFIG_ARM) && !defined(CONFIG_THUMB2_KERNEL)
/* An access whose fix-up continues after it, like an access to user memory. */
void classic_fixed_up(const int *from);
ASM_FUNCTION(classic_fixed_up,
	     "	ldr	r0, [r0]\n"
	     "1:	bx	lr\n"
	     "	.pushsection __ex_table, \"a\"\n"
	     "	.align	3\n"
	     "	.long	classic_fixed_up, 1b\n"
	     "	.popsection\n");

static void test_fixed_up_is_refused(struct kunit *test)
{
	struct counted c = COUNTED(classic_fixed_up);

	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), -EOPNOTSUPP);
}
#endif

static struct kunit_case classic_tests[] = {
	KUNIT_CASE(test_misaligned_is_refused),
#ifdef CONFIG_THUMB2_KERNEL
	KUNIT_CASE(test_thumb_place_is_even),
#endif
	KUNIT_CASE_SLOW(test_each_instruction_works_on),
	KUNIT_CASE_SLOW(test_each_instruction_works_on_with_post),
	KUNIT_CASE(test_nested_hits_are_executed),
	KUNIT_CASE(test_hit_leaves_interrupts_on),
#ifdef CONFIG_DYNAMIC_FTRACE
	KUNIT_CASE(test_rest_of_ftrace_call_is_refused),
#endif
#ifdef CONFIG_RISCV
	KUNIT_CASE_PARAM(test_entry_code_is_refused,
			 called_by_entry_gen_params),
#endif
#ifdef CONFIG_MIPS
	KUNIT_CASE(test_delay_slot_is_refused),
#endif
#ifdef EXCLUSIVE_LOAD
	KUNIT_CASE(test_exclusive_access_is_refused),
#endif
	KUNIT_CASE_SLOW(test_hit_of_removed_probe_is_retried),
	KUNIT_CASE(test_interrupts_may_be_hit),
	KUNIT_CASE(test_call_returns_when_switched_off),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE(test_probe_becomes_a_jump),
	KUNIT_CASE(test_jump_from_handler_is_missed),
#endif
#if defined(CONFIG_ARM) && !defined(CONFIG_THUMB2_KERNEL)
	KUNIT_CASE(test_any_frame_is_followed),
	KUNIT_CASE(test_refused_probe_leaves_no_slot),
	KUNIT_CASE(test_fixed_up_is_refused),
#endif
	{}
};

static struct kunit_suite classic_suite = {
	.name = "kprobes_classic",
	.test_cases = classic_tests,
};

kunit_test_suite(classic_suite);
