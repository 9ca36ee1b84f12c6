// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jprobes: handlers with the arguments of the probed function.
 *
 * A jprobe is a kprobe at the entry of a function.  Its pre handler calls the
 * user's function (jprobe::entry) with the same argument registers and a copy
 * of the stack arguments.  The user's function is a handler like any other, and
 * needs no exception of its own.
 *
 * The backend has two functions in assembly.  arch_jprobe_call() saves the
 * registers that a function preserves, stores its stack pointer at @frame, and
 * calls @entry with the argument registers in @regs.  It copies at least 64
 * bytes of stack arguments; @stack is the stack pointer in @regs, or points to
 * a copy of that stack.  arch_jprobe_return() restores the stack pointer and
 * the registers, and returns from arch_jprobe_call().
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "internal.h"

/* The stack pointer in the innermost arch_jprobe_call() of this CPU. */
static DEFINE_PER_CPU(unsigned long, jprobe_frame);

/*
 * jprobe_return() leaves the user's function and its callees without returning
 * from them.  Therefore the function graph tracer must not follow these calls,
 * and rethook's nodes of these calls must be recycled.
 */
static __always_inline struct llist_node *jprobe_rethooks(void)
{
#ifdef CONFIG_RETHOOK
	return current->rethooks.first;
#else
	return NULL;
#endif
}

static __always_inline void jprobe_recycle_rethooks(struct llist_node *before)
{
#ifdef CONFIG_RETHOOK
	struct llist_node *node;

	while (unlikely(current->rethooks.first != before)) {
		node = current->rethooks.first;
		current->rethooks.first = node->next;
		rethook_recycle(llist_entry(node, struct rethook_node, llist));
	}
#endif
}

static __always_inline void jprobe_call(void *entry, struct pt_regs *regs)
{
	unsigned long outer = __this_cpu_read(jprobe_frame);
	void *stack = (void *)kernel_stack_pointer(regs);
	unsigned long copy[JPROBE_STACK_WORDS] __uninitialized;
	unsigned long here = PAGE_ALIGN((unsigned long)stack) -
			     (unsigned long)stack;

	/*
	 * The stack may end at the end of the page, before a guard page.  In
	 * the first function on the stack, the stack pointer may be that end.
	 */
	if (unlikely(here < sizeof(copy))) {
		if (copy_from_kernel_nofault(copy, stack, sizeof(copy))) {
			/* A failed copy may have written to the buffer. */
			memset(copy, 0, sizeof(copy));
			memcpy(copy, stack, here);
		}
		stack = copy;
	}

	arch_jprobe_call(entry, regs, stack, this_cpu_ptr(&jprobe_frame));
	__this_cpu_write(jprobe_frame, outer);
}

static notrace int jprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct jprobe *jp = container_of(p, struct jprobe, kp);
	struct llist_node *rethooks = jprobe_rethooks();
	void *entry = READ_ONCE(jp->entry);

	/* The user may have cleared jp->entry since registration. */
	if (unlikely(!entry))
		return 0;
	pause_graph_tracing();
	jprobe_call(entry, regs);
	unpause_graph_tracing();
	jprobe_recycle_rethooks(rethooks);
	return 0;
}
NOKPROBE_SYMBOL(jprobe_entry);

/* An array of jprobes is passed on as an array of kprobes. */
static_assert(!offsetof(struct jprobe, kp));

static enum kprobe_refusal jprobe_admit(kprobe_opcode_t *addr, bool on_entry)
{
	return on_entry ? KPROBE_OK : KPROBE_REFUSE_NOT_ENTRY;
}

static int jprobe_join(struct kprobe *p)
{
	struct jprobe *jp = container_of(p, struct jprobe, kp);

	if (!jp->entry)
		return -EINVAL;
	jp->kp.pre_handler = jprobe_entry;
	jp->kp.post_handler = NULL;
	return 0;
}

/**
 * register_jprobes - register several jprobes, all or none
 * @jps: the jprobes
 * @num: how many
 *
 * Context: may sleep; not from a handler.
 * Return: as register_kprobes(); also -EINVAL if jprobe::entry is NULL, or if
 * the place is not the entry of a function.
 */
int register_jprobes(struct jprobe **jps, int num)
{
	struct kprobe_array array = {
		.kind = KPROBE_KIND_JPROBE,
		.probes = (struct kprobe **)jps, .num = num,
		.admit = jprobe_admit, .join = jprobe_join,
	};

	return kprobe_register_array(&array);
}
EXPORT_SYMBOL_GPL(register_jprobes);

/**
 * register_jprobe - register a jprobe
 * @jp: the jprobe
 *
 * Context and return values: as register_jprobes().
 */
int register_jprobe(struct jprobe *jp)
{
	return register_jprobes(&jp, 1);
}
EXPORT_SYMBOL_GPL(register_jprobe);

/**
 * unregister_jprobes - unregister several jprobes
 * @jps: the jprobes
 * @num: how many
 *
 * On return, none of their entry functions runs or will be called.
 *
 * Context: may sleep; not from a handler.
 */
void unregister_jprobes(struct jprobe **jps, int num)
{
	unregister_kprobes((struct kprobe **)jps, num);
}
EXPORT_SYMBOL_GPL(unregister_jprobes);

/**
 * unregister_jprobe - unregister a jprobe
 * @jp: the jprobe
 *
 * See unregister_jprobes().
 */
void unregister_jprobe(struct jprobe *jp)
{
	unregister_jprobes(&jp, 1);
}
EXPORT_SYMBOL_GPL(unregister_jprobe);

/**
 * disable_jprobe - disable a jprobe but keep it registered
 * @jp: the jprobe
 *
 * Context: may sleep; not from a handler.
 * Return: as disable_kprobe().
 */
int disable_jprobe(struct jprobe *jp)
{
	return jp ? disable_kprobe(&jp->kp) : -EINVAL;
}
EXPORT_SYMBOL_GPL(disable_jprobe);

/**
 * enable_jprobe - enable a disabled jprobe
 * @jp: the jprobe
 *
 * Context: may sleep; not from a handler.
 * Return: as enable_kprobe().
 */
int enable_jprobe(struct jprobe *jp)
{
	return jp ? enable_kprobe(&jp->kp) : -EINVAL;
}
EXPORT_SYMBOL_GPL(enable_jprobe);

/**
 * jprobe_return - leave the entry function of a jprobe
 *
 * This does not return, and does not unwind the frames that it leaves.
 *
 * Context: the jprobe's entry function, or a function that it has called.
 */
void notrace jprobe_return(void)
{
	unsigned long frame = __this_cpu_read(jprobe_frame);
	unsigned long here = current_stack_pointer;

	/* Without a running jprobe there is nowhere to return to. */
	BUG_ON(!frame);
	/* The skipped functions cannot unpoison their redzones. */
	kasan_unpoison_range((void *)here, frame - here);
	arch_jprobe_return(frame);
}
EXPORT_SYMBOL_GPL(jprobe_return);
NOKPROBE_SYMBOL(jprobe_return);
