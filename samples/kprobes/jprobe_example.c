// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shows the arguments of calls of vfs_read(), or of another function with the
 * same arguments, in a function that receives them.
 *
 *	insmod jprobe_example.ko limit=3
 *	insmod jprobe_example.ko symbol=vfs_write
 */
#define pr_fmt(fmt) "jprobe_example: " fmt

#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol = "vfs_read";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "vfs_read, or a function with the same arguments");

static unsigned int limit = 5;
module_param(limit, uint, 0444);
MODULE_PARM_DESC(limit, "number of calls to show");

static atomic_t calls;

/* The same prototype as vfs_read(). */
static ssize_t watch_read(struct file *file, char __user *buf, size_t count,
			  loff_t *pos)
{
	if (atomic_inc_return(&calls) <= limit)
		pr_info("%s of %pD: %zu bytes from %lld\n", symbol, file,
			count, pos ? *pos : -1);

	/* The return value below is ignored. */
	jprobe_return();
	return 0;
}

static struct jprobe probe = {
	.entry = watch_read,
};

static int __init jprobe_example_init(void)
{
	int ret;

	probe.kp.symbol_name = symbol;
	ret = register_jprobe(&probe);
	if (ret)
		pr_err("cannot watch %s: %d\n", symbol, ret);
	return ret;
}
module_init(jprobe_example_init);

static void __exit jprobe_example_exit(void)
{
	unregister_jprobe(&probe);
	pr_info("%s: %d calls, %lu missed\n", symbol, atomic_read(&calls),
		probe.kp.nmissed);
}
module_exit(jprobe_example_exit);

MODULE_DESCRIPTION("arguments of vfs_read");
MODULE_LICENSE("GPL");
