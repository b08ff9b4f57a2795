/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changes.h"

#include <math.h>
#include <stdlib.h>

#include "numeric.h"
#include "text.h"

#define LEVELS 41
#define PRIOR_TWO 0.1
#define ANYWHERE 0.03
#define LAYOUT2 1.27e-5 /* prior mean of tau^2 */

/* ln likelihood of a test at the good, the bad and each middle level. */
struct row {
	double good, bad, middle[LEVELS];
};

static double log_density(double m, double level, double var, double drop)
{
	double r = m - level;
	double p = exp(-0.5 * r * r / var) / sqrt(6.283185307179586 * var);
	return log((1 - ANYWHERE) * p + ANYWHERE / (3 * drop));
}

static double level_at(const struct fb_classes *c, double drop, int i)
{
	return c->mu_bad - drop + 3 * drop * i / (LEVELS - 1);
}

static void row_fill(struct row *r, const struct fb_classes *c, struct fb_zs s,
		     double drop)
{
	double *copy = fb_calloc(s.n, sizeof(*copy)), n_eff;
	for (size_t i = 0; i < s.n; i++)
		copy[i] = s.z[i];
	double m = fb_median(copy, s.n);
	free(copy);
	m = fb_location(s.z, NULL, s.n, c->sigma, m, &n_eff);
	double var = c->sigma * c->sigma / fmax(n_eff, 0.5) + LAYOUT2;
	r->good = log_density(m, c->mu_good,
			      var + c->sigma * c->sigma / c->n_good, drop);
	r->bad = log_density(m, c->mu_bad, var + c->sigma * c->sigma / c->n_bad,
			     drop);
	for (int i = 0; i < LEVELS; i++)
		r->middle[i] = log_density(m, level_at(c, drop, i), var, drop);
}

/* All tests that contain the younger cell contain the older one, too. */
static bool ordered(const uint8_t *old, const uint8_t *young, size_t n)
{
	bool middle = false;
	for (size_t j = 0; j < n; j++) {
		if (young[j] && !old[j])
			return false;
		middle |= old[j] && !young[j];
	}
	return middle;
}

/* ln likelihood with changes in these two cells; adds up who is between. */
static double two(const struct row *rows, const uint8_t *old,
		  const uint8_t *young, size_t n, int *best_level)
{
	double fixed = 0, l[LEVELS] = { 0 };
	for (size_t j = 0; j < n; j++) {
		if (young[j])
			fixed += rows[j].bad;
		else if (!old[j])
			fixed += rows[j].good;
		else
			for (int i = 0; i < LEVELS; i++)
				l[i] += rows[j].middle[i];
	}
	*best_level = 0;
	for (int i = 1; i < LEVELS; i++)
		if (l[i] > l[*best_level])
			*best_level = i;
	return fixed + fb_log_sum_exp(l, LEVELS) - log(LEVELS);
}

static double one(const struct row *rows, const uint8_t *row, size_t n)
{
	double l = 0;
	for (size_t j = 0; j < n; j++)
		l += row[j] ? rows[j].bad : rows[j].good;
	return l;
}

/* P(test j is between the changes), unscaled, and the sum of all pairs. */
static double sum_pairs(const struct fb_question *q, const struct fb_cells *c,
			const struct row *rows, const double *mass,
			double scale, double *between, double *level)
{
	double sum = 0, top = 0;
	for (uint32_t a = 0; a < c->n; a++) {
		const uint8_t *old = fb_cells_row(c, a);
		for (uint32_t b = 0; mass[a] > 0 && b < c->n; b++) {
			const uint8_t *young = fb_cells_row(c, b);
			int best;
			if (a == b || mass[b] <= 0 ||
			    !ordered(old, young, q->n_tests))
				continue;
			double w =
				2 * mass[a] * mass[b] *
				exp(two(rows, old, young, q->n_tests, &best) -
				    scale);
			sum += w;
			for (size_t j = 0; j < q->n_tests; j++)
				between[j] += old[j] && !young[j] ? w : 0;
			if (w > top) {
				top = w;
				*level = best;
			}
		}
	}
	return sum;
}

static void pick_middle(const struct fb_question *q, const double *between,
			double sum, struct fb_changes *out)
{
	double best = 0;
	for (size_t j = 0; j < q->n_tests; j++) {
		double p = sum > 0 ? between[j] / sum : 0;
		double score = p * sqrt((double)q->tests[j].s.n);
		if (p < 0.5 || score <= best)
			continue;
		best = score;
		out->middle = j;
		out->p_middle = p;
	}
}

void fb_changes(const struct fb_question *q, const struct fb_belief *b,
		struct fb_changes *out)
{
	const struct fb_classes *k = q->classes;
	const struct fb_cells *c = &b->cells;
	double drop = fb_classes_drop(k);
	*out = (struct fb_changes){ .middle = q->n_tests };
	if (q->n_tests == 0 || !(drop > 0))
		return;
	struct row *rows = fb_calloc(q->n_tests, sizeof(*rows));
	double *mass = fb_calloc(c->n, sizeof(*mass)), total = 0;
	double *between = fb_calloc(q->n_tests, sizeof(*between));
	for (size_t j = 0; j < q->n_tests; j++)
		row_fill(&rows[j], k, q->tests[j].s, drop);
	for (uint32_t x = 0; x < q->dag->n; x++) {
		mass[c->of[x]] += q->prior[x];
		total += q->prior[x];
	}
	double scale = -INFINITY, single = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		mass[i] /= total;
		if (mass[i] > 0)
			scale = fmax(scale,
				     one(rows, fb_cells_row(c, i), q->n_tests));
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (mass[i] > 0)
			single += mass[i] * exp(one(rows, fb_cells_row(c, i),
						    q->n_tests) -
						scale);
	double at = 0;
	double pairs = sum_pairs(q, c, rows, mass, scale, between, &at);
	out->odds = PRIOR_TWO / (1 - PRIOR_TWO) * pairs / single;
	out->level = level_at(k, drop, (int)at);
	pick_middle(q, between, pairs, out);
	free(between);
	free(mass);
	free(rows);
}
