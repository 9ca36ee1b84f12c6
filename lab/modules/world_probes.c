// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_world: the probes of a slice, and their counts.
 *
 * The address of an instruction and the seed alone decide its kind of probe.
 * Hits are counted between two moments at which no CPU is in a handler.  Probes
 * at one address share their hits, so all probes there that were not switched
 * in between must have equal counts.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes_hit.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_buf.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>
#include "lookup.h"
#include "world.h"

enum kind {
	KIND_PRE,
	KIND_POST,	/* a pre handler as well */
	KIND_RETURN,
	KIND_JPROBE,
	KIND_SKIP,	/* its pre handler emulates the instruction */
	KINDS
};

static const char * const kind_names[KINDS] = {
	"pre", "post", "return", "jprobe", "skip",
};

/* A probed instruction. */
struct spot {
	unsigned long addr;
	const u8 *code;			/* a copy */
	u8 len;
	u8 kind;			/* enum kind */
	u8 how;				/* enum world_skip */
	bool has_twin;			/* @twin is used */
	bool toggled;			/* switched all the time */
	bool on;			/* registered */
	bool off;			/* disabled */
	union {
		/* For KIND_PRE, KIND_POST and KIND_SKIP. */
		struct kprobe p;
		struct kretprobe rp;	/* for KIND_RETURN */
		struct jprobe jp;	/* for KIND_JPROBE */
	};
	struct kprobe twin;		/* another probe at the same address */
	atomic_long_t pre;		/* hits */
	atomic_long_t twin_pre;		/* hits of @twin */
	atomic_long_t post;		/* or returns */
	/* First nmissed at the start of counting, then misses since then. */
	unsigned long missed;
};

/* Data from the entry handler of a followed call for its return handler. */
struct followed {
	struct spot *spot;
	unsigned long check;
};

/* Tasks that may be between the two handlers of a hit when counting ends. */
#define BETWEEN		16

static struct spot *spots;
static unsigned int max_spots, nr_spots, nr_toggled, left_out;
static struct kprobe **kprobes;
static struct kretprobe **kretprobes;
static struct jprobe **jprobes;
static unsigned int nr_kprobes, nr_kretprobes, nr_jprobes;
static enum world_mode mode;
static u64 seed;
static bool still;
static struct rnd_state dice;

static bool counting;
static atomic_long_t astray;
static unsigned long astray_at;

static unsigned long refused[KPROBE_NR_REFUSALS], tried, walked;
static unsigned long probed[KINDS], skipped[WORLD_SKIPS];

/* Progress: incremented for each probe. */
unsigned long world_progress;

static enum kprobe_refusal (*refusal_at)(void *addr, const char *symbol,
					 unsigned long offset);
static const void *(*fixup_at)(unsigned long addr);
/* The variable that kprobe_running() reads; it is not exported. */
static struct kprobe * __percpu *running;

/*
 * Handlers.  They are notrace, because the function tracer's own functions are
 * probed: each hit would cause hundreds of missed ones.
 */

static __always_inline void look(struct kprobe *p, struct pt_regs *regs)
{
	if (likely(instruction_pointer(regs) == (unsigned long)p->site->addr +
						IS_ENABLED(CONFIG_X86) &&
		   *this_cpu_ptr(running) == p && irqs_disabled()))
		return;
	atomic_long_inc(&astray);
	astray_at = (unsigned long)p->addr;
}

static notrace int world_pre(struct kprobe *p, struct pt_regs *regs)
{
	look(p, regs);
	if (READ_ONCE(counting))
		atomic_long_inc(&container_of(p, struct spot, p)->pre);
	return 0;
}

static notrace void world_post(struct kprobe *p, struct pt_regs *regs,
			       unsigned long flags)
{
	if (READ_ONCE(counting))
		atomic_long_inc(&container_of(p, struct spot, p)->post);
}

static notrace int world_twin(struct kprobe *p, struct pt_regs *regs)
{
	look(p, regs);
	if (READ_ONCE(counting))
		atomic_long_inc(&container_of(p, struct spot, twin)->twin_pre);
	return 0;
}

static notrace int world_skip_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct spot *s = container_of(p, struct spot, p);

	world_pre(p, regs);
	world_skip(s->how, s->addr, s->code, s->len, regs);
	return 1;
}

