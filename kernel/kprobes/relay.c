// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on a function's entry, hit by the instruction behind ftrace's call.
 *
 * What ftrace patches at the entry of a function costs an update of ftrace for
 * each probe that comes, and a hit by way of ftrace costs more than a jump.
 * Nothing lies between that call and the instruction behind it, so a probe
 * there sees what one on the call would, but for the instruction pointer.
 *
 *	site of the entry (on_ftrace)		probes, as always
 *	  ^
 *	  | relay->entry: its pre handlers are called, with the entry's address
 *	  |
 *	relay, a probe that no user has registered
 *	  |
 *	  v relay->probe.site
 *	the site behind the call		breakpoint, then a jump
 *
 * The entry's site is KPROBE_SITE_BEHIND then, and CLEAN as far as its own text
 * goes.  It is FTRACE instead where a user can tell the difference or gains
 * nothing:
 *
 * - a post handler is to be called, or a jprobe: both want an instruction that
 *   has no effect;
 * - the instruction behind the call is also reached otherwise, cannot be
 *   probed, or cannot become a jump;
 * - jumps are switched off;
 * - another user of ftrace decides where the call leads: a live patch, or a
 *   BPF trampoline.  Such a user tells us before it comes, and entries that it
 *   is for move to ftrace first: kprobe_redirect_begin() in reconcile.c.
 *
 *   Only the filter that they register with is looked at: functions that
 *   are added to it later are not seen.
 *
 * What comes up behind the call later, such as a probe with a post handler, may
 * turn the jump there back into a breakpoint.  The entry stays BEHIND, and is
 * hit by that breakpoint as long as it is needed.
 *
 * A site moves from BEHIND to FTRACE only.  It does not become BEHIND again,
 * because a task that is between the two instructions would have its handlers
 * called twice.  A hit passes both instructions, and its handlers are to be
 * called at one of them:
 *
 * 1. The entry is BEHIND.  ftrace's callback does nothing.
 * 2. kprobe_ftrace_arm() sets site->ftrace_ops, with FTRACE_MOVE_FROM_BEHIND.
 *    From now on the callback calls the handlers, or counts the hit as missed,
 *    and notes the hit (moving.c).  The relay ignores a noted hit.  A hit that
 *    is not noted has passed the call in 1, or found no room for a note: the
 *    relay handles it.
 * 3. A grace period of RCU has ended.  Code that cannot be preempted, and has
 *    passed the call in 1, has passed both instructions.
 * 4. The relay is off, and then kprobe_ftrace_moved() ends the notes.
 *
 * One hit is lost, and not counted: a task passes the call in 1, is interrupted
 * or preempted between the two instructions, and continues in 4.  It executes
 * no more code of ours that could count it.  Only a grace period of RCU-tasks
 * waits for such a task.  It must not be waited for under kprobe_mutex, because
 * it has no limit: any busy kernel thread delays it, and all users of probes
 * and of BPF trampolines would wait.  Nor can the relay stay on until it ends,
 * because the user who redirects the entry begins before that: a trampoline of
 * a direct call calls the instruction after the call from another stack frame,
 * so that no note matches, and the relay would handle this hit again.
 *
 * A trampoline of a direct call, as of a BPF program, calls the instruction
 * after ftrace's call itself, and may do so after the direct call was removed:
 *
 * 1. A task enters the function by way of the trampoline, and sleeps there.
 * 2. The direct call is removed.  A probe is registered, its entry is BEHIND.
 * 3. The trampoline calls the instruction after the call.  The handlers run for
 *    a call that passed the entry before the probe was registered.
 *
 * A task that is preempted between the two instructions while a probe is
 * registered has the same effect.
 *
 * A site that cannot move for lack of memory stays BEHIND, is named in the log,
 * and moves with the next change of its probes.
 *
 * The relay belongs to the entry's site, and is freed with it after an IPI to
 * all CPUs that may be in a hit, as the probes of users are.  Everything but
 * relay_pre() is under kprobe_mutex.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

/* So many are about to decide where functions lead. */
static unsigned int redirects;

/* What the exception of a breakpoint adds to preempt_count(), as an NMI. */
#define TRAP_IS_NMI	(NMI_OFFSET + HARDIRQ_OFFSET)

/*
 * A breakpoint behind the call is seldom there for more than the milliseconds
 * before the jump is, and a hit by a breakpoint is in an NMI.  There, BPF
 * programs and tracefs may find locked what they would wait for elsewhere, and
 * give up.  A hit by ftrace is not, nor is one by the jump, so one by the
 * breakpoint need not be: its handlers are told that this is no NMI.  Lockdep
 * is not, for it would take them for an interrupt's.
 *
 * KPROBE_CTX_NONE comes first.  With it, a hit in a handler that is in no NMI
 * is recursion, and one in an NMI on top is not, at any time in between.
 */
