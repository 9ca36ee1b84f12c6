// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for fault handlers on x86: handlers and instructions out of line
 * raise exceptions, which fault handlers handle or decline.
 */
#include <linux/extable.h>
#include <linux/memory.h>
#include <linux/objtool.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/linkage.h>
#include <asm/text-patching.h>
#include <asm/trapnr.h>
#include "../../arch/x86/kernel/kprobes/common.h"
#include "../../kernel/kprobes/internal.h"
#include "test.h"
#include "test_x86.h"
#ifdef CONFIG_X86_MCE
#include "../../arch/x86/kernel/cpu/mce/internal.h"
#endif

#define BAD_PAGE	(-0xff0UL)		/* page fault */
#define BAD_SELECTOR	0xfff8UL		/* general protection */
#ifdef CONFIG_X86_64
#define BAD_FORM	0x8000000000000000UL	/* general protection, too */
#endif

static TARGET int probed(int a)
{
	barrier();
	return a + 1;
}

/* Where to continue after a fault handler has handled an exception. */
static unsigned long resume_at;

/* A probe, its decision on faults, and the results recorded by its handlers. */
struct sentry {
	struct kprobe probe;
	bool declines;
	unsigned int faults;
	unsigned int pre;
	unsigned int post;
	int trap;
	unsigned long ip;
	bool preemptible;
	bool irqs_on;
	struct kprobe *argument;
};

static int sentry_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	struct sentry *s = container_of(p, struct sentry, probe);

	s->faults++;
	s->trap = trap;
	s->ip = regs->ip;
	s->argument = p;
	s->preemptible |= preemptible();
	s->irqs_on |= !irqs_disabled();
	if (s->declines)
		return 0;
	regs->ip = resume_at;
	return 1;
}

static int sentry_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct sentry, probe)->pre++;
	return 0;
}

static void sentry_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	container_of(p, struct sentry, probe)->post++;
}

/* SENTRY(address, initializers...) */
#define SENTRY(where, ...)						\
	((struct sentry) {						\
		.probe.addr = (kprobe_opcode_t *)(where),		\
		.probe.fault_handler = sentry_fault,			\
		__VA_ARGS__						\
	})

#define RAISE(instruction) ({						\
	asm volatile(_ASM_MOV " $1f, %[resume_at]\n\t"			\
		     "xor	%%edx, %%edx\n\t"			\
		     "xor	%%ecx, %%ecx\n\t"			\
		     instruction "\n"					\
		     "1:"						\
		     : [resume_at] "=m" (resume_at)			\
		     : [page] "D" (BAD_PAGE),				\
		       [selector] "S" (BAD_SELECTOR)			\
		     : "ax", "cx", "dx", "memory");			\
})

static void raise_exception(int trap)
{
	switch (trap) {
	case X86_TRAP_PF:
		RAISE("mov (%[page]), %%eax");
		break;
	case X86_TRAP_GP:
		RAISE("mov %[selector], %%gs");
		break;
	case X86_TRAP_DE:
		RAISE("div %%ecx");
		break;
	case X86_TRAP_UD:
		/* Use a locked no-op because ud2 is a BUG(). */
		RAISE(".byte 0xf0, 0x90");
		break;
	}
}

struct trap_case {
	const char *name;
	int trap;
};

static const struct trap_case trap_cases[] = {
	{ "page fault", X86_TRAP_PF },
	{ "general protection", X86_TRAP_GP },
	{ "divide", X86_TRAP_DE },
	{ "invalid opcode", X86_TRAP_UD },
};

KUNIT_ARRAY_PARAM_DESC(trap, trap_cases, name);

static int trap_to_raise;

static int raising_pre(struct kprobe *p, struct pt_regs *regs)
{
	sentry_pre(p, regs);
	raise_exception(trap_to_raise);
	return 0;
}

static void raising_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	sentry_post(p, regs, flags);
	raise_exception(trap_to_raise);
}

