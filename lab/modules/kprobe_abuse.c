// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Misuse of the API by callers and handlers: calls of all exported functions
 * with nonsensical arguments.  None may crash, leak or hang; most return an
 * errno.  Prints lines "ABUSE ok <what>" and "ABUSE FAIL <what>", and finally
 * their numbers.
 *
 * With the parameter atomic, probes are registered in atomic context and by
 * handlers: a kernel that checks this must complain, and must continue.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/umh.h>
#include <linux/vmalloc.h>
#include "test_symbols.h"

static bool atomic;
module_param(atomic, bool, 0444);

static unsigned int checks, failures;

#define EXPECT(what, condition)						\
do {									\
	bool holds_ = condition;					\
									\
	checks++;							\
	failures += !holds_;						\
	if (holds_)							\
		pr_info("ABUSE ok %s\n", what);				\
	else								\
		pr_err("ABUSE FAIL %s: %s\n", what, #condition);	\
} while (0)

#define EXPECT_RESULT(what, call, expected)				\
do {									\
	int got_ = call, want_ = expected;				\
									\
	checks++;							\
	failures += got_ != want_;					\
	if (got_ == want_)						\
		pr_info("ABUSE ok %s\n", what);				\
	else								\
		pr_err("ABUSE FAIL %s: %s is %d, not %d\n", what, #call,\
		       got_, want_);					\
} while (0)

/*
 * The probed functions
 */

#define TARGET	noinline __noclone

static TARGET unsigned int target(unsigned int x, unsigned int y)
{
	barrier();
	return x * 3 + y;
}

static TARGET unsigned int other(unsigned int x, unsigned int y)
{
	barrier();
	return x + 1000 + y;
}

static unsigned int hits, returns, bad_calls;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	return 0;
}

static unsigned int jprobe_count(unsigned int x, unsigned int y)
{
	hits++;
	jprobe_return();
	return 0;
}

static int bad_pre(struct kprobe *p, struct pt_regs *regs)
{
	bad_calls++;
	return 0;
}

/* By a pointer, because the compiler knows that the functions count no hits. */
static unsigned int call_target(unsigned int x, unsigned int y)
{
	unsigned int (*function)(unsigned int x, unsigned int y) = target;

	OPTIMIZER_HIDE_VAR(function);
	return function(x, y);
}

/* Return the number of handlers that one call runs. */
static unsigned int hits_of_a_call(void)
{
	unsigned int was = hits;

	if (call_target(5, 7) != 22)
		return UINT_MAX;
	return hits - was;
}

#define PROBE(...)	{ .pre_handler = count_pre, __VA_ARGS__ }
#define AT_TARGET	.addr = (kprobe_opcode_t *)target

/*
 * Nothing at all
 */

static void try_null(void)
{
	struct kprobe *none[3] = {};

	EXPECT_RESULT("register_kprobe(NULL)", register_kprobe(NULL), -EINVAL);
	EXPECT_RESULT("register_kretprobe(NULL)", register_kretprobe(NULL),
		      -EINVAL);
	EXPECT_RESULT("register_jprobe(NULL)", register_jprobe(NULL), -EINVAL);
	EXPECT_RESULT("enable_kprobe(NULL)", enable_kprobe(NULL), -EINVAL);
	EXPECT_RESULT("enable_kretprobe(NULL)", enable_kretprobe(NULL),
		      -EINVAL);
	EXPECT_RESULT("enable_jprobe(NULL)", enable_jprobe(NULL), -EINVAL);
	EXPECT_RESULT("disable_kprobe(NULL)", disable_kprobe(NULL), -EINVAL);
	EXPECT_RESULT("disable_kretprobe(NULL)", disable_kretprobe(NULL),
		      -EINVAL);
	EXPECT_RESULT("disable_jprobe(NULL)", disable_jprobe(NULL), -EINVAL);
	EXPECT_RESULT("register_kprobes(NULL, 3)", register_kprobes(NULL, 3),
		      -EINVAL);
	EXPECT_RESULT("register_kretprobes(NULL, 3)",
		      register_kretprobes(NULL, 3), -EINVAL);
	EXPECT_RESULT("register_jprobes(NULL, 3)", register_jprobes(NULL, 3),
		      -EINVAL);
	EXPECT_RESULT("an array of NULL", register_kprobes(none, 3), -EINVAL);
	unregister_kprobe(NULL);
	unregister_kretprobe(NULL);
	unregister_jprobe(NULL);
	unregister_kprobes(NULL, 3);
	unregister_kretprobes(NULL, 3);
	unregister_jprobes(NULL, 3);
	unregister_kprobes(none, 3);
	unregister_kretprobes((struct kretprobe **)none, 3);
	unregister_jprobes((struct jprobe **)none, 3);
	EXPECT("removing NULL, alone and in arrays", true);
}

