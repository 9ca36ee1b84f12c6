/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included by all models.  DROP is the number of the step to leave out, from
 * the list at the head of each model; 0 leaves out none.
 */
#ifndef DROP
#define DROP		0
#endif

#define when(condition, statement)	\
	if :: condition -> statement :: else fi
