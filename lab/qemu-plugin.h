/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared code of the QEMU plugins: the part of the plugin interface that they
 * use, because Debian packages no header for it, and their arguments. They
 * report on addresses from start= to end=, by lines of the file out= at exit.
 */
#ifndef LAB_QEMU_PLUGIN_H
#define LAB_QEMU_PLUGIN_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
struct qemu_plugin_scoreboard;

/* A number in each CPU's copy of a scoreboard. */
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

typedef void (*qemu_cpu_cb)(unsigned int vcpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
		void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
		void (*cb)(qemu_plugin_id_t id, void *data), void *data);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
		qemu_cpu_cb cb, int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
		qemu_cpu_cb cb, int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		struct qemu_plugin_insn *insn, int op,
		struct qemu_plugin_u64 entry, uint64_t imm);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
				  unsigned int vcpu);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
			     size_t len);

#define PLUGIN_VISIBLE	__attribute__((visibility("default")))

/* Version of the plugin interface. */
PLUGIN_VISIBLE int qemu_plugin_version = 2;

static uint64_t start, end;
static const char *out;

/* Return true if the arguments name addresses and a file. */
static bool read_arguments(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "start=", 6))
			start = strtoull(argv[i] + 6, NULL, 16);
		else if (!strncmp(argv[i], "end=", 4))
			end = strtoull(argv[i] + 4, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	}
	return out && end > start;
}

/* Call @line for each address; it may write one line to the file. */
static void write_lines(void (*line)(FILE *f, uint64_t addr))
{
	FILE *f = fopen(out, "w");
	uint64_t addr;

	if (!f)
		return;
	for (addr = start; addr < end; addr++)
		line(f, addr);
	fclose(f);
}

#endif /* LAB_QEMU_PLUGIN_H */
