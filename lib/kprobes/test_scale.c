// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for thousands of probes on functions from all of the kernel's
 * text.  It detects functions on the hit path that can be probed.
 */
#include <linux/ftrace.h>
#include "test.h"
#include "test_hits.h"
#include "test_machine.h"

/*
 * KASAN, lockdep and backends that stop the machine for each site make the case
 * ten times as slow.
 */
#if defined(CONFIG_KASAN) || defined(CONFIG_PROVE_LOCKING) ||		\
	defined(CONFIG_KPROBES_CLASSIC)
#define MANY		500	/* probes in the array */
#else
#define MANY		10000
#endif
#define CANDIDATES	(MANY * 13 / 10)	/* some cannot be probed */
#define MANY_AT_LEAST	(MANY / 2)

/**
 * struct many - candidates from all of the kernel's text
 * @symbols: number of symbols in the text
 * @seen: symbols that were looked at
 * @nr: number of candidates
 * @probes: one for each candidate
 * @array: pointers to the probes in use
 */
struct many {
	unsigned int symbols;
	unsigned int seen;
	unsigned int nr;
	struct kprobe *probes;
	struct kprobe **array;
};

static bool many_is_text(unsigned long addr)
{
	return is_kernel_text(addr) && !is_kernel_inittext(addr);
}

static int many_count(void *data, const char *name, unsigned long addr)
{
	struct many *m = data;

	m->symbols += many_is_text(addr);
	return 0;
}

/* Some backends have a probe of their own. */
static bool many_is_probed(unsigned long addr)
{
	guard(preempt)();
	return kprobe_site_find(addr);
}

static int many_add(void *data, const char *name, unsigned long addr)
{
	struct many *m = data;
	struct kprobe *p = &m->probes[m->nr];

	if (m->nr == CANDIDATES)
		return 1;
	if (!many_is_text(addr) ||
	    m->seen++ % max(m->symbols / CANDIDATES, 1U) ||
	    within_kprobe_blacklist(addr) || many_is_probed(addr))
		return 0;
	/* Several symbols may share an address. */
	if (m->nr && m->array[m->nr - 1]->addr == (kprobe_opcode_t *)addr)
		return 0;
	p->addr = (kprobe_opcode_t *)addr;
	p->pre_handler = count_pre;
	p->flags = KPROBE_FLAG_DISABLED;
	m->array[m->nr++] = p;
	return 0;
}

/* Keep the candidates that can be probed. */
static void many_filter(struct many *m)
{
	unsigned int i, good = 0;

	for (i = 0; i < m->nr && good < MANY; i++) {
		struct kprobe *p = m->array[i];

		if (register_kprobe(p))
			continue;
		unregister_kprobe(p);
		p->flags = 0;
		m->array[good++] = p;
		cond_resched();
	}
	m->nr = good;
}

static void many_load(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		kfree(kmalloc(100 << (i % 8), GFP_KERNEL));
		schedule_timeout_uninterruptible(1);
	}
}

/* Return the address at which arming the probe changes the text. */
static unsigned long armed_at(const struct kprobe *p)
{
	return p->site->owns_next ? kprobe_site_text(p->site) : probed_at(p);
}

/* Count the probes whose text has changed since @before. */
static unsigned int many_armed(struct kunit *test, const struct many *m,
			       const void *before)
{
	unsigned int i, armed = 0;

	for (i = 0; i < m->nr; i++) {
		unsigned long at = armed_at(m->array[i]);

		if (memcmp((void *)at, before + (at - (unsigned long)_stext),
			   sizeof(kprobe_opcode_t)))
			armed++;
		else
			kunit_info(test, "%pS is not armed", (void *)at);
	}
	return armed;
}

/* Must match KPROBE_PATCH_CHUNK in kernel/kprobes/internal.h. */
#define CHUNK		256

/* text_mutex, and with @mutex kprobe_mutex, must be released between chunks. */
static void expect_chunks(struct kunit *test, bool mutex)
{
	unsigned int batch, chunk = kprobe_most_patched(&batch);

	KUNIT_EXPECT_LE(test, chunk, CHUNK);
	if (mutex)
		KUNIT_EXPECT_LE(test, batch, CHUNK);
}

static void many_switched(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kprobe_set_global(false), 0);
	KUNIT_EXPECT_EQ(test, kprobe_set_global(true), 0);
	expect_chunks(test, true);
	wait_for_kprobe_optimizer();
	kprobe_set_jumps(false);
	/* One update of ftrace moves all entries. */
	expect_chunks(test, !IS_ENABLED(CONFIG_KPROBE_SKIP_FTRACE));
	kprobe_set_jumps(true);
}

/* /proc/kallsyms reads one page at a time, while others fill up. */
static void expect_sorted_pages(struct kunit *test)
{
	unsigned long addr, last = 0;
	char name[KSYM_NAME_LEN];
	unsigned int i;
	char type;

	for (i = 0; !kprobe_get_kallsym(i, &addr, &type, name); i++) {
		KUNIT_EXPECT_GT(test, addr, last);
		last = addr;
	}
}

static void test_thousands_at_once(struct kunit *test)
{
	unsigned int slots = slots_after_flush();
	unsigned int sites = kprobe_sites_in_use();
	size_t size = _etext - _stext;
	unsigned long hits;
	struct many m = { };
	void *before;

	skip_unless_steps(test);
	m.probes = alloc_for_test(test, array_size(CANDIDATES,
						   sizeof(*m.probes)));
	m.array = alloc_for_test(test, array_size(CANDIDATES,
						  sizeof(*m.array)));
	before = alloc_for_test(test, size);
	kallsyms_on_each_symbol(many_count, &m);
	kallsyms_on_each_symbol(many_add, &m);
	many_filter(&m);
	if (m.nr < MANY_AT_LEAST)
		kunit_skip(test, "only %u functions to probe", m.nr);
	kprobe_flush_retired();

	memcpy(before, _stext, size);
	KUNIT_ASSERT_EQ(test, register_kprobes(m.array, m.nr), 0);
	expect_chunks(test, true);
	many_switched(test);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites + m.nr);
	KUNIT_EXPECT_EQ(test, many_armed(test, &m, before), m.nr);
	expect_sorted_pages(test);

	take_cpu_hits();
	many_load();
	unregister_kprobes(m.array, m.nr);
	expect_chunks(test, true);
	hits = take_cpu_hits();
	KUNIT_EXPECT_GT(test, hits, MANY / 100UL);
	/* A few functions stay in ftrace's filter for some milliseconds. */
	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kprobe_flush_retired();
	KUNIT_EXPECT_TRUE(test, same_text(before));

	KUNIT_EXPECT_EQ(test, slots_after_flush(), slots);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
	kunit_info(test, "%u probes as one array, %lu hits", m.nr, hits);
}

static struct kunit_case scale_tests[] = {
	KUNIT_CASE_SLOW(test_thousands_at_once),
	{}
};

static struct kunit_suite scale_suite = {
	.name = "kprobes_scale",
	.test_cases = scale_tests,
};

kunit_test_suite(scale_suite);
