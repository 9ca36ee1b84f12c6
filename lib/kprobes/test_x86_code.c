// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for kprobes on x86: a probed instruction must have the same
 * results as without a probe, and instructions and functions that cannot be
 * probed must be refused.
 */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/objtool.h>
#include <linux/slab.h>
#include <asm/alternative.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/linkage.h>
#include <asm/processor-flags.h>
#include <asm/text-patching.h>
#include "test_code.h"
#include "test_x86.h"

/*
 * CODE(name, before, probed, after): a function around the probed instruction,
 * to which probe_<name> points.  Arguments are in DI and SI, and results in AX,
 * CX, DX and the flags.  objtool ignores the stack of these functions.  The
 * kernel overwrites the type before an ENDBR that is never called;
 * ASM_FUNC_ALIGN leaves room for it.
 */
#define CODE(name, before, probed, after)				\
	asm(".pushsection .text\n"					\
	    ".balign 16\n" ASM_FUNC_ALIGN "\n"				\
	    ".type code_" #name ", @function\n"				\
	    "code_" #name ":\n\t" ASM_ENDBR				\
	    before "\n"							\
	    ".Lprobe_" #name ":\n\t" probed "\n\t"			\
	    after "\n\t" ASM_RET					\
	    ".size code_" #name ", . - code_" #name "\n"		\
	    ".popsection\n"						\
	    POINTER_TO(probe_##name, .Lprobe_##name));			\
	extern char code_##name[], *probe_##name;			\
	STACK_FRAME_NON_STANDARD(code_##name)

/* Conditional branches, short and near. */
#define JCC(cc, number) LIST(						\
	CODE(j##cc##_short, "mov $1, %eax", "j" #cc " 1f",		\
	     "mov $2, %eax\n1:");					\
	CODE(j##cc##_near, "mov $1, %eax",				\
	     ".byte 0x0f, 0x80 + " #number "\n.long 1f - . - 4",	\
	     "mov $2, %eax\n1:"))

JCC(o, 0);
JCC(no, 1);
JCC(b, 2);
JCC(ae, 3);
JCC(e, 4);
JCC(ne, 5);
JCC(be, 6);
JCC(a, 7);
JCC(s, 8);
JCC(ns, 9);
JCC(p, 10);
JCC(np, 11);
JCC(l, 12);
JCC(ge, 13);
JCC(le, 14);
JCC(g, 15);

CODE(jmp_short, "mov $1, %eax", "jmp 1f", "mov $2, %eax\n1:");
CODE(jmp_near, "mov $1, %eax", ".byte 0xe9\n.long 1f - . - 4",
     "mov $2, %eax\n1:");
CODE(jmp_cs, "mov $1, %eax", ".byte 0x2e, 0xe9\n.long 1f - . - 4",
     "mov $2, %eax\n1:");

/* With a post handler, these and some of the later ones need no slot. */
#define GET_FLAGS	"pushf\n pop " AX
CODE(mov_32, "mov $-1, " AX, "mov %edi, %eax", "");
CODE(mov_from_rm, "mov $-1, " CX, ".byte 0x8b, 0xcf", "");
CODE(mov_sp, "mov " SP ", " DX, "mov " DX ", " SP, "xor %edx, %edx");
CODE(sub_sp, "", "sub $24, " SP, GET_FLAGS "\n lea 24(" SP "), " SP);
CODE(sub_sp_far, "", "sub $256, " SP, GET_FLAGS "\n lea 256(" SP "), " SP);
/* Sizes around the free space below an exception frame on i386. */
#define SUB_SP(n)							\
	CODE(sub_sp_##n, "", "sub $" #n ", " SP,			\
	     GET_FLAGS "\n lea " #n "(" SP "), " SP)
SUB_SP(4);
SUB_SP(16);
SUB_SP(32);
SUB_SP(36);
SUB_SP(40);
SUB_SP(44);
SUB_SP(48);
SUB_SP(64);
/* Flags are live after an instruction that needs a slot. */
CODE(flags_live, "cmp " SI ", " DI "\n push " DI,
     "mov (" SP "), " CX, GET_FLAGS "\n pop " DX);
CODE(lower_sp, "lea -44(" SP "), " DX, "mov " DX ", " SP,
     "lea 44(" SP "), " SP "\n xor %edx, %edx\n mov %edi, %eax");
CODE(add_sp_far, "", "add $-128, " SP, GET_FLAGS "\n lea 128(" SP "), " SP);
CODE(add_sp, "lea -24(" SP "), " SP, "add $24, " SP, GET_FLAGS);
CODE(add_sp_less, "", "add $-24, " SP, GET_FLAGS "\n lea 24(" SP "), " SP);

CODE(loop, "lea 1(" DI "), " CX "\n and $7, %ecx\n or $1, %ecx\n"
     "xor %eax, %eax\n1: inc %eax", "loop 1b", "");
CODE(loope, "mov " DI ", " CX "\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: lea 1(" AX "), %eax\n cmp $3, %eax", "loope 1b", "");
CODE(loopne, "mov " DI ", " CX "\n and $7, %ecx\n or $1, %ecx\n"
     "xor %eax, %eax\n1: lea 1(" AX "), %eax\n cmp $3, %eax", "loopne 1b", "");
CODE(jecxz, "mov $1, %eax\n mov " DI ", " CX, "jecxz 1f", "mov $2, %eax\n1:");
CODE(ret, "call 1f\n jmp 2f\n1: mov $3, %eax", SAFE "ret", "2:");
CODE(ret_imm, "push $1\n push $2\n call 1f\n jmp 2f\n1: mov $3, %eax",
     SAFE "ret $" WORD, "2: pop " DX);
CODE(push_reg, "", "push " DI, "pop " AX);
CODE(push_sp, "mov " SP ", " CX, "push " SP, "pop " AX "\n sub " CX ", " AX "\n"
     "xor %ecx, %ecx");
CODE(pop_reg, "push " SI, "pop " AX, "");
CODE(pop_sp, "mov " SP ", " CX "\n push " CX, "pop " SP, "xor %ecx, %ecx");
CODE(push_imm8, "", "push $-5", "pop " AX);
CODE(push_imm32, "", "push $0x12345678", "pop " AX);
CODE(push_mem, "push " DI, "push (" SP ")", "pop " AX "\n pop " CX);
CODE(pop_mem, "push " DI "\n push " SI, "pop (" SP ")", "pop " AX);
CODE(leave, "push " BP "\n mov " SP ", " BP "\n sub $32, " SP, "leave", "");
CODE(enter, "", "enter $16, $0", "leave");
CODE(pushf, "", "pushf", "pop " AX "\n and $-0x201, " AX);
CODE(popf, "mov " DI ", " AX "\n and $0x8d5, %eax\n or $0x202, %eax\n push " AX,
     "popf", "");
CODE(cli, "pushf", "cli", "pushf\n pop " AX "\n popf\n and $0x200, %eax");
CODE(sti, "pushf\n cli", "sti", "pushf\n pop " AX "\n popf\n and $0x200, %eax");
CODE(std, "", "std", "pushf\n pop " AX "\n cld\n and $0x400, %eax");
CODE(mov_reg, "", "mov " DI ", " AX, "");
CODE(add, "mov " DI ", " AX, "add " SI ", " AX, "");
CODE(sub8, "mov " DI ", " AX "\n mov " SI ", " CX, "sub %cl, %al", "");
CODE(adc, "mov " DI ", " AX, "adc " SI ", " AX, "");
CODE(imul, "mov " DI ", " AX, "imul " SI ", " AX, "test %eax, %eax");
CODE(mul, "mov " DI ", " AX, "mul " SI, "test %eax, %eax");
CODE(div, "mov " DI ", " AX "\n xor %edx, %edx\n mov " SI ", " CX "\n"
     "or $1, " CX, "div " CX, "test %eax, %eax");
CODE(shl, "mov " DI ", " AX "\n mov " SI ", " CX, "shl %cl, " AX,
     "test %eax, %eax");
CODE(cmov, "mov " DI ", " AX, "cmovc " SI ", " AX, "");
CODE(setcc, "mov " DI ", " AX, "setbe %al", "");
CODE(bswap, "mov " DI ", " AX, "bswap " AX, "");
CODE(xchg, "mov " DI ", " AX "\n mov " SI ", " DX, "xchg " AX ", " DX, "");
CODE(op16, "mov " DI ", " AX, "addw $0x1234, %ax", "");
CODE(lock_xadd, "push " DI "\n mov " SI ", " AX, "lock xadd " AX ", (" SP ")",
     "pop " DX);
CODE(lock_cmpxchg, "push " DI "\n mov " SI ", " AX,
     "lock cmpxchg " DI ", (" SP ")", "pop " DX);
CODE(bts, "mov " DI ", " AX, "bts $5, " AX, "test %eax, %eax");
CODE(nop1, "mov " DI ", " AX, "nop", "");
CODE(nop5, "mov " DI ", " AX, ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00", "");
CODE(pause, "mov " DI ", " AX, "pause", "");
CODE(cpuid, "push " BX "\n xor %eax, %eax\n xor %ecx, %ecx", "cpuid",
     "pop " BX);
CODE(movsb, "push " DI "\n push " SI "\n mov " SP ", " SI "\n"
     "lea " WORD "(" SP "), " DI, "movsb", "pop " CX "\n pop " AX);
CODE(rep_movsb, "push " DI "\n push " SI "\n mov " SP ", " SI "\n"
     "lea " WORD "(" SP "), " DI "\n mov $3, %ecx", "rep movsb",
     "pop " DX "\n pop " AX);
CODE(lahf, "xor %eax, %eax\n sahf", "lahf", "");

#ifdef CONFIG_X86_64
#include "test_x86_64.h"
#else
#include "test_x86_32.h"
#endif

#define ENTRY_JCC(cc)	LIST(ENTRY(j##cc##_short), ENTRY(j##cc##_near))

static const struct code_case codes[] = {
	ENTRY_JCC(o), ENTRY_JCC(no), ENTRY_JCC(b), ENTRY_JCC(ae),
	ENTRY_JCC(e), ENTRY_JCC(ne), ENTRY_JCC(be), ENTRY_JCC(a),
	ENTRY_JCC(s), ENTRY_JCC(ns), ENTRY_JCC(p), ENTRY_JCC(np),
	ENTRY_JCC(l), ENTRY_JCC(ge), ENTRY_JCC(le), ENTRY_JCC(g),
	ENTRY(jmp_short), ENTRY(jmp_near), ENTRY(jmp_cs), ENTRY(mov_32),
	ENTRY(mov_from_rm), ENTRY(mov_sp), ENTRY(sub_sp), ENTRY(sub_sp_far),
	ENTRY(sub_sp_4), ENTRY(sub_sp_16), ENTRY(sub_sp_32), ENTRY(sub_sp_36),
	ENTRY(sub_sp_40), ENTRY(sub_sp_44), ENTRY(sub_sp_48), ENTRY(sub_sp_64),
	ENTRY(flags_live), ENTRY(lower_sp), ENTRY(add_sp_far),
	ENTRY(add_sp), ENTRY(add_sp_less), ENTRY(loop), ENTRY(loope),
	ENTRY(loopne), ENTRY(jecxz), ENTRY(ret),
	ENTRY(ret_imm), ENTRY(push_reg), ENTRY(push_sp), ENTRY(pop_reg),
	ENTRY(pop_sp), ENTRY(push_imm8), ENTRY(push_imm32), ENTRY(push_mem),
	ENTRY(pop_mem), ENTRY(leave), ENTRY(enter), ENTRY(pushf), ENTRY(popf),
	ENTRY(cli), ENTRY(sti), ENTRY(std), ENTRY(mov_reg), ENTRY(add),
	ENTRY(sub8), ENTRY(adc), ENTRY(imul), ENTRY(mul), ENTRY(div),
	ENTRY(shl), ENTRY(cmov), ENTRY(setcc), ENTRY(bswap), ENTRY(xchg),
	ENTRY(op16), ENTRY(lock_xadd), ENTRY(lock_cmpxchg), ENTRY(bts),
	ENTRY(nop1), ENTRY(nop5), ENTRY(pause), ENTRY(cpuid), ENTRY(movsb),
	ENTRY(rep_movsb), ENTRY(lahf), ARCH_CODES,
};

KUNIT_ARRAY_PARAM_DESC(code, codes, name);

struct result {
	unsigned long ax, cx, dx, flags;
};

#define FLAGS	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_ZF |	\
		 X86_EFLAGS_SF | X86_EFLAGS_OF)

/* Call @code with arguments and flags; interrupts stay as they are. */
static void run_code(const struct code_case *code, unsigned long a,
		     unsigned long b, unsigned long flags, struct result *r)
{
	/* Keep it in memory because i386 has no register left. */
	void *function = code->function;
	unsigned long ax = 0, cx = 0, dx = 0;

	asm volatile("push %[flags]\n\t"
		     "popf\n\t"
		     SAFE
		     "call *%[function]\n\t"
		     "pushf\n\t"
		     "pop %[flags]\n\t"
		     : "+a" (ax), "+c" (cx), "+d" (dx), "+D" (a), "+S" (b),
		       [flags] "+b" (flags),
		       ASM_CALL_CONSTRAINT
		     : [function] "m" (function)
		     :
#ifdef CONFIG_X86_64
		       "r8", "r9", "r10", "r11",
#endif
		       "memory", "cc");
	flags = flags_after_return(flags & (FLAGS | X86_EFLAGS_DF));
	*r = (struct result) { ax, cx, dx, flags };
}

static const unsigned long arguments[][2] = {
	{ 0, 0 }, { 1, 2 }, { ~(~0UL >> 1), ~(~0UL >> 1) },
	{ ~0UL / 7, ~0UL / 11 * 5 },
	{ ~0UL << BITS_PER_LONG / 2, 7 },
};

/* Return the n-th combination of the flags that conditions test. */
static unsigned long flags_number(unsigned int n)
{
	return X86_EFLAGS_FIXED | X86_EFLAGS_IF |
	       (n & 1 ? X86_EFLAGS_CF : 0) | (n & 2 ? X86_EFLAGS_PF : 0) |
	       (n & 4 ? X86_EFLAGS_ZF : 0) | (n & 8 ? X86_EFLAGS_SF : 0) |
	       (n & 16 ? X86_EFLAGS_OF : 0);
}

#define ROUNDS	(32 * ARRAY_SIZE(arguments))

static void run_all(const struct code_case *code, struct result *results)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		const unsigned long *args = arguments[i / 32];

		run_code(code, args[0], args[1], flags_number(i % 32),
			 &results[i]);
	}
}

static void test_probe_changes_no_result(struct kunit *test)
{
	const struct code_case *code = test->param_value;
	struct result *plain, *probed;
	int post;

	plain = kunit_kcalloc(test, ROUNDS, sizeof(*plain), GFP_KERNEL);
	probed = kunit_kcalloc(test, ROUNDS, sizeof(*probed), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, probed);

	run_all(code, plain);
	kprobe_set_jumps(false);
	for (post = 0; post <= 1; post++) {
		struct counted c = COUNTED(*code->probe);

		c.probe.post_handler = post ? counted_post : NULL;
		KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
		KUNIT_EXPECT_EQ(test, (int)**code->probe & 0xff,
				INT3_INSN_OPCODE);
		run_all(code, probed);
		unregister_kprobe(&c.probe);

		KUNIT_EXPECT_MEMEQ(test, probed, plain,
				   ROUNDS * sizeof(*plain));
		/* A loop may hit the probe more often. */
		KUNIT_EXPECT_GE(test, c.pre, ROUNDS);
		KUNIT_EXPECT_EQ(test, c.post, post ? c.pre : 0);
		KUNIT_EXPECT_EQ(test, c.astray, 0);
		KUNIT_EXPECT_EQ(test, c.probe.nmissed, 0);
	}
	kprobe_set_jumps(true);
}

/* All instructions are probed at once, with jumps where possible. */
static void test_jump_changes_no_result(struct kunit *test)
{
	struct counted *counted;
	struct result *plain, *probed;
	unsigned int i, jumps = 0;
	struct kprobe **ps;

	plain = kvcalloc(ARRAY_SIZE(codes) * ROUNDS, sizeof(*plain),
			 GFP_KERNEL);
	probed = kunit_kcalloc(test, ROUNDS, sizeof(*probed), GFP_KERNEL);
	counted = kunit_kcalloc(test, ARRAY_SIZE(codes), sizeof(*counted),
				GFP_KERNEL);
	ps = kunit_kcalloc(test, ARRAY_SIZE(codes), sizeof(*ps), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, probed);
	KUNIT_ASSERT_NOT_NULL(test, counted);
	KUNIT_ASSERT_NOT_NULL(test, ps);

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		run_all(&codes[i], plain + i * ROUNDS);
		counted[i].probe.addr = (kprobe_opcode_t *)*codes[i].probe;
		counted[i].probe.pre_handler = counted_pre;
		ps[i] = &counted[i].probe;
	}
	KUNIT_ASSERT_EQ(test, register_kprobes(ps, ARRAY_SIZE(codes)), 0);
	wait_for_kprobe_optimizer();
	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		jumps += kprobe_optimized(ps[i]);
		run_all(&codes[i], probed);
		if (memcmp(probed, plain + i * ROUNDS,
			   ROUNDS * sizeof(*plain)))
			KUNIT_FAIL(test, "%s: other results", codes[i].name);
		if (counted[i].pre < ROUNDS || counted[i].astray)
			KUNIT_FAIL(test, "%s: %u hits, %u astray",
				   codes[i].name, counted[i].pre,
				   counted[i].astray);
	}
	unregister_kprobes(ps, ARRAY_SIZE(codes));
	/* Calls and instructions before a branch target get no jump. */
	if (!in_xen_pv())
		KUNIT_EXPECT_GT(test, jumps, ARRAY_SIZE(codes) / 3);
	kunit_info(test, "%u jumps of %zu", jumps, ARRAY_SIZE(codes));
	kvfree(plain);
}

