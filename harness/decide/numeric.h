/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small numerical tools of the decision engine. Logarithms are natural,
 * information is in nats.
 */
#ifndef FB_NUMERIC_H
#define FB_NUMERIC_H

#include <stddef.h>

/* The median; sorts v; n > 0. */
double fb_median(double *v, size_t n);

/* ln sum exp(v[i]), without overflow; n > 0. All -inf gives -inf. */
double fb_log_sum_exp(const double *v, size_t n);

/*
 * Gauss-Hermite quadrature for the standard normal: the mean of g(X) is about
 * the sum of weight[i] g(x[i]). Abramowitz and Stegun, table 25.10, with
 * x scaled by sqrt(2) and the weights by 1/sqrt(pi).
 */
#define FB_HERMITE 5
extern const double fb_hermite_x[FB_HERMITE];
extern const double fb_hermite_weight[FB_HERMITE];

/*
 * J(p, d): the mutual information in nats between a bit that is 1 with
 * probability p and one observation of N(0, 1) or N(d, 1), depending on it.
 * Symmetric in p and 1 - p; rises in |d| from 0 to the bit's entropy. From a
 * table of J over the entropy, linear in the log odds of p and in d; the error
 * is below 0.003 of the entropy.
 */
double fb_information(double p, double d);

/* Entropy of a bit, in nats. */
double fb_entropy(double p);

#endif
