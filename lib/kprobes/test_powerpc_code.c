// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for instructions on powerpc: each does with a probe on it, on
 * random operands, what it does without.  It is probed by a trap, by a branch,
 * and with a post handler.
 */
#include <linux/module.h>
#include <asm/cputable.h>
#include <asm/switch_to.h>
#include "test_code.h"
#include "test_powerpc.h"

/* Calls @function with the registers in @s, and puts there what it left. */
asm(".pushsection .text\n"
    ".balign 16\n"
    FUNCTION(ppc_call_code)
    "mflr 0\n\t"
    "std 0, 16(1)\n\t"
    "mfcr 0\n\t"
    "stw 0, 8(1)\n\t"
    "stdu 1, -96(1)\n\t"
    "std 4, 64(1)\n\t"
    "mr 12, 3\n\t"
    "mtctr 3\n\t"
    "mr 11, 4\n\t"
    "ld 9, 48(11)\n\t"
    "mtcr 9\n\t"
    "ld 9, 56(11)\n\t"
    "mtxer 9\n\t"
    "ld 3, 0(11)\n\t"
    "ld 4, 8(11)\n\t"
    "ld 5, 16(11)\n\t"
    "ld 6, 24(11)\n\t"
    "ld 7, 32(11)\n\t"
    "ld 8, 40(11)\n\t"
    "bctrl\n\t"
    "ld 11, 64(1)\n\t"
    "std 3, 0(11)\n\t"
    "std 4, 8(11)\n\t"
    "std 5, 16(11)\n\t"
    "std 6, 24(11)\n\t"
    "std 7, 32(11)\n\t"
    "std 8, 40(11)\n\t"
    "mfcr 9\n\t"
    "std 9, 48(11)\n\t"
    "mfxer 9\n\t"
    "std 9, 56(11)\n\t"
    "addi 1, 1, 96\n\t"
    "lwz 0, 8(1)\n\t"
    "mtcr 0\n\t"
    "ld 0, 16(1)\n\t"
    "mtlr 0\n\t"
    "blr\n"
    FUNCTION_END(ppc_call_code)
    ".popsection\n");

/* r6 tells whether the branch was taken. */
#define BRANCH(name, before, probed)					\
	CODE(name, "li 6, 1\n" before, probed, "li 6, 2\n1: nop")
/* The address of 1: in r4. */
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
/* The called part returns behind the call, where LR has to point. */
#define CALLED	"li 6, 2\n b 2f\n1: mflr 7\n li 6, 5\n blr\n2: mflr 8"
CODE(bl, "li 6, 1\n li 7, 0", "bl 1f", CALLED);
CODE(beql, "li 6, 1\n li 7, 0\n mtlr 6", "beql 1f", CALLED);
CODE(bcl, "li 6, 1", "bcl 20, 31, 1f\n1:", "mflr 8");
CODE(bctrl, "li 6, 1\n li 7, 0\n" LANDING "mtctr 4", "bctrl", CALLED);
CODE(blrl, "li 6, 1\n li 7, 0\n" LANDING "mtlr 4", "blrl", CALLED);
CODE(bnelrl, "li 6, 1\n li 7, 0\n" LANDING "mtlr 4", "bnelrl", CALLED);
CODE(addpcis, "", "addpcis 3, 5", "");
CODE(lnia, "", "addpcis 4, 0", "");

/* Two doublewords below the stack, r9 points to, and what is left there. */
#define MEMORY	"std 3, -16(1)\n std 4, -8(1)\n addi 9, 1, -16\n li 10, 8"
#define LEFT	"ld 7, -16(1)\n ld 8, -8(1)\n subf 9, 1, 9"
/* Quotients that are defined: of positive numbers, and not by 0. */
#define DIVIDENDS							\
	"clrldi 4, 4, 1\n clrlwi 9, 4, 1\n clrrdi 4, 4, 32\n or 4, 4, 9\n" \
	"ori 5, 5, 1"
/* The upper half of their results is undefined. */
#define LOW	"clrldi 3, 3, 32"

