// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Executable memory for instructions out of line.
 *
 * Pages are allocated from execmem, or by the backend, and made read-only and
 * executable before the first slot in them is allocated; after that, only
 * text_poke_copy() and similar functions write to them.  With classic.c, the
 * architecture decides how to protect and write its pages.  All slots in a page
 * have the same size, and freed slots are reused.  Empty pages are freed,
 * except one with slots of KPROBE_SLOT_SIZE and one with larger slots.
 *
 *	slot_pages (xarray by page number)
 *	   |
 *	   +-> struct slot_page -> text ---> [slot 0][slot 1] ... [slot N-1]
 *	                           used       1       0            1
 *	                           owner      site    -            site
 *
 * Under RCU, readers (faults and unwinders, in any context) find a page by
 * xa_load(), and the owner of a slot in page->owner.
 */
#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/bitmap.h>
#include <linux/execmem.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <linux/kprobes_hit.h>
#include "internal.h"

#define SLOTS_PER_PAGE_MAX	(PAGE_SIZE / KPROBE_SLOT_SIZE)

/* The name of a page of slots in /proc/kallsyms and perf. */
#define SLOT_PAGE_NAME	"kprobe_insn_page"

/**
 * struct slot_page - a page of slots
 * @link: in a list of slot_lists[]; under slot_mutex
 * @rcu: for slot_page_free()
 * @text: the page; constant
 * @size: of each slot, in bytes; constant
 * @nused: bits set in @used; under slot_mutex
 * @used: allocated slots; under slot_mutex
 * @owner: each slot's owner; written under slot_mutex, read under RCU
 */
struct slot_page {
	struct list_head link;
	struct rcu_head rcu;
	void *text;
	unsigned int size;
	unsigned int nused;
	DECLARE_BITMAP(used, SLOTS_PER_PAGE_MAX);
	struct kprobe_site **owner;
};

/* Only text_mutex, on x86, may be taken under this: see kernel/kprobes.c. */
static DEFINE_MUTEX(slot_mutex);
/* Pages of small slots, and pages of large slots; full pages are last. */
static struct list_head slot_lists[] = {
	LIST_HEAD_INIT(slot_lists[0]),
	LIST_HEAD_INIT(slot_lists[1]),
};
static DEFINE_XARRAY(slot_pages);
static unsigned int slots_used;
static unsigned int slot_pages_empty[ARRAY_SIZE(slot_lists)];

/*
 * Bounds of all pages ever used for slots.  Most addresses that unwinders pass
 * are out of bounds, and can be rejected even while RCU is not watching.
 */
static unsigned long slots_low = ULONG_MAX;
static unsigned long slots_high;

static __always_inline bool slots_near(unsigned long addr)
{
	return addr >= READ_ONCE(slots_low) && addr < READ_ONCE(slots_high);
}

static unsigned int slots_per_page(const struct slot_page *page)
{
	return PAGE_SIZE / page->size;
}

/* Return the index of the list for slots of this size. */
static unsigned int slot_list_index(unsigned int size)
{
	return size > KPROBE_SLOT_SIZE;
}

static unsigned long slot_page_key(const void *text)
{
	return (unsigned long)text >> PAGE_SHIFT;
}

/*
 * A backend may replace either of the next two pairs of functions, and must
 * then also define the macro that #ifndef tests.  Callers hold slot_mutex.
 */
#ifndef arch_kprobe_slots_near
static bool arch_kprobe_slots_near(const void *text,
				   const struct kprobe_site *site)
{
	return true;
}

/* Allocate a page that the site can use; arch_kprobe_fill_slots() fills it. */
static void *arch_kprobe_alloc_slots(const struct kprobe_site *site)
{
	return execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);
}
#endif

/* Make a filled page read-only and executable. */
#ifndef arch_kprobe_free_slots
static int arch_kprobe_protect_slots(void *text)
{
	return set_memory_rox((unsigned long)text, 1);
}

