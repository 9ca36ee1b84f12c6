/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers shared by the KUnit suites for kprobes on x86: operand names for
 * assembly outside of functions, by word size, and changes of text.
 */
#ifndef _LIB_KPROBES_TEST_X86_H
#define _LIB_KPROBES_TEST_X86_H

#include <linux/memory.h>
#include <linux/mutex.h>
#include <asm/asm.h>
#include <asm/cpufeature.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#ifdef CONFIG_X86_64
#define AX		"%rax"
#define BX		"%rbx"
#define CX		"%rcx"
#define DX		"%rdx"
#define SI		"%rsi"
#define DI		"%rdi"
#define BP		"%rbp"
#define SP		"%rsp"
/* An operand relative to the instruction pointer; i386 has none. */
#define RIP		"(%rip)"
#define WORD		"8"
#else
#define AX		"%eax"
#define BX		"%ebx"
#define CX		"%ecx"
#define DX		"%edx"
#define SI		"%esi"
#define DI		"%edi"
#define BP		"%ebp"
#define SP		"%esp"
#define RIP		""
#define WORD		"4"
#endif

#define SAFE		ANNOTATE_RETPOLINE_SAFE "\n\t"
#define NO_ENDBR	ANNOTATE_NOENDBR "\n\t"

/* A function's return changes the flags if it counts the depth of calls. */
static inline unsigned long flags_after_return(unsigned long flags)
{
	return cpu_feature_enabled(X86_FEATURE_CALL_DEPTH) ? 0 : flags;
}

/* Write any bytes; smp_text_poke_single() accepts only the kernel's no-ops. */
static __maybe_unused void write_text(void *at, const void *text, size_t size)
{
	guard(mutex)(&text_mutex);
	text_poke(at, text, size);
	smp_text_poke_sync_each_cpu();
}

/*
 * Define a variable <name> that points to a label.  The label must not be a
 * symbol, which would look like a function's entry, and objtool must not expect
 * calls.
 */
#define POINTER_TO(name, label)						\
	".pushsection .data\n"						\
	".balign 8\n"							\
	#name ":" _ASM_PTR #label "\n"					\
	".popsection\n"						\
	ASM_ANNOTATE_LABEL(label, ANNOTYPE_NOENDBR) "\n"

#endif /* _LIB_KPROBES_TEST_X86_H */
