// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the lifetime of probes: they are unregistered and disabled
 * while they are hit, copied, overwritten, registered again and freed.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include "test.h"

static int hammer(void *unused)
{
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 100; i++)
			target_add(i, target_mul(i, 2));
		cond_resched();
	}
	return 0;
}

#define HAMMERS	3

static void start_hammers(struct kunit *test, struct task_struct **tasks)
{
	int i;

	for (i = 0; i < HAMMERS; i++) {
		tasks[i] = kthread_run(hammer, NULL, "kprobe_hammer/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
	}
}

static void stop_hammers(struct task_struct **tasks)
{
	int i;

	for (i = 0; i < HAMMERS; i++)
		kthread_stop(tasks[i]);
}

/* A probe whose memory is freed as soon as it is unregistered. */
struct guarded {
	struct kprobe probe;
	unsigned long alive;
};

#define ALIVE	0x600dc0deUL

static atomic_t dead_handlers;

static int guarded_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct guarded *g = container_of(p, struct guarded, probe);

	if (READ_ONCE(g->alive) != ALIVE)
		atomic_inc(&dead_handlers);
	return 0;
}

static void guarded_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	guarded_pre(p, regs);
}

/* How the probe is removed while it is hit. */
enum removal { BY_UNREGISTER, BY_UNREGISTER_SHARED, BY_ARRAY, BY_DISABLE };

struct storm_case {
	const char *name;
	enum removal removal;
	bool post;
};

static const struct storm_case storm_cases[] = {
	{ "unregister", BY_UNREGISTER, false },
	{ "unregister with post handler", BY_UNREGISTER, true },
	{ "unregister one of two", BY_UNREGISTER_SHARED, true },
	{ "unregister an array", BY_ARRAY, true },
	{ "disable and enable", BY_DISABLE, true },
};

KUNIT_ARRAY_PARAM_DESC(storm, storm_cases, name);

/*
 * Some architectures stop the machine for each change, which is slow in an
 * emulator.  On powerpc a busy emulated CPU may take a tenth of a second until
 * another one handles its IPI.
 */
#define STORM_ROUNDS	(IS_ENABLED(CONFIG_X86) ? 1000 : \
			 IS_ENABLED(CONFIG_PPC) ||	\
			 IS_ENABLED(CONFIG_KPROBES_CLASSIC) ? 50 : 200)

static unsigned int storm_rounds = STORM_ROUNDS;
module_param_named(rounds, storm_rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "how often probes are removed while they are hit");

static struct guarded *guarded_alloc(struct kunit *test, void *target,
				     const struct storm_case *c)
{
	struct guarded *g = kzalloc(sizeof(*g), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	g->alive = ALIVE;
	g->probe.addr = (kprobe_opcode_t *)target;
	g->probe.pre_handler = guarded_pre;
	if (c->post)
		g->probe.post_handler = guarded_post;
	return g;
}

static void guarded_free(struct guarded *g)
{
	WRITE_ONCE(g->alive, 0);
	udelay(5);
	kfree(g);
}

static void storm_round_array(struct kunit *test, const struct storm_case *c)
{
	struct guarded *g[] = {
		guarded_alloc(test, target_add, c),
		guarded_alloc(test, target_mul, c),
		guarded_alloc(test, target_add, c),
	};
	struct kprobe *array[] = {
		&g[0]->probe, &g[1]->probe, &g[2]->probe,
	};
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobes(array, ARRAY_SIZE(array)), 0);
	cond_resched();
	unregister_kprobes(array, ARRAY_SIZE(array));
	for (i = 0; i < ARRAY_SIZE(g); i++)
		guarded_free(g[i]);
}

static void storm_round(struct kunit *test, const struct storm_case *c)
{
	struct guarded *g;

	if (c->removal == BY_ARRAY)
		return storm_round_array(test, c);
	g = guarded_alloc(test, target_add, c);
	KUNIT_ASSERT_EQ(test, register_kprobe(&g->probe), 0);
	cond_resched();
	if (c->removal == BY_DISABLE) {
		KUNIT_EXPECT_EQ(test, disable_kprobe(&g->probe), 0);
		WRITE_ONCE(g->alive, 0);
		udelay(8);
		WRITE_ONCE(g->alive, ALIVE);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&g->probe), 0);
	}
	unregister_kprobe(&g->probe);
	guarded_free(g);
}

