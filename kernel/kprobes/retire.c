// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frees sites and their slots when no task can stand on them any more.
 *
 * A task may be preempted while it executes an instruction in a slot.  It
 * comes back to the slot however long ago the probe was removed.  So slots are
 * freed after an RCU-tasks grace period, which waits until every task has
 * switched voluntarily: a task in a slot cannot do that, since the one thing
 * there that could sleep, a page fault, leaves the slot first
 * (kprobe_regs_leave_slot()).
 *
 * This does not wait for idle tasks.  Where all of the idle loop is noinstr
 * (ARCH_WANTS_NO_INSTR), they enter no slot while RCU is not watching.  On
 * other architectures each CPU must schedule once, which is Tasks Rude RCU.  No
 * CPU may stop in a slot: x86 refuses HLT and MWAIT.  WFI of arm64 continues at
 * the next interrupt, and a change of text sends one.
 *
 * The grace period takes tens of milliseconds.  The worker here waits for it
 * and holds no lock meanwhile; no caller waits.
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
	/* Hits that are in the slots, with preemption off: see classic.c. */
	synchronize_rcu();
	llist_for_each_entry(site, first, retired) {
		kprobe_classic_release(site);
		kprobe_slots_release(site);
		cond_resched();
	}
	/* Readers that have found a site by kprobe_slot_owner(), until now. */
	synchronize_rcu();
	/* Hits where RCU does not watch: see classic.c. */
	kprobe_classic_sync();

	llist_for_each_entry_safe(site, next, first, retired) {
		/* From a cache of site.c: kfree() finds that. */
		kfree(site);
		cond_resched();
	}
}

static DECLARE_DELAYED_WORK(retire_work, retire_worker);

/* Many sites retire one by one; let them gather for this many jiffies. */
#define RETIRE_DELAY	(HZ / 20)

/**
 * kprobe_retire - free a site in due time
 * @site: no longer in the table, its text clean or gone
 *
 * Context: any that may queue work.
 */
void kprobe_retire(struct kprobe_site *site)
{
	if (llist_add(&site->retired, &retired_sites))
		queue_delayed_work(retire_wq, &retire_work, RETIRE_DELAY);
}

int __init kprobe_retire_init(void)
{
	/* The worker waits for long: keep it off queues that are flushed. */
	retire_wq = alloc_workqueue("kprobes", WQ_UNBOUND, 1);
	return retire_wq ? 0 : -ENOMEM;
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/* Waits until all that is retired is freed. */
void kprobe_retire_flush(void)
{
	flush_delayed_work(&retire_work);
	/* What was added while the worker ran. */
	flush_delayed_work(&retire_work);
}
#endif
