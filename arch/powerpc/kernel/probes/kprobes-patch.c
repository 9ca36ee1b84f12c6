// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How traps and branches come into the text on powerpc, and out of it.
 *
 * One word is written: an instruction, or the prefix of one.  It is aligned, so
 * a CPU that fetches it meanwhile gets the old word or the new one.  Each of
 * them may be executed then: the original instruction has been until now; a
 * trap finds its site, which is in the table before the trap is written and
 * leaves the table after the trap has been removed; and a branch leads to a
 * detour, which is complete before, and stays as long as the site does.
 *
 * Power ISA, book II, "Concurrent Modification and Execution of Instructions",
 * guarantees this only where the old and the new word are both of the patch
 * class, the preferred no-op and I-form branches, which ftrace and jump labels
 * use.  The result of any other change is boundedly undefined until the CPU
 * has synchronized, so the architecture covers no change to or from a trap.
 * These changes rely on the implementation of CPUs: the fetch of an aligned
 * word returns one of the values that memory has had, and only that word is
 * decoded.  Uprobes, kgdb and xmon rely on the same for their traps.  Without
 * it, all CPUs would have to be stopped for each change.
 *
 *	site in the table | trap in memory | caches | IPI	  state
 *	------------------+----------------+--------+-------------------
 *	yes		  | being written  | old    |		  CLEAN
 *	yes		  | yes		   | new    | being sent  either
 *	yes		  | yes		   | new    | handled	  TRAP
 *
 * Of a prefixed instruction only the prefix is replaced.  The suffix stands
 * where it has stood.  A CPU takes the suffix for an instruction of its own
 * only if it goes on behind the trap, which the hit does not do: it goes on
 * behind the suffix.  A fetch of both words at once has the old prefix or the
 * new word in front of the suffix, and either is right.
 *
 * patch_uint() writes by another mapping, and then executes DCBST, SYNC, ICBI
 * of the address that is executed, SYNC, ISYNC.  ICBI is broadcast, so after it
 * no instruction cache has the old word.  What is left is what other CPUs have
 * fetched ahead.  A CPU drops that at its next context synchronizing operation.
 * Each gets an IPI for that: the interrupt itself, the return from it, and the
 * ISYNC in sync_this_cpu() are such operations.  The latter is needed because a
 * CPU may find the call in its queue on the way out of an interrupt that it had
 * taken before.
 *
 * A branch is no such operation.  So before the first branch of a batch is
 * written all CPUs get an IPI as well: they drop what they have fetched, on a
 * wrong guess maybe, from where the detours are now.
 *
 * The same IPI proves that handlers have come to their end.  They run with
 * interrupts soft-masked; an IPI that arrives then is noted in the PACA and
 * handled when they are unmasked; on 32 bit MSR[EE] keeps it away until then.
 * So when it has been handled, the hit that the CPU was in is over, and the
 * next one sees the new text.  NMIs are not IPIs of this kind: a hit in an NMI
 * is on top of code that has not handled the IPI yet, and the NMI ends before
 * that code goes on.
 *
 * A CPU in a slot or a detour, or preempted there, is at an instruction that
 * stays: slots are freed behind a grace period of RCU-tasks, by the core.  It
 * gets back to behind the probed instruction, by a branch or a trap, whatever
 * stands at the probed one by then.  One in a detour that has not masked its
 * interrupts yet calls handlers later, of those probes that are there then.
 */
#include <linux/bug.h>
#include <linux/kprobes_hit.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <asm/barrier.h>
#include <asm/code-patching.h>
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

	/* Detours are reached from here on. */
	if (kprobe_batch_makes_jumps(batch))
		on_each_cpu(sync_this_cpu, NULL, true);
	/* Sites are in the table before their traps: see hit_no_site(). */
	smp_wmb();
	list_for_each_entry(site, batch, batch)
		write_text(site);
	on_each_cpu(sync_this_cpu, NULL, true);
}
