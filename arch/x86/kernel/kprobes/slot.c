// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Out-of-line execution on x86: the contents of slots.
 *
 *	slot		[instruction][jmp back]
 *	post_slot	[instruction][call kprobe_post_thunk][int3][site]
 *
 * In both, the instruction runs natively and needs no second trap.  The thunk
 * finds the site by its return address and does not return to the slot; the
 * int3 stops a processor that speculates past the call.
 */
#include <linux/irqflags.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobes_hit.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>
#include "common.h"

static_assert(MAX_INSN_SIZE + CALL_INSN_SIZE + INT3_INSN_SIZE +
	      sizeof(struct kprobe_site *) <= KPROBE_SLOT_SIZE);

void arch_kprobe_fill_slots(void *text, size_t size)
{
	/* KMSAN does not see writes through another mapping. */
	kmsan_unpoison_memory(text, size);
	/* The memory may be read-only already. */
	text_poke_set(text, INT3_INSN_OPCODE, size);
}

/**
 * x86_kprobe_relocate - adjust a copied instruction to its new address
 * @insn: the classified instruction
 * @copy: its copy, to be changed
 * @from: the original address
 * @to: the address where the copy will run
 *
 * Apart from direct branches, an instruction depends on its address only by an
 * operand relative to the instruction pointer.
 *
 * Return: true if the operand is in reach.
 */
bool x86_kprobe_relocate(const struct arch_kprobe_insn *insn, u8 *copy,
			 unsigned long from, unsigned long to)
{
	s32 *operand = (s32 *)(copy + insn->relative);
	long disp;

	if (!insn->relative)
		return true;
	disp = *operand + (long)(from - to);
	if (disp != (s32)disp)
		return false;
	*operand = disp;
	return true;
}

/**
 * x86_kprobe_fill_slot - write a slot or a detour
 * @slot: allocated, not yet executed
 * @text: the contents
 * @size: size in bytes
 *
 * Report the contents to perf, for decoders of branch traces.  A slot that is
 * freed is not reported, because it is no longer executed.
 */
void x86_kprobe_fill_slot(void *slot, const u8 *text, unsigned int size)
{
	/* The callers in this directory may lack KMSAN's instrumentation. */
	kmsan_unpoison_memory(text, size);
	text_poke_copy(slot, text, size);
	perf_event_text_poke(slot, NULL, 0, text, size);
}

/* Copy the instruction of @site to @buf so that it works in @slot. */
static enum kprobe_refusal slot_copy_insn(const struct kprobe_site *site,
					  const void *slot, u8 *buf)
{
	unsigned long addr = kprobe_site_text(site);

	if (x86_kprobe_original_text(addr, buf, site->insn.len))
		return KPROBE_REFUSE_NOT_TEXT;
	if (!x86_kprobe_relocate(&site->insn, buf, addr, (unsigned long)slot))
		return KPROBE_REFUSE_OUT_OF_REACH;
	return KPROBE_OK;
}

/* Make a slot: the instruction, then a branch of @opcode to @dest. */
static enum kprobe_refusal make_slot(struct kprobe_site *site, u8 opcode,
				     const void *dest, bool with_site,
				     void **result)
{
	unsigned int len = site->insn.len;
	u8 buf[KPROBE_SLOT_SIZE];
	enum kprobe_refusal why;
	void *slot;

	slot = kprobe_slot_alloc(site, KPROBE_SLOT_SIZE);
	if (!slot)
		return KPROBE_REFUSE_NO_MEMORY;

	mutex_lock(&text_mutex);
	why = slot_copy_insn(site, slot, buf);
	mutex_unlock(&text_mutex);
	if (why != KPROBE_OK) {
		kprobe_slot_free(slot);
		return why;
	}

	/* Slots and all text are within reach of each other. */
	__text_gen_insn(buf + len, opcode, slot + len, dest, JMP32_INSN_SIZE);
	len += JMP32_INSN_SIZE;
	memset(buf + len, INT3_INSN_OPCODE, sizeof(buf) - len);
	if (with_site)
		memcpy(buf + len + INT3_INSN_SIZE, &site, sizeof(site));
	x86_kprobe_fill_slot(slot, buf, sizeof(buf));

	/* Pairs with smp_load_acquire() in trap_hit(). */
	smp_store_release(result, slot);
	return KPROBE_OK;
}

