/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of sites is walked without locks while sites are added and removed.
 *
 * Sites 0, 1 and 2 share a bucket.  A reader looks for site 0, which is always
 * there; site 2 may be before it.  Sites 1 and 2 are added and removed.  The
 * reader may be delayed for any time; only RCU waits for it.  (More readers
 * would make no difference, because readers do not write.)
 *
 * Invariants: the reader finds site 0, in one walk.  It reaches no site that is
 * freed or incomplete.
 *
 * DROP=1	hlist_add_head_rcu(): the link before the head
 * DROP=2	hlist_del_rcu(): a removed site keeps its link
 * DROP=3	synchronize_rcu() in site_retire_worker()
 * DROP=4	kprobe_site_drop(): kprobe_retire() after the removal
 */
#define SITES		3
#define NONE		SITES
#ifndef STEPS
#define STEPS		8	/* changes of the table */
#endif

#define CHAIN(s)	(s)			/* site->chain.next */
#define COMPLETE(s)	(SITES + (s))		/* the other fields of a site */
#define BUCKET		(2 * SITES)
#define LOCATIONS	(BUCKET + 1)
#include "machine.pml"

bool live[SITES], listed[SITES];	/* not freed; in the table */
bool reading;
bool gp[SITES];				/* pending grace periods */
bool ready;

byte at;			/* a location */
byte own[LOCATIONS];		/* memory as seen by the writer */

/* kprobe_site_find(), of site 0 */
active proctype reader()
{
	byte here;
end:	do
	:: ready ->
		reading = true;
		here = mem[BUCKET];
		do
		:: here == NONE -> assert(false)
		:: here == 0 -> break
		:: else ->
			assert(live[here] && mem[COMPLETE(here)]);
			here = mem[CHAIN(here)]
		od;
		skip;
		d_step {
			reading = false;
			gp[1] = false; gp[2] = false;
			here = 0
		}
	od
}

/* From here on, under kprobe_mutex */
inline set(location, value)
{
	atomic {
		own[location] = value;
		store(location, own[location])
	}
}

inline start_gp(s)
{
	atomic { barrier(STAYS); gp[s] = reading }
}

inline insert(s)
{
	live[s] = true;
	listed[s] = true;
	set(COMPLETE(s), true);
	set(CHAIN(s), own[BUCKET]);
	barrier(1);
	set(BUCKET, s);
	barrier(STAYS)				/* mutex_unlock() */
}

inline remove(s)
{
	when(DROP == 4, start_gp(s));
	at = BUCKET;
	do
	:: own[at] != s -> at = CHAIN(own[at])
	:: else -> break
	od;
	set(at, own[CHAIN(s)]);
	when(DROP == 2, set(CHAIN(s), NONE));
	when(DROP != 4, start_gp(s));
	listed[s] = false;
	at = 0
}

/* site_retire_worker() */
inline free(s)
{
	d_step {
		live[s] && !listed[s] && (!gp[s] || DROP == 3) ->
		live[s] = false;
		mem[COMPLETE(s)] = false;
		own[COMPLETE(s)] = false
	}
}

active proctype writer()
{
	byte steps = STEPS;
	d_step {
		own[BUCKET] = 0; mem[BUCKET] = 0;
		own[CHAIN(0)] = NONE; mem[CHAIN(0)] = NONE;
		live[0] = true;
		mem[COMPLETE(0)] = true;
		ready = true
	}
end:	do
	:: steps && !live[1] -> steps--; insert(1)
	:: steps && !live[2] -> steps--; insert(2)
	:: steps && listed[1] -> steps--; remove(1)
	:: steps && listed[2] -> steps--; remove(2)
	:: free(1)
	:: free(2)
	od
}
