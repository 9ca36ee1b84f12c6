// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits of entries that move from behind the call of ftrace to that call.
 *
 * Such a hit passes both places, and both know what to do with it.  ftrace's
 * callback notes each hit that it has had; behind the call a hit that is noted
 * is left alone.  The steps of a move are in relay.c.
 *
 * A task may continue on another CPU in between, so all CPUs share the notes.
 * Where two hits share a place, the older one is forgotten.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include "internal.h"

#define NOTES_BITS	6
static unsigned long notes[1 << NOTES_BITS];

/**
 * kprobe_note_hit - ftrace's callback has had a hit
 * @entry: what was hit
 * @regs: of this hit
 *
 * Context: a hit.
 */
void kprobe_note_hit(struct kprobe_site *entry, struct pt_regs *regs)
{
	unsigned long note = kprobe_hit_note(entry, regs);

	WRITE_ONCE(notes[hash_long(note, NOTES_BITS)], note);
}
NOKPROBE_SYMBOL(kprobe_note_hit);

/**
 * kprobe_hit_noted - has ftrace's callback had a hit?
 * @entry: what was hit
 * @regs: of this hit, behind the call
 *
 * Context: a hit; once for each.
 */
bool kprobe_hit_noted(struct kprobe_site *entry, struct pt_regs *regs)
{
	unsigned long note;

	if (!READ_ONCE(entry->ftrace_ops))
		return false;
	note = kprobe_hit_note(entry, regs);
	return try_cmpxchg(&notes[hash_long(note, NOTES_BITS)], &note, 0);
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
