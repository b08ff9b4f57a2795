/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics of verdict.h. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "metric.h"
#include "numeric.h"
#include "verdict.h"

#define ALPHA .035
#define POWER .90
/* Outliers: from this many figures an arm on, at most 1 in 5, so far out. */
#define OUTLIER_FROM 6
#define OUTLIER_SHARE 5
#define OUTLIER_SIGMAS 7.0
#define MAD_TO_SIGMA 1.4826
/* An arm's own median takes a part of the deviations: n / (n - 0.8). */
#define MAD_BIAS .8
/* Confidence of the noise that boots are planned for. */
#define NOISE_LIMIT .80
#define PILOT 3

/* The logarithms of one arm that count. */
struct sample {
	double *v;
	size_t n;
	double median;
};

static void take(struct sample *s, const double *values, size_t n)
{
	s->v = fb_calloc(n + 1, sizeof(*s->v));
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->v[i] = log(values[i]);
	if (n)
		s->median = fb_median(s->v, n); /* and sorted from here */
}

/* Median distance of all figures from their arm's median, as a sigma. */
static double robust_sigma(const struct sample *a, const struct sample *b)
{
	double *d = fb_calloc(a->n + b->n, sizeof(*d));
	for (size_t i = 0; i < a->n; i++)
		d[i] = fabs(a->v[i] - a->median);
	for (size_t i = 0; i < b->n; i++)
		d[a->n + i] = fabs(b->v[i] - b->median);
	double n = (double)(a->n < b->n ? a->n : b->n);
	double sigma =
		MAD_TO_SIGMA * n / (n - MAD_BIAS) * fb_median(d, a->n + b->n);
	free(d);
	return sigma;
}

/* Cuts the ends of the sorted values; how many went. */
static size_t cut_outliers(struct sample *s, double sigma)
{
	size_t may = s->n / OUTLIER_SHARE, cut = 0;
	double far = OUTLIER_SIGMAS * sigma;
	while (cut < may) {
		double low = s->median - s->v[0],
		       high = s->v[s->n - 1] - s->median;
		if (fmax(low, high) <= far)
			break;
		if (low > high)
			for (size_t i = 1; i < s->n; i++)
				s->v[i - 1] = s->v[i];
		s->n--;
		cut++;
	}
	return cut;
}

static double mean_of(const struct sample *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++)
		sum += s->v[i];
	return sum / (double)s->n;
}

static double squares(const struct sample *s, double mean)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++)
		sum += (s->v[i] - mean) * (s->v[i] - mean);
	return sum;
}

/* Rounding leaves equal figures with a spread of this size, relatively. */
#define NO_SPREAD 1e-12

static void interval(struct fb_comparison *row, const struct sample *a,
		     const struct sample *b)
{
	double ma = mean_of(a), mb = mean_of(b), d = mb - ma;
	double half = 0, n_a = (double)a->n, n_b = (double)b->n;
	row->mean_a = exp(ma);
	row->mean_b = exp(mb);
	row->ratio = exp(d);
	row->single = a->n < 2 || b->n < 2;
	row->p = row->q = 1;
	if (!row->single) {
		double df = n_a + n_b - 2;
		double sd = sqrt((squares(a, ma) + squares(b, mb)) / df);
		double se = sd * sqrt(1 / n_a + 1 / n_b);
		row->sd = sd > NO_SPREAD ? sd : 0;
		half = row->sd > 0 ? gsl_cdf_tdist_Pinv(.975, df) * se : 0;
		row->p = row->sd > 0 ? 2 * gsl_cdf_tdist_Q(fabs(d) / se, df) :
				       fabs(d) <= NO_SPREAD;
	}
	row->low = exp(d - half);
	row->high = exp(d + half);
}

/* With an arm empty the ratio stays NAN; with one all zero it is 0 or INFINITY. */
static void measure(struct fb_comparison *row)
{
	size_t all_a = row->n_a + row->zero_a, all_b = row->n_b + row->zero_b;
	struct sample a = { 0 }, b = { 0 };
	row->ratio = row->low = row->high = NAN;
	row->p = row->q = 1;
	row->sd = 0;
	row->set_aside = 0;
	row->single = all_a < 2 || all_b < 2;
	take(&a, row->a, row->n_a);
	take(&b, row->b, row->n_b);
	row->mean_a = a.n ? exp(mean_of(&a)) : 0;
	row->mean_b = b.n ? exp(mean_of(&b)) : 0;
	if (a.n >= OUTLIER_FROM && b.n >= OUTLIER_FROM) {
		double sigma = robust_sigma(&a, &b);
		if (sigma > NO_SPREAD)
			row->set_aside = cut_outliers(&a, sigma) +
					 cut_outliers(&b, sigma);
	}
	if (a.n && b.n) {
		interval(row, &a, &b);
	} else if (all_a && all_b) {
		row->ratio = a.n ? 0 : b.n ? INFINITY : 1;
		row->low = row->high = row->ratio;
		row->p = row->q = row->ratio == 1 || row->single;
	}
	free(a.v);
	free(b.v);
}

enum family { HEADLINES, COUNTERS, ASKED };

static enum family family_of(const struct fb_verdict *v,
			     const struct fb_comparison *row)
{
	if (fb_streq(row->metric, v->metric))
		return ASKED;
	return fb_metric_is_headline(row->metric) ? HEADLINES : COUNTERS;
}

static int by_p_falling(const void *a, const void *b)
{
	double x = (*(struct fb_comparison *const *)a)->p,
	       y = (*(struct fb_comparison *const *)b)->p;
	return (x < y) - (x > y);
}

