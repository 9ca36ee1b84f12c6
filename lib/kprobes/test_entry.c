// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for probes on a function's entry that own the text of the
 * instruction after the call of ftrace: see kernel/kprobes/ftrace.c.
 */
#include <linux/completion.h>
#include <linux/ktime.h>
#include "../../kernel/kprobes/internal.h"
#include "test_ftrace.h"

static TARGET int bystander(int x)
{
	barrier();
	return x ^ 3;
}

/* The loop may begin directly after the call. */
static TARGET int looping_target(int x)
{
	asm volatile("1: dec %0\n"
		     "	jnz 1b\n" : "+D" (x));
	return x + 11;
}

/* The compiler must not know which function is called. */
static int (*volatile call_looping)(int x) = looping_target;

static unsigned long next_insn(void)
{
	return target_call() + MCOUNT_INSN_SIZE;
}

/* Return true if the site patches the instruction after the call. */
static bool skips(const struct counted *c)
{
	return c->probe.site->skip && (state_of(c) == KPROBE_SITE_TRAP ||
				       state_of(c) == KPROBE_SITE_JUMP);
}

/* A cached analysis might be used for a module that is loaded there later. */
static void test_explaining_keeps_no_analysis(struct kunit *test)
{
	void *call = (void *)target_call();
	struct counted *c;

	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(call),
			KPROBE_NOJUMP_NONE);
	KUNIT_EXPECT_FALSE(test, x86_kprobe_function_kept());
	c = PROBED(test, call, .probe.flags = KPROBE_FLAG_DISABLED);
	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(call),
			KPROBE_NOJUMP_NONE);
	KUNIT_EXPECT_FALSE(test, x86_kprobe_function_kept());
	unregister_kprobe(&c->probe);
	KUNIT_EXPECT_FALSE(test, x86_kprobe_function_kept());
}

static void test_entry_armed_owns_next_insn(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use();
	struct counted c = ON(target);
	u8 before[2 * MCOUNT_INSN_SIZE];

	memcpy(before, (void *)target_call(), sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_TRUE(test, skips(&c));
	KUNIT_EXPECT_FALSE(test, kprobe_ftrace(&c.probe));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c.pre, 1);

	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&c.probe));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c.pre, 2);
	/* The call of ftrace must not have been changed. */
	KUNIT_EXPECT_MEMEQ(test, (void *)target_call(), before,
			   MCOUNT_INSN_SIZE);

	KUNIT_EXPECT_EQ(test, disable_kprobe(&c.probe), 0);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&c.probe));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c.pre, 4);

	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	expect_hits(test, &c, 4, 0);
	KUNIT_EXPECT_EQ(test, c.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	KUNIT_EXPECT_MEMEQ(test, (void *)target_call(), before, sizeof(before));
}

/* The next instruction may be probed as well, before the entry or after it. */
static void test_probe_on_next_insn_moves_entry_to_ftrace(struct kunit *test)
{
	unsigned int i, sites = kprobe_sites_in_use();

	for (i = 0; i < 8; i++) {
		struct counted entry = ON(target);
		struct counted next = COUNTED(next_insn());
		bool first = i & 1, stays = i & 2, jumps = i & 4;
		struct counted *a = first ? &next : &entry;
		struct counted *b = first ? &entry : &next;
		struct counted *last = stays ? a : b;

		KUNIT_ASSERT_EQ(test, register_kprobe(&a->probe), 0);
		if (jumps)
			wait_for_kprobe_optimizer();
		call_target(5);
		KUNIT_ASSERT_EQ(test, register_kprobe(&b->probe), 0);
		KUNIT_EXPECT_EQ(test, state_of(&entry), KPROBE_SITE_FTRACE);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_TRUE(test, kprobe_optimized(&next.probe));
		call_target(5);
		KUNIT_EXPECT_EQ(test, a->pre, 2);
		KUNIT_EXPECT_EQ(test, b->pre, 1);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&next.probe), 0);
		call_target(5);
		KUNIT_EXPECT_EQ(test, entry.pre, first ? 2 : 3);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&next.probe), 0);
		unregister_kprobe(stays ? &b->probe : &a->probe);
		last->pre = 0;
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, last->pre, 1);
		unregister_kprobe(&last->probe);
		KUNIT_EXPECT_EQ(test, entry.astray + next.astray, 0);
	}
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

