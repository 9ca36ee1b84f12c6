// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU: count executions of the instruction at each address from
 * start= to end= while a guest with one CPU counts its hits.  At exit, write a
 * line "address count" for each executed one to out=.
 *
 * The guest begins and ends the count by two no-ops that it does not use
 * otherwise; see mark() in lab/modules/world_probes.c.
 */
#include "qemu-plugin.h"

static const uint8_t marks[][7] = {
	{ 0x0f, 0x1f, 0x80, 0x30, 0x4c, 0x52, 0x57 },
	{ 0x0f, 0x1f, 0x80, 0x31, 0x4c, 0x52, 0x57 },
	{ 0x1f, 0x2e, 0x03, 0xd5 },
	{ 0x3f, 0x2e, 0x03, 0xd5 },
};
static const size_t mark_sizes[] = { 7, 7, 4, 4 };

/* Add in translated code, because a call per instruction is too slow. */
#define INLINE_ADD	0

static uint64_t *counts;
static struct qemu_plugin_scoreboard *executed;

static void add(unsigned int vcpu, uint64_t sign)
{
	const uint64_t *now = qemu_plugin_scoreboard_find(executed, vcpu);
	uint64_t i;

	for (i = 0; i < end - start; i++)
		counts[i] += sign * now[i];
}

static void begins(unsigned int vcpu, void *unused)
{
	add(vcpu, -1);
}

static void ends(unsigned int vcpu, void *unused)
{
	add(vcpu, 1);
}

static void look_for_marks(struct qemu_plugin_insn *insn)
{
	uint8_t code[16];
	size_t len = qemu_plugin_insn_data(insn, code, sizeof(code)), i;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (len == mark_sizes[i] && !memcmp(code, marks[i], len))
			qemu_plugin_register_vcpu_insn_exec_cb(insn,
					i % 2 ? begins : ends, 0, NULL);
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);

		look_for_marks(insn);
		if (addr >= start && addr < end)
			qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn,
				INLINE_ADD, (struct qemu_plugin_u64) {
					executed, (addr - start) * sizeof(*counts)
				}, 1);
	}
}

static void line(FILE *f, uint64_t addr)
{
	if (counts[addr - start])
		fprintf(f, "%" PRIx64 " %" PRIu64 "\n", addr,
			counts[addr - start]);
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
	counts = calloc(end - start, sizeof(*counts));
	executed = qemu_plugin_scoreboard_new((end - start) * sizeof(*counts));
	if (!counts || !executed)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
