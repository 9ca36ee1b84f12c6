// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user interface: the files in /sys/kernel/debug/kprobes, and the sysctl
 * for jumps.
 */
#include <kunit/visibility.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <asm/sections.h>
#include "internal.h"

/* Return @addr for readers who may see kernel addresses, NULL for others. */
static void *control_address(const struct seq_file *m, const void *addr)
{
	return kallsyms_show_value(m->file->f_cred) ? (void *)addr : NULL;
}

/*
 * Show the symbol of @addr, and end the line.  Without a symbol, show "?" to
 * readers who may not see the address, because %pS and %ps would show it.
 */
static void kprobe_show_symbol(struct seq_file *m, const void *addr,
			       bool with_offset)
{
	unsigned long size, offset;

	if (kallsyms_show_value(m->file->f_cred) ||
	    kallsyms_lookup_size_offset((unsigned long)addr, &size, &offset))
		seq_printf(m, with_offset ? "%pS\n" : "%ps\n", addr);
	else
		seq_puts(m, "?\n");
}

/*
 * list: one line for each probe, usually in the order in which the addresses
 * were first probed; probes whose text has been freed are last
 *
 * A script may enable a probe and look for [OPTIMIZED] at once.  So open()
 * waits, for a few seconds at most, until the optimizer has processed all sites
 * that were queued when the file was opened.
 */

/* Show a probe's place.  Return false for a symbol shown without a module. */
static bool kprobe_list_place(struct seq_file *m, const struct kprobe *p,
			      unsigned long addr)
{
	const char *symbol = NULL;
	char name[KSYM_NAME_LEN];
	unsigned long offset;
	char *module = NULL;

	/* If a module's text was freed, the address may be another module's. */
	if (p->site->state != KPROBE_SITE_GONE || is_kernel(addr))
		symbol = kallsyms_lookup(addr, NULL, &offset, &module, name);
	if (symbol)
		seq_printf(m, "%s+0x%lx", symbol, offset);
	else
		seq_printf(m, "0x%px", control_address(m, (void *)addr));
	if (module)
		seq_printf(m, "  %s", module);
	return module || !symbol;
}

static const char kprobe_list_kinds[] = {
	[KPROBE_KIND_PROBE] = 'k',
	[KPROBE_KIND_RETURN] = 'r',
	[KPROBE_KIND_JPROBE] = 'j',
};

/* A probe whose text has been freed is [GONE], whether disabled or not. */
static const char *kprobe_list_state(const struct kprobe *p)
{
	if (p->site->state == KPROBE_SITE_GONE)
		return "[GONE]";
	return p->enabled ? "" : "[DISABLED]";
}

static void kprobe_list_site(struct seq_file *m, struct kprobe_site *site)
{
	struct kprobe *p;
	bool complete;

	/* After an overflow, seq_file starts over with a larger buffer. */
	if (kprobe_classic_pinned(site) || seq_has_overflowed(m))
		return;
	hlist_for_each_entry(p, &site->probes, hlist) {
		unsigned long addr = (unsigned long)READ_ONCE(p->addr);

		seq_printf(m, "%px  %c  ", control_address(m, (void *)addr),
			   kprobe_list_kinds[p->kind]);
		complete = kprobe_list_place(m, p, addr);
		/* Scripts may use cut(1): fill a missing column with spaces. */
		seq_printf(m, "%s %s%s%s\n", complete ? "" : "   ",
			   kprobe_list_state(p),
			   kprobe_optimized(p) ? "[OPTIMIZED]" : "",
			   kprobe_ftrace(p) ? "[FTRACE]" : "");
		cond_resched();
	}
}

static int kprobe_list_show(struct seq_file *m, void *v)
{
	struct kprobe_site *site;

	guard(mutex)(&kprobe_mutex);
	list_for_each_entry(site, &kprobe_sites, all)
		kprobe_list_site(m, site);
	list_for_each_entry(site, &kprobe_gone_sites, all)
		kprobe_list_site(m, site);
	return 0;
}

static int kprobe_list_open(struct inode *inode, struct file *file)
{
	kprobe_optimizer_settle();
	return single_open(file, kprobe_list_show, NULL);
}

