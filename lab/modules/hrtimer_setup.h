/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LAB_HRTIMER_SETUP_H
#define _LAB_HRTIMER_SETUP_H

#include <linux/hrtimer.h>

static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}

#endif /* _LAB_HRTIMER_SETUP_H */
