// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suites for jumps in the place of breakpoints, on x86: what is in the
 * way of one, when a breakpoint becomes a jump and back, and that a hit by a
 * jump is like any other.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kprobes_backend.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/memory.h>
#include <linux/objtool.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <uapi/linux/sched/types.h>
#include <asm/cpufeature.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/linkage.h>
#include <asm/mce.h>
#include <asm/processor-flags.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>
#include "test.h"
#include "test_x86.h"

/*
 * FUNCTION(name, body): takes and returns eax, may use ecx and edx; is probed
 * at the label .Lprobe_<name>, which probe_<name> points to.
 * CODE(name, probed, after): the usual case of that.
 */
#define FUNCTION(name, ...)						\
	asm(".pushsection .text\n"					\
	    ".balign 16, 0xcc\n" ASM_FUNC_ALIGN "\n"			\
	    ".type opt_" #name ", @function\n"				\
	    "opt_" #name ":\n\t" ASM_ENDBR				\
	    __VA_ARGS__ "\n"						\
	    ".size opt_" #name ", . - opt_" #name "\n"			\
	    ".balign 16, 0xcc\n"					\
	    ".popsection\n"						\
	    POINTER_TO(probe_##name, .Lprobe_##name));			\
	extern char opt_##name[], *probe_##name;			\
	STACK_FRAME_NON_STANDARD(opt_##name)

#define CODE(name, probed, after)					\
	FUNCTION(name, ".Lprobe_" #name ":\n\t" probed "\n\t"		\
		 after "\n\t" ASM_RET)

/* Three bytes and three: room for a way in between, under the jump. */
#define FIRST	"lea 1(" AX "), %ecx\n\t"
#define SECOND	"lea 2(" AX "), %edx\n\t"
#define AFTER	"lea (" CX ", " DX "), %eax\n\t"

/* Ways in. None of these is to be called with 0. */
CODE(plain, FIRST, SECOND AFTER);
CODE(jumped_into, FIRST,
     "1:" SECOND "test %eax, %eax\n jnz 2f\n jmp 1b\n2:" AFTER);
CODE(jumped_behind, FIRST,
     SECOND "1: test %eax, %eax\n jnz 2f\n jmp 1b\n2:" AFTER);
CODE(jumped_before, FIRST, SECOND "test %eax, %eax\n jnz 2f\n"
     "jmp .Lprobe_jumped_before\n2:" AFTER);
CODE(near_into, FIRST, "1:" SECOND "test %eax, %eax\n"
     ".byte 0x0f, 0x84\n .long 1b - . - 4\n" AFTER);
CODE(called_into, FIRST, "1:" SECOND AFTER "jmp 2f\n call 1b\n2:");
CODE(loops_into, FIRST, "1:" SECOND "mov $1, %ecx\n loop 1b\n" AFTER);

/* Functions that end, with something else behind or with padding. */
FUNCTION(short, ".Lprobe_short: lea 1(" AX "), %eax\n" SAFE "ret\n"
	 ".type opt_short_next, @function\n"
	 "opt_short_next: nop\n nop\n nop\n nop\n" SAFE "ret\n"
	 ".size opt_short_next, . - opt_short_next");
FUNCTION(padded, ".Lprobe_padded: lea 1(" AX "), %eax\n" SAFE "ret\n"
	 "int3\n int3\n int3");
FUNCTION(at_end, "nop\n.Lprobe_at_end:" SAFE "ret\n"
	 "int3\n int3\n int3\n int3\n int3");

/* Exceptions. */
CODE(fixup_into, FIRST,
     "1:" SECOND AFTER "2: nop\n" _ASM_EXTABLE(2b, 1b));
CODE(fixup_behind, FIRST,
     SECOND "1:" AFTER "2: nop\n" _ASM_EXTABLE(2b, 1b));
CODE(fault_second, FIRST, "2:" SECOND "1:" AFTER _ASM_EXTABLE(2b, 1b));
CODE(fault_first, FIRST,
     SECOND "1:" AFTER _ASM_EXTABLE(.Lprobe_fault_first, 1b));

/* What is under the jump. */
asm(".pushsection .text\n"
    ".type opt_nothing, @function\n"
    "opt_nothing: " SAFE "ret\n int3\n"
    ".size opt_nothing, . - opt_nothing\n"
    ".popsection\n");
CODE(call_second, FIRST, "call opt_nothing\n" SECOND AFTER);
CODE(call_third, FIRST, SECOND "call opt_nothing\n" AFTER);
CODE(loop_first, "loop 1f\n1:", "nop\n nop\n nop\n" FIRST SECOND AFTER);
CODE(jcc_first, "jz 1f\n jnz 1f\n mov $7, %eax\n1:", FIRST SECOND AFTER);
CODE(jmp_third, "nop\n nop", "jmp 1f\n mov $7, %eax\n1:" FIRST SECOND AFTER);
CODE(jmp_first, "jmp 1f", "mov $7, %eax\n1:" FIRST SECOND AFTER);
CODE(bug_second, "jmp 1f", "ud2\n nop\n1:" FIRST SECOND AFTER);
/* Two near branches and an instruction of 15 bytes: on i386 that fits. */
#ifdef CONFIG_X86_64
#define BEHIND	" - . - 8"
#define KPROBE_LONG_REGION	KPROBE_DETOUR_LENGTH
#else
#define BEHIND	""
#define KPROBE_LONG_REGION	KPROBE_NO_OBSTACLE
#endif
CODE(long_region, "jz 1f\n jz 1f",
     ".byte 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0xc7, 0x05\n"
     ".long opt_word" BEHIND "\n .long 5\n1:" FIRST SECOND AFTER);
CODE(less_long_region, "jz 1f",
     ".byte 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0xc7, 0x05\n"
     ".long opt_word" BEHIND "\n .long 5\n1:" FIRST SECOND AFTER);
CODE(forbidden_second, FIRST, ".Lforbidden:" SECOND AFTER);

/* What there is in the rest of the function. */
CODE(trap_inside, FIRST, SECOND AFTER "jmp 1f\n nop\n int3\n1: nop");
CODE(trap_padding, FIRST, SECOND AFTER "jmp 1f\n int3\n int3\n1: nop");
CODE(huge, FIRST,
     SECOND AFTER "jmp 1f\n .skip 65536, 0x90\n1: nop");
CODE(direction, FIRST, SECOND AFTER "std\n cld\n");
CODE(table_into, FIRST, "2:" ANNOTATE_NOENDBR SECOND AFTER "jmp 3f\n" SAFE
     "jmp *1f(, " AX ", " WORD ")\n3:" ANNOTATE_NOENDBR "nop\n"
     ".pushsection .rodata\n.balign 8\n1:" _ASM_PTR "3b, 3b, 2b, 0\n"
     ".popsection");
CODE(table_behind, FIRST, SECOND "2:" ANNOTATE_NOENDBR AFTER "jmp 3f\n" SAFE
     "jmp *1f(, " AX ", " WORD ")\n3:" ANNOTATE_NOENDBR "nop\n"
     ".pushsection .rodata\n.balign 8\n1:" _ASM_PTR "3b, 3b, 2b, 0\n"
     ".popsection");
CODE(table_read_into, FIRST, "2:" ANNOTATE_NOENDBR SECOND AFTER "jmp 3f\n"
     "mov 1f(, " AX ", " WORD "), " CX "\n" SAFE "jmp *" CX "\n"
     "3:" ANNOTATE_NOENDBR "nop\n"
     ".pushsection .rodata\n.balign 8\n1:" _ASM_PTR "3b, 3b, 2b, 0\n"
     ".popsection");
/* For a case that cannot be, the address behind the function. */
FUNCTION(table_end, ".Lprobe_table_end:" FIRST "2:" ANNOTATE_NOENDBR SECOND
	 AFTER "jmp 3f\n" SAFE "jmp *1f(, " AX ", " WORD ")\n"
	 "3:" ANNOTATE_NOENDBR ASM_RET
	 ".type opt_table_end_next, @function\n"
	 "opt_table_end_next:" ANNOTATE_NOENDBR "nop\n" ASM_RET
	 ".size opt_table_end_next, . - opt_table_end_next\n"
	 ".pushsection .rodata\n.balign 8\n"
	 "1:" _ASM_PTR "3b, opt_table_end_next, 2b, 0\n"
	 ".popsection");
CODE(jumps_somewhere, FIRST,
     SECOND AFTER "jmp 3f\n" SAFE "jmp *(" CX ", " AX ", " WORD ")\n3: nop\n");
CODE(tail_call, FIRST,
     SECOND AFTER "jmp 3f\n" SAFE "jmp *8(" CX ")\n3: nop\n");

/* A part elsewhere, which comes back. */
#define COLD(name)							\
	".pushsection .text.unlikely\n"					\
	".type " name ".cold, @function\n"				\
	name ".cold: .L" name "_part: nop\n nop\n nop\n nop\n nop\n jmp 1b\n" \
	".size " name ".cold, . - " name ".cold\n"			\
	".popsection\n"
CODE(parted_into, FIRST, "1:" SECOND "test %eax, %eax\n"
     "jz opt_parted_into.cold\n" AFTER COLD("opt_parted_into"));
CODE(parted_behind, FIRST, SECOND "1: test %eax, %eax\n"
     "jz opt_parted_behind.cold\n" AFTER COLD("opt_parted_behind"));
asm(POINTER_TO(probe_part, .Lopt_parted_into_part)
    POINTER_TO(opt_forbidden, .Lforbidden)
    ".pushsection .data\n.balign 4\n"
    "opt_word: .long 0\n"
    ".popsection\n"
    ".pushsection .rodata\n.balign 4\n"
    "opt_constant: .long 4711\n"
    ".popsection\n");
extern char *probe_part, *opt_forbidden;
#define opt_part	NULL

/* Jump labels that are off: one under the jump, others that lead there. */
DECLARE_STATIC_KEY_FALSE(opt_test_key);
DEFINE_STATIC_KEY_FALSE(opt_test_key);
#define JUMP_LABEL(from, to)						\
	".pushsection __jump_table, \"aw\"\n"				\
	_ASM_ALIGN "\n"							\
	".long " from " - .\n"						\
	".long " to " - .\n"						\
	_ASM_PTR "opt_test_key - .\n"					\
	".popsection\n"
#define NOP5	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
CODE(label_second, FIRST,
     "1: " NOP5 "2:" SECOND AFTER JUMP_LABEL("1b", "2b"));
CODE(label_into, FIRST,
     "1:" SECOND AFTER "2: " NOP5 JUMP_LABEL("2b", "1b"));
CODE(label_behind, FIRST,
     SECOND "1:" AFTER "2: " NOP5 JUMP_LABEL("2b", "1b"));

/* Operands relative to the instruction pointer; the stack; flags. */
CODE(rip_first, "movl opt_constant" RIP ", %ecx", "add %ecx, %eax");
CODE(rip_second, "nop\n nop",
     "movl opt_constant" RIP ", %ecx\n add %ecx, %eax");
CODE(stack, "push " BX "\n push " AX, "mov " SP ", " BX "\n"
     "add (" BX "), %eax\n pop " CX "\n pop " BX);
CODE(filling, "mov %esi, %ecx", "rep stosb\n" FIRST SECOND AFTER);
CODE(halt_second, "nop", "jmp 1f\n hlt\n nop\n1:" FIRST SECOND AFTER);
CODE(sti_last, "nop\n nop\n nop\n nop\n sti", FIRST SECOND AFTER);
CODE(scaled, FIRST, SECOND AFTER "jmp 3f\n"
     "mov (" DX ", " AX ", " WORD "), " CX "\n"
     SAFE "jmp *" CX "\n3: nop\n");
#ifdef CONFIG_X86_64
CODE(scaled_distance, FIRST, SECOND AFTER "jmp 3f\n"
     "movslq (%rdx, %rax, 4), %rcx\n add %rdx, %rcx\n"
     SAFE "jmp *%rcx\n3: nop\n");
CODE(type_check, "jmp 1f", ".byte 0x41, 0xba, 1, 2, 3, 4\n"
     ".byte 0x45, 0x03, 0x53, 0xf1, 0x74, 0x02, 0x0f, 0x0b\n"
     "1:" FIRST SECOND AFTER);
#endif
/* Addresses in the function: one that is jumped to, and one to count from. */
CODE(address_into, FIRST, "1:" ANNOTATE_NOENDBR SECOND AFTER
     "jmp 3f\n push $1b\n pop " CX "\n3: nop\n");
CODE(address_behind, FIRST, SECOND AFTER
     "jmp 3f\n push $3f\n pop " CX "\n3:" ANNOTATE_NOENDBR "nop\n");
CODE(computed, FIRST, SECOND AFTER "jmp 3f\n"
     "lea 3f(" AX ", " AX ", 2), " CX "\n" SAFE "jmp *" CX "\n"
     "3:" ANNOTATE_NOENDBR "nop\n");
CODE(computed_rip, FIRST, SECOND AFTER "jmp 3f\n"
     "lea 3f" RIP ", " CX "\n add " AX ", " CX "\n" SAFE "jmp *" CX "\n"
     "3:" ANNOTATE_NOENDBR "nop\n");
#ifdef CONFIG_X86_KERNEL_IBT
CODE(landing, "endbr64\n", FIRST SECOND AFTER);
#endif
CODE(flags, "test %eax, %eax\n setp %cl", "movzbl %cl, %eax\n");

#define ENTRY(name, obstacle)						\
	{ #name, opt_##name, &probe_##name, KPROBE_##obstacle }

/*
 * Places to go on at: instructions of one byte, of two, of more; a branch, and
 * an operand relative to the instruction pointer.  Whatever is left out makes
 * another result.
 */
#define SUM	"lea (" AX ", " CX ", 2), %ecx\n"			\
		"lea (" CX ", " DX ", 4), %eax\n"
CODE(step_1, "xchg %eax, %ecx\n xchg %eax, %edx",
     ".rept 7\n xchg %eax, %ecx\n xchg %eax, %edx\n .endr\n" SUM);
CODE(step_2, "add %ecx, %eax\n add %eax, %eax",
     ".rept 6\n add %ecx, %eax\n add %eax, %eax\n .endr\n" SUM);
CODE(step_3, "add $1, %eax\n add %eax, %eax",
     ".rept 4\n add $1, %eax\n add %eax, %eax\n .endr\n" SUM);
CODE(step_jcc, "test %eax, %eax\n js 1f\n jns 1f\n add $1, %eax\n 1:",
     ".rept 4\n add $1, %eax\n add %eax, %eax\n .endr\n" SUM);
CODE(step_rip, "xchg %eax, %ecx",
     "addl opt_constant" RIP ", %ecx\n .rept 8\n add %ecx, %eax\n"
     ".endr\n" SUM);
CODE(step_load, "mov (" SI "), %ecx",
     ".rept 4\n add %ecx, %eax\n add $3, %eax\n .endr\n" SUM);

/* And to start from, with a call by ftrace in front of the last of them. */
#ifdef CONFIG_FTRACE_MCOUNT_USE_CC
#define FENTRY "900: call __fentry__\n"				\
	".pushsection __mcount_loc, \"a\", @progbits\n"			\
	_ASM_PTR "900b\n .popsection\n"
#else
#define FENTRY	NOP5
#endif
CODE(start, FIRST, SECOND AFTER);
CODE(start_nop, "nop", FIRST SECOND AFTER);
CODE(start_load, "mov (" SI "), %ecx", AFTER);
FUNCTION(start_ftrace, ".Lprobe_start_ftrace: " FENTRY
	 ".Lprobe_step_ftrace: add $1, %eax\n add %eax, %eax\n"
	 ".rept 4\n add $1, %eax\n add %eax, %eax\n .endr\n" SUM ASM_RET);
asm(POINTER_TO(probe_step_ftrace, .Lprobe_step_ftrace));
extern char *probe_step_ftrace;
#define opt_step_ftrace	opt_start_ftrace

static const struct opt_case {
	const char *name;
	char *function;
	char **probe;
	enum kprobe_obstacle expected;
} opt_cases[] = {
	ENTRY(plain, NO_OBSTACLE),
	ENTRY(jumped_into, JUMPED_INTO), ENTRY(jumped_behind, NO_OBSTACLE),
	ENTRY(jumped_before, NO_OBSTACLE), ENTRY(near_into, JUMPED_INTO),
	ENTRY(called_into, JUMPED_INTO), ENTRY(loops_into, JUMPED_INTO),
	ENTRY(short, FUNCTION_END), ENTRY(padded, NO_OBSTACLE),
	ENTRY(at_end, NO_OBSTACLE),
	ENTRY(fixup_into, EXCEPTION_LANDING), ENTRY(fixup_behind, NO_OBSTACLE),
	ENTRY(fault_second, FAULT_INSIDE), ENTRY(fault_first, NO_OBSTACLE),
	ENTRY(call_second, CALL_INSIDE), ENTRY(call_third, NO_OBSTACLE),
	ENTRY(loop_first, BOUND_INSIDE), ENTRY(jcc_first, NO_OBSTACLE),
	ENTRY(jmp_third, NO_OBSTACLE), ENTRY(jmp_first, NO_OBSTACLE),
	ENTRY(bug_second, BOUND_INSIDE), ENTRY(halt_second, BOUND_INSIDE),
	ENTRY(sti_last, BOUND_INSIDE),
	ENTRY(long_region, LONG_REGION),
	ENTRY(less_long_region, NO_OBSTACLE),
	ENTRY(forbidden_second, FORBIDDEN_INSIDE),
	ENTRY(trap_inside, FOREIGN_TRAP), ENTRY(trap_padding, NO_OBSTACLE),
	ENTRY(huge, NOT_ANALYSED), ENTRY(direction, DIRECTION),
	ENTRY(table_into, JUMPED_INTO), ENTRY(table_behind, NO_OBSTACLE),
	ENTRY(table_read_into, JUMPED_INTO), ENTRY(table_end, JUMPED_INTO),
	ENTRY(jumps_somewhere, INDIRECT_JUMP), ENTRY(scaled, INDIRECT_JUMP),
	ENTRY(tail_call, NO_OBSTACLE),
	ENTRY(parted_into, JUMPED_INTO), ENTRY(parted_behind, NO_OBSTACLE),
	ENTRY(part, COLD_PART),
	ENTRY(label_second, PATCHED_INSIDE), ENTRY(label_into, JUMPED_INTO),
	ENTRY(label_behind, NO_OBSTACLE),
	ENTRY(rip_first, NO_OBSTACLE), ENTRY(rip_second, NO_OBSTACLE),
	ENTRY(stack, NO_OBSTACLE), ENTRY(flags, NO_OBSTACLE),
	ENTRY(address_into, JUMPED_INTO), ENTRY(address_behind, NO_OBSTACLE),
	ENTRY(computed, INDIRECT_JUMP), ENTRY(computed_rip, INDIRECT_JUMP),
#ifdef CONFIG_X86_64
	ENTRY(scaled_distance, INDIRECT_JUMP), ENTRY(type_check, BOUND_INSIDE),
#endif
#ifdef CONFIG_X86_KERNEL_IBT
	ENTRY(landing, LANDING_PAD),
#endif
};

KUNIT_ARRAY_PARAM_DESC(opt, opt_cases, name);

static noinline unsigned int call(void *function, unsigned long a)
{
	asm volatile(SAFE "call *%[function]"
		     : "+a" (a), ASM_CALL_CONSTRAINT
		     : [function] "D" (function)
		     : "cx", "dx", "memory", "cc");
	return a;
}

/* Once what happens in the background has happened. */
static bool is_jump(const void *where)
{
	wait_for_kprobe_optimizer();
	return *(u8 *)where == JMP32_INSN_OPCODE;
}

static bool is_trap(const void *where)
{
	return *(u8 *)where == INT3_INSN_OPCODE;
}

#define TEXT_SIZE	48

static void test_obstacle(struct kunit *test)
{
	static const unsigned int arguments[] = { 1, 2, 77, 0x80000000 };
	const struct opt_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe);
	unsigned int i, plain[ARRAY_SIZE(arguments)];
	enum kprobe_obstacle found;
	u8 before[TEXT_SIZE];

	if (!IS_ENABLED(CONFIG_JUMP_LABEL) && strstarts(c->name, "label_"))
		kunit_skip(test, "this kernel has no jump labels");
	if (c->expected == KPROBE_FORBIDDEN_INSIDE &&
	    !within_kprobe_blacklist((unsigned long)opt_forbidden))
		KUNIT_ASSERT_EQ(test,
				kprobe_add_area_blacklist((unsigned long)
							  opt_forbidden,
							  (unsigned long)
							  opt_forbidden + 1),
				0);
	memcpy(before, *c->probe, sizeof(before));
	for (i = 0; c->function && i < ARRAY_SIZE(arguments); i++)
		plain[i] = call(c->function, arguments[i]);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, is_jump(*c->probe), !c->expected);
	found = kprobe_obstacle_at(p.probe.addr);
	KUNIT_EXPECT_STREQ(test, kprobe_obstacle_name(found),
			   kprobe_obstacle_name(c->expected));
	KUNIT_EXPECT_EQ(test, kprobe_optimized(&p.probe), !c->expected);
	for (i = 0; c->function && i < ARRAY_SIZE(arguments); i++) {
		KUNIT_EXPECT_EQ(test, call(c->function, arguments[i]),
				plain[i]);
		KUNIT_EXPECT_EQ(test, p.pre, i + 1);
	}
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.astray, 0);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed, 0);
	KUNIT_EXPECT_MEMEQ(test, before, *c->probe, sizeof(before));
}

