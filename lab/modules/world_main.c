// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_world: probes at all instructions of the kernel, slice by slice.
 *
 * A number written to kprobe_world in debugfs starts that slice, and "-" ends
 * it; the number and the parameter seed select the probes.  During a slice, a
 * thread switches some of the probes all the time.  Reading reports the last
 * slice: a line with the hits, and a line "FAULT ..." for each error.
 * kprobe_world_refusals reports the refused probes.  The file text is the
 * kernel's text from when the module was loaded, and data written to it is
 * compared with that.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include "test_symbols.h"
#include "world.h"

#define MAX_SIZE	20000

static ulong seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "with the number of a slice decides what it probes");

static unsigned int size = 3000;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "probes in a slice");

static bool still;
module_param(still, bool, 0444);
MODULE_PARM_DESC(still, "no probe is switched while it is hit");

static bool sweep;
module_param(sweep, bool, 0444);
MODULE_PARM_DESC(sweep, "slices have each instruction once");

module_param_array_named(names, world_names, charp, &world_nr_names, 0444);
MODULE_PARM_DESC(names, "parts of the names of functions for dense slices");

static DEFINE_MUTEX(world_lock);
static int current_slice = -1;
static struct task_struct *toggler;
static unsigned int slots, sites;
static struct dentry *dir;

/* Buffer for the report of a slice. */
static char words_space[4096];
static struct seq_buf words = {
	.buffer = words_space, .size = sizeof(words_space),
};
static DEFINE_SPINLOCK(words_lock);
static unsigned int faults;

#define MOST_FAULTS	16

