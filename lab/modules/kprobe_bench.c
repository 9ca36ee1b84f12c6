// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the cost of a probe, on stock kernels as well as ours.
 *
 * Run under QEMU's -icount shift=0, where a nanosecond of the guest is an
 * instruction.  Prints lines "BENCH <row> <instructions>".  The probed
 * instruction is an ordinary one inside a function, where jump optimization is
 * impossible.
 *
 * With paced=1, there are some hits of each kind instead, between lines
 * BENCH-HITS-BEGIN and -END.  After each, the module waits until 1 is written
 * to its parameter go, so that the host can log all instructions in between,
 * however slow it is.  The calls themselves are between two of bench_mark().
 */
#include <linux/fs.h>
#include <linux/hex.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/delay.h>
#include "kprobe_bench.h"

#define HITS		2000
#define SHOWN		10
#define ARRAY		BENCH_MANY
#define ONE_BY_ONE	50

static bool paced;
module_param(paced, bool, 0444);
static bool go;
module_param(go, bool, 0644);

static unsigned long hits;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	hits++;
}

static void (*called)(void) = bench_target;

/* Marks the calls in a log of executed instructions. */
static noinline void bench_mark(void)
{
	barrier();
}

static noinline u64 time_calls(unsigned int n)
{
	unsigned long flags;
	u64 start;

	local_irq_save(flags);
	bench_mark();
	start = ktime_get_ns();
	while (n--)
		called();
	start = ktime_get_ns() - start;
	bench_mark();
	local_irq_restore(flags);
	return start;
}

static void row(const char *name, u64 total, unsigned int n)
{
	pr_info("BENCH %s %llu\n", name, div_u64(total + n / 2, n));
}

static u64 idle;

static void start_hits(void (*function)(void))
{
	called = function;
	/* Wait until the text of earlier probes is restored. */
	msleep(300);
	time_calls(HITS);
	idle = time_calls(HITS);
}

/* Wait until the host has read the last line. */
static void let_host_read(void)
{
	while (!READ_ONCE(go))
		msleep(20);
	WRITE_ONCE(go, false);
}

static void show_hits(const char *name)
{
	pr_info("BENCH-HITS-BEGIN %s %d\n", name, SHOWN);
	let_host_read();
	time_calls(SHOWN);
	pr_info("BENCH-HITS-END %s %d\n", name, SHOWN);
	let_host_read();
}

/*
 * The kernel's switch for jumps, if it has one: for breakpoint hits in
 * functions where a jump cannot be prevented otherwise.
 */
static void switch_jumps(const char *to)
{
	struct file *file;
	loff_t pos = 0;

	file = filp_open("/proc/sys/debug/kprobes-optimization", O_WRONLY, 0);
	if (IS_ERR(file))
		return;
	if (kernel_write(file, to, 1, &pos) != 1)
		pr_err("BENCH-FAILED switch\n");
	filp_close(file, NULL);
}

static bool jumps = true;

static void jumps_off(void)
{
	switch_jumps("0");
	jumps = false;
}

static void jumps_on(void)
{
	switch_jumps("1");
	jumps = true;
}

/* Return instructions per hit; everything is registered. */
static u64 time_hits(const char *name, unsigned long per_hit)
{
	u64 busy;

	/* Wait for optimization, if it is possible. */
	msleep(300);
	time_calls(HITS);
	hits = 0;
	busy = time_calls(HITS) - idle;
	if (!jumps && (is_jump(bench_here) || is_jump(text_of(bench_call))))
		pr_err("BENCH-FAILED %s: by a jump\n", name);
	if (hits != per_hit * HITS)
		pr_err("BENCH-FAILED %s: %lu handlers ran\n", name, hits);
	if (paced)
		show_hits(name);
	else
		row(name, busy, HITS);
	return busy;
}

static void failed(const char *name, int ret)
{
	pr_err("BENCH-FAILED %s: register: %d\n", name, ret);
}

static void time_kprobes(const char *name, void (*function)(void),
			 struct kprobe *a, struct kprobe *b,
			 unsigned long per_hit)
{
	int ret;

	start_hits(function);
	ret = register_kprobe(a);
	if (!ret && b)
		ret = register_kprobe(b);
	if (ret)
		return failed(name, ret);
	time_hits(name, per_hit);
	unregister_kprobe(a);
	if (b)
		unregister_kprobe(b);
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

/* Measure a return probe alone, and relative to a probe on the entry. */
static void time_return(void (*function)(void), const char *entry_name,
			const char *name, const char *above_name)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)function,
		.pre_handler = count_pre,
	};
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)function,
		.handler = count_return,
	};
	u64 entry, both;
	int ret;

	start_hits(function);
	ret = register_kprobe(&p);
	if (ret)
		return failed(entry_name, ret);
	entry = time_hits(entry_name, 1);
	unregister_kprobe(&p);
	ret = register_kretprobe(&rp);
	if (ret)
		return failed(name, ret);
	both = time_hits(name, 1);
	unregister_kretprobe(&rp);
	if (!paced)
		row(above_name, both - entry, HITS);
}

/* Measure separate probes on the entry and on the return of a function. */
static void time_return_and_kprobe(void)
{
	struct kprobe p = {
		.addr = (kprobe_opcode_t *)bench_call,
		.pre_handler = count_pre,
	};
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)bench_call,
		.handler = count_return,
	};
	int ret;

	start_hits(bench_call);
	ret = register_kretprobe(&rp);
	if (ret)
		return failed("return-and-kprobe", ret);
	ret = register_kprobe(&p);
	if (!ret) {
		time_hits("return-and-kprobe", 2);
		unregister_kprobe(&p);
	} else {
		failed("return-and-kprobe", ret);
	}
	unregister_kretprobe(&rp);
}

