// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions that are refused before the backend is called.
 *
 * Among these are exclusive loads and stores.  The store fails if the CPU has
 * taken an exception since the load, and the code then repeats the load.  With
 * a probe between them, this never ends.  So exclusive loads and stores, and
 * all instructions from a load to the next store, must not be probed.  After an
 * exclusive load without a store, which is an atomic load, probes are allowed.
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
 * all addresses of the call itself, which has MCOUNT_INSN_SIZE bytes and may be
 * two instructions.  The quirks give the words before and after it.
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

/* No architecture guarantees progress if a store is farther from its load. */
#define EXCLUSIVE_BYTES		128

/*
 * Return true if an instruction is an exclusive access, or between a load and
 * its store.  The text may have breakpoints, but never on exclusive accesses.
 * Breakpoints are as long as the instructions that they replace.
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
	/* If all instructions have the same length, start close to @addr. */
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
 * The backend itself reads and checks the instruction in arch_kprobe_prepare(),
 * which also sets site->opcode.
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
