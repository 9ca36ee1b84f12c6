/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kprobe_races.ko: the interfaces of its files.
 *
 *	races_main.c	parameters, threads, the digest, the report
 *	races_ops.c	calls on probes, and the results they must return
 *	races_quiet.c	hits that can be counted exactly
 *	races_world.c	switches, modules, CPUs, interrupts
 *	races_nmi.c	NMIs
 *	races_probe.c	probes and their handlers
 *	races_place.c	where probes are put, and calls of these functions
 */
#ifndef _LAB_RACES_H
#define _LAB_RACES_H

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/types.h>

#define RACES_THREADS	64	/* at most */
#define RACES_PROBES	24	/* of each thread */

enum races_kind {
	RACES_KPROBE,
	RACES_KRETPROBE,
	RACES_JPROBE,
	RACES_KINDS
};

/*
 * Places (races_place.c)
 */

enum races_where {
	RACES_SHARED,		/* hit by all threads, interrupts and NMIs */
	RACES_PRIVATE,		/* called by one thread only */
	RACES_KERNEL,		/* a function of the kernel */
	RACES_MODULE,		/* in kprobe_target.ko, which may be absent */
};

/* Where a probe may be registered. */
struct races_place {
	/* The address, or NULL to register by @symbol. */
	void *addr;
	const char *symbol;	/* the symbol if there is no @addr */
	enum races_where where;	/* who calls it */
	/* The number of the thread that calls a RACES_PRIVATE place. */
	unsigned int thread;
	/* Result of registering while nothing else ran, per kind. */
	int error[RACES_KINDS];
	int error_post;		/* the same for a kprobe with a post handler */
};

struct races_thread;

int races_find_places(unsigned int threads);
const struct races_place *races_any_place(struct races_thread *t);
bool races_may_have(const struct races_place *place, enum races_kind kind);
unsigned int races_places_probed(void);
/* Call all shared functions and check their results. */
void races_call_shared(u32 x);
/* Call the functions of one thread. */
void races_call_private(unsigned int thread, u32 x);
/* Handlers of jprobes on a shared function, and on a thread's own. */
void *races_jprobe_entry(const struct races_place *place);
unsigned int races_private_jprobe_hits(unsigned int thread);
unsigned int races_shared_jprobe_hits(void);

/* Return one of over a thousand probeable addresses, or NULL past the end. */
void *races_tower_step(unsigned int i);
unsigned int races_tower_calls(void);

void races_keep_text(void);
unsigned int races_changed_text(void);

/*
 * Probes (races_probe.c)
 */

#define RACES_ALIVE	0x600dc0deUL

/* Actions of a probe's handlers besides counting. */
enum races_habit {
	RACES_COUNTS,
	RACES_RECURSES,		/* hits other probes: all of them are missed */
	RACES_FAULTS,		/* faults, and its fault handler fixes that */
	RACES_DELAYS,
	RACES_HABITS
};

/* A probe, and the state that it must have. */
struct races_probe {
	union {
		/* As a kprobe; the first member of the others, too. */
		struct kprobe kp;
		struct kretprobe rp;
		struct jprobe jp;
	};
	enum races_kind kind;		/* which of the three it is */
	/* RACES_ALIVE from before registration to after removal. */
	unsigned long alive;
	/* No handler may run; set after disabling has returned. */
	bool off;
	/* The last registration or removal that succeeded. */
	bool registered;
	bool disabled;			/* the same for disabling */
	bool vague;			/* its module may have been absent */
	bool follows;			/* the entry handler returns 0 */
	enum races_habit habit;		/* what else handlers do */
	unsigned int module_seq;	/* at registration */
	const struct races_place *place;	/* where it is, or will be */
	/* Calls of the pre handler, or the entry handler. */
	atomic_t pre;
	/* Calls of the post handler, or the handler of a return. */
	atomic_t post;
	atomic_t faults;		/* calls of the fault handler */
	/* Links unregistered probes until they are freed. */
	struct list_head grave;
};

/* Number of errors; the first is printed. */
extern atomic_t races_broken;
#define races_fault(fmt, ...)						\
do {									\
	if (atomic_inc_return(&races_broken) <= 30)			\
		pr_err("RACES-FAULT " fmt "\n", ##__VA_ARGS__);		\
} while (0)

extern atomic_long_t races_thread_hits, races_irq_hits, races_nmi_hits;

extern void *races_hole;
/* Set while an interrupt or NMI calls the functions. */
DECLARE_PER_CPU(unsigned int, races_in_irq);
DECLARE_PER_CPU(unsigned int, races_in_nmi);

struct races_probe *races_probe_alloc(const struct races_place *place,
				      enum races_kind kind, u32 random);
void races_probe_kill(struct races_probe *p);
int races_register(struct races_probe *p);
void races_unregister(struct races_probe *p);
int races_enable(struct races_probe *p, bool on);
int races_register_array(struct races_probe **ps, enum races_kind kind, int n);
void races_unregister_array(struct races_probe **ps, enum races_kind kind,
			    int n);

/*
 * Threads (races_main.c)
 */

struct races_thread {
	unsigned int nr;
	struct task_struct *task;
	struct rnd_state random;
	struct races_probe *probes[RACES_PROBES];
	struct list_head graves;
	unsigned int buried;
	unsigned long ops;
};

static inline u32 races_random(struct races_thread *t)
{
	return prandom_u32_state(&t->random);
}

static inline u32 races_below(struct races_thread *t, u32 n)
{
	return races_random(t) % n;
}

/* Add a call and its result to the digest. */
void races_note(struct races_thread *t, u32 what, u32 result);
bool races_is_over(void);

/* Operations: a thread picks from them at random */

/* races_ops.c */
void races_op_register(struct races_thread *t);
void races_op_unregister(struct races_thread *t);
void races_op_enable(struct races_thread *t);
void races_op_register_array(struct races_thread *t);
void races_op_unregister_array(struct races_thread *t);
void races_op_common(struct races_thread *t);
void races_remove_all(struct races_thread *t);
int races_common_begin(void);
void races_common_end(void);

/* races_quiet.c */
void races_op_quiet(struct races_thread *t);
void races_op_tower(struct races_thread *t);
extern unsigned long races_quiet_checks, races_exact_checks, races_towers;

/* races_world.c */
void races_op_jumps(struct races_thread *t);
void races_op_switch(struct races_thread *t);
void races_op_module(struct races_thread *t);
bool races_have_module(bool there);
void races_op_cpu(struct races_thread *t);
void races_op_files(struct races_thread *t);
int races_world_begin(void);
void races_world_end(void);
extern atomic_long_t races_world_count[];
extern const char * const races_world_name[];

/* Odd during a change, when the previous state is unknown. */
extern unsigned int races_switch_seq, races_module_seq;
extern bool races_switch_on, races_module_there;

/* races_nmi.c */
void races_op_nmi(struct races_thread *t);
int races_nmi_begin(void);
void races_nmi_end(void);
extern atomic_long_t races_nmis_sent, races_nmis_on_handlers;

#endif /* _LAB_RACES_H */
