// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for hits on powerpc: registers that handlers see and code must
 * keep, changes made by handlers, and the CPU state around a hit.
 */
#include <linux/array_size.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <asm/extable.h>
#include <asm/hw_irq.h>
#include <asm/interrupt.h>
#include <asm/kup.h>
#include <asm/mce.h>
#include <asm/reg.h>
#include <asm/sections.h>
#include <asm/time.h>
#include "test_powerpc.h"

CODE(add, "", "add 3, 4, 5", "");
CODE(isync, "", "isync", "");
CODE(b_next, "", "b 2f\n2:", "");
CODE(load, "", LL " 4, 0(3)", "");
CODE(store, "", STL " 4, 0(3)", "");

/**
 * struct filled - registers after a call
 * @gpr: general registers
 * @ctr: CTR
 * @lr: LR
 * @xer: XER
 * @cr: CR
 */
struct filled {
	unsigned long gpr[32];
	unsigned long ctr;
	unsigned long lr;
	unsigned long xer;
	unsigned long cr;
};

#ifdef CONFIG_PPC64
#define WORD	"8 * "
#else
#define WORD	"4 * "
#endif
#define LR_SAVE	__stringify(PPC_LR_STKOFF) "(1)"

/* Register numbers for .irp. */
#define PRESERVED	"14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30"
#define CLOBBERED	"3,4,5,6,7,8,9,10,11,12"

/*
 * Fill all registers that may be clobbered, call the function, and store the
 * registers that it leaves.  Register N is set to 100 + N.  The frame has the
 * preserved registers from 14 * WORD on, and others in front of them.
 */
void ppc_call_filled(void *function, struct filled *f);
asm(".pushsection .text\n"
    ".balign 16\n"
    FUNCTION(ppc_call_filled)
    "mflr 0\n\t"
    STL " 0, " LR_SAVE "\n\t"
    STLU " 1, -256(1)\n\t"
    "mfcr 0\n\t"
    STL " 0, 40(1)\n\t"
    STL " 2, 24(1)\n\t"
    ".irp r, " PRESERVED ",31\n\t"
    STL " \\r, " WORD "\\r(1)\n\t"
    ".endr\n\t"
    STL " 4, 32(1)\n\t"
    "mtctr 3\n\t"
    "lis 3, 0x2000\n\t"
    "mtxer 3\n\t"
    "lis 3, 0x1234\n\t"
    "mtcr 3\n\t"
    ".irp r, 0," CLOBBERED "," PRESERVED ",31\n\t"
    "li \\r, 100 + \\r\n\t"
    ".endr\n\t"
    "bctrl\n\t"
    /* Keep r31 on the stack while it points to @f. */
    STL " 31, 48(1)\n\t"
    LL " 31, 32(1)\n\t"
    ".irp r, 0,1,2," CLOBBERED ",13," PRESERVED "\n\t"
    STL " \\r, " WORD "\\r(31)\n\t"
    ".endr\n\t"
    LL " 0, 48(1)\n\t"
    STL " 0, " WORD "31(31)\n\t"
    "mfctr 0\n\t"
    STL " 0, " WORD "32(31)\n\t"
    "mflr 0\n\t"
    STL " 0, " WORD "33(31)\n\t"
    "mfxer 0\n\t"
    STL " 0, " WORD "34(31)\n\t"
    "mfcr 0\n\t"
    STL " 0, " WORD "35(31)\n\t"
    ".irp r, " PRESERVED ",31\n\t"
    LL " \\r, " WORD "\\r(1)\n\t"
    ".endr\n\t"
    LL " 2, 24(1)\n\t"
    LL " 0, 40(1)\n\t"
    "mtcr 0\n\t"
    "addi 1, 1, 256\n\t"
    LL " 0, " LR_SAVE "\n\t"
    "mtlr 0\n\t"
    "blr\n"
    FUNCTION_END(ppc_call_filled)
    ".popsection\n");

/*
 * The word that controls access to user memory depends on the CPU.  It changes
 * with the state of the CPU.
 */
