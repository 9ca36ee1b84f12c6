/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic probes: switches and counters that both the core's own files and the
 * tests use, and functions that only the tests use.
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
/* Numbers of objects in use */
unsigned int kprobe_slots_in_use(void);
unsigned int kprobe_sites_in_use(void);
unsigned int kretprobe_pools_in_use(void);

/* Wait until all retired memory is freed. */
void kprobe_flush_retired(void);

/* Return the largest number of sites patched with one hold of text_mutex. */
unsigned int kprobe_most_patched(unsigned int *batch);

/* Return true if live patching may write to this text later. */
bool kprobe_klp_writes(const struct klp_modinfo *info, unsigned long start,
		       unsigned long end);

/* Return the obstacle to a jump: at the site, or as "explain" reports it. */
enum kprobe_obstacle kprobe_obstacle_at(kprobe_opcode_t *addr);
enum kprobe_obstacle kprobe_explained_obstacle(kprobe_opcode_t *addr);

#ifdef CONFIG_X86
/* Return true if the analysis of a function is cached. */
bool x86_kprobe_function_kept(void);
#endif
#endif

#endif /* _LINUX_KPROBES_TEST_H */
