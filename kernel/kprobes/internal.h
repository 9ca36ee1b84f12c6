/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What kernel/kprobes.c and the files in kernel/kprobes/ owe each other.
 * Locks and their order are described at the head of kernel/kprobes.c.
 */
#ifndef _KERNEL_KPROBES_INTERNAL_H
#define _KERNEL_KPROBES_INTERNAL_H

#include <linux/kprobes_backend.h>
#include <linux/lockdep.h>

struct module;
struct seq_file;

/* From one place where an instruction can begin to the next, in bytes. */
#define KPROBE_INSN_STEP	sizeof(kprobe_opcode_t)

/* kernel/kprobes.c */
extern struct mutex kprobe_mutex;
extern struct list_head kprobe_sites;		/* under kprobe_mutex */
extern struct list_head kprobe_gone_sites;	/* under kprobe_mutex */

/**
 * struct kprobe_batch - probes of one kind that are registered together
 * @array: pointers to them
 * @num: how many
 * @nth: the kprobe in the i-th of them; NULL for a NULL pointer
 * @admit: whether the place is one for this kind; may be NULL
 * @join: called when the i-th, which is not registered, is about to be put on
 *	its site; an errno refuses it; may be NULL
 * @leave: called for each that has joined, before its handlers are waited
 *	for; may be NULL
 *
 * The callbacks are called with kprobe_mutex held.
 */
struct kprobe_batch {
	void *array;
	int num;
	struct kprobe *(*nth)(void *array, int i);
	enum kprobe_refusal (*admit)(kprobe_opcode_t *addr, bool on_entry);
	int (*join)(struct kprobe_batch *batch, int i);
	void (*leave)(struct kprobe_batch *batch, int i);
};

void kprobe_site_free(struct kprobe_site *site);
int kprobe_register_batch(struct kprobe_batch *batch);
void kprobe_unregister_batch(struct kprobe_batch *batch);

/**
 * struct kprobe_explanation - what kprobe_explain() has to say
 * @addr: the address that was meant
 * @why: why it cannot be probed; the rest is for KPROBE_OK only
 * @how: how it would be
 * @state: how it is
 * @obstacle: why not by a jump
 */
struct kprobe_explanation {
	kprobe_opcode_t *addr;
	enum kprobe_refusal why;
	enum {
		KPROBE_HOW_EMULATED,
		KPROBE_HOW_DISPLACED,
		KPROBE_HOW_FTRACE,
	} how;
	enum kprobe_site_state state;
	enum kprobe_obstacle obstacle;
};

int kprobe_explain(kprobe_opcode_t *addr, const char *symbol,
		   unsigned long offset, struct kprobe_explanation *what);

int kprobe_set_global(bool on);
bool kprobe_get_global(void);

/* For users to read. What the engine goes by is elsewhere. */
static inline void kprobe_set_flag(struct kprobe *p, u32 flag, bool on)
{
	if (on)
		p->flags |= flag;
	else
		p->flags &= ~flag;
}

/* registered.c: which probes are */
bool kprobe_is_registered(const struct kprobe *p);
void kprobe_set_registered(struct kprobe *p);
void kprobe_clear_registered(struct kprobe *p);

/* table.c: from addresses to sites */
void kprobe_table_init(void);
void kprobe_table_insert(struct kprobe_site *site);
void kprobe_table_remove(struct kprobe_site *site);

/* text.c: what the text is to look like, and making it so */
void kprobe_site_mark_gone(struct kprobe_site *site);
int kprobe_reconcile(struct list_head *touched, bool global_on, bool each,
		     bool *quiet);
void kprobe_reconcile_jumps(struct list_head *touched);
void kprobe_patch(struct list_head *plan);
void kprobe_wait_for_handlers(void);

/* optimizer.c: jumps in the place of breakpoints, in the background */
#ifdef CONFIG_OPTPROBES
enum kprobe_obstacle kprobe_obstacle_now(const struct kprobe_site *site);
void kprobe_optimizer_init_site(struct kprobe_site *site);
void kprobe_optimizer_consider(struct kprobe_site *site);
void kprobe_optimizer_cancel(struct kprobe_site *site);
void kprobe_optimizer_forget(struct kprobe_site *site);
bool kprobe_optimizer_idle(struct kprobe_site *site);
struct kprobe_site *kprobe_detour_over(const struct kprobe_site *site,
				       unsigned int back);
