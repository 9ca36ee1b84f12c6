// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timers FUNCTION: attach a BPF program to a kprobe at FUNCTION, called by
 * getppid(); it cancels a timer that has not been initialized. The helper
 * returns -EINVAL, or -EOPNOTSUPP where it cannot wait for a timer. An x86
 * probe counts as an NMI until it becomes a jump: retry for ten seconds. End
 * with 0 for -EINVAL, and with 4 if kprobes' programs may have no timers.
 *
 * Built with the kernel's nolibc.
 */
#include <linux/btf.h>
#include "bpf_program.h"

#define TRIES	100

struct value {
	struct bpf_timer timer;
	long result;
};

#define INFO(kind, members)	((kind) << 24 | (members))

/* The types of the map's key and value; the value is the last one. */
enum { KEY = 1, WORD, TIMER, VALUE };

static const struct {
	struct btf_header header;
	struct {
		struct btf_type type;
		__u32 encoding;
	} key, word;
	struct {
		struct btf_type type;
		struct btf_member members[2];
	} timer, value;
	char names[24];
} types = {
	.header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(struct btf_header),
		.type_len = 2 * 16 + 2 * 36,
		.str_off = 2 * 16 + 2 * 36,
		.str_len = sizeof("\0int\0u64\0bpf_timer\0v"),
	},
	.names = "\0int\0u64\0bpf_timer\0v",
	.key = { { 1, INFO(BTF_KIND_INT, 0), { 4 } }, 32 },
	.word = { { 5, INFO(BTF_KIND_INT, 0), { 8 } }, 64 },
	.timer = {
		{ 9, INFO(BTF_KIND_STRUCT, 2), { 16 } },
		{ { 0, WORD, 0 }, { 0, WORD, 64 } },
	},
	.value = {
		{ 19, INFO(BTF_KIND_STRUCT, 2), { 24 } },
		{ { 0, TIMER, 0 }, { 0, WORD, 128 } },
	},
};

static int load_types(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (unsigned long)&types;
	attr.btf_size = sizeof(types.header) + types.header.str_off +
			types.header.str_len;
	return bpf(BPF_BTF_LOAD, &attr);
}

static int make_map_of_timers(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(int);
	attr.value_size = sizeof(struct value);
	attr.max_entries = 1;
	attr.btf_fd = load_types();
	attr.btf_key_type_id = KEY;
	attr.btf_value_type_id = VALUE;
	return bpf(BPF_MAP_CREATE, &attr);
}

static int load_cancel(int map)
{
	const struct bpf_insn insns[] = {
		FIND_VALUE(map, 3),
		MOV(BPF_REG_1, BPF_REG_0),
		CALL(BPF_FUNC_timer_cancel),
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_7,
		  .src_reg = BPF_REG_0, .off = sizeof(struct bpf_timer) },
		MOV_IMM(BPF_REG_0, 1),
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return load_insns(insns, sizeof(insns) / sizeof(insns[0]));
}

int main(int argc, char **argv)
{
	int map, program, i;
	struct value value;

	if (argc != 2)
		return 2;
	map = make_map_of_timers();
	program = load_cancel(map);
	if (map >= 0 && program < 0 && errno == EINVAL) {
		printf("timers: refused by the verifier\n");
		return 4;
	}
	if (attach(program, argv[1])) {
		printf("timers: map %d\n", map);
		return 1;
	}
	for (i = 0; i < TRIES; i++) {
		getppid();
		if (map_element(BPF_MAP_LOOKUP_ELEM, map, 0, &value)) {
			printf("timers: error %d\n", errno);
			return 1;
		}
		if (value.result == -EINVAL)
			break;
		msleep(100);
	}
	printf("timers: %ld after %d hits\n", value.result, i + 1);
	return i == TRIES;
}