#if defined(CONFIG_PPC_KUAP) && defined(CONFIG_PPC_BOOK3S_64)
#define ACCESS_CLOSED	AMR_KUAP_BLOCKED
static unsigned long access_word(void)
{
	return mfspr(SPRN_AMR);
}
#elif defined(CONFIG_PPC_KUAP) && defined(CONFIG_PPC_BOOK3S_32)
#define ACCESS_CLOSED	KUAP_NONE
static unsigned long access_word(void)
{
	return current->thread.kuap;
}
#elif defined(CONFIG_PPC_KUAP) && defined(CONFIG_BOOKE)
#define ACCESS_CLOSED	0
static unsigned long access_word(void)
{
	return mfspr(SPRN_PID);
}
#else
#define ACCESS_CLOSED	0
static unsigned long access_word(void)
{
	return 0;
}
#endif

static unsigned long access_now(void)
{
	return kuap_is_disabled() ? 0 : access_word();
}

/* Book E lacks MSR[RI]. */
#define STATE_BITS	(MSR_EE | (IS_ENABLED(CONFIG_BOOKE) ? 0 : MSR_RI))

/**
 * struct seen - a probe and the results recorded by its handler
 * @probe: the probe
 * @regs: the registers
 * @access: the word that blocks access to user memory
 * @hits: number of hits
 * @to: address to continue at, or NULL
 */
struct seen {
	struct kprobe probe;
	struct pt_regs regs;
	unsigned long access;
	unsigned int hits;
	void *to;
};

/* Clobber all registers that a function may change. */
static __always_inline void spoil_registers(void)
{
	asm volatile(".irp r, 0," CLOBBERED "\n\t"
		     "li \\r, -1\n\t"
		     ".endr\n\t"
		     "mtctr 0\n\t"
		     "mtcr 0\n\t"
		     "mtxer 0\n\t"
		     : : : "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9",
			   "r10", "r11", "r12", "ctr", "xer", "cr0", "cr1",
			   "cr2", "cr3", "cr4", "cr5", "cr6", "cr7", "memory");
}

static int seen_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct seen *s = container_of(p, struct seen, probe);

	s->regs = *regs;
	s->hits++;
	spoil_registers();
	s->access = access_now();
	if (!s->to)
		return 0;
	regs->nip = (unsigned long)s->to;
	regs->gpr[3] = 4711;
	return 1;
}

#define SEEN(where) {							\
	.probe.addr = (kprobe_opcode_t *)(where),			\
	.probe.pre_handler = seen_pre,					\
}

enum how { BY_TRAP, BY_BRANCH, HOWS };

/* Turn the probe into a trap or a branch. */
static void make(struct kunit *test, struct kprobe *p, enum how how)
{
	switch_jumps(how == BY_BRANCH);
	expect_jump(test, p, how == BY_BRANCH);
}

/* All registers but r13, which is the kernel's own, must be as expected. */
static void expect_filled(struct kunit *test, const struct filled *found,
			  const struct filled *expected, const char *name,
			  unsigned int how)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		if (i != 13)
			KUNIT_EXPECT_EQ_MSG(test, found->gpr[i],
					    expected->gpr[i], "%s: r%u, %u",
					    name, i, how);
	KUNIT_EXPECT_EQ(test, found->ctr, expected->ctr);
	KUNIT_EXPECT_EQ(test, found->lr, expected->lr);
	KUNIT_EXPECT_EQ(test, found->xer, expected->xer);
	KUNIT_EXPECT_EQ(test, found->cr, expected->cr);
}

static struct filled filled_from(const struct pt_regs *regs)
{
	struct filled f = {
		.ctr = regs->ctr, .lr = regs->link, .xer = regs->xer,
		.cr = regs->ccr,
	};

	memcpy(f.gpr, regs->gpr, sizeof(f.gpr));
	return f;
}

static const struct hit_case {
	const char *name;
	void *function;
	char **probe;
} hit_cases[] = {
	{ "add", code_add, &probe_add },
	{ "isync", code_isync, &probe_isync },
	{ "b_next", code_b_next, &probe_b_next },
};

KUNIT_ARRAY_PARAM_DESC(hit, hit_cases, name);

/*
 * Handlers must see the registers, and the code must keep them, also if a
 * handler continues at the next instruction with another r3.
 */
