// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on ftrace's calls, in the kernel and in kprobe_target.ko, that must
 * survive the end of ftrace.  Writing to the parameter "kill" shuts it down
 * permanently, as an error in ftrace does.  The parameter "hits" counts calls
 * of this module's handlers.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static atomic_t hits;

static int orphan_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&hits);
	return 0;
}

static void orphan_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	atomic_inc(&hits);
}

/* The second probe claims its function. */
static struct kprobe probes[] = {
	{ .symbol_name = "vfs_read", .pre_handler = orphan_pre },
	{ .symbol_name = "vfs_write", .pre_handler = orphan_pre,
	  .post_handler = orphan_post },
	{ .symbol_name = "kprobe_target:kprobe_target_function",
	  .pre_handler = orphan_pre },
};

static struct kprobe *array[] = { &probes[0], &probes[1], &probes[2] };

/* A call that skips the start of the function must not check its type. */
static __nocfi int kill_set(const char *value, const struct kernel_param *kp)
{
	struct kprobe p = {
		.symbol_name = "ftrace_kill", .flags = KPROBE_FLAG_DISABLED,
	};
	void (*kill)(void);
	int ret;

	ret = register_kprobe(&p);
	if (ret)
		return ret;
	kill = (void *)p.addr;
	unregister_kprobe(&p);
	kill();
	return 0;
}

static const struct kernel_param_ops kill_ops = {
	.set = kill_set,
};

module_param_cb(kill, &kill_ops, NULL, 0200);

static int hits_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&hits));
}

static const struct kernel_param_ops hits_ops = {
	.get = hits_get,
};

module_param_cb(hits, &hits_ops, NULL, 0444);

static int __init kprobe_orphan_init(void)
{
	return register_kprobes(array, ARRAY_SIZE(array));
}
module_init(kprobe_orphan_init);

static void __exit kprobe_orphan_exit(void)
{
	unregister_kprobes(array, ARRAY_SIZE(array));
}
module_exit(kprobe_orphan_exit);

MODULE_DESCRIPTION("probes that survive ftrace");
MODULE_LICENSE("GPL");
