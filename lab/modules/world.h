/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kprobe_world: probes at all instructions of the kernel, slice by slice.
 *
 * world_text.c finds the instructions and keeps their original text,
 * world_probes.c has the probes of a slice and their counts, and world_main.c
 * runs slices and reports the results.
 */
#ifndef _LAB_WORLD_H
#define _LAB_WORLD_H

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kprobes_reasons.h>
#include <linux/seq_file.h>

struct seq_buf;

/* Report an error in the slice. */
void world_fault(const char *fmt, ...) __printf(1, 2);

/*
 * Text
 */

/* An instruction of the kernel or of a module. */
struct world_insn {
	unsigned long addr;
	const u8 *code;		/* a copy of it from before there were probes */
	unsigned int len;	/* in bytes; filler may be longer */
	unsigned int nth;	/* instructions before it in its symbol */
};

typedef void (*world_fn)(const struct world_insn *insn, void *data);

int world_text_init(void);
void world_text_exit(void);
unsigned int world_nr_instructions(void);
unsigned int world_nr_entries(void);
void world_walk(bool (*wanted)(unsigned long symbol), world_fn fn, void *data);
void world_walk_entries(world_fn fn, void *data);
void world_text_compare(void);
ssize_t world_text_read(char __user *buf, size_t len, loff_t *pos);
ssize_t world_text_is(const char __user *buf, size_t len, loff_t *pos);

/*
 * Probes
 */

/* Which instructions a slice probes. */
enum world_mode {
	WORLD_ENTRIES,	/* all functions */
	WORLD_DENSE,	/* each instruction: hardly any room for jumps */
	WORLD_SPARSE,	/* some, and now and then the next one, too */
	WORLD_MODES
};

/* Parts of names: each instruction of these functions is probed. */
#define WORLD_NAMES	24
extern char *world_names[WORLD_NAMES];
extern unsigned int world_nr_names;

extern unsigned long world_progress;

int world_probes_init(void);
void world_probes_exit(void);
int world_probes_start(enum world_mode mode, unsigned int turn, u64 seed,
		       unsigned int size, bool still);
void world_probes_stop(void);
unsigned int world_nr_parts(unsigned int each);
unsigned int world_probes_left_out(void);
void world_probes_toggle(u64 random);
void world_probes_tell(struct seq_buf *words);
void world_probes_counts(struct seq_file *m);
void world_refusals(struct seq_file *m);

/*
 * Instructions that a handler can emulate: it sets the registers and skips the
 * instruction.  All others must be executed.
 */
enum world_skip {
	WORLD_SKIP_NO,
	WORLD_SKIP_NOP,
	WORLD_SKIP_JUMP,
	WORLD_SKIP_BRANCH,	/* conditional */
	WORLD_SKIP_MOVE,	/* of a register to another */
	WORLD_SKIPS
};

enum world_skip world_can_skip(const u8 *code, unsigned int len);
void world_skip(enum world_skip how, unsigned long addr, const u8 *code,
		unsigned int len, struct pt_regs *regs);

#endif /* _LAB_WORLD_H */
