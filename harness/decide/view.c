/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From samples to posteriors: drift, end points, one view or three. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drift.h"
#include "engine_private.h"
#include "numeric.h"
#include "reach.h"
#include "text.h"

#define SPLIT_ODDS 99
#define SPLIT_SAMPLES 4
/* Above so many node visits only the first-parent chain is looked at. */
#define REACH_VISITS 8e6

bool engine_untestable(const struct fb_engine *e, uint32_t node)
{
	const struct node *x = &e->nodes[engine_booted(e, node)];
	return x->final || (x->failures >= e->p.failures && x->failures > x->n);
}

static void view_release(struct view *v)
{
	fb_belief_release(&v->belief);
	free(v->usable);
	free(v->prior);
	free(v->tests);
	free(v->p_bad);
	*v = (struct view){ 0 };
}

void engine_forget(struct fb_engine *e)
{
	for (size_t i = 0; i < e->n_views; i++)
		view_release(&e->view[i]);
	e->n_views = 0;
	e->split = FB_DAG_NONE;
	e->changes = (struct fb_changes){ 0 };
	e->fresh = false;
}

/* Samples of all nodes without the drift that the good end point shows. */
static void remove_drift(struct fb_engine *e)
{
	const struct node *g = &e->nodes[good_end(e)];
	struct fb_zs ends[] = { zs(e, good_end(e)), zs(e, bad_end(e)) };
	double df, sigma = 0;
	for (uint32_t i = 0; i < e->n_nodes; i++)
		for (size_t k = 0; k < e->nodes[i].n; k++)
			e->nodes[i].calm[k] = e->nodes[i].z[k];
	if (!e->p.references)
		return;
	sigma = fb_scatter(ends, 2, &df);
	for (uint32_t i = 0; i < e->n_nodes; i++) {
		struct node *x = &e->nodes[i];
		if (x->n == 0)
			continue;
		double *drift = fb_calloc(x->n, sizeof(*drift));
		fb_drift(g->at, g->z, g->n, sigma, x->at, x->n, drift);
		for (size_t k = 0; k < x->n; k++)
			x->calm[k] = x->z[k] - drift[k];
		free(drift);
	}
}

/* Scatter is learned from all commits that were booted more than once. */
static void fit_classes(const struct fb_engine *e, struct view *v)
{
	struct fb_zs *all = fb_calloc(e->n_nodes, sizeof(*all));
	size_t n = 0;
	for (uint32_t i = 0; i < e->n_nodes; i++)
		if (e->nodes[i].n > 1)
			all[n++] = zs(e, i);
	fb_classes_fit(&v->classes, zs(e, v->good), zs(e, v->bad), all, n);
	free(all);
}

static void find_best(const struct fb_engine *e, struct view *v)
{
	v->best = 0;
	for (uint32_t x = 1; x < e->dag->n; x++)
		if (v->belief.p[x] > v->belief.p[v->best])
			v->best = x;
}

/* `usable` and `prior` are given; the view takes them over. */
static void view_init(struct fb_engine *e, struct view *v, uint32_t good,
		      uint32_t bad, bool *usable, double *prior)
{
	size_t cap = 0;
	*v = (struct view){
		.good = good, .bad = bad, .usable = usable, .prior = prior
	};
	for (uint32_t x = 0; x < e->dag->n; x++) {
		if (!usable[x] || e->nodes[x].n == 0 || x == bad || x == good)
			continue;
		FB_GROW(v->tests, v->n_tests, cap);
		v->tests[v->n_tests++] = (struct fb_test){ x, zs(e, x) };
	}
	fit_classes(e, v);
	v->question = (struct fb_question){
		e->dag,	    v->prior, &v->classes, zs(e, good),
		zs(e, bad), v->tests, v->n_tests,
	};
	fb_belief_init(&v->belief, &v->question);
	find_best(e, v);
}

static void mark_descendants(const struct fb_dag *dag, uint32_t x, bool *mark)
{
	mark[x] = true;
	for (uint32_t y = x + 1; y < dag->n; y++)
		for (uint32_t k = dag->at[y]; k < dag->at[y + 1]; k++)
			mark[y] |= mark[dag->parent[k]];
}

