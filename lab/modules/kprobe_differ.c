// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Execute each form of a table without a probe and with probes of all kinds,
 * and compare the results: see lab/differ.
 *
 * All registers, flags and memory operands are random, except for values that
 * the table requires.  Global variables are enough, because only one CPU runs
 * this.
 */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/prandom.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "kprobe_differ.h"
#include "lookup.h"
#include "test_symbols.h"
#ifdef CONFIG_X86
#include "differ_x86.h"
#elif defined(CONFIG_ARM64)
#include "differ_arm64.h"
#elif defined(CONFIG_PPC)
#include "differ_powerpc.h"
#endif

/* Number of forms probed at a time, and of random states for each. */
#define BATCH	256
#define STATES	4
/* Number of differences that are printed. */
#define SHOWN	60

static unsigned int seed = 1;
module_param(seed, uint, 0444);

/* The places in a form's function that are probed. */
enum place { MOVER, BEFORE, AT, PLACES };

/* The state after an execution. */
struct result {
	struct differ_cpu cpu;
	unsigned long trap;		/* the exception, if any */
	unsigned long address;		/* the address that it reports */
	struct arch_state arch;		/* other state of the architecture */
	u8 buf[DIFFER_BUF_SIZE];	/* memory */
	/* The end of the stack; zero below the form's pushes. */
	u8 stack[DIFFER_STACK_TOP];
};

/* A form under test. */
struct one {
	const struct differ_form *form;
	struct kprobe probe[PLACES];	/* probes on it */
	bool registered[PLACES];
	bool varies;			/* even without a probe */
	/* The kernel's decoder does not know its length, but the CPU does. */
	bool misread;
	u8 bytes[16];			/* the text, before it is probed */
	struct result expected[STATES];	/* results without a probe */
};

/* A kind of probe. */
struct mode {
	const char *name;
	/* Pre handlers; NULL for no probe. */
	kprobe_pre_handler_t pre[PLACES];
	kprobe_post_handler_t post[PLACES];
	/* Places that must be jumps; if there are none, no place may be. */
	unsigned long jump;
	enum place enter;	/* where execution starts */
	/* The form is under the jump of another probe. */
	bool covered;
	unsigned int ran, executions, wrong;
	unsigned int refused[KPROBE_NR_REFUSALS];
	unsigned int no_jump[KPROBE_NR_NOJUMPS];
	unsigned int faulting;
};

/* Events during the execution of the current form. */
static struct {
	const struct one *one;
	unsigned int pre[PLACES];
	unsigned int post[PLACES];
	unsigned long before[DIFFER_REGS + 1];
	unsigned long after[DIFFER_REGS + 1];
	unsigned int unexpected;
	bool active;
} now;

static struct one *batch;
static struct result *found;
static unsigned int shown;

static enum place place_of(const struct kprobe *p)
{
	return p - now.one->probe;
}

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	now.pre[place_of(p)]++;
	arch_registers(regs, now.before);
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	now.post[place_of(p)]++;
	arch_registers(regs, now.after);
}

static int move_pre(struct kprobe *p, struct pt_regs *regs)
{
	pre(p, regs);
	instruction_pointer_set(regs, now.one->form->at);
	return 1;
}

static void move_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	instruction_pointer_set(regs, now.one->form->at);
}

static void never_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	now.unexpected++;
}