static void arch_kprobe_free_slots(void *text)
{
	execmem_free(text);
}
#endif

static struct slot_page *slot_page_create(const struct kprobe_site *site,
					  unsigned int size)
{
	struct slot_page *page = kzalloc(sizeof(*page), GFP_KERNEL);

	if (!page)
		return NULL;

	page->size = size;
	/* One allocation for both would be just over a slab size: a waste. */
	page->owner = kcalloc(PAGE_SIZE / size, sizeof(page->owner[0]),
			      GFP_KERNEL);
	if (!page->owner)
		goto free_page;
	page->text = arch_kprobe_alloc_slots(site);
	if (!page->text)
		goto free_owner;

	arch_kprobe_fill_slots(page->text, PAGE_SIZE);
	if (arch_kprobe_protect_slots(page->text))
		goto free_text;
	if (xa_err(xa_store(&slot_pages, slot_page_key(page->text), page,
			    GFP_KERNEL)))
		goto free_text;

	WRITE_ONCE(slots_low, umin(slots_low, (unsigned long)page->text));
	WRITE_ONCE(slots_high,
		   umax(slots_high, (unsigned long)page->text + PAGE_SIZE));
	list_add(&page->link, &slot_lists[slot_list_index(size)]);
	slot_pages_empty[slot_list_index(size)]++;
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL,
			   (unsigned long)page->text, PAGE_SIZE, false,
			   SLOT_PAGE_NAME);
	return page;

free_text:
	arch_kprobe_free_slots(page->text);
free_owner:
	kfree(page->owner);
free_page:
	kfree(page);
	return NULL;
}

static void slot_page_free(struct rcu_head *rcu)
{
	struct slot_page *page = container_of(rcu, struct slot_page, rcu);

	kfree(page->owner);
	kfree(page);
}

static void slot_page_destroy(struct slot_page *page)
{
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL,
			   (unsigned long)page->text, PAGE_SIZE, true,
			   SLOT_PAGE_NAME);
	xa_erase(&slot_pages, slot_page_key(page->text));
	list_del(&page->link);
	slot_pages_empty[slot_list_index(page->size)]--;
	arch_kprobe_free_slots(page->text);
	call_rcu(&page->rcu, slot_page_free);
}

/* Find a page with room for a slot of this site. */
static struct slot_page *slot_page_find(const struct kprobe_site *site,
					struct list_head *list,
					unsigned int size)
{
	struct slot_page *page;

	list_for_each_entry(page, list, link) {
		if (page->nused == slots_per_page(page))
			break;
		if (page->size == size &&
		    arch_kprobe_slots_near(page->text, site))
			return page;
	}
	return NULL;
}

/**
 * kprobe_slot_alloc - allocate a slot
 * @owner: the site, which kprobe_slot_owner() will return
 * @size: size in bytes: KPROBE_SLOT_SIZE or larger; a power of two
 *
 * Context: may sleep.
 * Return: @size bytes of read-only executable memory, aligned to @size, or
 * NULL.
 */
void *kprobe_slot_alloc(struct kprobe_site *owner, unsigned int size)
{
	struct list_head *list = &slot_lists[slot_list_index(size)];
	struct slot_page *page;
	unsigned int index;

	guard(mutex)(&slot_mutex);

	page = slot_page_find(owner, list, size);
	if (!page)
		page = slot_page_create(owner, size);
	if (!page)
		return NULL;

	index = find_first_zero_bit(page->used, slots_per_page(page));
	__set_bit(index, page->used);
	/* Pairs with the dependency in kprobe_slot_owner(). */
	smp_store_release(&page->owner[index], owner);
	if (!page->nused++)
		slot_pages_empty[slot_list_index(size)]--;
	slots_used++;

	if (page->nused == slots_per_page(page))
		list_move_tail(&page->link, list);
	return page->text + index * size;
}

