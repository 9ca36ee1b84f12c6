// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for obstacles to jumps on x86: branches to an instruction under
 * the jump, the end of the function, exceptions, instructions that cannot be
 * moved, and functions with unknown branches.
 */
#include <linux/jump_label.h>
#include <linux/memory.h>
#include <asm/nospec-branch.h>
#include "test_x86_opt.h"

/* Branches to an instruction under the jump; never call these with 0. */
CODE(plain, FIRST, SECOND AFTER);
CODE(jumped_into, FIRST,
     "1:" SECOND "test %eax, %eax\n jnz 2f\n jmp 1b\n2:" AFTER);
CODE(jumped_after, FIRST,
     SECOND "1: test %eax, %eax\n jnz 2f\n jmp 1b\n2:" AFTER);
CODE(jumped_before, FIRST, SECOND "test %eax, %eax\n jnz 2f\n"
     "jmp .Lprobe_jumped_before\n2:" AFTER);
/* The first and the last of the conditions, and one in between. */
#define NEAR_JCC(number)						\
	".byte 0x0f, 0x80 + " #number "\n .long 1b - . - 4\n"
#define INTO(branch)	"1:" SECOND AFTER "jmp 2f\n" branch "2: nop\n"
CODE(near_into, FIRST, "1:" SECOND "test %eax, %eax\n" NEAR_JCC(4) AFTER);
CODE(near_jo_into, FIRST, INTO(NEAR_JCC(0)));
CODE(near_jg_into, FIRST, INTO(NEAR_JCC(15)));
CODE(jo_into, FIRST, INTO("jo 1b\n"));
CODE(jg_into, FIRST, INTO("jg 1b\n"));
CODE(called_into, FIRST, INTO("call 1b\n"));
CODE(loops_into, FIRST, "1:" SECOND "mov $1, %ecx\n loop 1b\n" AFTER);

/* Functions that end under the jump, followed by code or by padding. */
FUNCTION(short, ".Lprobe_short: lea 1(" AX "), %eax\n" SAFE "ret\n"
	 ".type opt_short_next, @function\n"
	 "opt_short_next: nop\n nop\n nop\n nop\n" SAFE "ret\n"
	 ".size opt_short_next, . - opt_short_next");
FUNCTION(padded, ".Lprobe_padded: lea 1(" AX "), %eax\n" SAFE "ret\n"
	 "int3\n int3\n int3");
FUNCTION(at_end, "nop\n.Lprobe_at_end:" SAFE "ret\n"
	 "int3\n int3\n int3\n int3\n int3");
/* Functions that end with a call that never returns, followed by padding. */
FUNCTION(call_at_end, ".Lprobe_call_at_end:" FIRST SECOND
	 "test %eax, %eax\n jz 1f\n" AFTER ASM_RET "1: call panic");
FUNCTION(call_padded, ".Lprobe_call_padded:" FIRST SECOND
	 "test %eax, %eax\n jz 1f\n" AFTER ASM_RET "1: call panic\n"
	 "int3\n int3\n int3");

/* Instructions in the exception table, and targets of fix-ups. */
CODE(fixup_into, FIRST,
     "1:" SECOND AFTER "2: nop\n" _ASM_EXTABLE(2b, 1b));
CODE(fixup_after, FIRST,
     SECOND "1:" AFTER "2: nop\n" _ASM_EXTABLE(2b, 1b));
CODE(fault_second, FIRST, "2:" SECOND "1:" AFTER _ASM_EXTABLE(2b, 1b));
CODE(fault_first, FIRST,
     SECOND "1:" AFTER _ASM_EXTABLE(.Lprobe_fault_first, 1b));

/* Instructions under the jump. */
asm(".pushsection .text\n"
    ".type opt_nothing, @function\n"
    "opt_nothing: " SAFE "ret\n int3\n"
    ".size opt_nothing, . - opt_nothing\n"
    ".popsection\n");
CODE(call_second, FIRST, "call opt_nothing\n" SECOND AFTER);
CODE(call_third, FIRST, SECOND "call opt_nothing\n" AFTER);

/* The callee reports its return address, which affects the result. */
asm(".pushsection .text\n"
    ".type opt_where, @function\n"
    "opt_where: mov (" SP "), " CX "\n" SAFE "ret\n int3\n"
    ".size opt_where, . - opt_where\n"
    ".popsection\n"
    POINTER_TO(opt_where_pointer, opt_where));
