// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: NMIs, from one CPU to any, in which functions are called.
 * Some of them are called in NMIs only, and all hits there are counted: also
 * those on top of a handler.
 *
 * On x86 they are IPIs.  On arm64 they are interrupts of the GIC that no device
 * has, one for each CPU, with a priority that masking lets through; there are
 * none where interrupts are masked by DAIF.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/kernel.h>
#include <linux/of.h>
#include <linux/percpu.h>
#ifdef CONFIG_X86
#include <asm/apic.h>
#include <asm/nmi.h>
#endif
#include "lookup.h"
#include "races.h"

atomic_long_t races_nmis_sent, races_nmis_on_handlers;

static cpumask_t nmi_pending;
static atomic_t nmis_taken;

/*
 * Functions that are called in NMIs only
 */

static DEFINE_PER_CPU(unsigned int, nmi_hits);
/* What kprobe_running() reads, which is not exported. */
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

/* Called by threads: a probe's handler sends an NMI from there. */
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

/* Three calls of handlers, unless probes are switched meanwhile. */
static void hit_in_nmi(unsigned int x)
{
	unsigned int seq, hits;
	bool on;

	/* Pairs with the write to it that begins a change. */
	seq = smp_load_acquire(&races_switch_seq);
	on = READ_ONCE(races_switch_on);
	hits = this_cpu_read(nmi_hits);
	if (nmi_jump(x) != ((x * 3 + 1) ^ 5) ||
	    nmi_trap(x) != ((x * 5 + 1) ^ 3))
		races_fault("a function that an NMI calls is wrong");
	hits = this_cpu_read(nmi_hits) - hits;
	/* The hits come before it is read again. */
	smp_rmb();
	if ((seq & 1) || READ_ONCE(races_switch_seq) != seq ||
	    !cpu_online(smp_processor_id()))
		return;
	if (hits != (on ? 3 : 0))
		races_fault("%u calls of handlers in an NMI, switch %d, on %ps",
			    hits, on, *this_cpu_ptr(running));
}

/* Return: was it sent from here? */
static bool __maybe_unused take_nmi(void)
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

/*
 * How they are sent
 */

#if defined(CONFIG_X86)
static bool have_nmis(void)
{
	return true;
}

static void send_nmi(unsigned int cpu)
{
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

static int nmi(unsigned int type, struct pt_regs *regs)
{
	return take_nmi() ? NMI_HANDLED : NMI_DONE;
}

static int begin(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi, 0, "kprobe_races");
}

static void end(void)
{
	unregister_nmi_handler(NMI_LOCAL, "kprobe_races");
}
#elif defined(CONFIG_ARM64_PSEUDO_NMI)
/* The first of these interrupts: no device of QEMU's board has them. */
#define FIRST_SPI	240

static DEFINE_PER_CPU(unsigned int, nmi_irq);
static int (*request)(unsigned int irq, irq_handler_t handler,
		      unsigned long flags, const char *name, void *dev);
static const void *(*release)(unsigned int irq, void *dev);

static bool have_nmis(void)
{
	return system_uses_irq_prio_masking();
}

static void send_nmi(unsigned int cpu)
{
	if (irq_set_irqchip_state(per_cpu(nmi_irq, cpu), IRQCHIP_STATE_PENDING,
				  true))
		races_fault("CPU %u cannot be sent an NMI", cpu);
}

static irqreturn_t nmi(int irq, void *unused)
{
	if (irq != __this_cpu_read(nmi_irq))
		races_fault("another CPU's NMI");
	return take_nmi() ? IRQ_HANDLED : IRQ_NONE;
}

static int begin_on(struct device_node *gic, unsigned int cpu)
{
	struct irq_fwspec spec = {
		.fwnode = of_node_to_fwnode(gic),
		.param_count = 3,
		/* An SPI, which is its cell's 0. */
		.param = { 0, FIRST_SPI + cpu, IRQ_TYPE_EDGE_RISING },
	};
	unsigned int irq = irq_create_fwspec_mapping(&spec);
	int ret;

	if (!irq)
		return -ENXIO;
	ret = request(irq, nmi, IRQF_PERCPU | IRQF_NO_AUTOEN, "kprobe_races",
		      &nmi_irq);
	if (ret) {
		irq_dispose_mapping(irq);
		return ret;
	}
	per_cpu(nmi_irq, cpu) = irq;
	ret = irq_set_affinity(irq, cpumask_of(cpu));
	enable_irq(irq);
	return ret;
}

static void end(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (!per_cpu(nmi_irq, cpu))
			continue;
		disable_irq_nosync(per_cpu(nmi_irq, cpu));
		release(per_cpu(nmi_irq, cpu), &nmi_irq);
		irq_dispose_mapping(per_cpu(nmi_irq, cpu));
		per_cpu(nmi_irq, cpu) = 0;
	}
}

static int begin(void)
{
	struct device_node *gic;
	unsigned int cpu;
	int ret = 0;

	request = lookup("request_nmi");
	release = lookup("free_nmi");
	gic = of_find_compatible_node(NULL, NULL, "arm,gic-v3");
	if (!request || !release || !gic)
		return -ENOENT;
	for_each_online_cpu(cpu) {
		ret = begin_on(gic, cpu);
		if (ret)
			break;
	}
	of_node_put(gic);
	if (ret)
		end();
	return ret;
}
#else
static bool have_nmis(void)
{
	return false;
}

static void send_nmi(unsigned int cpu) { }
static int begin(void) { return 0; }
static void end(void) { }
#endif

/* An NMI on top of this handler, unless a breakpoint's exception masks it. */
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

/* Rounds in which one of two CPUs is sent one, if it has taken the last. */
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
	ret = begin();
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
	end();
	unregister_kprobes(nmi_probes, ARRAY_SIZE(nmi_probes));
	if (atomic_read(&nmis_taken) != sent)
		races_fault("%d NMIs taken of %ld", atomic_read(&nmis_taken),
			    sent);
}
