// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that must not be probed on arm64, whatever their instructions are.
 *
 * The core blacklists entry code and noinstr code.  But nothing on arm64 checks
 * the calls that noinstr code makes, and small inline functions of headers
 * become functions in ordinary text where the compiler may not inline them: it
 * does not inline a function that a sanitizer instruments into a function that
 * must not be instrumented.  A breakpoint there is hit on the way to its own
 * handler.
 *
 * So the calls of entry and noinstr code are scanned.  A short function that
 * calls nothing is taken for an inline function and blacklisted.  The checks of
 * sanitizers are blacklisted, too.
 *
 * With VHE, C code runs around guests with the vectors for them, so a
 * breakpoint ends in a panic of the host.  That code is one object,
 * arch/arm64/kvm/hyp/vhe/kvm_vhe.o, with its text in a section that the core
 * blacklists, like ftrace's entry.  The functions that it calls in other
 * objects are blacklisted here, whatever their size.  Exceptions are functions
 * that report an error, and tracepoints, such as kvm_get_timer_map: the callees
 * of an enabled tracepoint cannot be known.
 *
 * Some assembly in ordinary text runs while a CPU starts or wakes up and has no
 * kernel vectors or no stack yet.  Such functions are listed by name; many of
 * the names are local symbols.
 *
 * Code that runs as a copy is blacklisted, too, because a copied breakpoint has
 * no site at its address.
 */
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_backend.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/insn.h>
#include <asm/sections.h>
#include <asm/trans_pgd.h>
#include "kprobes-common.h"

/* See arch/arm64/kvm/hyp/vhe/vhe.lds. */
extern char __kvm_vhe_text_start[], __kvm_vhe_text_end[];

/* Size of the longest function that is scanned, in bytes. */
#define SHORT_FUNCTION	256

/* Depth of nested calls that are scanned: KASAN needs two. */
#define CALL_DEPTH	3

enum callee {
	CALLEE_ORDINARY,
	CALLEE_CHECKS,		/* of a sanitizer */
	CALLEE_REPORTS,		/* unexpected conditions, or a tracepoint */
};

struct callee_name {
	const char *prefix;
	enum callee kind;
};

static const struct callee_name callee_names[] __initconst = {
	{ "__asan_report", CALLEE_REPORTS },
	{ "__asan_", CALLEE_CHECKS },
	{ "__hwasan_", CALLEE_CHECKS },
	{ "__kasan_check_", CALLEE_CHECKS },
	{ "kasan_check_", CALLEE_CHECKS },
	{ "kasan_report", CALLEE_REPORTS },
	{ "__tsan_", CALLEE_CHECKS },
	{ "__kcsan_", CALLEE_CHECKS },
	{ "__sanitizer_cov_", CALLEE_CHECKS },
	{ "__ubsan_handle_", CALLEE_REPORTS },
	{ "__fortify_", CALLEE_REPORTS },
	{ "fortify_panic", CALLEE_REPORTS },
	{ "__stack_chk_fail", CALLEE_REPORTS },
	{ "__warn_printk", CALLEE_REPORTS },
	{ "_printk", CALLEE_REPORTS },
	{ "panic", CALLEE_REPORTS },
	{ "__traceiter_", CALLEE_REPORTS },
};

static enum callee __init callee_kind(unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	unsigned int i;

	if (lookup_symbol_name(addr, name))
		return CALLEE_ORDINARY;
	for (i = 0; i < ARRAY_SIZE(callee_names); i++)
		if (strstarts(name, callee_names[i].prefix))
			return callee_names[i].kind;
	return CALLEE_ORDINARY;
}

/* Return true if a branch leaves [start, end); @target is 0 if unknown. */
static bool __init leaves(const __le32 *at, unsigned long start,
			  unsigned long end, unsigned long *target)
{
	struct a64_kprobe_insn decoded;

	a64_kprobe_decode(le32_to_cpu(*at), (unsigned long)at, &decoded);
	switch ((enum a64_kprobe_class)decoded.class) {
	case A64_B:
	case A64_BL:
		*target = decoded.target;
		return *target < start || *target >= end;
	case A64_BR:
	case A64_BLR:
		*target = 0;
		return true;
	default:
		return false;
	}
}

