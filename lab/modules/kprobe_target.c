// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module to be probed.  Reading its parameter "poke" calls
 * kprobe_target_function().  Other functions contain a jump label and a static
 * call.  One function and three sections must not be probed.  With the
 * parameter "fail", its init function fails.  Reading "fixed" makes a read
 * fault, which a fix-up handles.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/static_call.h>

/* Not static, so that the compiler leaves them as they are. */
int kprobe_target_function(int x);
int kprobe_target_forbidden(int x);
int kprobe_target_branch(int x);
int kprobe_target_static(int x);

noinline int kprobe_target_function(int x)
{
	barrier();
	return x + 1;
}

noinline int kprobe_target_forbidden(int x)
{
	barrier();
	return x;
}
NOKPROBE_SYMBOL(kprobe_target_forbidden);

int kprobe_target_section(int x);
int kprobe_target_noinstr(int x);
int kprobe_target_idle(int x);

int __kprobes kprobe_target_section(int x)
{
	barrier();
	return x;
}

noinstr int kprobe_target_noinstr(int x)
{
	barrier();
	return x;
}

int __cpuidle kprobe_target_idle(int x)
{
	barrier();
	return x;
}

static DEFINE_STATIC_KEY_FALSE(kprobe_target_key);

noinline int kprobe_target_branch(int x)
{
	if (static_branch_unlikely(&kprobe_target_key))
		return kprobe_target_function(x) + 2;
	return x;
}

DEFINE_STATIC_CALL(kprobe_target_call, kprobe_target_function);

/* Not a tail call. */
noinline int kprobe_target_static(int x)
{
	return static_call(kprobe_target_call)(x) - 1;
}

static int poke_get(char *buffer, const struct kernel_param *kp)
{
	int x = kprobe_target_branch(kprobe_target_forbidden(1));

	x = kprobe_target_static(x);
	return sysfs_emit(buffer, "%d\n", kprobe_target_function(x));
}

static const struct kernel_param_ops poke_ops = {
	.get = poke_get,
};

module_param_cb(poke, &poke_ops, NULL, 0444);

#ifdef CONFIG_X86
#include <asm/asm.h>

long kprobe_target_fixed(const long *from);

/* Room for jumps over the read, and over the target of the fix-up. */
noinline long kprobe_target_fixed(const long *from)
{
	long value = 7;

	asm volatile("	nop\n"
		     "	nop\n"
		     "1:	mov %1, %0\n"
		     "	.rept 6\n"
		     "	nop\n"
		     "	.endr\n"
		     "2:\n"
		     "	.rept 8\n"
		     "	nop\n"
		     "	.endr\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "+r" (value) : "m" (*from));
	return value;
}

static int fixed_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%ld\n",
			  kprobe_target_fixed(ERR_PTR(-EFAULT * 8)));
}

static const struct kernel_param_ops fixed_ops = {
	.get = fixed_get,
};

module_param_cb(fixed, &fixed_ops, NULL, 0444);
#endif

static bool fail;
module_param(fail, bool, 0);

/* Blacklisted as long as there is init text. */
static noinline int __init kprobe_target_forbidden_init(void)
{
	barrier();
	return 0;
}
NOKPROBE_SYMBOL(kprobe_target_forbidden_init);

/* Not static, so that the compiler leaves it as it is. */
int kprobe_target_begins(int x);

noinline int __init kprobe_target_begins(int x)
{
	barrier();
	return x;
}

static int __init kprobe_target_init(void)
{
	if (kprobe_target_begins(fail))
		return -EIO;
	return kprobe_target_forbidden_init();
}
module_init(kprobe_target_init);

static void __exit kprobe_target_exit(void)
{
}
module_exit(kprobe_target_exit);

MODULE_DESCRIPTION("a module to be probed");
MODULE_LICENSE("GPL");