static struct mode modes[] = {
	{ "breakpoint", .pre[AT] = pre, .enter = BEFORE },
	{ "breakpoint, post", .pre[AT] = pre, .post[AT] = post,
	  .enter = BEFORE },
	{ "two breakpoints", .pre[BEFORE] = pre, .pre[AT] = pre,
	  .enter = BEFORE },
	{ "jump", .pre[AT] = pre, .jump = BIT(AT), .enter = BEFORE },
	{ "under a jump", .pre[BEFORE] = pre, .jump = BIT(BEFORE),
	  .enter = BEFORE, .covered = true },
	{ "moved by a trap", .pre[MOVER] = move_pre,
	  .post[MOVER] = never_post, .enter = MOVER },
	{ "moved by a trap to a trap", .pre[MOVER] = move_pre,
	  .post[MOVER] = never_post, .pre[AT] = pre, .enter = MOVER },
	{ "moved by a trap to a jump", .pre[MOVER] = move_pre,
	  .post[MOVER] = never_post, .pre[AT] = pre, .jump = BIT(AT),
	  .enter = MOVER },
	{ "moved by a jump to a jump", .pre[MOVER] = move_pre,
	  .pre[AT] = pre, .jump = BIT(MOVER) | BIT(AT), .enter = MOVER },
	{ "moved by a trap under a jump", .pre[MOVER] = move_pre,
	  .post[MOVER] = never_post, .pre[BEFORE] = pre,
	  .jump = BIT(BEFORE), .enter = MOVER, .covered = true },
	{ "moved by a jump under a jump", .pre[MOVER] = move_pre,
	  .pre[BEFORE] = pre, .jump = BIT(MOVER) | BIT(BEFORE),
	  .enter = MOVER, .covered = true },
	{ "moved by post under a jump", .pre[MOVER] = pre,
	  .post[MOVER] = move_post, .pre[BEFORE] = pre, .jump = BIT(BEFORE),
	  .enter = MOVER, .covered = true },
};

/* Functions and tables that are not exported. */
static void (*set_jumps)(bool on);
static typeof(kprobe_refusal_at) *refusal_at;
static const struct kprobe_reason *refusals, *obstacles;
static void *decoder;

static bool find_symbols(void)
{
	set_jumps = lookup("kprobe_set_jumps");
	refusal_at = lookup("kprobe_refusal_at");
	refusals = lookup("kprobe_refusals");
	obstacles = lookup("kprobe_obstacles");
	if (ARCH_DECODER) {
		decoder = lookup(ARCH_DECODER);
		if (!decoder)
			return false;
	}
	return set_jumps && refusal_at && refusals && obstacles;
}

/*
 * States
 */

static unsigned long random_word(struct rnd_state *rnd)
{
	unsigned long word = prandom_u32_state(rnd);

	if (IS_ENABLED(CONFIG_64BIT))
		word = (u64)word << 32 | prandom_u32_state(rnd);
	switch (prandom_u32_state(rnd) % 8) {
	case 0:
		return word & 3;
	case 1:
		return ~(word & 3);
	case 2:
		return word & 0x7fffffff;
	case 3:
		return (long)(s8)word;
	case 4:
		return BIT(word % BITS_PER_LONG);
	default:
		return word;
	}
}

static unsigned long compared_stack(void)
{
	return arch_stack() + DIFFER_STACK_SIZE - DIFFER_STACK_TOP;
}

static void make_state(const struct differ_form *form, unsigned int state,
		       struct rnd_state *rnd)
{
	unsigned int i;

	prandom_seed_state(rnd, (u64)seed << 32 |
			   (u32)((form - differ_forms) * STATES + state));
	for (i = 0; i < DIFFER_REGS; i++)
		differ_in.reg[i] = random_word(rnd);
	differ_in.reg[DIFFER_FLAGS] = arch_flags(prandom_u32_state(rnd),
						 form->flags);
	differ_in.reg[DIFFER_SP] = compared_stack() + 256 +
				   prandom_u32_state(rnd) % 64 * 16;
	arch_fix_registers(rnd);
	prandom_bytes_state(rnd, differ_buf, DIFFER_BUF_SIZE);
	prandom_bytes_state(rnd, (void *)compared_stack(), DIFFER_STACK_TOP);
	for (i = 0; i < form->nr_fixes; i++) {
		const struct differ_fix *fix = &form->fix[i];

		if (fix->where < DIFFER_REGS)
			differ_in.reg[fix->where] = fix->value;
		else if (fix->where < DIFFER_STACK_FIXES)
			*(unsigned long *)(differ_in.reg[DIFFER_SP] +
					   fix->where -
					   DIFFER_STACK_FIX) = fix->value;
		else
			*(unsigned long *)fix->where = fix->value;
	}
}

