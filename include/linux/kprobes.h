/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: the interface for users of probes.
 *
 * A struct kprobe is one caller's request to be called at one instruction.
 * Users must not touch fields marked "private".  The core's own data about a
 * probed address is in struct kprobe_site (<linux/kprobes_backend.h>).
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
 * @nmissed: number of hits whose handlers could not run
 * @addr: the requested address, or NULL if @symbol_name is set.  Registration
 *	replaces this with the resolved address, after ENDBR (x86) or the setup
 *	of the TOC (powerpc), often even if the probe is refused.
 * @symbol_name: "symbol" or "module:symbol", or NULL if @addr is set; the
 *	core reads this only at registration
 * @offset: bytes from @addr or from the symbol to the instruction
 * @pre_handler: called before the instruction; must return non-zero if it has
 *	set the instruction pointer and the instruction must not be executed
 * @post_handler: called after the instruction
 * @fault_handler: called for a fault in a handler or in the instruction
 * @opcode: the original text at the probed instruction
 * @flags: KPROBE_FLAG_*; users may set KPROBE_FLAG_DISABLED before
 *	registration, and read all flags after it
 *
 * Hits call the handlers that were set at registration, so writing to a
 * registered probe has no effect on hits, except that each fault reads
 * @fault_handler again.
 */
struct kprobe {
	/* private: in the site's list of all probes, newest first */
	struct hlist_node hlist;
	/* in the site's list of enabled probes, newest first (RCU) */
	struct list_head list;
	/* the next enabled probe with a pre handler (RCU) */
	struct kprobe *pre_next;
	/* public: */
	unsigned long nmissed;
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	kprobe_fault_handler_t fault_handler;
	kprobe_opcode_t opcode;
	u32 flags;
	/* private: in the site's list of enabled probes */
	bool enabled;
	u8 kind;			/* enum kprobe_kind */
	/* the probed address this probe is registered at */
	struct kprobe_site *site;
	/* the address of @site while the probe is registered, else 0 */
	unsigned long place;
	/* the handlers that hits call, as they were at registration */
	kprobe_pre_handler_t run_pre;
	kprobe_post_handler_t run_post;
#ifdef CONFIG_KPROBES_CLASSIC
	/* the backend's data, in the struct kprobe of a site */
	struct arch_specific_insn ainsn;
#endif
};

/* enum kprobe_kind - which function registered a probe; private */
enum kprobe_kind {
	KPROBE_KIND_PROBE,
	KPROBE_KIND_RETURN,
	KPROBE_KIND_JPROBE,
};

#define KPROBE_FLAG_GONE	1	/* its text has been freed */
#define KPROBE_FLAG_DISABLED	2	/* disabled by its user */
#define KPROBE_FLAG_OPTIMIZED	4	/* hit through a jump */
#define KPROBE_FLAG_FTRACE	8	/* hit through ftrace */
#define KPROBE_FLAG_ON_FUNC_ENTRY 16	/* at the entry of a function */

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
 * @kp: selects the function; its fault_handler may be set
 * @handler: called when a followed call returns
 * @entry_handler: called at the function's entry, or NULL; must return non-zero
 *	if this call must not be followed
 * @maxactive: maximum number of calls to follow at once; if not positive, the
 *	core chooses a number, and may raise it later
 * @nmissed: number of calls that could not be followed
 * @data_size: bytes of private data for each followed call
 *
 * A return probe follows a call by replacing its return address.  Registration
 * overwrites pre_handler and post_handler of @kp.
 */
struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler;
	kretprobe_handler_t entry_handler;
	int maxactive;
	int nmissed;
	size_t data_size;
	/* private: set by registration; *rph lives until all calls return */
	struct kretprobe_holder *rph;
};

/* Upper limit of kretprobe::data_size, in bytes */
#define KRETPROBE_MAX_DATA_SIZE	4096

/**
 * struct kretprobe_holder - the return probe that followed calls belong to
 * @rp: the return probe; NULL once it is unregistered
 */
struct kretprobe_holder {
	struct kretprobe *rp;
};

/**
 * struct kretprobe_instance - one followed call
 * @llist: in the list of the task's followed calls, innermost first; unused
 *	with rethook
 * @rp: the return probe whose handlers are called
 * @ret_addr: the real return address
 * @task: the task that made the call
 * @rph: the holder, which shows whether @rp is still registered
 * @data: kretprobe::data_size bytes for the handlers
 */
struct kretprobe_instance {
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	/* private: rethook's */
	struct rethook_node node;
	/* public: */
#endif
	struct llist_node llist;
	struct kretprobe *rp;
	kprobe_opcode_t *ret_addr;
	/* private: the frame that the return address was taken from */
	void *fp;
	/* public: */
	struct task_struct *task;
	struct kretprobe_holder *rph;
	char data[] __aligned(sizeof(long));
};

