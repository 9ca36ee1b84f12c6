// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ranges of text that must not be probed.
 *
 * A maple tree holds the union of all ranges, so a new range may overlap
 * others: a function may be in a section that is blacklisted as a whole.
 * kprobe_unblacklist() removes the ranges in a module's text before this text
 * is freed.
 *
 * The tree has its own lock, which may be taken under any mutex.  Readers may
 * run in any context: a debugger reads with all other CPUs stopped.
 */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/maple_tree.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <asm/sections.h>
#include "internal.h"

static struct maple_tree blacklist_tree =
	MTREE_INIT(blacklist_tree, MT_FLAGS_USE_RCU);

/**
 * kprobe_blacklist_covers - check whether an address is in a blacklisted range
 * @addr: any address
 *
 * The ranges do not include parts that a compiler has split off from a
 * blacklisted function, or copies of one.  kprobe_blacklisted() and
 * within_kprobe_blacklist() find those.
 *
 * Context: any.
 */
bool kprobe_blacklist_covers(unsigned long addr)
{
	return mtree_load(&blacklist_tree, addr);
}

/*
 * Return true if @name names a part or a copy of a blacklisted function.  For a
 * function "fn", compilers may create a cold part "fn.cold" or a copy
 * "fn.isra.0".  A leading dot does not start a suffix: with function
 * descriptors, the symbols of text begin with a dot.
 */
static noinline_for_stack bool blacklist_covers_whole(const char *name)
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
 * kprobe_blacklisted - within_kprobe_blacklist() for a known symbol
 * @addr: an address in kernel or module text
 * @symbol: the symbol that contains @addr
 *
 * Context: any.
 */
bool kprobe_blacklisted(unsigned long addr, const struct kprobe_symbol *symbol)
{
	return kprobe_blacklist_covers(addr) ||
	       kprobe_classic_blacklisted(addr) ||
	       (symbol->size && blacklist_covers_whole(symbol->name));
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

	return kprobe_blacklist_covers(addr) ||
	       kprobe_classic_blacklisted(addr) ||
	       (!lookup_symbol_name(addr, name) &&
		blacklist_covers_whole(name));
}

/* The depth of ranges whose calls kprobe_blacklist_callees() need not follow */
#define BLACKLIST_CALLS_KNOWN	INT_MAX

/*
 * Add a range, which must not be empty.  @depth is the argument of the call of
 * kprobe_blacklist_callees() that has found it.  Return 0 or -ENOMEM.
 */
static int blacklist_add_depth(unsigned long start, unsigned long size,
			       unsigned int depth)
{
	return mtree_store_range(&blacklist_tree, start, start + size - 1,
				 xa_mk_value(depth), GFP_KERNEL);
}

static int blacklist_add(unsigned long start, unsigned long size)
{
	return blacklist_add_depth(start, size, BLACKLIST_CALLS_KNOWN);
}

/* Add a section; it may be empty. */
static int blacklist_section(const void *start, unsigned long size)
{
	return size ? blacklist_add((unsigned long)start, size) : 0;
}

/* Add the function that contains an address.  Return its size or an errno. */
static int blacklist_function(unsigned long addr)
{
	unsigned long size, offset;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset) || !size)
		return -EINVAL;
	return blacklist_add(addr - offset, size) ?: (int)size;
}

/* Add the functions whose addresses NOKPROBE_SYMBOL() has put in a section. */
static int blacklist_functions(const unsigned long *entry, size_t nr)
{
	const unsigned long *end = entry + nr;

	for (; entry < end; entry++) {
		void *addr = dereference_symbol_descriptor((void *)*entry);
		int ret = blacklist_function((unsigned long)addr);

		if (ret == -ENOMEM)
			return ret;
		if (ret < 0)
			pr_warn("kprobes: no function at blacklisted %pS\n",
				addr);
	}
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
	return start < end ? blacklist_add(start, end - start) : -EINVAL;
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
	return kernel_text_address(entry) ? blacklist_function(entry) : -EINVAL;
}

#ifdef CONFIG_MODULES
/**
 * kprobe_blacklist_module - add a module's own blacklist
 * @mod: a module that is being loaded; its text is complete
 *
 * Return: 0 or -ENOMEM.
 */
int kprobe_blacklist_module(const struct module *mod)
{
	return blacklist_functions(mod->kprobe_blacklist,
				   mod->num_kprobe_blacklist) ?:
	       blacklist_section(mod->kprobes_text_start,
				 mod->kprobes_text_size) ?:
	       blacklist_section(mod->noinstr_text_start,
				 mod->noinstr_text_size) ?:
	       /* In vmlinux, .cpuidle.text is part of noinstr text. */
	       blacklist_section(mod->cpuidle_text_start,
				 mod->cpuidle_text_size);
}

/**
 * kprobe_unblacklist - remove the blacklist entries of a module's text
 * @text: text or init text of the module, not yet freed; its size may be 0
 *
 * If an allocation fails, the entries stay.  This is harmless, except that they
 * refuse probes on a module that is loaded at the same addresses later.
 */
void kprobe_unblacklist(const struct module_memory *text)
{
	unsigned long start = (unsigned long)text->base;
	unsigned long last = start + text->size - 1, at = start;

	if (text->size && mt_find(&blacklist_tree, &at, last))
		mtree_store_range(&blacklist_tree, start, last, NULL,
				  GFP_KERNEL);
}
#endif /* CONFIG_MODULES */

/**
 * kprobe_blacklist_next - find the next blacklisted range
 * @from: address to search from
 * @range: set to the first range that contains @from or begins after it,
 *	without the part before @from; adjacent ranges are reported as one
 *
 * Context: any.
 * Return: false if there are no more ranges.
 */
