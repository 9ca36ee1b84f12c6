// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for handlers on x86 that continue at another instruction: at each
 * one after a probed place, which is a breakpoint, a jump, or waits for a jump.
 */
#include <linux/bits.h>
#include <linux/completion.h>
#include "test_x86_opt.h"

asm(".pushsection .rodata\n.balign 4\n"
    "opt_constant: .long 4711\n"
    ".popsection\n");

/*
 * Places to continue at: instructions of one byte, of two, of more, a branch,
 * and an operand relative to the instruction pointer.  Skipping any instruction
 * changes the result.
 */
#define SUM	"lea (" AX ", " CX ", 2), %ecx\n"			\
		"lea (" CX ", " DX ", 4), %eax\n"
CODE(step_1, "xchg %eax, %ecx\n xchg %eax, %edx",
     ".rept 7\n xchg %eax, %ecx\n xchg %eax, %edx\n .endr\n" SUM);
CODE(step_2, "add %ecx, %eax\n add %eax, %eax",
     ".rept 6\n add %ecx, %eax\n add %eax, %eax\n .endr\n" SUM);
CODE(step_3, "add $1, %eax\n add %eax, %eax",
     ".rept 4\n add $1, %eax\n add %eax, %eax\n .endr\n" SUM);
CODE(step_jcc, "test %eax, %eax\n js 1f\n jns 1f\n add $1, %eax\n 1:",
     ".rept 4\n add $1, %eax\n add %eax, %eax\n .endr\n" SUM);
CODE(step_rip, "xchg %eax, %ecx",
     "addl opt_constant" RIP ", %ecx\n .rept 8\n add %ecx, %eax\n"
     ".endr\n" SUM);
CODE(step_call, "add %ecx, %eax\n call 1f",
     ".rept 8\n add %eax, %eax\n .endr\n" SUM "jmp 2f\n"
     "1: add (" SP "), %eax\n" SAFE "ret\n int3\n2:");
CODE(step_load, "mov (" SI "), %ecx",
     ".rept 4\n add %ecx, %eax\n add $3, %eax\n .endr\n" SUM);

/* Places to start from; the last is a call of ftrace. */
#ifdef CONFIG_FTRACE_MCOUNT_USE_CC
#define FENTRY "900: call __fentry__\n"				\
	".pushsection __mcount_loc, \"a\", @progbits\n"			\
	_ASM_PTR "900b\n .popsection\n"
#else
#define FENTRY	NOP5
#endif
CODE(start, FIRST, SECOND AFTER);
CODE(start_nop, "nop", FIRST SECOND AFTER);
CODE(start_load, "mov (" SI "), %ecx", AFTER);
FUNCTION(start_ftrace, ".Lprobe_start_ftrace: " FENTRY
	 ".Lprobe_step_ftrace: add $1, %eax\n add %eax, %eax\n"
	 ".rept 4\n add $1, %eax\n add %eax, %eax\n .endr\n" SUM ASM_RET);
asm(POINTER_TO(probe_step_ftrace, .Lprobe_step_ftrace));
extern char *probe_step_ftrace;
#define opt_step_ftrace	opt_start_ftrace

/*
 * A handler may continue at any instruction, even if a jump covers it or is
 * about to cover it: the result must be the same as without a jump.
 */
#define MOVE_MOST	16
#define MOVE_BAD_PAGE	(-0xff0UL)

static int moving_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	regs->ip = move_to;
	return 1;
}

static const struct mover {
	const char *name;
	char *function;
	char **probe;
	kprobe_pre_handler_t pre;
	kprobe_post_handler_t post;
	kprobe_fault_handler_t fault;
} movers[] = {
	/* Handlers at the place itself. */
	{ "its pre handler", .pre = moving_pre },
	{ "its fault handler", .fault = moving_fault },
	/* Handlers at another place. */
	{ "a pre handler", opt_start, &probe_start, .pre = moving_pre },
	{ "a pre handler at a trap", opt_start, &probe_start,
	  .pre = moving_pre, .post = moving_post },
	{ "a post handler", opt_start, &probe_start, .post = moving_post },
	{ "a post handler, emulated", opt_start_nop, &probe_start_nop,
	  .post = moving_post },
	{ "a fault handler", opt_start_load, &probe_start_load,
	  .fault = moving_fault },
	{ "a fault handler, with a post handler", opt_start_load,
	  &probe_start_load, .post = moving_post, .fault = moving_fault },
	{ "a pre handler by ftrace", opt_start_ftrace, &probe_start_ftrace,
	  .pre = moving_pre },
	{ "a post handler by ftrace", opt_start_ftrace, &probe_start_ftrace,
	  .post = moving_post },
};

struct move_case {
	const char *name;
	char *function;
	char **probe;
};

#define MOVE(name)	{ #name, opt_##name, &probe_##name }

static const struct move_case move_cases[] = {
	MOVE(step_1), MOVE(step_2), MOVE(step_3), MOVE(step_jcc),
	MOVE(step_rip), MOVE(step_call), MOVE(step_load),
	MOVE(step_ftrace),
};

KUNIT_ARRAY_PARAM_DESC(move, move_cases, name);

enum move_state { MOVE_TRAP, MOVE_WAITS, MOVE_JUMP, MOVE_STATES };

static const char * const move_state_names[MOVE_STATES] = {
	"breakpoint", "waiting", "jump",
};

