// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions out of line on arm64: what stands in a slot.
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
 * or a function of the registers, where that is all the instruction needs: see
 * kprobes-compute.c.
 *
 * Either way the instruction runs natively and needs no second exception.  The
 * thunk saves and restores all other registers, so that a task which comes back
 * from it needs none to find the way.
 *
 * An instruction that depends on where it stands is replaced by some that do
 * the same with literals, which stand behind the way back.  Its own registers
 * are enough for that.
 *
 * Slots and their sites are so close that a branch reaches from one to the
 * other.  They come from where modules do, if that is near enough, which is a
 * matter of configuration and chance, and otherwise from around the site.
 *
 * Writing a slot
 * --------------
 *
 * A slot has no instruction that some CPU may execute while it is written.  So
 * caches are all that is looked after then: the slot is cleaned to where
 * instructions are fetched from, and the instruction caches are told to forget
 * it, which the hardware does for those of all CPUs.  What a CPU may still have
 * is what it has fetched already, on a wrong guess maybe, from where the slot
 * is.  It forgets that at its next context synchronization event, and must have
 * one before it executes the slot:
 *
 * 1. A breakpoint is written after the slot.  A CPU that takes it has one on
 *    the way in, and another on the way to the slot.
 * 2. A detour is entered by a branch, which is none.  arch_kprobe_patch() sends
 *    all CPUs an IPI before it writes the first branch of a batch.
 * 3. What is generated for an instruction that only computes is called from
 *    within the exception, where it may come to a breakpoint that stands
 *    already; only then all CPUs are sent an IPI before they are told of it.
 *
 * So a batch pays for one IPI to each CPU on the way to its branches, however
 * many slots it has, and a post handler for one where it comes to a breakpoint
 * that stands.
 */
#include <linux/align.h>
#include <linux/execmem.h>
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/cacheflush.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/patching.h>
#include <asm/ptrace.h>
#include "kprobes-common.h"

void arch_kprobe_fill_slots(void *text, size_t size)
{
	memset32(text, (__force u32)cpu_to_le32(AARCH64_BREAK_FAULT),
		 size / sizeof(u32));
}

/**
 * a64_kprobe_in_reach - does a branch reach that far?
 * @from: where it stands
 * @to: where it goes
 */
bool a64_kprobe_in_reach(unsigned long from, unsigned long to)
{
	long distance = to - from;

	return distance >= -(long)SZ_128M && distance < (long)SZ_128M;
}

/**
 * arch_kprobe_slots_near - can a page have slots for this site?
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

/* A page that is no further away than that. */
static void *alloc_within(unsigned long addr, unsigned long distance)
{
	unsigned long low = max(PAGE_ALIGN(addr - distance), MODULES_VADDR);
	unsigned long high = min(addr + distance, VMALLOC_END);
	void *page;

	page = __vmalloc_node_range(PAGE_SIZE, PAGE_SIZE, low, high,
				    GFP_KERNEL | __GFP_NOWARN, PAGE_KERNEL,
				    VM_FLUSH_RESET_PERMS, NUMA_NO_NODE,
				    __builtin_return_address(0));
	/* As execmem does: text is found by addresses without a tag. */
	return kasan_reset_tag(page);
}

/**
 * arch_kprobe_alloc_slots - allocate a page for slots
 * @site: near this one
 *
 * Context: may sleep.
 * Return: a writable page, or NULL.
 */
void *arch_kprobe_alloc_slots(const struct kprobe_site *site)
{
	unsigned long addr = (unsigned long)site->addr;
	void *text;

	text = execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);
	if (!text || arch_kprobe_slots_near(text, site))
		return text;
	execmem_free(text);

	/*
	 * A module that is far from the kernel, or slots that are.  A page half
	 * way to the end of the reach serves other sites as well.
	 */
	text = alloc_within(addr, SZ_64M);
	return text ?: alloc_within(addr, SZ_128M - 2 * PAGE_SIZE);
}

/**
 * a64_kprobe_original_insn - what stands at an address while nothing is probed
 * @addr: in text
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
 * Writing text
 */

