/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers shared by the KUnit suites for faults on arm64 and powerpc: a probed
 * load from a bad address, handled by a fault handler or a fix-up.
 */
#ifndef _LIB_KPROBES_TEST_FAULT_H
#define _LIB_KPROBES_TEST_FAULT_H

#include <linux/ptrace.h>
#if defined(CONFIG_ARM64)
#include <asm/esr.h>
#include "test_arm64.h"
#elif defined(CONFIG_PPC)
#include <asm/interrupt.h>
#include "test_powerpc.h"
#endif

/* Registers of the load. */
#if defined(CONFIG_ARM64)
#define LOADED_FROM(regs)	((regs)->regs[0])
#define LOADED_TO(regs)		((regs)->regs[1])
/* Fault handlers get the syndrome of a data abort in the kernel. */
#define IS_DATA_FAULT(trapnr)	(ESR_ELx_EC((unsigned int)(trapnr)) == \
				 ESR_ELx_EC_DABT_CUR)
#elif defined(CONFIG_PPC)
#define LOADED_FROM(regs)	((regs)->gpr[3])
#define LOADED_TO(regs)		((regs)->gpr[5])
/*
 * Fault handlers get 11 from do_page_fault(), or the vector; a missing segment
 * has its own.
 */
#define IS_DATA_FAULT(trapnr)	((trapnr) == 11 || \
				 (trapnr) == INTERRUPT_DATA_STORAGE || \
				 (trapnr) == INTERRUPT_DATA_SEGMENT)
#endif

/* The suite's call_load() executes its probed load and returns one of these. */
#define AFTER_LOAD	1
#define AFTER_FIXUP	2
extern char *probe_load;
static u64 call_load(unsigned long from, u64 *word);

/**
 * struct fault_seen - a probe and the faults that its fault handler has seen
 * @probe: the probe
 * @pre: calls of the pre handler
 * @faults: calls of the fault handler
 * @ip: address of the last fault
 * @from: address that the load read from
 * @astray: faults that were reported with a wrong number
 * @handle: let the fault handler set the result and skip the load
 */
struct fault_seen {
	struct kprobe probe;
	unsigned int pre;
	unsigned int faults;
	unsigned long ip;
	unsigned long from;
	unsigned int astray;
	bool handle;
};

#define FAULT_SEEN(where) {					\
	.probe.addr = (kprobe_opcode_t *)(where),		\
	.probe.pre_handler = fault_pre,				\
	.probe.fault_handler = fault_handler,			\
}

static int fault_pre(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct fault_seen, probe)->pre++;
	return 0;
}

static int fault_handler(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	struct fault_seen *s = container_of(p, struct fault_seen, probe);

	s->faults++;
	s->ip = instruction_pointer(regs);
	s->from = LOADED_FROM(regs);
	s->astray += !IS_DATA_FAULT(trapnr);
	if (!s->handle)
		return 0;
	LOADED_TO(regs) = 99;
	instruction_pointer_set(regs, s->ip + sizeof(u32));
	return 1;
}

/* Execute the load three times, two of them with a fault. */
static void expect_faults(struct kunit *test, struct fault_seen *s)
{
	unsigned int faults = s->faults;
	unsigned long word = 4711;
	u64 loaded;

	/* The handler declines, and the exception table fixes up the fault. */
	s->handle = false;
	KUNIT_EXPECT_EQ(test, call_load(BAD_PAGE, &loaded), AFTER_FIXUP);
	KUNIT_EXPECT_EQ(test, s->faults, ++faults);
	KUNIT_EXPECT_EQ(test, s->ip, (unsigned long)probe_load);
	KUNIT_EXPECT_EQ(test, s->from, BAD_PAGE);

	/* The handler handles the fault. */
	s->handle = true;
	KUNIT_EXPECT_EQ(test, call_load(BAD_PAGE, &loaded), AFTER_LOAD);
	KUNIT_EXPECT_EQ(test, loaded, 99);
	KUNIT_EXPECT_EQ(test, s->faults, ++faults);

	/* The load does not fault. */
	KUNIT_EXPECT_EQ(test, call_load((unsigned long)&word, &loaded),
			AFTER_LOAD);
	KUNIT_EXPECT_EQ(test, loaded, 4711);
	KUNIT_EXPECT_EQ(test, s->faults, faults);
	KUNIT_EXPECT_EQ(test, s->astray, 0);
}

/* The load runs in a slot, in a detour, and in a slot with a post handler. */
static void test_fault_in_slot_is_handled(struct kunit *test)
{
	struct fault_seen s = FAULT_SEEN(probe_load);
	struct counted q = COUNTED(probe_load,
				   .probe.post_handler = checked_post);

	switch_jumps(false);
	KUNIT_ASSERT_EQ(test, register_kprobe(&s.probe), 0);
	expect_faults(test, &s);
	switch_jumps(true);
	expect_jump(test, &s.probe, true);
	expect_faults(test, &s);
	KUNIT_ASSERT_EQ(test, register_kprobe(&q.probe), 0);
	expect_faults(test, &s);
	unregister_kprobe(&q.probe);
	unregister_kprobe(&s.probe);
	KUNIT_EXPECT_EQ(test, s.pre, 9);
	expect_hits(test, &q, 3, 1);
	KUNIT_EXPECT_EQ(test, s.probe.nmissed, 0);
}

#endif /* _LIB_KPROBES_TEST_FAULT_H */
