// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jumps in place of traps: detours, and hits by a jump.
 *
 *	probed address:	jmp ---->	[site]
 *				     ->	push ss, sp, flags; cli; push cs, ip
 *					call kprobe_jump_thunk
 *					drop ip, cs; pop flags, sp
 *					[instruction]...	the region
 *	after the region: <-----	jmp, unless unreachable
 *
 * The detour and the thunk push a struct pt_regs.  Its instruction pointer is
 * as after a breakpoint, one byte after the probed address.  orig_ax, which is
 * no register of the interrupted code, holds the return address of the call.
 * The thunk reads the site from the start of the detour.  The thunk and the
 * detour pop the registers with all changes that handlers have made.  If a
 * handler has set the instruction pointer, the thunk continues there instead.
 *
 * The direction flag is clear, because functions that set it get no jumps.
 * User memory may be accessible in functions with STAC or fix-ups for faults,
 * and in functions that objtool allows them to call then.  Unless compilers add
 * instrumentation, only sites in these functions need CLAC in their detours.
 *
 * Where a hit continues
 * ---------------------
 *
 * A handler may set the instruction pointer to an instruction under the jump of
 * any site.  arch_kprobe_resume() then replaces it with the address of this
 * instruction's copy in the detour, if the site's insn->run points into the
 * detour, or the site's state is KPROBE_SITE_JUMP:
 *
 * 1. Before a jump is written, the optimizer makes insn->run point into the
 *    detour, and waits for a grace period of RCU-tasks.  A task that has read
 *    the old value and continues in place does not switch voluntarily until it
 *    has left the region, so the grace period waits for this task.
 * 2. Before a jump is removed, insn->run is restored, so that no copy bypasses
 *    a new trap in the region.  The state changes last, when every CPU executes
 *    the original text again.  So a CPU that reads the restored insn->run, and
 *    then a state other than KPROBE_SITE_JUMP, executes the original text.
 * 3. A detour is freed with its site, after a grace period of RCU-tasks.  Until
 *    then, its copies do the same as the instructions in place.
 *
 * insn->jump, which describes a detour, does not change once insn->run has
 * pointed into this detour.
 */
#include <linux/kallsyms.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobes_hit.h>
#include <linux/memory.h>
#include <linux/string.h>
#include <asm/alternative.h>
#include <asm/cpufeature.h>
#include <asm/ibt.h>
#include <asm/mce.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/text-patching.h>
#include "common.h"

/*
 * With these options, compilers may add calls to instrumentation where user
 * access is enabled.  So all detours need CLAC.
 */
#define INSTRUMENTED							\
	(IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ||	\
	 IS_ENABLED(CONFIG_KMSAN) || IS_ENABLED(CONFIG_UBSAN) ||	\
	 IS_ENABLED(CONFIG_KCOV) ||					\
	 IS_ENABLED(CONFIG_KSTACK_ERASE) ||				\
	 IS_ENABLED(CONFIG_TRACE_BRANCH_PROFILING))

/*
 * objtool allows calls to copy_mc_fragile_handle_tail() with user access
 * enabled, although this function does not access user memory itself.
 */
static bool called_with_user_access(unsigned long addr)
{
#if defined(CONFIG_X86_64) && defined(CONFIG_X86_MCE)
	unsigned long offset;

	return kallsyms_lookup_size_offset(addr, NULL, &offset) &&
	       addr - offset == (unsigned long)copy_mc_fragile_handle_tail;
#else
	return false;
#endif
}

static bool detour_needs_clac(const struct kprobe_site *site,
			      bool accesses_user)
{
	return cpu_feature_enabled(X86_FEATURE_SMAP) &&
	       (INSTRUMENTED || accesses_user ||
		called_with_user_access((unsigned long)site->addr));
}

/**
 * struct detour - a detour that is being built
 * @buf: its text
 * @len: bytes in @buf
 */
struct detour {
	u8 buf[KPROBE_DETOUR_SIZE];
	unsigned int len;
};

static void detour_emit(struct detour *d, const void *bytes, unsigned int n)
{
	memcpy(d->buf + d->len, bytes, n);
	d->len += n;
}

