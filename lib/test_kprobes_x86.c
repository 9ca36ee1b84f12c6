// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suites for kprobes on x86-64: each class of instructions does with a
 * probe on it what it does without, and what cannot be probed is refused.
 */
#include <kunit/test.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_backend.h>
#include <linux/objtool.h>
#include <linux/slab.h>
#include <asm/asm.h>
#include <asm/ibt.h>
#include <asm/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/processor-flags.h>
#include <asm/text-patching.h>

/*
 * A label that is no symbol, lest it be taken for the entry of a function,
 * and a variable that tells where it is.
 */
#define POINTER_TO(name)						\
	".pushsection .data\n"						\
	".balign 8\n"							\
	"probe_" #name ": .quad .Lprobe_" #name "\n"			\
	".popsection\n"

/*
 * CODE(name, before, probed, after): a function of its own around the probed
 * instruction, which stands where probe_<name> points.  Arguments come in
 * rdi and rsi; results are rax, rcx, rdx and the flags.  objtool is not asked
 * about what these do to the stack.  In front of an ENDBR that nobody calls the
 * kernel wipes out what should be a type: ASM_FUNC_ALIGN has room for that.
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
	    POINTER_TO(name));						\
	extern char code_##name[], *probe_##name;			\
	STACK_FRAME_NON_STANDARD(code_##name)

/* A conditional branch, short and long. */
#define JCC(cc, number)							\
	CODE(j##cc##_short, "mov $1, %eax", "j" #cc " 1f",		\
	     "mov $2, %eax\n1:");					\
	CODE(j##cc##_near, "mov $1, %eax",				\
	     ".byte 0x0f, 0x80 + " #number "\n.long 1f - . - 4",	\
	     "mov $2, %eax\n1:")

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

#define SAFE	ANNOTATE_RETPOLINE_SAFE

CODE(jmp_short, "mov $1, %eax", "jmp 1f", "mov $2, %eax\n1:");
CODE(jmp_near, "mov $1, %eax", ".byte 0xe9\n.long 1f - . - 4",
     "mov $2, %eax\n1:");
CODE(jmp_cs, "mov $1, %eax", ".byte 0x2e, 0xe9\n.long 1f - . - 4",
     "mov $2, %eax\n1:");
CODE(loop, "lea 1(%rdi), %rcx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: inc %eax", "loop 1b", "");
CODE(loope, "mov %rdi, %rcx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: lea 1(%rax), %eax\n cmp $3, %eax", "loope 1b", "");
CODE(loopne, "mov %rdi, %rcx\n and $7, %ecx\n or $1, %ecx\n xor %eax, %eax\n"
     "1: lea 1(%rax), %eax\n cmp $3, %eax", "loopne 1b", "");
CODE(jrcxz, "mov $1, %eax\n mov %rdi, %rcx", "jrcxz 1f", "mov $2, %eax\n1:");
CODE(jecxz, "mov $1, %eax\n mov %rdi, %rcx", "jecxz 1f", "mov $2, %eax\n1:");
CODE(call, "mov $1, %eax", "call 1f", "jmp 2f\n1: lea 5(%rax), %eax\n"
     "mov (%rsp), %rdx\n" SAFE "ret\n2: lea 2b(%rip), %rcx\n sub %rcx, %rdx\n"
     "xor %ecx, %ecx");
