// SPDX-License-Identifier: GPL-2.0-or-later
/* Corrections around csky's code for probes: see struct kprobe_quirks. */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <asm/switch_to.h>
#include <asm/traps.h>

asmlinkage void csky_cmpxchg(void);
asmlinkage void csky_pagefault(void);

/*
 * From the first to the last function of entry.S, the system call in atomic.S,
 * and the handlers of the exceptions that breakpoints and steps raise.
 */
static void __init csky_blacklist(void)
{
	kprobe_add_area_blacklist((unsigned long)csky_pagefault,
				  (unsigned long)__switch_to);
	kprobe_add_ksym_blacklist((unsigned long)__switch_to);
	kprobe_add_ksym_blacklist((unsigned long)csky_cmpxchg);
	kprobe_add_ksym_blacklist((unsigned long)trap_c);
	kprobe_add_ksym_blacklist((unsigned long)do_trap_illinsn);
	kprobe_add_ksym_blacklist((unsigned long)do_trap_bkpt);
}

static unsigned int csky_insn_bytes(unsigned long at)
{
	return (*(const u16 *)at & 0xc000) == 0xc000 ? 4 : 2;
}

/* LDEX.W, STEX.W. */
static enum kprobe_exclusive csky_exclusive(unsigned long at)
{
	const u16 *half = (const u16 *)at;

	if ((half[0] & 0xf800) != 0xd800 || (half[1] & 0xf000) != 0x7000)
		return KPROBE_EXCLUSIVE_NONE;
	return half[0] & 0x0400 ? KPROBE_EXCLUSIVE_STORE :
				  KPROBE_EXCLUSIVE_LOAD;
}

const struct kprobe_quirks kprobe_quirks __refconst = {
	/* ftrace also writes the halfword before the call. */
	.ftrace_from = -(int)sizeof(u16),
	.blacklist = csky_blacklist,
	.insn_bytes = csky_insn_bytes,
	.exclusive = csky_exclusive,
};
