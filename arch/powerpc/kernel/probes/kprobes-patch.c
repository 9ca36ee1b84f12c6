// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write traps and branches to the text of powerpc, and remove them.
 *
 * One word is written: an instruction, or the prefix of one.  It is aligned, so
 * a CPU that fetches it meanwhile gets the old word or the new one.  Either may
 * be executed: the original instruction because nothing has changed; a trap
 * because its site is in the table before the trap is written, and stays there
 * until after the trap is removed; a branch because its detour is complete
 * before, and is not freed before the site.
 *
 * Power ISA, book II, "Concurrent Modification and Execution of Instructions",
 * guarantees this only where the old and the new word are both of the patch
 * class: the preferred no-op and I-form branches.  Ftrace and jump labels use
 * these.  The result of any other change is boundedly undefined until a CPU has
 * synchronized, so the architecture allows no change to or from a trap.  These
 * changes rely on the implementation of CPUs: the fetch of an aligned word
 * returns one of the values that memory has had, and only that word is decoded.
 * Uprobes, kgdb and xmon rely on the same for their traps.  Without it, all
 * CPUs would have to be stopped for each change.
 *
 *	site in the table | trap in memory | caches | IPI	 | executed
 *	------------------+----------------+--------+------------+---------
 *	yes		  | being written  | either |		 | either
 *	yes		  | yes		   | new    | being sent | either
 *	yes		  | yes		   | new    | handled	 | trap
 *
 * Only the prefix of a prefixed instruction is replaced; the suffix stays in
 * place.  A CPU could execute the suffix as an instruction only by continuing
 * directly after the trap, but a hit continues after the suffix.  A fetch of
 * both words at once returns either the old prefix or the new word before the
 * suffix, and both are correct.
 *
 * patch_uint() writes by another mapping, and then executes DCBST, SYNC, ICBI
 * of the address that is executed, SYNC, ISYNC.  ICBI is broadcast, so after it
 * no instruction cache has the old word.  Other CPUs may still have prefetched
 * it.  A CPU discards that at its next context synchronizing operation.  Each
 * gets an IPI for that: the interrupt itself, the return from it, and the ISYNC
 * in sync_this_cpu() are such operations.  The ISYNC is needed because a CPU
 * may find the call in its queue at the end of an earlier interrupt.
 *
 * A branch is no such operation.  So all CPUs also get an IPI before the first
 * branch of a batch is written.  They discard instructions that they may have
 * fetched speculatively from the memory that now has the detours.
 *
 * The same IPI ensures that handlers have ended.  They run with interrupts
 * soft-masked: an IPI that arrives then is noted in the PACA and handled when
 * they are unmasked; on 32 bit MSR[EE] delays it.  So after the IPI was
 * handled, the hit that the CPU was in is over, and the next one sees the new
 * text.  NMIs do not break this: a hit in an NMI interrupts code that has not
 * handled the IPI yet, and the NMI ends before that code continues.
 *
 * A slot or detour stays while a CPU executes it or a task is preempted there:
 * the core frees it after a grace period of RCU-tasks.  The CPU continues after
 * the probed instruction, by a branch or a trap, whatever the probed word is by
 * then.  If it is in a detour and has not masked interrupts yet, it will call
 * the handlers of the probes that are enabled then.
 */
#include <linux/bug.h>
#include <linux/kprobes_hit.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <asm/barrier.h>
#include <asm/probes.h>
#include "kprobes-common.h"

static u32 text_in_state(const struct kprobe_site *site,
			 enum kprobe_site_state state)
{
	switch (state) {
	case KPROBE_SITE_TRAP:
		return BREAKPOINT_INSTRUCTION;
	case KPROBE_SITE_JUMP:
		return ppc_kprobe_jump(site);
	default:
		return site->opcode;
	}
}

static void write_text(struct kprobe_site *site)
{
	u32 old = text_in_state(site, site->state);
	u32 new = text_in_state(site, site->target);

	perf_event_text_poke(site->addr, &old, sizeof(old), &new, sizeof(new));
	WARN_ON_ONCE(patch_uint(site->addr, new));
}

/* See the head of this file. */
static void sync_this_cpu(void *unused)
{
	isync();
}
NOKPROBE_SYMBOL(sync_this_cpu);

void arch_kprobe_patch(struct list_head *batch)
{
	struct kprobe_site *site;

	lockdep_assert_held(&text_mutex);

	/* Sync before new detours can be reached: see the head of this file. */
	if (kprobe_batch_makes_jumps(batch))
		on_each_cpu(sync_this_cpu, NULL, true);
	/* Sites are in the table before their traps: see hit_no_site(). */
	smp_wmb();
	list_for_each_entry(site, batch, batch)
		write_text(site);
	on_each_cpu(sync_this_cpu, NULL, true);
}