/**
 * kprobe_read_insn - read an instruction as it is without a probe
 * @buf: filled in
 * @addr: address of an instruction that has raised an exception
 * @size: bytes to read; must cover the instruction
 *
 * A site's slot is filled before the site is armed, and keeps the instruction
 * until the site is freed.  With interrupts off, a trap or jump that was read
 * belongs to a site that can still be found: the site stays in the table until
 * every CPU has taken an IPI after the text was restored.
 *
 * Context: any in which RCU is watching.
 * Return: 0, or -EFAULT if any of the bytes cannot be read.
 */
int kprobe_read_insn(u8 *buf, unsigned long addr, unsigned int size)
{
	const struct arch_kprobe_insn *insn;
	struct kprobe_site *site;

	guard(irqsave)();

	if (copy_from_kernel_nofault(buf, (void *)addr, size))
		return -EFAULT;
	site = kprobe_text_site_at(addr);
	if (!site)
		return 0;
	insn = &site->insn;
	/* Instructions that raise no exception have no slot. */
	if (!site->slot || insn->len > size)
		return 0;
	memcpy(buf, site->slot, insn->len);
	/* This restores the original displacement, so it fits. */
	x86_kprobe_relocate(insn, buf, (unsigned long)site->slot, addr);
	return 0;
}

/*
 * Indirect branches and returns are emulated.  But if the operand cannot be
 * read or the target is not canonical, they are executed in the slot, and fault
 * there.
 */
static bool slot_may_fault(const struct arch_kprobe_insn *insn)
{
	switch ((enum x86_kprobe_class)insn->class) {
	case X86_KPROBE_CALL_MEM:
	case X86_KPROBE_JMP_MEM:
		return true;
	case X86_KPROBE_CALL_REG:
	case X86_KPROBE_JMP_REG:
	case X86_KPROBE_RET:
		return IS_ENABLED(CONFIG_X86_64);
	default:
		return false;
	}
}

bool arch_kprobe_emulated(const struct kprobe_site *site)
{
	return site->insn.class != X86_KPROBE_OUT_OF_LINE;
}

enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post)
{
	struct arch_kprobe_insn *insn = &site->insn;
	enum kprobe_refusal why;

	if (with_post) {
		if (insn->class != X86_KPROBE_OUT_OF_LINE || insn->simple ||
		    site->post_slot)
			return KPROBE_OK;
		return make_slot(site, CALL_INSN_OPCODE, kprobe_post_thunk,
				 true, &site->post_slot);
	}

	/* See detour_past_hit() in detour.c. */
	if (site->skip && insn->class != X86_KPROBE_OUT_OF_LINE &&
	    insn->class != X86_KPROBE_NOP && arch_kprobe_build_detour(site))
		return KPROBE_REFUSE_NO_MEMORY;
	if (insn->class != X86_KPROBE_OUT_OF_LINE && !slot_may_fault(insn))
		return KPROBE_OK;
	why = make_slot(site, JMP32_INSN_OPCODE,
			(void *)kprobe_site_text(site) + insn->len, false,
			&site->slot);
	if (insn->class == X86_KPROBE_OUT_OF_LINE)
		insn->run = site->slot;
	return why;
}

/*
 * Return the offset in the original text that matches @ip in the detour, in
 * bytes after the start of the jump.  Return -1 if @ip is in code that the
 * detour adds, which may have pushed words of its own.
 */
