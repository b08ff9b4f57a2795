/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do the two end points differ? Centres, scatter and the test that begins a
 * bisection. All on the scale of z (noise.h); a drop is mu_good - mu_bad.
 */
#ifndef FB_CLASSES_H
#define FB_CLASSES_H

#include <stdbool.h>

#include "noise.h"

struct fb_classes {
	double mu_good, mu_bad; /* robust centres of the end points */
	double sigma;		/* scatter of one boot within commits */
	double n_good, n_bad;	/* samples behind the centres */
	double df;		/* degrees of freedom of sigma */
	double outliers;	/* share of samples past 4 sigma */
	struct fb_hump hump;	/* of the noise */
};

/*
 * Fits the end points; both need a sample. sigma comes from all of `commits`
 * (which include the end points) that have two or more samples, the hump from
 * the end points and all that have three or more.
 */
void fb_classes_fit(struct fb_classes *c, struct fb_zs good, struct fb_zs bad,
		    const struct fb_zs *commits, size_t n_commits);

/* mu_good - mu_bad: positive when bad is worse. */
double fb_classes_drop(const struct fb_classes *c);

/*
 * Is bad lower than good? One-sided Student test at .9975; sigma is widened by
 * 1.03 (1 + 22 / df^2), what robust centres and a robust scatter of few samples
 * need to keep the level (simulated, with 2 % outliers, from 14 degrees on).
 */
bool fb_classes_differ(const struct fb_classes *c);

/*
 * Could a drop as large as `drop` (in z) still be there? False when even the
 * far end of the interval stays below it.
 */
bool fb_classes_may_drop(const struct fb_classes *c, double drop);

#endif
