/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The type of the registers that an fprobe's handler gets. */
#ifndef _LIB_KPROBES_TEST_FPROBE_REGS_H
#define _LIB_KPROBES_TEST_FPROBE_REGS_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define fprobe_regs pt_regs
#else
#define fprobe_regs ftrace_regs
#endif

#endif /* _LIB_KPROBES_TEST_FPROBE_REGS_H */
