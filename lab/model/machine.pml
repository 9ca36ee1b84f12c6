/*
 * For models of text and memory: weakly ordered memory, and a CPU's text.
 *
 * One store at a time may wait in a buffer while later ones pass it, so any
 * two stores between barriers are seen in either order.  All stores that
 * matter here are made under kprobe_mutex: one buffer does.  Loads are in
 * order, as dependencies and exceptions keep them; a model says where it lets
 * one come early.  LOCATIONS is how many words there are.
 *
 * The last argument of a step is the DROP that leaves it out; STAYS is for
 * those that are in no list.
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

/* smp_mb(), and what comes before the store of smp_store_release() */
inline barrier(drop)
{
	DROP == drop || held_at == NOWHERE
}

/* What the buffer holds reaches memory some time. */
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

/* Text, of which CPUs may fetch what was there before until they take an IPI */
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

/* on_each_cpu(), text_poke_sync(): the CPU takes it some time. */
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
