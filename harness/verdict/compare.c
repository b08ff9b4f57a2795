/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "metric.h"
#include "verdict.h"

const struct fb_comparison *fb_verdict_find(const struct fb_verdict *v,
					    const char *metric)
{
	for (size_t i = 0; i < v->n; i++)
		if (fb_streq(v->rows[i].metric, metric))
			return &v->rows[i];
	return NULL;
}

void fb_verdict_add(struct fb_verdict *v, const char *metric, char arm,
		    double value)
{
	if (!isfinite(value) || value <= 0)
		return;
	struct fb_comparison *row =
		(struct fb_comparison *)fb_verdict_find(v, metric);
	if (!row) {
		FB_GROW(v->rows, v->n, v->cap);
		row = &v->rows[v->n++];
		*row = (struct fb_comparison){ .metric = fb_strdup(metric) };
	}
	if (arm == 'a') {
		FB_GROW(row->a, row->n_a, row->cap_a);
		row->a[row->n_a++] = value;
	} else {
		FB_GROW(row->b, row->n_b, row->cap_b);
		row->b[row->n_b++] = value;
	}
}

/* Mean of the logarithms, and the sum of squared deviations from it. */
static void log_moments(const double *v, size_t n, double *mean, double *sq)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += log(v[i]);
	*mean = sum / (double)n;
	*sq = 0;
	for (size_t i = 0; i < n; i++)
		*sq += (log(v[i]) - *mean) * (log(v[i]) - *mean);
}

/* Half the width of Student's 95 % interval, from the pooled variance. */
static double half_width(size_t n_a, double sq_a, size_t n_b, double sq_b)
{
	if (n_a < 2 || n_b < 2)
		return 0;
	double df = (double)(n_a + n_b) - 2;
	double var = (sq_a + sq_b) / df;
	return gsl_cdf_tdist_Pinv(.975, df) *
	       sqrt(var * (1 / (double)n_a + 1 / (double)n_b));
}

static enum fb_change classify(const struct fb_verdict *v,
			       const struct fb_comparison *row,
			       double threshold)
{
	bool lower = fb_streq(row->metric, v->metric) ?
			     v->lower_is_better :
			     fb_metric_better(row->metric) == FB_BETTER_LOWER;
	bool down = row->ratio <= 1 - threshold && row->high < 1;
	bool up = row->ratio >= 1 + threshold && row->low > 1;
	double margin = threshold / 2;
	if (down || up)
		return down != lower ? FB_CHANGE_SLOWER : FB_CHANGE_FASTER;
	if (row->low > 1 - margin && row->high < 1 + margin)
		return FB_CHANGE_SAME;
	return FB_CHANGE_UNCLEAR;
}

void fb_verdict_compare(struct fb_verdict *v, double threshold)
{
	for (size_t i = 0; i < v->n; i++) {
		struct fb_comparison *row = &v->rows[i];
		double ma, mb, sa, sb;
		if (!row->n_a || !row->n_b) {
			row->change = FB_CHANGE_UNCLEAR;
			continue;
		}
		log_moments(row->a, row->n_a, &ma, &sa);
		log_moments(row->b, row->n_b, &mb, &sb);
		double half = half_width(row->n_a, sa, row->n_b, sb);
		row->mean_a = exp(ma);
		row->mean_b = exp(mb);
		row->ratio = exp(mb - ma);
		row->low = exp(mb - ma - half);
		row->high = exp(mb - ma + half);
		row->change = classify(v, row, threshold);
	}
}

const char *fb_change_name(enum fb_change change)
{
	static const char *const names[] = { "same", "slower", "faster",
					     "unclear" };
	return names[change];
}

void fb_verdict_release(struct fb_verdict *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->rows[i].metric);
		free(v->rows[i].a);
		free(v->rows[i].b);
	}
	free(v->rows);
	fb_strv_release(&v->sentences);
	*v = (struct fb_verdict){ 0 };
}