/*
 * Numbers of probes
 */

static void try_numbers(void)
{
	static const int numbers[] = { 0, -1, -2, INT_MIN };
	struct kprobe p = PROBE(AT_TARGET);
	struct kprobe *ps[2] = { &p, NULL };
	char what[60];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(what, sizeof(what), "%d probes", numbers[i]);
		EXPECT_RESULT(what, register_kprobes(ps, numbers[i]), -EINVAL);
		EXPECT_RESULT(what, register_kretprobes((void *)ps, numbers[i]),
			      -EINVAL);
		EXPECT_RESULT(what, register_jprobes((void *)ps, numbers[i]),
			      -EINVAL);
	}
	/* The first refused probe ends the array. */
	EXPECT_RESULT("INT_MAX probes, the second is NULL",
		      register_kprobes(ps, INT_MAX), -EINVAL);
	EXPECT("the first of them is not registered", !hits_of_a_call());
	EXPECT_RESULT("a probe alone", register_kprobe(&p), 0);
	unregister_kprobes(ps, 0);
	unregister_kprobes(ps, -1);
	unregister_kprobes(ps, INT_MIN);
	EXPECT("removing none of them", hits_of_a_call() == 1);
	unregister_kprobe(&p);
}

/*
 * Addresses
 */

static int in_data;

static void try_address(const char *name, void *addr)
{
	struct kprobe p = PROBE(.addr = addr);
	struct kretprobe rp = {
		.kp.addr = addr, .handler = count_return,
	};
	struct jprobe jp = { .kp.addr = addr, .entry = jprobe_count };

	EXPECT_RESULT(name, register_kprobe(&p), -EINVAL);
	EXPECT_RESULT(name, register_kretprobe(&rp), -EINVAL);
	EXPECT_RESULT(name, register_jprobe(&jp), -EINVAL);
	/* The probe was not registered, so no other call may succeed. */
	EXPECT_RESULT(name, enable_kprobe(&p), -EINVAL);
	unregister_kprobe(&p);
	EXPECT(name, !p.addr);
}

static void try_addresses(void)
{
	static const char rodata[16] = "no code";
	void *heap = kmalloc(64, GFP_KERNEL), *area = vmalloc(PAGE_SIZE);
	unsigned long high = 1UL << (BITS_PER_LONG - 1);
	char stack[16];

	try_address("no address", NULL);
	try_address("address 1", (void *)1);
	try_address("address of a user", (void *)0x400000);
	try_address("the last address", (void *)-1L);
	try_address("the first address of the upper half", (void *)high);
	try_address("the last address of the lower half", (void *)(high - 1));
	try_address("an address that is not canonical",
		    (void *)(high | high >> 8));
	try_address("data", &in_data);
	try_address("constants", (void *)rodata);
	try_address("the stack", stack);
	try_address("the heap", heap);
	try_address("an area of vmalloc()", area);
	try_address("after an area of vmalloc()", area + PAGE_SIZE);
	try_address("the module itself", THIS_MODULE);
	kfree(heap);
	vfree(area);
}