/**
 * kprobe_slot_free - free a slot
 * @slot: from kprobe_slot_alloc(); no task may be in it
 *
 * Context: may sleep.
 */
void kprobe_slot_free(void *slot)
{
	struct slot_page *page;
	unsigned int index, *empty;

	guard(mutex)(&slot_mutex);

	page = xa_load(&slot_pages, slot_page_key(slot));
	if (WARN_ON_ONCE(!page))
		return;

	index = offset_in_page(slot) / page->size;
	if (WARN_ON_ONCE(!__test_and_clear_bit(index, page->used)))
		return;

	WRITE_ONCE(page->owner[index], NULL);
	slots_used--;
	if (page->nused == slots_per_page(page))
		list_move(&page->link,
			  &slot_lists[slot_list_index(page->size)]);
	empty = &slot_pages_empty[slot_list_index(page->size)];
	if (!--page->nused && ++*empty > 1)
		slot_page_destroy(page);
}

/**
 * kprobe_slots_release - free all slots of a site
 * @site: the site; no task may be in any of its slots
 *
 * Context: may sleep.
 */
void kprobe_slots_release(struct kprobe_site *site)
{
	void *slots[] = { site->slot, site->post_slot, site->detour };
	int i;

	for (i = 0; i < ARRAY_SIZE(slots); i++)
		if (slots[i])
			kprobe_slot_free(slots[i]);
}

/**
 * kprobe_slot_owner - find the site whose slot contains an address
 * @addr: any address
 * @slot: filled in with the start of the slot
 *
 * Context: any; under rcu_read_lock() or the equivalent.
 * Return: the site, or NULL if @addr is in no used slot.
 */
struct kprobe_site *kprobe_slot_owner(unsigned long addr, void **slot)
{
	struct slot_page *page;
	unsigned int index;

	if (!slots_near(addr))
		return NULL;
	page = xa_load(&slot_pages, addr >> PAGE_SHIFT);
	if (!page)
		return NULL;
	index = offset_in_page(addr) / page->size;
	*slot = page->text + index * page->size;
	return READ_ONCE(page->owner[index]);
}
NOKPROBE_SYMBOL(kprobe_slot_owner);

/**
 * is_kprobe_insn_slot - check whether an address is in a page of slots
 * @addr: any address
 *
 * Context: any in which RCU is watching.
 */
bool is_kprobe_insn_slot(unsigned long addr)
{
	return slots_near(addr) && xa_load(&slot_pages, addr >> PAGE_SHIFT);
}

/*
 * Translate @addr if it is in a slot.  If no original address corresponds to
 * @addr, return the probed address if @traced is set, otherwise @addr.
 */
static __always_inline unsigned long slot_orig_ip(unsigned long addr,
						  bool traced)
{
	unsigned long orig = addr;
	struct kprobe_site *site;
	bool entered;
	void *slot;

	if (!slots_near(addr))
		return addr;

	entered = kprobe_read_lock();
	site = kprobe_slot_owner(addr, &slot);
	if (site) {
		orig = arch_kprobe_orig_ip(site, slot, addr);
		if (traced && orig == addr)
			orig = (unsigned long)site->addr;
	}
	kprobe_read_unlock(entered);
	return orig;
}

/**
 * kprobe_orig_ip - translate the address of an instruction in a slot
 * @addr: an instruction pointer
 *
 * For code that looks up an instruction pointer in tables of the kernel's text,
 * such as unwinders.
 *
 * Context: any.
 * Return: the original address that corresponds to @addr, or @addr if there is
 * none.
 */
unsigned long kprobe_orig_ip(unsigned long addr)
{
	return slot_orig_ip(addr, false);
}

#ifdef arch_kprobe_unwind
/**
 * kprobe_unwind - find the instruction whose stack layout an unwinder needs
 * @addr: an instruction pointer
 * @regs: registers with this instruction pointer, maybe incomplete; NULL if
 *	@addr was found on the stack
 * @sp: the stack pointer at @addr; replaced by the stack pointer for the
 *	returned address
 *
 * Context: any.
 * Return: the original address that corresponds to @addr if @addr is in a slot,
 * the probed address if a pre handler was given @regs, and otherwise @addr.
 */
