/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bisection as a pure function of what was measured: feed it samples and
 * failures, ask it what to do next. No I/O, no clock; the same data give the
 * same answer, which is what makes a session resumable.
 *
 * Nodes: 0..n-1 are the commits of the graph, n-1 is the bad end point, n the
 * good end point, n+1.. the merge bases that are to be tested first when good
 * is not an ancestor of bad.
 */
#ifndef FB_ENGINE_H
#define FB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "classes.h"
#include "dag.h"

struct fb_engine_params {
	double threshold;  /* smallest drop that counts, as a fraction */
	double confidence; /* 0.5..1 */
	bool lower_is_better;
	unsigned endpoint; /* boots of an end point at first */
	unsigned min, max; /* boots of a tested commit */
	unsigned failures; /* failed boots that make a skip */
	unsigned n_bases;  /* merge bases to test */
};

enum fb_node_mark {
	FB_NODE_UNTESTED,
	FB_NODE_GOOD,
	FB_NODE_BAD,
	FB_NODE_SKIP,	/* cannot be built, booted or measured */
	FB_NODE_UNCLEAR /* measured, but not decided yet */
};

enum fb_action_kind {
	FB_ACT_MEASURE,	       /* boot `node` once more */
	FB_ACT_FOUND,	       /* `node` is the first bad commit */
	FB_ACT_SKIPPED_ONLY,   /* the candidates left cannot be tested */
	FB_ACT_NOT_REPRODUCED, /* no drop past the threshold */
	FB_ACT_BASE_BAD,       /* merge base `node` is bad: fixed since */
	FB_ACT_END_UNTESTABLE  /* end point `node` cannot be measured */
};

enum fb_phase {
	FB_PHASE_ENDS,
	FB_PHASE_BASES,
	FB_PHASE_SEARCH,
	FB_PHASE_VERIFY
};

struct fb_action {
	enum fb_action_kind kind;
	enum fb_phase phase;
	uint32_t node;
	char reason[200];    /* one sentence for people and for the database */
	uint32_t candidates; /* left in the search */
};

struct fb_engine;

/* The graph is borrowed and must outlive the engine. */
struct fb_engine *fb_engine_new(const struct fb_dag *dag,
				const struct fb_engine_params *params);
void fb_engine_free(struct fb_engine *e);

/*
 * A measured value of a node. Values that are not positive and finite count
 * as a failed boot. `verify` marks samples taken in FB_PHASE_VERIFY.
 */
void fb_engine_sample(struct fb_engine *e, uint32_t node, double value,
		      bool verify);

/* A failed boot; `final` when no further attempt can help. */
void fb_engine_failure(struct fb_engine *e, uint32_t node, bool final);

void fb_engine_next(struct fb_engine *e, struct fb_action *out);

enum fb_node_mark fb_engine_mark(const struct fb_engine *e, uint32_t node);

/*
 * The probability of each commit of being the first bad one, from all samples
 * and a uniform prior: ln P(c) = sum over tested x of the log-likelihood of
 * x's samples as bad when c is x or an ancestor of x, as good otherwise.
 */
void fb_engine_posterior(const struct fb_engine *e, double *p);

/* The fitted classes; false before both end points have samples. */
bool fb_engine_classes(const struct fb_engine *e, struct fb_classes *out);

/* Median of a node's values in the metric's own unit; 0 without samples. */
double fb_engine_value(const struct fb_engine *e, uint32_t node);
size_t fb_engine_samples(const struct fb_engine *e, uint32_t node);

/* Steps (commits to test) that are probably still needed. */
unsigned fb_engine_steps_left(const struct fb_engine *e);

#endif
