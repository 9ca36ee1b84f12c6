/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: what users of probes see.
 *
 * A struct kprobe is one caller's request to be called at one instruction.
 * Fields that are said to be private are the core's; what it keeps of a probed
 * address is in <linux/kprobes_backend.h>.
 */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/ftrace.h>
#include <asm/kprobes.h>
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
#include <linux/rethook.h>
#endif

#ifndef CONFIG_KPROBES
#include <asm-generic/kprobes.h>
typedef int kprobe_opcode_t;
struct arch_specific_insn {
	int dummy;
};
#endif /* !CONFIG_KPROBES */

struct kprobe;
struct kprobe_site;
struct kretprobe;
struct kretprobe_instance;
struct kretprobe_holder;
struct pt_regs;
struct task_struct;

typedef int (*kprobe_pre_handler_t)(struct kprobe *p, struct pt_regs *regs);
typedef void (*kprobe_post_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      unsigned long flags);
typedef int (*kprobe_fault_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      int trapnr);
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri,
				   struct pt_regs *regs);

/**
 * struct kprobe - one request to be called at one instruction
 * @list: the site's enabled probes, newest first (RCU)
 * @hlist: the site's probes, enabled or not, newest first
 * @pre_next: the next enabled one that has a pre handler (RCU); private
 * @nmissed: hits at which the handlers could not run
 * @addr: the place that is asked for; set it, or @symbol_name, and not both.
 *	Registration replaces it by the resolved address, also if the probe is
 *	refused there: on x86 the instruction after ENDBR
 * @symbol_name: "symbol" or "module:symbol"; read by registration only
 * @offset: bytes from @addr or from the symbol to the instruction
 * @pre_handler: called before the instruction; non-zero: it has set the
 *	instruction pointer itself and the instruction is not executed
 * @post_handler: called after the instruction
 * @fault_handler: called for a fault in a handler or in the instruction
 * @opcode: what stands in memory at the probed instruction while nothing is
 *	probed there
 * @flags: KPROBE_FLAG_*; users may set KPROBE_FLAG_DISABLED before
 *	registration and read all of them after it
 * @site: the probed address this probe is registered at; private
 * @known: in the table of registered probes; private
 * @run_pre: @pre_handler at registration, which is what is called; private
 * @run_post: @post_handler at registration, which is what is called; private
 * @enabled: in the site's list of enabled probes; private
 * @kind: enum kprobe_kind; private
 * @ainsn: a backend's, in the struct kprobe of a site; private
 *
 * What users write to a registered probe changes neither what is called nor
 * where, only what they read themselves.  (The list nodes and other private
 * fields are not to be written.)
 */
struct kprobe {
	struct hlist_node hlist;
	struct list_head list;
	struct kprobe *pre_next;
	unsigned long nmissed;
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	kprobe_fault_handler_t fault_handler;
	kprobe_opcode_t opcode;
	u32 flags;
	bool enabled;
	u8 kind;
	struct kprobe_site *site;
	struct hlist_node known;
	kprobe_pre_handler_t run_pre;
	kprobe_post_handler_t run_post;
#ifdef CONFIG_KPROBES_CLASSIC
	struct arch_specific_insn ainsn;
#endif
};

/* enum kprobe_kind - which function registered a probe; private */
enum kprobe_kind {
	KPROBE_KIND_PROBE,
	KPROBE_KIND_RETURN,
	KPROBE_KIND_JPROBE,
	KPROBE_KIND_RELAY,
};

#define KPROBE_FLAG_GONE	1	/* its text has gone away */
#define KPROBE_FLAG_DISABLED	2	/* its user wants no hits */
#define KPROBE_FLAG_OPTIMIZED	4	/* hit by a jump */
#define KPROBE_FLAG_FTRACE	8	/* hit by an ftrace call */
#define KPROBE_FLAG_ON_FUNC_ENTRY 16	/* at a function's first instruction */

static inline bool kprobe_gone(struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_GONE;
}

static inline bool kprobe_disabled(struct kprobe *p)
{
	return p->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE);
}

static inline bool kprobe_optimized(struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_OPTIMIZED;
}

static inline bool kprobe_ftrace(struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_FTRACE;
}

/**
 * struct kretprobe - a request to be called when a function returns
 * @kp: where the function is
 * @handler: called when a followed call returns
 * @entry_handler: called when it begins; non-zero: do not follow this call
 * @maxactive: calls to follow at once; not positive: as many as there are
 * @nmissed: calls that could not be followed
 * @data_size: bytes of private data for each followed call
 * @rph: what outlives the return probe until its last followed call is over;
 *	set by registration
 *
 * Registration sets the pre and post handler in @kp, but not fault_handler.
 */
struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler;
	kretprobe_handler_t entry_handler;
	int maxactive;
	int nmissed;
	size_t data_size;
	struct kretprobe_holder *rph;
};

/** Upper limit of kretprobe::data_size, in bytes. */
#define KRETPROBE_MAX_DATA_SIZE	4096

