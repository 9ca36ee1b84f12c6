// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: probes of all kinds, and their handlers, which report calls
 * for a removed or disabled probe.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "races.h"

atomic_t races_broken;
atomic_long_t races_thread_hits, races_irq_hits, races_nmi_hits;

static_assert(!offsetof(struct kretprobe, kp));
static_assert(!offsetof(struct jprobe, kp));

/* in_nmi() is set in breakpoints, and in_hardirq() in NMIs: count instead. */
DEFINE_PER_CPU(unsigned int, races_in_irq);
DEFINE_PER_CPU(unsigned int, races_in_nmi);

static void count_context(void)
{
	if (this_cpu_read(races_in_nmi))
		atomic_long_inc(&races_nmi_hits);
	else if (this_cpu_read(races_in_irq))
		atomic_long_inc(&races_irq_hits);
	else
		atomic_long_inc(&races_thread_hits);
}

/* The guard page after an area of vmalloc(). */
void *races_hole;

static noinline void fault_once(void)
{
	long x;

	pagefault_disable();
	__get_kernel_nofault(&x, races_hole, long, failed);
	races_fault("a guard page can be read: %lx", x);
failed:
	pagefault_enable();
}

static void behave(struct races_probe *p)
{
	switch (p->habit) {
	case RACES_RECURSES:
		races_call_shared(p->module_seq + 3);
		break;
	case RACES_FAULTS:
		fault_once();
		break;
	case RACES_DELAYS:
		udelay(5);
		break;
	default:
		break;
	}
}

static bool is_alive(struct races_probe *p, const char *handler)
{
	unsigned long alive = READ_ONCE(p->alive);

	if (alive != RACES_ALIVE)
		races_fault("a removed probe's %s handler runs: %lx", handler,
			    alive);
	return alive == RACES_ALIVE;
}

static void called(struct races_probe *p, const char *handler, atomic_t *count)
{
	if (!is_alive(p, handler))
		return;
	if (READ_ONCE(p->off))
		races_fault("a disabled probe's %s handler runs, at %pS",
			    handler, p->kp.addr);
	atomic_inc(count);
	count_context();
	behave(p);
}

static int races_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct races_probe *p = container_of(kp, struct races_probe, kp);

	called(p, "pre", &p->pre);
	return 0;
}

static void races_post(struct kprobe *kp, struct pt_regs *regs,
		       unsigned long flags)
{
	struct races_probe *p = container_of(kp, struct races_probe, kp);

	called(p, "post", &p->post);
}

/* Count the fault, and leave it to the kernel's own fix-up. */
static int races_mend(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	struct races_probe *p = container_of(kp, struct races_probe, kp);

	if (is_alive(p, "fault"))
		atomic_inc(&p->faults);
	return 0;
}

/* The data is private to a call: its entry sets every byte. */
static int races_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct races_probe *p = container_of(rp, struct races_probe, rp);

	called(p, "entry", &p->pre);
	memset(ri->data, 0xa7, rp->data_size);
	return !p->follows;
}

/* Calls that were followed before disabling are followed to their end. */
static int races_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct races_probe *p = container_of(rp, struct races_probe, rp);

	if (!is_alive(p, "return"))
		return 0;
	if (memchr_inv(ri->data, 0xa7, rp->data_size))
		races_fault("a call's data are not its own");
	atomic_inc(&p->post);
	count_context();
	behave(p);
	return 0;
}

static void set_kprobe(struct races_probe *p, u32 random)
{
	p->kp.pre_handler = random & 3 ? races_pre : NULL;
	p->kp.post_handler = random & 4 ? races_post : NULL;
	p->kp.fault_handler = random & 8 ? races_mend : NULL;
}

static void set_kretprobe(struct races_probe *p, u32 random)
{
	static const int actives[] = { 0, -1, 1, 2, 64, 0, -1, 3 };

	p->rp.handler = races_return;
	p->rp.entry_handler = races_entry;
	p->follows = random & 7;
	p->rp.maxactive = actives[(random >> 3) & 7];
	p->rp.data_size = (random >> 6) & 63;
}

/**
 * races_probe_alloc - allocate an unregistered probe
 * @place: its place
 * @kind: its kind
 * @random: decides everything else
 */
struct races_probe *races_probe_alloc(const struct races_place *place,
				      enum races_kind kind, u32 random)
{
	struct races_probe *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->kind = kind;
	p->place = place;
	p->kp.addr = place->addr;
	p->kp.symbol_name = place->symbol;
	if (!(random & 0x70000))
		p->kp.flags = KPROBE_FLAG_DISABLED;
	p->disabled = p->kp.flags;
	WRITE_ONCE(p->off, p->disabled);
	/* In the kernel, counting is enough load. */
	if (place->where != RACES_KERNEL)
		p->habit = (random >> 20) & 7;
	if (kind == RACES_KPROBE)
		set_kprobe(p, random);
	else if (kind == RACES_KRETPROBE)
		set_kretprobe(p, random);
	else
		p->jp.entry = races_jprobe_entry(place);
	WRITE_ONCE(p->alive, RACES_ALIVE);
	return p;
}

/* Report handlers of an unregistered probe that still run. */
void races_probe_kill(struct races_probe *p)
{
	struct list_head grave = p->grave;

	memset(p, 0x5a, sizeof(*p));
	p->grave = grave;
}

int races_register(struct races_probe *p)
{
	switch (p->kind) {
	case RACES_KRETPROBE:
		return register_kretprobe(&p->rp);
	case RACES_JPROBE:
		return register_jprobe(&p->jp);
	default:
		return register_kprobe(&p->kp);
	}
}

void races_unregister(struct races_probe *p)
{
	switch (p->kind) {
	case RACES_KRETPROBE:
		unregister_kretprobe(&p->rp);
		break;
	case RACES_JPROBE:
		unregister_jprobe(&p->jp);
		break;
	default:
		unregister_kprobe(&p->kp);
	}
}

int races_enable(struct races_probe *p, bool on)
{
	switch (p->kind) {
	case RACES_KRETPROBE:
		return on ? enable_kretprobe(&p->rp) :
			    disable_kretprobe(&p->rp);
	case RACES_JPROBE:
		return on ? enable_jprobe(&p->jp) : disable_jprobe(&p->jp);
	default:
		return on ? enable_kprobe(&p->kp) : disable_kprobe(&p->kp);
	}
}

/* All are of one kind; a pointer to any member is valid for all three. */
int races_register_array(struct races_probe **ps, enum races_kind kind, int n)
{
	switch (kind) {
	case RACES_KRETPROBE:
		return register_kretprobes((struct kretprobe **)ps, n);
	case RACES_JPROBE:
		return register_jprobes((struct jprobe **)ps, n);
	default:
		return register_kprobes((struct kprobe **)ps, n);
	}
}

void races_unregister_array(struct races_probe **ps, enum races_kind kind,
			    int n)
{
	switch (kind) {
	case RACES_KRETPROBE:
		unregister_kretprobes((struct kretprobe **)ps, n);
		break;
	case RACES_JPROBE:
		unregister_jprobes((struct jprobe **)ps, n);
		break;
	default:
		unregister_kprobes((struct kprobe **)ps, n);
	}
}