static void detour_emit_branch(struct detour *d, const void *detour, u8 opcode,
			       const void *target)
{
	__text_gen_insn(d->buf + d->len, opcode, detour + d->len, target,
			JMP32_INSN_SIZE);
	d->len += JMP32_INSN_SIZE;
}

static_assert(KPROBE_JUMP_SIZE == JMP32_INSN_SIZE);

/* Replaces the template's push of cs, of equal size; cs is a signed byte. */
static_assert(__KERNEL_CS < 0x80);
static const u8 clac_and_push_cs[] = { 0x0f, 0x01, 0xca, 0x6a, __KERNEL_CS };

/* Emit the entry, from DETOUR_TEMPLATE in thunk_macros.S. */
static void detour_emit_entry(struct detour *d, const struct kprobe_site *site,
			      const void *detour)
{
	u8 *ip = d->buf + (kprobe_detour_ip - kprobe_detour);
	u8 *call_end = d->buf + (kprobe_detour_call_end - kprobe_detour);

	detour_emit(d, kprobe_detour, kprobe_detour_end - kprobe_detour);
	/* The site: the thunk loads this pointer. */
	memcpy(d->buf, &site, sizeof(site));
	if (site->insn.jump.clac)
		memcpy(d->buf + (kprobe_detour_cs - kprobe_detour),
		       clac_and_push_cs, sizeof(clac_and_push_cs));
	*(u32 *)ip = (unsigned long)site->addr + KPROBE_IP_SKID;
	/* The operand of the call is relative to the end of the call. */
	((s32 *)call_end)[-1] += (const void *)kprobe_detour - detour;
}

static_assert(CALL_INSN_SIZE >= KPROBE_JUMP_SIZE);

/* mov to (%rsp); the return address follows as an immediate */
#ifdef CONFIG_X86_64
static const u8 store_on_stack[] = { 0x48, 0xc7, 0x04, 0x24 };
#else
static const u8 store_on_stack[] = { 0xc7, 0x04, 0x24 };
#endif
#define CALL_SIZE							\
	(CALL_INSN_SIZE + INT3_INSN_SIZE + sizeof(store_on_stack) +	\
	 sizeof(u32) + JMP32_INSN_SIZE)

/*
 * Emit a call at the end of the region.  The callee must return to the original
 * text:
 *
 *		call	1f
 *		int3
 *	1:	mov	$original return address, (%rsp)
 *		jmp	callee
 *
 * The callee and unwinders find the original return address, and a callee that
 * sleeps does not keep the detour in use.  A push of this address would be
 * shorter, but processors match returns with calls, and would mispredict the
 * returns of all callers.  With the call, only the callee's return is
 * mispredicted, to the int3.
 *
 * A call through a register or memory is refused: a fault in the jmp would have
 * a different stack pointer than a fault in the original call.
 */
static enum kprobe_obstacle
detour_emit_call(struct detour *d, const void *detour, unsigned long addr,
		 const struct arch_kprobe_insn *what)
{
	const u8 trap = INT3_INSN_OPCODE;
	u32 next = addr + what->len;

	if (d->len + CALL_SIZE > sizeof(d->buf))
		return KPROBE_NOJUMP_DETOUR_SIZE;
	detour_emit_branch(d, detour, CALL_INSN_OPCODE,
			   detour + d->len + CALL_INSN_SIZE + sizeof(trap));
	detour_emit(d, &trap, sizeof(trap));
	detour_emit(d, store_on_stack, sizeof(store_on_stack));
	detour_emit(d, &next, sizeof(next));
	detour_emit_branch(d, detour, JMP32_INSN_OPCODE, (void *)what->target);
	return KPROBE_NOJUMP_NONE;
}

/* Emit the copy of @insn, which is at @addr, and classify it in @what. */
static enum kprobe_obstacle
detour_emit_insn(struct detour *d, const void *detour, unsigned long addr,
		 struct insn *insn, const u8 *text,
		 struct arch_kprobe_insn *what)
{
	u8 *copy = d->buf + d->len;

