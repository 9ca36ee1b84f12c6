// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for jumps on any architecture: when a breakpoint becomes a jump,
 * what turns it back, and hits meanwhile.  The probed functions are in
 * test_<architecture>_targets.h.
 */
#include "test_opt.h"
#include "test_preempt.h"

/**
 * struct opt_target - a function with a place for a jump
 * @function: must be called with call_target() only
 * @place: pointer to the place
 * @next: offset of the next instruction at the place
 * @result: return value of call_target()
 */
struct opt_target {
	void *function;
	char **place;
	unsigned int next;
	unsigned long result;
};

/*
 * The architecture's header defines opt_targets[], call_target(), is_jump(),
 * is_probe_trap() and opt_init().  The first target may also be probed at its
 * next instruction.
 */
#if defined(CONFIG_X86)
#include "test_x86_targets.h"
#elif defined(CONFIG_ARM64)
#include "test_arm64_targets.h"
#elif defined(CONFIG_PPC)
#include "test_powerpc_targets.h"
#endif

/* The text at the first place before each case: more than a jump covers. */
#define COMPARED	16
static u8 before[COMPARED];

/* Most cases need one target, and some need a second. */
#define FIRST_TARGET	(&opt_targets[0])
#define OTHER_TARGET	(&opt_targets[1])
#define PLACE		(*FIRST_TARGET->place)
#define OTHER_PLACE	(*OTHER_TARGET->place)

static void expect_result(struct kunit *test, const struct opt_target *t)
{
	KUNIT_EXPECT_EQ(test, call_target(t), t->result);
}

static void expect_clean(struct kunit *test)
{
	KUNIT_EXPECT_MEMEQ(test, before, PLACE, COMPARED);
}

/* Register a counted probe at the first place. */
#define PROBED_PLACE(test, ...)	PROBED(test, PLACE, __VA_ARGS__)

/*
 * States
 */

/* A post handler must turn the jump back before register or enable returns. */
static void test_post_handler_undoes_jump(struct kunit *test)
{
	struct counted *p = PROBED_PLACE(test);
	struct counted q = COUNTED(PLACE, .probe.post_handler = counted_post);
	int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
		KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_probe_trap(PLACE));
		KUNIT_EXPECT_FALSE(test, kprobe_optimized(&p->probe));
		KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p->probe.addr),
				KPROBE_NOJUMP_POST_HANDLER);
		expect_result(test, FIRST_TARGET);
		KUNIT_EXPECT_FALSE(test, is_jump(PLACE));

		/* A disabled sibling does not prevent a jump. */
		KUNIT_EXPECT_EQ(test, disable_kprobe(&q.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
		expect_result(test, FIRST_TARGET);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&q.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_probe_trap(PLACE));
		expect_result(test, FIRST_TARGET);
		unregister_kprobe(&q.probe);
	}
	/* The place stays a breakpoint if the other probe is removed first. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	unregister_kprobe(&p->probe);
	KUNIT_EXPECT_FALSE(test, is_jump(PLACE));
	unregister_kprobe(&q.probe);
	expect_hits(test, p, 9, 0);
	expect_hits(test, &q, 6, 6);
}

#define NR_SIBLINGS	3

static void expect_newest_first(struct kunit *test, struct counted **s)
{
	int i;

	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	counted_calls = 0;
	expect_result(test, FIRST_TARGET);
	for (i = 0; i < NR_SIBLINGS; i++)
		KUNIT_EXPECT_EQ(test, s[i]->order, NR_SIBLINGS - i);
}

/* A re-enabled probe returns to its place in the order. */
static void test_newest_handlers_run_first(struct kunit *test)
{
	struct counted *s[NR_SIBLINGS];
	int i;

	for (i = 0; i < NR_SIBLINGS; i++)
		s[i] = PROBED_PLACE(test);
	expect_newest_first(test, s);
	for (i = 0; i < NR_SIBLINGS; i++) {
		reenable(test, &s[i]->probe);
		expect_newest_first(test, s);
	}
}

static unsigned int jprobe_calls;

static void jprobe_entry(void)
{
	jprobe_calls++;
	jprobe_return();
}

