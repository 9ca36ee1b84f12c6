// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for kprobes on x86: a probed instruction must have the same
 * results as without a probe, and instructions and functions that cannot be
 * probed must be refused.
 */
#include <linux/init.h>
#include <linux/memory.h>
#include <linux/objtool.h>
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

/*
 * Faults: a fix-up works as if the instruction had faulted in place.
 * FIXED_UP(name, fixup): the code after the instruction, and its fix-up.
 */
#define FIXED_UP(name, fixup)						\
	"jmp 2f\n1: " fixup "\n2:\n" _ASM_EXTABLE(.Lprobe_##name, 1b)
CODE(fault_read, "mov $1, %eax\n mov $-0xff0, " DI, "mov (" DI "), " CX,
     FIXED_UP(fault_read, "mov $-14, %eax\n xor %ecx, %ecx"));
CODE(fault_user, "mov $1, %eax\n mov $0x10, %edi\n stac",
     "mov (" DI "), " CX,
     FIXED_UP(fault_user, "mov $-14, %eax\n xor %ecx, %ecx") "clac");
CODE(fault_div, "mov $1, %eax\n xor %edx, %edx\n xor %ecx, %ecx", "div %ecx",
     FIXED_UP(fault_div, "mov $-33, %eax\n xor %ecx, %ecx"));
CODE(fault_rep, "mov $-0xff0, " SI "\n lea -64(" SP "), " DI "\n mov $8, %ecx\n"
     "mov $3, %eax", "rep movsb",
     FIXED_UP(fault_rep, "mov %ecx, %eax") "xor %ecx, %ecx");

/* The instruction faults; its code needs SMAP, because it has STAC. */
#define FAULTS		1
#define NEEDS_SMAP	2

#ifdef CONFIG_X86_64
#include "test_x86_64.h"
#else
#include "test_x86_32.h"
#endif

/* Branches and calls by register and by memory. */
#define LOAD_LABEL(to)	"lea 1f" RIP ", " to
#define CALLED		"jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: "
CODE(call, "mov $1, %eax", "call 1f", "jmp 2f\n1: lea 5(" AX "), %eax\n"
     "mov (" SP "), " DX "\n" SAFE "ret\n2: lea 2b" RIP ", " CX "\n"
     "sub " CX ", " DX "\n xor %ecx, %ecx");
CODE(call_reg, LOAD_LABEL(AX), SAFE "call *" AX, CALLED);
CODE(call_index, LOAD_LABEL(INDEX), SAFE "call *" INDEX,
     CALLED "xor %edx, %edx");
CODE(jmp_reg, LOAD_LABEL(CX), SAFE "jmp *" CX,
     "mov $7, %eax\n1: mov $8, %ecx");
CODE(jmp_index, LOAD_LABEL(INDEX), SAFE "jmp *" INDEX,
     "mov $7, %eax\n1: xor %edx, %edx");
CODE(call_mem_sp, LOAD_LABEL(AX) "\n push " AX, SAFE "call *(" SP ")",
     CALLED "pop " CX "\n xor %ecx, %ecx");
CODE(call_mem_disp, LOAD_LABEL(AX) "\n push " AX "\n push $0\n"
     "mov " SP ", " BASE, SAFE "call *" WORD "(" BASE ")",
     CALLED "add $2 * " WORD ", " SP "\n xor %ecx, %ecx");
CODE(call_mem_sib, LOAD_LABEL(AX) "\n push " AX "\n push $0\n"
     "lea -" WORD "(" SP "), " BASE "\n mov $2, " INDEX,
     SAFE "call *(" BASE ", " INDEX ", " WORD ")",
     CALLED "add $2 * " WORD ", " SP "\n xor %ecx, %ecx\n xor %edx, %edx");
CODE(jmp_mem_index, LOAD_LABEL(AX) "\n push " AX "\n mov " SP ", " CX "\n"
     "sub $0x100, " CX, SAFE "jmp *0x100(, " CX ", 1)",
     "mov $7, %eax\n1: add $" WORD ", " SP "\n xor %eax, %eax\n"
     "xor %ecx, %ecx");

/* Data at a fixed address, which is relative to the instruction on x86-64. */
asm(".pushsection .rodata\n.balign 8\n"
    "test_target: .long 1234567, 0, 0x00ff00ff, 0x00ff00ff\n"
    ".popsection\n"
    ".pushsection .data\n.balign 8\n"
    "test_data: .quad 5\n"
    ".popsection\n");
CODE(load_static, "", "mov test_target" RIP ", " AX, "");
CODE(load_static_cx, "", "mov test_target" RIP ", " CX, "");
CODE(cmp_static, "xor %eax, %eax", "cmpl $1234567, test_target" RIP, "");
CODE(store_static, "", _ASM_MOV " $77, test_data" RIP,
     "mov test_data" RIP ", " AX "\n movl $5, test_data" RIP);
CODE(load_percpu, "", "mov %" __stringify(__percpu_seg) ":this_cpu_off" RIP
     ", " AX, "xor %eax, %eax");

CODE(pop_saved, "push " SAVED "\n push " SI, "pop " SAVED,
     "mov " SAVED ", " AX "\n pop " SAVED);
CODE(mov_imm, "", "mov $" __stringify(MOV_IMM_VALUE) ", " AX, "");
CODE(longest, "mov " SP ", " CX "\n push " DI,
     ".byte 0x2e, 0x2e, 0x2e, " LAST_PREFIX ", 0x81, 0x84, 0x24\n"
     ".long 0, 0x1234", "pop " AX "\n xor %ecx, %ecx");
CODE(rep_stos, "push " DI "\n push " SI "\n mov " SP ", " DI "\n"
     "mov $2, %ecx\n mov $0x55, %eax", "rep " __ASM_SIZE(stos),
     "pop " DX "\n pop " AX);

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
	ENTRY(rep_movsb), ENTRY(lahf), ENTRY(call), ENTRY(call_reg),
	ENTRY(call_index), ENTRY(jmp_reg), ENTRY(jmp_index),
	ENTRY(call_mem_sp), ENTRY(call_mem_disp), ENTRY(call_mem_sib),
	ENTRY(jmp_mem_index), ENTRY(load_static), ENTRY(load_static_cx),
	ENTRY(cmp_static), ENTRY(store_static), ENTRY(load_percpu),
	ENTRY(pop_saved), ENTRY(mov_imm), ENTRY(longest), ENTRY(rep_stos),
	ENTRY(fault_read, FAULTS), ENTRY(fault_user, FAULTS | NEEDS_SMAP),
	ENTRY(fault_div, FAULTS), ENTRY(fault_rep, FAULTS), CODES_OF_WIDTH
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

/*
 * Flags may depend on the stack pointer, so results to be compared must come
 * from calls in one function.
 */
static noinline void run_all(const struct code_case *code,
			     struct result *results)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		run_code(code, arguments[i / 32][0], arguments[i / 32][1],
			 flags_number(i % 32), &results[i]);
}

