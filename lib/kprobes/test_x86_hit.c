// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for hits by jumps on x86: handlers see and change the same
 * registers as at a breakpoint, and may continue at another address.
 */
#include <asm/mce.h>
#include <asm/processor-flags.h>
#include <asm/unwind.h>
#include "test_hit.h"
#include "test_x86_opt.h"

CODE(plain, FIRST, SECOND AFTER);
FUNCTION(padded, ".Lprobe_padded: lea 1(" AX "), %eax\n" SAFE "ret\n"
	 "int3\n int3\n int3");
FUNCTION(at_end, "nop\n.Lprobe_at_end:" SAFE "ret\n"
	 "int3\n int3\n int3\n int3\n int3");

static noinline void call_with_known_registers(void)
{
	/* Set all flags, not only the carry flag that is checked. */
	asm volatile("cmp %%" _ASM_DI ", %%" _ASM_DI "\n\t"
		     "mov $1, %%eax\n\t"
		     "mov $2, %%ecx\n\t"
		     "mov $3, %%edx\n\t"
		     "mov $4, %%esi\n\t"
#ifdef CONFIG_X86_64
		     "mov $8, %%r8d\n\t"
		     "mov $9, %%r9d\n\t"
		     "mov $10, %%r10d\n\t"
		     "mov $11, %%r11d\n\t"
#endif
		     "stc\n\t"
		     SAFE "call *%%" _ASM_DI
		     : ASM_CALL_CONSTRAINT
		     : "D" (opt_plain)
		     : "ax", "cx", "dx", "si",
#ifdef CONFIG_X86_64
		       "r8", "r9", "r10", "r11",
#endif
		       "memory", "cc");
}

/* A jump must show all registers as a breakpoint does. */
static void test_jump_shows_same_registers(struct kunit *test)
{
	struct captured c = {
		.probe = KPROBE_AT(probe_plain, .pre_handler = captured_pre),
	};
	struct pt_regs trap;
	int i;

	kprobe_set_jumps(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, is_jump(probe_plain), i);
		call_with_known_registers();
		if (!i) {
			trap = c.regs;
			kprobe_set_jumps(true);
		}
	}
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, c.hits, 2);
	/* orig_ax is not a register of the interrupted code. */
	trap.orig_ax = c.regs.orig_ax;
	/* The exception sets the resume flag. */
	trap.flags &= ~X86_EFLAGS_RF;
	/* The loop above may change registers that calls preserve. */
	trap.bx = c.regs.bx;
	trap.bp = c.regs.bp;
#ifdef CONFIG_X86_64
	trap.r12 = c.regs.r12;
	trap.r13 = c.regs.r13;
	trap.r14 = c.regs.r14;
	trap.r15 = c.regs.r15;
	KUNIT_EXPECT_EQ(test, c.regs.r11, 11);
#else
	/* The upper 16 of 32 bits are not written. */
	trap.__csh = c.regs.__csh;
	trap.__ssh = c.regs.__ssh;
	trap.__dsh = c.regs.__dsh;
	trap.__esh = c.regs.__esh;
	trap.__fsh = c.regs.__fsh;
	/* The exception stores its vector here. */
	trap.gs = c.regs.gs;
	trap.__gsh = c.regs.__gsh;
#endif
	KUNIT_EXPECT_MEMEQ(test, &trap, &c.regs, sizeof(trap));
	KUNIT_EXPECT_EQ(test, c.regs.ip, (unsigned long)probe_plain + 1);
	KUNIT_EXPECT_EQ(test, c.regs.ax, 1);
	KUNIT_EXPECT_TRUE(test, c.regs.flags & X86_EFLAGS_CF);
	KUNIT_EXPECT_TRUE(test, c.regs.flags & X86_EFLAGS_IF);
}

static int change_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = 100;
	/* Ignored with this return value. */
	regs->ip = 0;
	return 0;
}

static void test_handler_changes_registers(struct kunit *test)
{
	PROBED(test, probe_plain, .probe.pre_handler = change_pre);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 203);
}

/* Return to the caller with a value, as error injection does. */
static int return_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = 4711;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
	return 1;
}

/*
 * Handlers that continue in another function, which returns to each pushed word
 * in turn.  The words point to opt_at_end(), which only returns.
 */
static unsigned int words_to_push;

static void calling_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	unsigned int i;

	for (i = 0; i < words_to_push; i++) {
		regs->sp -= sizeof(long);
		*(unsigned long *)regs->sp = (unsigned long)opt_at_end;
	}
	regs->ip = (unsigned long)probe_padded;
}

static int calling_pre(struct kprobe *p, struct pt_regs *regs)
{
	calling_post(p, regs, 0);
	return 1;
}