/* An array may have both, in either order. */
static void test_array_with_next_insn_is_hit(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct counted entry = ON(target);
		struct counted older = ON(target);
		struct counted next = COUNTED(next_insn());
		struct kprobe *both[] = { &entry.probe, &next.probe };

		if (i & 1)
			swap(both[0], both[1]);
		if (i & 2) {
			KUNIT_ASSERT_EQ(test, register_kprobe(&older.probe), 0);
			wait_for_kprobe_optimizer();
		}
		KUNIT_ASSERT_EQ(test, register_kprobes(both, 2), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, entry.pre, 1);
		KUNIT_EXPECT_EQ(test, next.pre, 1);
		unregister_kprobes(both, 2);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		if (i & 2) {
			KUNIT_EXPECT_EQ(test, older.pre, 2);
			unregister_kprobe(&older.probe);
		}
		KUNIT_EXPECT_EQ(test, entry.astray + next.astray, 0);
	}
}

/* A post handler there must neither see nor prevent the entry's hits. */
static void test_post_handler_on_next_insn_is_called(struct kunit *test)
{
	struct counted *entry = PROBED_CALL(test, target);
	struct counted *next = PROBED(test, next_insn(),
				      .probe.post_handler = counted_post);

	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	reenable(test, &entry->probe);
	KUNIT_EXPECT_EQ(test, state_of(entry), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_kprobe(&entry->probe);
	expect_hits(test, entry, 2, 0);
	expect_hits(test, next, 2, 2);
}

/* A post handler must run after the call, so the site moves to ftrace. */
static void test_post_handler_moves_to_ftrace(struct kunit *test)
{
	struct counted *plain = PROBED_CALL(test, target);
	struct counted *post;

	wait_for_kprobe_optimizer();
	post = PROBED_CALL(test, target, .probe.post_handler = counted_post);
	KUNIT_EXPECT_EQ(test, state_of(plain), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&plain->probe));
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&plain->probe));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_kprobe(&post->probe);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	reenable(test, &plain->probe);
	KUNIT_EXPECT_EQ(test, state_of(plain), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	expect_hits(test, plain, 3, 0);
	expect_hits(test, post, 1, 1);
}

/* Each iteration executes the instruction after the call once more. */
static void test_loop_to_next_insn_is_hit_once(struct kunit *test)
{
	struct counted c = ON(looping_target);
	const u8 *next = (const u8 *)c.probe.addr + MCOUNT_INSN_SIZE;
	/* A dec %edi, not preceded by a frame pointer or a canary. */
	bool loops = next[0] == 0xff && next[1] == 0xcf;

	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	KUNIT_EXPECT_EQ(test, skips(&c), !loops);
	KUNIT_EXPECT_EQ(test, call_looping(5), 11);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, call_looping(7), 11);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, c.pre, 2);
}

static void test_switch_for_jumps_moves_to_ftrace(struct kunit *test)
{
	struct counted *c = PROBED_CALL(test, target);

	wait_for_kprobe_optimizer();
	kprobe_set_jumps(false);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	kprobe_set_jumps(true);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_kprobe(&c->probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->probe), 0);
	KUNIT_EXPECT_TRUE(test, skips(c));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	expect_hits(test, c, 3, 0);
}

/*
 * A call of a probed function that waits in ftrace's loop while its site moves.
 */

/* State of the waiting call; there is one at a time. */
static struct {
	struct kprobe_site *site;
	struct completion begun;	/* completed when the call waits */
	bool calls;			/* the next call must wait */
	unsigned int timeout;		/* milliseconds to wait for the move */
	bool seen;			/* the call has seen the move */
	unsigned int linger;		/* milliseconds to linger after that */
	bool released;			/* or until this is set */
	unsigned int nests;		/* nested calls left to make */
	int (*function)(int x);		/* called for each of these */
} moving;