void a64_kprobe_emit(struct a64_kprobe_text *text, u32 insn)
{
	if (text->nr == ARRAY_SIZE(text->word)) {
		text->bad = true;
		return;
	}
	text->word[text->nr++] = cpu_to_le32(insn);
}

/* Instructions are little endian, whatever data is. */
static void emit_data(struct a64_kprobe_text *text, u64 value)
{
	if (text->nr + 2 > ARRAY_SIZE(text->word)) {
		text->bad = true;
		return;
	}
	memcpy(&text->word[text->nr], &value, sizeof(value));
	text->nr += 2;
}

static unsigned long text_here(const struct a64_kprobe_text *text)
{
	return text->at + text->nr * sizeof(u32);
}

void a64_kprobe_emit_branch(struct a64_kprobe_text *text, unsigned long target)
{
	unsigned long here = text_here(text);
	u32 insn;

	if (!a64_kprobe_in_reach(here, target)) {
		text->bad = true;
		return;
	}
	insn = aarch64_insn_gen_branch_imm(here, target,
					   AARCH64_INSN_BRANCH_NOLINK);
	a64_kprobe_emit(text, insn);
}

/* LDR @reg, =value; a64_kprobe_finish() puts in where that is. */
static void emit_literal(struct a64_kprobe_text *text, unsigned int reg,
			 u64 value)
{
	unsigned int i = text->nr_literals++;

	if (WARN_ON_ONCE(i == ARRAY_SIZE(text->literal))) {
		text->bad = true;
		return;
	}
	text->literal[i].word = text->nr;
	text->literal[i].value = value;
	a64_kprobe_emit(text, 0x58000000 | reg);
}

/* A conditional branch over the next word only. */
static u32 branch_over_one(u32 opcode, const struct a64_kprobe_insn *decoded)
{
	if (decoded->class == A64_TBZ)
		return (opcode & ~GENMASK(18, 5)) | 2 << 5;
	return (opcode & ~GENMASK(23, 5)) | 2 << 5;
}

/**
 * a64_kprobe_emit_copy - add a probed instruction, wherever it has stood
 * @text: to this
 * @site: where it is from
 * @next: where to go on if it is no branch that is taken
 */
void a64_kprobe_emit_copy(struct a64_kprobe_text *text,
			  const struct kprobe_site *site, unsigned long next)
{
	const struct a64_kprobe_insn *decoded = &site->insn.decoded;
	u32 opcode = site->opcode;

	switch ((enum a64_kprobe_class)decoded->class) {
	case A64_BCOND:
	case A64_CBZ:
	case A64_TBZ:
		a64_kprobe_emit(text, branch_over_one(opcode, decoded));
		a64_kprobe_emit_branch(text, next);
		fallthrough;
	case A64_B:
		a64_kprobe_emit_branch(text, decoded->target);
		break;
	case A64_BL:
		emit_literal(text, 30, next);
		a64_kprobe_emit_branch(text, decoded->target);
		break;
	case A64_BLR:
		/* It reads its register before it writes the link register. */
		if (decoded->rt == 30 ||
		    (decoded->key && decoded->modifier == 30)) {
			text->bad = true;
			break;
		}
		emit_literal(text, 30, next);
		/* BR and its like. */
		a64_kprobe_emit(text, opcode & ~BIT(21));
		break;
	case A64_ADR:
		if (decoded->rt != 31)
			emit_literal(text, decoded->rt, decoded->target);
		break;
	case A64_LDR:
		/* What is loaded into the zero register is lost: no load. */
		if (decoded->rt == 31)
			break;
		emit_literal(text, decoded->rt, decoded->target);
		/* LDRSW, LDR X or LDR W */
		a64_kprobe_emit(text, (decoded->sign ? 0xb9800000 :
				decoded->wide ? 0xf9400000 : 0xb9400000) |
			 decoded->rt << 5 | decoded->rt);
		break;
	case A64_NOP:
	case A64_LANDING:
	case A64_PREFETCH:
		break;
	default:
		a64_kprobe_emit(text, opcode);
	}
}

