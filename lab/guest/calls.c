// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls NUMBER: call getppid() NUMBER times, and print the nanoseconds per call
 * by the guest's clock.
 *
 * Built with the kernel's nolibc.
 */
static long now_us(void)
{
	struct timeval now = {};

	gettimeofday(&now, NULL);
	return now.tv_sec * 1000000 + now.tv_usec;
}

int main(int argc, char **argv)
{
	long number, start, i;

	if (argc != 2)
		return 2;
	number = atol(argv[1]);
	if (number <= 0)
		return 2;
	start = now_us();
	for (i = 0; i < number; i++)
		getppid();
	printf("%ld\n", (now_us() - start) * 1000 / number);
	return 0;
}