static int change_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->di = 41;
	return 0;
}

static void change_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	regs->ax++;
	regs->cx = regs->ip - (unsigned long)p->addr;
	regs->flags ^= X86_EFLAGS_CF;
}

static void test_handlers_change_registers(struct kunit *test)
{
	static const struct code_case code = ENTRY(mov_reg);
	struct kprobe p = KPROBE_AT(probe_mov_reg, .pre_handler = change_pre,
				    .post_handler = change_post);
	struct result plain, r;

	run_code(&code, 7, 0, flags_number(0), &plain);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	run_code(&code, 7, 0, flags_number(0), &r);
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, plain.ax, 7);
	KUNIT_EXPECT_EQ(test, r.ax, 42);
	KUNIT_EXPECT_EQ(test, r.cx, MOV_REG_LENGTH);
	KUNIT_EXPECT_EQ(test, r.flags,
			flags_after_return(plain.flags ^ X86_EFLAGS_CF));
}

static void elsewhere_post(struct kprobe *p, struct pt_regs *regs,
			   unsigned long flags)
{
	regs->ip = (unsigned long)code_mov_imm;
}

static void test_post_handler_diverts(struct kunit *test)
{
	static const struct code_case code = ENTRY(mov_reg);
	struct kprobe p = KPROBE_AT(probe_mov_reg,
				    .post_handler = elsewhere_post);
	struct result r;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	run_code(&code, 7, 0, flags_number(0), &r);
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, r.ax, MOV_IMM_VALUE);
}