/* Save the stack, without bytes below the form's pushes and final sp. */
static void keep_stack(const struct differ_form *form, struct result *r)
{
	unsigned long start = max(differ_in.reg[DIFFER_SP] - form->pushed,
				  r->cpu.reg[DIFFER_SP]);
	unsigned long skip = min(start - compared_stack(), DIFFER_STACK_TOP);

	memset(r->stack, 0, skip);
	memcpy(r->stack + skip, (void *)compared_stack() + skip,
	       DIFFER_STACK_TOP - skip);
}

/* Execute @one from @enter with this @state. */
static void execute(const struct one *one, unsigned int state,
		    enum place enter, struct result *r)
{
	const struct differ_form *form = one->form;
	struct rnd_state rnd;
	unsigned long flags;

	memset(&now, 0, sizeof(now));
	now.one = one;
	make_state(form, state, &rnd);
	memset(&differ_out, 0, sizeof(differ_out));
	differ_entry = enter == MOVER ? form->mover : form->before;

	preempt_disable();
	arch_begin(&rnd);
	local_irq_save(flags);
	arch_irq_off();
	now.active = true;
	differ_enter();
	now.active = false;
	arch_collect();
	r->trap = 0;
	r->cpu = differ_out;
	if (r->cpu.exit == DIFFER_FAULT)
		r->trap = arch_trap(&r->cpu);
	r->address = arch_fault_address(r->trap);
	local_irq_restore(flags);
	if (form->flags & DIFFER_LOW) {
		unsigned int low = DIFFER_LOW_REG(form->flags);

		r->cpu.reg[low] = (u32)r->cpu.reg[low];
		now.after[low] = (u32)now.after[low];
	}
	arch_end();
	preempt_enable();

	r->arch = arch_out;
	memcpy(r->buf, differ_buf, sizeof(r->buf));
	keep_stack(form, r);
}

/*
 * Differences
 */

static void show(const struct mode *mode, const struct one *one,
		 unsigned int state, const char *what, unsigned long expected,
		 unsigned long value)
{
	if (shown++ >= SHOWN)
		return;
	pr_info("DIFFER-WRONG %s: %.16s, %*ph, form %zu, state %u: %s: %lx, not %lx\n",
		mode ? mode->name : "plain", one->form->name,
		(int)one->form->length, one->bytes, one->form - differ_forms,
		state, what, value, expected);
}

static void show_bytes(const struct mode *mode, const struct one *one,
		       unsigned int state, const char *what,
		       const u8 *expected, const u8 *value, unsigned int size)
{
	unsigned int i;
	char name[24];

	for (i = 0; i < size && expected[i] == value[i]; i++)
		;
	if (i == size)
		return;
	snprintf(name, sizeof(name), "%s[%u]", what, i);
	show(mode, one, state, name, expected[i], value[i]);
}

/* Print the first difference of each kind. */
static bool differs(const struct mode *mode, const struct one *one,
		    unsigned int state, const struct result *r)
{
	const struct result *e = &one->expected[state];
	unsigned int i;

	if (!memcmp(e, r, sizeof(*e)))
		return false;
	if (e->cpu.exit != r->cpu.exit)
		show(mode, one, state, "way out", e->cpu.exit, r->cpu.exit);
	if (e->trap != r->trap)
		show(mode, one, state, "trap", e->trap, r->trap);
	if (e->address != r->address)
		show(mode, one, state, "address", e->address, r->address);
	for (i = 0; i <= DIFFER_FLAGS; i++) {
		if (e->cpu.reg[i] != r->cpu.reg[i])
			show(mode, one, state, register_names[i],
			     e->cpu.reg[i], r->cpu.reg[i]);
	}
	show_bytes(mode, one, state, "arch", (void *)&e->arch,
		   (void *)&r->arch, sizeof(e->arch));
	show_bytes(mode, one, state, "memory", e->buf, r->buf, sizeof(e->buf));
	show_bytes(mode, one, state, "stack", e->stack, r->stack,
		   sizeof(e->stack));
	return true;
}

/*
 * Return true unless each handler was called once, with the form's registers.
 */
