// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find the "ways in" of a function: the instructions to which control may
 * transfer other than from the preceding instruction.  A jump may start at a
 * way in, but must not cover one.
 *
 * A function is decoded once.  The result is kept until another function is
 * analysed, because sites are analysed in the order of addresses.  The ways in
 * are:
 * - targets of branches, including branches that a jump label has disabled;
 * - entries of tables of code addresses that the function reads;
 * - addresses in the function that are operands of its instructions;
 * - all of these in parts that the compiler has moved elsewhere: .cold, and
 *   with a profile .__part.<n>;
 * - targets of fix-ups in the whole exception table of the kernel or module,
 *   because the fault may be in another function.
 *
 * A jump through a register is taken for a tail call, unless it is an obstacle.
 * A jump to text without a symbol counts as a jump through a register, because
 * its target is a thunk that the kernel has created for this jump at boot.
 *
 * A read with a scaled index and no base, as in a compiled switch, may read a
 * table, and so may a read at a constant address of data plus a register.  Only
 * hand-written code has other tables.  Obstacles are:
 * - a jump that may read another table;
 * - a jump through a register, if the function may read another table, or has
 *   an operand that is an address in the function: code may compute the target
 *   from this operand, as in csum_partial() on i386;
 * - a symbol in hand-written code that does not begin or end like a function;
 * - a jump into the middle of another symbol: the target may be a part of this
 *   function without a symbol of its own, and may jump back to any instruction.
 *
 * The target of a fix-up is always a part of the function, even if its label
 * has become a symbol, as in copy_mc_fragile().  Sites there get no jump,
 * because other functions may branch into the middle of the symbol: on i386,
 * __get_user_1() jumps into __get_user_handle_exception().
 */
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_backend.h>
#include <linux/kprobes_test.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/extable.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/sections.h>
#include <asm/text-patching.h>
#include "common.h"

/* Larger functions are rarely probed, so they are not analysed. */
#define FUNCTION_ANALYSED_MAX	SZ_64K
/* More parts elsewhere are an obstacle. */
#define PARTS_MAX		4
/* More entries in a table are an obstacle. */
#define TABLE_MAX		SZ_4K

/* Marks of the bytes of a function */
#define WAY_IN	BIT(0)		/* target of a branch, or possibly one */
#define LANDING	BIT(1)		/* target of a fix-up */
#define FAULTS	BIT(2)		/* start of an instruction with a fix-up */

struct text_range {
	unsigned long start;
	unsigned long size;
};

/**
 * struct analysis - state and result of an analysis
 * @mod: the module of the function, or NULL
 * @table: the exception table of @mod or of the kernel, sorted by the fault
 * @nr_faults: number of its entries
 * @found: the symbol that was looked up last
 * @all: the function without its parts elsewhere
 * @part: parts of the function elsewhere
 * @nr_parts: number of these parts
 * @mark: WAY_IN, LANDING and FAULTS of each byte of @all; allocated
 * @obstacle: why no site in the function can have a jump
 * @accesses_user: user memory may be accessible
 * @reads_scaled: an instruction reads memory with a scaled index
 * @takes_address: an operand is an address in the function
 * @jumps_by_register: an instruction jumps through a register
 */
struct analysis {
	struct module *mod;
	const struct exception_table_entry *table;
	unsigned int nr_faults;
	struct kprobe_symbol found;
	struct text_range all;
	struct text_range part[PARTS_MAX];
	unsigned int nr_parts;
	u8 *mark;
	enum kprobe_obstacle obstacle;
	bool accesses_user;
	bool reads_scaled;
	bool takes_address;
	bool jumps_by_register;
};

/* The function that was analysed last, or NULL; under kprobe_mutex. */
static struct analysis *func_last;

static bool func_in_text(const struct text_range *range, unsigned long addr)
{
	return addr - range->start < range->size;
}

static void func_add_mark(struct analysis *a, unsigned long addr, u8 mark)
{
	if (func_in_text(&a->all, addr))
		a->mark[addr - a->all.start] |= mark;
}

static bool func_known_part(const struct analysis *a, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < a->nr_parts; i++)
		if (func_in_text(&a->part[i], addr))
			return true;
	return false;
}