/*
 * Faults: a fix-up works as if the instruction had faulted in place.
 */
CODE(fault_read, "mov $1, %eax", "mov (" DI "), " CX,
     "jmp 2f\n1: mov $-14, " AX "\n xor %ecx, %ecx\n2:\n"
     _ASM_EXTABLE(.Lprobe_fault_read, 1b));
CODE(fault_user, "mov $1, %eax\n stac", "mov (" DI "), " CX,
     "jmp 2f\n1: mov $-14, " AX "\n xor %ecx, %ecx\n2: clac\n"
     _ASM_EXTABLE(.Lprobe_fault_user, 1b));
CODE(fault_div, "mov $1, %eax\n xor %edx, %edx\n xor %ecx, %ecx", "div %ecx",
     "jmp 2f\n1: mov $-33, " AX "\n2:\n" _ASM_EXTABLE(.Lprobe_fault_div, 1b));
CODE(fault_rep, "mov $-0xff0, " SI "\n lea -64(" SP "), " DI "\n mov $8, %ecx\n"
     "mov $3, %eax", "rep movsb",
     "jmp 2f\n1: mov " CX ", " AX "\n2: xor %ecx, %ecx\n"
     _ASM_EXTABLE(.Lprobe_fault_rep, 1b));

struct fault_case {
	struct code_case code;
	unsigned long argument;
	unsigned long expected;
};

