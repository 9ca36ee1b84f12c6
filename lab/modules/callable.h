/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call functions that are not exported, by the address of a probe. */
#ifndef _LAB_CALLABLE_H
#define _LAB_CALLABLE_H

#include <linux/printk.h>
#include <asm/sections.h>

/* Return a pointer by which to call kernel text; valid until the next call. */
static inline void *callable(void *text)
{
#ifdef CONFIG_PPC64_ELF_ABI_V1
	static func_desc_t desc;

	/* Any function of the kernel has the right TOC. */
	desc = *(func_desc_t *)_printk;
	desc.addr = (unsigned long)text;
	return &desc;
#else
	return text;
#endif
}

#endif /* _LAB_CALLABLE_H */
