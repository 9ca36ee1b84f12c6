// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: calls that register, remove, enable and disable probes, and
 * the required result of each, given the previous calls of the thread.
 *
 * Each thread has its own probes.  All threads also share some, for which
 * either of two results is correct.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "races.h"

/* Correct results: usually only one. */
struct expected {
	int one;
	int other;
};

static struct expected only(int ret)
{
	return (struct expected){ ret, ret };
}

static struct expected either(int one, int other)
{
	return (struct expected){ one, other };
}

static void judge(const char *call, const struct races_probe *p,
		  struct expected e, int ret)
{
	static const char * const kinds[] = { "kprobe", "kretprobe", "jprobe" };

	if (ret == e.one || ret == e.other)
		return;
	races_fault("%s of a %s at %s %px is %d, not %d or %d (%s%s%s)", call,
		    kinds[p->kind], p->place->symbol ?: "", p->place->addr,
		    ret, e.one, e.other, p->registered ? "registered " : "",
		    p->disabled ? "disabled " : "", p->vague ? "vague" : "");
}

/* The state of the target module before and after a call. */
struct module_view {
	unsigned int seq;
	bool there;
};

static struct module_view view_module(void)
{
	struct module_view v;

	/* Pairs with the write to it that starts a change. */
	v.seq = smp_load_acquire(&races_module_seq);
	v.there = READ_ONCE(races_module_there);
	/* Pairs with the write to races_module_seq that ends a change. */
	smp_rmb();
	return v;
}

static bool module_was_still(struct module_view v)
{
	/* The operations in between precede the second read. */
	smp_rmb();
	return !(v.seq & 1) && READ_ONCE(races_module_seq) == v.seq;
}

static int error_at(const struct races_probe *p)
{
	const struct races_place *place = p->place;

	if (p->kind == RACES_KPROBE && p->kp.post_handler)
		return place->error_post;
	return place->error[p->kind];
}

static struct expected expect_register(const struct races_probe *p,
				       struct module_view v)
{
	int error;

	if (p->registered)
		return only(-EINVAL);
	error = error_at(p);
	if (p->place->where != RACES_MODULE)
		return only(error);
	if (module_was_still(v))
		return only(v.there ? error : -ENOENT);
	return either(error, -ENOENT);
}

static void is_registered(struct races_probe *p, struct module_view v)
{
	p->registered = true;
	p->module_seq = v.seq;
	p->vague = !module_was_still(v);
}

/* A probe of a module that is gone can be disabled, but not enabled. */
static struct expected expect_enable(const struct races_probe *p,
				     struct module_view v, bool on)
{
	if (!p->registered)
		return only(-EINVAL);
	if (p->place->where != RACES_MODULE)
		return only(0);
	if (p->vague || !module_was_still(v))
		return either(0, -EINVAL);
	return only(v.seq == p->module_seq || !on ? 0 : -EINVAL);
}

/* Burials: a removed probe is poisoned, and freed some removals later */

static void bury(struct races_thread *t, struct races_probe *p)
{
	struct races_probe *oldest;

	races_probe_kill(p);
	list_add_tail(&p->grave, &t->graves);
	if (++t->buried <= 2 * RACES_PROBES)
		return;
	oldest = list_first_entry(&t->graves, struct races_probe, grave);
	list_del(&oldest->grave);
	kfree(oldest);
	t->buried--;
}

static void empty_graves(struct races_thread *t)
{
	struct races_probe *p, *next;

	list_for_each_entry_safe(p, next, &t->graves, grave)
		kfree(p);
	INIT_LIST_HEAD(&t->graves);
	t->buried = 0;
}

/*
 * One probe
 */

/* Return an unregistered probe, usually at a place that can be probed. */
static struct races_probe *new_probe(struct races_thread *t,
				     enum races_kind kind)
{
	bool any = !races_below(t, 8);
	int tries;

	for (tries = 0; tries < 100; tries++) {
		const struct races_place *place = races_any_place(t);

		if (races_may_have(place, kind) &&
		    (any || kind == RACES_KPROBE || !place->error[kind]))
			return races_probe_alloc(place, kind, races_random(t));
	}
	return NULL;
}

