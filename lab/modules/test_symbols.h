/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that a kernel with the suites exports for tests.
 */
#ifndef _LAB_TEST_SYMBOLS_H
#define _LAB_TEST_SYMBOLS_H

#include <linux/kprobes_test.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
#else
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
#endif

#endif /* _LAB_TEST_SYMBOLS_H */
