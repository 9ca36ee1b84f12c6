// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_races.ko: places for probes, the functions there, and the results that
 * these must return however they are probed.
 */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/linkage.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/slab.h>
#include "races.h"

#define TARGET	noinline __noclone

/*
 * C functions.  The second argument is always the complement of the first, by
 * which a jprobe's handler recognizes its function's arguments.
 */

#define MIX(x, y)							\
do {									\
	OPTIMIZER_HIDE_VAR(x);						\
	x = x * 5 + y;							\
	OPTIMIZER_HIDE_VAR(x);						\
	y ^= x >> 3;							\
	OPTIMIZER_HIDE_VAR(y);						\
	x -= y;								\
} while (0)

/* The same inline, to compute the expected results. */
static __always_inline unsigned int straight(unsigned int x, unsigned int y)
{
	MIX(x, y);
	MIX(x, y);
	return x + y;
}

static __always_inline unsigned int loop(unsigned int x, unsigned int y)
{
	unsigned int i, n = x & 7;

	for (i = 0; i < n; i++) {
		if (x & 1)
			x = x * 3 + y;
		else
			y += x >> 1;
		OPTIMIZER_HIDE_VAR(x);
	}
	return x ^ y;
}

static TARGET unsigned int shared_straight(unsigned int x, unsigned int y)
{
	return straight(x, y);
}

static TARGET unsigned int shared_loop(unsigned int x, unsigned int y)
{
	return loop(x, y);
}

/* Calls another shared function. */
static TARGET unsigned int shared_call(unsigned int x, unsigned int y)
{
	unsigned int a = shared_straight(x, y);

	barrier();
	return a + shared_loop(x + 1, y - 1);
}

/* May be followed by several return probes, and ends with a jump. */
static TARGET unsigned int shared_tail(unsigned int x, unsigned int y)
{
	barrier();
	return shared_loop(x, y);
}

#define PRIVATE(n)							\
static TARGET unsigned int private_##n(unsigned int x, unsigned int y)	\
{									\
	MIX(x, y);							\
	MIX(x, y);							\
	x ^= n;								\
	OPTIMIZER_HIDE_VAR(x);						\
	return x + y;							\
}									\
static atomic_t private_hits_##n;					\
static unsigned int private_jprobe_##n(unsigned int x, unsigned int y)	\
{									\
	if (y != ~x)							\
		races_fault("jprobe on private_" #n ": %x, %x", x, y);	\
	atomic_inc(&private_hits_##n);					\
	jprobe_return();						\
	return 0;							\
}

/* The numbers below RACES_THREADS. */
#define EACH(do)							\
	do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)			\
	do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)		\
	do(16) do(17) do(18) do(19) do(20) do(21) do(22) do(23)		\
	do(24) do(25) do(26) do(27) do(28) do(29) do(30) do(31)		\
	do(32) do(33) do(34) do(35) do(36) do(37) do(38) do(39)		\
	do(40) do(41) do(42) do(43) do(44) do(45) do(46) do(47)		\
	do(48) do(49) do(50) do(51) do(52) do(53) do(54) do(55)		\
	do(56) do(57) do(58) do(59) do(60) do(61) do(62) do(63)

EACH(PRIVATE)

struct private {
	unsigned int (*function)(unsigned int x, unsigned int y);
	unsigned int (*jprobe)(unsigned int x, unsigned int y);
	atomic_t *hits;
};

#define PRIVATE_ROW(n)	{ private_##n, private_jprobe_##n, &private_hits_##n },

static const struct private privates[] = { EACH(PRIVATE_ROW) };
static_assert(ARRAY_SIZE(privates) == RACES_THREADS);

static atomic_t shared_jprobe_hits;

static unsigned int shared_jprobe(unsigned int x, unsigned int y)
{
	/* shared_call() calls shared_loop() with both moved by one. */
	if (x + y != ~0U)
		races_fault("jprobe: %x, %x", x, y);
	atomic_inc(&shared_jprobe_hits);
	jprobe_return();
	return 0;
}

/*
 * Assembly: a ladder of adjacent instructions, of which on x86 a jump covers
 * two, and a tower of thousands.  Each step adds 1.
 */

#define LADDER	16
#define FLOORS	32	/* functions of the tower */
#define STEPS	64	/* of each */

unsigned int races_ladder(unsigned int x);
extern char races_tower[], races_tower_end[];

#ifdef CONFIG_X86
#define TYPE	"@function"
#ifdef CONFIG_X86_64
#define BEGIN	ASM_ENDBR "mov %edi, %eax\n"
#else
#define BEGIN	""
#endif
#define STEP	"add $1, %eax\n"
#define END	ASM_RET
#include <asm/ibt.h>
#elif defined(CONFIG_ARM64)
#define TYPE	"%function"
#define BEGIN	"bti c\n"
#define STEP	"add w0, w0, #1\n"
#define END	"ret\n"
#endif