/*
 * Branches that the kernel has written when it booted, or that lead to where a
 * symbol has been stripped.
 */
FUNCTION(branching, ".Lprobe_branching:" FIRST SECOND AFTER "jmp 3f\n"
	 "mov (" DX ", " AX ", " WORD "), " CX "\n"
	 ".Lopt_branch:" NOP5 "\n3: nop\n" ASM_RET);
asm(POINTER_TO(opt_branch, .Lopt_branch));
extern char *opt_branch;

/* Not text_poke_bp(), to which no-ops are those of the kernel's own only. */
static void write_branch(const u8 *text)
{
	mutex_lock(&text_mutex);
	text_poke(opt_branch, text, JMP32_INSN_SIZE);
	text_poke_sync();
	mutex_unlock(&text_mutex);
}

static void expect_branching(struct kunit *test, const void *target,
			     enum kprobe_obstacle expected)
{
	struct counted p = COUNTED(probe_branching);
	u8 before[JMP32_INSN_SIZE], branch[JMP32_INSN_SIZE];
	enum kprobe_obstacle found;

	memcpy(before, opt_branch, sizeof(before));
	memcpy(branch, before, sizeof(branch));
	if (target)
		__text_gen_insn(branch, JMP32_INSN_OPCODE, opt_branch, target,
				sizeof(branch));
	write_branch(branch);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, is_jump(probe_branching), !expected);
	found = kprobe_obstacle_at(p.probe.addr);
	KUNIT_EXPECT_STREQ(test, kprobe_obstacle_name(found),
			   kprobe_obstacle_name(expected));
	unregister_kprobe(&p.probe);
	write_branch(before);
}