void kprobe_optimizer_start(void);
void kprobe_optimizer_settle(void);
void kprobe_optimizer_switch(bool on);
bool kprobe_optimizer_on(void);
#else
static inline void kprobe_optimizer_init_site(struct kprobe_site *site) { }
static inline void kprobe_optimizer_consider(struct kprobe_site *site) { }
static inline void kprobe_optimizer_forget(struct kprobe_site *site) { }
static inline bool kprobe_optimizer_idle(struct kprobe_site *site)
{
	return false;
}
static inline void kprobe_optimizer_start(void) { }
static inline void kprobe_optimizer_settle(void) { }
#endif

/* retire.c: freeing what a preempted task may still stand on */
int kprobe_retire_init(void);
void kprobe_retire(struct kprobe_site *site);

/* blacklist.c */
struct kprobe_blackout {
	unsigned long start;
	unsigned long end;
};

int kprobe_blacklist_init(void);
int kprobe_blacklist_module(struct module *mod);
void kprobe_unblacklist_module(struct module *mod);
void kprobe_blacklist_lock(void);
void kprobe_blacklist_unlock(void);
bool kprobe_blacklist_next(unsigned long from, struct kprobe_blackout *range);
bool kprobe_blacklisted(unsigned long addr, const struct kprobe_symbol *symbol);

/**
 * struct patched_place - where the kernel patches its own text
 * @code: there, behind the base of all
 * @target: where it may lead, the same way; NO_TARGET for a static call
 */
struct patched_place {
	s32 code;
	s32 target;
};

#define NO_TARGET	S32_MIN

/**
 * struct patched_places - many of them, in the order of their addresses
 * @at: they
 * @nr: how many
 * @base: which all are relative to
 */
struct patched_places {
	struct patched_place *at;
	unsigned int nr;
	unsigned long base;
};

/* patched.c */
struct jump_entry;
struct static_call_site;
void kprobe_add_jump_labels(struct patched_places *places,
			    const struct jump_entry *e,
			    const struct jump_entry *end);
void kprobe_add_static_calls(struct patched_places *places,
			     const struct static_call_site *s,
			     const struct static_call_site *end);
void kprobe_sort_places(struct patched_places *places);

/* module.c */
#ifdef CONFIG_MODULES
int kprobe_module_coming(struct module *mod);
void kprobe_module_going(struct module *mod);
enum kprobe_refusal kprobe_admit_module(unsigned long addr);
bool kprobe_module_symbol(struct module *mod, unsigned long addr,
			  struct kprobe_symbol *symbol);
const struct patched_places *kprobe_module_places(struct module *mod);
void kprobe_module_forget(struct module *mod);
#else
static inline enum kprobe_refusal kprobe_admit_module(unsigned long addr)
{
	return KPROBE_NOT_TEXT;
}

static inline bool kprobe_module_symbol(struct module *mod, unsigned long addr,
					struct kprobe_symbol *symbol)
{
	return false;
}

static inline const struct patched_places *
kprobe_module_places(struct module *mod)
{
	return NULL;
}
#endif

/* ftrace.c */
#ifdef CONFIG_KPROBES_ON_FTRACE
bool kprobe_ftrace_moves(const struct kprobe_site *site);
int kprobe_ftrace_arm(struct list_head *plan);
void kprobe_ftrace_disarm(struct list_head *plan);
void kprobe_ftrace_flush(void);
#else
static inline bool kprobe_ftrace_moves(const struct kprobe_site *site)
{
	return false;
}

static inline int kprobe_ftrace_arm(struct list_head *plan)
{
	return -EOPNOTSUPP;
}

static inline void kprobe_ftrace_disarm(struct list_head *plan) { }
static inline void kprobe_ftrace_flush(void) { }
#endif

/* kretprobe.c */
#ifdef CONFIG_KRETPROBES
bool kprobe_is_kretprobe(const struct kprobe *p);
#else
static inline bool kprobe_is_kretprobe(const struct kprobe *p)
{
	return false;
}
#endif

/* jprobe.c */
#ifdef CONFIG_HAVE_KPROBE_SITES
bool kprobe_is_jprobe(const struct kprobe *p);
#else
static inline bool kprobe_is_jprobe(const struct kprobe *p)
{
	return false;
}
#endif

/* control.c */
#ifdef CONFIG_DEBUG_FS
void kprobe_control_init(void);
#else
static inline void kprobe_control_init(void) { }
#endif

#endif /* _KERNEL_KPROBES_INTERNAL_H */
