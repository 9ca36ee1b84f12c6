// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that is marked as a live patch, but patches nothing: until it is
 * loaded, kprobes cannot know which text live patching will write to.
 */
#include <linux/module.h>

/* Not static, so that the compiler leaves it as it is. */
int kprobe_patch_function(int x);

noinline int kprobe_patch_function(int x)
{
	barrier();
	return x + 1;
}

static int __init kprobe_patch_init(void)
{
	return kprobe_patch_function(-1);
}
module_init(kprobe_patch_init);

static void __exit kprobe_patch_exit(void)
{
}
module_exit(kprobe_patch_exit);

MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("a live patch to be probed");
MODULE_LICENSE("GPL");
