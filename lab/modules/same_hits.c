// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits: the order of the handlers of every pair of kinds of probes at one
 * address, and the state that handlers see and change, by a trap, a jump and
 * ftrace.
 */
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "same.h"

/* A function whose entry calls ftrace. */
noinline __noclone int same_traced(int a, int b)
{
	barrier();
	return a * 2 + b;
}

/*
 * The same without a call of ftrace.  An optimized probe at same_jump covers
 * the instruction of four bytes and the NOP.
 */
asm(".text\n\t"
	".globl same_jump, same_skipped\n\t"
	".type same_jump, @function\n\t"
	".type same_skipped, @function\n\t"
	".balign 16\n"
	"same_jump:\n\t"
	"lea (%rsi,%rdi,2),%eax\n\t"
	"nopl 0(%rax,%rax,1)\n\t"
	"nop\n\t"
	ASM_RET
	".size same_jump, . - same_jump\n\t"
	".balign 16\n"
	"same_skipped:\n\t"
	"mov $-1,%eax\n\t"
	ASM_RET
	".size same_skipped, . - same_skipped\n");

noinline notrace __noclone int same_plain(int a, int b)
{
	barrier();
	return a * 2 + b;
}

/* A way to hit the function, and how to call it. */
struct way {
	const char *name;
	int (*fn)(int a, int b);
	bool jump;
};

static const struct way ways[] = {
	{ "ftrace", same_traced, false },
	{ "jump", same_jump, true },
	{ "trap", same_jump, false },
};

/* Probes that record when their handlers run */

enum kind { KPROBE, POST, RETURN, ENTRY, NR_KINDS };
static const char kind_letters[] = "kpre";

struct probe {
	enum kind kind;
	int number;
	struct kretprobe rp;
	bool registered;
};

static char order[256];

static void write_down(struct probe *probe, char handler)
{
	char word[8];

	snprintf(word, sizeof(word), "%c%d%c ", kind_letters[probe->kind],
		 probe->number, handler);
	strlcat(order, word, sizeof(order));
}

static int order_pre(struct kprobe *p, struct pt_regs *regs)
{
	write_down(container_of(p, struct probe, rp.kp), '<');
	return 0;
}

static void order_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	write_down(container_of(p, struct probe, rp.kp), '>');
}

static int order_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	write_down(container_of(rp, struct probe, rp), '[');
	return 0;
}

static int order_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	write_down(container_of(rp, struct probe, rp), ']');
	return 0;
}

static int probe_register(struct probe *probe, enum kind kind, int number,
			  const struct way *way)
{
	int rc;

	memset(probe, 0, sizeof(*probe));
	probe->kind = kind;
	probe->number = number;
	probe->rp.kp.addr = (void *)way->fn;
	switch (kind) {
	case POST:
		probe->rp.kp.post_handler = order_post;
		fallthrough;
	case KPROBE:
		probe->rp.kp.pre_handler = order_pre;
		rc = register_kprobe(&probe->rp.kp);
		break;
	case ENTRY:
		probe->rp.entry_handler = order_entry;
		fallthrough;
	case RETURN:
		probe->rp.handler = order_return;
		rc = register_kretprobe(&probe->rp);
		break;
	default:
		return -EINVAL;
	}
	probe->registered = !rc;
	return rc;
}

static void probe_unregister(struct probe *probe)
{
	if (!probe->registered)
		return;
	if (probe->kind == RETURN || probe->kind == ENTRY)
		unregister_kretprobe(&probe->rp);
	else
		unregister_kprobe(&probe->rp.kp);
	probe->registered = false;
}

static void probe_enable(struct probe *probe, bool on)
{
	if (on)
		enable_kprobe(&probe->rp.kp);
	else
		disable_kprobe(&probe->rp.kp);
}

/* Wait until the address is a jump, if possible, and then call. */
static int call_way(const struct way *way, const struct kprobe *p)
{
	int i;

	for (i = 0; way->jump && i < 50; i++) {
		if (READ_ONCE(p->flags) & KPROBE_FLAG_OPTIMIZED)
			break;
		msleep(20);
	}
	order[0] = '\0';
	return way->fn(3, 4);
}

static const char *mechanism(const struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_FTRACE ? "ftrace" :
	       p->flags & KPROBE_FLAG_OPTIMIZED ? "jump" : "trap";
}

/*
 * Up to three probes, of kinds by letters; each disabled and enabled once.  On
 * a call of ftrace, Linux 6.12 cannot remove probes with and without a post
 * handler from the same address, so these are not compared.
 */
