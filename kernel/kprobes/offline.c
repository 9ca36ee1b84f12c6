// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that are taken offline, and come back.
 *
 * An offline CPU takes no IPI, and no grace period waits for it: a probe can be
 * unregistered and freed while such a CPU runs its handler.  It does go on to
 * execute the kernel, after it has told that it is dead, and on some machines
 * each time that something wakes it up.  Whoever takes a CPU away or back holds
 * cpu_hotplug_lock for writing until the CPU has told, or is online again, so
 * until then nobody who waits for handlers goes on without it.  Behind that all
 * hits of the CPU miss their handlers, as between kprobe_busy_begin() and
 * kprobe_busy_end(), and touch no probe.
 *
 * The CPU marks itself, so that it runs no handler then.  Where nothing has it
 * tell, whoever takes it away marks it when it has stopped.  What returns
 * behind the mark has no return probe: to miss that would touch the probe.
 *
 * Sites and slots are freed behind grace periods, in which a CPU that executes
 * at all gets through a hit.  But loops that an offline CPU does not leave,
 * where it would be in a hit nearly always, are not to be probed.
 */
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/smp.h>
#include "internal.h"

/**
 * kprobe_cpu_dead - this CPU is about to tell that nothing need wait for it
 *
 * Context: interrupts off, and they stay off until the CPU begins anew.
 */
void kprobe_cpu_dead(void)
{
	kprobe_cpu_busy(smp_processor_id(), true);
}
NOKPROBE_SYMBOL(kprobe_cpu_dead);

static int cpu_comes(unsigned int cpu)
{
	kprobe_cpu_busy(cpu, false);
	return 0;
}

static int cpu_has_gone(unsigned int cpu)
{
	kprobe_cpu_busy(cpu, true);
	return 0;
}

static int __init kprobe_offline_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
					    "kprobes:offline", cpu_comes,
					    cpu_has_gone);

	return ret < 0 ? ret : 0;
}
core_initcall(kprobe_offline_init);
