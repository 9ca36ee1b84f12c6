// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks FUNCTION: attach a BPF program to a kprobe at FUNCTION, called by
 * getppid(); it takes the user's stack with build IDs twice in each hit. The
 * second may have none until the probe becomes a jump: retry for ten seconds.
 * Print the kinds of both. End with 0 if both have build IDs.
 *
 * Built with the kernel's nolibc, and with a build ID.
 */
#include "bpf_program.h"

#define STACKS	2
#define TRIES	100

/* Copy one entry of the user's stack to the map's value at r7. */
#define GET_STACK(index)						\
	MOV(BPF_REG_1, BPF_REG_6),					\
	MOV(BPF_REG_2, BPF_REG_7),					\
	ADD_IMM(BPF_REG_2, (index) * sizeof(struct bpf_stack_build_id)), \
	MOV_IMM(BPF_REG_3, sizeof(struct bpf_stack_build_id)),		\
	MOV_IMM(BPF_REG_4, BPF_F_USER_STACK | BPF_F_USER_BUILD_ID),	\
	CALL(BPF_FUNC_get_stack)

#define OF_STACKS	(STACKS * 6)

static int load_stacks(int map)
{
	const struct bpf_insn insns[] = {
		MOV(BPF_REG_6, BPF_REG_1),
		FIND_VALUE(map, OF_STACKS),
		GET_STACK(0),
		GET_STACK(1),
		MOV_IMM(BPF_REG_0, 1),
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return load_insns(insns, sizeof(insns) / sizeof(insns[0]));
}

int main(int argc, char **argv)
{
	struct bpf_stack_build_id stacks[STACKS];
	int map, i;

	if (argc != 2)
		return 2;
	map = make_map(BPF_MAP_TYPE_ARRAY, sizeof(stacks), 1);
	if (attach(load_stacks(map), argv[1]))
		return 1;
	for (i = 0; i < TRIES; i++) {
		getppid();
		if (map_element(BPF_MAP_LOOKUP_ELEM, map, 0, stacks)) {
			printf("stacks: error %d\n", errno);
			return 1;
		}
		if (stacks[0].status == BPF_STACK_BUILD_ID_VALID &&
		    stacks[1].status == BPF_STACK_BUILD_ID_VALID)
			break;
		msleep(100);
	}
	printf("stacks: %d and %d after %d hits; with a build ID it is %d\n",
	       stacks[0].status, stacks[1].status, i + 1,
	       BPF_STACK_BUILD_ID_VALID);
	return i == TRIES;
}
