/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the reasons why an address cannot be probed (refusals), why a
 * breakpoint is not replaced by a jump (obstacles), and why a hit has not run
 * its handlers (misses).
 *
 * A new reason needs one entry here.  These lists define the enumerators, the
 * return values of register_kprobe(), and the output of "explain" and "missed"
 * in /sys/kernel/debug/kprobes.  Documentation/trace/kprobes.rst has a table of
 * each list, which must not differ.
 */
#ifndef _LINUX_KPROBES_REASONS_H
#define _LINUX_KPROBES_REASONS_H

#include <linux/errno.h>

struct kprobe;

/* Expand to the list: checkpatch.pl rejects a macro that is a bare list. */
#define __KPROBE_LIST(...)	__VA_ARGS__

/* X(enumerator, name, errno, sentence) */
#define KPROBE_REFUSALS(X) __KPROBE_LIST(				\
X(NO_SYMBOL,	"no-such-symbol", -ENOENT, \
	"There is no such symbol.") \
X(NOT_TEXT,	"not-text",	-EINVAL, \
	"The address is outside the text of the kernel and its modules.") \
X(BLACKLISTED,	"blacklisted",	-EINVAL, \
	"Handling a hit runs this code or is impossible here: see blacklist.") \
X(TOO_EARLY,	"too-early",	-EAGAIN, \
	"The kernel is still adapting its text to this machine.") \
X(MODULE_STATE,	"module-state",	-ENOENT, \
	"The module is being loaded or unloaded, or this init code has run.") \
X(JUMP_LABEL,	"jump-label",	-EINVAL, \
	"The kernel patches this instruction: it is a jump label.") \
X(STATIC_CALL,	"static-call",	-EINVAL, \
	"The kernel patches this instruction: it is a static call.") \
X(LIVEPATCH,	"livepatch",	-EINVAL, \
	"Live patching writes the operand when another module is loaded.") \
X(ALTERNATIVE,	"alternative",	-EINVAL, \
	"The kernel patches this: a LOCK prefix, or a barrier on powerpc.") \
X(FTRACE_SITE,	"ftrace-site",	-EINVAL, \
	"ftrace patches these bytes, and probes cannot use ftrace there.") \
X(DEBUGGER,	"debugger",	-EBUSY, \
	"The kernel's debugger has a breakpoint there.") \
X(BUG_SITE,	"bug-site",	-EINVAL, \
	"The kernel finds this BUG(), WARN() or type check by its address.") \
X(PADDING,	"padding",	-EINVAL, \
	"Padding between functions is never executed.") \
X(CFI_PREAMBLE,	"cfi-preamble",	-EINVAL, \
	"These bytes are the hash of a function's type, which callers read.") \
X(MISALIGNED,	"misaligned",	-EINVAL, \
	"An instruction cannot begin at an unaligned address.") \
X(NO_BOUNDARY,	"no-boundary",	-EILSEQ, \
	"The address is in the middle of an instruction.") \
X(UNDECODABLE,	"undecodable",	-EILSEQ, \
	"The decoder does not know this instruction.") \
X(TRAP_INSN,	"trap-instruction", -EINVAL, \
	"The instruction is a breakpoint or a software interrupt.") \
X(FAR_TRANSFER,	"far-transfer",	-EOPNOTSUPP, \
	"The instruction loads CS, or enters or leaves the kernel.") \
X(UNRELOCATABLE, "unrelocatable", -EOPNOTSUPP, \
	"The instruction works only at its own address.") \
X(OUT_OF_REACH,	"out-of-reach",	-EOPNOTSUPP, \
	"The instruction's operand is too far away from any slot.") \
X(NOT_ENTRY,	"not-entry",	-EINVAL, \
	"A return probe or jprobe must be at the entry of a function.") \
X(NO_RETURN,	"no-return",	-EINVAL, \
	"The return of this function cannot be followed.") \
X(NO_MEMORY,	"no-memory",	-ENOMEM, \
	"No memory is available."))

/*
 * X(enumerator, name, sentence).  An obstacle of this list may disappear, and
 * the optimizer then checks the site again.  The exception is a foreign trap,
 * whose removal is not reported: the optimizer checks again when the site's
 * probes change.
 */
#define KPROBE_NOJUMPS_NOW(X) __KPROBE_LIST(				\
X(SWITCHED_OFF,	"switched-off", \
	"The sysctl debug.kprobes-optimization is 0.") \
X(POST_HANDLER,	"post-handler", \
	"A probe there has a post handler, which needs the breakpoint.") \
X(JPROBE,	"jprobe", \
	"A jprobe is there.") \
X(PROBE_INSIDE,	"probe-inside", \
	"Another probe is on an instruction under the jump.") \
