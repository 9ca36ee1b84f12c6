// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for tasks on x86 that are preempted at a probed place: among the
 * instructions that a jump will cover, or in an instruction out of line.
 */
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include "test_preempt.h"
#include "test_x86_opt.h"

/* The size makes a call spend nearly all its time at the instruction. */
#define FILLED	SZ_4M
#define FILLER	5

/*
 * A jump at probe_filling covers the long instruction, which is at
 * probe_unwound.  Unwinders know the frame of a function in C.
 */
static TARGET void fill(u8 *buffer, unsigned long size)
{
	asm volatile(".Lprobe_filling: mov %[size], %%" _ASM_CX "\n\t"
		     ".Lprobe_unwound: rep stosb\n\t nop\n nop\n nop\n"
		     POINTER_TO(probe_filling, .Lprobe_filling)
		     POINTER_TO(probe_unwound, .Lprobe_unwound)
		     : "+D" (buffer)
		     : [size] "S" (size), "a" (FILLER)
		     : "cx", "memory");
}

extern char *probe_filling, *probe_unwound;

static int filling_caller(void *buffer)
{
	while (!kthread_should_stop()) {
		fill(buffer, FILLED);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static bool keep_in_place(struct kunit *test)
{
	struct counted p = COUNTED(probe_filling);
	u8 *buffer = vzalloc(FILLED), small[8] = {};
	struct task_struct *task;
	struct keeper k = {};
	unsigned int hits;
	bool kept, trap;

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	keeper_start(test, &k);
	task = start_on_keepers_cpu(test, filling_caller, buffer);
	msleep(50);
	complete(&k.go);
	keeper_wait(&k, task);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	msleep(300);
	trap = is_probe_trap(probe_filling);
	/* Other callers hit the breakpoint meanwhile. */
	fill(small, sizeof(small));
	hits = READ_ONCE(p.pre);
	kept = keeper_kept(&k, task);
	KUNIT_EXPECT_EQ(test, small[sizeof(small) - 1], FILLER);
	if (kept) {
		KUNIT_EXPECT_TRUE(test, trap);
		KUNIT_EXPECT_EQ(test, hits, 1);
	}
	WRITE_ONCE(k.release, true);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_filling));
	msleep(50);
	KUNIT_EXPECT_GT(test, p.pre, 1);
	keeper_stop(&k);
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, buffer[FILLED - 1], FILLER);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.astray, 0);
	vfree(buffer);
	return kept;
}

static void test_jump_waits_for_preempted(struct kunit *test)
{
	try_to_keep(test, keep_in_place);
}

#ifdef CONFIG_HAVE_RELIABLE_STACKTRACE
/*
 * The stack trace of a task that is preempted in an instruction out of line
 * must show the probed function, or be marked as unreliable.
 */
struct slot_case {
	const char *name;
	bool post;
	bool jump;
};

static const struct slot_case slot_cases[] = {
	{ "slot", false, false },
	{ "slot for post handlers", true, false },
	{ "detour", false, true },
};

KUNIT_ARRAY_PARAM_DESC(slot, slot_cases, name);

static unsigned long unwound_size;

/* Tries whose reliable trace of a kept task lacked the function. */
static unsigned int unnamed;

/* Return true if a reliable trace shows where the task is. */
static bool expect_in_place(struct kunit *test, const struct keeper *k,
			    struct task_struct *task)
{
	unsigned long start = (unsigned long)fill;
	bool in_function = false, in_slot = false;
	unsigned long entries[32];
	int i, nr;

	nr = stack_trace_save_tsk_reliable(task, entries, ARRAY_SIZE(entries));
	for (i = 0; i < nr; i++) {
		in_function |= entries[i] - start < unwound_size;
		in_slot |= is_kprobe_insn_slot(entries[i]);
	}
	KUNIT_EXPECT_FALSE(test, in_slot);
	/* The task may be preempted elsewhere, but spends little time there. */
	unnamed += nr >= 0 && !in_function && keeper_kept(k, task);
	KUNIT_EXPECT_LT(test, unnamed, KEPT_TRIES / 2);
	return in_function || in_slot;
}

static bool keep_out_of_line(struct kunit *test)
{
	const struct slot_case *c = test->param_value;
	void *buffer = vmalloc(FILLED);
	struct task_struct *task;
	struct keeper k = {};
	struct counted *p;
	bool found;

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	kprobe_set_jumps(c->jump);
	p = PROBED(test, probe_unwound,
		   .probe.post_handler = c->post ? counted_post : NULL);
	KUNIT_EXPECT_EQ(test, is_jump(probe_unwound), c->jump);
	keeper_start(test, &k);
	task = start_on_keepers_cpu(test, filling_caller, buffer);
	msleep(50);
	complete(&k.go);
	keeper_wait(&k, task);
	found = expect_in_place(test, &k, task);
	keeper_stop(&k);
	kthread_stop(task);
	kprobe_set_jumps(true);
	unregister_kprobe(&p->probe);
	vfree(buffer);
	return found;
}

static void test_trace_names_the_function(struct kunit *test)
{
	unsigned long start = (unsigned long)fill, offset;

	if (!IS_ENABLED(CONFIG_UNWINDER_ORC))
		kunit_skip(test, "this needs the ORC unwinder");
	KUNIT_ASSERT_TRUE(test,
			  kallsyms_lookup_size_offset(start, &unwound_size,
						      &offset));
	unnamed = 0;
	try_to_keep(test, keep_out_of_line);
}
#endif

static struct kunit_case preempt_tests[] = {
	KUNIT_CASE(test_jump_waits_for_preempted),
#ifdef CONFIG_HAVE_RELIABLE_STACKTRACE
	KUNIT_CASE_PARAM(test_trace_names_the_function, slot_gen_params),
#endif
	{}
};

static struct kunit_suite preempt_suite = {
	.name = "kprobes_x86_preempt",
	.test_cases = preempt_tests,
	.init = x86_opt_init,
	.exit = x86_opt_exit,
};

kunit_test_suite(preempt_suite);