static void notrace wait_until_seen(void)
{
	u8 before = READ_ONCE(moving.site->ftrace);
	u64 end = ktime_get_mono_fast_ns() +
		  (u64)moving.timeout * NSEC_PER_MSEC;

	WRITE_ONCE(moving.calls, false);
	complete(&moving.begun);
	/* A hit after the store does not see the move begin. */
	if (before == SITE_FTRACE_MOVES)
		return;
	while (!READ_ONCE(moving.seen) && ktime_get_mono_fast_ns() < end) {
		cpu_relax();
		WRITE_ONCE(moving.seen,
			   READ_ONCE(moving.site->ftrace) != before);
	}
	end = ktime_get_mono_fast_ns() + (u64)moving.linger * NSEC_PER_MSEC;
	while (!READ_ONCE(moving.released) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

static void notrace wait_for_move(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	if (READ_ONCE(moving.calls))
		wait_until_seen();
	if (!READ_ONCE(moving.seen) || !moving.nests)
		return;
	moving.nests--;
	moving.function(5);
}

/* ftrace calls the most recently registered ops first. */
static struct ftrace_ops waiter = { .func = wait_for_move };

/* Create a task whose next call waits; the caller must not migrate. */
static struct task_struct *moving_task(struct kunit *test, int (*call)(void *))
{
	moving.seen = false;
	moving.released = false;
	moving.linger = 0;
	moving.nests = 0;
	init_completion(&moving.begun);
	return other_cpu_task(test, call);
}

static void wait_until_it_waits(struct kunit *test, struct task_struct *task)
{
	wake_up_process(task);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&moving.begun,
							  10 * HZ), 0);
}

/* How an entry is hit while it moves. */
enum moving_kind {
	MOVING_HIT,		/* an ordinary hit */
	MOVING_SKIPS,		/* the handler skips the call only */
	MOVING_NESTS,		/* missed, because a handler calls */
	MOVING_IN_LOOP,		/* called from within ftrace's loop */
};

static const struct moving_case {
	const char *name;
	enum moving_kind kind;
	bool ours_first;
} moving_cases[] = {
	{ "had, before the callback", MOVING_HIT, false },
	{ "had, after the callback", MOVING_HIT, true },
	{ "skips, before the callback", MOVING_SKIPS, false },
	{ "skips, after the callback", MOVING_SKIPS, true },
	{ "nests, before the callback", MOVING_NESTS, false },
	{ "nests, after the callback", MOVING_NESTS, true },
	{ "in the loop, before the callback", MOVING_IN_LOOP, false },
	{ "in the loop, after the callback", MOVING_IN_LOOP, true },
};

KUNIT_ARRAY_PARAM_DESC(moving_cases, moving_cases, name);

static enum moving_kind moving_kind;

static int moving_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct counted, probe)->pre++;
	if (moving_kind != MOVING_SKIPS)
		return 0;
	instruction_pointer_set(regs, next_insn());
	return 1;
}

static int (*volatile call_bystander)(int x) = bystander;

static int bystander_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (moving_kind == MOVING_NESTS)
		call_target(5);
	return 0;
}

/* ftrace's guard admits the first call in the loop, and drops the second. */
#define CALLS_IN_LOOP	2

static int call_moving(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	if (moving_kind == MOVING_IN_LOOP)
		moving.nests = CALLS_IN_LOOP;
	WRITE_ONCE(moving.calls, true);
	if (moving_kind == MOVING_NESTS)
		call_bystander(5);
	else
		call_target(5);
	local_irq_restore(flags);
	return 0;
}

/*
 * The function is still in ftrace's filter, so the move changes no text.  A
 * change of text would need an IPI, which the waiting CPU does not answer.
 */
static void move_during_call(struct kunit *test, struct counted *c)
{
	struct task_struct *task = moving_task(test, call_moving);

	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	unregister_kprobe(&c->probe);
	kprobe_set_jumps(true);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->probe), 0);
	moving.site = c->probe.site;
	KUNIT_EXPECT_TRUE(test, skips(c));
	wait_until_it_waits(test, task);
	kprobe_set_jumps(false);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	/* Hits must be fast again. */
	KUNIT_EXPECT_NE(test, moving.site->ftrace, SITE_FTRACE_MOVES);
	other_cpu_end(task);
}