static notrace int world_follow(struct kretprobe_instance *ri,
				struct pt_regs *regs)
{
	struct spot *s = container_of(get_kretprobe(ri), struct spot, rp);
	struct followed *f = (void *)ri->data;

	f->spot = s;
	f->check = READ_ONCE(counting) ? (unsigned long)current : 0;
	if (f->check)
		atomic_long_inc(&s->pre);
	return 0;
}

static notrace int world_return(struct kretprobe_instance *ri,
				struct pt_regs *regs)
{
	struct spot *s = container_of(get_kretprobe(ri), struct spot, rp);
	struct followed *f = (void *)ri->data;

	if (f->spot != s || (f->check && f->check != (unsigned long)current)) {
		atomic_long_inc(&astray);
		astray_at = s->addr;
	}
	if (f->check && READ_ONCE(counting))
		atomic_long_inc(&s->post);
	return 0;
}

/* Called in place of functions of any prototype. */
static notrace void world_jprobe(void)
{
	struct kprobe *p = *this_cpu_ptr(running);

	if (READ_ONCE(counting))
		atomic_long_inc(&container_of(p, struct spot, jp.kp)->pre);
	jprobe_return();
}

/*
 * One probe
 */

/* Hash @addr with the seed. */
static u64 roll(unsigned long addr, unsigned int salt)
{
	u64 x = addr ^ (seed + salt) * GOLDEN_RATIO_64;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static struct kprobe *probe_of(struct spot *s)
{
	switch (s->kind) {
	case KIND_RETURN:
		return &s->rp.kp;
	case KIND_JPROBE:
		return &s->jp.kp;
	default:
		return &s->p;
	}
}

/* Reset a probe to its state before registration. */
static void fill(struct spot *s, u32 flags)
{
	struct kprobe *p = probe_of(s);

	switch (s->kind) {
	case KIND_RETURN:
		memset(&s->rp, 0, sizeof(s->rp));
		s->rp.entry_handler = world_follow;
		s->rp.handler = world_return;
		s->rp.data_size = sizeof(struct followed);
		break;
	case KIND_JPROBE:
		memset(&s->jp, 0, sizeof(s->jp));
		s->jp.entry = JPROBE_ENTRY(world_jprobe);
		break;
	default:
		memset(&s->p, 0, sizeof(s->p));
		p->pre_handler = s->kind == KIND_SKIP ? world_skip_pre :
							world_pre;
		if (s->kind == KIND_POST)
			p->post_handler = world_post;
	}
	p->addr = (kprobe_opcode_t *)s->addr;
	p->flags = flags;
}

static void fill_twin(struct spot *s)
{
	s->twin = (struct kprobe) {
		.addr = (kprobe_opcode_t *)s->addr,
		.pre_handler = world_twin,
	};
}

static int spot_register(struct spot *s)
{
	switch (s->kind) {
	case KIND_RETURN:
		return register_kretprobe(&s->rp);
	case KIND_JPROBE:
		return register_jprobe(&s->jp);
	default:
		return register_kprobe(&s->p);
	}
}

static void spot_unregister(struct spot *s)
{
	switch (s->kind) {
	case KIND_RETURN:
		unregister_kretprobe(&s->rp);
		break;
	case KIND_JPROBE:
		unregister_jprobe(&s->jp);
		break;
	default:
		unregister_kprobe(&s->p);
	}
}

static int spot_switch(struct spot *s, bool on)
{
	switch (s->kind) {
	case KIND_RETURN:
		return on ? enable_kretprobe(&s->rp) :
			    disable_kretprobe(&s->rp);
	case KIND_JPROBE:
		return on ? enable_jprobe(&s->jp) : disable_jprobe(&s->jp);
	default:
		return on ? enable_kprobe(&s->p) : disable_kprobe(&s->p);
	}
}

/* Selection of instructions and kinds */

static const int refusal_errnos[KPROBE_NR_REFUSALS] = {
#define ERRNO(id, name, error, sentence) \
	[KPROBE_REFUSE_##id] = error,
	KPROBE_REFUSALS(ERRNO)
};

static const char * const refusal_names[KPROBE_NR_REFUSALS] = {
#define NAME(id, name, error, sentence) \
	[KPROBE_REFUSE_##id] = name,
	KPROBE_REFUSALS(NAME)
};

/* Count a refusal by its reason, whose errno must be @ret. */
static void count_refusal(struct spot *s, int ret)
{
	enum kprobe_refusal why = refusal_at((void *)s->addr, NULL, 0);
	bool entry = s->kind == KIND_RETURN || s->kind == KIND_JPROBE;

	/* The entry may be checked first, as at the start of a module's PLT. */
	if (entry && ret == -EINVAL && refusal_errnos[why] != ret)
		why = KPROBE_REFUSE_NOT_ENTRY;
	if (why == KPROBE_OK || refusal_errnos[why] != ret)
		world_fault("%s probe at %pS: error %d, and explain says %s",
			    kind_names[s->kind], (void *)s->addr, ret,
			    refusal_names[why] ?: "that it can be probed");
	refused[why]++;
}

/*
 * Register a probe disabled until all that can be probed are known.  Then many
 * are registered at once, which fails if one is refused.
 */
static bool admitted(struct spot *s)
{
	int ret;

	tried++;
	world_progress++;
	fill(s, KPROBE_FLAG_DISABLED);
	ret = spot_register(s);
	if (ret) {
		count_refusal(s, ret);
		return false;
	}
	return true;
}

/*
 * Limit return probes: the allocation of per-CPU memory for thousands of pools
 * searches piece by piece, and each piece causes hits.
 */
static bool too_many_pools(const struct world_insn *insn)
{
	return mode == WORLD_ENTRIES && roll(insn->addr, 5) % 16;
}

/*
 * A post handler is refused on an exclusive load, because its exception would
 * make the store fail.
 */
static bool no_post_handler(const struct world_insn *insn)
{
	return IS_ENABLED(CONFIG_ARM64) &&
	       (get_unaligned_le32(insn->code) & 0x3fc00000) == 0x08400000;
}

static enum kind kind_for(const struct world_insn *insn, struct spot *s)
{
	unsigned int n = roll(insn->addr, 1) & 7;

	if (n < 3 && too_many_pools(insn))
		n = 7;
	if (!insn->nth)
		return n < 3 ? KIND_RETURN : n < 5 ? KIND_JPROBE :
		       n < 6 ? KIND_POST : KIND_PRE;
	/* Another probe may use the same address, after a landing pad. */
	s->how = insn->nth < 3 ? WORLD_SKIP_NO :
				 world_can_skip(insn->code, insn->len);
	if (s->how != WORLD_SKIP_NO && n < 6)
		return KIND_SKIP;
	return n < 5 || no_post_handler(insn) ? KIND_PRE : KIND_POST;
}

static bool wanted(const struct world_insn *insn)
{
	static bool last;
	u64 n = roll(insn->addr, 2);

	if (mode != WORLD_SPARSE)
		return true;
	last = n % 8 == 0 || (last && n % 2);
	return last;
}

static void add_spot(const struct world_insn *insn, void *unused)
{
	struct spot *s = &spots[nr_spots];

	if (!wanted(insn))
		return;
	if (nr_spots == max_spots) {
		left_out++;
		return;
	}
	walked++;
	memset(s, 0, sizeof(*s));
	s->addr = insn->addr;
	s->code = insn->code;
	s->len = insn->len;
	s->kind = kind_for(insn, s);
	/* If a return probe or jprobe is refused, another kind may work. */
	if (!admitted(s)) {
		if (s->kind != KIND_RETURN && s->kind != KIND_JPROBE)
			return;
		s->kind = KIND_PRE;
		if (!admitted(s))
			return;
	}
	s->toggled = !still && roll(s->addr, 3) % 8 == 0;
	s->has_twin = s->kind != KIND_SKIP &&
		      (s->kind == KIND_RETURN || s->kind == KIND_JPROBE ||
		       roll(s->addr, 4) % 4 == 0);
	probed[s->kind]++;
	skipped[s->how] += s->kind == KIND_SKIP;
	nr_toggled += s->toggled;
	nr_spots++;
}

static void list_spots(void)
{
	unsigned int i;

	for (i = 0; i < nr_spots; i++) {
		struct spot *s = &spots[i];

		s->on = true;
		if (s->kind == KIND_RETURN)
			kretprobes[nr_kretprobes++] = &s->rp;
		else if (s->kind == KIND_JPROBE)
			jprobes[nr_jprobes++] = &s->jp;
		else
			kprobes[nr_kprobes++] = &s->p;
	}
}

/* Reset all probes to enabled and unregistered. */
static void refill_spots(void)
{
	unsigned int i;

	for (i = 0; i < nr_spots; i++) {
		struct spot *s = &spots[i];

		fill(s, 0);
		if (!s->has_twin)
			continue;
		fill_twin(s);
		kprobes[nr_kprobes++] = &s->twin;
	}
}

/*
 * All of them
 */

static unsigned int some(unsigned int left)
{
	return min(left, 1 + prandom_u32_state(&dice) % 512);
}

#define IN_BATCHES(list, nr, call) ({					\
	unsigned int __i, __n;						\
	int __ret = 0;							\
	for (__i = 0; __i < (nr) && !__ret; __i += __n) {		\
		__n = some((nr) - __i);					\
		__ret = call(&(list)[__i], __n);			\
		world_progress++;					\
		cond_resched_tasks_rcu_qs();				\
	}								\
	__ret;								\
})

#define DROP_BATCHES(list, nr, call)					\
do {									\
	unsigned int __i, __n;						\
	for (__i = 0; __i < (nr); __i += __n) {				\
		__n = some((nr) - __i);					\
		call(&(list)[__i], __n);				\
		cond_resched_tasks_rcu_qs();				\
	}								\
} while (0)

/* Mark the start and end of counting, also for QEMU's plugin. */
static __always_inline void mark(bool on)
{
#if defined(CONFIG_X86)
	if (on)
		asm volatile(".byte 0x0f, 0x1f, 0x80; .long 0x57524c31");
	else
		asm volatile(".byte 0x0f, 0x1f, 0x80; .long 0x57524c30");
#elif defined(CONFIG_ARM64)
	if (on)
		asm volatile("hint #0x71");
	else
		asm volatile("hint #0x70");
#endif
}

static unsigned long missed_by(struct spot *s)
{
	return counting ? probe_of(s)->nmissed - s->missed : s->missed;
}

static void count_from_now(void)
{
	unsigned int i;

	for (i = 0; i < nr_spots; i++)
		spots[i].missed = probe_of(&spots[i])->nmissed;
	counting = true;
	mark(true);
}

/* Unregistering causes misses after this, which do not count. */
static void count_until_now(void)
{
	unsigned int i;

	mark(false);
	for (i = 0; i < nr_spots; i++)
		spots[i].missed = missed_by(&spots[i]);
	counting = false;
}

/*
 * Each CPU calls this, executes nothing that is probed, and leaves when the
 * last one has called the function.  So no CPU is between two probes of a hit
 * then, as it could be in stop_machine() itself.
 */
static atomic_t arrived;
static bool all_leave;

static int arrive(void *last_one_does)
{
	void (*does)(void) = last_one_does;

	if (atomic_inc_return(&arrived) == num_online_cpus()) {
		does();
		/* After the function. */
		smp_store_release(&all_leave, true);
	} else {
		/* Before the code that follows. */
		while (!smp_load_acquire(&all_leave))
			cpu_relax();
	}
	return 0;
}

static void while_no_cpu_is_hit(void (*does)(void))
{
	atomic_set(&arrived, 0);
	all_leave = false;
	stop_machine(arrive, does, cpu_online_mask);
}

static int register_all(void)
{
	int ret;

	ret = IN_BATCHES(kprobes, nr_kprobes, register_kprobes);
	if (!ret)
		ret = IN_BATCHES(kretprobes, nr_kretprobes,
				 register_kretprobes);
	if (!ret)
		ret = IN_BATCHES(jprobes, nr_jprobes, register_jprobes);
	return ret;
}

static void unregister_all(void)
{
	unsigned int i;

	for (i = 0; i < nr_spots; i++) {
		/* Already unregistered: reset it for the arrays below. */
		if (!spots[i].on)
			fill(&spots[i], 0);
	}
	DROP_BATCHES(jprobes, nr_jprobes, unregister_jprobes);
	DROP_BATCHES(kprobes, nr_kprobes, unregister_kprobes);
	DROP_BATCHES(kretprobes, nr_kretprobes, unregister_kretprobes);
}

/* Names of selected functions. */
char *world_names[WORLD_NAMES];
unsigned int world_nr_names;

static bool is_named(unsigned long symbol)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned int i;

	sprint_symbol_no_offset(name, symbol);
	for (i = 0; i < world_nr_names; i++) {
		if (strstr(name, world_names[i]))
			return true;
	}
	return false;
}

