// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module whose removal takes seconds and changes a jump label meanwhile: text
 * is patched although try_module_get() already fails.
 */
#include <linux/delay.h>
#include <linux/jump_label.h>
#include <linux/module.h>

static DEFINE_STATIC_KEY_FALSE(changed);

/*
 * On x86, a jump at the first instruction after ftrace's call would cover the
 * jump label, too.  There are two such functions, because the last one in the
 * module's text is followed by padding that is no code, and gets no jump.
 */
static noinline int kprobe_going_one(int x)
{
	asm volatile("nop");
	if (static_branch_unlikely(&changed))
		return x + 1;
	return x;
}

static noinline int kprobe_going_other(int x)
{
	asm volatile("nop");
	if (static_branch_unlikely(&changed))
		return x + 2;
	return x;
}

static int __init kprobe_going_init(void)
{
	return kprobe_going_one(0) + kprobe_going_other(0);
}
module_init(kprobe_going_init);

static void __exit kprobe_going_exit(void)
{
	msleep(5000);
	static_branch_enable(&changed);
	pr_info("kprobe_going: %d %d\n", kprobe_going_one(1),
		kprobe_going_other(1));
}
module_exit(kprobe_going_exit);

MODULE_DESCRIPTION("changes a jump label while it is unloaded");
MODULE_LICENSE("GPL");
