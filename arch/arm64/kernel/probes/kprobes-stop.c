// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write instructions on arm64 while all other CPUs execute only the loops in
 * this file.
 *
 * Stopping the CPUs
 * -----------------
 *
 * This CPU sends an IPI to all others, which wait in it with interrupts off.
 * When all of them wait, this CPU writes and releases them:
 *
 *	this CPU			each other CPU
 *
 *	hold.over = false
 *	interrupts off
 *	IPI to each ----------------->	interrupts off
 *	hold.held == others? <---------	hold.held++
 *	write
 *	hold.over = true ------------->	hold.over? isb
 *	interrupts on
 *	hold.left == others? <---------	hold.left++
 *
 * A held CPU may have been interrupted while it held a spinlock, and another
 * CPU may spin for that lock with interrupts off, so that it never takes the
 * IPI.  So this CPU waits for HOLD_NS at most.  Then it releases the others
 * without having written anything, and calls stop_machine(), which schedules a
 * task on each CPU.  A CPU that runs this task holds no spinlock.
 *
 * After the first IPI this CPU takes no interrupts.  A softirq might spin for a
 * lock whose owner is held, and the IPI of a panic or reboot would keep this
 * CPU from releasing the others.
 *
 * This CPU must not wait while it sends IPIs, either.  smp_call_function()
 * would wait for an earlier call by another user.  So this file has its own
 * call_single_data_t for each CPU, which is free again before the CPU is
 * counted in hold.left.
 *
 * If this CPU gives up, another CPU may take the IPI after the others have been
 * released.  That CPU must still find hold.over set, so all CPUs must leave
 * this hold before the next one begins.
 *
 * Functions that send and take the IPI may be probed and traced.  No CPU
 * executes them during the write: this CPU has sent all IPIs before, and others
 * execute them only before hold.held counts them or after hold.over is set.
 * But handlers of these probes may run while other CPUs are held.  If a handler
 * takes a lock, all users must take it with interrupts off, so its owner takes
 * the IPI only after it has released the lock.  A handler can thus delay a hold
 * until this CPU gives up, but never waits for a held CPU.  HOLD_NS is measured
 * by sched_clock_noinstr(), which cannot be probed.
 *
 * stop_machine() costs several times as much: two context switches on each CPU.
 *
 * Writing
 * -------
 *
 * The pages of a batch are mapped a second time, writable, before the CPUs are
 * stopped.  Mapping one page after the other while all CPUs wait would require
 * a TLB flush for each, and the mapping functions may be probed.  So while the
 * CPUs are stopped, each instruction needs only a store and maintenance of its
 * cache line, with one barrier after all stores and one after all
 * invalidations.
 *
 * If several pages cannot be mapped for lack of memory, aarch64_insn_write()
 * maps and writes one instruction at a time.  The functions that it calls may
 * be probed or traced, and a handler or tracer may need a lock whose owner is
 * held in the IPI.  So stop_machine() is used at once in this case.
 *
 * NMIs
 * ----
 *
 * While this CPU writes, all others wait in functions that are never probed,
 * with interrupts off.  But this does not mask pseudo-NMIs, nor events that
 * firmware delivers (SDEI).  Their handlers may execute the text while it is
 * patched, as with aarch64_insn_patch_text():
 *
 * - The word is written by one aligned store, so all known implementations
 *   execute either the old or the new instruction.  The architecture guarantees
 *   that only for the instructions listed in kprobes-patch.c, so do not probe
 *   handlers of pseudo-NMIs.
 * - If an NMI handler hits a breakpoint, it finds the site in the table, as
 *   when no CPU is stopped.  The hit takes no lock, so it waits neither for the
 *   CPU that writes nor for a stopped one.
 * - Code that runs in an SDEI event must not be probed at all, by any mechanism
 *   of the kernel.  The event may have interrupted the entry code of an
 *   exception before that code has read ELR_EL1, which a breakpoint overwrites.
 * - This CPU continues only after all others have left their loops, and a CPU
 *   leaves its loop only after an NMI that interrupted the loop has returned.
 *   An NMI that begins after the write starts with an exception, after which
 *   its CPU does not see the old text.  So when the call returns, no handler of
 *   a removed probe is running, not even in an NMI.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_hit.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/time64.h>
#include <linux/vmalloc.h>
#include <asm/alternative.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/fixmap.h>
#include <asm/tlbflush.h>
#include "kprobes-common.h"

/* Maximum number of instructions per stop. */
#define STOP_BATCH	256

/*
 * Instructions to be written while the CPUs are stopped.  @pages are the pages
 * that contain @insns, and @mapped is their second mapping; NULL if there is
 * none.  @arrived counts the CPUs in stop_and_write(), which wait for @written.
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

/* Protected by text_mutex. */
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

/* Clean to the point of unification, as dcache_by_line_op does. */
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

/* No instruction crosses a cache line: maintain one line for each. */
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

/*
 * How long to wait for other CPUs before they are released, in nanoseconds.  A
 * CPU in a deep idle state may need longer, but the IPI has woken it up by the
 * time stop_machine() is called.
 */
#define HOLD_NS		(50 * NSEC_PER_USEC)

/*
 * Other CPUs that wait in an IPI: @held have arrived and @left have left.  They
 * leave when @over is set.
 */