CODE(call_reg, "lea 1f(%rip), %rax", SAFE "call *%rax",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2:");
CODE(call_r11, "lea 1f(%rip), %r11", SAFE "call *%r11",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2:");
CODE(jmp_reg, "lea 1f(%rip), %rcx", SAFE "jmp *%rcx",
     "mov $7, %eax\n1: mov $8, %ecx");
CODE(jmp_r8, "lea 1f(%rip), %r8", SAFE "jmp *%r8", "mov $7, %eax\n1:");
CODE(call_mem_sp, "lea 1f(%rip), %rax\n push %rax", SAFE "call *(%rsp)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: pop %rcx\n xor %ecx, %ecx");
CODE(call_mem_disp, "lea 1f(%rip), %rax\n push %rax\n push $0\n mov %rsp, %r9",
     SAFE "call *8(%r9)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: add $16, %rsp");
CODE(call_mem_sib, "lea 1f(%rip), %rax\n push %rax\n push $0\n"
     "lea -8(%rsp), %r10\n mov $2, %r8d",
     SAFE "call *(%r10, %r8, 8)",
     "jmp 2f\n1: mov $7, %eax\n" SAFE "ret\n2: add $16, %rsp");
CODE(jmp_mem_index, "lea 1f(%rip), %rax\n push %rax\n mov %rsp, %rcx\n"
     "sub $0x100, %rcx", SAFE "jmp *0x100(, %rcx, 1)",
     "mov $7, %eax\n1: add $8, %rsp\n xor %eax, %eax\n xor %ecx, %ecx");
CODE(ret, "call 1f\n jmp 2f\n1: mov $3, %eax", SAFE "ret", "2:");
CODE(ret_imm, "push $1\n push $2\n call 1f\n jmp 2f\n1: mov $3, %eax",
     SAFE "ret $8", "2: pop %rdx");

asm(".pushsection .rodata\n.balign 8\n"
    "test_rip_target: .quad 1234567, 0x00ff00ff00ff00ff\n"
    ".popsection\n"
    ".pushsection .data\n.balign 8\n"
    "test_rip_data: .quad 5\n"
    ".popsection\n");
CODE(rip_load, "", "mov test_rip_target(%rip), %rax", "");
CODE(rip_lea, "", "lea .Lprobe_rip_lea(%rip), %rax",
     "lea .Lprobe_rip_lea(%rip), %rcx\n sub %rcx, %rax\n xor %ecx, %ecx");
CODE(rip_cmp_imm, "xor %eax, %eax", "cmpl $1234567, test_rip_target(%rip)", "");
CODE(rip_store_imm, "", "movq $77, test_rip_data(%rip)",
     "mov test_rip_data(%rip), %rax\n movq $5, test_rip_data(%rip)");
CODE(rip_sse, "", "prefetcht0 test_rip_target(%rip)", "");

CODE(push_reg, "", "push %rdi", "pop %rax");
CODE(push_sp, "mov %rsp, %rcx", "push %rsp",
     "pop %rax\n sub %rcx, %rax\n xor %ecx, %ecx");
CODE(pop_reg, "push %rsi", "pop %rax", "");
CODE(pop_r12, "push %r12\n push %rsi", "pop %r12", "mov %r12, %rax\n pop %r12");
CODE(pop_sp, "mov %rsp, %rcx\n push %rcx", "pop %rsp", "xor %ecx, %ecx");
CODE(push_imm8, "", "push $-5", "pop %rax");
CODE(push_imm32, "", "push $0x12345678", "pop %rax");
CODE(push_mem, "push %rdi", "push (%rsp)", "pop %rax\n pop %rcx");
CODE(pop_mem, "push %rdi\n push %rsi", "pop (%rsp)", "pop %rax");
CODE(leave, "push %rbp\n mov %rsp, %rbp\n sub $32, %rsp", "leave", "");
CODE(enter, "", "enter $16, $0", "leave");
CODE(pushf, "", "pushf", "pop %rax\n and $0xfffffffffffffdff, %rax");
CODE(popf, "mov %rdi, %rax\n and $0x8d5, %eax\n or $0x202, %eax\n push %rax",
     "popf", "");
CODE(cli, "pushf", "cli", "pushf\n pop %rax\n popf\n and $0x200, %eax");
CODE(sti, "pushf\n cli", "sti", "pushf\n pop %rax\n popf\n and $0x200, %eax");
CODE(std, "", "std", "pushf\n pop %rax\n cld\n and $0x400, %eax");

CODE(mov_reg, "", "mov %rdi, %rax", "");
CODE(mov_imm64, "", "movabs $0x1122334455667788, %rax", "");
CODE(add, "mov %rdi, %rax", "add %rsi, %rax", "");
CODE(sub8, "mov %rdi, %rax", "sub %sil, %al", "");
CODE(adc, "mov %rdi, %rax", "adc %rsi, %rax", "");
CODE(imul, "mov %rdi, %rax", "imul %rsi, %rax", "test %eax, %eax");
CODE(mul, "mov %rdi, %rax", "mul %rsi", "test %eax, %eax");
CODE(div, "mov %rdi, %rax\n xor %edx, %edx\n mov %rsi, %rcx\n or $1, %rcx",
     "div %rcx", "test %eax, %eax");
CODE(shl, "mov %rdi, %rax\n mov %rsi, %rcx", "shl %cl, %rax",
     "test %eax, %eax");
CODE(cmov, "mov %rdi, %rax", "cmovc %rsi, %rax", "");
CODE(setcc, "mov %rdi, %rax", "setbe %al", "");
CODE(bswap, "mov %rdi, %rax", "bswap %rax", "");
CODE(xchg, "mov %rdi, %rax\n mov %rsi, %rdx", "xchg %rax, %rdx", "");
CODE(xchg_r8, "mov %rdi, %rax\n mov %rsi, %r8", "xchg %r8, %rax", "");
CODE(op16, "mov %rdi, %rax", "addw $0x1234, %ax", "");
CODE(lock_xadd, "push %rdi\n mov %rsi, %rax", "lock xadd %rax, (%rsp)",
     "pop %rdx");
CODE(lock_cmpxchg, "push %rdi\n mov %rsi, %rax", "lock cmpxchg %rdi, (%rsp)",
     "pop %rdx");
CODE(bts, "mov %rdi, %rax", "bts $5, %rax", "test %eax, %eax");
CODE(longest, "mov %rsp, %rcx\n push %rdi",
     ".byte 0x2e, 0x2e, 0x2e, 0x48, 0x81, 0x84, 0x24\n.long 0, 0x1234",
     "pop %rax\n xor %ecx, %ecx");
CODE(nop1, "mov %rdi, %rax", "nop", "");
CODE(nop5, "mov %rdi, %rax", ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00", "");
CODE(nop9, "mov %rdi, %rax",
     ".byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00", "");
CODE(pause, "mov %rdi, %rax", "pause", "");
CODE(endbr, "mov %rdi, %rax", "endbr64", "");
CODE(cpuid, "push %rbx\n xor %eax, %eax\n xor %ecx, %ecx", "cpuid", "pop %rbx");
CODE(gs_load, "", "mov %gs:0, %rax", "xor %eax, %eax");
CODE(movsb, "push %rdi\n push %rsi\n mov %rsp, %rsi\n lea 8(%rsp), %rdi",
     "movsb", "pop %rcx\n pop %rax");
CODE(rep_movsb, "push %rdi\n push %rsi\n mov %rsp, %rsi\n lea 8(%rsp), %rdi\n"
     "mov $5, %ecx", "rep movsb", "pop %rdx\n pop %rax");
CODE(rep_stosq, "push %rdi\n push %rsi\n mov %rsp, %rdi\n mov $2, %ecx\n"
     "mov $0x55, %eax", "rep stosq", "pop %rdx\n pop %rax");
CODE(lahf, "xor %eax, %eax\n sahf", "lahf", "");

struct code {
	const char *name;
	char *function;
	char **probe;
};

#define ENTRY(n)	{ #n, code_##n, &probe_##n }
#define ENTRY_JCC(cc)	ENTRY(j##cc##_short), ENTRY(j##cc##_near)

static const struct code codes[] = {
	ENTRY_JCC(o), ENTRY_JCC(no), ENTRY_JCC(b), ENTRY_JCC(ae),
	ENTRY_JCC(e), ENTRY_JCC(ne), ENTRY_JCC(be), ENTRY_JCC(a),
	ENTRY_JCC(s), ENTRY_JCC(ns), ENTRY_JCC(p), ENTRY_JCC(np),
	ENTRY_JCC(l), ENTRY_JCC(ge), ENTRY_JCC(le), ENTRY_JCC(g),
	ENTRY(jmp_short), ENTRY(jmp_near), ENTRY(jmp_cs), ENTRY(loop),
	ENTRY(loope), ENTRY(loopne), ENTRY(jrcxz), ENTRY(jecxz),
	ENTRY(call), ENTRY(call_reg), ENTRY(call_r11), ENTRY(jmp_reg),
	ENTRY(jmp_r8), ENTRY(call_mem_sp), ENTRY(call_mem_disp),
	ENTRY(call_mem_sib), ENTRY(jmp_mem_index), ENTRY(ret),
	ENTRY(ret_imm), ENTRY(rip_load), ENTRY(rip_lea),
	ENTRY(rip_cmp_imm), ENTRY(rip_store_imm), ENTRY(rip_sse),
	ENTRY(push_reg), ENTRY(push_sp), ENTRY(pop_reg), ENTRY(pop_r12),
	ENTRY(pop_sp), ENTRY(push_imm8), ENTRY(push_imm32),
	ENTRY(push_mem), ENTRY(pop_mem), ENTRY(leave), ENTRY(enter),
	ENTRY(pushf), ENTRY(popf), ENTRY(cli), ENTRY(sti), ENTRY(std),
	ENTRY(mov_reg), ENTRY(mov_imm64), ENTRY(add), ENTRY(sub8),
	ENTRY(adc), ENTRY(imul), ENTRY(mul), ENTRY(div), ENTRY(shl),
	ENTRY(cmov), ENTRY(setcc), ENTRY(bswap), ENTRY(xchg),
	ENTRY(xchg_r8), ENTRY(op16), ENTRY(lock_xadd),
	ENTRY(lock_cmpxchg), ENTRY(bts), ENTRY(longest), ENTRY(nop1),
	ENTRY(nop5), ENTRY(nop9), ENTRY(pause), ENTRY(endbr),
	ENTRY(cpuid), ENTRY(gs_load), ENTRY(movsb), ENTRY(rep_movsb),
	ENTRY(rep_stosq), ENTRY(lahf),
};

KUNIT_ARRAY_PARAM_DESC(code, codes, name);

struct result {
	unsigned long ax, cx, dx, flags;
};

#define FLAGS	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_ZF |	\
		 X86_EFLAGS_SF | X86_EFLAGS_OF)

/* Calls @code with arguments and flags; interrupts stay as they are. */
static void run_code(const struct code *code, unsigned long a, unsigned long b,
		     unsigned long flags, struct result *r)
{
	unsigned long function = (unsigned long)code->function;
	unsigned long ax = 0, cx = 0, dx = 0;

	asm volatile("push %[flags]\n\t"
		     "popf\n\t"
		     ANNOTATE_RETPOLINE_SAFE
		     "call *%[function]\n\t"
		     "pushf\n\t"
		     "pop %[flags]\n\t"
		     "cld\n\t"
		     : "+a" (ax), "+c" (cx), "+d" (dx), "+D" (a), "+S" (b),
		       [flags] "+b" (flags), [function] "+r" (function),
		       ASM_CALL_CONSTRAINT
		     :: "r8", "r9", "r10", "r11", "memory", "cc");
	*r = (struct result) { ax, cx, dx, flags & (FLAGS | X86_EFLAGS_DF) };
}

static const unsigned long arguments[][2] = {
	{ 0, 0 }, { 1, 2 }, { 0x8000000000000000, 0x8000000000000000 },
	{ 0x123456789abcdef0, 0xfedcba9876543210 }, { 0xffffffff00000000, 7 },
};

/* Every combination of the flags that conditions look at. */
static unsigned long flags_number(unsigned int n)
{
	return X86_EFLAGS_FIXED | X86_EFLAGS_IF |
	       (n & 1 ? X86_EFLAGS_CF : 0) | (n & 2 ? X86_EFLAGS_PF : 0) |
	       (n & 4 ? X86_EFLAGS_ZF : 0) | (n & 8 ? X86_EFLAGS_SF : 0) |
	       (n & 16 ? X86_EFLAGS_OF : 0);
}

#define ROUNDS	(32 * ARRAY_SIZE(arguments))

static void run_all(const struct code *code, struct result *results)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		const unsigned long *args = arguments[i / 32];

		run_code(code, args[0], args[1], flags_number(i % 32),
			 &results[i]);
	}
}

