// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Out-of-line execution on powerpc: the contents of slots.
 *
 *	slot		[instruction]
 *			b	back		or, if that is too far, trap
 *			[site]
 *
 *	post_slot	[instruction]
 *			trap
 *			[site]
 *
 * The instruction runs natively.  Branches and ADDPCIS are emulated, so only
 * prefixed instructions in a slot may have an operand relative to their
 * address; it is adjusted.  The handler of the trap reads the site from the
 * slot, so a hit keeps no state in the task or CPU until then.
 *
 * A branch reaches 32 MB.  Modules can be anywhere in the vmalloc area, and
 * pages for their slots are allocated within 32 MB of the module.  The kernel's
 * own text has a pool of pages in .kprobes.text.  Slots are allocated anywhere,
 * and end with a trap, if the pool is used up, if the text is larger than the
 * reach, or if the vmalloc area around a module is full.  Detours must be in
 * reach.  On 64 bit, if the MMU uses a hash table, slots of the kernel's own
 * text are only in the pool.
 *
 * Slots are aligned to their size, so that a prefixed instruction does not
 * cross a 64-byte boundary.
 *
 * Writing a slot
 * --------------
 *
 * No CPU executes a slot while it is written, but one may have fetched its
 * previous contents speculatively.  patch_instructions() writes the slot
 * through another mapping, and then invalidates it in the instruction caches of
 * all CPUs (DCBST, SYNC, ICBI, SYNC).  A CPU reaches the slot only by returning
 * from an exception.  This is context synchronizing: the CPU discards
 * prefetched instructions, and fetches them from the cache again.
 */
#include <linux/array_size.h>
#include <linux/bitmap.h>
#include <linux/execmem.h>
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/set_memory.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/inst.h>
#include <asm/mmu.h>
#include <asm/pgtable.h>
#include <asm/sections.h>
#include "kprobes-common.h"

/*
 * Pages
 */

#define POOL_PAGES	(PPC_KPROBE_POOL_SIZE / PAGE_SIZE)

/* Pages of the pool in use; changed under the lock of slots.c. */
static DECLARE_BITMAP(pool_used, POOL_PAGES);
/* Set if no page near a module was left; protected by the same lock. */
static bool modules_crowded;

static bool in_pool(const void *text)
{
	return text >= (void *)ppc_kprobe_pool &&
	       text < (void *)ppc_kprobe_pool_end;
}

/* @text is writable memory, or a page of the pool. */
void arch_kprobe_fill_slots(void *text, size_t size)
{
	u32 trap = PPC_RAW_TRAP();

	if (in_pool(text))
		WARN_ON_ONCE(patch_instructions(text, &trap, size, true));
	else
		memset32(text, trap, size / sizeof(u32));
}

/* The pool is part of the text, so it is read-only and executable already. */
int arch_kprobe_protect_slots(void *text)
{
	return in_pool(text) ? 0 : set_memory_rox((unsigned long)text, 1);
}

void arch_kprobe_free_slots(void *text)
{
	if (in_pool(text)) {
		__clear_bit((text - (void *)ppc_kprobe_pool) / PAGE_SIZE,
			    pool_used);
		return;
	}
	execmem_free(text);
	/* A page near a module may be available now. */
	modules_crowded = false;
}

static bool in_reach(unsigned long from, unsigned long to)
{
	return is_offset_in_branch_range(to - from);
}

static bool page_in_reach(const void *text, const struct kprobe_site *site)
{
	unsigned long page = (unsigned long)text;
	unsigned long addr = (unsigned long)site->addr;

	return in_reach(page, addr) && in_reach(addr, page) &&
	       in_reach(page + PAGE_SIZE, addr) &&
	       in_reach(addr, page + PAGE_SIZE);
}

static void *alloc_from_pool(void)
{
	unsigned int i = find_first_zero_bit(pool_used, POOL_PAGES);

	if (i == POOL_PAGES)
		return NULL;
	__set_bit(i, pool_used);
	return ppc_kprobe_pool + i * PAGE_SIZE;
}

/* The range in which memory outside of the kernel image may be executable. */
#ifdef MODULES_VADDR
#define EXEC_START	((unsigned long)MODULES_VADDR)
#define EXEC_END	((unsigned long)MODULES_END)
#else
#define EXEC_START	((unsigned long)VMALLOC_START)
#define EXEC_END	((unsigned long)VMALLOC_END)
#endif

