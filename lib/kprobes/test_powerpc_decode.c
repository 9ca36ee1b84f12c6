// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the instruction decoder of kprobes on powerpc: it checks the
 * class for given words, and moved operands of prefixed instructions.
 */
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/cputable.h>
#include <asm/page.h>
#include "../../arch/powerpc/kernel/probes/decode-insn.h"
#include "test.h"

/* The address of the decoded instruction. */
#define HERE	(PAGE_OFFSET + SZ_1M)

/* The encodings are from binutils. */
static const struct decode_case {
	u32 word;
	enum ppc_kprobe_class class;
	const char *text;
} decode_cases[] = {
	{ 0x48000008, PPC_KPROBE_EMULATE, "b .+8" },
	{ 0x4bfff000, PPC_KPROBE_EMULATE, "b .-4096" },
	{ 0x48000401, PPC_KPROBE_EMULATE, "bl .+1024" },
	{ 0x409efff8, PPC_KPROBE_EMULATE, "bne 7, .-8" },
	{ 0x4045ffe0, PPC_KPROBE_EMULATE, "bdzf 5, .-32" },
	{ 0x429f0005, PPC_KPROBE_EMULATE, "bcl 20, 31, .+4" },
	{ 0x4e800020, PPC_KPROBE_EMULATE, "blr" },
	{ 0x4e800021, PPC_KPROBE_EMULATE, "blrl" },
	{ 0x4e800420, PPC_KPROBE_EMULATE, "bctr" },
	{ 0x4e800421, PPC_KPROBE_EMULATE, "bctrl" },
	{ 0x4d8d0421, PPC_KPROBE_EMULATE, "bgtctrl 3" },
	{ 0x7c642a14, PPC_KPROBE_COMPUTE, "add 3, 4, 5" },
	{ 0x7c642914, PPC_KPROBE_COMPUTE, "adde 3, 4, 5" },
	{ 0x3c4c0100, PPC_KPROBE_COMPUTE, "addis 2, 12, 256" },
	{ 0x34640005, PPC_KPROBE_COMPUTE, "addic. 3, 4, 5" },
	{ 0x60000000, PPC_KPROBE_COMPUTE, "ori 0, 0, 0" },
	{ 0x5083298e, PPC_KPROBE_COMPUTE, "rlwimi 3, 4, 5, 6, 7" },
	{ 0x4d1c0000, PPC_KPROBE_COMPUTE, "mcrf 2, 7" },
	{ 0x7c6ff120, PPC_KPROBE_COMPUTE, "mtcrf 255, 3" },
	{ 0x7c0802a6, PPC_KPROBE_COMPUTE, "mflr 0" },
	{ 0x7c0803a6, PPC_KPROBE_COMPUTE, "mtlr 0" },
	{ 0x7c0004ac, PPC_KPROBE_COMPUTE, "sync" },
	{ 0x4c00012c, PPC_KPROBE_COMPUTE, "isync" },
	{ 0x7c64282e, PPC_KPROBE_PLAIN, "lwzx 3, 4, 5" },
	{ 0x98640000, PPC_KPROBE_PLAIN, "stb 3, 0(4)" },
	{ 0x7c001fec, PPC_KPROBE_PLAIN, "dcbz 0, 3" },
	{ 0x7c001fac, PPC_KPROBE_PLAIN, "icbi 0, 3" },
	{ 0x7c6000a6, PPC_KPROBE_PLAIN, "mfmsr 3" },
	{ 0x7c7a02a6, PPC_KPROBE_PLAIN, "mfspr 3, 26" },
	{ 0x7c6c42a6, PPC_KPROBE_PLAIN, "mftb 3" },
	{ 0x7c801a64, PPC_KPROBE_PLAIN, "tlbie 3, 4" },
	{ 0xfc22182a, PPC_KPROBE_PLAIN, "fadd 1, 2, 3" },
	{ 0xc8230008, PPC_KPROBE_PLAIN, "lfd 1, 8(3)" },
	{ 0x7c602028, PPC_KPROBE_LOAD_RESERVE, "lwarx 3, 0, 4" },
	{ 0x7c60212d, PPC_KPROBE_STORE_COND, "stwcx. 3, 0, 4" },
	{ 0x7c600124, PPC_KPROBE_MSR, "mtmsr 3" },
	{ 0x7fe00008, PPC_KPROBE_TRAP, "trap" },
	{ 0x0fe00000, PPC_KPROBE_TRAP, "twi 31, 0, 0" },
	{ 0x0f030005, PPC_KPROBE_TRAP, "twnei 3, 5" },
	{ 0x44000002, PPC_KPROBE_SYSTEM, "sc" },
	{ 0x00000000, PPC_KPROBE_NONE, ".long 0" },
	{ 0x03ffffff, PPC_KPROBE_NONE, ".long 0x03ffffff" },
#ifdef CONFIG_PPC64
	{ 0x4c620005, PPC_KPROBE_EMULATE, "addpcis 3, 5" },
	{ 0x7c6429d2, PPC_KPROBE_COMPUTE, "mulld 3, 4, 5" },
	{ 0x7c642e12, PPC_KPROBE_COMPUTE, "modsd 3, 4, 5" },
	{ 0x106429b3, PPC_KPROBE_COMPUTE, "maddld 3, 4, 5, 6" },
	{ 0x7c830074, PPC_KPROBE_COMPUTE, "cntlzd 3, 4" },
	{ 0x78832980, PPC_KPROBE_COMPUTE, "rldicl 3, 4, 5, 6" },
	{ 0x7c232000, PPC_KPROBE_COMPUTE, "cmpd 3, 4" },
	{ 0x7c700100, PPC_KPROBE_COMPUTE, "setb 3, 4" },
	{ 0xe8640008, PPC_KPROBE_PLAIN, "ld 3, 8(4)" },
	{ 0xf8010010, PPC_KPROBE_PLAIN, "std 0, 16(1)" },
	{ 0xf821ff91, PPC_KPROBE_PLAIN, "stdu 1, -112(1)" },
	{ 0x7c001a24, PPC_KPROBE_PLAIN, "tlbiel 3" },
	{ 0x4e800460, PPC_KPROBE_WHERE, "bctar 20, 0, 0" },
	{ 0x7c2320ce, PPC_KPROBE_PLAIN, "lvx 1, 3, 4" },
	{ 0x10221880, PPC_KPROBE_PLAIN, "vadduwm 1, 2, 3" },
	{ 0x7c432699, PPC_KPROBE_PLAIN, "lxvd2x 34, 3, 4" },
	{ 0x7c230166, PPC_KPROBE_PLAIN, "mtvsrd 1, 3" },
	{ 0x7c00199c, PPC_KPROBE_PLAIN, "msgsnd 3" },
	{ 0x7c6428a8, PPC_KPROBE_LOAD_RESERVE, "ldarx 3, 4, 5" },
	{ 0x7c602068, PPC_KPROBE_LOAD_RESERVE, "lbarx 3, 0, 4" },
	{ 0x7c6020e9, PPC_KPROBE_LOAD_RESERVE, "lharx 3, 0, 4, 1" },
	{ 0x7c801a28, PPC_KPROBE_LOAD_RESERVE, "lqarx 4, 0, 3" },
	{ 0x7c6429ad, PPC_KPROBE_STORE_COND, "stdcx. 3, 4, 5" },
	{ 0x7c60256d, PPC_KPROBE_STORE_COND, "stbcx. 3, 0, 4" },
	{ 0x7c6025ad, PPC_KPROBE_STORE_COND, "sthcx. 3, 0, 4" },
	{ 0x7c80196d, PPC_KPROBE_STORE_COND, "stqcx. 4, 0, 3" },
	{ 0x4e800461, PPC_KPROBE_WHERE, "bctarl 20, 0, 0" },
	{ 0x7c600164, PPC_KPROBE_MSR, "mtmsrd 3" },
	{ 0x7c610164, PPC_KPROBE_MSR, "mtmsrd 3, 1" },
	{ 0x09030005, PPC_KPROBE_TRAP, "tdgti 3, 5" },
	{ 0x7c832088, PPC_KPROBE_TRAP, "tdeq 3, 4" },
	{ 0x44000001, PPC_KPROBE_SYSTEM, "scv 0" },
	{ 0x4c000024, PPC_KPROBE_SYSTEM, "rfid" },
	{ 0x4c000224, PPC_KPROBE_SYSTEM, "hrfid" },
	{ 0x4c000124, PPC_KPROBE_SYSTEM, "rfebb 0" },
	{ 0x4c0000a4, PPC_KPROBE_SYSTEM, "rfscv" },
	{ 0x4c0002e4, PPC_KPROBE_SYSTEM, "stop" },
	{ 0x4c000264, PPC_KPROBE_SYSTEM, "urfid" },
#else
	{ 0x4c000064, PPC_KPROBE_SYSTEM, "rfi" },
#endif
};

