// SPDX-License-Identifier: GPL-2.0-or-later
/* KUnit suite for text that live patching writes when a module is loaded. */
#include <linux/elf.h>
#include <linux/livepatch.h>
#include "test.h"

/* Section names as written by the tools that build live patches. */
#define NAMES		"\0.klp.rela.ext4..text\0.klp.rela.vmlinux..text"
#define NAME_OTHER	1
#define NAME_KERNEL	(NAME_OTHER + sizeof(".klp.rela.ext4..text"))

/* The text that the relocations refer to; its contents are not used. */
static u8 text[64];

#define OTHER_AT	9
#define KERNEL_AT	25
#define OWN_AT		41

static const Elf_Rela other_rela[] = { { .r_offset = OTHER_AT } };
static const Elf_Rela kernel_rela[] = { { .r_offset = KERNEL_AT } };
static const Elf_Rela own_rela[] = { { .r_offset = OWN_AT } };

/* Fill in a section of relocations for section 1. */
static Elf_Shdr relocations(unsigned int name, unsigned long flags,
			    const Elf_Rela *rela)
{
	return (Elf_Shdr) {
		.sh_name = name, .sh_type = SHT_RELA, .sh_info = 1,
		.sh_flags = SHF_ALLOC | flags, .sh_size = sizeof(*rela),
		.sh_addr = (unsigned long)rela,
	};
}

static void test_only_late_relocations_write(struct kunit *test)
{
	char names[] = NAMES;
	Elf_Shdr sections[] = {
		{},
		{ .sh_type = SHT_PROGBITS, .sh_addr = (unsigned long)text },
		relocations(NAME_OTHER, SHF_RELA_LIVEPATCH, other_rela),
		relocations(NAME_KERNEL, SHF_RELA_LIVEPATCH, kernel_rela),
		relocations(NAME_OTHER, 0, own_rela),
		/* sh_info is not a section here. */
		{ .sh_type = SHT_SYMTAB, .sh_info = 100000 },
	};
	const struct klp_modinfo info = {
		.hdr.e_shnum = ARRAY_SIZE(sections),
		.sechdrs = sections, .secstrings = names,
	};
	unsigned long base = (unsigned long)text;
	unsigned int at, size;

	KUNIT_ASSERT_STREQ(test, names + NAME_KERNEL,
			   ".klp.rela.vmlinux..text");
	/* On powerpc the relocation of a call also writes the next word. */
	for (size = 1; size <= 15; size++)
		for (at = 0; at + size <= sizeof(text); at++) {
			unsigned int end = at + size +
				(IS_ENABLED(CONFIG_S390) ? 2 : 0);
			bool inside = at <= OTHER_AT && OTHER_AT < end;
			bool after = IS_ENABLED(CONFIG_PPC64) &&
				      at > OTHER_AT && at <= OTHER_AT + 4;

			KUNIT_EXPECT_EQ_MSG(test, inside || after,
					    kprobe_klp_writes(&info, base + at,
							      base + at + size),
					    "%u bytes at %u", size, at);
		}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_only_late_relocations_write),
	{}
};

static struct kunit_suite livepatch_suite = {
	.name = "kprobes_livepatch",
	.test_cases = cases,
};

kunit_test_suite(livepatch_suite);