asm(".pushsection .text\n"
	".altmacro\n"
	".macro races_floor name, steps\n"
	".balign 16\n"
	".globl \\name\n"
	".type \\name, " TYPE "\n"
	"\\name:\n"
	BEGIN
	".rept \\steps\n"
	STEP
	".endr\n"
	END
	"\n.size \\name, . - \\name\n"
	".balign 16\n"
	".endm\n"
	".macro races_nth nr\n"
	"races_floor races_floor_\\nr, " __stringify(STEPS) "\n"
	".endm\n"
	"races_floor races_ladder, " __stringify(LADDER) "\n"
	"races_tower:\n"
	".set races_nr, 0\n"
	".rept " __stringify(FLOORS) "\n"
	"races_nth %races_nr\n"
	".set races_nr, races_nr + 1\n"
	".endr\n"
	"races_tower_end:\n"
	".noaltmacro\n"
	".popsection\n");

static void *floor_at(unsigned int i)
{
	size_t size = (races_tower_end - races_tower) / FLOORS;

	return races_tower + i * size;
}

/* First of the steps of equal length at the end of a floor or the ladder. */
static unsigned int first_step, step_size;

static bool find_steps(void)
{
	unsigned int first = 0, second = 0, i;

	for (i = 0; i < 32 && !second; i++) {
		struct kprobe p = {
			.addr = (void *)races_ladder + i,
			.flags = KPROBE_FLAG_DISABLED,
		};

		if (register_kprobe(&p))
			continue;
		unregister_kprobe(&p);
		if (!memcmp(p.addr, p.addr + 3, 3) && IS_ENABLED(CONFIG_X86))
			step_size = 3;
		else if (!memcmp(p.addr, p.addr + 4, 4) &&
			 IS_ENABLED(CONFIG_ARM64))
			step_size = 4;
		else
			continue;
		first = i;
		second = i + step_size;
	}
	first_step = first;
	return step_size;
}

/**
 * races_tower_step - the address of one of the tower's steps
 * @i: which
 */
void *races_tower_step(unsigned int i)
{
	if (i >= FLOORS * STEPS)
		return NULL;
	return floor_at(i / STEPS) + first_step + i % STEPS * step_size;
}

/* Return the sum of all steps. */
unsigned int races_tower_calls(void)
{
	unsigned int x = 0, i;

	for (i = 0; i < FLOORS; i++) {
		unsigned int (*floor)(unsigned int x) = floor_at(i);

		x = floor(x);
	}
	return x;
}

/*
 * Calls
 */

#define CHECK(call, expected)						\
do {									\
	unsigned int got = call, want = expected;			\
									\
	if (got != want)						\
		races_fault(#call " is %x, not %x (x = %x)", got, want,	\
			    x);						\
} while (0)

void races_call_shared(u32 x)
{
	unsigned int y = ~x;

	CHECK(shared_straight(x, y), straight(x, y));
	CHECK(shared_loop(x, y), loop(x, y));
	CHECK(shared_call(x, y), straight(x, y) + loop(x + 1, y - 1));
	CHECK(shared_tail(x, y), loop(x, y));
	CHECK(races_ladder(x), x + LADDER);
}

static unsigned int private_expected(unsigned int n, unsigned int x,
				     unsigned int y)
{
	MIX(x, y);
	MIX(x, y);
	return (x ^ n) + y;
}

void races_call_private(unsigned int thread, u32 x)
{
	CHECK(privates[thread].function(x, ~x),
	      private_expected(thread, x, ~x));
}

unsigned int races_private_jprobe_hits(unsigned int thread)
{
	return atomic_read(privates[thread].hits);
}

unsigned int races_shared_jprobe_hits(void)
{
	return atomic_read(&shared_jprobe_hits);
}

void *races_jprobe_entry(const struct races_place *place)
{
	if (place->where == RACES_PRIVATE)
		return privates[place->thread].jprobe;
	return shared_jprobe;
}

/*
 * Places
 */

#define PLACES	8000

static struct races_place places[PLACES];
static unsigned int nr_places;
/* The places that can be probed. */
static struct races_place *probed[PLACES];
static unsigned int nr_probed;

/* Functions that are hit often, are used by kprobes, or sleep. */
static const char * const in_kernel[] = {
	"vfs_read", "schedule", "try_to_wake_up", "mutex_lock", "mutex_unlock",
	"kfree", "update_process_times", "__do_softirq", "queue_work_on",
	"rcu_sched_clock_irq", "do_exit", "kernel_clone", "load_module",
	"notify_die", "no_such_function_at_all",
};

static const char * const in_module[] = {
	"kprobe_target:kprobe_target_function",
	"kprobe_target:kprobe_target_branch",
	"kprobe_target:kprobe_target_forbidden",
	"kprobe_target:kprobe_target_nothing",
};

static bool in_ladder(void *addr)
{
	return addr >= (void *)races_ladder && addr < (void *)races_tower;
}

/**
 * races_may_have - check if a kind of probe should be tried at a place
 * @place: the place
 * @kind: the kind of probe
 *
 * A jprobe's handler expects the arguments of our functions.  It does not
 * support the ladder, whose entry can be after a landing pad.  Many tasks sleep
 * in schedule() forever, and would keep instances of its return probes in use.
 */
