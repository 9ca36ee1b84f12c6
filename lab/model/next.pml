/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A site of ftrace's call moves from the next instruction to ftrace; see the
 * head of kernel/kprobes/ftrace.c.
 *
 * A hit passes the call, which ftrace's filter may have enabled, and then the
 * next instruction.  It cannot be preempted in between.  A hit that ftrace
 * drops takes the same steps, but is counted instead of handled.  CPUs see a
 * change of text at once: the numbered list does not depend on when an IPI
 * arrives, because the state changes after the last one.
 *
 * Invariant: each hit is handled once or counted once.
 *
 * DROP=1	kprobe_ftrace_hit_slow() continues at the copy
 * DROP=2	kprobe_ftrace_arm() adds to the filter before it sets site->ftrace
 * DROP=3	reconcile_restore_next() waits for a grace period
 * DROP=4	reconcile_restore_next() restores the text after site->ftrace is set
 * DROP=5	reconcile_restore_next() ends the move after the text is restored
 * DROP=6	kprobe_ftrace_dropped() continues at the copy; instead, it counts
 *		only hits that the text does not handle any more
 */
#ifndef DROP
#define DROP	0
#endif

#define CPUS	2
#define HITS	3

#define when(condition, action)	if :: condition -> action :: else fi

#define NONE	0		/* site->ftrace */
#define MOVING	1
#define MOVED	2

bool filter, trap = true, armed = true;
byte ftrace = NONE;
bool in_hit[CPUS];
byte hits[CPUS];

active [CPUS] proctype cpu()
{
	byte handled, now;
	bool copy, dropped;

	do
	:: hits[_pid] < HITS ->
		atomic { in_hit[_pid] = true; handled = 0 }
		if
		:: filter ->
			/* One load decides; the state is read later. */
			now = ftrace;
			if
			:: dropped = false
			:: dropped = true
			fi;
			if
			:: now != NONE && dropped && DROP == 6 ->
				copy = false;
				when(now == MOVED || !armed, handled++)
			:: now != NONE && !(dropped && DROP == 6) ->
				handled++;
				copy = false;
				when(now == MOVING && DROP != 1, copy = armed)
			:: else -> copy = false
			fi
		:: else -> copy = false
		fi;
		when(!copy && trap, handled++);
		assert(handled == 1);
		atomic { in_hit[_pid] = false; hits[_pid]++ }
	:: else -> break
	od
}

inline grace_period()
{
	n = 0;
	do
	:: n < CPUS ->
		before = hits[n];
		(!in_hit[n] || hits[n] != before);
		n++
	:: else -> break
	od
}

inline restore_text()
{
	trap = false;
	armed = false
}

active proctype mover()
{
	byte n, before;

	when(DROP == 4, restore_text());
	when(DROP != 2, filter = true);
	ftrace = MOVING;
	when(DROP != 3, grace_period());
	when(DROP == 5, ftrace = MOVED);
	when(DROP != 4, restore_text());
	ftrace = MOVED;
	when(DROP == 2, filter = true)
}