static bool __init calls_nothing(unsigned long start, unsigned long end)
{
	unsigned long at, target;

	for (at = start; at < end; at += AARCH64_INSN_SIZE)
		if (leaves((__le32 *)at, start, end, &target) &&
		    (!target || callee_kind(target) == CALLEE_ORDINARY))
			return false;
	return true;
}

/* Code whose callees are scanned; the rules for blacklisting differ. */
enum whose { OF_NOINSTR, OF_VHE };

static bool __init blacklists(enum whose whose, unsigned long addr,
			      unsigned long size)
{
	switch (callee_kind(addr)) {
	case CALLEE_REPORTS:
		return false;
	case CALLEE_CHECKS:
		return true;
	default:
		return whose == OF_VHE || (size <= SHORT_FUNCTION &&
					   calls_nothing(addr, addr + size));
	}
}

static int __init blacklist_callees(enum whose whose, unsigned long start,
				    unsigned long end, unsigned int depth)
{
	unsigned long at, target, size, offset;
	int ret = 0;

	for (at = start; at < end && !ret; at += AARCH64_INSN_SIZE) {
		if (!leaves((__le32 *)at, start, end, &target) || !target ||
		    within_kprobe_blacklist(target))
			continue;
		if (!kallsyms_lookup_size_offset(target, &size, &offset) ||
		    offset || !blacklists(whose, target, size))
			continue;
		ret = kprobe_add_area_blacklist(target, target + size);
		if (!ret && depth > 1)
			ret = blacklist_callees(whose, target, target + size,
						depth - 1);
	}
	return ret;
}

/* head.S, sleep.S, proc.S and hyp-stub.S: no vectors, or no stack. */
static const char * const coming_up[] __initconst = {
	"__secondary_switched", "__secondary_too_slow",
	"set_cpu_boot_mode_flag", "finalise_el2", "_cpu_resume",
	"cpu_do_resume",
};

/* Blacklist the function at @addr.  Ignore symbols that are no functions. */
static int __init blacklist_function(void *unused, unsigned long addr)
{
	return kprobe_add_ksym_blacklist(addr) == -ENOMEM ? -ENOMEM : 0;
}

/* Names are not unique, and some depend on the configuration. */
static int __init blacklist_names(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(coming_up) && !ret; i++)
		ret = kallsyms_on_each_match_symbol(blacklist_function,
						    coming_up[i], NULL);
	return ret;
}

int __init arch_kprobe_blacklist(void)
{
	const struct {
		char *start;
		char *end;
	} ranges[] = {
		{ __entry_text_start, __entry_text_end },
		{ __idmap_text_start, __idmap_text_end },
		{ __hyp_idmap_text_start, __hyp_idmap_text_end },
		{ __hyp_text_start, __hyp_text_end },
#ifdef CONFIG_HIBERNATION
		{ __hibernate_exit_text_start, __hibernate_exit_text_end },
#endif
#ifdef CONFIG_TRANS_TABLE
		{ trans_pgd_stub_vectors, trans_pgd_stub_vectors + SZ_2K },
#endif
#ifdef CONFIG_KEXEC_CORE
		{ __relocate_new_kernel_start, __relocate_new_kernel_end },
#endif
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(ranges) && !ret; i++)
		if (ranges[i].start != ranges[i].end)
			ret = kprobe_add_area_blacklist((ulong)ranges[i].start,
							(ulong)ranges[i].end);
	if (!ret)
		ret = blacklist_callees(OF_NOINSTR, (ulong)__noinstr_text_start,
					(ulong)__noinstr_text_end, CALL_DEPTH);
	if (!ret)
		ret = blacklist_callees(OF_NOINSTR, (ulong)__entry_text_start,
					(ulong)__entry_text_end, CALL_DEPTH);
#ifdef CONFIG_KVM
	if (!ret)
		ret = blacklist_callees(OF_VHE, (ulong)__kvm_vhe_text_start,
					(ulong)__kvm_vhe_text_end, CALL_DEPTH);
#endif
	return ret ?: blacklist_names();
}