static void try_order(const struct way *way, const enum kind *kinds, int nr)
{
	static struct probe probes[3];
	int i, result, posts = 0;
	char name[4] = "";

	for (i = 0; i < nr; i++) {
		name[i] = kind_letters[kinds[i]];
		posts += kinds[i] == POST;
	}
	if (way->fn == same_traced && posts && posts < nr)
		return;
	for (i = 0; i < nr; i++)
		if (probe_register(&probes[i], kinds[i], i, way))
			same_note("order/%s/%s/refused = %d\n", way->name,
				  name, i);
	result = call_way(way, &probes[0].rp.kp);
	same_note("order/%s/%s = %s(%d)\n", way->name, name, order, result);
	for (i = 0; i < nr; i++) {
		probe_enable(&probes[i], false);
		way->fn(3, 4);
		order[0] = '\0';
		result = way->fn(3, 4);
		same_note("order/%s/%s/without-%d = %s(%d)\n", way->name, name,
			  i, order, result);
		probe_enable(&probes[i], true);
		order[0] = '\0';
		result = way->fn(3, 4);
		same_note("order/%s/%s/again-%d = %s(%d)\n", way->name, name,
			  i, order, result);
	}
	for (i = 0; i < nr; i++) {
		same_note("order/%s/%s/nmissed-%d = %lu %d\n", way->name, name,
			  i, probes[i].rp.kp.nmissed, probes[i].rp.nmissed);
		probe_unregister(&probes[i]);
		order[0] = '\0';
		result = way->fn(3, 4);
		same_note("order/%s/%s/removed-%d = %s(%d)\n", way->name, name,
			  i, order, result);
	}
}

static void all_orders(void)
{
	enum kind kinds[3];
	int w;

	for (w = 0; w < ARRAY_SIZE(ways); w++) {
		if (ways[w].jump)
			continue;
		for (kinds[0] = 0; kinds[0] < NR_KINDS; kinds[0]++) {
			try_order(&ways[w], kinds, 1);
			for (kinds[1] = 0; kinds[1] < NR_KINDS; kinds[1]++) {
				try_order(&ways[w], kinds, 2);
				kinds[2] = kinds[0];
				try_order(&ways[w], kinds, 3);
			}
		}
	}
}

/* Only probes without post handlers can use a jump. */
static void jump_orders(void)
{
	static const enum kind kinds[][3] = {
		{ KPROBE, KPROBE, KPROBE }, { RETURN, RETURN, RETURN },
		{ KPROBE, RETURN, KPROBE }, { RETURN, KPROBE, RETURN },
		{ ENTRY, KPROBE, ENTRY },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		try_order(&ways[1], kinds[i], 3);
}

/*
 * The context and registers of handlers
 */

static const struct way *seen_way;
static const char *seen_kind;
static int base_count;

/* The function alone: the two kernels' headers compile callers differently. */
static const char *same_function(char name[KSYM_SYMBOL_LEN], const void *addr)
{
	if (same_symbol(name, addr) != name)
		return addr ? "none" : "NULL";
	return strsep(&name, "+");
}

static void see(const char *handler, struct kprobe *p, struct pt_regs *regs,
		unsigned long flags)
{
	char ip[KSYM_SYMBOL_LEN], addr[KSYM_SYMBOL_LEN];

	snprintf(order, sizeof(order), "seen/%s/%s/%s", seen_way->name,
		 seen_kind, handler);
	same_note("%s/mechanism = %s\n", order, mechanism(p));
	same_note("%s/ip = %s addr %s\n", order,
		  strcmp(handler, "return") ?
		  same_symbol(ip, (void *)regs->ip) :
		  same_function(ip, (void *)regs->ip),
		  same_symbol(addr, p->addr));
	same_note("%s/args = %d %d\n", order, (int)regs->di, (int)regs->si);
	same_note("%s/segments = cs %x ss %x\n", order, (int)regs->cs,
		  (int)regs->ss);
	same_note("%s/eflags = if %d tf %d rest %lx flags %lx\n", order,
		  !!(regs->flags & X86_EFLAGS_IF),
		  !!(regs->flags & X86_EFLAGS_TF),
		  regs->flags & (X86_EFLAGS_DF | X86_EFLAGS_NT |
				 X86_EFLAGS_RF | X86_EFLAGS_AC), flags);
	same_note("%s/word = %s\n", order,
		  same_function(addr, *(void **)kernel_stack_pointer(regs)));
	same_note("%s/orig_ax = %ld\n", order, (long)regs->orig_ax);
	same_note("%s/irqs = %s\n", order, irqs_disabled() ? "off" : "on");
	same_note("%s/context = nmi %d hardirq %d softirq %d\n", order,
		  !!in_nmi(), !!in_hardirq(), !!in_serving_softirq());
	same_note("%s/preemption = %s\n", order,
		  preempt_count() == base_count ? "as before" : "off");
}

static int see_pre(struct kprobe *p, struct pt_regs *regs)
{
	see("pre", p, regs, 0);
	return 0;
}

static void see_post(struct kprobe *p, struct pt_regs *regs,
		     unsigned long flags)
{
	see("post", p, regs, flags);
}

static int see_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	see("entry", &get_kretprobe(ri)->kp, regs, 0);
	return 0;
}

