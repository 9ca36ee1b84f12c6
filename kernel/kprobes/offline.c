// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that are taken offline, and brought online again.
 *
 * An offline CPU takes no IPI, and no grace period waits for it, so a probe
 * could be unregistered and freed while that CPU runs its handler.  The CPU
 * still executes kernel code: until it has stopped, from its start until RCU
 * watches it again, and on some machines at each wakeup.  Therefore, from
 * before RCU stops watching a CPU until RCU watches it again, all of its hits
 * miss their handlers, as between kprobe_busy_begin() and kprobe_busy_end(),
 * and do not touch probes.
 *
 *	set_cpu_online(false)		cpu_hotplug_lock is held until
 *	...				kprobe_cpu_leaves() is done
 *	kprobe_cpu_leaves()		cpuhp_report_idle_dead()
 *	RCU stops watching the CPU
 *	the CPU stops
 *	...
 *	the CPU starts
 *	RCU watches the CPU		rcutree_report_cpu_starting(), which the
 *	kprobe_cpu_comes()		architecture calls on the way to
 *	...				notify_cpu_starting(), if not there;
 *	...				the controlling CPU waits for it and
 *	set_cpu_online(true)		holds cpu_hotplug_lock until then
 *
 * kprobe_wait_for_handlers() and kprobe_patch() take that lock for reading, and
 * so cannot return while it is held for writing.  This covers handlers that the
 * CPU runs while it has no mark and gets no IPI.
 *
 * Only the CPU itself writes its mark, so none of its handlers runs meanwhile.
 * A CPU that was never online has the mark from boot on; a CPU that failed to
 * start keeps it.
 *
 * No followed call may return on a marked CPU, because counting a miss would
 * touch the probe.  None does: the idle loop never returns from
 * kprobe_cpu_leaves(), and no call is followed while the mark is set.
 *
 * Sites and slots are freed after grace periods, in which a CPU that executes
 * at all completes a hit.  But the loops in which an offline CPU stays must not
 * be probed, because that CPU would nearly always be in a hit.
 */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kprobes_hit.h>
#include <linux/smp.h>
#include "internal.h"

/**
 * kprobe_cpu_leaves - mark this CPU as offline: no one needs to wait for it
 *
 * Context: the idle task; interrupts off, and they stay off until the CPU
 * starts again.
 */
void kprobe_cpu_leaves(void)
{
	__this_cpu_write(kprobe_cpu_offline, true);
	kprobe_cpu_busy(smp_processor_id(), true);
}
NOKPROBE_SYMBOL(kprobe_cpu_leaves);

/**
 * kprobe_cpu_comes - mark this CPU as online: grace periods wait for it
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

/* Mark the CPUs that have not been started yet. */
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
