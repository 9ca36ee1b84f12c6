// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls of the API: every pair of calls in every state of a probe, every offset
 * of many functions, and the text of a module that is loaded and removed.
 */
#include <linux/ctype.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "same.h"

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static int ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/*
 * A probe of either kind; @extra is the original of a copy.  Linux 6.12 crashes
 * if an unregistered return probe is unregistered, so @owned and @extra_owned
 * record which are registered.
 */
struct subject {
	bool is_return;
	struct kretprobe rp;
	struct kretprobe extra;
	bool owned;
	bool extra_owned;
};

static struct kprobe *kprobe_of(struct subject *s)
{
	return &s->rp.kp;
}

enum call { REGISTER, UNREGISTER, DISABLE, ENABLE, NR_CALLS };
static const char * const call_names[] = {
	"register", "unregister", "disable", "enable",
};

static bool *owned(struct subject *s, struct kretprobe *rp)
{
	return rp == &s->rp ? &s->owned : &s->extra_owned;
}

static int call(struct subject *s, struct kretprobe *rp, enum call which)
{
	int rc;

	switch (which) {
	case REGISTER:
		rc = s->is_return ? register_kretprobe(rp) :
				    register_kprobe(&rp->kp);
		if (!rc)
			*owned(s, rp) = true;
		return rc;
	case UNREGISTER:
		if (!s->is_return)
			unregister_kprobe(&rp->kp);
		else if (*owned(s, rp))
			unregister_kretprobe(rp);
		*owned(s, rp) = false;
		return 0;
	case DISABLE:
		return s->is_return ? disable_kretprobe(rp) :
				      disable_kprobe(&rp->kp);
	case ENABLE:
		return s->is_return ? enable_kretprobe(rp) :
				      enable_kprobe(&rp->kp);
	case NR_CALLS:
		break;
	}
	return -EINVAL;
}

/*
 * @history has a letter for each step that leads to the state: lower case for a
 * call with the subject, upper case for one with its @extra; 'x' copies the
 * subject to @extra, 'c' copies @extra back.
 */
static const struct state {
	const char *name;
	const char *symbol;
	void *addr;
	unsigned int offset;
	u32 flags;
	bool no_handler;
	const char *history;
} states[] = {
	{ "zeroed", .no_handler = true },
	{ "fresh-symbol", "same_traced" },
	{ "fresh-addr", .addr = same_traced },
	{ "fresh-offset", "same_traced", .offset = 1 },
	{ "both", "same_traced", same_traced },
	{ "neither" },
	{ "flag-disabled", "same_traced", .flags = KPROBE_FLAG_DISABLED },
	{ "flag-gone", "same_traced", .flags = KPROBE_FLAG_GONE },
	{ "flag-optimized", "same_traced", .flags = KPROBE_FLAG_OPTIMIZED },
	{ "flag-ftrace", "same_traced", .flags = KPROBE_FLAG_FTRACE },
	{ "flag-unknown", "same_traced", .flags = 0x80000000 },
	{ "registered", "same_traced", .history = "r" },
	{ "disabled", "same_traced", .history = "rd" },
	{ "was-registered", "same_traced", .history = "ru" },
	{ "refused", "notify_die", .history = "r" },
	{ "no-symbol", "same_has_no_such_function" },
	{ "copy", "same_traced", .history = "xRc" },
	{ "copy-of-disabled", "same_traced", .history = "xRDc" },
	{ "copy-of-removed", "same_traced", .history = "xRcU" },
	{ "beside-another", "same_traced", .history = "xR" },
	{ "no-handler", "same_traced", .no_handler = true },
};

/* Bring a zeroed subject into a state. */
static void bring_to(struct subject *s, const struct state *state)
{
	struct kprobe *p = kprobe_of(s);
	const char *step;

	p->symbol_name = state->symbol;
	p->addr = state->addr;
	p->offset = state->offset;
	p->flags = state->flags;
	if (!state->no_handler && s->is_return)
		s->rp.handler = ret;
	else if (!state->no_handler)
		p->pre_handler = pre;

	for (step = state->history ?: ""; *step; step++) {
		struct kretprobe *rp = isupper(*step) ? &s->extra : &s->rp;

		switch (tolower(*step)) {
		case 'x':
			s->extra = s->rp;
			break;
		case 'c':
			s->rp = s->extra;
			break;
		case 'r':
			call(s, rp, REGISTER);
			break;
		case 'd':
			call(s, rp, DISABLE);
			break;
		case 'u':
			call(s, rp, UNREGISTER);
			break;
		}
	}
}

