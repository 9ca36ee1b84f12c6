// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on the call of ftrace at a function's entry.
 *
 * That instruction is ftrace's to patch.  A site on it is hit by a callback
 * instead of a trap, and does not need a displaced copy: what is there does
 * nothing but call.  All such sites share one ftrace_ops, so that a batch of
 * them is one update of ftrace, and the callback finds the site by its
 * address as a trap does.
 *
 * The ops guards against recursion itself (FTRACE_OPS_FL_RECURSION): ftrace's
 * own guard would drop hits without a trace, while the core counts them.
 */
#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/slab.h>
#include "internal.h"

static void ftrace_site_handlers(unsigned long ip, struct pt_regs *regs)
{
	struct kprobe_site *site = kprobe_site_find(ip);
	enum kprobe_verdict verdict;
	unsigned long next;

	if (unlikely(!site))
		return;

	/* Where live patching may have set its own way on: kept. */
	next = instruction_pointer(regs);
	instruction_pointer_set(regs, ip);
	verdict = kprobe_site_pre(site, regs, 0);
	if (verdict == KPROBE_DIVERTED)
		return;

	if (verdict == KPROBE_STEP && READ_ONCE(site->npost)) {
		instruction_pointer_set(regs, ip + MCOUNT_INSN_SIZE);
		kprobe_site_post(site, regs, 0);
		/* A post handler may move on from there, too. */
		if (instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE)
			return;
	}
	instruction_pointer_set(regs, next);
}
NOKPROBE_SYMBOL(ftrace_site_handlers);

static void ftrace_site_hit(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	unsigned long flags;

	if (WARN_ON_ONCE(!regs))
		return;

	/* As the core demands for all of a hit. */
	flags = kprobe_hit_enter();
	if (likely(kprobe_rcu_watching())) {
		ftrace_site_handlers(ip, regs);
	} else {
		kprobe_rcu_enter();
		ftrace_site_handlers(ip, regs);
		kprobe_rcu_exit();
	}
	kprobe_hit_exit(flags);
}
NOKPROBE_SYMBOL(ftrace_site_hit);

static struct ftrace_ops kprobe_ops = {
	.func = ftrace_site_hit,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION,
};

/* How many sites kprobe_ops calls for; under kprobe_mutex. */
static unsigned int kprobe_ops_sites;

/* The addresses of the @nr sites of @plan; the caller frees them. */
static unsigned long *plan_addresses(struct list_head *plan, unsigned int *nr)
{
	struct kprobe_site *site;
	unsigned long *ips;
	unsigned int i = 0;

	*nr = list_count_nodes(plan);
	ips = kvmalloc_array(*nr, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return NULL;
	list_for_each_entry(site, plan, plan)
		ips[i++] = (unsigned long)site->addr;
	return ips;
}

/**
 * kprobe_ftrace_arm - have ftrace call for a set of sites
 * @plan: sites, linked by kprobe_site::plan, for none of which it does yet
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: 0; -ENOMEM; -ENODEV or -EBUSY of ftrace.  None is armed on failure.
 */
int kprobe_ftrace_arm(struct list_head *plan)
{
	unsigned long *ips;
	unsigned int nr;
	int ret;

	lockdep_assert_held(&kprobe_mutex);

	ips = plan_addresses(plan, &nr);
	if (!ips)
		return -ENOMEM;

	ret = ftrace_set_filter_ips(&kprobe_ops, ips, nr, 0, 0);
	if (!ret && !kprobe_ops_sites) {
		ret = register_ftrace_function(&kprobe_ops);
		if (ret)
			ftrace_set_filter_ips(&kprobe_ops, ips, nr, 1, 0);
	}
	if (!ret)
		kprobe_ops_sites += nr;
	kvfree(ips);
	return ret;
}

/**
 * kprobe_ftrace_disarm - the reverse
 * @plan: sites for which ftrace calls
 *
 * Cannot fail in a way that matters: without memory they are taken out one
 * by one, and where ftrace has shut itself down it calls for nobody.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_ftrace_disarm(struct list_head *plan)
{
	struct kprobe_site *site;
	unsigned long *ips;
	unsigned int nr;

	lockdep_assert_held(&kprobe_mutex);

	ips = plan_addresses(plan, &nr);
	kprobe_ops_sites -= nr;
	/* An empty filter would mean every function. */
	if (!kprobe_ops_sites)
		unregister_ftrace_function(&kprobe_ops);

	if (ips)
		ftrace_set_filter_ips(&kprobe_ops, ips, nr, 1, 0);
	else
		list_for_each_entry(site, plan, plan)
			ftrace_set_filter_ip(&kprobe_ops,
					     (unsigned long)site->addr, 1, 0);
	kvfree(ips);
}

/**
 * kprobe_ftrace_kill - ftrace has shut itself down after an error
 *
 * It calls for no site any more.  Nothing to be done: sites are taken off
 * when their users unregister, and ftrace refuses new ones.
 */
void kprobe_ftrace_kill(void)
{
}
