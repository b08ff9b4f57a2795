/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "belief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numeric.h"
#include "text.h"

#define ROUNDS 2
#define OUTER (FB_TAUS * FB_SIGMAS)

/* ln likelihood of every commit under both classes, over the grid. */
struct tables {
	double good_end[FB_GRID_POINTS], bad_end[FB_GRID_POINTS];
	double (*good)[FB_GRID_POINTS], (*bad)[FB_GRID_POINTS]; /* n_tests */
};

static void tables_fill(struct tables *t, const struct fb_grid *g,
			const struct fb_question *q)
{
	fb_grid_likelihood(g, q->good, false, t->good_end);
	fb_grid_likelihood(g, q->bad, true, t->bad_end);
	for (size_t j = 0; j < q->n_tests; j++) {
		fb_grid_likelihood(g, q->tests[j].s, false, t->good[j]);
		fb_grid_likelihood(g, q->tests[j].s, true, t->bad[j]);
	}
}

static void tables_init(struct tables *t, size_t n)
{
	t->good = fb_calloc(n + 1, sizeof(*t->good));
	t->bad = fb_calloc(n + 1, sizeof(*t->bad));
}

static void tables_release(struct tables *t)
{
	free(t->good);
	free(t->bad);
}

static void add(double *sum, const double *table)
{
	for (int i = 0; i < FB_GRID_POINTS; i++)
		sum[i] += table[i];
}

/*
 * ln of the sums over levels, tau and sigma; outer, when given, gets the
 * weight of every tau and sigma.
 */
static double marginal(const double *good, const double *bad, double *outer)
{
	double term[OUTER];
	for (int o = 0; o < OUTER; o++)
		term[o] = log(fb_tau_prior[o / FB_SIGMAS]) +
			  fb_log_sum_exp(good + o * FB_MUS, FB_MUS) +
			  fb_log_sum_exp(bad + o * FB_MUS, FB_MUS);
	double all = fb_log_sum_exp(term, OUTER);
	for (int o = 0; outer && o < OUTER; o++)
		outer[o] = exp(term[o] - all);
	return all;
}

static double cell_log(const struct tables *t, const uint8_t *row, size_t n,
		       double *outer)
{
	double good[FB_GRID_POINTS], bad[FB_GRID_POINTS];
	memcpy(good, t->good_end, sizeof(good));
	memcpy(bad, t->bad_end, sizeof(bad));
	for (size_t j = 0; j < n; j++) {
		if (row[j])
			add(bad, t->bad[j]);
		else
			add(good, t->good[j]);
	}
	return marginal(good, bad, outer);
}

/* P of the cells, commits and tests. Returns the best cell. */
static uint32_t weigh(struct fb_belief *b, const struct fb_question *q,
		      const struct tables *t)
{
	uint32_t n = b->cells.n, best = 0;
	double *mass = fb_calloc(n, sizeof(*mass));
	double *l = fb_calloc(n, sizeof(*l));
	for (uint32_t x = 0; x < q->dag->n; x++)
		mass[b->cells.of[x]] += q->prior[x];
	for (uint32_t c = 0; c < n; c++) {
		l[c] = -INFINITY;
		if (mass[c] > 0)
			l[c] = log(mass[c]) +
			       cell_log(t, fb_cells_row(&b->cells, c),
					q->n_tests, NULL);
		if (l[c] > l[best])
			best = c;
	}
	double all = fb_log_sum_exp(l, n);
	memset(b->test_bad, 0, q->n_tests * sizeof(*b->test_bad));
	for (uint32_t c = 0; c < n; c++) {
		b->cell[c] = exp(l[c] - all);
		const uint8_t *row = fb_cells_row(&b->cells, c);
		for (size_t j = 0; j < q->n_tests; j++)
			b->test_bad[j] += row[j] ? b->cell[c] : 0;
	}
	for (uint32_t x = 0; x < q->dag->n; x++) {
		uint32_t c = b->cells.of[x];
		b->p[x] = mass[c] > 0 ? b->cell[c] * q->prior[x] / mass[c] : 0;
	}
	free(l);
	free(mass);
	return best;
}

/* All samples, with the probability of being of a class. */
struct pool {
	double *z, *good, *bad;
	size_t n;
};

static void pool_add(struct pool *p, struct fb_zs s, double bad)
{
	for (size_t i = 0; i < s.n; i++) {
		p->z[p->n] = s.z[i];
		p->bad[p->n] = bad;
		p->good[p->n++] = 1 - bad;
	}
}

