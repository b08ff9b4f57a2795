/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

const double fb_hermite_x[FB_HERMITE] = { -2.8569700138728056,
					  -1.3556261799742659, 0,
					  1.3556261799742659,
					  2.8569700138728056 };
const double fb_hermite_weight[FB_HERMITE] = {
	0.011257411327720689, 0.22207592200561263, 0.53333333333333333,
	0.22207592200561263, 0.011257411327720689
};

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

double fb_log_sum_exp(const double *v, size_t n)
{
	assert(n > 0);
	double top = v[0], sum = 0;
	for (size_t i = 1; i < n; i++)
		top = fmax(top, v[i]);
	if (top == -INFINITY)
		return top;
	for (size_t i = 0; i < n; i++)
		sum += exp(v[i] - top);
	return top + log(sum);
}

double fb_entropy(double p)
{
	if (p <= 0 || p >= 1)
		return 0;
	return -p * log(p) - (1 - p) * log1p(-p);
}

/* The table: log odds 0..-ODDS_MAX, d from 0 to D_MAX. */
#define ODDS_STEP 0.5
#define ODDS_POINTS 33
#define D_STEP 0.125
#define D_POINTS 81

static double table[ODDS_POINTS][D_POINTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* By the trapezoid rule, which is exact to rounding for such integrands. */
static double integrate(double p, double d)
{
	const double step = 0.1, far = 9;
	double sum = 0;
	for (double x = -far; x <= d + far; x += step) {
		double good = exp(-0.5 * x * x);
		double bad = exp(-0.5 * (x - d) * (x - d));
		double mix = p * bad + (1 - p) * good;
		if (good > 0)
			sum += (1 - p) * good * log(good / mix);
		if (bad > 0)
			sum += p * bad * log(bad / mix);
	}
	return sum * step / 2.5066282746310002;
}

static void fill(void)
{
	for (int i = 0; i < ODDS_POINTS; i++) {
		double p = 1 / (1 + exp(i * ODDS_STEP));
		for (int k = 0; k < D_POINTS; k++)
			table[i][k] = integrate(p, k * D_STEP) / fb_entropy(p);
	}
}

double fb_information(double p, double d)
{
	if (!(p > 0 && p < 1))
		return 0;
	pthread_once(&once, fill);
	if (p > 0.5)
		p = 1 - p;
	double u = fmin(log((1 - p) / p) / ODDS_STEP, ODDS_POINTS - 1.001);
	double v = fmin(fabs(d) / D_STEP, D_POINTS - 1.001);
	int i = (int)u, k = (int)v;
	u -= i;
	v -= k;
	double low = (1 - v) * table[i][k] + v * table[i][k + 1];
	double high = (1 - v) * table[i + 1][k] + v * table[i + 1][k + 1];
	return fb_entropy(p) * ((1 - u) * low + u * high);
}