static void test_hit_changes_no_other_register(struct kunit *test)
{
	const struct hit_case *c = test->param_value;
	struct filled plain, diverted, f;
	struct seen s = SEEN(*c->probe);
	unsigned int how;

	ppc_call_filled(c->function, &plain);
	diverted = plain;
	diverted.gpr[3] = 4711;
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	for (how = BY_TRAP; how < HOWS; how++) {
		make(test, &s.probe, how);
		s.to = NULL;
		memset(&s.regs, 0xff, sizeof(s.regs));
		ppc_call_filled(c->function, &f);
		expect_filled(test, &f, &plain, "kept", how);
		KUNIT_EXPECT_EQ(test, s.regs.nip, (unsigned long)*c->probe);
		KUNIT_EXPECT_EQ(test, s.regs.gpr[3], 103);
		f = filled_from(&s.regs);
		f.gpr[3] = plain.gpr[3];
		expect_filled(test, &f, &plain, "seen", how);
		/* The detour's branch back leads there, too. */
		s.to = *c->probe + 4;
		ppc_call_filled(c->function, &f);
		expect_filled(test, &f, &diverted, "diverted", how);
		KUNIT_EXPECT_FALSE(test, irqs_disabled());
	}
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.hits, 4);
	/* Check that the registers were filled at all. */
	KUNIT_EXPECT_EQ(test, plain.gpr[0], 100);
	KUNIT_EXPECT_EQ(test, plain.gpr[12], 112);
	KUNIT_EXPECT_EQ(test, plain.gpr[31], 131);
	KUNIT_EXPECT_EQ(test, plain.cr, 0x12340000);
	KUNIT_EXPECT_EQ(test, plain.ctr, (unsigned long)c->function);
}

/* Handlers must see the state at the hit, which must be kept after it. */
static void expect_state(struct kunit *test, struct seen *s, bool off)
{
	unsigned long msr = mfmsr(), access = access_now();
	struct state state = {};

	ppc_call_code(code_isync, &state);
	KUNIT_EXPECT_EQ(test, irqs_disabled(), off);
	KUNIT_EXPECT_EQ(test, arch_kprobe_irqs_on(&s->regs), !off);
	KUNIT_EXPECT_EQ(test, mfmsr() & STATE_BITS, msr & STATE_BITS);
	KUNIT_EXPECT_EQ(test, s->regs.msr & STATE_BITS, msr & STATE_BITS);
	if (kuap_is_disabled())
		return;
	KUNIT_EXPECT_EQ(test, access_now(), access);
	KUNIT_EXPECT_EQ(test, s->access, ACCESS_CLOSED);
}

static void expect_states(struct kunit *test, struct seen *s)
{
	unsigned long flags;

	expect_state(test, s, false);
	local_irq_save(flags);
	expect_state(test, s, true);
	hard_irq_disable();
	expect_state(test, s, true);
	local_irq_restore(flags);
	preempt_disable();
	pagefault_disable();
	KUNIT_ASSERT_TRUE(test, user_access_begin(NULL, 1));
	expect_state(test, s, false);
	user_access_end();
	pagefault_enable();
	preempt_enable();
}

static void test_state_is_kept(struct kunit *test)
{
	struct seen s = SEEN(probe_isync);
	unsigned int how;

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	for (how = BY_TRAP; how < HOWS; how++) {
		make(test, &s.probe, how);
		s.to = NULL;
		expect_states(test, &s);
		s.to = probe_isync + 4;
		expect_states(test, &s);
	}
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.hits, 16);
}

/* Mark the exception of the pre handler in the low bit of its number. */
static int mark_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->trap |= 1;
	return 0;
}

static bool marked;

static void marked_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	marked = regs->trap & 1;
}

static bool one_exception(struct kunit *test, const char *where,
			  void *function, struct state *s)
{
	struct kprobe p = KPROBE_AT(where, .pre_handler = mark_pre,
				    .post_handler = marked_post);

	KUNIT_EXPECT_EQ(test, register_kprobe(&p), 0);
	ppc_call_code(function, s);
	unregister_kprobe(&p);
	return marked;
}