static int see_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	char name[KSYM_SYMBOL_LEN];

	see("return", &get_kretprobe(ri)->kp, regs, 0);
	same_note("%s/ret_addr = %s value %lu\n", order,
		  same_function(name, (void *)get_kretprobe_retaddr(ri)),
		  regs_return_value(regs));
	return 0;
}

static void see_way(const struct way *way)
{
	struct kretprobe rp = {
		.kp.addr = (void *)way->fn,
		.entry_handler = see_entry,
		.handler = see_return,
	};
	struct kprobe p = { .addr = (void *)way->fn, .pre_handler = see_pre };

	base_count = preempt_count();
	seen_way = way;
	seen_kind = "kprobe";
	if (!register_kprobe(&p)) {
		call_way(way, &p);
		unregister_kprobe(&p);
	}
	seen_kind = "kretprobe";
	if (!register_kretprobe(&rp)) {
		call_way(way, &rp.kp);
		unregister_kretprobe(&rp);
	}
	if (way->jump)
		return;
	memset(&p, 0, sizeof(p));
	p.addr = (void *)way->fn;
	p.post_handler = see_post;
	p.pre_handler = see_pre;
	seen_kind = "with-post";
	if (!register_kprobe(&p)) {
		call_way(way, &p);
		unregister_kprobe(&p);
	}
}

/*
 * Changes by handlers, and the count of hits in a handler
 */

enum change { ARGUMENT, IP_TAKEN, IP_NOT_TAKEN, IP_TAKEN_AFTER, NR_CHANGES };
static const char * const change_names[] = {
	"argument", "ip-taken", "ip-not-taken", "ip-taken-after-other",
};

static enum change change;

static int change_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (change == ARGUMENT) {
		regs->di = 100;
		return 0;
	}
	instruction_pointer_set(regs, (unsigned long)same_skipped);
	return change != IP_NOT_TAKEN;
}

static unsigned int others;

static int count_other(struct kprobe *p, struct pt_regs *regs)
{
	others++;
	return 0;
}

static void change_way(const struct way *way)
{
	int result;

	for (change = 0; change < NR_CHANGES; change++) {
		struct kprobe p = {
			.addr = (void *)way->fn,
			.pre_handler = change_pre,
		};
		struct kprobe other = {
			.addr = (void *)way->fn,
			.pre_handler = count_other,
		};

		others = 0;
		if (change == IP_TAKEN_AFTER)
			register_kprobe(&other);
		register_kprobe(&p);
		result = call_way(way, &p);
		same_note("change/%s/%s = %d by %s, others %u\n", way->name,
			  change_names[change], result, mechanism(&p), others);
		unregister_kprobe(&p);
		if (change == IP_TAKEN_AFTER)
			unregister_kprobe(&other);
	}
}

static const struct way *inner_way;

static int nest_pre(struct kprobe *p, struct pt_regs *regs)
{
	inner_way->fn(1, 2);
	return 0;
}

static int no_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* A handler that calls a probed function. */
static void nest(const struct way *way)
{
	struct kretprobe rp = {
		.kp.addr = (void *)way->fn,
		.handler = no_return,
		.maxactive = 4,
	};
	struct kprobe inner = {
		.addr = (void *)way->fn,
		.pre_handler = count_other,
	};
	struct kprobe outer = {
		.symbol_name = "same_plain",
		.pre_handler = nest_pre,
	};

	inner_way = way;
	others = 0;
	if (register_kprobe(&inner) || register_kretprobe(&rp) ||
	    register_kprobe(&outer)) {
		same_note("nested/%s = refused\n", way->name);
		return;
	}
	call_way(way, &inner);
	same_plain(1, 2);
	same_note("nested/%s = hits %u missed %lu %lu %d\n", way->name, others,
		  inner.nmissed, rp.kp.nmissed, rp.nmissed);
	unregister_kprobe(&outer);
	unregister_kretprobe(&rp);
	unregister_kprobe(&inner);
}

bool same_hits(const char *command)
{
	int w;

	if (!strcmp(command, "orders")) {
		all_orders();
	} else if (!strcmp(command, "jump-orders")) {
		jump_orders();
	} else if (!strcmp(command, "seen")) {
		for (w = 0; w < ARRAY_SIZE(ways); w++)
			if (!ways[w].jump)
				see_way(&ways[w]);
	} else if (!strcmp(command, "change")) {
		for (w = 0; w < ARRAY_SIZE(ways); w++)
			if (!ways[w].jump)
				change_way(&ways[w]);
	} else if (!strcmp(command, "nested")) {
		for (w = 0; w < ARRAY_SIZE(ways); w++)
			if (!ways[w].jump)
				nest(&ways[w]);
	} else if (!strcmp(command, "jump-seen")) {
		see_way(&ways[1]);
	} else if (!strcmp(command, "jump-change")) {
		change_way(&ways[1]);
	} else if (!strcmp(command, "jump-nested")) {
		nest(&ways[1]);
	} else {
		return false;
	}
	return true;
}