static __always_inline int detour_offset(const struct kprobe_site *site,
					 const void *slot, unsigned long ip)
{
	const struct x86_kprobe_jump *jump = &site->insn.jump;
	unsigned int i, at = ip - (unsigned long)slot;

	if (at == X86_KPROBE_DETOUR_ENTRY)
		return 0;
	if (at == jump->end)
		return jump->region;
	for (i = 0; i < jump->nr; i++)
		if (at == jump->to[i])
			return jump->from[i];
	return -1;
}

unsigned long arch_kprobe_orig_ip(struct kprobe_site *site, void *slot,
				  unsigned long ip)
{
	unsigned long addr = kprobe_site_text(site);
	int offset;

	if (slot != site->detour)
		/* At the slot's start, the instruction is not executed yet. */
		return ip == (unsigned long)slot ? addr : addr + site->insn.len;

	offset = detour_offset(site, slot, ip);
	return offset < 0 ? ip : addr + offset;
}
NOKPROBE_SYMBOL(arch_kprobe_orig_ip);

/* Undo the pushes of a detour; return the address in the original text. */
static unsigned long slot_leave(struct kprobe_site *site, void *slot,
				unsigned long ip, unsigned long *sp)
{
	const struct x86_kprobe_jump *jump = &site->insn.jump;
	unsigned long addr = kprobe_site_text(site);
	unsigned int at = ip - (unsigned long)slot;
	const struct x86_kprobe_pushed *p;

	if (slot != site->detour || detour_offset(site, slot, ip) >= 0)
		return arch_kprobe_orig_ip(site, slot, ip);

	/* Only the copy of a call consists of several instructions. */
	if (at >= jump->to[0]) {
		*sp += sizeof(long);
		return addr + jump->from[jump->nr - 1];
	}
	for (p = kprobe_detour_stack_end - 1; p > kprobe_detour_stack; p--)
		if (p->at <= at)
			break;
	*sp += p->words * sizeof(long);
	return addr;
}
NOKPROBE_SYMBOL(slot_leave);

/*
 * Return true if @regs are those of a pre handler, in which @ip is one byte
 * after the probed address although the instruction has not been executed yet.
 * In any other pt_regs, the same @ip can only be the address of the instruction
 * that follows a probed instruction of one byte.  @regs are assumed to be a pre
 * handler's if a handler of that site is running, or if orig_ax is the return
 * address in the site's detour.  @regs may be incomplete.
 *
 * After an instruction of one byte, a post handler sees the same @ip.  So a
 * running probe with a post handler is ignored, and stack traces from its pre
 * handler show the next instruction.  If an interrupt arrives just after a
 * probed instruction of one byte, and the interrupt's handler hits that site,
 * the result for the interrupted registers is wrong meanwhile.
 */
static bool slot_regs_are_pre(unsigned long ip, struct pt_regs *regs)
{
	unsigned long detour_call = kprobe_detour_call_end - kprobe_detour;
	struct kprobe_site *site = kprobe_site_find(ip - KPROBE_IP_SKID);
	struct kprobe *running = kprobe_running();

	return site && ((running && running->site == site &&
			 !running->run_post) ||
			(site->detour && READ_ONCE_NOCHECK(regs->orig_ax) ==
			 (unsigned long)site->detour + detour_call));
}

unsigned long arch_kprobe_unwind(struct kprobe_site *site, void *slot,
				 unsigned long ip, struct pt_regs *regs,
				 unsigned long *sp)
{
	if (site)
		return slot_leave(site, slot, ip, sp);
	return regs && slot_regs_are_pre(ip, regs) ? ip - KPROBE_IP_SKID : ip;
}

bool arch_kprobe_can_resume(struct kprobe_site *site, void *slot,
			    unsigned long *ip)
{
	/* No task may resume under the jump.  Added code has no original. */
	if (slot == site->detour && detour_offset(site, slot, *ip) &&
	    detour_offset(site, slot, *ip) < KPROBE_JUMP_SIZE)
		return false;
	*ip = arch_kprobe_orig_ip(site, slot, *ip);
	return true;
}
NOKPROBE_SYMBOL(arch_kprobe_can_resume);
