/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drift.h"
#include "engine_private.h"
#include "numeric.h"
#include "text.h"

#define BUILD_SECONDS 120
#define BOOT_SECONDS 15
#define ENDPOINT_MAX 200
#define SURE 0.95 /* of a mark */

struct fb_engine *fb_engine_new(const struct fb_dag *dag,
				const struct fb_engine_params *params)
{
	assert(dag->n > 0);
	struct fb_engine *e = fb_calloc(1, sizeof(*e));
	e->dag = dag;
	e->p = *params;
	if (!e->p.endpoint_max)
		e->p.endpoint_max = ENDPOINT_MAX;
	if (!(e->p.build_seconds > 0))
		e->p.build_seconds = BUILD_SECONDS;
	if (!(e->p.boot_seconds > 0))
		e->p.boot_seconds = BOOT_SECONDS;
	e->n_nodes = dag->n + 1 + params->n_bases + params->n_others;
	e->nodes = fb_calloc(e->n_nodes, sizeof(*e->nodes));
	e->last = e->split = FB_DAG_NONE;
	for (uint32_t i = 0; i < e->n_nodes; i++)
		e->nodes[i].kernel = i;
	e->weight = fb_calloc(dag->n, sizeof(*e->weight));
	e->ruled_out = fb_calloc(dag->n, sizeof(*e->ruled_out));
	e->prior = fb_calloc(dag->n, sizeof(*e->prior));
	fb_engine_prior(e, NULL);
	return e;
}

void fb_engine_free(struct fb_engine *e)
{
	if (!e)
		return;
	engine_forget(e);
	for (uint32_t i = 0; i < e->n_nodes; i++) {
		free(e->nodes[i].z);
		free(e->nodes[i].at);
		free(e->nodes[i].calm);
	}
	free(e->nodes);
	free(e->weight);
	free(e->ruled_out);
	free(e->prior);
	free(e);
}

void fb_engine_prior(struct fb_engine *e, const double *weight)
{
	for (uint32_t x = 0; x < e->dag->n; x++)
		e->weight[x] = weight ? weight[x] : 1;
	engine_make_prior(e);
}

void fb_engine_costs(struct fb_engine *e, double build, double boot)
{
	if (isfinite(build) && build > 0)
		e->p.build_seconds = build;
	if (isfinite(boot) && boot > 0)
		e->p.boot_seconds = boot;
}

void fb_engine_sample_at(struct fb_engine *e, uint32_t node, double value,
			 bool verify, double at)
{
	assert(node < e->n_nodes);
	if (!isfinite(value) || value <= 0) {
		fb_engine_failure(e, node, false);
		return;
	}
	struct node *x = &e->nodes[node];
	size_t n = x->n;
	FB_GROW(x->z, n, x->cap);
	FB_GROW(x->at, n, x->cap_at);
	FB_GROW(x->calm, n, x->cap_calm);
	x->z[n] = e->p.lower_is_better ? -log(value) : log(value);
	x->calm[n] = x->z[n];
	x->at[n] = isfinite(at) ? at : 0;
	x->n++;
	x->verified += verify;
	e->last = node;
	engine_forget(e);
}

void fb_engine_sample(struct fb_engine *e, uint32_t node, double value,
		      bool verify)
{
	fb_engine_sample_at(e, node, value, verify, 0);
}

void fb_engine_failure(struct fb_engine *e, uint32_t node, bool final)
{
	assert(node < e->n_nodes);
	e->nodes[node].failures++;
	e->nodes[node].final |= final;
	engine_forget(e);
}

size_t fb_engine_samples(const struct fb_engine *e, uint32_t node)
{
	return e->nodes[node].n;
}

double fb_engine_value(const struct fb_engine *e, uint32_t node)
{
	struct node *x = &e->nodes[node];
	if (x->n == 0)
		return 0;
	double *copy = fb_calloc(x->n, sizeof(*copy));
	memcpy(copy, x->z, x->n * sizeof(*copy));
	double m = fb_median(copy, x->n);
	free(copy);
	return exp(e->p.lower_is_better ? -m : m);
}

