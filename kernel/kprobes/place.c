// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places: from a user's request to an address that can be probed.
 *
 * A place is the address that a user requests, directly or by a symbol, plus an
 * offset.  The entry of a place (struct kprobe_entry) is the instruction to
 * probe, which may be after a landing pad.
 *
 * Registration and the debugfs file "explain" share three steps: find the
 * place, check that it is in text, and inspect the instruction at the entry.
 */
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kgdb.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sprintf.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <asm/sections.h>
#include "internal.h"

/*
 * On architectures with function descriptors, a function's name belongs to its
 * descriptor, which is data that kallsyms may omit.  The text symbol has
 * the same name with a dot before it.
 */
#ifdef CONFIG_HAVE_FUNCTION_DESCRIPTORS
static noinline_for_stack unsigned long place_lookup_text(const char *name)
{
	char dotted[MODULE_NAME_LEN + 1 + KSYM_NAME_LEN];
	const char *symbol = strchr(name, ':');
	int len;

	symbol = symbol ? symbol + 1 : name;
	len = snprintf(dotted, sizeof(dotted), "%.*s.%s", (int)(symbol - name),
		       name, symbol);
	return len < sizeof(dotted) ? kallsyms_lookup_name(dotted) : 0;
}
#else
static unsigned long place_lookup_text(const char *name)
{
	return 0;
}
#endif

/**
 * kprobe_lookup_name - look up the address of a symbol
 * @name: "symbol" or "module:symbol"
 * @offset: not used; the caller adds it
 *
 * Context: may sleep.
 * Return: the address, or NULL; for a function, the address of its text even if
 * the architecture has function descriptors.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	const char *colon = strchr(name, ':');
	unsigned long addr;

	/* An empty name would match a section symbol of the module. */
	if (colon && !colon[1])
		return NULL;
	addr = place_lookup_text(name) ?: kallsyms_lookup_name(name);
	return dereference_symbol_descriptor((void *)addr);
}

/**
 * kprobe_find_place - find the requested address
 * @addr: an address, possibly of a function descriptor, or NULL
 * @symbol: the symbol, if @addr is NULL
 * @offset: bytes from @addr or from the symbol
 * @place: set to the result
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if both or neither of @addr and @symbol are set; -ENOENT
 * for an unknown symbol.
 */
int kprobe_find_place(kprobe_opcode_t *addr, const char *symbol,
		      unsigned long offset, unsigned long *place)
{
	if (!symbol == !addr)
		return -EINVAL;

	if (symbol) {
		addr = kprobe_lookup_name(symbol, offset);
		if (!addr)
			return -ENOENT;
	} else {
		addr = dereference_symbol_descriptor(addr);
	}
	*place = (unsigned long)addr;
	/* Bit 0 of a function pointer selects Thumb mode. */
	if (IS_ENABLED(CONFIG_THUMB2_KERNEL))
		*place &= ~1UL;
	*place += offset;
	return 0;
}

/**
 * kprobe_find_symbol - find the symbol that contains an address
 * @addr: any address; the result is valid until its text is freed
 * @symbol: filled in; its size is 0 if no symbol contains @addr
 *
 * Too slow for hits: kallsyms expands the name.
 */
void kprobe_find_symbol(unsigned long addr, struct kprobe_symbol *symbol)
{
	unsigned long offset;
	char *module;

	if (kallsyms_lookup(addr, &symbol->size, &offset, &module,
			    symbol->name))
		symbol->start = addr - offset;
	else
		symbol->size = 0;
}

/*
 * Return true for a part that the compiler has split off from a function, as
 * <function>.cold or, with a profile, <function>.__part.<n>.  The function may
 * jump there with a stack frame set up, so the start of the part is not a
 * function entry, even if arch_kprobe_entry() sets on_entry.
 */
static bool place_is_part(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".__part.");
}

/* Set by kprobe_free_init_mem(), with kprobe_mutex held. */
bool kprobe_init_text_gone;

/**
 * kprobe_admit_text - check that an address is in text that may be probed
 * @addr: any address
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_OK or the reason for a refusal.  KPROBE_OK is valid until
 * kprobe_mutex is released, because text is freed only after kprobe_lose_text()
 * has been called for it with kprobe_mutex held.
 */
enum kprobe_refusal kprobe_admit_text(unsigned long addr)
{
	if (kprobe_init_text_gone && is_kernel_inittext(addr))
		return KPROBE_REFUSE_NOT_TEXT;
	return core_kernel_text(addr) ? KPROBE_OK : kprobe_admit_module(addr);
}

/**
 * kprobe_find_entry - find the entry of a place
 * @place: its address; the result is valid until its text is freed
 * @entry: filled in
 *
 * Context: any.
 */
