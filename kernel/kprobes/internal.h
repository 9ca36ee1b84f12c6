/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interfaces between kernel/kprobes.c and the files in kernel/kprobes/, one
 * section for each file.  The head of kernel/kprobes.c describes the layers of
 * the files, and the locks.  classic.c is in no layer: it is a backend, but
 * also calls reconcile.c.
 */
#ifndef _KERNEL_KPROBES_INTERNAL_H
#define _KERNEL_KPROBES_INTERNAL_H

#include <linux/kprobes_backend.h>
#include <linux/kprobes_test.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/ptrace.h>

struct module;
struct module_memory;

/* kprobe_site::skip of a site that owns the instruction after ftrace's call */
#ifdef CONFIG_KPROBE_SKIP_FTRACE
#define KPROBE_SKIP		MCOUNT_INSN_SIZE
#else
#define KPROBE_SKIP		0
#endif

/* Where jumps exist, instructions begin at multiples of this many bytes. */
#define KPROBE_INSN_STEP	sizeof(kprobe_opcode_t)

/* For each offset in a jump at which another instruction may begin. */
#define for_each_place_under_jump(distance)				\
	for ((distance) = KPROBE_INSN_STEP; (distance) < KPROBE_JUMP_SIZE; \
	     (distance) += KPROBE_INSN_STEP)

/* Return true if an obstacle to a jump is permanent. */
static inline bool kprobe_obstacle_stays(enum kprobe_obstacle what)
{
	return what >= KPROBE_NOJUMP_FTRACE_SITE;
}

/* Return true if a site in this state has a breakpoint or jump in its text. */
static inline bool kprobe_text_is_armed(enum kprobe_site_state state)
{
	return state == KPROBE_SITE_TRAP || state == KPROBE_SITE_JUMP;
}

/* classic.c: a backend on top of an architecture's arch_*_kprobe() functions */
#ifdef CONFIG_KPROBES_CLASSIC
void kprobe_classic_init_site(struct kprobe_site *site);
enum kprobe_refusal kprobe_classic_rehearse(struct kprobe_site *site);
void kprobe_classic_release(struct kprobe_site *site);
bool kprobe_classic_refuse(struct kprobe *p);
int kprobe_classic_init(void);
#define kprobe_classic_blacklisted arch_within_kprobe_blacklist

/* Return true for the site on the return trampoline, which stays armed. */
static inline bool kprobe_classic_pinned(const struct kprobe_site *site)
{
	return is_kretprobe_trampoline((unsigned long)site->addr);
}
#else
static inline enum kprobe_refusal
kprobe_classic_rehearse(struct kprobe_site *site)
{
	return KPROBE_OK;
}

static inline bool kprobe_classic_pinned(const struct kprobe_site *site)
{
	return false;
}

static inline void kprobe_classic_init_site(struct kprobe_site *site) { }
static inline void kprobe_classic_release(struct kprobe_site *site) { }
static inline bool kprobe_classic_refuse(struct kprobe *p) { return false; }
static inline int kprobe_classic_init(void) { return 0; }
static inline bool kprobe_classic_blacklisted(unsigned long a) { return false; }
#endif

/* hit.c: count missed hits; see also kprobes_hit.h */
void kretprobe_missed(struct kretprobe *rp, enum kprobe_miss why);

/* hit.c or classic.c: make all hits on a CPU miss their handlers */
void kprobe_cpu_busy(unsigned int cpu, bool busy);

/* slots.c: memory for instructions out of line */
struct kprobe_site *kprobe_slot_owner(unsigned long addr, void **slot);
void kprobe_slots_release(struct kprobe_site *site);

/* module.c: modules that may be probed */
#ifdef CONFIG_MODULES
enum kprobe_refusal kprobe_admit_module(unsigned long addr);
void kprobe_module_refused(const struct kprobe *p, unsigned long place,
			   enum kprobe_refusal why);
#else
static inline enum kprobe_refusal kprobe_admit_module(unsigned long addr)
{
	return KPROBE_REFUSE_NOT_TEXT;
}

static inline void kprobe_module_refused(const struct kprobe *p,
					 unsigned long place,
					 enum kprobe_refusal why)
{
}
#endif

