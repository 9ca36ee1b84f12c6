// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State of a CPU that runs handlers, for hit.c and for classic.c: per-CPU
 * variables, the placeholders kprobe_no_pre and kprobe_busy, and a check.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/kprobes_hit.h>

/* The context that the handler of current_kprobe runs in. */
DEFINE_PER_CPU(unsigned int, kprobe_current_ctx) = KPROBE_CTX_NONE;

/* Set while nothing waits for handlers on this CPU: see offline.c. */
DEFINE_PER_CPU(bool, kprobe_cpu_offline);

static int no_handler(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(no_handler);

/* Sentinel with an empty handler: the hit path need not test for NULL. */
struct kprobe kprobe_no_pre = {
	.addr = (void *)no_handler,
	.run_pre = no_handler,
};

struct kprobe kprobe_busy = {
	.addr = (void *)no_handler,
};

#ifdef CONFIG_DEBUG_IRQFLAGS
/**
 * kprobe_check_irqs_off - warn about a handler that returns with interrupts on
 *
 * unregister_kprobe() waits for code with interrupts off only, so it could free
 * data that the rest of this hit uses.
 *
 * Context: a hit, after its handlers; current_kprobe is the last one's probe.
 */
void kprobe_check_irqs_off(void)
{
	WARN_ONCE(!irqs_disabled(),
		  "Handler of the probe at %pS returns with interrupts on\n",
		  __this_cpu_read(current_kprobe)->addr);
}
NOKPROBE_SYMBOL(kprobe_check_irqs_off);
#endif