struct counted {
	struct kprobe probe;
	unsigned int pre;
	unsigned int post;
	unsigned int astray;
};

static int counted_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counted *c = container_of(p, struct counted, probe);

	c->pre++;
	if (regs->ip != (unsigned long)p->addr)
		c->astray++;
	return 0;
}

static void counted_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	container_of(p, struct counted, probe)->post++;
}

static void test_code(struct kunit *test)
{
	const struct code *code = test->param_value;
	struct result *plain, *probed;
	int post;

	plain = kunit_kcalloc(test, ROUNDS, sizeof(*plain), GFP_KERNEL);
	probed = kunit_kcalloc(test, ROUNDS, sizeof(*probed), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, probed);

	run_all(code, plain);
	for (post = 0; post <= 1; post++) {
		struct counted c = {
			.probe.addr = (kprobe_opcode_t *)*code->probe,
			.probe.pre_handler = counted_pre,
			.probe.post_handler = post ? counted_post : NULL,
		};

		KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
		KUNIT_EXPECT_EQ(test, (int)**code->probe & 0xff,
				INT3_INSN_OPCODE);
		run_all(code, probed);
		unregister_kprobe(&c.probe);

		KUNIT_EXPECT_MEMEQ(test, probed, plain,
				   ROUNDS * sizeof(*plain));
		/* A loop may come by more often. */
		KUNIT_EXPECT_GE(test, c.pre, ROUNDS);
		KUNIT_EXPECT_EQ(test, c.post, post ? c.pre : 0);
		KUNIT_EXPECT_EQ(test, c.astray, 0);
		KUNIT_EXPECT_EQ(test, c.probe.nmissed, 0);
	}
}