struct hold {
	atomic_t held;
	atomic_t left;
	bool over;
};

/* Protected by text_mutex. */
static struct hold hold = { .over = true };

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
unsigned int a64_kprobe_holds_given_up;

/** a64_kprobe_holds - check if other CPUs are held */
bool a64_kprobe_holds(void)
{
	return !READ_ONCE(hold.over);
}
NOKPROBE_SYMBOL(a64_kprobe_holds);

static void count_given_up(void)
{
	WRITE_ONCE(a64_kprobe_holds_given_up, a64_kprobe_holds_given_up + 1);
}
#else
static void count_given_up(void) { }
#endif

static void wait_in_hold(void *unused)
{
	atomic_inc(&hold.held);
	/* Pairs with smp_store_release() in hold_and_write(). */
	while (!smp_load_acquire(&hold.over))
		cpu_relax();
	isb();
	atomic_inc(&hold.left);
}
NOKPROBE_SYMBOL(wait_in_hold);

/* Protected by text_mutex; queued only during a hold. */
static DEFINE_PER_CPU(call_single_data_t, hold_call) =
	CSD_INIT(wait_in_hold, NULL);

/*
 * Send an IPI to all other online CPUs and return their number.  Interrupts are
 * off, and CPU hotplug is excluded.
 */
static int call_others(void)
{
	unsigned int cpu, this_cpu = smp_processor_id();
	int others = 0;

	for_each_online_cpu(cpu)
		if (cpu != this_cpu &&
		    !smp_call_function_single_async(cpu,
						    &per_cpu(hold_call, cpu)))
			others++;
	return others;
}
NOKPROBE_SYMBOL(call_others);

/* Wait until all others are held.  Return false after HOLD_NS. */
static bool others_held(int others)
{
	u64 begin = sched_clock_noinstr();

	while (atomic_read(&hold.held) != others) {
		if (sched_clock_noinstr() - begin > HOLD_NS)
			return false;
		cpu_relax();
	}
	return true;
}
NOKPROBE_SYMBOL(others_held);

/*
 * Hold all other CPUs by an IPI and write.  Return false, without having
 * written, if a CPU has not taken the IPI in time.
 */
static bool hold_and_write(void)
{
	bool held;
	int others;

	atomic_set(&hold.held, 0);
	atomic_set(&hold.left, 0);
	hold.over = false;

	scoped_guard(irqsave) {
		/* The IPI orders the stores above before the others' loads. */
		others = call_others();
		held = others_held(others);
		if (held)
			write_batch(&stop);
		/* Pairs with smp_load_acquire() in wait_in_hold(). */
		smp_store_release(&hold.over, true);
	}
	while (atomic_read(&hold.left) != others)
		cpu_relax();
	return held;
}
NOKPROBE_SYMBOL(hold_and_write);

/* The last CPU to arrive writes, while all others wait here. */
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

static void write_stopped(void)
{
	/* Without a mapping, writing calls functions that may be probed. */
	if (stop.mapped && hold_and_write())
		return;
	count_given_up();
	atomic_set(&stop.arrived, 0);
	stop.written = false;
	stop_machine_cpuslocked(stop_and_write, NULL, cpu_online_mask);
}

/* A single page, the usual case, uses a fixmap: cheaper than vmap(). */
static void *map_pages(void)
{
	if (stop.nr_pages > 1)
		return vmap(stop.pages, stop.nr_pages, VM_MAP, PAGE_KERNEL);
	return (void *)set_fixmap_offset(FIX_KPROBES,
					 page_to_phys(stop.pages[0]));
}

/* Text should not be writable longer than necessary. */
static void unmap_pages(void)
{
	unsigned long addr = (unsigned long)stop.mapped;

	if (!addr)
		return;
	if (stop.nr_pages == 1) {
		clear_fixmap(FIX_KPROBES);
		return;
	}
	vunmap(stop.mapped);
	flush_tlb_kernel_range(addr, addr + stop.nr_pages * PAGE_SIZE);
}

/**
 * a64_kprobe_stop_flush - write the instructions that were queued
 *
 * On return, unless nothing was queued, every other CPU has taken an IPI or
 * scheduled since the call, and executes the new text.
 *
 * Context: may sleep; text_mutex and cpus_read_lock() held.
 */
void a64_kprobe_stop_flush(void)
{
	if (!stop.nr)
		return;

	stop.mapped = map_pages();
	write_stopped();
	unmap_pages();
	stop.nr = 0;
	stop.nr_pages = 0;
}

/**
 * a64_kprobe_stop_add - queue an instruction to write while CPUs are stopped
 * @addr: its address in the text of the kernel or a module
 * @new: the new instruction
 *
 * The instruction is written by the next a64_kprobe_stop_flush() at the latest.
 *
 * Context: as for a64_kprobe_stop_flush().
 */
void a64_kprobe_stop_add(void *addr, u32 new)
{
	struct page *page = core_kernel_text((unsigned long)addr) ?
			    phys_to_page(__pa_symbol(addr)) :
			    vmalloc_to_page(addr);
	unsigned int i;

	lockdep_assert_held(&text_mutex);

	/* The previous site is often on the same page: search backwards. */
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
	if (stop.nr == STOP_BATCH)
		a64_kprobe_stop_flush();
}