static void pool_init(struct pool *p, const struct fb_question *q,
		      const double *test_bad)
{
	size_t n = q->good.n + q->bad.n;
	for (size_t j = 0; j < q->n_tests; j++)
		n += q->tests[j].s.n;
	*p = (struct pool){ 0 };
	p->z = fb_calloc(3 * n, sizeof(double));
	p->good = p->z + n;
	p->bad = p->good + n;
	pool_add(p, q->good, 0);
	pool_add(p, q->bad, 1);
	for (size_t j = 0; test_bad && j < q->n_tests; j++)
		pool_add(p, q->tests[j].s, test_bad[j]);
}

/* Recentres the grid; without test_bad only the end points count. */
static void recentre(struct fb_belief *b, const struct fb_question *q,
		     struct fb_grid *g, const double *test_bad)
{
	const struct fb_classes *c = q->classes;
	struct pool p;
	pool_init(&p, q, test_bad);
	b->sigma = c->sigma;
	b->mu_good =
		fb_location(p.z, p.good, p.n, c->sigma, c->mu_good, &b->n_good);
	b->mu_bad =
		fb_location(p.z, p.bad, p.n, c->sigma, c->mu_bad, &b->n_bad);
	double n = c->n_good + c->n_bad;
	g->hump = c->hump;
	fb_grid_set(g, b->mu_good, b->mu_bad, c->sigma, b->n_good, b->n_bad,
		    c->df, c->outliers * n, n);
	free(p.z);
}

/* What the samples of one commit say under the best of all levels. */
static double free_choice(const struct tables *t, size_t j)
{
	double good = -INFINITY, bad = -INFINITY;
	for (int i = 0; i < FB_GRID_POINTS; i++) {
		good = fmax(good, t->good[j][i]);
		bad = fmax(bad, t->bad[j][i]);
	}
	return bad - good;
}

static void study_best(struct fb_belief *b, const struct fb_question *q,
		       const struct tables *t, uint32_t best)
{
	double outer[OUTER];
	const uint8_t *row = fb_cells_row(&b->cells, best);
	cell_log(t, row, q->n_tests, outer);
	b->tau2 = b->misfit = 0;
	double ln_sigma = 0;
	for (int o = 0; o < OUTER; o++) {
		double tau = fb_tau[o / FB_SIGMAS];
		int step = o % FB_SIGMAS - FB_SIGMAS / 2;
		b->tau2 += outer[o] * tau * tau;
		ln_sigma +=
			outer[o] * step * 0.8 / sqrt(fmax(q->classes->df, 2));
	}
	b->sigma = q->classes->sigma * exp(ln_sigma);
	for (size_t j = 0; j < q->n_tests; j++) {
		double bad = free_choice(t, j);
		b->misfit += fmax(0, row[j] ? -bad : bad);
	}
}

void fb_belief_init(struct fb_belief *b, const struct fb_question *q)
{
	struct fb_grid g;
	struct tables t;
	uint32_t *nodes = fb_calloc(q->n_tests + 1, sizeof(*nodes));
	for (size_t j = 0; j < q->n_tests; j++)
		nodes[j] = q->tests[j].node;
	*b = (struct fb_belief){ 0 };
	fb_cells_init(&b->cells, q->dag, nodes, q->n_tests);
	free(nodes);
	b->p = fb_calloc(q->dag->n, sizeof(*b->p));
	b->cell = fb_calloc(b->cells.n, sizeof(*b->cell));
	b->test_bad = fb_calloc(q->n_tests + 1, sizeof(*b->test_bad));
	tables_init(&t, q->n_tests);
	uint32_t best = 0;
	for (int round = 0; round < ROUNDS; round++) {
		recentre(b, q, &g, round ? b->test_bad : NULL);
		tables_fill(&t, &g, q);
		best = weigh(b, q, &t);
	}
	study_best(b, q, &t, best);
	tables_release(&t);
}

void fb_belief_release(struct fb_belief *b)
{
	fb_cells_release(&b->cells);
	free(b->p);
	free(b->cell);
	free(b->test_bad);
	*b = (struct fb_belief){ 0 };
}

double fb_belief_outsider(const struct fb_question *q, struct fb_zs s)
{
	struct fb_grid g;
	struct fb_belief b;
	struct tables t;
	const struct fb_test test = { 0, s };
	struct fb_question ends = *q;
	uint8_t good = 0, bad = 1;
	ends.tests = &test;
	ends.n_tests = 1;
	tables_init(&t, 1);
	recentre(&b, &ends, &g, NULL);
	tables_fill(&t, &g, &ends);
	double l = cell_log(&t, &bad, 1, NULL) - cell_log(&t, &good, 1, NULL);
	tables_release(&t);
	return l;
}
