/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf events of kprobes, for programs that are built with the kernel's nolibc. */
#include <linux/perf_event.h>

#define DEVICE	"/sys/bus/event_source/devices/kprobe/type"

/* The type of the kprobe PMU; 0 if there is none. */
static unsigned int read_type(void)
{
	char text[16];
	int fd = open(DEVICE, O_RDONLY), got;

	if (fd < 0)
		return 0;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return 0;
	text[got] = 0;
	return atoi(text);
}

/* Open a perf event of a kprobe, or of a return probe. */
static int open_probe(unsigned int type, const char *function, int of_return)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = type;
	attr.size = sizeof(attr);
	attr.config = of_return;
	attr.kprobe_func = (unsigned long)function;
	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
}