static bool handlers_wrong(const struct mode *mode, const struct one *one,
			   unsigned int state, const struct result *r)
{
	unsigned int hits, i;
	enum place place;
	bool wrong = now.unexpected;

	if (now.unexpected)
		show(mode, one, state, "handlers", 0, now.unexpected);
	for (place = 0; place < PLACES; place++) {
		hits = mode->pre[place] &&
		       (place == mode->enter || place == AT);
		if (now.pre[place] != hits) {
			show(mode, one, state, "hits", hits, now.pre[place]);
			wrong = true;
		}
		hits = mode->post[place] == post &&
		       r->cpu.exit != DIFFER_FAULT;
		if (now.post[place] != hits) {
			show(mode, one, state, "post hits", hits,
			     now.post[place]);
			wrong = true;
		}
	}
	for (i = 0; i <= DIFFER_FLAGS && mode->pre[AT]; i++) {
		if (now.before[i] == differ_in.reg[i])
			continue;
		show(mode, one, state, "in pre handler", differ_in.reg[i],
		     now.before[i]);
		wrong = true;
	}
	for (i = 0; i <= DIFFER_FLAGS && now.post[AT]; i++) {
		if (now.after[i] == r->cpu.reg[i])
			continue;
		show(mode, one, state, "in post handler", r->cpu.reg[i],
		     now.after[i]);
		wrong = true;
	}
	return wrong;
}

/*
 * Modes
 */

static unsigned long address_of(const struct differ_form *form,
				enum place place)
{
	switch (place) {
	case MOVER:
		return form->mover;
	case BEFORE:
		return form->before;
	default:
		return form->at;
	}
}

static void probe(struct mode *mode, struct one *one)
{
	enum place place;

	memset(one->probe, 0, sizeof(one->probe));
	memset(one->registered, 0, sizeof(one->registered));
	for (place = 0; place < PLACES; place++) {
		struct kprobe *p = &one->probe[place];
		unsigned long addr = address_of(one->form, place);

		if (!mode->pre[place])
			continue;
		p->addr = (kprobe_opcode_t *)addr;
		p->pre_handler = mode->pre[place];
		p->post_handler = mode->post[place];
		if (register_kprobe(p)) {
			mode->refused[refusal_at((void *)addr, NULL, 0)]++;
			return;
		}
		one->registered[place] = true;
		/* Out of line, only a part of it would be executed. */
		if (place == AT && one->misread) {
			show(mode, one, 0, "misread, not refused", 0, 1);
			mode->wrong++;
		}
	}
}

static void unprobe(struct one *one)
{
	enum place place;

	for (place = 0; place < PLACES; place++)
		if (one->registered[place])
			unregister_kprobe(&one->probe[place]);
}

/* Return true if each place is armed as the mode requires. */
static bool in_mode(struct mode *mode, struct one *one)
{
	enum place place;

	for (place = 0; place < PLACES; place++) {
		struct kprobe *p = &one->probe[place];
		bool jump = mode->jump & BIT(place);

		if (!mode->pre[place])
			continue;
		if (!one->registered[place])
			return false;
		if (jump == arch_is_jump(address_of(one->form, place)))
			continue;
		mode->no_jump[jump ? kprobe_obstacle_at(p->addr) : 0]++;
		return false;
	}
	return true;
}

static void try_one(struct mode *mode, struct one *one)
{
	bool wrong = false, fault = false;
	unsigned int state;
	enum place place;

	if (one->varies || one->misread || !in_mode(mode, one))
		return;
	/* The form is not probed itself, but an exception precedes it. */
	if (!mode->pre[AT] && (one->form->flags & DIFFER_BANKED))
		return;
	for (state = 0; state < STATES; state++) {
		execute(one, state, mode->enter, found);
		mode->executions++;
		fault |= found->cpu.exit == DIFFER_FAULT;
		wrong |= differs(mode, one, state, found);
		wrong |= handlers_wrong(mode, one, state, found);
	}
	for (place = 0; place < PLACES; place++) {
		if (!one->probe[place].nmissed)
			continue;
		show(mode, one, state, "missed", 0, one->probe[place].nmissed);
		wrong = true;
	}
	mode->ran++;
	mode->faulting += fault;
	mode->wrong += wrong;
}

