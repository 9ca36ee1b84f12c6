/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why an address cannot be probed, why a probe is not hit through a jump, and
 * why a hit missed its handlers.
 *
 * A new reason needs one line here.  These lists define the enumerators, the
 * return values of register_kprobe(), the output of explain and missed in
 * /sys/kernel/debug/kprobes, and the tables of the tests and of
 * Documentation/trace/kprobes.rst.
 */
#ifndef _LINUX_KPROBES_REASONS_H
#define _LINUX_KPROBES_REASONS_H

#include <linux/errno.h>

struct kprobe;

/* X(enumerator, name, errno, sentence) */
#define KPROBE_REFUSALS(X)						\
X(NO_SYMBOL,	"no-such-symbol", -ENOENT, \
	"There is no such symbol.") \
X(NOT_TEXT,	"not-text",	-EINVAL, \
	"The address is in no text of the kernel or of a module.") \
X(BLACKLISTED,	"blacklisted",	-EINVAL, \
	"A hit runs this code, or cannot be handled in it: see blacklist.") \
X(TOO_EARLY,	"too-early",	-EAGAIN, \
	"The kernel still adapts its text to this machine.") \
X(MODULE_STATE,	"module-state",	-ENOENT, \
	"The module is being loaded or unloaded, or its init text is done.") \
X(JUMP_LABEL,	"jump-label",	-EINVAL, \
	"The kernel patches this instruction: it is a jump label.") \
X(STATIC_CALL,	"static-call",	-EINVAL, \
	"The kernel patches this instruction: it is a static call.") \
X(LIVEPATCH,	"livepatch",	-EINVAL, \
	"Live patching writes its operand when another module is loaded.") \
X(ALTERNATIVE,	"alternative",	-EINVAL, \
	"The kernel patches this: a LOCK prefix, or a barrier on powerpc.") \
X(FTRACE_SITE,	"ftrace-site",	-EINVAL, \
	"ftrace patches these bytes, and probes cannot use ftrace there.") \
X(DEBUGGER,	"debugger",	-EBUSY, \
	"The kernel's debugger has a breakpoint there.") \
X(BUG_SITE,	"bug-site",	-EINVAL, \
	"It is a BUG(), WARN() or type check, found by its address.") \
X(PADDING,	"padding",	-EINVAL, \
	"It is filler between functions, which is never executed.") \
X(CFI_PREAMBLE,	"cfi-preamble",	-EINVAL, \
	"It is the hash of a function's type, which callers read.") \
X(MISALIGNED,	"misaligned",	-EINVAL, \
	"No instruction can begin at such an address.") \
X(NO_BOUNDARY,	"no-boundary",	-EILSEQ, \
	"The address is in the middle of an instruction.") \
X(UNDECODABLE,	"undecodable",	-EILSEQ, \
	"The decoder knows no such instruction.") \
X(TRAP_INSN,	"trap-instruction", -EINVAL, \
	"The instruction is a breakpoint or a software interrupt.") \
X(FAR_TRANSFER,	"far-transfer",	-EOPNOTSUPP, \
	"The instruction loads CS, or enters or leaves the kernel.") \
X(UNRELOCATABLE, "unrelocatable", -EOPNOTSUPP, \
	"The instruction works only where it stands.") \
X(OUT_OF_REACH,	"out-of-reach",	-EOPNOTSUPP, \
	"The instruction's operand is too far away from any slot.") \
X(NOT_ENTRY,	"not-entry",	-EINVAL, \
	"A return probe or jprobe needs an entry that calls lead to.") \
X(NO_RETURN,	"no-return",	-EINVAL, \
	"The return of this function cannot be followed.") \
X(NO_MEMORY,	"no-memory",	-ENOMEM, \
	"There is no memory.")

/*
 * X(enumerator, name, sentence).  Obstacles of the first list may disappear,
 * and the optimizer then checks the site again.  Only the removal of a foreign
 * trap is not reported to it: it checks again when the site's probes change.
 */
#define KPROBE_NOJUMPS_NOW(X)						\
X(SWITCHED_OFF,	"switched-off", \
	"The sysctl debug.kprobes-optimization is 0.") \
X(POST_HANDLER,	"post-handler", \
	"A probe there has a post handler, which needs the breakpoint.") \
X(JPROBE,	"jprobe", \
	"A jprobe is there.") \
X(PROBE_INSIDE,	"probe-inside", \
	"Another probe stands on an instruction under the jump.") \
X(FOREIGN_TRAP,	"foreign-trap", \
	"The function has a breakpoint that is not of kprobes.") \
X(NO_MEMORY,	"no-memory", \
	"There is no memory for the detour; the optimizer tries again.")

/* Obstacles of the second list are in the text and permanent. */
#define KPROBE_NOJUMPS_TEXT(X)						\
X(FTRACE_SITE,	"ftrace-site", \
	"The hit comes by ftrace and needs no jump.") \
