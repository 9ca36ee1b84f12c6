/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe p is registered and unregistered while a CPU hits it: in a task, when
 * idle and not watched by RCU, and in NMIs on top of p's handler.
 *
 * p is registered several times: on a site of its own, whose trap is written
 * and removed with p, or on one where another probe keeps the trap.  Its user
 * frees p at once.
 *
 * Invariants: after unregister_kprobe() returns, no handler of p runs, and p is
 * not read.  An instruction that is executed while p is registered calls its
 * handler once.  A trap of ours finds its site; no hit accesses a site that has
 * left the table.  (late.pml covers traps that are not ours.)
 *
 * DROP=1	smp_store_release() in kprobe_site_activate()
 * DROP=2	text_poke_sync() in patch_traps(), for a new trap
 * DROP=3	the same, for a removed trap
 * DROP=4	on_each_cpu_cond() in kprobe_wait_for_handlers()
 * DROP=5	smp_mb() in kprobe_wait_for_handlers()
 * DROP=6	kprobe_rcu_enter() in kprobe_site_pre_slow()
 * DROP=7	its order: RCU watches before the handlers are looked up
 * DROP=8	kprobes_detach(): kprobe_site_deactivate() before the IPIs
 * DROP=9	interrupts off from the trap to the last handler: gate of int3
 * DROP=10	kprobes_detach(): kprobe_site_drop() after the IPIs
 */
#define ROUNDS		2
#define NONE		ROUNDS	/* no site; sites are 0, 1, ... */

#define BUCKET		0	/* locations: the table's one bucket */
#define P_FIELDS	1	/* p->run_pre and so on */
#define PRE		2	/* for each site, site->pre: is it p? */
#define LOCATIONS	(PRE + ROUNDS)
#include "machine.pml"

bool watched = true;		/* RCU watches the CPU */
bool shared;			/* another probe keeps the trap */
bool p_live;			/* p may be read, and its handlers may run */
byte registered;		/* the round in which p is registered, or 0 */
bool site_live[ROUNDS];

/* Execute the instruction once: in place, or by a trap. */
inline execute(insn, s, pre, watched_before, called, began)
{
	atomic {
		began = registered;
		fetch(0, insn);
		if
		:: insn == ORIGINAL -> goto done
		:: else -> watched_before = watched; irqs_off = DROP != 9
		fi
	}
	when(DROP == 7, pre = mem[PRE]);
	watched = watched || DROP != 6;		/* kprobe_rcu_enter() */
	s = mem[BUCKET];			/* kprobe_site_find() */
	assert(s != NONE && site_live[s]);
	when(DROP != 7, pre = mem[PRE + s]);	/* kprobe_first_pre() */
	if
	:: pre ->				/* kprobe_call_pre() */
		assert(p_live && mem[P_FIELDS]);
		called++;
		assert(p_live)			/* reads p->pre_next */
	:: else
	fi;
	d_step { watched = watched_before; irqs_off = false }
done:	assert(!began || began != registered || called == 1);
	d_step {
		insn = 0; s = 0; pre = 0; called = 0; began = 0;
		watched_before = 0
	}
}

active proctype cpu() provided (!in_nmi)
{
	byte insn, s, pre, watched_before, called, began;
end:	do
	:: execute(insn, s, pre, watched_before, called, began)
	:: watched = !watched		/* idle or not; fully ordered */
	od
}

active proctype nmi()
{
	byte insn, s, pre, watched_before, irqs, called, began;
end:	do
	:: d_step { !in_nmi -> in_nmi = true; irqs = irqs_off }
		execute(insn, s, pre, watched_before, called, began);
		d_step { in_nmi = false; irqs_off = irqs; irqs = 0 }
	od
}

inline register()
{
	p_live = true;
	store(P_FIELDS, true);
	when(!shared, s = round; site_live[s] = true; store(BUCKET, s));
	barrier(1);
	store(PRE + s, true);			/* kprobe_site_activate() */
	when(!shared, poke(0, TRAP, STAYS); ipi_round(2));
	barrier(STAYS)				/* mutex_unlock() */
}

inline wait_for_handlers()
{
	barrier(5);
	when(watched, ipi_round(4))		/* kprobe_cpu_watched() */
}

/* kprobe_site_drop() */
inline drop_site()
{
	store(BUCKET, NONE);
	site_live[s] = false
}

inline unregister()
{
	when(DROP != 8, store(PRE + s, false));	/* kprobe_site_deactivate() */
	if
	:: shared -> wait_for_handlers()
	:: else ->
		when(DROP == 10, drop_site());
		poke(0, ORIGINAL, STAYS); ipi_round(3);
		drop_site()
	fi;
	store(PRE + s, false);
	p_live = false;				/* its user frees it ... */
	mem[P_FIELDS] = false			/* ... and uses the memory */
}

active proctype user()
{
	byte s, round;
	atomic {
		mem[BUCKET] = NONE;
		if
		:: shared = true; text[0] = TRAP; mem[BUCKET] = 0;
			site_live[0] = true
		:: true
		fi
	}
	do
	:: round < ROUNDS ->
		register();
		round++;
		registered = round;
		registered = 0;
		unregister()
	:: else -> break
	od
}
