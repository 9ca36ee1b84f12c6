// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts calls of kernel functions and shows the first few of them.
 *
 *	insmod kprobe_example.ko symbol=vfs_read
 *	insmod kprobe_example.ko symbol=vfs_read,kernel_clone limit=3 post=1
 *
 * All probes are registered as one array: if one of the functions cannot be
 * probed, none is, and the module is not loaded; the log has its name and the
 * reason.
 *
 * To build a module of your own for the running kernel:
 *
 *	mkdir hello && cp kprobe_example.c hello/hello.c
 *	echo 'obj-m += hello.o' > hello/Makefile
 *	make -C /lib/modules/$(uname -r)/build M=$PWD/hello modules
 */
#define pr_fmt(fmt) "kprobe_example: " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/spinlock.h>

#define MAX_TARGETS	16

static char *symbol[MAX_TARGETS] = { "kernel_clone" };
static unsigned int nr_symbols = 1;
module_param_array(symbol, charp, &nr_symbols, 0444);
MODULE_PARM_DESC(symbol, "functions to probe");

static unsigned int limit = 5;
module_param(limit, uint, 0444);
MODULE_PARM_DESC(limit, "number of hits to show of each function");

static bool post;
module_param(post, bool, 0444);
MODULE_PARM_DESC(post, "also count after the probed instructions");

/**
 * struct target - a function that is probed
 * @probe: the request; handlers find the target by container_of()
 * @entered: hits so far
 * @stepped: executions of the probed instruction so far
 */
struct target {
	struct kprobe probe;
	atomic_t entered;
	atomic_t stepped;
};

static struct target targets[MAX_TARGETS];
static struct kprobe *probes[MAX_TARGETS];

/* On s390, regs_get_kernel_argument() calls a function that is not exported. */
#if defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) && !defined(CONFIG_S390)
static void show_argument(const struct kprobe *p, struct pt_regs *regs)
{
	pr_info("%s: ip = %pS, arg0 = 0x%lx\n", p->symbol_name,
		(void *)instruction_pointer(regs),
		regs_get_kernel_argument(regs, 0));
}
#else
/* Modules cannot use regs_get_kernel_argument() here. */
static void show_argument(const struct kprobe *p, struct pt_regs *regs)
{
	pr_info("%s: ip = %pS\n", p->symbol_name,
		(void *)instruction_pointer(regs));
}
#endif

/* Called before the instruction, with the registers of the probed code. */
static int show_call(struct kprobe *p, struct pt_regs *regs)
{
	struct target *t = container_of(p, struct target, probe);

	if (atomic_inc_return(&t->entered) <= limit)
		show_argument(p, regs);
	return 0;
}

/* Called after the instruction.  Without a post handler, a probe is faster. */
static void count_step(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	struct target *t = container_of(p, struct target, probe);

	atomic_inc(&t->stepped);
}

static int __init kprobe_example_init(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr_symbols; i++) {
		targets[i].probe.symbol_name = symbol[i];
		targets[i].probe.pre_handler = show_call;
		if (post)
			targets[i].probe.post_handler = count_step;
		probes[i] = &targets[i].probe;
	}

	ret = register_kprobes(probes, nr_symbols);
	if (ret)
		pr_err("cannot probe: %d\n", ret);
	return ret;
}
module_init(kprobe_example_init);

static void __exit kprobe_example_exit(void)
{
	unsigned int i;

	/* No handler runs after this: the counts below are final. */
	unregister_kprobes(probes, nr_symbols);
	for (i = 0; i < nr_symbols; i++)
		pr_info("%s: %d hits, %d steps, %lu missed\n", symbol[i],
			atomic_read(&targets[i].entered),
			atomic_read(&targets[i].stepped),
			targets[i].probe.nmissed);
}
module_exit(kprobe_example_exit);

MODULE_DESCRIPTION("probes on functions of your choice");
MODULE_LICENSE("GPL");