/* Only an instruction in a slot takes a second exception. */
static void test_access_takes_one_exception(struct kunit *test)
{
	unsigned long word = 4711;
	struct state s = { .r = { (unsigned long)&word } };

	KUNIT_EXPECT_TRUE(test, one_exception(test, probe_load, code_load, &s));
	KUNIT_EXPECT_EQ(test, s.r[1], 4711);
	s.r[1] = 4712;
	KUNIT_EXPECT_TRUE(test, one_exception(test, probe_store, code_store,
					      &s));
	KUNIT_EXPECT_EQ(test, word, 4712);
	/* An access across words is not atomic, so it is not emulated. */
	s.r[0]--;
	KUNIT_EXPECT_FALSE(test, one_exception(test, probe_load, code_load,
					       &s));
}

/* The exception has changed the preemption count that the load must see. */
static void test_access_of_count_is_executed(struct kunit *test)
{
	int *count = &current_thread_info()->preempt_count;
	unsigned long offset = (unsigned long)count % sizeof(long);
	struct state s = { .r = { (unsigned long)count - offset } };

	KUNIT_EXPECT_FALSE(test, one_exception(test, probe_load, code_load,
					       &s));
	KUNIT_EXPECT_EQ(test, *(int *)((void *)&s.r[1] + offset),
			preempt_count());
}

static void expect_place(struct kunit *test, void *text, unsigned int word,
			 unsigned long place)
{
	unsigned long ip = (unsigned long)text + 4 * word;

	KUNIT_EXPECT_EQ_MSG(test, kprobe_orig_ip(ip), place, "word %u", word);
}

/* Unwinders must map each word of slots and detours to the function. */
static void test_words_map_to_places(struct kunit *test)
{
	unsigned long addr = (unsigned long)probe_isync;
	struct counted *p = PROBED(test, probe_isync);
	const struct kprobe_site *site = p->probe.site;
	unsigned int i;

	make(test, &p->probe, BY_BRANCH);
	expect_place(test, site->slot, 0, addr);
	expect_place(test, site->slot, 1, addr + 4);
	KUNIT_ASSERT_NOT_NULL(test, site->detour);
	for (i = sizeof(site) / sizeof(u32); i < site->insn.detour.end; i++)
		expect_place(test, site->detour, i, addr);
	expect_place(test, site->detour, i, addr + 4);
	KUNIT_EXPECT_EQ(test, ((u32 *)site->detour)[site->insn.detour.copy],
			site->opcode);
}

/* A handler loads from a bad address; its fault handler skips the load. */
static unsigned long handler_got;
static unsigned int handler_faults;

static int faulting_pre(struct kprobe *p, struct pt_regs *regs)
{
	handler_got = 77;
	asm volatile(LL " %0, 0(%1)" : "+r" (handler_got) : "b" (BAD_PAGE));
	return 0;
}

/* Users may not know instruction_pointer_set(), so do not use it. */
static int skip_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	handler_faults++;
	regs->nip += sizeof(u32);
	return 1;
}

static void test_fault_in_handler_is_handled(struct kunit *test)
{
	struct state s = { .r = { 0, 1, 2 } };
	unsigned int i;

	PROBED(test, probe_add, .probe.pre_handler = faulting_pre,
	       .probe.fault_handler = skip_fault);
	handler_faults = 0;
	for (i = 1; i <= 2; i++) {
		ppc_call_code(code_add, &s);
		KUNIT_EXPECT_EQ(test, handler_got, 77);
		KUNIT_EXPECT_EQ(test, handler_faults, i);
		wait_for_kprobe_optimizer();
	}
}

#ifdef CONFIG_PPC_BOOK3S_64
/* MSR_IR | MSR_DR for assembly in strings. */
#define TRANSLATION	0x30
static_assert(TRANSLATION == (MSR_IR | MSR_DR));

/*
 * Call code that uses no memory, with translation off and @arg in r3.  The
 * stack must not be in the vmalloc area.  Interrupts are off, also in the CPU.
 */