/* Return true if @addr is in the function's image: its module or the kernel. */
static bool func_same_image(const struct analysis *a, unsigned long addr)
{
	if (a->mod)
		return kprobe_module_of(addr) == a->mod;
	return core_kernel_text(addr);
}

/* Find the symbol that contains @addr; without one, its size is 0. */
static const struct kprobe_symbol *func_symbol_at(struct analysis *a,
						  unsigned long addr)
{
	kprobe_find_symbol(addr, &a->found);
	return &a->found;
}

/* Add a part of the function, to be decoded after the function. */
static void func_add_part(struct analysis *a,
			  const struct kprobe_symbol *symbol)
{
	if (a->nr_parts == PARTS_MAX || !symbol->size)
		a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;
	else
		a->part[a->nr_parts++] = (struct text_range) {
			symbol->start, symbol->size
		};
}

/* Return true for a part that the compiler has split off from a function. */
static bool func_is_part(const struct kprobe_symbol *symbol)
{
	return strstr(symbol->name, ".cold") ||
	       strstr(symbol->name, ".__part.");
}

/* Add a part if the symbol's name shows that it is one. */
static bool func_add_split(struct analysis *a,
			   const struct kprobe_symbol *symbol)
{
	if (!symbol->size || !func_is_part(symbol))
		return false;
	func_add_part(a, symbol);
	return true;
}

static bool func_find_part(struct analysis *a, unsigned long addr)
{
	if (func_known_part(a, addr))
		return true;
	return func_same_image(a, addr) &&
	       func_add_split(a, func_symbol_at(a, addr));
}

/* Return true if @addr is the entry of a function, or in its preamble. */
static bool func_begins_at(const struct kprobe_symbol *symbol,
			   unsigned long addr)
{
	if (addr == symbol->start || strstarts(symbol->name, "__pfx_") ||
	    strstarts(symbol->name, "__cfi_"))
		return true;
	return addr == symbol->start + ENDBR_INSN_SIZE &&
	       is_endbr((u32 *)symbol->start);
}

/* Handle a branch that leaves the function's text. */
static void func_add_branch_out(struct analysis *a, unsigned long target)
{
	const struct kprobe_symbol *symbol;

	if (func_known_part(a, target))
		return;
	if (!func_same_image(a, target)) {
		/* A thunk that was generated for this jump is in no image. */
		if (!core_kernel_text(target) && !kprobe_module_of(target))
			a->jumps_by_register = true;
		return;
	}
	symbol = func_symbol_at(a, target);
	if (!symbol->size)
		a->jumps_by_register = true;
	else if (!func_add_split(a, symbol) && !func_begins_at(symbol, target))
		a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;
}

static void func_add_branch(struct analysis *a, unsigned long target)
{
	if (func_in_text(&a->all, target))
		func_add_mark(a, target, WAY_IN);
	else if (target == (unsigned long)x86_return_thunk ||
		 target == (unsigned long)__x86_return_thunk)
		return;
	else if (x86_kprobe_is_thunk(target))
		a->jumps_by_register = true;
	else
		func_add_branch_out(a, target);
}

static void func_add_target(void *analysis, unsigned long target)
{
	func_add_branch(analysis, target);
}

/* Return true if @addr is directly after the function or a part of it. */
static bool func_at_end(const struct analysis *a, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < a->nr_parts; i++)
		if (addr == a->part[i].start + a->part[i].size)
			return true;
	return addr == a->all.start + a->all.size;
}

/*
 * Add the entries of a table, which ends before the first address outside of
 * the function and its parts.  For impossible cases, clang may use the address
 * after the function.
 */
static void func_scan_table(struct analysis *a, unsigned long table)
{
	unsigned long target;
	unsigned int i;

	for (i = 0; i <= TABLE_MAX; i++) {
		if (get_kernel_nofault(target, (unsigned long *)table + i))
			return;
		if (func_in_text(&a->all, target))
			func_add_mark(a, target, WAY_IN);
		else if (!func_at_end(a, target) &&
			 (!__kernel_text_address(target) ||
			  !func_find_part(a, target)))
			return;
	}
	a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;
}