CODE(add, "", "add 3, 4, 5", "");
CODE(add_rc, "", "add. 3, 4, 5", "");
CODE(addo, "", "addo 3, 4, 5", "");
CODE(addo_rc, "", "addo. 3, 4, 5", "");
CODE(subf, "", "subf 3, 4, 5", "");
CODE(subf_rc, "", "subf. 3, 4, 5", "");
CODE(addc, "", "addc 3, 4, 5", "");
CODE(addc_rc, "", "addc. 6, 4, 5", "");
CODE(adde, "", "adde 3, 4, 5", "");
CODE(adde_rc, "", "adde. 3, 3, 3", "");
CODE(addze, "", "addze 3, 4", "");
CODE(addme, "", "addme 3, 4", "");
CODE(subfc, "", "subfc 3, 4, 5", "");
CODE(subfe, "", "subfe 3, 4, 5", "");
CODE(subfze, "", "subfze 3, 4", "");
CODE(subfme, "", "subfme 3, 4", "");
CODE(neg, "", "neg 3, 4", "");
CODE(neg_rc, "", "neg. 3, 4", "");
CODE(mulli, "", "mulli 3, 4, -77", "");
CODE(mullw, "", "mullw 3, 4, 5", "");
CODE(mulld, "", "mulld 3, 4, 5", "");
CODE(mulld_rc, "", "mulld. 3, 4, 5", "");
CODE(mulhd, "", "mulhd 3, 4, 5", "");
CODE(mulhdu, "", "mulhdu 3, 4, 5", "");
CODE(mulhw, "", "mulhw 3, 4, 5", "");
CODE(mulhwu, "", "mulhwu 3, 4, 5", "");
CODE(addi, "", "addi 3, 4, -1", "");
CODE(addi_2, "", "addi 3, 0, 99", "");
CODE(addis, "", "addis 3, 4, 4711", "");
CODE(addic, "", "addic 3, 4, -5", "");
CODE(addic_rc, "", "addic. 3, 4, -5", "");
CODE(subfic, "", "subfic 3, 4, 7", "");
CODE(and, "", "and 3, 4, 5", "");
CODE(and_rc, "", "and. 3, 4, 5", "");
CODE(or, "", "or 3, 4, 5", "");
CODE(or_rc, "", "or. 3, 4, 5", "");
CODE(xor, "", "xor 3, 4, 5", "");
CODE(nand, "", "nand 3, 4, 5", "");
CODE(nor, "", "nor 3, 4, 5", "");
CODE(eqv, "", "eqv 3, 4, 5", "");
CODE(andc, "", "andc 3, 4, 5", "");
CODE(orc_rc, "", "orc. 3, 4, 5", "");
CODE(andi_rc, "", "andi. 3, 4, 0xff0f", "");
CODE(andis_rc, "", "andis. 3, 4, 0x8001", "");
CODE(ori, "", "ori 3, 4, 0x1234", "");
CODE(oris, "", "oris 3, 4, 0x8234", "");
CODE(xori, "", "xori 3, 4, 0xffff", "");
CODE(xoris, "", "xoris 3, 4, 0x8000", "");
CODE(extsb, "", "extsb 3, 4", "");
CODE(extsh, "", "extsh 3, 4", "");
CODE(extsw, "", "extsw 3, 4", "");
CODE(extsw_rc, "", "extsw. 3, 4", "");
CODE(cntlzw, "", "cntlzw 3, 4", "");
CODE(cntlzd, "", "cntlzd 3, 4", "");
CODE(popcntb, "", "popcntb 3, 4", "");
CODE(popcntw, "", "popcntw 3, 4", "");
CODE(popcntd, "", "popcntd 3, 4", "");
CODE(prtyw, "", "prtyw 3, 4", "");
CODE(prtyd, "", "prtyd 3, 4", "");
CODE(cmpb, "", "cmpb 3, 4, 5", "");
CODE(bpermd, "", "bpermd 3, 4, 5", "");
CODE(rlwinm, "", "rlwinm 3, 4, 5, 3, 28", "");
CODE(rlwinm_rc, "", "rlwinm. 3, 4, 5, 28, 3", "");
CODE(rlwnm, "", "rlwnm 3, 4, 5, 7, 30", "");
CODE(rlwimi, "", "rlwimi 3, 4, 13, 8, 19", "");
CODE(rldicl, "", "rldicl 3, 4, 17, 11", "");
CODE(rldicl_rc, "", "rldicl. 3, 4, 17, 40", "");
CODE(rldicr, "", "rldicr 3, 4, 9, 33", "");
CODE(rldic, "", "rldic 3, 4, 9, 20", "");
CODE(rldimi, "", "rldimi 3, 4, 20, 10", "");
CODE(rldcl, "", "rldcl 3, 4, 5, 6", "");
CODE(rldcr, "", "rldcr 3, 4, 5, 50", "");
CODE(slw, "", "slw 3, 4, 5", "");
CODE(srw, "", "srw 3, 4, 5", "");
CODE(sraw, "", "sraw 3, 4, 5", "");
CODE(srawi, "", "srawi 3, 4, 13", "");
CODE(srawi_rc, "", "srawi. 3, 4, 31", "");
CODE(sld, "", "sld 3, 4, 5", "");
CODE(srd, "", "srd 3, 4, 5", "");
CODE(srad, "", "srad 3, 4, 5", "");
CODE(sradi, "", "sradi 3, 4, 40", "");
CODE(sradi_rc, "", "sradi. 3, 4, 3", "");
CODE(cmpw, "", "cmpw 3, 4", "");
CODE(cmpd, "", "cmpd 1, 3, 4", "");
CODE(cmplw, "", "cmplw 2, 3, 4", "");
CODE(cmpld, "", "cmpld 3, 4", "");
CODE(cmpwi, "", "cmpwi 7, 3, -5", "");
CODE(cmpdi, "", "cmpdi 5, 3, 0", "");
CODE(cmplwi, "", "cmplwi 6, 3, 9", "");
CODE(cmpldi, "", "cmpldi 3, 0xffff", "");
CODE(isel, "", "isel 3, 4, 5, 2", "");
CODE(isel_2, "", "isel 3, 0, 5, 9", "");
CODE(mfcr, "", "mfcr 3", "");
CODE(mfocrf, "", "mfocrf 3, 0x40", "");
CODE(mtcrf, "", "mtcrf 0xa5, 3", "");
CODE(mtocrf, "", "mtocrf 0x02, 4", "");
CODE(mcrf, "", "mcrf 2, 7", "");
CODE(crand, "", "crand 0, 5, 9", "");
CODE(cror, "", "cror 2, 30, 9", "");
CODE(crxor, "", "crxor 6, 6, 6", "");
CODE(crnand, "", "crnand 1, 2, 3", "");
CODE(crnor, "", "crnor 31, 2, 4", "");
CODE(creqv, "", "creqv 8, 2, 4", "");
CODE(crandc, "", "crandc 8, 2, 4", "");
CODE(crorc, "", "crorc 8, 2, 4", "");
CODE(mfctr, "", "mfctr 3", "");
CODE(mfxer, "", "mfxer 3", "");
CODE(mtxer, "", "mtxer 3", "");
CODE(ori_2, "", "ori 0, 0, 0", "");
CODE(ori_3, "", "ori 31, 31, 0", "");
CODE(sync, "", "sync", "");
CODE(lwsync, "", "lwsync", "");
CODE(eieio, "", "eieio", "");
CODE(isync, "", "isync", "");
CODE(ptesync, "", "ptesync", "");
CODE(dcbt, "", "dcbt 0, 1", "");
CODE(dcbst, "", "dcbst 0, 1", "");
CODE(mtlr, "", "mtlr 3", "mflr 4");
CODE(mtctr, "", "mtctr 3", "mfctr 4");
CODE(mflr, "", "mflr 3", "");
CODE(divd, DIVIDENDS, "divd 3, 4, 5", "");
CODE(divdu, DIVIDENDS, "divdu 3, 4, 5", "");
CODE(divw, DIVIDENDS, "divw 3, 4, 5", LOW);
CODE(divwu, DIVIDENDS, "divwu 3, 4, 5", LOW);
CODE(divd_rc, DIVIDENDS, "divd. 3, 4, 5", "");
CODE(mfmsr, "", "mfmsr 3", "andi. 3, 3, 0x4030");
CODE(cnttzw, "", "cnttzw 3, 4", "");
CODE(cnttzd, "", "cnttzd 3, 4", "");
CODE(extswsli, "", "extswsli 3, 4, 13", "");
CODE(maddld, "", "maddld 3, 4, 5, 6", "");
CODE(maddhd, "", "maddhd 3, 4, 5, 6", "");
CODE(maddhdu, "", "maddhdu 3, 4, 5, 6", "");
CODE(cmprb, "", "cmprb 2, 0, 3, 4", "");
CODE(cmpeqb, "", "cmpeqb 3, 3, 4", "");
CODE(setb, "", "setb 3, 2", "");
CODE(mcrxrx, "", "mcrxrx 4", "");
CODE(modsd, DIVIDENDS, "modsd 3, 4, 5", "");
CODE(modud, DIVIDENDS, "modud 3, 4, 5", "");
CODE(modsw, DIVIDENDS, "modsw 3, 4, 5", LOW);
CODE(moduw, DIVIDENDS, "moduw 3, 4, 5", LOW);
CODE(ld, MEMORY, "ld 5, -8(1)", LEFT "\n mr 6, 9");
CODE(ldu, MEMORY, "ldu 5, 8(9)", LEFT "\n mr 6, 9");
CODE(ldx, MEMORY, "ldx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(ldux, MEMORY, "ldux 5, 9, 10", LEFT "\n mr 6, 9");
CODE(lwz, MEMORY, "lwz 5, -12(1)", LEFT "\n mr 6, 9");
CODE(lwzu, MEMORY, "lwzu 5, 4(9)", LEFT "\n mr 6, 9");
CODE(lwzx, MEMORY, "lwzx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(lwa, MEMORY, "lwa 5, -16(1)", LEFT "\n mr 6, 9");
CODE(lwax, MEMORY, "lwax 5, 9, 10", LEFT "\n mr 6, 9");
CODE(lhz, MEMORY, "lhz 5, -14(1)", LEFT "\n mr 6, 9");
CODE(lhzu, MEMORY, "lhzu 5, 2(9)", LEFT "\n mr 6, 9");
CODE(lha, MEMORY, "lha 5, -10(1)", LEFT "\n mr 6, 9");
CODE(lhax, MEMORY, "lhax 5, 9, 10", LEFT "\n mr 6, 9");
CODE(lbz, MEMORY, "lbz 5, -9(1)", LEFT "\n mr 6, 9");
CODE(lbzu, MEMORY, "lbzu 5, 1(9)", LEFT "\n mr 6, 9");
CODE(lbzx, MEMORY, "lbzx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(lhbrx, MEMORY, "lhbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(lwbrx, MEMORY, "lwbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(ldbrx, MEMORY, "ldbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(std, MEMORY, "std 5, -8(1)", LEFT "\n mr 6, 9");
CODE(stdu, MEMORY, "stdu 5, 8(9)", LEFT "\n mr 6, 9");
CODE(stdx, MEMORY, "stdx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stdux, MEMORY, "stdux 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stw, MEMORY, "stw 5, -4(1)", LEFT "\n mr 6, 9");
CODE(stwu, MEMORY, "stwu 5, 4(9)", LEFT "\n mr 6, 9");
CODE(stwx, MEMORY, "stwx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(sth, MEMORY, "sth 5, -2(1)", LEFT "\n mr 6, 9");
CODE(sthu, MEMORY, "sthu 5, 2(9)", LEFT "\n mr 6, 9");
CODE(sthx, MEMORY, "sthx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stb, MEMORY, "stb 5, -3(1)", LEFT "\n mr 6, 9");
CODE(stbu, MEMORY, "stbu 5, 1(9)", LEFT "\n mr 6, 9");
CODE(stbx, MEMORY, "stbx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(sthbrx, MEMORY, "sthbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stwbrx, MEMORY, "stwbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stdbrx, MEMORY, "stdbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stdu_2, "mr 9, 1", "stdu 1, -64(1)",
     "ld 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 64");
CODE(stdux_2, "mr 9, 1\n li 10, -128", "stdux 1, 1, 10",
     "ld 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 128");
CODE(addi_3, "stdu 1, -32(1)\n mr 9, 1", "addi 1, 1, 32", "subf 3, 9, 1");
CODE(ld_2, "stdu 1, -48(1)\n mr 9, 1", "ld 1, 0(1)", "subf 3, 9, 1");
CODE(lwarx, MEMORY "\n3:", "lwarx 5, 0, 9",
     "addi 5, 5, 1\n stwcx. 5, 0, 9\n bne- 3b\n" LEFT);
CODE(ldarx, MEMORY "\n3:", "ldarx 5, 0, 9",
     "addi 5, 5, 1\n stdcx. 5, 0, 9\n bne- 3b\n" LEFT);
CODE(behind_stcx, MEMORY "\n3: ldarx 5, 0, 9\n stdcx. 5, 0, 9", "bne- 3b",
     LEFT);
CODE(mtvsrd, "mtvsrd 1, 3\n mtvsrd 5, 4\n mtvsrd 34, 3", "mtvsrd 5, 3",
     "mfvsrd 5, 5\n mfvsrd 6, 34\n mfvsrd 7, 1");
CODE(mfvsrd, "mtvsrd 1, 3\n mtvsrd 5, 4\n mtvsrd 34, 3", "mfvsrd 4, 5",
     "mfvsrd 5, 5\n mfvsrd 6, 34\n mfvsrd 7, 1");
CODE(xxlxor, "mtvsrd 1, 3\n mtvsrd 5, 4\n mtvsrd 34, 3", "xxlxor 5, 5, 5",
     "mfvsrd 5, 5\n mfvsrd 6, 34\n mfvsrd 7, 1");
CODE(vadduwm, "mtvsrd 1, 3\n mtvsrd 5, 4\n mtvsrd 34, 3", "vadduwm 2, 2, 2",
     "mfvsrd 5, 5\n mfvsrd 6, 34\n mfvsrd 7, 1");
CODE(fadd, "mtvsrd 1, 3\n mtvsrd 5, 4\n mtvsrd 34, 3", "fadd 1, 1, 1",
     "mfvsrd 5, 5\n mfvsrd 6, 34\n mfvsrd 7, 1");
/* MTVSRD leaves the other half undefined, which is stored here, too. */
CODE(stxvd2x, MEMORY "\n mtvsrd 1, 5\n mtvsrd 34, 3\n xxmrghd 34, 34, 34",
     "stxvd2x 34, 0, 9", LEFT "\n mfvsrd 6, 34\n mfvsrd 5, 1");
CODE(lxvd2x, MEMORY "\n mtvsrd 1, 5\n mtvsrd 34, 3", "lxvd2x 34, 0, 9",
     LEFT "\n mfvsrd 6, 34\n mfvsrd 5, 1");
CODE(lfd, MEMORY "\n mtvsrd 1, 5\n mtvsrd 34, 3", "lfd 1, -8(1)",
     LEFT "\n mfvsrd 6, 34\n mfvsrd 5, 1");
CODE(stfd, MEMORY "\n mtvsrd 1, 5\n mtvsrd 34, 3", "stfd 1, -8(1)",
     LEFT "\n mfvsrd 6, 34\n mfvsrd 5, 1");
CODE(paddi, "", "paddi 3, 4, 0x123456789", "");
CODE(paddi_2, "", "paddi 3, 0, -0x12345678, 1", "");
CODE(pli, "", "pli 3, -0x1ffffffff", "");
CODE(pnop, "", "pnop", "");
CODE(pla, "", "pla 3, 1f@pcrel", "1: nop");
CODE(pld, MEMORY, "pld 5, -8(1)", LEFT);
CODE(plwa, MEMORY, "plwa 5, -16(1)", LEFT);
CODE(plbz, MEMORY, "plbz 5, -1(1)", LEFT);
CODE(pstd, MEMORY, "pstd 5, -8(1)", LEFT);
CODE(pstw, MEMORY, "pstw 5, -4(1)", LEFT);
CODE(pld_2, "", "pld 5, 1f@pcrel",
     "b 2f\n.balign 8\n1: .quad 0x8123456789abcdef\n2:");
CODE(plwz, "", "plwz 5, 1f@pcrel",
     "b 2f\n.balign 8\n1: .quad 0x8123456789abcdef\n2:");
CODE(plha, "", "plha 5, 1f@pcrel",
     "b 2f\n.balign 8\n1: .quad 0x8123456789abcdef\n2:");

/*
 * Refuses a post handler; cannot be probed by a branch; needs a unit of the
 * CPU, or an ISA.
 */
#define NO_POST		1
#define NEEDS_VSX	2
#define NEEDS_30	4
#define NEEDS_31	8
#define NO_JUMP		16

static const struct code_case code_cases[] = {
	ENTRY(b), ENTRY(b_next), ENTRY(beq), ENTRY(bne), ENTRY(blt), ENTRY(bge),
	ENTRY(bgt_cr1), ENTRY(ble_cr3), ENTRY(bso_cr7), ENTRY(bns_cr5),
	ENTRY(beq_likely), ENTRY(bne_unlikely), ENTRY(bdnz), ENTRY(bdz),
	ENTRY(bdnz_one), ENTRY(bdz_one), ENTRY(bdnzt), ENTRY(bdzf),
	ENTRY(bdnz_ctr), ENTRY(blr), ENTRY(beqlr), ENTRY(bdnzlr), ENTRY(bctr),
	ENTRY(bgtctr), ENTRY(bl), ENTRY(beql), ENTRY(bcl),
	ENTRY(bctrl), ENTRY(blrl, NO_JUMP), ENTRY(bnelrl, NO_JUMP),
	ENTRY(addpcis, NEEDS_30),
	ENTRY(lnia, NEEDS_30), ENTRY(add), ENTRY(add_rc), ENTRY(addo),
	ENTRY(addo_rc), ENTRY(subf), ENTRY(subf_rc), ENTRY(addc),
	ENTRY(addc_rc), ENTRY(adde), ENTRY(adde_rc), ENTRY(addze), ENTRY(addme),
	ENTRY(subfc), ENTRY(subfe), ENTRY(subfze), ENTRY(subfme), ENTRY(neg),
	ENTRY(neg_rc), ENTRY(mulli), ENTRY(mullw), ENTRY(mulld),
	ENTRY(mulld_rc), ENTRY(mulhd), ENTRY(mulhdu), ENTRY(mulhw),
	ENTRY(mulhwu), ENTRY(addi), ENTRY(addi_2), ENTRY(addis), ENTRY(addic),
	ENTRY(addic_rc), ENTRY(subfic), ENTRY(and), ENTRY(and_rc), ENTRY(or),
	ENTRY(or_rc), ENTRY(xor), ENTRY(nand), ENTRY(nor), ENTRY(eqv),
	ENTRY(andc), ENTRY(orc_rc), ENTRY(andi_rc), ENTRY(andis_rc), ENTRY(ori),
	ENTRY(oris), ENTRY(xori), ENTRY(xoris), ENTRY(extsb), ENTRY(extsh),
	ENTRY(extsw), ENTRY(extsw_rc), ENTRY(cntlzw), ENTRY(cntlzd),
	ENTRY(popcntb), ENTRY(popcntw), ENTRY(popcntd), ENTRY(prtyw),
	ENTRY(prtyd), ENTRY(cmpb), ENTRY(bpermd), ENTRY(rlwinm),
	ENTRY(rlwinm_rc), ENTRY(rlwnm), ENTRY(rlwimi), ENTRY(rldicl),
	ENTRY(rldicl_rc), ENTRY(rldicr), ENTRY(rldic), ENTRY(rldimi),
	ENTRY(rldcl), ENTRY(rldcr), ENTRY(slw), ENTRY(srw), ENTRY(sraw),
	ENTRY(srawi), ENTRY(srawi_rc), ENTRY(sld), ENTRY(srd), ENTRY(srad),
	ENTRY(sradi), ENTRY(sradi_rc), ENTRY(cmpw), ENTRY(cmpd), ENTRY(cmplw),
	ENTRY(cmpld), ENTRY(cmpwi), ENTRY(cmpdi), ENTRY(cmplwi), ENTRY(cmpldi),
	ENTRY(isel), ENTRY(isel_2), ENTRY(mfcr), ENTRY(mfocrf), ENTRY(mtcrf),
	ENTRY(mtocrf), ENTRY(mcrf), ENTRY(crand), ENTRY(cror), ENTRY(crxor),
	ENTRY(crnand), ENTRY(crnor), ENTRY(creqv), ENTRY(crandc), ENTRY(crorc),
	ENTRY(mfctr), ENTRY(mfxer), ENTRY(mtxer), ENTRY(ori_2), ENTRY(ori_3),
	ENTRY(sync), ENTRY(lwsync), ENTRY(eieio), ENTRY(isync), ENTRY(ptesync),
	ENTRY(dcbt), ENTRY(dcbst), ENTRY(mtlr), ENTRY(mtctr), ENTRY(mflr),
	ENTRY(divd), ENTRY(divdu), ENTRY(divw), ENTRY(divwu), ENTRY(divd_rc),
	ENTRY(mfmsr), ENTRY(cnttzw, NEEDS_30), ENTRY(cnttzd, NEEDS_30),
	ENTRY(extswsli, NEEDS_30), ENTRY(maddld, NEEDS_30),
	ENTRY(maddhd, NEEDS_30), ENTRY(maddhdu, NEEDS_30),
	ENTRY(cmprb, NEEDS_30), ENTRY(cmpeqb, NEEDS_30), ENTRY(setb, NEEDS_30),
	ENTRY(mcrxrx, NEEDS_30), ENTRY(modsd, NEEDS_30), ENTRY(modud, NEEDS_30),
	ENTRY(modsw, NEEDS_30), ENTRY(moduw, NEEDS_30), ENTRY(ld), ENTRY(ldu),
	ENTRY(ldx), ENTRY(ldux), ENTRY(lwz), ENTRY(lwzu), ENTRY(lwzx),
	ENTRY(lwa), ENTRY(lwax), ENTRY(lhz), ENTRY(lhzu), ENTRY(lha),
	ENTRY(lhax), ENTRY(lbz), ENTRY(lbzu), ENTRY(lbzx), ENTRY(lhbrx),
	ENTRY(lwbrx), ENTRY(ldbrx), ENTRY(std), ENTRY(stdu), ENTRY(stdx),
	ENTRY(stdux), ENTRY(stw), ENTRY(stwu), ENTRY(stwx), ENTRY(sth),
	ENTRY(sthu), ENTRY(sthx), ENTRY(stb), ENTRY(stbu), ENTRY(stbx),
	ENTRY(sthbrx), ENTRY(stwbrx), ENTRY(stdbrx), ENTRY(stdu_2),
	ENTRY(stdux_2), ENTRY(addi_3), ENTRY(ld_2), ENTRY(lwarx, NO_POST),
	ENTRY(ldarx, NO_POST), ENTRY(behind_stcx), ENTRY(mtvsrd, NEEDS_VSX),
	ENTRY(mfvsrd, NEEDS_VSX), ENTRY(xxlxor, NEEDS_VSX),
	ENTRY(vadduwm, NEEDS_VSX), ENTRY(fadd, NEEDS_VSX),
	ENTRY(stxvd2x, NEEDS_VSX), ENTRY(lxvd2x, NEEDS_VSX),
	ENTRY(lfd, NEEDS_VSX), ENTRY(stfd, NEEDS_VSX), ENTRY(paddi, NEEDS_31),
	ENTRY(paddi_2, NEEDS_31), ENTRY(pli, NEEDS_31), ENTRY(pnop, NEEDS_31),
	ENTRY(pla, NEEDS_31), ENTRY(pld, NEEDS_31), ENTRY(plwa, NEEDS_31),
	ENTRY(plbz, NEEDS_31), ENTRY(pstd, NEEDS_31), ENTRY(pstw, NEEDS_31),
	ENTRY(pld_2, NEEDS_31), ENTRY(plwz, NEEDS_31), ENTRY(plha, NEEDS_31),
};

KUNIT_ARRAY_PARAM_DESC(code, code_cases, name);

static void random_state(struct rnd_state *rnd, struct state *s, int i)
{
	random_words(rnd, s->r, ARRAY_SIZE(s->r), i);
	if (i % 8 == 0)
		s->r[1] = s->r[2];
	s->cr = prandom_u32_state(rnd);
	/* SO, OV and CA; OV32 and CA32 follow the latter. */
	s->xer = (u64)(i & 7) << 29;
}

/* Vector registers are the user's: they are borrowed with preemption off. */
static void call_case(const struct code_case *c, struct state *s)
{
	if (c->flags & NEEDS_VSX) {
		preempt_disable();
		enable_kernel_vsx();
	}
	ppc_call_code(c->function, s);
	if (c->flags & NEEDS_VSX) {
		disable_kernel_vsx();
		preempt_enable();
	}
}

static void expect_same(struct kunit *test, const struct code_case *c,
			const struct state *plain, const char *how)
{
	struct rnd_state rnd;
	struct state s;
	int i;

	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < INPUTS; i++) {
		const struct state *p = &plain[i];

		random_state(&rnd, &s, i);
		call_case(c, &s);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(&s, p, sizeof(s)),
				      "%s, input %d: %llx %llx %llx %llx %llx %llx cr %llx xer %llx; plain %llx %llx %llx %llx %llx %llx cr %llx xer %llx",
				      how, i, s.r[0], s.r[1], s.r[2], s.r[3],
				      s.r[4], s.r[5], s.cr, s.xer, p->r[0],
				      p->r[1], p->r[2], p->r[3], p->r[4],
				      p->r[5], p->cr, p->xer);
	}
}

static void skip_without(struct kunit *test, const struct code_case *c)
{
	if (c->flags & NEEDS_VSX && !cpu_has_feature(CPU_FTR_VSX))
		kunit_skip(test, "this CPU has no vector registers");
	if (c->flags & NEEDS_30 && !cpu_has_feature(CPU_FTR_ARCH_300))
		kunit_skip(test, "this CPU is older than ISA 3.0");
	if (c->flags & NEEDS_31 && !cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "this CPU is older than ISA 3.1");
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct counted *c = container_of(p, struct counted, probe);

	c->post++;
	if (!irqs_disabled() || preemptible())
		c->astray++;
}

static void test_probe_changes_no_result(struct kunit *test)
{
	const struct code_case *c = test->param_value;
	struct counted p = COUNTED(*c->probe);
	struct counted q = COUNTED(*c->probe, .probe.post_handler = post);
	u32 before = *(u32 *)*c->probe;
	struct rnd_state rnd;
	struct state *plain;
	int i;

	skip_without(test, c);
	plain = kunit_kcalloc(test, INPUTS, sizeof(*plain), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < INPUTS; i++) {
		random_state(&rnd, &plain[i], i);
		call_case(c, &plain[i]);
	}

	switch_jumps(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&p.probe), 0);
	KUNIT_EXPECT_TRUE(test, is_probe_trap(*c->probe));
	expect_same(test, c, plain, "trap");
	KUNIT_EXPECT_GE(test, p.pre, INPUTS);

	switch_jumps(true);
	expect_jump(test, &p.probe, !(c->flags & NO_JUMP));
	p.pre = 0;
	expect_same(test, c, plain, "branch");
	KUNIT_EXPECT_GE(test, p.pre, INPUTS);

	if (c->flags & NO_POST) {
		KUNIT_EXPECT_EQ(test, register_kprobe(&q.probe), -EOPNOTSUPP);
	} else {
		KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
		expect_same(test, c, plain, "post");
		unregister_kprobe(&q.probe);
		KUNIT_EXPECT_GE(test, q.pre, INPUTS);
		KUNIT_EXPECT_EQ(test, q.post, q.pre);
	}
	unregister_kprobe(&p.probe);
	KUNIT_EXPECT_EQ(test, *(u32 *)*c->probe, before);
	KUNIT_EXPECT_EQ(test, p.astray + q.astray, 0);
	KUNIT_EXPECT_EQ(test, p.probe.nmissed + q.probe.nmissed, 0);
}

static struct kunit_case code_tests[] = {
	KUNIT_CASE_PARAM(test_probe_changes_no_result, code_gen_params),
	{}
};

static void code_exit(struct kunit *test)
{
	switch_jumps(true);
}

static struct kunit_suite code_suite = {
	.name = "kprobes_powerpc",
	.test_cases = code_tests,
	.exit = code_exit,
};

kunit_test_suite(code_suite);

MODULE_DESCRIPTION("KUnit suite for kprobes on powerpc: instructions");
MODULE_LICENSE("GPL");