#define RETURNED							\
	"\n1: lea 1b" RIP ", " DX "\n sub " CX ", " DX "\n"		\
	"add %edx, %eax\n xor %ecx, %ecx\n"
CODE(call_first, "call opt_where", RETURNED FIRST SECOND AFTER);
CODE(call_last, FIRST, "call opt_where" RETURNED SECOND AFTER);
CODE(call_by_pointer, SAFE "call *opt_where_pointer" RIP,
     RETURNED FIRST SECOND AFTER);
/* Branches are longer in the detour; they fit in all but the longest one. */
CODE(call_branches, "jz 2f\n jz 2f\n call opt_where",
     RETURNED "2:" FIRST SECOND AFTER);
FUNCTION(call_by_register, "lea opt_where" RIP ", " DX "\n"
	 ".Lprobe_call_by_register:" FIRST SAFE "call *" DX
	 RETURNED SECOND AFTER ASM_RET);
CODE(loop_first, "loop 1f\n1:", "nop\n nop\n nop\n" FIRST SECOND AFTER);
CODE(jcc_first, "jz 1f\n jnz 1f\n mov $7, %eax\n1:", FIRST SECOND AFTER);
CODE(jmp_third, "nop\n nop", "jmp 1f\n mov $7, %eax\n1:" FIRST SECOND AFTER);
CODE(jmp_first, "jmp 1f", "mov $7, %eax\n1:" FIRST SECOND AFTER);
CODE(bug_second, "jmp 1f", "ud2\n nop\n1:" FIRST SECOND AFTER);
/* Two near branches and 15 bytes fit in all but the longest detour. */
#ifdef CONFIG_X86_64
#define FROM_NEXT	" - . - 8"
#define KPROBE_NOJUMP_LONG_REGION	KPROBE_NOJUMP_DETOUR_SIZE
#else
#define FROM_NEXT	""
#define KPROBE_NOJUMP_LONG_REGION	KPROBE_NOJUMP_NONE
#endif
#define FIFTEEN_BYTES	".byte 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0xc7, 0x05\n" \
			".long opt_word" FROM_NEXT "\n .long 5\n"
CODE(long_region, "jz 1f\n jz 1f",
     FIFTEEN_BYTES "1:" FIRST SECOND AFTER);
CODE(less_long_region, "jz 1f", FIFTEEN_BYTES "1:" FIRST SECOND AFTER);
CODE(blacklisted_second, FIRST, ".Lblacklisted:" SECOND AFTER);

/* The rest of the function. */
CODE(trap_inside, FIRST, SECOND AFTER "jmp 1f\n nop\n int3\n1: nop");
CODE(trap_padding, FIRST, SECOND AFTER "jmp 1f\n int3\n int3\n1: nop");
CODE(huge, FIRST,
     SECOND AFTER "jmp 1f\n .skip 65536, 0x90\n1: nop");
CODE(direction, FIRST, SECOND AFTER "std\n cld\n");
/* The table has an address in @second; the index may be scaled before. */
#define CODE_TABLE(name, second, jump)					\
CODE(name, FIRST, second AFTER "jmp 3f\n" jump				\
     "3:" NO_ENDBR "nop\n"						\
     ".pushsection .rodata\n.balign 8\n1:" _ASM_PTR "3b, 3b, 2b, 0\n"	\
     ".popsection")
#define CASE_INTO	"2:" NO_ENDBR SECOND
#define CASE_AFTER	SECOND "2:" NO_ENDBR
#define BY_TABLE(index)	SAFE "jmp *1f(" index ")\n"
#define BY_READ(index)	"mov 1f(" index "), " CX "\n" SAFE "jmp *" CX "\n"
#define WORDS		", " AX ", " WORD
CODE_TABLE(table_into, CASE_INTO, BY_TABLE(WORDS));
CODE_TABLE(table_after, CASE_AFTER, BY_TABLE(WORDS));
CODE_TABLE(table_read_into, CASE_INTO, BY_READ(WORDS));
CODE_TABLE(table_bytes_into, CASE_INTO, BY_TABLE(AX));
CODE_TABLE(table_bytes_after, CASE_AFTER, BY_TABLE(AX));
CODE_TABLE(table_bytes_read, CASE_INTO, BY_READ(AX));
CODE_TABLE(table_bytes_base, CASE_INTO, BY_TABLE(SP));
CODE_TABLE(table_bytes_index, CASE_INTO, BY_READ(", " AX ", 1"));
/* For an impossible case, the table has the address after the function. */
FUNCTION(table_end, ".Lprobe_table_end:" FIRST "2:" NO_ENDBR SECOND
	 AFTER "jmp 3f\n" SAFE "jmp *1f(, " AX ", " WORD ")\n"
	 "3:" NO_ENDBR ASM_RET
	 ".type opt_table_end_next, @function\n"
	 "opt_table_end_next:" NO_ENDBR "nop\n" ASM_RET
	 ".size opt_table_end_next, . - opt_table_end_next\n"
	 ".pushsection .rodata\n.balign 8\n"
	 "1:" _ASM_PTR "3b, opt_table_end_next, 2b, 0\n"
	 ".popsection");