/* A jprobe on the same function prevents a jump while it is enabled. */
static void test_jprobe_undoes_jump(struct kunit *test)
{
	struct counted *p = PROBED(test, FIRST_TARGET->function);
	struct jprobe j = JPROBE_AT(FIRST_TARGET->function, jprobe_entry);
	void *place = (void *)probed_at(&p->probe);

	jprobe_calls = 0;
	KUNIT_EXPECT_TRUE(test, is_jump(place));
	KUNIT_ASSERT_EQ(test, register_jprobe(&j), 0);
	KUNIT_EXPECT_FALSE(test, is_jump(place));
	KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(place), KPROBE_NOJUMP_JPROBE);
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_EQ(test, disable_jprobe(&j), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(place));
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_EQ(test, enable_jprobe(&j), 0);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(place));
	unregister_jprobe(&j);
	KUNIT_EXPECT_TRUE(test, is_jump(place));
	KUNIT_EXPECT_EQ(test, p->pre, 2);
	KUNIT_EXPECT_EQ(test, jprobe_calls, 1);
}

static void test_disable_cleans_text(struct kunit *test)
{
	struct counted *p = PROBED_PLACE(test);
	int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
		expect_result(test, FIRST_TARGET);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&p->probe), 0);
		expect_result(test, FIRST_TARGET);
		wait_for_kprobe_optimizer();
		expect_clean(test);
		KUNIT_EXPECT_FALSE(test, kprobe_optimized(&p->probe));
		expect_result(test, FIRST_TARGET);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&p->probe), 0);
		expect_result(test, FIRST_TARGET);
	}
	unregister_kprobe(&p->probe);
	KUNIT_EXPECT_EQ(test, p->pre, 6);
	expect_clean(test);
}

/*
 * Jumps without an enabled probe, before the optimizer removes them
 */

/* A hit of an idle jump must call no handler and count no miss. */
static void test_idle_jump_calls_nothing(struct kunit *test)
{
	struct counted *p = PROBED_PLACE(test);

	disable_on_jump(test, &p->probe);
	expect_result(test, FIRST_TARGET);
	wait_for_kprobe_optimizer();
	expect_clean(test);

	KUNIT_EXPECT_EQ(test, enable_kprobe(&p->probe), 0);
	disable_on_jump(test, &p->probe);
	unregister_kprobe(&p->probe);
	expect_clean(test);
	KUNIT_EXPECT_EQ(test, p->pre, 0);
	KUNIT_EXPECT_EQ(test, p->probe.nmissed, 0);
}

/* The jump must remain when a probe at the place is enabled. */
static void test_idle_jump_is_reused(struct kunit *test)
{
	struct counted *p = PROBED_PLACE(test);
	struct counted *second;

	enable_on_jump(test, &p->probe, &p->probe);
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_EQ(test, p->pre, 2);

	second = PROBED_PLACE(test, .probe.flags = KPROBE_FLAG_DISABLED);
	enable_on_jump(test, &p->probe, &second->probe);
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	expect_hits(test, p, 2, 0);
	expect_hits(test, second, 1, 0);

	/* A disabled probe at the place must not keep the jump. */
	disable_on_jump(test, &second->probe);
	unregister_kprobe(&second->probe);
	expect_clean(test);
	KUNIT_EXPECT_EQ(test, p->probe.nmissed, 0);
}

/* Anything that prevents a jump must remove an idle one at once. */
static void test_idle_jump_is_removed_at_once(struct kunit *test)
{
	struct counted *p = PROBED_PLACE(test);
	struct counted *post;

	disable_on_jump(test, &p->probe);
	post = PROBED_PLACE(test, .probe.post_handler = counted_post);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(PLACE));
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_EQ(test, post->post, 1);
	unregister_kprobe(&post->probe);
	expect_clean(test);

	KUNIT_EXPECT_EQ(test, enable_kprobe(&p->probe), 0);
	disable_on_jump(test, &p->probe);
	kprobe_set_jumps(false);
	expect_clean(test);
	kprobe_set_jumps(true);

	KUNIT_EXPECT_EQ(test, enable_kprobe(&p->probe), 0);
	disable_on_jump(test, &p->probe);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	expect_clean(test);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	expect_clean(test);
	KUNIT_EXPECT_EQ(test, p->pre, 0);
	KUNIT_EXPECT_EQ(test, p->probe.nmissed, 0);
}

static void test_optimizer_switch_undoes_jumps(struct kunit *test)
{
	struct counted *p = PROBED_PLACE(test);

	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	kprobe_set_jumps(false);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(PLACE));
	KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p->probe.addr),
			KPROBE_NOJUMP_SWITCHED_OFF);
	expect_result(test, FIRST_TARGET);
	PROBED(test, OTHER_PLACE);
	KUNIT_EXPECT_FALSE(test, is_jump(PLACE));
	KUNIT_EXPECT_FALSE(test, is_jump(OTHER_PLACE));
	kprobe_set_jumps(true);
	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	KUNIT_EXPECT_TRUE(test, is_jump(OTHER_PLACE));
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_EQ(test, p->pre, 2);
}

