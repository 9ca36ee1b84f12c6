/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Powerpc has no probes: its exception handlers ask all the same, and are told
 * that nothing was one. What is included is what they get by way of this file.
 */
#ifndef _ASM_POWERPC_KPROBES_H
#define _ASM_POWERPC_KPROBES_H

#include <linux/types.h>
#include <asm/code-patching.h>
#include <asm/inst.h>
#include <asm/probes.h>
#include <asm-generic/kprobes.h>

struct pt_regs;

/* Asked for a trap instruction; false: it is not a probe's. */
static inline bool kprobe_handler(struct pt_regs *regs)
{
	return false;
}

/* Asked for a single step; false: as above. */
static inline bool kprobe_post_handler(struct pt_regs *regs)
{
	return false;
}

#endif /* _ASM_POWERPC_KPROBES_H */
