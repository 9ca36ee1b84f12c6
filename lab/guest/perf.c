// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf NUMBER FUNCTION: open NUMBER perf events of the kprobe PMU, every other
 * one of returns, on the function that implements getppid(); call it; and close
 * them. Then open and close as many events that are no probes. Print how long
 * closing took: all probes but the last, the last one, and all other events but
 * one. End with 0 if each event counted each call.
 * perf NUMBER FUNCTION exit: another process opens them, calls, and is killed;
 * print how long its end took.
 * perf NUMBER FUNCTION bpf: like the first, with a BPF program for each event;
 * print the address that the kernel reports for each of the first two.
 * perf NUMBER FUNCTION filter: likewise, but the program filters all counts.
 *
 * Built with the kernel's nolibc.
 */
#include "bpf_program.h"

#define MOST	1000
#define CALLS	10

static unsigned long now(void)
{
	struct timeval tv = {};

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
 * Open @number events, with a program unless that is -1, and call the function.
 * Return how many of them did not count @calls.
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

/* Print the address that the kernel reports for an event with a program. */
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

/* Open an event that is no probe: the task's clock. */
static int open_clock(void)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Close so many events, and return how long it took. */
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

/* Kill a process with events; return how many of its counts were wrong. */
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
