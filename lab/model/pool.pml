/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Free instances of a return probe are taken and put back.
 *
 * Each CPU has one cached instance and a list of more, under a trylock;
 * instances that return while the list is locked are put on an overflow list.
 * One CPU follows up to two calls, another one call; there are three instances.
 *
 * Invariants: no instance is given to two calls, and none is lost.  An entry
 * misses only if there were more calls than instances, itself included, while
 * it searched.  (More CPUs add one more case, and the code gives up after some
 * rounds: see pool.c.)
 *
 * DROP=1	list_trylock()
 * DROP=2	xchg() in pool_take_cached() and list_take()
 * DROP=3	kretprobe_pool_put_list(): the overflow
 * DROP=4	kretprobe_pool_scavenge(): pool_collect()
 * DROP=5	list_take(): a locked list makes the result unsure
 * DROP=6	kretprobe_pool_scavenge(): checks if another CPU moves overflow
 * DROP=7	kretprobe_pool_scavenge(): checks if another CPU has moved it
 */
#include "drop.pml"
#ifndef CPUS
#define CPUS		2
#define INSTANCES	3
#endif
#define NONE		INSTANCES
#define me		_pid	/* the CPU */

byte cached[CPUS] = NONE, first[CPUS] = NONE, next[INSTANCES] = NONE;
byte overflow = NONE;
bool locked[CPUS];
byte moving, ready;
bool moved[CPUS];		/* since that CPU's scan began */

bool given[INSTANCES];
byte calls;			/* from an entry to its instance's return */
bool excused[CPUS];		/* that CPU's entry may find none */

inline excuse(cond)
{
	for (i : 0 .. CPUS - 1) {
		excused[i] = excused[i] || cond
	}
}

inline trylock(c)
{
	d_step {
		got = !locked[c] || DROP == 1;
		locked[c] = true
	}
}

/* xchg(&list->cached, NULL) */
inline take_cached(c)
{
	if
	:: DROP != 2 -> d_step { ri = cached[c]; cached[c] = NONE }
	:: else -> ri = cached[c]; cached[c] = NONE
	fi
}

inline list_take(c)
{
	take_cached(c);
	if
	:: ri == NONE && first[c] == NONE ->
		sure = sure && (!locked[c] || DROP == 5)
	:: ri == NONE && first[c] != NONE -> trylock(c);
		if
		:: got -> ri = first[c];
			when(ri != NONE, first[c] = next[ri]);
			locked[c] = false
		:: else -> sure = DROP == 5
		fi
	:: else
	fi
}

/* kretprobe_pool_put_list() */
inline put_list(i)
{
	trylock(me);
	if
	:: got -> next[i] = first[me];
		first[me] = i;
		locked[me] = false
	:: !got && DROP != 3 -> d_step { next[i] = overflow; overflow = i }
	:: else
	fi
}

/* try_cmpxchg() is for NMIs: another CPU only takes the instance. */
inline pool_put(i)
{
	given[i] = false;
	if
	:: atomic { cached[me] == NONE -> cached[me] = i }
	:: atomic { cached[me] != NONE -> skip }
		put_list(i)
	fi
}

inline pool_collect()
{
	moving++;
	d_step {
		ri = overflow;
		overflow = NONE;
		if
		:: ri != NONE -> rest = next[ri]
		:: else -> rest = NONE
		fi
	}
	do
	:: rest != NONE -> i = next[rest]; put_list(rest); rest = i
	:: else -> break
	od;
	skip;
	d_step {
		for (i : 0 .. CPUS - 1) {
			moved[i] = true
		}
		moving--
	}
}

/* kretprobe_pool_scavenge() */
inline scavenge()
{
	do
	:: ri == NONE ->
		d_step { sure = true; moved[me] = false; i = 0 }
		do
		:: ri == NONE && i < CPUS -> list_take((me + i) % CPUS); i++
		:: else -> break
		od;
		if
		:: ri == NONE && overflow != NONE && DROP != 4 -> pool_collect()
		:: else
		fi;
		when(ri == NONE && sure && (!moving || DROP == 6) &&
		     (!moved[me] || DROP == 7), break)
	:: else -> break
	od
}

active [CPUS] proctype cpu()
{
	byte ri, rest, i, top = NONE, below = NONE;
	bool got, sure;
	d_step {
		if
		:: me == 0 ->
			for (i : 1 .. INSTANCES - 1) {
				next[i] = i - 1
			}
			first[0] = INSTANCES - 1
		:: else
		fi;
		i = 0;
		ready++
	}
	ready == CPUS;
end:	do
	:: top == NONE || (below == NONE && me == 0) ->	/* an entry */
		d_step {
			calls++;
			excused[me] = false;
			excuse(calls > INSTANCES)
		}
		take_cached(me);
		scavenge();
		skip;
		d_step {
			if
			:: ri == NONE -> assert(excused[me]); calls--
			:: else -> assert(!given[ri]);
				given[ri] = true;
				below = top;
				top = ri
			fi;
			ri = 0; rest = 0; i = 0; got = 0; sure = 0
		}
	:: top != NONE ->			/* a return */
		pool_put(top);
		d_step { top = below; below = NONE; calls--; got = 0 }
	od
}
