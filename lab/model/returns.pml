/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A return probe rp is unregistered, and freed at once, while calls of two
 * tasks are followed, each on a CPU of its own.  The calls return, or their
 * task exits.  The pool grows meanwhile, and an unwinder reads the first task's
 * calls.  (This model only counts instances, and memory is ordered: pool.pml
 * models taking and putting back, unregister.pml the order made by IPIs.)
 *
 * Invariants: after unregistration no handler of rp runs, and rp is not read.
 * The pool is always freed, exactly once, after its last call has ended; it is
 * not used afterwards, and neither are its instances.
 *
 * DROP=1	kretprobe_pool_leave(): holder.rp is cleared before the wait
 * DROP=2	kprobes_detach() waits for handlers
 * DROP=3	kretprobe_hit(): interrupts off
 * DROP=4	kprobe_flush_task(): interrupts off
 * DROP=5	recycle(): instances that return after rp is gone are counted
 * DROP=6	kretprobe_pool_drain(): atomic_dec_and_test()
 * DROP=7	pool_retire(): atomic_add_return()
 * DROP=8	pool_retire(): irq_work_sync()
 * DROP=9	pool_retire(): cancel_work_sync()
 * DROP=10	pool_free_later(): the grace period
 * DROP=11	pool_free_work(): irq_work_sync()
 */
#include "drop.pml"
#define LIMIT		2		/* instances; one at first */

bool rp_live = true;
bool holder_rp = true;			/* pool->holder.rp */
bool hooked = true;			/* rp->kp has its place in site->pre */
bool irqs_off[2];

bool pool_live = true;
byte idle[2];				/* free instances, by CPU */
byte total = 1;
short outstanding;
bool drained;
bool kick, kick_runs;			/* pool->kick */
bool work, work_runs, freeing;		/* pool->work, pool->free */

byte calls[2];				/* task->kretprobe_instances */
bool unwinding, gp;
byte exited;

#define irq_work_sync(drop)	(DROP == drop || (!kick && !kick_runs))

/* atomic_add_return() */
inline add(sum, what, drop)
{
	if
	:: DROP != drop -> d_step {
		sum = outstanding + what;
		outstanding = sum
	}
	:: else -> sum = outstanding + what; outstanding = sum
	fi
}

/* kretprobe_pool_drain() */
inline drain()
{
	add(left, -1, 6);
	d_step {
		drained = drained || left == 0;
		kick = kick || left == 0;
		irqs_off[me] = false;
		left = 0
	}
}

inline recycle()
{
	d_step {
		assert(pool_live);
		rp = holder_rp || DROP == 5;
		calls[me]--
	}
	if
	:: rp -> d_step {
		assert(pool_live);
		idle[me]++;
		irqs_off[me] = false;
		rp = false
	}
	:: else -> drain()
	fi
}

proctype task(byte me)
{
	short left;
	bool rp;
	do
	:: d_step { hooked -> irqs_off[me] = true }	/* kretprobe_entry() */
		d_step {
			assert(rp_live && pool_live);
			if				/* pool_get() */
			:: idle[me] -> idle[me]--; calls[me]++
			:: !idle[me] && idle[1 - me] ->
				idle[1 - me]--; calls[me]++
			:: else -> kick = kick || total < LIMIT
			fi;
			irqs_off[me] = false
		}
	:: d_step { calls[me] -> irqs_off[me] = DROP != 3; rp = holder_rp }
		d_step { assert(!rp || rp_live); rp = false }	/* handler */
		recycle()			/* kretprobe_hit() */
	:: break
	od;
	do					/* kprobe_flush_task() */
	:: calls[me] ->
		irqs_off[me] = DROP != 4;
		recycle()
	:: else -> break
	od;
	exited++
}

/* kretprobe_find_ret_addr() of a task that is not running, after rp is gone */
active proctype unwinder()
{
end:	do
	:: d_step { calls[0] && !holder_rp -> unwinding = true }
		assert(pool_live);
		d_step { unwinding = false; gp = false }
	od
}

active proctype pool_kick()
{
end:	do
	:: d_step {
		kick -> kick = false; kick_runs = true;
		if
		:: drained -> freeing = true
		:: else -> work = true
		fi
	}
		d_step { assert(pool_live); kick_runs = false } /* its flags */
	od
}

active proctype pool_work()
{
end:	do
	:: d_step { work -> work = false; work_runs = true }
		d_step {
			assert(pool_live);
			if
			:: total < LIMIT -> total++; idle[0]++	/* pool_add() */
			:: else
			fi;
			work_runs = false
		}
	od
}

active proctype pool_free_work()
{
end:	do
	:: d_step { freeing -> freeing = false; gp = unwinding && DROP != 10 }
		!gp;
		irq_work_sync(11);
		assert(pool_live);
		pool_live = false
	od
}

active proctype user()
{
	byte free;
	short sum;
	idle[0] = 1;
	atomic { run task(0); run task(1) }
	holder_rp = DROP == 1;			/* kretprobe_pool_leave() */
	hooked = false;				/* kprobe_site_deactivate() */
	DROP == 2 || !irqs_off[0];
	DROP == 2 || !irqs_off[1];
	holder_rp = false;
	rp_live = false;

	irq_work_sync(8);			/* pool_retire() */
	work = work && DROP == 9;
	!work_runs || DROP == 9;
	free = idle[0];
	free = free + idle[1];
	add(sum, total - free, 7);
	when(sum == 0, freeing = true);
	d_step { free = 0; sum = 0 }
	exited == 2;
	!pool_live				/* it is freed eventually */
}
