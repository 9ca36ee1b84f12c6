// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits EVENT...: measure how long a user of tracefs waits. Each EVENT is
 * "p:cNUMBER FUNCTION", a kprobe event on the function that implements the
 * system call NUMBER. Make the events, enable them, make each of the calls once
 * with arguments that no call accepts, disable the events and delete them.
 * Print the microseconds of each step, and kprobe_profile after the calls.
 *
 * Built with the kernel's nolibc.
 */
#define EVENTS	"/sys/kernel/tracing/kprobe_events"
#define PROFILE	"/sys/kernel/tracing/kprobe_profile"
#define SWITCH	"/sys/kernel/tracing/events/kprobes/enable"

static unsigned long now(void)
{
	struct timeval tv = {};

	gettimeofday(&tv, NULL);
	return tv.tv_sec * 1000000UL + tv.tv_usec;
}

static void put(const char *path, int flags, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | flags);

	if (fd < 0 || write(fd, text, size) != (ssize_t)size) {
		printf("waits: \"%s\" to %s: error %d\n", text, path, errno);
		exit(1);
	}
	close(fd);
}

static void show_profile(void)
{
	char text[4096];
	int fd = open(PROFILE, O_RDONLY), got;

	while ((got = read(fd, text, sizeof(text))) > 0)
		write(1, text, got);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long start, made, enabled, called, disabled, profiled, deleted;
	int i;

	start = now();
	for (i = 1; i < argc; i++)
		put(EVENTS, O_APPEND, argv[i], strlen(argv[i]));
	made = now();
	put(SWITCH, 0, "1", 1);
	enabled = now();
	for (i = 1; i < argc; i++)
		syscall(atol(argv[i] + strlen("p:c")), -1, -1, -1, -1, -1, -1);
	called = now();
	put(SWITCH, 0, "0", 1);
	disabled = now();
	show_profile();
	profiled = now();
	put(EVENTS, O_TRUNC, "\n", 1);
	deleted = now();

	printf("WAITS create %lu\n", made - start);
	printf("WAITS enable %lu\n", enabled - made);
	printf("WAITS call %lu\n", called - enabled);
	printf("WAITS disable %lu\n", disabled - called);
	printf("WAITS delete %lu\n", deleted - profiled);
	return 0;
}