static void test_removed_handler_never_runs(struct kunit *test)
{
	const struct storm_case *c = test->param_value;
	struct task_struct *tasks[HAMMERS];
	struct counted other = COUNTED(target_add);
	unsigned int i;

	atomic_set(&dead_handlers, 0);
	if (c->removal == BY_UNREGISTER_SHARED) {
		other.probe.post_handler = counted_post;
		KUNIT_ASSERT_EQ(test, register_kprobe(&other.probe), 0);
	}
	start_hammers(test, tasks);
	for (i = 0; i < storm_rounds; i++)
		storm_round(test, c);
	stop_hammers(tasks);
	if (c->removal == BY_UNREGISTER_SHARED) {
		unregister_kprobe(&other.probe);
		KUNIT_EXPECT_GT(test, other.pre, 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&dead_handlers), 0);
}

static bool lingers, lingered;

static void linger_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	WRITE_ONCE(lingers, true);
	/* Long enough for an IPI and for an emulator to schedule its CPUs. */
	mdelay(50);
	WRITE_ONCE(lingered, true);
}

static int linger_pre(struct kprobe *p, struct pt_regs *regs)
{
	linger_post(p, regs, 0);
	return 0;
}

static int hit_once(void *unused)
{
	target_add(1, 2);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Return the value of @lingered after the probe has been removed. */
static bool remove_while_hit(struct task_struct *task, struct kprobe *p,
			     bool disable)
{
	unsigned long end = jiffies + 10 * HZ;

	wake_up_process(task);
	while (!READ_ONCE(lingers) && time_before(jiffies, end))
		cpu_relax();
	if (disable)
		disable_kprobe(p);
	else
		unregister_kprobe(p);
	return READ_ONCE(lingered);
}

/* @shared: another probe keeps the text */
static void expect_waited(struct kunit *test, bool disable, bool shared,
			  bool jump, bool post)
{
	struct task_struct *task = other_cpu_task(test, hit_once);
	struct counted other = COUNTED(target_add);
	struct kprobe p = KPROBE_AT(target_add);

	lingers = false;
	lingered = false;
	if (post)
		p.post_handler = linger_post;
	else
		p.pre_handler = linger_pre;
	if (shared)
		KUNIT_EXPECT_EQ(test, register_kprobe(&other.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), 0);
	if (jump)
		wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE_MSG(test, remove_while_hit(task, &p, disable),
			      "disable %d, shared %d, jump %d, post %d",
			      disable, shared, jump, post);
	other_cpu_end(task);
	KUNIT_EXPECT_TRUE(test, lingers);
	unregister_kprobe(&p);
	unregister_kprobe(&other.probe);
}

/*
 * Removing a probe must wait for its handler on another CPU, no matter how long
 * it runs and whether the text changes.
 */
static void test_handler_is_waited_for(struct kunit *test)
{
	int i;

	skip_on_one_cpu(test);
	for (i = 0; i < 16; i++)
		expect_waited(test, i & 1, i & 2, i & 4, i & 8);
}

static void test_array_may_share_a_site(struct kunit *test)
{
	struct counted a = COUNTED(target_add);
	struct counted b = COUNTED(target_add,
				   .probe.post_handler = counted_post);
	struct kprobe *array[] = { &a.probe, &b.probe };
	unsigned int sites = kprobe_sites_in_use();

	KUNIT_ASSERT_EQ(test, register_kprobes(array, 2), 0);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites + 1);
	target_add(1, 1);
	unregister_kprobes(array, 2);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	target_add(1, 1);
	expect_hits(test, &a, 1, 0);
	expect_hits(test, &b, 1, 1);
}

static void test_unregister_skips_invalid(struct kunit *test)
{
	struct counted *good = PROBED(test, target_add);
	struct kprobe bad = KPROBE_AT(target_mul);
	struct kprobe *array[] = { &bad, &good->probe };

	unregister_kprobes(array, 2);
	KUNIT_EXPECT_NULL(test, bad.addr);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, good->pre, 0);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&good->probe), -EINVAL);
}

/* A copy of a registered probe is not registered. */
static void test_copy_is_not_registered(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use();
	struct counted *s = PROBED(test, target_add);
	struct counted copy = *s;

	KUNIT_EXPECT_EQ(test, disable_kprobe(&copy.probe), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&copy.probe), -EINVAL);
	unregister_kprobe(&copy.probe);
	KUNIT_EXPECT_NULL(test, copy.probe.addr);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s->pre, 1);
	KUNIT_EXPECT_EQ(test, copy.pre, 0);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites + 1);

	/* The copy itself can be registered. */
	copy.probe.addr = (kprobe_opcode_t *)target_add;
	KUNIT_ASSERT_EQ(test, register_kprobe(&copy.probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s->pre, 2);
	KUNIT_EXPECT_EQ(test, copy.pre, 1);
	unregister_kprobe(&s->probe);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, copy.pre, 2);
	unregister_kprobe(&copy.probe);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

