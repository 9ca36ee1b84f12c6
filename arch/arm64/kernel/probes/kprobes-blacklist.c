// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What must not be probed on arm64, for other reasons than its instructions.
 *
 * The core forbids entry code and what is noinstr.  But nothing on arm64 checks
 * whom noinstr code calls, and small inline functions of headers become
 * functions in ordinary text where the compiler may not inline them: one that a
 * sanitizer instruments is not made part of one that must not be.  A breakpoint
 * in one of those is hit on the way to its own handler.
 *
 * So their calls are looked at.  What is short and calls nobody is taken for
 * such a function, and forbidden too; and so is what a sanitizer checks with.
 *
 * Then there is assembly in ordinary text that runs while a CPU has not got the
 * kernel's vectors or a stack: when it comes up or wakes up, and around guests.
 * It is known by its names, which not even a linker sees, many of them.
 */
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/insn.h>
#include <asm/sections.h>
#include "kprobes-common.h"

/* The longest that is looked at, in bytes. */
#define SHORT_FUNCTION	256

/* For how many calls one after the other: KASAN needs two. */
#define CALL_DEPTH	3

enum callee {
	CALLEE_ORDINARY,
	CALLEE_CHECKS,		/* for a sanitizer */
	CALLEE_REPORTS,		/* for a sanitizer, which is not expected */
};

static enum callee __init callee_kind(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	if (!IS_ENABLED(CONFIG_KASAN) || lookup_symbol_name(addr, name))
		return CALLEE_ORDINARY;
	if (strstarts(name, "__asan_report"))
		return CALLEE_REPORTS;
	if (strstarts(name, "__asan_") || strstarts(name, "__hwasan_") ||
	    strstarts(name, "__kasan_check_") ||
	    strstarts(name, "kasan_check_"))
		return CALLEE_CHECKS;
	return CALLEE_ORDINARY;
}

/* Does a branch leave [start, end)?  Where to, if that is known, or 0. */
static bool __init leaves(const __le32 *at, unsigned long start,
			  unsigned long end, unsigned long *target)
{
	struct a64_insn what;

	a64_decode(le32_to_cpu(*at), (unsigned long)at, &what);
	switch ((enum a64_how)what.how) {
	case A64_B:
	case A64_BL:
		*target = what.target;
		return *target < start || *target >= end;
	case A64_BR:
	case A64_BLR:
		*target = 0;
		return true;
	default:
		return false;
	}
}

static bool __init calls_nobody(unsigned long start, unsigned long end)
{
	unsigned long at, target;

	for (at = start; at < end; at += AARCH64_INSN_SIZE)
		if (leaves((__le32 *)at, start, end, &target) &&
		    (!target || callee_kind(target) == CALLEE_ORDINARY))
			return false;
	return true;
}

static bool __init forbid(unsigned long addr, unsigned long size)
{
	switch (callee_kind(addr)) {
	case CALLEE_REPORTS:
		return false;
	case CALLEE_CHECKS:
		return true;
	default:
		return size <= SHORT_FUNCTION &&
		       calls_nobody(addr, addr + size);
	}
}

static int __init forbid_callees(unsigned long start, unsigned long end,
				 unsigned int depth)
{
	unsigned long at, target, size, offset;
	int ret = 0;

	for (at = start; at < end && !ret; at += AARCH64_INSN_SIZE) {
		if (!leaves((__le32 *)at, start, end, &target) || !target ||
		    within_kprobe_blacklist(target))
			continue;
		if (!kallsyms_lookup_size_offset(target, &size, &offset) ||
		    offset || !forbid(target, size))
			continue;
		ret = kprobe_add_area_blacklist(target, target + size);
		if (!ret && depth > 1)
			ret = forbid_callees(target, target + size, depth - 1);
	}
	return ret;
}

/* head.S, sleep.S, proc.S and hyp-stub.S: no vectors, or no stack. */
static const char * const coming_up[] __initconst = {
	"__secondary_switched", "__secondary_too_slow",
	"set_cpu_boot_mode_flag", "finalise_el2", "_cpu_resume",
	"cpu_do_resume",
};

/*
 * entry.S, hyp-entry.S and fpsimd.S in arch/arm64/kvm/hyp/: where the kernel is
 * its own hypervisor, they run with the vectors for guests, which come from
 * there, too, or with a guest's registers.
 */
static const char * const around_guests[] __initconst = {
	"__guest_enter", "__guest_exit_restore_elr_and_panic",
	"__guest_exit_panic", "__guest_exit", "abort_guest_exit_start",
	"abort_guest_exit_end", "el1_sync", "wa_epilogue", "el1_trap",
	"el1_irq", "el1_fiq", "el1_error", "el2_sync", "el2_error",
	"el2t_sync_invalid", "el2t_irq_invalid", "el2t_fiq_invalid",
	"el2t_error_invalid", "el2h_irq_invalid", "el2h_fiq_invalid",
	"__kvm_hyp_vector", "__bp_harden_hyp_vecs", "__fpsimd_save_state",
	"__fpsimd_restore_state", "__sve_save_state", "__sve_restore_state",
};

/*
 * In C, between the switch to these vectors and that back; what is called by
 * a table, too.
 */
static const char * const with_guest_vectors[] __initconst = {
	"__kvm_vcpu_run_vhe", "__activate_traps", "__activate_cptr_traps",
	"__deactivate_traps", "__kvm_adjust_pc",
	"sysreg_restore_guest_state_vhe", "sysreg_save_guest_state_vhe",
	"kvm_hyp_handle_cp15_32", "kvm_hyp_handle_sysreg_vhe",
	"kvm_hyp_handle_sysreg", "kvm_hyp_handle_fpsimd",
	"kvm_hyp_handle_memory_fault", "kvm_hyp_handle_iabt_low",
	"kvm_hyp_handle_dabt_low", "kvm_hyp_handle_watchpt_low",
	"kvm_hyp_handle_eret", "kvm_hyp_handle_mops",
	"kvm_unexpected_el2_exception",
};

/* Something else of that name is no error. */
static int __init forbid_function(void *unused, unsigned long addr)
{
	return kprobe_add_ksym_blacklist(addr) == -ENOMEM ? -ENOMEM : 0;
}

static int __init forbid_with_callees(void *unused, unsigned long addr)
{
	unsigned long size, offset;
	int ret = forbid_function(NULL, addr);

	if (ret)
		return ret;
	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return 0;
	return forbid_callees(addr, addr + size, CALL_DEPTH);
}

/* Names are not unique, and configuration has some of them or not. */
static int __init for_names(int (*function)(void *unused, unsigned long addr),
			    const char * const *names, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = kallsyms_on_each_match_symbol(function, names[i], NULL);
	return ret;
}

static int __init forbid_names(void)
{
	int ret;

	ret = for_names(forbid_function, coming_up, ARRAY_SIZE(coming_up));
	if (ret || !IS_ENABLED(CONFIG_KVM))
		return ret;
	ret = for_names(forbid_function, around_guests,
			ARRAY_SIZE(around_guests));
	return ret ?: for_names(forbid_with_callees, with_guest_vectors,
				ARRAY_SIZE(with_guest_vectors));
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
		ret = forbid_callees((ulong)__noinstr_text_start,
				     (ulong)__noinstr_text_end, CALL_DEPTH);
	if (!ret)
		ret = forbid_callees((ulong)__entry_text_start,
				     (ulong)__entry_text_end, CALL_DEPTH);
	return ret ?: forbid_names();
}