static const struct file_operations kprobe_list_fops = {
	.owner = THIS_MODULE,
	.open = kprobe_list_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

/*
 * blacklist: 0x<start>-0x<end>\t<symbol>
 *
 * Each function has a line, even in a section that is blacklisted as a whole,
 * because tools look for the names of functions.
 */

static int kprobe_blacklist_show(struct seq_file *m, void *v)
{
	struct kprobe_blacklist_range range = { };
	unsigned long size, offset;

	while (!seq_has_overflowed(m) &&
	       kprobe_blacklist_next(range.end, &range)) {
		/* Stop at the end of the function. */
		if (kallsyms_lookup_size_offset(range.start, &size, &offset) &&
		    size > offset)
			range.end = min(range.end, range.start - offset + size);
		seq_printf(m, "0x%px-0x%px\t",
			   control_address(m, (void *)range.start),
			   control_address(m, (void *)range.end));
		kprobe_show_symbol(m, (void *)range.start, false);
		cond_resched();
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kprobe_blacklist);

/*
 * missed: one line for each reason, with the number of missed hits since boot,
 * then one line for each site with missed hits
 */

static void kprobe_missed_site(struct seq_file *m, struct kprobe_site *site)
{
	const struct kprobe *p;
	unsigned long addr;
	bool any = false;
	unsigned int why, nr;

	p = hlist_entry_safe(site->probes.first, const struct kprobe, hlist);
	if (!p || kprobe_classic_pinned(site))
		return;
	addr = (unsigned long)READ_ONCE(p->addr);
	for (why = 0; why < KPROBE_NR_MISSES; why++) {
		nr = READ_ONCE(site->missed[why]);
		if (!nr)
			continue;
		if (!any) {
			seq_printf(m, "%px  ",
				   control_address(m, (void *)addr));
			kprobe_list_place(m, p, addr);
			any = true;
		}
		seq_printf(m, "  %s=%u", kprobe_misses[why].name, nr);
	}
	if (any)
		seq_putc(m, '\n');
}

static int kprobe_missed_show(struct seq_file *m, void *v)
{
	struct kprobe_site *site;
	unsigned int why;

	for (why = 0; why < KPROBE_NR_MISSES; why++)
		seq_printf(m, "%s: %lu  %s\n", kprobe_misses[why].name,
			   kprobe_missed_in_all(why),
			   kprobe_misses[why].sentence);

	guard(mutex)(&kprobe_mutex);
	list_for_each_entry(site, &kprobe_sites, all)
		kprobe_missed_site(m, site);
	list_for_each_entry(site, &kprobe_gone_sites, all)
		kprobe_missed_site(m, site);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kprobe_missed);

/* Buffer size for a switch: a character, two of white space, and a NUL */
#define SWITCH_MAX	4

static int kprobe_parse_switch(char *text, bool *on)
{
	text = strim(text);
	/* kstrtobool() ignores trailing characters and accepts other words. */
	if (strlen(text) != 1 || !strchr("01nyNY", *text))
		return -EINVAL;
	return kstrtobool(text, on);
}

/* enabled: the global switch */

static int kprobe_enabled_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%d\n", kprobe_get_global());
	return 0;
}

static ssize_t kprobe_enabled_write(struct file *file,
				    const char __user *user_buf, size_t count,
				    loff_t *ppos)
{
	char text[SWITCH_MAX] = "";
	bool on;
	int ret;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user_buf, count))
		return -EFAULT;
	ret = kprobe_parse_switch(text, &on) ?: kprobe_set_global(on);
	return ret ?: count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(kprobe_enabled);

/*
 * Explain how a place would be probed, or why it is refused
 */

/**
 * struct kprobe_explanation - the result of kprobe_explain()
 * @addr: the resolved address, or NULL if it is not known
 * @why: the reason for a refusal, or KPROBE_OK
 * @how: with KPROBE_OK: how a hit would execute the instruction, as text
 * @state: with KPROBE_OK: how the text looks now
 * @obstacle: with KPROBE_OK: the obstacle to a jump
 */
struct kprobe_explanation {
	kprobe_opcode_t *addr;
	enum kprobe_refusal why;
	const char *how;
	enum kprobe_site_state state;
	enum kprobe_obstacle obstacle;
};

