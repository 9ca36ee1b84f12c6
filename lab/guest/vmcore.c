// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vmcore: check the memory of the kernel that panicked.
 *
 *   vmcore RELEASE PAGE NUMBER TEXT LEAST
 *
 * PAGE is the physical address of kprobe_panic.ko's record, which must contain
 * NUMBER.  TEXT is a file with the old kernel's text before its probes, which
 * must have changed at least LEAST bytes.  Print a line "FAULT ..." for each
 * error, and then a line of results.
 *
 * Built with the kernel's nolibc.
 */
#include <linux/elf.h>

#define MOST_PIECES	64
#define CALLED		3

/* Must match lab/modules/kprobe_panic.c. */
struct left_data {
	char magic[16];
	unsigned long long number;
	unsigned long long panics;
	unsigned long long hits[CALLED];
	unsigned long long missed[CALLED];
};

static int core;
static Elf64_Ehdr header;
static Elf64_Phdr pieces[MOST_PIECES];
static char notes[1 << 16];
static int faults;

static void fault(const char *what, unsigned long long number)
{
	printf("FAULT vmcore: %s (%llu)\n", what, number);
	faults++;
}

static int read_at(void *to, unsigned long size, unsigned long offset)
{
	char *at = to;
	long n;

	if (lseek(core, offset, SEEK_SET) < 0)
		return -1;
	for (; size; size -= n, at += n) {
		n = read(core, at, size);
		if (n <= 0)
			return -1;
	}
	return 0;
}

/* Read the old kernel's memory at a physical address. */
static int read_memory(void *to, unsigned long size, unsigned long address)
{
	int i;

	for (i = 0; i < header.e_phnum; i++) {
		const Elf64_Phdr *p = &pieces[i];

		if (p->p_type == PT_LOAD && address >= p->p_paddr &&
		    address + size <= p->p_paddr + p->p_filesz)
			return read_at(to, size,
				       p->p_offset + address - p->p_paddr);
	}
	return -1;
}

/* Read the ELF headers; return the size of memory in bytes. */
static unsigned long read_headers(void)
{
	unsigned long size = 0;
	int i;

	if (read_at(&header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_type != ET_CORE || header.e_phnum > MOST_PIECES ||
	    read_at(pieces, header.e_phnum * sizeof(*pieces), header.e_phoff)) {
		fault("this is no core of 64 bits", header.e_type);
		header.e_phnum = 0;
	}
	for (i = 0; i < header.e_phnum; i++) {
		const Elf64_Phdr *p = &pieces[i];

		if (p->p_type == PT_LOAD)
			size += p->p_filesz;
		else if (p->p_type == PT_NOTE &&
			 (p->p_filesz > sizeof(notes) ||
			  read_at(notes, p->p_filesz, p->p_offset)))
			fault("notes cannot be read", p->p_filesz);
	}
	return size;
}

/* Find the rest of the notes' line that begins with @key. */
static const char *noted(const char *key)
{
	unsigned long len = strlen(key), at;

	for (at = 0; at + len < sizeof(notes); at++)
		if (!memcmp(notes + at, key, len))
			return notes + at + len;
	return NULL;
}

/* Return how many bytes of the old kernel's text have changed. */
static unsigned long differing(const char *file)
{
	const char *where = noted("SYMBOL(_stext)=");
	unsigned long address = where ? strtoul(where, NULL, 16) : 0;
	unsigned long at = 0, n = 0, i;
	static char was[4096], is[4096];
	const Elf64_Phdr *p = NULL;
	int before = open(file, O_RDONLY);
	long size;

	for (i = 0; i < header.e_phnum; i++)
		if (pieces[i].p_type == PT_LOAD &&
		    address - pieces[i].p_vaddr < pieces[i].p_filesz)
			p = &pieces[i];
	while (p && (size = read(before, was, sizeof(was))) > 0) {
		if (read_at(is, size, p->p_offset + address - p->p_vaddr + at))
			break;
		for (i = 0; i < (unsigned long)size; i++)
			n += was[i] != is[i];
		at += size;
	}
	if (!at || size)
		fault("not all of the text can be read", at);
	return n;
}

static void look_at_release(const char *expected)
{
	const char *release = noted("OSRELEASE=");
	unsigned long len = strlen(expected);

	if (!release || memcmp(release, expected, len) || release[len] != '\n')
		fault("the release is another one", release - notes);
}

static void look_at_page(unsigned long address, unsigned long number)
{
	unsigned long hits = 0, missed = 0, n;
	struct left_data left;
	int i;

	if (read_memory(&left, sizeof(left), address) ||
	    memcmp(left.magic, "kprobe_panic", sizeof("kprobe_panic")) ||
	    left.number != number) {
		fault("the page is not what it was", address);
		return;
	}
	if (left.panics != 1)
		fault("so many CPUs came to the panic", left.panics);
	for (i = 0; i < CALLED; i++) {
		if (read_memory(&n, sizeof(n), left.missed[i])) {
			fault("a number of misses cannot be read", i);
			continue;
		}
		hits += left.hits[i];
		missed += n;
		if (left.hits[i] + n != 1)
			fault("so many hits of a function called once",
			      left.hits[i] + n);
	}
	printf("in a panic's functions %lu hit, %lu missed, ", hits, missed);
}

int main(int argc, char **argv)
{
	unsigned long size, n;

	core = open("/proc/vmcore", O_RDONLY);
	if (argc != 6 || core < 0) {
		fault("it cannot be opened", argc);
		return 1;
	}
	size = read_headers();
	look_at_release(argv[1]);
	n = differing(argv[4]);
	if (n < strtoul(argv[5], NULL, 10))
		fault("probes are not in the old text: only so many bytes", n);
	look_at_page(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 10));
	printf("%lu bytes of text changed in %lu MB\n", n, size >> 20);
	return !!faults;
}
