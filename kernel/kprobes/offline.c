// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that are taken offline, and come back.
 *
 * An offline CPU takes no IPI, and no grace period waits for it: a probe can be
 * unregistered and freed while such a CPU runs its handler.  It does go on to
 * execute the kernel: until it has stopped, from its start until RCU knows of
 * it again, and on some machines each time that something wakes it up.  So from
 * before RCU forgets a CPU until RCU knows of it again, all of its hits miss
 * their handlers, as between kprobe_busy_begin() and kprobe_busy_end(), and
 * touch no probe.
 *
 *	set_cpu_online(false)		holds cpu_hotplug_lock: whoever takes
 *	...				the CPU away waits for what comes next
 *	kprobe_cpu_leaves()		cpuhp_report_idle_dead()
 *	RCU forgets the CPU
 *	the CPU stops
 *	...
 *	the CPU starts
 *	RCU knows of the CPU		rcutree_report_cpu_starting(), which the
 *	kprobe_cpu_comes()		architecture calls on the way to
 *	...				notify_cpu_starting(), if not there;
 *	...				whoever takes the CPU back waits for it
 *	set_cpu_online(true)		and holds cpu_hotplug_lock until then
 *
 * Nobody who waits for handlers goes on while another one holds that lock for
 * writing, so the handlers that the CPU runs while it is not marked and gets no
 * IPI are waited for as well.
 *
 * The mark is written by the CPU itself only, so no handler of it can be in
 * between.  A CPU that was never online has it from boot on; one that did not
 * come up keeps it.
 *
 * What returns on a marked CPU has no return probe: to miss that would touch
 * the probe.  No call that is followed is left by kprobe_cpu_leaves(), for the
 * idle loop never gets back from there, and none is followed while the mark is
 * there.
 *
 * Sites and slots are freed behind grace periods, in which a CPU that executes
 * at all gets through a hit.  But loops that an offline CPU does not leave,
 * where it would be in a hit nearly always, are not to be probed.
 */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kprobes_hit.h>
#include <linux/smp.h>
#include "internal.h"

/**
 * kprobe_cpu_leaves - from here on, nothing need wait for this CPU
 *
 * Context: the idle task; interrupts off, and they stay off until the CPU
 * begins anew.
 */
void kprobe_cpu_leaves(void)
{
	__this_cpu_write(kprobe_cpu_offline, true);
	kprobe_cpu_busy(smp_processor_id(), true);
}
NOKPROBE_SYMBOL(kprobe_cpu_leaves);

/**
 * kprobe_cpu_comes - from here on, grace periods wait for this CPU
 * @cpu: this CPU
 *
 * Context: a CPU that is being started, or the first one; interrupts off.
 */
void kprobe_cpu_comes(unsigned int cpu)
{
	kprobe_cpu_busy(cpu, false);
	per_cpu(kprobe_cpu_offline, cpu) = false;
}
NOKPROBE_SYMBOL(kprobe_cpu_comes);

/* Before other CPUs are started. */
static int __init kprobe_offline_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			continue;
		per_cpu(kprobe_cpu_offline, cpu) = true;
		kprobe_cpu_busy(cpu, true);
	}
	return 0;
}
early_initcall(kprobe_offline_init);
