/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that test_opt.c probes on powerpc. */
#ifndef _LIB_KPROBES_TEST_POWERPC_TARGETS_H
#define _LIB_KPROBES_TEST_POWERPC_TARGETS_H

#include "test_powerpc.h"

CODE(add, "", "add 3, 4, 5", "nop");
CODE(push, "", STLU " 4, -16(1)",
     LL " 3, 0(1)\n add 3, 3, 5\n addi 1, 1, 16");
CALLEE(callee, "addi 3, 3, 2");
CODE(bl, "", "bl callee", "nop");
CODE(b_eq, "cmpw 3, 3", "beq 1f", "li 3, 7\n1: nop");

static const struct opt_target opt_targets[] = {
	{ code_add, &probe_add, 4, 3 },
	{ code_push, &probe_push, 4, 3 },
	{ code_bl, &probe_bl, 4, 7 },
	{ code_b_eq, &probe_b_eq, 4, 5 },
};

static unsigned long call_target(const struct opt_target *t)
{
	struct state s = { .r = { 5, 1, 2 } };

	ppc_call_code(t->function, &s);
	return s.r[0];
}

/* Return true if the optimizer has made a jump. */
static bool is_jump(const void *where)
{
	wait_for_kprobe_optimizer();
	return *(u32 *)where >> 26 == 18;
}

#define opt_init(test)	0

#endif /* _LIB_KPROBES_TEST_POWERPC_TARGETS_H */
