/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples say about a commit being good or bad, for every point of a grid
 * over what is not known exactly: the level mu of the class, the scatter sigma
 * of one boot, and the scatter tau of commits of one class.
 *
 * One sample of a good commit has the density
 *   (1 - eg - eu) f(z - mu_g; s) + eg f(z - mu_b; 1.3 s) + 0.36 eu:
 * it may look like the other class once in a while, or like nothing at all,
 * which caps what one sample can prove near four nats. Bad ones mirrored.
 *
 * A commit's own level is its class's plus tau x, x ~ N(0, 1), since code
 * layout alone moves figures; x is integrated by Gauss-Hermite quadrature.
 * Other commits of a range move the figure too, if less than the culprit: with
 * prior 0.1 a commit's samples scatter by sqrt(s^2 + (drop / 8)^2), so that
 * what lies near one class and far from the other is told apart.
 */
#ifndef FB_MODEL_H
#define FB_MODEL_H

#include <stdbool.h>

#include "noise.h"

#define FB_TAUS 3
#define FB_SIGMAS 7
#define FB_MUS 9
/* Entry ((tau * FB_SIGMAS) + sigma) * FB_MUS + mu of a table. */
#define FB_GRID_POINTS (FB_TAUS * FB_SIGMAS * FB_MUS)

extern const double fb_tau[FB_TAUS], fb_tau_prior[FB_TAUS];

struct fb_grid {
	double good[FB_MUS], bad[FB_MUS]; /* levels, the centre in the middle */
	double sigma[FB_SIGMAS];	  /* logarithmic steps */
	double swap_good, swap_bad;	  /* eg, eb: looks like the other */
	double anything;		  /* eu */
	struct fb_hump hump;
};

/*
 * A grid about these centres, from n_good and n_bad effective samples and df
 * degrees of freedom of sigma: levels 0.8 standard errors apart (times
 * 1 + 3 / df), sigma in steps of 0.8 / sqrt(df) in ln sigma. `outliers` of
 * `samples` at the end points set the e: (1 + outliers) / (50 + samples),
 * .01 to .2, of which .6 are eu, .6 eg and .3 eb.
 */
void fb_grid_set(struct fb_grid *g, double mu_good, double mu_bad, double sigma,
		 double n_good, double n_bad, double df, double outliers,
		 double samples);

/* ln of the samples' likelihood under one class, at every grid point. */
void fb_grid_likelihood(const struct fb_grid *g, struct fb_zs s, bool bad,
			double out[FB_GRID_POINTS]);

#endif
