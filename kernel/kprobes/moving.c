// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits of entries that move from behind the call of ftrace to that call.
 *
 * Such a hit passes both places.  ftrace's callback handles it if there is room
 * for a note of it; the relay handles hits without a note.  The steps of a move
 * are in relay.c.
 *
 * A note is a stack pointer: until the hit has passed both places, no other hit
 * has the same one.  A task may continue on another CPU in between, so all CPUs
 * share the notes.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include "internal.h"

#define NOTES_BITS	6
static unsigned long notes[1 << NOTES_BITS];

/**
 * kprobe_note_hit - note a hit that ftrace's callback handles
 * @regs: of this hit
 *
 * Context: a hit.
 * Return: whether there was room.
 */
bool kprobe_note_hit(struct pt_regs *regs)
{
	unsigned long sp = kernel_stack_pointer(regs), old = 0;

	/* A note with this stack pointer is of a hit that is over. */
	return try_cmpxchg(&notes[hash_long(sp, NOTES_BITS)], &old, sp) ||
	       old == sp;
}
NOKPROBE_SYMBOL(kprobe_note_hit);

/**
 * kprobe_hit_noted - has ftrace's callback handled a hit?
 * @entry: what was hit
 * @regs: of this hit, behind the call
 *
 * Context: a hit; once for each.
 */
bool kprobe_hit_noted(struct kprobe_site *entry, struct pt_regs *regs)
{
	unsigned long sp = kernel_stack_pointer(regs);

	return READ_ONCE(entry->ftrace_ops) &&
	       try_cmpxchg(&notes[hash_long(sp, NOTES_BITS)], &sp, 0);
}
NOKPROBE_SYMBOL(kprobe_hit_noted);

/**
 * kprobe_forget_notes - of hits that did not come behind the call then
 *
 * Context: kprobe_mutex held.
 */
void kprobe_forget_notes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(notes); i++)
		WRITE_ONCE(notes[i], 0);
}
