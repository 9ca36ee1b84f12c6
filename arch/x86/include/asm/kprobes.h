/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dynamic probes on x86: interface to the core and to the trap handlers. */
#ifndef _ASM_X86_KPROBES_H
#define _ASM_X86_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES

#include <linux/types.h>
#include <asm/cpufeature.h>
#include <asm/insn.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

/* An instruction of up to 15 bytes; a jump, or a call, an int3, a pointer. */
#define KPROBE_SLOT_SIZE	32
/* The entry (see detour.c), the instructions of a region, a jump back. */
#define KPROBE_DETOUR_SIZE	64
/* Bytes of a jump, and the maximum number of instructions it replaces. */
#define KPROBE_JUMP_SIZE	5

/*
 * Pre handlers see the instruction pointer after the breakpoint's byte, even if
 * a jump or ftrace delivers the hit, because tools subtract this byte before
 * they look up the symbol.
 */
#define KPROBE_IP_SKID		1

typedef u8 kprobe_opcode_t;

struct kprobe;
struct kprobe_site;

/**
 * enum x86_kprobe_class - how a probed instruction is executed
 *
 * arch_kprobe_inspect() sets the class once; the hit path only reads it.  All
 * classes but the first two are near branches.
 *
 * @X86_KPROBE_OUT_OF_LINE: runs in a slot, followed by a jump back
 * @X86_KPROBE_NOP: does nothing
 * @X86_KPROBE_JMP: jump to @target
 * @X86_KPROBE_JCC: jump to @target on condition @cond
 * @X86_KPROBE_LOOP: LOOP, LOOPE, LOOPNE, JrCXZ (@cond: its opcode)
 * @X86_KPROBE_CALL: call of @target
 * @X86_KPROBE_RET: return that drops @target bytes of arguments
 * @X86_KPROBE_JMP_REG: jump to the address in the register at @base
 * @X86_KPROBE_CALL_REG: call of the address in the register at @base
 * @X86_KPROBE_JMP_MEM: jump to the address in the memory operand
 * @X86_KPROBE_CALL_MEM: call of the address in the memory operand
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
 * enum x86_kprobe_simple - out-of-line instructions that can be emulated
 *
 * A trap at a site with post handlers emulates them on the saved registers, so
 * post_slot is not needed.
 *
 * @X86_KPROBE_NOT_SIMPLE: must be executed
 * @X86_KPROBE_PUSH: push the register at @index
 * @X86_KPROBE_MOV: copy the register at @index to the one at @base, which is
 *	not the stack pointer
 * @X86_KPROBE_ADD_SP: add @target to the stack pointer, which must not drop by
 *	more than LOWER_SP_MAX
 * @X86_KPROBE_SUB_SP: subtract @target from it, with the same limit
 */
enum x86_kprobe_simple {
	X86_KPROBE_NOT_SIMPLE,
	X86_KPROBE_PUSH,
	X86_KPROBE_MOV,
	X86_KPROBE_ADD_SP,
	X86_KPROBE_SUB_SP,
};

/**
 * struct x86_kprobe_jump - a jump that replaces a breakpoint
 * @region: bytes of original text that the detour replaces
 * @nr: instructions copied
 * @from: start of each instruction, in bytes after the start of the jump
 * @to: start of each copy, in bytes from the start of the detour
 * @end: end of the copies in the detour; the jump back starts here, if any
 * @clac: the detour must make user memory inaccessible
 * @text: the original text under the jump
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
 * @len: length in bytes
 * @cond: condition code, or opcode
 * @scale: shift of the index
 * @simple: enum x86_kprobe_simple, for class OUT_OF_LINE
 * @narrow: LOOP counts in %ecx, not %rcx; MOV writes 32 bits
 * @relative: offset in the instruction of a displacement relative to the next
 *	instruction; 0 if there is none
 * @first: first byte of the instruction
 * @base: offset into pt_regs of the base register, or -1
 * @run: where a trap continues: the copy in the detour while that is in use;
 *	otherwise the slot, or NULL if the instruction is emulated
 * @target: branch target; displacement of a memory operand (plus the address of
 *	the next instruction if relative to it); or the number of bytes for RET,
 *	ADD_SP and SUB_SP
 * @index: offset into pt_regs of the index register, or -1
 * @jump: the site's detour
 */
struct arch_kprobe_insn {
	u8 class;
	u8 len;
	u8 cond;
	u8 scale;
	u8 simple;
	bool narrow;
	u8 relative;
	u8 first;
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
 * Return the address in the original text that has the same stack layout as
 * @ip, and add to @sp the words that the detour has pushed.  If @site is NULL,
 * @ip is in no slot.
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

/* At a function's entry, the return address is on top of the stack. */
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
 * The trampoline has pushed its own address in place of the return address.
 * This word is directly above @regs.
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

void x86_kprobe_xenpv_flags(struct pt_regs *regs);

/* ftrace passes a struct pt_regs under this type. */
static __always_inline struct pt_regs *
arch_kprobe_ftrace_regs(struct ftrace_regs *fregs)
{
	struct pt_regs *regs = (struct pt_regs *)fregs;

	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		x86_kprobe_xenpv_flags(regs);
	return regs;
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

/* Nothing is left to do: fixup_exception() has called kprobe_fault(). */
static inline int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	return 0;
}

#endif /* _ASM_X86_KPROBES_H */