	if (x86_kprobe_classify(insn, what, addr))
		return KPROBE_NOJUMP_BOUND_INSIDE;
	/* A call is as long as a jump, so it ends the region. */
	if (what->class == X86_KPROBE_CALL)
		return detour_emit_call(d, detour, addr, what);
	/* Leave room for the longest near branch and the jump back. */
	if (d->len + max(insn->length, 6) > sizeof(d->buf) - JMP32_INSN_SIZE)
		return KPROBE_NOJUMP_DETOUR_SIZE;

	switch ((enum x86_kprobe_class)what->class) {
	case X86_KPROBE_JCC:
		detour_emit(d, (const u8[]){ 0x0f }, 1);
		/* The displacement is relative to the end, as for a jump. */
		detour_emit_branch(d, detour, 0x80 | what->cond,
				   (void *)what->target);
		return KPROBE_NOJUMP_NONE;
	case X86_KPROBE_JMP:
		detour_emit_branch(d, detour, JMP32_INSN_OPCODE,
				   (void *)what->target);
		return KPROBE_NOJUMP_NONE;
	case X86_KPROBE_CALL_REG:
	case X86_KPROBE_CALL_MEM:
		return KPROBE_NOJUMP_CALL_INSIDE;
	case X86_KPROBE_RET:
		if (!cpu_feature_enabled(X86_FEATURE_RETHUNK))
			break;
		/* RET n uses no thunk, and a copy may be unsafe (ITS). */
		if (what->target)
			return KPROBE_NOJUMP_BOUND_INSIDE;
		detour_emit_branch(d, detour, JMP32_INSN_OPCODE,
				   x86_return_thunk);
		return KPROBE_NOJUMP_NONE;
	case X86_KPROBE_JMP_REG:
	case X86_KPROBE_JMP_MEM:
		/*
		 * The original jump may be safe because of its address (ITS) or
		 * because of an LFENCE before it, but its copy is not.
		 */
		if (cpu_feature_enabled(X86_FEATURE_INDIRECT_THUNK_ITS) ||
		    cpu_feature_enabled(X86_FEATURE_RETPOLINE_LFENCE))
			return KPROBE_NOJUMP_BOUND_INSIDE;
		break;
	case X86_KPROBE_LOOP:
		/* LOOP and JRCXZ have no form with a longer displacement. */
		return KPROBE_NOJUMP_BOUND_INSIDE;
	default:
		break;
	}
	detour_emit(d, text, insn->length);
	if (!x86_kprobe_relocate(what, copy, addr,
				 (unsigned long)detour + (copy - d->buf)))
		return KPROBE_NOJUMP_DETOUR_REACH;
	return KPROBE_NOJUMP_NONE;
}

/* Return true if execution never continues after this instruction. */
static bool detour_ends_flow(const struct arch_kprobe_insn *what)
{
	return what->class == X86_KPROBE_JMP || what->class == X86_KPROBE_RET ||
	       what->class == X86_KPROBE_JMP_REG ||
	       what->class == X86_KPROBE_JMP_MEM;
}

/* Check the instruction @offset bytes into the region. */
static enum kprobe_obstacle detour_insn_obstacle(unsigned long addr,
						 unsigned int offset,
						 unsigned int length,
						 const u8 *text)
{
	bool last = offset + length >= KPROBE_JUMP_SIZE;

	/* Parts of a function can be blacklisted. */
	if (kprobe_blacklist_covers(addr + offset))
		return KPROBE_NOJUMP_BLACKLISTED_INSIDE;
	/* RCU-tasks would not wait for a CPU that halts in the detour. */
	if (x86_kprobe_halts(text))
		return KPROBE_NOJUMP_BOUND_INSIDE;
	/* LFENCE may be the first half of a retpoline, before the branch. */
	if (cpu_feature_enabled(X86_FEATURE_RETPOLINE_LFENCE) &&
	    text[0] == 0x0f && text[1] == 0xae && text[2] == 0xe8)
		return KPROBE_NOJUMP_BOUND_INSIDE;
	/* The jump back must not be in the interrupt shadow of STI. */
	if (text[0] == 0xfb && last)
		return KPROBE_NOJUMP_BOUND_INSIDE;
	if (is_endbr((u32 *)text))
		return offset ? KPROBE_NOJUMP_INDIRECT_JUMP :
				KPROBE_NOJUMP_LANDING_PAD;
	/* If a type check fails, the handler of #UD decodes the check. */
	if (x86_kprobe_checks_type(text))
		return KPROBE_NOJUMP_BOUND_INSIDE;
	return KPROBE_NOJUMP_NONE;
}