X(XEN_PV,	"xen-pv", \
	"A paravirtualized guest of Xen has its interrupt flag in memory.") \
X(NOT_ANALYSED,	"not-analysed", \
	"It is not known where control enters the function.") \
X(FUNCTION_END,	"function-end", \
	"The jump would reach beyond the function.") \
X(COLD_PART,	"cold-part", \
	"It is a part of a function that other parts jump into.") \
X(JUMPED_INTO,	"jumped-into", \
	"A branch leads to an instruction under the jump.") \
X(EXCEPTION_LANDING, "exception-landing", \
	"An exception fix-up leads to an instruction under the jump.") \
X(INDIRECT_JUMP, "indirect-jump", \
	"An indirect jump may lead to an instruction under the jump.") \
X(CALL_INSIDE,	"call-inside", \
	"A call under the jump has its target in a register or in memory.") \
X(FAULT_INSIDE,	"fault-inside", \
	"An instruction under the jump may fault and be restarted there.") \
X(PATCHED_INSIDE, "patched-inside", \
	"The kernel itself patches an instruction under the jump.") \
X(BLACKLISTED_INSIDE, "blacklisted-inside", \
	"An instruction under the jump must not be probed.") \
X(BOUND_INSIDE,	"bound-inside", \
	"An instruction under the jump works only where it stands.") \
X(DIRECTION_FLAG, "direction-flag", \
	"The function sets the direction flag.") \
X(LANDING_PAD,	"landing-pad", \
	"Indirect branches land there, and cannot land on a jump.") \
X(DETOUR_SIZE,	"detour-size", \
	"The copied instructions are too long for a detour.") \
X(DETOUR_REACH,	"detour-reach", \
	"An operand of the copied instructions is too far from any detour.")

/* X(enumerator, name, sentence): why the handlers of a hit did not run */
#define KPROBE_MISSES(X)						\
X(RECURSION,	"recursion", \
	"A handler, or what it calls, has come to the probe.") \
X(BUSY,		"busy", \
	"The CPU was between kprobe_busy_begin() and _end(), or offline.") \
X(TRACER,	"tracer", \
	"Ftrace's guard against recursion kept it from calling kprobes.") \
X(FULL,		"full", \
	"There was no room to follow one more call: see maxactive.") \
X(NO_ADDRESS,	"no-address", \
	"The return address was a trampoline's, not of the innermost call.") \
X(BPF,		"bpf", \
	"The CPU was in a BPF program, or where none may run, as in a map.") \
X(REAL_MODE,	"real-mode", \
	"Addresses were not translated, as in a machine check's handler.")

#define __KPROBE_REFUSE(id, name, error, sentence)	KPROBE_REFUSE_##id,
#define __KPROBE_NOJUMP(id, name, sentence)		KPROBE_NOJUMP_##id,
#define __KPROBE_MISS(id, name, sentence)		KPROBE_MISS_##id,

/* Why an address cannot be probed; KPROBE_OK if it can. */
enum kprobe_refusal {
	KPROBE_OK,
	KPROBE_REFUSALS(__KPROBE_REFUSE)
	KPROBE_NR_REFUSALS
};

/*
 * Why a breakpoint cannot become a jump.  KPROBE_NOJUMP_FTRACE_SITE is the
 * first permanent obstacle.
 */
enum kprobe_obstacle {
	KPROBE_NOJUMP_NONE,
	KPROBE_NOJUMPS_NOW(__KPROBE_NOJUMP)
	KPROBE_NOJUMPS_TEXT(__KPROBE_NOJUMP)
	KPROBE_NR_NOJUMPS
};

/* Why the handlers of a hit did not run. */
enum kprobe_miss {
	KPROBE_MISSES(__KPROBE_MISS)
	KPROBE_NR_MISSES
};

/* Return why a refused address cannot be probed. */
enum kprobe_refusal kprobe_refusal_at(void *addr, const char *symbol,
				      unsigned long offset);
/* The errno that register_kprobe() returns. */
int kprobe_refusal_errno(enum kprobe_refusal why);
/* The names and sentences for users. */
const char *kprobe_refusal_name(enum kprobe_refusal why);
const char *kprobe_refusal_sentence(enum kprobe_refusal why);
const char *kprobe_obstacle_name(enum kprobe_obstacle what);
const char *kprobe_obstacle_sentence(enum kprobe_obstacle what);
const char *kprobe_miss_name(enum kprobe_miss why);
const char *kprobe_miss_sentence(enum kprobe_miss why);
/* Count a missed hit for a user's probe; see missed.c. */
void kprobe_count_missed(const struct kprobe *p, enum kprobe_miss why);

#endif /* _LINUX_KPROBES_REASONS_H */
