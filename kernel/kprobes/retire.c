// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Free sites and their slots once no task can be in them.
 *
 * A task may be preempted while it executes an instruction in a slot.  It
 * resumes in the slot however long ago the probe was removed.  So slots are
 * freed after an RCU-tasks grace period, which waits until every task has
 * switched voluntarily.  A task in a slot cannot switch voluntarily: only a
 * page fault could make it sleep, and the fault handler first moves the task
 * out of the slot by kprobe_regs_leave_slot().
 *
 * RCU-tasks does not wait for idle tasks.  If the whole idle loop is noinstr
 * (ARCH_WANTS_NO_INSTR), idle tasks enter a slot only while RCU is watching,
 * and RCU waits for them.  On other architectures each CPU must schedule once,
 * which Tasks Rude RCU ensures.  No CPU may halt in a slot: x86 refuses probes
 * on HLT and MWAIT.  On arm64, WFI ends at the next interrupt, and each change
 * of text sends one.
 *
 * The grace period takes tens of milliseconds.  Only the worker waits for it,
 * and holds no lock meanwhile.
 */
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "internal.h"

static LLIST_HEAD(retired_sites);
static struct workqueue_struct *retire_wq;

static void retire_worker(struct work_struct *work)
{
	struct llist_node *first = llist_del_all(&retired_sites);
	struct kprobe_site *site, *next;

	if (!first)
		return;

	synchronize_rcu_tasks();
#ifndef CONFIG_ARCH_WANTS_NO_INSTR
	synchronize_rcu_tasks_rude();
#endif
	/* Wait for hits that use slots with preemption off: see classic.c. */
	synchronize_rcu();
	llist_for_each_entry(site, first, retired) {
		kprobe_classic_release(site);
		kprobe_slots_release(site);
		cond_resched();
	}
	/* Wait for readers that have found a site by kprobe_slot_owner(). */
	synchronize_rcu();
	/* Wait for hits that RCU does not watch: see classic.c. */
	kprobe_classic_sync();

	llist_for_each_entry_safe(site, next, first, retired) {
		/* This also frees objects of the kmem_cache in site.c. */
		kfree(site);
		cond_resched();
	}
}

static DECLARE_DELAYED_WORK(retire_work, retire_worker);

/* Collect retired sites for this many jiffies, to share grace periods. */
#define RETIRE_DELAY	(HZ / 20)

/**
 * kprobe_retire - free a site after grace periods
 * @site: removed from the table; its text is the original or has been freed
 *
 * Context: any that allows queueing work.
 */
void kprobe_retire(struct kprobe_site *site)
{
	if (llist_add(&site->retired, &retired_sites))
		queue_delayed_work(retire_wq, &retire_work, RETIRE_DELAY);
}

int __init kprobe_retire_init(void)
{
	/* The worker waits long: use a workqueue that nobody else flushes. */
	retire_wq = alloc_workqueue("kprobes", WQ_UNBOUND, 1);
	return retire_wq ? 0 : -ENOMEM;
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/* Wait until all retired sites are freed. */
void kprobe_retire_flush(void)
{
	flush_delayed_work(&retire_work);
	/* Again, for sites that were added while the worker ran. */
	flush_delayed_work(&retire_work);
}
#endif
