/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the KUnit suites for kprobes share.
 */
#ifndef _LIB_TEST_KPROBES_H
#define _LIB_TEST_KPROBES_H

#include <linux/compiler.h>

/*
 * Functions to be probed.  Nothing about them is known to callers, so they are
 * called as they stand.  Clang knows little of functions that may be called
 * from anywhere, and has no name for one of which it knows nothing.
 */
#ifdef CONFIG_CC_IS_CLANG
#define TARGET	noinline __used
#else
#define TARGET	__attribute__((noipa))
#endif

#endif /* _LIB_TEST_KPROBES_H */
