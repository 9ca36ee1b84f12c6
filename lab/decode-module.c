// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probe each word of a table and compare the result with the expected one of
 * the table: see lab/decode. The words are never executed.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

/**
 * struct decoded - an instruction of the table
 * @at: where it is in the text
 * @ret: the expected result of register_kprobe()
 * @name: its mnemonic in binutils
 */
struct decoded {
	u32 at;
	s32 ret;
	char name[16];
};

extern char decode_text[];
extern const struct decoded decode_table[];
extern const u32 decode_nr;

/* Maximum number of reported differences. */
#define SHOWN	40

static int __init decode_init(void)
{
	unsigned int i, wrong = 0, probed = 0;

	for (i = 0; i < decode_nr; i++) {
		const struct decoded *d = &decode_table[i];
		struct kprobe p = {
			.addr = (kprobe_opcode_t *)(decode_text + d->at),
			.flags = KPROBE_FLAG_DISABLED,
		};
		u32 word = *(u32 *)p.addr;
		int ret;

		ret = register_kprobe(&p);
		if (!ret)
			unregister_kprobe(&p);
		probed += !ret;
		if (ret != d->ret && wrong++ < SHOWN)
			pr_info("DECODE-WRONG %08x %.15s: %d, not %d\n", word,
				d->name, ret, d->ret);
		cond_resched();
	}
	pr_info("DECODE-END %u words, %u probed, %u wrong\n", i, probed, wrong);
	return 0;
}
module_init(decode_init);

static void __exit decode_exit(void)
{
}
module_exit(decode_exit);

MODULE_DESCRIPTION("Compares the decoder of kprobes with binutils");
MODULE_LICENSE("GPL");
