/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of 32-bit powerpc only, and their operands in memory, for the
 * KUnit suite for instructions.
 */
#ifndef _LIB_KPROBES_TEST_POWERPC_32_H
#define _LIB_KPROBES_TEST_POWERPC_32_H

#include "test_code.h"
#include "test_powerpc.h"

/* r9 points to two words in the caller's frame; LEFT loads them afterwards. */
#define MEMORY	"stw 3, 16(1)\n stw 4, 20(1)\n addi 9, 1, 16\n li 10, 4"
#define LEFT	"lwz 7, 16(1)\n lwz 8, 20(1)\n subf 9, 1, 9"
/* Operands with a defined quotient: positive numbers, and no division by 0. */
#define DIVIDENDS	"clrlwi 4, 4, 1\n ori 5, 5, 1"
#define LOW		""

CODE(stwux, "mr 9, 1\n li 10, -128", "stwux 1, 1, 10",
     "lwz 3, 0(1)\n subf 4, 9, 1\n subf 3, 9, 3\n addi 1, 1, 128");
CODE(mcrxr, "", "mcrxr 4", "");

#define CODE_CASES_OF_WIDTH LIST(					\
	ENTRY(stwux), ENTRY(mcrxr))

#endif /* _LIB_KPROBES_TEST_POWERPC_32_H */
