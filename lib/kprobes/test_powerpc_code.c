// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for instructions on powerpc: each must have the same results with
 * a probe, on random operands, as without.  The probe is a trap, is a branch,
 * or has a post handler.
 */
#include <linux/stringify.h>
#include <asm/cputable.h>
#include <asm/switch_to.h>
#include "test_powerpc.h"
#include "test_same.h"

/* Needs a unit of the CPU, or an ISA. */
#define NEEDS_VSX	4
#define NEEDS_30	8
#define NEEDS_31	16
#define NEEDS_205	32

/* An access of the operands in memory, which may change their address in r9. */
#define ACCESS(name, probed)						\
	CODE(name, MEMORY, probed, LEFT "\n mr 6, 9")

#ifdef CONFIG_PPC64
#include "test_powerpc_64.h"
#else
#include "test_powerpc_32.h"
#endif

/* Before a number: offset in struct state of an operand or result. */
#ifdef CONFIG_PPC64
#define IN_STATE	"8 * "
#else
#define IN_STATE	"4 + 8 * "
#endif
/* Execute @access for r3 to r8. */
#define OPERANDS(access)						\
	".irp r, 3,4,5,6,7,8\n\t"					\
	access " \\r, " IN_STATE "\\r - 24(11)\n\t"			\
	".endr\n\t"
#define LR_SAVE		__stringify(PPC_LR_STKOFF) "(1)"

/*
 * Call @function with the registers in @s, and store its results there.  The
 * frame begins with 16 bytes for the code.
 */
asm(".pushsection .text\n"
    ".balign 16\n"
    FUNCTION(ppc_call_code)
    "mflr 0\n\t"
    STL " 0, " LR_SAVE "\n\t"
    STLU " 1, -112(1)\n\t"
    "mfcr 0\n\t"
    STL " 0, 72(1)\n\t"
    STL " 4, 64(1)\n\t"
    "mr 12, 3\n\t"
    "mtctr 3\n\t"
    "mr 11, 4\n\t"
    LL " 9, " IN_STATE "6(11)\n\t"
    "mtcr 9\n\t"
    LL " 9, " IN_STATE "7(11)\n\t"
    "mtxer 9\n\t"
    OPERANDS(LL)
    "bctrl\n\t"
    LL " 11, 64(1)\n\t"
    OPERANDS(STL)
    "mfcr 9\n\t"
    STL " 9, " IN_STATE "6(11)\n\t"
    "mfxer 9\n\t"
    STL " 9, " IN_STATE "7(11)\n\t"
    LL " 0, 72(1)\n\t"
    "mtcr 0\n\t"
    "addi 1, 1, 112\n\t"
    LL " 0, " LR_SAVE "\n\t"
    "mtlr 0\n\t"
    "blr\n"
    FUNCTION_END(ppc_call_code)
    ".popsection\n");

/* r6 shows whether the branch was taken. */
#define BRANCH(name, before, probed)					\
	CODE(name, "li 6, 1\n" before, probed, "li 6, 2\n1: nop")
/* Load the address of label 1 into r4. */
#define LANDING	"bcl 20, 31, 8f\n8: mflr 4\n addi 4, 4, 1f - 8b\n"

BRANCH(b, "", "b 1f");
BRANCH(b_next, "", "b 2f\n2:");
BRANCH(beq, "", "beq 1f");
BRANCH(bne, "", "bne 1f");
BRANCH(blt, "", "blt 1f");
BRANCH(bge, "", "bge 1f");
BRANCH(bgt_cr1, "", "bgt 1, 1f");
BRANCH(ble_cr3, "", "ble 3, 1f");
BRANCH(bso_cr7, "", "bso 7, 1f");
BRANCH(bns_cr5, "", "bns 5, 1f");
BRANCH(beq_likely, "", "beq+ 1f");
BRANCH(bne_unlikely, "", "bne- 6, 1f");
BRANCH(bdnz, "mtctr 3\n", "bdnz 1f");
BRANCH(bdz, "mtctr 3\n", "bdz 1f");
BRANCH(bdnz_one, "li 3, 1\n mtctr 3\n", "bdnz 1f");
BRANCH(bdz_one, "li 3, 1\n mtctr 3\n", "bdz 1f");
BRANCH(bdnzt, "mtctr 3\n", "bdnzt 2, 1f");
BRANCH(bdzf, "li 3, 1\n mtctr 3\n", "bdzf 4, 1f");
CODE(bdnz_ctr, "mtctr 3", "bdnz 1f", "1: mfctr 3");
BRANCH(blr, LANDING "mtlr 4\n", "blr");
BRANCH(beqlr, LANDING "mtlr 4\n", "beqlr");
BRANCH(bdnzlr, LANDING "mtlr 4\n mtctr 3\n", "bdnzlr");
BRANCH(bctr, LANDING "mtctr 4\n", "bctr");
BRANCH(bgtctr, LANDING "mtctr 4\n", "bgtctr 2");
/* The called part returns to the instruction after the call, by LR. */
#define CALLED	"li 6, 2\n b 2f\n1: mflr 7\n li 6, 5\n blr\n2: mflr 8"
CALLEE(callee, "mflr 7\n li 6, 5");
CODE(bl, "li 6, 1\n li 7, 0", "bl callee", "li 6, 2\n mflr 8");
CODE(beql, "li 6, 1\n li 7, 0\n mtlr 6", "beql 1f", CALLED);
CODE(bcl, "li 6, 1", "bcl 20, 31, 1f\n1:", "mflr 8");
CODE(bctrl, "li 6, 1\n li 7, 0\n" LANDING "mtctr 4", "bctrl", CALLED);
CODE(blrl, "li 6, 1\n li 7, 0\n" LANDING "mtlr 4", "blrl", CALLED);
CODE(bnelrl, "li 6, 1\n li 7, 0\n" LANDING "mtlr 4", "bnelrl", CALLED);