/**
 * struct moves - results of continuing at each offset after a place
 * @result: return values of the function
 * @hits: hits of the probe at the place
 */
struct moves {
	unsigned int result[MOVE_MOST + 1];
	unsigned int hits[MOVE_MOST + 1];
};

static noinline unsigned int call_moved(void *function)
{
	unsigned long a = 5, c = 70, d = 900;

	asm volatile(SAFE "call *%[function]"
		     : "+a" (a), "+c" (c), "+d" (d), ASM_CALL_CONSTRAINT
		     : [function] "D" (function), "S" (MOVE_BAD_PAGE)
		     : "memory", "cc");
	return a;
}

/* Return a bit for each offset at which an instruction begins. */
static unsigned long move_offsets(struct kunit *test, const u8 *text)
{
	unsigned long offsets = 0;
	unsigned int offset = 0;
	struct insn insn;

	while (offset <= MOVE_MOST) {
		offsets |= BIT(offset);
		KUNIT_ASSERT_EQ(test, insn_decode_kernel(&insn, text + offset),
				0);
		offset += insn.length;
	}
	return offsets;
}

/* Continue at each of @offsets after @p, by a probe there or at @m. */
static void move_all(struct kunit *test, const struct move_case *c,
		     const struct mover *m, enum move_state state,
		     struct counted *p, unsigned long offsets,
		     struct moves *moves)
{
	bool same = !m->function;
	struct kprobe mover = KPROBE_AT(same ? *c->probe : *m->probe,
					.pre_handler = m->pre,
					.post_handler = m->post,
					.fault_handler = m->fault);
	unsigned int offset, hits;

	KUNIT_ASSERT_EQ(test, register_kprobe(&mover), 0);
	/* The mover's place becomes a jump, too, if possible. */
	if (state == MOVE_JUMP)
		KUNIT_EXPECT_TRUE(test, is_jump(*c->probe));

	for_each_set_bit(offset, &offsets, MOVE_MOST + 1) {
		/* The probed address would be hit, or fault, forever. */
		if (!offset && (same || m->fault))
			continue;
		hits = p->pre;
		move_to = (unsigned long)*c->probe + offset;
		moves->result[offset] = call_moved(m->function ?: c->function);
		moves->hits[offset] = p->pre - hits;
	}
	unregister_kprobe(&mover);
}

static int spin_thread(void *started)
{
	complete(started);
	while (!kthread_should_stop())
		cpu_relax();
	return 0;
}

/* Return a task that blocks each grace period of RCU-tasks. */
static struct task_struct *start_spinning(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(started);
	struct task_struct *task;

	task = kthread_run(spin_thread, &started, "kprobes-spin");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&started);
	return task;
}

static void move_in_state(struct kunit *test, const struct move_case *c,
			  enum move_state state, struct moves *expected)
{
	unsigned long offsets = move_offsets(test, *c->probe);
	struct counted p = COUNTED(*c->probe);
	struct kprobe_site *site;
	struct moves found;
	const bool *waits;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	scoped_guard(preempt)
		site = kprobe_site_find((unsigned long)*c->probe);
	waits = &site->trap_uses_detour;
	if (state == MOVE_WAITS)
		KUNIT_EXPECT_TRUE(test, EVENTUALLY(READ_ONCE(*waits)));
	else
		KUNIT_EXPECT_EQ(test, is_jump(*c->probe), state == MOVE_JUMP);

	for (i = 0; i < ARRAY_SIZE(movers); i++) {
		const struct mover *m = &movers[i];

		/* Only a fault handler can step over a faulting instruction. */
		if (!m->fault && c->function == opt_step_load)
			continue;
		if (m->fault && !m->function && c->function != opt_step_load)
			continue;
		found = expected[i];
		move_all(test, c, m, state, &p, offsets,
			 state == MOVE_TRAP ? &expected[i] : &found);
		if (state == MOVE_TRAP)
			continue;
		KUNIT_EXPECT_MEMEQ_MSG(test, &found, &expected[i],
				       sizeof(found), "%s: by %s",
				       move_state_names[state], m->name);
	}
	if (state == MOVE_WAITS)
		KUNIT_EXPECT_TRUE(test, site->trap_uses_detour);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.astray, 0);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed, 0);
}

static void test_move_is_as_without_jump(struct kunit *test)
{
	const struct move_case *c = test->param_value;
	struct task_struct *spins;
	struct moves *expected;

	expected = kunit_kcalloc(test, ARRAY_SIZE(movers), sizeof(*expected),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, expected);

	kprobe_set_jumps(false);
	move_in_state(test, c, MOVE_TRAP, expected);
	kprobe_set_jumps(true);
	wait_for_kprobe_optimizer();

	/* Without preemption, no task can block a grace period like this. */
	if (preempt_model_preemptible()) {
		spins = start_spinning(test);
		move_in_state(test, c, MOVE_WAITS, expected);
		kthread_stop(spins);
		wait_for_kprobe_optimizer();
	}

	move_in_state(test, c, MOVE_JUMP, expected);
}

static struct kunit_case move_tests[] = {
	KUNIT_CASE_PARAM(test_move_is_as_without_jump, move_gen_params),
	{}
};

static struct kunit_suite move_suite = {
	.name = "kprobes_x86_move",
	.test_cases = move_tests,
	.init = x86_opt_init,
	.exit = x86_opt_exit,
};

kunit_test_suite(move_suite);
