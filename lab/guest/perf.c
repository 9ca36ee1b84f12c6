// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf NUMBER FUNCTION: opens that many perf events of the kprobe PMU, every
 * other one of returns, on the function behind the system call getppid(); calls
 * it; and closes them. Ends with 0 when each event has counted each call, and
 * prints how long closing took: of all but the last, and of the last.
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

int main(int argc, char **argv)
{
	static int fds[MOST];
	unsigned long begin, most;
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

	begin = now();
	for (i = 0; i < number - 1; i++)
		close(fds[i]);
	most = now() - begin;
	begin = now();
	close(fds[i]);
	printf("perf: %d events, %d wrong counts, closed in %lu us, the last in %lu us\n",
	       number, wrong, most, (unsigned long)(now() - begin));
	return wrong ? 1 : 0;
}
