/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: what the tests look at and switch, and no other user.
 */
#ifndef _LINUX_KPROBES_TEST_H
#define _LINUX_KPROBES_TEST_H

#include <linux/kprobes.h>
#include <linux/kprobes_reasons.h>

struct klp_modinfo;

int kprobe_set_global(bool on);
unsigned long kprobe_missed_in_all(enum kprobe_miss why);
void kprobe_set_jumps(bool on);

#if IS_ENABLED(CONFIG_KPROBES_SANITY_TEST)
/* How much is in use. */
unsigned int kprobe_slots_in_use(void);
unsigned int kprobe_sites_in_use(void);
unsigned int kprobe_table_buckets(void);
unsigned int kprobe_table_used(void);
unsigned int kretprobe_pools_in_use(void);

/* Wait for a resize of the table, and until all that was freed is free. */
void kprobe_table_settle(void);
void kprobe_flush_retired(void);

/* The most sites that were patched with one hold of a lock. */
unsigned int kprobe_most_patched(unsigned int *batch);

/* Does live patching still write there? */
bool kprobe_klp_writes(const struct klp_modinfo *info, unsigned long start,
		       unsigned long end);

/* What is in the way of a jump at a site, and what explain says of it. */
enum kprobe_obstacle kprobe_obstacle_at(kprobe_opcode_t *addr);
enum kprobe_obstacle kprobe_explained_obstacle(kprobe_opcode_t *addr);

#ifdef CONFIG_X86
/* Is the analysis of a function kept? */
bool x86_kprobe_function_kept(void);
#endif
#endif

#endif /* _LINUX_KPROBES_TEST_H */
