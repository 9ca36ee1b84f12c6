// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that must not be probed on powerpc, whatever its instructions are.
 *
 * The kernel's startup code and the entry of exceptions run with translation
 * off, with MSR[RI] clear, or without a stack.  That is all of head_64.o (on 32
 * bit head_<family>.o), which is linked first and ends at head_text_end.  Such
 * assembly in other objects is in .kprobes.text, which the core blacklists.
 * Some of the head is copied to the start of memory: a copied trap has no site.
 *
 * On 64 bit, each secondary CPU calls early_setup_secondary() before its MMU is
 * set up.  The handler of a trap would need translation, or memory that is not
 * mapped yet.  The functions that set up the MMU depend on the CPU and on the
 * configuration, so they are found by the calls to them.
 *
 * With a hash table, on 64 bit, the data of a trap's handler may be in a
 * segment without an entry in the SLB.  A miss there would change the SLB while
 * the handler of another miss, or the switch to another task, changes it.
 * These functions are found in the same way, because the compiler may emit
 * helpers of headers out of line.
 *
 * On 64 bit, some code is soft-masked by its address, or restarted when an
 * interrupt arrives in it.  Two tables list the addresses of this code, but not
 * those of its copies in slots.
 *
 * The functions that the linker generates to save registers, .sfpr, store the
 * LR of their caller, so their returns cannot be followed.
 *
 * The exits of exceptions cannot be noinstr, because they must be near the
 * entries.  NOKPROBE_SYMBOL() blacklists them.
 */
#include <linux/array_size.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_backend.h>
#include <linux/mmu_context.h>
#include <asm/inst.h>
#include <asm/interrupt.h>
#include <asm/sections.h>
#include <asm/setup.h>
#include "kprobes-common.h"

/* See head_64.S. */
extern char head_text_end[];

#ifdef CONFIG_PPC64
/* See restart_table.c. */
struct soft_masked {
	unsigned long start;
	unsigned long end;
};

struct restarted {
	unsigned long start;
	unsigned long end;
	unsigned long fixup;
};

extern struct soft_masked __start___soft_mask_table[];
extern struct soft_masked __stop___soft_mask_table[];
extern struct restarted __start___restart_table[];
extern struct restarted __stop___restart_table[];

/* See vmlinux.lds.S. */
extern char __sfpr_start[], __sfpr_end[];

static int __init blacklist_tables(void)
{
	struct soft_masked *m;
	struct restarted *r;
	int ret = 0;

	/* Empty unless the kernel is optimized for size. */
	if (&__sfpr_start[0] < &__sfpr_end[0])
		ret = kprobe_add_area_blacklist((unsigned long)__sfpr_start,
						(unsigned long)__sfpr_end);

	for (m = __start___soft_mask_table;
	     m < __stop___soft_mask_table && !ret; m++)
		ret = kprobe_add_area_blacklist(m->start, m->end);
	for (r = __start___restart_table;
	     r < __stop___restart_table && !ret; r++)
		ret = kprobe_add_area_blacklist(r->start, r->end);
	return ret;
}

/* Levels of calls to follow: more than exist. */
#define CALL_DEPTH	8

/*
 * Return the target of any direct branch, because a call at the end of a
 * function is a branch without link.  The core ignores targets that are not the
 * start of a function.  If a function has two entries, calls branch to the
 * second one, but the first one is the start.
 */
static unsigned long __init branch_to(unsigned long at, u32 *length)
{
	unsigned long target = branch_target((u32 *)at);
	unsigned long start = target - 2 * sizeof(u32);

	*length = ppc_inst_len(ppc_inst_read((u32 *)at));
	if (!is_kernel_text(start))
		return 0;
	if (IS_ENABLED(CONFIG_PPC64_ELF_ABI_V2) &&
	    ppc_function_entry((void *)start) == target)
		return start;
	return target;
}

/* Blacklist a function, and its callees down to @depth calls. */
static int __init blacklist_calls(void *function, unsigned int depth)
{
	unsigned long start = ppc_global_function_entry(function);
	int size = kprobe_add_ksym_blacklist(start);

	if (size < 0)
		return size;
	return kprobe_blacklist_callees(start, start + size, 0, depth,
					branch_to);
}

static int __init blacklist_secondary(void)
{
	if (!IS_ENABLED(CONFIG_SMP))
		return 0;
	return blacklist_calls(early_setup_secondary, CALL_DEPTH);
}
#else
static int __init blacklist_tables(void)
{
	return 0;
}

static int __init blacklist_secondary(void)
{
	return 0;
}
#endif

#ifdef CONFIG_PPC_64S_HASH_MMU
/*
 * The callees of switch_slb() and others are either helpers, or may be probed
 * as far as they do not change the SLB: one level is enough.
 */
static int __init blacklist_slb(void)
{
	void *functions[] = {
		switch_slb, slb_flush_and_restore_bolted, slb_save_contents,
		slb_flush_all_realmode, slb_restore_bolted_realmode,
		__slb_restore_bolted_realmode,
	};
	int ret = blacklist_calls(do_slb_fault, CALL_DEPTH);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions) && !ret; i++)
		ret = blacklist_calls(functions[i], 1);
	return ret;
}
#else
static int __init blacklist_slb(void)
{
	return 0;
}
#endif

int __init arch_kprobe_blacklist(void)
{
	int ret;

	ret = kprobe_add_area_blacklist((unsigned long)_stext,
					(unsigned long)head_text_end);
	return ret ?: blacklist_tables() ?: blacklist_secondary() ?:
	       blacklist_slb();
}
