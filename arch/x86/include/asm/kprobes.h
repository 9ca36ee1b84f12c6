/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes on x86: what the core and the trap handlers need to know.
 */
#ifndef _ASM_X86_KPROBES_H
#define _ASM_X86_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES

#include <linux/types.h>
#include <asm/insn.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

/* An instruction of 15 bytes, and what leads back from behind it. */
#define KPROBE_SLOT_SIZE	32
/* The entry (see detour.c), the instructions of a region, the way back. */
#define KPROBE_DETOUR_SIZE	64
/* A jump, and how many instructions can begin under it. */
#define KPROBE_JUMP_SIZE	5

/*
 * A pre handler finds the instruction pointer after the byte of a breakpoint,
 * even if a jump or ftrace delivers the hit: tools subtract this byte before
 * they look for the symbol.
 */
#define KPROBE_IP_SKID		1

typedef u8 kprobe_opcode_t;

struct kprobe;
struct kprobe_site;

/**
 * enum x86_kprobe_class - how a probed instruction is executed elsewhere
 *
 * Decided once, by arch_kprobe_inspect(); a hit obeys.  The emulated ones
 * are those whose meaning depends on where they stand.
 *
 * @X86_KPROBE_OUT_OF_LINE: runs in a slot, with its way back behind it
 * @X86_KPROBE_NOP: does nothing
 * @X86_KPROBE_JMP: to @target
 * @X86_KPROBE_JCC: to @target on condition @cond
 * @X86_KPROBE_LOOP: LOOP, LOOPE, LOOPNE, JrCXZ (@cond: its opcode)
 * @X86_KPROBE_CALL: of @target
 * @X86_KPROBE_RET: and drop @target bytes of arguments
 * @X86_KPROBE_JMP_REG: to where the register at @base in pt_regs points
 * @X86_KPROBE_CALL_REG: same for a call
 * @X86_KPROBE_JMP_MEM: to where the memory operand points
 * @X86_KPROBE_CALL_MEM: same for a call
 */
enum x86_kprobe_class {
	X86_KPROBE_OUT_OF_LINE,
	X86_KPROBE_NOP,
	X86_KPROBE_JMP,
	X86_KPROBE_JCC,
	X86_KPROBE_LOOP,
	X86_KPROBE_CALL,
	X86_KPROBE_RET,
	X86_KPROBE_JMP_REG,
	X86_KPROBE_CALL_REG,
	X86_KPROBE_JMP_MEM,
	X86_KPROBE_CALL_MEM,
};

/**
 * enum x86_kprobe_simple - what one out of line does that is as easily done to
 *	the saved registers, which a post handler saves an exit for
 *
 * @X86_KPROBE_NOT_SIMPLE: it has to be executed
 * @X86_KPROBE_PUSH: pushes the register at @index
 * @X86_KPROBE_MOV: writes the register at @index to the one at @base, which is
 *	not the stack pointer
 * @X86_KPROBE_ADD_SP: adds @target to the stack pointer, and does not lower it
 *	by more than what is free below
 * @X86_KPROBE_SUB_SP: subtracts it; the same holds
 */
enum x86_kprobe_simple {
	X86_KPROBE_NOT_SIMPLE,
	X86_KPROBE_PUSH,
	X86_KPROBE_MOV,
	X86_KPROBE_ADD_SP,
	X86_KPROBE_SUB_SP,
};

/**
 * struct x86_kprobe_jump - a jump in the place of a trap
 * @region: bytes copied into the detour
 * @nr: instructions copied
 * @from: where each of them begins, in bytes behind the probed address
 * @to: where each of them begins in the detour
 * @end: where the way back begins in the detour; behind a call there is none
 * @clac: on the way in, user memory is made inaccessible
 * @text: what the jump stands in the place of
 */
struct x86_kprobe_jump {
	u8 region;
	u8 nr;
	u8 from[KPROBE_JUMP_SIZE];
	u8 to[KPROBE_JUMP_SIZE];
	u8 end;
	bool clac;
	u8 text[KPROBE_JUMP_SIZE];
};