static void test_same_probe_twice_is_refused(struct kunit *test)
{
	struct counted s = COUNTED(target_add), other = COUNTED(target_add);
	struct kprobe *array[] = { &s.probe, &s.probe };
	unsigned int sites = kprobe_sites_in_use();

	KUNIT_ASSERT_EQ(test, register_kprobe(&other.probe), 0);
	KUNIT_EXPECT_EQ(test, register_kprobes(array, 2), -EINVAL);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s.pre, 0);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&s.probe), -EINVAL);

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	target_add(1, 1);
	unregister_kprobes(array, 2);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, s.pre, 1);
	KUNIT_EXPECT_EQ(test, other.pre, 3);
	unregister_kprobe(&other.probe);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

/* A probe in uninitialized memory must not be taken for a registered one. */
static void test_garbage_is_not_registered(struct kunit *test)
{
	static const u8 patterns[] = { 0x00, 0x5a, 0xff };
	struct counted *s = PROBED(test, target_add);
	struct counted never = COUNTED(target_add);
	int i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct kprobe garbage;

		memset(&garbage, patterns[i], sizeof(garbage));
		KUNIT_EXPECT_EQ(test, disable_kprobe(&garbage), -EINVAL);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&garbage), -EINVAL);
		unregister_kprobe(&garbage);
		KUNIT_EXPECT_NULL(test, garbage.addr);
	}
	/* Reused memory most likely has the fields of a registered probe. */
	never.probe.site = s->probe.site;
	never.probe.hlist = s->probe.hlist;
	never.probe.list = s->probe.list;
	never.probe.place = s->probe.place;
	KUNIT_EXPECT_EQ(test, disable_kprobe(&never.probe), -EINVAL);
	KUNIT_ASSERT_EQ(test, register_kprobe(&never.probe), 0);
	target_add(1, 1);
	KUNIT_EXPECT_EQ(test, never.pre, 1);
	KUNIT_EXPECT_EQ(test, s->pre, 1);
	unregister_kprobe(&never.probe);
}

/* Only the list of its site shows that a cleared probe is registered. */
static void test_cleared_probe_is_still_registered(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(target_add, .flags = KPROBE_FLAG_DISABLED);
	struct kprobe saved;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	saved = p;
	p = KPROBE_AT(target_add);
	KUNIT_EXPECT_EQ(test, register_kprobe(&p), -EINVAL);
	p = saved;
	unregister_kprobe(&p);
}

static int wrong_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct counted, probe)->pre += 1000;
	return 0;
}

static void wrong_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	container_of(p, struct counted, probe)->post += 1000;
}

/*
 * Overwriting the fields of a registered probe, from the first to the last one
 * given, does not change its hits.
 */
static const struct overwrite_case {
	const char *name;
	size_t from;
	size_t to;
	struct kprobe probe;
} overwrite_cases[] = {
#define OVERWRITE(name, first, last, ...)				\
	{ name, offsetof(struct kprobe, first),				\
	  offsetofend(struct kprobe, last), { __VA_ARGS__ } }
	OVERWRITE("pre_handler cleared", pre_handler, pre_handler),
	OVERWRITE("pre_handler changed", pre_handler, pre_handler,
		  .pre_handler = wrong_pre),
	OVERWRITE("post_handler cleared", post_handler, post_handler),
	OVERWRITE("post_handler changed", post_handler, post_handler,
		  .post_handler = wrong_post),
	OVERWRITE("addr cleared", addr, addr),
	OVERWRITE("addr changed", addr, offset,
		  .addr = (kprobe_opcode_t *)target_mul, .offset = 1),
	OVERWRITE("flags cleared", flags, flags),
	OVERWRITE("flags set", flags, flags, .flags = ~0),
	OVERWRITE("all", addr, flags),
};

static void overwrite(struct kprobe *p, const struct overwrite_case *c)
{
	memcpy((void *)p + c->from, (const void *)&c->probe + c->from,
	       c->to - c->from);
}

KUNIT_ARRAY_PARAM_DESC(overwrite, overwrite_cases, name);

/* Check the hits so far after another call. */
static void call_overwritten(struct kunit *test, const struct counted *c,
			     unsigned int pre, unsigned int post)
{
	KUNIT_EXPECT_EQ(test, target_add(3, 4), 7);
	expect_hits(test, c, pre, post);
}

/* Overwrite one of two probes, which has the given handlers. */
static void overwrite_round(struct kunit *test, const struct overwrite_case *c,
			    bool pre, bool post)
{
	struct counted s = COUNTED(target_add), other = COUNTED(target_add);
	unsigned int sites = kprobe_sites_in_use();

	other.probe.post_handler = post ? NULL : counted_post;
	s.probe.post_handler = post ? counted_post : NULL;
	s.probe.pre_handler = pre ? counted_pre : NULL;
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&other.probe), 0);
	overwrite(&s.probe, c);
	call_overwritten(test, &s, pre, post);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&s.probe), 0);
	overwrite(&s.probe, c);
	call_overwritten(test, &s, pre, post);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&s.probe), 0);
	call_overwritten(test, &s, 2 * pre, 2 * post);
	overwrite(&s.probe, c);
	unregister_kprobe(&s.probe);
	call_overwritten(test, &s, 2 * pre, 2 * post);
	expect_hits(test, &other, 4, post ? 0 : 4);
	unregister_kprobe(&other.probe);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

