/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes, with either core, until all architectures use the new one.
 */
#ifdef CONFIG_HAVE_KPROBE_SITES
#include <linux/kprobes_sites.h>
#else
#include <linux/kprobes_legacy.h>

/* Calls that only the new core needs. */
#ifndef _LINUX_KPROBES_STUBS_H
#define _LINUX_KPROBES_STUBS_H

struct ftrace_ops;

static inline void kprobe_cpu_leaves(void) { }
static inline void kprobe_cpu_comes(unsigned int cpu) { }
static inline bool kprobe_patches(unsigned long addr) { return false; }
static inline void kprobe_ftrace_dropped(unsigned long i, struct pt_regs *r) { }

#ifdef CONFIG_KPROBES_ON_FTRACE
int ftrace_claim_ipmodify(unsigned long ip);
void ftrace_release_ipmodify(unsigned long ip);
#endif

static inline void
kprobe_redirect_begin(struct ftrace_ops *ops,
		      bool (*concerns)(struct ftrace_ops *ops,
				       unsigned long ip))
{
}

static inline void kprobe_redirect_end(struct ftrace_ops *ops) { }

#endif /* _LINUX_KPROBES_STUBS_H */
#endif /* CONFIG_HAVE_KPROBE_SITES */
