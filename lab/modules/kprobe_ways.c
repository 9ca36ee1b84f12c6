// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find out which instructions of the kernel a jump would replace.  The lower 32
 * bits of their addresses are written to kprobe_ways in debugfs, as binary
 * words in the machine's byte order.  For each 100 of them the log gets a line
 * "WAYS" with one character each: j for a jump, a point otherwise.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/sections.h>
#include "test_symbols.h"

#define LINE	100

static DEFINE_MUTEX(ways_lock);
static char said[LINE + 1];
static unsigned int len;
static struct dentry *file;

static void flush_line(void)
{
	said[len] = 0;
	len = 0;
	pr_info("WAYS %s\n", said);
}

static void ask(u32 low)
{
	/* Kernel text is in the last two gigabytes. */
	unsigned long addr = (long)(s32)low;
	enum kprobe_obstacle what;

	what = kprobe_explained_obstacle((kprobe_opcode_t *)addr);
	said[len++] = what == KPROBE_NOJUMP_NONE ? 'j' : '.';
	if (len == LINE)
		flush_line();
}

static ssize_t ways_write(struct file *f, const char __user *buf, size_t size,
			  loff_t *pos)
{
	u32 *words;
	size_t i;

	size = min_t(size_t, size, PAGE_SIZE) & ~(sizeof(u32) - 1);
	if (!size)
		return -EINVAL;
	words = memdup_user(buf, size);
	if (IS_ERR(words))
		return PTR_ERR(words);

	mutex_lock(&ways_lock);
	for (i = 0; i < size / sizeof(u32); i++) {
		ask(words[i]);
		cond_resched();
	}
	mutex_unlock(&ways_lock);
	kfree(words);
	return size;
}

static const struct file_operations ways_fops = {
	.owner = THIS_MODULE,
	.write = ways_write,
};

static int __init ways_init(void)
{
	file = debugfs_create_file("kprobe_ways", 0200, NULL, NULL, &ways_fops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit ways_exit(void)
{
	debugfs_remove(file);
	if (len)
		flush_line();
}

module_init(ways_init);
module_exit(ways_exit);
MODULE_DESCRIPTION("Reports which instructions a jump would replace");
MODULE_LICENSE("GPL");
