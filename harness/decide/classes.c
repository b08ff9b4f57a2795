/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "classes.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "text.h"

#define SIGMA_FLOOR 0.0005
#define OUTLIERS 0.02 /* expected share of samples that lie */
#define OTHER_SHARE 0.3
#define UNIFORM_SHARE 0.6
#define UNIFORM_DENSITY 0.36
#define MEDIAN_EFFICIENCY 1.2533 /* sqrt(pi / 2) */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double fb_median(double *v, size_t n)
{
	assert(n > 0);
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double median_of(struct fb_zs s)
{
	double *copy = fb_calloc(s.n, sizeof(*copy));
	for (size_t i = 0; i < s.n; i++)
		copy[i] = s.z[i];
	double m = fb_median(copy, s.n);
	free(copy);
	return m;
}

/*
 * Deviations from a median of n points are too small by about
 * sqrt((n - 1) / n) on average, and the estimate is itself uncertain: both are
 * met by widening with the degrees of freedom.
 */
static double scatter(const struct fb_zs *all, size_t n_all)
{
	size_t n = 0, used = 0;
	for (size_t i = 0; i < n_all; i++)
		n += all[i].n > 1 ? all[i].n : 0;
	if (n == 0)
		return SIGMA_FLOOR;
	double *dev = fb_calloc(n, sizeof(*dev));
	size_t k = 0;
	for (size_t i = 0; i < n_all; i++) {
		if (all[i].n < 2)
			continue;
		double m = median_of(all[i]);
		for (size_t j = 0; j < all[i].n; j++)
			dev[k++] = fabs(all[i].z[j] - m);
		used++;
	}
	double df = (double)(n - used);
	double s = 1.4826 * fb_median(dev, n) * sqrt((double)n / df) *
		   (1 + 1.5 / df);
	free(dev);
	return fmax(s, SIGMA_FLOOR);
}

void fb_classes_fit(struct fb_classes *c, struct fb_zs good, struct fb_zs bad,
		    const struct fb_zs *all, size_t n_all)
{
	c->mu_good = median_of(good);
	c->mu_bad = median_of(bad);
	c->n_good = good.n;
	c->n_bad = bad.n;
	c->sigma = scatter(all, n_all);
}

double fb_classes_drop(const struct fb_classes *c)
{
	return c->mu_good - c->mu_bad;
}

static double standard_error(const struct fb_classes *c)
{
	return MEDIAN_EFFICIENCY * c->sigma *
	       sqrt(1.0 / (double)c->n_good + 1.0 / (double)c->n_bad);
}

static double quantile(const struct fb_classes *c)
{
	double df = (double)(c->n_good + c->n_bad) - 2;
	return gsl_cdf_tdist_Pinv(0.9975, df > 0 ? df : 1);
}

bool fb_classes_differ(const struct fb_classes *c)
{
	return c->mu_good - c->mu_bad > quantile(c) * standard_error(c);
}

bool fb_classes_may_drop(const struct fb_classes *c, double drop)
{
	double best = c->mu_good - c->mu_bad + quantile(c) * standard_error(c);
	return best >= drop;
}

static double normal(double r, double s)
{
	return exp(-0.5 * (r / s) * (r / s)) / (s * 2.5066282746310002);
}

static double noise(double r, double s)
{
	return 0.92 * normal(r, s) + 0.08 * normal(r, 3 * s);
}

/*
 * Density of one sample when the commit's own mean is off by `offset` and one
 * boot scatters by `sigma`.
 */
static double density(const struct fb_classes *c, double z, bool bad,
		      double offset, double sigma)
{
	double own = bad ? c->mu_bad : c->mu_good;
	double other = bad ? c->mu_good : c->mu_bad;
	double eo = OTHER_SHARE * OUTLIERS, eu = UNIFORM_SHARE * OUTLIERS;
	return (1 - eo - eu) * noise(z - own - offset, sigma) +
	       eo * noise(z - other - offset, 1.3 * sigma) +
	       UNIFORM_DENSITY * eu;
}

/* ln of the likelihood of all samples for one offset and scatter. */
static double log_product(const struct fb_classes *c, struct fb_zs s, bool bad,
			  double offset, double sigma)
{
	double l = 0;
	for (size_t i = 0; i < s.n; i++)
		l += log(density(c, s.z[i], bad, offset, sigma));
	return l;
}

static double log_sum_exp(const double *v, size_t n)
{
	assert(n > 0);
	double top = v[0], sum = 0;
	for (size_t i = 1; i < n; i++)
		top = fmax(top, v[i]);
	for (size_t i = 0; i < n; i++)
		sum += exp(v[i] - top);
	/* The largest term alone is exp(0). */
	return top + log(fmax(sum, 1));
}

/* ln of the likelihood of a commit's samples under one class. */
static double log_likelihood(const struct fb_classes *c, struct fb_zs s,
			     bool bad)
{
	/* Gauss-Hermite, 5 points, for the standard normal. */
	static const double x[] = { -2.8569700138728, -1.3556261799743, 0,
				    1.3556261799743, 2.8569700138728 };
	static const double w[] = { 0.0112574113277, 0.2220759220056,
				    0.5333333333333, 0.2220759220056,
				    0.0112574113277 };
	static const double tau[] = { 0, 0.003, 0.008 };
	static const double prior[] = { 0.45, 0.30, 0.15 };
	double term[16];
	size_t k = 0;
	for (size_t t = 0; t < 3; t++)
		for (size_t q = 0; q < 5; q++)
			term[k++] =
				log(prior[t] * w[q]) +
				log_product(c, s, bad, tau[t] * x[q], c->sigma);
	double wide = hypot(c->sigma, (c->mu_good - c->mu_bad) / 8);
	term[k++] = log(0.10) + log_product(c, s, bad, 0, wide);
	return log_sum_exp(term, k);
}

double fb_classes_llr(const struct fb_classes *c, struct fb_zs s)
{
	if (s.n == 0)
		return 0;
	return log_likelihood(c, s, true) - log_likelihood(c, s, false);
}