static const struct fault_case fault_cases[] = {
	{ ENTRY(fault_read), -0xff0UL, -EFAULT },
	{ ENTRY(fault_user), 0x10, -EFAULT },
	{ ENTRY(fault_div), 0, -EDOM },
	{ ENTRY(fault_rep), 0, 8 },
	ARCH_FAULTS,
};

static void fault_desc(const struct fault_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %lx", c->code.name,
		 c->argument);
}

KUNIT_ARRAY_PARAM(fault, fault_cases, fault_desc);

static void test_fixup_works_with_probe(struct kunit *test)
{
	const struct fault_case *c = test->param_value;
	int post;

	if (c->code.probe == &probe_fault_user &&
	    !cpu_feature_enabled(X86_FEATURE_SMAP))
		kunit_skip(test, "this CPU has no SMAP, and so no STAC");

	for (post = 0; post <= 1; post++) {
		struct counted counted = COUNTED(*c->code.probe);
		struct result r;

		counted.probe.post_handler = post ? counted_post : NULL;
		run_code(&c->code, c->argument, 0, flags_number(0), &r);
		KUNIT_ASSERT_EQ(test, r.ax, c->expected);
		KUNIT_ASSERT_EQ(test, register_kprobe(&counted.probe), 0);
		run_code(&c->code, c->argument, 0, flags_number(0), &r);
		unregister_kprobe(&counted.probe);
		KUNIT_EXPECT_EQ(test, r.ax, c->expected);
		KUNIT_EXPECT_GE(test, counted.pre, 1);
		KUNIT_EXPECT_EQ(test, counted.post, 0);
	}
}

