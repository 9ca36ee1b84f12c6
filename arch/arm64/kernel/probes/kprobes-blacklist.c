// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that must not be probed on arm64, whatever their instructions are.
 *
 * The core blacklists entry code and noinstr code.  But nothing on arm64 checks
 * which functions noinstr code calls, and compilers do not inline instrumented
 * functions into noinstr code.  Small inline functions of headers then become
 * functions in ordinary text, where a breakpoint would be hit on the way to its
 * own handler.
 *
 * So entry and noinstr code is scanned for calls.  A short function that calls
 * nothing, except instrumentation and reports, is taken for an inline function
 * and blacklisted.  The core blacklists the checks of sanitizers.
 *
 * With VHE, some C code enters and leaves guests with KVM's exception vectors,
 * under which a breakpoint panics the host.  That code is one object,
 * arch/arm64/kvm/hyp/vhe/kvm_vhe.o, with its text in a section that the core
 * blacklists, like ftrace's entry.  Functions of other objects that it calls
 * are blacklisted here, whatever their size, except functions that report an
 * error.  The functions that an enabled tracepoint such as kvm_get_timer_map
 * calls cannot be known.
 *
 * Some assembly in ordinary text runs while a CPU starts or wakes up, before it
 * has the kernel's vectors or a stack.  These functions are listed by name,
 * because many of them are local symbols.
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
#include <asm/insn.h>
#include <asm/sections.h>
#include <asm/trans_pgd.h>
#include "kprobes-common.h"

/* See arch/arm64/kvm/hyp/vhe/vhe.lds. */
extern char __kvm_vhe_text_start[], __kvm_vhe_text_end[];

/* Maximum size of a function taken for an inline function, in bytes. */
#define SHORT_FUNCTION	256

/* Levels of calls to follow. */
#define CALL_DEPTH	3

static unsigned long __init call_target(unsigned long at, u32 *length)
{
	struct a64_kprobe_insn decoded;

	*length = AARCH64_INSN_SIZE;
	a64_kprobe_decode(le32_to_cpup((__le32 *)at), at, &decoded);
	switch ((enum a64_kprobe_class)decoded.class) {
	case A64_B:
	case A64_BL:
		return decoded.target;
	case A64_BR:
	case A64_BLR:
		return ULONG_MAX;
	default:
		return 0;
	}
}

/* head.S, sleep.S, proc.S and hyp-stub.S: no vectors, or no stack. */
static const char * const coming_up[] __initconst = {
	"__secondary_switched", "__secondary_too_slow",
	"set_cpu_boot_mode_flag", "finalise_el2", "_cpu_resume",
	"cpu_do_resume",
};

/* Blacklist the function at @addr.  Ignore other symbols. */
static int __init blacklist_function(void *unused, unsigned long addr)
{
	return kprobe_add_ksym_blacklist(addr) == -ENOMEM ? -ENOMEM : 0;
}

/* A name may belong to several symbols, or to none in this configuration. */
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
		ret = kprobe_blacklist_callees((ulong)__noinstr_text_start,
					       (ulong)__noinstr_text_end,
					       SHORT_FUNCTION, CALL_DEPTH,
					       call_target);
	if (!ret)
		ret = kprobe_blacklist_callees((ulong)__entry_text_start,
					       (ulong)__entry_text_end,
					       SHORT_FUNCTION, CALL_DEPTH,
					       call_target);
#ifdef CONFIG_KVM
	if (!ret)
		ret = kprobe_blacklist_callees((ulong)__kvm_vhe_text_start,
					       (ulong)__kvm_vhe_text_end,
					       0, CALL_DEPTH, call_target);
#endif
	return ret ?: blacklist_names();
}