CODE(add, "", "add 3, 4, 5", "");
CODE(add_rc, "", "add. 3, 4, 5", "");
CODE(addo_rc, "", "addo. 3, 4, 5", "");
CODE(subf_rc, "", "subf. 3, 4, 5", "");
CODE(adde, "", "adde 3, 4, 5", "");
CODE(subfze, "", "subfze 3, 4", "");
CODE(neg, "", "neg 3, 4", "");
CODE(mulli, "", "mulli 3, 4, -77", "");
CODE(mulhwu, "", "mulhwu 3, 4, 5", "");
CODE(addi, "", "addi 3, 4, -1", "");
CODE(addis, "", "addis 3, 4, 4711", "");
CODE(addic_rc, "", "addic. 3, 4, -5", "");
CODE(subfic, "", "subfic 3, 4, 7", "");
CODE(and_rc, "", "and. 3, 4, 5", "");
CODE(orc_rc, "", "orc. 3, 4, 5", "");
CODE(andis_rc, "", "andis. 3, 4, 0x8001", "");
CODE(ori, "", "ori 3, 4, 0x1234", "");
CODE(xoris, "", "xoris 3, 4, 0x8000", "");
CODE(extsb, "", "extsb 3, 4", "");
CODE(cntlzw, "", "cntlzw 3, 4", "");
CODE(rlwinm_rc, "", "rlwinm. 3, 4, 5, 28, 3", "");
CODE(rlwimi, "", "rlwimi 3, 4, 13, 8, 19", "");
CODE(sraw, "", "sraw 3, 4, 5", "");
CODE(srawi_rc, "", "srawi. 3, 4, 31", "");
CODE(cmplw, "", "cmplw 2, 3, 4", "");
CODE(cmpwi, "", "cmpwi 7, 3, -5", "");
CODE(mfcr, "", "mfcr 3", "");
CODE(mtcrf, "", "mtcrf 0xa5, 3", "");
CODE(mcrf, "", "mcrf 2, 7", "");
CODE(crand, "", "crand 0, 5, 9", "");
CODE(crnor, "", "crnor 31, 2, 4", "");
CODE(mfctr, "", "mfctr 3", "");
CODE(mfxer, "", "mfxer 3", "");
CODE(mtxer, "", "mtxer 3", "");
CODE(ori_2, "", "ori 0, 0, 0", "");
CODE(sync, "", "sync", "");
CODE(eieio, "", "eieio", "");
CODE(isync, "", "isync", "");
CODE(dcbt, "", "dcbt 0, 1", "");
CODE(dcbst, "", "dcbst 0, 1", "");
CODE(mtlr, "", "mtlr 3", "mflr 4");
CODE(mtctr, "", "mtctr 3", "mfctr 4");
CODE(mflr, "", "mflr 3", "");
CODE(divw, DIVIDENDS, "divw 3, 4, 5", LOW);
CODE(mfmsr, "", "mfmsr 3", "andi. 3, 3, 0x4030");
ACCESS(lwz, "lwz 5, 4(9)");
ACCESS(lwzu, "lwzu 5, 4(9)");
ACCESS(lwzx, "lwzx 5, 9, 10");
ACCESS(lha, "lha 5, 6(9)");
ACCESS(lhax, "lhax 5, 9, 10");
ACCESS(lbzu, "lbzu 5, 1(9)");
ACCESS(lwbrx, "lwbrx 5, 9, 10");
ACCESS(stw, "stw 5, 4(9)");
ACCESS(stwu, "stwu 5, 4(9)");
ACCESS(stwx, "stwx 5, 9, 10");
ACCESS(stb, "stb 5, 5(9)");
ACCESS(stbx, "stbx 5, 9, 10");
ACCESS(sthbrx, "sthbrx 5, 9, 10");
CODE(addi_3, STLU " 1, -32(1)\n mr 9, 1", "addi 1, 1, 32", "subf 3, 9, 1");
CODE(lwarx, MEMORY "\n3:", "lwarx 5, 0, 9",
     "addi 5, 5, 1\n stwcx. 5, 0, 9\n bne- 3b\n" LEFT);

CODE(stlu, "mr 9, 1", STLU " 1, -64(1)",
     LL " 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 64");
CODE(stlu_near, "mr 9, 1", STLU " 1, -16(1)",
     LL " 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 16");
