// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for hits on arm64: registers that handlers see and change, places
 * that unwinders find for instructions out of line, and hits while RCU is not
 * watching.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/sched/clock.h>
#include <linux/stacktrace.h>
#include <asm/cpufeature.h>
#include <asm/irq_regs.h>
#include <asm/sysreg.h>
#include "test_arm64.h"
#include "test_hit.h"

CODE(add, "", "add x0, x1, x2, lsl #3", "");
CODE(adds, "", "adds x0, x1, x2", "");
CODE(b_next, "mov x3, #1\n", "b 2f\n2:", "mov x3, #2\n1: hint #38");
CODE(daifset, "mrs x4, daif", "msr daifset, #2", "mrs x0, daif\n msr daif, x4\n"
     "mov x4, xzr");
CODE(isb, "", "isb", "");

/* Fill all registers that may be clobbered, and call the code. */
static CALLER unsigned long call_filled(void *function)
{
	register void *fn asm("x10") = function;
	unsigned long sp;

	asm volatile("mov %[sp], sp\n\t"
		     ".irp r, 0,1,2,3,4,5,6,7,8,11,12,13,14,15,16,17\n\t"
		     "mov x\\r, #100 + \\r\n\t"
		     ".endr\n\t"
		     "cmp x0, x0\n\t"
		     "blr %[fn]"
		     : [sp] "=&r" (sp), [fn] "+r" (fn)
		     :
		     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
		       "x9", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
		       "x30", "memory", "cc");
	return sp;
}

static void test_jump_shows_same_registers(struct kunit *test)
{
	struct captured c = {
		.probe = KPROBE_AT(probe_adds, .pre_handler = captured_pre),
	};
	const u64 flags = PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT |
			  PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT |
			  PSR_PAN_BIT | PSR_MODE_MASK;
	struct pt_regs trap;
	unsigned long sp = 0;
	int i;

	switch_jumps(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	for (i = 0; i < 2; i++) {
		/* An exception sets PAN; the last task may have cleared it. */
		if (cpus_have_final_cap(ARM64_HAS_PAN))
			set_pstate_pan(1);
		sp = call_filled(code_adds);
		if (!i)
			trap = c.regs;
		switch_jumps(true);
	}
	expect_jump(test, &c.probe, true);
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, c.hits, 2);

	KUNIT_EXPECT_EQ(test, c.regs.pc, (unsigned long)probe_adds);
	KUNIT_EXPECT_EQ(test, c.regs.sp, sp);
	for (i = 0; i < 18; i++)
		if (i < 9 || i > 10)
			KUNIT_EXPECT_EQ(test, c.regs.regs[i], 100 + i);
	KUNIT_EXPECT_EQ(test, c.regs.pstate & (PSR_Z_BIT | PSR_C_BIT),
			PSR_Z_BIT | PSR_C_BIT);
	KUNIT_EXPECT_FALSE(test, c.regs.pstate & PSR_I_BIT);

	/* As at a breakpoint; the loop may change x19 to x28. */
	for (i = 0; i < 31; i++)
		if (i < 19 || i > 28)
			KUNIT_EXPECT_EQ_MSG(test, c.regs.regs[i], trap.regs[i],
					    "x%d", i);
	KUNIT_EXPECT_EQ(test, c.regs.sp, trap.sp);
	KUNIT_EXPECT_EQ(test, c.regs.pc, trap.pc);
	KUNIT_EXPECT_EQ(test, c.regs.pstate & flags, trap.pstate & flags);
}

static int change_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->regs[1] = 1000;
	regs->regs[2] = 34;
	/* Ignored with this return value. */
	regs->pc = 0;
	return 0;
}

static void change_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	regs->regs[0]++;
	regs->pstate ^= PSR_V_BIT;
}

/* Both handlers skip the rest of the function. */
static void leave_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	regs->regs[0] = 4712;
	regs->pc = regs->regs[9];
}

static int leave_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->regs[0] = 4711;
	regs->pc = regs->regs[9];
	return 1;
}

static void expect_adds(struct kunit *test, u64 sum, u64 nzcv)
{
	struct state s = {};

	call_code(code_adds, &s);
	KUNIT_EXPECT_EQ(test, s.x[0], sum);
	KUNIT_EXPECT_EQ(test, s.nzcv, nzcv);
}

