/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Weakly ordered memory, and a CPU's text, for models that include this file.
 *
 * One store at a time may wait in a buffer while later ones pass it, so any
 * two stores between barriers may be seen in either order.  One buffer
 * suffices, because all relevant stores hold kprobe_mutex.  Loads are ordered
 * by dependencies and exceptions; a model marks each load that may execute
 * early.  LOCATIONS is the number of words.
 *
 * The last argument of a step is the DROP that leaves it out; STAYS marks
 * steps that are in no list.
 */
#include "drop.pml"

#define STAYS		255
#define NOWHERE		255

byte mem[LOCATIONS];
byte held_at = NOWHERE;
byte held;

/* WRITE_ONCE() */
inline store(at, value)
{
	atomic {
		if
		:: held_at == NOWHERE -> held_at = at; held = value
		:: held_at != at -> mem[at] = value
		:: held_at == at -> held = value
		fi
	}
}

/* smp_mb(), and the barrier before the store of smp_store_release() */
inline barrier(drop)
{
	DROP == drop || held_at == NOWHERE
}

/* A buffered store reaches memory eventually. */
active proctype buffer()
{
end:	do
	:: d_step {
		held_at != NOWHERE ->
		mem[held_at] = held;
		held_at = NOWHERE
	}
	od
}

/* CPUs may fetch the previous text until they take an IPI. */
#ifndef PLACES
#define PLACES		1
#endif
#define ORIGINAL	0
#define TRAP		1

byte text[PLACES], text_before[PLACES];
bool stale[PLACES];
bool ipi, irqs_off, in_nmi;

inline fetch(place, insn)
{
	if
	:: insn = text[place]
	:: stale[place] -> insn = text_before[place]
	fi
}

/* text_poke() */
inline poke(place, new, drop)
{
	barrier(drop);
	d_step {
		text_before[place] = text[place];
		text[place] = new;
		stale[place] = true
	}
}

/* on_each_cpu(), text_poke_sync(): the CPU takes the IPI eventually. */
inline ipi_round(drop)
{
	when(DROP != drop, barrier(STAYS); ipi = true; !ipi)
}

active proctype irq() provided (!in_nmi)
{
end:	do
	:: d_step {
		ipi && !irqs_off ->
		ipi = false;
		stale[0] = false;
		stale[PLACES - 1] = false
	}
	od
}