bool fb_engine_classes(struct fb_engine *e, struct fb_classes *out)
{
	engine_refresh(e);
	if (e->n_views)
		*out = e->view[0].classes;
	return e->n_views > 0;
}

/* The view that a commit's class is read from. */
static const struct view *view_of(const struct fb_engine *e, uint32_t node)
{
	for (size_t i = e->n_views > 1 ? 1 : 0; i < e->n_views; i++)
		if (node < e->dag->n && e->view[i].usable[node])
			return &e->view[i];
	return NULL;
}

static enum fb_node_mark mark_of(double p_bad)
{
	return p_bad >= SURE	 ? FB_NODE_BAD :
	       p_bad <= 1 - SURE ? FB_NODE_GOOD :
				   FB_NODE_UNCLEAR;
}

double fb_engine_alone(struct fb_engine *e, uint32_t node)
{
	engine_refresh(e);
	if (node == good_end(e) || node == bad_end(e))
		return node == bad_end(e);
	if (e->n_views == 0 || e->nodes[node].n == 0)
		return 0.5;
	double llr = fb_belief_outsider(&e->view[0].question, zs(e, node));
	return 1 / (1 + exp(-llr));
}

static enum fb_node_mark mark_outsider(struct fb_engine *e, uint32_t node)
{
	const struct node *x = &e->nodes[node];
	enum fb_node_mark m = mark_of(fb_engine_alone(e, node));
	if (m == FB_NODE_UNCLEAR && e->p.max && x->n >= e->p.max)
		return FB_NODE_SKIP;
	return m;
}

enum fb_node_mark fb_engine_mark(struct fb_engine *e, uint32_t node)
{
	engine_refresh(e);
	node = engine_booted(e, node);
	if (engine_untestable(e, node))
		return FB_NODE_SKIP;
	if (e->nodes[node].n == 0 || e->n_views == 0)
		return FB_NODE_UNTESTED;
	if (node == good_end(e))
		return FB_NODE_GOOD;
	if (node == bad_end(e) || node == e->split)
		return FB_NODE_BAD;
	if (node > good_end(e))
		return mark_outsider(e, node);
	const struct view *v = view_of(e, node);
	if (!v)
		return FB_NODE_UNCLEAR;
	/* Between the two changes the first one is already in. */
	if (v == &e->view[2])
		return FB_NODE_BAD;
	for (size_t j = 0; j < v->n_tests; j++)
		if (v->tests[j].node == node)
			return mark_of(v->belief.test_bad[j]);
	return FB_NODE_UNCLEAR;
}

void fb_engine_posterior(struct fb_engine *e, double *p)
{
	engine_refresh(e);
	const double *from = e->prior;
	if (e->n_views)
		from = e->view[e->n_views > 1 ? 1 : 0].belief.p;
	memcpy(p, from, e->dag->n * sizeof(*p));
}

unsigned fb_engine_steps_left(struct fb_engine *e)
{
	engine_refresh(e);
	if (e->n_views == 0)
		return (unsigned)ceil(log2((double)e->dag->n));
	double bits = 0;
	for (size_t i = e->n_views > 1 ? 1 : 0; i < e->n_views; i++)
		bits += view_entropy(e, &e->view[i]);
	return (unsigned)ceil(bits - 0.1);
}

void say(struct fb_action *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(a->reason, sizeof(a->reason), fmt, ap);
	va_end(ap);
}

bool act(struct fb_action *a, enum fb_action_kind kind, uint32_t node)
{
	a->kind = kind;
	a->node = node;
	if (kind == FB_ACT_MEASURE && a->boots == 0)
		a->boots = 1;
	return true;
}

double engine_percent(const struct fb_engine *e, double drop)
{
	return 100 * expm1(e->p.lower_is_better ? drop : -drop);
}

static void explain(struct fb_engine *e, struct view *v, struct fb_action *a)
{
	struct fb_explain *x = &a->explain;
	if (a->node < e->dag->n)
		x->p_bad = view_p_bad(e, v)[a->node];
	x->entropy = view_entropy(e, v);
	x->top = v->best;
	x->p_top = v->belief.p[v->best];
	x->drop = fb_classes_drop(&v->classes);
	x->sigma = v->belief.sigma;
	x->two_changes = e->changes.odds;
	x->misfit = v->belief.misfit;
	a->candidates = view_credible(e, v);
}