/* The scale (a shift) of an index into a table of addresses */
#define WORD_SCALE	(IS_ENABLED(CONFIG_X86_64) ? 3 : 2)

/* Return true if the operand is at a constant plus an index of words. */
static bool func_reads_table(const struct insn *insn)
{
	return insn->modrm.nbytes && X86_MODRM_MOD(insn->modrm.value) == 0 &&
	       X86_MODRM_RM(insn->modrm.value) == 4 &&
	       X86_SIB_BASE(insn->sib.value) == 5 &&
	       !X86_REX_B(insn->rex_prefix.value) &&
	       X86_SIB_SCALE(insn->sib.value) == WORD_SCALE;
}

/*
 * Return true for a read at a constant plus a register: a base, which may hold
 * a scaled index, or the index in the SIB byte.  A constant outside of rodata
 * and modules is assumed to be the offset of a field.
 */
static bool func_reads_constants(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0], modrm = insn->modrm.value;
	unsigned long table = insn->displacement.value;

	if (op != 0x8b && (op != 0xff || X86_MODRM_REG(modrm) != 4))
		return false;
	if (X86_MODRM_MOD(modrm) != 2 &&
	    (X86_MODRM_MOD(modrm) != 0 || X86_MODRM_RM(modrm) != 4 ||
	     X86_SIB_BASE(insn->sib.value) != 5))
		return false;
	return is_kernel_rodata(table) || is_module_address(table);
}

/* Return true for an operand with an index that is in no known table. */
static bool func_is_indexed(const struct insn *insn)
{
	return insn->sib.nbytes && X86_MODRM_MOD(insn->modrm.value) != 3 &&
	       (X86_SIB_INDEX(insn->sib.value) != 4 ||
		X86_REX_X(insn->rex_prefix.value)) && !func_reads_table(insn);
}

/*
 * Return true for a read at a base plus an index times the word size, maybe in
 * a table at an unknown address.  MOVSXD with an index times four may read a
 * table of distances.
 */
static bool func_reads_scaled(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0], scale = WORD_SCALE;

	if (IS_ENABLED(CONFIG_X86_64) && op == 0x63)
		scale = 2;
	else if (op != 0x8b)
		return false;
	return func_is_indexed(insn) && X86_SIB_SCALE(insn->sib.value) == scale;
}

/* Add an operand, which may be an address in the function. */
static void func_add_operand(struct analysis *a, unsigned long value)
{
	if (!func_in_text(&a->all, value))
		return;
	func_add_mark(a, value, WAY_IN);
	/* A function may pass its own address, but computes no jump from it. */
	if (value != a->all.start)
		a->takes_address = true;
}

/* Add immediate operands and the displacement of a memory operand. */
static void func_add_operands(struct analysis *a, const struct insn *insn,
			      unsigned long next)
{
	long displacement = insn->displacement.value;

	if (insn->immediate.nbytes == 4)
		func_add_operand(a, (long)insn->immediate.value);
	if (insn->immediate1.nbytes == 4 && insn->immediate2.nbytes == 4)
		func_add_operand(a, (u64)(u32)insn->immediate2.value << 32 |
			       (u32)insn->immediate1.value);
	if (insn->displacement.nbytes == 4)
		func_add_operand(a, insn_rip_relative((struct insn *)insn) ?
			       next + displacement : displacement);
}

