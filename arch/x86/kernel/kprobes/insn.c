// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decide which instructions can be probed on x86, and whether trap.c emulates
 * them.  Also read text without probes, and find the entry of a function.
 *
 * Nothing is single-stepped.  An instruction runs out of line if its address
 * does not matter, or matters only for an operand relative to the instruction
 * pointer, which slot.c adjusts.  Near branches and no-ops are emulated; with a
 * post handler, so are some simple instructions.  Traps, and instructions that
 * halt the CPU, load the code segment, or enter or leave the kernel, are
 * refused.
 */
#include <linux/array_size.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_hit.h>
#include <linux/memory.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/alternative.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>
#include "common.h"

/* No function is larger; a larger symbol is a gap between functions. */
#define FUNCTION_MAX_SIZE	SZ_256K

/* Undo the changes of @site in @buf, a copy of the text at @addr. */
static void insn_undo_site(const struct kprobe_site *site, unsigned long addr,
			   u8 *buf, unsigned int size)
{
	unsigned long at = kprobe_site_text(site);
	unsigned int i;

	if (site->state == KPROBE_SITE_JUMP) {
		for (i = 0; i < KPROBE_JUMP_SIZE; i++)
			if (at + i >= addr && at + i < addr + size)
				buf[at + i - addr] = site->insn.jump.text[i];
		return;
	}
	if (site->state == KPROBE_SITE_TRAP && at >= addr && at < addr + size)
		buf[at - addr] = site->insn.first;
}

/* The kernel's own text is always mapped; a module's may end at any page. */
static bool insn_read_text(void *buf, unsigned long addr, unsigned int size)
{
	if (likely(core_kernel_text(addr) && core_kernel_text(addr + size - 1)))
		memcpy(buf, (void *)addr, size);
	else if (copy_from_kernel_nofault(buf, (void *)addr, size))
		return false;
	return true;
}

/**
 * x86_kprobe_original_text - read text without probes' traps and jumps
 * @addr: start address
 * @buf: filled in
 * @size: bytes to read; if any is unreadable, all after the first page become
 *	traps
 *
 * Context: text_mutex and kprobe_mutex held.
 * Return: 0, or -EFAULT if not even the first byte can be read.
 */
int x86_kprobe_original_text(unsigned long addr, u8 *buf, unsigned int size)
{
	struct kprobe_site *site;
	int i, valid = size;

	lockdep_assert_held(&text_mutex);

	if (!insn_read_text(buf, addr, size)) {
		/* A failed read may have changed the buffer. */
		memset(buf, INT3_INSN_OPCODE, size);
		valid = min_t(unsigned int, size,
			      PAGE_SIZE - offset_in_page(addr));
		if (!insn_read_text(buf, addr, valid))
			return -EFAULT;
	}

	/* A jump may start before @addr and reach it. */
	for (i = 1 - KPROBE_JUMP_SIZE; i < valid; i++) {
		if (i >= 0 && buf[i] != INT3_INSN_OPCODE &&
		    buf[i] != JMP32_INSN_OPCODE)
			continue;
		site = kprobe_text_site_at(addr + i);
		if (site)
			insn_undo_site(site, addr, buf, size);
	}
	return 0;
}

kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_entry)
{
	/* An indirect call must find its ENDBR: probe the next insn. */
	if (offset == 0 && is_endbr((u32 *)addr)) {
		addr += ENDBR_INSN_SIZE;
		offset = ENDBR_INSN_SIZE;
	}
	*on_entry = (offset == 0 ||
		     (offset == ENDBR_INSN_SIZE &&
		      is_endbr((u32 *)(addr - ENDBR_INSN_SIZE)))) &&
		    unwind_returns_to_top(addr);
	return (kprobe_opcode_t *)addr;
}

/*
 * Before there were long no-ops, assemblers padded with moves of a register to
 * itself and LEAs of a register plus 0.  On x86-64 these would clear the upper
 * half.
 */