/* A pointer to the site, where the words before A64_ENTRY are. */
void a64_kprobe_emit_site(struct a64_kprobe_text *text,
			  const struct kprobe_site *site)
{
	emit_data(text, (unsigned long)site);
}

/* Loads and stores of two registers on the stack. */
#define STP_PUSH	0xa9800000
#define STP		0xa9000000
#define LDP		0xa9400000
#define LDP_POP		0xa8c00000

static void emit_pair(struct a64_kprobe_text *text, u32 how, unsigned int a,
		      unsigned int b, int offset)
{
	a64_kprobe_emit(text, how | (offset / 8 & GENMASK(6, 0)) << 15 |
			b << 10 | AARCH64_INSN_REG_SP << 5 | a);
}

#define FRAME_SIZE	((int)sizeof(struct pt_regs))
#define FRAME_X29	((int)offsetof(struct pt_regs, regs[29]))

/**
 * a64_kprobe_emit_call - add a call of the engine
 * @text: to this; begins with the site
 * @thunk: finds a struct pt_regs on the stack in which x0, x1, x29 and x30
 *	have been saved, and the site in x0; returns with all other registers
 *	as they are to be
 */
void a64_kprobe_emit_call(struct a64_kprobe_text *text, void (*thunk)(void))
{
	unsigned long here, addr = (unsigned long)thunk;
	u32 insn;

	text->call.begin = text->nr;
	emit_pair(text, STP_PUSH, 0, 1, -FRAME_SIZE);
	emit_pair(text, STP, 29, 30, FRAME_X29);
	/* LDR x0, from the start of the text */
	a64_kprobe_emit(text, 0x58000000 | (-text->nr & GENMASK(18, 0)) << 5);
	here = text_here(text);
	if (a64_kprobe_in_reach(here, addr)) {
		insn = aarch64_insn_gen_branch_imm(here, addr,
						   AARCH64_INSN_BRANCH_LINK);
		a64_kprobe_emit(text, insn);
	} else {
		emit_literal(text, 30, addr);
		a64_kprobe_emit(text, 0xd63f03c0);		/* BLR x30 */
	}
	emit_pair(text, LDP, 29, 30, FRAME_X29);
	emit_pair(text, LDP_POP, 0, 1, FRAME_SIZE);
	text->call.end = text->nr;
}

/*
 * Writes what is new, without an IPI: see "Writing a slot".  Decoders of
 * traced branches are told before any CPU can get there.
 */
static void write_slot(void *slot, const void *text, unsigned int size)
{
	unsigned int at;
	u64 value;

	perf_event_text_poke(slot, NULL, 0, text, size);
	for (at = 0; at < size; at += sizeof(value)) {
		memcpy(&value, text + at, sizeof(value));
		if (*(u64 *)(slot + at) != value)
			WARN_ON_ONCE(aarch64_insn_write_literal_u64(slot + at,
								    value));
	}
	caches_clean_inval_pou((unsigned long)slot, (unsigned long)slot + size);
}

/**
 * a64_kprobe_finish - add literals, and write it
 * @text: what
 * @slot: where to
 * @size: how much room there is
 *
 * Context: may sleep.
 * Return: whether it fits and reaches where it has to.
 */
bool a64_kprobe_finish(struct a64_kprobe_text *text, void *slot,
		       unsigned int size)
{
	unsigned int i;

	for (i = 0; i < text->nr_literals && !text->bad; i++) {
		unsigned int word = text->literal[i].word;

		if (text->nr & 1)
			a64_kprobe_emit(text, AARCH64_BREAK_FAULT);
		le32_add_cpu(&text->word[word], (text->nr - word) << 5);
		emit_data(text, text->literal[i].value);
	}
	if (text->bad || text->nr * sizeof(u32) > size)
		return false;
	while (text->nr * sizeof(u32) < size)
		a64_kprobe_emit(text, AARCH64_BREAK_FAULT);
	write_slot(slot, text->word, size);
	return true;
}

/*
 * Slots of a site
 */

static unsigned long way_back(const struct kprobe_site *site)
{
	return (unsigned long)site->addr + AARCH64_INSN_SIZE;
}

