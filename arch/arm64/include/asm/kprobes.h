/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dynamic probes on arm64: interface to the core and to the trap handlers. */
#ifndef _ASM_ARM64_KPROBES_H
#define _ASM_ARM64_KPROBES_H

#include <asm-generic/kprobes.h>

#ifndef __ASSEMBLY__

struct pt_regs;

#ifdef CONFIG_KPROBES

#include <linux/types.h>
#include <asm/probes.h>
#include <asm/ptrace.h>

/* An instruction, a branch back, a literal: see kprobes-slot.c. */
#define KPROBE_SLOT_SIZE	32
/* The same, with registers saved for a call of the core. */
#define KPROBE_DETOUR_SIZE	64
/* A branch replaces one instruction. */
#define KPROBE_JUMP_SIZE	4
/* A probe on a landing pad keeps the pad's address, but is after the pad. */
#define KPROBE_ADDR_KEEPS_PAD	1

typedef u32 kprobe_opcode_t;

struct kprobe;
struct kprobe_site;

/**
 * struct a64_kprobe_call - the call of the core in a slot or detour
 * @begin: index of the first word of the call, from the start of the slot
 * @end: index of the first word after it
 */
struct a64_kprobe_call {
	u8 begin;
	u8 end;
};

/**
 * struct arch_kprobe_insn - one probed instruction
 * @computes: the site's post_slot is a function that applies the instruction to
 *	a struct pt_regs; set before site->npost
 * @post_call: the call in the site's post_slot, unless that is a function
 * @detour_call: the call in the site's detour
 * @decoded: the instruction
 */
struct arch_kprobe_insn {
	bool computes;
	struct a64_kprobe_call post_call;
	struct a64_kprobe_call detour_call;
	struct a64_kprobe_insn decoded;
};

static __always_inline bool arch_kprobe_irqs_on(struct pt_regs *regs)
{
	return interrupts_enabled(regs);
}

/* At a function's entry, the link register holds the return address. */
static __always_inline unsigned long *
arch_kprobe_return_place(struct pt_regs *regs)
{
	return (unsigned long *)&regs->regs[30];
}

/* The caller's frame is the same when the call returns. */
static __always_inline void *arch_kprobe_frame(struct pt_regs *regs)
{
	return (void *)regs->regs[29];
}

/* The trampoline returns by the link register. */
static __always_inline void
arch_kretprobe_fixup_return(struct pt_regs *regs, kprobe_opcode_t *ret)
{
	regs->regs[30] = (unsigned long)ret;
}
#define arch_kretprobe_fixup_return arch_kretprobe_fixup_return

/* The trampoline has saved all registers. */
static __always_inline void *arch_kretprobe_enter(struct pt_regs *regs)
{
	return arch_kprobe_frame(regs);
}

/* A branch must reach from the site to its slots. */
#define arch_kprobe_slots_near arch_kprobe_slots_near
bool arch_kprobe_slots_near(const void *text, const struct kprobe_site *site);
void *arch_kprobe_alloc_slots(const struct kprobe_site *site);

extern const int kretprobe_blacklist_size;

unsigned int kprobe_hidden_callers(const struct pt_regs *regs,
				   unsigned long *hidden);

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/* Number of times that kprobes-stop.c has fallen back on stop_machine(). */
extern unsigned int a64_kprobe_holds_given_up;
bool a64_kprobe_holds(void);
#endif

#else

static inline unsigned int kprobe_hidden_callers(const struct pt_regs *regs,
						 unsigned long *hidden)
{
	return 0;
}

#endif /* CONFIG_KPROBES */

/* kprobe_hidden_callers(): callers of the probed function and the thunk. */
#define KPROBE_HIDDEN_MAX	2

/* For call_el1_break_hook(). */
int kprobe_brk_handler(struct pt_regs *regs, unsigned long esr);
int kprobe_ss_brk_handler(struct pt_regs *regs, unsigned long esr);

#endif /* __ASSEMBLY__ */
#endif /* _ASM_ARM64_KPROBES_H */