void fb_engine_explain(struct fb_engine *e, uint32_t node,
		       struct fb_action *out)
{
	engine_refresh(e);
	if (e->n_views == 0)
		return;
	out->node = node;
	explain(e, &e->view[0], out);
}

unsigned fb_engine_rounds(struct fb_engine *e)
{
	engine_refresh(e);
	return e->n_views ? engine_rounds(&e->view[0]) : 2;
}

static bool is_answer(const struct fb_action *a)
{
	return a->kind == FB_ACT_FOUND;
}

/* Both halves of a range with two changes, one after the other. */
static void search_halves(struct fb_engine *e, struct fb_action *a)
{
	struct fb_action second = { 0 };
	engine_search(e, &e->view[1], a);
	explain(e, &e->view[1], a);
	if (a->kind == FB_ACT_MEASURE)
		return;
	engine_search(e, &e->view[2], &second);
	explain(e, &e->view[2], &second);
	if (second.kind == FB_ACT_MEASURE || !is_answer(a)) {
		if (second.kind == FB_ACT_MEASURE)
			*a = second;
		return;
	}
	if (!is_answer(&second)) {
		*a = second;
		return;
	}
	a->kind = FB_ACT_SEVERAL;
	a->second = second.node;
	say(a,
	    "two changes, of %+.1f %% and %+.1f %%, both confirmed by fresh "
	    "boots",
	    engine_percent(e, fb_classes_drop(&e->view[1].classes)),
	    engine_percent(e, fb_classes_drop(&e->view[2].classes)));
}

/*
 * Does the machine itself move by more than what is looked for? Then it can
 * pretend anything, and no answer is the answer.
 */
static bool unsteady(struct fb_engine *e, struct fb_action *a)
{
	const struct node *g = &e->nodes[good_end(e)];
	struct fb_zs *others = fb_calloc(e->n_nodes, sizeof(*others));
	size_t n = 0;
	double df, drop = fb_classes_drop(&e->view[0].classes);
	for (uint32_t i = 0; e->p.references && i < e->n_nodes; i++)
		if (i != good_end(e) && e->nodes[i].n > 1)
			others[n++] = zs(e, i);
	double sigma = n ? fb_scatter(others, n, &df) : 0;
	double jumps = n ? fb_drift_jumps(g->at, g->z, g->n,
					  4 * e->p.boot_seconds, sigma) :
			   0;
	free(others);
	if (!(jumps > drop))
		return false;
	a->phase = FB_PHASE_SEARCH;
	say(a,
	    "the good end point itself moves by %.1f %% from one of its boots "
	    "to the next, more than the drop of %.1f %%: this machine is too "
	    "unsteady to judge",
	    100 * expm1(jumps), -100 * expm1(-drop));
	return act(a, FB_ACT_UNDECIDED, e->view[0].best);
}

void fb_engine_next(struct fb_engine *e, struct fb_action *out)
{
	engine_refresh(e);
	*out = (struct fb_action){ .candidates = e->dag->n,
				   .second = FB_DAG_NONE };
	if (engine_ends(e, out) || engine_bases(e, out) || unsteady(e, out))
		return;
	if (e->n_views > 1) {
		search_halves(e, out);
		return;
	}
	engine_search(e, &e->view[0], out);
	explain(e, &e->view[0], out);
}

size_t fb_engine_batch(struct fb_engine *e, size_t k, uint32_t *nodes)
{
	struct fb_action a;
	fb_engine_next(e, &a);
	if (k == 0 || a.kind != FB_ACT_MEASURE || a.phase != FB_PHASE_SEARCH ||
	    a.node >= e->dag->n || e->nodes[a.node].n)
		return 0;
	struct view *v = &e->view[0];
	for (size_t i = 1; i < e->n_views; i++)
		if (e->view[i].usable[a.node])
			v = &e->view[i];
	bool *open = engine_open(e, v);
	size_t n = fb_choose_batch(e->dag, view_p_bad(e, v), open, k, nodes);
	free(open);
	return n;
}
