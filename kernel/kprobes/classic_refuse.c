// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions that are refused before the backend is called.
 *
 * Exclusive loads and stores: the store fails if the CPU has taken an exception
 * since the load, and then the load is tried again.  With a probe in between,
 * this never ends.
 *
 * So these instructions must not be probed, nor anything between a load and the
 * next store.  A load without a following store is an atomic one by itself.
 *
 * Context: kprobe_mutex, jump_label_mutex and text_mutex held.
 */
#include <linux/align.h>
#include <linux/bug.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/kprobes_backend.h>
#include <linux/minmax.h>

#ifdef CONFIG_DYNAMIC_FTRACE
/*
 * Return true for text that ftrace writes for a call.  ftrace_location() finds
 * any address of the call itself, which may be two instructions in
 * MCOUNT_INSN_SIZE, and the quirks have the other words.
 */
static bool classic_is_ftrace_call(unsigned long addr)
{
	unsigned long call = ftrace_location(addr);
	int word;

	if (call && addr - call < MCOUNT_INSN_SIZE)
		return true;
	for (word = kprobe_quirks.ftrace_from; word <= kprobe_quirks.ftrace_to;
	     word += sizeof(u32)) {
		call = addr - word;
		if (word && ftrace_location(call) == call)
			return true;
	}
	return false;
}
#else
static bool classic_is_ftrace_call(unsigned long addr)
{
	return false;
}
#endif

static bool classic_is_fixed_up(unsigned long addr)
{
	return kprobe_quirks.refuses_fixups && search_exception_tables(addr);
}

static unsigned int classic_insn_bytes(unsigned long at)
{
	return kprobe_quirks.insn_bytes ? kprobe_quirks.insn_bytes(at) :
					  sizeof(kprobe_opcode_t);
}

/* No architecture guarantees progress for longer sequences. */
#define EXCLUSIVE_BYTES		128

/*
 * Breakpoints are never on these accesses, and are as long as the instructions
 * that they replace.
 */
static bool classic_is_exclusive(unsigned long addr,
				 const struct kprobe_symbol *symbol)
{
	unsigned long at = symbol->start, load = 0, end = at + symbol->size;
	enum kprobe_exclusive access;

	if (!kprobe_quirks.exclusive || !symbol->size)
		return false;
	if (kprobe_quirks.exclusive(addr) != KPROBE_EXCLUSIVE_NONE)
		return true;
	/* If all instructions have one length, decoding may start anywhere. */
	if (!kprobe_quirks.insn_bytes)
		at = max(at, addr - EXCLUSIVE_BYTES);
	for (; at < addr; at += classic_insn_bytes(at)) {
		access = kprobe_quirks.exclusive(at);
		if (access != KPROBE_EXCLUSIVE_NONE)
			load = access == KPROBE_EXCLUSIVE_LOAD ? at : 0;
	}
	if (!load)
		return false;
	for (end = min(end, load + EXCLUSIVE_BYTES); at < end;
	     at += classic_insn_bytes(at)) {
		access = kprobe_quirks.exclusive(at);
		if (access != KPROBE_EXCLUSIVE_NONE)
			return access == KPROBE_EXCLUSIVE_STORE;
	}
	return false;
}

static bool classic_is_aligned(unsigned long addr)
{
	return IS_ALIGNED(addr, kprobe_quirks.insn_bytes ?
			  sizeof(u16) : sizeof(kprobe_opcode_t));
}

/*
 * Backends check and prepare in one step: see arch_kprobe_prepare().  They read
 * the instruction, which may be shorter than kprobe_opcode_t.
 */
enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol)
{
	unsigned long addr = (unsigned long)site->addr;

	if (kprobe_quirks.unsupported)
		return KPROBE_REFUSE_UNDECODABLE;
	if (!classic_is_aligned(addr))
		return KPROBE_REFUSE_MISALIGNED;
	if (find_bug(addr))
		return KPROBE_REFUSE_BUG_SITE;
	if (classic_is_ftrace_call(addr))
		return KPROBE_REFUSE_FTRACE_SITE;
	if ((kprobe_quirks.refuses && kprobe_quirks.refuses(site->addr)) ||
	    classic_is_fixed_up(addr) || classic_is_exclusive(addr, symbol))
		return KPROBE_REFUSE_UNRELOCATABLE;
	return KPROBE_OK;
}