static void test_overwritten_probe_works(struct kunit *test)
{
	const struct overwrite_case *c = test->param_value;
	int handlers;

	for (handlers = 0; handlers < 4; handlers++)
		overwrite_round(test, c, handlers & 1, handlers & 2);
}

static void test_probe_may_be_reused(struct kunit *test)
{
	struct counted s = COUNTED(target_add);
	int i;

	for (i = 1; i <= 3; i++) {
		s.probe.nmissed = 4711;
		KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
		KUNIT_EXPECT_EQ(test, s.probe.nmissed, 0);
		target_add(1, 1);
		KUNIT_EXPECT_EQ(test, s.pre, i);
		unregister_kprobe(&s.probe);
	}
}

static void test_slots_are_freed(struct kunit *test)
{
	struct counted s = COUNTED(target_add,
				   .probe.post_handler = counted_post);
	unsigned int slots = slots_after_flush();
	int i;

	for (i = 0; i < 50; i++) {
		KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
		unregister_kprobe(&s.probe);
	}
	KUNIT_EXPECT_EQ(test, slots_after_flush(), slots);
}

static atomic_t ipis;

static int ipi_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&ipis);
	return 0;
}

/* How often to retry until some CPU idles. */
#define IDLE_TRIES	1000

/* The wait for handlers must not interrupt idle CPUs. */
static void test_wait_spares_idle_cpus(struct kunit *test)
{
	int i, n, fewest = INT_MAX;
	struct kprobe *other;

	if (IS_ENABLED(CONFIG_KPROBES_CLASSIC))
		kunit_skip(test, "all CPUs are asked");
	if (num_online_cpus() < 2 || !IS_ENABLED(CONFIG_CONTEXT_TRACKING_IDLE))
		kunit_skip(test, "needs CPUs that are known to idle");
	PROBED(test, NULL, .probe.symbol_name = "kprobe_ipi_seen",
	       .probe.pre_handler = ipi_pre);
	/* The text does not change here, so only the wait sends IPIs. */
	PROBED(test, target_add);
	other = &PROBED(test, target_add)->probe;
	for (i = 0; i < IDLE_TRIES; i++) {
		msleep(20);
		atomic_set(&ipis, 0);
		KUNIT_EXPECT_EQ(test, disable_kprobe(other), 0);
		n = atomic_read(&ipis);
		fewest = min(fewest, n);
		KUNIT_EXPECT_EQ(test, enable_kprobe(other), 0);
		if (n < num_online_cpus())
			break;
	}
	/* The calling CPU at least is not idle. */
	KUNIT_EXPECT_GE(test, fewest, 1);
	KUNIT_EXPECT_LT(test, fewest, num_online_cpus());
}

/* An oops in a handler kills its task and leaves current_kprobe set. */
static void test_unregister_after_oops_in_handler(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(target_add);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	migrate_disable();
	this_cpu_write(current_kprobe, &p);
	unregister_kprobe(&p);
	this_cpu_write(current_kprobe, NULL);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, disable_kprobe(&p), -EINVAL);
	unregister_kprobe(&p);
}

static struct kunit_case lifetime_tests[] = {
	KUNIT_CASE_PARAM(test_removed_handler_never_runs, storm_gen_params),
	KUNIT_CASE(test_handler_is_waited_for),
	KUNIT_CASE(test_array_may_share_a_site),
	KUNIT_CASE(test_unregister_skips_invalid),
	KUNIT_CASE(test_copy_is_not_registered),
	KUNIT_CASE(test_same_probe_twice_is_refused),
	KUNIT_CASE(test_garbage_is_not_registered),
	KUNIT_CASE(test_cleared_probe_is_still_registered),
	KUNIT_CASE_PARAM(test_overwritten_probe_works, overwrite_gen_params),
	KUNIT_CASE(test_probe_may_be_reused),
	KUNIT_CASE(test_unregister_after_oops_in_handler),
	KUNIT_CASE(test_slots_are_freed),
	KUNIT_CASE_SLOW(test_wait_spares_idle_cpus),
	{}
};

static struct kunit_suite lifetime_suite = {
	.name = "kprobes_lifetime",
	.test_cases = lifetime_tests,
};

kunit_test_suite(lifetime_suite);