unsigned long kprobe_unwind(unsigned long addr, struct pt_regs *regs,
			    unsigned long *sp)
{
	struct kprobe_site *site;
	void *slot = NULL;
	bool entered;

	if (!regs && !slots_near(addr))
		return addr;

	entered = kprobe_read_lock();
	site = kprobe_slot_owner(addr, &slot);
	addr = arch_kprobe_unwind(site, slot, addr, regs, sp);
	kprobe_read_unlock(entered);
	return addr;
}
#endif

/**
 * kprobe_traced_address - translate an instruction pointer for a stack trace
 * @addr: the instruction pointer
 *
 * For code, such as live patching, that searches stack traces for a function.
 * A task in a slot is in the probed function, even if the instruction at @addr
 * has no counterpart in the original text.
 *
 * Context: any.
 * Return: @addr if it is in no slot; otherwise the original address that
 * corresponds to it, or the probed address if none does.
 */
unsigned long kprobe_traced_address(unsigned long addr)
{
	return slot_orig_ip(addr, true);
}

/**
 * kprobe_regs_leave_slot - move registers out of a slot
 * @regs: the registers of an exception
 *
 * Afterwards, the exception looks as if the original instruction had raised it.
 * If that instruction is restarted, it is hit again.  The registers do not
 * change if the task cannot resume in the original text, for example after a
 * fault in the copy of a later instruction under a jump.  This later one has no
 * fix-up, so the exception tables need not be searched for its address.
 *
 * Context: an exception; RCU is watching.
 * Return: the site of the instruction; NULL if the registers have not changed.
 * The site is not freed before the task has switched voluntarily.
 */
struct kprobe_site *kprobe_regs_leave_slot(struct pt_regs *regs)
{
	unsigned long ip = instruction_pointer(regs);
	struct kprobe_site *site;
	void *slot;

	if (user_mode(regs) || !slots_near(ip))
		return NULL;

	guard(rcu)();
	site = kprobe_slot_owner(ip, &slot);
	if (!site || !arch_kprobe_can_resume(site, slot, &ip))
		return NULL;
	instruction_pointer_set(regs, ip);
	return site;
}
NOKPROBE_SYMBOL(kprobe_regs_leave_slot);

/**
 * kprobe_at_entry - check for a probe on a function's first instruction
 * @addr: any address
 *
 * For unwinders: at its first instruction, a function has no stack frame yet.
 *
 * Context: any.
 */
bool kprobe_at_entry(unsigned long addr)
{
	struct kprobe_site *site;
	bool entered, at_entry;

	entered = kprobe_read_lock();
	site = kprobe_site_find(addr);
	at_entry = site && site->on_entry;
	kprobe_read_unlock(entered);
	return at_entry;
}

/**
 * kprobe_get_kallsym - enumerate the pages of slots for /proc/kallsyms
 * @symnum: index, from 0
 * @value: filled in with the address
 * @type: filled in with the symbol's type letter
 * @sym: filled in with the name; KSYM_NAME_LEN bytes
 *
 * Return: 0, or -ERANGE after the last page.
 */
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym)
{
	struct slot_page *page;
	unsigned long key;

	guard(rcu)();
	xa_for_each(&slot_pages, key, page) {
		if (symnum--)
			continue;
		strscpy(sym, SLOT_PAGE_NAME, KSYM_NAME_LEN);
		*type = 't';
		*value = (unsigned long)page->text;
		return 0;
	}
	return -ERANGE;
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_get_kallsym);

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kprobe_slots_in_use - return the number of allocated slots */
unsigned int kprobe_slots_in_use(void)
{
	guard(mutex)(&slot_mutex);
	return slots_used;
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_slots_in_use);
#endif
