// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recorded sequence of calls of the API and of hits, for stock and for ours.
 *
 * A command written to /sys/kernel/debug/kprobe_same/run executes a part; then
 * "said" there has a line "key = value" for each observation.  lab/same
 * compares the lines of both kernels, so a line must not contain values that
 * differ between two boots of one kernel: addresses are printed as symbols.
 *
 * States and calls of the API are in same_calls.c, hits in same_hits.c.
 */
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "same.h"

#define SAID_SIZE	(8 << 20)

static struct debugfs_blob_wrapper said;
static struct dentry *dir;

void same_note(const char *fmt, ...)
{
	char *text = said.data;
	va_list args;

	va_start(args, fmt);
	said.size += vscnprintf(text + said.size, SAID_SIZE - said.size, fmt,
				args);
	va_end(args);
}

const char *same_symbol(char name[KSYM_SYMBOL_LEN], const void *addr)
{
	char *size, *module;

	if (!addr)
		return "NULL";
	sprint_symbol(name, (unsigned long)addr);
	if (!strncmp(name, "0x", 2))
		return "none";
	/* Omit the size, which depends on the kernel's code. */
	size = strchr(name, '/');
	module = strchr(name, ' ');
	if (size && module)
		memmove(size, module, strlen(module) + 1);
	else if (size)
		*size = '\0';
	return name;
}

static ssize_t run_write(struct file *file, const char __user *buf,
			 size_t count, loff_t *pos)
{
	char command[64] = "";

	if (count >= sizeof(command))
		return -EINVAL;
	if (copy_from_user(command, buf, count))
		return -EFAULT;
	strim(command);
	said.size = 0;
	if (!same_calls(command) && !same_hits(command))
		return -EINVAL;
	return count;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int __init same_init(void)
{
	said.data = vzalloc(SAID_SIZE);
	if (!said.data)
		return -ENOMEM;
	dir = debugfs_create_dir("kprobe_same", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_blob("said", 0400, dir, &said);
	return 0;
}

static void __exit same_exit(void)
{
	same_calls_exit();
	debugfs_remove_recursive(dir);
	vfree(said.data);
}

module_init(same_init);
module_exit(same_exit);
MODULE_DESCRIPTION("records the behaviour of probes, to be compared");
MODULE_LICENSE("GPL");
