// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Breakpoint hits on x86.
 *
 *	int3 -> site -> pre handlers -+-> emulate (also simple instructions
 *	                              |   with a post handler), post handlers,
 *	                              |   return
 *	                              |
 *	                              +-> slot: instruction, jump back
 *	                              |
 *	                              +-> post_slot: instruction, thunk, post
 *	                              |   handlers, return
 *	                              |
 *	                              +-> detour: before its jump is written,
 *	                                  see detour.c
 *
 * Handlers run with interrupts off, as kernel/kprobes/ requires: the gate of
 * int3 and kprobe_post_thunk disable them.
 */
#include <linux/kprobes_hit.h>
#include <linux/ftrace_irq.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
#include <asm/page.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include "common.h"

static __always_inline unsigned long trap_reg(struct pt_regs *regs, s16 offset)
{
	return *(unsigned long *)((void *)regs + offset);
}

static __always_inline unsigned long
trap_operand(const struct arch_kprobe_insn *insn, struct pt_regs *regs)
{
	unsigned long addr = insn->target;

	if (insn->base >= 0)
		addr += trap_reg(regs, insn->base);
	if (insn->index >= 0)
		addr += trap_reg(regs, insn->index) << insn->scale;
	return addr;
}

static bool trap_loop_taken(const struct arch_kprobe_insn *insn,
			    struct pt_regs *regs)
{
	unsigned long mask = insn->narrow ? U32_MAX : ULONG_MAX;
	bool zero = regs->flags & X86_EFLAGS_ZF;

	if (insn->cond == 0xe3)
		return !(regs->cx & mask);

	/* A 32-bit result clears the upper half. */
	regs->cx = (regs->cx - 1) & mask;
	if (!regs->cx)
		return false;
	return insn->cond == 0xe2 || zero == (insn->cond == 0xe1);
}
NOKPROBE_SYMBOL(trap_loop_taken);

static __always_inline bool trap_is_canonical(unsigned long addr)
{
	return !IS_ENABLED(CONFIG_X86_64) ||
	       __is_canonical_address(addr, __VIRTUAL_MASK_SHIFT + 1);
}

/*
 * A return or branch to a non-canonical address raises #GP.  If it were
 * emulated, IRET would raise the #GP, and the kernel would mistake that for a
 * return to user space and switch GS.  So execute the instruction in its slot,
 * and return false.  Test first for a sign-extended 32-bit address, because
 * almost all targets are in the last 2 GB.
 */
static __always_inline bool trap_can_branch(const struct kprobe_site *site,
					    struct pt_regs *regs,
					    unsigned long target)
{
	if (likely((long)target == (int)target) || trap_is_canonical(target))
		return true;
	regs->ip = (unsigned long)site->slot;
	return false;
}

/*
 * Read the target of an indirect branch.  If the operand cannot be read,
 * execute the instruction in its slot, where it raises the exception.
 */
static __always_inline bool trap_read_target(const struct kprobe_site *site,
					     struct pt_regs *regs,
					     unsigned long *target)
{
	unsigned long addr = trap_operand(&site->insn, regs);

	if (addr < TASK_SIZE_MAX || !trap_is_canonical(addr))
		goto fault;
	__get_kernel_nofault(target, (void *)addr, unsigned long, fault);
	return trap_can_branch(site, regs, *target);

fault:
	regs->ip = (unsigned long)site->slot;
	return false;
}

/* Change sp and flags as the instruction would. */
static __always_inline void trap_add_to_sp(struct pt_regs *regs,
					   unsigned long n, bool subtract)
{
	const unsigned long changed = X86_EFLAGS_OF | X86_EFLAGS_SF |
				      X86_EFLAGS_ZF | X86_EFLAGS_AF |
				      X86_EFLAGS_PF | X86_EFLAGS_CF;
	unsigned long sp = regs->sp, flags;

	if (subtract)
		asm("sub %2, %0; pushf; pop %1"
		    : "+r" (sp), "=r" (flags) : "r" (n) : "cc", "memory");
	else
		asm("add %2, %0; pushf; pop %1"
		    : "+r" (sp), "=r" (flags) : "r" (n) : "cc", "memory");
	regs->sp = sp;
	regs->flags = (regs->flags & ~changed) | (flags & changed);
}

