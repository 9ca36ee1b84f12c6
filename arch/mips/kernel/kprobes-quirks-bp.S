/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints on mips: like handle_bp() of the architecture, which enables
 * interrupts, but without a change of their state.
 *
 * An interrupt that has not been acknowledged is raised again as soon as
 * interrupts are enabled.  If its code is probed before that, as in
 * irq_enter(), the probe is hit again before the first hit has reached any C
 * code, and so on until the stack overflows.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asmmacro.h>
#include <asm/mipsregs.h>
#include <asm/regdef.h>
#include <asm/stackframe.h>

	/* This section cannot be probed. */
	.section .kprobes.text, "ax"
	.align	5
NESTED(kprobe_quirks_handle_bp, PT_SIZE, sp)
	.cfi_signal_frame
	.set	noat
	SAVE_ALL
	KMODE
	.set	at
	move	a0, sp
	jal	do_bp
	j	ret_from_exception
END(kprobe_quirks_handle_bp)
