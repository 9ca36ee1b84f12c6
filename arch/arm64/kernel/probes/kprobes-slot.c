// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Out-of-line execution on arm64: the contents of slots.
 *
 *	slot		[instruction]
 *			b	back
 *
 *	post_slot	[site]
 *			[instruction]
 *			save x0, x1, x29, x30; x0 = site
 *			bl	kprobe_post_thunk
 *			restore them
 *			b	back
 *
 * If the instruction only computes, post_slot is a function that applies the
 * instruction to a struct pt_regs instead: see kprobes-compute.c.
 *
 * In both slots, the instruction runs natively, and no second exception is
 * needed.  The thunk saves and restores all other registers, and the branch
 * back uses no register.
 *
 * Instructions that depend on their address are emulated, except for LDR of a
 * literal, which may fault.  Its copy is two LDRs to the same register: the
 * first loads the literal's address, which is placed after the branch back.
 *
 * A branch must reach from a slot to its site and from a site to its slots.
 * Slots are allocated in the area of modules if that is near the site, and
 * otherwise around the site.  The distance of the area depends on the
 * configuration and on address randomization.
 */
#include <linux/align.h>
#include <linux/execmem.h>
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include "kprobes-common.h"

void arch_kprobe_fill_slots(void *text, size_t size)
{
	memset32(text, (__force u32)cpu_to_le32(AARCH64_BREAK_FAULT),
		 size / sizeof(u32));
}

/**
 * arch_kprobe_slots_near - check if a page can hold slots for a site
 * @text: the page
 * @site: the site
 */
bool arch_kprobe_slots_near(const void *text, const struct kprobe_site *site)
{
	unsigned long page = (unsigned long)text;
	unsigned long addr = (unsigned long)site->addr;

	return a64_kprobe_in_reach(page, addr) &&
	       a64_kprobe_in_reach(addr, page) &&
	       a64_kprobe_in_reach(page + PAGE_SIZE, addr) &&
	       a64_kprobe_in_reach(addr, page + PAGE_SIZE);
}

/* Allocate a page at most @distance away from @addr. */
static void *alloc_within(unsigned long addr, unsigned long distance)
{
	unsigned long low = max(PAGE_ALIGN(addr - distance), MODULES_VADDR);
	unsigned long high = min(addr + distance, VMALLOC_END);
	void *page;

	page = __vmalloc_node_range(PAGE_SIZE, PAGE_SIZE, low, high,
				    GFP_KERNEL | __GFP_NOWARN, PAGE_KERNEL,
				    VM_FLUSH_RESET_PERMS, NUMA_NO_NODE,
				    __builtin_return_address(0));
	/* Like execmem: text is looked up by untagged addresses. */
	return kasan_reset_tag(page);
}

/**
 * arch_kprobe_alloc_slots - allocate a page for slots
 * @site: the page must be near this site
 *
 * Context: may sleep.
 * Return: a writable page, or NULL.
 */
void *arch_kprobe_alloc_slots(const struct kprobe_site *site)
{
	unsigned long addr = (unsigned long)site->addr;
	void *text;

	text = execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);
	if (text && arch_kprobe_slots_near(text, site))
		return text;
	if (text)
		execmem_free(text);

	/*
	 * Execmem has no near page.  Prefer one within half the reach of a
	 * branch, because it can serve other sites as well.
	 */
	text = alloc_within(addr, SZ_64M);
	return text ?: alloc_within(addr, SZ_128M - 2 * PAGE_SIZE);
}

/**
 * a64_kprobe_original_insn - read an instruction as it is without a probe
 * @addr: its address
 *
 * Context: kprobe_mutex held.
 */
u32 a64_kprobe_original_insn(const void *addr)
{
	struct kprobe_site *site;

	guard(preempt)();
	site = kprobe_site_find((unsigned long)addr);
	return site ? site->opcode : le32_to_cpu(*(const __le32 *)addr);
}

/*
 * Slots of a site
 */

static enum kprobe_refusal make_slot(struct kprobe_site *site, bool post,
				     void **result)
{
	unsigned long next = (unsigned long)site->addr + AARCH64_INSN_SIZE;
	unsigned int size = post ? KPROBE_DETOUR_SIZE : KPROBE_SLOT_SIZE;
	void *slot = kprobe_slot_alloc(site, size);
	struct a64_kprobe_text text = { .at = (unsigned long)slot };
	bool computes;

	if (!slot)
		return KPROBE_REFUSE_NO_MEMORY;

	computes = post && site->insn.decoded.class == A64_PLAIN &&
		   a64_kprobe_emit_compute(&text, site->opcode);
	if (!computes) {
		if (post)
			a64_kprobe_emit_data(&text, (unsigned long)site);
		a64_kprobe_emit_copy(&text, site, next);
		if (post)
			a64_kprobe_emit_call(&text, kprobe_post_thunk);
		a64_kprobe_emit_branch(&text, next);
	}
	if (!a64_kprobe_finish(&text, slot, size)) {
		kprobe_slot_free(slot);
		return KPROBE_REFUSE_OUT_OF_REACH;
	}
	/* A hit may call the slot at once: see 3. in kprobes-emit.c. */
	if (computes && site->state != KPROBE_SITE_CLEAN)
		a64_kprobe_sync_cpus();
	if (post) {
		site->insn.computes = computes;
		site->insn.post_call = text.call;
	}
	WRITE_ONCE(*result, slot);
	/* Order before npost; pairs with smp_rmb() in go_on_with_post(). */
	smp_wmb();
	return KPROBE_OK;
}

