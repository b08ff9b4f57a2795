/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One change or two? The best good/mid/bad segmentation against one change.
 *
 * Every test is its robust mean, with variance sigma^2 / n + tau^2, around one
 * of three levels: good and bad are those of the end points, the middle one is
 * unknown, uniform from a whole drop below bad to a whole drop above good, so
 * that a partial recovery is seen, too. With probability .03 it is anywhere.
 * Both hypotheses are averaged over the candidates' prior; two changes have a
 * prior of .1.
 */
#ifndef FB_CHANGES_H
#define FB_CHANGES_H

#include "belief.h"

struct fb_changes {
	double odds;  /* two changes against one */
	double level; /* of the middle, in z */
	/* The test, as its index, that lies in the middle with most samples;
	 * n_tests when there is none. */
	size_t middle;
	double p_middle; /* given two changes */
};

void fb_changes(const struct fb_question *q, const struct fb_belief *b,
		struct fb_changes *out);

#endif
