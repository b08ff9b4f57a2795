/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "classes.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "numeric.h"
#include "text.h"

#define OUTLYING 4 /* sigmas */
#define TELLING 3  /* boots of a commit that may show a second hump */

static double centre(struct fb_zs s, double sigma)
{
	double n_eff;
	double *copy = fb_calloc(s.n, sizeof(*copy));
	for (size_t i = 0; i < s.n; i++)
		copy[i] = s.z[i];
	double m = fb_median(copy, s.n);
	free(copy);
	return fb_location(s.z, NULL, s.n, sigma, m, &n_eff);
}

static size_t residuals(struct fb_zs s, double mu, double *out)
{
	for (size_t i = 0; i < s.n; i++)
		out[i] = s.z[i] - mu;
	return s.n;
}

/* Other commits, booted often enough to show where their main hump is. */
static size_t add_commits(const struct fb_zs *commits, size_t n_commits,
			  const double *ends[2], double sigma, double *out)
{
	const struct fb_hump none = { 0, 0 };
	size_t n = 0;
	for (size_t i = 0; i < n_commits; i++) {
		struct fb_zs s = commits[i];
		if (s.n < TELLING || s.z == ends[0] || s.z == ends[1])
			continue;
		double mu = fb_hump_centre(s.z, s.n, sigma, none);
		n += residuals(s, mu, out + n);
	}
	return n;
}

static void study_residuals(struct fb_classes *c, struct fb_zs good,
			    struct fb_zs bad, const struct fb_zs *commits,
			    size_t n_commits)
{
	size_t n = good.n + bad.n, far = 0, room = n;
	const double *ends[] = { good.z, bad.z };
	for (size_t i = 0; i < n_commits; i++)
		room += commits[i].n;
	double *r = fb_calloc(room, sizeof(*r));
	residuals(good, c->mu_good, r);
	residuals(bad, c->mu_bad, r + good.n);
	for (size_t i = 0; i < n; i++)
		far += fabs(r[i]) > OUTLYING * c->sigma;
	c->outliers = (double)far / (double)n;
	n += add_commits(commits, n_commits, ends, c->sigma, r + n);
	double s = c->sigma;
	c->hump = fb_find_hump(r, n, &s);
	/* The centres were those of both humps at once: once more with better. */
	for (int round = 0; round < 2 && c->hump.share > 0; round++) {
		c->mu_good = fb_hump_centre(good.z, good.n, s, c->hump);
		c->mu_bad = fb_hump_centre(bad.z, bad.n, s, c->hump);
		c->sigma = s;
		residuals(good, c->mu_good, r);
		residuals(bad, c->mu_bad, r + good.n);
		struct fb_hump h = fb_find_hump(r, n, &s);
		c->hump = h.share > 0 ? h : c->hump;
	}
	free(r);
}

void fb_classes_fit(struct fb_classes *c, struct fb_zs good, struct fb_zs bad,
		    const struct fb_zs *commits, size_t n_commits)
{
	assert(good.n > 0 && bad.n > 0);
	c->sigma = fb_scatter(commits, n_commits, &c->df);
	c->mu_good = centre(good, c->sigma);
	c->mu_bad = centre(bad, c->sigma);
	c->n_good = (double)good.n;
	c->n_bad = (double)bad.n;
	study_residuals(c, good, bad, commits, n_commits);
}

double fb_classes_drop(const struct fb_classes *c)
{
	return c->mu_good - c->mu_bad;
}

/* Half of the .995 interval of the drop. */
static double margin(const struct fb_classes *c)
{
	double df = fmax(c->df, 1);
	double wider = 1.03 * (1 + 22 / (df * df));
	double se = wider * c->sigma * sqrt(1 / c->n_good + 1 / c->n_bad);
	return gsl_cdf_tdist_Pinv(0.9975, df) * se;
}

bool fb_classes_differ(const struct fb_classes *c)
{
	return fb_classes_drop(c) > margin(c);
}

bool fb_classes_may_drop(const struct fb_classes *c, double drop)
{
	return fb_classes_drop(c) + margin(c) >= drop;
}