static enum races_kind any_kind(struct races_thread *t)
{
	u32 n = races_below(t, 8);

	return n < 5 ? RACES_KPROBE : n < 7 ? RACES_KRETPROBE : RACES_JPROBE;
}

static unsigned int any_slot(struct races_thread *t)
{
	return races_below(t, RACES_PROBES);
}

/* Register a probe, and sometimes again, which must be refused. */
void races_op_register(struct races_thread *t)
{
	unsigned int i = any_slot(t);
	struct races_probe *p = t->probes[i];
	struct module_view v;
	int ret;

	if (!p) {
		p = new_probe(t, any_kind(t));
		t->probes[i] = p;
	}
	if (!p)
		return;
	v = view_module();
	ret = races_register(p);
	judge("registering", p, expect_register(p, v), ret);
	races_note(t, 1, ret);
	if (!ret && !p->registered) {
		is_registered(p, v);
	} else if (ret && !p->registered) {
		/* The call has set addr: a retry with symbol and addr fails. */
		t->probes[i] = NULL;
		bury(t, p);
	}
}

static void removed(struct races_thread *t, unsigned int i)
{
	struct races_probe *p = t->probes[i];

	if (!p->registered && p->kp.addr)
		races_fault("removing an unregistered probe leaves addr");
	if (p->kp.nmissed && p->place->where == RACES_PRIVATE)
		races_fault("%lu missed hits at %pS, which has had none on top",
			    p->kp.nmissed, p->place->addr);
	t->probes[i] = NULL;
	bury(t, p);
}

void races_op_unregister(struct races_thread *t)
{
	unsigned int i = any_slot(t);
	struct races_probe *p = t->probes[i];

	if (!p) {
		/* A probe that was never registered. */
		if (races_below(t, 4))
			return;
		p = new_probe(t, any_kind(t));
		t->probes[i] = p;
		if (!p)
			return;
	}
	races_unregister(p);
	races_note(t, 2, p->registered);
	removed(t, i);
}

void races_op_enable(struct races_thread *t)
{
	struct races_probe *p = t->probes[any_slot(t)];
	bool on = races_below(t, 2);
	struct module_view v;
	int ret;

	if (!p)
		return;
	v = view_module();
	if (on)
		WRITE_ONCE(p->off, false);
	ret = races_enable(p, on);
	judge(on ? "enabling" : "disabling", p, expect_enable(p, v, on), ret);
	races_note(t, 3 + on, ret);
	if (!ret)
		p->disabled = !on;
	WRITE_ONCE(p->off, p->disabled);
}

/*
 * Arrays
 */

#define ARRAY	8

/* Fill empty slots with new probes and return their number. */
static int fill_slots(struct races_thread *t, enum races_kind kind,
		      unsigned int *slots)
{
	int n = 1 + races_below(t, ARRAY - 1), found = 0;
	unsigned int i, first = any_slot(t);

	for (i = 0; i < RACES_PROBES && found < n; i++) {
		unsigned int slot = (first + i) % RACES_PROBES;

		if (t->probes[slot])
			continue;
		t->probes[slot] = new_probe(t, kind);
		if (t->probes[slot])
			slots[found++] = slot;
	}
	return found;
}

/*
 * Spoil an array in a quarter of the cases, at any index: by NULL, by a
 * duplicate, or by a registered probe.
 */
static int spoil(struct races_thread *t, enum races_kind kind,
		 struct races_probe **ps, int n)
{
	int at = races_below(t, n);
	unsigned int i;

	switch (races_below(t, 12)) {
	case 0:
		ps[at] = NULL;
		return at;
	case 1:
		if (!at)
			return -1;
		ps[at] = ps[races_below(t, at)];
		return at;
	case 2:
		for (i = 0; i < RACES_PROBES; i++) {
			struct races_probe *p = t->probes[i];

			if (p && p->registered && p->kind == kind) {
				ps[at] = p;
				return at;
			}
		}
	}
	return -1;
}

/* The first bad entry decides, or the module if it changes concurrently. */
static struct expected expect_array(struct races_probe **ps, int n, int spoilt,
				    struct module_view v)
{
	struct expected e = only(0);
	bool moves = false;
	int i;

