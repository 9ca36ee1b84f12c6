// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU: find addresses from start= to end= that a guest reaches
 * other than from the preceding instruction.  At exit, write a line for each
 * to out=.
 *
 * The plugin compares the start of each translated block with the end of the
 * CPU's previous block.  Return addresses of interrupts are left out, because
 * they can be any instruction.  So are addresses within the previous block:
 * QEMU ends a block early after a device access, and restarts a string
 * instruction for each round.  Branches to those are found without a run.
 */
#include "qemu-plugin.h"

/* Of a block. */
struct block {
	uint64_t start, end;
	bool returns;		/* ends with an IRET */
};

#define CPUS	16
static const struct block *last[CPUS];
static uint8_t *seen;

static void executed(unsigned int vcpu, void *data)
{
	const struct block *now = data, *before = last[vcpu % CPUS];

	last[vcpu % CPUS] = now;
	if (now->start < start || now->start >= end || !before)
		return;
	if (before->end == now->start || before->returns)
		return;
	if (now->start >= before->start && now->start < before->end)
		return;
	seen[now->start - start] = 1;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), len;
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	struct block *block = calloc(1, sizeof(*block));
	uint8_t code[16];

	if (!block)
		abort();
	block->start = qemu_plugin_insn_vaddr(insn);
	insn = qemu_plugin_tb_get_insn(tb, n - 1);
	block->end = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
	len = qemu_plugin_insn_data(insn, code, sizeof(code));
	block->returns = len && code[len - 1] == 0xcf && len <= 2;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, 0, block);
}

static void line(FILE *f, uint64_t addr)
{
	if (seen[addr - start])
		fprintf(f, "%" PRIx64 "\n", addr);
}

static void at_exit(qemu_plugin_id_t id, void *unused)
{
	write_lines(line);
}

PLUGIN_VISIBLE int qemu_plugin_install(qemu_plugin_id_t id,
				       const struct qemu_info *info,
				       int argc, char **argv)
{
	if (!read_arguments(argc, argv))
		return -1;
	seen = calloc(end - start, 1);
	if (!seen)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