/* blacklist.c: text that must not be probed */
struct kprobe_blacklist_range {
	unsigned long start;
	unsigned long end;
};

int kprobe_blacklist_init(void);
int kprobe_blacklist_module(const struct module *mod);
void kprobe_unblacklist(const struct module_memory *text);
bool kprobe_blacklist_next(unsigned long from,
			   struct kprobe_blacklist_range *range);
bool kprobe_blacklisted(unsigned long addr, const struct kprobe_symbol *symbol);

/**
 * struct kprobe_entry - the instruction to probe (place.c)
 * @addr: the address of the instruction
 * @on_entry: @addr is the entry of the function, or follows its landing pad
 * @symbol: the symbol that contains @addr
 */
struct kprobe_entry {
	kprobe_opcode_t *addr;
	bool on_entry;
	struct kprobe_symbol symbol;
};

/* place.c: from a request to an instruction */
int kprobe_find_place(kprobe_opcode_t *addr, const char *symbol,
		      unsigned long offset, unsigned long *place);
extern bool kprobe_init_text_gone;
enum kprobe_refusal kprobe_admit_text(unsigned long addr);
void kprobe_find_entry(unsigned long place, struct kprobe_entry *entry);
enum kprobe_refusal kprobe_inspect(struct kprobe_site *site,
				   const struct kprobe_symbol *symbol);

/* patch.c: the text and the state of sites */

/*
 * Release text_mutex after patching this number of sites.  Most loops over
 * sites also release kprobe_mutex after about as many.  The queue of
 * smp_text_poke_batch_add() on x86 has room for the same number.
 */
#define KPROBE_PATCH_CHUNK	256

unsigned int kprobe_take_sites(struct list_head *from, unsigned int nr,
			       struct list_head *to);
void kprobe_site_set_state(struct kprobe_site *site,
			   enum kprobe_site_state state);
u32 kprobe_site_flags(const struct kprobe_site *site);
void kprobe_patch(struct list_head *batch);
void kprobe_wait_for_handlers(void);

/* ftrace.c: sites on ftrace calls */

/* How ftrace delivers the hits of a site: kprobe_site::ftrace */
enum site_ftrace {
	SITE_FTRACE_OFF,	/* the callback ignores hits */
	SITE_FTRACE_ON,		/* the callback handles hits */
	SITE_FTRACE_MOVES,	/* the same; the next instruction is patched */
};

#ifdef CONFIG_KPROBES_ON_FTRACE
void kprobe_classic_ftrace_hit(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops,
			       struct ftrace_regs *fregs);
int kprobe_ftrace_arm(struct list_head *batch);
void kprobe_ftrace_disarm(struct list_head *batch);
void kprobe_ftrace_flush(void);
#else
static inline int kprobe_ftrace_arm(struct list_head *batch)
{
	return -EOPNOTSUPP;
}

static inline void kprobe_ftrace_disarm(struct list_head *batch) { }
static inline void kprobe_ftrace_flush(void) { }
#endif

/* optimizer.c: replace breakpoints by jumps, in the background */
bool kprobe_get_jumps(void);
#ifdef CONFIG_OPTPROBES
#define kprobe_analyse arch_kprobe_analyse
#define kprobe_forget_analysis arch_kprobe_unanalyse
enum kprobe_obstacle kprobe_obstacle_now(const struct kprobe_site *site);
void kprobe_optimizer_init_site(struct kprobe_site *site);
void kprobe_optimizer_consider(struct kprobe_site *site);
void kprobe_optimizer_cancel(struct kprobe_site *site);
void kprobe_optimizer_forget(struct kprobe_site *site);
bool kprobe_optimizer_defer(struct kprobe_site *site);
void kprobe_optimizer_settle(void);
void kprobe_optimizer_allow(bool on);
#else
static inline enum kprobe_obstacle
kprobe_obstacle_now(const struct kprobe_site *site)
{
	return KPROBE_NOJUMP_SWITCHED_OFF;
}

static inline enum kprobe_obstacle
kprobe_analyse(struct kprobe_site *site, const struct kprobe_symbol *symbol)
{
	return KPROBE_NOJUMP_SWITCHED_OFF;
}