static void test_handlers_change_registers(struct kunit *test)
{
	struct counted *p = PROBED(test, probe_adds,
				   .probe.pre_handler = change_pre);

	expect_adds(test, 1034, 0);
	expect_jump(test, &p->probe, true);
	expect_adds(test, 1034, 0);
	PROBED(test, probe_adds, .probe.post_handler = change_post);
	expect_adds(test, 1035, PSR_V_BIT);
}

/* Handlers at a breakpoint, in a detour, and after an instruction. */
static void test_handlers_divert(struct kunit *test)
{
	static const struct {
		void *function;
		char **probe;
	} after[] = {
		/* Executed in a slot, computed, and emulated. */
		{ code_isb, &probe_isb }, { code_adds, &probe_adds },
		{ code_b_next, &probe_b_next },
	};
	struct counted *p, *q;
	struct state s = {};
	int i;

	/* The newest probe diverts, so the older one is not called. */
	q = PROBED(test, probe_daifset);
	p = PROBED(test, probe_daifset, .probe.pre_handler = leave_pre);
	for (i = 0; i < 6; i++) {
		s.x[0] = 0;
		s.nzcv = PSR_C_BIT;
		s.x[3] = 77;
		call_code(code_daifset, &s);
		KUNIT_EXPECT_EQ(test, s.x[0], 4711);
		KUNIT_EXPECT_EQ(test, s.x[3], 77);
		KUNIT_EXPECT_EQ(test, s.nzcv, PSR_C_BIT);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
		expect_jump(test, &p->probe, true);
	}
	KUNIT_EXPECT_EQ(test, q->pre, 0);

	for (i = 0; i < ARRAY_SIZE(after); i++) {
		struct kprobe post = KPROBE_AT(*after[i].probe,
					       .post_handler = leave_post);

		KUNIT_ASSERT_EQ(test, register_kprobe(&post), 0);
		s.x[0] = 0;
		s.x[5] = 55;
		call_code(after[i].function, &s);
		KUNIT_EXPECT_EQ(test, s.x[0], 4712);
		KUNIT_EXPECT_EQ(test, s.x[5], 55);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
		unregister_kprobe(&post);
	}
}

/*
 * An address in a slot must map to the place of its instruction.  An address
 * that no task can be interrupted at must map to itself.
 */
static void expect_place(struct kunit *test, const void *slot,
			 unsigned int word, unsigned long place)
{
	unsigned long addr = (unsigned long)slot + word * AARCH64_INSN_SIZE;

	KUNIT_EXPECT_EQ_MSG(test, kprobe_orig_ip(addr), place ?: addr,
			    "word %u", word);
}

static void test_slot_maps_to_place(struct kunit *test)
{
	struct counted *p = PROBED(test, probe_isb,
				   .probe.post_handler = counted_post);
	struct counted *q = PROBED(test, probe_add,
				   .probe.post_handler = counted_post);
	unsigned long isb = (unsigned long)probe_isb;
	unsigned int i;

	expect_place(test, p->probe.site->slot, 0, isb);
	expect_place(test, p->probe.site->slot, 1, isb + 4);
	KUNIT_EXPECT_FALSE(test, p->probe.site->insn.computes);
	/* The instruction maps to its place, the rest to the next one. */
	expect_place(test, p->probe.site->post_slot, 2, isb);
	for (i = 3; i < 10; i++)
		expect_place(test, p->probe.site->post_slot, i, isb + 4);

	KUNIT_EXPECT_TRUE(test, q->probe.site->insn.computes);
	for (i = 0; i < 8; i++)
		expect_place(test, q->probe.site->post_slot, i, 0);
}

/* An interrupt unwinds a task in a slot and must find the probed function. */
CODE(wfi, "", "wfi", "");

static struct {
	struct hrtimer timer;
	unsigned long entries[64];
	unsigned int nr;
} unwound;

static enum hrtimer_restart unwind_interrupted(struct hrtimer *timer)
{
	struct pt_regs *regs = get_irq_regs();

	if (regs && !user_mode(regs) && is_kprobe_insn_slot(regs->pc))
		unwound.nr = stack_trace_save(unwound.entries,
					      ARRAY_SIZE(unwound.entries), 0);
	return HRTIMER_NORESTART;
}