X(FOREIGN_TRAP,	"foreign-trap", \
	"The function has a breakpoint that kprobes did not write.") \
X(NO_MEMORY,	"no-memory", \
	"No memory is available for the detour; the optimizer tries again."))

/* An obstacle of this list is a property of the text, and permanent. */
#define KPROBE_NOJUMPS_TEXT(X) __KPROBE_LIST(				\
X(FTRACE_SITE,	"ftrace-site", \
	"Ftrace reports the hits, so no jump is needed.") \
X(XEN_PV,	"xen-pv", \
	"A paravirtualized guest of Xen has its interrupt flag in memory.") \
X(NOT_ANALYSED,	"not-analysed", \
	"The analysis cannot find every entry into the function.") \
X(FUNCTION_END,	"function-end", \
	"The jump would reach beyond the function.") \
X(COLD_PART,	"cold-part", \
	"Other parts of the function jump into this part.") \
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
	"An instruction under the jump works only at its own address.") \
X(DIRECTION_FLAG, "direction-flag", \
	"The function sets the direction flag.") \
X(LANDING_PAD,	"landing-pad", \
	"Indirect branches land there, and cannot land on a jump.") \
X(DETOUR_SIZE,	"detour-size", \
	"The copied instructions are too long for a detour.") \
X(DETOUR_REACH,	"detour-reach", \
	"An operand of the copied instructions is too far from any detour."))

/* X(enumerator, name, sentence): why the handlers of a hit did not run */
#define KPROBE_MISSES(X) __KPROBE_LIST(					\
X(RECURSION,	"recursion", \
	"A handler, or a function that it calls, hit the probe.") \
X(BUSY,		"busy", \
	"The CPU was between kprobe_busy_begin() and _end(), or offline.") \
X(TRACER,	"tracer", \
	"Ftrace's recursion protection kept it from calling kprobes.") \
X(FULL,		"full", \
	"No instance was free to follow the call: see maxactive.") \
X(NO_ADDRESS,	"no-address", \
	"The return address had already been replaced, for a different call.") \
X(BPF,		"bpf", \
	"The CPU was in a BPF program, or in code that must not run one.") \
X(REAL_MODE,	"real-mode", \
	"Addresses were not translated, as in a machine check's handler."))

#define __KPROBE_REFUSE(id, name, error, sentence)	KPROBE_REFUSE_##id,
#define __KPROBE_NOJUMP(id, name, sentence)		KPROBE_NOJUMP_##id,
#define __KPROBE_MISS(id, name, sentence)		KPROBE_MISS_##id,

/* Why an address cannot be probed; KPROBE_OK if it can */
enum kprobe_refusal {
	KPROBE_OK,
	KPROBE_REFUSALS(__KPROBE_REFUSE)
	KPROBE_NR_REFUSALS
};

/*
 * Why a jump cannot replace a breakpoint.  KPROBE_NOJUMP_FTRACE_SITE must be
 * the first permanent obstacle: see kprobe_obstacle_stays().
 */
enum kprobe_obstacle {
	KPROBE_NOJUMP_NONE,
	KPROBE_NOJUMPS_NOW(__KPROBE_NOJUMP)
	KPROBE_NOJUMPS_TEXT(__KPROBE_NOJUMP)
	KPROBE_NR_NOJUMPS
};

/* Why the handlers of a hit did not run */
enum kprobe_miss {
	KPROBE_MISSES(__KPROBE_MISS)
	KPROBE_NR_MISSES
};

/**
 * struct kprobe_reason - a reason, for users
 * @name: the name
 * @sentence: an explanation on which a user can act
 * @error: for a refusal: the errno of register_kprobe()
 * @error_name: the name of @error, without the sign: "EINVAL"
 */
struct kprobe_reason {
	const char *name;
	const char *sentence;
	int error;
	const char *error_name;
};

extern const struct kprobe_reason kprobe_refusals[KPROBE_NR_REFUSALS];
extern const struct kprobe_reason kprobe_obstacles[KPROBE_NR_NOJUMPS];
extern const struct kprobe_reason kprobe_misses[KPROBE_NR_MISSES];

/* Return the errno of register_kprobe(). */
static inline int kprobe_refusal_errno(enum kprobe_refusal why)
{
	return kprobe_refusals[why].error;
}

/* Return why a place cannot be probed, or KPROBE_OK. */
enum kprobe_refusal kprobe_refusal_at(void *addr, const char *symbol,
				      unsigned long offset);
/* Count a hit that a user's handler could not use; see hit.c. */
void kprobe_count_missed(const struct kprobe *p, enum kprobe_miss why);

#endif /* _LINUX_KPROBES_REASONS_H */