/*
 * Refused instructions, which are never executed
 */
CODE(int3_, "", "int3", "nop");
CODE(int_n, "", "int $0x80", "nop");
CODE(icebp, "", ".byte 0xf1", "nop");
CODE(ud2, "", "ud2", "nop");
CODE(ud1, "", ".byte 0x0f, 0xb9, 0x00", "nop");
/* The decoder misses the ModRM byte of these: it decodes two instructions. */
CODE(nop_modrm, "", ".byte 0x0f, 0x19, 0xf8", "nop");
CODE(movntss, "", ".byte 0xf3, 0x0f, 0x2b, 0x50, 0x90", "nop");
CODE(unknown_38, "", ".byte 0x0f, 0x38, 0xff, 0x50, 0x90", "nop");
CODE(sti_hlt, "", "sti", "hlt");
CODE(hlt, "", "hlt", "nop");
CODE(mwait, "", ".byte 0x0f, 0x01, 0xc9", "nop");
CODE(hlt_after_sti, "sti", "hlt", "nop");
CODE(mwait_after_sti, "sti", ".byte 0x0f, 0x01, 0xc9", "nop");
CODE(ljmp, "", "ljmp *(" AX ")", "nop");
CODE(lcall, "", SAFE "lcall *(" AX ")", "nop");
CODE(sysenter, "", "sysenter", "nop");
CODE(xbegin, "", ".byte 0xc7, 0xf8, 0, 0, 0, 0", "nop");
/* clang's type check before an indirect call on x86-64. */
#define TYPE_MOVL	".byte 0x41, 0xba, 1, 2, 3, 4\n"
#define TYPE_ADDL	".byte 0x45, 0x03, 0x53, 0xf1\n"
#define TYPE_TRAP	".byte 0x74, 0x02, 0x0f, 0x0b\n nop"
CODE(type_movl, "", TYPE_MOVL, TYPE_ADDL TYPE_TRAP);
CODE(type_addl, TYPE_MOVL, TYPE_ADDL, TYPE_TRAP);

asm(".pushsection .text\n.balign 64\n"
    ".type code_pad_nop, @function\n"
    "code_pad_nop: xor %eax, %eax\n " ASM_RET
    ".Lprobe_pad_nop: .skip 20, 0x90\n"
    ".size code_pad_nop, . - code_pad_nop\n"
    ".type code_pad_int3, @function\n"
    "code_pad_int3: xor %eax, %eax\n " ASM_RET
    ".Lprobe_pad_int3: .skip 20, 0xcc\n"
    ".size code_pad_int3, . - code_pad_int3\n"
    ".type code_after_pad, @function\n"
    "code_after_pad: " ASM_RET
    ".size code_after_pad, . - code_after_pad\n"
    ".popsection\n"
    POINTER_TO(probe_pad_nop, .Lprobe_pad_nop)
    POINTER_TO(probe_pad_int3, .Lprobe_pad_int3));