/* A slice takes functions from everywhere, because most are seldom used. */
static unsigned int parts, part;

static bool in_part(unsigned long symbol)
{
	return (u32)roll(symbol, 5) % parts == part;
}

/* Return the number of slices of about @each instructions. */
unsigned int world_nr_parts(unsigned int each)
{
	return DIV_ROUND_UP(world_nr_instructions(), each);
}

static void find_spots(unsigned int turn, unsigned int size)
{
	unsigned int each = mode == WORLD_SPARSE ? size * 5 : size;

	if (mode == WORLD_ENTRIES) {
		world_walk_entries(add_spot, NULL);
		return;
	}
	if (mode == WORLD_DENSE && world_nr_names) {
		world_walk(is_named, add_spot, NULL);
		return;
	}
	parts = world_nr_parts(each);
	part = turn % parts;
	world_walk(in_part, add_spot, NULL);
}

/**
 * world_probes_start - register the probes of a slice
 * @with: the mode
 * @turn: number of previous slices of that mode
 * @from: the seed
 * @size: maximum number of probes, unless all entries are probed
 * @unmoved: do not switch or re-register any of them
 *
 * Return: 0, or the errno of a call that should have succeeded.
 */
int world_probes_start(enum world_mode with, unsigned int turn, u64 from,
		       unsigned int size, bool unmoved)
{
	int ret;

	mode = with;
	seed = from;
	still = unmoved;
	prandom_seed_state(&dice, from + turn);
	/* Parts differ in size. */
	max_spots = mode == WORLD_ENTRIES ? world_nr_entries() : size * 2;
	nr_spots = 0;
	nr_toggled = 0;
	left_out = 0;
	nr_kprobes = 0;
	nr_kretprobes = 0;
	nr_jprobes = 0;
	atomic_long_set(&astray, 0);
	spots = vcalloc(max_spots, sizeof(*spots));
	kprobes = vcalloc(max_spots * 2, sizeof(*kprobes));
	kretprobes = vcalloc(max_spots, sizeof(*kretprobes));
	jprobes = vcalloc(max_spots, sizeof(*jprobes));
	if (!spots || !kprobes || !kretprobes || !jprobes)
		return -ENOMEM;

	find_spots(turn, size);
	list_spots();
	unregister_all();
	refill_spots();
	ret = register_all();
	if (!ret)
		while_no_cpu_is_hit(count_from_now);
	return ret;
}

