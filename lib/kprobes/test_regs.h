/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for KUnit suites: the first argument and the return value of a
 * function, for architectures that lack accessors for these.
 */
#ifndef _LIB_KPROBES_TEST_REGS_H
#define _LIB_KPROBES_TEST_REGS_H

#include <linux/ptrace.h>

#if defined(CONFIG_ARM)
#define FIRST_ARGUMENT(regs)	((regs)->ARM_r0)
#elif defined(CONFIG_MIPS)
#define FIRST_ARGUMENT(regs)	((regs)->regs[4])
#define RETURN_VALUE(regs)	((regs)->regs[2])
#elif defined(CONFIG_SPARC)
#define FIRST_ARGUMENT(regs)	((regs)->u_regs[UREG_I0])
#define RETURN_VALUE(regs)	((regs)->u_regs[UREG_I0])
#elif defined(CONFIG_PARISC)
#define FIRST_ARGUMENT(regs)	((regs)->gr[26])
#define RETURN_VALUE(regs)	((regs)->gr[28])
#elif defined(CONFIG_SUPERH)
#define FIRST_ARGUMENT(regs)	((regs)->regs[4])
#define RETURN_VALUE(regs)	((regs)->regs[0])
#elif defined(CONFIG_ARC)
#define FIRST_ARGUMENT(regs)	((regs)->r0)
#define RETURN_VALUE(regs)	((regs)->r0)
#elif defined(CONFIG_CSKY)
#define FIRST_ARGUMENT(regs)	((regs)->a0)
#endif

#ifndef FIRST_ARGUMENT
#define FIRST_ARGUMENT(regs)	regs_get_kernel_argument(regs, 0)
#endif

static inline unsigned long first_argument(struct pt_regs *regs)
{
	return FIRST_ARGUMENT(regs);
}

#ifdef RETURN_VALUE
static inline void set_return_value(struct pt_regs *regs, unsigned long value)
{
	RETURN_VALUE(regs) = value;
}
#else
#define set_return_value	regs_set_return_value
#endif

#endif /* _LIB_KPROBES_TEST_REGS_H */