CODE(jumps_somewhere, FIRST,
     SECOND AFTER "jmp 3f\n" SAFE "jmp *(" CX ", " AX ", " WORD ")\n3: nop\n");
CODE(tail_call, FIRST,
     SECOND AFTER "jmp 3f\n" SAFE "jmp *8(" CX ")\n3: nop\n");

/* A part of the function, which jumps back. */
#define PART(name, part)						\
	".pushsection .text.unlikely\n"					\
	".type " part ", @function\n"					\
	part ": .L" name "_part: nop\n nop\n nop\n nop\n nop\n jmp 1b\n" \
	".size " part ", . - " part "\n"				\
	".popsection\n"
#define COLD(name)	PART(name, name ".cold")
CODE(parted_into, FIRST, "1:" SECOND "test %eax, %eax\n"
     "jz opt_parted_into.cold\n" AFTER COLD("opt_parted_into"));
CODE(parted_after, FIRST, SECOND "1: test %eax, %eax\n"
     "jz opt_parted_after.cold\n" AFTER COLD("opt_parted_after"));
/* The name that LLVM gives to a part which it splits off by a profile. */
CODE(profiled_into, FIRST, "1:" SECOND "test %eax, %eax\n"
     "jz opt_profiled_into.__part.1\n" AFTER
     PART("opt_profiled_into", "opt_profiled_into.__part.1"));
extern char opt_profiled_part[] asm("opt_profiled_into.__part.1");
STACK_FRAME_NON_STANDARD(opt_profiled_part);
/* More branches to one part than the maximum number of parts. */
#define TO_PART	"jz opt_parted_often.cold\n"
CODE(parted_often, FIRST, SECOND "1: test %eax, %eax\n"
     TO_PART TO_PART TO_PART TO_PART TO_PART AFTER COLD("opt_parted_often"));
/* The target of a fix-up, whose name does not end in .cold. */
#define FIXUP_OF(insn, name, end)					\
	".pushsection .text.unlikely\n.balign 64, 0xcc\n"		\
	".type " name ", @function\n"					\
	name ": nop\n nop\n nop\n nop\n nop\n" end "\n"			\
	".size " name ", . - " name "\n"				\
	".popsection\n"						\
	_ASM_EXTABLE(insn, name)
#define FIXUP(name, end)	FIXUP_OF(2b, name, end)
CODE(fixup_parted_into, FIRST, "1:" SECOND AFTER "2: nop\n"
     FIXUP("opt_fixup_parted_into_part", "jmp 1b"));
CODE(fixup_parted_after, FIRST, SECOND "1:" AFTER "2: nop\n"
     FIXUP("opt_fixup_parted_after_part", "jmp 1b"));
CODE(fixup_parted_off, FIRST, SECOND AFTER "2: nop\n"
     FIXUP("opt_fixup_parted_off_part", ASM_RET));
/* More parts than supported. */
CODE(fixup_parted_often, FIRST, SECOND AFTER
     "2: nop\n3: nop\n4: nop\n5: nop\n6: nop\n"
     FIXUP_OF(2b, "opt_fixup_parted_2", ASM_RET)
     FIXUP_OF(3b, "opt_fixup_parted_3", ASM_RET)
     FIXUP_OF(4b, "opt_fixup_parted_4", ASM_RET)
     FIXUP_OF(5b, "opt_fixup_parted_5", ASM_RET)
     FIXUP_OF(6b, "opt_fixup_parted_6", ASM_RET));