unsigned long ppc_call_real_mode(void *code, unsigned long arg, void *stack);
asm(".pushsection .text\n"
    ".balign 16\n"
    FUNCTION(ppc_call_real_mode)
    "mflr 0\n\t"
    "std 0, " LR_SAVE "\n\t"
    "stdu 1, -160(1)\n\t"
    "std 30, 112(1)\n\t"
    "std 31, 120(1)\n\t"
    "mr 30, 1\n\t"
    "mfmsr 31\n\t"
    "mtctr 3\n\t"
    "mr 3, 4\n\t"
    "mr 1, 5\n\t"
    "bcl 20, 31, 1f\n"
    "1: mflr 5\n\t"
    "addi 5, 5, 2f - 1b\n\t"
    "clrldi 5, 5, 4\n\t"
    "li 6, " __stringify(TRANSLATION) "\n\t"
    "andc 6, 31, 6\n\t"
    "mtsrr0 5\n\t"
    "mtsrr1 6\n\t"
    "rfid\n"
    "2: bctrl\n\t"
    "bcl 20, 31, 3f\n"
    "3: mflr 5\n\t"
    "addi 5, 5, 4f - 3b\n\t"
    "li 6, -4\n\t"
    "sldi 6, 6, 60\n\t"
    "or 5, 5, 6\n\t"
    "mtsrr0 5\n\t"
    "mtsrr1 31\n\t"
    "rfid\n"
    "4: mr 1, 30\n\t"
    "ld 30, 112(1)\n\t"
    "ld 31, 120(1)\n\t"
    "addi 1, 1, 160\n\t"
    "ld 0, " LR_SAVE "\n\t"
    "mtlr 0\n\t"
    "blr\n"
    FUNCTION_END(ppc_call_real_mode)
    ".popsection\n");

CODE(next, "", "addi 3, 3, 1", "");
CODE(over, "", "b 2f\n\tli 3, 0\n2:", "addi 3, 3, 1");

#define REAL_STACK	SZ_16K

static unsigned long call_real_mode(void *code, unsigned long arg, void *stack)
{
	unsigned long flags, ret;

	local_irq_save(flags);
	hard_irq_disable();
	ret = ppc_call_real_mode(code, arg, stack);
	/* Exits of exceptions depend on this. */
	srr_regs_clobbered();
	local_irq_restore(flags);
	return ret;
}

/*
 * A hit without translation must execute the instruction and be counted as
 * missed.  The function is called by its real address and by the translated
 * one; the CPU ignores the bits that differ.
 */
static void expect_real_mode(struct kunit *test, struct seen *s,
			     void *function, void *stack)
{
	void *code[] = { function, (void *)__pa(function) };
	struct state state = {};
	unsigned int i, how, n = 0;

	for (i = 0; i < ARRAY_SIZE(code); i++)
		KUNIT_EXPECT_EQ(test, call_real_mode(code[i], 41, stack), 42);
	KUNIT_ASSERT_EQ(test, register_kprobe(&s->probe), 0);
	for (how = BY_TRAP; how < HOWS; how++) {
		make(test, &s->probe, how);
		for (i = 0; i < ARRAY_SIZE(code); i++) {
			KUNIT_EXPECT_EQ(test,
					call_real_mode(code[i], 1, stack), 2);
			KUNIT_EXPECT_EQ(test, s->hits, how);
			KUNIT_EXPECT_EQ(test, s->probe.site->missed
					[KPROBE_MISS_REAL_MODE], ++n);
		}
		/* Only misses by an exception are counted for the probe. */
		KUNIT_EXPECT_EQ(test, s->probe.nmissed, ARRAY_SIZE(code));
		/* With translation the hit must be handled. */
		ppc_call_code(function, &state);
		KUNIT_EXPECT_EQ(test, s->hits, how + 1);
	}
	unregister_kprobe(&s->probe);
}