static bool insn_moves_to_itself(const struct insn *insn)
{
	u8 modrm = insn->modrm.value, sib = insn->sib.value;
	u8 reg = X86_MODRM_REG(modrm), rm = X86_MODRM_RM(modrm);

	if (IS_ENABLED(CONFIG_X86_64) || insn->opnd_bytes != 4 ||
	    insn->addr_bytes != 4)
		return false;
	switch (insn->opcode.bytes[0]) {
	case 0x89: case 0x8b:
		return X86_MODRM_MOD(modrm) == 3 && reg == rm;
	case 0x8d:
		/* LEA with a register operand raises #UD. */
		if (X86_MODRM_MOD(modrm) == 3 || insn->displacement.value)
			return false;
		if (X86_MODRM_MOD(modrm) == 0 && (rm == 5 || rm == 4))
			return false;
		if (rm == 4)
			return X86_SIB_BASE(sib) == reg &&
			       X86_SIB_INDEX(sib) == 4;
		return reg == rm;
	default:
		return false;
	}
}

bool x86_kprobe_is_nop(const struct insn *insn)
{
	const u8 *op = insn->opcode.bytes;

	/* VEX and EVEX select other maps of opcodes. */
	if (insn_is_avx_or_xop((struct insn *)insn))
		return false;
	switch (insn->opcode.nbytes) {
	case 1:
		/* 90, but neither PAUSE nor XCHG %r8, %rax */
		if (op[0] != 0x90)
			return insn_moves_to_itself(insn);
		return !X86_REX_B(insn->rex_prefix.value) &&
		       insn_last_prefix_id((struct insn *)insn) != 2;
	case 2:
		return op[0] == 0x0f && op[1] == 0x1f;
	default:
		return false;
	}
}

/*
 * HLT or MWAIT: a CPU may stay in it indefinitely.  If the CPU is idle or
 * offline, no grace period waits for it, so a copy could be freed meanwhile.
 */
bool x86_kprobe_halts(const u8 *text)
{
	return text[0] == 0xf4 ||
	       (text[0] == 0x0f && text[1] == 0x01 && text[2] == 0xc9);
}

/*
 * Return true if clang's type check before an indirect call is at @text:
 *
 *	movl	$-<type>, %r10d
 *	addl	-<distance>(%<register>), %r10d
 *	je	1f			or	jne	1f + 1
 *	ud2				1:	test	$0xd6, %al
 * 1:
 *
 * On a mismatch, the ud2 or the 0xd6 traps, and the handler of the trap decodes
 * the MOV and the ADD.
 */
#define TYPE_CHECK_MOVL		6
#define TYPE_CHECK_SIZE		14

bool x86_kprobe_checks_type(const u8 *text)
{
	static const u8 je_ud2[] = { 0x74, 0x02, 0x0f, 0x0b };
	static const u8 jne_udb[] = { 0x75, 0x01, 0xa8, 0xd6 };
	const u8 *end = text + TYPE_CHECK_SIZE - sizeof(je_ud2);

	return IS_ENABLED(CONFIG_X86_64) && text[0] == 0x41 &&
	       text[1] == 0xba && (text[6] & 0xfc) == 0x44 && text[7] == 0x03 &&
	       X86_MODRM_MOD(text[8]) == 1 && X86_MODRM_REG(text[8]) == 2 &&
	       (!memcmp(end, je_ud2, sizeof(je_ud2)) ||
		!memcmp(end, jne_udb, sizeof(jne_udb)));
}

/* Return true if @text is a type check's first or second instruction. */
static bool insn_in_type_check(unsigned long addr, const u8 *text)
{
	u8 before[TYPE_CHECK_SIZE];

	if (x86_kprobe_checks_type(text))
		return true;
	/* Rule out most other instructions before reading text again. */
	return IS_ENABLED(CONFIG_X86_64) && text[1] == 0x03 &&
	       (text[4] == 0x74 || text[4] == 0x75) &&
	       !x86_kprobe_original_text(addr - TYPE_CHECK_MOVL, before,
					 sizeof(before)) &&
	       x86_kprobe_checks_type(before);
}

/* A piece of the original text, to decode consecutive instructions. */
struct insn_window {
	unsigned long start;
	unsigned int size;
	u8 text[8 * MAX_INSN_SIZE];
};

