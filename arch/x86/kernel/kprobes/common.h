/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations that the files here share, and macros that save the registers as
 * an exception would.
 */
#ifndef __X86_KERNEL_KPROBES_COMMON_H
#define __X86_KERNEL_KPROBES_COMMON_H

#include <asm/asm.h>
#include <asm/frame.h>

/* Flag in ret of struct x86_kprobe_thunk_frame. */
#define X86_KPROBE_INDIRECT	0x80

#ifndef __ASSEMBLY__

#include <asm/alternative.h>
#include <asm/insn.h>

struct pt_regs;

/* Only older kernels rewrite LOCK prefixes after boot. */
#ifndef alternatives_text_reserved
static inline bool alternatives_text_reserved(void *start, void *end)
{
	return false;
}
#endif

/*
 * For top-level asm(): with ss, sp and flags of a struct pt_regs on the stack,
 * SAVE_REGS_STRING pushes the rest (cs, ip and orig_ax undefined) and
 * RESTORE_REGS_STRING removes it.  objtool can follow both.
 */
#ifdef CONFIG_X86_64
#define SAVE_REGS_STRING						\
	"	lea	-24(%rsp), %rsp\n"				\
	"	push %rdi; push %rsi; push %rdx; push %rcx; push %rax\n"\
	"	push %r8; push %r9; push %r10; push %r11; push %rbx\n"	\
	"	push %rbp; push %r12; push %r13; push %r14; push %r15\n"\
	ENCODE_FRAME_POINTER
#define RESTORE_REGS_STRING						\
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp\n"	\
	"	pop %rbx; pop %r11; pop %r10; pop %r9; pop %r8\n"	\
	"	pop %rax; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n"	\
	"	lea	24(%rsp), %rsp\n"
#else
#define SAVE_REGS_STRING						\
	"	lea	-12(%esp), %esp\n"				\
	"	push %gs; push %fs; push %es; push %ds; push %eax\n"	\
	"	push %ebp; push %edi; push %esi; push %edx\n"		\
	"	push %ecx; push %ebx\n"					\
	ENCODE_FRAME_POINTER
/* The kernel does not change its segment registers: skip them. */
#define RESTORE_REGS_STRING						\
	"	pop %ebx; pop %ecx; pop %edx; pop %esi; pop %edi\n"	\
	"	pop %ebp; pop %eax\n"					\
	"	lea	28(%esp), %esp\n"
#endif

/* rethook.c needs only the macros above, even without kprobes. */
#ifdef CONFIG_KPROBES
#include <linux/kprobes_backend.h>

/* From thunk_macros.S: the template of a detour's entry, and places in it. */
extern const u8 kprobe_detour[], kprobe_detour_cs[], kprobe_detour_ip[];
extern const u8 kprobe_detour_call_end[], kprobe_detour_end[];

/* From offset @at on, a detour has @words words on the stack. */
struct x86_kprobe_pushed {
	u8 at;
	u8 words;
};

extern const struct x86_kprobe_pushed kprobe_detour_stack[];
extern const struct x86_kprobe_pushed kprobe_detour_stack_end[];

/*
 * From @at bytes after kprobe_post_thunk on, the return address is @ret words
 * above the stack pointer.  With X86_KPROBE_INDIRECT in @ret, this word points
 * to saved flags, and the return address is the word after these.  The frame
 * pointer is saved @bp words above the stack pointer, or is in its register if
 * @bp is negative.  The last entry marks the end of the thunks.
 */
struct x86_kprobe_thunk_frame {
	u16 at;
	u8 ret;
	s8 bp;
};

extern const struct x86_kprobe_thunk_frame kprobe_thunk_frames[];
extern const struct x86_kprobe_thunk_frame kprobe_thunk_frames_end[];

/* Offset of a detour's first instruction, after the pointer to the site. */
#define X86_KPROBE_DETOUR_ENTRY	sizeof(struct kprobe_site *)

/* insn.c */
int x86_kprobe_original_text(unsigned long addr, u8 *buf, unsigned int size);
bool x86_kprobe_is_nop(const struct insn *insn);
bool x86_kprobe_halts(const u8 *text);
bool x86_kprobe_checks_type(const u8 *text);
enum kprobe_refusal x86_kprobe_classify(struct insn *insn,
					struct arch_kprobe_insn *result,
					unsigned long addr);

/* blacklist.c */
bool x86_kprobe_is_thunk(unsigned long addr);

/* slot.c */
void x86_kprobe_fill_slot(void *slot, const u8 *text, unsigned int size);
bool x86_kprobe_relocate(const struct arch_kprobe_insn *insn, u8 *copy,
			 unsigned long from, unsigned long to);

/* function.c */
enum kprobe_obstacle
x86_kprobe_analyse_function(unsigned long addr,
			    const struct kprobe_symbol *symbol,
			    unsigned long *end, bool *accesses_user);
enum kprobe_obstacle x86_kprobe_region_obstacle(const struct kprobe_site *site);

/* thunk_{32,64}.S */
void kprobe_post_thunk(void);
void kprobe_jump_thunk(void);

/* trap.c */
void x86_kprobe_hit_post(struct pt_regs *regs);

/* xenpv.c */
void x86_kprobe_hit_post_xenpv(struct pt_regs *regs);
void kretprobe_hit_xenpv(struct pt_regs *regs);

/* detour.c */
int x86_kprobe_hit_jump(struct kprobe_site *site, struct pt_regs *regs);
void x86_kprobe_queue_jump(struct kprobe_site *site);
#endif /* CONFIG_KPROBES */

#endif /* __ASSEMBLY__ */
#endif /* __X86_KERNEL_KPROBES_COMMON_H */
