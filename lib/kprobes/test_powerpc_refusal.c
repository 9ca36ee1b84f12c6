// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for places on powerpc: refused places and their errnos, functions
 * with two entries, and faults of instructions in slots.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <asm/cputable.h>
#include <asm/feature-fixups.h>
#include <asm/sections.h>
#include "test_code.h"
#include "test_fault.h"
#include "test_powerpc.h"

/* X(name, errno, instruction): refused instructions, which are skipped. */
#define REFUSALS(X) LIST(						\
	X(sc, -EOPNOTSUPP, "sc")					\
	X(mtmsr, -EOPNOTSUPP, "mtmsr 3")				\
	X(trap, -EINVAL, "trap")					\
	X(twi, -EINVAL, "twnei 3, 5")					\
	X(zero, -EINVAL, ".long 0")					\
	X(attn, -EILSEQ, ".long 0x200"))
#ifdef CONFIG_PPC64
#define REFUSALS_OF_WIDTH(X) LIST(					\
	X(scv, -EOPNOTSUPP, "scv 0")					\
	X(rfid, -EOPNOTSUPP, "rfid")					\
	X(hrfid, -EOPNOTSUPP, "hrfid")					\
	X(stop, -EOPNOTSUPP, "stop")					\
	X(mtmsrd, -EOPNOTSUPP, "mtmsrd 3, 1")				\
	X(bctar, -EOPNOTSUPP, "bctar 20, 0, 0")				\
	X(bctarl, -EOPNOTSUPP, "bctarl 20, 0, 0")			\
	X(tdi, -EINVAL, "tdgti 3, 5")					\
	X(td, -EINVAL, "tdeq 3, 4"))
CODE(prefix, "b 1f", "paddi 3, 4, 5", "1:");
#else
#define REFUSALS_OF_WIDTH(X)	X(rfi, -EOPNOTSUPP, "rfi")
#endif
#define DEFINE_REFUSED(name, errno, insn)	CODE(name, "b 1f", insn, "1:");
REFUSALS(DEFINE_REFUSED)
REFUSALS_OF_WIDTH(DEFINE_REFUSED)

CODE(stcx, "addi 9, 1, -16\n3: lwarx 3, 0, 9", "stwcx. 3, 0, 9",
     "bne- 3b");
CODE(reserved, "addi 9, 1, -16\n3: lwarx 3, 0, 9", "addi 3, 3, 1",
     "stwcx. 3, 0, 9\n bne- 3b");
CODE(branch, "addi 9, 1, -16\n3: lwarx 3, 0, 9\n cmpw 3, 4", "beq 4f",
     "stwcx. 3, 0, 9\n bne- 3b\n4:");
#ifdef CONFIG_BOOKE
CODE(tlb, "b 1f", "add 3, 4, 5", ".long 0x7c0007a4\n1:"); /* TLBWE */
#endif
/* This instruction may be probed if the address is aligned. */
CODE(plain, "", "add 3, 4, 5", "");

