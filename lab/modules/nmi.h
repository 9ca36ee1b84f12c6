/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NMIs for the lab's modules, from one CPU to any.
 *
 * On x86 they are IPIs.  On arm64 they are interrupts of the GIC that no device
 * uses, one for each CPU, with a priority that is not masked.  Interrupts
 * masked by DAIF block them.
 */
#ifndef _LAB_NMI_H
#define _LAB_NMI_H

#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/of.h>
#include <linux/percpu.h>
#include <asm/irq_regs.h>
#ifdef CONFIG_X86
#include <asm/apic.h>
#include <asm/nmi.h>
#endif
#include "lookup.h"

/* Called in an NMI. Return true if this module sent it. */
typedef bool (*take_nmi_t)(struct pt_regs *regs);

static __maybe_unused take_nmi_t take_nmi_here;

#if defined(CONFIG_X86)
static __maybe_unused bool have_nmis(void)
{
	return true;
}

static void send_nmi(unsigned int cpu)
{
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

static int nmi(unsigned int type, struct pt_regs *regs)
{
	return take_nmi_here(regs) ? NMI_HANDLED : NMI_DONE;
}

static int nmis_begin(take_nmi_t take)
{
	take_nmi_here = take;
	return register_nmi_handler(NMI_LOCAL, nmi, 0, KBUILD_MODNAME);
}

static __maybe_unused void nmis_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}
#elif defined(CONFIG_ARM64_PSEUDO_NMI)
/* The first of these interrupts; no device of QEMU's board uses them. */
#define FIRST_SPI	240

static DEFINE_PER_CPU(unsigned int, nmi_irq);
static int (*request)(unsigned int irq, irq_handler_t handler,
		      unsigned long flags, const char *name, void *dev);
static const void *(*release)(unsigned int irq, void *dev);

static __maybe_unused bool have_nmis(void)
{
	return system_uses_irq_prio_masking();
}

static void send_nmi(unsigned int cpu)
{
	WARN_ON(irq_set_irqchip_state(per_cpu(nmi_irq, cpu),
				      IRQCHIP_STATE_PENDING, true));
}

static irqreturn_t nmi(int irq, void *unused)
{
	WARN_ON(irq != __this_cpu_read(nmi_irq));
	return take_nmi_here(get_irq_regs()) ? IRQ_HANDLED : IRQ_NONE;
}

static int begin_on(struct device_node *gic, unsigned int cpu)
{
	struct irq_fwspec spec = {
		.fwnode = of_node_to_fwnode(gic),
		.param_count = 3,
		/* An SPI: the interrupt type is 0. */
		.param = { 0, FIRST_SPI + cpu, IRQ_TYPE_EDGE_RISING },
	};
	unsigned int irq = irq_create_fwspec_mapping(&spec);
	int ret;

	if (!irq)
		return -ENXIO;
	ret = request(irq, nmi, IRQF_PERCPU | IRQF_NO_AUTOEN, KBUILD_MODNAME,
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

static void nmis_end(void)
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

static int nmis_begin(take_nmi_t take)
{
	struct device_node *gic;
	unsigned int cpu;
	int ret = 0;

	take_nmi_here = take;
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
		nmis_end();
	return ret;
}
#else
static __maybe_unused bool have_nmis(void)
{
	return false;
}

static void send_nmi(unsigned int cpu) { }
static int nmis_begin(take_nmi_t take) { return 0; }
static __maybe_unused void nmis_end(void) { }
#endif

#endif /* _LAB_NMI_H */
