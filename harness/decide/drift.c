/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drift.h"

#include <math.h>
#include <stdlib.h>

#include "numeric.h"
#include "text.h"

static const double pace[] = { 0, 0.003, 0.01, 0.03, 0.1 };
static const double pace_prior[] = { 0.5, 0.125, 0.125, 0.125, 0.125 };
#define PACES (sizeof(pace) / sizeof(*pace))

struct walk {
	size_t n;
	const double *at, *z;
	double *noise;	    /* variance of every reference */
	double *mean, *var; /* filtered, then smoothed */
	double *ahead;	    /* variance predicted for each, from the last */
};

/* Filters; returns the ln likelihood. The first level is unknown. */
static double filter(struct walk *w, double per_second)
{
	double l = 0;
	w->mean[0] = w->z[0];
	w->var[0] = w->noise[0];
	for (size_t i = 1; i < w->n; i++) {
		double dt = fmax(0, w->at[i] - w->at[i - 1]);
		double p = w->var[i - 1] + per_second * dt;
		double s = p + w->noise[i], r = w->z[i] - w->mean[i - 1];
		w->ahead[i] = p;
		w->mean[i] = w->mean[i - 1] + p / s * r;
		w->var[i] = p * w->noise[i] / s;
		l -= 0.5 * (log(s) + r * r / s);
	}
	return l;
}

static void smooth(struct walk *w)
{
	for (size_t i = w->n - 1; i-- > 0;) {
		double gain =
			w->ahead[i + 1] > 0 ? w->var[i] / w->ahead[i + 1] : 1;
		w->mean[i] += gain * (w->mean[i + 1] - w->mean[i]);
	}
}

static void average(struct walk *w, double *level)
{
	double l[PACES];
	for (size_t k = 0; k < PACES; k++)
		l[k] = log(pace_prior[k]) + filter(w, pace[k] * pace[k] / 3600);
	double all = fb_log_sum_exp(l, PACES);
	for (size_t i = 0; i < w->n; i++)
		level[i] = 0;
	for (size_t k = 0; k < PACES; k++) {
		double p = exp(l[k] - all);
		if (p < 1e-4)
			continue;
		filter(w, pace[k] * pace[k] / 3600);
		smooth(w);
		for (size_t i = 0; i < w->n; i++)
			level[i] += p * w->mean[i];
	}
}

static double interpolate(const double *at, const double *level, size_t n,
			  double t)
{
	size_t i = 0;
	while (i < n && at[i] < t)
		i++;
	if (i == 0)
		return level[0];
	if (i == n)
		return level[n - 1];
	double span = at[i] - at[i - 1];
	double share = span > 0 ? (t - at[i - 1]) / span : 1;
	return level[i - 1] + share * (level[i] - level[i - 1]);
}

void fb_drift(const double *at, const double *z, size_t n, double sigma,
	      const double *when, size_t n_when, double *out)
{
	for (size_t k = 0; k < n_when; k++)
		out[k] = 0;
	if (n < 3)
		return;
	double *room = fb_calloc(6 * n, sizeof(*room));
	double *level = room, middle = 0;
	struct walk w = { n,	       at,	     z,
			  room + n,    room + 2 * n, room + 3 * n,
			  room + 4 * n };
	double *sorted = room + 5 * n;
	for (size_t i = 0; i < n; i++)
		sorted[i] = z[i];
	double start = fb_median(sorted, n);
	for (size_t i = 0; i < n; i++)
		level[i] = start;
	/* Outlying references count less: their variance grows. */
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < n; i++) {
			double u = (z[i] - level[i]) / (3 * sigma);
			w.noise[i] =
				sigma * sigma * (u * u > 1 ? u * u * u * u : 1);
		}
		average(&w, level);
	}
	for (size_t i = 0; i < n; i++)
		middle += level[i] / (double)n;
	for (size_t k = 0; k < n_when; k++)
		out[k] = interpolate(at, level, n, when[k]) - middle;
	free(room);
}

double fb_drift_jumps(const double *at, const double *z, size_t n, double apart,
		      double sigma)
{
	double *jump = fb_calloc(n + 1, sizeof(*jump));
	size_t k = 0;
	for (size_t i = 1; i < n; i++)
		if (at[i] - at[i - 1] >= apart)
			jump[k++] = fabs(z[i] - z[i - 1]);
	/* The first median sorts them: the lower half comes first then. */
	double s = 0;
	if (k >= 8) {
		fb_median(jump, k);
		s = fb_median(jump, k / 2) / (0.3186 * sqrt(2));
	}
	free(jump);
	return sqrt(fmax(s * s - sigma * sigma, 0));
}