static noinline unsigned long call_with_carry(void *function, unsigned long *a)
{
	unsigned long flags;

	asm volatile("cmp %[function], %[function]\n\t"
		     "stc\n\t"
		     SAFE "call *%[function]\n\t"
		     "pushf\n\t"
		     "pop %[flags]"
		     : "+a" (*a), [flags] "=S" (flags), ASM_CALL_CONSTRAINT
		     : [function] "D" (function)
		     : "cx", "dx", "memory", "cc");
	return flags_after_return(flags);
}

static void expect_pushed_words(struct kunit *test, struct kprobe *p,
				unsigned int max, bool jumps)
{
	unsigned long a = 5, flags = call_with_carry(opt_plain, &a);

	kprobe_set_jumps(jumps);
	KUNIT_ASSERT_EQ(test, register_kprobe(p), 0);
	KUNIT_EXPECT_EQ(test, is_jump(probe_plain), jumps && !p->post_handler);
	for (words_to_push = 0; words_to_push <= max; words_to_push++) {
		a = 5;
		KUNIT_EXPECT_EQ_MSG(test, call_with_carry(opt_plain, &a),
				    flags, "%u words", words_to_push);
		KUNIT_EXPECT_EQ_MSG(test, (unsigned int)a, 6, "%u words",
				    words_to_push);
	}
	unregister_kprobe(p);
}

static void test_pre_handler_may_push(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(probe_plain, .pre_handler = calling_pre);

	expect_pushed_words(test, &p, 2, false);
	expect_pushed_words(test, &p, 1, true);
}

static void test_post_handler_may_push(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(probe_plain, .post_handler = calling_post);

	expect_pushed_words(test, &p, 2, true);
}

/* A function that the kernel calls while user memory is accessible. */
#if defined(CONFIG_X86_64) && defined(CONFIG_X86_MCE)
static unsigned long access_flags;

static int access_pre(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(access_flags, native_save_fl());
	return 0;
}

static noinline void call_with_access(unsigned long (*function)(char *to,
								char *from,
								unsigned int n))
{
	static char byte;
	unsigned long rdx = 0, rdi = (unsigned long)&byte, rsi = rdi, rax;

	asm volatile("pushf\n\t"
		     "orl %[access], (%%rsp)\n\t"
		     "popf\n\t"
		     SAFE "call *%[function]\n\t"
		     "pushf\n\t"
		     "andl %[no_access], (%%rsp)\n\t"
		     "popf"
		     : "=a" (rax), "+d" (rdx), "+D" (rdi), "+S" (rsi),
		       ASM_CALL_CONSTRAINT
		     : [function] "b" (function),
		       [access] "i" (X86_EFLAGS_AC),
		       [no_access] "i" (~X86_EFLAGS_AC)
		     : "cx", "r8", "r9", "r10", "r11", "memory", "cc");
}

static void test_handler_has_no_user_access(struct kunit *test)
{
	struct counted *p;

	if (!boot_cpu_has(X86_FEATURE_SMAP))
		kunit_skip(test, "this CPU has no SMAP");
	p = PROBED(test, 0, .probe.symbol_name = "copy_mc_fragile_handle_tail",
		   .probe.pre_handler = access_pre);
	KUNIT_EXPECT_TRUE(test, is_jump((void *)probed_at(&p->probe)));
	/* The compiler does not know that the call runs the handler. */
	WRITE_ONCE(access_flags, X86_EFLAGS_AC);
	call_with_access(copy_mc_fragile_handle_tail);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(access_flags) & X86_EFLAGS_AC);
}
#else
static void test_handler_has_no_user_access(struct kunit *test)
{
	kunit_skip(test, "this kernel has no such function");
}
#endif

/*
 * A one-byte instruction changes the stack, so the instruction pointer of a
 * handler points to a byte with another frame.  objtool follows this function.
 */
asm(".pushsection .text\n"
    ".balign 16, 0xcc\n" ASM_FUNC_ALIGN "\n"
    ".type unwound_short, @function\n"
    "unwound_short:\n"
    ASM_ENDBR
    ".Lprobe_push:	push %" _ASM_BX "\n"
    "	mov $3, %ebx\n"
    "	mov %ebx, %eax\n"
    ".Lprobe_pop:	pop %" _ASM_BX "\n"
    ASM_RET
    "	.fill 8, 1, 0xcc\n"
    ".size unwound_short, . - unwound_short\n"
    ".popsection\n"
    POINTER_TO(probe_push, .Lprobe_push)
    POINTER_TO(probe_pop, .Lprobe_pop));
extern char *probe_push, *probe_pop;
unsigned long unwound_short(void);

