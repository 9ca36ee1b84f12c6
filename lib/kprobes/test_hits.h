/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Per-CPU counts for hits on several CPUs at once. */
#ifndef _LIB_KPROBES_TEST_HITS_H
#define _LIB_KPROBES_TEST_HITS_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

static DEFINE_PER_CPU(unsigned long, cpu_hits);

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	__this_cpu_inc(cpu_hits);
	return 0;
}

static inline void count_post(struct kprobe *p, struct pt_regs *regs,
			      unsigned long flags)
{
	__this_cpu_inc(cpu_hits);
}

/* Return the number of hits since the last call. */
static unsigned long take_cpu_hits(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		sum += per_cpu(cpu_hits, cpu);
		per_cpu(cpu_hits, cpu) = 0;
	}
	return sum;
}

#endif /* _LIB_KPROBES_TEST_HITS_H */