/* Allocate a page at most @distance away from @addr. */
static void *alloc_within(unsigned long addr, unsigned long distance)
{
	unsigned long low = EXEC_START;
	unsigned long high = EXEC_END;
	void *page;

	/* With these comparisons, no sum or difference overflows. */
	if (addr > low && addr - low > distance)
		low = PAGE_ALIGN(addr - distance);
	if (addr < high && high - addr > distance)
		high = addr + distance;
	if (low >= high)
		return NULL;
	page = __vmalloc_node_range(PAGE_SIZE, PAGE_SIZE, low, high,
				    GFP_KERNEL | __GFP_NOWARN, PAGE_KERNEL,
				    VM_FLUSH_RESET_PERMS, NUMA_NO_NODE,
				    __builtin_return_address(0));
	return kasan_reset_tag(page);
}

/* Return true if slots may be anywhere, because no near page seems left. */
static bool beyond_reach(const struct kprobe_site *site)
{
	if (!core_kernel_text((unsigned long)site->addr))
		return modules_crowded;
	return bitmap_full(pool_used, POOL_PAGES) ||
	       !page_in_reach(ppc_kprobe_pool, site) ||
	       !page_in_reach(ppc_kprobe_pool_end - PAGE_SIZE, site);
}

/*
 * With a hash table, a fetch from the vmalloc area may fault, and the handler
 * of that fault may be probed itself.  So slots for the kernel's text must be
 * in that text, whose translation is bolted.
 */
static bool must_not_fault(const struct kprobe_site *site)
{
	return IS_ENABLED(CONFIG_PPC_64S_HASH_MMU) && !radix_enabled() &&
	       core_kernel_text((unsigned long)site->addr);
}

/**
 * arch_kprobe_slots_near - check if a page can hold slots for a site
 * @text: the page
 * @site: the site
 */
bool arch_kprobe_slots_near(const void *text, const struct kprobe_site *site)
{
	if (must_not_fault(site))
		return in_pool(text) && page_in_reach(text, site);
	return page_in_reach(text, site) ||
	       (beyond_reach(site) && !in_pool(text));
}

/**
 * arch_kprobe_alloc_slots - allocate a page for slots
 * @site: the page should be near this site
 *
 * Context: may sleep.
 * Return: a writable page, a page of the pool, or NULL.
 */
void *arch_kprobe_alloc_slots(const struct kprobe_site *site)
{
	unsigned long addr = (unsigned long)site->addr;
	void *text = NULL;

	if (core_kernel_text(addr) && !beyond_reach(site))
		return alloc_from_pool();
	if (must_not_fault(site))
		return NULL;
	if (!core_kernel_text(addr)) {
		/* A page within half the reach can serve other sites, too. */
		text = alloc_within(addr, SZ_16M) ?:
		       alloc_within(addr, SZ_32M - 2 * PAGE_SIZE);
		modules_crowded |= !text;
	}
	return text ?: alloc_within(EXEC_START, EXEC_END - EXEC_START);
}

/*
 * Slots of a site
 */

/**
 * ppc_kprobe_original_insn - read an instruction as it is without a probe
 * @addr: its address
 *
 * Context: kprobe_mutex held, or an exception.
 */
u32 ppc_kprobe_original_insn(const u32 *addr)
{
	struct kprobe_site *site;

	guard(preempt)();
	site = kprobe_site_find((unsigned long)addr);
	return site ? site->opcode : *addr;
}

/* Add the copied instruction.  Return its length in words, or 0 on failure. */
static unsigned int put_copy(struct ppc_kprobe_slot *text, const void *slot,
			     const struct kprobe_site *site)
{
	ppc_inst_t insn = site->insn.insn;

	if (site->insn.class == PPC_KPROBE_RELATIVE &&
	    !ppc_kprobe_relocate(&insn, (unsigned long)site->addr,
				 (unsigned long)slot))
		return 0;
	text->word[0] = ppc_inst_val(insn);
	if (!ppc_inst_prefixed(insn))
		return 1;
	text->word[1] = ppc_inst_suffix(insn);
	return 2;
}

/* Add the branch back, or keep the trap.  Return false if neither works. */
static bool put_branch(struct ppc_kprobe_slot *text, const void *slot,
		       const struct kprobe_site *site, unsigned int n)
{
	ppc_inst_t branch;

	if (!create_branch(&branch, slot + n * sizeof(u32),
			   ppc_kprobe_next(site), 0)) {
		text->word[n] = ppc_inst_val(branch);
		return true;
	}
	/* A trap would end the reservation. */
	return site->insn.class != PPC_KPROBE_LOAD_RESERVE;
}

/* Notify decoders of traced branches before any CPU can execute the slot. */
static bool write_slot(void *slot, struct ppc_kprobe_slot *text)
{
	perf_event_text_poke(slot, NULL, 0, text, sizeof(*text));
	return !patch_instructions(slot, (u32 *)text, sizeof(*text), false);
}