static __always_inline bool leave_trap(void)
{
	if (IS_ENABLED(CONFIG_TRACE_IRQFLAGS) ||
	    likely(__this_cpu_read(kprobe_current_ctx) != KPROBE_CTX_TRAP))
		return false;
	__this_cpu_write(kprobe_current_ctx, KPROBE_CTX_NONE);
	barrier();
	__preempt_count_sub(TRAP_IS_NMI);
	return true;
}

/* The site's own probes, if there are any, come after this. */
static __always_inline void enter_trap(void)
{
	__preempt_count_add(TRAP_IS_NMI);
	barrier();
	__this_cpu_write(kprobe_current_ctx, KPROBE_CTX_TRAP);
}

static __always_inline unsigned long
behind_call(const struct kprobe_site *site)
{
	return (unsigned long)site->addr + MCOUNT_INSN_SIZE;
}

/* A hit behind the call.  Interrupts are off, as for any handler. */
static int relay_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobe_site *entry = container_of(p, struct kprobe_relay,
						 probe)->entry;
	unsigned long next = instruction_pointer(regs);
	bool left, diverted;

	if (unlikely(READ_ONCE(entry->ftrace_ops)) &&
	    kprobe_hit_noted(entry, regs))
		return 0;
	instruction_pointer_set(regs, next - MCOUNT_INSN_SIZE);
	left = leave_trap();
	diverted = kprobe_call_pre(kprobe_first_pre(entry), regs);
	if (unlikely(left))
		enter_trap();
	/* A handler that leaves out the call goes on where the hit does. */
	if (unlikely(diverted) &&
	    instruction_pointer(regs) != behind_call(entry))
		return 1;
	instruction_pointer_set(regs, next);
	return 0;
}
NOKPROBE_SYMBOL(relay_pre);

/* What is behind the call; NULL: the function ends with it. */
static const struct kprobe_entry *entry_behind(const struct kprobe_site *site)
{
	/* Under kprobe_mutex: too large for a stack. */
	static struct kprobe_entry entry;

	entry.addr = (kprobe_opcode_t *)behind_call(site);
	entry.on_entry = false;
	kprobe_find_symbol(behind_call(site), &entry.symbol);
	return entry.symbol.size &&
	       entry.symbol.start <= (unsigned long)site->addr ? &entry : NULL;
}

/* Makes the site behind the call, or finds it. */
static enum kprobe_refusal site_behind(const struct kprobe_site *site,
				       struct kprobe_site **result)
{
	const struct kprobe_entry *entry;
	enum kprobe_refusal why;

	*result = kprobe_site_at(behind_call(site));
	if (*result)
		/* Without probes it is on its way out: not this time. */
		return hlist_empty(&(*result)->probes) ?
		       KPROBE_REFUSE_NO_MEMORY : KPROBE_OK;
	entry = entry_behind(site);
	if (!entry)
		return KPROBE_REFUSE_NOT_TEXT;
	why = kprobe_site_create(entry, result);
	if (why == KPROBE_OK)
		kprobe_optimizer_init_site(*result);
	return why;
}

/* Is nothing in the way of a jump there, as far as is known? */
static bool may_jump(const struct kprobe_site *behind)
{
	return !kprobe_obstacle_stays(behind->obstacle) &&
	       !kprobe_obstacle_now(behind);
}

/*
 * Can a jump be there, and does nothing but the call lead there?  If not, is
 * that to stay so?
 */
static bool suits(struct kprobe_site *behind, bool *never)
{
	*never = kprobe_obstacle_stays(behind->obstacle);
	if (!may_jump(behind))
		return false;
	behind->obstacle = arch_kprobe_analyse(behind);
	*never = kprobe_obstacle_stays(behind->obstacle);
	if (behind->obstacle)
		return false;
	*never = arch_kprobe_jumped_to(behind);
	return !*never;
}

/* Gives an entry's site a relay. */
static bool relay_create(struct kprobe_site *site)
{
	struct kprobe_site *behind;
	struct kprobe_relay *relay;
	enum kprobe_refusal why;
	bool never = false;

	why = site_behind(site, &behind);
	if (why != KPROBE_OK) {
		/* These come and go. */
		site->no_relay = why != KPROBE_REFUSE_NO_MEMORY &&
				 why != KPROBE_REFUSE_MODULE_STATE &&
				 why != KPROBE_REFUSE_DEBUGGER;
		return false;
	}
	relay = kzalloc(sizeof(*relay), GFP_KERNEL);
	if (!relay || !suits(behind, &never)) {
		kfree(relay);
		site->no_relay = never;
		if (hlist_empty(&behind->probes)) {
			kprobe_optimizer_forget(behind);
			kprobe_site_drop(behind);
		}
		return false;
	}
	relay->entry = site;
	relay->probe.addr = behind->addr;
	relay->probe.kind = KPROBE_KIND_RELAY;
	relay->probe.run_pre = relay_pre;
	relay->probe.site = behind;
	INIT_LIST_HEAD(&relay->probe.list);
	/* The call precedes its instruction; see kprobe_join_site(). */
	hlist_add_head(&relay->probe.hlist, &behind->probes);
	site->relay = relay;
	return true;
}

