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
#include <linux/minmax.h>
#include <linux/sched.h>
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

/**
 * kprobe_take_sites - take sites off a list
 * @from: sites, by kprobe_site::batch
 * @nr: how many at most
 * @to: an empty list, for them
 *
 * Return: how many were taken.
 */
unsigned int kprobe_take_sites(struct list_head *from, unsigned int nr,
			       struct list_head *to)
{
	struct list_head *last;
	unsigned int taken = 0;

	list_for_each(last, from)
		if (++taken == nr)
			break;
	if (taken < nr)
		list_splice_init(from, to);
	else
		list_cut_position(to, from, last);
	return taken;
}

/*
 * A trap at a site whose jump goes is to run its own instruction alone, since
 * another site of this batch may be under the jump.  While the jump stands, or
 * is half removed, the text or text_poke_bp() sends hits into the detour; where
 * a trap is left in its place, the rest of the text is there first.  This comes
 * before anything is patched: a trap that still sends its hit into the detour
 * has done so before the last IPI of arch_kprobe_patch(), and later hits find
 * the other sites' traps.
 *
 * These sites are patched first, because a trap must not be written to text
 * that is still under a jump.
 */
static void leave_detours(struct list_head *batch)
{
	struct kprobe_site *site, *next;

	list_for_each_entry_safe(site, next, batch, batch) {
		if (site->state != KPROBE_SITE_JUMP)
			continue;
		arch_kprobe_use_detour(site, false);
		list_move(&site->batch, batch);
	}
}

/* For tests; under kprobe_mutex. */
static unsigned int most_in_batch, most_in_chunk;

/**
 * kprobe_patch - bring the text of sites to their target state
 * @batch: sites, linked by kprobe_site::batch, none of them ftrace's; in
 *	another order on return
 *
 * text_mutex is released after each chunk of sites.  Owners of text_mutex that
 * run in between find some sites patched and some not, which is nothing new for
 * them: they read or write text where no site is, and code that reads the state
 * of a site holds kprobe_mutex, too, so no site changes until this returns.
 * A hit between two chunks runs the handlers of probes that are armed already,
 * as it does between two sites of one chunk.
 *
 * On return every CPU has left the handlers it was in when this was called.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_patch(struct list_head *batch)
{
	struct kprobe_site *site;
	unsigned int n;
	LIST_HEAD(chunk);
	LIST_HEAD(done);

	n = list_count_nodes(batch);
	most_in_batch = max(most_in_batch, n);
	leave_detours(batch);
	while (!list_empty(batch)) {
		n = kprobe_take_sites(batch, KPROBE_PATCH_CHUNK, &chunk);
		cpus_read_lock();
		mutex_lock(&text_mutex);
		arch_kprobe_patch(&chunk);
		mutex_unlock(&text_mutex);
		cpus_read_unlock();
		most_in_chunk = max(most_in_chunk, n);
		list_for_each_entry(site, &chunk, batch)
			kprobe_site_set_state(site, site->target);
		list_splice_tail_init(&chunk, &done);
		cond_resched();
	}
	list_splice(&done, batch);
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/**
 * kprobe_most_patched - most sites patched at once since the last call
 * @batch: filled in: with kprobe_mutex held
 *
 * Context: may sleep.
 * Return: with text_mutex held.
 */
unsigned int kprobe_most_patched(unsigned int *batch)
{
	guard(mutex)(&kprobe_mutex);
	*batch = xchg(&most_in_batch, 0);
	return xchg(&most_in_chunk, 0);
}
EXPORT_SYMBOL_GPL(kprobe_most_patched);
#endif

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
