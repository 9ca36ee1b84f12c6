// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf FUNCTION: attach a BPF program to a kprobe at FUNCTION, which updates of
 * hash maps call, and make ten updates. A CPU that updates a map runs no
 * program of a perf event: each of these hits misses its program. Print the
 * misses that kprobes count. End with 0 if all steps succeeded.
 *
 * Built with the kernel's nolibc.
 */
#include "bpf_program.h"
#include "kprobe_pmu.h"

#define MISSED	"/sys/kernel/debug/kprobes/missed"
#define UPDATES	10

static int make_map(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_HASH;
	attr.key_size = sizeof(int);
	attr.value_size = sizeof(int);
	attr.max_entries = UPDATES;
	return bpf(BPF_MAP_CREATE, &attr);
}

static int update_map(int map, int key)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)&key;
	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static int show_missed(void)
{
	int fd = open(MISSED, O_RDONLY), got;
	char text[512];

	if (fd < 0)
		return 1;
	while ((got = read(fd, text, sizeof(text))) > 0)
		write(1, text, got);
	close(fd);
	return got < 0;
}

int main(int argc, char **argv)
{
	int map, program, event, key;

	if (argc != 2)
		return 2;
	map = make_map();
	program = load_program(1);
	event = open_probe(read_type(), argv[1], 0);
	if (map < 0 || program < 0 || event < 0 ||
	    ioctl(event, PERF_EVENT_IOC_SET_BPF, (void *)(long)program)) {
		printf("bpf: map %d, program %d, event %d, error %d\n",
		       map, program, event, errno);
		return 1;
	}
	for (key = 0; key < UPDATES; key++) {
		if (update_map(map, key)) {
			printf("bpf: update %d: error %d\n", key, errno);
			return 1;
		}
	}
	return show_missed();
}
