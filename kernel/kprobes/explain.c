// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Report what would happen to a probe, and why.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include "internal.h"

/* Return the obstacle to a jump at a site that is, or may be, a breakpoint. */
static enum kprobe_obstacle
explain_obstacle(struct kprobe_site *site, const struct kprobe_symbol *symbol)
{
	enum kprobe_obstacle what = site->obstacle;

	if (!kprobe_obstacle_stays(what))
		what = kprobe_analyse(site, symbol);
	return what ?: kprobe_obstacle_now(site);
}

/**
 * kprobe_explain - report what would happen to a probe, and why
 * @addr: its address, or NULL
 * @symbol: its symbol, if @addr is NULL
 * @offset: bytes from @addr or from the symbol
 * @what: filled in
 *
 * Context: may sleep.
 */
void kprobe_explain(kprobe_opcode_t *addr, const char *symbol,
		    unsigned long offset, struct kprobe_explanation *what)
{
	/* Protected by kprobe_mutex; too large for a stack. */
	static struct kprobe_entry entry;
	struct kprobe_site *site, fresh = {};
	unsigned long place;
	bool by_ftrace;

	*what = (struct kprobe_explanation) { .why = KPROBE_REFUSE_NO_SYMBOL };
	if (kprobe_find_place(addr, symbol, offset, &place))
		return;

	guard(mutex)(&kprobe_mutex);

	what->addr = (void *)place;
	what->why = kprobe_admit_text(place);
	if (what->why != KPROBE_OK)
		return;

	kprobe_find_entry(place, &entry);
	what->addr = entry.addr;
	site = kprobe_site_at((unsigned long)entry.addr);
	if (!site) {
		site = &fresh;
		site->addr = entry.addr;
		INIT_LIST_HEAD(&site->batch);
		what->why = kprobe_inspect(site, &entry.symbol) ?:
			    kprobe_classic_rehearse(site);
		if (what->why != KPROBE_OK)
			return;
		kprobe_optimizer_init_site(site);
	}
	what->state = site->state;
	by_ftrace = site->on_ftrace && !kprobe_may_skip_ftrace(site);
	what->how = KPROBE_HOW_OUT_OF_LINE;
	if (by_ftrace)
		what->how = KPROBE_HOW_FTRACE;
	else if (arch_kprobe_emulated(site))
		what->how = KPROBE_HOW_EMULATED;
	what->obstacle = by_ftrace ? KPROBE_NOJUMP_FTRACE_SITE :
				     explain_obstacle(site, &entry.symbol);
	kprobe_forget_analysis(site);
}

/**
 * kprobe_refusal_at - return why a place cannot be probed
 * @addr: its address, or NULL
 * @symbol: its symbol, if @addr is NULL
 * @offset: bytes from @addr or from the symbol
 *
 * For callers whose registration was refused, because the errno is less exact.
 *
 * Context: may sleep.
 * Return: the reason; KPROBE_OK if there is none now, or if the place can be
 * probed but not as the entry of a function.
 */
enum kprobe_refusal kprobe_refusal_at(void *addr, const char *symbol,
				      unsigned long offset)
{
	struct kprobe_explanation what;

	kprobe_explain(addr, symbol, offset, &what);
	return what.why;
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST) && defined(CONFIG_OPTPROBES)
/* Return the obstacle that kprobe_explain() reports. */
enum kprobe_obstacle kprobe_explained_obstacle(kprobe_opcode_t *addr)
{
	struct kprobe_explanation what;

	kprobe_explain(addr, NULL, 0, &what);
	return what.why == KPROBE_OK ? what.obstacle : KPROBE_NOJUMP_NO_MEMORY;
}
EXPORT_SYMBOL_GPL(kprobe_explained_obstacle);
#endif
