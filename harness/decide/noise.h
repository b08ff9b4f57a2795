/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The noise of one boot, on the scale of z: the natural logarithm of the
 * metric, negated when lower is better, so that bad is always lower.
 *
 * f(r; s) = 0.92 N(0, s) + 0.08 N(0, 3 s). With two humps (a share w of the
 * boots lies h away) it is (1 - w) f(r; s) + w f(r - h; s).
 */
#ifndef FB_NOISE_H
#define FB_NOISE_H

#include <stddef.h>

/* Least scatter of one boot: 0.05 %, whatever the samples say. */
#define FB_SIGMA_FLOOR 0.0005

/* The samples of one commit; the array is borrowed. */
struct fb_zs {
	const double *z;
	size_t n;
};

#define FB_NOISE_FAR 16
#define FB_NOISE_PER_SIGMA 64

/* f(u; 1) for u >= 0, by linear interpolation in a table; 0 from 16 on. */
double fb_noise(double u);

/* The table, for loops in which the call costs more than the rest. */
const double *fb_noise_table(void);

static inline double fb_noise_in(const double *table, double u)
{
	if (!(u < FB_NOISE_FAR))
		return 0;
	double at = u * FB_NOISE_PER_SIGMA;
	int i = (int)at;
	return table[i] + (at - i) * (table[i + 1] - table[i]);
}

/* A second hump; share 0 means that there is none. */
struct fb_hump {
	double share, at;
};

/*
 * The centre of samples under f by EM, from `start`: each counts with its
 * precision under f mixed with 2 % of anything, times weight[i] (NULL: 1).
 * *n_eff gets the sum of the weights, the number of normal samples that would
 * tell as much. Without samples near the start it is the start and 0.
 */
double fb_location(const double *z, const double *weight, size_t n,
		   double sigma, double start, double *n_eff);

/* The centre of the larger hump; n > 0. */
double fb_hump_centre(const double *z, size_t n, double sigma,
		      struct fb_hump h);

/*
 * Scatter within commits of two or more samples, consistent for normal noise,
 * at least the floor: root mean square of the deviations from each commit's
 * robust centre, those past 2.5 of it counted as 2.5 (Huber's proposal 2) and
 * those past 6 left out; at most 1 + 3 / sqrt(df) times what the median
 * absolute deviation says, so that a third of bad samples do no harm. *df gets
 * the degrees of freedom, 0 when no commit has two samples.
 */
double fb_scatter(const struct fb_zs *commits, size_t n, double *df);

/*
 * Two normal humps against one in residuals (samples minus the centre of their
 * commit), by EM; taken when the BIC favours it by 6, of at least 10 samples.
 * *sigma gets the scatter within a hump. Returns share 0 otherwise.
 */
struct fb_hump fb_find_hump(const double *residual, size_t n, double *sigma);

#endif