static void try_mode(struct mode *mode, unsigned int nr)
{
	unsigned int i;

	set_jumps(mode->jump);
	for (i = 0; i < nr; i++) {
		probe(mode, &batch[i]);
		cond_resched();
	}
	wait_for_kprobe_optimizer();
	for (i = 0; i < nr; i++) {
		try_one(mode, &batch[i]);
		cond_resched();
	}
	for (i = 0; i < nr; i++)
		unprobe(&batch[i]);
}

/* Execute twice: results that differ even then are not compared. */
static unsigned int ways_out[DIFFER_FAULT + 1], varying, misread;

static void try_plain(struct one *one)
{
	unsigned int state;

	memcpy(one->bytes, (void *)one->form->at,
	       min(one->form->length, (unsigned int)sizeof(one->bytes)));
	for (state = 0; state < STATES; state++) {
		execute(one, state, BEFORE, &one->expected[state]);
		execute(one, state, BEFORE, found);
		ways_out[found->cpu.exit]++;
		one->varies |= differs(NULL, one, state, found);
	}
	varying += one->varies;
	one->misread = arch_misread(one->form, decoder) &&
		       !(found->cpu.exit == DIFFER_FAULT &&
			 arch_undefined(found->trap));
	misread += one->misread;
}

static void try_all(void)
{
	unsigned int first, nr, i;

	for (first = 0; first < differ_nr; first += nr) {
		nr = min(differ_nr - first, BATCH);
		memset(batch, 0, sizeof(*batch) * nr);
		for (i = 0; i < nr; i++) {
			batch[i].form = &differ_forms[first + i];
			try_plain(&batch[i]);
			cond_resched();
		}
		for (i = 0; i < ARRAY_SIZE(modes); i++) {
			if (ARCH_JUMP_COVERS || !modes[i].covered)
				try_mode(&modes[i], nr);
		}
		pr_info("DIFFER-SOFAR %u of %u forms\n", first + nr, differ_nr);
	}
}

static void tell(const struct mode *mode)
{
	unsigned int i;

	pr_info("DIFFER-MODE %s: %u forms executed, %u with a fault, %u times, %u wrong\n",
		mode->name, mode->ran, mode->faulting, mode->executions,
		mode->wrong);
	for (i = 0; i < KPROBE_NR_REFUSALS; i++) {
		if (mode->refused[i])
			pr_info("DIFFER-REFUSED %s: %s: %u\n", mode->name,
				i ? refusals[i].name : "with a post handler",
				mode->refused[i]);
	}
	for (i = 0; i < KPROBE_NR_NOJUMPS; i++) {
		if (mode->no_jump[i])
			pr_info("DIFFER-NOJUMP %s: %s: %u\n", mode->name,
				i ? obstacles[i].name : "no trap",
				mode->no_jump[i]);
	}
}

static int differ_die(struct notifier_block *nb, unsigned long why, void *data)
{
	if (!now.active || !arch_unexpected(why, data))
		return NOTIFY_DONE;
	return NOTIFY_STOP;
}

static struct notifier_block differ_notifier = { .notifier_call = differ_die };

static int __init differ_init(void)
{
	unsigned int i;

	if (!find_symbols())
		return -ENOENT;
	batch = vzalloc(sizeof(*batch) * BATCH);
	/* The structures are compared as a whole, so zero their padding. */
	found = vzalloc(sizeof(*found));
	if (!batch || !found) {
		vfree(batch);
		vfree(found);
		return -ENOMEM;
	}
	register_die_notifier(&differ_notifier);
	try_all();
	unregister_die_notifier(&differ_notifier);
	set_jumps(true);
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (ARCH_JUMP_COVERS || !modes[i].covered)
			tell(&modes[i]);
	}
	pr_info("DIFFER-END %u forms, %u vary, %u misread; without a probe %u fell through, %u branched, %u backward, %u faulted\n",
		differ_nr, varying, misread, ways_out[DIFFER_FALL],
		ways_out[DIFFER_TAKEN], ways_out[DIFFER_BACK],
		ways_out[DIFFER_FAULT]);
	vfree(batch);
	vfree(found);
	return 0;
}
module_init(differ_init);

static void __exit differ_exit(void)
{
}
module_exit(differ_exit);

MODULE_DESCRIPTION("Instructions with and without probes on them");
MODULE_LICENSE("GPL");
