// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes the text of sites and their states, and waits for handlers.
 *
 * What a site's text should look like is decided above: by reconcile.c when
 * probes or switches change, and by optimizer.c for jumps.  Both fill in
 * site->target and hand over a batch.
 */
#include <linux/context_tracking_state.h>
#include <linux/cpu.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/smp.h>
#include "internal.h"

static bool transition_exists(enum kprobe_site_state from,
			      enum kprobe_site_state to)
{
	switch (from) {
	case KPROBE_SITE_CLEAN:
		return to != KPROBE_SITE_JUMP;
	case KPROBE_SITE_TRAP:
		return to == KPROBE_SITE_CLEAN || to == KPROBE_SITE_JUMP;
	case KPROBE_SITE_JUMP:
		return to == KPROBE_SITE_CLEAN || to == KPROBE_SITE_TRAP;
	case KPROBE_SITE_FTRACE:
	case KPROBE_SITE_BEHIND:
		return to == KPROBE_SITE_CLEAN || to == KPROBE_SITE_FTRACE;
	case KPROBE_SITE_GONE:
		break;
	}
	return false;
}

/**
 * kprobe_batch_makes_jumps - is a jump to come into the text?
 * @batch: sites, by kprobe_site::batch
 *
 * Context: kprobe_mutex held.
 * Return: whether a site of the batch is to have one.
 */
bool kprobe_batch_makes_jumps(struct list_head *batch)
{
	struct kprobe_site *site;

	list_for_each_entry(site, batch, batch)
		if (site->target == KPROBE_SITE_JUMP)
			return true;
	return false;
}

/**
 * kprobe_site_flags - how a site's text looks, in its probes' flags
 * @site: the site
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_FLAG_FTRACE, KPROBE_FLAG_OPTIMIZED or 0.
 */
u32 kprobe_site_flags(struct kprobe_site *site)
{
	/* One that would be armed in another way does not say so. */
	if (site->on_ftrace && site->state != KPROBE_SITE_BEHIND)
		return site->state == KPROBE_SITE_FTRACE || !site->relay ?
		       KPROBE_FLAG_FTRACE : 0;
	site = kprobe_relay_site(site);
	return site->state == KPROBE_SITE_JUMP ? KPROBE_FLAG_OPTIMIZED : 0;
}

/* Tells a site's probes, and those of the entry that are hit by it. */
static void show_state(struct kprobe_site *site)
{
	u32 flags = kprobe_site_flags(site);
	struct kprobe_site *entry;
	struct kprobe *p;

	hlist_for_each_entry(p, &site->probes, hlist) {
		kprobe_set_flag(p, KPROBE_FLAG_OPTIMIZED,
				flags & KPROBE_FLAG_OPTIMIZED);
		kprobe_set_flag(p, KPROBE_FLAG_FTRACE,
				flags & KPROBE_FLAG_FTRACE);
		entry = kprobe_relayed(p);
		if (entry && entry->state == KPROBE_SITE_BEHIND)
			show_state(entry);
	}
}

/**
 * kprobe_site_set_state - the text of a site looks different now
 * @site: the site
 * @state: how it looks
 *
 * The only place where a state changes.
 *
 *	      register, enable, switch on
 *	CLEAN --------------------------> TRAP; or BEHIND or FTRACE, where
 *	 | ^  <--------------------------	   ftrace calls: see relay.c
 *	 | |   unregister, disable, off
 *	 | |
 *	 | |         the optimizer, once nothing is in the way
 *	 | |  TRAP ------------------------------------------> JUMP
 *	 | |   ^                                               |  |
 *	 | |   +-----------------------------------------------+  |
 *	 | |     a post handler, a jprobe, a probe inside, sysctl |
 *	 | |                                                      |
 *	 | +------------------------------------------------------+
 *	 |           unregister, off; the optimizer, after disable
 *	 v
 *	GONE	module unloaded, init text freed
 *
 * BEHIND becomes FTRACE, for as long as there are probes, when another user of
 * ftrace redirects the function, or a post handler or a jprobe comes.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_site_set_state(struct kprobe_site *site,
			   enum kprobe_site_state state)
{
	lockdep_assert_held(&kprobe_mutex);
	WARN_ON_ONCE(!transition_exists(site->state, state));

	if (site->state == KPROBE_SITE_JUMP)
		list_del_init(&site->optimize);
	site->state = state;
	show_state(site);
}

/*
 * A trap at a site whose jump goes is to run its own instruction alone, since
 * another site of this batch may be under the jump.  While the jump stands, or
 * is half removed, the text or text_poke_bp() sends hits into the detour; where
 * a trap is left in its place, the rest of the text is there first.  This comes
 * before anything is patched: a trap that still sends its hit into the detour
 * has done so before the last IPI of arch_kprobe_patch(), and later hits find
 * the other sites' traps.
 */
static void leave_detours(struct list_head *batch)
{
	struct kprobe_site *site;

	list_for_each_entry(site, batch, batch)
		if (site->state == KPROBE_SITE_JUMP)
			arch_kprobe_use_detour(site, false);
}

/**
 * kprobe_patch - bring the text of sites to their target state
 * @batch: sites, linked by kprobe_site::batch, none of them ftrace's
 *
 * On return every CPU has left the handlers it was in when this was called.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_patch(struct list_head *batch)
{
	struct kprobe_site *site;

	leave_detours(batch);
	cpus_read_lock();
	mutex_lock(&text_mutex);
	arch_kprobe_patch(batch);
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	list_for_each_entry(site, batch, batch)
		kprobe_site_set_state(site, site->target);
}

/* Empty: a CPU that takes this IPI is in no handler.  Tests count its calls. */
static void kprobe_ipi_seen(void *unused)
{
}

/*
 * Can a handler be running on this CPU?  Not if RCU is not watching the CPU,
 * which is so where it idles, and on some machines where it is in user mode.
 *
 * All handlers are looked up and run while RCU is watching, if need be between
 * kprobe_rcu_enter() and kprobe_rcu_exit(), and RCU begins and ends to watch
 * with a fully ordered read-modify-write of what is read here.  The acquire
 * pairs with the one that ended it: what handlers did before has been done.
 * The barrier in kprobe_wait_for_handlers() pairs with the one that begins it
 * next: that has not been seen here, so what comes after it on that CPU sees
 * what the caller has unlinked.  (With classic.c no CPU is left out.)
 */
static bool kprobe_cpu_watched(int cpu, void *unused)
{
#if defined(CONFIG_CONTEXT_TRACKING_IDLE) && !defined(CONFIG_KPROBES_CLASSIC)
	return ct_rcu_watching_cpu_acquire(cpu) & CT_RCU_WATCHING;
#else
	return true;
#endif
}

/**
 * kprobe_wait_for_handlers - wait until running handlers have ended
 *
 * A handler runs with interrupts off from before its probe is looked up to
 * after its return, so a CPU that takes an IPI is in none.  The IPI also
 * orders what the caller has unlinked before what later hits read: see
 * "Who may run when" at the head of kernel/kprobes.c.  Idle CPUs get no IPI.
 *
 * Context: may sleep; interrupts on; not from a handler.
 */
void kprobe_wait_for_handlers(void)
{
	/* Pairs with ct_kernel_enter_state(): see kprobe_cpu_watched(). */
	smp_mb();
	cpus_read_lock();
	on_each_cpu_cond(kprobe_cpu_watched, kprobe_ipi_seen, NULL, true);
	cpus_read_unlock();
}