/*
 * Retry, because a worker may have removed the function from the filter, or be
 * about to make a jump.  Either needs that IPI.
 */
#define MOVING_TRIES	30

static void test_moving_entry_is_hit_once(struct kunit *test)
{
	const struct moving_case *how = test->param_value;
	bool nests = how->kind == MOVING_NESTS;
	struct counted c = ON(target, .probe.pre_handler = moving_pre);
	/* This probe fixes the order of our callback in ftrace's loop. */
	struct counted first = ON(bystander,
				  .probe.pre_handler = bystander_pre);
	unsigned int tries = 0, hits, missed;

	skip_on_one_cpu(test);
	moving_kind = how->kind;
	moving.function = target;
	moving.timeout = MSEC_PER_SEC;
	/* ftrace calls the most recently registered ops first. */
	kprobe_flush_retired();
	kprobe_set_jumps(false);
	if (how->ours_first)
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&waiter), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&first.probe), 0);
	if (!how->ours_first)
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&waiter), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	do {
		c.pre = 0;
		c.probe.nmissed = 0;
		move_during_call(test, &c);
		hits = !nests;
		missed = nests;
		if (how->kind == MOVING_IN_LOOP && moving.seen) {
			hits++;
			missed++;
		}
		KUNIT_EXPECT_EQ(test, c.pre, hits);
		KUNIT_EXPECT_EQ(test, c.probe.nmissed, missed);
	} while (!moving.seen && ++tries < MOVING_TRIES);
	KUNIT_EXPECT_TRUE(test, moving.seen);
	unregister_kprobe(&c.probe);
	unregister_kprobe(&first.probe);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&waiter), 0);
	kprobe_set_jumps(true);
}

static int call_unpreemptible(void *unused)
{
	WRITE_ONCE(moving.calls, true);
	guard(preempt)();
	call_target(5);
	return 0;
}

/* Long enough to notice a move that does not wait for the hit. */
#define LINGER_MS	200

/* The hit passes the call before the move, and continues during it. */
static void test_hit_before_move_is_waited_for(struct kunit *test)
{
	struct task_struct *task;
	struct counted *c;

	skip_on_one_cpu(test);
	kprobe_flush_retired();
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&waiter), 0);
	c = PROBED_CALL(test, target);
	KUNIT_EXPECT_TRUE(test, skips(c));
	wait_for_kprobe_optimizer();
	moving.site = c->probe.site;
	moving.timeout = 10 * MSEC_PER_SEC;
	task = moving_task(test, call_unpreemptible);
	moving.linger = LINGER_MS;
	wait_until_it_waits(test, task);
	kprobe_set_jumps(false);
	WRITE_ONCE(moving.released, true);
	other_cpu_end(task);
	KUNIT_EXPECT_TRUE(test, moving.seen);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c->pre, 2);
	unregister_kprobe(&c->probe);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&waiter), 0);
	kprobe_set_jumps(true);
}

/* The handlers have run at the call; the next instruction follows. */
static void test_hit_at_enable_is_handled_once(struct kunit *test)
{
	struct task_struct *task;
	struct counted *c;

	skip_on_one_cpu(test);
	kprobe_flush_retired();
	kprobe_set_jumps(false);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&waiter), 0);
	/* This probe puts our callback before the waiter. */
	PROBED_CALL(test, bystander);
	c = PROBED_CALL(test, target);
	kprobe_set_jumps(true);
	moving.site = c->probe.site;
	moving.timeout = 10 * MSEC_PER_SEC;
	task = moving_task(test, call_unpreemptible);
	moving.linger = 10 * MSEC_PER_SEC;
	wait_until_it_waits(test, task);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	reenable(test, &c->probe);
	WRITE_ONCE(moving.released, true);
	other_cpu_end(task);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&waiter), 0);
}

static void notrace redirect(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	instruction_pointer_set(ftrace_get_regs(fregs),
				(unsigned long)other_target);
}