extern char code_pad_nop[], *probe_pad_nop;
extern char code_pad_int3[], *probe_pad_int3;
STACK_FRAME_NON_STANDARD(code_pad_nop);
STACK_FRAME_NON_STANDARD(code_pad_int3);

static const struct refusal_case refusal_cases[] = {
	REFUSED(int3_, -EINVAL),
	REFUSED(int_n, -EINVAL),
	REFUSED(icebp, -EINVAL),
	REFUSED(ud2, -EINVAL),
	REFUSED(ud1, -EINVAL),
	REFUSED(nop_modrm, -EILSEQ),
	REFUSED(movntss, -EILSEQ),
	REFUSED(unknown_38, -EILSEQ),
	REFUSED(sti_hlt, -EOPNOTSUPP),
	REFUSED(hlt, -EOPNOTSUPP),
	REFUSED(mwait, -EOPNOTSUPP),
	REFUSED(hlt_after_sti, -EOPNOTSUPP),
	REFUSED(mwait_after_sti, -EOPNOTSUPP),
	REFUSED(ljmp, -EOPNOTSUPP), REFUSED(lcall, -EOPNOTSUPP),
	REFUSED(sysenter, -EOPNOTSUPP), REFUSED(xbegin, -EOPNOTSUPP),
#ifdef CONFIG_X86_64
	REFUSED(type_movl, -EINVAL),
	REFUSED(type_addl, -EINVAL),
#endif
	ARCH_REFUSALS,
	REFUSED(pad_nop, -EINVAL),
	{ "padding, further in", &probe_pad_nop, 7, -EINVAL },
	REFUSED(pad_int3, -EINVAL),
	{ "trap padding, further in", &probe_pad_int3, 7, -EINVAL },
	{ "inside, byte 1", &probe_inside, 1, -EILSEQ },
	{ "inside, byte 2", &probe_inside, 2, -EILSEQ },
	{ "inside, last byte", &probe_inside, INSIDE_LENGTH - 1, -EILSEQ },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusal_cases, name);

/* Bytes that are no instruction; objtool would reject them in the text. */
CODE(undecodable, "", "nop\n nop\n nop\n nop", "nop");

static void test_undecodable_is_refused(struct kunit *test)
{
	/* ANDN without its mandatory prefix. */
	static const u8 text[] = { 0x0f, 0x38, 0xf2, 0xc0 };
	struct counted p = COUNTED(probe_undecodable);
	u8 before[sizeof(text)];
	struct insn insn;

	KUNIT_ASSERT_NE(test, insn_decode(&insn, text, sizeof(text),
					  INSN_MODE_KERN), 0);
	memcpy(before, probe_undecodable, sizeof(before));
	write_text(probe_undecodable, text, sizeof(text));
	expect_refused(test, &p, -EILSEQ, "ANDN");
	write_text(probe_undecodable, before, sizeof(before));
}

/* With a VEX prefix, 0x90 moves a mask.  Not executed, as above. */
static void test_vex_move_is_no_nop(struct kunit *test)
{
	/* kmovw %k0, %k1 */
	static const u8 text[] = { 0xc5, 0xf8, 0x90, 0xc8 };
	struct counted p = COUNTED(probe_undecodable);
	u8 before[sizeof(text)];
	int ret;

	memcpy(before, probe_undecodable, sizeof(before));
	write_text(probe_undecodable, text, sizeof(text));
	ret = register_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, ret, 0);
	if (!ret) {
		/* A NOP needs none. */
		KUNIT_EXPECT_NOT_NULL(test, p.probe.site->slot);
		unregister_kprobe(&p.probe);
	}
	write_text(probe_undecodable, before, sizeof(before));
}

/* Traps of type checks that jump into an instruction, as above. */
CODE(cfi_trap, "", "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
	"nop\n nop\n nop\n nop\n nop\n nop\n nop\n", "nop");

static void test_cfi_trap_is_refused(struct kunit *test)
{
	/* lea -16(%rbx), %ebx, whose last byte is LOCK; jne . - 1 */
	static const u8 lock_jne[] = { 0x8d, 0x5b, 0xf0, 0x75, 0xfd };
	static const u8 jne_udb[] = {
		0x41, 0xba, 1, 2, 3, 4,		/* movl $0x4030201, %r10d */
		0x45, 0x03, 0x53, 0xf1,		/* addl -15(%r11), %r10d */
		0x75, 0x01, 0xa8, 0xd6,		/* jne . + 3; test $0xd6, %al */
	};
	struct counted jne = COUNTED(probe_cfi_trap + 3);
	struct counted movl = COUNTED(probe_cfi_trap);
	struct counted addl = COUNTED(probe_cfi_trap + 6);
	u8 before[sizeof(jne_udb)];

	memcpy(before, probe_cfi_trap, sizeof(before));
	write_text(probe_cfi_trap, lock_jne, sizeof(lock_jne));
	expect_refused(test, &jne, -EINVAL, "LOCK JNE");
	if (IS_ENABLED(CONFIG_X86_64)) {
		write_text(probe_cfi_trap, jne_udb, sizeof(jne_udb));
		expect_refused(test, &movl, -EINVAL, "MOVL before JNE");
		expect_refused(test, &addl, -EINVAL, "ADDL before JNE");
	}
	write_text(probe_cfi_trap, before, sizeof(before));
}

