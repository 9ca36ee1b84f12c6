// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: events around probes.  The switches, by their files and by
 * calls; a module that is loaded, fails to load in several ways, and is
 * removed; CPU hotplug; and functions that are called by a timer interrupt on
 * each CPU.
 *
 * Actions of users run in a shell that the kernel starts.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/umh.h>
#include <linux/vmalloc.h>
#include "lookup.h"
#include "races.h"

unsigned int races_switch_seq, races_module_seq;
bool races_switch_on = true, races_module_there;

enum {
	SWITCHED, JUMPS_SWITCHED, MODULE_LOADED, MODULE_FAILED, MODULE_GONE,
	CPU_OFF, CPU_ON, FILES_USED, SHELLS_FAILED,
	WORLD_COUNTS
};

atomic_long_t races_world_count[WORLD_COUNTS];
const char * const races_world_name[WORLD_COUNTS + 1] = {
	"switched", "jumps-switched", "module-loaded", "module-failed",
	"module-gone", "cpu-offline", "cpu-online", "files-used",
	"shells-failed",
};

/* Return the exit status of the shell, or an errno. */
static int shell(const char *command)
{
	char *argv[4] = { "/bin/sh", "-c", (char *)command, NULL };
	char *env[4] = {
		"PATH=/bin", "P=/sys/kernel/debug/kprobes",
		"S=/proc/sys/debug", NULL,
	};
	int ret = call_usermodehelper(argv[0], argv, env, UMH_WAIT_PROC);

	if (ret < 0)
		races_fault("no command could be started: %d", ret);
	return ret < 0 ? ret : ret >> 8;
}

/* Functions that only the files of debugfs and sysctl call. */
static int (*set_global)(bool on);
static void (*set_jumps)(bool on);

/*
 * Switches
 */

static DEFINE_MUTEX(switch_mutex);

static void set_switch(bool on)
{
	WRITE_ONCE(races_switch_seq, races_switch_seq + 1);
	/* Pairs with smp_rmb() before the number is read again. */
	smp_wmb();
	if (set_global)
		set_global(on);
	else
		shell(on ? "echo 1 > $P/enabled" : "echo 0 > $P/enabled");
	WRITE_ONCE(races_switch_on, on);
	/* Pairs with smp_load_acquire() in races_op_quiet(). */
	smp_store_release(&races_switch_seq, races_switch_seq + 1);
	atomic_long_inc(&races_world_count[SWITCHED]);
}

/* Switch off for a while, during which no handler may be called. */
void races_op_switch(struct races_thread *t)
{
	if (!mutex_trylock(&switch_mutex))
		return;
	set_switch(false);
	races_op_quiet(t);
	races_op_register(t);
	races_op_enable(t);
	races_op_quiet(t);
	set_switch(true);
	races_note(t, 12, 0);
	mutex_unlock(&switch_mutex);
}

void races_op_jumps(struct races_thread *t)
{
	bool on = races_below(t, 2);

	if (!set_jumps)
		return;
	set_jumps(on);
	races_note(t, 13, on);
	atomic_long_inc(&races_world_count[JUMPS_SWITCHED]);
}

/* Switch as users do, and read the files. */
void races_op_files(struct races_thread *t)
{
	static const char * const commands[] = {
		"cat $P/list > /dev/null",
		"echo vfs_read > $P/explain; cat $P/explain > /dev/null",
		"cat $P/blacklist $P/missed > /dev/null",
		"echo 0 > $S/kprobes-optimization",
		"echo 1 > $S/kprobes_optimization",
		"echo 2 > $S/kprobes-optimization",
		"grep -c ' kprobe_' /proc/kallsyms > /dev/null",
	};
	u32 n = races_below(t, ARRAY_SIZE(commands));
	int ret = shell(commands[n]);

	races_note(t, 14, n);
	atomic_long_inc(&races_world_count[FILES_USED]);
	if (ret && !strstr(commands[n], "$S"))
		races_fault("%s: %d", commands[n], ret);
}

/*
 * The module
 */

static DEFINE_MUTEX(module_mutex);

static void module_comes(struct races_thread *t)
{
	static const char * const failing[] = {
		/* Make the init function fail. */
		"insmod /modules/kprobe_target.ko fail=1",
		/* Parameters are parsed after the notifiers have run. */
		"insmod /modules/kprobe_target.ko fail=what",
		/* A notifier of another module refuses it. */
		"insmod /modules/kprobe_refuse.ko refuse=1 &&"
		" ! insmod /modules/kprobe_target.ko;"
		" ret=$?; rmmod kprobe_refuse; exit $((1 - ret))",
	};
	u32 n = races_below(t, 6);

	if (n < ARRAY_SIZE(failing)) {
		if (!shell(failing[n]))
			races_fault("no failure: %s", failing[n]);
		atomic_long_inc(&races_world_count[MODULE_FAILED]);
		return;
	}
	if (shell("insmod /modules/kprobe_target.ko"))
		races_fault("the module cannot be loaded");
	else
		races_module_there = true;
	shell("cat /sys/module/kprobe_target/parameters/poke > /dev/null");
	atomic_long_inc(&races_world_count[MODULE_LOADED]);
}