/**
 * get_kretprobe - return the return probe that follows a call
 * @ri: the followed call
 *
 * Context: a handler of that return probe.
 * Return: the return probe; never NULL, because unregistering waits for
 * handlers.
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
 * struct jprobe - a request to be called with a function's arguments
 * @kp: selects the function
 * @entry: called at the function's entry; has the function's prototype
 *
 * @entry runs as a handler, before the function, and ends by returning or by
 * calling jprobe_return().  Its return value is ignored, and if it assigns to
 * its parameters, the probed function still gets the original arguments.
 */
struct jprobe {
	struct kprobe kp;
	void *entry;
};

/* For initializers of jprobe::entry */
#define JPROBE_ENTRY(handler)	((kprobe_opcode_t *)(handler))

#ifdef CONFIG_KPROBES

DECLARE_PER_CPU(struct kprobe *, current_kprobe);

/**
 * kprobe_running - return the probe whose handler is running on this CPU
 *
 * Context: preemption disabled.
 * Return: the probe, a placeholder in a fault handler and after
 * kprobe_busy_begin(), or NULL if no handler is running.
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
int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);
bool kprobe_patches(unsigned long addr);
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym);
void kprobe_free_init_mem(void);
bool is_kprobe_insn_slot(unsigned long addr);

#ifndef CONFIG_KPROBES_CLASSIC
bool kprobe_fault(struct pt_regs *regs, unsigned int trap);

/*
 * Move a page fault in a slot to the original instruction, and pass the fault
 * to fault handlers of probes.  Return true if a handler has handled the fault.
 * The architecture must call this before its own fault handler sleeps or
 * searches the exception tables.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	return !user_mode(regs) && kprobe_fault(regs, trap);
}
#endif

#else /* !CONFIG_KPROBES */

static inline int register_kprobes(struct kprobe **ps, int num)
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

static inline bool kprobe_fault(struct pt_regs *regs, unsigned int trap)
{
	return false;
}

static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	return false;
}

static inline int register_kprobe(struct kprobe *p) { return -EOPNOTSUPP; }
static inline int disable_kprobe(struct kprobe *kp) { return -EOPNOTSUPP; }
static inline int enable_kprobe(struct kprobe *kp) { return -EOPNOTSUPP; }
static inline struct kprobe *kprobe_running(void) { return NULL; }
static inline bool within_kprobe_blacklist(unsigned long addr) { return true; }
static inline bool kprobe_patches(unsigned long addr) { return false; }
static inline bool is_kprobe_insn_slot(unsigned long addr) { return false; }
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
#else /* No probes, or a backend without jprobes */
static inline int register_jprobes(struct jprobe **jps, int num)
{
	return -EOPNOTSUPP;
}

static inline int register_jprobe(struct jprobe *jp) { return -EOPNOTSUPP; }
static inline int disable_jprobe(struct jprobe *jp) { return -EOPNOTSUPP; }
static inline int enable_jprobe(struct jprobe *jp) { return -EOPNOTSUPP; }
static inline void unregister_jprobe(struct jprobe *jp) { }
static inline void unregister_jprobes(struct jprobe **jps, int num) { }
static inline void jprobe_return(void) { }
#endif

#ifdef CONFIG_KRETPROBES

/**
 * struct kretprobe_blackpoint - a function whose return cannot be followed
 * @name: the function's name
 * @addr: its address; set when the first return probe is registered
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

static inline int enable_kretprobe(struct kretprobe *rp) { return -EOPNOTSUPP; }
static inline void unregister_kretprobe(struct kretprobe *rp) { }
static inline void unregister_kretprobes(struct kretprobe **rps, int num) { }
static inline void kprobe_flush_task(struct task_struct *tsk) { }

#endif /* CONFIG_KRETPROBES */

struct ftrace_ops;

#ifdef CONFIG_KPROBES_ON_FTRACE
extern bool kprobe_ftrace_disabled;

void kprobe_ftrace_kill(void);
void kprobe_ftrace_dropped(unsigned long ip, struct pt_regs *regs);
int ftrace_claim_ipmodify(unsigned long ip);
void ftrace_release_ipmodify(unsigned long ip);
#else
static inline void kprobe_ftrace_kill(void) { }
static inline void kprobe_ftrace_dropped(unsigned long i, struct pt_regs *r) { }
#endif

#ifdef CONFIG_KPROBE_SKIP_FTRACE
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
static inline bool ftrace_is_redirected(unsigned long ip) { return false; }
#endif

#if defined(CONFIG_KPROBES) && defined(CONFIG_OPTPROBES)
void wait_for_kprobe_optimizer(void);
#else
static inline void wait_for_kprobe_optimizer(void) { }
#endif

/* is_kprobe_insn_slot() also covers detours. */
static inline bool is_kprobe_optinsn_slot(unsigned long addr) { return false; }

#ifdef CONFIG_KPROBES_CLASSIC
#include <linux/kprobes_classic.h>
#endif

#endif /* _LINUX_KPROBES_H */
