// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits whose handlers did not run, by reason: per site, and in total since
 * boot.
 *
 * The counting functions run with interrupts off and RCU watching, in a hit, a
 * return or a call by ftrace.  Unregistering waits until no CPU is in any of
 * these before it clears kprobe::site and frees the site.  Misses are rare, so
 * all CPUs share each counter and update it with compare and exchange, which is
 * safe against NMIs.
 */
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

static unsigned long in_all[KPROBE_NR_MISSES];

#define add_one(counter)						\
do {									\
	typeof(counter) __counter = (counter);				\
	typeof(*__counter) __n = READ_ONCE(*__counter);			\
									\
	while (!try_cmpxchg(__counter, &__n, __n + 1))			\
		cpu_relax();						\
} while (0)

static __always_inline void count_at(struct kprobe_site *site,
				     enum kprobe_miss why)
{
	add_one(&in_all[why]);
	add_one(&site->missed[why]);
}

/**
 * kprobe_site_missed_alone - count a miss without access to the site's probes
 * @site: the site that was hit
 * @why: the reason
 *
 * Counts the miss for the site only.  Probes may be in memory that needs
 * address translation, such as a module's, and may be freed while an offline
 * CPU is hit.
 *
 * Context: a hit, even with translation off.
 */
void kprobe_site_missed_alone(struct kprobe_site *site, enum kprobe_miss why)
{
	count_at(site, why);
}
NOKPROBE_SYMBOL(kprobe_site_missed_alone);

/**
 * kprobe_site_missed - count a hit that runs none of a site's handlers
 * @site: the site that was hit
 * @why: the reason
 *
 * Counts it for each active probe as well, unless this CPU is offline: then
 * probes may be freed meanwhile.
 *
 * Context: a hit; interrupts off, RCU watching.
 */
void kprobe_site_missed(struct kprobe_site *site, enum kprobe_miss why)
{
	struct kprobe *p;

	if (unlikely(__this_cpu_read(kprobe_cpu_offline))) {
		kprobe_site_missed_alone(site, why);
		return;
	}
	if (list_empty(&site->active))
		return;
	count_at(site, why);
	list_for_each_entry_rcu(p, &site->active, list, true)
		add_one(&p->nmissed);
}
NOKPROBE_SYMBOL(kprobe_site_missed);

/**
 * kretprobe_missed - count a call that is not followed
 * @rp: the return probe
 * @why: the reason
 *
 * Context: the pre handler of the return probe.
 */
void kretprobe_missed(struct kretprobe *rp, enum kprobe_miss why)
{
	count_at(rp->kp.site, why);
	add_one(&rp->nmissed);
}
NOKPROBE_SYMBOL(kretprobe_missed);

/**
 * kprobe_count_missed - count a hit whose handler could not serve its user
 * @p: the handler's probe
 * @why: the reason
 *
 * Not counted in nmissed, because the handler itself did run.
 *
 * Context: a handler of @p.  @p must not have been unregistered as another kind
 * of probe than it was registered as.
 */
void kprobe_count_missed(const struct kprobe *p, enum kprobe_miss why)
{
	count_at(p->site, why);
}
NOKPROBE_SYMBOL(kprobe_count_missed);

/**
 * kprobe_missed_in_all - return the number of hits missed since boot
 * @why: the reason
 *
 * Context: any.
 */
unsigned long kprobe_missed_in_all(enum kprobe_miss why)
{
	return READ_ONCE(in_all[why]);
}