	for (i = 0; i < n && !e.one; i++) {
		if (i == spoilt) {
			e = only(-EINVAL);
			break;
		}
		e = expect_register(ps[i], v);
		moves |= e.one != e.other;
	}
	return moves ? either(e.one, -ENOENT) : e;
}

void races_op_register_array(struct races_thread *t)
{
	struct races_probe *ps[ARRAY];
	enum races_kind kind = any_kind(t);
	unsigned int slots[ARRAY];
	int n = fill_slots(t, kind, slots), i, ret, spoilt;
	struct races_probe *first;
	struct module_view v;

	if (!n)
		return;
	for (i = 0; i < n; i++)
		ps[i] = t->probes[slots[i]];
	first = ps[0];
	spoilt = spoil(t, kind, ps, n);
	v = view_module();
	ret = races_register_array(ps, kind, n);
	judge("registering an array with one", first,
	      expect_array(ps, n, spoilt, v), ret);
	races_note(t, 5, ret);
	for (i = 0; i < n; i++) {
		struct races_probe *p = t->probes[slots[i]];

		if (!ret) {
			is_registered(p, v);
			continue;
		}
		t->probes[slots[i]] = NULL;
		bury(t, p);
	}
}

void races_op_unregister_array(struct races_thread *t)
{
	struct races_probe *ps[ARRAY];
	enum races_kind kind = any_kind(t);
	unsigned int slots[ARRAY];
	unsigned int i, first = any_slot(t);
	int n = 0, of = 0, at;

	for (i = 0; i < RACES_PROBES && of < ARRAY - 2; i++) {
		unsigned int slot = (first + i) % RACES_PROBES;

		if (t->probes[slot] && t->probes[slot]->kind == kind)
			slots[of++] = slot;
	}
	if (!of)
		return;
	for (at = 0; at < of; at++) {
		if (!races_below(t, 12) && n < ARRAY - 1)
			ps[n++] = NULL;
		ps[n++] = t->probes[slots[at]];
		if (n == ARRAY)
			break;
	}
	of = min(of, at + 1);
	races_unregister_array(ps, kind, n);
	races_note(t, 6, n);
	for (at = 0; at < of; at++)
		removed(t, slots[at]);
}

void races_remove_all(struct races_thread *t)
{
	unsigned int i;

	for (i = 0; i < RACES_PROBES; i++) {
		struct races_probe *p = t->probes[i];

		if (!p)
			continue;
		races_unregister(p);
		removed(t, i);
	}
	empty_graves(t);
}

/* Probes that all threads share */

#define COMMON	6

static struct races_probe *commons[COMMON];
static void *common_addr[COMMON];

int races_common_begin(void)
{
	struct races_thread t = { .nr = RACES_THREADS };
	unsigned int i;

	prandom_seed_state(&t.random, 77);
	for (i = 0; i < COMMON; i++) {
		struct races_probe *p;

		do {
			p = new_probe(&t, i % RACES_KINDS);
			if (!p)
				return -ENOMEM;
			if (p->place->where == RACES_SHARED && !error_at(p))
				break;
			kfree(p);
		} while (true);
		WRITE_ONCE(p->off, false);
		common_addr[i] = p->kp.addr;
		commons[i] = p;
	}
	return 0;
}

/* Each call must return 0 or -EINVAL, whatever it finds. */
void races_op_common(struct races_thread *t)
{
	unsigned int i = races_below(t, COMMON), what = races_below(t, 4);
	struct races_probe *p = commons[i];
	int ret = 0;

	switch (what) {
	case 0:
		/* Another thread may have removed it and cleared addr. */
		WRITE_ONCE(p->kp.addr, common_addr[i]);
		ret = races_register(p);
		break;
	case 1:
		races_unregister(p);
		break;
	default:
		ret = races_enable(p, what & 1);
	}
	judge("a common call", p, either(0, -EINVAL), ret);
	races_note(t, 7 + what, ret);
}

void races_common_end(void)
{
	unsigned int i;

	for (i = 0; i < COMMON; i++) {
		if (!commons[i])
			continue;
		races_unregister(commons[i]);
		races_probe_kill(commons[i]);
		kfree(commons[i]);
		commons[i] = NULL;
	}
}
