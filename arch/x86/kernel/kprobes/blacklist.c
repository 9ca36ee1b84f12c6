// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text that must not be probed on x86, whatever its instructions are, and
 * functions that get no return probes.
 */
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/kprobes_backend.h>
#include <asm/paravirt_types.h>
#include <asm/sections.h>
#include "common.h"

/* From the linker script: startup code and thunks. */
extern char __head_text_end[], __x86_thunks_start[], __x86_thunks_end[];
extern char __x86_safe_ret_start[], __x86_safe_ret_end[];

/* These functions return on another stack than that of their call. */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "__switch_to" },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);

/**
 * x86_kprobe_is_thunk - check if an address is in a call, jump or return thunk
 * @addr: any address
 *
 * The processor's vulnerabilities decide which thunks are in use.  Thunks that
 * the kernel generates at run time for single branches are not included.
 *
 * Return: true if it is.
 */
bool x86_kprobe_is_thunk(unsigned long addr)
{
	return (addr >= (unsigned long)__x86_thunks_start &&
		addr < (unsigned long)__x86_thunks_end) ||
	       (addr >= (unsigned long)__x86_safe_ret_start &&
		addr < (unsigned long)__x86_safe_ret_end);
}

#ifdef CONFIG_PARAVIRT_XXL
/* Blacklist the functions in a table of pointers; some may be NULL. */
static int blacklist_table(const void *table, size_t size)
{
	const unsigned long *function = table;
	size_t i;
	int ret;

	for (i = 0; i < size / sizeof(*function); i++) {
		if (!function[i])
			continue;
		ret = kprobe_add_ksym_blacklist(function[i]);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/*
 * A CPU that starts or wakes up calls these functions before it has loaded its
 * interrupt descriptor table.
 */
static int blacklist_paravirt(void)
{
	return blacklist_table(&pv_ops.cpu, sizeof(pv_ops.cpu)) ?:
	       blacklist_table(&pv_ops.mmu.write_cr2, sizeof(void *)) ?:
	       blacklist_table(&pv_ops.mmu.write_cr3, sizeof(void *));
}
#else
static int blacklist_paravirt(void)
{
	return 0;
}
#endif

/*
 * Most of the code that runs before a CPU has its interrupt descriptor table,
 * on other page tables, or as a copy, is in .kprobes.text or marked with
 * NOKPROBE_SYMBOL().  The areas listed here are sections of their own.
 */
int arch_kprobe_blacklist(void)
{
	const struct { char *start, *end; } areas[] = {
		{ _stext, __head_text_end },
		{ __x86_thunks_start, __x86_thunks_end },
		{ __x86_safe_ret_start, __x86_safe_ret_end },
	};
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		if (areas[i].start == areas[i].end)
			continue;
		ret = kprobe_add_area_blacklist((unsigned long)areas[i].start,
						(unsigned long)areas[i].end);
		if (ret)
			return ret;
	}
	return blacklist_paravirt();
}
