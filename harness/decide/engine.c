/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "midpoint.h"
#include "text.h"

#define VERIFY_SAMPLES 2
#define ENDPOINT_CAP 12

struct node {
	double *z;
	size_t n, cap;
	unsigned failures, verified;
	bool final;
};

struct fb_engine {
	const struct fb_dag *dag;
	struct fb_engine_params p;
	struct node *nodes;
	uint32_t n_nodes;
};

struct fb_engine *fb_engine_new(const struct fb_dag *dag,
				const struct fb_engine_params *params)
{
	assert(dag->n > 0);
	struct fb_engine *e = fb_calloc(1, sizeof(*e));
	e->dag = dag;
	e->p = *params;
	e->n_nodes = dag->n + 1 + params->n_bases;
	e->nodes = fb_calloc(e->n_nodes, sizeof(*e->nodes));
	return e;
}

void fb_engine_free(struct fb_engine *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->n_nodes; i++)
		free(e->nodes[i].z);
	free(e->nodes);
	free(e);
}

static uint32_t good_end(const struct fb_engine *e)
{
	return e->dag->n;
}

static uint32_t bad_end(const struct fb_engine *e)
{
	return e->dag->n - 1;
}

void fb_engine_sample(struct fb_engine *e, uint32_t node, double value,
		      bool verify)
{
	assert(node < e->n_nodes);
	if (!isfinite(value) || value <= 0) {
		fb_engine_failure(e, node, false);
		return;
	}
	struct node *x = &e->nodes[node];
	FB_GROW(x->z, x->n, x->cap);
	x->z[x->n++] = e->p.lower_is_better ? -log(value) : log(value);
	x->verified += verify;
}

void fb_engine_failure(struct fb_engine *e, uint32_t node, bool final)
{
	assert(node < e->n_nodes);
	e->nodes[node].failures++;
	e->nodes[node].final |= final;
}

