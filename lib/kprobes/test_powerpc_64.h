/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of 64-bit powerpc only, and their operands in memory, for the
 * KUnit suite for instructions.
 */
#ifndef _LIB_KPROBES_TEST_POWERPC_64_H
#define _LIB_KPROBES_TEST_POWERPC_64_H

#include "test_code.h"
#include "test_powerpc.h"

/* r9 points to two doublewords below the stack; LEFT loads them afterwards. */
#define MEMORY	"std 3, -16(1)\n std 4, -8(1)\n addi 9, 1, -16\n li 10, 8"
#define LEFT	"ld 7, -16(1)\n ld 8, -8(1)\n subf 9, 1, 9"
/* Operands with a defined quotient: positive numbers, and no division by 0. */
#define DIVIDENDS							\
	"clrldi 4, 4, 1\n clrlwi 9, 4, 1\n clrrdi 4, 4, 32\n or 4, 4, 9\n" \
	"ori 5, 5, 1"
/* The upper half of the result is undefined. */
#define LOW	"clrldi 3, 3, 32"

CODE(addpcis, "", "addpcis 3, 5", "");
CODE(lnia, "", "addpcis 4, 0", "");
CODE(mulld, "", "mulld 3, 4, 5", "");
CODE(mulld_rc, "", "mulld. 3, 4, 5", "");
CODE(mulhd, "", "mulhd 3, 4, 5", "");
CODE(mulhdu, "", "mulhdu 3, 4, 5", "");
CODE(extsw, "", "extsw 3, 4", "");
CODE(extsw_rc, "", "extsw. 3, 4", "");
CODE(cntlzd, "", "cntlzd 3, 4", "");
CODE(popcntb, "", "popcntb 3, 4", "");
CODE(popcntw, "", "popcntw 3, 4", "");
CODE(popcntd, "", "popcntd 3, 4", "");
CODE(prtyw, "", "prtyw 3, 4", "");
CODE(prtyd, "", "prtyd 3, 4", "");
CODE(cmpb, "", "cmpb 3, 4, 5", "");
CODE(bpermd, "", "bpermd 3, 4, 5", "");
CODE(rldicl, "", "rldicl 3, 4, 17, 11", "");
CODE(rldicl_rc, "", "rldicl. 3, 4, 17, 40", "");
CODE(rldicr, "", "rldicr 3, 4, 9, 33", "");
CODE(rldic, "", "rldic 3, 4, 9, 20", "");
CODE(rldimi, "", "rldimi 3, 4, 20, 10", "");
CODE(rldcl, "", "rldcl 3, 4, 5, 6", "");
CODE(rldcr, "", "rldcr 3, 4, 5, 50", "");
CODE(sld, "", "sld 3, 4, 5", "");
CODE(srd, "", "srd 3, 4, 5", "");
CODE(srad, "", "srad 3, 4, 5", "");
CODE(sradi, "", "sradi 3, 4, 40", "");
CODE(sradi_rc, "", "sradi. 3, 4, 3", "");
CODE(cmpd, "", "cmpd 1, 3, 4", "");
CODE(cmpld, "", "cmpld 3, 4", "");
CODE(cmpdi, "", "cmpdi 5, 3, 0", "");
CODE(cmpldi, "", "cmpldi 3, 0xffff", "");
CODE(isel, "", "isel 3, 4, 5, 2", "");
CODE(isel_2, "", "isel 3, 0, 5, 9", "");
CODE(mfocrf, "", "mfocrf 3, 0x40", "");
CODE(mtocrf, "", "mtocrf 0x02, 4", "");
CODE(lwsync, "", "lwsync", "");
CODE(ptesync, "", "ptesync", "");
CODE(divd, DIVIDENDS, "divd 3, 4, 5", "");
CODE(divdu, DIVIDENDS, "divdu 3, 4, 5", "");
CODE(divd_rc, DIVIDENDS, "divd. 3, 4, 5", "");
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
CODE(lwa, MEMORY, "lwa 5, -16(1)", LEFT "\n mr 6, 9");
CODE(lwax, MEMORY, "lwax 5, 9, 10", LEFT "\n mr 6, 9");
CODE(ldbrx, MEMORY, "ldbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(std, MEMORY, "std 5, -8(1)", LEFT "\n mr 6, 9");
CODE(stdu, MEMORY, "stdu 5, 8(9)", LEFT "\n mr 6, 9");
CODE(stdx, MEMORY, "stdx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stdux, MEMORY, "stdux 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stdbrx, MEMORY, "stdbrx 5, 9, 10", LEFT "\n mr 6, 9");
CODE(stdux_2, "mr 9, 1\n li 10, -128", "stdux 1, 1, 10",
     "ld 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 128");
CODE(ldarx, MEMORY "\n3:", "ldarx 5, 0, 9",
     "addi 5, 5, 1\n stdcx. 5, 0, 9\n bne- 3b\n" LEFT);
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
/* MTVSRD leaves the other half undefined, and this stores both halves. */
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

#define CODE_CASES_OF_WIDTH LIST(					\
	ENTRY(addpcis, NEEDS_30), ENTRY(lnia, NEEDS_30), ENTRY(mulld),	\
	ENTRY(mulld_rc), ENTRY(mulhd), ENTRY(mulhdu), ENTRY(extsw),	\
	ENTRY(extsw_rc), ENTRY(cntlzd), ENTRY(popcntb), ENTRY(popcntw),	\
	ENTRY(popcntd), ENTRY(prtyw, NEEDS_205),			\
	ENTRY(prtyd, NEEDS_205), ENTRY(cmpb, NEEDS_205), ENTRY(bpermd),	\
	ENTRY(rldicl), ENTRY(rldicl_rc), ENTRY(rldicr), ENTRY(rldic),	\
	ENTRY(rldimi), ENTRY(rldcl), ENTRY(rldcr), ENTRY(sld), ENTRY(srd), \
	ENTRY(srad), ENTRY(sradi), ENTRY(sradi_rc), ENTRY(cmpd), ENTRY(cmpld), \
	ENTRY(cmpdi), ENTRY(cmpldi), ENTRY(isel), ENTRY(isel_2),	\
	ENTRY(mfocrf), ENTRY(mtocrf), ENTRY(lwsync), ENTRY(ptesync),	\
	ENTRY(divd),							\
	ENTRY(divdu), ENTRY(divd_rc), ENTRY(cnttzw, NEEDS_30),		\
	ENTRY(cnttzd, NEEDS_30), ENTRY(extswsli, NEEDS_30),		\
	ENTRY(maddld, NEEDS_30), ENTRY(maddhd, NEEDS_30),		\
	ENTRY(maddhdu, NEEDS_30), ENTRY(cmprb, NEEDS_30),		\
	ENTRY(cmpeqb, NEEDS_30), ENTRY(setb, NEEDS_30),			\
	ENTRY(mcrxrx, NEEDS_30), ENTRY(modsd, NEEDS_30),		\
	ENTRY(modud, NEEDS_30), ENTRY(modsw, NEEDS_30),			\
	ENTRY(moduw, NEEDS_30),						\
	ENTRY(ld), ENTRY(ldu), ENTRY(ldx), ENTRY(ldux), ENTRY(lwa),	\
	ENTRY(lwax), ENTRY(ldbrx, NEEDS_205), ENTRY(std), ENTRY(stdu),	\
	ENTRY(stdx), ENTRY(stdux), ENTRY(stdbrx, NEEDS_205),		\
	ENTRY(stdux_2), ENTRY(ldarx, NO_POST),				\
	ENTRY(mtvsrd, NEEDS_VSX), ENTRY(mfvsrd, NEEDS_VSX),		\
	ENTRY(xxlxor, NEEDS_VSX), ENTRY(vadduwm, NEEDS_VSX),		\
	ENTRY(fadd, NEEDS_VSX), ENTRY(stxvd2x, NEEDS_VSX),		\
	ENTRY(lxvd2x, NEEDS_VSX), ENTRY(lfd, NEEDS_VSX),		\
	ENTRY(stfd, NEEDS_VSX), ENTRY(paddi, NEEDS_31),			\
	ENTRY(paddi_2, NEEDS_31), ENTRY(pli, NEEDS_31), ENTRY(pnop, NEEDS_31), \
	ENTRY(pla, NEEDS_31), ENTRY(pld, NEEDS_31), ENTRY(plwa, NEEDS_31), \
	ENTRY(plbz, NEEDS_31), ENTRY(pstd, NEEDS_31), ENTRY(pstw, NEEDS_31), \
	ENTRY(pld_2, NEEDS_31), ENTRY(plwz, NEEDS_31), ENTRY(plha, NEEDS_31))

#endif /* _LIB_KPROBES_TEST_POWERPC_64_H */