/* Benjamini and Hochberg's step-up, as adjusted p-values, over one family. */
static void control(struct fb_verdict *v, enum family family)
{
	struct fb_comparison **rows = fb_calloc(v->n + 1, sizeof(*rows));
	size_t m = 0;
	double least = 1;
	for (size_t i = 0; i < v->n; i++)
		if (!isnan(v->rows[i].ratio) && !v->rows[i].single &&
		    family_of(v, &v->rows[i]) == family)
			rows[m++] = &v->rows[i];
	qsort(rows, m, sizeof(*rows), by_p_falling);
	for (size_t i = 0; i < m; i++) {
		double rank = (double)(m - i);
		least = fmin(least, rows[i]->p * (double)m / rank);
		rows[i]->q = least;
	}
	free(rows);
}

static bool lower_is_better(const struct fb_verdict *v,
			    const struct fb_comparison *row)
{
	return fb_streq(row->metric, v->metric) ?
		       v->lower_is_better :
		       fb_metric_better(row->metric) == FB_BETTER_LOWER;
}

static enum fb_change classify(const struct fb_verdict *v,
			       const struct fb_comparison *row, double margin)
{
	double t = v->threshold, alpha = v->alpha > 0 ? v->alpha : ALPHA;
	bool known = row->single || row->q <= alpha;
	/* With one figure an arm there is only the estimate. */
	double least = row->single ? t : margin;
	bool down = known && row->ratio <= 1 - least && row->low <= 1 - t &&
		    row->high < 1,
	     up = known && row->ratio >= 1 + least && row->high >= 1 + t &&
		  row->low > 1;
	bool zeros = row->n_a && row->n_b && (row->zero_a || row->zero_b);
	if (isnan(row->ratio) || zeros)
		return FB_CHANGE_UNCLEAR;
	if (down || up)
		return down != lower_is_better(v, row) ? FB_CHANGE_SLOWER :
							 FB_CHANGE_FASTER;
	if (row->low > 1 - margin && row->high < 1 + margin)
		return FB_CHANGE_SAME;
	return FB_CHANGE_UNCLEAR;
}

/* Boots an arm that see `effect` (of logarithms) through noise `sd`. */
static double boots_for(double sd, double effect, double power)
{
	/* The normal's quantiles begin; Student's depend on n: a few rounds
	 * settle it. */
	double z = gsl_cdf_ugaussian_Pinv(.975) + gsl_cdf_ugaussian_Pinv(power);
	double n = fmax(2, 2 * pow(sd * z / effect, 2));
	for (int i = 0; i < 20; i++) {
		double df = 2 * n - 2;
		double t = gsl_cdf_tdist_Pinv(.975, df) +
			   gsl_cdf_tdist_Pinv(power, df);
		double next = fmax(2, 2 * pow(sd * t / effect, 2));
		if (fabs(next - n) < .01)
			break;
		n = (n + next) / 2;
	}
	return fmin(ceil(n), FB_VERDICT_BOOTS_MAX);
}

/*
 * First what a change worth seeing needs; once there were as many, and it was
 * not seen, what equivalence needs.
 */
static unsigned more_boots(const struct fb_verdict *v,
			   const struct fb_comparison *row, double margin)
{
	double n_a = (double)row->n_a, n_b = (double)row->n_b;
	double have = fmin(n_a, n_b), need = PILOT;
	if (row->sd > 0) {
		double df = n_a + n_b - 2, d = fabs(log(row->ratio));
		double sd = row->sd *
			    sqrt(df / gsl_cdf_chisq_Pinv(1 - NOISE_LIMIT, df));
		double se = row->sd * sqrt(1 / n_a + 1 / n_b);
		double bound = -log(1 - margin);
		need = boots_for(sd, fmax(-log(1 - v->threshold), d - se),
				 POWER);
		/* A change that was planned for and just missed needs some
		 * more. One that is not there needs both of the two tests to
		 * succeed: half of what may fail each. */
		if (need <= have && d >= bound)
			need = ceil(1.5 * have);
		else if (need <= have)
			need = boots_for(sd, fmax(bound - d, bound / 2),
					 (1 + POWER) / 2);
	}
	if (need >= FB_VERDICT_BOOTS_MAX)
		return FB_VERDICT_BOOTS_MAX;
	/* One that is due but does not decide is one too few. */
	return (unsigned)fmax(need - have, 1);
}

/* Shown to be more than nothing, and less than what counts. */
static bool in_between(const struct fb_verdict *v,
		       const struct fb_comparison *row, double margin)
{
	return !row->single && row->sd >= 0 &&
	       ((row->low > 1 - v->threshold && row->high < 1 - margin) ||
		(row->low > 1 + margin && row->high < 1 + v->threshold));
}

void fb_verdict_compare(struct fb_verdict *v, double threshold)
{
	double margin = v->margin > 0 ? v->margin : threshold / 2;
	v->threshold = threshold;
	for (size_t i = 0; i < v->n; i++)
		measure(&v->rows[i]);
	for (int f = HEADLINES; f <= ASKED; f++)
		control(v, (enum family)f);
	for (size_t i = 0; i < v->n; i++) {
		struct fb_comparison *row = &v->rows[i];
		row->change = classify(v, row, margin);
		row->between = row->change == FB_CHANGE_UNCLEAR &&
			       !isnan(row->ratio) && in_between(v, row, margin);
		row->more = row->change == FB_CHANGE_UNCLEAR && !row->between ?
				    more_boots(v, row, margin) :
				    0;
	}
}
