// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registration of return probes: the public functions.  kretprobe.c follows
 * calls.
 */
#include <kunit/visibility.h>
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/llist.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/kprobes_test.h>
#include "internal.h"
#include "pool.h"

/* An array of return probes is passed on as an array of kprobes. */
static_assert(!offsetof(struct kretprobe, kp));

/* Look up the addresses of the functions in kretprobe_blacklist[]. */
static void kretprobe_find_blacklisted(void)
{
	static bool found;	/* under kprobe_mutex */
	kprobe_opcode_t *addr;
	bool on_entry;
	int i;

	if (found)
		return;
	for (i = 0; i < kretprobe_blacklist_size; i++) {
		addr = kprobe_lookup_name(kretprobe_blacklist[i].name, 0);
		if (addr)
			kretprobe_blacklist[i].addr =
				arch_kprobe_entry((unsigned long)addr, 0,
						  &on_entry);
	}
	found = true;
}

static enum kprobe_refusal kretprobe_admit(kprobe_opcode_t *addr, bool on_entry)
{
	int i;

	if (!on_entry)
		return KPROBE_REFUSE_NOT_ENTRY;
	kretprobe_find_blacklisted();
	for (i = 0; i < kretprobe_blacklist_size; i++)
		if (addr == kretprobe_blacklist[i].addr)
			return KPROBE_REFUSE_NO_RETURN;
	return KPROBE_OK;
}

/* Prepare a probe that no hit can find yet; kprobe_mutex is held. */
static int kretprobe_join(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct kretprobe_pool *pool;

	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return -E2BIG;

	pool = kretprobe_pool_create(rp);
	if (!pool)
		return -ENOMEM;
	rp->rph = &pool->holder;
	/* Set this last: after a failure, users may register rp->kp itself. */
	rp->kp.pre_handler = kretprobe_entry;
	rp->kp.post_handler = NULL;
	rp->nmissed = 0;
	return 0;
}

/**
 * register_kretprobes - register several return probes, all or none
 * @rps: the return probes
 * @num: how many
 *
 * Context: may sleep; not from a handler.
 * Return:
 * * As register_kprobes().
 * * -EINVAL: not at the entry of a function, or the function's return cannot be
 *   followed.
 * * -E2BIG: data_size is above KRETPROBE_MAX_DATA_SIZE.
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kprobe_array array = {
		.kind = KPROBE_KIND_RETURN,
		.probes = (struct kprobe **)rps, .num = num,
		.admit = kretprobe_admit, .join = kretprobe_join,
	};

	return kprobe_register_array(&array);
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * register_kretprobe - register a return probe
 * @rp: the return probe
 *
 * Context and return values: as register_kretprobes().
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/**
 * unregister_kretprobes - unregister several return probes
 * @rps: the return probes
 * @num: how many
 *
 * On return, none of their handlers runs or will run, even if a followed call
 * has yet to return; the caller may free the return probes.
 *
 * Context: may sleep; not from a handler.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	unregister_kprobes((struct kprobe **)rps, num);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

/**
 * unregister_kretprobe - unregister a return probe
 * @rp: the return probe
 *
 * See unregister_kretprobes().
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);

/**
 * disable_kretprobe - follow no further calls until enabled again
 * @rp: the return probe
 *
 * The handler is still called for calls that are followed already.
 *
 * Context: may sleep; not from a handler.
 * Return: as disable_kprobe().
 */
int disable_kretprobe(struct kretprobe *rp)
{
	return rp ? disable_kprobe(&rp->kp) : -EINVAL;
}
EXPORT_SYMBOL_GPL(disable_kretprobe);

/**
 * enable_kretprobe - follow calls again
 * @rp: the return probe
 *
 * Context: may sleep; not from a handler.
 * Return: as enable_kprobe().
 */
int enable_kretprobe(struct kretprobe *rp)
{
	return rp ? enable_kprobe(&rp->kp) : -EINVAL;
}
EXPORT_SYMBOL_GPL(enable_kretprobe);

#ifdef CONFIG_HOTPLUG_CPU
/*
 * Free the instances of an offline CPU's idle task.  The followed calls never
 * return, because the task starts afresh when the CPU is brought online.  Until
 * then the task does not run, and the CPU handles no NMI.  The functions that
 * do return when the CPU starts are in kretprobe_blacklist[].
 */
static int kretprobe_flush_idle_task(unsigned int cpu)
{
	kprobe_flush_task(idle_task(cpu));
	rethook_flush_task(idle_task(cpu));
	return 0;
}

/* Free pools that were drained by the last returns on an offline CPU. */
static int kretprobe_flush_pools(unsigned int cpu)
{
	kretprobe_pools_flush_left();
	return 0;
}

static int __init kretprobe_flush_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					    "kprobes:idle",
					    kretprobe_flush_idle_task,
					    kretprobe_flush_pools);

	return ret < 0 ? ret : 0;
}
core_initcall(kretprobe_flush_init);
#endif

atomic_t kretprobe_pools;

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/** kretprobe_pools_in_use - return the number of allocated pools */
unsigned int kretprobe_pools_in_use(void)
{
	return atomic_read(&kretprobe_pools);
}
EXPORT_SYMBOL_IF_KUNIT(kretprobe_pools_in_use);
#endif