static void note_probe(const char *key, const char *when, int result,
		       const struct kprobe *p)
{
	char name[KSYM_SYMBOL_LEN];

	/* Optimization is asynchronous, and only entries have [FTRACE]. */
	same_note("%s/%s = %d addr %s symbol %s flags %s%s\n",
		  key, when, result, same_symbol(name, p->addr),
		  p->symbol_name ?: "NULL",
		  p->flags & KPROBE_FLAG_DISABLED ? "D" : "-",
		  p->flags & KPROBE_FLAG_GONE ? "G" : "-");
}

static void pair_in_state(bool is_return, const struct state *state,
			  enum call first, enum call second)
{
	struct subject *s = kzalloc(sizeof(*s), GFP_KERNEL);
	char key[128];

	if (!s)
		return;
	s->is_return = is_return;
	bring_to(s, state);

	snprintf(key, sizeof(key), "calls/%s/%s/%s-%s",
		 is_return ? "kretprobe" : "kprobe", state->name,
		 call_names[first], call_names[second]);
	note_probe(key, "first", call(s, &s->rp, first), kprobe_of(s));
	note_probe(key, "second", call(s, &s->rp, second), kprobe_of(s));

	/* Remove all probes of the subject before it is freed. */
	call(s, &s->rp, UNREGISTER);
	call(s, &s->extra, UNREGISTER);
	kfree(s);
}

static void all_pairs(void)
{
	int state, first, second, kind;

	for (kind = 0; kind < 2; kind++)
		for (state = 0; state < ARRAY_SIZE(states); state++)
			for (first = 0; first < NR_CALLS; first++)
				for (second = 0; second < NR_CALLS; second++)
					pair_in_state(kind, &states[state],
						      first, second);
}

/*
 * Places
 */

static void try_place(const char *symbol, unsigned int offset, bool is_return)
{
	struct kretprobe rp = {
		.handler = ret,
		.kp = {
			.symbol_name = symbol,
			.offset = offset,
			.pre_handler = is_return ? NULL : pre,
		},
	};
	int rc = is_return ? register_kretprobe(&rp) : register_kprobe(&rp.kp);
	char name[KSYM_SYMBOL_LEN];

	same_note("place/%s/%s+%u = %d addr %s\n",
		  is_return ? "kretprobe" : "kprobe", symbol, offset, rc,
		  same_symbol(name, rp.kp.addr));
	if (rc)
		return;
	if (is_return)
		unregister_kretprobe(&rp);
	else
		unregister_kprobe(&rp.kp);
}

/*
 * Functions of files that neither kernel changes, of each kind of text, and
 * symbols that are no text.
 */
static const char * const places[] = {
	"vfs_read", "ksys_write", "do_sys_openat2", "kmalloc_trace_noprof",
	"__kmalloc_noprof", "schedule", "__schedule", "preempt_schedule",
	"do_idle", "default_idle", "do_nmi", "exc_nmi", "asm_exc_int3",
	"exc_int3", "entry_SYSCALL_64", "do_syscall_64",
	"syscall_return_slowpath", "notify_die", "memcpy", "memset", "strlen",
	"_raw_spin_lock", "_raw_spin_lock_irqsave", "native_read_msr",
	"clear_page_rep", "copy_user_generic", "__get_user_4", "__put_user_4",
	"rcu_read_lock_any_held", "panic", "do_exit", "kernel_clone",
	"try_to_wake_up", "wake_up_process", "hrtimer_interrupt",
	"tick_nohz_idle_enter", "sched_clock", "ktime_get", "printk",
	"_printk", "vprintk", "search_exception_tables", "do_page_fault",
	"exc_page_fault", "__x64_sys_getppid", "ftrace_caller",
	"ftrace_regs_caller", "__fentry__", "start_kernel", "rest_init",
	"jiffies", "linux_banner", "_stext", "_etext", "__init_begin",
	"ret_from_fork_asm", "return_to_handler", "text_poke", "text_poke_bp",
	"poke_int3_handler", "mutex_lock", "kprobe_target_function",
	"kprobe_target:kprobe_target_function",
	"nomodule:kprobe_target_function", "kprobe_target:vfs_read",
	":vfs_read", "vfs_read:", "", " vfs_read", "kprobe_target_forbidden",
	"kprobe_target_branch", "kprobe_target_static", "same_traced",
	"same_plain", "same_jump", "same_skipped", "__x86_indirect_thunk_rax",
	"__x86_return_thunk", "native_sched_clock",
};