/* Return the bytes at @addr, or NULL if they cannot be read. */
static const u8 *insn_window_at(struct insn_window *w, unsigned long addr)
{
	if (addr - w->start + MAX_INSN_SIZE > w->size) {
		if (x86_kprobe_original_text(addr, w->text, sizeof(w->text)))
			return NULL;
		w->start = addr;
		w->size = sizeof(w->text);
	}
	return w->text + (addr - w->start);
}

/* Return true if [@addr, @end) contains only no-ops and traps. */
static bool insn_only_filler(struct insn_window *w, unsigned long addr,
			     unsigned long end)
{
	struct insn insn;
	const u8 *text;

	while (addr < end) {
		text = insn_window_at(w, addr);
		if (!text)
			return true;
		if (text[0] == INT3_INSN_OPCODE) {
			/* kgdb's trap hides an instruction. */
			if (kprobe_debugger_trap(addr))
				return false;
			addr++;
			continue;
		}
		if (insn_decode_kernel(&insn, text) ||
		    !x86_kprobe_is_nop(&insn))
			return false;
		addr += insn.length;
	}
	return true;
}

/* Check that an instruction of the function at @start begins at @addr. */
static enum kprobe_refusal insn_check_boundary(struct insn_window *w,
					       unsigned long start,
					       unsigned long addr)
{
	struct insn insn;
	const u8 *text;

	while (start < addr) {
		text = insn_window_at(w, start);
		if (!text)
			return KPROBE_REFUSE_NOT_TEXT;
		/* The trap stops speculation after a branch, or is kgdb's. */
		if (text[0] == INT3_INSN_OPCODE) {
			if (kprobe_debugger_trap(start))
				return KPROBE_REFUSE_DEBUGGER;
			start++;
			continue;
		}
		if (insn_decode_kernel(&insn, text))
			return KPROBE_REFUSE_NO_BOUNDARY;
		start += insn.length;
	}
	return start == addr ? KPROBE_OK : KPROBE_REFUSE_NO_BOUNDARY;
}

/* Check the place, but not the instruction there. */
static enum kprobe_refusal insn_check_place(struct insn_window *w,
					    unsigned long addr,
					    const struct kprobe_symbol *symbol)
{
	if (!symbol->size)
		return KPROBE_REFUSE_NOT_TEXT;
	if (addr - symbol->start >= FUNCTION_MAX_SIZE)
		return KPROBE_REFUSE_PADDING;
	/* __cfi_: a hash that callers read; __pfx_: room for a preamble. */
	if (strstarts(symbol->name, "__cfi_") ||
	    strstarts(symbol->name, "__pfx_"))
		return KPROBE_REFUSE_CFI_PREAMBLE;
	return insn_check_boundary(w, symbol->start, addr);
}

static const s16 insn_reg_offsets[] = {
	offsetof(struct pt_regs, ax), offsetof(struct pt_regs, cx),
	offsetof(struct pt_regs, dx), offsetof(struct pt_regs, bx),
	offsetof(struct pt_regs, sp), offsetof(struct pt_regs, bp),
	offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
#ifdef CONFIG_X86_64
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
	offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
	offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
#endif
};

static s16 insn_reg_offset(unsigned int low, unsigned int high)
{
	return insn_reg_offsets[low | (high ? 8 : 0)];
}

/* FF /2 and FF /4: fill in the operand of an indirect branch. */
static enum kprobe_refusal classify_indirect(struct insn *insn,
					     struct arch_kprobe_insn *result,
					     unsigned long next, bool call)
{
	u8 rex = insn->rex_prefix.value;
	u8 modrm = insn->modrm.value;
	u8 sib = insn->sib.value;
	u8 mod = X86_MODRM_MOD(modrm), rm = X86_MODRM_RM(modrm);

	result->base = -1;
	result->index = -1;
	result->target = insn->displacement.value;

	if (mod == 3) {
		result->class = call ? X86_KPROBE_CALL_REG : X86_KPROBE_JMP_REG;
		result->base = insn_reg_offset(rm, X86_REX_B(rex));
		return KPROBE_OK;
	}

	result->class = call ? X86_KPROBE_CALL_MEM : X86_KPROBE_JMP_MEM;
	if (insn->addr_bytes != sizeof(unsigned long))
		return KPROBE_REFUSE_UNRELOCATABLE;

	if (insn_rip_relative(insn)) {
		result->target += next;
	} else if (!insn->sib.nbytes) {
		/* Mode 0, rm 5 is a displacement without base on i386. */
		if (mod != 0 || rm != 5)
			result->base = insn_reg_offset(rm, X86_REX_B(rex));
	} else {
		/* Base 5 in mode 0 means no base; index 4 means no index. */
		if (X86_SIB_BASE(sib) != 5 || mod != 0)
			result->base = insn_reg_offset(X86_SIB_BASE(sib),
						       X86_REX_B(rex));
		if (X86_SIB_INDEX(sib) != 4 || X86_REX_X(rex))
			result->index = insn_reg_offset(X86_SIB_INDEX(sib),
							X86_REX_X(rex));
		result->scale = X86_SIB_SCALE(sib);
	}
	return KPROBE_OK;
}

