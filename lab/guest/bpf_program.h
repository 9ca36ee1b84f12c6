/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A BPF program for kprobes, for programs that are built with the kernel's nolibc. */
#include <linux/bpf.h>

#define MOV_IMM(reg, value)						\
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = value }
#define CALL(function)							\
	{ .code = BPF_JMP | BPF_CALL, .imm = function }

static int bpf(int what, union bpf_attr *attr)
{
	return syscall(__NR_bpf, what, attr, sizeof(*attr));
}

static int load_insns(const struct bpf_insn *insns, int count)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insn_cnt = count;
	attr.insns = (unsigned long)insns;
	attr.license = (unsigned long)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

/* Load a program that returns @value; for 0 the event does not count. */
static inline int load_program(int value)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0,
		  .imm = value },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return load_insns(insns, sizeof(insns) / sizeof(insns[0]));
}