/* Mark the targets of an instruction.  Return true if INT3s may follow. */
static bool func_scan_insn(struct analysis *a, const struct insn *insn,
			   unsigned long next)
{
	unsigned long relative = next + insn->immediate.value;
	u8 op = insn->opcode.bytes[0];
	u8 modrm = insn->modrm.value;

	if (func_reads_table(insn) || func_reads_constants(insn))
		func_scan_table(a, insn->displacement.value);
	if (insn_is_avx_or_xop((struct insn *)insn)) {
		func_add_operands(a, insn, next);
		return false;
	}
	if (func_reads_scaled(insn))
		a->reads_scaled = true;

	if (op == 0x0f && insn->opcode.nbytes == 2) {
		op = insn->opcode.bytes[1];
		if (op >= 0x80 && op <= 0x8f)
			func_add_branch(a, relative);
		else
			func_add_operands(a, insn, next);
		/* stac */
		if (op == 0x01 && modrm == 0xcb)
			a->accesses_user = true;
		/* ud2, ud1, sysret, sysexit */
		return op == 0x0b || op == 0xb9 || op == 0x07 || op == 0x35;
	}

	/* Near branches: the immediate is a displacement, not an address. */
	switch (op) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		func_add_branch(a, relative);
		return false;
	case 0xe8:
		func_add_mark(a, relative, WAY_IN);
		/* The called function might not return. */
		return true;
	case 0xe9: case 0xeb:
		func_add_branch(a, relative);
		return true;
	case 0xc7:
		if (modrm != 0xf8)
			break;
		func_add_branch(a, relative);
		return false;
	}
	func_add_operands(a, insn, next);

	switch (op) {
	case 0xc2: case 0xc3: case 0xca: case 0xcb: case 0xcf:
		return true;
	case 0xfd:
		a->obstacle = KPROBE_NOJUMP_DIRECTION_FLAG;
		return false;
	case 0xff:
		if (X86_MODRM_REG(modrm) == 4 && func_is_indexed(insn))
			a->obstacle = KPROBE_NOJUMP_INDIRECT_JUMP;
		if (X86_MODRM_REG(modrm) == 4 && X86_MODRM_MOD(modrm) == 3)
			a->jumps_by_register = true;
		return X86_MODRM_REG(modrm) == 4 || X86_MODRM_REG(modrm) == 2;
	}
	return false;
}

/* The kernel's own exception table, sorted by the faulting address */
extern struct exception_table_entry __start___ex_table[];
extern struct exception_table_entry __stop___ex_table[];

static unsigned long func_fixup_of(const struct exception_table_entry *e)
{
	return (unsigned long)&e->fixup + e->fixup;
}

static unsigned long func_fault_of(const struct exception_table_entry *e)
{
	return (unsigned long)&e->insn + e->insn;
}

/*
 * Targets of the fix-ups in the kernel's exception table, relative to _text and
 * sorted; under kprobe_mutex.
 */
static u32 *landings;
static unsigned int nr_landings;

