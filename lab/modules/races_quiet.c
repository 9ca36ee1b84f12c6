// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: hits that can be counted exactly.  A thread calls its own
 * function several times, and each probe there must be hit as often, unless all
 * probes were switched concurrently.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include "races.h"

unsigned long races_quiet_checks, races_exact_checks, races_towers;

struct counts {
	unsigned int pre;
	unsigned int post;
	unsigned int faults;
	unsigned long missed;
};

static struct counts count(struct races_probe *p)
{
	return (struct counts){
		.pre = atomic_read(&p->pre),
		.post = atomic_read(&p->post),
		.faults = atomic_read(&p->faults),
		.missed = READ_ONCE(p->kp.nmissed) +
			  (p->kind == RACES_KRETPROBE ?
			   READ_ONCE(p->rp.nmissed) : 0),
	};
}

static bool is_mine(struct races_thread *t, struct races_probe *p)
{
	return p && p->registered && p->place->where == RACES_PRIVATE &&
	       p->place->thread == t->nr;
}

static void compare(struct races_probe *p, const char *what, unsigned int got,
		    unsigned int expected, bool exact)
{
	if (exact ? got == expected : got <= expected)
		return;
	races_fault("%u %s at %pS (kind %u, flags %x), not %s%u", got, what,
		    p->place->addr, p->kind, p->kp.flags,
		    exact ? "" : "at most ", expected);
}

/* @calls is 0 if probes were switched off all the time. */
static void check_probe(struct races_probe *p, struct counts was,
			unsigned int calls, bool exact)
{
	struct counts is = count(p);
	unsigned int pre = 0, post = 0;

	if (p->disabled)
		calls = 0;
	if (p->kind == RACES_KPROBE) {
		pre = p->kp.pre_handler ? calls : 0;
		post = p->kp.post_handler ? calls : 0;
	} else if (p->kind == RACES_KRETPROBE) {
		pre = calls;
		post = p->follows ? calls : 0;
	}
	compare(p, "pre handlers", is.pre - was.pre, pre, exact);
	compare(p, "post handlers", is.post - was.post, post, exact);
	compare(p, "misses", is.missed - was.missed, 0, true);
	if (p->kind == RACES_KPROBE && p->kp.fault_handler &&
	    p->habit == RACES_FAULTS)
		compare(p, "faults", is.faults - was.faults,
			is.pre - was.pre + is.post - was.post, true);
}

void races_op_quiet(struct races_thread *t)
{
	unsigned int calls = 1 + races_below(t, 8), seq, i, jprobes = 0, jhits;
	struct counts was[RACES_PROBES];
	bool exact, on;
	u32 x;

	/* Pairs with the write to it that starts a change. */
	seq = smp_load_acquire(&races_switch_seq);
	on = READ_ONCE(races_switch_on);
	for (i = 0; i < RACES_PROBES; i++) {
		if (!is_mine(t, t->probes[i]))
			continue;
		was[i] = count(t->probes[i]);
		jprobes += t->probes[i]->kind == RACES_JPROBE &&
			   !t->probes[i]->disabled;
	}
	x = races_random(t);
	jhits = races_private_jprobe_hits(t->nr);
	for (i = 0; i < calls; i++)
		races_call_private(t->nr, x + i);
	jhits = races_private_jprobe_hits(t->nr) - jhits;
	/* The hits precede the second read. */
	smp_rmb();
	exact = !(seq & 1) && READ_ONCE(races_switch_seq) == seq;
	if (exact && !on)
		calls = 0;
	for (i = 0; i < RACES_PROBES; i++)
		if (is_mine(t, t->probes[i]))
			check_probe(t->probes[i], was[i], calls, exact);
	if (exact ? jhits != jprobes * calls : jhits > jprobes * calls)
		races_fault("%u hits of %u jprobes by %u calls", jhits,
			    jprobes, calls);
	races_quiet_checks++;
	races_exact_checks += exact;
}

/* Thousands of probes at once, so that the table of sites must grow */

#define TOWER	2048

static DEFINE_MUTEX(tower_mutex);
static struct kprobe *tower[TOWER], *tower_probes;
static atomic_t tower_hits;

static int tower_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&tower_hits);
	return 0;
}

static void call_tower(unsigned int n, const char *when)
{
	unsigned int seq, hits, sum;
	bool on;

	/* Pairs with the write to it that starts a change. */
	seq = smp_load_acquire(&races_switch_seq);
	on = READ_ONCE(races_switch_on);
	atomic_set(&tower_hits, 0);
	sum = races_tower_calls();
	hits = atomic_read(&tower_hits);
	if (sum != TOWER)
		races_fault("the tower is %u, %s", sum, when);
	/* The hits precede the second read. */
	smp_rmb();
	if ((seq & 1) || READ_ONCE(races_switch_seq) != seq)
		return;
	if (hits != (on ? n : 0))
		races_fault("%u hits of %u probes on the tower, %s, switch %d",
			    hits, n, when, on);
}

void races_op_tower(struct races_thread *t)
{
	unsigned int n = TOWER / 8 * (1 + races_below(t, 8)), i;
	unsigned int half = races_below(t, n + 1);
	int ret;

	if (!mutex_trylock(&tower_mutex))
		return;
	tower_probes = kcalloc(n, sizeof(*tower_probes), GFP_KERNEL);
	if (!tower_probes)
		goto out;
	for (i = 0; i < n; i++) {
		tower_probes[i].addr = races_tower_step(i);
		tower_probes[i].pre_handler = tower_pre;
		tower[i] = &tower_probes[i];
	}
	ret = register_kprobes(tower, n);
	races_note(t, 11, ret);
	if (ret) {
		races_fault("%u probes on the tower: %d", n, ret);
		goto out_free;
	}
	call_tower(n, "probed");
	/* Some one by one, and the rest at once. */
	for (i = half; i < min(n, half + 20); i++)
		unregister_kprobe(tower[i]);
	call_tower(n - (i - half), "some removed");
	unregister_kprobes(tower + i, n - i);
	unregister_kprobes(tower, half);
	call_tower(0, "all removed");
	memset(tower_probes, 0x5a, n * sizeof(*tower_probes));
	races_towers++;
out_free:
	kfree(tower_probes);
out:
	mutex_unlock(&tower_mutex);
}
