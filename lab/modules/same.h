/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of kprobe_same.ko; see same_main.c.
 */
#ifndef _LAB_SAME_H
#define _LAB_SAME_H

#include <linux/kallsyms.h>
#include <linux/types.h>

/* Append a line, which the caller ends, to the observations. */
__printf(1, 2) void same_note(const char *fmt, ...);

/* Format an address as "symbol+0xoff [module]", into @name if it needs room. */
const char *same_symbol(char name[KSYM_SYMBOL_LEN], const void *addr);

/* Run a command.  Return false if it belongs to another part. */
bool same_calls(const char *command);
bool same_hits(const char *command);

void same_calls_exit(void);

/* The functions of same_hits.c that are probed. */
int same_traced(int a, int b);
int same_plain(int a, int b);
int same_jump(int a, int b);
int same_skipped(int a, int b);

#endif /* _LAB_SAME_H */