/* Return the number of instructions of the slice without a spot. */
unsigned int world_probes_left_out(void)
{
	return left_out;
}

/* Disable, enable or re-register one of the toggled probes. */
void world_probes_toggle(u64 random)
{
	unsigned int i, n = (u32)random % max(nr_spots, 1U);
	struct spot *s;
	int ret;

	for (i = 0; i < nr_spots; i++, n++) {
		s = &spots[n % nr_spots];
		if (s->toggled)
			break;
	}
	if (i == nr_spots)
		return;
	if ((random >> 32) % 4) {
		ret = spot_switch(s, s->off);
		if (!ret)
			s->off = !s->off;
	} else {
		s->missed -= probe_of(s)->nmissed;
		spot_unregister(s);
		fill(s, s->off ? KPROBE_FLAG_DISABLED : 0);
		ret = spot_register(s);
		s->on = !ret;
	}
	if (ret)
		world_fault("error %d for the %s probe at %pS", ret,
			    kind_names[s->kind], (void *)s->addr);
}

/* Counts */

static struct {
	unsigned long hits, posts, calls, returns, missed;
} sums;

static void compare_counts(const struct spot *s, long pre, long twin, long post)
{
	bool unfollowed = s->kind == KIND_RETURN && s->rp.nmissed;

	if (s->has_twin && pre != twin && !(unfollowed && pre < twin))
		world_fault("two probes at %pS count %ld (%s) and %ld",
			    (void *)s->addr, pre, kind_names[s->kind], twin);
	if (s->kind == KIND_RETURN && post > pre)
		world_fault("%ld calls of %pS were followed, and %ld returned",
			    pre, (void *)s->addr, post);
	/* The instruction may fault, and is executed again. */
	if (s->kind == KIND_POST && abs(pre - post) > BETWEEN &&
	    !fixup_at(s->addr))
		world_fault("at %pS: %ld pre handlers, %ld post handlers",
			    (void *)s->addr, pre, post);
}