static void test_branches(struct kunit *test)
{
	expect_branching(test, NULL, KPROBE_NO_OBSTACLE);
	expect_branching(test, opt_plain, KPROBE_NO_OBSTACLE);
	expect_branching(test, probe_plain + 3, KPROBE_NOT_ANALYSED);
	/* In no text at all. */
	expect_branching(test, &opt_branch, KPROBE_INDIRECT_JUMP);
#ifdef CONFIG_MITIGATION_RETPOLINE
	expect_branching(test, __x86_indirect_thunk_array,
			 KPROBE_INDIRECT_JUMP);
#endif
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	expect_branching(test, __x86_indirect_jump_thunk_array,
			 KPROBE_INDIRECT_JUMP);
#endif
#ifdef CONFIG_MITIGATION_ITS
	expect_branching(test, __x86_indirect_its_thunk_array,
			 KPROBE_INDIRECT_JUMP);
#endif
#ifdef CONFIG_MITIGATION_RETHUNK
	expect_branching(test, x86_return_thunk, KPROBE_NO_OBSTACLE);
#endif
}

/*
 * A return that has been left as it is may be vulnerable elsewhere: where there
 * is a thunk for returns, the displaced one goes through it.
 */
static void test_displaced_return(struct kunit *test)
{
	struct counted p = COUNTED(probe_at_end);
	const struct arch_kprobe_insn *insn;
	const u8 *displaced;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_ASSERT_TRUE(test, is_jump(probe_at_end));
	insn = &p.probe.site->insn;
	displaced = insn->detour + insn->jump.to[0];
	if (cpu_feature_enabled(X86_FEATURE_RETHUNK)) {
		KUNIT_EXPECT_EQ(test, displaced[0], JMP32_INSN_OPCODE);
		KUNIT_EXPECT_PTR_EQ(test, displaced + JMP32_INSN_SIZE +
				    *(s32 *)(displaced + 1),
				    (const u8 *)x86_return_thunk);
	} else {
		KUNIT_EXPECT_EQ(test, displaced[0], RET_INSN_OPCODE);
	}
	KUNIT_EXPECT_EQ(test, call(opt_at_end, 7), 7);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 1);
}

