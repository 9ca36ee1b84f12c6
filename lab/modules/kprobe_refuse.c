// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refuse to load kprobe_target.ko, if the parameter "refuse" is set, and try to
 * probe it while it is loaded and again while it is removed.  The parameters
 * "coming" and "going" report the errnos; "live" reports that for its init text
 * after that was executed, before it is freed.  "static_coming" and
 * "static_now" have a bit for each offset in kprobe_target_static() that can be
 * probed.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/string.h>

static bool refuse = true;
module_param(refuse, bool, 0644);

static int coming = 1, live = 1, going = 1;
module_param(coming, int, 0444);
module_param(live, int, 0444);
module_param(going, int, 0444);

static unsigned long static_coming;
module_param(static_coming, ulong, 0444);

static unsigned long static_places(void)
{
	unsigned long places = 0;
	unsigned int offset;

	for (offset = 0; offset < 32; offset++) {
		struct kprobe p = {
			.symbol_name = "kprobe_target:kprobe_target_static",
			.offset = offset,
			.flags = KPROBE_FLAG_DISABLED,
		};

		if (register_kprobe(&p))
			continue;
		unregister_kprobe(&p);
		places |= 1UL << offset;
	}
	return places;
}

static int static_now_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%lu\n", static_places());
}

static const struct kernel_param_ops static_now_ops = {
	.get = static_now_get,
};

module_param_cb(static_now, &static_now_ops, NULL, 0444);

static struct kprobe probes[3];

/* insmod tries twice, so the probe may exist from the first time. */
static void probe_target(struct kprobe *p, const char *where, int *result)
{
	if (!*result)
		unregister_kprobe(p);
	*p = (struct kprobe) { .symbol_name = where };
	*result = register_kprobe(p);
}

#define FUNCTION	"kprobe_target:kprobe_target_function"
#define INIT_FUNCTION	"kprobe_target:kprobe_target_begins"

static int watch(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "kprobe_target"))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_COMING) {
		static_coming = static_places();
		probe_target(&probes[0], FUNCTION, &coming);
	}
	if (event == MODULE_STATE_LIVE)
		probe_target(&probes[2], INIT_FUNCTION, &live);
	if (event == MODULE_STATE_GOING)
		probe_target(&probes[1], FUNCTION, &going);
	return NOTIFY_DONE;
}

static struct notifier_block watch_nb = {
	.notifier_call = watch,
	.priority = 2,
};

/* Refuse the module after watch(), which then sees it leave. */
static int refuse_target(struct notifier_block *nb, unsigned long event,
			 void *data)
{
	struct module *mod = data;

	if (event == MODULE_STATE_COMING && refuse &&
	    !strcmp(mod->name, "kprobe_target"))
		return notifier_from_errno(-EPERM);
	return NOTIFY_DONE;
}

static struct notifier_block refuse_nb = {
	.notifier_call = refuse_target,
	.priority = 1,
};

static int __init kprobe_refuse_init(void)
{
	int ret = register_module_notifier(&watch_nb);

	if (ret)
		return ret;
	ret = register_module_notifier(&refuse_nb);
	if (ret)
		unregister_module_notifier(&watch_nb);
	return ret;
}
module_init(kprobe_refuse_init);

static void __exit kprobe_refuse_exit(void)
{
	unregister_module_notifier(&refuse_nb);
	unregister_module_notifier(&watch_nb);
	if (!coming)
		unregister_kprobe(&probes[0]);
	if (!going)
		unregister_kprobe(&probes[1]);
	if (!live)
		unregister_kprobe(&probes[2]);
}
module_exit(kprobe_refuse_exit);

MODULE_DESCRIPTION("refuses a module that is probed");
MODULE_LICENSE("GPL");