static void trap_emulate_simple(const struct arch_kprobe_insn *insn,
				struct pt_regs *regs)
{
	switch ((enum x86_kprobe_simple)insn->simple) {
	case X86_KPROBE_NOT_SIMPLE:
		break;
	case X86_KPROBE_PUSH:
		int3_emulate_push(regs, trap_reg(regs, insn->index));
		break;
	case X86_KPROBE_MOV:
		*(unsigned long *)((void *)regs + insn->base) =
			insn->narrow ? (u32)trap_reg(regs, insn->index) :
				       trap_reg(regs, insn->index);
		break;
	case X86_KPROBE_ADD_SP:
	case X86_KPROBE_SUB_SP:
		trap_add_to_sp(regs, insn->target,
			       insn->simple == X86_KPROBE_SUB_SP);
		break;
	}
}
NOKPROBE_SYMBOL(trap_emulate_simple);

/*
 * Emulate the instruction.  Simple out-of-line instructions are emulated only
 * if a post handler will run.
 *
 * Return: true if done; false if @regs->ip now points to the slot.
 */
static bool trap_emulate(const struct kprobe_site *site, struct pt_regs *regs)
{
	const struct arch_kprobe_insn *insn = &site->insn;
	unsigned long next = regs->ip + insn->len;
	unsigned long target;

	regs->ip = next;

	switch ((enum x86_kprobe_class)insn->class) {
	case X86_KPROBE_OUT_OF_LINE:
		trap_emulate_simple(insn, regs);
		break;
	case X86_KPROBE_NOP:
		break;
	case X86_KPROBE_JCC:
		int3_emulate_jcc(regs, insn->cond, next, insn->target - next);
		break;
	case X86_KPROBE_LOOP:
		if (trap_loop_taken(insn, regs))
			regs->ip = insn->target;
		break;
	case X86_KPROBE_CALL:
		int3_emulate_push(regs, next);
		fallthrough;
	case X86_KPROBE_JMP:
		regs->ip = insn->target;
		break;
	case X86_KPROBE_RET:
		if (!trap_can_branch(site, regs, *(unsigned long *)regs->sp))
			return false;
		int3_emulate_ret(regs);
		regs->sp += insn->target;
		break;
	case X86_KPROBE_CALL_REG:
		target = trap_reg(regs, insn->base);
		if (!trap_can_branch(site, regs, target))
			return false;
		int3_emulate_push(regs, next);
		regs->ip = target;
		break;
	case X86_KPROBE_JMP_REG:
		target = trap_reg(regs, insn->base);
		if (!trap_can_branch(site, regs, target))
			return false;
		regs->ip = target;
		break;
	case X86_KPROBE_CALL_MEM:
		if (!trap_read_target(site, regs, &target))
			return false;
		int3_emulate_push(regs, next);
		regs->ip = target;
		break;
	case X86_KPROBE_JMP_MEM:
		if (!trap_read_target(site, regs, &target))
			return false;
		regs->ip = target;
		break;
	}
	return true;
}
NOKPROBE_SYMBOL(trap_emulate);

/* Call the pre handlers of @site and set where to continue. */
static __always_inline void trap_hit(struct kprobe_site *site,
				     struct pt_regs *regs)
{
	const struct arch_kprobe_insn *insn = &site->insn;
	unsigned long addr = (unsigned long)site->addr;
	enum kprobe_verdict verdict;
	const void *run;
	bool post;

	verdict = kprobe_site_pre(site, regs, KPROBE_BY_NMI);
	if (unlikely(verdict == KPROBE_HIT_DIVERTED)) {
		arch_kprobe_resume(regs);
		return;
	}

	post = verdict == KPROBE_HIT_EXECUTE && READ_ONCE(site->npost);
	run = READ_ONCE(insn->run);
	if (insn->class == X86_KPROBE_OUT_OF_LINE) {
		/*
		 * With a detour in use, skip post handlers that are just being
		 * registered: post_slot returns to text that a jump may cover.
		 */
		if (likely(!post) || run != site->slot) {
			regs->ip = (unsigned long)run;
			return;
		}
		if (!insn->simple) {
			/* Pairs with smp_store_release() in make_slot(). */
			run = smp_load_acquire(&site->post_slot);
			regs->ip = (unsigned long)run;
			return;
		}
	} else if (unlikely(run)) {
		regs->ip = (unsigned long)run;
		return;
	}

	/* Ignore an ip set by pre handlers that returned 0. */
	regs->ip = addr;
	if (trap_emulate(site, regs) && post) {
		addr = regs->ip;
		kprobe_site_post(site, regs, KPROBE_BY_NMI);
		if (unlikely(regs->ip != addr))
			arch_kprobe_resume(regs);
	}
}