/*
 * The states
 */

/* What forces a jump back, and is done with when register or enable return. */
static void test_post_handler(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain,
				   .probe.post_handler = counted_post);
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
		KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
		KUNIT_EXPECT_FALSE(test, kprobe_optimized(&p.probe));
		KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p.probe.addr),
				KPROBE_POST_HANDLER);
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
		KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));

		/* A sibling that is disabled is not in the way. */
		KUNIT_EXPECT_EQ(test, disable_kprobe(&q.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&q.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
		unregister_kprobe(&q.probe);
		q.probe.addr = (kprobe_opcode_t *)probe_plain;
	}
	/* And so it stays if the other one goes first. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 9);
	KUNIT_EXPECT_EQ(test, q.pre, 6);
	KUNIT_EXPECT_EQ(test, q.post, 6);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray, 0);
}

static unsigned int jprobe_calls;

static void jprobe_entry(void)
{
	jprobe_calls++;
	jprobe_return();
}

static void test_jprobe(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct jprobe j = {
		.kp.addr = (kprobe_opcode_t *)opt_plain,
		.entry = jprobe_entry,
	};

	jprobe_calls = 0;
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_ASSERT_EQ(test, register_jprobe(&j), 0);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p.probe.addr), KPROBE_JPROBE);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, disable_jprobe(&j), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, enable_jprobe(&j), 0);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	unregister_jprobe(&j);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_EXPECT_EQ(test, jprobe_calls, 1);
}

/* A probe under another's jump: sees the instruction there, and is hit. */
static void test_probe_inside(struct kunit *test)
{
	u8 before[TEXT_SIZE];
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);
	struct counted r = COUNTED(probe_plain + 6);

	memcpy(before, probe_plain, sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	/* Right behind the jump. */
	KUNIT_ASSERT_EQ(test, register_kprobe(&r.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);

	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	KUNIT_EXPECT_EQ(test, (u8)q.probe.opcode, before[3]);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain + 3));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p.probe.addr),
			KPROBE_PROBE_INSIDE);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q.pre, 2);

	/* A disarmed one is not in the way. */
	KUNIT_EXPECT_EQ(test, disable_kprobe(&q.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q.pre, 2);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&q.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, q.pre, 3);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	unregister_kprobe(&p.probe);
	unregister_kprobe(&r.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 5);
	KUNIT_EXPECT_EQ(test, r.pre, 5);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray + r.astray, 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
}

static bool call_while_patched;

static int patched_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (call_while_patched)
		call(opt_plain, 5);
	return 0;
}

/*
 * The trap that a jump leaves behind sends no hit past the other traps of the
 * same batch once all CPUs have been told of them.  Called from a handler, so
 * that hits are misses.
 */
static void test_leaves_detour(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);
	/* The first that is called when the text has been patched. */
	struct kprobe after = {
		.symbol_name = "cpus_read_unlock",
		.pre_handler = patched_pre,
	};

	if (register_kprobe(&after))
		kunit_skip(test, "cpus_read_unlock() cannot be probed");
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	call_while_patched = true;
	KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), 0);
	call_while_patched = false;
	unregister_kprobe(&q.probe);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&after);
	KUNIT_EXPECT_GT(test, p.probe.nmissed, 0);
	KUNIT_EXPECT_GT(test, q.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray, 0);
}

/* The same in one array: whoever comes first in it. */
static void test_array_inside(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);
	struct kprobe *ps[] = { &p.probe, &q.probe };
	u8 before[TEXT_SIZE];
	int i;

	memcpy(before, probe_plain, sizeof(before));
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, register_kprobes(ps, 2), 0);
		KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
		unregister_kprobes(ps, 2);
		KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
		p.probe.addr = (kprobe_opcode_t *)probe_plain;
		q.probe.addr = (kprobe_opcode_t *)probe_plain + 3;
		swap(ps[0], ps[1]);
	}
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_EXPECT_EQ(test, q.pre, 2);
}

static void test_disable(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	u8 before[TEXT_SIZE];
	int i;

	memcpy(before, probe_plain, sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
		call(opt_plain, 1);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&p.probe), 0);
		call(opt_plain, 1);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
		KUNIT_EXPECT_FALSE(test, kprobe_optimized(&p.probe));
		call(opt_plain, 1);
		KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);
		KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
		call(opt_plain, 1);
	}
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 6);
}

/* Leaves a probe disabled, on a jump that has not been removed yet. */
static void disable_on_jump(struct kunit *test, struct kprobe *p)
{
	int i;

	/* The worker may always be faster. */
	for (i = 0; i < 20; i++) {
		wait_for_kprobe_optimizer();
		KUNIT_ASSERT_TRUE(test, kprobe_optimized(p));
		KUNIT_ASSERT_EQ(test, disable_kprobe(p), 0);
		if (kprobe_optimized(p))
			return;
		KUNIT_ASSERT_EQ(test, enable_kprobe(p), 0);
	}
	KUNIT_FAIL_AND_ABORT(test, "no jump stays after disable");
}

/* The same, and then enables @p, or another one there, before it is removed. */
static void enable_on_jump(struct kunit *test, struct kprobe *disabled,
			   struct kprobe *p)
{
	int i;

	for (i = 0; i < 20; i++) {
		disable_on_jump(test, disabled);
		KUNIT_ASSERT_EQ(test, enable_kprobe(p), 0);
		if (kprobe_optimized(p))
			return;
		KUNIT_ASSERT_EQ(test, enable_kprobe(disabled), 0);
		if (p != disabled)
			KUNIT_ASSERT_EQ(test, disable_kprobe(p), 0);
	}
	KUNIT_FAIL_AND_ABORT(test, "no jump stays until enable");
}

/* What happens to a jump without a probe until it is removed. */
static void test_idle(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted inside = COUNTED(probe_plain + 3);
	struct counted post = COUNTED(probe_plain,
				      .probe.post_handler = counted_post);
	struct counted second = COUNTED(probe_plain,
					.probe.flags = KPROBE_FLAG_DISABLED);
	u8 before[TEXT_SIZE];

	memcpy(before, probe_plain, sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);

	/* Nothing is called for, and nothing missed; then it goes. */
	disable_on_jump(test, &p.probe);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, p.pre, 0);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));

	/* Wanted back, by itself or by another one, it stays. */
	KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);
	enable_on_jump(test, &p.probe, &p.probe);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_ASSERT_EQ(test, register_kprobe(&second.probe), 0);
	enable_on_jump(test, &p.probe, &second.probe);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_EXPECT_EQ(test, second.pre, 1);

	/* Nor does one that has been there all the time keep it. */
	disable_on_jump(test, &second.probe);
	unregister_kprobe(&second.probe);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);

	/* What no jump may stay for does not wait for the worker. */
	disable_on_jump(test, &p.probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&inside.probe), 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, 3);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain + 3));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, inside.pre, 1);
	unregister_kprobe(&inside.probe);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));

	KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);
	disable_on_jump(test, &p.probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&post.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_EQ(test, post.post, 1);
	unregister_kprobe(&post.probe);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));

	KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);
	disable_on_jump(test, &p.probe);
	kprobe_optimizer_switch(false);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	kprobe_optimizer_switch(true);

	KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);
	disable_on_jump(test, &p.probe);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));

	KUNIT_EXPECT_EQ(test, enable_kprobe(&p.probe), 0);
	disable_on_jump(test, &p.probe);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, p.astray + second.astray + inside.astray, 0);
}