/**
 * struct short_hit - results of unwinders in a handler
 * @probe: the probe
 * @depth: words between the stack pointer and the return address
 * @from_regs: traces from the registers that have the caller next
 * @from_here: traces from the handler that include the caller
 * @error: one of these traces has met an error
 */
struct short_hit {
	struct kprobe probe;
	unsigned int depth;
	unsigned int from_regs;
	unsigned int from_here;
	bool error;
};

static int short_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct short_hit *s = container_of(p, struct short_hit, probe);
	unsigned long caller = ((unsigned long *)regs->sp)[s->depth];
	struct unwind_state state;

	unwind_start(&state, current, regs, NULL);
	if (unwind_get_return_address(&state) == regs->ip)
		unwind_next_frame(&state);
	s->from_regs += unwind_get_return_address(&state) == caller;
	s->error |= unwind_error(&state);

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		if (unwind_get_return_address(&state) == caller) {
			s->from_here++;
			break;
		}
	}
	s->error |= unwind_error(&state);
	return 0;
}

static void test_short_instruction_has_callers(struct kunit *test)
{
	struct short_hit hits[] = {
		{ .probe.addr = (kprobe_opcode_t *)probe_push, .depth = 0 },
		{ .probe.addr = (kprobe_opcode_t *)probe_pop, .depth = 1 },
	};
	unsigned int i;

	if (!IS_ENABLED(CONFIG_UNWINDER_ORC))
		kunit_skip(test, "this needs the ORC unwinder");
	for (i = 0; i < ARRAY_SIZE(hits); i++) {
		struct short_hit *s = &hits[i];

		s->probe.pre_handler = short_pre;
		kprobe_set_jumps(false);
		KUNIT_ASSERT_EQ(test, register_kprobe(&s->probe), 0);
		KUNIT_EXPECT_TRUE(test, is_probe_trap(s->probe.addr));
		KUNIT_EXPECT_EQ(test, unwound_short(), 3);
		kprobe_set_jumps(true);
		KUNIT_EXPECT_TRUE(test, is_jump(s->probe.addr));
		KUNIT_EXPECT_EQ(test, unwound_short(), 3);
		unregister_kprobe(&s->probe);
		KUNIT_EXPECT_EQ(test, s->from_regs, 2);
		KUNIT_EXPECT_EQ(test, s->from_here, 2);
		KUNIT_EXPECT_FALSE(test, s->error);
	}
}

static void test_pre_handler_diverts(struct kunit *test)
{
	struct counted *p, *q;
	int i;

	words_to_push = 0;
	/* The newest probe diverts, so the older one is not called. */
	q = PROBED(test, probe_plain);
	p = PROBED(test, probe_plain, .probe.pre_handler = calling_pre);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 6);
	KUNIT_EXPECT_EQ(test, q->pre, 0);
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	unregister_kprobe(&p->probe);
	unregister_kprobe(&q->probe);

	PROBED(test, probe_plain, .probe.pre_handler = return_pre);
	q = PROBED(test, probe_plain);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 4711);
	KUNIT_EXPECT_EQ(test, q->pre, 10);
}

static void test_perf_reports_slots(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_PERF_EVENTS))
		kunit_skip(test, "this kernel has no perf events");
	expect_slots_told(test, probe_plain);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
}

#ifdef CONFIG_CONTEXT_TRACKING_IDLE
static unsigned long call_as_idle(void)
{
	unsigned long result;

	idle_begin();
	result = call(opt_plain, 5);
	idle_end();
	return result;
}

static void test_rcu_watches_handlers_in_idle(struct kunit *test)
{
	expect_rcu_watching(test, probe_plain, call_as_idle);
}
#else
static void test_rcu_watches_handlers_in_idle(struct kunit *test)
{
	kunit_skip(test, "RCU watches the idle loop of this kernel");
}
#endif

static struct kunit_case hit_tests[] = {
	KUNIT_CASE(test_jump_shows_same_registers),
	KUNIT_CASE(test_handler_changes_registers),
	KUNIT_CASE(test_pre_handler_diverts),
	KUNIT_CASE(test_pre_handler_may_push),
	KUNIT_CASE(test_post_handler_may_push),
	KUNIT_CASE(test_handler_has_no_user_access),
	KUNIT_CASE(test_short_instruction_has_callers),
	KUNIT_CASE(test_perf_reports_slots),
	KUNIT_CASE(test_rcu_watches_handlers_in_idle),
	{}
};

static struct kunit_suite hit_suite = {
	.name = "kprobes_x86_hit",
	.test_cases = hit_tests,
	.init = x86_opt_init,
	.exit = x86_opt_exit,
};

kunit_test_suite(hit_suite);