static void look_at_counts(void)
{
	unsigned int i;

	memset(&sums, 0, sizeof(sums));
	for (i = 0; i < nr_spots; i++) {
		struct spot *s = &spots[i];
		long pre = atomic_long_read(&s->pre);
		long twin = atomic_long_read(&s->twin_pre);
		long post = atomic_long_read(&s->post);

		sums.hits += pre + twin;
		sums.missed += missed_by(s);
		if (s->kind == KIND_POST)
			sums.posts += post;
		if (s->kind == KIND_RETURN) {
			sums.calls += pre;
			sums.returns += post;
		}
		if (!s->toggled)
			compare_counts(s, pre, twin, post);
	}
	if (atomic_long_read(&astray))
		world_fault("%ld handlers astray, the last at %pS",
			    atomic_long_read(&astray), (void *)astray_at);
}

void world_probes_stop(void)
{
	while_no_cpu_is_hit(count_until_now);
	look_at_counts();
	unregister_all();
}

/* Free the probes of the last slice. */
void world_probes_exit(void)
{
	vfree(spots);
	vfree(kprobes);
	vfree(kretprobes);
	vfree(jprobes);
	spots = NULL;
	kprobes = NULL;
	kretprobes = NULL;
	jprobes = NULL;
	nr_spots = 0;
}