static enum kprobe_refusal make_slot(struct kprobe_site *site, bool post,
				     void **result)
{
	struct ppc_kprobe_slot text = { .site = site };
	enum kprobe_refusal why;
	unsigned int n;
	void *slot;

	slot = kprobe_slot_alloc(site, KPROBE_SLOT_SIZE);
	if (!slot)
		return must_not_fault(site) && beyond_reach(site) ?
		       KPROBE_REFUSE_OUT_OF_REACH : KPROBE_REFUSE_NO_MEMORY;

	memset32(text.word, PPC_KPROBE_SLOT_TRAP, ARRAY_SIZE(text.word));
	n = put_copy(&text, slot, site);
	why = KPROBE_REFUSE_OUT_OF_REACH;
	if (!n || (!post && !put_branch(&text, slot, site, n)))
		goto free;
	why = KPROBE_REFUSE_NO_MEMORY;
	if (!write_slot(slot, &text))
		goto free;
	WRITE_ONCE(*result, slot);
	/* Before site->npost; pairs with smp_rmb() in go_on_with_post(). */
	smp_wmb();
	return KPROBE_OK;

free:
	kprobe_slot_free(slot);
	return why;
}

bool arch_kprobe_emulated(const struct kprobe_site *site)
{
	return site->insn.class == PPC_KPROBE_EMULATE;
}

enum kprobe_refusal arch_kprobe_prepare(struct kprobe_site *site,
					bool with_post)
{
	if (arch_kprobe_emulated(site))
		return KPROBE_OK;
	if (!with_post)
		return make_slot(site, false, &site->slot);
	if (site->post_slot || site->insn.class == PPC_KPROBE_COMPUTE)
		return KPROBE_OK;
	/* The trap would be between the load and its store. */
	if (site->insn.class == PPC_KPROBE_LOAD_RESERVE)
		return KPROBE_REFUSE_UNRELOCATABLE;
	return make_slot(site, true, &site->post_slot);
}

/* A CPU executes only the instruction in a slot and the word after it. */
static unsigned long place_of(const struct kprobe_site *site, const void *slot,
			      unsigned long ip, bool *saved)
{
	if (slot == site->detour)
		return ppc_kprobe_detour_place(site, ip, saved);

	*saved = false;
	if (ip - (unsigned long)slot < ppc_inst_len(site->insn.insn))
		return (unsigned long)site->addr;
	return ppc_kprobe_next(site);
}
NOKPROBE_SYMBOL(place_of);

unsigned long arch_kprobe_orig_ip(struct kprobe_site *site, void *slot,
				  unsigned long ip)
{
	bool saved;

	return place_of(site, slot, ip, &saved);
}
NOKPROBE_SYMBOL(arch_kprobe_orig_ip);

bool arch_kprobe_can_resume(struct kprobe_site *site, void *slot,
			    unsigned long *ip)
{
	unsigned long place;
	bool saved;

	place = place_of(site, slot, *ip, &saved);
	if (!saved)
		*ip = place;
	return !saved;
}
NOKPROBE_SYMBOL(arch_kprobe_can_resume);

/**
 * kprobe_unwind_hit - find the probed function for registers in a hit
 * @regs: any registers of kernel mode
 * @sp: set to the function's stack pointer, which is above a detour's frame
 * @link: set to the function's return address if the function is probed at its
 *	entry, where it has not saved the address yet; otherwise set to 0
 *
 * No copied instruction is a call, so LR points to a slot only after a detour
 * has called the thunk.  By then, the detour has saved the original LR.
 *
 * Context: any.
 * Return: the probed address if @regs are in the thunk of a detour, else 0.
 */
unsigned long kprobe_unwind_hit(const struct pt_regs *regs, unsigned long *sp,
				unsigned long *link)
{
	unsigned long *frame = (unsigned long *)regs->gpr[1];
	const struct pt_regs *saved = (void *)frame + STACK_INT_FRAME_REGS;
	bool called = kprobe_orig_ip(regs->link) != regs->link;
	bool entered, in_thunk, framed = false;
	unsigned long ip = regs->nip, addr;
	struct kprobe_site *site;

	*sp = regs->gpr[1];
	*link = 0;
	in_thunk = ip >= (unsigned long)kprobe_jump_thunk &&
		   ip < (unsigned long)kprobe_jump_thunk_end;
	if (in_thunk)
		ip = called ? regs->link : regs->gpr[31];
	addr = kprobe_orig_ip(ip);

	entered = kprobe_read_lock();
	site = kprobe_site_find(addr);
	if (site && ip - (unsigned long)site->detour < KPROBE_DETOUR_SIZE)
		ppc_kprobe_detour_place(site, ip, &framed);
	if (framed)
		*sp = *frame;
	if (site && site->on_entry)
		*link = framed && (called || in_thunk) ? saved->link :
							 regs->link;
	kprobe_read_unlock(entered);
	return in_thunk ? addr : 0;
}
