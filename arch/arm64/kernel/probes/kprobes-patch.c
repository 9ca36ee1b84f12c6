// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How breakpoints and branches come into the text on arm64, and out of it.
 *
 * The architecture names the instructions that may be replaced by each other
 * while other CPUs execute them: B, BL, BRK, NOP, ISB, SVC, HVC and SMC.  A
 * CPU then executes either, and all that is left to do is to have every CPU
 * take an exception, after which it has forgotten what it had fetched before.
 * So breakpoints and jumps replace each other, and many an original
 * instruction, without stopping anything.
 *
 * Of any other instruction nothing is promised to a CPU that executes it just
 * then.  Where such ones are concerned all CPUs are stopped: once for all of
 * a batch, or so many at a time that interrupts are not off for too long.  See
 * kprobes-stop.c.
 */
#include <linux/kernel.h>
#include <linux/kprobes_hit.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <asm/barrier.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/patching.h>
#include "kprobes-common.h"

/* May a CPU execute either of this and a breakpoint while it is replaced? */
static bool replaced_live(u32 insn)
{
	return aarch64_insn_is_b(insn) || aarch64_insn_is_bl(insn) ||
	       aarch64_insn_is_isb(insn) || aarch64_insn_is_brk(insn) ||
	       insn == aarch64_insn_gen_nop();
}

static u32 text_in_state(const struct kprobe_site *site,
			 enum kprobe_site_state state)
{
	switch (state) {
	case KPROBE_SITE_TRAP:
		return BRK64_OPCODE_KPROBES;
	case KPROBE_SITE_JUMP:
		return a64_kprobe_jump(site);
	default:
		return site->opcode;
	}
}

static void perf_tell(const struct kprobe_site *site)
{
	__le32 old = cpu_to_le32(text_in_state(site, site->state));
	__le32 new = cpu_to_le32(text_in_state(site, site->target));

	perf_event_text_poke(site->addr, &old, sizeof(old), &new, sizeof(new));
}

/*
 * A CPU may find the call in its queue on the way out of an exception that it
 * has taken before: that exception proves nothing, and so it synchronizes here.
 */
static void sync_this_cpu(void *unused)
{
	isb();
}
NOKPROBE_SYMBOL(sync_this_cpu);

/**
 * a64_kprobe_sync_cpus - have all CPUs forget what they have fetched before
 *
 * On return each has handled an interrupt, and synchronized its context, since
 * the call.
 *
 * Context: may sleep.
 */
void a64_kprobe_sync_cpus(void)
{
	on_each_cpu(sync_this_cpu, NULL, true);
}

void arch_kprobe_patch(struct list_head *batch)
{
	bool live = false, stopped = false;
	struct kprobe_site *site;

	lockdep_assert_held(&text_mutex);

	/* Detours are reached from here on: see kprobes-emit.c. */
	if (kprobe_batch_makes_jumps(batch))
		a64_kprobe_sync_cpus();

	list_for_each_entry(site, batch, batch) {
		u32 new = text_in_state(site, site->target);

		perf_tell(site);
		if (replaced_live(site->opcode) ||
		    (site->state != KPROBE_SITE_CLEAN &&
		     site->target != KPROBE_SITE_CLEAN)) {
			WARN_ON_ONCE(aarch64_insn_patch_text_nosync(site->addr,
								    new));
			live = true;
			continue;
		}
		a64_kprobe_stop_add(site->addr, new);
		stopped = true;
	}

	/*
	 * Either way every CPU takes an exception with interrupts on, and is
	 * in no handler then: what kernel/kprobes.c relies on.
	 */
	a64_kprobe_stop_flush();
	if (live || !stopped)
		a64_kprobe_sync_cpus();
}