static void expect_same(struct kunit *test, const struct code_case *code,
			const struct result *probed,
			const struct result *plain, const struct counted *c)
{
	KUNIT_EXPECT_MEMEQ_MSG(test, probed, plain, ROUNDS * sizeof(*plain),
			       "%s", code->name);
	/* A loop may hit the probe more often. */
	KUNIT_EXPECT_GE(test, c->pre, ROUNDS);
	KUNIT_EXPECT_EQ(test, c->astray, 0);
	KUNIT_EXPECT_EQ(test, c->probe.nmissed, 0);
}

static bool can_run(const struct code_case *code)
{
	return !(code->flags & NEEDS_SMAP) ||
	       cpu_feature_enabled(X86_FEATURE_SMAP);
}

static void test_probe_changes_no_result(struct kunit *test)
{
	const struct code_case *code = test->param_value;
	struct result *plain, *probed;
	struct counted *c;
	int post;

	if (!can_run(code))
		kunit_skip(test, "this CPU has no SMAP, and so no STAC");
	plain = alloc_for_test(test, 2 * ROUNDS * sizeof(*plain));
	probed = plain + ROUNDS;
	run_all(code, plain);
	kprobe_set_jumps(false);
	for (post = 0; post <= 1; post++) {
		c = PROBED(test, *code->probe,
			   .probe.post_handler = post ? counted_post : NULL);
		KUNIT_EXPECT_EQ(test, (int)**code->probe & 0xff,
				INT3_INSN_OPCODE);
		run_all(code, probed);
		expect_same(test, code, probed, plain, c);
		unregister_kprobe(&c->probe);
		KUNIT_EXPECT_EQ(test, c->post,
				post && !(code->flags & FAULTS) ? c->pre : 0);
	}
	kprobe_set_jumps(true);
}