static int func_by_value(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool func_landings_ready(void)
{
	struct exception_table_entry *e;

	if (landings)
		return true;
	landings = kvmalloc_array(__stop___ex_table - __start___ex_table + 1,
				  sizeof(*landings), GFP_KERNEL);
	if (!landings)
		return false;
	for (e = __start___ex_table; e < __stop___ex_table; e++)
		landings[nr_landings++] = func_fixup_of(e) -
					  (unsigned long)_text;
	sort(landings, nr_landings, sizeof(*landings), func_by_value, NULL);
	return true;
}

static unsigned long func_fault(const struct analysis *a, unsigned int i)
{
	return func_fault_of(&a->table[i]);
}

static unsigned long func_landing(const struct analysis *a, unsigned int i)
{
	return (unsigned long)_text + landings[i];
}

/* Return the index of the first of @nr sorted addresses >= range->start. */
static unsigned int func_first(const struct text_range *range, unsigned int nr,
			       unsigned long (*at)(const struct analysis *a,
						   unsigned int i),
			       const struct analysis *a)
{
	unsigned int low = 0;

	while (low < nr) {
		unsigned int mid = low + (nr - low) / 2;

		if (at(a, mid) < range->start)
			low = mid + 1;
		else
			nr = mid;
	}
	return low;
}

/* Mark faults in the function or in a part.  Their fix-ups may be new parts. */
static void func_scan_faults(struct analysis *a, const struct text_range *range)
{
	unsigned int i = func_first(range, a->nr_faults, func_fault, a);

	for (; i < a->nr_faults && func_in_text(range, func_fault(a, i)); i++) {
		unsigned long fixup = func_fixup_of(&a->table[i]);

		a->accesses_user = true;
		func_add_mark(a, func_fault(a, i), FAULTS);
		if (!func_in_text(&a->all, fixup) && !func_known_part(a, fixup))
			func_add_part(a, func_symbol_at(a, fixup));
	}
}

static void func_scan_range(struct analysis *a, const struct text_range *range)
{
	bool filler = false, ends = false;
	struct insn insn;
	unsigned int i;
	u8 *text;

	text = kvmalloc(range->size + MAX_INSN_SIZE, GFP_KERNEL);
	if (!text) {
		a->obstacle = KPROBE_NOJUMP_NO_MEMORY;
		return;
	}
	memset(text + range->size, INT3_INSN_OPCODE, MAX_INSN_SIZE);
	if (x86_kprobe_original_text(range->start, text, range->size))
		a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;

	for (i = 0; i < range->size && !a->obstacle; i += insn.length) {
		if (text[i] == INT3_INSN_OPCODE) {
			/* A trap after the end of the flow may be kgdb's. */
			if (!filler || kprobe_debugger_trap(range->start + i))
				a->obstacle = KPROBE_NOJUMP_FOREIGN_TRAP;
			insn.length = 1;
			continue;
		}
		if (insn_decode_kernel(&insn, text + i)) {
			a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;
			break;
		}
		filler = func_scan_insn(a, &insn,
					range->start + i + insn.length);
		/* Only no-ops (padding) may follow the last end of the flow. */
		ends = filler || (ends && x86_kprobe_is_nop(&insn));
	}
	kvfree(text);
	if (!a->obstacle && !ends)
		a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;
	if ((a->reads_scaled || a->takes_address) && a->jumps_by_register &&
	    !a->obstacle)
		a->obstacle = KPROBE_NOJUMP_INDIRECT_JUMP;
	if (a->obstacle)
		return;

	func_scan_faults(a, range);

	jump_label_visit_targets((void *)range->start,
				 (void *)range->start + range->size - 1,
				 func_add_target, a);
}

/* Mark targets of fix-ups.  A symbol that begins at one is not a function. */
static void func_mark_landings(struct analysis *a)
{
	unsigned int i;

	if (a->mod) {
		for (i = 0; i < a->nr_faults; i++)
			func_add_mark(a, func_fixup_of(&a->table[i]), LANDING);
	} else if (func_landings_ready()) {
		i = func_first(&a->all, nr_landings, func_landing, a);
		for (; i < nr_landings &&
		     func_in_text(&a->all, func_landing(a, i)); i++)
			func_add_mark(a, func_landing(a, i), LANDING);
	} else {
		a->obstacle = KPROBE_NOJUMP_NO_MEMORY;
	}
	if (a->mark[0] & LANDING)
		a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;
}

/* Functions are aligned, unless compilers optimize for size. */
static bool func_may_begin(unsigned long start)
{
	return IS_ENABLED(CONFIG_CC_OPTIMIZE_FOR_SIZE) ||
	       IS_ALIGNED(start, max(CONFIG_FUNCTION_ALIGNMENT, 4));
}

/* Return an obstacle that is known without decoding. */
static enum kprobe_obstacle
func_symbol_obstacle(const struct kprobe_symbol *symbol)
{
	if (!symbol->size)
		return KPROBE_NOJUMP_NOT_ANALYSED;
	if (func_is_part(symbol))
		return KPROBE_NOJUMP_COLD_PART;
	return symbol->size > FUNCTION_ANALYSED_MAX ||
	       !func_may_begin(symbol->start) ? KPROBE_NOJUMP_NOT_ANALYSED :
						KPROBE_NOJUMP_NONE;
}

/* Find the exception table of the kernel or of the function's module. */
static void func_find_faults(struct analysis *a)
{
	a->table = __start___ex_table;
	a->nr_faults = __stop___ex_table - __start___ex_table;
#ifdef CONFIG_MODULES
	if (a->mod)
		a->nr_faults = kprobe_module_extable(a->mod, &a->table);
#endif
}

/* Decode a function and its parts. */
static void func_analyse(struct analysis *a)
{
	unsigned int i;

	a->mark = kvzalloc(a->all.size, GFP_KERNEL);
	if (!a->mark) {
		a->obstacle = KPROBE_NOJUMP_NO_MEMORY;
		return;
	}
	func_find_faults(a);
	func_mark_landings(a);
	jump_label_lock();
	mutex_lock(&text_mutex);
	if (!a->obstacle)
		func_scan_range(a, &a->all);
	/* func_scan_range() may add parts. */
	for (i = 0; i < a->nr_parts && !a->obstacle; i++) {
		if (a->part[i].size > FUNCTION_ANALYSED_MAX)
			a->obstacle = KPROBE_NOJUMP_NOT_ANALYSED;
		else
			func_scan_range(a, &a->part[i]);
	}
	mutex_unlock(&text_mutex);
	jump_label_unlock();
}

/* Free the result of the last analysis, whatever @site is. */
void arch_kprobe_unanalyse(struct kprobe_site *site)
{
	if (func_last)
		kvfree(func_last->mark);
	kfree(func_last);
	func_last = NULL;
}

/**
 * x86_kprobe_analyse_function - analyse the function that contains an address
 * @addr: the address
 * @symbol: the symbol that contains it, or NULL if the symbol is not known yet
 * @end: without an obstacle, set to the end of the function, including padding
 * @accesses_user: without an obstacle, set to whether user memory may be
 *	accessible
 *
 * The result is kept for x86_kprobe_region_obstacle() until kprobe_mutex is
 * released or another function is analysed.
 *
 * Context: may sleep; kprobe_mutex held, and no other lock.
 * Return: why no site in the function can have a jump, or KPROBE_NOJUMP_NONE.
 */
enum kprobe_obstacle
x86_kprobe_analyse_function(unsigned long addr,
			    const struct kprobe_symbol *symbol,
			    unsigned long *end, bool *accesses_user)
{
	struct analysis *a = func_last;
	enum kprobe_obstacle obstacle;

	if (!a || !func_in_text(&a->all, addr)) {
		arch_kprobe_unanalyse(NULL);
		a = kzalloc(sizeof(*a), GFP_KERNEL);
		if (!a)
			return KPROBE_NOJUMP_NO_MEMORY;
		func_last = a;
		symbol = symbol ?: func_symbol_at(a, addr);
		a->mod = kprobe_module_of(symbol->start);
		a->all = (struct text_range) { symbol->start, symbol->size };
		a->obstacle = func_symbol_obstacle(symbol);
		if (!a->obstacle)
			func_analyse(a);
	}
	*end = a->all.start + a->all.size;
	*accesses_user = a->accesses_user;
	obstacle = a->obstacle;
	/* Do not keep a result that may change. */
	if (obstacle == KPROBE_NOJUMP_NO_MEMORY ||
	    obstacle == KPROBE_NOJUMP_FOREIGN_TRAP)
		arch_kprobe_unanalyse(NULL);
	return obstacle;
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/* Return true if the analysis of a function is kept. */
bool x86_kprobe_function_kept(void)
{
	return READ_ONCE(func_last);
}
#endif

/**
 * x86_kprobe_region_obstacle - check the text that a jump would replace
 * @site: a site in the function that was analysed last, which must have no
 *	obstacle; insn.jump.region is set
 *
 * Return: the obstacle if the jump would cover a way in, or an instruction that
 * may fault; otherwise KPROBE_NOJUMP_NONE.
 */
enum kprobe_obstacle x86_kprobe_region_obstacle(const struct kprobe_site *site)
{
	const u8 *mark = func_last->mark + kprobe_site_text(site) -
			 func_last->all.start;
	u8 found = 0;
	int i;

	for (i = 1; i < site->insn.jump.region; i++)
		found |= mark[i];
	/* A fault would restart the instruction in place, under the jump. */
	if (found & FAULTS)
		return KPROBE_NOJUMP_FAULT_INSIDE;
	/* A branch to the jump bypasses ftrace's call, so it must not hit. */
	if (site->on_ftrace)
		found |= mark[0];
	if (found & LANDING)
		return KPROBE_NOJUMP_EXCEPTION_LANDING;
	return found & WAY_IN ? KPROBE_NOJUMP_JUMPED_INTO : KPROBE_NOJUMP_NONE;
}