int world_probes_init(void)
{
	refusal_at = lookup("kprobe_refusal_at");
	fixup_at = lookup("search_exception_tables");
	running = (struct kprobe * __percpu *)lookup("current_kprobe");
	return refusal_at && fixup_at && running ? 0 : -ENOENT;
}

void world_probes_tell(struct seq_buf *words)
{
	seq_buf_printf(words, "%u probed, %u toggled, %lu hits, %lu missed, ",
		       nr_spots, nr_toggled, sums.hits, sums.missed);
	seq_buf_printf(words, "%lu post handlers, ", sums.posts);
	seq_buf_printf(words, "%lu calls followed, %lu returned",
		       sums.calls, sums.returns);
}

/* Print the counts that QEMU's plugin must have: address and hits. */
void world_probes_counts(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < nr_spots; i++) {
		struct spot *s = &spots[i];
		long hits = atomic_long_read(s->has_twin ? &s->twin_pre :
							   &s->pre);

		hits += missed_by(s);
		seq_printf(m, "%lx %ld\n", s->addr, hits);
	}
}

/* Print the number of refusals by reason, over all slices. */
void world_refusals(struct seq_file *m)
{
	unsigned int i;

	seq_printf(m, "instructions %lu\n", walked);
	seq_printf(m, "tried %lu\n", tried);
	for (i = 0; i < KINDS; i++)
		seq_printf(m, "probed-%s %lu\n", kind_names[i], probed[i]);
	seq_printf(m, "skipped-nop %lu\nskipped-jump %lu\nskipped-branch %lu\nskipped-move %lu\n",
		   skipped[WORLD_SKIP_NOP], skipped[WORLD_SKIP_JUMP],
		   skipped[WORLD_SKIP_BRANCH], skipped[WORLD_SKIP_MOVE]);
	for (i = 0; i < KPROBE_NR_REFUSALS; i++) {
		if (refused[i])
			seq_printf(m, "refused-%s %lu\n",
				   refusal_names[i] ?: "unexplained",
				   refused[i]);
	}
}
