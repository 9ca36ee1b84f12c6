/*
 * What all models include.  DROP is the number of the step that is left out:
 * see the list at the head of each; 0 leaves out none.
 */
#ifndef DROP
#define DROP		0
#endif

#define when(condition, statement)	\
	if :: condition -> statement :: else fi