/**
 * struct arch_kprobe_insn - one probed instruction
 * @class: enum x86_kprobe_class
 * @len: in bytes
 * @cond: condition code, or opcode
 * @scale: shift of the index
 * @simple: enum x86_kprobe_simple of one out of line
 * @narrow: counts in %ecx and not in %rcx; moves 32 bits
 * @relative: of one out of line: where in it a displacement stands that is
 *	relative to the next instruction; 0 for none
 * @base: offset into pt_regs of the base register; -1 for none
 * @run: where a trap goes on: the site's slot, or the copy in the detour, if
 *	that is in use; NULL: the instruction is emulated
 * @target: of a branch; the displacement of a memory operand (with the
 *	address of the next instruction added if it is relative to that)
 * @index: offset into pt_regs of the index register; -1 for none
 * @jump: what there is to know of the site's detour
 */
struct arch_kprobe_insn {
	u8 class;
	u8 len;
	u8 cond;
	u8 scale;
	u8 simple;
	bool narrow;
	u8 relative;
	s16 base;
	void *run;
	unsigned long target;
	s16 index;
	struct x86_kprobe_jump jump;
};

bool kprobe_int3_fast(struct pt_regs *regs);
int kprobe_int3_handler(struct pt_regs *regs);
int kprobe_read_insn(u8 *buf, unsigned long addr, unsigned int size);
unsigned long kprobe_unwind(unsigned long addr, struct pt_regs *regs,
			    unsigned long *sp);

void arch_kprobe_resume(struct pt_regs *regs);
#define arch_kprobe_resume arch_kprobe_resume

/*
 * Return the address in the original text whose stack layout @ip has.  Add to
 * @sp what the detour has pushed.  Without @site, @ip is in no slot.
 */
unsigned long arch_kprobe_unwind(struct kprobe_site *site, void *slot,
				 unsigned long ip, struct pt_regs *regs,
				 unsigned long *sp);
#define arch_kprobe_unwind arch_kprobe_unwind
unsigned long *kprobe_thunk_frame(struct pt_regs *regs, unsigned long **bp);

static __always_inline bool arch_kprobe_irqs_on(struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_IF;
}

/* At a function's entry, with the call's return address on top. */
static __always_inline unsigned long *
arch_kprobe_return_place(struct pt_regs *regs)
{
	return (unsigned long *)regs->sp;
}

static __always_inline void *arch_kprobe_frame(struct pt_regs *regs)
{
	return (void *)regs->sp;
}

/*
 * The trampoline has put its own address where that of the call was, right
 * behind the registers.
 */
static __always_inline void *arch_kretprobe_enter(struct pt_regs *regs)
{
	return regs + 1;
}

static __always_inline void
arch_kretprobe_fixup_return(struct pt_regs *regs, kprobe_opcode_t *ret)
{
	*(unsigned long *)(regs + 1) = (unsigned long)ret;
}
#define arch_kretprobe_fixup_return arch_kretprobe_fixup_return

struct ftrace_regs;

/* ftrace passes a struct pt_regs by that name. */
static __always_inline struct pt_regs *
arch_kprobe_ftrace_regs(struct ftrace_regs *fregs)
{
	return (struct pt_regs *)fregs;
}

extern const int kretprobe_blacklist_size;

#else

#include <linux/types.h>

struct pt_regs;

long copy_from_kernel_nofault(void *dst, const void *src, size_t size);

static inline int kprobe_int3_handler(struct pt_regs *regs)
{
	return 0;
}

static inline int kprobe_read_insn(u8 *buf, unsigned long addr,
				   unsigned int size)
{
	return copy_from_kernel_nofault(buf, (void *)addr, size);
}

static inline unsigned long kprobe_unwind(unsigned long addr,
					  struct pt_regs *regs,
					  unsigned long *sp)
{
	return addr;
}

static inline unsigned long *kprobe_thunk_frame(struct pt_regs *regs,
						unsigned long **bp)
{
	return NULL;
}

#endif /* CONFIG_KPROBES */

/* Asked after fixup_exception(), which has asked kprobe_fault() already. */
static inline int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	return 0;
}

static inline int kprobe_debug_handler(struct pt_regs *regs)
{
	return 0;
}

#endif /* _ASM_X86_KPROBES_H */
