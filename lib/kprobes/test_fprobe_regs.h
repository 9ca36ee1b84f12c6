/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The type of the registers that an fprobe's handler gets. */
#ifndef _LIB_KPROBES_TEST_FPROBE_REGS_H
#define _LIB_KPROBES_TEST_FPROBE_REGS_H

#include <linux/fprobe.h>

/* Defined by older kernels. */
#ifndef fprobe_regs
#define fprobe_regs ftrace_regs
#endif

#endif /* _LIB_KPROBES_TEST_FPROBE_REGS_H */