static void all_places(void)
{
	unsigned int offset;
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		for (offset = 0; offset < 24; offset++) {
			try_place(places[i], offset, false);
			try_place(places[i], offset, true);
		}
}

/*
 * Arrays and limits
 */

static void try_array(const char *name, int num, int bad)
{
	static const char * const symbols[] = {
		"vfs_read", "vfs_write", "ksys_read", "ksys_write",
	};
	struct kprobe p[4] = { };
	struct kprobe *list[4];
	char symbol[KSYM_SYMBOL_LEN];
	int i, rc;

	for (i = 0; i < 4; i++) {
		p[i].symbol_name = i == bad ? "notify_die" : symbols[i];
		p[i].pre_handler = pre;
		list[i] = &p[i];
	}
	if (bad == 100)
		list[3] = list[0];
	rc = register_kprobes(list, num);
	same_note("array/%s/register = %d\n", name, rc);
	for (i = 0; i < 4; i++)
		same_note("array/%s/%d = addr %s disable %d\n", name, i,
			  same_symbol(symbol, p[i].addr),
			  disable_kprobe(&p[i]));
	unregister_kprobes(list, bad == 100 ? 3 : 4);
	for (i = 0; i < 4; i++)
		same_note("array/%s/%d/after = addr %s\n", name, i,
			  same_symbol(symbol, p[i].addr));
}

static void try_limits(const char *name, int maxactive, size_t data_size)
{
	struct kretprobe rp = {
		.kp.symbol_name = "same_traced",
		.handler = ret,
		.maxactive = maxactive,
		.data_size = data_size,
	};
	int rc = register_kretprobe(&rp);

	same_note("limits/%s = %d maxactive %s nmissed %d\n", name, rc,
		  rp.maxactive == maxactive ? "kept" : "changed", rp.nmissed);
	if (!rc)
		unregister_kretprobe(&rp);
}

static void arrays(void)
{
	try_array("all", 4, -1);
	try_array("none", 0, -1);
	try_array("negative", -1, -1);
	try_array("first-bad", 4, 0);
	try_array("third-bad", 4, 2);
	try_array("last-bad", 4, 3);
	try_array("one-twice", 4, 100);
	try_limits("maxactive-0", 0, 0);
	try_limits("maxactive-negative", -5, 0);
	try_limits("maxactive-1", 1, 0);
	try_limits("maxactive-4096", 4096, 0);
	try_limits("data-4096", 1, 4096);
	try_limits("data-4097", 1, 4097);
	try_limits("data-huge", 1, 1UL << 40);
	same_note("null/register_kprobes = %d\n", register_kprobes(NULL, 0));
	same_note("null/register_kretprobes = %d\n",
		  register_kretprobes(NULL, 0));
}

/* A module that is loaded and removed */

static const char *stage;

static void try_stage(struct module *mod, const char *what, const char *symbol)
{
	struct kretprobe rp = {
		.kp.symbol_name = symbol,
		.handler = ret,
	};
	struct kprobe p = { .symbol_name = symbol, .pre_handler = pre };
	int rc = register_kprobe(&p);

	if (!rc)
		unregister_kprobe(&p);
	same_note("module/%s/%s/kprobe = %d\n", stage, what, rc);
	rc = register_kretprobe(&rp);
	if (!rc)
		unregister_kretprobe(&rp);
	same_note("module/%s/%s/kretprobe = %d\n", stage, what, rc);
}

