/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "choose.h"

#include <math.h>

#include "numeric.h"

#define TAILS 0.85
#define BOOTS_MAX 6
#define LENGTH 8.0
#define LEAST_RATE 0.02

double fb_power_of(const struct fb_power *p, unsigned n)
{
	if (n == 0)
		return 0;
	double var = p->sigma * p->sigma / n + p->tau2 + p->level2;
	return sqrt(TAILS * p->drop * p->drop / var);
}

unsigned fb_power_batch(const struct fb_power *p)
{
	double d = fb_power_of(p, 1);
	double k = round(0.25 / fmax(d * d, 1e-6));
	return (unsigned)fmin(fmax(k, 1), BOOTS_MAX);
}

/* The nearest skip alone decides where the product has lost all meaning. */
static double rate(uint32_t x, const uint32_t *skips, size_t n)
{
	double product = 1, nearest = INFINITY;
	double length = LENGTH * pow(2, ((double)n - 1) / 2);
	for (size_t i = 0; i < n; i++) {
		double dist = fabs((double)x - (double)skips[i]);
		product *= 1 - 0.9 * exp(-dist / length);
		nearest = fmin(nearest, dist);
	}
	return fmax(product, LEAST_RATE * (1 - 0.9 * exp(-nearest / LENGTH)));
}

/* J(p, d(k)) per second for the best number of boots. */
static double best_boots(double p, const double *d, const struct fb_costs *c,
			 unsigned least, unsigned *boots)
{
	double best = 0;
	for (unsigned k = least; k <= BOOTS_MAX || k == least; k++) {
		double v = fb_information(p, d[k < BOOTS_MAX ? k : BOOTS_MAX]) /
			   (c->build + k * c->boot);
		if (v <= best)
			break;
		best = v;
		*boots = k;
	}
	return best;
}

/* What a new commit is worth more than its own bit: two ramps over d(1). */
static double news(double d)
{
	return 1.4 + 0.3 * fmin(fmax((d - 1.1) / 0.4, 0), 1) +
	       fmin(fmax(d - 3, 0), 1);
}

void fb_choose_build(const struct fb_dag *dag, const double *p_bad,
		     const bool *open, const uint32_t *skips, size_t n_skips,
		     const struct fb_power *power, const struct fb_costs *costs,
		     unsigned least, struct fb_choice *out)
{
	double d[BOOTS_MAX + 1];
	for (unsigned k = 0; k <= BOOTS_MAX; k++)
		d[k] = fb_power_of(power, k);
	double worth = news(d[1]);
	*out = (struct fb_choice){ .node = FB_DAG_NONE };
	for (uint32_t x = 0; x < dag->n; x++) {
		unsigned boots = least;
		if (!open[x] || !(p_bad[x] > 0 && p_bad[x] < 1))
			continue;
		double v =
			worth * best_boots(p_bad[x], d, costs, least, &boots);
		if (n_skips && v > out->value)
			v *= rate(x, skips, n_skips);
		if (v > out->value)
			*out = (struct fb_choice){ x, boots, v };
	}
}

double fb_choose_boots(double p_bad, unsigned n, unsigned boots,
		       const struct fb_power *power,
		       const struct fb_costs *costs)
{
	double have = fb_power_of(power, n);
	double then = fb_power_of(power, n + boots);
	double more = sqrt(fmax(0, then * then - have * have));
	return fb_information(p_bad, more) / (boots * costs->boot);
}

size_t fb_choose_batch(const struct fb_dag *dag, const double *p_bad,
		       const bool *open, size_t k, uint32_t *out)
{
	size_t found = 0;
	for (size_t i = 0; i < k; i++) {
		double want = (double)(i + 1) / (double)(k + 1), best = 1;
		uint32_t node = FB_DAG_NONE;
		for (uint32_t x = 0; x < dag->n; x++) {
			bool taken = false;
			for (size_t t = 0; t < found; t++)
				taken |= out[t] == x;
			if (taken || !open[x] ||
			    !(p_bad[x] > 0 && p_bad[x] < 1) ||
			    fabs(p_bad[x] - want) >= best)
				continue;
			best = fabs(p_bad[x] - want);
			node = x;
		}
		if (node != FB_DAG_NONE)
			out[found++] = node;
	}
	return found;
}
