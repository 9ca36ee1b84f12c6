/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the benchmarks probe.  Include it once in a module. */
#ifndef LAB_KPROBE_BENCH_H
#define LAB_KPROBE_BENCH_H

#include <linux/stringify.h>
#include <linux/types.h>
#include <asm/sections.h>
#ifdef CONFIG_X86
#include <asm/asm.h>
#endif

/* Number of functions in bench_many, of 16 bytes each. */
#define BENCH_MANY	1000

/* Many functions for arrays: 16 bytes each, like those of a kernel. */
extern char bench_many[];
#define BENCH_FUNCTIONS(type, body)					\
asm(".pushsection .text\n"						\
	".altmacro\n"							\
	".macro bench_one nr\n"						\
	"	.type bench_many_\\nr, " type "\n"			\
	"bench_many_\\nr:\n"						\
	body								\
	"	.size bench_many_\\nr, . - bench_many_\\nr\n"		\
	".endm\n"							\
	".balign 16\n"							\
	"bench_many:\n"							\
	".set bench_nr, 0\n"						\
	".rept " __stringify(BENCH_MANY) "\n"				\
	"	bench_one %bench_nr\n"					\
	"	.set bench_nr, bench_nr + 1\n"				\
	".endr\n"							\
	".noaltmacro\n"							\
	".popsection\n")

#ifdef CONFIG_X86
/* Two instructions of three bytes; a jump covers both. */
#define FIRST	"	lea	1(%" _ASM_AX "), %ecx\n"
#define SECOND	"	lea	2(%" _ASM_AX "), %edx\n"
#define END	"	ret\n	int3\n"

/*
 * bench_target: only the probed instruction and a return.  A branch into the
 * five bytes from bench_here on makes a jump there impossible, so that on any
 * kernel the hit is a breakpoint.
 */
void bench_target(void);
extern char bench_here[];
asm(".pushsection .text\n"
	".type bench_target, @function\n"
	"bench_target:\n"
	"	test	%eax, %eax\n"
	"	nop\n"
	"bench_here:\n"
	FIRST "1:" SECOND
	"	test	$0, %al\n"
	"	jnz	1b\n"
	END
	".size bench_target, . - bench_target\n"
	".popsection\n");

/*
 * bench_call: the same for the first instruction of a function, whose return
 * can be followed.  bench_jump has room for a jump there.
 */
void bench_call(void);
void bench_jump(void);
asm(".pushsection .text\n"
	".balign 16, 0xcc\n"
	".type bench_call, @function\n"
	"bench_call:\n"
	FIRST "1:" SECOND
	"	test	$0, %al\n"
	"	jnz	1b\n"
	END
	".size bench_call, . - bench_call\n"
	".balign 16, 0xcc\n"
	".type bench_jump, @function\n"
	"bench_jump:\n"
	FIRST SECOND END
	".size bench_jump, . - bench_jump\n"
	".popsection\n");

BENCH_FUNCTIONS("@function", FIRST SECOND END "	.balign 16, 0xcc\n");

#elif defined(CONFIG_ARM64)
/*
 * As above.  A branch is as long as a breakpoint, and nothing in a function
 * prevents it: see jumps_off() in kprobe_bench.c.
 */
void bench_target(void);
extern char bench_here[];
void bench_call(void);
void bench_jump(void);
asm(".pushsection .text\n"
	".type bench_target, %function\n"
	"bench_target:\n"
	"	tst	x0, x0\n"
	"bench_here:\n"
	"	add	x1, x0, #1\n"
	"	ret\n"
	".size bench_target, . - bench_target\n"
	".balign 16\n"
	".type bench_call, %function\n"
	"bench_call:\n"
	"	add	x1, x0, #1\n"
	"	ret\n"
	".size bench_call, . - bench_call\n"
	".balign 16\n"
	".type bench_jump, %function\n"
	"bench_jump:\n"
	"	add	x1, x0, #1\n"
	"	ret\n"
	".size bench_jump, . - bench_jump\n"
	".popsection\n");
BENCH_FUNCTIONS("%function",
		"	add	x1, x0, #1\n"
		"	add	x2, x0, #2\n"
		"	ret\n"
		"	nop\n");

#elif defined(CONFIG_PPC)
/* As on arm64. Pointers to functions may point to descriptors. */
#ifdef CONFIG_PPC64_ELF_ABI_V1
#define FUNCTION(name)							\
	".pushsection .opd, \"aw\"\n"					\
	"	.balign 8\n"						\
	#name ":	.quad ." #name ", .TOC.@tocbase, 0\n"		\
	".popsection\n"							\
	"	.balign 16\n"						\
	"	.type ." #name ", @function\n"				\
	"." #name ":\n"
#else
#define FUNCTION(name)							\
	"	.balign 16\n"						\
	"	.type " #name ", @function\n"				\
	#name ":\n"
#endif
void bench_target(void);
extern char bench_here[];
void bench_call(void);
void bench_jump(void);
asm(".pushsection .text\n"
	FUNCTION(bench_target)
	"	cmpwi	3, 0\n"
	"bench_here:\n"
	"	addi	4, 3, 1\n"
	"	blr\n"
	FUNCTION(bench_call)
	"	addi	4, 3, 1\n"
	"	blr\n"
	FUNCTION(bench_jump)
	"	addi	4, 3, 1\n"
	"	blr\n"
	".popsection\n");
BENCH_FUNCTIONS("@function",
		"	addi	4, 3, 1\n"
		"	addi	5, 3, 2\n"
		"	blr\n"
		"	nop\n");

#elif defined(CONFIG_RISCV)
/* As on arm64, but there are no jumps. */
void bench_target(void);
extern char bench_here[];
void bench_call(void);
void bench_jump(void);
asm(".pushsection .text\n"
	".option push\n"
	".option norvc\n"
	".balign 16\n"
	".type bench_target, @function\n"
	"bench_target:\n"
	"	slti	a2, a0, 0\n"
	"bench_here:\n"
	"	addi	a1, a0, 1\n"
	"	ret\n"
	".balign 16\n"
	".type bench_call, @function\n"
	"bench_call:\n"
	"	addi	a1, a0, 1\n"
	"	ret\n"
	".balign 16\n"
	".type bench_jump, @function\n"
	"bench_jump:\n"
	"	addi	a1, a0, 1\n"
	"	ret\n"
	".option pop\n"
	".popsection\n");
BENCH_FUNCTIONS("@function",
		"	.option push\n"
		"	.option norvc\n"
		"	addi	a1, a0, 1\n"
		"	addi	a2, a0, 2\n"
		"	ret\n"
		"	nop\n"
		"	.option pop\n");
#endif

/* Return the address of a function's instructions. */
static inline const void *text_of(void *function)
{
	return dereference_function_descriptor(function);
}

static inline bool is_jump(const void *addr)
{
#ifdef CONFIG_X86
	return *(u8 *)addr == 0xe9;
#elif defined(CONFIG_RISCV)
	return false;
#else
	/* B, of arm64 and of powerpc */
	return *(u32 *)addr >> 26 == (IS_ENABLED(CONFIG_PPC) ? 18 : 5);
#endif
}

#endif /* LAB_KPROBE_BENCH_H */