/* One whose jump would cover it comes after it. */
static void test_idle_inside(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_plain + 3);

	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	disable_on_jump(test, &q.probe);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 13);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 2);
	KUNIT_EXPECT_EQ(test, q.pre, 0);
}

static void test_switches(struct kunit *test)
{
	struct counted p = COUNTED(probe_plain);
	struct counted q = COUNTED(probe_padded);
	u8 before[TEXT_SIZE];

	memcpy(before, probe_plain, sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	kprobe_optimizer_switch(false);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	KUNIT_EXPECT_EQ(test, kprobe_obstacle_at(p.probe.addr),
			KPROBE_SWITCHED_OFF);
	call(opt_plain, 1);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_plain));
	KUNIT_EXPECT_FALSE(test, is_jump(probe_padded));
	kprobe_optimizer_switch(true);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_TRUE(test, is_jump(probe_padded));
	call(opt_plain, 1);

	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	call(opt_plain, 1);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	KUNIT_EXPECT_TRUE(test, is_trap(probe_plain));
	call(opt_plain, 1);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	call(opt_plain, 1);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, p.pre, 4);
}

/* While it waits, in whatever step of it. */
static void test_cancelled(struct kunit *test)
{
	u8 before[TEXT_SIZE];
	unsigned int i, slots;

	kprobe_flush_retired();
	slots = kprobe_slots_in_use();
	memcpy(before, probe_plain, sizeof(before));
	for (i = 0; i < 60; i++) {
		struct counted p = COUNTED(probe_plain);
		struct counted q = COUNTED(probe_plain + 3);

		KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
		msleep(i * 3);
		call(opt_plain, 1);
		if (i % 3 == 0) {
			disable_kprobe(&p.probe);
			enable_kprobe(&p.probe);
		} else if (i % 3 == 1) {
			KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
			call(opt_plain, 1);
			KUNIT_EXPECT_EQ(test, q.pre, 1);
			unregister_kprobe(&q.probe);
		}
		call(opt_plain, 1);
		unregister_kprobe(&p.probe);
		KUNIT_EXPECT_EQ(test, p.pre, i % 3 == 1 ? 3 : 2);
		KUNIT_ASSERT_EQ(test,
				memcmp(before, probe_plain, sizeof(before)), 0);
	}
	wait_for_kprobe_optimizer();
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, kprobe_slots_in_use(), slots);
}

/*
 * The hit
 */

struct captured {
	struct kprobe probe;
	struct pt_regs regs;
	unsigned int hits;
};

static int capture_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct captured *c = container_of(p, struct captured, probe);

	c->regs = *regs;
	c->hits++;
	return 0;
}

static noinline void call_with_known_registers(void)
{
	/* All flags, and not only the carry that is to be seen. */
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

/* All registers, as a breakpoint shows them. */
static void test_registers(struct kunit *test)
{
	struct captured c = {
		.probe.addr = (kprobe_opcode_t *)probe_plain,
		.probe.pre_handler = capture_pre,
	};
	struct pt_regs trap;
	int i;

	kprobe_optimizer_switch(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.probe), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, is_jump(probe_plain), i);
		/* With the same in all registers. */
		call_with_known_registers();
		if (!i) {
			trap = c.regs;
			kprobe_optimizer_switch(true);
		}
	}
	unregister_kprobe(&c.probe);
	KUNIT_EXPECT_EQ(test, c.hits, 2);
	/* Which is no register of the interrupted code. */
	trap.orig_ax = c.regs.orig_ax;
	/* Resume flag: of the exception. */
	trap.flags &= ~X86_EFLAGS_RF;
	/* The counter of the loop above, and what is kept across it. */
	trap.bx = c.regs.bx;
	trap.bp = c.regs.bp;
#ifdef CONFIG_X86_64
	trap.r12 = c.regs.r12;
	trap.r13 = c.regs.r13;
	trap.r14 = c.regs.r14;
	trap.r15 = c.regs.r15;
	KUNIT_EXPECT_EQ(test, c.regs.r11, 11);
#else
	/* Saved as 16 bits of 32, which are left as they were. */
	trap.__csh = c.regs.__csh;
	trap.__ssh = c.regs.__ssh;
	trap.__dsh = c.regs.__dsh;
	trap.__esh = c.regs.__esh;
	trap.__fsh = c.regs.__fsh;
	/* Vector and nothing. */
	trap.gs = c.regs.gs;
	trap.__gsh = c.regs.__gsh;
#endif
	KUNIT_EXPECT_MEMEQ(test, &trap, &c.regs, sizeof(trap));
	KUNIT_EXPECT_EQ(test, c.regs.ip, (unsigned long)probe_plain);
	KUNIT_EXPECT_EQ(test, c.regs.ax, 1);
	KUNIT_EXPECT_TRUE(test, c.regs.flags & X86_EFLAGS_CF);
	KUNIT_EXPECT_TRUE(test, c.regs.flags & X86_EFLAGS_IF);
}

/* What handlers change. */
static int change_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = 100;
	/* Tells nothing, with this return value. */
	regs->ip = 0;
	return 0;
}

static void test_change(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_plain,
		.pre_handler = change_pre,
	};

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 203);
	unregister_kprobe(&p);
}

/* Elsewhere, and not to the instruction, nor to later handlers. */
static int elsewhere_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ip = (unsigned long)probe_padded;
	return 1;
}

/* Back to the caller, with a value, as error injection has it. */
static int return_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = 4711;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
	return 1;
}

/* As a call from here would do, which returns to the instruction. */
static int calling_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->sp -= sizeof(long);
	*(unsigned long *)regs->sp = (unsigned long)opt_at_end;
	regs->ip = (unsigned long)probe_padded;
	return 1;
}

static void test_pushing_divert(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_plain,
		.pre_handler = calling_pre,
	};
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 6);
		KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	}
	KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 6);
	unregister_kprobe(&p);
}

/* The same by a post handler: flags and all, however many words are pushed. */
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
	return flags;
}

static void test_pushing_post(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_plain,
		.post_handler = calling_post,
	};
	unsigned long a = 5, flags = call_with_carry(opt_plain, &a);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	for (words_to_push = 0; words_to_push <= 2; words_to_push++) {
		a = 5;
		KUNIT_EXPECT_EQ_MSG(test, call_with_carry(opt_plain, &a),
				    flags, "%u words", words_to_push);
		KUNIT_EXPECT_EQ_MSG(test, (unsigned int)a, 6, "%u words",
				    words_to_push);
	}
	unregister_kprobe(&p);
}

/* A function that is called while user memory is accessible. */
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

static void test_user_access(struct kunit *test)
{
	struct kprobe p = {
		.symbol_name = "copy_mc_fragile_handle_tail",
		.pre_handler = access_pre,
	};

	if (!boot_cpu_has(X86_FEATURE_SMAP))
		kunit_skip(test, "all of user memory is always accessible");
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	if (is_jump(p.addr)) {
		/* The compiler does not see that anything calls the handler. */
		WRITE_ONCE(access_flags, X86_EFLAGS_AC);
		call_with_access(copy_mc_fragile_handle_tail);
		KUNIT_EXPECT_FALSE(test, READ_ONCE(access_flags) &
					 X86_EFLAGS_AC);
	}
	unregister_kprobe(&p);
}
#else
static void test_user_access(struct kunit *test)
{
	kunit_skip(test, "there is no such function");
}
#endif

/* Unwinding from the begin of a detour, as an interrupt there does. */
static TARGET int unwound(int a)
{
	return a * a + 4711;
}

struct unwinding {
	struct kprobe probe;
	unsigned int hits;
	bool error;
	bool found;
};

static int unwinding_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct unwinding *u = container_of(p, struct unwinding, probe);
	struct pt_regs there = *regs;
	struct unwind_state state;

	u->hits++;
	there.ip = (unsigned long)p->addr + JMP32_INSN_SIZE +
		   *(s32 *)(p->addr + 1);
	unwind_start(&state, current, &there, NULL);
	/* It begins with the registers, or with what called the function. */
	if (unwind_get_return_address(&state) == there.ip)
		unwind_next_frame(&state);
	u->found = unwind_get_return_address(&state) ==
		   *(unsigned long *)regs->sp;
	u->error = unwind_error(&state);
	return 0;
}