/* All of them at once, with jumps wherever that is possible. */
static void test_codes_by_jump(struct kunit *test)
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
	/* The others are calls, or have their way in right behind. */
	if (IS_ENABLED(CONFIG_OPTPROBES))
		KUNIT_EXPECT_GT(test, jumps, ARRAY_SIZE(codes) / 3);
	kunit_info(test, "%u jumps of %zu", jumps, ARRAY_SIZE(codes));
	kvfree(plain);
}

/* Handlers' changes of registers take effect. */
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

static void test_change_registers(struct kunit *test)
{
	static const struct code code = ENTRY(mov_reg);
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_mov_reg,
		.pre_handler = change_pre,
		.post_handler = change_post,
	};
	struct result plain, r;

	run_code(&code, 7, 0, flags_number(0), &plain);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	run_code(&code, 7, 0, flags_number(0), &r);
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, plain.ax, 7);
	KUNIT_EXPECT_EQ(test, r.ax, 42);
	KUNIT_EXPECT_EQ(test, r.cx, 3);
	KUNIT_EXPECT_EQ(test, r.flags, plain.flags ^ X86_EFLAGS_CF);
}

/* A post handler may send execution elsewhere. */
static void elsewhere_post(struct kprobe *p, struct pt_regs *regs,
			   unsigned long flags)
{
	regs->ip = (unsigned long)code_mov_imm64;
}