static void expect_unwound(struct kunit *test)
{
	struct state s = {};
	bool found = false;
	unsigned int i;

	unwound.nr = 0;
	/* Another interrupt may end the wfi first. */
	for (i = 0; i < 100 && !unwound.nr; i++) {
		migrate_disable();
		hrtimer_start(&unwound.timer, ms_to_ktime(2),
			      HRTIMER_MODE_REL_PINNED_HARD);
		call_code(code_wfi, &s);
		hrtimer_cancel(&unwound.timer);
		migrate_enable();
	}
	KUNIT_EXPECT_GT(test, unwound.nr, 0);
	for (i = 0; i < unwound.nr; i++) {
		KUNIT_EXPECT_FALSE(test,
				   is_kprobe_insn_slot(unwound.entries[i]));
		if (unwound.entries[i] >= (unsigned long)code_wfi &&
		    unwound.entries[i] <= (unsigned long)probe_wfi + 4)
			found = true;
	}
	KUNIT_EXPECT_TRUE(test, found);
}

static void test_unwinder_sees_the_function(struct kunit *test)
{
	struct counted *p;

	if (!IS_ENABLED(CONFIG_STACKTRACE))
		kunit_skip(test, "this kernel saves no stack traces");

	hrtimer_setup(&unwound.timer, unwind_interrupted, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	switch_jumps(false);
	p = PROBED(test, probe_wfi);
	expect_unwound(test);
	switch_jumps(true);
	expect_jump(test, &p->probe, true);
	expect_unwound(test);
}

static void test_perf_reports_slots(struct kunit *test)
{
	struct counted *told;

	if (!IS_ENABLED(CONFIG_PERF_EVENTS))
		kunit_skip(test, "this kernel has no perf events");
	told = expect_slots_told(test, probe_isb);
	told->pre = 0;
	PROBED(test, probe_isb, .probe.post_handler = counted_post);
	KUNIT_EXPECT_EQ(test, told->pre, 1);
}

#ifdef CONFIG_CONTEXT_TRACKING_IDLE
static unsigned long call_as_idle(void)
{
	struct state s = {};

	idle_begin();
	call_code(code_isb, &s);
	idle_end();
	return s.x[0];
}

static void test_rcu_watches_handlers_in_idle(struct kunit *test)
{
	struct kretprobe rp = KRETPROBE_AT(code_isb);

	expect_rcu_watching(test, probe_isb, call_as_idle);
	if (IS_ENABLED(CONFIG_KRETPROBES)) {
		KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
		call_as_idle();
		unregister_kretprobe(&rp);
		KUNIT_EXPECT_EQ(test, rp.nmissed, 0);
	}
}
#else
static void test_rcu_watches_handlers_in_idle(struct kunit *test)
{
	kunit_skip(test, "RCU watches the idle loop of this kernel");
}
#endif

/*
 * Text that is replaced with the machine stopped must be mapped before, once
 * for a batch.  A single word is mapped by a function that cannot be probed.
 */
static struct task_struct *watched_task;

static int mapping_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (current == watched_task)
		container_of(p, struct counted, probe)->pre++;
	return 0;
}

static void test_batch_is_mapped_at_once(struct kunit *test)
{
	struct counted *mapping = PROBED(test, 0, .probe.symbol_name = "vmap",
					 .probe.pre_handler = mapping_pre);
	struct counted p[] = {
		COUNTED(probe_add), COUNTED(probe_isb),
		{ .probe.symbol_name = "memchr" },
	};
	struct kprobe *array[] = { &p[0].probe, &p[1].probe, &p[2].probe };

	watched_task = current;
	wait_for_kprobe_optimizer();
	mapping->pre = 0;
	KUNIT_EXPECT_EQ(test, register_kprobes(array, ARRAY_SIZE(array)), 0);
	KUNIT_EXPECT_EQ(test, mapping->pre, 1);
	unregister_kprobes(array, ARRAY_SIZE(array));
	mapping->pre = 0;
	KUNIT_EXPECT_EQ(test, register_kprobe(&p[0].probe), 0);
	KUNIT_EXPECT_EQ(test, mapping->pre, 0);
	unregister_kprobe(&p[0].probe);
}

/*
 * Held CPUs may own a lock.  Functions that can be probed, like the functions
 * that find and map a page of text, must not be called meanwhile.
 */
static int held_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counted *c = container_of(p, struct counted, probe);

	if (a64_kprobe_holds())
		c->pre++;
	return 0;
}