/* Fill in a near branch; refuse prefixes that change its operation. */
static enum kprobe_refusal classify_branch(struct insn *insn,
					   struct arch_kprobe_insn *result,
					   enum x86_kprobe_class class,
					   unsigned long target)
{
	int i;

	/* 64 and 65 select the segments FS and GS; 66 may select 16 bits. */
	for (i = 0; i < ARRAY_SIZE(insn->prefixes.bytes); i++)
		if (insn->prefixes.bytes[i] >= 0x64 &&
		    insn->prefixes.bytes[i] <= 0x66)
			return KPROBE_REFUSE_UNRELOCATABLE;
	if (insn->addr_bytes == 2)
		return KPROBE_REFUSE_UNRELOCATABLE;

	result->class = class;
	result->target = target;
	return KPROBE_OK;
}

/*
 * Return true if the decoder omitted a ModRM byte, because it does not know the
 * two-byte opcode.  The opcodes listed here have no ModRM byte.
 */
static bool insn_lacks_modrm(const struct insn *insn)
{
	if (insn->modrm.nbytes)
		return false;
	switch (insn->opcode.bytes[1]) {
	case 0x05 ... 0x09: case 0x0b: case 0x0e: case 0x30 ... 0x37: case 0x77:
	case 0x80 ... 0x8f: case 0xa0 ... 0xa2: case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return false;
	}
	return true;
}

static enum kprobe_refusal classify_two_byte(struct insn *insn,
					     struct arch_kprobe_insn *result,
					     unsigned long relative)
{
	u8 op = insn->opcode.bytes[1];

	switch (op) {
	case 0x80 ... 0x8f:
		result->cond = op & 0xf;
		return classify_branch(insn, result, X86_KPROBE_JCC, relative);
	case 0x0b: case 0xb9: case 0xff:	/* ud2, ud1, ud0 */
		return KPROBE_REFUSE_BUG_SITE;
	case 0x05: case 0x07:			/* syscall, sysret */
	case 0x34: case 0x35:			/* sysenter, sysexit */
	case 0xaa:				/* rsm */
		return KPROBE_REFUSE_FAR_TRANSFER;
	case 0x01:
		switch (insn->modrm.value) {
		case 0xc2: case 0xc3:		/* vmlaunch, vmresume */
		case 0xd8:			/* vmrun */
		case 0xf8:			/* swapgs */
			return KPROBE_REFUSE_FAR_TRANSFER;
		case 0xca: case 0xcb:
			/* clac (with a prefix, eretu or erets) and stac */
			if (insn_last_prefix_id(insn))
				return KPROBE_REFUSE_FAR_TRANSFER;
			break;
		}
		break;
	}
	return insn_lacks_modrm(insn) ? KPROBE_REFUSE_UNDECODABLE : KPROBE_OK;
}

/* MOV from register to register. */
static void classify_simple_mov(const struct insn *insn,
				struct arch_kprobe_insn *result)
{
	u8 rex = insn->rex_prefix.value, modrm = insn->modrm.value;
	s16 rm = insn_reg_offset(X86_MODRM_RM(modrm), X86_REX_B(rex));
	s16 reg = insn_reg_offset(X86_MODRM_REG(modrm), X86_REX_R(rex));
	bool to_rm = insn->opcode.bytes[0] == 0x89;