/* Below and above the split: whoever has the one history, or the other. */
static void make_halves(struct fb_engine *e)
{
	uint32_t n = e->dag->n;
	bool *below = fb_calloc(n, sizeof(*below));
	bool *above = fb_calloc(n, sizeof(*above));
	double *prior = fb_calloc(n, sizeof(*prior));
	double *rest = fb_calloc(n, sizeof(*rest));
	fb_dag_mark_ancestors(e->dag, e->split, below);
	mark_descendants(e->dag, e->split, above);
	for (uint32_t x = 0; x < n; x++)
		*(below[x] ? &prior[x] : &rest[x]) = e->prior[x];
	view_init(e, &e->view[1], good_end(e), e->split, below, prior);
	view_init(e, &e->view[2], e->split, bad_end(e), above, rest);
	e->n_views = 3;
}

static bool has_mass(const struct fb_engine *e, uint32_t split)
{
	bool *below = fb_calloc(e->dag->n, sizeof(*below));
	double inside = 0, outside = 0;
	fb_dag_mark_ancestors(e->dag, split, below);
	for (uint32_t x = 0; x < e->dag->n; x++)
		*(below[x] ? &inside : &outside) += e->prior[x];
	free(below);
	return inside > 0 && outside > 0;
}

static void consider_split(struct fb_engine *e)
{
	struct view *v = &e->view[0];
	fb_changes(&v->question, &v->belief, &e->changes);
	size_t m = e->changes.middle;
	if (e->changes.odds <= SPLIT_ODDS || m >= v->n_tests ||
	    v->tests[m].s.n < SPLIT_SAMPLES)
		return;
	/* Views point into the engine: the node is what stays. */
	uint32_t split = v->tests[m].node;
	if (!has_mass(e, split))
		return;
	e->split = split;
	make_halves(e);
}

void engine_refresh(struct fb_engine *e)
{
	if (e->fresh)
		return;
	e->fresh = true;
	if (!e->nodes[good_end(e)].n || !e->nodes[bad_end(e)].n)
		return;
	uint32_t n = e->dag->n;
	remove_drift(e);
	bool *usable = fb_malloc(n * sizeof(*usable));
	double *prior = fb_malloc(n * sizeof(*prior));
	memset(usable, true, n * sizeof(*usable));
	memcpy(prior, e->prior, n * sizeof(*prior));
	view_init(e, &e->view[0], good_end(e), bad_end(e), usable, prior);
	e->n_views = 1;
	consider_split(e);
}

const double *view_p_bad(const struct fb_engine *e, struct view *v)
{
	if (v->p_bad)
		return v->p_bad;
	v->p_bad = fb_calloc(e->dag->n, sizeof(*v->p_bad));
	if (fb_reach_cost(e->dag, v->belief.p) > REACH_VISITS)
		fb_reach_chain(e->dag, v->belief.p, v->p_bad);
	else
		fb_reach(e->dag, v->belief.p, v->p_bad);
	return v->p_bad;
}

static int falling(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

uint32_t view_credible(const struct fb_engine *e, const struct view *v)
{
	/* As long as nothing is tested, everything is a candidate. */
	if (v->n_tests == 0)
		return e->dag->n;
	/* Commits of a cell are equal but for the prior: sort the few. */
	double *p = fb_calloc(e->dag->n, sizeof(*p)), mass = 0;
	size_t n = 0;
	uint32_t k = 0;
	double least = (1 - e->p.confidence) / e->dag->n / 4;
	for (uint32_t x = 0; x < e->dag->n; x++)
		if (v->belief.p[x] > least)
			p[n++] = v->belief.p[x];
	qsort(p, n, sizeof(*p), falling);
	while (k < n && mass < e->p.confidence)
		mass += p[k++];
	free(p);
	return k;
}

double view_entropy(const struct fb_engine *e, const struct view *v)
{
	double bits = 0;
	for (uint32_t x = 0; x < e->dag->n; x++)
		if (v->belief.p[x] > 0)
			bits -= v->belief.p[x] * log2(v->belief.p[x]);
	return bits;
}

unsigned view_least(const struct fb_engine *e, const struct view *v)
{
	unsigned humps = v->classes.hump.share > 0 ? 3 : 1;
	return e->p.min > humps ? e->p.min : humps;
}

struct fb_power view_power(const struct view *v)
{
	const struct fb_belief *b = &v->belief;
	double s2 = b->sigma * b->sigma;
	return (struct fb_power){
		/* Between two changes there may be a recovery. */
		.drop = fmax(fabs(b->mu_good - b->mu_bad), 0.2 * b->sigma),
		.sigma = b->sigma,
		.tau2 = b->tau2,
		.level2 = s2 / 4 *
			  (1 / fmax(b->n_good, 1) + 1 / fmax(b->n_bad, 1)),
	};
}