static void test_unwind(struct kunit *test)
{
	struct unwinding u = {
		.probe.addr = (kprobe_opcode_t *)unwound,
		.probe.pre_handler = unwinding_pre,
	};

	if (!IS_ENABLED(CONFIG_UNWINDER_ORC))
		kunit_skip(test, "nothing tells of frames that are not made");
	KUNIT_ASSERT_EQ(test, register_kprobe(&u.probe), 0);
	if (is_jump(u.probe.addr)) {
		KUNIT_EXPECT_EQ(test, unwound(2), 4715);
		KUNIT_EXPECT_EQ(test, u.hits, 1);
		KUNIT_EXPECT_FALSE(test, u.error);
		KUNIT_EXPECT_TRUE(test, u.found);
	}
	unregister_kprobe(&u.probe);
}

/* What explain finds out does not make the optimizer forget. */
static void test_asked_before(struct kunit *test)
{
	struct counted p = COUNTED(probe_huge);
	struct counted q = COUNTED(probe_part);

	kprobe_optimizer_switch(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(p.probe.addr),
			KPROBE_NOT_ANALYSED);
	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(q.probe.addr),
			KPROBE_COLD_PART);
	kprobe_optimizer_switch(true);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_huge));
	KUNIT_EXPECT_FALSE(test, is_jump(probe_part));
	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(p.probe.addr),
			KPROBE_NOT_ANALYSED);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&q.probe);
}

static void test_divert(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_plain,
		.pre_handler = elsewhere_pre,
	};
	struct counted q = COUNTED(probe_plain);
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 6);
	KUNIT_EXPECT_EQ(test, q.pre, 0);
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	unregister_kprobe(&p);

	p = (struct kprobe) {
		.addr = (kprobe_opcode_t *)probe_plain,
		.pre_handler = return_pre,
	};
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, call(opt_plain, 5), 4711);
	unregister_kprobe(&p);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, q.pre, 10);
}

/*
 * A handler may go on anywhere, also where a jump stands or is about to: that
 * is as if there were none.
 */
#define MOVE_MOST	16
#define MOVE_BAD_PAGE	(-0xff0UL)

static unsigned long move_to;

static int moving_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ip = move_to;
	return 1;
}

static void moving_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	regs->ip = move_to;
}

static int moving_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	regs->ip = move_to;
	return 1;
}

static const struct mover {
	const char *name;
	char *function;
	char **probe;
	kprobe_pre_handler_t pre;
	kprobe_post_handler_t post;
	kprobe_fault_handler_t fault;
} movers[] = {
	/* From the same place. */
	{ "its pre handler", .pre = moving_pre },
	{ "its fault handler", .fault = moving_fault },
	/* From another one. */
	{ "a pre handler", opt_start, &probe_start, .pre = moving_pre },
	{ "a pre handler at a trap", opt_start, &probe_start,
	  .pre = moving_pre, .post = moving_post },
	{ "a post handler", opt_start, &probe_start, .post = moving_post },
	{ "a post handler, emulated", opt_start_nop, &probe_start_nop,
	  .post = moving_post },
	{ "a fault handler", opt_start_load, &probe_start_load,
	  .fault = moving_fault },
	{ "a fault handler, with a post handler", opt_start_load,
	  &probe_start_load, .post = moving_post, .fault = moving_fault },
	{ "a pre handler by ftrace", opt_start_ftrace, &probe_start_ftrace,
	  .pre = moving_pre },
	{ "a post handler by ftrace", opt_start_ftrace, &probe_start_ftrace,
	  .post = moving_post },
};

#define MOVE(name)	{ #name, opt_##name, &probe_##name }

static const struct opt_case move_cases[] = {
	MOVE(step_1), MOVE(step_2), MOVE(step_3), MOVE(step_jcc),
	MOVE(step_rip), MOVE(step_load), MOVE(step_ftrace),
};

KUNIT_ARRAY_PARAM_DESC(move, move_cases, name);

enum move_state { MOVE_TRAP, MOVE_WAITS, MOVE_JUMP, MOVE_STATES };

static const char * const move_state_names[MOVE_STATES] = {
	"breakpoint", "waiting", "jump",
};

/**
 * struct moves - what came of going on at each offset behind a place
 * @result: what the function returned then; its own at an offset at which
 *	there is no instruction
 * @hits: of the probe at the place meanwhile
 */
struct moves {
	unsigned int result[MOVE_MOST + 1];
	unsigned int hits[MOVE_MOST + 1];
};

static noinline unsigned int call_moved(void *function)
{
	unsigned long a = 5, c = 70, d = 900;

	asm volatile(SAFE "call *%[function]"
		     : "+a" (a), "+c" (c), "+d" (d), ASM_CALL_CONSTRAINT
		     : [function] "D" (function), "S" (MOVE_BAD_PAGE)
		     : "memory", "cc");
	return a;
}

/* Bit by bit: at which offsets an instruction begins. */
static unsigned long move_offsets(struct kunit *test, const u8 *text)
{
	unsigned long offsets = 0;
	unsigned int offset = 0;
	struct insn insn;

	while (offset <= MOVE_MOST) {
		offsets |= BIT(offset);
		KUNIT_ASSERT_EQ(test, insn_decode_kernel(&insn, text + offset),
				0);
		offset += insn.length;
	}
	return offsets;
}

/* Goes on at each of @offsets behind @p, by a probe there or elsewhere. */
static void move_all(struct kunit *test, const struct opt_case *c,
		     const struct mover *m, enum move_state state,
		     struct counted *p, unsigned long offsets,
		     struct moves *moves)
{
	bool same = !m->function;
	struct kprobe mover = {
		.addr = (kprobe_opcode_t *)(same ? *c->probe : *m->probe),
		.pre_handler = m->pre,
		.post_handler = m->post,
		.fault_handler = m->fault,
	};
	unsigned int offset, hits;

	KUNIT_ASSERT_EQ(test, register_kprobe(&mover), 0);
	/* It may become one, too. */
	if (state == MOVE_JUMP)
		KUNIT_EXPECT_TRUE(test, is_jump(*c->probe));

	for_each_set_bit(offset, &offsets, MOVE_MOST + 1) {
		/* A hit, or a fault, that would lead there again and again. */
		if (!offset && (same || m->fault))
			continue;
		hits = p->pre;
		move_to = (unsigned long)*c->probe + offset;
		moves->result[offset] = call_moved(m->function ?: c->function);
		moves->hits[offset] = p->pre - hits;
	}
	unregister_kprobe(&mover);
}

static int spin_thread(void *started)
{
	complete(started);
	while (!kthread_should_stop())
		cpu_relax();
	return 0;
}

/* Return: a task for which each grace period of RCU-tasks waits. */
static struct task_struct *start_spinning(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(started);
	struct task_struct *task;

	task = kthread_run(spin_thread, &started, "kprobes-spin");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&started);
	return task;
}

static void move_in_state(struct kunit *test, const struct opt_case *c,
			  enum move_state state, struct moves *expected)
{
	unsigned long offsets = move_offsets(test, *c->probe);
	struct counted p = COUNTED(*c->probe);
	struct kprobe_site *site;
	unsigned int i, offset;
	struct moves found;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	scoped_guard(preempt)
		site = kprobe_site_find((unsigned long)*c->probe);
	if (state == MOVE_WAITS)
		KUNIT_EXPECT_TRUE(test, EVENTUALLY(READ_ONCE(site->detoured)));
	else
		KUNIT_EXPECT_EQ(test, is_jump(*c->probe), state == MOVE_JUMP);

	for (i = 0; i < ARRAY_SIZE(movers); i++) {
		const struct mover *m = &movers[i];

		/* Only a fault handler gets over an instruction that faults. */
		if (!m->fault && c->function == opt_step_load)
			continue;
		if (m->fault && !m->function && c->function != opt_step_load)
			continue;
		found = expected[i];
		move_all(test, c, m, state, &p, offsets,
			 state == MOVE_TRAP ? &expected[i] : &found);
		if (state == MOVE_TRAP)
			continue;
		for_each_set_bit(offset, &offsets, MOVE_MOST + 1) {
			KUNIT_EXPECT_EQ_MSG(test, found.result[offset],
					    expected[i].result[offset],
					    "%s: by %s to %u",
					    move_state_names[state], m->name,
					    offset);
			KUNIT_EXPECT_EQ_MSG(test, found.hits[offset],
					    expected[i].hits[offset],
					    "%s: by %s to %u",
					    move_state_names[state], m->name,
					    offset);
		}
	}
	if (state == MOVE_WAITS)
		KUNIT_EXPECT_TRUE(test, site->detoured);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.astray, 0);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed, 0);
}