static enum kprobe_refusal make_slot(struct kprobe_site *site, bool post,
				     void **result)
{
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
			a64_kprobe_emit_site(&text, site);
		a64_kprobe_emit_copy(&text, site, way_back(site));
		if (post)
			a64_kprobe_emit_call(&text, kprobe_post_thunk);
		a64_kprobe_emit_branch(&text, way_back(site));
	}
	if (!a64_kprobe_finish(&text, slot, size)) {
		kprobe_slot_free(slot);
		return KPROBE_REFUSE_OUT_OF_REACH;
	}
	/* A hit may call it: see 3. in "Writing a slot" above. */
	if (computes && site->state != KPROBE_SITE_CLEAN)
		a64_kprobe_sync_cpus();
	if (post) {
		site->insn.computes = computes;
		site->insn.post_call = text.call;
	}
	WRITE_ONCE(*result, slot);
	/* Before site->npost; pairs with smp_rmb() in go_on_with_post(). */
	smp_wmb();
	return KPROBE_OK;
}

bool arch_kprobe_emulated(const struct kprobe_site *site)
{
	return a64_kprobe_emulated(&site->insn.decoded);
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
	/* Handlers would run before the store that ends the sequence. */
	if (insn->decoded.class == A64_LOAD_EX)
		return KPROBE_REFUSE_UNRELOCATABLE;
	return make_slot(site, true, &site->post_slot);
}

/*
 * Where in a slot is that?  Before the copied instruction has been executed,
 * registers may have been saved already; see a64_kprobe_emit_call().
 */
enum a64_place {
	A64_NOWHERE,		/* a function: see kprobes-compute.c */
	A64_BEFORE,		/* as if at the probed address */
	A64_BEFORE_CALLING,	/* the same with some registers on the stack */
	A64_BEHIND_CALLING,	/* executed, with some registers on the stack */
	A64_BEHIND,		/* executed */
};

static __always_inline unsigned int
copy_words(const struct kprobe_site *site)
{
	return site->insn.decoded.class == A64_LDR ? 2 : 1;
}

static enum a64_place place_in_slot(const struct kprobe_site *site,
				    const void *slot, unsigned long ip)
{
	unsigned int at = (ip - (unsigned long)slot) / sizeof(u32);
	const struct a64_kprobe_call *call = &site->insn.post_call;

	if (slot == site->slot)
		return at < copy_words(site) ? A64_BEFORE : A64_BEHIND;

	if (slot == site->post_slot) {
		/* A function that the exception's handler calls. */
		if (site->insn.computes)
			return A64_NOWHERE;
		if (at < call->begin)
			return A64_BEFORE;
		return at > call->begin && at < call->end ?
		       A64_BEHIND_CALLING : A64_BEHIND;
	}

	/* A detour. What may raise an exception there is one word. */
	call = &site->insn.detour_call;
	if (at <= call->begin)
		return A64_BEFORE;
	if (at < call->end)
		return A64_BEFORE_CALLING;
	return at < call->end + copy_words(site) ? A64_BEFORE : A64_BEHIND;
}
NOKPROBE_SYMBOL(place_in_slot);

unsigned long arch_kprobe_orig_ip(struct kprobe_site *site, void *slot,
				  unsigned long ip)
{
	unsigned long addr = (unsigned long)site->addr;

	switch (place_in_slot(site, slot, ip)) {
	case A64_BEFORE:
	case A64_BEFORE_CALLING:
		return addr;
	case A64_BEHIND_CALLING:
	case A64_BEHIND:
		return addr + AARCH64_INSN_SIZE;
	case A64_NOWHERE:
		break;
	}
	return ip;
}
NOKPROBE_SYMBOL(arch_kprobe_orig_ip);

bool arch_kprobe_can_resume(struct kprobe_site *site, void *slot,
			    unsigned long *ip)
{
	enum a64_place place = place_in_slot(site, slot, *ip);

	if (place != A64_BEFORE && place != A64_BEHIND)
		return false;
	*ip = arch_kprobe_orig_ip(site, slot, *ip);
	return true;
}
NOKPROBE_SYMBOL(arch_kprobe_can_resume);
