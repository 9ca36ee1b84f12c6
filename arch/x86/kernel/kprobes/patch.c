// SPDX-License-Identifier: GPL-2.0-or-later
/* Write breakpoints and jumps to the text of x86, and remove them. */
#include <linux/kprobes_backend.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <asm/text-patching.h>
#include "common.h"

/* Return true if a trap must be written or removed, and no jump. */
static bool patch_changes_trap(const struct kprobe_site *site)
{
	return site->state != KPROBE_SITE_JUMP &&
	       site->target != KPROBE_SITE_JUMP;
}

/* A jump is several bytes: write and remove it with a breakpoint in place. */
static void patch_jumps(struct list_head *batch)
{
	struct kprobe_site *site;

	list_for_each_entry(site, batch, batch)
		if (!patch_changes_trap(site))
			x86_kprobe_queue_jump(site);
	/* If any, this also sends an IPI to every CPU: see patch_traps(). */
	smp_text_poke_batch_finish();
}

/*
 * Decoders of instruction traces assume that the trap is in the text from the
 * record of its arming to the record of its removal.  So arming is recorded
 * after the write, and removal before the write.
 */
static void patch_record_trap(struct kprobe_site *site, bool arm)
{
	const u8 trap = INT3_INSN_OPCODE;
	const u8 *old = arm ? &site->insn.first : &trap;
	const u8 *new = arm ? &trap : &site->insn.first;

	perf_event_text_poke((void *)kprobe_site_text(site), old,
			     INT3_INSN_SIZE, new, INT3_INSN_SIZE);
}

/*
 * A trap is one byte and is written or removed by one store.  CPUs may see
 * either byte until the IPI.
 */
static void patch_traps(struct list_head *batch)
{
	const u8 trap = INT3_INSN_OPCODE;
	struct kprobe_site *site;
	bool patched = false;

	list_for_each_entry(site, batch, batch) {
		bool arm = site->target == KPROBE_SITE_TRAP;

		if (!patch_changes_trap(site))
			continue;
		if (!arm)
			patch_record_trap(site, false);
		text_poke((void *)kprobe_site_text(site),
			  arm ? &trap : &site->insn.first, INT3_INSN_SIZE);
		patched = true;
	}
	if (!patched)
		return;
	/* kernel/kprobes/ relies on this IPI to every CPU. */
	smp_text_poke_sync_each_cpu();
	list_for_each_entry(site, batch, batch)
		if (patch_changes_trap(site) &&
		    site->target == KPROBE_SITE_TRAP)
			patch_record_trap(site, true);
}

static int patch_by_address(void *unused, const struct list_head *a,
			    const struct list_head *b)
{
	return kprobe_site_text(list_entry(a, struct kprobe_site, batch)) >
	       kprobe_site_text(list_entry(b, struct kprobe_site, batch));
}

void arch_kprobe_patch(struct list_head *batch)
{
	lockdep_assert_held(&text_mutex);

	/* smp_text_poke_batch_add() flushes its queue if addresses decrease. */
	list_sort(NULL, batch, patch_by_address);
	/* Jumps first: a trap of this batch may be under an old jump. */
	patch_jumps(batch);
	patch_traps(batch);
}
