/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of kprobes on powerpc share.
 */
#ifndef __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H
#define __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H

#include <asm/page.h>

/* The kernel's own text has so many bytes for slots: see kprobes-slot.c. */
#define PPC_KPROBE_POOL_SIZE	0x80000
/*
 * What a jprobe's function finds copied of the stack above its caller's header:
 * where the ABI has place for the arguments in registers, and 64 bytes more.
 */
#define PPC_JPROBE_STACK_BYTES	128

#ifndef __ASSEMBLY__

#include <linux/kprobes_hit.h>
#include <linux/percpu-defs.h>
#include "decode-insn.h"

/*
 * The trap in a slot is none that a compiler or anyone else makes: it tells by
 * itself where it stands.  The pointer to the site is behind it in the slot.
 */
#define PPC_KPROBE_SLOT_TRAP	PPC_RAW_TW(31, 5, 5)

/**
 * struct ppc_kprobe_slot - what stands in a slot
 * @word: the instruction and the way back
 * @site: whose slot it is
 */
struct ppc_kprobe_slot {
	u32 word[4];
	struct kprobe_site *site;
	u32 unused[2];
};

static_assert(sizeof(struct ppc_kprobe_slot) <= KPROBE_SLOT_SIZE);

/* kprobes-slot.c */
u32 ppc_kprobe_original_word(const u32 *addr);
unsigned long ppc_kprobe_next(const struct kprobe_site *site);

/* kprobes-compute.c */
void ppc_kprobe_compute(const struct kprobe_site *site, struct pt_regs *regs);

/* kprobes-thunk.S */
extern char ppc_kprobe_pool[], ppc_kprobe_pool_end[];
void ppc_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
		     unsigned long *frame);
void ppc_jprobe_return(unsigned long frame);

/* kprobes-return.c */
void ppc_kretprobe_hit(struct pt_regs *regs);

#endif /* __ASSEMBLY__ */
#endif /* __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H */