static void test_global_switch_cleans_text(struct kunit *test)
{
	struct counted *p = PROBED_PLACE(test);

	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	expect_clean(test);
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	expect_result(test, FIRST_TARGET);
	KUNIT_EXPECT_EQ(test, p->pre, 2);
}

/* The change made to a probe while the optimizer works on it. */
enum cancel { BY_DISABLE, BY_NEXT_PROBE, BY_UNREGISTER, CANCELS };

static void cancel_after(struct kunit *test, unsigned int ms,
			 enum cancel cancel)
{
	struct counted p = COUNTED(PLACE);
	struct counted q = COUNTED(PLACE + FIRST_TARGET->next);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	msleep(ms);
	expect_result(test, FIRST_TARGET);
	if (cancel == BY_DISABLE) {
		reenable(test, &p.probe);
	} else if (cancel == BY_NEXT_PROBE) {
		KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
		expect_result(test, FIRST_TARGET);
		KUNIT_EXPECT_EQ(test, q.pre, 1);
		unregister_kprobe(&q.probe);
	}
	expect_result(test, FIRST_TARGET);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.pre, cancel == BY_NEXT_PROBE ? 3 : 2);
}

/* The optimizer may be in any step when it is cancelled. */
static void test_optimization_is_cancelled(struct kunit *test)
{
	unsigned int i, slots = slots_after_flush();

	for (i = 0; i < 60; i++) {
		cancel_after(test, i * 3, i % CANCELS);
		KUNIT_ASSERT_EQ(test, memcmp(before, PLACE, COMPARED), 0);
	}
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, slots_after_flush(), slots);
}

/*
 * Hits
 */

static unsigned long recursive_result;

static int recursive_pre(struct kprobe *p, struct pt_regs *regs)
{
	recursive_result = call_target(OTHER_TARGET);
	return 0;
}

/* A hit caused by a handler is a counted miss, also at a jump. */
static void test_recursive_hit_is_missed(struct kunit *test)
{
	struct counted *q;
	int i;

	PROBED_PLACE(test, .probe.pre_handler = recursive_pre);
	q = PROBED(test, OTHER_PLACE);
	for (i = 0; i < 4; i++) {
		if (i == 1)
			KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
		if (i == 2)
			KUNIT_EXPECT_TRUE(test, is_jump(OTHER_PLACE));
		if (i == 3)
			kprobe_set_jumps(false);
		recursive_result = 0;
		expect_result(test, FIRST_TARGET);
		KUNIT_EXPECT_EQ(test, recursive_result, OTHER_TARGET->result);
	}
	KUNIT_EXPECT_EQ(test, q->pre, 0);
	KUNIT_EXPECT_EQ(test, q->probe.nmissed, 4);
}