static void test_nothing_is_hit_while_others_are_held(struct kunit *test)
{
	struct counted finding = {
		.probe.symbol_name = "core_kernel_text",
		.probe.pre_handler = held_pre,
	};
	struct counted p = COUNTED(probe_add);

	if (register_kprobe(&finding.probe))
		kunit_skip(test, "it cannot be probed");
	KUNIT_EXPECT_EQ(test, register_kprobe(&p.probe), 0);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, finding.pre, 0);
	unregister_kprobe(&finding.probe);
}

/* A CPU that ignores interrupts until another CPU gives up holding it. */
struct deaf {
	unsigned int before;
	bool deaf;
	struct completion done;
};

static int be_deaf(void *data)
{
	struct deaf *d = data;
	u64 end;

	local_irq_disable();
	end = sched_clock() + NSEC_PER_SEC;
	WRITE_ONCE(d->deaf, true);
	while (READ_ONCE(a64_kprobe_holds_given_up) == d->before &&
	       sched_clock() < end)
		cpu_relax();
	local_irq_enable();
	complete(&d->done);
	return 0;
}

static void test_cpu_cannot_be_held(struct kunit *test)
{
	struct counted p = COUNTED(probe_add);
	struct deaf d = { .before = a64_kprobe_holds_given_up };
	struct task_struct *task;
	struct state s = {};
	unsigned int other;

	skip_on_one_cpu(test);
	migrate_disable();
	other = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	init_completion(&d.done);
	task = kthread_run_on_cpu(be_deaf, &d, other, "deaf/%u");
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	while (!IS_ERR(task) && !READ_ONCE(d.deaf))
		cpu_relax();
	KUNIT_EXPECT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_GT(test, READ_ONCE(a64_kprobe_holds_given_up), d.before);
	migrate_enable();
	if (!IS_ERR(task))
		wait_for_completion(&d.done);

	call_code(code_add, &s);
	KUNIT_EXPECT_EQ(test, p.pre, 1);
	unregister_kprobe(&p.probe);
	call_code(code_add, &s);
	KUNIT_EXPECT_EQ(test, p.pre, 1);
}

/* IPIs sent by @watched_task, and how many of them with interrupts on. */
static unsigned int ipis_sent, ipis_interruptible;

static int ipi_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (current != watched_task)
		return 0;
	ipis_sent++;
	if (interrupts_enabled(regs))
		ipis_interruptible++;
	return 0;
}

/*
 * While other CPUs are held, interrupts must be off here, because a handler may
 * want a lock that a held CPU owns.  Jumps are off: before one is written, IPIs
 * are sent with interrupts on, but hold no CPU.
 */
static void test_others_are_held_without_interrupts(struct kunit *test)
{
	struct counted p = COUNTED(probe_add);

	skip_on_one_cpu(test);
	watched_task = current;
	switch_jumps(false);
	PROBED(test, 0, .probe.pre_handler = ipi_pre,
	       .probe.symbol_name = "arch_send_call_function_single_ipi");
	PROBED(test, 0, .probe.pre_handler = ipi_pre,
	       .probe.symbol_name = "arch_send_call_function_ipi_mask");
	ipis_sent = 0;
	ipis_interruptible = 0;
	KUNIT_EXPECT_EQ(test, register_kprobe(&p.probe), 0);
	/* A CPU with another call in its queue gets no IPI. */
	KUNIT_EXPECT_GT(test, ipis_sent, 0);
	KUNIT_EXPECT_EQ(test, ipis_interruptible, 0);
	unregister_kprobe(&p.probe);
}

static void hit_exit(struct kunit *test)
{
	switch_jumps(true);
}

static struct kunit_case hit_tests[] = {
	KUNIT_CASE(test_jump_shows_same_registers),
	KUNIT_CASE(test_handlers_change_registers),
	KUNIT_CASE(test_handlers_divert),
	KUNIT_CASE(test_slot_maps_to_place),
	KUNIT_CASE(test_unwinder_sees_the_function),
	KUNIT_CASE(test_perf_reports_slots),
	KUNIT_CASE(test_rcu_watches_handlers_in_idle),
	KUNIT_CASE(test_batch_is_mapped_at_once),
	KUNIT_CASE(test_nothing_is_hit_while_others_are_held),
	KUNIT_CASE(test_cpu_cannot_be_held),
	KUNIT_CASE(test_others_are_held_without_interrupts),
	{}
};

static struct kunit_suite hit_suite = {
	.name = "kprobes_arm64_hit",
	.test_cases = hit_tests,
	.exit = hit_exit,
};

kunit_test_suite(hit_suite);