static const struct refusal_case refusal_cases[] = {
	REFUSALS(REFUSED_CASE)
	REFUSALS_OF_WIDTH(REFUSED_CASE)
	REFUSED(stcx, -EOPNOTSUPP), REFUSED(reserved, -EOPNOTSUPP),
	REFUSED(branch, -EOPNOTSUPP),
#ifdef CONFIG_PPC64
	{ "suffix", &probe_prefix, 4, -EILSEQ },
#endif
#ifdef CONFIG_BOOKE
	REFUSED(tlb, -EOPNOTSUPP),
#endif
	{ "misaligned by 1", &probe_plain, 1, -EINVAL },
	{ "misaligned by 2", &probe_plain, 2, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusal_cases, name);

#ifdef CONFIG_PPC64
static void test_prefix_needs_the_cpu(struct kunit *test)
{
	struct counted p = COUNTED(probe_prefix);
	int expected = cpu_has_feature(CPU_FTR_ARCH_31) ? 0 : -EILSEQ;

	expect_refused(test, &p, expected, "prefix");
}
#else
static void test_prefix_needs_the_cpu(struct kunit *test)
{
	kunit_skip(test, "32-bit CPUs have no prefixes");
}
#endif

/* See head_*.S and restart_table.c. */
extern char head_text_end[];
extern unsigned long __start___soft_mask_table[];
extern unsigned long __start___restart_table[];

/* Some depend on the configuration. */
static const char * const blacklisted_names[] = {
	"_switch", "interrupt_exit_kernel_prepare", "do_program_check",
	"ppc_kprobe_pool", "__kretprobe_trampoline", "ftrace_caller",
#ifdef CONFIG_PPC64
	"start_here_common", "arch_local_irq_restore", "copy_mc_generic",
	"program_check_common", "__restore_cpu_power9", "__restore_cpu_power10",
	"interrupt_base_book3e", "exc_program_book3e", "e500_idle",
	"load_up_vsx", "slb_insert_entry", "get_slice_psize", "switch_slb",
#ifdef CONFIG_SMP
	"early_setup_secondary", "setup_kup", "radix__switch_mmu_context",
	"radix__tlbiel_all", "hash__tlbiel_all", "slb_initialize",
	"map_mem_in_cams",
#endif
#else
	"transfer_to_syscall", "interrupt_return", "__ashldi3",
#endif
#ifdef CONFIG_PPC_BOOK3S_32
	"start_here", "ProgramCheck", "ProgramCheck_virt", "hash_page",
#endif
#if defined(CONFIG_BOOKE) && defined(CONFIG_PPC32)
	"interrupt_base", "Program",
#endif
};

KUNIT_ARRAY_PARAM(blacklisted, blacklisted_names, name_desc);

static unsigned long * const blacklisted_tables[] = {
#ifdef CONFIG_PPC64
	__start___soft_mask_table, __start___restart_table,
#endif
};

static void test_head_and_tables_are_refused(struct kunit *test)
{
	struct counted p = COUNTED(head_text_end - sizeof(u32));
	unsigned int i;

	expect_refused(test, &p, -EINVAL, "head");
	for (i = 0; i < ARRAY_SIZE(blacklisted_tables); i++) {
		p = COUNTED(*blacklisted_tables[i]);
		expect_refused(test, &p, -EINVAL, "table");
	}
}

/* Words within C functions that are patched without telling kprobes. */
#ifdef CONFIG_PPC_BARRIER_NOSPEC
static void test_barrier_is_refused(struct kunit *test)
{
	unsigned int words = IS_ENABLED(CONFIG_PPC_E500) ? 2 : 1;
	long *entry = &__start___barrier_nospec_fixup;
	unsigned int i, seen = 0;

	for (; entry < &__stop___barrier_nospec_fixup; entry++) {
		u32 *barrier = (void *)entry + *entry;
		struct counted p;

		/* Init text has been freed. */
		if (!core_kernel_text((unsigned long)barrier))
			continue;
		for (i = 0; i < words; i++) {
			p = COUNTED(barrier + i);
			expect_refused(test, &p, -EINVAL, "barrier");
		}
		p = COUNTED(barrier + words);
		seen += !register_kprobe(&p.probe);
		unregister_kprobe(&p.probe);
	}
	/* The words after the barriers can be probed. */
	KUNIT_EXPECT_GT(test, seen, 0);
}
#else
static void test_barrier_is_refused(struct kunit *test)
{
	kunit_skip(test, "this kernel has no such barriers");
}
#endif

/* Traced functions branch to these stubs, whose calls ftrace changes. */
#ifdef CONFIG_PPC_FTRACE_OUT_OF_LINE
static void expect_stubs_refused(struct kunit *test,
				 const struct ftrace_ool_stub *stubs,
				 unsigned int nr)
{
	unsigned int i;

	/* The first one and the last one. */
	for (i = 0; nr && i < ARRAY_SIZE(stubs->insn); i++) {
		struct counted first = COUNTED(&stubs[0].insn[i]);
		struct counted last = COUNTED(&stubs[nr - 1].insn[i]);

		expect_refused(test, &first, -EINVAL, "ftrace's stub");
		expect_refused(test, &last, -EINVAL, "ftrace's stub");
	}
}

static void test_ftrace_stub_is_refused(struct kunit *test)
{
	expect_stubs_refused(test, ftrace_ool_stub_text,
			     ftrace_ool_stub_text_count);
	expect_stubs_refused(test, ftrace_ool_stub_text_end,
			     ftrace_ool_stub_text_end_count);
}
#else
static void test_ftrace_stub_is_refused(struct kunit *test)
{
	kunit_skip(test, "traced functions branch to no stubs");
}
#endif

int ppc_one_entry(int a);
asm(".pushsection .text\n"
    ".balign 16\n"
    FUNCTION(ppc_one_entry)
    "	addi	3, 3, 1\n"
    "	addi	3, 3, 1\n"
    "	blr\n"
    FUNCTION_END(ppc_one_entry)
    ".popsection\n");

/*
 * A function is probed at its text, even if its name and pointers to it refer
 * to a descriptor.
 */
static void test_function_is_probed_at_its_text(struct kunit *test)
{
	unsigned long text = ppc_function_entry(ppc_one_entry);
	struct counted *by_pointer, *by_text, *by_name;

	KUNIT_EXPECT_EQ(test,
			kprobe_on_func_entry(NULL, "ppc_one_entry", 0), 0);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, "ppc_one_entry", 8),
			-EINVAL);
	if (IS_ENABLED(CONFIG_PPC64_ELF_ABI_V1))
		KUNIT_EXPECT_EQ(test, (unsigned long)
				kprobe_lookup_name(".ppc_one_entry", 0), text);

	by_pointer = PROBED(test, ppc_one_entry);
	by_text = PROBED(test, text);
	by_name = PROBED(test, 0, .probe.symbol_name = "ppc_one_entry");
	KUNIT_EXPECT_EQ(test, (unsigned long)by_pointer->probe.addr, text);
	KUNIT_EXPECT_EQ(test, (unsigned long)by_name->probe.addr, text);
	KUNIT_EXPECT_EQ(test, probed_at(&by_pointer->probe), text);
	KUNIT_EXPECT_EQ(test, probed_at(&by_name->probe), text);
	KUNIT_EXPECT_EQ(test, ppc_one_entry(1), 3);
	KUNIT_EXPECT_EQ(test, by_pointer->pre + by_text->pre + by_name->pre, 3);
}

