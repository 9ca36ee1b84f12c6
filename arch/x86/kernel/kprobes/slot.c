// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Displaced instructions on x86: what stands in a slot.
 *
 *	slot		[instruction][jmp back]
 *	post_slot	[instruction][call kprobe_post_thunk][site]
 *
 * Either way the instruction runs natively and needs no second trap.  The
 * thunk finds the site behind its return address and does not come back to
 * the slot.
 */
#include <linux/kprobes_backend.h>
#include <linux/memory.h>
#include <linux/string.h>
#include <asm/text-patching.h>
#include "common.h"

static_assert(MAX_INSN_SIZE + CALL_INSN_SIZE + sizeof(struct kprobe_site *) <=
	      KPROBE_SLOT_SIZE);

void arch_kprobe_fill_slots(void *text, size_t size)
{
	memset(text, INT3_INSN_OPCODE, size);
}

/*
 * Copies the instruction of @site to @buf so that it works in @slot.  An
 * operand relative to the instruction pointer is all that can depend on
 * where a displaced instruction stands.
 */
static enum kprobe_refusal copy_displaced(const struct kprobe_site *site,
					  const void *slot, u8 *buf)
{
	struct insn insn;
	long disp;

	if (x86_kprobe_original_text((unsigned long)site->addr, buf,
				     MAX_INSN_SIZE))
		return KPROBE_NOT_TEXT;
	if (insn_decode_kernel(&insn, buf))
		return KPROBE_UNDECODABLE;
	if (!insn_rip_relative(&insn))
		return KPROBE_OK;

	disp = insn.displacement.value + ((long)site->addr - (long)slot);
	if (disp != (s32)disp)
		return KPROBE_OUT_OF_REACH;
	*(s32 *)(buf + insn_offset_displacement(&insn)) = disp;
	return KPROBE_OK;
}

/* Makes a slot in which @branch of @opcode to @dest follows the instruction. */
static enum kprobe_refusal make_slot(struct kprobe_site *site, u8 opcode,
				     const void *dest, bool with_site,
				     void **result)
{
	unsigned int len = site->insn.len;
	u8 buf[KPROBE_SLOT_SIZE];
	enum kprobe_refusal why;
	void *slot;

	slot = kprobe_slot_alloc(site);
	if (!slot)
		return KPROBE_NO_MEMORY;

	mutex_lock(&text_mutex);
	why = copy_displaced(site, slot, buf);
	mutex_unlock(&text_mutex);
	if (why != KPROBE_OK) {
		kprobe_slot_free(slot);
		return why;
	}

	/* Both are near the kernel's image: always in reach of each other. */
	__text_gen_insn(buf + len, opcode, slot + len, dest, JMP32_INSN_SIZE);
	len += JMP32_INSN_SIZE;
	if (with_site) {
		memcpy(buf + len, &site, sizeof(site));
		len += sizeof(site);
	}
	memset(buf + len, INT3_INSN_OPCODE, sizeof(buf) - len);
	text_poke_copy(slot, buf, sizeof(buf));

	/* Pairs with smp_load_acquire() in kprobe_int3_handler(). */
	smp_store_release(result, slot);
	return KPROBE_OK;
}

enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post)
{
	struct arch_kprobe_insn *insn = &site->insn;

	/* Those that may fault do so in a slot. */
	if (!with_post && (insn->how == X86_KPROBE_DISPLACED ||
			   insn->how == X86_KPROBE_CALL_MEM ||
			   insn->how == X86_KPROBE_JMP_MEM))
		return make_slot(site, JMP32_INSN_OPCODE,
				 site->addr + insn->len, false, &insn->slot);
	if (!with_post || insn->how != X86_KPROBE_DISPLACED || insn->post_slot)
		return KPROBE_OK;
	return make_slot(site, CALL_INSN_OPCODE, kprobe_post_thunk, true,
			 &insn->post_slot);
}

void arch_kprobe_release(struct kprobe_site *site)
{
	if (site->insn.slot)
		kprobe_slot_free(site->insn.slot);
	if (site->insn.post_slot)
		kprobe_slot_free(site->insn.post_slot);
}

unsigned long arch_kprobe_undisplaced(struct kprobe_site *site, void *slot,
				      unsigned long ip)
{
	unsigned long addr = (unsigned long)site->addr;

	/* An instruction that has not been completed, or what comes after. */
	return ip == (unsigned long)slot ? addr : addr + site->insn.len;
}
NOKPROBE_SYMBOL(arch_kprobe_undisplaced);