/* Retry: it is in use while one of its functions is inspected. */
static void module_goes(void)
{
	if (shell("cat /sys/module/kprobe_target/parameters/poke > /dev/null;"
		  "n=0; until rmmod kprobe_target 2> /dev/null; do"
		  " n=$((n + 1)); [ $n -lt 500 ] || exit 1; done"))
		races_fault("the module cannot be unloaded");
	else
		races_module_there = false;
	atomic_long_inc(&races_world_count[MODULE_GONE]);
}

/* Load or remove the module while no thread runs; return true if done. */
bool races_have_module(bool there)
{
	if (there)
		return !shell("insmod /modules/kprobe_target.ko");
	return !shell("rmmod kprobe_target");
}

void races_op_module(struct races_thread *t)
{
	if (!mutex_trylock(&module_mutex))
		return;
	WRITE_ONCE(races_module_seq, races_module_seq + 1);
	/* Pairs with smp_rmb() in module_was_still(). */
	smp_wmb();
	if (races_module_there)
		module_goes();
	else
		module_comes(t);
	/* Pairs with smp_load_acquire() in view_module(). */
	smp_store_release(&races_module_seq, races_module_seq + 1);
	races_note(t, 15, races_module_there);
	mutex_unlock(&module_mutex);
}

/*
 * CPUs
 */

static DEFINE_MUTEX(cpu_mutex);

void races_op_cpu(struct races_thread *t)
{
	unsigned int cpu = 1 + races_below(t, max(num_present_cpus(), 2U) - 1);
	char command[80];
	bool on;

	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU) || num_present_cpus() == 1 ||
	    !mutex_trylock(&cpu_mutex))
		return;
	on = !cpu_online(cpu);
	snprintf(command, sizeof(command),
		 "echo %d > /sys/devices/system/cpu/cpu%u/online", on, cpu);
	if (shell(command))
		races_fault("failed: %s", command);
	else
		atomic_long_inc(&races_world_count[on ? CPU_ON : CPU_OFF]);
	races_note(t, 16, cpu);
	mutex_unlock(&cpu_mutex);
}

/*
 * Interrupts
 */

#define TICK_NS		700000ULL

struct ticker {
	struct hrtimer timer;
	bool runs;
	unsigned int nr;
};

static DEFINE_PER_CPU(struct ticker, tickers);

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct ticker *ticker = container_of(timer, struct ticker, timer);
	u64 start = ktime_get_ns(), took;

	this_cpu_inc(races_in_irq);
	races_call_shared(ticker->nr++);
	this_cpu_dec(races_in_irq);
	/* Use a quarter of the time at most, however slow the machine is. */
	took = ktime_get_ns() - start;
	hrtimer_forward_now(timer, max(TICK_NS, 4 * took));
	return HRTIMER_RESTART;
}

static void start_tick(void *unused)
{
	struct ticker *ticker = this_cpu_ptr(&tickers);

	hrtimer_setup(&ticker->timer, tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	ticker->runs = true;
	hrtimer_start(&ticker->timer, TICK_NS, HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop_ticks(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ticker *ticker = per_cpu_ptr(&tickers, cpu);

		if (ticker->runs)
			hrtimer_cancel(&ticker->timer);
		ticker->runs = false;
	}
}

int races_world_begin(void)
{
	races_hole = vmalloc(PAGE_SIZE);
	if (!races_hole)
		return -ENOMEM;
	races_hole += PAGE_SIZE;
	set_global = lookup("kprobe_set_global");
	set_jumps = lookup("kprobe_set_jumps");
	on_each_cpu(start_tick, NULL, 1);
	return races_nmi_begin();
}

/* Restore the initial state. */
void races_world_end(void)
{
	int cpu;

	races_nmi_end();
	stop_ticks();
	for_each_present_cpu(cpu) {
		char command[80];

		if (cpu_online(cpu))
			continue;
		snprintf(command, sizeof(command),
			 "echo 1 > /sys/devices/system/cpu/cpu%u/online", cpu);
		shell(command);
	}
	if (races_module_there)
		module_goes();
	if (set_jumps)
		set_jumps(true);
	vfree(races_hole - PAGE_SIZE);
}
