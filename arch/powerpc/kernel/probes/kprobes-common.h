/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of kprobes on powerpc share.  The kernel is a 64-bit one for
 * Book3S, of either byte order and either version of the ABI, or a 32-bit one.
 */
#ifndef __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H
#define __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H

#include <asm/page.h>

/*
 * PPC_KPROBE_POOL_SIZE: the kernel's own text has so many bytes for slots, see
 * kprobes-slot.c.
 *
 * PPC_JPROBE_STACK: where in a caller's frame the arguments are.  On 64 bit the
 * ABI has place there for those in registers.
 *
 * PPC_JPROBE_STACK_BYTES: so much of that a jprobe's function finds copied: the
 * place for registers, and 64 bytes more.
 */
#ifdef CONFIG_PPC64
#define PPC_KPROBE_POOL_SIZE	0x200000
#ifdef CONFIG_PPC64_ELF_ABI_V2
#define PPC_JPROBE_STACK	32
#else
#define PPC_JPROBE_STACK	48
#endif
#define PPC_JPROBE_STACK_BYTES	128
#else
#define PPC_KPROBE_POOL_SIZE	0x100000
#define PPC_JPROBE_STACK	8
#define PPC_JPROBE_STACK_BYTES	64
#endif

/*
 * A detour begins with a pointer to its site, aligned like this.  The call in
 * it returns to within so many bytes, so that the thunk finds the pointer.
 */
#define PPC_DETOUR_ALIGN_SHIFT	6

/* KPROBE_HIT_DIVERTED, for assembly. */
#define PPC_KPROBE_DIVERTED	2

#ifndef __ASSEMBLY__

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kprobes_hit.h>
#include <linux/percpu-defs.h>
#include <asm/inst.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#include "decode-insn.h"

/*
 * The trap in a slot.  The kernel and compilers use this word nowhere else, so
 * it needs no look-up.  The slot also has a pointer to its site.
 */
#define PPC_KPROBE_SLOT_TRAP	PPC_RAW_TW(31, 5, 5)

/**
 * struct ppc_kprobe_slot - what stands in a slot
 * @word: the instruction and the way back
 * @site: the owner
 * @unused: up to the size of a slot
 */
struct ppc_kprobe_slot {
	u32 word[4];
	struct kprobe_site *site;
	u32 unused[2];
};

static_assert(sizeof(struct ppc_kprobe_slot) <= KPROBE_SLOT_SIZE);

static_assert(PPC_KPROBE_DIVERTED == KPROBE_HIT_DIVERTED);

#define PPC_DETOUR_ALIGN	BIT(PPC_DETOUR_ALIGN_SHIFT)
/* The size of a detour from which a branch reaches the thunk. */
#define PPC_DETOUR_NEAR_SIZE	64
/* The first word of a detour that is executed. */
#define PPC_DETOUR_ENTRY	(sizeof(struct kprobe_site *) / sizeof(u32))

/**
 * enum ppc_detour_kind - what is done for an instruction besides its copy
 *
 * @PPC_DETOUR_PLAIN: nothing
 * @PPC_DETOUR_LINKS: LR is set
 * @PPC_DETOUR_COMPUTES: all, and there is no copy
 */
enum ppc_detour_kind {
	PPC_DETOUR_PLAIN,
	PPC_DETOUR_LINKS,
	PPC_DETOUR_COMPUTES,
};

/*
 * Is that code whose addresses are not translated?  On Book E there is none,
 * and the same bits choose one of two address spaces.
 */
static __always_inline bool ppc_kprobe_real_mode(unsigned long msr)
{
	if (IS_ENABLED(CONFIG_BOOKE))
		return false;
	return (msr & (MSR_IR | MSR_DR)) != (MSR_IR | MSR_DR);
}

/* The address behind the probed instruction. */
static __always_inline unsigned long
ppc_kprobe_next(const struct kprobe_site *site)
{
	return (unsigned long)site->addr + ppc_inst_len(site->insn.insn);
}

static __always_inline bool
ppc_kprobe_is_emulated(const struct kprobe_site *site)
{
	return site->insn.class == PPC_KPROBE_EMULATE;
}

/* kprobes-compute.c */
void ppc_kprobe_emulate(const struct kprobe_site *site, struct pt_regs *regs);
bool ppc_kprobe_emulate_access(const struct kprobe_site *site,
			       struct pt_regs *regs);

/* kprobes-thunk.S */
extern char ppc_kprobe_pool[], ppc_kprobe_pool_end[];
extern char kprobe_jump_thunk[], kprobe_jump_thunk_far[];
void ppc_jprobe_call(void *entry, struct pt_regs *regs, void *stack,
		     unsigned long *frame);
void ppc_jprobe_return(unsigned long frame);

/* kprobes-detour.c */
enum kprobe_verdict kprobe_hit_jump(struct kprobe_site *site,
				    struct pt_regs *regs);
u32 ppc_kprobe_jump(const struct kprobe_site *site);
unsigned long ppc_kprobe_detour_place(const struct kprobe_site *site,
				      unsigned long ip, bool *saved);

#endif /* __ASSEMBLY__ */
#endif /* __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H */