/* A prefix that the kernel rewrites when a second CPU comes online. */
CODE(lock_prefix, "mov $1, %eax", LOCK_PREFIX "incl lock_word", "");
static int lock_word __used;

static bool rewrites_lock_prefix(void)
{
#ifdef alternatives_text_reserved
	guard(mutex)(&text_mutex);
	return alternatives_text_reserved(probe_lock_prefix,
					  probe_lock_prefix + 1);
#else
	return false;
#endif
}

static void test_rewritten_prefix_is_refused(struct kunit *test)
{
	struct counted p = COUNTED(probe_lock_prefix);
	bool rewritten = rewrites_lock_prefix();

	expect_refused(test, &p, rewritten ? -EINVAL : 0, "LOCK");
	if (!rewritten)
		skip_rest(test, "this kernel rewrites no LOCK prefix");
}

/*
 * Functions that run as a copy, on special page tables, or before the CPU has
 * its interrupt descriptor table; functions that traps call before they look
 * for a probe; and thunks that call handlers.
 */
static const char * const blacklisted[] = {
	/* Copied for each ftrace_ops. */
	"ftrace_caller", "ftrace_regs_caller", "ftrace_stub",
	"ftrace_call", "ftrace_regs_call", "__fentry__",
	"ftrace_graph_caller", "return_to_handler",
	"ftrace_stub_direct_tramp",
	/* Copied for another kernel, or for the image of this one. */
	"relocate_kernel", "identity_mapped", "virtual_mapped",
	"swap_pages", "machine_kexec", "idt_invalidate",
	"restore_image", "core_restore_code", "restore_registers",
	"swsusp_arch_suspend",
	/* Run on CPUs that start or wake up. */
	"startup_32_smp",
	"secondary_startup_64", "secondary_startup_64_no_verify",
	"verify_cpu", "sev_verify_cbit", "soft_restart_cpu",
	"vc_boot_ghcb", "early_setup_idt", "setup_ghcb",
	"start_secondary", "cr4_init", "native_write_cr4",
	"native_write_cr0", "cpu_init_exception_handling",
	"load_current_idt", "wakeup_long64", "do_suspend_lowlevel",
	"wakeup_pmode_return",
	"restore_processor_state", "__restore_processor_state",
	/* Run on CPUs that are offline. */
	"play_dead_common", "native_play_dead", "mwait_play_dead",
	"hlt_play_dead", "tboot_shutdown", "sev_es_play_dead",
	"sev_es_ap_hlt_loop", "asm_acpi_mp_play_dead",
#ifdef CONFIG_PARAVIRT_XXL
	"native_load_idt",
#endif
#ifdef CONFIG_X86_32
	"__flush_tlb_all",
#endif
	/* Exits from exceptions and entries into the kernel under Xen. */
	"xen_iret", "xenpv_restore_regs_and_return_to_usermode",
	"xen_entry_SYSCALL_64",
	/* Runs on a stack of one page. */
	"__efi64_thunk",
	/* Called before handlers, or in order to call them. */
	"kgdb_ll_trap", "__kgdb_notify", "trace_hwlat_callback",
	"trace_osnoise_callback", "trace_clock_local", "sched_clock",
	"__x86_indirect_thunk_array", "__x86_indirect_thunk_rax",
	"__x86_indirect_thunk_eax", "__x86_indirect_call_thunk_array",
	"__x86_indirect_jump_thunk_array",
	"__x86_indirect_its_thunk_array",
	"__x86_indirect_its_thunk_rax", "srso_alias_untrain_ret",
	"entry_untrain_ret", "srso_safe_ret", "srso_alias_safe_ret",
	/* Without these options, empty functions may have the names. */
#ifdef CONFIG_MITIGATION_ITS
	"its_return_thunk",
#endif
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	"call_depth_return_thunk",
#endif
#ifdef CONFIG_MITIGATION_UNRET_ENTRY
	"retbleed_return_thunk",
#endif
#ifdef CONFIG_MITIGATION_SRSO
	"srso_return_thunk", "srso_alias_return_thunk",
#endif
};

KUNIT_ARRAY_PARAM(blacklisted, blacklisted, name_desc);

/*
 * Functions on the hit path, which must not call instrumentation.  The compiler
 * may have inlined any of them.
 */