extern char opt_fixup_parted_into_part[], opt_fixup_parted_after_part[];
extern char opt_fixup_parted_off_part[];
STACK_FRAME_NON_STANDARD(opt_fixup_parted_into_part);
STACK_FRAME_NON_STANDARD(opt_fixup_parted_after_part);
STACK_FRAME_NON_STANDARD(opt_fixup_parted_off_part);
/* A table that leads to a cold part, twice, and to the end of the part. */
CODE(table_parted_into, FIRST, "1:" SECOND AFTER "jmp 3f\n" SAFE
     "jmp *2f(, " AX ", " WORD ")\n3:" NO_ENDBR "nop\n"
     COLD("opt_table_parted_into")
     ".pushsection .rodata\n.balign 8\n"
     "2:" _ASM_PTR ".Lopt_table_parted_into_part,"
     ".Lopt_table_parted_into_part + 1, 3b, 0\n"
     ".popsection");
asm(POINTER_TO(probe_part, .Lopt_parted_into_part)
    POINTER_TO(probe_fixup_part, opt_fixup_parted_off_part)
    POINTER_TO(opt_blacklisted, .Lblacklisted)
    ".pushsection .data\n.balign 4\n"
    "opt_word: .long 0\n"
    ".popsection\n"
    ".pushsection .rodata\n.balign 4\n"
    "opt_constant: .long 4711\n"
    ".popsection\n");
extern char *probe_part, *probe_fixup_part, *opt_blacklisted;
#define opt_part	NULL
#define opt_fixup_part	NULL

/* Jump labels that are off: under the jump, or with a target there. */
DECLARE_STATIC_KEY_FALSE(opt_test_key);
DEFINE_STATIC_KEY_FALSE(opt_test_key);
#define JUMP_LABEL(from, to)						\
	".pushsection __jump_table, \"aw\"\n"				\
	_ASM_ALIGN "\n"							\
	".long " from " - .\n"						\
	".long " to " - .\n"						\
	_ASM_PTR "opt_test_key - .\n"					\
	".popsection\n"
CODE(label_second, FIRST,
     "1: " NOP5 "2:" SECOND AFTER JUMP_LABEL("1b", "2b"));
CODE(label_into, FIRST,
     "1:" SECOND AFTER "2: " NOP5 JUMP_LABEL("2b", "1b"));
CODE(label_after, FIRST,
     SECOND "1:" AFTER "2: " NOP5 JUMP_LABEL("2b", "1b"));

/* Operands relative to the instruction pointer; the stack; flags. */
CODE(rip_first, "movl opt_constant" RIP ", %ecx", "add %ecx, %eax");
CODE(rip_second, "nop\n nop",
     "movl opt_constant" RIP ", %ecx\n add %ecx, %eax");
CODE(stack, "push " BX "\n push " AX, "mov " SP ", " BX "\n"
     "add (" BX "), %eax\n pop " CX "\n pop " BX);
CODE(halt_second, "nop", "jmp 1f\n hlt\n nop\n1:" FIRST SECOND AFTER);
CODE(halt_last, "nop\n nop", "jmp 1f\n hlt\n1:" FIRST SECOND AFTER);
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
/* Addresses in the function, used as a jump target or as a base. */
CODE(address_into, FIRST, "1:" NO_ENDBR SECOND AFTER
     "jmp 3f\n push $1b\n pop " CX "\n3: nop\n");
/* The target of a failed transaction; and memory that is read there. */
CODE(transaction_into, FIRST,
     INTO(".byte 0xc7, 0xf8\n .long 1b - . - 4\n"));
#ifdef CONFIG_X86_64
CODE(vector_address_into, FIRST, "1:" NO_ENDBR SECOND AFTER
     "jmp 2f\n vmovups 1b(%rip), %xmm0\n2: nop\n");
#endif
CODE(address_after, FIRST, SECOND AFTER
     "jmp 3f\n push $3f\n pop " CX "\n3:" NO_ENDBR "nop\n");
CODE(computed, FIRST, SECOND AFTER "jmp 3f\n"
     "lea 3f(" AX ", " AX ", 2), " CX "\n" SAFE "jmp *" CX "\n"
     "3:" NO_ENDBR "nop\n");
CODE(computed_rip, FIRST, SECOND AFTER "jmp 3f\n"
     "lea 3f" RIP ", " CX "\n add " AX ", " CX "\n" SAFE "jmp *" CX "\n"
     "3:" NO_ENDBR "nop\n");
#ifdef CONFIG_X86_KERNEL_IBT
CODE(landing, "endbr64\n", FIRST SECOND AFTER);
#endif
CODE(flags, "test %eax, %eax\n setp %cl", "movzbl %cl, %eax\n");

