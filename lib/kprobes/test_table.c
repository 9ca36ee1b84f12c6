// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KUnit suite for the table of sites: look-ups while a chain changes, and the
 * spread of the hash.
 */
#include <linux/array_size.h>
#include <linux/hrtimer.h>
#include <linux/kprobes_backend.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "test.h"

/* Some architectures stop the machine for each site. */
#define MANY		(IS_ENABLED(CONFIG_KPROBES_CLASSIC) ? 250 : 1000)
#define ROUNDS		(MANY / 5)

/* @bucket: take only functions of this bucket, if not NULL */
struct many {
	struct kprobe *probes;
	struct hlist_head *bucket;
	unsigned int nr;
	unsigned long last;
};

/* Return the bucket of a function, or NULL if it must not be probed. */
static struct hlist_head *bucket_of(unsigned long addr, unsigned long *last)
{
	bool on_entry;

	if (!is_kernel_text(addr) || is_kernel_inittext(addr) ||
	    addr == *last || within_kprobe_blacklist(addr))
		return NULL;
	*last = addr;
	/* The site is after any landing pad. */
	addr = (unsigned long)arch_kprobe_entry(addr, 0, &on_entry);
	return kprobe_site_bucket(addr);
}

static int many_add(void *data, const char *name, unsigned long addr)
{
	struct many *many = data;
	struct hlist_head *bucket;

	if (many->nr == MANY)
		return 1;
	bucket = bucket_of(addr, &many->last);
	if (!bucket || (many->bucket && many->bucket != bucket))
		return 0;
	many->probes[many->nr++] = KPROBE_AT(addr, .flags =
					     KPROBE_FLAG_DISABLED);
	return 0;
}

/* Return probes for up to MANY functions of the kernel, or of a bucket. */
static struct kprobe *find_many(struct kunit *test, struct hlist_head *bucket,
				unsigned int *nr)
{
	struct many many = {
		.probes = alloc_for_test(test, MANY * sizeof(*many.probes)),
		.bucket = bucket,
	};

	kallsyms_on_each_symbol(many_add, &many);
	*nr = many.nr;
	return many.probes;
}

/* Register the probes one by one and return how many succeeded. */
static unsigned int register_many(struct kprobe *probes, unsigned int nr)
{
	unsigned int i, registered = 0;

	for (i = 0; i < nr; i++) {
		if (!register_kprobe(&probes[i]))
			registered++;
		else
			probes[i].addr = NULL;
		cond_resched();
	}
	return registered;
}

static void unregister_many(struct kprobe *probes, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (probes[i].addr)
			unregister_kprobe(&probes[i]);
		cond_resched();
	}
}

/* The number of functions in each bucket; some cannot be probed. */
struct fill {
	unsigned long last;
	u16 nr[ARRAY_SIZE(kprobe_site_table)];
};

static int count_bucket(void *data, const char *name, unsigned long addr)
{
	struct fill *fill = data;
	struct hlist_head *bucket = bucket_of(addr, &fill->last);

	if (bucket)
		fill->nr[bucket - kprobe_site_table]++;
	return 0;
}

static struct hlist_head *take_fullest(struct fill *fill)
{
	unsigned int i, fullest = 0;

	for (i = 1; i < ARRAY_SIZE(fill->nr); i++)
		if (fill->nr[i] > fill->nr[fullest])
			fullest = i;
	fill->nr[fullest] = 0;
	return &kprobe_site_table[fullest];
}

/* Probes in one chain: the last one is at its head. */
struct chain {
	struct kprobe *in[MANY];
	unsigned int nr;
};

static void chain_register(struct kunit *test, struct chain *chain,
			   struct hlist_head *bucket)
{
	unsigned int i, nr;
	struct kprobe *probes = find_many(test, bucket, &nr);

	for (i = 0; i < nr; i++)
		if (!register_kprobe(&probes[i]))
			chain->in[chain->nr++] = &probes[i];
}

static void chain_unregister(struct chain *chain)
{
	while (chain->nr)
		unregister_kprobe(chain->in[--chain->nr]);
}

#define TRIES		50

/* Register the probes of a bucket that has at least three. */
static struct chain *find_chain(struct kunit *test)
{
	struct chain *chain = alloc_for_test(test, sizeof(*chain));
	struct fill *fill = alloc_for_test(test, sizeof(*fill));
	unsigned int tries;

