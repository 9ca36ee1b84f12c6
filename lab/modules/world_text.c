// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_world: the addresses of instructions, and the original text.
 *
 * The text of the kernel and of each module that is loaded at the start is
 * copied, and the copies are decoded symbol by symbol.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_X86
#include <asm/insn.h>
#endif
#include "lookup.h"
#include "world.h"

#define MAX_PARTS	64
/* Decoding may look beyond the last instruction. */
#define MARGIN		16

/* Text of the kernel, or of one module. */
struct part {
	/* The module, which is held; NULL for the kernel. */
	struct module *mod;
	const u8 *base;
	size_t size;		/* in bytes */
	u8 *before;		/* a copy without probes */
};

static struct part parts[MAX_PARTS];
static unsigned int nr_parts;
/* Start addresses of symbols; each ends at the start of the next one. */
static unsigned long *symbols;
static unsigned int max_symbols, nr_symbols, nr_instructions;

static const u8 *forbidden_start, *forbidden_end;
static struct module *(*module_text)(unsigned long addr);
static int (*each_symbol)(int (*fn)(void *, const char *, unsigned long),
			  void *data);
static int (*each_module_symbol)(const char *modname,
				 int (*fn)(void *, const char *, unsigned long),
				 void *data);
/* An address that differs in each boot and is written into instructions. */
static const unsigned long *hashtable;
static void (*label_lock)(void);
static void (*label_unlock)(void);
static int (*label_at)(void *start, void *end);
static int (*static_call_at)(void *start, void *end);
#ifdef CONFIG_X86
static int (*decode)(struct insn *insn, const void *code, int size,
		     enum insn_mode mode);
#endif

static struct part *part_of(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < nr_parts; i++) {
		if (addr - (unsigned long)parts[i].base < parts[i].size)
			return &parts[i];
	}
	return NULL;
}

/* Limited to @left bytes.  A run of filler counts as one instruction. */
static unsigned int length_at(const u8 *code, unsigned long left)
{
#ifdef CONFIG_X86
	struct insn insn;
	unsigned long n;

	if (*code == 0xcc || *code == 0) {
		for (n = 1; n < left && code[n] == *code; n++)
			;
		if (*code || n > MAX_INSN_SIZE)
			return n;
	}
	/* Bytes that are no instruction are refused one by one. */
	if (decode(&insn, code, MAX_INSN_SIZE, INSN_MODE_KERN))
		return 1;
	return insn.length;
#else
	return sizeof(u32);
#endif
}

/*
 * Larger functions exist only in tests of the limit of analysis; registering
 * each of their instructions would take hours.
 */
#define MAX_SYMBOL	16384

/* Call @fn for at most @most instructions of a symbol; return their number. */
static unsigned int walk_symbol(unsigned int i, unsigned int most, world_fn fn,
				void *data)
{
	const struct part *part = part_of(symbols[i]);
	unsigned long end = (unsigned long)part->base + part->size;
	struct world_insn insn = {
		.addr = symbols[i],
	};

	if (i + 1 < nr_symbols)
		end = min(end, max(symbols[i + 1], insn.addr));
	for (; insn.addr < end; insn.addr += insn.len, insn.nth++) {
		insn.code = part->before +
			    (insn.addr - (unsigned long)part->base);
		insn.len = length_at(insn.code, end - insn.addr);
		if (insn.nth < most)
			fn(&insn, data);
	}
	return insn.nth;
}

unsigned int world_nr_instructions(void)
{
	return nr_instructions;
}

unsigned int world_nr_entries(void)
{
	return nr_symbols;
}

/* Call @fn for each instruction of the symbols that @wanted selects. */
void world_walk(bool (*wanted)(unsigned long symbol), world_fn fn, void *data)
{
	unsigned int i;

	for (i = 0; i < nr_symbols; i++) {
		if (wanted(symbols[i]) &&
		    walk_symbol(i, 0, NULL, NULL) <= MAX_SYMBOL)
			walk_symbol(i, UINT_MAX, fn, data);
		cond_resched_tasks_rcu_qs();
	}
}