static void try_offsets(void)
{
	struct kprobe p = PROBE(AT_TARGET, .offset = UINT_MAX);

	EXPECT("an offset of 4 GB", register_kprobe(&p) < 0);
	p = (struct kprobe)PROBE(.symbol_name = "vfs_read",
				 .offset = 0x7fffffff);
	EXPECT("an offset of 2 GB to a symbol", register_kprobe(&p) < 0);
	p = (struct kprobe)PROBE(AT_TARGET, .symbol_name = "vfs_read");
	EXPECT_RESULT("an address and a symbol", register_kprobe(&p), -EINVAL);
	if (!IS_ENABLED(CONFIG_X86)) {
		p = (struct kprobe)PROBE(AT_TARGET, .offset = 1);
		EXPECT_RESULT("not aligned", register_kprobe(&p), -EINVAL);
	}
}

static void try_symbol(const char *name, const char *symbol)
{
	struct kprobe p = PROBE(.symbol_name = symbol);
	struct kretprobe rp = {
		.kp.symbol_name = symbol, .handler = count_return,
	};
	struct jprobe jp = { .kp.symbol_name = symbol, .entry = jprobe_count };

	EXPECT_RESULT(name, register_kprobe(&p), -ENOENT);
	EXPECT_RESULT(name, register_kretprobe(&rp), -ENOENT);
	EXPECT_RESULT(name, register_jprobe(&jp), -ENOENT);
}

static void try_symbols(void)
{
	char *much = kmalloc(PAGE_SIZE, GFP_KERNEL);

	try_symbol("no characters", "");
	try_symbol("a colon", ":");
	try_symbol("three colons", ":::");
	try_symbol("a symbol of no module", ":vfs_read");
	try_symbol("no symbol of a module", "kprobe_abuse:");
	try_symbol("a symbol of another module", "kprobe_abuse:vfs_read");
	try_symbol("a symbol of a module that is not there",
		   "no_such_module:vfs_read");
	try_symbol("formats", "%s%n%pS");
	try_symbol("bytes", "\xff\x01\n");
	try_symbol("white space", " vfs_read");
	try_symbol("an offset in the symbol", "vfs_read+0");
	if (!much)
		return;
	memset(much, 'a', PAGE_SIZE - 1);
	much[PAGE_SIZE - 1] = 0;
	try_symbol("a page of letters", much);
	much[2000] = ':';
	try_symbol("a page of letters and a colon", much);
	kfree(much);
}

static void try_flags(void)
{
	unsigned int bit;
	struct kprobe p;

	for (bit = 0; bit < 32; bit++) {
		int expected = BIT(bit) & ~31 ? -EINVAL : 0, ret;
		bool off = BIT(bit) == KPROBE_FLAG_DISABLED;

		p = (struct kprobe)PROBE(AT_TARGET, .flags = BIT(bit));
		ret = register_kprobe(&p);
		EXPECT("a flag", ret == expected);
		EXPECT("a flag that is another's is none",
		       hits_of_a_call() == (!ret && !off));
		if (!ret)
			unregister_kprobe(&p);
	}
}

/*
 * Copies, and probes used twice
 */

static void try_copies(void)
{
	struct kprobe p = PROBE(AT_TARGET), copy;

	/* Simulate leftovers on the stack. */
	memset(&copy, 0xa5, sizeof(copy));
	copy.addr = (void *)target;
	copy.symbol_name = NULL;
	copy.offset = 0;
	copy.pre_handler = count_pre;
	copy.post_handler = NULL;
	copy.fault_handler = NULL;
	copy.flags = 0;
	EXPECT_RESULT("a probe with garbage in private fields",
		      register_kprobe(&copy), 0);
	EXPECT("it is hit", hits_of_a_call() == 1);
	unregister_kprobe(&copy);

	EXPECT_RESULT("a probe", register_kprobe(&p), 0);
	EXPECT_RESULT("it once more", register_kprobe(&p), -EINVAL);
	EXPECT("it is hit once", hits_of_a_call() == 1);
	copy = p;
	EXPECT_RESULT("its copy is enabled", enable_kprobe(&copy), -EINVAL);
	EXPECT_RESULT("its copy is disabled", disable_kprobe(&copy), -EINVAL);
	unregister_kprobe(&copy);
	EXPECT("its copy is not registered", !copy.addr);
	EXPECT("the removed copy was not it", hits_of_a_call() == 1);
	copy = p;
	EXPECT_RESULT("its copy is registered", register_kprobe(&copy), 0);
	EXPECT("both are hit", hits_of_a_call() == 2);
	unregister_kprobe(&copy);
	EXPECT("one of them is hit", hits_of_a_call() == 1);
	unregister_kprobe(&p);
	unregister_kprobe(&p);
	EXPECT("removed twice", !p.addr && !hits_of_a_call());
}

