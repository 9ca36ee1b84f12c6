// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Change the text and the states of sites, and wait for handlers.
 *
 * Other files decide how the text of a site should look: reconcile.c when
 * probes or switches change, and optimizer.c for jumps.  Both set site->target
 * and pass a batch.
 */
#include <linux/bits.h>
#include <linux/context_tracking_state.h>
#include <linux/cpu.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* The states that may follow each state */
static const u8 patch_next_states[] = {
	[KPROBE_SITE_CLEAN] = BIT(KPROBE_SITE_CLEAN) | BIT(KPROBE_SITE_TRAP) |
			      BIT(KPROBE_SITE_FTRACE) | BIT(KPROBE_SITE_GONE),
	[KPROBE_SITE_TRAP] = BIT(KPROBE_SITE_CLEAN) | BIT(KPROBE_SITE_JUMP),
	[KPROBE_SITE_JUMP] = BIT(KPROBE_SITE_CLEAN) | BIT(KPROBE_SITE_TRAP),
	[KPROBE_SITE_FTRACE] = BIT(KPROBE_SITE_CLEAN) | BIT(KPROBE_SITE_FTRACE),
	[KPROBE_SITE_GONE] = 0,
};

/**
 * kprobe_batch_makes_jumps - check whether a batch writes a jump
 * @batch: sites, by kprobe_site::batch
 *
 * Context: kprobe_mutex held.
 * Return: true if the target state of a site is KPROBE_SITE_JUMP.
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
 * kprobe_site_flags - return the flags that show how a site's text looks
 * @site: the site
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_FLAG_FTRACE, KPROBE_FLAG_OPTIMIZED or 0.
 */
u32 kprobe_site_flags(const struct kprobe_site *site)
{
	if (site->on_ftrace && !kprobe_text_is_armed(site->state))
		return KPROBE_FLAG_FTRACE;
	return site->state == KPROBE_SITE_JUMP ? KPROBE_FLAG_OPTIMIZED : 0;
}

/* Update the flags of a site's probes, which only inform users. */
static void show_state(struct kprobe_site *site)
{
	const u32 all = KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE;
	struct kprobe *p;

	hlist_for_each_entry(p, &site->probes, hlist)
		p->flags = (p->flags & ~all) | kprobe_site_flags(site);
}

unsigned int kprobe_skipping_armed __read_mostly;

/**
 * kprobe_site_set_state - record that the text of a site has changed
 * @site: the site
 * @state: how the text looks now
 *
 * No other function changes a state.
 *
 *	      register, enable, switch on
 *	CLEAN --------------------------> TRAP, or FTRACE: see ftrace.c
 *	 | ^  <--------------------------
 *	 | |   unregister, disable, off
 *	 | |
 *	 | |         the optimizer, once there is no obstacle
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
 * A site that owns the instruction after an ftrace call becomes CLEAN before it
 * becomes FTRACE.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_site_set_state(struct kprobe_site *site,
			   enum kprobe_site_state state)
{
	lockdep_assert_held(&kprobe_mutex);
	WARN_ON_ONCE(!(patch_next_states[site->state] & BIT(state)));

	if (site->state == KPROBE_SITE_JUMP)
		list_del_init(&site->optimize);
	if (site->owns_next)
		WRITE_ONCE(kprobe_skipping_armed, kprobe_skipping_armed +
			   kprobe_text_is_armed(state) -
			   kprobe_text_is_armed(site->state));
	site->state = state;
	show_state(site);
}

/**
 * kprobe_take_sites - move sites from one list to another
 * @from: sites, by kprobe_site::batch
 * @nr: maximum number of sites
 * @to: an empty list
 *
 * Return: the number of moved sites.
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

/* Not needed if a jump covers only the probed instruction. */
void __weak arch_kprobe_use_detour(struct kprobe_site *site, bool use) { }

/*
 * Before jumps are removed, make traps at their sites execute only the probed
 * instruction.  Otherwise a hit would execute the copies in the detour, and not
 * reach a trap that this batch writes to text under the jump.
 *
 * Hits may still enter the detour: by the jump, by x86's breakpoint while the
 * jump is half removed, or by a trap that reads the old value.  All of them do
 * so before the last IPI of arch_kprobe_patch(), because this function runs
 * before all patching, and so before the return of the registration that
 * removes the jump.  They miss the new probe, even if their task is preempted
 * in the detour and continues after that return.
 *
 * Jumps are also moved to the front of the batch, because a trap must not be
 * written to text that is still under a jump.
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
static unsigned int patch_most_in_batch, patch_most_in_chunk;

/**
 * kprobe_patch - bring the text of sites to their target state
 * @batch: sites, linked by kprobe_site::batch, that do not use ftrace; in
 *	another order on return
 *
 * text_mutex is released after each chunk of sites.  Other owners of text_mutex
 * may then find only some sites patched, which is harmless: they access text
 * that has no sites, and code that depends on states of sites waits for
 * kprobe_mutex.  A hit between two chunks runs the handlers of probes that are
 * armed already, as it does between two sites of one chunk.
 *
 * On return, every CPU has left the handlers that it ran when this was called.
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
	patch_most_in_batch = max(patch_most_in_batch, n);
	leave_detours(batch);
	while (!list_empty(batch)) {
		n = kprobe_take_sites(batch, KPROBE_PATCH_CHUNK, &chunk);
		cpus_read_lock();
		mutex_lock(&text_mutex);
		arch_kprobe_patch(&chunk);
		mutex_unlock(&text_mutex);
		cpus_read_unlock();
		patch_most_in_chunk = max(patch_most_in_chunk, n);
		list_for_each_entry(site, &chunk, batch)
			kprobe_site_set_state(site, site->target);
		list_splice_tail_init(&chunk, &done);
		cond_resched();
	}
	list_splice(&done, batch);
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/**
 * kprobe_most_patched - return and reset the largest numbers of patched sites
 * @batch: set to the largest number of sites in one call of kprobe_patch()
 *
 * Context: may sleep.
 * Return: the largest number of sites patched under one hold of text_mutex.
 */
unsigned int kprobe_most_patched(unsigned int *batch)
{
	guard(mutex)(&kprobe_mutex);
	*batch = xchg(&patch_most_in_batch, 0);
	return xchg(&patch_most_in_chunk, 0);
}
#endif

/* A CPU that takes this IPI is in no handler.  Tests count the calls. */
static void kprobe_ipi_seen(void *unused)
{
}

/*
 * Return true if a handler may be running on @cpu.  None is running while RCU
 * does not watch the CPU: in the idle loop and, with context tracking of user
 * tasks (nohz_full), in user mode.
 *
 * All handlers are looked up and run while RCU is watching, if necessary
 * between kprobe_rcu_enter() and kprobe_rcu_exit(), and RCU starts and stops
 * watching with a fully ordered read-modify-write of the state that is read
 * here.  The acquire pairs with the last stop: all accesses of earlier handlers
 * are done.  The barrier in kprobe_wait_for_handlers() pairs with the next
 * start, which this read has not seen: later hits on that CPU do not find the
 * unlinked probes.  (With classic.c, every CPU gets the IPI.)
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
 * Send an IPI to the CPUs that may be in a handler: see "Who may run when" in
 * kernel/kprobes.c.
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