CODE(ll, STLU " 1, -48(1)\n mr 9, 1", LL " 1, 0(1)", "subf 3, 9, 1");
CODE(after_stcx, MEMORY "\n3: lwarx 5, 0, 9\n stwcx. 5, 0, 9", "bne- 3b",
     LEFT);

static const struct code_case code_cases[] = {
	ENTRY(b), ENTRY(b_next), ENTRY(beq), ENTRY(bne), ENTRY(blt), ENTRY(bge),
	ENTRY(bgt_cr1), ENTRY(ble_cr3), ENTRY(bso_cr7), ENTRY(bns_cr5),
	ENTRY(beq_likely), ENTRY(bne_unlikely), ENTRY(bdnz), ENTRY(bdz),
	ENTRY(bdnz_one), ENTRY(bdz_one), ENTRY(bdnzt), ENTRY(bdzf),
	ENTRY(bdnz_ctr), ENTRY(blr), ENTRY(beqlr), ENTRY(bdnzlr), ENTRY(bctr),
	ENTRY(bgtctr), ENTRY(bl), ENTRY(beql), ENTRY(bcl), ENTRY(bctrl),
	ENTRY(blrl, NO_JUMP), ENTRY(bnelrl, NO_JUMP), ENTRY(add), ENTRY(add_rc),
	ENTRY(addo_rc), ENTRY(subf_rc), ENTRY(adde), ENTRY(subfze), ENTRY(neg),
	ENTRY(mulli), ENTRY(mulhwu), ENTRY(addi), ENTRY(addis), ENTRY(addic_rc),
	ENTRY(subfic), ENTRY(and_rc), ENTRY(orc_rc), ENTRY(andis_rc),
	ENTRY(ori), ENTRY(xoris), ENTRY(extsb), ENTRY(cntlzw), ENTRY(rlwinm_rc),
	ENTRY(rlwimi), ENTRY(sraw), ENTRY(srawi_rc), ENTRY(cmplw), ENTRY(cmpwi),
	ENTRY(mfcr), ENTRY(mtcrf), ENTRY(mcrf), ENTRY(crand), ENTRY(crnor),
	ENTRY(mfctr), ENTRY(mfxer), ENTRY(mtxer), ENTRY(ori_2), ENTRY(sync),
	ENTRY(eieio), ENTRY(isync), ENTRY(dcbt), ENTRY(dcbst), ENTRY(mtlr),
	ENTRY(mtctr), ENTRY(mflr), ENTRY(divw), ENTRY(mfmsr), ENTRY(lwz),
	ENTRY(lwzu), ENTRY(lwzx), ENTRY(lha), ENTRY(lhax), ENTRY(lbzu),
	ENTRY(lwbrx), ENTRY(stw), ENTRY(stwu), ENTRY(stwx), ENTRY(stb),
	ENTRY(stbx), ENTRY(sthbrx), ENTRY(addi_3), ENTRY(lwarx, NO_POST),
	ENTRY(stlu), ENTRY(stlu_near), ENTRY(ll), ENTRY(after_stcx),
	CODE_CASES_OF_WIDTH
};

KUNIT_ARRAY_PARAM_DESC(code, code_cases, name);

static void random_state(struct rnd_state *rnd, struct state *s, int i)
{
	random_words(rnd, s->r, ARRAY_SIZE(s->r), i);
	if (i % 8 == 0)
		s->r[1] = s->r[2];
	s->cr = prandom_u32_state(rnd);
	/* SO, OV and CA; OV32 and CA32 are copies of the last two. */
	s->xer = (u64)(i & 7) << 29;
}

/* Vector registers belong to the user, so borrow them with preemption off. */
static void call_case(const struct code_case *c, struct state *s)
{
	bool vsx = IS_ENABLED(CONFIG_VSX) && c->flags & NEEDS_VSX;

	if (vsx) {
		preempt_disable();
		enable_kernel_vsx();
	}
	ppc_call_code(c->function, s);
	if (vsx) {
		disable_kernel_vsx();
		preempt_enable();
	}
}

static void skip_without(struct kunit *test, const struct code_case *c)
{
	if (c->flags & NEEDS_VSX && !cpu_has_feature(CPU_FTR_VSX))
		kunit_skip(test, "this CPU has no vector registers");
	if (c->flags & NEEDS_205 && !IS_ENABLED(CONFIG_PPC_BOOK3S_64))
		kunit_skip(test, "not all CPUs of Book E have it");
	if (c->flags & NEEDS_30 && !cpu_has_feature(CPU_FTR_ARCH_300))
		kunit_skip(test, "this CPU is older than ISA 3.0");
	if (c->flags & NEEDS_31 && !cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "this CPU is older than ISA 3.1");
}

static bool jumps(const struct code_case *c)
{
	return !(c->flags & NO_JUMP);
}

static struct kunit_case code_tests[] = {
	KUNIT_CASE_PARAM(test_probe_changes_no_result, code_gen_params),
	{}
};

static struct kunit_suite code_suite = {
	.name = "kprobes_powerpc",
	.test_cases = code_tests,
	.exit = code_exit,
};

kunit_test_suite(code_suite);
