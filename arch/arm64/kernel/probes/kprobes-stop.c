// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes instructions on arm64 while no other CPU executes anything but the
 * loops in this file.
 *
 * Stopping the CPUs
 * -----------------
 *
 * Each other CPU is sent an IPI, and waits in it with interrupts off.  When all
 * of them do, this one writes, and lets them go:
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
 * One of the CPUs that wait may have been interrupted while it held a spinlock,
 * and another may spin for that lock with interrupts off: then the IPI is never
 * taken there.  So this CPU waits for HOLD_NS only.  After that it lets the
 * others go without having written anything, and calls stop_machine(), which
 * has a task scheduled on each CPU.  Where such a task runs, no spinlock is
 * held.
 *
 * This CPU takes no interrupt from the first IPI on: a softirq behind it might
 * spin for a lock of a task that waits on another CPU, and an IPI that stops
 * the machine would keep this one from letting the others go.  And it waits for
 * nobody while it sends.  smp_call_function() does, where the last call of
 * another user is not over; but here each CPU has a call_single_data_t of ours,
 * and it is free again before hold.left counts the CPU.
 *
 * A CPU may take the IPI when the others have gone on already, and it reads
 * hold.over then.  So the next hold begins when all have left the last one.
 *
 * Functions that send and take the IPI may be probed and traced.  They run
 * before the CPU is counted in hold.held, so nothing is written meanwhile, but
 * their handlers may find other CPUs held.  Any lock that a handler takes must
 * be taken with interrupts off everywhere, so a CPU that has such a lock takes
 * the IPI after it has released the lock.  A handler thus delays the hold,
 * which may be given up then, but never waits for a CPU that is held.  HOLD_NS
 * is measured by sched_clock_noinstr(), which cannot be probed.
 *
 * stop_machine() costs several times as much: two context switches on each CPU.
 *
 * Writing
 * -------
 *
 * The pages with the instructions of a batch are mapped a second time before,
 * to be written there, and not one by one while all CPUs wait: each such
 * mapping has to be forgotten by all TLBs, and what makes it may be probed.
 * What is left is a store for each instruction, cleaning and invalidating its
 * cache line, and one barrier behind all of either.
 *
 * Without memory for the mapping of several pages, instructions are written as
 * the kernel writes one.  A handler or tracer of what that calls may want a
 * lock that is held where a CPU has taken the IPI.  So the machine is stopped
 * for it.
 *
 * What goes on meanwhile
 * ----------------------
 *
 * While this CPU writes, all others wait in functions that are never probed,
 * with interrupts off.  But pseudo-NMIs are not masked meanwhile, and neither
 * are events that firmware delivers (SDEI).  What runs in one of them executes
 * the text while it is patched, as with aarch64_insn_patch_text():
 *
 * - The word is written by one aligned store, so on CPUs as they are built such
 *   a CPU executes what was there or what comes there.  The architecture does
 *   not promise it but for the instructions above.  The text of NMI handlers is
 *   best probed where these are not in use.
 * - A breakpoint that it hits has its site in the table already, or still, as
 *   for CPUs that are not stopped; and it takes no lock, so that it does not
 *   matter which task has stopped the CPUs.
 * - What an SDEI event executes is not to be probed at all, by any mechanism of
 *   the kernel: it may have interrupted the entry from an exception, before
 *   ELR_EL1 was read, and a breakpoint overwrites that.
 * - A hit that came before the patch is over when this CPU goes on, since the
 *   other one has to leave the loop that the NMI came to first.  One that comes
 *   after the patch has taken an exception, and does not see what was there
 *   before.  So no handler of a removed probe is running in the end, NMIs
 *   included.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/export.h>
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
#include <asm/patching.h>
#include <asm/tlbflush.h>
#include "kprobes-common.h"

/* How many at a time while the CPUs are stopped. */
#define STOP_BATCH	256

/**
 * struct stop_batch - what is written while the CPUs are stopped
 * @nr: how many instructions
 * @nr_pages: how many pages they are in
 * @arrived: CPUs that are in stop_and_write()
 * @written: all has been written
 * @pages: those pages
 * @mapped: a second mapping of them; NULL where several found no memory
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

/* How long other CPUs are held before they are let go; in nanoseconds. */
#define HOLD_NS		(50 * NSEC_PER_USEC)

/**
 * struct hold - other CPUs that wait in an IPI
 * @held: how many have come
 * @left: how many have gone on
 * @over: they are to
 */
struct hold {
	atomic_t held;
	atomic_t left;
	bool over;
};

/* Under text_mutex. */
static struct hold hold = { .over = true };

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
unsigned int a64_kprobe_holds_given_up;
EXPORT_SYMBOL_GPL(a64_kprobe_holds_given_up);

/** a64_kprobe_holds - are other CPUs held? */
bool a64_kprobe_holds(void)
{
	return !READ_ONCE(hold.over);
}
EXPORT_SYMBOL_GPL(a64_kprobe_holds);
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

/* Under text_mutex, and since the last hold is over, none of them is queued. */
static DEFINE_PER_CPU(call_single_data_t, hold_call) =
	CSD_INIT(wait_in_hold, NULL);

/*
 * Interrupts are off, and no CPU comes or goes.  Returns how many have been
 * sent an IPI.
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

/* Interrupts are off. */
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
 * All CPUs take an exception with interrupts on, this one excepted.
 *
 * Return: false if another CPU has not come, and nothing has been written.
 */
static bool hold_and_write(void)
{
	bool held;
	int others;

	atomic_set(&hold.held, 0);
	atomic_set(&hold.left, 0);
	hold.over = false;

	scoped_guard(irqsave) {
		/* What is above is seen there: it sends an IPI. */
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

static void write_stopped(void)
{
	/* Without a mapping, what writes calls code that may be probed. */
	if (stop.mapped && hold_and_write())
		return;
	count_given_up();
	atomic_set(&stop.arrived, 0);
	stop.written = false;
	stop_machine_cpuslocked(stop_and_write, NULL, cpu_online_mask);
}

/* One page, the usual case, has a fixmap: to find addresses costs more. */
static void *map_pages(void)
{
	if (stop.nr_pages > 1)
		return vmap(stop.pages, stop.nr_pages, VM_MAP, PAGE_KERNEL);
	return (void *)set_fixmap_offset(FIX_KPROBES,
					 page_to_phys(stop.pages[0]));
}

/* Text is to be writable no longer than it has to. */
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
 * a64_kprobe_stop_flush - write what a64_kprobe_stop_add() has collected
 *
 * On return every other CPU has taken an exception since the call, unless there
 * was nothing to write.
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
 * a64_kprobe_stop_add - an instruction is to be written while CPUs are stopped
 * @addr: where; in the kernel's text or a module's
 * @new: what comes there
 *
 * It is written in a64_kprobe_stop_flush() at the latest.
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
	if (stop.nr == STOP_BATCH)
		a64_kprobe_stop_flush();
}