static void try_arrays(void)
{
	struct kprobe p = PROBE(AT_TARGET), q = PROBE(AT_TARGET);
	struct kprobe *twice[] = { &p, &q, &p }, *one[] = { &q, NULL, &p };

	EXPECT_RESULT("an array with one twice", register_kprobes(twice, 3),
		      -EINVAL);
	EXPECT("none of it is registered", !hits_of_a_call());
	EXPECT_RESULT("one of it", register_kprobe(&p), 0);
	EXPECT_RESULT("an array with a registered probe",
		      register_kprobes(one, 3), -EINVAL);
	EXPECT("the registered probe has stayed", hits_of_a_call() == 1);
	EXPECT_RESULT("the other", register_kprobe(&q), 0);
	unregister_kprobes(twice, 3);
	EXPECT("one twice is removed once", !hits_of_a_call() && !p.addr);
	EXPECT_RESULT("registered again", (p.addr = (void *)target,
					   register_kprobe(&p)), 0);
	unregister_kprobes(one, 3);
	EXPECT("NULL in the midst of an array", !hits_of_a_call());
}

/* Pass one kind of probe to the calls of another. */
static void try_kinds(void)
{
	struct kretprobe rp = { .kp = { AT_TARGET }, .handler = count_return };
	struct jprobe jp = { .kp = { AT_TARGET }, .entry = jprobe_count };
	unsigned int was;

	EXPECT_RESULT("a return probe", register_kretprobe(&rp), 0);
	EXPECT_RESULT("it as a kprobe", register_kprobe(&rp.kp), -EINVAL);
	EXPECT_RESULT("it as a jprobe", register_jprobe((void *)&rp), -EINVAL);
	EXPECT_RESULT("it is disabled as a kprobe", disable_kprobe(&rp.kp), 0);
	was = returns;
	hits_of_a_call();
	EXPECT("no return", returns == was);
	EXPECT_RESULT("it is enabled as a jprobe", enable_jprobe((void *)&rp),
		      0);
	hits_of_a_call();
	EXPECT("one return", returns == was + 1);
	unregister_jprobe((void *)&rp);
	hits_of_a_call();
	EXPECT("it is removed as a jprobe", returns == was + 1);

	EXPECT_RESULT("a jprobe", register_jprobe(&jp), 0);
	EXPECT("the jprobe is hit", hits_of_a_call() == 1);
	unregister_kprobe(&jp.kp);
	EXPECT("it is removed as a kprobe", !hits_of_a_call());
	jp = (struct jprobe){ .kp = { AT_TARGET } };
	EXPECT_RESULT("a jprobe without an entry", register_jprobe(&jp),
		      -EINVAL);
}

/* Writes to a registered probe must not affect its site. */
static void try_writes(void)
{
	struct kprobe p = PROBE(AT_TARGET);

	EXPECT_RESULT("a probe to be written to", register_kprobe(&p), 0);
	p.addr = (void *)0xdead;
	p.symbol_name = (char *)0xdead;
	p.offset = 77;
	p.pre_handler = bad_pre;
	p.post_handler = (void *)0xdead;
	p.fault_handler = (void *)0xdead;
	p.flags = ~0;
	p.opcode = 0;
	EXPECT("it is hit all the same", hits_of_a_call() == 1);
	EXPECT_RESULT("it can be disabled", disable_kprobe(&p), 0);
	EXPECT("it is not hit then", !hits_of_a_call());
	EXPECT_RESULT("it can be enabled", enable_kprobe(&p), 0);
	EXPECT("it is hit again", hits_of_a_call() == 1);
	unregister_kprobe(&p);
	EXPECT("it is removed", !hits_of_a_call() && !bad_calls);
}

/*
 * Return probes
 */