static void test_move(struct kunit *test)
{
	const struct opt_case *c = test->param_value;
	struct task_struct *spins;
	struct moves *expected;

	expected = kunit_kcalloc(test, ARRAY_SIZE(movers), sizeof(*expected),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, expected);

	kprobe_optimizer_switch(false);
	move_in_state(test, c, MOVE_TRAP, expected);
	kprobe_optimizer_switch(true);
	wait_for_kprobe_optimizer();

	/* Without preemption, grace periods wait for no such task. */
	if (preempt_model_preemptible()) {
		spins = start_spinning(test);
		move_in_state(test, c, MOVE_WAITS, expected);
		kthread_stop(spins);
		wait_for_kprobe_optimizer();
	}

	move_in_state(test, c, MOVE_JUMP, expected);
}

/* A handler that hits others: misses, counted, at jumps as at traps. */
static int recursive_pre(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = call(opt_padded, 7);
	return 0;
}

static void test_recursion(struct kunit *test)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)probe_plain,
		.pre_handler = recursive_pre,
	};
	struct counted q = COUNTED(probe_padded);
	int i;

	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	for (i = 0; i < 4; i++) {
		if (i == 1)
			KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
		if (i == 2)
			KUNIT_EXPECT_TRUE(test, is_jump(probe_padded));
		if (i == 3)
			kprobe_optimizer_switch(false);
		KUNIT_EXPECT_EQ(test, call(opt_plain, 1), 19);
	}
	kprobe_optimizer_switch(true);
	unregister_kprobe(&p);
	unregister_kprobe(&q.probe);
	KUNIT_EXPECT_EQ(test, q.pre, 0);
	KUNIT_EXPECT_EQ(test, q.probe.nmissed, 4);
}

/*
 * Preemption: a task that is kept from running while it stands in a detour,
 * or in place among the instructions under a jump to be.
 */

struct kept {
	struct kprobe probe;
	struct task_struct *keeper;
	struct completion go;
	struct completion kept;
	atomic_t woken;
	bool release;
};

/* The caller is preempted as soon as that may be: right behind the hit. */
static int kept_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct kept *k = container_of(p, struct kept, probe);

	if (!atomic_xchg(&k->woken, 1))
		complete(&k->go);
	return 0;
}

/* Runs on the CPU of the caller, before it, until told to stop. */
static int keeper(void *data)
{
	struct kept *k = data;

	wait_for_completion(&k->go);
	complete(&k->kept);
	while (!READ_ONCE(k->release))
		cpu_relax();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int caller(void *data)
{
	unsigned int *result = data;

	*result = call(opt_plain, 5);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static struct task_struct *start_keeper(struct kunit *test, struct kept *k)
{
	struct task_struct *task;

	init_completion(&k->go);
	init_completion(&k->kept);
	task = kthread_create_on_cpu(keeper, k, 1, "kprobes-keeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	sched_set_fifo(task);
	wake_up_process(task);
	return task;
}

static struct task_struct *start_caller(struct kunit *test,
					unsigned int *result)
{
	struct task_struct *task;

	task = kthread_create_on_cpu(caller, result, 1, "kprobes-caller");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wake_up_process(task);
	return task;
}

static bool in_time(ktime_t start)
{
	return ktime_ms_delta(ktime_get(), start) < KEPT_MS;
}

/* Return: whether the caller has been kept for as long as it had to be. */
static bool keep_in_detour(struct kunit *test)
{
	struct task_struct *keeper_task, *caller_task;
	unsigned int result = 0, early, in_use, slots;
	struct kept k = {
		.probe.addr = (kprobe_opcode_t *)probe_plain,
		.probe.pre_handler = kept_pre,
	};
	ktime_t start;
	bool kept;

	kprobe_flush_retired();
	slots = kprobe_slots_in_use();
	keeper_task = start_keeper(test, &k);
	KUNIT_ASSERT_EQ(test, register_kprobe(&k.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	start = ktime_get();
	caller_task = start_caller(test, &result);
	wait_for_completion(&k.kept);

	/* Somewhere in the hit: nothing it stands on may go. */
	unregister_kprobe(&k.probe);
	msleep(300);
	in_use = kprobe_slots_in_use();
	early = READ_ONCE(result);
	kept = in_time(start);
	if (kept) {
		KUNIT_EXPECT_GT(test, in_use, slots);
		KUNIT_EXPECT_EQ(test, early, 0);
	}
	WRITE_ONCE(k.release, true);
	kthread_stop(keeper_task);
	kthread_stop(caller_task);
	KUNIT_EXPECT_EQ(test, result, 13);
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, kprobe_slots_in_use(), slots);
	return kept;
}

static void test_preempted(struct kunit *test)
{
	try_to_keep(test, keep_in_detour);
}

/* Nearly always at one place: between two instructions under the jump. */
#define FILLED	SZ_4M

static unsigned int fill(void *buffer, unsigned long size)
{
	unsigned long a = 5;

	asm volatile(SAFE "call *%[function]"
		     : "+a" (a), "+D" (buffer), ASM_CALL_CONSTRAINT
		     : [function] "r" (opt_filling), "S" (size)
		     : "cx", "dx", "memory", "cc");
	return a;
}

struct filler {
	void *buffer;
	unsigned int result;
};

static int filling_caller(void *data)
{
	struct filler *f = data;

	while (!kthread_should_stop()) {
		f->result = fill(f->buffer, FILLED);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static bool keep_in_place(struct kunit *test)
{
	struct task_struct *keeper_task, *caller_task;
	struct counted p = COUNTED(probe_filling);
	struct filler f = { .buffer = vmalloc(FILLED) };
	unsigned int filled, hits;
	struct kept k = {};
	bool kept, trap;
	ktime_t start;
	u8 small[8];

	keeper_task = start_keeper(test, &k);
	KUNIT_ASSERT_NOT_NULL(test, f.buffer);
	caller_task = kthread_create_on_cpu(filling_caller, &f, 1,
					    "kprobes-caller");
	KUNIT_ASSERT_FALSE(test, IS_ERR(caller_task));
	wake_up_process(caller_task);
	msleep(50);
	start = ktime_get();
	complete(&k.go);
	wait_for_completion(&k.kept);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	msleep(300);
	trap = is_trap(probe_filling);
	/* Others meanwhile have no such trouble. */
	filled = fill(small, sizeof(small));
	hits = READ_ONCE(p.pre);
	kept = in_time(start);
	KUNIT_EXPECT_EQ(test, filled, 13);
	if (kept) {
		KUNIT_EXPECT_TRUE(test, trap);
		KUNIT_EXPECT_EQ(test, hits, 1);
	}
	WRITE_ONCE(k.release, true);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_filling));
	msleep(50);
	KUNIT_EXPECT_GT(test, p.pre, 1);
	kthread_stop(keeper_task);
	kthread_stop(caller_task);
	KUNIT_EXPECT_EQ(test, f.result, 13);
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, p.astray, 0);
	vfree(f.buffer);
	return kept;
}

static void test_preempted_in_place(struct kunit *test)
{
	try_to_keep(test, keep_in_place);
}

#ifdef CONFIG_HAVE_RELIABLE_STACKTRACE
/*
 * A task that is preempted in a displaced instruction is in the function that
 * was probed, says a stack trace, unless it says that it cannot tell.
 */
struct displaced_case {
	const char *name;
	bool post;
	bool jump;
};

static const struct displaced_case displaced_cases[] = {
	{ "slot", false, false },
	{ "slot for post handlers", true, false },
	{ "detour", false, true },
};

KUNIT_ARRAY_PARAM_DESC(displaced, displaced_cases, name);

/* Unlike those above a function that unwinders know their way in. */
static TARGET void fill_unwound(void *buffer, unsigned long size)
{
	asm volatile(".Lprobe_unwound: rep stosb\n\t nop\n nop\n nop\n"
		     POINTER_TO(probe_unwound, .Lprobe_unwound)
		     : "+D" (buffer), "+c" (size)
		     : "a" (5)
		     : "memory");
}

extern char *probe_unwound;

static int unwound_caller(void *buffer)
{
	while (!kthread_should_stop()) {
		fill_unwound(buffer, FILLED);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* Return: whether it is said to be there. */
static bool expect_in_place(struct kunit *test, struct task_struct *task)
{
	unsigned long start = (unsigned long)fill_unwound;
	unsigned long entries[32], size, offset;
	bool in_function = false;
	int i, nr;

	if (!kallsyms_lookup_size_offset(start, &size, &offset))
		kunit_skip(test, "no symbol of the target");
	nr = stack_trace_save_tsk_reliable(task, entries, ARRAY_SIZE(entries));
	for (i = 0; i < nr; i++) {
		in_function |= entries[i] - start < size;
		KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(entries[i]));
	}
	return in_function;
}

static bool keep_displaced(struct kunit *test)
{
	const struct displaced_case *c = test->param_value;
	struct task_struct *keeper_task, *caller_task;
	struct counted p = COUNTED(probe_unwound);
	void *buffer = vmalloc(FILLED);
	struct kept k = {};
	bool found;

	if (c->post)
		p.probe.post_handler = counted_post;
	if (!c->jump)
		kprobe_optimizer_switch(false);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, is_jump(probe_unwound), c->jump);
	keeper_task = start_keeper(test, &k);
	caller_task = kthread_create_on_cpu(unwound_caller, buffer, 1,
					    "kprobes-caller");
	KUNIT_ASSERT_FALSE(test, IS_ERR(caller_task));
	wake_up_process(caller_task);
	msleep(50);
	complete(&k.go);
	wait_for_completion(&k.kept);
	found = expect_in_place(test, caller_task);
	WRITE_ONCE(k.release, true);
	kthread_stop(keeper_task);
	kthread_stop(caller_task);
	kprobe_optimizer_switch(true);
	unregister_kprobe(&p.probe);
	vfree(buffer);
	return found;
}

static void test_preempted_displaced(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_UNWINDER_ORC))
		kunit_skip(test, "no reliable trace of preempted tasks");
	try_to_keep(test, keep_displaced);
}
#endif

/* What is executed is told to those who decode traces of branches. */
#ifdef CONFIG_PERF_EVENTS
static unsigned int slots_told;

static int told_pre(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long addr = regs_get_kernel_argument(regs, 0);
	unsigned long old_len = regs_get_kernel_argument(regs, 2);

	slots_told += is_kprobe_insn_slot(addr) && !old_len;
	return 0;
}

static void test_told(struct kunit *test)
{
	struct kprobe told = {
		.symbol_name = "perf_event_text_poke",
		.pre_handler = told_pre,
	};
	struct counted p = COUNTED(probe_plain);

	KUNIT_ASSERT_EQ(test, register_kprobe(&told), 0);
	/* It tells of itself. */
	wait_for_kprobe_optimizer();
	slots_told = 0;
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_EQ(test, slots_told, 1);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_plain));
	KUNIT_EXPECT_EQ(test, slots_told, 2);
	unregister_kprobe(&p.probe);
	unregister_kprobe(&told);
}
#else
static void test_told(struct kunit *test)
{
	kunit_skip(test, "no perf events");
}
#endif

