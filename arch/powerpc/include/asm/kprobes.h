/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dynamic probes on powerpc: interface to the core and exception handlers. */
#ifndef _ASM_POWERPC_KPROBES_H
#define _ASM_POWERPC_KPROBES_H

#include <asm-generic/kprobes.h>

#ifndef __ASSEMBLY__

#include <linux/types.h>
#include <asm/inst.h>
#include <asm/ptrace.h>
#include <asm/probes.h>
#include <asm/text-patching.h>

#ifdef CONFIG_KPROBES

#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <asm/hw_irq.h>
#include <asm/kup.h>
#include <asm/ppc_asm.h>
#include <asm/reg.h>

/* An instruction, a branch back, a pointer: see kprobes-slot.c. */
#define KPROBE_SLOT_SIZE	32
/* The same, with registers saved for a call of the core, from a module. */
#define KPROBE_DETOUR_SIZE	128
/* A branch replaces one instruction. */
#define KPROBE_JUMP_SIZE	4

typedef u32 kprobe_opcode_t;

struct kprobe;
struct kprobe_site;

/**
 * struct ppc_kprobe_detour - contents of a site's detour
 * @kind: enum ppc_detour_kind of kprobes-common.h
 * @copy: first word of the instruction's copy
 * @end: first word after the copy
 */
struct ppc_kprobe_detour {
	u8 kind;
	u8 copy;
	u8 end;
};

/**
 * struct arch_kprobe_insn - one probed instruction
 * @insn: the instruction
 * @class: enum ppc_kprobe_class of decode-insn.h
 * @detour: contents of the site's detour
 */
struct arch_kprobe_insn {
	ppc_inst_t insn;
	u8 class;
	struct ppc_kprobe_detour detour;
};

/*
 * The soft mask is not enough on 64 bit: raw exception handlers and the entry
 * of idle states run with the mask clear and MSR[EE] off.
 */
static __always_inline bool arch_kprobe_irqs_on(struct pt_regs *regs)
{
	return (regs->msr & MSR_EE) && !regs_irqs_disabled(regs);
}

void arch_kprobe_resume(struct pt_regs *regs);
#define arch_kprobe_resume arch_kprobe_resume

/* At a function's entry, the link register holds the return address. */
static __always_inline unsigned long *
arch_kprobe_return_place(struct pt_regs *regs)
{
	return &regs->link;
}

/* The caller's frame is the same when the call returns. */
static __always_inline void *arch_kprobe_frame(struct pt_regs *regs)
{
	return (void *)regs->gpr[1];
}

/*
 * The trampoline returns by the link register.  An unwinder reads the address
 * from the place where the callee may have saved it.
 */
static __always_inline void
arch_kretprobe_fixup_return(struct pt_regs *regs, kprobe_opcode_t *ret)
{
	unsigned long *frame = (unsigned long *)regs->gpr[1];

	regs->link = (unsigned long)ret;
	frame[STACK_FRAME_LR_SAVE] = (unsigned long)ret;
}
#define arch_kretprobe_fixup_return arch_kretprobe_fixup_return

#if defined(CONFIG_PPC_KUAP) && defined(CONFIG_PPC_BOOK3S_64)
/*
 * Return true if user memory is accessible.  Loading the constant takes five
 * instructions, but rotated it is a small negative number.
 */
static __always_inline bool ppc_kprobe_access_open(unsigned long kuap)
{
	long turned = rol64(kuap, 8);

	OPTIMIZER_HIDE_VAR(turned);
	return turned != (long)rol64(AMR_KUAP_BLOCKED, 8);
}

static __always_inline void ppc_kprobe_close_access(struct pt_regs *regs)
{
	regs->kuap = get_kuap();
	if (unlikely(ppc_kprobe_access_open(regs->kuap)))
		set_kuap(AMR_KUAP_BLOCKED);
}

static __always_inline void ppc_kprobe_reopen_access(struct pt_regs *regs)
{
	if (unlikely(ppc_kprobe_access_open(regs->kuap)))
		set_kuap(regs->kuap);
}
#elif defined(CONFIG_PPC_KUAP)
static __always_inline void ppc_kprobe_close_access(struct pt_regs *regs)
{
	regs->kuap = prevent_user_access_return();
}

static __always_inline void ppc_kprobe_reopen_access(struct pt_regs *regs)
{
	restore_user_access(regs->kuap);
}
#else
static __always_inline void ppc_kprobe_close_access(struct pt_regs *regs) { }
static __always_inline void ppc_kprobe_reopen_access(struct pt_regs *regs) { }
#endif

#ifdef CONFIG_PPC64
static __always_inline void ppc_kprobe_mask(struct pt_regs *regs)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	regs->softe = flags;
}

/*
 * Restore the soft mask from before the hit.  The common case is that nothing
 * was masked and no interrupt is pending.  An interrupt between the read of
 * irq_happened and the write of the mask is noted in the PACA and restarts this
 * code at 77, so it is not lost.  If @flags mask interrupts, that is harmless.
 */
