// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ranges of text that must not be probed.
 *
 * All ranges are in one array, sorted by their start.  They may overlap, as a
 * function does with its section.  Each entry also stores the highest end of
 * the ranges up to it, so that one binary search finds out whether an address
 * is covered:
 *
 *	start	end	reach
 *	 100	200	200
 *	 110	120	200	<- 150: the last that starts before it,
 *	 300	310	310	   and 150 < reach
 *
 * Readers may run in any context (a debugger reads with all other CPUs
 * stopped), so the array is replaced as a whole and read under RCU.  This makes
 * adding linear, so the entries of a module are added all at once.
 */
#include <linux/bsearch.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <asm/sections.h>
#include "internal.h"

struct range_table {
	struct rcu_head rcu;
	size_t nr;
	struct {
		struct kprobe_blacklist_range range;
		unsigned long reach;
	} at[];
};

/* Must not be taken under kprobe_mutex; held across allocations. */
static DEFINE_MUTEX(blacklist_mutex);
static struct range_table __rcu *blacklist;

static struct range_table *ranges_locked(void)
{
	return rcu_dereference_protected(blacklist,
					 lockdep_is_held(&blacklist_mutex));
}

/* Return the last range that starts at or before @addr, or -1. */
static ssize_t ranges_search(const struct range_table *table,
			     unsigned long addr)
{
	ssize_t low = -1, high = table->nr;

	while (high - low > 1) {
		ssize_t mid = low + (high - low) / 2;

		if (table->at[mid].range.start <= addr)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/**
 * kprobe_blacklist_covers - check whether a blacklisted range has this address
 * @addr: any address
 *
 * Parts of a blacklisted function with other names are blacklisted as well, but
 * only within_kprobe_blacklist() checks for them.
 *
 * Context: any.
 */
bool kprobe_blacklist_covers(unsigned long addr)
{
	const struct range_table *table;
	ssize_t i;

	guard(rcu)();
	table = rcu_dereference(blacklist);
	if (!table)
		return false;
	i = ranges_search(table, addr);
	return i >= 0 && addr < table->at[i].reach;
}

/*
 * A compiler may split a function: its cold half, "fn.cold", or a copy of it,
 * "fn.isra.0", is blacklisted if "fn" is.  On architectures with function
 * descriptors, the symbol of a function's text begins with a dot, too.
 */
static noinline_for_stack bool part_of_blacklisted(const char *name)
{
	const char *suffix = *name ? strchr(name + 1, '.') : NULL;
	char whole_name[KSYM_NAME_LEN];
	unsigned long whole;

	if (!suffix)
		return false;
	strscpy(whole_name, name, suffix - name + 1);
	whole = kallsyms_lookup_name(whole_name);
	return whole && kprobe_blacklist_covers(whole);
}

/**
 * kprobe_blacklisted - check whether an address must not be probed
 * @addr: an address in kernel or module text
 * @symbol: the symbol that contains @addr
 *
 * Context: any.
 */
bool kprobe_blacklisted(unsigned long addr, const struct kprobe_symbol *symbol)
{
	return kprobe_blacklist_covers(addr) ||
	       kprobe_classic_blacklisted(addr) ||
	       (symbol->size && part_of_blacklisted(symbol->name));
}

/**
 * within_kprobe_blacklist - check whether an address must not be probed
 * @addr: an address in kernel or module text
 *
 * Context: any.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	if (kprobe_blacklist_covers(addr) || kprobe_classic_blacklisted(addr))
		return true;
	return !lookup_symbol_name(addr, name) && part_of_blacklisted(name);
}

static int ranges_compare(const void *a, const void *b)
{
	const struct kprobe_blacklist_range *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end < right->end ? -1 : 1;
	return 0;
}

static void ranges_publish(struct range_table *table)
{
	struct range_table *old = ranges_locked();
	unsigned long reach = 0;
	size_t i;

	sort(table->at, table->nr, sizeof(table->at[0]), ranges_compare,
	     NULL);
	for (i = 0; i < table->nr; i++) {
		reach = max(reach, table->at[i].range.end);
		table->at[i].reach = reach;
	}

	/* Pairs with rcu_dereference() in kprobe_blacklist_covers(). */
	rcu_assign_pointer(blacklist, table);
	kvfree_rcu(old, rcu);
}

/* Add @nr ranges at once. */
static int ranges_add(const struct kprobe_blacklist_range *ranges, size_t nr)
{
	struct range_table *table, *old;
	size_t i, used;

	if (!nr)
		return 0;

	guard(mutex)(&blacklist_mutex);

	old = ranges_locked();
	used = old ? old->nr : 0;
	table = kvmalloc(struct_size(table, at, used + nr), GFP_KERNEL);
	if (!table)
		return -ENOMEM;

	if (old)
		memcpy(table->at, old->at, used * sizeof(old->at[0]));
	for (i = 0; i < nr; i++)
		table->at[used + i].range = ranges[i];
	table->nr = used + nr;
	ranges_publish(table);
	return 0;
}

/**
 * kprobe_add_area_blacklist - blacklist a range of text
 * @start: first address
 * @end: first address after the range
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for an empty or reversed range; -ENOMEM.
 */
int kprobe_add_area_blacklist(unsigned long start, unsigned long end)
{
	const struct kprobe_blacklist_range range = { start, end };

	if (start >= end)
		return -EINVAL;
	return ranges_add(&range, 1);
}

static bool range_of_function(unsigned long entry,
			      struct kprobe_blacklist_range *range)
{
	unsigned long size = 0, offset = 0;

	if (!kallsyms_lookup_size_offset(entry, &size, &offset) || !size)
		return false;

	range->start = entry - offset;
	range->end = range->start + size;
	return true;
}

/**
 * kprobe_add_ksym_blacklist - blacklist a function
 * @entry: any address in it
 *
 * Context: may sleep.
 * Return: the size of the function; -EINVAL if there is none; -ENOMEM.
 */
int kprobe_add_ksym_blacklist(unsigned long entry)
{
	struct kprobe_blacklist_range range;
	int ret;

	if (!kernel_text_address(entry) ||
	    !range_of_function(entry, &range))
		return -EINVAL;
	ret = ranges_add(&range, 1);
	return ret ?: (int)(range.end - range.start);
}

/*
 * Add functions whose addresses NOKPROBE_SYMBOL() has put into a section, and
 * some areas, all at once.
 */
static int ranges_add_all(const unsigned long *entries, size_t nr,
			  const struct kprobe_blacklist_range *areas,
			     size_t nr_areas)
{
	struct kprobe_blacklist_range *ranges;
	size_t i, n = 0;
	int ret;

	ranges = kvmalloc_array(nr + nr_areas, sizeof(*ranges), GFP_KERNEL);
	if (!ranges)
		return -ENOMEM;

	for (i = 0; i < nr; i++) {
		unsigned long entry = (unsigned long)
			dereference_symbol_descriptor((void *)entries[i]);

		if (range_of_function(entry, &ranges[n]))
			n++;
		else
			pr_warn("kprobes: no function at blacklisted %pS\n",
				(void *)entry);
	}
	for (i = 0; i < nr_areas; i++)
		if (areas[i].start < areas[i].end)
			ranges[n++] = areas[i];

	ret = ranges_add(ranges, n);
	kvfree(ranges);
	return ret;
}

#ifdef CONFIG_MODULES
/**
 * kprobe_blacklist_module - add a module's own blacklist
 * @mod: the module, while it is loaded; its text is complete
 *
 * Return: 0 or -ENOMEM.
 */
int kprobe_blacklist_module(struct module *mod)
{
	struct kprobe_blacklist_range areas[3] = { };
	size_t nr_areas = 0;

	if (mod->kprobes_text_size) {
		unsigned long start = (unsigned long)mod->kprobes_text_start;

		areas[nr_areas++] = (struct kprobe_blacklist_range) {
			start, start + mod->kprobes_text_size };
	}
	if (mod->noinstr_text_size) {
		unsigned long start = (unsigned long)mod->noinstr_text_start;

		areas[nr_areas++] = (struct kprobe_blacklist_range) {
			start, start + mod->noinstr_text_size };
	}
	/* In the kernel itself, the noinstr area includes this one. */
	if (mod->cpuidle_text_size) {
		unsigned long start = (unsigned long)mod->cpuidle_text_start;

		areas[nr_areas++] = (struct kprobe_blacklist_range) {
			start, start + mod->cpuidle_text_size };
	}
	if (!mod->num_kprobe_blacklist && !nr_areas)
		return 0;

	return ranges_add_all(mod->kprobe_blacklist,
				 mod->num_kprobe_blacklist, areas, nr_areas);
}

/**
 * kprobe_unblacklist_module - remove the blacklist entries of a module
 * @mod: the module, before it or its init text is freed
 * @within: selects the part of the module
 *
 * If memory is short the entries stay.  Then the blacklist covers too much of a
 * module that is later loaded at the same address, but nothing worse happens.
 */
void kprobe_unblacklist_module(struct module *mod,
			       bool (*within)(unsigned long addr,
					      const struct module *mod))
{
	struct range_table *table, *old;
	size_t i;

	guard(mutex)(&blacklist_mutex);

	old = ranges_locked();
	for (i = 0; old && i < old->nr; i++)
		if (within(old->at[i].range.start, mod))
			break;
	if (!old || i == old->nr)
		return;

	table = kvmalloc(struct_size(table, at, old->nr), GFP_KERNEL);
	if (!table)
		return;

	table->nr = 0;
	for (i = 0; i < old->nr; i++)
		if (!within(old->at[i].range.start, mod))
			table->at[table->nr++] = old->at[i];
	ranges_publish(table);
}
#endif /* CONFIG_MODULES */

/* Around kprobe_blacklist_next(). */
void kprobe_blacklist_lock(void)
{
	mutex_lock(&blacklist_mutex);
}

void kprobe_blacklist_unlock(void)
{
	mutex_unlock(&blacklist_mutex);
}

/**
 * kprobe_blacklist_next - find the first blacklisted range at or after @from
 * @from: an address
 * @range: set to the range from there on without a gap; entries that overlap
 *	or touch are merged
 *
 * Context: between kprobe_blacklist_lock() and kprobe_blacklist_unlock().
 * Return: false if there is none.
 */
bool kprobe_blacklist_next(unsigned long from,
			   struct kprobe_blacklist_range *range)
{
	const struct range_table *table = ranges_locked();
	ssize_t i;

	if (!table)
		return false;
	i = ranges_search(table, from);
	if (i < 0 || from >= table->at[i].reach) {
		if (++i == table->nr)
			return false;
		from = table->at[i].range.start;
	}
	range->start = from;
	range->end = table->at[i].reach;
	while (++i < table->nr && table->at[i].range.start <= range->end)
		range->end = table->at[i].reach;
	return true;
}

/*
 * Compilers can insert calls of these functions into any other function,
 * including those on the path of a hit: a probe there would be hit again before
 * recursion is detected.  The first names are those that compilers generate,
 * which do not change.  The others are functions of the kernel that these call
 * before they have anything to report.
 */
static const char * const instrumentation[] = {
	"__asan_", "__hwasan_", "__tsan_", "__msan_", "__ubsan_",
	"__sanitizer_cov_",
	"__kasan_check_", "kasan_check_", "kasan_poison", "kasan_unpoison",
	"kcsan_", "__kcsan_", "kmsan_", "write_comp_data", "check_kcov_mode",
	"canonicalize_ip", "ftrace_likely_update",
};

#define INSTRUMENTED							\
	(IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ||	\
	 IS_ENABLED(CONFIG_KMSAN) || IS_ENABLED(CONFIG_UBSAN) ||	\
	 IS_ENABLED(CONFIG_KCOV) || IS_ENABLED(CONFIG_TRACE_BRANCH_PROFILING))

static bool __init is_instrumentation(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(instrumentation); i++)
		if (strstarts(name, instrumentation[i]))
			return true;
	return false;
}