static inline bool kprobe_optimizer_defer(struct kprobe_site *site)
{
	return false;
}

static inline void kprobe_forget_analysis(struct kprobe_site *site) { }
static inline void kprobe_optimizer_init_site(struct kprobe_site *site) { }
static inline void kprobe_optimizer_consider(struct kprobe_site *site) { }
static inline void kprobe_optimizer_cancel(struct kprobe_site *site) { }
static inline void kprobe_optimizer_forget(struct kprobe_site *site) { }
static inline void kprobe_optimizer_settle(void) { }
static inline void kprobe_optimizer_allow(bool on) { }
#endif

/*
 * Return true if arming or disarming a site may patch text.  Otherwise ftrace
 * patches the text, for any number of sites in one update.
 */
static inline bool kprobe_site_patches_text(const struct kprobe_site *site)
{
	return !site->on_ftrace || site->owns_next;
}

/* Empty a batch of changed sites, and pass each to the optimizer. */
static inline void kprobe_consider_batch(struct list_head *batch)
{
	struct kprobe_site *site, *next;

	list_for_each_entry_safe(site, next, batch, batch) {
		list_del_init(&site->batch);
		kprobe_optimizer_consider(site);
	}
}

/* Patch the sites of a batch, and empty it. */
static inline void kprobe_patch_batch(struct list_head *batch)
{
	kprobe_patch(batch);
	kprobe_consider_batch(batch);
}

/* site.c: sites and the probes on them */
extern struct mutex kprobe_mutex;
extern struct list_head kprobe_sites;		/* under kprobe_mutex */
extern struct list_head kprobe_gone_sites;	/* under kprobe_mutex */

int kprobe_site_init(void);
void kprobe_retire_flush(void);
struct kprobe_site *kprobe_site_at(unsigned long addr);
enum kprobe_refusal kprobe_site_create(const struct kprobe_entry *entry,
				       struct kprobe_site **result);
void kprobe_site_drop(struct kprobe_site *site);
void kprobe_site_mark_dirty(struct kprobe_site *site, struct list_head *dirty);
void kprobe_site_activate(struct kprobe_site *site, struct kprobe *p);
void kprobe_site_deactivate(struct kprobe_site *site, struct kprobe *p);
bool kprobe_site_has(const struct kprobe_site *site, const struct kprobe *p);
bool kprobe_is_registered(const struct kprobe *p);

/* reconcile.c: bring text to target states */

/* Flags for kprobe_reconcile() */
#define KPROBE_ARM_EACH		1
#define KPROBE_WAIT		2

bool kprobe_may_skip_ftrace(const struct kprobe_site *site);
int kprobe_reconcile(struct list_head *dirty, unsigned int how);
bool kprobe_get_global(void);

/**
 * struct kprobe_array - probes that are (un)registered together
 * @kind: the kind to register all probes as
 * @probes: array of pointers to the probes; a probe of any kind begins with its
 *	struct kprobe
 * @num: number of pointers
 * @admit: check whether this kind of probe is allowed at @addr; may be NULL
 * @join: prepare a probe just before it is linked to its site; an errno
 *	refuses the probe; may be NULL
 * @pools: pools of unlinked return probes; to be freed once their handlers have
 *	ended and kprobe_mutex is released
 *
 * The callbacks are called with kprobe_mutex held.
 */
struct kprobe_array {
	enum kprobe_kind kind;
	struct kprobe **probes;
	int num;
	enum kprobe_refusal (*admit)(kprobe_opcode_t *addr, bool on_entry);
	int (*join)(struct kprobe *p);
	struct llist_head pools;
};

/* pool.c or classic_return.c: instances for return probes */
#ifdef CONFIG_KRETPROBES
void kretprobe_pools_retire(struct llist_head *leaving);
#else
static inline void kretprobe_pools_retire(struct llist_head *leaving) { }
#endif

/* kernel/kprobes.c: registration */
int kprobe_register_array(struct kprobe_array *array);

#endif /* _KERNEL_KPROBES_INTERNAL_H */
