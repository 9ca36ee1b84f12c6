/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A static key for code that disables interrupts without local_irq_disable().
 * Such code must report this to tracers and lockdep, but should not spend time
 * on it while nothing uses the reports.
 */
#ifndef _LINUX_TRACE_IRQS_H
#define _LINUX_TRACE_IRQS_H

#ifdef CONFIG_TRACE_IRQFLAGS
#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(trace_irqs_key);

int trace_irqs_reg(void);
void trace_irqs_unreg(void);

/**
 * trace_irqs_enabled - check whether anything follows the state of interrupts
 *
 * The answer may change before interrupts are on again.  A tracer ignores a
 * report that they are on unless they were reported as off.
 *
 * Return: true if lockdep or a tracer needs reports.
 */
static __always_inline bool trace_irqs_enabled(void)
{
	return IS_ENABLED(CONFIG_PROVE_LOCKING) ||
	       static_branch_unlikely(&trace_irqs_key);
}
#else
static inline int trace_irqs_reg(void) { return 0; }
static inline void trace_irqs_unreg(void) { }
static __always_inline bool trace_irqs_enabled(void) { return false; }
#endif

#endif /* _LINUX_TRACE_IRQS_H */
