// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for stack traces from every instruction of a hit on powerpc.
 *
 * A hit is single-stepped, and the exceptions in the function, detour, slots,
 * thunk and trampoline take two stack traces each: one from the exception's
 * registers, as a profiler's interrupt would, and one of itself: see
 * test_unwind.h.
 */
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/stringify.h>
#include <asm/reg.h>
#include "test_powerpc.h"

/* The second one is the return address that the called function may store. */
#define FIRST_CALLER	2
#define EXCEPTION_SHOWN	false

#include "test_unwind.h"

/* These functions take and return r3, and may use r4. */
#define LR_SAVE		__stringify(PPC_LR_STKOFF) "(1)\n\t"
#define SAVE_LR		"mflr 0\n\t" STL " 0, " LR_SAVE
#define PUSH		STLU " 1, -112(1)\n\t"
#define MAKE_FRAME	LIST(SAVE_LR PUSH)
#define DROP_FRAME	"addi 1, 1, 112\n\t" LL " 0, " LR_SAVE "mtlr 0\n\t"

UNWOUND(entry, PROBE(entry) MAKE_FRAME "addi 3, 3, 1\n\t" DROP_FRAME
	"blr\n\t");
UNWOUND(pushes, SAVE_LR PROBE(pushes) PUSH "addi 3, 3, 1\n\t" DROP_FRAME
	"blr\n\t");
UNWOUND(computes, MAKE_FRAME PROBE(computes) "addi 3, 3, 1\n\t" DROP_FRAME
	"blr\n\t");
/* This instruction is executed in a slot also if there are post handlers. */
UNWOUND(syncs, MAKE_FRAME PROBE(syncs) "isync\n\t addi 3, 3, 1\n\t" DROP_FRAME
	"blr\n\t");
UNWOUND(call, MAKE_FRAME PROBE(call) "bl opt_leaf\n\t" DROP_FRAME "blr\n\t");
/* The function has no frame at all. */
UNWOUND(leaf, PROBE(leaf) "addi 3, 3, 1\n\t blr\n\t");
UNWOUND(ret, MAKE_FRAME "addi 3, 3, 1\n\t" DROP_FRAME PROBE(ret) "blr\n\t");

/* Handlers redirect this one. */
UNWOUND(divert, MAKE_FRAME PROBE(divert) LL " 4, 0(1)\n\t"
	"nop\n\t"
	".Lgoes_on: addi 3, 3, 1\n\t" DROP_FRAME "blr\n\t"
	POINTER_TO(goes_on, .Lgoes_on));

static unsigned int probed_length(const struct kprobe_site *site)
{
	return sizeof(u32);
}

#ifdef CONFIG_PPC64
#define MTMSR		"mtmsrd"
#define LOAD_STEP_LINK	"addis 11, 2, ppc_step_link@toc@ha\n\t"	\
			"ld 11, ppc_step_link@toc@l(11)\n\t"
#else
#define MTMSR		"mtmsr"
#define LOAD_STEP_LINK	"lis 11, ppc_step_link@ha\n\t"		\
			"lwz 11, ppc_step_link@l(11)\n\t"
#endif

/* Continue single-stepping where the skipped function returns. */
extern char ppc_step_resume[];
unsigned long ppc_step_link;
asm(".pushsection .text\n"
    ".balign 16\n"
    "ppc_step_resume:\n\t"
    LOAD_STEP_LINK
    "mtlr 11\n\t"
    "mfmsr 12\n\t"
    "ori 12, 12, 0x400\n\t"
    MTMSR " 12\n\t"
    "blr\n"
    ".popsection\n");

/*
 * Let a C function that the hit calls run to its return without steps, because
 * an exception ends a reservation, and none may occur at some instructions of
 * local_irq_restore() on 64 bit.
 */
static bool skip_function(struct pt_regs *regs)
{
	if (place_of(regs->link) == OUTSIDE)
		return false;
	ppc_step_link = regs->link;
	regs->link = (unsigned long)ppc_step_resume;
	return true;
}
NOKPROBE_SYMBOL(skip_function);

/*
 * Return true in the caller.  A probe on the return emulates it, so the first
 * step is then taken at the caller's second instruction.
 */
static bool is_back(unsigned long ip)
{
	return stepper.callers.nr &&
	       ip - stepper.callers.entries[0] <= sizeof(u32);
}
NOKPROBE_SYMBOL(is_back);

static int step_notify(struct notifier_block *nb, unsigned long val,
		       void *data)
{
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;

	if (val != DIE_SSTEP || current != stepper.task || user_mode(regs))
		return NOTIFY_DONE;
	if (is_back(regs->nip)) {
		stepper.sp = 0;
		return NOTIFY_STOP;
	}
	if (place_of(regs->nip) != OUTSIDE)
		step(regs, regs->link);
	else if (stepper.traces && skip_function(regs))
		return NOTIFY_STOP;
	regs_set_return_msr(regs, regs->msr | MSR_SE);
	return NOTIFY_STOP;
}
NOKPROBE_SYMBOL(step_notify);

static struct notifier_block step_notifier = {
	.notifier_call = step_notify,
	.priority = INT_MAX,
};

/* Call a function step by step. */
unsigned long ppc_step_through(void *function);
asm(".pushsection .text\n"
    ".balign 16\n"
    FUNCTION(ppc_step_through)
    MAKE_FRAME
    "mtctr 3\n\t"
    "li 3, 5\n\t"
    "mfmsr 5\n\t"
    "ori 5, 5, 0x400\n\t"
    MTMSR " 5\n\t"
    "bctrl\n\t"
    DROP_FRAME
    "blr\n"
    FUNCTION_END(ppc_step_through)
    ".popsection\n");

static unsigned long step_through(void *function)
{
	return ppc_step_through(function);
}

static int arm_steps(struct kunit *test)
{
	BUILD_BUG_ON(MSR_SE != 0x400);
	return register_die_notifier(&step_notifier);
}

static void disarm_steps(void)
{
	unregister_die_notifier(&step_notifier);
}

UNWIND_SUITE(powerpc, TARGET_OF(entry), TARGET_OF(pushes), TARGET_OF(computes),
	     TARGET_OF(syncs), TARGET_OF(call), TARGET_OF(leaf),
	     TARGET_OF(ret));
