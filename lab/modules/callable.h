/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of functions that are not exported, whose address a probe has told.
 */
#ifndef _LAB_CALLABLE_H
#define _LAB_CALLABLE_H

#include <linux/printk.h>
#include <asm/sections.h>

/* A pointer to call the kernel's text by: one at a time. */
static inline void *callable(void *text)
{
#ifdef CONFIG_PPC64_ELF_ABI_V1
	static func_desc_t desc;

	/* With the TOC of any function of the kernel. */
	desc = *(func_desc_t *)_printk;
	desc.addr = (unsigned long)text;
	return &desc;
#else
	return text;
#endif
}

#endif /* _LAB_CALLABLE_H */
