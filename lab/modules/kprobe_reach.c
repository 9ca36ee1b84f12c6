// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find out which text of the kernel can be probed.  Addresses, one per line,
 * are written to kprobe_reach in debugfs, and a probe is registered at each.
 * Reading reports the number of registered probes, and the number of refusals
 * by errno, since the last line "-", which unregisters all.
 *
 * This works with the kprobes of any kernel.  The list of kprobes in debugfs
 * shows which of them are jumps or use ftrace.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define MAX_PROBES	4096

static DEFINE_MUTEX(reach_lock);
static struct kprobe *probes;
static struct kprobe **registered;
static unsigned int used, nr_registered;
static unsigned int refused[MAX_ERRNO + 1];
static struct dentry *file;

static int reach_pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void forget(void)
{
	unregister_kprobes(registered, nr_registered);
	memset(probes, 0, sizeof(*probes) * used);
	memset(refused, 0, sizeof(refused));
	used = 0;
	nr_registered = 0;
}

/* Return 0 or a negative errno; a refused probe is no error. */
static int take_line(const char *line)
{
	unsigned long addr;
	struct kprobe *p;
	int ret;

	if (!strcmp(line, "-")) {
		forget();
		return 0;
	}
	ret = kstrtoul(line, 16, &addr);
	if (ret)
		return ret;
	if (used == MAX_PROBES)
		return -ENOSPC;

	p = &probes[used++];
	p->addr = (kprobe_opcode_t *)addr;
	p->pre_handler = reach_pre;
	ret = register_kprobe(p);
	if (ret)
		refused[-ret]++;
	else
		registered[nr_registered++] = p;
	return 0;
}

/* Consume whole lines only; the caller writes the rest again. */
static ssize_t reach_write(struct file *f, const char __user *buf, size_t size,
			   loff_t *pos)
{
	char *lines, *rest, *line;
	ssize_t taken = 0;
	int ret = 0;

	size = min_t(size_t, size, PAGE_SIZE);
	lines = memdup_user_nul(buf, size);
	if (IS_ERR(lines))
		return PTR_ERR(lines);

	mutex_lock(&reach_lock);
	for (rest = lines; (line = rest) && strchr(line, '\n'); ) {
		strsep(&rest, "\n");
		ret = take_line(line);
		if (ret)
			break;
		taken = rest - lines;
	}
	mutex_unlock(&reach_lock);
	kfree(lines);
	return taken ?: ret ?: -EINVAL;
}

static int reach_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	mutex_lock(&reach_lock);
	seq_printf(m, "registered %u\n", nr_registered);
	for (i = 0; i <= MAX_ERRNO; i++) {
		if (refused[i])
			seq_printf(m, "errno%u %u\n", i, refused[i]);
	}
	mutex_unlock(&reach_lock);
	return 0;
}

static int reach_open(struct inode *inode, struct file *f)
{
	return single_open(f, reach_show, NULL);
}

static const struct file_operations reach_fops = {
	.owner = THIS_MODULE,
	.open = reach_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.write = reach_write,
	.release = single_release,
};

static int __init reach_init(void)
{
	probes = kvcalloc(MAX_PROBES, sizeof(*probes), GFP_KERNEL);
	registered = kvcalloc(MAX_PROBES, sizeof(*registered), GFP_KERNEL);
	if (!probes || !registered) {
		kvfree(registered);
		kvfree(probes);
		return -ENOMEM;
	}
	file = debugfs_create_file("kprobe_reach", 0600, NULL, NULL,
				   &reach_fops);
	return 0;
}

static void __exit reach_exit(void)
{
	debugfs_remove(file);
	forget();
	kvfree(registered);
	kvfree(probes);
}

module_init(reach_init);
module_exit(reach_exit);
MODULE_DESCRIPTION("Probes at addresses that user space names");
MODULE_LICENSE("GPL");
