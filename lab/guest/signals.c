// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals FUNCTION: attach a BPF program to a kprobe at FUNCTION, called by
 * getppid(); it sends two signals in each hit. The second may be lost until the
 * probe becomes a jump: retry for ten seconds. End with 0 if both arrived.
 *
 * Built with the kernel's nolibc.
 */
#include "bpf_program.h"

#define TRIES	100
#define BIT_OF(signal)	(1UL << ((signal) - 1))
#define BOTH	(BIT_OF(SIGUSR1) | BIT_OF(SIGUSR2))

static int load_signals(void)
{
	const struct bpf_insn insns[] = {
		MOV_IMM(BPF_REG_1, SIGUSR1),
		CALL(BPF_FUNC_send_signal),
		MOV_IMM(BPF_REG_1, SIGUSR2),
		CALL(BPF_FUNC_send_signal),
		MOV_IMM(BPF_REG_0, 1),
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return load_insns(insns, sizeof(insns) / sizeof(insns[0]));
}

int main(int argc, char **argv)
{
	unsigned long long both = BOTH, pending = 0;
	int i;

	if (argc != 2)
		return 2;
	if (syscall(__NR_rt_sigprocmask, SIG_BLOCK, &both, NULL, 8) ||
	    attach(load_signals(), argv[1]))
		return 1;
	for (i = 0; i < TRIES && pending != BOTH; i++) {
		if (i)
			msleep(100);
		getppid();
		syscall(__NR_rt_sigpending, &pending, 8);
	}
	printf("signals: %llx of %llx after %d hits\n", pending, both, i);
	return pending != BOTH;
}
