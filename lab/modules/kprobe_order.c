// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order in which the handlers of probes at one address are called, for
 * stock kernels as well as ours, which must print the same.  Prints lines
 * "ORDER <place> <case> <calls>", where a call is a letter for the handler
 * (p: pre, P: post, e: entry of a return probe, r: return) and the number of the
 * probe.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

#define NR_PROBES	4

/* Has the text of a few instructions, and is called by nothing else. */
static noinline __noclone unsigned int target(unsigned int x, unsigned int y)
{
	barrier();
	x = x * 7 + y;
	barrier();
	return x ^ (y << 3);
}

static char calls[256];

static void note(char what, unsigned int nr)
{
	size_t len = strlen(calls);

	scnprintf(calls + len, sizeof(calls) - len, " %c%u", what, nr);
}

static struct kprobe ps[NR_PROBES];
static struct kretprobe rps[NR_PROBES];

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	note('p', p - ps);
	return 0;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	note('P', p - ps);
}

static int entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	note('e', get_kretprobe(ri) - rps);
	return 0;
}

static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	note('r', get_kretprobe(ri) - rps);
	return 0;
}

static const char *place;
static unsigned int offset;

static void call(const char *what)
{
	static unsigned int (*volatile via)(unsigned int x, unsigned int y) =
		target;

	calls[0] = 0;
	via(2, 3);
	pr_info("ORDER %s %s%s\n", place, what, calls);
}

static void expect(int ret, const char *what)
{
	if (ret)
		pr_info("ORDER %s %s fails %d\n", place, what, ret);
}

static struct kprobe *probe(unsigned int nr, bool with_post)
{
	ps[nr] = (struct kprobe) {
		.symbol_name = "kprobe_order:target",
		.offset = offset,
		.pre_handler = pre,
		.post_handler = with_post ? post : NULL,
	};
	return &ps[nr];
}

static struct kretprobe *return_probe(unsigned int nr)
{
	rps[nr] = (struct kretprobe) {
		.kp.symbol_name = "kprobe_order:target",
		.handler = returned,
		.entry_handler = entry,
		.maxactive = 4,
	};
	return &rps[nr];
}

/* Each probe in turn is disabled, enabled again, removed and registered. */
static void try_probes(bool with_post)
{
	const char *kind = with_post ? "pre+post" : "pre";
	char what[64];
	int i;

	for (i = 0; i < NR_PROBES; i++)
		expect(register_kprobe(probe(i, with_post)), "register");
	call(kind);
	for (i = 0; i < NR_PROBES; i++) {
		expect(disable_kprobe(&ps[i]), "disable");
		snprintf(what, sizeof(what), "%s: %d disabled:", kind, i);
		call(what);
		expect(enable_kprobe(&ps[i]), "enable");
		snprintf(what, sizeof(what), "%s: %d enabled:", kind, i);
		call(what);
	}
	for (i = 0; i < NR_PROBES; i++) {
		unregister_kprobe(&ps[i]);
		snprintf(what, sizeof(what), "%s: %d removed:", kind, i);
		call(what);
		expect(register_kprobe(probe(i, with_post)), "register");
		snprintf(what, sizeof(what), "%s: %d registered:", kind, i);
		call(what);
	}
	for (i = 0; i < NR_PROBES; i++)
		unregister_kprobe(&ps[i]);
}

static void try_arrays(void)
{
	struct kprobe *array[NR_PROBES];
	int i;

	for (i = 0; i < NR_PROBES; i++)
		array[i] = probe(i, i & 1);
	expect(register_kprobes(array, NR_PROBES), "register array");
	call("array");
	unregister_kprobes(array, NR_PROBES);

	/* Registered disabled, and enabled in another order. */
	for (i = 0; i < NR_PROBES; i++) {
		probe(i, true)->flags = KPROBE_FLAG_DISABLED;
		expect(register_kprobe(&ps[i]), "register disabled");
	}
	for (i = 0; i < NR_PROBES; i++)
		expect(enable_kprobe(&ps[(i + 2) % NR_PROBES]), "enable");
	call("registered disabled");
	for (i = 0; i < NR_PROBES; i++)
		unregister_kprobe(&ps[i]);
}

static void try_return_probes(void)
{
	struct kretprobe *array[NR_PROBES];
	char what[64];
	int i;

	for (i = 0; i < NR_PROBES; i++)
		array[i] = return_probe(i);
	expect(register_kretprobes(array, NR_PROBES), "register array");
	call("return array");
	unregister_kretprobes(array, NR_PROBES);

	/* Between kprobes with and without post handlers. */
	for (i = 0; i < NR_PROBES; i++) {
		expect(register_kprobe(probe(i, i & 1)), "register");
		expect(register_kretprobe(return_probe(i)), "register return");
	}
	call("mixed");
	for (i = 0; i < NR_PROBES; i++) {
		expect(disable_kretprobe(&rps[i]), "disable return");
		snprintf(what, sizeof(what), "mixed: return %d disabled:", i);
		call(what);
		expect(enable_kretprobe(&rps[i]), "enable return");
		snprintf(what, sizeof(what), "mixed: return %d enabled:", i);
		call(what);
	}
	for (i = 0; i < NR_PROBES; i++) {
		unregister_kretprobe(&rps[i]);
		expect(register_kretprobe(return_probe(i)), "register return");
		snprintf(what, sizeof(what), "mixed: return %d again:", i);
		call(what);
	}
	for (i = 0; i < NR_PROBES; i++) {
		unregister_kprobe(&ps[i]);
		unregister_kretprobe(&rps[i]);
	}
}

/* An instruction of @target that ftrace does not patch. */
static bool find_body(void)
{
	for (offset = 12; offset < 40; offset++) {
		if (register_kprobe(probe(0, false)))
			continue;
		call("found");
		unregister_kprobe(&ps[0]);
		if (calls[0])
			return true;
	}
	return false;
}

static int __init order_init(void)
{
	place = "entry";
	try_probes(false);
	try_probes(true);
	try_arrays();
	try_return_probes();

	place = "body";
	if (find_body()) {
		try_probes(false);
		try_probes(true);
		try_arrays();
	}
	pr_info("ORDER end\n");
	return 0;
}

static void __exit order_exit(void)
{
}

module_init(order_init);
module_exit(order_exit);
MODULE_DESCRIPTION("Order of the handlers of probes at one address");
MODULE_LICENSE("GPL");
