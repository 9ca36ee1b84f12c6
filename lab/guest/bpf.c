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

#define MISSED	"/sys/kernel/debug/kprobes/missed"
#define UPDATES	10

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
	int map, key;

	if (argc != 2)
		return 2;
	map = make_map(BPF_MAP_TYPE_HASH, sizeof(int), UPDATES);
	if (attach(load_program(1), argv[1]))
		return 1;
	for (key = 0; key < UPDATES; key++) {
		if (map_element(BPF_MAP_UPDATE_ELEM, map, key, &key)) {
			printf("bpf: update %d: error %d\n", key, errno);
			return 1;
		}
	}
	return show_missed();
}
