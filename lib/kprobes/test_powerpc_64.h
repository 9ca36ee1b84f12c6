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
CODE(mulhdu, "", "mulhdu 3, 4, 5", "");
CODE(extsw_rc, "", "extsw. 3, 4", "");
CODE(cntlzd, "", "cntlzd 3, 4", "");
CODE(popcntd, "", "popcntd 3, 4", "");
CODE(prtyd, "", "prtyd 3, 4", "");
CODE(cmpb, "", "cmpb 3, 4, 5", "");
CODE(bpermd, "", "bpermd 3, 4, 5", "");
CODE(rldicl_rc, "", "rldicl. 3, 4, 17, 40", "");
CODE(rldimi, "", "rldimi 3, 4, 20, 10", "");
CODE(rldcr, "", "rldcr 3, 4, 5, 50", "");
CODE(srad, "", "srad 3, 4, 5", "");
CODE(sradi_rc, "", "sradi. 3, 4, 3", "");
CODE(cmpld, "", "cmpld 3, 4", "");
CODE(cmpdi, "", "cmpdi 5, 3, 0", "");
CODE(isel, "", "isel 3, 4, 5, 2", "");
CODE(mfocrf, "", "mfocrf 3, 0x40", "");
CODE(mtocrf, "", "mtocrf 0x02, 4", "");
CODE(lwsync, "", "lwsync", "");
CODE(ptesync, "", "ptesync", "");
CODE(divd, DIVIDENDS, "divd 3, 4, 5", "");
CODE(divd_rc, DIVIDENDS, "divd. 3, 4, 5", "");
CODE(cnttzd, "", "cnttzd 3, 4", "");
CODE(extswsli, "", "extswsli 3, 4, 13", "");
CODE(maddld, "", "maddld 3, 4, 5, 6", "");
CODE(cmpeqb, "", "cmpeqb 3, 3, 4", "");
CODE(setb, "", "setb 3, 2", "");
CODE(mcrxrx, "", "mcrxrx 4", "");
CODE(modsd, DIVIDENDS, "modsd 3, 4, 5", "");
ACCESS(ld, "ld 5, -8(1)");
ACCESS(ldu, "ldu 5, 8(9)");
ACCESS(ldx, "ldx 5, 9, 10");
ACCESS(lwa, "lwa 5, -16(1)");
ACCESS(lwax, "lwax 5, 9, 10");
ACCESS(ldbrx, "ldbrx 5, 9, 10");
ACCESS(std, "std 5, -8(1)");
ACCESS(stdu, "stdu 5, 8(9)");
ACCESS(stdx, "stdx 5, 9, 10");
ACCESS(stdbrx, "stdbrx 5, 9, 10");
CODE(stdux_2, "mr 9, 1\n li 10, -128", "stdux 1, 1, 10",
     "ld 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 128");
CODE(ldarx, MEMORY "\n3:", "ldarx 5, 0, 9",
     "addi 5, 5, 1\n stdcx. 5, 0, 9\n bne- 3b\n" LEFT);
/* Registers of scalars and vectors. */
#define VECTOR(name, probed)						\
	CODE(name, "mtvsrd 1, 3\n mtvsrd 5, 4\n mtvsrd 34, 3", probed,	\
	     "mfvsrd 5, 5\n mfvsrd 6, 34\n mfvsrd 7, 1")
VECTOR(mtvsrd, "mtvsrd 5, 3");
VECTOR(mfvsrd, "mfvsrd 4, 5");
VECTOR(xxlxor, "xxlxor 5, 5, 5");
VECTOR(vadduwm, "vadduwm 2, 2, 2");
VECTOR(fadd, "fadd 1, 1, 1");
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
CODE(plbz, MEMORY, "plbz 5, -1(1)", LEFT);
CODE(pstd, MEMORY, "pstd 5, -8(1)", LEFT);
CODE(pld_2, "", "pld 5, 1f@pcrel",
     "b 2f\n.balign 8\n1: .quad 0x8123456789abcdef\n2:");
CODE(plwz, "", "plwz 5, 1f@pcrel",
     "b 2f\n.balign 8\n1: .quad 0x8123456789abcdef\n2:");

#define CODE_CASES_OF_WIDTH LIST(					\
	ENTRY(addpcis, NEEDS_30), ENTRY(lnia, NEEDS_30), ENTRY(mulld),	\
	ENTRY(mulhdu), ENTRY(extsw_rc), ENTRY(cntlzd), ENTRY(popcntd),	\
	ENTRY(prtyd, NEEDS_205), ENTRY(cmpb, NEEDS_205), ENTRY(bpermd),	\
	ENTRY(rldicl_rc), ENTRY(rldimi), ENTRY(rldcr), ENTRY(srad),	\
	ENTRY(sradi_rc), ENTRY(cmpld), ENTRY(cmpdi), ENTRY(isel),	\
	ENTRY(mfocrf), ENTRY(mtocrf), ENTRY(lwsync), ENTRY(ptesync),	\
	ENTRY(divd), ENTRY(divd_rc), ENTRY(cnttzd, NEEDS_30),		\
	ENTRY(extswsli, NEEDS_30), ENTRY(maddld, NEEDS_30),		\
	ENTRY(cmpeqb, NEEDS_30), ENTRY(setb, NEEDS_30),			\
	ENTRY(mcrxrx, NEEDS_30), ENTRY(modsd, NEEDS_30), ENTRY(ld),	\
	ENTRY(ldu), ENTRY(ldx), ENTRY(lwa), ENTRY(lwax),		\
	ENTRY(ldbrx, NEEDS_205), ENTRY(std), ENTRY(stdu), ENTRY(stdx),	\
	ENTRY(stdbrx, NEEDS_205), ENTRY(stdux_2), ENTRY(ldarx, NO_POST), \
	ENTRY(mtvsrd, NEEDS_VSX), ENTRY(mfvsrd, NEEDS_VSX),		\
	ENTRY(xxlxor, NEEDS_VSX), ENTRY(vadduwm, NEEDS_VSX),		\
	ENTRY(fadd, NEEDS_VSX), ENTRY(stxvd2x, NEEDS_VSX),		\
	ENTRY(lxvd2x, NEEDS_VSX), ENTRY(lfd, NEEDS_VSX),		\
	ENTRY(stfd, NEEDS_VSX), ENTRY(paddi, NEEDS_31),			\
	ENTRY(paddi_2, NEEDS_31), ENTRY(pli, NEEDS_31),			\
	ENTRY(pnop, NEEDS_31), ENTRY(pla, NEEDS_31), ENTRY(pld, NEEDS_31), \
	ENTRY(plbz, NEEDS_31), ENTRY(pstd, NEEDS_31), ENTRY(pld_2, NEEDS_31), \
	ENTRY(plwz, NEEDS_31))

#endif /* _LIB_KPROBES_TEST_POWERPC_64_H */
