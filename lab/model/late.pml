/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU hits a trap: who owns the trap, and is it still there?
 *
 * A debugger writes a trap of its own while there is none of ours, and removes
 * it, with all other CPUs in an NMI; it does not wait for a CPU that has hit
 * the trap but not yet handled it.  Then a probe is registered there, or
 * enabled, on an existing site or on a new one.
 *
 * Invariants: the debugger gets a hit if and only if its trap is there, and
 * never one of our traps.  An instruction that is executed while the probe is
 * enabled calls the handler once.
 *
 * DROP=1	text_poke(): the trap is written after site->target
 * DROP=2	kprobe_reconcile(): site->target before the text
 * DROP=3	kprobe_site_create() before kprobe_patch()
 * DROP=4	kprobe_patch(): site->state after the text
 * DROP=5	trap_is_foreign() for a site that was found at once
 * DROP=6	trap_is_foreign() checks site->target
 * DROP=7	kprobe_int3_handler() reads the text if it finds no site
 * DROP=8	kprobe_int3_handler() looks the site up again
 * DROP=9	smp_rmb() in kprobe_brk_handler(), after reading the text
 */
#define ROUNDS		3

#define FOREIGN		2	/* text: the debugger's trap */
#define NONE		ROUNDS

#define BUCKET		0
#define PRE		1
#define STATE		(PRE + ROUNDS)		/* of each site */
#define TARGET		(STATE + ROUNDS)
#define LOCATIONS	(TARGET + ROUNDS)
#include "machine.pml"

byte armed;			/* the round in which it is armed, or 0 */

/* trap_is_foreign() */
inline ask(site, answer)
{
	answer = mem[STATE + site] == ORIGINAL;
	answer = answer && (DROP == 6 || mem[TARGET + site] == ORIGINAL)
}

/* kprobe_int3_handler() */
active proctype cpu()
{
	byte insn, now, s, early, called, began;
	bool foreign;
end:	do
	:: began = armed;
again:	atomic {
		fetch(0, insn);
		if
		:: insn == ORIGINAL -> goto done
		:: else -> irqs_off = true
		fi
	}
	s = mem[BUCKET];
	if
	:: s != NONE && DROP != 5 -> ask(s, foreign);
		when(foreign, s = NONE)
	:: else
	fi;
	if
	:: s == NONE ->
		early = mem[BUCKET];
		now = text[0];
		if
		:: now == ORIGINAL && DROP != 7 -> irqs_off = false; goto again
		:: else
		fi;
		if
		:: DROP == 8
		:: DROP == 9 -> s = early
		:: else -> s = mem[BUCKET]
		fi;
		foreign = true;
		when(s != NONE, ask(s, foreign));
		if
		:: foreign -> assert(now == FOREIGN); goto done
		:: else
		fi
	:: else
	fi;
	assert(text[0] != FOREIGN);
	called = mem[PRE + s];
done:	assert(!began || began != armed || called == 1);
	d_step {
		insn = 0; now = 0; s = 0; early = 0; foreign = 0;
		called = 0; began = 0; irqs_off = false
	}
	od
}

/* No CPU sees stale text: the other CPUs are in an NMI. */
inline debugger()
{
	if
	:: text[0] = FOREIGN; text[0] = ORIGINAL
	:: true
	fi
}

inline enable()
{
	if
	:: s == NONE -> s = round;
		when(DROP != 3, store(BUCKET, s))
	:: else
	fi;
	barrier(STAYS);
	store(PRE + s, true);
	when(DROP != 2, store(TARGET + s, TRAP));
	poke(0, TRAP, 1);
	when(DROP == 2, store(TARGET + s, TRAP));
	when(DROP == 3, store(BUCKET, s));
	ipi_round(STAYS);
	store(STATE + s, TRAP);
	barrier(STAYS)				/* mutex_unlock() */
}

inline disable()
{
	store(PRE + s, false);
	store(TARGET + s, ORIGINAL);
	when(DROP == 4, store(STATE + s, ORIGINAL));
	poke(0, ORIGINAL, STAYS);
	ipi_round(STAYS);
	store(STATE + s, ORIGINAL);
	if
	:: s = s
	:: store(BUCKET, NONE); s = NONE	/* kprobe_site_drop() */
	fi;
	barrier(STAYS)
}

active proctype user()
{
	byte s = NONE, round;
	mem[BUCKET] = NONE;
	do
	:: round < ROUNDS ->
		debugger();
		enable();
		round++;
		armed = round;
		armed = 0;
		disable()
	:: else -> break
	od
}
