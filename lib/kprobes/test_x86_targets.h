/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that test_opt.c probes on x86. */
#ifndef _LIB_KPROBES_TEST_X86_TARGETS_H
#define _LIB_KPROBES_TEST_X86_TARGETS_H

#include "test_x86_opt.h"

CODE(plain, FIRST, SECOND AFTER);
FUNCTION(padded, ".Lprobe_padded: lea 1(" AX "), %eax\n" SAFE "ret\n"
	 "int3\n int3\n int3");
CODE(jcc_first, "jz 1f\n jnz 1f\n mov $7, %eax\n1:", FIRST SECOND AFTER);
CODE(stack, "push " BX "\n push " AX, "mov " SP ", " BX "\n"
     "add (" BX "), %eax\n pop " CX "\n pop " BX);

static const struct opt_target opt_targets[] = {
	{ opt_plain, &probe_plain, 3, 13 },
	{ opt_padded, &probe_padded, 3, 6 },
	{ opt_jcc_first, &probe_jcc_first, 2, 13 },
	{ opt_stack, &probe_stack, 1, 10 },
};

static unsigned long call_target(const struct opt_target *t)
{
	return call(t->function, 5);
}

#define opt_init	x86_opt_init

#endif /* _LIB_KPROBES_TEST_X86_TARGETS_H */