/* Return the obstacle to a jump at a site that does not use ftrace. */
static enum kprobe_obstacle
explain_obstacle(struct kprobe_site *site, const struct kprobe_symbol *symbol)
{
	enum kprobe_obstacle what = site->obstacle;

	if (!kprobe_obstacle_stays(what))
		what = kprobe_analyse(site, symbol);
	return what ?: kprobe_obstacle_now(site);
}

/* Explain the place at @offset from @addr, or from @symbol if @addr is NULL. */
static void kprobe_explain(kprobe_opcode_t *addr, const char *symbol,
			   unsigned long offset,
			   struct kprobe_explanation *what)
{
	/* Static: after kprobe_classic_rehearse(), unwinders may read it. */
	static struct kprobe_site fresh;
	/* Static, because it is large; under kprobe_mutex. */
	static struct kprobe_entry entry;
	struct kprobe_site *site;
	unsigned long place;
	bool by_ftrace;

	*what = (struct kprobe_explanation) { .why = KPROBE_REFUSE_NO_SYMBOL };
	if (kprobe_find_place(addr, symbol, offset, &place))
		return;

	guard(mutex)(&kprobe_mutex);

	what->addr = (void *)place;
	what->why = kprobe_admit_text(place);
	if (what->why != KPROBE_OK)
		return;

	kprobe_find_entry(place, &entry);
	what->addr = entry.addr;
	site = kprobe_site_at((unsigned long)entry.addr);
	if (!site) {
		site = &fresh;
		*site = (struct kprobe_site) { .addr = entry.addr };
		INIT_LIST_HEAD(&site->batch);
		what->why = kprobe_inspect(site, &entry.symbol) ?:
			    kprobe_classic_rehearse(site);
		if (what->why != KPROBE_OK)
			return;
		kprobe_optimizer_init_site(site);
	}
	what->state = site->state;
	by_ftrace = site->on_ftrace && !kprobe_may_skip_ftrace(site) &&
		    !kprobe_text_is_armed(site->state);
	what->how = by_ftrace ? "ftrace" :
		    arch_kprobe_emulated(site) ? "emulated" : "out of line";
	what->obstacle = by_ftrace ? KPROBE_NOJUMP_FTRACE_SITE :
				     explain_obstacle(site, &entry.symbol);
	kprobe_forget_analysis(site);
}

/**
 * kprobe_refusal_at - return why a place cannot be probed
 * @addr: an address, or NULL
 * @symbol: the symbol, if @addr is NULL
 * @offset: bytes from @addr or from the symbol
 *
 * After a registration has failed, the result is more exact than the errno.
 *
 * Context: may sleep.
 * Return: the reason.  KPROBE_OK if the instruction may be probed now.  Even
 * then, a return probe, jprobe or post handler may be refused, and there may be
 * no memory for a slot, or ftrace may refuse the site.
 */
enum kprobe_refusal kprobe_refusal_at(void *addr, const char *symbol,
				      unsigned long offset)
{
	struct kprobe_explanation what;

	kprobe_explain(addr, symbol, offset, &what);
	return what.why;
}

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST) && defined(CONFIG_OPTPROBES)
/* Return the obstacle that kprobe_explain() reports. */
enum kprobe_obstacle kprobe_explained_obstacle(kprobe_opcode_t *addr)
{
	struct kprobe_explanation what;

	kprobe_explain(addr, NULL, 0, &what);
	return what.why == KPROBE_OK ? what.obstacle : KPROBE_NOJUMP_NO_MEMORY;
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_explained_obstacle);
#endif

/*
 * explain: write a place, then read how it would be probed
 *
 * Each open file has its own place, so concurrent users do not disturb each
 * other.  At first, this is the place last written to any open file, because a
 * shell opens the file once for writing and once for reading.
 */

#define PLACE_MAX	(MODULE_NAME_LEN + KSYM_NAME_LEN + 24)

static DEFINE_MUTEX(explain_mutex);
static char explain_last[PLACE_MAX];

/*
 * Parse an address, "symbol" or "module:symbol", with an optional "+offset".
 * As in the other files, an address of full width needs no 0x.  Truncate @place
 * before the offset.  Return 0 or -EINVAL.
 */