static void expect_fault(struct kunit *test, const struct sentry *s, int trap)
{
	KUNIT_EXPECT_EQ(test, s->faults, 1);
	KUNIT_EXPECT_EQ(test, s->trap, trap);
	KUNIT_EXPECT_PTR_EQ(test, s->argument, &s->probe);
	KUNIT_EXPECT_FALSE(test, s->preemptible);
	KUNIT_EXPECT_FALSE(test, s->irqs_on);
}

static void hit_once(struct kunit *test, struct sentry *s)
{
	KUNIT_ASSERT_EQ(test, register_kprobe(&s->probe), 0);
	KUNIT_EXPECT_EQ(test, probed(1), 2);
	unregister_kprobe(&s->probe);
}

static void test_fault_in_handler_is_handled(struct kunit *test)
{
	const struct trap_case *c = test->param_value;
	struct sentry pre = SENTRY(probed, .probe.pre_handler = raising_pre,
				   .probe.post_handler = sentry_post);
	struct sentry post = SENTRY(probed, .probe.post_handler = raising_post);

	trap_to_raise = c->trap;
	hit_once(test, &pre);
	expect_fault(test, &pre, c->trap);
	KUNIT_EXPECT_EQ(test, pre.pre, 1);
	KUNIT_EXPECT_EQ(test, pre.post, 1);
	hit_once(test, &post);
	expect_fault(test, &post, c->trap);
	KUNIT_EXPECT_EQ(test, post.post, 1);
}

/* Reads with a fix-up, as get_kernel_nofault() does. */
static int fixed_up;

static int fixed_up_pre(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long bad = BAD_PAGE;

	sentry_pre(p, regs);
	asm volatile("1:	mov	(%1), %%eax\n"
		     "	jmp	3f\n"
		     "2:	incl	%0\n"
		     "3:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "+m" (fixed_up) : "r" (bad) : "ax");
	return 0;
}

static void test_declined_fault_is_fixed_up(struct kunit *test)
{
	struct sentry s = SENTRY(probed, .declines = true,
				 .probe.pre_handler = fixed_up_pre);

	fixed_up = 0;
	hit_once(test, &s);
	expect_fault(test, &s, X86_TRAP_PF);
	KUNIT_EXPECT_EQ(test, fixed_up, 1);

	/* Repeat without a fault handler. */
	s.probe.fault_handler = NULL;
	hit_once(test, &s);
	KUNIT_EXPECT_EQ(test, s.faults, 1);
	KUNIT_EXPECT_EQ(test, fixed_up, 2);
}

static int faulting_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	sentry_fault(p, regs, trap);
	/* A hit here is missed, and a fault is fixed up. */
	probed(5);
	fixed_up_pre(p, regs);
	return 1;
}

static void test_fault_in_fault_is_fixed_up(struct kunit *test)
{
	struct sentry s = {
		.probe = KPROBE_AT(probed, .pre_handler = raising_pre,
				   .fault_handler = faulting_fault),
	};

	fixed_up = 0;
	trap_to_raise = X86_TRAP_DE;
	hit_once(test, &s);
	expect_fault(test, &s, X86_TRAP_DE);
	KUNIT_EXPECT_EQ(test, fixed_up, 1);
	KUNIT_EXPECT_EQ(test, s.probe.nmissed, 1);
}

/* Of several probes at the site, only the running one must be called. */
static void test_only_running_probe_gets_fault(struct kunit *test)
{
	struct sentry other = SENTRY(probed, .probe.pre_handler = sentry_pre);
	struct sentry s = SENTRY(probed, .probe.pre_handler = raising_pre);

	trap_to_raise = X86_TRAP_PF;
	KUNIT_ASSERT_EQ(test, register_kprobe(&other.probe), 0);
	hit_once(test, &s);
	unregister_kprobe(&other.probe);
	expect_fault(test, &s, X86_TRAP_PF);
	KUNIT_EXPECT_EQ(test, other.faults, 0);
	KUNIT_EXPECT_EQ(test, other.pre, 1);
}

/* Return probes and jprobes use the fault handler of their kprobe. */
static int raising_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	raise_exception(trap_to_raise);
	return 0;
}

static int raising_function(int a)
{
	raise_exception(trap_to_raise);
	jprobe_return();
	return 0;
}

static struct kprobe *kind_of_fault;