/*
 * Emit the copies of a site's region to @d, whose address will be @detour, and
 * record in insn->jump where each instruction is.
 */
static enum kprobe_obstacle detour_emit_region(struct kprobe_site *site,
					       struct detour *d,
					       const void *detour,
					       unsigned long end)
{
	struct x86_kprobe_jump *jump = &site->insn.jump;
	unsigned long addr = kprobe_site_text(site);
	u8 text[KPROBE_JUMP_SIZE + MAX_INSN_SIZE];
	struct arch_kprobe_insn what = {};
	const u8 trap = INT3_INSN_OPCODE;
	enum kprobe_obstacle obstacle;
	unsigned int offset = 0;
	struct insn insn;

	if (x86_kprobe_original_text(addr, text, sizeof(text)))
		return KPROBE_NOJUMP_NOT_ANALYSED;
	memcpy(jump->text, text, sizeof(jump->text));
	jump->nr = 0;

	while (offset < KPROBE_JUMP_SIZE) {
		if (addr + offset >= end)
			return KPROBE_NOJUMP_FUNCTION_END;
		if (text[offset] == INT3_INSN_OPCODE) {
			/* A debugger may have set this since the analysis. */
			if (!offset || !detour_ends_flow(&what) ||
			    kprobe_debugger_trap(addr + offset))
				return KPROBE_NOJUMP_FOREIGN_TRAP;
			/* Do not copy padding or speculation traps. */
			offset++;
			continue;
		}
		if (insn_decode_kernel(&insn, text + offset))
			return KPROBE_NOJUMP_NOT_ANALYSED;
		obstacle = detour_insn_obstacle(addr, offset, insn.length,
						text + offset);
		if (obstacle)
			return obstacle;

		jump->from[jump->nr] = offset;
		jump->to[jump->nr] = d->len;
		obstacle = detour_emit_insn(d, detour, addr + offset, &insn,
					    text + offset, &what);
		if (obstacle)
			return obstacle;
		jump->nr++;
		offset += insn.length;
		/* Stop speculation past the end of the flow. */
		if (detour_ends_flow(&what))
			detour_emit(d, &trap, sizeof(trap));
	}
	if (addr + offset > end)
		return KPROBE_NOJUMP_FUNCTION_END;
	jump->region = offset;
	jump->end = d->len;
	/* Jump back, unless execution never reaches this place. */
	if (what.class != X86_KPROBE_CALL && !detour_ends_flow(&what))
		detour_emit_branch(d, detour, JMP32_INSN_OPCODE,
				   (void *)addr + offset);
	return KPROBE_NOJUMP_NONE;
}

/* Check the region for ways into it, faults, and text that is patched. */
static enum kprobe_obstacle
detour_inspect_region(const struct kprobe_site *site)
{
	unsigned long addr = kprobe_site_text(site);
	unsigned long end = addr + site->insn.jump.region;
	enum kprobe_obstacle obstacle;

	/*
	 * detour_past_hit() uses the detour even in state TRAP.  If a JCC is
	 * not taken, the copies after it would bypass other sites' traps.
	 */
	if (site->on_ftrace && site->insn.class == X86_KPROBE_JCC)
		return KPROBE_NOJUMP_BOUND_INSIDE;
	obstacle = x86_kprobe_region_obstacle(site);
	if (obstacle)
		return obstacle;
	if (ftrace_text_reserved((void *)addr, (void *)end - 1) ||
	    alternatives_text_reserved((void *)addr, (void *)end))
		return KPROBE_NOJUMP_PATCHED_INSIDE;
	return KPROBE_NOJUMP_NONE;
}