static void try_maxactive(int maxactive, size_t size, int expected)
{
	struct kretprobe rp = {
		.kp = { AT_TARGET }, .handler = count_return,
		.maxactive = maxactive, .data_size = size,
	};
	unsigned int was = returns;
	char what[80];
	int ret;

	snprintf(what, sizeof(what), "maxactive %d, data_size %zu", maxactive,
		 size);
	ret = register_kretprobe(&rp);
	/* There may be enough memory. */
	if (expected == -ENOMEM && !ret)
		expected = 0;
	EXPECT_RESULT(what, ret, expected);
	hits_of_a_call();
	EXPECT(what, returns == was + !ret);
	if (!ret)
		unregister_kretprobe(&rp);
}

static void try_sizes(void)
{
	static const size_t large[] = {
		KRETPROBE_MAX_DATA_SIZE + 1, INT_MAX, UINT_MAX, SIZE_MAX,
		SIZE_MAX - 7, SIZE_MAX - 64, SIZE_MAX / 2 + 1,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(large); i++) {
		try_maxactive(0, large[i], -E2BIG);
		try_maxactive(INT_MAX, large[i], -E2BIG);
	}
	try_maxactive(-1, KRETPROBE_MAX_DATA_SIZE, 0);
	try_maxactive(INT_MIN, 1, 0);
	try_maxactive(1, KRETPROBE_MAX_DATA_SIZE - 1, 0);
	try_maxactive(1, 1, 0);
	try_maxactive(INT_MAX, 0, -ENOMEM);
	try_maxactive(INT_MAX, KRETPROBE_MAX_DATA_SIZE, -ENOMEM);
	try_maxactive(1 << 24, 0, -ENOMEM);
	try_maxactive(1 << 20, KRETPROBE_MAX_DATA_SIZE, -ENOMEM);
}

/* Request nearly all memory; this must not kill any task. */
static void try_all_memory(void)
{
	size_t size = KRETPROBE_MAX_DATA_SIZE + 64;
	unsigned long bytes = si_mem_available() << PAGE_SHIFT;

	try_maxactive(min(bytes / size * 10 / 9, INT_MAX / size / 2),
		      KRETPROBE_MAX_DATA_SIZE, -ENOMEM);
}

/* Handlers that are NULL, and an entry handler with an odd result. */
static int odd_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return INT_MIN;
}

static int odd_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	return -77;
}

static void try_return_handlers(void)
{
	struct kretprobe rp = { .kp = { AT_TARGET } };
	unsigned int was = returns;

	EXPECT_RESULT("a return probe without handlers",
		      register_kretprobe(&rp), 0);
	EXPECT("its function works", !hits_of_a_call());
	unregister_kretprobe(&rp);
	rp = (struct kretprobe){
		.kp = { AT_TARGET }, .handler = odd_return,
		.entry_handler = odd_entry,
	};
	EXPECT_RESULT("an entry handler that returns INT_MIN",
		      register_kretprobe(&rp), 0);
	EXPECT("a call that it does not want followed",
	       hits_of_a_call() == 1 && returns == was);
	unregister_kretprobe(&rp);
	rp = (struct kretprobe){ .kp = { AT_TARGET }, .handler = odd_return };
	EXPECT_RESULT("a handler that returns -77", register_kretprobe(&rp), 0);
	hits_of_a_call();
	EXPECT("the value is ignored", returns == was + 1);
	unregister_kretprobe(&rp);
}

/*
 * Handlers
 */

static int odd_value;

static int odd_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	instruction_pointer_set(regs, (unsigned long)other);
	return odd_value;
}

static void try_values(void)
{
	static const int values[] = { 1, 2, -1, INT_MIN, INT_MAX, 0x100 };
	struct kprobe p = { AT_TARGET, .pre_handler = odd_pre };
	struct kprobe older = PROBE(AT_TARGET);
	unsigned int i;

	EXPECT_RESULT("an older probe", register_kprobe(&older), 0);
	EXPECT_RESULT("a handler that continues elsewhere",
		      register_kprobe(&p), 0);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		unsigned int was = hits;

		odd_value = values[i];
		EXPECT("a handler returns an odd value",
		       call_target(1, 2) == 1003);
		EXPECT("the older probe is not hit", hits == was + 1);
	}
	unregister_kprobe(&p);
	unregister_kprobe(&older);
	EXPECT("the function itself again", call_target(1, 2) == 5);
}

