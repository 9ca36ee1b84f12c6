/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers shared by the KUnit suites for return probes: a return probe that
 * records the values that its handlers see.
 */
#ifndef _LIB_KPROBES_TEST_RETURN_H
#define _LIB_KPROBES_TEST_RETURN_H

#include <linux/atomic.h>
#include "test.h"

/*
 * Rethook's pools do not grow, their instances share cache lines, and a pool is
 * counted until its return probe is unregistered.
 */
#define OWN_POOLS	(!IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK))

/* A return probe and the results recorded by its handlers. */
struct followed {
	struct kretprobe probe;
	atomic_t entries;
	atomic_t returns;
	long value;
	unsigned long retaddr;
	unsigned long ip;
	struct task_struct *task;
	struct kretprobe *owner;
	struct kretprobe *raw_owner;
	struct kretprobe *held_for;
	bool same_holder;
	struct kprobe *running;
	unsigned int order;
	bool irqs_on;
	bool preemptible;
};

static __maybe_unused unsigned int order_counter;

static inline int followed_entry(struct kretprobe_instance *ri,
				 struct pt_regs *regs)
{
	struct followed *f = container_of(get_kretprobe(ri), struct followed,
					  probe);

	atomic_inc(&f->entries);
	return 0;
}

static inline int followed_return(struct kretprobe_instance *ri,
				  struct pt_regs *regs)
{
	struct followed *f = container_of(get_kretprobe(ri), struct followed,
					  probe);

	atomic_inc(&f->returns);
	f->value = regs_return_value(regs);
	f->retaddr = get_kretprobe_retaddr(ri);
	f->ip = instruction_pointer(regs);
	f->task = ri->task;
	f->owner = get_kretprobe(ri);
	f->raw_owner = ri->rp;
	/* Modules that are built for kernels without rethook read these. */
	f->held_for = ri->rph->rp;
	f->same_holder = ri->rph == f->probe.rph;
	f->running = kprobe_running();
	f->order = ++order_counter;
	f->irqs_on |= !irqs_disabled();
	f->preemptible |= preemptible();
	return 0;
}

#define FOLLOWED(target, ...)	{					\
	.probe.kp.addr = (kprobe_opcode_t *)(target),			\
	.probe.entry_handler = followed_entry,				\
	.probe.handler = followed_return,				\
	__VA_ARGS__							\
}

static inline void followed_remove(void *probe)
{
	unregister_kretprobe(probe);
}

static inline struct followed *followed_add(struct kunit *test,
					    const struct followed *f)
{
	struct followed *added = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, added);
	*added = *f;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&added->probe), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, followed_remove,
							&added->probe), 0);
	return added;
}

/* Follow a function; see PROBED(). */
#define FOLLOW(test, ...)						\
	followed_add(test, &(struct followed)FOLLOWED(__VA_ARGS__))

static inline void expect_no_pools(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, EVENTUALLY(!kretprobe_pools_in_use()));
}

static inline void expect_calls(struct kunit *test, struct followed *f,
				int calls)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&f->entries), calls);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->returns), calls);
}

#endif /* _LIB_KPROBES_TEST_RETURN_H */