static struct fb_zs zs(const struct fb_engine *e, uint32_t node)
{
	return (struct fb_zs){ e->nodes[node].z, e->nodes[node].n };
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

bool fb_engine_classes(const struct fb_engine *e, struct fb_classes *out)
{
	if (!e->nodes[good_end(e)].n || !e->nodes[bad_end(e)].n)
		return false;
	struct fb_zs *all = fb_calloc(e->n_nodes, sizeof(*all));
	for (uint32_t i = 0; i < e->n_nodes; i++)
		all[i] = zs(e, i);
	fb_classes_fit(out, zs(e, good_end(e)), zs(e, bad_end(e)), all,
		       e->n_nodes);
	free(all);
	return true;
}

static bool untestable(const struct fb_engine *e, uint32_t node)
{
	const struct node *x = &e->nodes[node];
	return x->final || (x->failures >= e->p.failures && x->failures > x->n);
}

/*
 * The evidence that one commit's mark needs, in nats: the error that the
 * whole search may make, shared among about log2(n) + 1 decisions.
 */
static double needed_evidence(const struct fb_engine *e)
{
	double decisions = log2((double)e->dag->n) + 1;
	double error = (1 - e->p.confidence) / decisions;
	return log((1 - error) / error);
}

static enum fb_node_mark mark_with(const struct fb_engine *e, uint32_t node,
				   const struct fb_classes *c)
{
	const struct node *x = &e->nodes[node];
	if (node == good_end(e))
		return FB_NODE_GOOD;
	if (node == bad_end(e))
		return FB_NODE_BAD;
	if (untestable(e, node))
		return FB_NODE_SKIP;
	if (x->n == 0)
		return FB_NODE_UNTESTED;
	double llr = fb_classes_llr(c, zs(e, node));
	bool enough = x->n >= e->p.min && fabs(llr) >= needed_evidence(e);
	if (!enough && x->n < e->p.max)
		return FB_NODE_UNCLEAR;
	if (!enough)
		return FB_NODE_SKIP;
	return llr > 0 ? FB_NODE_BAD : FB_NODE_GOOD;
}

enum fb_node_mark fb_engine_mark(const struct fb_engine *e, uint32_t node)
{
	struct fb_classes c;
	if (!fb_engine_classes(e, &c))
		return untestable(e, node) ? FB_NODE_SKIP : FB_NODE_UNTESTED;
	return mark_with(e, node, &c);
}

struct view {
	struct fb_classes classes;
	enum fb_node_mark *mark; /* of 0..n-1 */
	bool *candidate, *open, *skipped;
	uint32_t candidates;
};

/*
 * A commit is a candidate iff it is in every bad commit's history and in no
 * good one's.
 */
static void find_candidates(const struct fb_engine *e, struct view *v)
{
	uint32_t n = e->dag->n;
	bool *seen = fb_calloc(n, sizeof(*seen));
	for (uint32_t x = 0; x < n; x++)
		v->candidate[x] = true;
	for (uint32_t x = 0; x < n; x++) {
		if (v->mark[x] != FB_NODE_GOOD && v->mark[x] != FB_NODE_BAD)
			continue;
		memset(seen, 0, n * sizeof(*seen));
		fb_dag_mark_ancestors(e->dag, x, seen);
		bool inside = v->mark[x] == FB_NODE_BAD;
		for (uint32_t y = 0; y < n; y++)
			if (seen[y] != inside)
				v->candidate[y] = false;
	}
	free(seen);
	for (uint32_t x = 0; x < n; x++)
		v->candidates += v->candidate[x];
}

static void view_init(struct view *v, const struct fb_engine *e)
{
	uint32_t n = e->dag->n;
	*v = (struct view){ 0 };
	v->mark = fb_calloc(n, sizeof(*v->mark));
	v->candidate = fb_calloc(n, sizeof(*v->candidate));
	v->open = fb_calloc(n, sizeof(*v->open));
	v->skipped = fb_calloc(n, sizeof(*v->skipped));
	bool fitted = fb_engine_classes(e, &v->classes);
	for (uint32_t x = 0; fitted && x < n; x++) {
		v->mark[x] = mark_with(e, x, &v->classes);
		v->open[x] = v->mark[x] == FB_NODE_UNTESTED;
		v->skipped[x] = v->mark[x] == FB_NODE_SKIP;
	}
	find_candidates(e, v);
}

static void view_release(struct view *v)
{
	free(v->mark);
	free(v->candidate);
	free(v->open);
	free(v->skipped);
}

void fb_engine_posterior(const struct fb_engine *e, double *p)
{
	uint32_t n = e->dag->n;
	struct fb_classes c;
	bool fitted = fb_engine_classes(e, &c);
	bool *seen = fb_calloc(n, sizeof(*seen));
	double top = -INFINITY, sum = 0;

	for (uint32_t y = 0; y < n; y++)
		p[y] = 0;
	for (uint32_t x = 0; fitted && x < n; x++) {
		if (e->nodes[x].n == 0 || x == bad_end(e))
			continue;
		double llr = fb_classes_llr(&c, zs(e, x));
		memset(seen, 0, n * sizeof(*seen));
		fb_dag_mark_ancestors(e->dag, x, seen);
		for (uint32_t y = 0; y < n; y++)
			p[y] += seen[y] ? llr : 0;
	}
	for (uint32_t y = 0; y < n; y++)
		top = fmax(top, p[y]);
	for (uint32_t y = 0; y < n; y++)
		sum += p[y] = exp(p[y] - top);
	for (uint32_t y = 0; y < n; y++)
		p[y] /= sum;
	free(seen);
}

unsigned fb_engine_steps_left(const struct fb_engine *e)
{
	struct view v;
	view_init(&v, e);
	unsigned steps = v.candidates > 1 ?
				 (unsigned)ceil(log2((double)v.candidates)) :
				 0;
	view_release(&v);
	return steps;
}

static void say(struct fb_action *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct fb_action *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(a->reason, sizeof(a->reason), fmt, ap);
	va_end(ap);
}

static bool act(struct fb_action *a, enum fb_action_kind kind, uint32_t node)
{
	a->kind = kind;
	a->node = node;
	return true;
}

/* The threshold on the scale of z, where bad is always lower. */
static double least_drop(const struct fb_engine *e)
{
	return e->p.lower_is_better ? log1p(e->p.threshold) :
				      -log1p(-e->p.threshold);
}

/* A drop of z as the change of the metric that people see, in percent. */
static double percent(const struct fb_engine *e, double drop)
{
	return 100 * expm1(e->p.lower_is_better ? drop : -drop);
}

/* Both ends, in turn, until the drop is there or is known not to be. */
static bool measure_ends(struct fb_engine *e, struct fb_action *a)
{
	const uint32_t ends[] = { good_end(e), bad_end(e) };
	const struct node *g = &e->nodes[ends[0]], *b = &e->nodes[ends[1]];
	struct fb_classes c;

	a->phase = FB_PHASE_ENDS;
	for (int i = 0; i < 2; i++) {
		if (untestable(e, ends[i])) {
			say(a, "the %s end point cannot be measured",
			    i ? "bad" : "good");
			return act(a, FB_ACT_END_UNTESTABLE, ends[i]);
		}
	}
	uint32_t next = g->n <= b->n ? ends[0] : ends[1];
	if (g->n < e->p.endpoint || b->n < e->p.endpoint) {
		say(a, "%s end point, boot %zu of at least %u",
		    next == ends[0] ? "good" : "bad", e->nodes[next].n + 1,
		    e->p.endpoint);
		return act(a, FB_ACT_MEASURE, next);
	}
	fb_engine_classes(e, &c);
	double change = percent(e, fb_classes_drop(&c));
	size_t cap =
		e->p.endpoint > ENDPOINT_CAP ? e->p.endpoint : ENDPOINT_CAP;
	if (fb_classes_differ(&c) && fb_classes_drop(&c) >= least_drop(e))
		return false;
	if ((g->n < cap || b->n < cap) &&
	    fb_classes_may_drop(&c, least_drop(e))) {
		say(a, "change of %+.1f %% is not decided after %zu boots",
		    change, g->n + b->n);
		return act(a, FB_ACT_MEASURE, next);
	}
	say(a,
	    "the regression does not reproduce: bad differs from good by "
	    "%+.2f %%, the threshold is %+.2f %%",
	    change, percent(e, least_drop(e)));
	return act(a, FB_ACT_NOT_REPRODUCED, bad_end(e));
}

/* As git: when good is no ancestor of bad, their merge bases must be good. */
static bool measure_bases(struct fb_engine *e, struct fb_action *a)
{
	a->phase = FB_PHASE_BASES;
	for (uint32_t i = 0; i < e->p.n_bases; i++) {
		uint32_t base = good_end(e) + 1 + i;
		switch (fb_engine_mark(e, base)) {
		case FB_NODE_UNTESTED:
		case FB_NODE_UNCLEAR:
			say(a, "good is not an ancestor of bad: a merge base "
			       "must be tested");
			return act(a, FB_ACT_MEASURE, base);
		case FB_NODE_BAD:
			say(a, "the merge base is bad: the regression was "
			       "fixed between it and the good revision");
			return act(a, FB_ACT_BASE_BAD, base);
		case FB_NODE_GOOD:
		case FB_NODE_SKIP:
			break;
		}
	}
	return false;
}

/* A commit that was begun is decided before another is built. */
static bool measure_unclear(const struct fb_engine *e, const struct view *v,
			    struct fb_action *a)
{
	for (uint32_t x = 0; x < e->dag->n; x++) {
		bool half_failed =
			v->mark[x] == FB_NODE_UNTESTED && e->nodes[x].failures;
		if (!v->candidate[x] ||
		    (v->mark[x] != FB_NODE_UNCLEAR && !half_failed))
			continue;
		if (half_failed)
			say(a, "boot failed %u time%s, trying again",
			    e->nodes[x].failures,
			    e->nodes[x].failures > 1 ? "s" : "");
		else
			say(a,
			    "not decided yet after %zu boot%s (evidence "
			    "%+.1f of %.1f nats)",
			    e->nodes[x].n, e->nodes[x].n > 1 ? "s" : "",
			    fb_classes_llr(&v->classes, zs(e, x)),
			    needed_evidence(e));
		return act(a, FB_ACT_MEASURE, x);
	}
	return false;
}

/*
 * Every commit is ruled out: some mark is wrong, or there is more than one
 * change. The least certain mark is measured again, as long as that is allowed.
 */
static bool settle_contradiction(const struct fb_engine *e,
				 const struct view *v, struct fb_action *a)
{
	uint32_t weakest = FB_DAG_NONE;
	double least = INFINITY;
	for (uint32_t x = 0; x + 1 < e->dag->n; x++) {
		if (v->mark[x] != FB_NODE_GOOD && v->mark[x] != FB_NODE_BAD)
			continue;
		double llr = fabs(fb_classes_llr(&v->classes, zs(e, x)));
		if (e->nodes[x].n < e->p.max && llr < least) {
			least = llr;
			weakest = x;
		}
	}
	if (weakest == FB_DAG_NONE) {
		say(a, "good and bad commits contradict each other: there is "
		       "more than one change in this range");
		return act(a, FB_ACT_SKIPPED_ONLY, bad_end(e));
	}
	say(a, "the marks contradict each other: the least certain one again");
	return act(a, FB_ACT_MEASURE, weakest);
}

static bool search(const struct fb_engine *e, const struct view *v,
		   struct fb_action *a)
{
	a->phase = FB_PHASE_SEARCH;
	if (v->candidates == 0)
		return settle_contradiction(e, v, a);
	if (measure_unclear(e, v, a))
		return true;
	if (v->candidates == 1)
		return false;
	uint32_t x =
		fb_midpoint_choose(e->dag, v->candidate, v->open, v->skipped);
	if (x == FB_DAG_NONE) {
		say(a, "only skipped commits are left: %u candidates",
		    v->candidates);
		return act(a, FB_ACT_SKIPPED_ONLY, bad_end(e));
	}
	say(a, "midpoint of %u candidates", v->candidates);
	return act(a, FB_ACT_MEASURE, x);
}

static uint32_t only_candidate(const struct fb_engine *e, const struct view *v)
{
	for (uint32_t x = 0; x < e->dag->n; x++)
		if (v->candidate[x])
			return x;
	return FB_DAG_NONE;
}

/* Fresh boots of the culprit and of its parents before it is named. */
static bool verify(const struct fb_engine *e, const struct view *v,
		   struct fb_action *a)
{
	uint32_t x = only_candidate(e, v);
	a->phase = FB_PHASE_VERIFY;
	uint32_t list[64];
	size_t n = 0;
	list[n++] = x;
	for (uint32_t k = e->dag->at[x]; k < e->dag->at[x + 1] && n < 63; k++)
		list[n++] = e->dag->parent[k];
	if (e->dag->at[x] == e->dag->at[x + 1])
		list[n++] = good_end(e);
	for (unsigned round = 0; round < VERIFY_SAMPLES; round++) {
		for (size_t i = n; i-- > 0;) {
			const struct node *y = &e->nodes[list[i]];
			if (y->verified > round || untestable(e, list[i]))
				continue;
			say(a, "fresh boot %u of the %s", round + 1,
			    i ? "culprit's parent" : "culprit");
			return act(a, FB_ACT_MEASURE, list[i]);
		}
	}
	say(a, "one candidate is left, confirmed by fresh boots");
	return act(a, FB_ACT_FOUND, x);
}

void fb_engine_next(struct fb_engine *e, struct fb_action *out)
{
	struct view v;
	*out = (struct fb_action){ 0 };
	if (measure_ends(e, out)) {
		out->candidates = e->dag->n;
		return;
	}
	if (measure_bases(e, out)) {
		out->candidates = e->dag->n;
		return;
	}
	view_init(&v, e);
	out->candidates = v.candidates;
	if (!search(e, &v, out))
		verify(e, &v, out);
	view_release(&v);
}
