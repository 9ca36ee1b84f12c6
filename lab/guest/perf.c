// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf NUMBER FUNCTION: opens that many perf events of the kprobe PMU, every
 * other one of returns, on the function behind the system call getppid(); calls
 * it; and closes them. Then opens and closes as many events that are no probes.
 * Ends with 0 when each event has counted each call, and prints how long closing
 * took: of all probes but the last, of the last, and of all the others but one.
 * perf NUMBER FUNCTION exit: another process opens them and calls, and is killed;
 * prints how long it took to end.
 * perf NUMBER FUNCTION bpf: as the first, and each event has a BPF program; prints
 * where the kernel says that each of the first two is.
 * perf NUMBER FUNCTION filter: the same with a program for which no event counts.
 *
 * Built with the kernel's nolibc.
 */
#include "bpf_program.h"
#include "kprobe_pmu.h"

#define MOST	1000
#define CALLS	10

static unsigned long now(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return tv.tv_sec * 1000000UL + tv.tv_usec;
}

static int fds[MOST];

static void fail(const char *what, int i)
{
	printf("perf: %s %d: error %d\n", what, i, errno);
	exit(1);
}

/*
 * Opens NUMBER events, with a program if that is none of -1, and has each of
 * them count. Returns how many of them have not counted @calls.
 */
static int count(int number, const char *function, int program,
		 unsigned long long calls)
{
	unsigned int type = read_type();
	int wrong = 0, i;

	for (i = 0; i < number; i++) {
		fds[i] = type ? open_probe(type, function, i & 1) : -1;
		if (fds[i] < 0)
			fail("event", i);
		if (program >= 0 && ioctl(fds[i], PERF_EVENT_IOC_SET_BPF,
					  (void *)(long)program))
			fail("program of event", i);
	}
	for (i = 0; i < CALLS; i++)
		syscall(__NR_getppid);
	for (i = 0; i < number; i++) {
		unsigned long long got = 0;

		if (read(fds[i], &got, sizeof(got)) != sizeof(got) ||
		    got != calls)
			wrong++;
	}
	return wrong;
}

/* What the kernel tells of an event that has a program. */
static void tell_place(int fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.task_fd_query.pid = getpid();
	attr.task_fd_query.fd = fd;
	if (bpf(BPF_TASK_FD_QUERY, &attr))
		fail("place of event", fd);
	printf("perf: at %llx\n",
	       (unsigned long long)attr.task_fd_query.probe_addr);
}

/* An event that is no probe: the clock of the task. */
static int open_clock(void)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
}

/* How long closing so many of the events takes. */
static unsigned long close_all(int number)
{
	unsigned long begin = now();
	int i;

	for (i = 0; i < number; i++)
		close(fds[i]);
	return now() - begin;
}

static void close_and_tell(int number, int wrong)
{
	unsigned long begin, most, last;
	int i;

	most = close_all(number - 1);
	begin = now();
	close(fds[number - 1]);
	last = now() - begin;
	for (i = 0; i < number - 1; i++) {
		fds[i] = open_clock();
		if (fds[i] < 0)
			fail("clock", i);
	}
	printf("perf: %d events, %d wrong counts, closed in %lu us, the last in %lu us, clocks in %lu us\n",
	       number, wrong, most, last, close_all(number - 1));
}

/* Returns how many counts were wrong in the process that has ended. */
static int kill_process(int number, const char *function)
{
	int ready[2], wrong = 1;
	unsigned long begin;
	pid_t pid;

	if (pipe(ready))
		return 1;
	pid = fork();
	if (!pid) {
		close(ready[0]);
		wrong = count(number, function, -1, CALLS);
		write(ready[1], &wrong, sizeof(wrong));
		while (1)
			sleep(1000);
	}
	close(ready[1]);
	if (read(ready[0], &wrong, sizeof(wrong)) != sizeof(wrong))
		return 1;
	begin = now();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("perf: %d events, %d wrong counts, the process ended in %lu us\n",
	       number, wrong, now() - begin);
	return wrong;
}

int main(int argc, char **argv)
{
	int number = argc >= 3 ? atoi(argv[1]) : 0, program = -1, wrong;
	int filter = argc > 3 && !strcmp(argv[3], "filter");

	if (number < 2 || number > MOST) {
		printf("perf NUMBER FUNCTION [exit|bpf|filter]\n");
		return 2;
	}
	if (argc > 3 && !strcmp(argv[3], "exit"))
		return !!kill_process(number, argv[2]);
	if (argc > 3) {
		program = load_program(!filter);
		if (program < 0)
			fail("program", 0);
	}
	wrong = count(number, argv[2], program, filter ? 0 : CALLS);
	if (program >= 0) {
		tell_place(fds[0]);
		tell_place(fds[1]);
	}
	close_and_tell(number, wrong);
	return wrong ? 1 : 0;
}