static void test_post_moves_ip(struct kunit *test)
{
	static const struct code code = ENTRY(mov_reg);
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_mov_reg,
		.post_handler = elsewhere_post,
	};
	struct result r;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	run_code(&code, 7, 0, flags_number(0), &r);
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, r.ax, 0x1122334455667788);
}

/*
 * Faults: a fix-up works as if the instruction had faulted in place.
 */
CODE(fault_read, "mov $1, %eax", "mov (%rdi), %rcx",
     "jmp 2f\n1: mov $-14, %rax\n xor %ecx, %ecx\n2:\n"
     _ASM_EXTABLE(.Lprobe_fault_read, 1b));
CODE(fault_user, "mov $1, %eax\n stac", "mov (%rdi), %rcx",
     "jmp 2f\n1: mov $-14, %rax\n xor %ecx, %ecx\n2: clac\n"
     _ASM_EXTABLE(.Lprobe_fault_user, 1b));
CODE(fault_div, "mov $1, %eax\n xor %edx, %edx\n xor %ecx, %ecx", "div %ecx",
     "jmp 2f\n1: mov $-33, %rax\n2:\n" _ASM_EXTABLE(.Lprobe_fault_div, 1b));
CODE(fault_rep, "mov $-0xff0, %rsi\n lea -64(%rsp), %rdi\n mov $8, %ecx\n"
     "mov $3, %eax", "rep movsb",
     "jmp 2f\n1: mov %rcx, %rax\n2: xor %ecx, %ecx\n"
     _ASM_EXTABLE(.Lprobe_fault_rep, 1b));