#define ENTRY(name, obstacle)						\
	{ #name, opt_##name, &probe_##name, KPROBE_NOJUMP_##obstacle }

static const struct obstacle_case {
	const char *name;
	char *function;
	char **probe;
	enum kprobe_obstacle expected;
} obstacle_cases[] = {
	ENTRY(plain, NONE),
	ENTRY(jumped_into, JUMPED_INTO), ENTRY(jumped_after, NONE),
	ENTRY(jumped_before, NONE), ENTRY(near_into, JUMPED_INTO),
	ENTRY(near_jo_into, JUMPED_INTO), ENTRY(near_jg_into, JUMPED_INTO),
	ENTRY(jo_into, JUMPED_INTO), ENTRY(jg_into, JUMPED_INTO),
	ENTRY(called_into, JUMPED_INTO), ENTRY(loops_into, JUMPED_INTO),
	ENTRY(short, FUNCTION_END), ENTRY(padded, NONE),
	ENTRY(at_end, NONE),
	ENTRY(call_at_end, NONE), ENTRY(call_padded, NONE),
	ENTRY(fixup_into, EXCEPTION_LANDING), ENTRY(fixup_after, NONE),
	ENTRY(fault_second, FAULT_INSIDE), ENTRY(fault_first, NONE),
	ENTRY(call_second, NONE), ENTRY(call_third, NONE),
	ENTRY(call_first, NONE), ENTRY(call_last, NONE),
	ENTRY(call_by_pointer, CALL_INSIDE), ENTRY(call_branches, LONG_REGION),
	ENTRY(call_by_register, CALL_INSIDE),
	ENTRY(loop_first, BOUND_INSIDE), ENTRY(jcc_first, NONE),
	ENTRY(jmp_third, NONE), ENTRY(jmp_first, NONE),
	ENTRY(bug_second, BOUND_INSIDE), ENTRY(halt_second, BOUND_INSIDE),
	ENTRY(halt_last, BOUND_INSIDE), ENTRY(sti_last, BOUND_INSIDE),
	ENTRY(long_region, LONG_REGION),
	ENTRY(less_long_region, NONE),
	ENTRY(blacklisted_second, BLACKLISTED_INSIDE),
	ENTRY(trap_inside, FOREIGN_TRAP), ENTRY(trap_padding, NONE),
	ENTRY(huge, NOT_ANALYSED), ENTRY(direction, DIRECTION_FLAG),
	ENTRY(table_into, JUMPED_INTO), ENTRY(table_after, NONE),
	ENTRY(table_read_into, JUMPED_INTO), ENTRY(table_end, JUMPED_INTO),
	ENTRY(table_bytes_into, JUMPED_INTO), ENTRY(table_bytes_after, NONE),
	ENTRY(table_bytes_read, JUMPED_INTO),
	ENTRY(table_bytes_base, JUMPED_INTO),
	ENTRY(table_bytes_index, JUMPED_INTO),
	ENTRY(jumps_somewhere, INDIRECT_JUMP), ENTRY(scaled, INDIRECT_JUMP),
	ENTRY(tail_call, NONE),
	ENTRY(parted_into, JUMPED_INTO), ENTRY(parted_after, NONE),
	ENTRY(profiled_into, JUMPED_INTO),
	ENTRY(parted_often, NONE),
	ENTRY(part, COLD_PART),
	ENTRY(fixup_parted_into, JUMPED_INTO),
	ENTRY(fixup_parted_after, NONE), ENTRY(fixup_parted_off, NONE),
	ENTRY(fixup_part, NOT_ANALYSED),
	ENTRY(fixup_parted_often, NOT_ANALYSED),
	ENTRY(label_second, PATCHED_INSIDE), ENTRY(label_into, JUMPED_INTO),
	ENTRY(label_after, NONE),
	ENTRY(rip_first, NONE), ENTRY(rip_second, NONE),
	ENTRY(stack, NONE), ENTRY(flags, NONE),
	ENTRY(transaction_into, JUMPED_INTO),
	ENTRY(table_parted_into, JUMPED_INTO),
	ENTRY(address_into, JUMPED_INTO), ENTRY(address_after, NONE),
	ENTRY(computed, INDIRECT_JUMP), ENTRY(computed_rip, INDIRECT_JUMP),
#ifdef CONFIG_X86_64
	ENTRY(vector_address_into, JUMPED_INTO),
	ENTRY(scaled_distance, INDIRECT_JUMP), ENTRY(type_check, BOUND_INSIDE),
#endif
#ifdef CONFIG_X86_KERNEL_IBT
	ENTRY(landing, LANDING_PAD),
#endif
};

KUNIT_ARRAY_PARAM_DESC(obstacle, obstacle_cases, name);

static void expect_obstacle(struct kunit *test, const struct kprobe *p,
			    enum kprobe_obstacle expected)
{
	enum kprobe_obstacle found;

	KUNIT_EXPECT_EQ(test, is_jump(p->addr), !expected);
	found = kprobe_obstacle_at(p->addr);
	KUNIT_EXPECT_STREQ(test, kprobe_obstacles[found].name,
			   kprobe_obstacles[expected].name);
}

static void blacklist_second(struct kunit *test)
{
	unsigned long addr = (unsigned long)opt_blacklisted;

	if (!within_kprobe_blacklist(addr))
		KUNIT_ASSERT_EQ(test, kprobe_add_area_blacklist(addr, addr + 1),
				0);
}

static void test_obstacle_is_found(struct kunit *test)
{
	static const unsigned int arguments[] = { 1, 2, 77, 0x80000000 };
	const struct obstacle_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe);
	unsigned int i, plain[ARRAY_SIZE(arguments)];
	u8 before[TEXT_SIZE];

	if (!IS_ENABLED(CONFIG_JUMP_LABEL) && strstarts(c->name, "label_"))
		kunit_skip(test, "this kernel has no jump labels");
	if (c->expected == KPROBE_NOJUMP_BLACKLISTED_INSIDE)
		blacklist_second(test);
	memcpy(before, *c->probe, sizeof(before));
	for (i = 0; c->function && i < ARRAY_SIZE(arguments); i++)
		plain[i] = call(c->function, arguments[i]);

	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	expect_obstacle(test, &p.probe, c->expected);
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

/* A debugger sets a breakpoint after the function has been analysed. */
CODE(trap_late, FIRST, SECOND AFTER ".Lopt_trap_late_other:" NOP5);
asm(POINTER_TO(opt_trap_late_other, .Lopt_trap_late_other));
extern char *opt_trap_late_other;

static void test_trap_after_analysis_is_found(struct kunit *test)
{
	struct counted *other = PROBED(test, opt_trap_late_other), *p;
	char *second = probe_trap_late + 3;
	const u8 before = *second, trap = INT3_INSN_OPCODE;

	expect_obstacle(test, &other->probe, KPROBE_NOJUMP_NONE);
	KUNIT_EXPECT_TRUE(test, x86_kprobe_function_kept());
	write_text(second, &trap, sizeof(trap));
	p = PROBED(test, probe_trap_late);
	expect_obstacle(test, &p->probe, KPROBE_NOJUMP_FOREIGN_TRAP);
	write_text(second, &before, sizeof(before));
	/* The function is analysed again when its probes change. */
	reenable(test, &p->probe);
	expect_obstacle(test, &p->probe, KPROBE_NOJUMP_NONE);
}

/*
 * A branch that the kernel wrote at boot, or a branch to a place without a
 * symbol.
 */
FUNCTION(branching, ".Lprobe_branching:" FIRST SECOND AFTER "jmp 3f\n"
	 "mov (" DX ", " AX ", " WORD "), " CX "\n"
	 ".Lopt_branch:" NOP5 "\n3: nop\n" ASM_RET);
asm(POINTER_TO(opt_branch, .Lopt_branch));
extern char *opt_branch;

extern char __x86_safe_ret_start[];

static void expect_branching(struct kunit *test, const void *target,
			     enum kprobe_obstacle expected)
{
	struct counted p = COUNTED(probe_branching);
	u8 before[JMP32_INSN_SIZE], branch[JMP32_INSN_SIZE];

	memcpy(before, opt_branch, sizeof(before));
	memcpy(branch, before, sizeof(branch));
	if (target)
		__text_gen_insn(branch, JMP32_INSN_OPCODE, opt_branch, target,
				sizeof(branch));
	write_text(opt_branch, branch, sizeof(branch));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	expect_obstacle(test, &p.probe, expected);
	unregister_kprobe(&p.probe);
	write_text(opt_branch, before, sizeof(before));
}

static void test_written_branch_is_followed(struct kunit *test)
{
	expect_branching(test, NULL, KPROBE_NOJUMP_NONE);
	expect_branching(test, opt_plain, KPROBE_NOJUMP_NONE);
	expect_branching(test, probe_plain + 3, KPROBE_NOJUMP_NOT_ANALYSED);
	/* A target outside of the kernel's text. */
	expect_branching(test, &opt_branch, KPROBE_NOJUMP_INDIRECT_JUMP);
#ifdef CONFIG_MITIGATION_RETPOLINE
	expect_branching(test, __x86_indirect_thunk_array,
			 KPROBE_NOJUMP_INDIRECT_JUMP);
#endif
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	expect_branching(test, __x86_indirect_jump_thunk_array,
			 KPROBE_NOJUMP_INDIRECT_JUMP);
#endif
#ifdef CONFIG_MITIGATION_ITS
	expect_branching(test, __x86_indirect_its_thunk_array,
			 KPROBE_NOJUMP_INDIRECT_JUMP);
#endif
#ifdef CONFIG_MITIGATION_RETHUNK
	expect_branching(test, x86_return_thunk, KPROBE_NOJUMP_NONE);
#endif
#ifdef CONFIG_MITIGATION_SRSO
	/* The first of the thunks that have a section of their own. */
	expect_branching(test, __x86_safe_ret_start,
			 KPROBE_NOJUMP_INDIRECT_JUMP);
#endif
}

/* The last instruction of @p's detour must be followed by a trap. */
static void expect_trap_at_end(struct kunit *test, const struct counted *p)
{
	const struct kprobe_site *site = p->probe.site;
	const struct x86_kprobe_jump *jump = &site->insn.jump;
	const u8 *last = site->detour + jump->to[jump->nr - 1];
	struct insn insn;

	KUNIT_ASSERT_EQ(test, insn_decode_kernel(&insn, last), 0);
	KUNIT_EXPECT_EQ(test, last[insn.length], INT3_INSN_OPCODE);
	KUNIT_EXPECT_PTR_EQ(test, last + insn.length + INT3_INSN_SIZE,
			    (const u8 *)site->detour + jump->end);
	/* No jump back to the function may follow. */
	KUNIT_EXPECT_EQ(test, last[insn.length + INT3_INSN_SIZE],
			INT3_INSN_OPCODE);
}

/*
 * A bare return in a detour may be vulnerable.  If the kernel has a return
 * thunk, the copied return must use it.
 */
static void test_copied_return_uses_thunk_before_trap(struct kunit *test)
{
	struct counted *p = PROBED(test, probe_at_end);
	const struct kprobe_site *site = p->probe.site;
	const u8 *copied;

	KUNIT_ASSERT_TRUE(test, is_jump(probe_at_end));
	copied = site->detour + site->insn.jump.to[0];
	if (cpu_feature_enabled(X86_FEATURE_RETHUNK)) {
		KUNIT_EXPECT_EQ(test, copied[0], JMP32_INSN_OPCODE);
		KUNIT_EXPECT_PTR_EQ(test, copied + JMP32_INSN_SIZE +
				    *(s32 *)(copied + 1),
				    (const u8 *)x86_return_thunk);
	} else {
		KUNIT_EXPECT_EQ(test, copied[0], RET_INSN_OPCODE);
	}
	expect_trap_at_end(test, p);
	KUNIT_EXPECT_EQ(test, call(opt_at_end, 7), 7);
	KUNIT_EXPECT_EQ(test, p->pre, 1);
}

/* A tail call by register, and the trap that stops speculation after it. */
FUNCTION(tail_by_register, ".Lprobe_tail_by_register: "
	 "lea 1(" AX "), %eax\n"
	 SAFE "jmp *" CX "\n int3\n int3\n int3");

static noinline unsigned long call_tail(void)
{
	unsigned long a = 7, c = (unsigned long)opt_at_end;

	asm volatile(SAFE "call *%[function]"
		     : "+a" (a), "+c" (c), ASM_CALL_CONSTRAINT
		     : [function] "D" (opt_tail_by_register)
		     : "dx", "memory", "cc");
	return a;
}

/* With spectre_v2=retpoline,lfence the branch must stay after its LFENCE. */
static void test_copied_tail_call_is_followed_by_trap(struct kunit *test)
{
	struct counted *p = PROBED(test, probe_tail_by_register);
	bool bound = cpu_feature_enabled(X86_FEATURE_RETPOLINE_LFENCE) ||
		     cpu_feature_enabled(X86_FEATURE_INDIRECT_THUNK_ITS);

	expect_obstacle(test, &p->probe, bound ? KPROBE_NOJUMP_BOUND_INSIDE :
						 KPROBE_NOJUMP_NONE);
	if (is_jump(probe_tail_by_register))
		expect_trap_at_end(test, p);
	KUNIT_EXPECT_EQ(test, call_tail(), 8);
	KUNIT_EXPECT_EQ(test, p->pre, 1);
}

FUNCTION(fenced, ".Lprobe_fenced: lfence\n" FIRST SECOND AFTER ASM_RET);

static void test_fence_of_retpoline_is_not_copied(struct kunit *test)
{
	struct counted *p = PROBED(test, probe_fenced);
	bool bound = cpu_feature_enabled(X86_FEATURE_RETPOLINE_LFENCE);

	KUNIT_EXPECT_EQ(test, is_jump(probe_fenced), !bound);
	KUNIT_EXPECT_EQ(test, call(opt_fenced, 5), 13);
	KUNIT_EXPECT_EQ(test, p->pre, 1);
}

static struct counted *leaving;

/* Called from under a jump, which is removed before the call returns. */
asmlinkage __visible unsigned long opt_leaves(void);
asmlinkage __visible noinline unsigned long opt_leaves(void)
{
	if (leaving) {
		unregister_kprobe(&leaving->probe);
		kprobe_flush_retired();
	}
	return 4711;
}

CODE(call_leaves, FIRST, "call opt_leaves\n");

static noinline unsigned long call_leaves(void)
{
	unsigned long a = 5, d = (unsigned long)opt_call_leaves;

	asm volatile(SAFE "call *%[function]"
		     : "+a" (a), [function] "+d" (d), ASM_CALL_CONSTRAINT
		     : : "cx", "memory", "cc"
#ifdef CONFIG_X86_64
		       , "si", "di", "r8", "r9", "r10", "r11"
#endif
		     );
	return a;
}

/* A callee sleeps while its caller's detour is freed. */
static void test_callee_outlives_detour(struct kunit *test)
{
	struct counted p = COUNTED(probe_call_leaves);
	u8 before[TEXT_SIZE];

	memcpy(before, probe_call_leaves, sizeof(before));
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_jump(probe_call_leaves));
	KUNIT_EXPECT_EQ(test, call_leaves(), 4711);
	leaving = &p;
	KUNIT_EXPECT_EQ(test, call_leaves(), 4711);
	leaving = NULL;
	KUNIT_EXPECT_MEMEQ(test, before, probe_call_leaves, sizeof(before));
	KUNIT_EXPECT_EQ(test, call_leaves(), 4711);
	expect_hits(test, &p, 2, 0);
}