static __always_inline void ppc_kprobe_unmask(struct pt_regs *regs)
{
	unsigned long flags = regs->softe;

	asm goto("	cmpwi	%[flags], %[enabled]\n"
		 "	bne	79f\n"
		 "77:	lbz	0, %[happened](13)\n"
		 "	cmpwi	0, 0\n"
		 "	bne-	%l[pending]\n"
		 "79:	stb	%[flags], %[mask](13)\n"
		 "78:\n"
		 RESTART_TABLE(77b, 78b, 77b)
		 : : [flags] "r" (flags),
		     [enabled] "i" (IRQS_ENABLED),
		     [happened] "i" (offsetof(struct paca_struct,
					      irq_happened)),
		     [mask] "i" (offsetof(struct paca_struct, irq_soft_mask))
		 : "r0", "cr0", "memory"
		 : pending);
	return;
pending:
	/* raw_local_irq_restore() would set MSR[EE]. */
	if (regs->msr & MSR_EE)
		raw_local_irq_restore(flags);
	else
		irq_soft_mask_set(flags);
}
#else
/* MSR[EE] is the mask, and is in @regs->msr. */
static __always_inline void ppc_kprobe_mask(struct pt_regs *regs)
{
	raw_local_irq_disable();
}

static __always_inline void ppc_kprobe_unmask(struct pt_regs *regs)
{
	if (likely(arch_kprobe_irqs_on(regs)))
		raw_local_irq_enable();
}
#endif

/**
 * ppc_kprobe_enter - prepare for the handlers of a hit without an exception
 * @regs: completed with the previous state
 * @msr: MSR of that state
 *
 * Mask interrupts and make user memory inaccessible, as the entry of an
 * exception does.  On Book3S-64 this avoids the flush of the data cache in
 * prevent_user_access_return(), and the write if user memory is inaccessible
 * already, as it nearly always is.
 */
static __always_inline void ppc_kprobe_enter(struct pt_regs *regs,
					     unsigned long msr)
{
	ppc_kprobe_mask(regs);
	regs->msr = msr;
	ppc_kprobe_close_access(regs);
}

/**
 * ppc_kprobe_exit - undo ppc_kprobe_enter() after the last handler
 * @regs: from ppc_kprobe_enter()
 *
 * On 64 bit, unmasking may replay interrupts that have arrived since.  They run
 * after the last handler, outside of any exception.  User memory is made
 * accessible last, so interrupts that are replayed or taken here, and tasks
 * scheduled by them, cannot access it.
 */
static __always_inline void ppc_kprobe_exit(struct pt_regs *regs)
{
	ppc_kprobe_unmask(regs);
	ppc_kprobe_reopen_access(regs);
}

static __always_inline void *arch_kretprobe_enter(struct pt_regs *regs)
{
	ppc_kprobe_enter(regs, mfmsr());
	return arch_kprobe_frame(regs);
}

#define arch_kretprobe_exit	ppc_kprobe_exit

struct ftrace_regs;

/*
 * A struct ftrace_regs is only a struct pt_regs.  The trampoline saves all
 * registers, but not the soft mask.
 */
static __always_inline struct pt_regs *
arch_kprobe_ftrace_regs(struct ftrace_regs *fregs)
{
	struct pt_regs *regs = (struct pt_regs *)fregs;

#ifdef CONFIG_PPC64
	regs->softe = irq_soft_mask_return();
#endif
	return regs;
}

/* If there is room, a branch reaches from the site to its slots. */
#define arch_kprobe_slots_near arch_kprobe_slots_near
bool arch_kprobe_slots_near(const void *text, const struct kprobe_site *site);
void *arch_kprobe_alloc_slots(const struct kprobe_site *site);
/* Some slots are in the kernel's own text. */
#define arch_kprobe_free_slots arch_kprobe_free_slots
int arch_kprobe_protect_slots(void *text);
void arch_kprobe_free_slots(void *text);

extern const int kretprobe_blacklist_size;

/* Handle a trap instruction if it is a probe's; return true if so. */
bool kprobe_handler(struct pt_regs *regs);

/* For code that decodes text around the address of an exception. */
u32 ppc_kprobe_original_insn(const u32 *addr);

unsigned long kprobe_unwind_hit(const struct pt_regs *regs, unsigned long *sp,
				unsigned long *link);

#else /* !CONFIG_KPROBES */

static inline bool kprobe_handler(struct pt_regs *regs)
{
	return false;
}

static inline u32 ppc_kprobe_original_insn(const u32 *addr)
{
	return *addr;
}

static inline unsigned long kprobe_unwind_hit(const struct pt_regs *regs,
					      unsigned long *sp,
					      unsigned long *link)
{
	*sp = regs->gpr[1];
	*link = 0;
	return 0;
}

#endif /* CONFIG_KPROBES */

/* Called for a single step; probes never use one. */
static inline bool kprobe_post_handler(struct pt_regs *regs)
{
	return false;
}

#endif /* __ASSEMBLY__ */
#endif /* _ASM_POWERPC_KPROBES_H */
