// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hits NUMBER FUNCTION OTHER EVENT: count hits by BPF programs on a kprobe at
 * FUNCTION, which implements the system call getppid(), and on one at OTHER,
 * which interrupts call. Meanwhile write 1 to the file EVENT, call getppid()
 * NUMBER times, and write 0 to EVENT. Print both counts.
 *
 * Built with the kernel's nolibc.
 */
#include "bpf_program.h"

static void fail(const char *what)
{
	printf("hits: %s: error %d\n", what, errno);
	exit(1);
}

static unsigned long count_of(int map, int key)
{
	unsigned long count = 0;

	if (map_element(BPF_MAP_LOOKUP_ELEM, map, key, &count))
		fail("a count");
	return count;
}

/* Load a program that atomically adds 1 to the map's value of this key. */
static int counting_program(int map, int key)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10,
		  .off = -4, .imm = key },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2,
		  .imm = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0,
		  .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1,
		  .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_1, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return load_insns(insns, sizeof(insns) / sizeof(insns[0]));
}

static void write_switch(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, 1) != 1)
		fail(path);
	close(fd);
}

int main(int argc, char **argv)
{
	long number, i;
	int map;

	if (argc != 5)
		return 2;
	number = atol(argv[1]);
	map = make_map(BPF_MAP_TYPE_ARRAY, sizeof(long), 2);
	if (attach(counting_program(map, 0), argv[2]) ||
	    attach(counting_program(map, 1), argv[3]))
		return 1;

	write_switch(argv[4], "1");
	for (i = 0; i < number; i++)
		getppid();
	write_switch(argv[4], "0");
	printf("calls %lu interrupts %lu\n",
	       count_of(map, 0), count_of(map, 1));
	return 0;
}