struct fault_case {
	struct code code;
	unsigned long argument;
	unsigned long expected;
};

static const struct fault_case fault_cases[] = {
	{ ENTRY(fault_read), -0xff0UL, -EFAULT },	/* page fault */
	{ ENTRY(fault_read), 0x8000000000000000, -EFAULT },	/* #GP */
	{ ENTRY(fault_user), 0x10, -EFAULT },
	{ ENTRY(fault_div), 0, -EDOM },
	{ ENTRY(fault_rep), 0, 8 },
};

static void fault_desc(const struct fault_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %lx", c->code.name,
		 c->argument);
}

KUNIT_ARRAY_PARAM(fault, fault_cases, fault_desc);

static void test_fault(struct kunit *test)
{
	const struct fault_case *c = test->param_value;
	int post;

	if (c->code.probe == &probe_fault_user &&
	    !cpu_feature_enabled(X86_FEATURE_SMAP))
		kunit_skip(test, "no SMAP, no STAC");

	for (post = 0; post <= 1; post++) {
		struct counted counted = {
			.probe.addr = (kprobe_opcode_t *)*c->code.probe,
			.probe.pre_handler = counted_pre,
			.probe.post_handler = post ? counted_post : NULL,
		};
		struct result r;

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
 * Refusals.  None of these is ever executed.
 */
CODE(int3_, "", "int3", "nop");
CODE(int_n, "", "int $0x80", "nop");
CODE(icebp, "", ".byte 0xf1", "nop");
CODE(ud2, "", "ud2", "nop");
CODE(ud1, "", ".byte 0x0f, 0xb9, 0x00", "nop");
CODE(iret, "", "iretq", "nop");
CODE(lret, "", "lretq", "nop");
CODE(ljmp, "", "ljmp *(%rax)", "nop");
CODE(lcall, "", "lcall *(%rax)", "nop");
CODE(syscall, "", "syscall", "nop");
CODE(sysret, "", "sysretq", "nop");
CODE(sysenter, "", "sysenter", "nop");
CODE(swapgs, "", "swapgs", "nop");
CODE(xbegin, "", ".byte 0xc7, 0xf8, 0, 0, 0, 0", "nop");
CODE(data16_call, "", ".byte 0x66, 0xe8, 0, 0, 0, 0", "nop");
CODE(call_gs, "", SAFE "call *%gs:(%rax)", "nop");
CODE(call_eax_mem, "", SAFE "call *(%eax)", "nop");
CODE(inside, "nop", "movabs $0x9090909090909090, %rax", "nop");

asm(".pushsection .text\n.balign 64\n"
    ".type code_pad_nop, @function\n"
    "code_pad_nop: xor %eax, %eax\n " ASM_RET
    ".Lprobe_pad_nop: .skip 20, 0x90\n"
    ".size code_pad_nop, . - code_pad_nop\n"
    ".type code_pad_int3, @function\n"
    "code_pad_int3: xor %eax, %eax\n " ASM_RET
    ".Lprobe_pad_int3: .skip 20, 0xcc\n"
    ".size code_pad_int3, . - code_pad_int3\n"
    ".type code_behind_pad, @function\n"
    "code_behind_pad: " ASM_RET
    ".size code_behind_pad, . - code_behind_pad\n"
    ".popsection\n"
    POINTER_TO(pad_nop) POINTER_TO(pad_int3));
extern char code_pad_nop[], *probe_pad_nop;
extern char code_pad_int3[], *probe_pad_int3;
STACK_FRAME_NON_STANDARD(code_pad_nop);
STACK_FRAME_NON_STANDARD(code_pad_int3);

struct refusal_case {
	const char *name;
	char **addr;
	unsigned int offset;
	int expected;
};

#define REFUSED(n, error)	{ #n, &probe_##n, 0, error }

static const struct refusal_case refusal_cases[] = {
	REFUSED(int3_, -EINVAL),
	REFUSED(int_n, -EINVAL),
	REFUSED(icebp, -EINVAL),
	REFUSED(ud2, -EINVAL),
	REFUSED(ud1, -EINVAL),
	REFUSED(iret, -EOPNOTSUPP),
	REFUSED(lret, -EOPNOTSUPP),
	REFUSED(ljmp, -EOPNOTSUPP),
	REFUSED(lcall, -EOPNOTSUPP),
	REFUSED(syscall, -EOPNOTSUPP),
	REFUSED(sysret, -EOPNOTSUPP),
	REFUSED(sysenter, -EOPNOTSUPP),
	REFUSED(swapgs, -EOPNOTSUPP),
	REFUSED(xbegin, -EOPNOTSUPP),
	REFUSED(data16_call, -EOPNOTSUPP),
	REFUSED(call_gs, -EOPNOTSUPP),
	REFUSED(call_eax_mem, -EOPNOTSUPP),
	REFUSED(pad_nop, -EINVAL),
	{ "padding, further in", &probe_pad_nop, 7, -EINVAL },
	REFUSED(pad_int3, -EINVAL),
	{ "trap padding, further in", &probe_pad_int3, 7, -EINVAL },
	{ "inside, 1", &probe_inside, 1, -EILSEQ },
	{ "inside, 2", &probe_inside, 2, -EILSEQ },
	{ "inside, 9", &probe_inside, 9, -EILSEQ },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusal_cases, name);

static void test_refusal(struct kunit *test)
{
	const struct refusal_case *c = test->param_value;
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)*c->addr,
		.offset = c->offset,
	};
	unsigned int sites = kprobe_sites_in_use();
	int ret = register_kprobe(&p);

	KUNIT_EXPECT_EQ(test, ret, c->expected);
	if (!ret)
		unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

/* The instruction behind a probed one is at its boundary all the same. */
static void test_boundary_behind_probe(struct kunit *test)
{
	struct kprobe first = { .addr = (kprobe_opcode_t *)probe_inside };
	struct kprobe behind = {
		.addr = (kprobe_opcode_t *)probe_inside,
		.offset = 10,
	};
	struct kprobe inside = {
		.addr = (kprobe_opcode_t *)probe_inside,
		.offset = 1,
	};

	KUNIT_ASSERT_EQ(test, register_kprobe(&first), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&behind), 0);
	KUNIT_EXPECT_EQ(test, register_kprobe(&inside), -EILSEQ);
	unregister_kprobe(&behind);
	unregister_kprobe(&first);
}