KUNIT_ARRAY_PARAM_DESC(decode, decode_cases, text);

/* Instructions that analyse_instr() supports with ISA 3.0 only. */
static bool is_new(const char *text)
{
	return strstarts(text, "mods") || strstarts(text, "maddld") ||
	       strstarts(text, "setb");
}

static void test_class_is_right(struct kunit *test)
{
	const struct decode_case *c = test->param_value;

	if (is_new(c->text) && !cpu_has_feature(CPU_FTR_ARCH_300))
		kunit_skip(test, "this CPU is older than ISA 3.0");
	KUNIT_EXPECT_EQ(test, ppc_kprobe_decode(ppc_inst(c->word), HERE),
			c->class);
}

#ifdef CONFIG_PPC64
static const struct prefixed_case {
	u32 prefix;
	u32 suffix;
	enum ppc_kprobe_class class;
	const char *text;
} prefixed_cases[] = {
	{ 0x06000000, 0x38640005, PPC_KPROBE_PLAIN, "paddi 3, 4, 5" },
	{ 0x06100000, 0x38600005, PPC_KPROBE_RELATIVE, "paddi 3, 0, 5, 1" },
	{ 0x04000000, 0xe4640008, PPC_KPROBE_PLAIN, "pld 3, 8(4)" },
	{ 0x04100000, 0xe4600008, PPC_KPROBE_RELATIVE, "pld 3, 8(0), 1" },
	{ 0x0613ffff, 0x9060fff8, PPC_KPROBE_RELATIVE, "pstw 3, -8(0), 1" },
	{ 0x04000000, 0xf4610008, PPC_KPROBE_PLAIN, "pstd 3, 8(1)" },
	{ 0x07000000, 0x00000000, PPC_KPROBE_PLAIN, "pnop" },
	{ 0x04100000, 0xc8200008, PPC_KPROBE_RELATIVE, "plxv 1, 8(0), 1" },
	{ 0x05000000, 0x80260063, PPC_KPROBE_PLAIN, "xxspltiw 1, 99" },
};