static int calling_thread(void *data)
{
	unsigned long *result = data;

	WRITE_ONCE(*result, call_target(FIRST_TARGET));
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Return true if the caller was kept for the whole test. */
static bool keep_in_detour(struct kunit *test)
{
	unsigned long result = 0, early;
	unsigned int in_use, slots = slots_after_flush();
	struct task_struct *task;
	struct keeper k = {
		.probe.addr = (kprobe_opcode_t *)PLACE,
		.probe.pre_handler = kept_pre,
	};
	bool kept;

	keeper_start(test, &k);
	KUNIT_ASSERT_EQ(test, register_kprobe(&k.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(PLACE));
	task = start_on_keepers_cpu(test, calling_thread, &result);
	keeper_wait(&k, task);

	/* The caller is somewhere in the hit: that memory must not be freed. */
	unregister_kprobe(&k.probe);
	msleep(300);
	in_use = kprobe_slots_in_use();
	early = READ_ONCE(result);
	kept = keeper_kept(&k, task);
	if (kept) {
		KUNIT_EXPECT_GT(test, in_use, slots);
		KUNIT_EXPECT_EQ(test, early, 0);
	}
	keeper_stop(&k);
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, result, FIRST_TARGET->result);
	KUNIT_EXPECT_EQ(test, slots_after_flush(), slots);
	return kept;
}

/* A detour must not be freed while a preempted task executes it. */
static void test_detour_outlives_probe(struct kunit *test)
{
	try_to_keep(test, keep_in_detour);
}

/*
 * Load: callers on all CPUs while probes are registered and removed
 */

#define LOAD_THREADS	4
#define LOAD_ROUNDS	60

static unsigned int load_wrong;

static int load_thread(void *unused)
{
	unsigned int i, n = 0;

	while (!kthread_should_stop()) {
		for (i = 0; i < ARRAY_SIZE(opt_targets); i++)
			if (call_target(&opt_targets[i]) !=
			    opt_targets[i].result)
				WRITE_ONCE(load_wrong, load_wrong + 1);
		/* A task that never sleeps would block the optimizer. */
		if (++n % 64 == 0)
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/**
 * struct load - probes on all targets
 * @probes: the probes
 * @array: pointers to the probes
 * @hits: hits of all probes in all rounds
 * @missed: hits without handlers
 */
struct load {
	struct counted probes[ARRAY_SIZE(opt_targets)];
	struct kprobe *array[ARRAY_SIZE(opt_targets)];
	unsigned long hits;
	unsigned long missed;
};

static void load_round(struct kunit *test, struct load *l, unsigned int round)
{
	struct counted post = COUNTED(PLACE + FIRST_TARGET->next,
				      .probe.post_handler = counted_post);
	unsigned int i, nr = ARRAY_SIZE(opt_targets);

	for (i = 0; i < nr; i++) {
		l->probes[i] = COUNTED(*opt_targets[i].place);
		l->array[i] = &l->probes[i].probe;
	}
	KUNIT_ASSERT_EQ(test, register_kprobes(l->array, nr), 0);
	if (round % 3 == 0)
		wait_for_kprobe_optimizer();
	else
		msleep(round);
	/* At the instruction after the first probe, or at its place. */
	if (round % 2) {
		if (round % 4 == 1)
			post.probe.addr = (kprobe_opcode_t *)PLACE;
		KUNIT_EXPECT_EQ(test, register_kprobe(&post.probe), 0);
		msleep(20);
		unregister_kprobe(&post.probe);
	}
	if (round % 5 == 0) {
		kprobe_set_jumps(false);
		msleep(20);
		kprobe_set_jumps(true);
	}
	unregister_kprobes(l->array, nr);
	for (i = 0; i < nr; i++) {
		l->hits += l->probes[i].pre;
		l->missed += l->probes[i].probe.nmissed;
		KUNIT_EXPECT_EQ(test, l->probes[i].astray, 0);
	}
}

static void test_stress_loses_no_hit(struct kunit *test)
{
	struct load *l = alloc_for_test(test, sizeof(*l));
	unsigned int i, slots = slots_after_flush();
	struct task_struct *tasks[LOAD_THREADS];

	load_wrong = 0;
	for (i = 0; i < LOAD_THREADS; i++) {
		tasks[i] = kthread_run(load_thread, NULL, "kprobes-load%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
	}
	for (i = 0; i < LOAD_ROUNDS; i++)
		load_round(test, l, i);
	for (i = 0; i < LOAD_THREADS; i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_EQ(test, load_wrong, 0);
	KUNIT_EXPECT_EQ(test, l->missed, 0);
	KUNIT_EXPECT_GT(test, l->hits, 1000);
	expect_clean(test);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, slots_after_flush(), slots);
}

static int opt_begin(struct kunit *test)
{
	memcpy(before, PLACE, COMPARED);
	return opt_init(test);
}

static void opt_exit(struct kunit *test)
{
	kprobe_set_jumps(true);
}

static struct kunit_case opt_tests[] = {
	KUNIT_CASE(test_post_handler_undoes_jump),
	KUNIT_CASE(test_newest_handlers_run_first),
	KUNIT_CASE(test_jprobe_undoes_jump),
	KUNIT_CASE(test_disable_cleans_text),
	KUNIT_CASE(test_idle_jump_calls_nothing),
	KUNIT_CASE(test_idle_jump_is_reused),
	KUNIT_CASE(test_idle_jump_is_removed_at_once),
	KUNIT_CASE(test_optimizer_switch_undoes_jumps),
	KUNIT_CASE(test_global_switch_cleans_text),
	KUNIT_CASE_SLOW(test_optimization_is_cancelled),
	KUNIT_CASE(test_recursive_hit_is_missed),
	KUNIT_CASE(test_detour_outlives_probe),
	KUNIT_CASE_SLOW(test_stress_loses_no_hit),
	{}
};

static struct kunit_suite opt_suite = {
	.name = "kprobes_opt",
	.test_cases = opt_tests,
	.init = opt_begin,
	.exit = opt_exit,
};

kunit_test_suite(opt_suite);
