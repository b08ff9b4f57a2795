/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The posterior: which commit is the culprit, given the samples of the end
 * points and of every tested commit.
 *
 * x is bad iff the culprit is x or an ancestor of x. For the candidates of one
 * cell (cells.h)
 *   ln P(cell) = ln prior + ln sum over tau, sigma of P(tau)
 *     [sum over mu_g of product over good commits of L(mu_g, sigma, tau)]
 *     [sum over mu_b of product over bad commits of L(mu_b, sigma, tau)],
 * the grid being recentred as samples come: levels by EM over all samples,
 * each weighted by the probability of its commit's class.
 */
#ifndef FB_BELIEF_H
#define FB_BELIEF_H

#include "cells.h"
#include "classes.h"
#include "model.h"

struct fb_test {
	uint32_t node;	/* of the graph */
	struct fb_zs s; /* at least one sample */
};

/* All borrowed. The end points are not among the tests. */
struct fb_question {
	const struct fb_dag *dag;
	const double *prior; /* dag->n entries, any scale, one positive */
	const struct fb_classes *classes;
	struct fb_zs good, bad;
	const struct fb_test *tests;
	size_t n_tests;
};

struct fb_belief {
	struct fb_cells cells;
	double *p;	  /* of every commit; sums to 1 */
	double *cell;	  /* P of every cell */
	double *test_bad; /* P(bad) of every test */
	double mu_good, mu_bad, sigma;
	double n_good, n_bad; /* effective samples behind the levels */
	double tau2;	      /* posterior mean of tau^2 */
	/*
	 * How many nats the best cell loses against every test being free to
	 * choose its class: near 0 when one change explains all, large when
	 * tests contradict each other.
	 */
	double misfit;
};

void fb_belief_init(struct fb_belief *b, const struct fb_question *q);
void fb_belief_release(struct fb_belief *b);

/*
 * ln P(samples | bad) - ln P(samples | good) of a commit outside the graph,
 * with what the end points alone say about the classes.
 */
double fb_belief_outsider(const struct fb_question *q, struct fb_zs s);

#endif