bool races_may_have(const struct races_place *place, enum races_kind kind)
{
	if (kind == RACES_JPROBE)
		return place->where != RACES_KERNEL &&
		       place->where != RACES_MODULE &&
		       !in_ladder(place->addr);
	if (kind == RACES_KRETPROBE && place->symbol)
		return strcmp(place->symbol, "schedule");
	return true;
}

static int try_place(const struct races_place *place, enum races_kind kind,
		     u32 random)
{
	struct races_probe *p = races_probe_alloc(place, kind, random);
	int ret = -ENOMEM;

	if (p) {
		ret = races_register(p);
		if (!ret)
			races_unregister(p);
	}
	kfree(p);
	return ret;
}

static void add_place(struct races_place place)
{
	struct races_place *new = &places[nr_places];
	enum races_kind kind;

	if (nr_places == PLACES)
		return;
	for (kind = 0; kind < RACES_KINDS; kind++)
		if (races_may_have(&place, kind))
			place.error[kind] = try_place(&place, kind, 1);
	place.error_post = try_place(&place, RACES_KPROBE, 5);
	*new = place;
	nr_places++;
	if (!place.error[RACES_KPROBE])
		probed[nr_probed++] = new;
}

static unsigned long size_of(void *function)
{
	char name[KSYM_SYMBOL_LEN], *slash;
	unsigned long size = 0;

	sprint_symbol(name, (unsigned long)function);
	slash = strchr(name, '/');
	if (slash)
		sscanf(slash + 1, "%li", &size);
	return size;
}

static const unsigned int least = IS_ENABLED(CONFIG_X86) ? 1 : 4;

static void add_function(void *function, enum races_where where,
			 unsigned int thread)
{
	unsigned long size = size_of(function), i;

	for (i = 0; i < size; i += least)
		add_place((struct races_place){
			.addr = function + i, .where = where, .thread = thread,
		});
}

/* Return 0, or -EINVAL if too few places can be probed. */
int races_find_places(unsigned int threads)
{
	void * const shared[] = {
		shared_straight, shared_loop, shared_call, shared_tail,
		races_ladder,
	};
	unsigned int i;

	if (!find_steps())
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(shared); i++)
		add_function(shared[i], RACES_SHARED, 0);
	for (i = 0; i < threads; i++)
		add_function(privates[i].function, RACES_PRIVATE, i);
	for (i = 0; i < ARRAY_SIZE(in_kernel); i++)
		add_place((struct races_place){
			.symbol = in_kernel[i], .where = RACES_KERNEL,
		});
	/* Places in the module can be tried only while it is loaded. */
	if (!races_have_module(true))
		return -ENOENT;
	for (i = 0; i < ARRAY_SIZE(in_module); i++)
		add_place((struct races_place){
			.symbol = in_module[i], .where = RACES_MODULE,
		});
	if (!races_have_module(false))
		return -EBUSY;
	return nr_probed > 50 && nr_places < PLACES ? 0 : -EINVAL;
}

unsigned int races_places_probed(void)
{
	return nr_probed;
}

/**
 * races_any_place - pick a place that can usually be probed
 * @t: the thread
 */
const struct races_place *races_any_place(struct races_thread *t)
{
	const struct races_place *place;

	for (;;) {
		if (races_below(t, 8))
			place = probed[races_below(t, nr_probed)];
		else
			place = &places[races_below(t, nr_places)];
		if (place->where != RACES_PRIVATE || place->thread == t->nr)
			return place;
	}
}

/* Text: the original, and the check at the end */

#define PRIVATE_TEXT(n)	private_##n,

static const void *kept_from[] = {
	shared_straight, shared_loop, shared_call, shared_tail, races_ladder,
	EACH(PRIVATE_TEXT)
};

static u8 kept[ARRAY_SIZE(kept_from)][256];
static u8 kept_tower[FLOORS * (STEPS * 4 + 32)];

static size_t kept_size(const void *function)
{
	return min(size_of((void *)function), sizeof(kept[0]));
}

static size_t tower_size(void)
{
	return min((size_t)(races_tower_end - races_tower),
		   sizeof(kept_tower));
}

void races_keep_text(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kept_from); i++)
		memcpy(kept[i], kept_from[i], kept_size(kept_from[i]));
	memcpy(kept_tower, races_tower, tower_size());
}

/* Return the number of functions that have changed. */
unsigned int races_changed_text(void)
{
	unsigned int i, changed = 0;

	for (i = 0; i < ARRAY_SIZE(kept_from); i++) {
		if (!memcmp(kept[i], kept_from[i], kept_size(kept_from[i])))
			continue;
		pr_err("RACES-FAULT text of %ps: %*ph, was %*ph\n",
		       kept_from[i], 32, kept_from[i], 32, kept[i]);
		changed++;
	}
	return changed + !!memcmp(kept_tower, races_tower, tower_size());
}