/* Querying the obstacle must not prevent its analysis by the optimizer. */
static void test_obstacle_query_changes_nothing(struct kunit *test)
{
	struct counted *p, *q;

	kprobe_set_jumps(false);
	p = PROBED(test, probe_huge);
	q = PROBED(test, probe_part);
	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(p->probe.addr),
			KPROBE_NOJUMP_NOT_ANALYSED);
	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(q->probe.addr),
			KPROBE_NOJUMP_COLD_PART);
	kprobe_set_jumps(true);
	KUNIT_EXPECT_FALSE(test, is_jump(probe_huge));
	KUNIT_EXPECT_FALSE(test, is_jump(probe_part));
	KUNIT_EXPECT_EQ(test, kprobe_explained_obstacle(p->probe.addr),
			KPROBE_NOJUMP_NOT_ANALYSED);
}

static struct kunit_case obstacle_tests[] = {
	KUNIT_CASE_PARAM(test_obstacle_is_found, obstacle_gen_params),
	KUNIT_CASE(test_trap_after_analysis_is_found),
	KUNIT_CASE(test_written_branch_is_followed),
	KUNIT_CASE(test_copied_return_uses_thunk_before_trap),
	KUNIT_CASE(test_copied_tail_call_is_followed_by_trap),
	KUNIT_CASE(test_fence_of_retpoline_is_not_copied),
	KUNIT_CASE(test_callee_outlives_detour),
	KUNIT_CASE(test_obstacle_query_changes_nothing),
	{}
};

static struct kunit_suite obstacle_suite = {
	.name = "kprobes_x86_obstacle",
	.test_cases = obstacle_tests,
	.init = x86_opt_init,
	.exit = x86_opt_exit,
};

kunit_test_suite(obstacle_suite);