/* Report an error: add a line to the report of the slice. */
void world_fault(const char *fmt, ...)
{
	char line[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	guard(spinlock)(&words_lock);
	if (++faults > MOST_FAULTS)
		return;
	seq_buf_printf(&words, "FAULT %s\n", line);
}

static const enum world_mode turns[] = {
	WORLD_DENSE, WORLD_SPARSE, WORLD_ENTRIES, WORLD_DENSE,
	WORLD_SPARSE, WORLD_DENSE, WORLD_SPARSE, WORLD_DENSE,
};

static const char * const mode_names[WORLD_MODES] = {
	"all functions", "each instruction", "some instructions",
};

static enum world_mode mode_of(unsigned int slice)
{
	return sweep ? WORLD_DENSE : turns[slice % ARRAY_SIZE(turns)];
}

/* Return the number of previous slices of the same mode. */
static unsigned int turn_of(unsigned int slice)
{
	unsigned int i, each = 0, before = 0;

	if (sweep)
		return slice;
	for (i = 0; i < ARRAY_SIZE(turns); i++) {
		each += turns[i] == mode_of(slice);
		before += i < slice % ARRAY_SIZE(turns) &&
			  turns[i] == mode_of(slice);
	}
	return slice / ARRAY_SIZE(turns) * each + before;
}

static int toggle(void *unused)
{
	struct rnd_state dice;
	unsigned int n = 0;

	prandom_seed_state(&dice, seed + current_slice);
	while (!kthread_should_stop()) {
		u64 high = prandom_u32_state(&dice);

		world_probes_toggle(high << 32 | prandom_u32_state(&dice));
		if (++n % 64)
			cond_resched_tasks_rcu_qs();
		else
			usleep_range(1000, 20000);
	}
	return 0;
}

/* Wait until memory and sites that only probes use are freed. */
static void settle(void)
{
	wait_for_kprobe_optimizer();
	kprobe_flush_retired();
}

static int slice_end(void)
{
	unsigned int left;

	if (current_slice < 0)
		return -EINVAL;
	if (!IS_ERR_OR_NULL(toggler))
		kthread_stop(toggler);
	toggler = NULL;
	world_probes_stop();
	settle();
	world_text_compare();

	left = kprobe_sites_in_use();
	if (left != sites)
		world_fault("%u sites are in use, and %u were before", left,
			    sites);
	left = kprobe_slots_in_use();
	if (left != slots)
		world_fault("%u slots are in use, and %u were before", left,
			    slots);
	seq_buf_printf(&words, "%s: ", mode_names[mode_of(current_slice)]);
	world_probes_tell(&words);
	seq_buf_printf(&words, ", %u faults\n", faults);
	current_slice = -1;
	return 0;
}

static int slice_begin(unsigned int slice)
{
	int ret;

	if (current_slice >= 0)
		return -EBUSY;
	world_probes_exit();
	seq_buf_clear(&words);
	faults = 0;
	seq_buf_printf(&words, "%s\n", mode_names[mode_of(slice)]);
	settle();
	slots = kprobe_slots_in_use();
	sites = kprobe_sites_in_use();
	ret = world_probes_start(mode_of(slice), turn_of(slice), seed, size,
				 still);
	if (ret)
		world_fault("error %d for probes that were admitted", ret);
	if (sweep && world_probes_left_out())
		world_fault("no room for %u instructions",
			    world_probes_left_out());
	current_slice = slice;
	if (!still)
		toggler = kthread_run(toggle, NULL, "kprobe_world");
	return ret;
}

static ssize_t world_write(struct file *f, const char __user *buf, size_t len,
			   loff_t *pos)
{
	unsigned int slice;
	char line[16] = {};
	int ret;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;

	guard(mutex)(&world_lock);
	if (line[0] == '-') {
		ret = slice_end();
	} else {
		ret = kstrtouint(line, 0, &slice);
		if (!ret)
			ret = slice_begin(slice);
	}
	return ret ?: len;
}

static int world_show(struct seq_file *m, void *unused)
{
	guard(mutex)(&world_lock);
	seq_write(m, words.buffer, seq_buf_used(&words));
	return 0;
}

static int world_open(struct inode *inode, struct file *f)
{
	return single_open(f, world_show, NULL);
}

static const struct file_operations world_fops = {
	.owner = THIS_MODULE,
	.open = world_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.write = world_write,
	.release = single_release,
};

static int refusals_show(struct seq_file *m, void *unused)
{
	guard(mutex)(&world_lock);
	world_refusals(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(refusals);

static int counts_show(struct seq_file *m, void *unused)
{
	guard(mutex)(&world_lock);
	world_probes_counts(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static ssize_t text_read(struct file *f, char __user *buf, size_t len,
			 loff_t *pos)
{
	return world_text_read(buf, len, pos);
}

static ssize_t text_write(struct file *f, const char __user *buf, size_t len,
			  loff_t *pos)
{
	guard(mutex)(&world_lock);
	return world_text_is(buf, len, pos);
}

static const struct file_operations text_fops = {
	.owner = THIS_MODULE,
	.read = text_read,
	.write = text_write,
	.llseek = default_llseek,
};

static int __init world_init(void)
{
	int ret;

	if (!size || size > MAX_SIZE)
		return -EINVAL;
	ret = world_probes_init() ?: world_text_init();
	if (ret)
		return ret;
	pr_info("kprobe_world: %u instructions in %u symbols, %u in a slice\n",
		world_nr_instructions(), world_nr_entries(), size);
	if (sweep)
		pr_info("kprobe_world: all in %u slices\n",
			world_nr_parts(size));
	dir = debugfs_create_dir("kprobe_world", NULL);
	debugfs_create_file("slice", 0600, dir, NULL, &world_fops);
	debugfs_create_file("refusals", 0400, dir, NULL, &refusals_fops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_fops);
	debugfs_create_file("text", 0600, dir, NULL, &text_fops);
	debugfs_create_ulong("progress", 0400, dir, &world_progress);
	return 0;
}
module_init(world_init);

static void __exit world_exit(void)
{
	debugfs_remove(dir);
	if (current_slice >= 0)
		slice_end();
	world_probes_exit();
	world_text_exit();
}
module_exit(world_exit);

MODULE_DESCRIPTION("kprobes at all instructions of the kernel");
MODULE_LICENSE("GPL");
