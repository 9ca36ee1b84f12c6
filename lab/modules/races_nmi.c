// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: NMIs, from one CPU to any, in which functions are called.
 * Some functions are called in NMIs only, and all hits there are counted,
 * including those on top of a handler.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include "lookup.h"
#include "nmi.h"
#include "races.h"

atomic_long_t races_nmis_sent, races_nmis_on_handlers;

static cpumask_t nmi_pending;
static atomic_t nmis_taken;

/*
 * Functions that are called in NMIs only
 */

static DEFINE_PER_CPU(unsigned int, nmi_hits);
/* The variable that kprobe_running() reads; it is not exported. */
static struct kprobe * __percpu *running;

static int nmi_pre(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(nmi_hits);
	return 0;
}

static void nmi_post(struct kprobe *p, struct pt_regs *regs,
		     unsigned long flags)
{
	this_cpu_inc(nmi_hits);
}

static noinline __noclone unsigned int nmi_jump(unsigned int x)
{
	OPTIMIZER_HIDE_VAR(x);
	x = x * 3 + 1;
	OPTIMIZER_HIDE_VAR(x);
	return x ^ 5;
}

static noinline __noclone unsigned int nmi_trap(unsigned int x)
{
	OPTIMIZER_HIDE_VAR(x);
	x = x * 5 + 1;
	OPTIMIZER_HIDE_VAR(x);
	return x ^ 3;
}

/* Called by threads; the probe's handler there sends an NMI. */
static noinline __noclone unsigned int nmi_sender(unsigned int x)
{
	OPTIMIZER_HIDE_VAR(x);
	x = x * 7 + 1;
	OPTIMIZER_HIDE_VAR(x);
	return x ^ 7;
}

static int nmi_sends(struct kprobe *p, struct pt_regs *regs);

/* With a post handler it stays a breakpoint. */
static struct kprobe jump_probe = {
	.addr = (kprobe_opcode_t *)nmi_jump, .pre_handler = nmi_pre,
};

static struct kprobe trap_probe = {
	.addr = (kprobe_opcode_t *)nmi_trap, .pre_handler = nmi_pre,
	.post_handler = nmi_post,
};

static struct kprobe sender_probe = {
	.addr = (kprobe_opcode_t *)nmi_sender, .pre_handler = nmi_sends,
};

static struct kprobe *nmi_probes[] = {
	&jump_probe, &trap_probe, &sender_probe,
};

/* Expect three calls of handlers, unless probes are switched concurrently. */
static void hit_in_nmi(unsigned int x)
{
	unsigned int seq, hits;
	bool on;

	/* Pairs with the write to it that starts a change. */
	seq = smp_load_acquire(&races_switch_seq);
	on = READ_ONCE(races_switch_on);
	hits = this_cpu_read(nmi_hits);
	if (nmi_jump(x) != ((x * 3 + 1) ^ 5) ||
	    nmi_trap(x) != ((x * 5 + 1) ^ 3))
		races_fault("a function that an NMI calls is wrong");
	hits = this_cpu_read(nmi_hits) - hits;
	/* The hits precede the second read. */
	smp_rmb();
	if ((seq & 1) || READ_ONCE(races_switch_seq) != seq ||
	    !cpu_online(smp_processor_id()))
		return;
	if (hits != (on ? 3 : 0))
		races_fault("%u calls of handlers in an NMI, switch %d, on %ps",
			    hits, on, *this_cpu_ptr(running));
}

static bool take_nmi(struct pt_regs *regs)
{
	if (!cpumask_test_and_clear_cpu(smp_processor_id(), &nmi_pending))
		return false;
	if (!in_nmi())
		races_fault("an NMI is none");
	atomic_inc(&nmis_taken);
	if (*this_cpu_ptr(running))
		atomic_long_inc(&races_nmis_on_handlers);
	this_cpu_inc(races_in_nmi);
	hit_in_nmi(atomic_read(&nmis_taken));
	races_call_shared(atomic_read(&nmis_taken));
	this_cpu_dec(races_in_nmi);
	return true;
}

/* Send an NMI on top of this handler, unless its exception masks NMIs. */
static int nmi_sends(struct kprobe *p, struct pt_regs *regs)
{
	unsigned int cpu = smp_processor_id(), i;

	if (cpumask_test_and_set_cpu(cpu, &nmi_pending))
		return 0;
	send_nmi(cpu);
	atomic_long_inc(&races_nmis_sent);
	for (i = 0; i < 1000 && cpumask_test_cpu(cpu, &nmi_pending); i++)
		cpu_relax();
	return 0;
}

/* In rounds, send an NMI to half of the CPUs that have taken the last one. */
void races_op_nmi(struct races_thread *t)
{
	unsigned int cpu, rounds = 1 + races_below(t, 32);

	if (!have_nmis())
		return;
	cpus_read_lock();
	while (rounds--) {
		for_each_online_cpu(cpu) {
			if (races_below(t, 2) ||
			    cpumask_test_and_set_cpu(cpu, &nmi_pending))
				continue;
			send_nmi(cpu);
			atomic_long_inc(&races_nmis_sent);
		}
		udelay(races_below(t, 100));
		if (nmi_sender(rounds) != ((rounds * 7 + 1) ^ 7))
			races_fault("a function that sends an NMI is wrong");
	}
	cpus_read_unlock();
	races_note(t, 17, 0);
}

static bool begun;

int races_nmi_begin(void)
{
	int ret;

	if (!have_nmis())
		return 0;
	running = (struct kprobe * __percpu *)lookup("current_kprobe");
	if (!running)
		return -ENOENT;
	ret = register_kprobes(nmi_probes, ARRAY_SIZE(nmi_probes));
	if (ret)
		return ret;
	ret = nmis_begin(take_nmi);
	if (ret)
		unregister_kprobes(nmi_probes, ARRAY_SIZE(nmi_probes));
	begun = !ret;
	return ret;
}

void races_nmi_end(void)
{
	long sent = atomic_long_read(&races_nmis_sent);

	if (!begun)
		return;
	msleep(100);
	nmis_end();
	unregister_kprobes(nmi_probes, ARRAY_SIZE(nmi_probes));
	if (atomic_read(&nmis_taken) != sent)
		races_fault("%d NMIs taken of %ld", atomic_read(&nmis_taken),
			    sent);
}