/* Redirects the function, as a live patch does. */
static struct ftrace_ops redirector = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static void test_redirected_function_is_hit(struct kunit *test)
{
	struct counted *c = PROBED_CALL(test, target);
	struct counted *other = PROBED_CALL(test, bystander);

	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, skips(c));
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&redirector), 0);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	/* The redirection does not concern this function. */
	KUNIT_EXPECT_TRUE(test, skips(other));
	KUNIT_EXPECT_EQ(test, call_target(5), -2);
	KUNIT_EXPECT_EQ(test, c->pre, 1);

	/* The entry must remain with ftrace while it is redirected. */
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->probe), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), -2);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->probe), 0);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), -2);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&redirector), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	reenable(test, &c->probe);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	expect_hits(test, c, 4, 0);
}

/* A failed registration must not block others. */
static void test_redirection_refused_blocks_no_entry(struct kunit *test)
{
	PROBED_CALL(test, target, .probe.post_handler = counted_post);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&redirector), -EBUSY);
	KUNIT_EXPECT_TRUE(test, skips(PROBED_CALL(test, bystander)));
}

/*
 * The entry can be armed only when the last probe after it is removed together
 * with the post handler that kept it on ftrace.
 */
static void test_entry_armed_as_next_probe_leaves_is_hit(struct kunit *test)
{
	struct counted post = ON(target, .probe.post_handler = counted_post);
	struct counted next = COUNTED(next_insn());
	struct kprobe *both[] = { &post.probe, &next.probe };
	struct counted *plain;

	/* In this order the entry has never been armed. */
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	plain = PROBED_CALL(test, target);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&redirector), 0);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EBUSY);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&redirector), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&next.probe), 0);
	KUNIT_EXPECT_EQ(test, state_of(plain), KPROBE_SITE_CLEAN);
	unregister_kprobes(both, 2);
	KUNIT_EXPECT_EQ(test, state_of(plain), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	unregister_kprobe(&plain->probe);
	KUNIT_EXPECT_EQ(test, plain->pre, 1);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* Acts as a BPF trampoline without a program. */
asm("	.pushsection .text, \"ax\", @progbits\n"
    "	.type	kprobe_test_direct, @function\n"
    "kprobe_test_direct:\n"
    ASM_ENDBR
    ASM_RET
    "	.size	kprobe_test_direct, . - kprobe_test_direct\n"
    "	.popsection\n");
void kprobe_test_direct(void);
#define TRAMPOLINE	((unsigned long)kprobe_test_direct)

static struct ftrace_ops direct;

static void direct_begin(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, watch(&direct, target), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(&direct, TRAMPOLINE), 0);
}

static void direct_end(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&direct, TRAMPOLINE,
						       false), 0);
	direct.ops_func = NULL;
}

static void test_direct_call_moves_to_ftrace(struct kunit *test)
{
	struct counted *c = PROBED_CALL(test, target);

	wait_for_kprobe_optimizer();
	direct_begin(test);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	direct_end(test);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	expect_hits(test, c, 2, 0);
}

#ifdef CONFIG_HAVE_SINGLE_FTRACE_DIRECT_OPS
/* BPF adds its direct calls to one ops by such tables. */
static void test_added_direct_call_moves_to_ftrace(struct kunit *test)
{
	struct ftrace_hash *hash = alloc_ftrace_hash(1);
	struct counted *c = PROBED_CALL(test, target);
	struct counted *other = PROBED_CALL(test, bystander);
	static struct ftrace_ops ops;

	KUNIT_ASSERT_NOT_NULL(test, hash);
	KUNIT_ASSERT_NOT_NULL(test, add_ftrace_hash_entry_direct(hash,
								 target_call(),
								 TRAMPOLINE));
	KUNIT_EXPECT_TRUE(test, skips(c));
	KUNIT_ASSERT_EQ(test, update_ftrace_direct_add(&ops, hash), 0);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_TRUE(test, skips(other));
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, update_ftrace_direct_del(&ops, hash), 0);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	free_ftrace_hash(hash);
	expect_hits(test, c, 2, 0);
}
#endif