#if defined(JPROBE_ENTRY) && !defined(CONFIG_KPROBES_CLASSIC)
static void count_jprobe(void)
{
	hits++;
	jprobe_return();
}

/* Measure a jprobe, and a jprobe with a return probe on one function. */
static void time_jprobes(void)
{
	struct jprobe jp = {
		.kp.addr = (kprobe_opcode_t *)bench_call,
		.entry = count_jprobe,
	};
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)bench_call,
		.handler = count_return,
	};
	int ret;

	start_hits(bench_call);
	ret = register_jprobe(&jp);
	if (ret)
		return failed("jprobe", ret);
	time_hits("jprobe", 1);
	ret = register_kretprobe(&rp);
	if (!ret) {
		time_hits("return-and-jprobe", 2);
		unregister_kretprobe(&rp);
	} else {
		failed("return-and-jprobe", ret);
	}
	unregister_jprobe(&jp);
}
#else
static void time_jprobes(void)
{
}
#endif

#define PROBE(where, ...)						\
	((struct kprobe) {						\
		.addr = (kprobe_opcode_t *)(where),			\
		.pre_handler = count_pre, ##__VA_ARGS__ })

#ifdef CONFIG_KPROBES_ON_FTRACE
static noinline void bench_ftrace(void)
{
	barrier();
}

static void time_ftrace(void)
{
	time_return(bench_ftrace, "ftrace", "return-ftrace",
		    "return-above-ftrace");
}
#else
static void time_ftrace(void)
{
}
#endif

/* Stock powerpc has jumps in the kernel's own text, but none in modules. */
static noinline void call_kernel(void)
{
	hex_to_bin('a');
}

static void time_kernel(void)
{
	struct kprobe p = {
		.symbol_name = "hex_to_bin",
		.pre_handler = count_pre,
	};

	time_kprobes("jump-kernel", call_kernel, &p, NULL, 1);
}

/* Measure until the last of many probes is a jump: per probe, and the wait. */
static void time_optimize(const char *name, struct kprobe **array, int nr)
{
	u64 start = ktime_get_ns();
	int ret, tries = 500;

	ret = register_kprobes(array, nr);
	if (ret)
		return failed(name, ret);
	while (!is_jump(array[nr - 1]->addr) && --tries)
		msleep(10);
	/* Not every kernel makes them jumps. */
	if (tries)
		row(name, ktime_get_ns() - start, nr);
	unregister_kprobes(array, nr);
}

static int time_arrays(void)
{
	struct kprobe *probes, **array;
	u64 start;
	int i, ret = -ENOMEM;

	probes = kvcalloc(ARRAY, sizeof(*probes), GFP_KERNEL);
	array = kvcalloc(ARRAY, sizeof(*array), GFP_KERNEL);
	if (!probes || !array)
		goto out;
	for (i = 0; i < ARRAY; i++) {
		probes[i].addr = (kprobe_opcode_t *)(bench_many + 16 * i);
		probes[i].pre_handler = count_pre;
		array[i] = &probes[i];
	}

	start = ktime_get_ns();
	ret = register_kprobes(array, ARRAY);
	row("module-register-array", ktime_get_ns() - start, ARRAY);
	if (ret)
		goto out;
	start = ktime_get_ns();
	unregister_kprobes(array, ARRAY);
	row("module-unregister-array", ktime_get_ns() - start, ARRAY);

	msleep(500);
	start = ktime_get_ns();
	for (i = 0; !ret && i < ONE_BY_ONE; i++)
		ret = register_kprobe(array[i]);
	row("module-register", ktime_get_ns() - start, ONE_BY_ONE);
	start = ktime_get_ns();
	while (i--)
		unregister_kprobe(array[i]);
	row("module-unregister", ktime_get_ns() - start, ONE_BY_ONE);

	msleep(500);
	time_optimize("module-optimize-array", array, ARRAY);
out:
	kvfree(array);
	kvfree(probes);
	return ret;
}

static int __init kprobe_bench_init(void)
{
	struct kprobe one = PROBE(bench_here), two = PROBE(bench_here);
	struct kprobe three = PROBE(bench_here);
	struct kprobe post = PROBE(bench_here, .post_handler = count_post);
	struct kprobe four = PROBE(bench_jump), five = PROBE(bench_jump);

	if (paced) {
		pr_info("BENCH-MARK %lx\n", (unsigned long)text_of(bench_mark));
		show_hits("none");
	}
	jumps_off();
	time_kprobes("trap", bench_target, &one, NULL, 1);
	time_kprobes("trap-post", bench_target, &post, NULL, 2);
	time_kprobes("trap-two-probes", bench_target, &two, &three, 2);
	time_return(bench_call, "trap-entry", "return-trap",
		    "return-above-trap");
	time_return_and_kprobe();
	time_jprobes();
	jumps_on();
	time_kprobes("jump-two-probes", bench_jump, &four, &five, 2);
	time_return(bench_jump, "jump", "return-jump", "return-above-jump");
	time_kernel();
	time_ftrace();
	if (!paced && time_arrays())
		pr_err("BENCH-FAILED arrays\n");
	pr_info("BENCH-END\n");
	return 0;
}
module_init(kprobe_bench_init);

static void __exit kprobe_bench_exit(void)
{
}
module_exit(kprobe_bench_exit);

MODULE_DESCRIPTION("measures the cost of a kprobe");
MODULE_LICENSE("GPL");
