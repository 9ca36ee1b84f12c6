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
#include <linux/init.h>
#include <linux/kprobes_backend.h>
#include <asm/sections.h>
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
#else
static int __init blacklist_tables(void)
{
	return 0;
}
#endif

int __init arch_kprobe_blacklist(void)
{
	int ret;

	ret = kprobe_add_area_blacklist((unsigned long)_stext,
					(unsigned long)head_text_end);
	return ret ?: blacklist_tables();
}