static int kind_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	kind_of_fault = p;
	regs->ip = resume_at;
	return 1;
}

static void test_fault_in_return_is_handled(struct kunit *test)
{
	struct kretprobe rp = KRETPROBE_AT(probed,
					   .kp.fault_handler = kind_fault,
					   .handler = raising_return);

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "this kernel has no return probes");
	kind_of_fault = NULL;
	trap_to_raise = X86_TRAP_GP;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	KUNIT_EXPECT_EQ(test, probed(1), 2);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_PTR_EQ(test, kind_of_fault, &rp.kp);
}

static void test_fault_in_jprobe_is_handled(struct kunit *test)
{
	struct jprobe jp = {
		.kp.addr = (kprobe_opcode_t *)probed,
		.kp.fault_handler = kind_fault,
		.entry = raising_function,
	};

	kind_of_fault = NULL;
	trap_to_raise = X86_TRAP_DE;
	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	KUNIT_EXPECT_EQ(test, probed(1), 2);
	unregister_jprobe(&jp);
	KUNIT_EXPECT_PTR_EQ(test, kind_of_fault, &jp.kp);
}

/*
 * Instructions out of line: fault_<name>(a) executes the probed instruction, to
 * which at_<name> points, with a in DI.  It returns 1, or 2 if the exception
 * table has fixed up a fault.  A handler that handles the fault continues at
 * the address in after_<name>.
 */
#ifdef CONFIG_X86_64
#define ARGUMENT_TO_DI		""
#define DI_AS_IT_WAS		""
#else
#define ARGUMENT_TO_DI		"push %edi\n mov %eax, %edi\n"
#define DI_AS_IT_WAS		"pop %edi\n"
#endif
#define FAULTING(name, probed)						\
	FAULTING_AS(name, probed, EX_TYPE_DEFAULT)