static void test_real_mode_misses(struct kunit *test)
{
	struct seen in_slot = SEEN(probe_next), emulated = SEEN(probe_over);
	void *memory, *stack;

	if (!core_kernel_text((unsigned long)ppc_call_real_mode))
		kunit_skip(test, "a module cannot run without translation");
	memory = kunit_kzalloc(test, REAL_STACK, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	stack = memory + REAL_STACK - STACK_FRAME_MIN_SIZE;
	expect_real_mode(test, &in_slot, code_next, stack);
	expect_real_mode(test, &emulated, code_over, stack);
}
#else
static void test_real_mode_misses(struct kunit *test)
{
	kunit_skip(test, "what runs without translation is blacklisted");
}
#endif

#ifdef CONFIG_PPC64
/*
 * Raw exception handlers run with the soft mask clear and MSR[EE] off.  The
 * exit of a trap's exception warns about that state, so the hit is by a branch.
 */
static void test_hit_with_ee_off_keeps_it_off(struct kunit *test)
{
	struct seen s = SEEN(probe_isync);
	unsigned long flags, msr;
	struct state state = {};
	bool need_resched;

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	make(test, &s.probe, BY_BRANCH);

	local_irq_save(flags);
	hard_irq_disable();
	set_tsk_need_resched(current);
	set_preempt_need_resched();
	local_paca->irq_happened &= ~PACA_IRQ_HARD_DIS;
	irq_soft_mask_set(IRQS_ENABLED);
	ppc_call_code(code_isync, &state);
	irq_soft_mask_set(IRQS_ALL_DISABLED);
	msr = mfmsr();
	hard_irq_disable();
	need_resched = test_tsk_need_resched(current);
	local_irq_restore(flags);

	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.hits, 1);
	KUNIT_EXPECT_EQ(test, msr & MSR_EE, 0);
	KUNIT_EXPECT_TRUE(test, need_resched);
	KUNIT_EXPECT_FALSE(test, arch_kprobe_irqs_on(&s.regs));
}

#define INTERRUPTS	3000

/*
 * An interrupt that is masked in software arrives anywhere in a hit, including
 * the exit of the trap's exception, after it has loaded SRR0 and SRR1.
 */
static void test_masked_interrupt_keeps_hit_intact(struct kunit *test)
{
	struct seen s = SEEN(probe_isync);
	unsigned int i, calls = 0;
	struct state state = {};
	unsigned long flags;

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	make(test, &s.probe, BY_TRAP);
	for (i = 0; i < INTERRUPTS; i++) {
		local_irq_save(flags);
		set_dec(i + 1);
		for (; !lazy_irq_pending(); calls++)
			ppc_call_code(code_isync, &state);
		local_irq_restore(flags);
	}
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.hits, calls);
	KUNIT_EXPECT_GT(test, calls, 0);
}
#else
static void test_hit_with_ee_off_keeps_it_off(struct kunit *test)
{
	kunit_skip(test, "MSR[EE] is the only mask");
}

static void test_masked_interrupt_keeps_hit_intact(struct kunit *test)
{
	kunit_skip(test, "MSR[EE] is the only mask");
}
#endif

#if defined(CONFIG_PPC_BOOK3S_64) && !defined(MODULE)
CODE(ue, "", LL " 4, 0(3)", "1:\n\t" EX_TABLE(.Lprobe_ue, 1b));

/* An instruction in a slot consumes an uncorrectable memory error. */
static void test_machine_check_in_slot_is_fixed_up(struct kunit *test)
{
	unsigned long fixup = (unsigned long)probe_ue + 4;
	struct counted *p = PROBED(test, probe_ue);
	struct mce_error_info error = {};
	struct pt_regs regs = {};

	regs.msr = mfmsr();
	regs.nip = (unsigned long)p->probe.site->slot;
	mce_common_process_ue(&regs, &error);
	KUNIT_EXPECT_TRUE(test, error.ignore_event);
	KUNIT_EXPECT_EQ(test, regs.nip, fixup);
}
#else
static void test_machine_check_in_slot_is_fixed_up(struct kunit *test)
{
	kunit_skip(test, "needs Book3S-64, and to be built in");
}
#endif

static void hit_exit(struct kunit *test)
{
	switch_jumps(true);
}

static struct kunit_case hit_tests[] = {
	KUNIT_CASE_PARAM(test_hit_changes_no_other_register, hit_gen_params),
	KUNIT_CASE(test_state_is_kept),
	KUNIT_CASE(test_access_takes_one_exception),
	KUNIT_CASE(test_access_of_count_is_executed),
	KUNIT_CASE(test_words_map_to_places),
	KUNIT_CASE(test_fault_in_handler_is_handled),
	KUNIT_CASE(test_real_mode_misses),
	KUNIT_CASE(test_hit_with_ee_off_keeps_it_off),
	KUNIT_CASE(test_masked_interrupt_keeps_hit_intact),
	KUNIT_CASE(test_machine_check_in_slot_is_fixed_up),
	{}
};

static struct kunit_suite hit_suite = {
	.name = "kprobes_powerpc_hit",
	.test_cases = hit_tests,
	.exit = hit_exit,
};

kunit_test_suite(hit_suite);