static int explain_parse(char *place, unsigned long *addr,
			 unsigned long *offset)
{
	char *plus = strchr(place, '+');

	*addr = 0;
	*offset = 0;
	if (plus) {
		*plus = 0;
		if (kstrtoul(plus + 1, 0, offset))
			return -EINVAL;
	}
	if (strlen(place) == 2 * sizeof(*addr) && !kstrtoul(place, 16, addr))
		return *addr ? 0 : -EINVAL;
	if (isdigit(*place))
		return kstrtoul(place, 0, addr) || !*addr ? -EINVAL : 0;
	return *place && !strpbrk(place, " \t\n") ? 0 : -EINVAL;
}

static void explain_refusal(struct seq_file *m, enum kprobe_refusal why)
{
	seq_printf(m, "refused: %s (%d, %s)\nreason: %s\n",
		   kprobe_refusals[why].name, kprobe_refusal_errno(why),
		   kprobe_refusals[why].error_name,
		   kprobe_refusals[why].sentence);
}

static void explain_jump(struct seq_file *m,
			 const struct kprobe_explanation *what)
{
	if (!IS_ENABLED(CONFIG_OPTPROBES))
		seq_puts(m, "optimized: no: not configured\n");
	else if (what->obstacle)
		seq_printf(m, "optimized: no: %s\nreason: %s\n",
			   kprobe_obstacles[what->obstacle].name,
			   kprobe_obstacles[what->obstacle].sentence);
	else
		seq_puts(m, "optimized: yes\n");
}

static void explain_place(struct seq_file *m,
			  const struct kprobe_explanation *what)
{
	static const char * const states[] = {
		[KPROBE_SITE_CLEAN] = "not armed",
		[KPROBE_SITE_TRAP] = "breakpoint",
		[KPROBE_SITE_JUMP] = "jump",
		[KPROBE_SITE_FTRACE] = "ftrace",
		[KPROBE_SITE_GONE] = "gone",
	};

	if (what->addr) {
		seq_printf(m, "address: %px ", control_address(m, what->addr));
		kprobe_show_symbol(m, what->addr, true);
	}
	if (what->why != KPROBE_OK) {
		explain_refusal(m, what->why);
		return;
	}
	seq_printf(m, "probed: %s\n", what->how);
	if (what->obstacle != KPROBE_NOJUMP_FTRACE_SITE)
		explain_jump(m, what);
	seq_printf(m, "now: %s\n", states[what->state]);
}

/**
 * struct namesakes - functions with the same name as the explained function
 * @m: the output
 * @name: the name, without a module
 * @offset: bytes from the symbol to the place
 * @explained: the address of the function that was explained
 */
struct namesakes {
	struct seq_file *m;
	const char *name;
	unsigned long offset;
	unsigned long explained;
};

static int explain_namesake(void *data, unsigned long addr)
{
	struct namesakes *all = data;
	void *place;

	addr = (unsigned long)dereference_symbol_descriptor((void *)addr);
	place = (void *)(addr + all->offset);
	if (addr == all->explained || !__kernel_text_address(addr))
		return 0;
	seq_printf(all->m, "also: %px ", control_address(all->m, place));
	kprobe_show_symbol(all->m, place, true);
	return 0;
}

static int explain_module_namesake(void *data, const char *name,
				   unsigned long addr)
{
	struct namesakes *all = data;

	return strcmp(name, all->name) ? 0 : explain_namesake(all, addr);
}

/* List the other functions with the same name, which were not explained. */
static void explain_namesakes(struct seq_file *m, char *symbol,
			      unsigned long offset)
{
	struct namesakes all = { .m = m, .offset = offset };
	char *module = NULL, *colon = strchr(symbol, ':');

	if (kprobe_find_place(NULL, symbol, 0, &all.explained))
		return;
	all.name = symbol;
	if (colon) {
		*colon = 0;
		module = symbol;
		all.name = colon + 1;
	} else {
		kallsyms_on_each_match_symbol(explain_namesake, symbol, &all);
	}
	module_kallsyms_on_each_symbol(module, explain_module_namesake, &all);
}