static int module_event(struct notifier_block *nb, unsigned long event,
			void *data, const char *priority)
{
	static const char * const names[] = {
		[MODULE_STATE_LIVE] = "live", [MODULE_STATE_COMING] = "coming",
		[MODULE_STATE_GOING] = "going",
		[MODULE_STATE_UNFORMED] = "unformed",
	};
	struct module *mod = data;
	char name[32];

	if (strcmp(mod->name, "kprobe_target"))
		return NOTIFY_DONE;
	snprintf(name, sizeof(name), "%s-%s", names[event], priority);
	stage = name;
	try_stage(mod, "function", "kprobe_target_function");
	try_stage(mod, "qualified", "kprobe_target:kprobe_target_function");
	try_stage(mod, "init", "kprobe_target:init_module");
	try_stage(mod, "forbidden", "kprobe_target_forbidden");
	return NOTIFY_DONE;
}

static int event_first(struct notifier_block *nb, unsigned long event,
		       void *data)
{
	return module_event(nb, event, data, "first");
}

static int event_last(struct notifier_block *nb, unsigned long event,
		      void *data)
{
	return module_event(nb, event, data, "last");
}

static struct notifier_block first_block = {
	.notifier_call = event_first,
	.priority = INT_MAX,
};

static struct notifier_block last_block = {
	.notifier_call = event_last,
	.priority = INT_MIN + 10,
};

static bool watching;

/* Probes on the text of a module that is unloaded. */
static struct subject gone[2][NR_CALLS][NR_CALLS];

static const struct state in_module[] = {
	{ "enabled", "kprobe_target_function", .history = "r" },
	{ "disabled", "kprobe_target_function", .flags = KPROBE_FLAG_DISABLED,
	  .history = "r" },
};

static void gone_prepare(void)
{
	int kind, first, second;

	memset(gone, 0, sizeof(gone));
	for (kind = 0; kind < 2; kind++)
		for (first = 0; first < NR_CALLS; first++)
			for (second = 0; second < NR_CALLS; second++) {
				struct subject *s = &gone[kind][first][second];

				s->is_return = kind;
				bring_to(s, &in_module[first == second]);
			}
}

static void gone_pairs(void)
{
	int kind, first, second;
	char key[128];

	for (kind = 0; kind < 2; kind++)
		for (first = 0; first < NR_CALLS; first++)
			for (second = 0; second < NR_CALLS; second++) {
				struct subject *s = &gone[kind][first][second];

				snprintf(key, sizeof(key),
					 "gone/%s/%s-%s",
					 kind ? "kretprobe" : "kprobe",
					 call_names[first], call_names[second]);
				note_probe(key, "before", 0, kprobe_of(s));
				note_probe(key, "first",
					   call(s, &s->rp, first),
					   kprobe_of(s));
				note_probe(key, "second",
					   call(s, &s->rp, second),
					   kprobe_of(s));
			}
}

static void gone_remove(void)
{
	int kind, first, second;

	for (kind = 0; kind < 2; kind++)
		for (first = 0; first < NR_CALLS; first++)
			for (second = 0; second < NR_CALLS; second++) {
				struct subject *s = &gone[kind][first][second];

				call(s, &s->rp, UNREGISTER);
			}
}

bool same_calls(const char *command)
{
	if (!strcmp(command, "calls"))
		all_pairs();
	else if (!strcmp(command, "places"))
		all_places();
	else if (!strcmp(command, "arrays"))
		arrays();
	else if (!strcmp(command, "watch") && !watching)
		watching = !register_module_notifier(&first_block) &&
			   !register_module_notifier(&last_block);
	else if (!strcmp(command, "gone-prepare"))
		gone_prepare();
	else if (!strcmp(command, "gone"))
		gone_pairs();
	else if (!strcmp(command, "gone-remove"))
		gone_remove();
	else
		return false;
	return true;
}

void same_calls_exit(void)
{
	if (!watching)
		return;
	unregister_module_notifier(&first_block);
	unregister_module_notifier(&last_block);
}