enum kprobe_obstacle arch_kprobe_analyse(struct kprobe_site *site,
					 const struct kprobe_symbol *symbol)
{
	struct detour d = { .len = kprobe_detour_end - kprobe_detour };
	unsigned long addr = kprobe_site_text(site), end;
	enum kprobe_obstacle obstacle;
	bool accesses_user;

	/* In a Xen PV guest, pushf and cli do not access the interrupt flag. */
	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		return KPROBE_NOJUMP_XEN_PV;
	if (site->detour)
		return KPROBE_NOJUMP_NONE;

	obstacle = x86_kprobe_analyse_function(addr, symbol, &end,
					       &accesses_user);
	if (obstacle)
		return obstacle;

	jump_label_lock();
	mutex_lock(&text_mutex);
	/* The detour has no address yet: use that of the jump. */
	obstacle = detour_emit_region(site, &d, (void *)addr, end);
	if (!obstacle)
		obstacle = detour_inspect_region(site);
	if (!obstacle)
		site->insn.jump.clac = detour_needs_clac(site, accesses_user);
	mutex_unlock(&text_mutex);
	if (!obstacle && kprobe_patched(addr, addr + site->insn.jump.region))
		obstacle = KPROBE_NOJUMP_PATCHED_INSIDE;
	jump_label_unlock();
	return obstacle;
}

enum kprobe_obstacle arch_kprobe_build_detour(struct kprobe_site *site)
{
	/* arch_kprobe_analyse() has checked that the function is that long. */
	unsigned long end = kprobe_site_text(site) + site->insn.jump.region;
	struct detour d = {};
	enum kprobe_obstacle obstacle;
	void *detour;

	if (site->detour)
		return KPROBE_NOJUMP_NONE;
	detour = kprobe_slot_alloc(site, KPROBE_DETOUR_SIZE);
	if (!detour)
		return KPROBE_NOJUMP_NO_MEMORY;

	mutex_lock(&text_mutex);
	detour_emit_entry(&d, site, detour);
	obstacle = detour_emit_region(site, &d, detour, end);
	mutex_unlock(&text_mutex);
	if (obstacle) {
		kprobe_slot_free(detour);
		return obstacle;
	}
	memset(d.buf + d.len, INT3_INSN_OPCODE, sizeof(d.buf) - d.len);
	x86_kprobe_fill_slot(detour, d.buf, sizeof(d.buf));
	site->detour = detour;
	return KPROBE_NOJUMP_NONE;
}

void arch_kprobe_use_detour(struct kprobe_site *site, bool use)
{
	struct arch_kprobe_insn *insn = &site->insn;
	void *run = insn->class == X86_KPROBE_OUT_OF_LINE ? site->slot : NULL;

	if (use)
		run = site->detour + insn->jump.to[0];
	/*
	 * Order text_poke_copy() before the store.  Pairs with the address
	 * dependency in trap_hit(), which continues at @run.
	 */
	smp_store_release(&insn->run, run);
}

/**
 * x86_kprobe_queue_jump - queue a jump to be written or removed
 * @site: a site whose state or target is KPROBE_SITE_JUMP
 *
 * While the text is half written, a CPU that executes it takes the jump.
 *
 * Context: text_mutex held; smp_text_poke_batch_finish() applies the queue.
 */
void x86_kprobe_queue_jump(struct kprobe_site *site)
{
	struct x86_kprobe_jump *jump = &site->insn.jump;
	u8 text[KPROBE_JUMP_SIZE], branch[KPROBE_JUMP_SIZE];
	void *addr = (void *)kprobe_site_text(site);

	__text_gen_insn(branch, JMP32_INSN_OPCODE, addr,
			site->detour + X86_KPROBE_DETOUR_ENTRY,
			sizeof(branch));
	memcpy(text, site->target == KPROBE_SITE_JUMP ? branch : jump->text,
	       sizeof(text));
	if (site->target == KPROBE_SITE_TRAP)
		text[0] = INT3_INSN_OPCODE;
	/* This file lacks KMSAN's instrumentation. */
	kmsan_unpoison_memory(text, sizeof(text));
	kmsan_unpoison_memory(branch, sizeof(branch));
	smp_text_poke_batch_add(addr, text, sizeof(text), branch);
}

/*
 * Continuing under a jump
 */

