/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What "good" and "bad" look like: the sample model.
 *
 * z is the natural logarithm of the metric, negated when lower is better, so
 * that bad is always lower. Noise is f(r; s) = 0.92 N(0, s) + 0.08 N(0, 3s).
 * A sample of a good commit is (1 - eg - eu) f(z - mu_g; s) +
 * eg f(z - mu_b; 1.3 s) + 0.36 eu: it may look like the other class once in a
 * while, or like nothing at all. This caps what one sample can prove near
 * four nats. A commit's own mean is its class's plus tau x, x ~ N(0, 1), since
 * code layout alone moves figures; tau is 0, 0.003 or 0.008 with prior 0.45,
 * 0.30, 0.15; x is integrated by Gauss-Hermite quadrature. Other commits of the
 * range move the figure too, if less than the culprit: with prior 0.10 a
 * sample scatters by sqrt(s^2 + ((mu_g - mu_b) / 8)^2), so that what lies near
 * one class and far from the other is told apart.
 */
#ifndef FB_CLASSES_H
#define FB_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

struct fb_classes {
	double mu_good, mu_bad; /* medians of the end points' z */
	double sigma;		/* scatter of one boot, in z */
	size_t n_good, n_bad;
};

/* The samples of one commit. */
struct fb_zs {
	const double *z;
	size_t n;
};

/*
 * Fits centres from the end points and sigma from the scatter within every
 * commit of `all` that has two or more samples (median absolute deviation,
 * times 1.4826, widened for few degrees of freedom, at least 0.0005).
 */
void fb_classes_fit(struct fb_classes *c, struct fb_zs good, struct fb_zs bad,
		    const struct fb_zs *all, size_t n_all);

/* mu_good - mu_bad: positive when bad is worse. */
double fb_classes_drop(const struct fb_classes *c);

/*
 * Is bad lower than good? One-sided Student test at .9975 on the medians
 * (standard error 1.2533 sigma / sqrt(n)).
 */
bool fb_classes_differ(const struct fb_classes *c);

/*
 * Could a drop as large as `drop` (in z) still be there? False when even the
 * far end of the interval stays below it.
 */
bool fb_classes_may_drop(const struct fb_classes *c, double drop);

/* ln P(samples | bad) - ln P(samples | good) of one commit. */
double fb_classes_llr(const struct fb_classes *c, struct fb_zs s);

double fb_median(double *v, size_t n); /* sorts v; n > 0 */

#endif