/*
 * trap_hit() for a site that owns the instruction after ftrace's call.
 *
 * Handlers should find the same context as in a hit by ftrace or a jump, which
 * does not count as an NMI.  In an NMI, BPF programs and tracefs give up rather
 * than wait for a lock.  So do not count the exception while handlers run,
 * unless the interrupted code is in an NMI, or lockdep is in use and would
 * mistake the handlers for interrupt handlers.
 */
static void trap_hit_skipping(struct kprobe_site *site, struct pt_regs *regs)
{
	bool leave = !IS_ENABLED(CONFIG_PROVE_LOCKING) &&
		     (kprobe_contexts() & KPROBE_NMI_MASK) == NMI_OFFSET;
	enum kprobe_verdict verdict;
	const void *run;

	regs->ip = (unsigned long)site->addr + KPROBE_IP_SKID;
	if (leave)
		kprobe_nmi_exit(0);
	verdict = kprobe_site_pre_slow(site, regs, leave ? KPROBE_BY_CODE :
							   KPROBE_BY_NMI);
	if (leave)
		kprobe_nmi_enter(0);
	/*
	 * If the new ip is the breakpoint's, the handler has skipped only the
	 * call: execute the instruction here, because arch_kprobe_resume()
	 * would return to the breakpoint if the state is not TRAP yet.
	 */
	if (verdict == KPROBE_HIT_DIVERTED &&
	    regs->ip != kprobe_site_text(site)) {
		arch_kprobe_resume(regs);
		return;
	}
	run = READ_ONCE(site->insn.run);
	regs->ip = run ? (unsigned long)run : kprobe_site_text(site);
	if (!run)
		trap_emulate(site, regs);
}
NOKPROBE_SYMBOL(trap_hit_skipping);

/* Return true if a breakpoint at site->addr can only be ours. */
static __always_inline bool trap_is_at_addr(const struct kprobe_site *site)
{
	static_assert(offsetof(struct kprobe_site, skip) ==
		      offsetof(struct kprobe_site, state_and_skip) + 1);

	return site->state_and_skip == KPROBE_SITE_TRAP;
}

/* Count a trap as irqentry_nmi_enter() does. */
static __always_inline void fast_trap_enter(void)
{
	/* Add the preemption level that tracing subtracts in handlers. */
	kprobe_nmi_enter(PREEMPT_DISABLE_OFFSET);
	ftrace_nmi_enter();
}

static __always_inline void fast_trap_exit(void)
{
	ftrace_nmi_exit();
	kprobe_nmi_exit(PREEMPT_DISABLE_OFFSET);
}

/* kprobe_int3_fast() for the instruction after ftrace's call. */
static noinline bool trap_skipping_fast(struct pt_regs *regs)
{
	struct kprobe_site *site =
		kprobe_site_skipping(regs->ip - INT3_INSN_SIZE);

	if (!site || site->state != KPROBE_SITE_TRAP ||
	    (preempt_count() & NMI_MASK) == NMI_MASK)
		return false;

	fast_trap_enter();
	trap_hit_skipping(site, regs);
	fast_trap_exit();
	return true;
}
NOKPROBE_SYMBOL(trap_skipping_fast);

/**
 * kprobe_int3_fast - handle a breakpoint that can only be a probe's
 * @regs: of the exception
 *
 * This runs before any entry code.  RCU is watching already, and watches until
 * the interrupted code continues, so RCU need not be notified.
 *
 * Context: int3 in the kernel, interrupts off, RCU watching.
 * Return: true if the hit was handled; false if nothing was changed.
 */
bool kprobe_int3_fast(struct pt_regs *regs)
{
	struct kprobe_site *site = kprobe_site_find(regs->ip - INT3_INSN_SIZE);

	if (unlikely(!site || !trap_is_at_addr(site)))
		return trap_skipping_fast(regs);
	/* If NMI_MASK is full, another NMI cannot be counted. */
	if (unlikely((preempt_count() & NMI_MASK) == NMI_MASK))
		return false;

	fast_trap_enter();
	trap_hit(site, regs);
	fast_trap_exit();
	return true;
}
NOKPROBE_SYMBOL(kprobe_int3_fast);

/*
 * Return true if a breakpoint at the text of @site is not ours.  A debugger may
 * set its own in state CLEAN or FTRACE.  Ours is hit only in state TRAP or
 * JUMP, or if the target is TRAP: no CLEAN site becomes JUMP directly.
 */
