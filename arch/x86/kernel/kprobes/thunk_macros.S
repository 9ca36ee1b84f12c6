/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Macros of the thunks for 32 and for 64 bit: the template of a detour, and
 * records of the stack in a detour and in a thunk.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/segment.h>

/*
 * Record in a struct x86_kprobe_pushed how many words the detour has on the
 * stack before the next instruction.
 */
.macro ON_STACK words:req
771:
	.pushsection .rodata.kprobe_detour_stack, "a"
	.byte	771b - kprobe_detour, \words
	.popsection
.endm

/*
 * The template of a detour's entry.  detour.c copies it and fills in the site
 * and ip.  If the probed code may have access to user memory, detour.c replaces
 * the push of cs by CLAC and a shorter push.
 */
.macro DETOUR_TEMPLATE
	.pushsection .rodata.kprobe_detour_stack, "a"
SYM_DATA_START(kprobe_detour_stack)
	.popsection
	.pushsection .rodata
SYM_DATA_START(kprobe_detour)
	_ASM_PTR 0			/* the site */
	ON_STACK 0
	__ASM_SIZE(push) $__KERNEL_DS	/* ss */
	ON_STACK 1
	push	%_ASM_SP		/* sp, one word lower than it was */
	ON_STACK 2
	__ASM_SIZE(pushf)		/* flags */
	ON_STACK 3
	cli
SYM_INNER_LABEL(kprobe_detour_cs, SYM_L_GLOBAL)
	.byte	0x68			/* push: cs */
	.long	__KERNEL_CS
	ON_STACK 4
	.byte	0x68			/* push: ip */
SYM_INNER_LABEL(kprobe_detour_ip, SYM_L_GLOBAL)
	.long	0
	ON_STACK 5
	call	kprobe_jump_thunk
SYM_INNER_LABEL(kprobe_detour_call_end, SYM_L_GLOBAL)
	lea	2*__SIZEOF_LONG__(%_ASM_SP), %_ASM_SP	/* ip, cs */
	ON_STACK 3
	__ASM_SIZE(popf)
	ON_STACK 2
	pop	%_ASM_SP
SYM_DATA_END_LABEL(kprobe_detour, SYM_L_GLOBAL, kprobe_detour_end)
	.popsection
	.pushsection .rodata.kprobe_detour_stack, "a"
SYM_DATA_END_LABEL(kprobe_detour_stack, SYM_L_GLOBAL, kprobe_detour_stack_end)
	.popsection
.endm

/*
 * Record in a struct x86_kprobe_thunk_frame how many words above the stack
 * pointer the return address is, and the saved frame pointer unless it is in
 * its register.
 */
.macro THUNK_STACK ret:req bp=-1
	.set thunk_ret, \ret
	.set thunk_bp, \bp
#ifdef CONFIG_UNWINDER_FRAME_POINTER
772:
	.pushsection .rodata.kprobe_thunk_frames, "a"
	.short	772b - kprobe_post_thunk
	.byte	thunk_ret, thunk_bp
	.popsection
#endif
.endm

/* Record that the last instruction has pushed @by words (< 0: popped). */
.macro THUNK_MOVED by:req
	.if thunk_bp >= 0
	THUNK_STACK thunk_ret+\by, thunk_bp+\by
	.else
	THUNK_STACK thunk_ret+\by
	.endif
.endm

.macro PUSH_ALL regs:vararg
	.irp reg, \regs
	__ASM_SIZE(push) \reg
	THUNK_MOVED 1
	.endr
.endm

.macro POP_ALL regs:vararg
	.irp reg, \regs
	__ASM_SIZE(pop) \reg
	THUNK_MOVED -1
	.endr
.endm
