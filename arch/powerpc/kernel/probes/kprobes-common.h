/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations that the files of kprobes on powerpc share.  The kernel is
 * 32-bit, or 64-bit with any byte order and ABI version.
 */
#ifndef __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H
#define __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H

#include <asm/page.h>

/* Bytes for slots in the kernel's own text: see kprobes-slot.c. */
#ifdef CONFIG_PPC64
#define PPC_KPROBE_POOL_SIZE	0x200000
#else
#define PPC_KPROBE_POOL_SIZE	0x100000
#endif

/*
 * PPC_JPROBE_STACK: offset of the arguments in a caller's frame.  On 64 bit the
 * ABI reserves space there for arguments in registers.
 *
 * PPC_JPROBE_STACK_BYTES: bytes from there that are copied for a jprobe's
 * function: that space, and 64 bytes more.
 */
#ifndef CONFIG_PPC64
#define PPC_JPROBE_STACK	8
#define PPC_JPROBE_STACK_BYTES	64
#elif defined(CONFIG_PPC64_ELF_ABI_V2)
#define PPC_JPROBE_STACK	32
#define PPC_JPROBE_STACK_BYTES	128
#else
#define PPC_JPROBE_STACK	48
#define PPC_JPROBE_STACK_BYTES	128
#endif

/*
 * The alignment of a detour, which begins with a pointer to its site.  The
 * thunk rounds its return address down to this alignment to find the pointer.
 */
#define PPC_DETOUR_ALIGN_SHIFT	6

/* KPROBE_HIT_DIVERTED, for assembly. */
#define PPC_KPROBE_DIVERTED	2

#ifndef __ASSEMBLY__

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kprobes_hit.h>
#include <asm/inst.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#include "decode-insn.h"

/*
 * The trap in a slot.  The kernel and compilers use this word nowhere else, so
 * no lookup is needed to recognize it; the slot has a pointer to its site.
 */
#define PPC_KPROBE_SLOT_TRAP	PPC_RAW_TW(31, 5, 5)

/* A slot: the instruction, the branch or trap after it, and the owner. */
struct ppc_kprobe_slot {
	u32 word[4];
	struct kprobe_site *site;
	u32 unused[2];
};

static_assert(sizeof(struct ppc_kprobe_slot) <= KPROBE_SLOT_SIZE);

static_assert(PPC_KPROBE_DIVERTED == KPROBE_HIT_DIVERTED);

static_assert(PPC_JPROBE_STACK + PPC_JPROBE_STACK_BYTES <=
	      JPROBE_STACK_WORDS * sizeof(long));

#define PPC_DETOUR_ALIGN	BIT(PPC_DETOUR_ALIGN_SHIFT)
/* Size of a detour from which a branch reaches the thunk. */
#define PPC_DETOUR_NEAR_SIZE	64
/* Index of the first executed word of a detour. */
#define PPC_DETOUR_ENTRY	(sizeof(struct kprobe_site *) / sizeof(u32))

/**
 * enum ppc_detour_kind - effects of an instruction that its copy lacks
 *
 * @PPC_DETOUR_PLAIN: none
 * @PPC_DETOUR_LINKS: sets LR
 * @PPC_DETOUR_COMPUTES: all of them; there is no copy
 */
enum ppc_detour_kind {
	PPC_DETOUR_PLAIN,
	PPC_DETOUR_LINKS,
	PPC_DETOUR_COMPUTES,
};

/*
 * Return true if addresses are not translated.  On Book E they always are, and
 * the same bits select one of two address spaces.
 */
static __always_inline bool ppc_kprobe_real_mode(unsigned long msr)
{
	if (IS_ENABLED(CONFIG_BOOKE))
		return false;
	return (msr & (MSR_IR | MSR_DR)) != (MSR_IR | MSR_DR);
}

/* Return the address after the probed instruction. */
static __always_inline unsigned long
ppc_kprobe_next(const struct kprobe_site *site)
{
	return (unsigned long)site->addr + ppc_inst_len(site->insn.insn);
}

/* kprobes-compute.c */
void ppc_kprobe_emulate(const struct kprobe_site *site, struct pt_regs *regs);
bool ppc_kprobe_emulate_access(const struct kprobe_site *site,
			       struct pt_regs *regs);

/* kprobes-thunk.S */
extern char ppc_kprobe_pool[], ppc_kprobe_pool_end[];
extern char kprobe_jump_thunk[], kprobe_jump_thunk_far[];
extern char kprobe_jump_thunk_end[];

/* kprobes-detour.c */
enum kprobe_verdict kprobe_hit_jump(struct kprobe_site *site,
				    struct pt_regs *regs);
u32 ppc_kprobe_jump(const struct kprobe_site *site);
unsigned long ppc_kprobe_detour_place(const struct kprobe_site *site,
				      unsigned long ip, bool *saved);

#endif /* __ASSEMBLY__ */
#endif /* __POWERPC_KERNEL_PROBES_KPROBES_COMMON_H */