/* A function with a TOC of its own. */
#ifdef CONFIG_PPC64_ELF_ABI_V2
int ppc_two_entries(int a);
asm(".pushsection .text\n"
    ".balign 16\n"
    ".globl ppc_two_entries\n"
    ".type ppc_two_entries, @function\n"
    "ppc_two_entries:\n"
    "0:	addis	2, 12, .TOC. - 0b@ha\n"
    "	addi	2, 2, .TOC. - 0b@l\n"
    ".localentry ppc_two_entries, . - ppc_two_entries\n"
    "	addi	3, 3, 1\n"
    "	blr\n"
    ".size ppc_two_entries, . - ppc_two_entries\n"
    ".popsection\n");

static void test_both_entries_are_hit(struct kunit *test)
{
	static const char two[] = "ppc_two_entries";
	unsigned long addr = kallsyms_lookup_name(two);
	int (*volatile pointer)(int a) = ppc_two_entries;
	struct counted *between, *all[3];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, two, 0), 0);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, two, 8), 0);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, two, 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, two, 12), -EINVAL);
	/* Register this first: its trap must not hide the entry. */
	between = PROBED(test, addr + 4);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, two, 8), 0);
	all[0] = PROBED(test, addr);
	all[1] = PROBED(test, addr + 8);
	all[2] = PROBED(test, 0, .probe.symbol_name = two);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		KUNIT_EXPECT_EQ(test, (unsigned long)all[i]->probe.addr,
				addr + 8);
		KUNIT_EXPECT_EQ(test, probed_at(&all[i]->probe), addr + 8);
	}
	KUNIT_EXPECT_EQ(test, probed_at(&between->probe), addr + 4);

	/* Enter by the global entry and by the local one. */
	KUNIT_EXPECT_EQ(test, pointer(1), 2);
	KUNIT_EXPECT_EQ(test, ppc_two_entries(2), 3);
	KUNIT_EXPECT_EQ(test, between->pre, 1);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		expect_hits(test, all[i], 2, 0);
}
#else
static void test_both_entries_are_hit(struct kunit *test)
{
	kunit_skip(test, "functions have one entry here");
}
#endif

/*
 * Faults
 */

/* Loads from r3; the fix-up sets r6 to 2. */
CODE(load, "li 6, 1", "1: " LL " 5, 0(3)",
     "b 3f\n2: li 6, 2\n3:\n" EX_TABLE(1b, 2b));

static u64 call_load(unsigned long from, u64 *word)
{
	struct state s = { .r = { from } };

	ppc_call_code(code_load, &s);
	*word = s.r[2];
	return s.r[3];
}

static struct kunit_case refusal_tests[] = {
	KUNIT_CASE_PARAM(test_refused_with_errno, refusal_gen_params),
	KUNIT_CASE(test_prefix_needs_the_cpu),
	KUNIT_CASE_PARAM(test_blacklisted_is_refused, blacklisted_gen_params),
	KUNIT_CASE(test_head_and_tables_are_refused),
	KUNIT_CASE(test_barrier_is_refused),
	KUNIT_CASE(test_ftrace_stub_is_refused),
	KUNIT_CASE(test_function_is_probed_at_its_text),
	KUNIT_CASE(test_both_entries_are_hit),
	KUNIT_CASE(test_fault_in_slot_is_handled),
	{}
};

static struct kunit_suite refusal_suite = {
	.name = "kprobes_powerpc_refusal",
	.test_cases = refusal_tests,
};

kunit_test_suite(refusal_suite);
