/*
 * The table of sites is walked without locks while sites are added and removed
 * and while the table is resized.
 *
 * Sites 0, 1 and 2.  A small table has one bucket for all of them; in a large
 * one, bucket 0 has sites 0 and 1, and bucket 1 has site 2.  A reader looks for
 * site 0, which is always there.  Site 1 is added and removed.  The reader may
 * be delayed for any time; only RCU waits for it.  (More readers would make no
 * difference, because readers do not write.)
 *
 * Invariants: the reader finds site 0, in one walk.  It reaches no table and no
 * site that is freed or incomplete.
 *
 * DROP=1	rcu_assign_pointer() in table_link(), of a new site
 * DROP=2	rcu_assign_pointer() in table_resize(), of the table
 * DROP=3	table_resize(): the new table uses the other link
 * DROP=4	table_links_free()
 * DROP=5	kvfree_rcu() of the former table
 * DROP=6	kprobe_table_remove(): a removed site keeps its link
 * DROP=7	synchronize_rcu() in retire_worker()
 * DROP=8	kprobe_site_drop(): kprobe_retire() after the removal
 * DROP=9	kprobe_site_find(): table->which is read from the walked table
 */
#define SITES		3
#define NONE		SITES
#define TABLES		3
#ifndef STEPS
#define STEPS		4	/* changes of the table */
#endif

/* Locations: one table is published, others may still be read */
#define CHAIN(w, s)	((w) * SITES + (s))	/* site->chain[which] */
#define COMPLETE(s)	(6 + (s))		/* the other fields of a site */
#define BUCKET(t, b)	(9 + (t) * 2 + (b))
#define SHAPE(t)	(15 + (t))		/* which link; how large */
#define TABLE		18			/* kprobe_site_table */
#define LOCATIONS	19
#include "machine.pml"

#define WHICH(shape)	((shape) & 1)
#define LARGE		2
#define HASH(shape, s)	(((shape) & LARGE && (s) == 2) -> 1 : 0)

bool site_live[SITES], table_live[TABLES];	/* not freed */
bool reading;
bool gp_links, gp_site, gp_table[TABLES];	/* pending grace periods */

byte now = TABLES, new;		/* the published table, the next one */
byte b, at;			/* locations */
byte own[LOCATIONS];		/* memory as seen by the writer */

#define both(location, value)	own[location] = value; mem[location] = value

/* kprobe_site_find(), of site 0 */
active proctype reader()
{
	byte table, here;
end:	do
	:: now < TABLES ->
		reading = true;
		table = mem[TABLE];
		assert(table_live[table]);
		here = mem[BUCKET(table, HASH(mem[SHAPE(table)], 0))];
		do
		:: here == NONE -> assert(false)
		:: here == 0 -> break
		:: else ->
			assert(table_live[table]);
			assert(site_live[here] && mem[COMPLETE(here)]);
			when(DROP == 9, table = mem[TABLE]);
			here = mem[CHAIN(WHICH(mem[SHAPE(table)]), here)]
		od;
		skip;
		d_step {
			reading = false;
			gp_links = false; gp_site = false;
			gp_table[0] = false; gp_table[1] = false;
			gp_table[2] = false;
			table = 0; here = 0
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

inline start_gp(gp)
{
	atomic { barrier(STAYS); gp = reading }
}

inline table_link(t, s)
{
	b = BUCKET(t, HASH(own[SHAPE(t)], s));
	set(CHAIN(WHICH(own[SHAPE(t)]), s), own[b]);
	barrier(1);
	set(b, s)
}

inline insert()
{
	site_live[1] = true;
	set(COMPLETE(1), true);
	table_link(now, 1);
	barrier(STAYS)				/* mutex_unlock() */
}

inline remove()
{
	when(DROP == 8, start_gp(gp_site));
	b = BUCKET(now, 0);
	do
	:: own[b] != 1 -> b = CHAIN(WHICH(own[SHAPE(now)]), own[b])
	:: else -> break
	od;
	at = CHAIN(WHICH(own[SHAPE(now)]), 1);
	set(b, own[at]);
	when(DROP == 6, set(at, NONE));
	when(DROP != 8, start_gp(gp_site))
}

/* table_resize() */
inline resize(size)
{
	d_step {
		table_live[new] = true;
		both(BUCKET(new, 0), NONE);
		both(BUCKET(new, 1), NONE)
	}
	set(SHAPE(new), size | (WHICH(own[SHAPE(now)]) ^ (DROP != 3)));
	for (i : 0 .. 1) {
		at = own[BUCKET(now, i)];
		do
		:: at != NONE -> table_link(new, at);
			at = own[CHAIN(WHICH(own[SHAPE(now)]), at)]
		:: else -> break
		od
	}
	barrier(2);
	set(TABLE, new);
	start_gp(gp_links);
	start_gp(gp_table[now]);
	d_step {
		when(DROP == 5, table_live[now] = false);
		now = new;
		new = 0
	}
}

active proctype writer()
{
	byte i, steps = STEPS;
	bool site_in;
	d_step {
		for (i : CHAIN(0, 0) .. CHAIN(1, SITES - 1)) {
			both(i, NONE)
		}
		both(BUCKET(0, 1), NONE);
		both(BUCKET(0, 0), 2);
		both(CHAIN(0, 2), 0);
		table_live[0] = true;
		site_live[0] = true; mem[COMPLETE(0)] = true;
		site_live[2] = true; mem[COMPLETE(2)] = true;
		i = 0;
		now = 0
	}
end:	do
	:: steps && !site_live[1] -> steps--; insert(); site_in = true; b = 0
	:: steps && site_in -> steps--; remove(); site_in = false; b = 0; at = 0
	:: d_step {				/* retire_worker() */
		site_live[1] && !site_in && (!gp_site || DROP == 7) ->
		site_live[1] = false;
		mem[COMPLETE(1)] = false; own[COMPLETE(1)] = false
	}
	:: steps && (!gp_links || DROP == 4) ->	/* table_links_free() */
		steps--;
		new = (!table_live[0] -> 0 : (!table_live[1] -> 1 : 2));
		if
		:: !table_live[new] -> resize(0); i = 0; b = 0; at = 0
		:: !table_live[new] -> resize(LARGE); i = 0; b = 0; at = 0
		:: else
		fi
	:: d_step {				/* kvfree_rcu() */
		i = 0;
		do
		:: i < TABLES && (i == now || !table_live[i] || gp_table[i]) ->
			i++
		:: else -> break
		od;
		when(i < TABLES, table_live[i] = false);
		i = 0
	}
	od
}