void world_walk_entries(world_fn fn, void *data)
{
	unsigned int i;

	for (i = 0; i < nr_symbols; i++) {
		walk_symbol(i, 1, fn, data);
		cond_resched_tasks_rcu_qs();
	}
}

static int count_symbol(void *unused, const char *name, unsigned long addr)
{
	max_symbols++;
	return 0;
}

static int add_symbol(void *unused, const char *name, unsigned long addr)
{
	if (nr_symbols < max_symbols && part_of(addr))
		symbols[nr_symbols++] = addr;
	return 0;
}

static int find_part(void *unused, const char *name, unsigned long addr)
{
	struct module *mod;
	struct module_memory *text;

	preempt_disable();
	mod = module_text(addr);
	preempt_enable();
	if (!mod || mod == THIS_MODULE || part_of(addr) ||
	    nr_parts == MAX_PARTS)
		return 0;
	text = &mod->mem[MOD_TEXT];
	if (addr - (unsigned long)text->base >= text->size ||
	    !try_module_get(mod))
		return 0;
	parts[nr_parts++] = (struct part) {
		.mod = mod, .base = text->base, .size = text->size,
	};
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const unsigned long *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Several names may have one address. */
static void sort_symbols(void)
{
	unsigned int i, nr = 0;

	sort(symbols, nr_symbols, sizeof(*symbols), by_address, NULL);
	for (i = 0; i < nr_symbols; i++) {
		if (!nr || symbols[nr - 1] != symbols[i])
			symbols[nr++] = symbols[i];
	}
	nr_symbols = nr;
}

static void count_instructions(void)
{
	unsigned int i, nr;

	for (i = 0; i < nr_symbols; i++) {
		nr = walk_symbol(i, 0, NULL, NULL);
		nr_instructions += nr;
		if (nr > MAX_SYMBOL)
			pr_info("kprobe_world: left out is %ps, of %u\n",
				(void *)symbols[i], nr);
		cond_resched_tasks_rcu_qs();
	}
}

static int index_symbols(void)
{
	each_symbol(count_symbol, NULL);
	each_module_symbol(NULL, count_symbol, NULL);
	symbols = vcalloc(max_symbols, sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	each_symbol(add_symbol, NULL);
	each_module_symbol(NULL, add_symbol, NULL);
	sort_symbols();
	count_instructions();
	return nr_symbols ? 0 : -ENOENT;
}

static int copy_parts(void)
{
	unsigned int i;

	for (i = 0; i < nr_parts; i++) {
		parts[i].before = vzalloc(parts[i].size + MARGIN);
		if (!parts[i].before)
			return -ENOMEM;
		memcpy(parts[i].before, parts[i].base, parts[i].size);
	}
	return 0;
}

static int find_functions(void)
{
	module_text = lookup("__module_text_address");
	each_symbol = lookup("kallsyms_on_each_symbol");
	each_module_symbol = lookup("module_kallsyms_on_each_symbol");
	label_lock = lookup("jump_label_lock");
	label_unlock = lookup("jump_label_unlock");
	label_at = lookup("jump_label_text_reserved");
	static_call_at = lookup("static_call_text_reserved");
	hashtable = lookup("dentry_hashtable");
	forbidden_start = lookup("__kprobes_text_start");
	forbidden_end = lookup("__kprobes_text_end");
#ifdef CONFIG_X86
	decode = lookup("insn_decode");
	if (!decode)
		return -ENOENT;
#endif
	return module_text && each_symbol && each_module_symbol ? 0 : -ENOENT;
}

int world_text_init(void)
{
	const u8 *start = lookup("_stext"), *end = lookup("_etext");
	int ret = find_functions();

	if (ret || !start || !end)
		return -ENOENT;
	parts[nr_parts++] = (struct part) {
		.base = start, .size = end - start,
	};
	each_module_symbol(NULL, find_part, NULL);
	ret = copy_parts() ?: index_symbols();
	if (ret)
		world_text_exit();
	return ret;
}

void world_text_exit(void)
{
	unsigned int i;

	vfree(symbols);
	for (i = 0; i < nr_parts; i++) {
		vfree(parts[i].before);
		module_put(parts[i].mod);
	}
}

/* Return true if there is a breakpoint. */
static bool trap_at(const u8 *text)
{
#ifdef CONFIG_X86
	return *text == 0xcc;
#else
	return (*(const u32 *)((unsigned long)text & ~3UL) & 0xffe0001f) ==
	       0xd4200000;
#endif
}

static bool in_label(void *at)
{
	int ret;

	if (!label_at)
		return false;
	label_lock();
	ret = label_at(at, at);
	label_unlock();
	return ret;
}

/* Return true if the kernel itself may change this byte. */
static bool changes_itself(const u8 *text)
{
	void *at = (void *)text;

	return !trap_at(text) &&
	       (in_label(at) || (static_call_at && static_call_at(at, at)));
}

/* Slots may be in text that cannot be probed. */
static bool compared(const u8 *text)
{
	return text < forbidden_start || text >= forbidden_end;
}

static void compare_part(struct part *part)
{
	unsigned int wrong = 0;
	size_t i;

	for (i = 0; i < part->size; i++) {
		const u8 *text = part->base + i;

		if (*text == part->before[i] || !compared(text))
			continue;
		/* Changes by a static key remain. */
		if (!changes_itself(text) && !wrong++)
			world_fault("text at %pS is %*ph and was %*ph", text,
				    8, text, 8, &part->before[i]);
		part->before[i] = *text;
	}
	if (wrong > 1)
		world_fault("%u bytes of text are not what they were", wrong);
}

/* Report changes of the text, and use it as the reference from then on. */
void world_text_compare(void)
{
	unsigned int i;

	for (i = 0; i < nr_parts; i++) {
		/* Usually nothing differs. */
		if (memcmp(parts[i].base, parts[i].before, parts[i].size))
			compare_part(&parts[i]);
	}
}

ssize_t world_text_read(char __user *buf, size_t len, loff_t *pos)
{
	return simple_read_from_buffer(buf, len, pos, parts[0].before,
				       parts[0].size);
}

/* Return true if this byte is in an address that differs in each boot. */
static bool differs_by_boot(const u8 *text)
{
	unsigned int i;

	if (!hashtable)
		return false;
#ifdef CONFIG_X86
	for (i = 0; i < sizeof(long); i++) {
		if (get_unaligned((unsigned long *)(text - i)) == *hashtable)
			return true;
	}
	return false;
#else
	/* MOVZ or MOVK of 16 bits. */
	i = *(const u32 *)((unsigned long)text & ~3UL);
	return (i & 0xdf800000) == 0xd2800000 &&
	       (u16)(i >> 5) == (u16)(*hashtable >> (i >> 21 & 3) * 16);
#endif
}

/**
 * world_text_is - compare the kernel's text with that of another kernel
 * @buf: the other text, starting at @pos
 * @len: its size in bytes, of which at most a page is compared
 * @pos: offset in the text, which is advanced
 *
 * Return: the number of compared bytes, or a negative errno.
 */
ssize_t world_text_is(const char __user *buf, size_t len, loff_t *pos)
{
	const struct part *kernel = &parts[0];
	unsigned int wrong = 0;
	u8 *other;
	size_t i;

	if (*pos < 0 || *pos >= kernel->size)
		return -EFBIG;
	len = min3(len, (size_t)(kernel->size - *pos), PAGE_SIZE);
	other = memdup_user(buf, len);
	if (IS_ERR(other))
		return PTR_ERR(other);
	for (i = 0; i < len; i++) {
		const u8 *text = kernel->base + *pos + i;

		if (other[i] == kernel->before[*pos + i] || !compared(text) ||
		    changes_itself(text) || differs_by_boot(text))
			continue;
		if (!wrong++)
			world_fault("text at %pS is %*ph and was %*ph", text,
				    (int)min_t(size_t, len - i, 8),
				    &kernel->before[*pos + i],
				    (int)min_t(size_t, len - i, 8), &other[i]);
	}
	kfree(other);
	*pos += len;
	return len;
}
