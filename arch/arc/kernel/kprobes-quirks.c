// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections around arc's code for probes: see struct kprobe_quirks.
 *
 * That code steps in place, and a fault does not end the step.  Interrupts may
 * be on between the exception of a breakpoint and the search for its site.
 */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <asm/cacheflush.h>

extern void (*_cache_line_loop_ic_fn)(phys_addr_t paddr, unsigned long vaddr,
				      unsigned long sz, const int op,
				      const int full_page);

/*
 * Idle CPUs, because these exceptions enable interrupts.  A step writes text
 * and flushes the caches, for modules by their physical address.
 */
static void __init arc_blacklist(void)
{
	kprobe_add_ksym_blacklist((unsigned long)arch_cpu_idle);
	kprobe_add_ksym_blacklist((unsigned long)flush_icache_range);
	kprobe_add_ksym_blacklist((unsigned long)__sync_icache_dcache);
	if (_cache_line_loop_ic_fn)
		kprobe_add_ksym_blacklist((unsigned long)
					  _cache_line_loop_ic_fn);
	kprobe_add_ksym_blacklist((unsigned long)vmalloc_to_pfn);
	kprobe_add_ksym_blacklist((unsigned long)vmalloc_to_page);
}

/*
 * LLOCK, LLOCKD; SCOND, SCONDD.
 *
 * Instructions have several lengths, but each halfword can be checked.  A long
 * operand that looks like one of these could hide a sequence or cause a wrong
 * refusal.
 */
static enum kprobe_exclusive arc_exclusive(unsigned long at)
{
	const u16 *half = (const u16 *)at;

	if ((half[0] & 0xf8ff) != 0x202f)
		return KPROBE_EXCLUSIVE_NONE;
	switch (half[1] & 0x003f) {
	case 0x10:
	case 0x12:
		return KPROBE_EXCLUSIVE_LOAD;
	case 0x11:
	case 0x13:
		return KPROBE_EXCLUSIVE_STORE;
	}
	return KPROBE_EXCLUSIVE_NONE;
}

static noinstr unsigned long arc_trap_address(unsigned long val,
					      const struct die_args *args)
{
	return val == DIE_IERR ? args->err : 0;
}

static noinstr bool arc_is_trap(kprobe_opcode_t insn)
{
	return insn == UNIMP_S_INSTRUCTION;
}

const struct kprobe_quirks kprobe_quirks __refconst = {
	.steps_in_place = true,
	.refuses_fixups = true,
	.blacklist = arc_blacklist,
	.exclusive = arc_exclusive,
	.trap_address = arc_trap_address,
	.is_trap = arc_is_trap,
};
