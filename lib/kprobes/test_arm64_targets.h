/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that test_opt.c probes on arm64. */
#ifndef _LIB_KPROBES_TEST_ARM64_TARGETS_H
#define _LIB_KPROBES_TEST_ARM64_TARGETS_H

#include "test_arm64.h"

CODE(add, "", "add x0, x1, x2, lsl #3", "nop");
CODE(push, "", "stp x0, x1, [sp, #-16]!", "ldp x2, x3, [sp], #16\n"
     "add x0, x2, x3, lsl #1");
CODE(bl, "", "bl 1f", "b 2f\n1: hint #34\n add x0, x0, #2\n ret\n2:");
CODE(b_eq, "cmp x0, x0", "b.eq 1f", "mov x0, #7\n1: hint #38");

static const struct opt_target opt_targets[] = {
	{ code_add, &probe_add, 4, 17 },
	{ code_push, &probe_push, 4, 7 },
	{ code_bl, &probe_bl, 4, 7 },
	{ code_b_eq, &probe_b_eq, 4, 5 },
};

static unsigned long call_target(const struct opt_target *t)
{
	struct state s = { .x = { 5, 1, 2 } };

	call_code(t->function, &s);
	return s.x[0];
}

/* Return true if the optimizer has made a jump. */
static bool is_jump(const void *where)
{
	wait_for_kprobe_optimizer();
	return aarch64_insn_is_b(le32_to_cpup(where));
}

#define opt_init(test)	0

#endif /* _LIB_KPROBES_TEST_ARM64_TARGETS_H */
