/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions and variables of the kernel that are not exported.
 */
#ifndef _LAB_LOOKUP_H
#define _LAB_LOOKUP_H

#include <linux/kprobes.h>
#include "callable.h"

/* Return the address of the symbol, or NULL if there is none of that name. */
static void *lookup(const char *name)
{
	struct kprobe p = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long (*lookup_name)(const char *name);

	if (register_kprobe(&p))
		return NULL;
	lookup_name = callable(p.addr);
	unregister_kprobe(&p);
	return (void *)lookup_name(name);
}

#endif /* _LAB_LOOKUP_H */