	if (X86_MODRM_MOD(modrm) != 3)
		return;
	/* A MOV may lower the stack pointer by any amount: see LOWER_SP_MAX. */
	if ((to_rm ? rm : reg) == offsetof(struct pt_regs, sp))
		return;
	result->simple = X86_KPROBE_MOV;
	result->base = to_rm ? rm : reg;
	result->index = to_rm ? reg : rm;
	result->narrow = IS_ENABLED(CONFIG_X86_64) && !X86_REX_W(rex);
}

/*
 * Bytes by which an emulated instruction may lower the stack pointer.  At least
 * six words are free between the interrupted stack and the registers that a
 * breakpoint saves.  A post handler may push two words there.  With a stack
 * pointer below the free words, unwinders would stop, and handlers that write
 * to the top of the stack would overwrite the registers.  i386 builds the frame
 * for IRET directly below the new stack pointer while it still reads the old
 * frame (IRET_FRAME in entry_32.S).
 */
#define LOWER_SP_MAX	((long)(4 * sizeof(long)))

/* ADD or SUB of an immediate to or from the stack pointer. */
static void classify_simple_sp(const struct insn *insn,
			       struct arch_kprobe_insn *result)
{
	u8 rex = insn->rex_prefix.value, modrm = insn->modrm.value;
	long n = insn->immediate.value;

	if (X86_MODRM_MOD(modrm) != 3 || X86_MODRM_RM(modrm) != 4 ||
	    X86_REX_B(rex) || (IS_ENABLED(CONFIG_X86_64) && !X86_REX_W(rex)))
		return;
	if (X86_MODRM_REG(modrm) == 0 && -n <= LOWER_SP_MAX)
		result->simple = X86_KPROBE_ADD_SP;
	else if (X86_MODRM_REG(modrm) == 5 && n <= LOWER_SP_MAX)
		result->simple = X86_KPROBE_SUB_SP;
	result->target = n;
}

/* Find out-of-line instructions that trap.c emulates for post handlers. */
static void classify_simple(const struct insn *insn,
			    struct arch_kprobe_insn *result)
{
	u8 op = insn->opcode.bytes[0], rex = insn->rex_prefix.value;

	if (insn->prefixes.nbytes)
		return;
	switch (op) {
	case 0x50 ... 0x57:
		result->simple = X86_KPROBE_PUSH;
		result->index = insn_reg_offset(op & 7, X86_REX_B(rex));
		break;
	case 0x81: case 0x83:
		classify_simple_sp(insn, result);
		break;
	case 0x89: case 0x8b:
		classify_simple_mov(insn, result);
		break;
	}
}

/*
 * Fill in @result for the instruction decoded from @addr; run and jump become
 * zero.
 */
