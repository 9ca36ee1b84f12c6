/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A breakpoint becomes a jump and is turned back, while a task executes the
 * region: two instructions, at 0 and 1, both covered by the jump.
 *
 * The task may be preempted anywhere, for any time; it switches voluntarily
 * only outside of the region, or for a fault in a slot.  A handler elsewhere
 * may redirect it to 1.  A user registers and unregisters a probe p at 0, and
 * a probe q at 1 that is an obstacle.  The worker makes the jump.
 *
 * Invariants: no CPU executes from the middle of a jump, a freed slot or
 * detour, or an incomplete detour.  A task that enters the region while q is
 * registered hits q's trap.
 *
 * DROP=1	smp_store_release() in arch_kprobe_use_detour()
 * DROP=2	arch_kprobe_use_detour(site, true) in prepare_jump()
 * DROP=3	synchronize_rcu_tasks() in opt_worker()
 * DROP=4	kprobe_optimizer_cancel() in reconcile_jumps()
 * DROP=5	opt_consider_one(): a site that was cancelled starts over
 * DROP=6	leave_detours() in kprobe_patch()
 * DROP=7	detour_copy_in_use(): insn->run is read before site->state
 * DROP=8	kprobe_patch(): kprobe_site_set_state() after the text
 * DROP=9	arch_kprobe_patch(): patch_jumps() before patch_traps()
 * DROP=10	kprobe_regs_leave_slot() for a fault in a slot
 * DROP=11	synchronize_rcu_tasks() in site_retire_worker()
 */
#define PLACES		2
#define JUMP		2	/* text at 0, and the state of that name */
#define POKE		3	/* text at 0: a trap of text_poke_bp() */
#define OPERAND		4	/* text at 1: the rest of a jump */

#define BUILT		0	/* locations: the detour's text */
#define RUN		1	/* insn->run: the detour, or the slot? */
#define STATE		2
#define LOCATIONS	3
#include "machine.pml"

bool mutex;			/* kprobe_mutex */
mtype = { nowhere, queue, waiting_gp };
mtype list = nowhere;		/* the optimizer's list with the site */
bool uses_detour;		/* site->trap_uses_detour */
byte site_state;		/* site->state, under the mutex */
bool found, freed;		/* site in the table; its slots freed */
bool gp[2];			/* two waits of RCU-tasks for the task */
bool q_there, q_registered;	/* q's trap is wanted; is present */
bool under_q;			/* the task began when q was registered */

#include "region.pml"

#define lock()		atomic { !mutex -> mutex = true }
#define unlock()	barrier(STAYS); mutex = false

inline synchronize_rcu_tasks(who, drop)
{
	when(DROP != drop, gp[who] = true; !gp[who])
}

inline set_state(state)
{
	d_step { site_state = state };
	store(STATE, state)
}

/* x86_kprobe_queue_jump(), text_poke_finish() */
inline patch_jump(head, rest)
{
	poke(0, POKE, STAYS); ipi_round(STAYS);
	poke(1, rest, STAYS); ipi_round(STAYS);
	poke(0, head, STAYS); ipi_round(STAYS)
}

inline consider()
{
	if
	:: site_state == TRAP && list == nowhere && !q_there ->
		if
		:: DROP != 5 || !mem[BUILT] -> list = queue
		:: else -> use_detour(); list = waiting_gp
		fi
	:: else
	fi
}

inline use_detour()
{
	barrier(1);
	when(DROP != 2, store(RUN, true));
	uses_detour = true
}

inline cancel(drop)
{
	if
	:: DROP == drop
	:: else -> list = nowhere;
		when(uses_detour, store(RUN, false); uses_detour = false)
	fi
}

active proctype worker()
{
end:	do
	:: list == queue ->
		lock();
		if
		:: list == queue -> list = nowhere;	/* prepare_jump() */
			if
			:: site_state == TRAP && !q_there ->
				store(BUILT, true);
				use_detour();
				list = waiting_gp
			:: else
			fi
		:: else
		fi;
		unlock();
		synchronize_rcu_tasks(0, 3);
		lock();
		if
		:: list == waiting_gp -> list = nowhere;
			/* opt_wants_jump() */
			assert(site_state == TRAP && uses_detour && !q_there);
			uses_detour = false;
			patch_jump(JUMP, OPERAND);
			set_state(JUMP)
		:: else
		fi;
		unlock()
	od
}

/* kprobe_patch(): to a state of p's site, and the text at 1 */
inline patch(state, rest)
{
	was = site_state;
	when(was == JUMP && DROP != 6, store(RUN, false)); /* leave_detours() */
	when(DROP == 8, set_state(state));
	when(DROP == 9, poke(1, rest, STAYS));
	if
	:: was == JUMP -> patch_jump(state, ORIGINAL)
	:: was != JUMP && was != state -> poke(0, state, STAYS)
	:: else
	fi;
	when(text[1] != rest, poke(1, rest, STAYS));
	ipi_round(STAYS);
	set_state(state)
}

active proctype user()
{
	byte was;
	found = true;
	do
	:: site_state == ORIGINAL -> lock();	/* enable p */
		patch(TRAP, (q_there -> TRAP : ORIGINAL));
		consider();
		unlock()
	:: site_state != ORIGINAL -> lock();	/* disable it */
		cancel(STAYS);
		patch(ORIGINAL, (q_there -> TRAP : ORIGINAL));
		unlock()
	:: !q_there -> lock();			/* register q */
		q_there = true;
		cancel(4);
		patch((site_state -> TRAP : ORIGINAL), TRAP);
		unlock();
		q_registered = true
	:: q_there -> d_step { q_registered = false; under_q = false };
		lock();
		patch(site_state, ORIGINAL);
		q_there = false;
		consider();
		unlock()
	:: break
	od;
	lock();					/* unregister p */
	cancel(STAYS);
	patch(ORIGINAL, (q_there -> TRAP : ORIGINAL));
	found = false;
	unlock();
	synchronize_rcu_tasks(1, 11);		/* site_retire_worker() */
	freed = true
}