struct collected {
	unsigned long *entries;
	size_t nr;
	size_t max;
};

static int __init collect_instrumentation(void *data, const char *name,
					  unsigned long addr)
{
	struct collected *c = data;

	/* The text symbol of a function that has a descriptor. */
	if (*name == '.')
		name++;
	if (!is_kernel_text(addr) || !is_instrumentation(name))
		return 0;
	if (c->nr < c->max)
		c->entries[c->nr] = addr;
	c->nr++;
	return 0;
}

static int __init blacklist_instrumentation(void)
{
	struct collected c = {};
	int ret;

	if (!INSTRUMENTED)
		return 0;
	kallsyms_on_each_symbol(collect_instrumentation, &c);
	c.max = c.nr;
	c.nr = 0;
	c.entries = kvmalloc_array(c.max, sizeof(*c.entries), GFP_KERNEL);
	if (!c.entries)
		return -ENOMEM;
	kallsyms_on_each_symbol(collect_instrumentation, &c);
	ret = ranges_add_all(c.entries, c.nr, NULL, 0);
	kvfree(c.entries);
	return ret;
}

extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];
/* Empty on architectures without a section for entry code. */
extern char __entry_text_start[] __weak, __entry_text_end[] __weak;

int __init kprobe_blacklist_init(void)
{
	const struct kprobe_blacklist_range areas[] = {
		{ (unsigned long)__kprobes_text_start,
		  (unsigned long)__kprobes_text_end },
		{ (unsigned long)__noinstr_text_start,
		  (unsigned long)__noinstr_text_end },
		{ (unsigned long)__entry_text_start,
		  (unsigned long)__entry_text_end },
	};
	int ret;

	ret = ranges_add_all(__start_kprobe_blacklist,
			     __stop_kprobe_blacklist -
				__start_kprobe_blacklist,
				areas, ARRAY_SIZE(areas));
	return ret ?: blacklist_instrumentation() ?: arch_kprobe_blacklist();
}