/**
 * struct kretprobe_holder - which return probe a followed call belongs to
 * @rp: the return probe; NULL once it is unregistered
 */
struct kretprobe_holder {
	struct kretprobe *rp;
};

/**
 * struct kretprobe_instance - one followed call
 * @node: rethook's; private
 * @llist: the task's followed calls, innermost first
 * @rp: the return probe that began to follow it, for the handlers of that
 * @ret_addr: where the function really returns to
 * @fp: the frame the return address was taken from; private
 * @task: the task that made the call
 * @rph: tells whether that return probe is still registered
 * @data: kretprobe::data_size bytes for the handlers
 */
struct kretprobe_instance {
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	struct rethook_node node;
#endif
	struct llist_node llist;
	struct kretprobe *rp;
	kprobe_opcode_t *ret_addr;
	void *fp;
	struct task_struct *task;
	struct kretprobe_holder *rph;
	char data[] __aligned(sizeof(long));
};

/**
 * get_kretprobe - the return probe that follows a call
 * @ri: the followed call
 *
 * Context: a handler of that return probe.  Unregistering waits for handlers,
 * so the result is never NULL.
 */
static inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return ri->rp;
}

static inline unsigned long
get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return (unsigned long)ri->ret_addr;
}

/**
 * struct jprobe - a request to be called as a function is, with its arguments
 * @kp: where the function is
 * @entry: what to call; has the prototype of the function
 *
 * @entry is called at the function's entry, before it, as a handler.  It ends
 * with jprobe_return() or by returning; the value means nothing.  What it does
 * to its arguments does not reach the function.
 */
struct jprobe {
	struct kprobe kp;
	void *entry;
};

/* For jprobe::entry, as it has always been written. */
#define JPROBE_ENTRY(handler)	((kprobe_opcode_t *)(handler))

#ifdef CONFIG_KPROBES

DECLARE_PER_CPU(struct kprobe *, current_kprobe);

/**
 * kprobe_running - the probe whose handler runs on this CPU
 *
 * Context: preemption disabled.
 * Return: the probe, or NULL where no handler is running.
 */
static inline struct kprobe *kprobe_running(void)
{
	return __this_cpu_read(current_kprobe);
}

int register_kprobe(struct kprobe *p);
void unregister_kprobe(struct kprobe *p);
int register_kprobes(struct kprobe **ps, int num);
void unregister_kprobes(struct kprobe **ps, int num);
int disable_kprobe(struct kprobe *kp);
int enable_kprobe(struct kprobe *kp);

void kprobe_busy_begin(void);
void kprobe_busy_end(void);
#ifdef CONFIG_HOTPLUG_CPU
void kprobe_cpu_leaves(void);
void kprobe_cpu_comes(unsigned int cpu);
#else
static inline void kprobe_cpu_leaves(void) { }
static inline void kprobe_cpu_comes(unsigned int cpu) { }
#endif

kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset);
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset);
bool within_kprobe_blacklist(unsigned long addr);
bool kprobe_patches(unsigned long addr);
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym);
void kprobe_free_init_mem(void);
bool is_kprobe_insn_slot(unsigned long addr);

#ifndef CONFIG_KPROBES_CLASSIC
bool kprobe_fault(struct pt_regs *regs, unsigned int trap);

/*
 * A page fault in a slot is to look as if the original instruction had raised
 * it.  This comes before all that could sleep and before the look-up of a
 * fix-up.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	return !user_mode(regs) && kprobe_fault(regs, trap);
}
#endif

#else /* !CONFIG_KPROBES */

static inline int register_kprobe(struct kprobe *p)
{
	return -EOPNOTSUPP;
}

static inline int register_kprobes(struct kprobe **ps, int num)
{
	return -EOPNOTSUPP;
}

static inline int disable_kprobe(struct kprobe *kp)
{
	return -EOPNOTSUPP;
}

static inline int enable_kprobe(struct kprobe *kp)
{
	return -EOPNOTSUPP;
}

static inline int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
				       unsigned long offset)
{
	return -EOPNOTSUPP;
}

static inline int kprobe_get_kallsym(unsigned int symnum, unsigned long *value,
				     char *type, char *sym)
{
	return -ERANGE;
}

static inline struct kprobe *kprobe_running(void)
{
	return NULL;
}

static inline bool within_kprobe_blacklist(unsigned long addr)
{
	return true;
}

static inline bool kprobe_patches(unsigned long addr)
{
	return false;
}

static inline bool is_kprobe_insn_slot(unsigned long addr)
{
	return false;
}

static inline bool kprobe_fault(struct pt_regs *regs, unsigned int trap)
{
	return false;
}

static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	return false;
}

static inline void unregister_kprobe(struct kprobe *p) { }
static inline void unregister_kprobes(struct kprobe **ps, int num) { }
static inline void kprobe_busy_begin(void) { }
static inline void kprobe_busy_end(void) { }
static inline void kprobe_cpu_leaves(void) { }
static inline void kprobe_cpu_comes(unsigned int cpu) { }
static inline void kprobe_free_init_mem(void) { }