static const char * const hit_path[] = {
	"kprobe_int3_handler", "x86_kprobe_hit_post", "x86_kprobe_hit_jump",
	"arch_kprobe_resume", "kprobe_site_pre_chain",
	"kprobe_site_pre_slow", "kprobe_site_post_slow",
	"kretprobe_entry", "kretprobe_entry_slow", "kretprobe_hit",
	"kprobe_ftrace_hit", "kprobe_fault",
};

static bool is_instrumentation(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !lookup_symbol_name(addr, name) &&
	       (strstarts(name, "__asan_") || strstarts(name, "__kasan_") ||
		strstarts(name, "__tsan_") || strstarts(name, "__msan_") ||
		strstarts(name, "__sanitizer_") ||
		strstarts(name, "__ubsan_") || strstarts(name, "kasan_") ||
		strstarts(name, "kcsan_") ||
		!strcmp(name, "ftrace_likely_update"));
}

static void test_hit_path_is_uninstrumented(struct kunit *test)
{
	unsigned long addr, size, at;
	unsigned int i, found = 0;
	struct insn insn;

	for (i = 0; i < ARRAY_SIZE(hit_path); i++) {
		addr = kallsyms_lookup_name(hit_path[i]);
		if (!addr || !kallsyms_lookup_size_offset(addr, &size, &at))
			continue;
		found++;
		for (at = addr; at < addr + size; at += insn.length) {
			if (insn_decode_kernel(&insn, (void *)at))
				break;
			if (insn.opcode.bytes[0] == CALL_INSN_OPCODE &&
			    is_instrumentation(at + insn.length +
					       insn.immediate.value))
				KUNIT_FAIL(test, "%s calls %pS", hit_path[i],
					   (void *)(at + insn.length +
						    insn.immediate.value));
		}
	}
	KUNIT_EXPECT_GE(test, found, 1);
}

/* A breakpoint must not hide the boundaries between instructions. */
static void test_probe_hides_no_boundary(struct kunit *test)
{
	struct kprobe first = { .addr = (kprobe_opcode_t *)probe_inside };
	struct kprobe next = KPROBE_AT(probe_inside, .offset = INSIDE_LENGTH);
	struct kprobe inside = KPROBE_AT(probe_inside, .offset = 1);

	KUNIT_ASSERT_EQ(test, register_kprobe(&first), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&next), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&inside), -EILSEQ);
	unregister_kprobe(&next);
	unregister_kprobe(&first);
}

static void test_slot_is_known(struct kunit *test)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)probe_add };
	struct kprobe_site *site;
	unsigned long slot, in_place = (unsigned long)probe_add;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	site = p.site;
	slot = (unsigned long)site->slot;
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(slot));
	KUNIT_EXPECT_TRUE(test, kernel_text_address(slot));
	/* No symbol covers the slot, so it cannot be blacklisted. */
	KUNIT_EXPECT_EQ(test, kprobe_add_ksym_blacklist(slot), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_orig_ip(slot), in_place);
	KUNIT_EXPECT_EQ(test, kprobe_orig_ip(slot + site->insn.len),
			in_place + site->insn.len);
	KUNIT_EXPECT_EQ(test, kprobe_orig_ip(in_place), in_place);
	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(in_place));
	unregister_kprobe(&p);
}

static void ignoring_post(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
}

/* The call in a slot never returns: a trap must stop speculation after it. */
static void test_post_slot_call_is_followed_by_trap(struct kunit *test)
{
	struct kprobe p = KPROBE_AT(probe_add, .post_handler = ignoring_post);
	const u8 *call;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_ASSERT_NOT_NULL(test, p.site->post_slot);
	call = p.site->post_slot + p.site->insn.len;
	KUNIT_EXPECT_EQ(test, call[0], CALL_INSN_OPCODE);
	KUNIT_EXPECT_EQ(test, call[CALL_INSN_SIZE], INT3_INSN_OPCODE);
	unregister_kprobe(&p);
}

static struct kunit_case x86_tests[] = {
	KUNIT_CASE_PARAM(test_probe_changes_no_result, code_gen_params),
	KUNIT_CASE(test_jump_changes_no_result),
	KUNIT_CASE(test_handlers_change_registers),
	KUNIT_CASE(test_post_handler_diverts),
	KUNIT_CASE_PARAM(test_fixup_works_with_probe, fault_gen_params),
	KUNIT_CASE_PARAM(test_refused_with_errno, refusal_gen_params),
	KUNIT_CASE(test_undecodable_is_refused),
	KUNIT_CASE(test_vex_move_is_no_nop),
	KUNIT_CASE(test_cfi_trap_is_refused),
	KUNIT_CASE(test_rewritten_prefix_is_refused),
	KUNIT_CASE(test_hit_path_is_uninstrumented),
	KUNIT_CASE_PARAM(test_blacklisted_is_refused, blacklisted_gen_params),
	KUNIT_CASE(test_probe_hides_no_boundary),
	KUNIT_CASE(test_slot_is_known),
	KUNIT_CASE(test_post_slot_call_is_followed_by_trap),
	{}
};

static struct kunit_suite x86_suite = {
	.name = "kprobes_x86",
	.test_cases = x86_tests,
};

kunit_test_suite(x86_suite);
