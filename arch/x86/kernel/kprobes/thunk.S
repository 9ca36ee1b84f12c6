/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the displaced copy of an instruction calls for the post handlers.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/segment.h>
#include <asm/smap.h>
#include <asm/unwind_hints.h>
#include "../../entry/calling.h"

	.text
/*
 * Called from a slot (slot.c); the word at the return address is the site.
 * Saves registers as a trap would and calls kprobe_hit_post(), which fills
 * in what is not known here, and in the end puts flags and instruction
 * pointer where the last two instructions here want them:
 *
 *	regs->sp ->	flags
 *			ip
 */
SYM_CODE_START(kprobe_post_thunk)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
	pushq	$__KERNEL_DS		/* ss */
	pushq	%rsp			/* sp, two words too low */
	pushfq				/* flags */
	leaq	-3*8(%rsp), %rsp	/* cs, ip, orig_ax */
	PUSH_REGS
	ENCODE_FRAME_POINTER
	ASM_CLAC
	cld
	movq	%rsp, %rdi
	call	kprobe_hit_post
	POP_REGS
	UNWIND_HINT_IRET_REGS offset=8
	movq	RSP-ORIG_RAX(%rsp), %rsp
	UNWIND_HINT_UNDEFINED
	popfq
	UNWIND_HINT_FUNC
	RET
SYM_CODE_END(kprobe_post_thunk)
_ASM_NOKPROBE(kprobe_post_thunk)