static int explain_show(struct seq_file *m, void *v)
{
	struct kprobe_explanation what;
	unsigned long addr, offset;
	char place[PLACE_MAX];

	/* m->private is stable: seq_read() holds m->lock. */
	strscpy(place, m->private, sizeof(place));
	if (!*place)
		return 0;

	seq_printf(m, "place: %s\n", place);
	explain_parse(place, &addr, &offset);
	kprobe_explain((kprobe_opcode_t *)addr, addr ? NULL : place, offset,
		       &what);
	explain_place(m, &what);
	if (!addr)
		explain_namesakes(m, place, offset);
	return 0;
}

static int explain_open(struct inode *inode, struct file *file)
{
	char *place = kzalloc(PLACE_MAX, GFP_KERNEL);
	int ret;

	if (!place)
		return -ENOMEM;
	scoped_guard(mutex, &explain_mutex)
		strscpy(place, explain_last, PLACE_MAX);
	ret = single_open(file, explain_show, place);
	if (ret)
		kfree(place);
	return ret;
}

static int explain_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	kfree(m->private);
	return single_release(inode, file);
}

static ssize_t explain_write(struct file *file, const char __user *user_buf,
			     size_t count, loff_t *ppos)
{
	struct seq_file *m = file->private_data;
	char *buf __free(kfree) = NULL;
	unsigned long addr, offset;
	char place[PLACE_MAX];
	ssize_t ret;

	if (count >= sizeof(place))
		return -EINVAL;
	buf = memdup_user_nul(user_buf, count);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	strscpy(place, strim(buf), sizeof(place));
	strscpy(buf, place, count + 1);
	ret = explain_parse(place, &addr, &offset);
	if (ret)
		return ret;

	scoped_guard(mutex, &m->lock)
		strscpy(m->private, buf, PLACE_MAX);
	scoped_guard(mutex, &explain_mutex)
		strscpy(explain_last, buf, sizeof(explain_last));
	return count;
}

static const struct file_operations explain_fops = {
	.owner = THIS_MODULE,
	.open = explain_open,
	.read = seq_read,
	.write = explain_write,
	.llseek = seq_lseek,
	.release = explain_release,
};

/*
 * The sysctl for jumps, which has two names
 */

#if defined(CONFIG_SYSCTL) && defined(CONFIG_OPTPROBES)
static int kprobe_jumps_handler(const struct ctl_table *table, int write,
				void *buffer, size_t *lenp, loff_t *ppos)
{
	int shown = kprobe_get_jumps();
	const struct ctl_table copy = {
		.data = &shown,
		.maxlen = sizeof(shown),
	};
	char text[SWITCH_MAX] = "";
	bool on;
	int ret;

	if (!write)
		return proc_dointvec(&copy, 0, buffer, lenp, ppos);
	if (*ppos || !*lenp || *lenp >= sizeof(text))
		return -EINVAL;
	memcpy(text, buffer, *lenp);
	ret = kprobe_parse_switch(text, &on);
	if (ret)
		return ret;
	kprobe_set_jumps(on);
	*ppos += *lenp;
	return 0;
}

static const struct ctl_table kprobe_jumps_sysctls[] = {
	{
		.procname = "kprobes-optimization",
		.mode = 0644,
		.proc_handler = kprobe_jumps_handler,
	},
	{
		.procname = "kprobes_optimization",
		.mode = 0644,
		.proc_handler = kprobe_jumps_handler,
	},
};

static void __init kprobe_sysctls_init(void)
{
	register_sysctl_init("debug", kprobe_jumps_sysctls);
}
#else
static void __init kprobe_sysctls_init(void) { }
#endif

static int __init kprobe_control_init(void)
{
	struct dentry *dir;

	kprobe_sysctls_init();
	if (!IS_ENABLED(CONFIG_DEBUG_FS))
		return 0;
	dir = debugfs_create_dir("kprobes", NULL);
	debugfs_create_file("list", 0400, dir, NULL, &kprobe_list_fops);
	debugfs_create_file("enabled", 0600, dir, NULL, &kprobe_enabled_fops);
	debugfs_create_file("blacklist", 0400, dir, NULL,
			    &kprobe_blacklist_fops);
	debugfs_create_file("explain", 0600, dir, NULL, &explain_fops);
	debugfs_create_file("missed", 0400, dir, NULL, &kprobe_missed_fops);
	return 0;
}
late_initcall(kprobe_control_init);
