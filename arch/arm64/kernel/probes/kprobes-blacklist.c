// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must not be probed on arm64, for other reasons than its instructions.
 *
 * The core blacklists entry code and what is noinstr.  But nothing on arm64
 * checks what noinstr code calls, and small inline functions of headers become
 * functions in ordinary text where the compiler may not inline them: one that a
 * sanitizer instruments is not made part of one that must not be.  A breakpoint
 * in one of those is hit on the way to its own handler.
 *
 * So their calls are looked at.  What is short and calls nothing is taken for
 * such a function, and blacklisted too; and so is what a sanitizer checks with.
 *
 * Where the kernel is its own hypervisor, C code runs around guests with the
 * vectors for them: a breakpoint ends in a panic of the host.  That code is one
 * object, arch/arm64/kvm/hyp/vhe/kvm_vhe.o, which has its text where the core
 * blacklists all; so has ftrace's entry.  What it calls in other objects is
 * blacklisted here, whatever its size, but for the ways to a panic and for
 * tracepoints: one that is on while a guest is entered, like kvm_get_timer_map,
 * calls what cannot be known.
 *
 * Then there is assembly in ordinary text that runs while a CPU has not got the
 * kernel's vectors or a stack: when it comes up or wakes up.  It is known by
 * its names, which not even a linker sees, many of them.
 *
 * And what runs as a copy: a breakpoint that was copied has no site where the
 * copy is.
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

/* The longest that is looked at, in bytes. */
#define SHORT_FUNCTION	256

/* For how many calls one after the other: KASAN needs two. */
#define CALL_DEPTH	3

enum callee {
	CALLEE_ORDINARY,
	CALLEE_CHECKS,		/* for a sanitizer */
	CALLEE_REPORTS,		/* what is not expected, or a tracepoint */
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

/* Does a branch leave [start, end)?  Where to, if that is known, or 0. */
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

/* Whose callees are looked at; these differ in which are blacklisted. */
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

/* Anything but a function of that name is no error. */
static int __init blacklist_function(void *unused, unsigned long addr)
{
	return kprobe_add_ksym_blacklist(addr) == -ENOMEM ? -ENOMEM : 0;
}

/* Names are not unique, and configuration has some of them or not. */
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