#endif /* CONFIG_KPROBES */

#if defined(CONFIG_KPROBES) && !defined(CONFIG_KPROBES_CLASSIC)
int register_jprobe(struct jprobe *jp);
void unregister_jprobe(struct jprobe *jp);
int register_jprobes(struct jprobe **jps, int num);
void unregister_jprobes(struct jprobe **jps, int num);
int disable_jprobe(struct jprobe *jp);
int enable_jprobe(struct jprobe *jp);
void jprobe_return(void);
#else /* No probes, or a backend that has none of these. */
static inline int register_jprobe(struct jprobe *jp)
{
	return -EOPNOTSUPP;
}

static inline int register_jprobes(struct jprobe **jps, int num)
{
	return -EOPNOTSUPP;
}

static inline int disable_jprobe(struct jprobe *jp)
{
	return -EOPNOTSUPP;
}

static inline int enable_jprobe(struct jprobe *jp)
{
	return -EOPNOTSUPP;
}

static inline void unregister_jprobe(struct jprobe *jp) { }
static inline void unregister_jprobes(struct jprobe **jps, int num) { }
static inline void jprobe_return(void) { }
#endif

#ifdef CONFIG_KRETPROBES

/**
 * struct kretprobe_blackpoint - a function whose return cannot be followed
 * @name: its name
 * @addr: its address, once a return probe has been registered
 */
struct kretprobe_blackpoint {
	const char *name;
	void *addr;
};

extern struct kretprobe_blackpoint kretprobe_blacklist[];

int register_kretprobe(struct kretprobe *rp);
void unregister_kretprobe(struct kretprobe *rp);
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);
int disable_kretprobe(struct kretprobe *rp);
int enable_kretprobe(struct kretprobe *rp);
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return is_rethook_trampoline(addr);
}

static nokprobe_inline unsigned long
kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
			struct llist_node **cur)
{
	return rethook_find_ret_addr(tsk, (unsigned long)fp, cur);
}

static inline void kprobe_flush_task(struct task_struct *tsk) { }
#else
void kprobe_flush_task(struct task_struct *tsk);
void __kretprobe_trampoline(void);
bool is_kretprobe_trampoline(unsigned long addr);
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur);
#endif

#else /* !CONFIG_KRETPROBES */

static inline int register_kretprobe(struct kretprobe *rp)
{
	return -EOPNOTSUPP;
}

static inline int register_kretprobes(struct kretprobe **rps, int num)
{
	return -EOPNOTSUPP;
}

static inline int disable_kretprobe(struct kretprobe *rp)
{
	return -EOPNOTSUPP;
}

static inline int enable_kretprobe(struct kretprobe *rp)
{
	return -EOPNOTSUPP;
}

static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return false;
}

static nokprobe_inline unsigned long
kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
			struct llist_node **cur)
{
	return 0;
}

static inline void unregister_kretprobe(struct kretprobe *rp) { }
static inline void unregister_kretprobes(struct kretprobe **rps, int num) { }
static inline void kprobe_flush_task(struct task_struct *tsk) { }

#endif /* CONFIG_KRETPROBES */

struct ftrace_ops;

#ifdef CONFIG_KPROBES_ON_FTRACE
extern bool kprobe_ftrace_disabled;

void kprobe_ftrace_kill(void);
void kprobe_ftrace_dropped(unsigned long ip);
int ftrace_add_ipmodify(struct ftrace_ops *ops, unsigned long *ips,
			unsigned int nr);
int ftrace_remove_ipmodify(struct ftrace_ops *ops, unsigned long *ips,
			   unsigned int nr);
#else
static inline void kprobe_ftrace_kill(void) { }
static inline void kprobe_ftrace_dropped(unsigned long ip) { }
#endif

#ifdef CONFIG_KPROBE_RELAYS
void kprobe_redirect_begin(struct ftrace_ops *ops,
			   bool (*concerns)(struct ftrace_ops *ops,
					    unsigned long ip));
void kprobe_redirect_end(struct ftrace_ops *ops);
bool ftrace_is_redirected(unsigned long ip);
#else
static inline void
kprobe_redirect_begin(struct ftrace_ops *ops,
		      bool (*concerns)(struct ftrace_ops *ops,
				       unsigned long ip))
{
}

static inline void kprobe_redirect_end(struct ftrace_ops *ops) { }
#endif

#if defined(CONFIG_KPROBES) && defined(CONFIG_OPTPROBES)
void wait_for_kprobe_optimizer(void);
#else
static inline void wait_for_kprobe_optimizer(void) { }
#endif

/* Detours are slots, too: is_kprobe_insn_slot() knows them. */
static inline bool is_kprobe_optinsn_slot(unsigned long addr)
{
	return false;
}

#ifdef CONFIG_KPROBES_CLASSIC
#include <linux/kprobes_classic.h>
#endif

#endif /* _LINUX_KPROBES_H */