static unsigned int depth, recursions;

static int recursing_pre(struct kprobe *p, struct pt_regs *regs)
{
	recursions++;
	if (depth++ < 1000 && call_target(depth, 1) != depth * 3 + 1)
		bad_calls++;
	depth--;
	return 0;
}

static int slow_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	mdelay(50);
	return 0;
}

static void try_habits(void)
{
	struct kprobe p = { AT_TARGET, .pre_handler = recursing_pre };

	EXPECT_RESULT("a handler that calls the function",
		      register_kprobe(&p), 0);
	EXPECT("the function works", call_target(4, 4) == 16 && !bad_calls);
	EXPECT("the hit inside is missed", recursions == 1 && p.nmissed == 1);
	unregister_kprobe(&p);
	p = (struct kprobe){ AT_TARGET, .pre_handler = slow_pre };
	EXPECT_RESULT("a handler that takes 50 ms", register_kprobe(&p), 0);
	EXPECT("the slow one was called", hits_of_a_call() == 1);
	unregister_kprobe(&p);
}

/* A module that was removed */

static int shell(const char *command)
{
	char *argv[4] = { "/bin/sh", "-c", (char *)command, NULL };
	char *env[2] = { "PATH=/bin", NULL };

	return call_usermodehelper(argv[0], argv, env, UMH_WAIT_PROC);
}

static void try_module(void)
{
	struct kprobe p = PROBE(.symbol_name =
				"kprobe_target:kprobe_target_function");
	struct kprobe old = PROBE();

	EXPECT_RESULT("the module is loaded",
		      shell("insmod /modules/kprobe_target.ko"), 0);
	EXPECT_RESULT("a probe on it", register_kprobe(&p), 0);
	old.addr = p.addr;
	EXPECT_RESULT("unload the module", shell("rmmod kprobe_target"), 0);
	EXPECT_RESULT("its address after unloading", register_kprobe(&old),
		      -EINVAL);
	EXPECT_RESULT("its probe is enabled", enable_kprobe(&p), -EINVAL);
	EXPECT_RESULT("its probe is disabled", disable_kprobe(&p), 0);
	EXPECT_RESULT("it is disabled again", disable_kprobe(&p), 0);
	EXPECT_RESULT("it is enabled again", enable_kprobe(&p), -EINVAL);
	EXPECT_RESULT("its probe once more", register_kprobe(&p), -EINVAL);
	unregister_kprobe(&p);
	EXPECT("its probe is removed", true);
}

/* Atomic context */

/*
 * The scheduler reports the preemption counter of a task that sleeps, and
 * clears it.  Restore the counter, because preempt_enable() would otherwise
 * leave a task that can be preempted while it holds spinlocks.
 */
#define ATOMICALLY(call)						\
({									\
	int count_ = preempt_count(), result_ = call;			\
									\
	preempt_count_set(count_);					\
	result_;							\
})

static void try_atomic(void)
{
	struct kprobe p = PROBE(AT_TARGET);
	struct kretprobe rp = { .kp = { AT_TARGET }, .handler = count_return };
	struct jprobe jp = { .kp = { AT_TARGET }, .entry = jprobe_count };
	int rets[5];

	preempt_disable();
	rets[0] = ATOMICALLY(register_kprobe(&p));
	rets[1] = ATOMICALLY(disable_kprobe(&p));
	rets[2] = ATOMICALLY(enable_kprobe(&p));
	ATOMICALLY((unregister_kprobe(&p), 0));
	rets[3] = ATOMICALLY(register_kretprobe(&rp));
	ATOMICALLY((unregister_kretprobe(&rp), 0));
	rets[4] = ATOMICALLY(register_jprobe(&jp));
	ATOMICALLY((unregister_jprobe(&jp), 0));
	preempt_enable();
	EXPECT("atomic: register, disable and enable a kprobe",
	       !rets[0] && !rets[1] && !rets[2]);
	EXPECT("atomic: register a kretprobe and a jprobe",
	       !rets[3] && !rets[4]);
	EXPECT("atomic: none is left", !hits_of_a_call());
}