KUNIT_ARRAY_PARAM_DESC(prefixed, prefixed_cases, text);

static void test_prefixed_class_is_right(struct kunit *test)
{
	const struct prefixed_case *c = test->param_value;
	ppc_inst_t insn = ppc_inst_prefix(c->prefix, c->suffix);
	bool has = cpu_has_feature(CPU_FTR_ARCH_31);

	KUNIT_EXPECT_EQ(test, ppc_kprobe_decode(insn, HERE),
			has ? c->class : PPC_KPROBE_NONE);
	/* An instruction across a 64-byte boundary is invalid. */
	KUNIT_EXPECT_EQ(test, ppc_kprobe_decode(insn, HERE + 60),
			PPC_KPROBE_NONE);
	KUNIT_EXPECT_EQ(test, ppc_kprobe_decode(insn, HERE + 56),
			has ? c->class : PPC_KPROBE_NONE);
}

/* Return the displacement of a prefixed instruction. */
static s64 distance(ppc_inst_t insn)
{
	u64 bits = (u64)(ppc_inst_val(insn) & GENMASK(17, 0)) << 16 |
		   (ppc_inst_suffix(insn) & 0xffff);

	return sign_extend64(bits, 33);
}

static void test_moved_operand_means_the_same(struct kunit *test)
{
	static const s64 distances[] = {
		0, 8, -8, 0x7fff, 0x8000, -0x8000, 0x123456789, -0x1f0000000,
	};
	static const long moves[] = { 4, -4, SZ_16M, -SZ_32M, 0xfffc };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(distances); i++) {
		u64 bits = distances[i];
		ppc_inst_t insn;

		insn = ppc_inst_prefix(0x04100000 | (bits >> 16 &
						     GENMASK(17, 0)),
				       0xe4600000 | (bits & 0xffff));
		KUNIT_ASSERT_EQ(test, distance(insn), distances[i]);
		for (k = 0; k < ARRAY_SIZE(moves); k++) {
			ppc_inst_t moved = insn;

			KUNIT_EXPECT_TRUE(test,
					  ppc_kprobe_relocate(&moved, HERE,
							      HERE + moves[k]));
			KUNIT_EXPECT_EQ(test, distance(moved) + moves[k],
					distances[i]);
			KUNIT_EXPECT_EQ(test, ppc_inst_val(moved) &
					~GENMASK(17, 0), 0x04100000);
			KUNIT_EXPECT_EQ(test, ppc_inst_suffix(moved) >> 16,
					0xe460);
		}
	}
}

static void test_far_operand_is_refused(struct kunit *test)
{
	/* The largest displacement. */
	ppc_inst_t insn = ppc_inst_prefix(0x0411ffff, 0xe460ffff);

	KUNIT_ASSERT_EQ(test, distance(insn), 0x1ffffffff);
	KUNIT_EXPECT_TRUE(test, ppc_kprobe_relocate(&insn, HERE, HERE + 4));
	KUNIT_EXPECT_TRUE(test, ppc_kprobe_relocate(&insn, HERE + 4, HERE));
	KUNIT_EXPECT_FALSE(test, ppc_kprobe_relocate(&insn, HERE + 4, HERE));
}
#endif

static struct kunit_case decode_tests[] = {
	KUNIT_CASE_PARAM(test_class_is_right, decode_gen_params),
#ifdef CONFIG_PPC64
	KUNIT_CASE_PARAM(test_prefixed_class_is_right, prefixed_gen_params),
	KUNIT_CASE(test_moved_operand_means_the_same),
	KUNIT_CASE(test_far_operand_is_refused),
#endif
	{}
};

static struct kunit_suite decode_suite = {
	.name = "kprobes_powerpc_decode",
	.test_cases = decode_tests,
};

kunit_test_suite(decode_suite);
