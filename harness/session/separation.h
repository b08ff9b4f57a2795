/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far the two end points are apart in one metric. */
#ifndef FB_SEPARATION_H
#define FB_SEPARATION_H

#include <stdbool.h>

#include "verdict.h"

struct fb_separation {
	double change;	/* ln(bad / good), of means on log scale */
	double scatter; /* pooled standard deviation of ln, at least .05 % */
	bool apart;	/* no value of one arm reaches the other's */
};

/* Both arms need a value. */
struct fb_separation fb_separation(const struct fb_comparison *row);

#endif
