// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the API of a kernel without probes: this must not compile if a
 * registration may return something else than -EOPNOTSUPP, or if a call without
 * a return value has an effect.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>

/* KIND: all calls for one kind of probes; @p is the struct kprobe in @x. */
#define KIND(kind, x, p, xs) do {					\
	BUILD_BUG_ON(register_##kind(x) != -EOPNOTSUPP);		\
	BUILD_BUG_ON(register_##kind##s(xs, 1) != -EOPNOTSUPP);		\
	BUILD_BUG_ON(enable_##kind(x) != -EOPNOTSUPP);			\
	BUILD_BUG_ON(disable_##kind(x) != -EOPNOTSUPP);			\
	(p)->flags = 0;							\
	unregister_##kind(x);						\
	unregister_##kind##s(xs, 1);					\
	BUILD_BUG_ON((p)->flags != 0);					\
} while (0)

static int __init kprobe_stubs_init(void)
{
	struct kretprobe rp = {}, *rps[] = { &rp };
	struct jprobe jp = {}, *jps[] = { &jp };
	struct kprobe p = {}, *ps[] = { &p };

	KIND(kprobe, &p, &p, ps);
	KIND(kretprobe, &rp, &rp.kp, rps);
	KIND(jprobe, &jp, &jp.kp, jps);
	jprobe_return();
	wait_for_kprobe_optimizer();
	BUILD_BUG_ON(kprobe_running());
	BUILD_BUG_ON(!within_kprobe_blacklist(0));
	BUILD_BUG_ON(is_kprobe_insn_slot(0));
	BUILD_BUG_ON(is_kretprobe_trampoline(0));
	return 0;
}
module_init(kprobe_stubs_init);

MODULE_DESCRIPTION("a user of probes where there are none");
MODULE_LICENSE("GPL");
