/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of kprobes on arm64 share. */
#ifndef __ARM64_KERNEL_PROBES_KPROBES_COMMON_H
#define __ARM64_KERNEL_PROBES_KPROBES_COMMON_H

#include <linux/kprobes_hit.h>
#include <asm/text-patching.h>
#include "decode-insn.h"

/* kprobes-slot.c */
u32 a64_kprobe_original_insn(const void *addr);

/* kprobes-emit.c */

/**
 * struct a64_kprobe_text - a slot or a detour under construction
 * @word: its contents
 * @nr: number of words so far
 * @at: its address
 * @literal: values to place after the words, each with the index of its load
 * @nr_literals: number of literals
 * @call: the call of the core, during which registers are on the stack
 * @bad: a branch does not reach, or there is no room
 */
struct a64_kprobe_text {
	__le32 word[KPROBE_DETOUR_SIZE / sizeof(u32)];
	unsigned int nr;
	unsigned long at;
	struct {
		unsigned int word;
		u64 value;
	} literal[2];
	unsigned int nr_literals;
	struct a64_kprobe_call call;
	bool bad;
};

/* Index of the first executed word in text that calls the core. */
#define A64_ENTRY	2

bool a64_kprobe_in_reach(unsigned long from, unsigned long to);
void a64_kprobe_emit(struct a64_kprobe_text *text, u32 insn);
void a64_kprobe_emit_data(struct a64_kprobe_text *text, u64 value);
void a64_kprobe_emit_branch(struct a64_kprobe_text *text, unsigned long target);
void a64_kprobe_emit_gap(struct a64_kprobe_text *text, u32 insn);
void a64_kprobe_emit_copy(struct a64_kprobe_text *text,
			  const struct kprobe_site *site, unsigned long next);
void a64_kprobe_emit_call(struct a64_kprobe_text *text, void (*thunk)(void));
bool a64_kprobe_finish(struct a64_kprobe_text *text, void *slot,
		       unsigned int size);

/* kprobes-compute.c */
bool a64_kprobe_emit_compute(struct a64_kprobe_text *text, u32 insn);

/* kprobes-thunk.S */
void kprobe_post_thunk(void);
void kprobe_jump_thunk(void);

/*
 * Code of a thunk or of the trampoline that runs without a frame record: its
 * first byte and the first byte after its end, as offsets from
 * kprobe_post_thunk.
 */
struct a64_kprobe_recordless {
	s32 begin;
	s32 end;
};

extern const struct a64_kprobe_recordless kprobe_recordless[];
extern const struct a64_kprobe_recordless kprobe_recordless_end[];
extern char kprobe_divert_brk[];

/* kprobes-trap.c */
int kprobe_hit_post(struct kprobe_site *site, struct pt_regs *regs);
void a64_kprobe_divert(struct pt_regs *regs);

/* kprobes-patch.c */
void a64_kprobe_sync_cpus(void);

/* kprobes-stop.c */
void a64_kprobe_stop_add(void *addr, u32 new);
void a64_kprobe_stop_flush(void);

/* kprobes-detour.c */
int a64_kprobe_hit_jump(struct kprobe_site *site, struct pt_regs *regs);
u32 a64_kprobe_jump(const struct kprobe_site *site);

#endif /* __ARM64_KERNEL_PROBES_KPROBES_COMMON_H */