/* Defined by older kernels. */
#ifndef FTRACE_OPS_FUNC_PARAMS
#define FTRACE_OPS_FUNC_PARAMS	struct ftrace_ops *op, unsigned long ip, \
				enum ftrace_ops_cmd cmd
#endif

/* Requests to share, and how many of them will fail with -EAGAIN. */
static unsigned int asked, busy;
static bool shares;

static int share(FTRACE_OPS_FUNC_PARAMS)
{
	shares = false;
	if (cmd != FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER)
		return 0;
	asked++;
	if (busy) {
		busy--;
		return -EAGAIN;
	}
	shares = true;
	return 0;
}

/* A post handler may redirect, so each site needs the owner's consent. */
static void expect_sharing(struct kunit *test, ftrace_ops_func_t ops_func,
			   unsigned int tries, int err)
{
	struct counted c = ON(target, .probe.post_handler = counted_post);

	direct.ops_func = ops_func;
	asked = 0;
	busy = tries;
	shares = false;
	direct_begin(test);
	KUNIT_EXPECT_EQ(test, register_kprobe(&c.probe), err);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	if (!err) {
		KUNIT_EXPECT_EQ(test, shares, !!ops_func);
		KUNIT_EXPECT_EQ(test, c.post, 1);
		unregister_kprobe(&c.probe);
	}
	KUNIT_EXPECT_FALSE(test, shares);
	direct_end(test);
}

static void test_direct_call_is_shared(struct kunit *test)
{
	expect_sharing(test, NULL, 0, -EBUSY);
	expect_sharing(test, share, 0, 0);
	KUNIT_EXPECT_EQ(test, asked, 1);
	expect_sharing(test, share, 3, 0);
	KUNIT_EXPECT_EQ(test, asked, 4);
	expect_sharing(test, share, UINT_MAX, -EAGAIN);
}

/* If another site is refused, owners must not share any longer. */
static void test_refused_array_leaves_no_sharing(struct kunit *test)
{
	struct counted c = ON(target, .probe.post_handler = counted_post);
	struct counted other = ON(bystander,
				  .probe.post_handler = counted_post);
	struct kprobe *array[] = { &c.probe, &other.probe };

	direct.ops_func = share;
	asked = 0;
	busy = 0;
	KUNIT_ASSERT_EQ(test, watch(&redirector, bystander), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&redirector), 0);
	direct_begin(test);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, 2), -EBUSY);
	KUNIT_EXPECT_NE(test, asked, 0);
	KUNIT_EXPECT_FALSE(test, shares);
	direct_end(test);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&redirector), 0);
}

/* A busy owner must prevent only probes of its own function. */
static void test_busy_owner_is_given_up(struct kunit *test)
{
	struct counted *c, *other;

	direct.ops_func = share;
	busy = 0;
	direct_begin(test);
	c = PROBED_CALL(test, target, .probe.post_handler = counted_post);
	other = PROBED_CALL(test, bystander,
			    .probe.post_handler = counted_post);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	busy = UINT_MAX;
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_CLEAN);
	KUNIT_EXPECT_EQ(test, state_of(other), KPROBE_SITE_FTRACE);
	busy = 0;
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	KUNIT_EXPECT_EQ(test, state_of(c), KPROBE_SITE_FTRACE);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c->post, 1);
	unregister_kprobe(&c->probe);
	direct_end(test);
}
#endif

/* Offset from the call to continue at, or -1 for the other function. */
static int divert_to;

static int diverting_pre(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, divert_to < 0 ?
				(unsigned long)other_target :
				target_call() + divert_to);
	return 1;
}

static void test_handler_diverts(struct kunit *test)
{
	struct counted *older = PROBED_CALL(test, target);
	struct counted *c = PROBED_CALL(test, target,
					.probe.pre_handler = diverting_pre);
	int jump;

	for (jump = 0; jump < 2; jump++) {
		if (jump)
			wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, kprobe_optimized(&c->probe), jump);
		divert_to = -1;
		KUNIT_EXPECT_EQ(test, call_target(5), -2);
		/* Skip only the call. */
		divert_to = MCOUNT_INSN_SIZE;
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
	}
	KUNIT_EXPECT_EQ(test, older->pre, 0);
	unregister_kprobe(&c->probe);
	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, older->pre, 1);
}

