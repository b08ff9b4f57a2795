/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that slowly gets faster or slower, seen through boots of one
 * kernel (the reference) repeated during the bisection.
 *
 * The level is a random walk, the reference samples are it plus the noise of a
 * boot; Kalman filter and Rauch-Tung-Striebel smoother. The pace (standard
 * deviation after an hour: 0, .003, .01, .03 or .1) is averaged over with
 * prior .5 for none at all. Between reference boots the level is interpolated,
 * after the last one it is held.
 */
#ifndef FB_DRIFT_H
#define FB_DRIFT_H

#include <stddef.h>

/*
 * References: z[i] at second at[i], in order of time. out[k] gets the drift
 * at second when[k] relative to the mean over the references, to be
 * subtracted; all 0 with fewer than 3 references.
 */
void fb_drift(const double *at, const double *z, size_t n, double sigma,
	      const double *when, size_t n_when, double *out);

/*
 * How much the level moves between neighbouring references at least `apart`
 * seconds from each other, as a standard deviation beyond the noise of a boot:
 * the lower quartile of the differences over .3186 sqrt 2 (of a normal
 * distribution's absolute values), less sigma. One outlier spoils two
 * differences: the quartile bears that. 0 with fewer than 8 of them.
 */
double fb_drift_jumps(const double *at, const double *z, size_t n, double apart,
		      double sigma);

#endif