#define FAULTING_AS(name, probed, type)					\
	asm(".pushsection .text\n"					\
	    ".balign 16\n" ASM_FUNC_ALIGN "\n"				\
	    ".type fault_" #name ", @function\n"			\
	    "fault_" #name ":\n\t" ASM_ENDBR ARGUMENT_TO_DI		\
	    "	mov	$1, %eax\n"					\
	    "	xor	%edx, %edx\n"					\
	    "	xor	%ecx, %ecx\n"					\
	    ".Lat_" #name ":\n\t" probed "\n"				\
	    ".Lafter_" #name ":\n"					\
	    "	mov	$1, %eax\n"					\
	    "	jmp	2f\n"						\
	    "1:	mov	$2, %eax\n"					\
	    "2:\n\t" DI_AS_IT_WAS ASM_RET				\
	    ".size fault_" #name ", . - fault_" #name "\n"		\
	    ".popsection\n"						\
	    _ASM_EXTABLE_TYPE(.Lat_##name, 1b, type)			\
	    POINTER_TO(at_##name, .Lat_##name)				\
	    POINTER_TO(after_##name, .Lafter_##name));			\
	long fault_##name(unsigned long a);				\
	extern unsigned long at_##name, after_##name;			\
	STACK_FRAME_NON_STANDARD(fault_##name)

FAULTING(load, "mov (" DI "), " DX);
FAULTING(store, "movl $7, 8(" DI ")");
FAULTING(relative, "mov fault_word" RIP ", %edx");
FAULTING(segment, "mov %edi, %gs");
FAULTING(divide, "div %ecx");
#ifdef CONFIG_X86_32
/* LEA with a register operand raises #UD. */
FAULTING(invalid_lea, ".byte 0x8d, 0xd2");
#endif
FAULTING(call_memory, SAFE "call *(" DI ")");
FAULTING(jump_memory, SAFE "jmp *(" DI ")");

asm(".pushsection .data\n.balign 4\n"
    "fault_word: .long 0\n"
    ".popsection\n");

struct slot_case {
	const char *name;
	long (*function)(unsigned long a);
	unsigned long *at;
	unsigned long *after;
	unsigned long argument;
	int trap;
};

#define OUT_OF_LINE(n, argument, trap)					\
	{ #n ", " #trap, fault_##n, &at_##n, &after_##n, argument, trap }

static const struct slot_case slot_cases[] = {
	OUT_OF_LINE(load, BAD_PAGE, X86_TRAP_PF),
	OUT_OF_LINE(store, BAD_PAGE, X86_TRAP_PF),
	OUT_OF_LINE(divide, 0, X86_TRAP_DE),
	OUT_OF_LINE(segment, BAD_SELECTOR, X86_TRAP_GP),
	OUT_OF_LINE(call_memory, BAD_PAGE, X86_TRAP_PF),
	OUT_OF_LINE(jump_memory, BAD_PAGE, X86_TRAP_PF),
#ifdef CONFIG_X86_64
	OUT_OF_LINE(load, BAD_FORM, X86_TRAP_GP),
	OUT_OF_LINE(call_memory, BAD_FORM, X86_TRAP_GP),
	OUT_OF_LINE(jump_memory, BAD_FORM, X86_TRAP_GP),
#else
	OUT_OF_LINE(invalid_lea, 0, X86_TRAP_UD),
#endif
};

KUNIT_ARRAY_PARAM_DESC(slot, slot_cases, name);

/* __nocfi because functions defined with asm() have no type. */
static __nocfi void test_fault_in_slot_is_handled(struct kunit *test)
{
	const struct slot_case *c = test->param_value;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, c->function(c->argument), 2);
	for (i = 0; i < 4; i++) {
		struct sentry s = SENTRY(*c->at, .declines = i & 1,
					 .probe.pre_handler = sentry_pre);

		s.probe.post_handler = i & 2 ? sentry_post : NULL;
		resume_at = *c->after;
		KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
		KUNIT_EXPECT_EQ(test, c->function(c->argument),
				s.declines ? 2 : 1);
		unregister_kprobe(&s.probe);
		expect_fault(test, &s, c->trap);
		KUNIT_EXPECT_EQ(test, s.ip, *c->at);
		KUNIT_EXPECT_EQ(test, s.pre, 1);
		KUNIT_EXPECT_EQ(test, s.post, 0);
	}
}

/* Probes are called from the newest on, until one handles the fault. */
static void test_newest_fault_handler_is_called_first(struct kunit *test)
{
	struct sentry s[4];
	int i;

	resume_at = after_load;
	for (i = 0; i < 4; i++) {
		s[i] = SENTRY(at_load, .declines = i != 1);
		if (i == 3)
			s[i].probe.fault_handler = NULL;
		KUNIT_ASSERT_EQ(test, register_kprobe(&s[i].probe), 0);
	}
	KUNIT_EXPECT_EQ(test, fault_load(BAD_PAGE), 1);
	for (i = 0; i < 4; i++)
		unregister_kprobe(&s[i].probe);
	KUNIT_EXPECT_EQ(test, s[2].faults, 1);
	KUNIT_EXPECT_EQ(test, s[1].faults, 1);
	KUNIT_EXPECT_EQ(test, s[0].faults, 0);
}

/* A handler executes a probed load: the fault belongs to the handler. */
static int loading_pre(struct kprobe *p, struct pt_regs *regs)
{
	sentry_pre(p, regs);
	fault_load(BAD_PAGE);
	return 0;
}

static void test_fault_below_handler_is_its_own(struct kunit *test)
{
	struct sentry inner = SENTRY(at_load);
	struct sentry outer = SENTRY(probed, .probe.pre_handler = loading_pre);

	resume_at = after_load;
	KUNIT_ASSERT_EQ(test, register_kprobe(&inner.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&outer.probe), 0);
	KUNIT_EXPECT_EQ(test, probed(1), 2);
	unregister_kprobe(&outer.probe);
	unregister_kprobe(&inner.probe);
	KUNIT_EXPECT_EQ(test, inner.probe.nmissed, 1);
	KUNIT_EXPECT_EQ(test, inner.faults, 0);
	expect_fault(test, &outer, X86_TRAP_PF);
	KUNIT_EXPECT_EQ(test, outer.ip, at_load);
}

static void test_disabled_probe_gets_no_fault(struct kunit *test)
{
	struct sentry s = SENTRY(at_load);

	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&s.probe), 0);
	KUNIT_EXPECT_EQ(test, fault_load(BAD_PAGE), 2);
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.faults, 0);
}

/*
 * Reads a word across the end of memory, as load_unaligned_zeropad() does.  The
 * fix-up decodes the faulting instruction to find the word.
 */
asm(".pushsection .text\n"
    ".balign 16\n" ASM_FUNC_ALIGN "\n"
    ".type fault_zeropad, @function\n"
    "fault_zeropad:\n\t" ASM_ENDBR ARGUMENT_TO_DI
    ".Lat_zeropad: mov (" DI "), " AX "\n"
    ".Lafter_zeropad:\n"
    "	nop\n\t" DI_AS_IT_WAS ASM_RET
    ".size fault_zeropad, . - fault_zeropad\n"
    ".popsection\n"
    _ASM_EXTABLE_TYPE(.Lat_zeropad, .Lafter_zeropad, EX_TYPE_ZEROPAD)
    POINTER_TO(at_zeropad, .Lat_zeropad));
long fault_zeropad(unsigned long a);
extern unsigned long at_zeropad;
STACK_FRAME_NON_STANDARD(fault_zeropad);

static __nocfi void test_zeropad_fixup_works(struct kunit *test)
{
	u8 *page = alloc_for_test(test, PAGE_SIZE);
	unsigned long across = (unsigned long)page + PAGE_SIZE - 3;
	int i;

	memset(page, 0x5a, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fault_zeropad(across), 0x5a5a5a);
	for (i = 0; i < 4; i++) {
		struct sentry s = {
			.declines = true,
			.probe = KPROBE_AT(at_zeropad),
		};

		s.probe.pre_handler = sentry_pre;
		s.probe.post_handler = i & 1 ? sentry_post : NULL;
		s.probe.fault_handler = i & 2 ? sentry_fault : NULL;
		KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, fault_zeropad(across), 0x5a5a5a);
		unregister_kprobe(&s.probe);
		KUNIT_EXPECT_EQ(test, s.pre, 1);
	}
}

/* The original instruction must be readable, even if it is relative to IP. */
static void expect_read(struct kunit *test, unsigned long where,
			const u8 *expected)
{
	u8 found[MAX_INSN_SIZE];
	struct insn insn;

	KUNIT_EXPECT_EQ(test, kprobe_read_insn(found, where, sizeof(found)), 0);
	KUNIT_EXPECT_EQ(test, insn_decode_kernel(&insn, found), 0);
	KUNIT_EXPECT_MEMEQ(test, expected, found, insn.length);
}

static void test_original_insn_is_read(struct kunit *test)
{
	unsigned long where[] = { at_load, at_store, at_divide, at_relative };
	u8 before[MAX_INSN_SIZE];
	int i, post;

	for (i = 0; i < ARRAY_SIZE(where); i++) {
		memcpy(before, (void *)where[i], sizeof(before));
		for (post = 0; post < 2; post++) {
			struct sentry s = { .probe = KPROBE_AT(where[i]) };

			s.probe.pre_handler = sentry_pre;
			s.probe.post_handler = post ? sentry_post : NULL;
			KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
			wait_for_kprobe_optimizer();
			expect_read(test, where[i], before);
			unregister_kprobe(&s.probe);
		}
		expect_read(test, where[i], before);
	}
	KUNIT_EXPECT_EQ(test, kprobe_read_insn(before, BAD_PAGE,
					       sizeof(before)), -EFAULT);
}

/* Unmapped bytes before or after the text must be reported as traps. */
static void test_unreadable_text_is_traps(struct kunit *test)
{
	u8 expected[MAX_INSN_SIZE], found[MAX_INSN_SIZE], none[MAX_INSN_SIZE];
	u8 *text = alloc_for_test(test, PAGE_SIZE);
	unsigned long end = (unsigned long)text + PAGE_SIZE;
	int at_end, past_end, at_start;

	memset(text, 0x90, PAGE_SIZE);
	memset(expected, 0x90, 4);
	memset(expected + 4, INT3_INSN_OPCODE, sizeof(expected) - 4);
	mutex_lock(&kprobe_mutex);
	mutex_lock(&text_mutex);
	at_end = x86_kprobe_original_text(end - 4, found, sizeof(found));
	/* A guard page follows the text. */
	past_end = x86_kprobe_original_text(end, none, sizeof(none));
	at_start = x86_kprobe_original_text((unsigned long)text, none, 4);
	mutex_unlock(&text_mutex);
	mutex_unlock(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, at_end, 0);
	KUNIT_EXPECT_MEMEQ(test, found, expected, sizeof(found));
	KUNIT_EXPECT_EQ(test, past_end, -EFAULT);
	KUNIT_EXPECT_EQ(test, at_start, 0);
	KUNIT_EXPECT_MEMEQ(test, none, expected, 4);
}

/* An instruction at which a machine check is recoverable. */
#ifdef CONFIG_X86_MCE
FAULTING_AS(mce, "mov (" DI "), " DX, EX_TYPE_DEFAULT_MCE_SAFE);

static bool recovers(const void *ip)
{
	struct mce m = {
		.cs = __KERNEL_CS,
		.ip = (unsigned long)ip,
		.status = MCI_STATUS_VAL | MCI_STATUS_UC | MCI_STATUS_EN,
		.mcgstatus = MCG_STATUS_RIPV | MCG_STATUS_EIPV,
	};

	mce_severity(&m, NULL, NULL, true);
	return m.kflags & MCE_IN_KERNEL_RECOV;
}

static void test_slot_recovers_from_mce(struct kunit *test)
{
	struct mce_vendor_flags flags = mce_flags;
	struct kprobe_site *site;

	/* On AMD, the severity is evaluated only with this flag. */
	mce_flags.succor = 1;
	KUNIT_EXPECT_TRUE(test, recovers((void *)at_mce));
	KUNIT_EXPECT_FALSE(test, recovers((void *)after_mce));
	PROBED(test, at_mce, .probe.post_handler = counted_post);
	scoped_guard(preempt)
		site = kprobe_site_find(at_mce);
	KUNIT_EXPECT_TRUE(test, recovers((void *)at_mce));
	KUNIT_EXPECT_TRUE(test, recovers(site->slot));
	KUNIT_EXPECT_TRUE(test, recovers(site->post_slot));
	KUNIT_EXPECT_FALSE(test, recovers(site->slot + site->insn.len));
	mce_flags = flags;
}
#else
static void test_slot_recovers_from_mce(struct kunit *test)
{
	kunit_skip(test, "this kernel handles no machine checks");
}
#endif

/*
 * A jprobe on a function whose stack ends directly after its arguments.
 * Unreadable words are passed as 0.
 */
static long seen_on_stack[2];

#ifdef CONFIG_X86_64
#define ARGUMENT	DI
static void stack_handler(long a, long b, long c, long d, long e, long f,
			  long first, long second)
#else
#define ARGUMENT	AX
static void stack_handler(long a, long b, long c, long first, long second)
#endif
{
	seen_on_stack[0] = first;
	seen_on_stack[1] = second;
	jprobe_return();
}

asm(".pushsection .text\n"
    ASM_FUNC_ALIGN "\n"
    ".type on_this_stack, @function\n"
    "on_this_stack:\n\t" ASM_ENDBR
    "	push	" BP "\n"
    "	mov	" SP ", " BP "\n"
    "	mov	" ARGUMENT ", " SP "\n"
    "	push	$1234\n"
    "	call	at_stack_end\n"
    "	leave\n\t" ASM_RET
    ".size on_this_stack, . - on_this_stack\n"
    ASM_FUNC_ALIGN "\n"
    ".type at_stack_end, @function\n"
    "at_stack_end:\n\t" ASM_ENDBR
    "	mov	" WORD "(" SP "), " AX "\n\t" ASM_RET
    ".size at_stack_end, . - at_stack_end\n"
    ".popsection\n");
long on_this_stack(void *end);
void at_stack_end(void);
STACK_FRAME_NON_STANDARD(on_this_stack);
STACK_FRAME_NON_STANDARD(at_stack_end);

static void test_jprobe_stops_at_stack_end(struct kunit *test)
{
	struct jprobe jp = JPROBE_AT(at_stack_end, stack_handler);
	void *stack = alloc_for_test(test, THREAD_SIZE);
	unsigned long flags;
	long ret;

	KUNIT_ASSERT_EQ(test, register_jprobe(&jp), 0);
	seen_on_stack[1] = 1;
	local_irq_save(flags);
	ret = on_this_stack(stack + THREAD_SIZE);
	local_irq_restore(flags);
	unregister_jprobe(&jp);
	KUNIT_EXPECT_EQ(test, ret, 1234);
	KUNIT_EXPECT_EQ(test, seen_on_stack[0], 1234);
	KUNIT_EXPECT_EQ(test, seen_on_stack[1], 0);
	KUNIT_EXPECT_EQ(test, jp.kp.nmissed, 0);
}

/*
 * A branch to a non-canonical address raises its exception in the slot.  An
 * emulator may raise it at the target, so nothing is executed here: the test
 * calls the breakpoint's handler with the registers of a hit.
 */
#ifdef CONFIG_X86_64
FAULTING(call_register, SAFE "call *" DI);
FAULTING(jump_register, SAFE "jmp *" DI);
FAULTING(return, SAFE "ret\n int3");

static void test_bad_branch_target_faults_in_slot(struct kunit *test)
{
	/* A CPU with longer addresses may use four levels of page tables. */
	unsigned long bad = 1UL << __VIRTUAL_MASK_SHIFT;
	unsigned long memory = (unsigned long)&bad;
	const struct {
		unsigned long at;
		unsigned long di;
	} branches[] = {
		{ at_call_register, bad },
		{ at_jump_register, bad },
		{ at_call_memory, memory },
		{ at_jump_memory, memory },
		{ at_return, 0 },
	};
	int i;

	kprobe_set_jumps(false);
	for (i = 0; i < ARRAY_SIZE(branches); i++) {
		struct sentry s = {
			.probe = KPROBE_AT(branches[i].at,
					   .pre_handler = sentry_pre),
		};
		struct pt_regs regs = {
			.ip = branches[i].at + INT3_INSN_SIZE,
			.cs = __KERNEL_CS,
			.di = branches[i].di,
			.sp = memory,
		};

		KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
		scoped_guard(irqsave)
			KUNIT_EXPECT_TRUE(test, kprobe_int3_fast(&regs));
		KUNIT_EXPECT_EQ(test, s.pre, 1);
		KUNIT_EXPECT_EQ(test, regs.ip,
				(unsigned long)s.probe.site->slot);
		KUNIT_EXPECT_EQ(test, regs.sp, memory);
		unregister_kprobe(&s.probe);
	}
	kprobe_set_jumps(true);
}
#else
static void test_bad_branch_target_faults_in_slot(struct kunit *test)
{
	kunit_skip(test, "every address is canonical");
}
#endif

static struct kunit_case fault_tests[] = {
	KUNIT_CASE_PARAM(test_fault_in_handler_is_handled, trap_gen_params),
	KUNIT_CASE(test_declined_fault_is_fixed_up),
	KUNIT_CASE(test_fault_in_fault_is_fixed_up),
	KUNIT_CASE(test_only_running_probe_gets_fault),
	KUNIT_CASE(test_fault_in_return_is_handled),
	KUNIT_CASE(test_fault_in_jprobe_is_handled),
	KUNIT_CASE_PARAM(test_fault_in_slot_is_handled, slot_gen_params),
	KUNIT_CASE(test_newest_fault_handler_is_called_first),
	KUNIT_CASE(test_bad_branch_target_faults_in_slot),
	KUNIT_CASE(test_fault_below_handler_is_its_own),
	KUNIT_CASE(test_disabled_probe_gets_no_fault),
	KUNIT_CASE(test_zeropad_fixup_works),
	KUNIT_CASE(test_original_insn_is_read),
	KUNIT_CASE(test_unreadable_text_is_traps),
	KUNIT_CASE(test_slot_recovers_from_mce),
	KUNIT_CASE(test_jprobe_stops_at_stack_end),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "kprobes_x86_fault",
	.test_cases = fault_tests,
};

kunit_test_suite(fault_suite);