/* All instructions are probed at once, with jumps where possible. */
static void test_jump_changes_no_result(struct kunit *test)
{
	unsigned int i, nr = 0, jumps = 0;
	struct result *plain, *probed;
	struct counted *counted;
	struct kprobe **ps;

	plain = alloc_for_test(test, (ARRAY_SIZE(codes) + 1) * ROUNDS *
			       sizeof(*plain));
	probed = plain + ARRAY_SIZE(codes) * ROUNDS;
	counted = kunit_kcalloc(test, ARRAY_SIZE(codes), sizeof(*counted),
				GFP_KERNEL);
	ps = kunit_kcalloc(test, ARRAY_SIZE(codes), sizeof(*ps), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, counted);
	KUNIT_ASSERT_NOT_NULL(test, ps);

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		if (!can_run(&codes[i]))
			continue;
		run_all(&codes[i], plain + i * ROUNDS);
		counted[i] = COUNTED(*codes[i].probe);
		ps[nr++] = &counted[i].probe;
	}
	KUNIT_ASSERT_EQ(test, register_kprobes(ps, nr), 0);
	wait_for_kprobe_optimizer();
	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		if (!can_run(&codes[i]))
			continue;
		jumps += kprobe_optimized(&counted[i].probe);
		run_all(&codes[i], probed);
		expect_same(test, &codes[i], probed, plain + i * ROUNDS,
			    &counted[i]);
	}
	unregister_kprobes(ps, nr);
	/* Calls and instructions before a branch target get no jump. */
	if (!in_xen_pv())
		KUNIT_EXPECT_GT(test, jumps, nr / 3);
	kunit_info(test, "%u jumps of %u", jumps, nr);
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
	static const struct code_case code = ENTRY(mov_32);
	struct result plain, r;

	run_code(&code, 7, 0, flags_number(0), &plain);
	PROBED(test, probe_mov_32, .probe.pre_handler = change_pre,
	       .probe.post_handler = change_post);
	run_code(&code, 7, 0, flags_number(0), &r);
	KUNIT_EXPECT_EQ(test, plain.ax, 7);
	KUNIT_EXPECT_EQ(test, r.ax, 42);
	/* The length of the instruction. */
	KUNIT_EXPECT_EQ(test, r.cx, 2);
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
	static const struct code_case code = ENTRY(mov_32);
	struct result r;

	PROBED(test, probe_mov_32, .probe.post_handler = elsewhere_post);
	run_code(&code, 7, 0, flags_number(0), &r);
	KUNIT_EXPECT_EQ(test, r.ax, MOV_IMM_VALUE);
}

/*
 * X(name, errno, instruction): refused instructions, which are never executed.
 * The decoder misses the ModRM byte of those with -EILSEQ: it decodes two
 * instructions.
 */
#define REFUSALS(X) LIST(						\
	X(int3_, -EINVAL, "int3")					\
	X(int_n, -EINVAL, "int $0x80")					\
	X(icebp, -EINVAL, ".byte 0xf1")					\
	X(ud2, -EINVAL, "ud2")						\
	X(ud1, -EINVAL, ".byte 0x0f, 0xb9, 0x00")			\
	X(nop_modrm, -EILSEQ, ".byte 0x0f, 0x19, 0xf8")			\
	X(movntss, -EILSEQ, ".byte 0xf3, 0x0f, 0x2b, 0x50, 0x90")	\
	X(unknown_38, -EILSEQ, ".byte 0x0f, 0x38, 0xff, 0x50, 0x90")	\
	X(hlt, -EOPNOTSUPP, "hlt")					\
	X(mwait, -EOPNOTSUPP, ".byte 0x0f, 0x01, 0xc9")			\
	X(ljmp, -EOPNOTSUPP, "ljmp *(" AX ")")				\
	X(lcall, -EOPNOTSUPP, SAFE "lcall *(" AX ")")			\
	X(sysenter, -EOPNOTSUPP, "sysenter")				\
	X(xbegin, -EOPNOTSUPP, ".byte 0xc7, 0xf8, 0, 0, 0, 0"))
#define DEFINE_REFUSED(name, errno, insn)	CODE(name, "", insn, "nop");
REFUSALS(DEFINE_REFUSED)
REFUSALS_OF_WIDTH(DEFINE_REFUSED)

CODE(sti_hlt, "", "sti", "hlt");
CODE(hlt_after_sti, "sti", "hlt", "nop");
CODE(mwait_after_sti, "sti", ".byte 0x0f, 0x01, 0xc9", "nop");
CODE(inside, "nop", "mov $0x90909090, %eax", "nop");
#define INSIDE_LENGTH	5
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
	REFUSALS(REFUSED_CASE)
	REFUSALS_OF_WIDTH(REFUSED_CASE)
	REFUSED(sti_hlt, -EOPNOTSUPP),
	REFUSED(hlt_after_sti, -EOPNOTSUPP),
	REFUSED(mwait_after_sti, -EOPNOTSUPP),
#ifdef CONFIG_X86_64
	REFUSED(type_movl, -EINVAL),
	REFUSED(type_addl, -EINVAL),
