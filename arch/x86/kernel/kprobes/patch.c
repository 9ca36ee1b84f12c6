// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How breakpoints and jumps come into the text on x86, and out of it.
 */
#include <linux/kprobes_backend.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <asm/text-patching.h>
#include "common.h"

/* Jumps are several bytes: text_poke_bp() knows how to write those. */
static void patch_jumps(struct list_head *batch)
{
	struct kprobe_site *site;
	bool patched = false;

	list_for_each_entry(site, batch, batch) {
		if (site->state != KPROBE_SITE_JUMP &&
		    site->target != KPROBE_SITE_JUMP)
			continue;
		x86_kprobe_queue_jump(site);
		patched = true;
	}
	/* This sends an IPI to every CPU, too: see patch_traps(). */
	if (patched)
		text_poke_finish();
}

/* Is this site's text to change, with a trap in it before or afterwards? */
static bool changes_trap(const struct kprobe_site *site)
{
	return site->state != KPROBE_SITE_JUMP &&
	       site->target != KPROBE_SITE_JUMP;
}

/*
 * A decoder of instruction traces has the trap in the text from the record of
 * its arming to that of its removal.  Every CPU must find it there meanwhile.
 */
static void record_trap(struct kprobe_site *site, bool arm)
{
	const u8 trap = INT3_INSN_OPCODE;
	const u8 *old = arm ? &site->opcode : &trap;
	const u8 *new = arm ? &trap : &site->opcode;

	perf_event_text_poke(site->addr, old, INT3_INSN_SIZE, new,
			     INT3_INSN_SIZE);
}

/*
 * A trap is one byte, so it is written and removed in one store, and which
 * of the two a CPU sees does not matter until all have been told.
 */
static void patch_traps(struct list_head *batch)
{
	const u8 trap = INT3_INSN_OPCODE;
	struct kprobe_site *site;
	bool patched = false;

	list_for_each_entry(site, batch, batch) {
		bool arm = site->target == KPROBE_SITE_TRAP;

		if (!changes_trap(site))
			continue;
		if (!arm)
			record_trap(site, false);
		text_poke(site->addr, arm ? &trap : &site->opcode,
			  INT3_INSN_SIZE);
		patched = true;
	}
	if (!patched)
		return;
	/* An IPI to every CPU: what kernel/kprobes.c relies on. */
	text_poke_sync();
	list_for_each_entry(site, batch, batch)
		if (changes_trap(site) && site->target == KPROBE_SITE_TRAP)
			record_trap(site, true);
}

static int by_address(void *unused, const struct list_head *a,
		      const struct list_head *b)
{
	return list_entry(a, struct kprobe_site, batch)->addr >
	       list_entry(b, struct kprobe_site, batch)->addr;
}

void arch_kprobe_patch(struct list_head *batch)
{
	lockdep_assert_held(&text_mutex);

	/* text_poke_queue() begins a new batch where the order is broken. */
	list_sort(NULL, batch, by_address);
	/* First, since a trap may be meant for what a jump still covers. */
	patch_jumps(batch);
	patch_traps(batch);
}
