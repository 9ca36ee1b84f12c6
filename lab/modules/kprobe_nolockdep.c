// SPDX-License-Identifier: GPL-2.0-or-later
/* Disable lockdep permanently, as its first report would. */
#include <linux/debug_locks.h>
#include <linux/module.h>

static int __init kprobe_nolockdep_init(void)
{
	debug_locks_off();
	return 0;
}
module_init(kprobe_nolockdep_init);

static void __exit kprobe_nolockdep_exit(void)
{
}
module_exit(kprobe_nolockdep_exit);

MODULE_DESCRIPTION("turns lockdep off");
MODULE_LICENSE("GPL");
