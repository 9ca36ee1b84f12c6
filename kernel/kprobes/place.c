// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places: from what a user asks for to an address that can be probed.
 *
 * A place is an address or a symbol, with an offset.  Finding it, admitting it
 * as text and inspecting the instruction are three steps; registration and
 * explaining take the same ones.
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
#include <linux/string.h>
#include <asm/sections.h>
#include "internal.h"

/*
 * Where function pointers lead to descriptors, a function's name is that of its
 * descriptor, which is data that kallsyms may have left out.  The text has the
 * same name with a dot before it.
 */
#ifdef CONFIG_HAVE_FUNCTION_DESCRIPTORS
static noinline_for_stack unsigned long lookup_text(const char *name)
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
static unsigned long lookup_text(const char *name)
{
	return 0;
}
#endif

/**
 * kprobe_lookup_name - the address of a symbol
 * @name: "symbol" or "module:symbol"
 * @offset: what the caller will add to it
 *
 * Context: may sleep.
 * Return: the address, of a function's text and not its descriptor, or NULL.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	const char *colon = strchr(name, ':');
	unsigned long addr;

	/* Without a name, it would find a section of the module. */
	if (colon && !colon[1])
		return NULL;
	addr = lookup_text(name) ?: kallsyms_lookup_name(name);
	return dereference_symbol_descriptor((void *)addr);
}

/**
 * kprobe_find_place - the address that a user means
 * @addr: an address, which may be that of a function's descriptor, or NULL
 * @symbol: or a symbol
 * @offset: bytes behind either
 * @place: filled in
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for both or neither of them; -ENOENT for no such symbol.
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
	/* Bit 0 of a function pointer, which is no part of the address. */
	if (IS_ENABLED(CONFIG_THUMB2_KERNEL))
		*place &= ~1UL;
	*place += offset;
	return 0;
}

/**
 * kprobe_find_symbol - the symbol around an address
 * @addr: the address, of text that stays
 * @symbol: filled in
 *
 * This is slow, and done once for a site.
 *
 * Context: may sleep; kprobe_mutex held.
 */
void kprobe_find_symbol(unsigned long addr, struct kprobe_symbol *symbol)
{
	struct module *mod = kprobe_module_of(addr);
	unsigned long offset;
	char *module;

	if (mod && kprobe_module_symbol(mod, addr, symbol))
		return;
	if (kallsyms_lookup(addr, &symbol->size, &offset, &module,
			    symbol->name))
		symbol->start = addr - offset;
	else
		symbol->size = 0;
}

/*
 * Is this a part of a function that the rest of it jumps to?  Its stack frame
 * and registers are those of the function there, as the architecture may not
 * know.
 */
static bool is_cold_part(const char *name)
{
	return strstr(name, ".cold");
}

/**
 * kprobe_on_func_entry - is this place the entry of a function?
 * @addr: an address, or NULL
 * @sym: or the symbol
 * @offset: bytes behind it
 *
 * Context: may sleep.
 * Return: 0 if so; -EINVAL if not; -ENOENT if there is no such symbol.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	char *module, name[KSYM_NAME_LEN];
	unsigned long place, size;
	bool on_entry;
	int ret;

	ret = kprobe_find_place(addr, sym, offset, &place);
	if (ret)
		return ret;
	if (!kallsyms_lookup(place, &size, &offset, &module, name))
		return -EINVAL;
	arch_kprobe_entry(place, offset, &on_entry);
	return on_entry && !is_cold_part(name) ? 0 : -EINVAL;
}

/* The kernel's init text has been given up; under kprobe_mutex. */
static bool init_text_gone;

/**
 * kprobe_give_up_init_text - admit no more probes there
 *
 * Context: kprobe_mutex held.
 */
void kprobe_give_up_init_text(void)
{
	lockdep_assert_held(&kprobe_mutex);
	init_text_gone = true;
}

/**
 * kprobe_admit_text - is this address in text, and does that text stay?
 * @addr: any address
 *
 * Context: kprobe_mutex held.
 * Return: KPROBE_OK, which holds until kprobe_mutex is released: what frees
 * text calls kprobe_lose_text() first; or the reason.
 */
enum kprobe_refusal kprobe_admit_text(unsigned long addr)
{
	if (init_text_gone && is_kernel_inittext(addr))
		return KPROBE_REFUSE_NOT_TEXT;
	return core_kernel_text(addr) ? KPROBE_OK : kprobe_admit_module(addr);
}

/**
 * kprobe_find_entry - from a place to the instruction that is probed for it
 * @place: an address in text that stays
 * @entry: filled in
 *
 * Context: kprobe_mutex held.
 */
void kprobe_find_entry(unsigned long place, struct kprobe_entry *entry)
{
	struct kprobe_symbol *symbol = &entry->symbol;

	kprobe_find_symbol(place, symbol);
	entry->addr = arch_kprobe_entry(place, symbol->size ?
					place - symbol->start : ULONG_MAX,
					&entry->on_entry);
	if (symbol->size && is_cold_part(symbol->name))
		entry->on_entry = false;
	/* The landing pad may be a symbol of its own: take the next one. */
	place = (unsigned long)entry->addr;
	if (symbol->size && place - symbol->start >= symbol->size)
		kprobe_find_symbol(place, symbol);
}

static bool debugger_stops_at(unsigned long addr)
{
#ifdef CONFIG_KGDB
	return kgdb_has_hit_break(addr);
#else
	return false;
#endif
}

/**
 * kprobe_inspect - may this instruction be probed?
 * @site: addr is set; fills in what is known of the instruction
 * @symbol: around it
 *
 * Context: may sleep; kprobe_mutex held.
 * Return: KPROBE_OK or the reason.
 */
enum kprobe_refusal kprobe_inspect(struct kprobe_site *site,
				   const struct kprobe_symbol *symbol)
{
	unsigned long addr = (unsigned long)site->addr;
	enum kprobe_refusal why;

	if (kprobe_blacklisted(addr, symbol))
		return KPROBE_REFUSE_BLACKLISTED;
	if (debugger_stops_at(addr))
		return KPROBE_REFUSE_DEBUGGER;

	/* ftrace knows this instruction, and what to do with it. */
	if (ftrace_location(addr) == addr) {
		if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
			return KPROBE_REFUSE_FTRACE_SITE;
		site->on_ftrace = true;
		/* Not while ftrace changes it by a breakpoint. */
		mutex_lock(&text_mutex);
		site->opcode = *site->addr;
		mutex_unlock(&text_mutex);
		return KPROBE_OK;
	}

	jump_label_lock();
	mutex_lock(&text_mutex);
	why = arch_kprobe_inspect(site, symbol);
	if (why == KPROBE_OK)
		why = kprobe_patched(addr, addr + 1);
	mutex_unlock(&text_mutex);
	jump_label_unlock();
	return why;
}
