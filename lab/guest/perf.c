// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf NUMBER FUNCTION: opens that many perf events of the kprobe PMU, every
 * other one of returns, on the function behind the system call getppid(); calls
 * it; and closes them. Then opens and closes as many events that are no probes.
 * Ends with 0 when each event has counted each call, and prints how long closing
 * took: of all probes but the last, of the last, and of all the others but one.
 *
 * Built with the kernel's nolibc.
 */
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

int main(int argc, char **argv)
{
	unsigned long begin, most, last;
	unsigned int type = read_type();
	int number = argc == 3 ? atoi(argv[1]) : 0, wrong = 0, i;

	if (!type || number < 2 || number > MOST) {
		printf("perf NUMBER FUNCTION; type %u\n", type);
		return 2;
	}
	for (i = 0; i < number; i++) {
		fds[i] = open_probe(type, argv[2], i & 1);
		if (fds[i] < 0) {
			printf("perf: event %d: error %d\n", i, errno);
			return 1;
		}
	}
	for (i = 0; i < CALLS; i++)
		syscall(__NR_getppid);
	for (i = 0; i < number; i++) {
		unsigned long long count = 0;

		if (read(fds[i], &count, sizeof(count)) != sizeof(count) ||
		    count != CALLS)
			wrong++;
	}

	most = close_all(number - 1);
	begin = now();
	close(fds[number - 1]);
	last = now() - begin;
	for (i = 0; i < number - 1; i++) {
		fds[i] = open_clock();
		if (fds[i] < 0) {
			printf("perf: clock %d: error %d\n", i, errno);
			return 1;
		}
	}
	printf("perf: %d events, %d wrong counts, closed in %lu us, the last in %lu us, clocks in %lu us\n",
	       number, wrong, most, last, close_all(number - 1));
	return wrong ? 1 : 0;
}
