/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the KUnit suite for instructions on powerpc: those that are 32-bit only,
 * and where code finds memory there.
 */
#ifndef _LIB_KPROBES_TEST_POWERPC_32_H
#define _LIB_KPROBES_TEST_POWERPC_32_H

#include "test_code.h"
#include "test_powerpc.h"

/* Two words of the caller's frame, r9 points to, and what is left there. */
#define MEMORY	"stw 3, 16(1)\n stw 4, 20(1)\n addi 9, 1, 16\n li 10, 4"
#define LEFT	"lwz 7, 16(1)\n lwz 8, 20(1)\n subf 9, 1, 9"
/* Quotients that are defined: of positive numbers, and not by 0. */
#define DIVIDENDS	"clrlwi 4, 4, 1\n ori 5, 5, 1"
#define LOW		""

CODE(stwux, "mr 9, 1\n li 10, -128", "stwux 1, 1, 10",
     "lwz 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 128");
CODE(mcrxr, "", "mcrxr 4", "");

#define CODE_CASES_OF_WIDTH						\
	ENTRY(stwux), ENTRY(mcrxr)

#endif /* _LIB_KPROBES_TEST_POWERPC_32_H */