#endif
	REFUSED(pad_nop, -EINVAL),
	{ "padding, further in", &probe_pad_nop, 7, -EINVAL },
	REFUSED(pad_int3, -EINVAL),
	{ "trap padding, further in", &probe_pad_int3, 7, -EINVAL },
	{ "inside, byte 1", &probe_inside, 1, -EILSEQ },
	{ "inside, byte 2", &probe_inside, 2, -EILSEQ },
	{ "inside, last byte", &probe_inside, INSIDE_LENGTH - 1, -EILSEQ },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusal_cases, name);

/* Bytes that objtool would reject in the text; they are never executed. */
CODE(written, "", ".rept 15\n nop\n .endr", "nop");

/* movl $0x4030201, %r10d; addl -15(%r11), %r10d; jne . + 3; test $0xd6, %al */
#define JNE_UDB	"\x41\xba\1\2\3\4\x45\x03\x53\xf1\x75\1\xa8\xd6"

static const struct written_case {
	const char *name;
	const char *text;
	unsigned int offset;
	int errno;
} written_cases[] = {
	{ "ANDN without its prefix", "\x0f\x38\xf2\xc0", 0, -EILSEQ },
	/* With a VEX prefix, 0x90 moves a mask: it is no NOP. */
	{ "kmovw %k0, %k1", "\xc5\xf8\x90\xc8", 0, 0 },
	/* Traps of type checks that jump into an instruction. */
	{ "jne . - 1, to LOCK", "\x8d\x5b\xf0\x75\xfd", 3, -EINVAL },
#ifdef CONFIG_X86_64
	{ "movl before jne", JNE_UDB, 0, -EINVAL },
	{ "addl before jne", JNE_UDB, 6, -EINVAL },
#endif
};

KUNIT_ARRAY_PARAM_DESC(written, written_cases, name);

static void test_written_text_is_recognized(struct kunit *test)
{
	const struct written_case *c = test->param_value;
	struct counted p = COUNTED(probe_written + c->offset);
	u8 before[15];
	int ret;

	memcpy(before, probe_written, sizeof(before));
	write_text(probe_written, c->text, strlen(c->text));
	ret = register_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, ret, c->errno);
	if (!ret) {
		/* A NOP needs none. */
		KUNIT_EXPECT_NOT_NULL(test, p.probe.site->slot);
		unregister_kprobe(&p.probe);
	}
	write_text(probe_written, before, sizeof(before));
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
	struct kprobe inside = KPROBE_AT(probe_inside, .offset = 1);

	PROBED(test, probe_inside);
	PROBED(test, probe_inside, .probe.offset = INSIDE_LENGTH);
	KUNIT_EXPECT_EQ(test, register_kprobe(&inside), -EILSEQ);
}

static void test_slot_is_known(struct kunit *test)
{
	struct kprobe_site *site = PROBED(test, probe_add)->probe.site;
	unsigned long slot = (unsigned long)site->slot;
	unsigned long in_place = (unsigned long)probe_add;

	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(slot));
	KUNIT_EXPECT_TRUE(test, kernel_text_address(slot));
	/* No symbol covers the slot, so it cannot be blacklisted. */
	KUNIT_EXPECT_EQ(test, kprobe_add_ksym_blacklist(slot), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_orig_ip(slot), in_place);
	KUNIT_EXPECT_EQ(test, kprobe_orig_ip(slot + site->insn.len),
			in_place + site->insn.len);
	KUNIT_EXPECT_EQ(test, kprobe_orig_ip(in_place), in_place);
	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(in_place));
}

/* The call in a slot never returns: a trap must stop speculation after it. */
static void test_post_slot_call_is_followed_by_trap(struct kunit *test)
{
	struct counted *p = PROBED(test, probe_add,
				   .probe.post_handler = counted_post);
	struct kprobe_site *site = p->probe.site;
	const u8 *call;

	KUNIT_ASSERT_NOT_NULL(test, site->post_slot);
	call = site->post_slot + site->insn.len;
	KUNIT_EXPECT_EQ(test, call[0], CALL_INSN_OPCODE);
	KUNIT_EXPECT_EQ(test, call[CALL_INSN_SIZE], INT3_INSN_OPCODE);
}

static struct kunit_case x86_tests[] = {
	KUNIT_CASE_PARAM(test_probe_changes_no_result, code_gen_params),
	KUNIT_CASE(test_jump_changes_no_result),
	KUNIT_CASE(test_handlers_change_registers),
	KUNIT_CASE(test_post_handler_diverts),
	KUNIT_CASE_PARAM(test_refused_with_errno, refusal_gen_params),
	KUNIT_CASE_PARAM(test_written_text_is_recognized, written_gen_params),
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