bool kprobe_blacklist_next(unsigned long from,
			   struct kprobe_blacklist_range *range)
{
	MA_STATE(mas, &blacklist_tree, from, from);

	guard(rcu)();
	if (!mas_find(&mas, ULONG_MAX))
		return false;
	range->start = max(from, mas.index);
	do {
		range->end = mas.last + 1;
	} while (mas_next_range(&mas, ULONG_MAX) && mas.index == range->end);
	return true;
}

/*
 * Prefixes of the names of instrumentation functions.  The hit path may call
 * these functions, so a probe on one of them would be hit again before
 * recursion is detected.  Compilers emit calls to the first group, up to
 * "__sanitizer_cov_".  The first group, or inline functions and macros like
 * likely(), call the second group even if there is nothing to report.
 */
static const char * const blacklist_prefixes[] __initconst = {
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

/* With function descriptors, symbols of text begin with a dot. */
static bool __init blacklist_has_prefix(const char *name,
					const char * const *prefixes, int n)
{
	if (*name == '.')
		name++;
	while (n--)
		if (strstarts(name, prefixes[n]))
			return true;
	return false;
}

static bool __init blacklist_is_instrumentation(const char *name)
{
	return blacklist_has_prefix(name, blacklist_prefixes,
				    ARRAY_SIZE(blacklist_prefixes));
}

static int __init blacklist_if_instrumentation(void *data, const char *name,
					       unsigned long addr)
{
	if (!is_kernel_text(addr) || !blacklist_is_instrumentation(name))
		return 0;
	return blacklist_function(addr) == -ENOMEM ? -ENOMEM : 0;
}

static int __init blacklist_instrumentation(void)
{
	if (!INSTRUMENTED)
		return 0;
	return kallsyms_on_each_symbol(blacklist_if_instrumentation, NULL);
}

/* Prefixes of functions that report unexpected conditions or trace events */
static const char * const blacklist_reports[] __initconst = {
	"kasan_report", "__fortify_", "fortify_panic", "__stack_chk_fail",
	"__warn_printk", "_printk", "dump_stack", "panic", "__traceiter_",
};

/* Return true for reports and instrumentation: calls to them are ignored. */
static noinline_for_stack bool __init blacklist_ignores(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !lookup_symbol_name(addr, name) &&
	       (blacklist_has_prefix(name, blacklist_reports,
				     ARRAY_SIZE(blacklist_reports)) ||
		blacklist_is_instrumentation(name));
}

/* Return true if a function makes only ignored calls. */
static bool __init blacklist_is_leaf(unsigned long start, unsigned long size,
				     unsigned long (*target)(unsigned long at,
							     u32 *length))
{
	unsigned long at, callee;
	u32 length;

	for (at = start; at < start + size; at += length) {
		callee = target(at, &length);
		if (callee && callee - start >= size &&
		    !blacklist_ignores(callee))
			return false;
	}
	return true;
}

/*
 * Return true if an address is blacklisted and its calls have been followed to
 * this depth.  A longer chain, with less depth left, may have found it first.
 */
static bool __init blacklist_followed(unsigned long addr, unsigned int depth)
{
	void *entry = mtree_load(&blacklist_tree, addr);

	return entry ? xa_to_value(entry) >= depth :
		       within_kprobe_blacklist(addr);
}

/**
 * kprobe_blacklist_callees - blacklist functions that some code calls
 * @start: first address of the code, which must not be probed
 * @end: first address after the code
 * @max: if not 0, blacklist only callees of at most this size that make no
 *	calls, such as inline functions that the compiler has not inlined
 * @depth: levels of calls to follow; 1 for the calls in the code only
 * @target: decode the instruction at @at and set @length to its length; for a
 *	call, return the target, or ULONG_MAX if it is unknown; otherwise return
 *	0.  With @max 0, @target may return 0 for an unknown target, too.
 *
 * Calls to blacklist_reports[] and to instrumentation functions are ignored.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init
kprobe_blacklist_callees(unsigned long start, unsigned long end,
			 unsigned long max, unsigned int depth,
			 unsigned long (*target)(unsigned long at, u32 *length))
{
	unsigned long at, callee, size, offset;
	int ret = 0;
	u32 length;

	for (at = start; at < end && !ret; at += length) {
		callee = target(at, &length);
		if (!callee || blacklist_followed(callee, depth) ||
		    !kallsyms_lookup_size_offset(callee, &size, &offset) ||
		    offset || !size || blacklist_ignores(callee))
			continue;
		if (max && (size > max ||
			    !blacklist_is_leaf(callee, size, target)))
			continue;
		ret = blacklist_add_depth(callee, size, depth);
		if (!ret && depth > 1)
			ret = kprobe_blacklist_callees(callee, callee + size,
						       max, depth - 1, target);
	}
	return ret;
}

extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];
/* Both are NULL if the architecture has no section for entry code. */
extern char __entry_text_start[] __weak, __entry_text_end[] __weak;

int __init kprobe_blacklist_init(void)
{
	return blacklist_functions(__start_kprobe_blacklist,
				   __stop_kprobe_blacklist -
				   __start_kprobe_blacklist) ?:
	       blacklist_section(__kprobes_text_start,
				 __kprobes_text_end - __kprobes_text_start) ?:
	       blacklist_section(__noinstr_text_start,
				 __noinstr_text_end - __noinstr_text_start) ?:
	       blacklist_section(__entry_text_start,
				 __entry_text_end - __entry_text_start) ?:
	       blacklist_instrumentation() ?: arch_kprobe_blacklist();
}