/*
 * Under load: callers on all CPUs while probes come and go.
 */

static unsigned int load_wrong;

static int load_thread(void *unused)
{
	unsigned int n = 0;

	while (!kthread_should_stop()) {
		if (call(opt_plain, 5) != 13 || call(opt_padded, 5) != 6 ||
		    call(opt_jcc_first, 5) != 13 ||
		    call(opt_stack, 5) != 10)
			WRITE_ONCE(load_wrong, load_wrong + 1);
		/* Whoever never sleeps keeps jumps from being made. */
		if (++n % 64 == 0)
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void test_load(struct kunit *test)
{
	static char **where[] = {
		&probe_plain, &probe_padded, &probe_jcc_first, &probe_stack,
	};
	struct task_struct *tasks[4];
	struct counted p[ARRAY_SIZE(where)];
	struct kprobe *ps[ARRAY_SIZE(where)];
	unsigned int i, k, slots;
	unsigned long missed = 0;
	u8 before[TEXT_SIZE];

	kprobe_flush_retired();
	slots = kprobe_slots_in_use();
	memcpy(before, probe_plain, sizeof(before));
	load_wrong = 0;
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = kthread_run(load_thread, NULL, "kprobes-load%u", i);
	for (i = 0; i < 60; i++) {
		struct counted q = COUNTED(probe_plain + 3,
					   .probe.post_handler = counted_post);

		for (k = 0; k < ARRAY_SIZE(where); k++) {
			p[k] = COUNTED(*where[k]);
			ps[k] = &p[k].probe;
		}
		KUNIT_ASSERT_EQ(test, register_kprobes(ps, ARRAY_SIZE(ps)), 0);
		if (i % 3 == 0)
			wait_for_kprobe_optimizer();
		else
			msleep(i);
		if (i % 2) {
			KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), 0);
			msleep(2);
			unregister_kprobe(&q.probe);
		}
		if (i % 5 == 0) {
			kprobe_optimizer_switch(false);
			msleep(1);
			kprobe_optimizer_switch(true);
		}
		unregister_kprobes(ps, ARRAY_SIZE(ps));
		for (k = 0; k < ARRAY_SIZE(where); k++) {
			missed += p[k].probe.nmissed;
			KUNIT_EXPECT_EQ(test, p[k].astray, 0);
		}
	}
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_EQ(test, load_wrong, 0);
	KUNIT_EXPECT_EQ(test, missed, 0);
	KUNIT_EXPECT_MEMEQ(test, before, probe_plain, sizeof(before));
	wait_for_kprobe_optimizer();
	kprobe_flush_retired();
	KUNIT_EXPECT_EQ(test, kprobe_slots_in_use(), slots);
}

static int opt_init(struct kunit *test)
{
	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		kunit_skip(test, "there are no jumps in such a guest");
	return 0;
}

static void opt_exit(struct kunit *test)
{
	kprobe_optimizer_switch(true);
}

static struct kunit_case opt_tests[] = {
	KUNIT_CASE_PARAM(test_obstacle, opt_gen_params),
	KUNIT_CASE(test_branches),
	KUNIT_CASE(test_displaced_return),
	KUNIT_CASE(test_post_handler),
	KUNIT_CASE(test_jprobe),
	KUNIT_CASE(test_probe_inside),
	KUNIT_CASE(test_leaves_detour),
	KUNIT_CASE(test_array_inside),
	KUNIT_CASE(test_disable),
	KUNIT_CASE(test_idle),
	KUNIT_CASE(test_idle_inside),
	KUNIT_CASE(test_switches),
	KUNIT_CASE_SLOW(test_cancelled),
	KUNIT_CASE(test_registers),
	KUNIT_CASE(test_change),
	KUNIT_CASE(test_divert),
	KUNIT_CASE(test_pushing_divert),
	KUNIT_CASE(test_pushing_post),
	KUNIT_CASE_PARAM(test_move, move_gen_params),
	KUNIT_CASE(test_user_access),
	KUNIT_CASE(test_unwind),
	KUNIT_CASE(test_asked_before),
	KUNIT_CASE(test_recursion),
	KUNIT_CASE(test_preempted),
	KUNIT_CASE(test_preempted_in_place),
#ifdef CONFIG_HAVE_RELIABLE_STACKTRACE
	KUNIT_CASE_PARAM(test_preempted_displaced, displaced_gen_params),
#endif
	KUNIT_CASE(test_told),
	KUNIT_CASE_SLOW(test_load),
	{}
};

static struct kunit_suite opt_suite = {
	.name = "kprobes_opt",
	.test_cases = opt_tests,
	.init = opt_init,
	.exit = opt_exit,
};

kunit_test_suite(opt_suite);

MODULE_DESCRIPTION("KUnit suites for kprobes: jumps");
MODULE_LICENSE("GPL");