void kprobe_find_entry(unsigned long place, struct kprobe_entry *entry)
{
	struct kprobe_symbol *symbol = &entry->symbol;

	kprobe_find_symbol(place, symbol);
	entry->addr = arch_kprobe_entry(place, symbol->size ?
					place - symbol->start : ULONG_MAX,
					&entry->on_entry);
	if (symbol->size && place_is_part(symbol->name))
		entry->on_entry = false;
	/* A landing pad may have its own symbol: look up the entry's symbol. */
	place = (unsigned long)entry->addr;
	if (symbol->size && place - symbol->start >= symbol->size)
		kprobe_find_symbol(place, symbol);
}

/**
 * kprobe_on_func_entry - check whether a place is the entry of a function
 * @addr: an address, or NULL
 * @sym: the symbol, if @addr is NULL
 * @offset: bytes from @addr or from the symbol
 *
 * Context: may sleep.
 * Return: 0 if it is; -EINVAL if it is not; -ENOENT for an unknown symbol.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	struct kprobe_entry entry;
	unsigned long place;
	int ret = kprobe_find_place(addr, sym, offset, &place);

	if (ret)
		return ret;
	kprobe_find_entry(place, &entry);
	return entry.on_entry ? 0 : -EINVAL;
}

/**
 * kprobe_debugger_trap - check whether kgdb has a breakpoint at an address
 * @addr: the address
 *
 * Context: any.
 */
bool kprobe_debugger_trap(unsigned long addr)
{
#ifdef CONFIG_KGDB
	return kgdb_has_hit_break(addr);
#else
	return false;
#endif
}

/**
 * kprobe_patched - check whether the kernel itself patches a range of text
 * @start: first address of the range
 * @end: first address after the range, which must be within one function
 *
 * Context: kprobe_mutex and jump_label_mutex held, but not text_mutex.
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal kprobe_patched(unsigned long start, unsigned long end)
{
	void *first = (void *)start, *last = (void *)end - 1;
	struct module *mod = kprobe_module_of(start);
	enum kprobe_refusal why = KPROBE_OK;

	if (mod)
		why = kprobe_livepatched(mod, start, end);
	if (why != KPROBE_OK)
		return why;
	if (jump_label_text_reserved(first, last))
		return KPROBE_REFUSE_JUMP_LABEL;
	if (static_call_text_reserved(first, last))
		return KPROBE_REFUSE_STATIC_CALL;
	return KPROBE_OK;
}

static enum kprobe_refusal
place_inspect_text(struct kprobe_site *site, const struct kprobe_symbol *symbol)
{
	unsigned long addr = kprobe_site_text(site);
	enum kprobe_refusal why;

	jump_label_lock();
	mutex_lock(&text_mutex);
	why = arch_kprobe_inspect(site, symbol);
	mutex_unlock(&text_mutex);
	if (why == KPROBE_OK)
		why = kprobe_patched(addr, addr + 1);
	jump_label_unlock();
	return why;
}

/* Let an ftrace call's site own the next instruction if a jump can go there. */
static void place_inspect_next(struct kprobe_site *site,
			       const struct kprobe_symbol *symbol)
{
	unsigned long next = (unsigned long)site->addr + KPROBE_SKIP;

	if (!KPROBE_SKIP || next - symbol->start >= symbol->size ||
	    kprobe_blacklisted(next, symbol) || kprobe_debugger_trap(next))
		return;
	site->skip = KPROBE_SKIP;
	site->owns_next = place_inspect_text(site, symbol) == KPROBE_OK &&
			  !kprobe_analyse(site, symbol);
	if (!site->owns_next)
		site->skip = 0;
}

/*
 * Return true for the trampoline of a static call.  To change the call, a
 * branch in the trampoline, or an address after it, is replaced; arm64 also
 * reads the trampoline.
 */
static bool place_in_static_call(const struct kprobe_symbol *symbol)
{
	return IS_ENABLED(CONFIG_HAVE_STATIC_CALL) && symbol->size &&
	       strstarts(symbol->name, STATIC_CALL_TRAMP_PREFIX_STR);
}

/**
 * kprobe_inspect - check whether an instruction may be probed
 * @site: addr is set; fields that depend on the instruction are filled in
 * @symbol: the symbol that contains the address
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: KPROBE_OK or the reason for a refusal.
 */
enum kprobe_refusal kprobe_inspect(struct kprobe_site *site,
				   const struct kprobe_symbol *symbol)
{
	unsigned long addr = (unsigned long)site->addr;
	kprobe_opcode_t opcode;

	if (kprobe_blacklisted(addr, symbol))
		return KPROBE_REFUSE_BLACKLISTED;
	if (kprobe_debugger_trap(addr))
		return KPROBE_REFUSE_DEBUGGER;
	if (place_in_static_call(symbol))
		return KPROBE_REFUSE_STATIC_CALL;

	if (ftrace_location(addr) == addr) {
		if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
			return KPROBE_REFUSE_FTRACE_SITE;
		site->on_ftrace = true;
		/* ftrace holds text_mutex until its breakpoints are removed. */
		mutex_lock(&text_mutex);
		opcode = *site->addr;
		mutex_unlock(&text_mutex);
		place_inspect_next(site, symbol);
		site->opcode = opcode;
		return KPROBE_OK;
	}
	return place_inspect_text(site, symbol);
}