enum kprobe_refusal x86_kprobe_classify(struct insn *insn,
					struct arch_kprobe_insn *result,
					unsigned long addr)
{
	unsigned long next = addr + insn->length;
	unsigned long relative = next + insn->immediate.value;
	u8 op = insn->opcode.bytes[0];
	u8 reg = X86_MODRM_REG(insn->modrm.value);

	*result = (struct arch_kprobe_insn) {
		.class = X86_KPROBE_OUT_OF_LINE,
		.len = insn->length,
		.first = *insn->kaddr,
	};
	if (insn_rip_relative(insn))
		result->relative = insn_offset_displacement(insn);

	if (insn_has_emulate_prefix(insn))
		return KPROBE_REFUSE_UNRELOCATABLE;
	if (insn_is_rex2(insn))
		return KPROBE_REFUSE_UNDECODABLE;
	if (x86_kprobe_is_nop(insn)) {
		result->class = X86_KPROBE_NOP;
		return KPROBE_OK;
	}
	/* None of the instructions below has a VEX, XOP or EVEX prefix. */
	if (insn_is_avx_or_xop(insn))
		return KPROBE_OK;
	if (op == 0x0f && insn->opcode.nbytes == 2)
		return classify_two_byte(insn, result, relative);
	/* All three-byte opcodes have a ModRM byte. */
	if (insn->opcode.nbytes > 1)
		return insn->modrm.nbytes ? KPROBE_OK :
					    KPROBE_REFUSE_UNDECODABLE;

	switch (op) {
	case 0x70 ... 0x7f:
		/* FineIBT's JCC jumps to the f0 before it: LOCK JCC traps. */
		if (relative == addr - 1)
			return KPROBE_REFUSE_BUG_SITE;
		result->cond = op & 0xf;
		return classify_branch(insn, result, X86_KPROBE_JCC, relative);
	case 0xe0 ... 0xe3:		/* loop*, jrcxz */
		result->cond = op;
		result->narrow = insn->addr_bytes == 4;
		return classify_branch(insn, result, X86_KPROBE_LOOP, relative);
	case 0xe8:
		return classify_branch(insn, result, X86_KPROBE_CALL, relative);
	case 0xe9: case 0xeb:
		return classify_branch(insn, result, X86_KPROBE_JMP, relative);
	case 0xc2:
		return classify_branch(insn, result, X86_KPROBE_RET,
				       (u16)insn->immediate.value);
	case 0xc3:
		return classify_branch(insn, result, X86_KPROBE_RET, 0);
	case 0xff:
		switch (reg) {
		case 2: case 4:
			return classify_branch(insn, result,
					       X86_KPROBE_JMP_REG, 0) ?:
			       classify_indirect(insn, result, next, reg == 2);
		case 3: case 5:
			return KPROBE_REFUSE_FAR_TRANSFER;
		}
		return KPROBE_OK;
	case 0xc7:
		/* xbegin has a relative operand */
		return insn->modrm.value == 0xf8 ? KPROBE_REFUSE_UNRELOCATABLE :
						   KPROBE_OK;
	case 0x9a: case 0xea:
	case 0xca: case 0xcb: case 0xcf:	/* far call, jmp, ret; iret */
		return KPROBE_REFUSE_FAR_TRANSFER;
	case 0xcc: case 0xcd: case 0xce: case 0xf1:
		return KPROBE_REFUSE_TRAP_INSN;
	case 0xd6:				/* udb; on i386 salc */
		return IS_ENABLED(CONFIG_X86_64) ? KPROBE_REFUSE_BUG_SITE :
						   KPROBE_OK;
	}
	classify_simple(insn, result);
	return KPROBE_OK;
}

enum kprobe_refusal arch_kprobe_inspect(struct kprobe_site *site,
					const struct kprobe_symbol *symbol)
{
	unsigned long addr = kprobe_site_text(site);
	enum kprobe_refusal why;
	struct insn_window window;
	u8 text[MAX_INSN_SIZE];
	struct module *mod;
	struct insn insn;

	if (x86_kprobe_original_text(addr, text, sizeof(text)))
		return KPROBE_REFUSE_NOT_TEXT;
	/* Check this first, because a walk through long filler is slow. */
	if (text[0] == INT3_INSN_OPCODE)
		return KPROBE_REFUSE_PADDING;
	window.start = 0;
	window.size = 0;
	why = insn_check_place(&window, addr, symbol);
	if (why != KPROBE_OK)
		return why;
	if (insn_decode_kernel(&insn, text))
		return KPROBE_REFUSE_UNDECODABLE;
	/* Unlike in other *_text_reserved(), the end is exclusive. */
	if (alternatives_text_reserved((void *)addr,
				       (void *)addr + insn.length))
		return KPROBE_REFUSE_ALTERNATIVE;
	/* The core checks only one byte, but live patches write operands. */
	mod = kprobe_module_of(addr);
	if (mod) {
		why = kprobe_livepatched(mod, addr, addr + insn.length);
		if (why != KPROBE_OK)
			return why;
	}
	if (insn_in_type_check(addr, text))
		return KPROBE_REFUSE_BUG_SITE;
	if (x86_kprobe_is_nop(&insn) &&
	    insn_only_filler(&window, addr + insn.length, symbol->start +
			     min(symbol->size, FUNCTION_MAX_SIZE)))
		return KPROBE_REFUSE_PADDING;
	/* No interrupt is taken between STI, which is 0xfb, and HLT. */
	if (x86_kprobe_halts(text) ||
	    (text[0] == 0xfb && x86_kprobe_halts(text + 1)))
		return KPROBE_REFUSE_UNRELOCATABLE;
	site->opcode = text[0];
	return x86_kprobe_classify(&insn, &site->insn, addr);
}
