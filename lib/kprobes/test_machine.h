/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check that the machine steps instructions correctly.
 *
 * The s390 backend steps with the machine's program-event recording.  Some
 * emulators lose the condition code or the branch target of the stepped
 * instruction.  This check steps one instruction of either kind without a
 * probe.
 */
#ifndef _LIB_KPROBES_TEST_MACHINE_H
#define _LIB_KPROBES_TEST_MACHINE_H

#include <kunit/test.h>

#ifdef CONFIG_S390
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <asm/ctlreg.h>
#include <asm/ptrace.h>

void step_cc(int positive, u8 *mask);
void step_branch(int unused, u8 *mask);
extern char step_cc_at[], step_branch_at[], step_branch_to[];

#define STEPS_ON	"stosm	0(%r3),0x40\n"
#define STEPS_OFF	"stnsm	0(%r3),0xbf\n"

asm(".pushsection .text, \"ax\"\n"
    ".balign 8\n"
    "step_cc:\n"
    "	cr	%r2,%r2\n"
    "	" STEPS_ON
    "step_cc_at:\n"
    "	ltr	%r2,%r2\n"
    "	" STEPS_OFF
    "	br	%r14\n"
    "step_branch:\n"
    "	" STEPS_ON
    "step_branch_at:\n"
    "	j	step_branch_to\n"
    "	nop	0\n"
    "step_branch_to:\n"
    "	" STEPS_OFF
    "	br	%r14\n"
    ".popsection\n");

#define CC_POSITIVE	(2UL << 44)

static psw_t after_step;

static int see_step(struct notifier_block *nb, unsigned long val, void *data)
{
	struct die_args *args = data;

	if (val != DIE_SSTEP)
		return NOTIFY_DONE;
	after_step = args->regs->psw;
	args->regs->psw.mask &= ~PSW_MASK_PER;
	return NOTIFY_STOP;
}

static struct notifier_block step_nb = { .notifier_call = see_step };

static psw_t step_once(void (*code)(int x, u8 *mask), const char *at)
{
	struct ctlreg saved[3], control[3] = {
		{ .val = PER_EVENT_IFETCH },
		{ .val = (unsigned long)at },
		{ .val = (unsigned long)at },
	};
	unsigned long flags;
	u8 mask;

	after_step = (psw_t) { };
	local_irq_save(flags);
	__local_ctl_store(9, 11, saved);
	__local_ctl_load(9, 11, control);
	code(5, &mask);
	__local_ctl_load(9, 11, saved);
	local_irq_restore(flags);
	return after_step;
}

static bool machine_steps(void)
{
	unsigned long cc, addr;

	if (register_die_notifier(&step_nb))
		return true;
	cc = step_once(step_cc, step_cc_at).mask & PSW_MASK_CC;
	addr = step_once(step_branch, step_branch_at).addr;
	unregister_die_notifier(&step_nb);
	return cc == CC_POSITIVE && addr == (unsigned long)step_branch_to;
}
#else /* !CONFIG_S390 */
static inline bool machine_steps(void)
{
	return true;
}
#endif /* CONFIG_S390 */

static inline void skip_unless_steps(struct kunit *test)
{
	if (!machine_steps())
		kunit_skip(test, "this machine forgets what it has stepped");
}

#endif /* _LIB_KPROBES_TEST_MACHINE_H */