static noinline bool trap_is_foreign(const struct kprobe_site *site)
{
	return site->state != KPROBE_SITE_TRAP &&
	       site->state != KPROBE_SITE_JUMP &&
	       site->target != KPROBE_SITE_TRAP;
}
NOKPROBE_SYMBOL(trap_is_foreign);

/*
 * Return the site whose breakpoint is at @addr, or NULL.  Prefer a site that
 * owns this instruction: while the owner moves to ftrace, its breakpoint is
 * still in the text, and another site is about to be armed at @addr.
 */
static noinline struct kprobe_site *trap_find(unsigned long addr)
{
	struct kprobe_site *site = kprobe_site_skipping(addr);

	if (site && !trap_is_foreign(site))
		return site;
	site = kprobe_site_find(addr);
	return site && !site->skip && !trap_is_foreign(site) ? site : NULL;
}
NOKPROBE_SYMBOL(trap_find);

/**
 * kprobe_int3_handler - handle a breakpoint if it is a probe's
 * @regs: of the exception
 *
 * Context: int3, interrupts off; from kernel mode, irqentry_nmi_enter() has
 * been called once.
 * Return: non-zero if the breakpoint was handled.
 */
int kprobe_int3_handler(struct pt_regs *regs)
{
	unsigned long addr = regs->ip - INT3_INSN_SIZE;
	struct kprobe_site *site;

	if (user_mode(regs))
		return 0;

	site = kprobe_site_find(addr);
	if (unlikely(!site || !trap_is_at_addr(site)))
		site = trap_find(addr);
	if (unlikely(!site)) {
		/* If the trap was removed after the fetch, execute the text. */
		if (READ_ONCE(*(u8 *)addr) != INT3_INSN_OPCODE) {
			regs->ip = addr;
			return 1;
		}
		/*
		 * The site may have been added and armed since the lookup.  Or
		 * smp_text_poke_single() has set the breakpoint since
		 * exc_int3() checked for it.
		 */
		site = trap_find(addr);
		if (!site)
			return smp_text_poke_int3_handler(regs);
	}

	/* Add the preemption level that tracing subtracts in handlers. */
	preempt_disable_notrace();
	if (IS_ENABLED(CONFIG_KPROBE_SKIP_FTRACE) && unlikely(site->skip))
		trap_hit_skipping(site, regs);
	else
		trap_hit(site, regs);
	preempt_enable_no_resched_notrace();
	return 1;
}
NOKPROBE_SYMBOL(kprobe_int3_handler);

/*
 * A handler has changed the instruction pointer, or has pushed up to two words.
 * The flags and ip for the thunk, stored below these words, may overwrite flags
 * and sp in @regs, so read flags first.  They do not reach orig_ax.
 */
static noinline void trap_post_moved(struct pt_regs *regs)
{
	unsigned long *stack = (unsigned long *)regs->sp - 2;
	unsigned long flags = regs->flags;

	arch_kprobe_resume(regs);
	stack[1] = regs->ip;
	stack[0] = flags;
	regs->orig_ax = (unsigned long)stack;
}
NOKPROBE_SYMBOL(trap_post_moved);

/**
 * x86_kprobe_hit_post - call post handlers after an out-of-line instruction
 * @regs: as built by kprobe_post_thunk
 */
__visible void x86_kprobe_hit_post(struct pt_regs *regs)
{
	/* At the return address: an int3, then the site pointer. */
	unsigned long *stack = (unsigned long *)regs->sp - 1;
	struct kprobe_site *site =
		*(struct kprobe_site **)(*stack + INT3_INSN_SIZE);
	bool traced_on;

	/* kprobe_post_thunk returns to this ip unless a handler changes it. */
	*stack = regs->ip = (unsigned long)site->addr + site->insn.len;

	traced_on = kprobe_hit_enter(regs, arch_kprobe_irqs_on(regs));
	kprobe_site_post(site, regs, KPROBE_BY_CODE);
	kprobe_hit_exit(regs, traced_on);

	/* The thunk's last instructions pop flags and ip from here. */
	stack = (unsigned long *)regs->sp - 2;
	if (unlikely(stack[1] != regs->ip)) {
		trap_post_moved(regs);
		return;
	}
	stack[0] = regs->flags;
	regs->orig_ax = (unsigned long)stack;
}
NOKPROBE_SYMBOL(x86_kprobe_hit_post);