static void test_slot_addresses(struct kunit *test)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)probe_add };
	struct kprobe_site *site;
	unsigned long slot, in_place = (unsigned long)probe_add;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	site = p.site;
	slot = (unsigned long)site->insn.slot;
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(slot));
	KUNIT_EXPECT_TRUE(test, kernel_text_address(slot));
	KUNIT_EXPECT_EQ(test, kprobe_displaced_from(slot), in_place);
	KUNIT_EXPECT_EQ(test, kprobe_displaced_from(slot + 3), in_place + 3);
	KUNIT_EXPECT_EQ(test, kprobe_displaced_from(in_place), in_place);
	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(in_place));
	unregister_kprobe(&p);
}

static struct kunit_case x86_tests[] = {
	KUNIT_CASE_PARAM(test_code, code_gen_params),
	KUNIT_CASE(test_codes_by_jump),
	KUNIT_CASE(test_change_registers),
	KUNIT_CASE(test_post_moves_ip),
	KUNIT_CASE_PARAM(test_fault, fault_gen_params),
	KUNIT_CASE_PARAM(test_refusal, refusal_gen_params),
	KUNIT_CASE(test_boundary_behind_probe),
	KUNIT_CASE(test_slot_addresses),
	{}
};

static struct kunit_suite x86_suite = {
	.name = "kprobes_x86",
	.test_cases = x86_tests,
};

kunit_test_suite(x86_suite);

MODULE_DESCRIPTION("KUnit suite for kprobes on x86-64");
MODULE_LICENSE("GPL");