/* Return the copy of the instruction at @offset, or 0 if none is in use. */
static unsigned long detour_copy_in_use(const struct kprobe_site *site,
					unsigned int offset)
{
	const struct arch_kprobe_insn *insn = &site->insn;
	const struct x86_kprobe_jump *jump = &insn->jump;
	/* Pairs with smp_store_release() in arch_kprobe_use_detour(). */
	const void *run = smp_load_acquire(&insn->run);
	unsigned int i;

	/* Read run before state: see "Where a hit continues" above. */
	if ((!run || run != site->detour + jump->to[0]) &&
	    site->state != KPROBE_SITE_JUMP)
		return 0;
	for (i = 0; i < jump->nr; i++)
		if (jump->from[i] == offset)
			return (unsigned long)site->detour + jump->to[i];
	return 0;
}
NOKPROBE_SYMBOL(detour_copy_in_use);

/*
 * Return the address at which the instruction after the ftrace call of @site is
 * executed without a hit, or 0 if it can be executed in place.
 */
static unsigned long detour_past_hit(const struct kprobe_site *site)
{
	const struct arch_kprobe_insn *insn = &site->insn;
	unsigned long copy = detour_copy_in_use(site, 0);

	if (copy || site->state != KPROBE_SITE_TRAP)
		return copy;
	if (insn->class == X86_KPROBE_OUT_OF_LINE)
		return (unsigned long)site->slot;
	if (insn->class == X86_KPROBE_NOP)
		return kprobe_site_text(site) + insn->len;
	/* A branch that is always taken: it leaves the detour. */
	return (unsigned long)site->detour + insn->jump.to[0];
}
NOKPROBE_SYMBOL(detour_past_hit);

/* For sites on ftrace calls: return the copy to continue at, or 0. */
static noinline unsigned long detour_resume_skipping(unsigned long ip)
{
	struct kprobe_site *site = kprobe_site_skipping(ip);
	unsigned long copy = site ? detour_past_hit(site) : 0;
	unsigned int i;

	for (i = 1; i < KPROBE_JUMP_SIZE && !copy; i++) {
		site = kprobe_site_skipping(ip - i);
		if (site)
			copy = detour_copy_in_use(site, i);
	}
	return copy;
}
NOKPROBE_SYMBOL(detour_resume_skipping);

/**
 * arch_kprobe_resume - move a changed ip from under a jump to the detour
 * @regs: registers at the end of a hit; the instruction pointer may be changed
 *
 * Instructions under a jump can only be executed in the detour.  An ip at the
 * start of a jump does not change: the jump is a new hit.  But if the jump
 * belongs to a site on the preceding ftrace call, a task that continues after
 * this call must not hit the site: it continues at the copy.
 *
 * Context: any; interrupts off.
 */
noinline void arch_kprobe_resume(struct pt_regs *regs)
{
	bool entered = kprobe_rcu_enter();
	unsigned long copy = 0;
	struct kprobe_site *site;
	unsigned int i;

	if (IS_ENABLED(CONFIG_KPROBE_SKIP_FTRACE) &&
	    READ_ONCE(kprobe_skipping_armed))
		copy = detour_resume_skipping(regs->ip);
	for (i = 1; i < KPROBE_JUMP_SIZE && !copy; i++) {
		site = kprobe_site_find(regs->ip - i);
		if (site)
			copy = detour_copy_in_use(site, i);
	}
	if (copy)
		regs->ip = copy;
	kprobe_rcu_exit(entered);
}
NOKPROBE_SYMBOL(arch_kprobe_resume);

/*
 * The hit
 */

/**
 * x86_kprobe_hit_jump - handle a hit that a detour delivers
 * @site: the site
 * @regs: complete, except for orig_ax
 *
 * Without CONFIG_PREEMPTION and CONFIG_TRACE_IRQFLAGS, this function calls
 * nothing after the handlers, so the compiler need not save registers.
 *
 * Context: any; interrupts off, as for kprobe_hit_enter().
 * Return: nonzero if a handler has set the instruction pointer.
 */
__visible int x86_kprobe_hit_jump(struct kprobe_site *site,
				  struct pt_regs *regs)
{
	bool traced_on = kprobe_hit_enter(regs, arch_kprobe_irqs_on(regs));
	int diverted = kprobe_site_pre_jump(site, regs);

	kprobe_hit_exit(regs, traced_on);
	return diverted;
}
NOKPROBE_SYMBOL(x86_kprobe_hit_jump);