/**
 * kprobe_relay_leave - an entry's site has no probes any more
 * @site: it; is CLEAN in a moment, and is freed after kprobe_relay_free()
 *
 * Context: kprobe_mutex held.
 * Return: the site behind the call, whose text may have to follow; NULL: none.
 */
struct kprobe_site *kprobe_relay_leave(struct kprobe_site *site)
{
	struct kprobe *p;

	if (!site->relay)
		return NULL;
	p = &site->relay->probe;
	if (p->enabled)
		kprobe_site_deactivate(p->site, p);
	hlist_del_init(&p->hlist);
	return p->site;
}

/**
 * kprobe_relay_free - free the relay of a site
 * @site: kprobe_relay_leave() was called for it; then handlers were waited for
 *
 * Context: kprobe_mutex held.
 */
void kprobe_relay_free(struct kprobe_site *site)
{
	kfree(site->relay);
	site->relay = NULL;
}

/**
 * kprobe_relay_possible - does nothing force an entry to use ftrace?
 * @site: on_ftrace
 *
 * Context: kprobe_mutex held.
 */
bool kprobe_relay_possible(const struct kprobe_site *site)
{
	return !site->no_relay && !site->npost && !site->njprobe &&
	       !redirects && kprobe_jumps_allowed() &&
	       /* Also if it is BEHIND because it could not move. */
	       !ftrace_is_redirected((unsigned long)site->addr);
}

/**
 * kprobe_relay_rehearse - what would an entry that is not armed be hit by?
 * @site: on_ftrace; may be one that is in no table
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: the site behind the call, which may be in no table either and stays
 * until this is called again; NULL: by ftrace.
 */
struct kprobe_site *kprobe_relay_rehearse(const struct kprobe_site *site)
{
	/* Under kprobe_mutex: large for a stack. */
	static struct kprobe_site fresh;
	const struct kprobe_entry *entry;
	struct kprobe_site *behind;
	bool never;

	if (!kprobe_relay_possible(site))
		return NULL;
	behind = kprobe_site_at(behind_call(site));
	if (!behind) {
		entry = entry_behind(site);
		if (!entry)
			return NULL;
		behind = &fresh;
		fresh = (struct kprobe_site) { .addr = entry->addr };
		INIT_LIST_HEAD(&fresh.batch);
		if (kprobe_inspect(&fresh, &entry->symbol) != KPROBE_OK)
			return NULL;
		kprobe_optimizer_init_site(&fresh);
	}
	if (!suits(behind, &never))
		behind = NULL;
	if (behind != &fresh)
		return behind;
	kprobe_optimizer_forget(&fresh);
	return &fresh;
}

/**
 * kprobe_relay_wanted - is an entry to be hit by what is behind its call?
 * @site: on_ftrace, and to be armed
 *
 * Makes what is needed for it.
 *
 * Context: may sleep; kprobe_mutex held.
 */
bool kprobe_relay_wanted(struct kprobe_site *site)
{
	if (!kprobe_relay_possible(site))
		return false;
	if (site->state == KPROBE_SITE_BEHIND)
		return true;
	if (site->relay)
		return may_jump(site->relay->probe.site);
	return relay_create(site);
}

/**
 * kprobe_relay_switch - have a relay call handlers, or no longer
 * @site: has a relay, and changes from or to KPROBE_SITE_BEHIND
 * @on: which
 *
 * Context: kprobe_mutex held.
 * Return: the site behind the call, whose text may have to follow.
 */
struct kprobe_site *kprobe_relay_switch(struct kprobe_site *site, bool on)
{
	struct kprobe *p = &site->relay->probe;

	/* Not if the text behind the call has gone. */
	if (p->enabled && !on)
		kprobe_site_deactivate(p->site, p);
	else if (!p->enabled && on)
		kprobe_site_activate(p->site, p);
	return p->site;
}

/**
 * kprobe_relay_redirects - ftrace is about to be told where functions lead
 * @coming: or has done so
 *
 * Context: kprobe_mutex held.
 */
void kprobe_relay_redirects(bool coming)
{
	lockdep_assert_held(&kprobe_mutex);
	redirects += coming ? 1 : -1;
}