/* The order of the text counts, not the order of registration. */
static void test_entry_is_hit_before_next_insn(struct kunit *test)
{
	int first;

	for (first = 0; first < 2; first++) {
		struct kprobe entry = KPROBE_AT(target_call(),
						.pre_handler = diverting_pre);
		struct counted next = COUNTED(next_insn());
		struct kprobe *a = first ? &next.probe : &entry;
		struct kprobe *b = first ? &entry : &next.probe;

		divert_to = -1;
		KUNIT_ASSERT_EQ(test, register_kprobe(a), 0);
		KUNIT_ASSERT_EQ(test, register_kprobe(b), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), -2);
		reenable(test, &next.probe);
		KUNIT_EXPECT_EQ(test, call_target(5), -2);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&entry), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), 16);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&entry), 0);
		KUNIT_EXPECT_EQ(test, call_target(5), -2);
		KUNIT_EXPECT_EQ(test, next.pre, 1);
		unregister_kprobe(&entry);
		unregister_kprobe(&next.probe);
	}
}

static void test_recursion_is_missed_once(struct kunit *test)
{
	unsigned long missed = kprobe_missed_in_all(KPROBE_MISS_RECURSION);
	struct counted *c = PROBED_CALL(test, target,
					.probe.pre_handler = calling_pre);
	struct counted *second = PROBED_CALL(test, target);

	KUNIT_EXPECT_EQ(test, call_target(5), 16);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, second->pre, 1);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, second->probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, c->probe.site->missed[KPROBE_MISS_RECURSION], 1);
	KUNIT_EXPECT_EQ(test, kprobe_missed_in_all(KPROBE_MISS_RECURSION),
			missed + 1);
}

static int suite_init(struct kunit *test)
{
	KUNIT_ASSERT_NE(test, target_call(), 0);
	KUNIT_ASSERT_EQ(test, watch(&redirector, target), 0);
	KUNIT_ASSERT_EQ(test, watch(&waiter, target), 0);
	return 0;
}

static struct kunit_case entry_tests[] = {
	KUNIT_CASE(test_explaining_keeps_no_analysis),
	KUNIT_CASE(test_entry_armed_owns_next_insn),
	KUNIT_CASE(test_probe_on_next_insn_moves_entry_to_ftrace),
	KUNIT_CASE(test_array_with_next_insn_is_hit),
	KUNIT_CASE(test_post_handler_on_next_insn_is_called),
	KUNIT_CASE(test_post_handler_moves_to_ftrace),
	KUNIT_CASE(test_loop_to_next_insn_is_hit_once),
	KUNIT_CASE(test_switch_for_jumps_moves_to_ftrace),
	KUNIT_CASE_PARAM(test_moving_entry_is_hit_once,
			 moving_cases_gen_params),
	KUNIT_CASE(test_hit_before_move_is_waited_for),
	KUNIT_CASE(test_hit_at_enable_is_handled_once),
	KUNIT_CASE(test_redirected_function_is_hit),
	KUNIT_CASE(test_redirection_refused_blocks_no_entry),
	KUNIT_CASE(test_entry_armed_as_next_probe_leaves_is_hit),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	KUNIT_CASE(test_direct_call_moves_to_ftrace),
#ifdef CONFIG_HAVE_SINGLE_FTRACE_DIRECT_OPS
	KUNIT_CASE(test_added_direct_call_moves_to_ftrace),
#endif
	KUNIT_CASE(test_direct_call_is_shared),
	KUNIT_CASE(test_busy_owner_is_given_up),
	KUNIT_CASE(test_refused_array_leaves_no_sharing),
#endif
	KUNIT_CASE(test_handler_diverts),
	KUNIT_CASE(test_entry_is_hit_before_next_insn),
	KUNIT_CASE(test_recursion_is_missed_once),
	{}
};

static struct kunit_suite entry_suite = {
	.name = "kprobes_entry",
	.init = suite_init,
	.test_cases = entry_tests,
};

kunit_test_suite(entry_suite);
