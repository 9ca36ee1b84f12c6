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
 * then.  Where such ones are concerned the machine is stopped: once for all of
 * a batch, or so many at a time that interrupts are not off for too long.
 *
 * While the machine is stopped
 * ----------------------------
 *
 * The pages with the instructions of a batch are mapped a second time before,
 * to be written there, and not one by one while all CPUs wait: each such
 * mapping has to be forgotten by all TLBs.  What is left is a store for each
 * instruction, cleaning and invalidating its cache line, and one barrier behind
 * all of either.  A single instruction is written as the kernel writes one: to
 * map its page before would cost more than it spares.
 *
 * All CPUs wait in stop_and_write(), which is never probed, with interrupts
 * off.  What stops is not everything: pseudo-NMIs are not masked meanwhile, and
 * neither are events that the firmware delivers (SDEI).  What runs in one of
 * them executes the text while it is patched, as with
 * aarch64_insn_patch_text():
 *
 * - The word is written by one aligned store, so on CPUs as they are built such
 *   a CPU executes what was there or what comes there.  The architecture does
 *   not promise it but for the instructions above.  The text of NMI handlers is
 *   best probed where these are not in use.
 * - A breakpoint that it hits has its site in the table already, or still, as
 *   for CPUs that are not stopped; and it takes no lock, so that it does not
 *   matter which task has stopped the machine.
 * - A hit that came before the patch is over when the machine goes on: the CPU
 *   has to answer from the loop that the NMI came to.  One that comes after the
 *   patch has taken an exception, and does not see what was there before.  So
 *   no handler of a removed probe is running in the end, NMIs included.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes_hit.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/vmalloc.h>
#include <asm/alternative.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/patching.h>
#include <asm/tlbflush.h>
#include "kprobes-common.h"

/* How many at a time while the machine is stopped. */
#define STOP_BATCH	256

/**
 * struct stop_batch - what is written while the machine is stopped
 * @nr: how many instructions
 * @nr_pages: how many pages they are in
 * @arrived: CPUs that are in stop_and_write()
 * @written: all has been written
 * @pages: those pages
 * @mapped: a second mapping of them, or NULL for a single instruction or for
 *	want of memory
 * @insns: the instructions; @page is an index of @pages
 */
struct stop_batch {
	unsigned int nr;
	unsigned int nr_pages;
	atomic_t arrived;
	bool written;
	struct page *pages[STOP_BATCH];
	void *mapped;
	struct {
		void *addr;
		u32 new;
		unsigned int page;
	} insns[STOP_BATCH];
};

/* Under text_mutex. */
static struct stop_batch stop;

static __always_inline void write_insn(const struct stop_batch *b,
				       unsigned int i)
{
	void *addr = b->insns[i].addr;
	__le32 *alias;

	if (unlikely(!b->mapped)) {
		WARN_ON_ONCE(aarch64_insn_write(addr, b->insns[i].new));
		return;
	}
	alias = b->mapped + b->insns[i].page * PAGE_SIZE + offset_in_page(addr);
	WRITE_ONCE(*alias, cpu_to_le32(b->insns[i].new));
}

/* To where instructions are fetched from; as dcache_by_line_op does. */
static __always_inline void clean_line(const void *addr)
{
	asm volatile(ALTERNATIVE("dc cvau, %0", "dc civac, %0",
				 ARM64_WORKAROUND_CLEAN_CACHE)
		     : : "r" (addr) : "memory");
}

static __always_inline void forget_line(const void *addr)
{
	asm volatile("ic ivau, %0" : : "r" (addr) : "memory");
}

/* An instruction never crosses a cache line. */
static __always_inline void write_batch(const struct stop_batch *b)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		write_insn(b, i);
	if (!alternative_has_cap_unlikely(ARM64_HAS_CACHE_IDC))
		for (i = 0; i < b->nr; i++)
			clean_line(b->insns[i].addr);
	dsb(ish);
	if (!alternative_has_cap_unlikely(ARM64_HAS_CACHE_DIC))
		for (i = 0; i < b->nr; i++)
			forget_line(b->insns[i].addr);
	dsb(ish);
	isb();
}

/* The last CPU writes, when no other is anywhere but here. */
static int stop_and_write(void *unused)
{
	if (atomic_inc_return(&stop.arrived) == num_online_cpus()) {
		write_batch(&stop);
		/* Pairs with smp_load_acquire() below. */
		smp_store_release(&stop.written, true);
	} else {
		/* Pairs with smp_store_release() above. */
		while (!smp_load_acquire(&stop.written))
			cpu_relax();
		isb();
	}
	return 0;
}
NOKPROBE_SYMBOL(stop_and_write);

static void stop_add(void *addr, u32 new)
{
	struct page *page = core_kernel_text((unsigned long)addr) ?
			    phys_to_page(__pa_symbol(addr)) :
			    vmalloc_to_page(addr);
	unsigned int i;

	/* Neighbours come one after the other. */
	for (i = stop.nr_pages; i; i--)
		if (stop.pages[i - 1] == page)
			break;
	if (!i) {
		stop.pages[stop.nr_pages++] = page;
		i = stop.nr_pages;
	}
	stop.insns[stop.nr].addr = addr;
	stop.insns[stop.nr].new = new;
	stop.insns[stop.nr].page = i - 1;
	stop.nr++;
}

static void stop_flush(void)
{
	unsigned long mapped;

	if (!stop.nr)
		return;

	stop.mapped = NULL;
	if (stop.nr > 1)
		stop.mapped = vmap(stop.pages, stop.nr_pages, VM_MAP,
				   PAGE_KERNEL);
	atomic_set(&stop.arrived, 0);
	stop.written = false;
	stop_machine_cpuslocked(stop_and_write, NULL, cpu_online_mask);

	/* Text is to be writable no longer than it has to. */
	if (stop.mapped) {
		mapped = (unsigned long)stop.mapped;
		vunmap(stop.mapped);
		flush_tlb_kernel_range(mapped,
				       mapped + stop.nr_pages * PAGE_SIZE);
	}
	stop.nr = 0;
	stop.nr_pages = 0;
}

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

	/* Detours are reached from here on: see kprobes-slot.c. */
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
		stop_add(site->addr, new);
		stopped = true;
		if (stop.nr == STOP_BATCH)
			stop_flush();
	}

	/*
	 * Either way every CPU takes an exception with interrupts on, and is
	 * in no handler then: what kernel/kprobes.c relies on.
	 */
	stop_flush();
	if (live || !stopped)
		a64_kprobe_sync_cpus();
}
