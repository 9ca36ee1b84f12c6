// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * torture: make system calls for which busybox has no command, some of which
 * fault.
 *
 * Built with the kernel's nolibc.
 */
#include <linux/futex.h>
#include <linux/time.h>

#define PAGES	64
#define ROUNDS	4

static int futex_word;

/* Map pages, let a child write them, and unmap them. */
static void memory(void)
{
	char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, status;
	pid_t child;

	if (pages == MAP_FAILED)
		return;
	for (i = 0; i < PAGES; i++)
		pages[i * 4096] = i;
	child = fork();
	if (!child) {
		for (i = 0; i < PAGES; i += 2)
			pages[i * 4096]++;
		munmap(pages, PAGES * 2048);
		/* A signal ends the child here. */
		pages[0] = 1;
		exit(0);
	}
	waitpid(child, &status, 0);
	munmap(pages, PAGES * 4096);
}

/* Exchange bytes with a child, and poll for its answer. */
static void talk(void)
{
	int to[2], from[2], i, status;
	struct pollfd waits;
	char c = 'a';
	pid_t child;

	if (pipe(to) || pipe(from))
		return;
	child = fork();
	if (!child) {
		close(to[1]);
		while (read(to[0], &c, 1) == 1)
			write(from[1], &c, 1);
		exit(0);
	}
	close(to[0]);
	waits.fd = from[0];
	waits.events = POLLIN;
	for (i = 0; i < 40; i++) {
		write(to[1], &c, 1);
		poll(&waits, 1, 1000);
		read(from[0], &c, 1);
	}
	close(to[1]);
	close(from[0]);
	close(from[1]);
	waitpid(child, &status, 0);
}

/* Make calls that fail: bad pointers, and files that are not open. */
static void wrong(void)
{
	struct stat st;

	write(-1, "x", 1);
	write(1, (void *)8, 100);
	open((void *)8, O_RDONLY);
	stat("/no/such/file", &st);
	stat((void *)-4096L, (void *)16);
	syscall(__NR_futex, (void *)4, FUTEX_WAIT, 0, NULL, NULL, 0);
	syscall(__NR_getrandom, (void *)16, 64, 0);
}

static void wait_a_little(void)
{
	struct __kernel_timespec ts = { .tv_nsec = 2000000 };

	syscall(__NR_futex, &futex_word, FUTEX_WAIT, 0, &ts, NULL, 0);
	syscall(__NR_nanosleep, &ts, NULL);
	sched_yield();
}

int main(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		memory();
		talk();
		wrong();
		wait_a_little();
	}
	return 0;
}
