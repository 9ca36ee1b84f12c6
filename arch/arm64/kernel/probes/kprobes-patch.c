// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write breakpoints and branches to the text of arm64, and remove them.
 *
 * The architecture lists the instructions that may be replaced by each other
 * while other CPUs execute them: B, BL, BRK, NOP, ISB, SVC, HVC and SMC.  A CPU
 * then executes either the old or the new one; afterwards every CPU must take
 * an exception, which discards instructions that it has fetched earlier.  So
 * other CPUs need not be stopped when breakpoints and jumps replace each other,
 * or an original instruction in this list.
 *
 * For all other instructions, the architecture guarantees nothing to a CPU that
 * executes the word meanwhile.  To replace these, all CPUs are stopped, once
 * for each STOP_BATCH instructions of a batch: see kprobes-stop.c.
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
#include "kprobes-common.h"

/* Return true if CPUs may execute @insn while a breakpoint replaces it. */
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
 * A CPU may handle this call in an exception that it took before the text was
 * written.  The entry of that exception is not enough, so synchronize here.
 */
static void sync_this_cpu(void *unused)
{
	isb();
}
NOKPROBE_SYMBOL(sync_this_cpu);

/**
 * a64_kprobe_sync_cpus - make all CPUs discard instructions fetched earlier
 *
 * On return each other CPU has handled an interrupt since the call, and every
 * CPU has synchronized its context.
 *
 * Context: may sleep.
 */
void a64_kprobe_sync_cpus(void)
{
	on_each_cpu(sync_this_cpu, NULL, true);
}

void arch_kprobe_patch(struct list_head *batch)
{
	struct kprobe_site *site;
	bool live = false;

	lockdep_assert_held(&text_mutex);

	/* Sync before new detours can be reached: see 2. in kprobes-emit.c. */
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
		} else {
			a64_kprobe_stop_add(site->addr, new);
		}
	}

	/*
	 * The core relies on these calls: in each of them, every other CPU
	 * takes an interrupt or schedules, so it has left its handlers.
	 */
	a64_kprobe_stop_flush();
	if (live)
		a64_kprobe_sync_cpus();
}