bool arch_kprobe_emulated(const struct kprobe_site *site)
{
	unsigned int class = site->insn.decoded.class;

	/* A load of a literal may fault. */
	return class != A64_PLAIN && class != A64_LOAD_EX && class != A64_LDR;
}

enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post)
{
	struct arch_kprobe_insn *insn = &site->insn;

	if (arch_kprobe_emulated(site))
		return KPROBE_OK;
	if (!with_post)
		return make_slot(site, false, &site->slot);
	if (site->post_slot)
		return KPROBE_OK;
	/* Post handlers would run between this load and its store. */
	if (insn->decoded.class == A64_LOAD_EX)
		return KPROBE_REFUSE_UNRELOCATABLE;
	return make_slot(site, true, &site->post_slot);
}

/*
 * Return the original address that corresponds to @ip, or @ip if none does.
 * Set *@can_resume if a task can resume there.  It cannot while registers are
 * on the stack for the call of the core, which is before the copied instruction
 * in a detour and after it in a post_slot.
 */
static unsigned long place_in_slot(const struct kprobe_site *site,
				   const void *slot, unsigned long ip,
				   bool *can_resume)
{
	unsigned int at = (ip - (unsigned long)slot) / sizeof(u32);
	/* Only the copy of LDR may fault after its first word. */
	unsigned int copy_end = site->insn.decoded.class == A64_LDR ? 2 : 1;
	struct a64_kprobe_call call = {};

	*can_resume = false;
	if (slot == site->post_slot) {
		/* The slot is a function that go_on_with_post() calls. */
		if (site->insn.computes)
			return ip;
		call = site->insn.post_call;
		copy_end = call.begin;
	} else if (slot != site->slot) {
		call = site->insn.detour_call;
		copy_end += call.end;
	}
	*can_resume = at <= call.begin || at >= call.end;
	return (unsigned long)site->addr +
	       (at < copy_end ? 0 : AARCH64_INSN_SIZE);
}
NOKPROBE_SYMBOL(place_in_slot);

unsigned long arch_kprobe_orig_ip(struct kprobe_site *site, void *slot,
				  unsigned long ip)
{
	bool can_resume;

	return place_in_slot(site, slot, ip, &can_resume);
}
NOKPROBE_SYMBOL(arch_kprobe_orig_ip);

bool arch_kprobe_can_resume(struct kprobe_site *site, void *slot,
			    unsigned long *ip)
{
	unsigned long place;
	bool can_resume;

	place = place_in_slot(site, slot, *ip, &can_resume);
	if (can_resume)
		*ip = place;
	return can_resume;
}
NOKPROBE_SYMBOL(arch_kprobe_can_resume);

/* Return true if a thunk or the trampoline has no frame record at @pc. */
static bool has_no_record(unsigned long pc)
{
	const struct a64_kprobe_recordless *r;
	unsigned long at = pc - (unsigned long)kprobe_post_thunk;

	for (r = kprobe_recordless; r < kprobe_recordless_end; r++)
		if (at - r->begin < r->end - r->begin)
			return true;
	return false;
}

/**
 * kprobe_hidden_callers - find return addresses that are in no frame record
 * @regs: any registers of kernel mode, except at the trampoline's first
 *	instruction
 * @hidden: filled in with up to KPROBE_HIDDEN_MAX addresses, outermost first
 *
 * A thunk, the trampoline and a function that is probed at its entry have no
 * record at first.  The trampoline drops its record before its last two
 * instructions.
 *
 * Context: any.
 * Return: number of addresses in @hidden.
 */
unsigned int kprobe_hidden_callers(const struct pt_regs *regs,
				   unsigned long *hidden)
{
	const struct pt_regs *saved = (void *)regs->sp;
	u64 pc = regs->pc, lr = regs->regs[30];
	bool in_thunk = has_no_record(pc);
	unsigned int nr = 0;

	if (in_thunk)
		pc = lr;
	else if (kprobe_orig_ip(lr) != lr)
		/* In or just after the thunk: x29 points to its record. */
		return 0;
	if (kprobe_at_entry(kprobe_orig_ip(pc))) {
		/* For a far call, a detour has the thunk's address in x30. */
		if ((!in_thunk && lr != (unsigned long)kprobe_jump_thunk) ||
		    !get_kernel_nofault(lr, &saved->regs[30]))
			hidden[nr++] = ptrauth_strip_kernel_insn_pac(lr);
	}
	if (in_thunk)
		hidden[nr++] = ptrauth_strip_kernel_insn_pac(regs->regs[30]);
	return nr;
}