/*
 * Calls in a handler
 */

static int calling_rets[4];

static int calling_pre(struct kprobe *p, struct pt_regs *regs)
{
	static struct kprobe other = PROBE(AT_TARGET);
	static struct kretprobe rp = {
		.kp = { AT_TARGET }, .handler = count_return,
	};

	hits++;
	calling_rets[0] = register_kprobe(&other);
	calling_rets[1] = register_kretprobe(&rp);
	calling_rets[2] = disable_kprobe(p);
	calling_rets[3] = enable_kprobe(p);
	unregister_kprobe(p);
	return 0;
}

static void try_calls_in_handler(void)
{
	struct kprobe p = { AT_TARGET, .pre_handler = calling_pre };
	int i;

	EXPECT_RESULT("a handler that calls the API", register_kprobe(&p), 0);
	EXPECT("it is called", hits_of_a_call() == 1);
	for (i = 0; i < ARRAY_SIZE(calling_rets); i++)
		EXPECT_RESULT("a call of the API in a handler",
			      calling_rets[i], -EDEADLK);
	EXPECT("its probe is still registered", hits_of_a_call() == 1);
	unregister_kprobe(&p);
	EXPECT("its probe is unregistered", !hits_of_a_call());
}

static int calling_fault(struct kprobe *p, struct pt_regs *regs, int trap)
{
	calling_rets[0] = disable_kprobe(p);
	return 0;
}

static int faulting_pre(struct kprobe *p, struct pt_regs *regs)
{
	int x;

	hits++;
	calling_rets[0] = 0;
	return get_kernel_nofault(x, (int *)-16UL) == 0;
}

static void try_call_in_fault_handler(void)
{
	struct kprobe p = {
		AT_TARGET,
		.pre_handler = faulting_pre,
		.fault_handler = calling_fault,
	};

	EXPECT_RESULT("a fault handler that calls the API",
		      register_kprobe(&p), 0);
	EXPECT("it is called", hits_of_a_call() == 1);
	EXPECT_RESULT("a call of the API in a fault handler",
		      calling_rets[0], -EDEADLK);
	unregister_kprobe(&p);
}

static int enabling_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	raw_local_irq_enable();
	return 0;
}

static void try_interrupts_on(void)
{
	struct kprobe p = { AT_TARGET, .pre_handler = enabling_pre };

	EXPECT_RESULT("a handler that enables interrupts",
		      register_kprobe(&p), 0);
	EXPECT("it is called", hits_of_a_call() == 1);
	unregister_kprobe(&p);
}

/* Pools are freed after a grace period, by a work queue. */
static void try_rest(void)
{
#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
	unsigned int i;

	kprobe_flush_retired();
	for (i = 0; i < 100 && kretprobe_pools_in_use(); i++)
		msleep(50);
	EXPECT("no site is left", !kprobe_sites_in_use());
	EXPECT("no slot is left", !kprobe_slots_in_use());
	EXPECT("no pool is left", !kretprobe_pools_in_use());
#endif
}

static int __init abuse_init(void)
{
	if (atomic) {
		try_atomic();
		try_calls_in_handler();
		try_call_in_fault_handler();
		try_interrupts_on();
	} else {
		try_null();
		try_numbers();
		try_addresses();
		try_offsets();
		try_symbols();
		try_flags();
		try_copies();
		try_arrays();
		try_kinds();
		try_writes();
		try_sizes();
		try_return_handlers();
		try_values();
		try_habits();
		try_module();
		try_all_memory();
	}
	try_rest();
	pr_info("ABUSE checks %u\n", checks);
	pr_info("ABUSE failures %u\n", failures);
	return 0;
}
module_init(abuse_init);

static void __exit abuse_exit(void)
{
}
module_exit(abuse_exit);

MODULE_DESCRIPTION("calls with nonsense of each kind");
MODULE_LICENSE("GPL");