	kallsyms_on_each_symbol(count_bucket, fill);
	for (tries = 0; chain->nr < 3 && tries < TRIES; tries++) {
		chain_unregister(chain);
		chain_register(test, chain, take_fullest(fill));
	}
	KUNIT_EXPECT_GE(test, chain->nr, 3);
	return chain;
}

static bool is_found(const struct kprobe *p)
{
	guard(preempt)();
	return kprobe_site_find(probed_at(p)) == p->site;
}

static void chain_remove(struct kunit *test, struct chain *chain,
			 unsigned int at)
{
	unsigned int i;

	unregister_kprobe(chain->in[at]);
	chain->nr--;
	for (i = at; i < chain->nr; i++)
		chain->in[i] = chain->in[i + 1];
	for (i = 0; i < chain->nr; i++)
		KUNIT_EXPECT_TRUE(test, is_found(chain->in[i]));
}

/* Sites are removed from the middle, the head and the tail of a chain. */
static void test_removed_site_hides_no_other(struct kunit *test)
{
	struct chain *chain = find_chain(test);

	if (chain->nr >= 3) {
		chain_remove(test, chain, chain->nr / 2);
		chain_remove(test, chain, chain->nr - 1);
	}
	while (chain->nr)
		chain_remove(test, chain, 0);
}

#define TIMER_NS	(500 * NSEC_PER_USEC)

static DEFINE_PER_CPU(struct hrtimer, finders);
static const struct kprobe *stays;
static atomic_t found;
static atomic_t lost;

static enum hrtimer_restart finder(struct hrtimer *timer)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		atomic_inc(is_found(stays) ? &found : &lost);
	hrtimer_forward_now(timer, TIMER_NS);
	return HRTIMER_RESTART;
}

static void finder_start(void *unused)
{
	hrtimer_start(this_cpu_ptr(&finders), TIMER_NS,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void finders_start(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_setup(per_cpu_ptr(&finders, cpu), finder,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	on_each_cpu(finder_start, NULL, true);
}

static void finders_stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(per_cpu_ptr(&finders, cpu));
}

/* Interrupts must find the tail of a chain while all sites before it change. */
static void test_changing_chain_hides_no_site(struct kunit *test)
{
	unsigned int sites = kprobe_sites_in_use();
	struct chain *chain = find_chain(test);
	unsigned int i, round;

	KUNIT_ASSERT_GT(test, chain->nr, 0);
	stays = chain->in[0];
	atomic_set(&found, 0);
	atomic_set(&lost, 0);
	finders_start();
	for (round = 0; round < ROUNDS; round++) {
		for (i = 1; i < chain->nr; i++) {
			unregister_kprobe(chain->in[i]);
			KUNIT_EXPECT_EQ(test, register_kprobe(chain->in[i]), 0);
		}
		cond_resched();
	}
	msleep(5);
	finders_stop();
	KUNIT_EXPECT_GT(test, atomic_read(&found), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&lost), 0);
	chain_unregister(chain);
	KUNIT_EXPECT_EQ(test, kprobe_sites_in_use(), sites);
}

/*
 * A random hash puts about nr * nr / (2 * buckets) of @nr sites into a bucket
 * that is used already.
 */
static void test_hash_spreads_sites(struct kunit *test)
{
	unsigned int nr, i, registered, used = 0;
	struct kprobe *probes = find_many(test, NULL, &nr);

	registered = register_many(probes, nr);
	for (i = 0; i < ARRAY_SIZE(kprobe_site_table); i++)
		used += !hlist_empty(&kprobe_site_table[i]);
	unregister_many(probes, nr);
	KUNIT_EXPECT_LE(test, registered,
			used + 2 * nr * nr / ARRAY_SIZE(kprobe_site_table));
}

static struct kunit_case table_tests[] = {
	KUNIT_CASE(test_removed_site_hides_no_other),
	KUNIT_CASE_SLOW(test_changing_chain_hides_no_site),
	KUNIT_CASE_SLOW(test_hash_spreads_sites),
	{}
};

static struct kunit_suite table_suite = {
	.name = "kprobes_table",
	.test_cases = table_tests,
};

kunit_test_suite(table_suite);
