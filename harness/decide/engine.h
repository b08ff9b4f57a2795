/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bisection as a pure function of what was measured: feed it samples and
 * failures, ask it what to do next. No I/O, no clock; the same data in the
 * same order give the same answer, which is what makes a session resumable.
 *
 * Nodes: 0..n-1 are the commits of the graph, n-1 is the bad end point, n the
 * good end point, n+1.. the merge bases that are to be tested first when good
 * is not an ancestor of bad; others, of which only their own samples are of
 * interest, follow.
 *
 * Phases. Ends: both end points in turn, until the drop is there (Student test
 * at .9975) or is known to be below the threshold. Bases: merge bases must be
 * good. Search: what tells most per second (choose.h), until one commit has
 * P >= 1 - (1 - confidence) / 2. Verify: fresh boots of it and its parents,
 * which must not change that.
 *
 * Errors: there are none. Wrong use asserts; values that make no sense count
 * as failed boots; data that contradict each other end in FB_ACT_UNDECIDED.
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
	unsigned endpoint;     /* boots of each end point at first */
	unsigned endpoint_max; /* boots at most to see a drop; 0: 200 */
	unsigned min, max;     /* boots of a tested commit */
	unsigned failures;     /* failed boots that make a skip */
	unsigned n_bases;      /* merge bases to test */
	unsigned n_others;     /* nodes that are measured, but no answer */
	/* Expected seconds of a build and a boot; 0: 120 and 15. */
	double build_seconds, boot_seconds;
	/*
	 * A boot of the good end point before each new build, from which
	 * drift is estimated (drift.h); samples need their times then.
	 */
	bool references;
};

enum fb_node_mark {
	FB_NODE_UNTESTED,
	FB_NODE_GOOD,
	FB_NODE_BAD,
	FB_NODE_SKIP,	/* cannot be built, booted or measured */
	FB_NODE_UNCLEAR /* measured, but not decided yet */
};

enum fb_action_kind {
	FB_ACT_MEASURE,	     /* boot `node` once more */
	FB_ACT_FOUND,	     /* `node` is the first bad commit */
	FB_ACT_SEVERAL,	     /* `node` is the first, `second` the next one */
	FB_ACT_SKIPPED_ONLY, /* the candidates left cannot be tested */
	FB_ACT_UNDECIDED,    /* no more boots are allowed, or they contradict */
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

/* What the engine knew when it chose: for logs and reports. */
struct fb_explain {
	double p_bad;	/* of the chosen node, before */
	double build;	/* value of the best build, nats per second */
	double boot;	/* value of the best boot of a built commit */
	double entropy; /* of the culprit, in bits */
	uint32_t top;	/* the most likely culprit */
	double p_top;
	double drop, sigma; /* of the classes, in z */
	double two_changes; /* odds of two changes against one */
	double misfit;	    /* contradiction among the tests, in nats */
};

struct fb_action {
	enum fb_action_kind kind;
	enum fb_phase phase;
	uint32_t node;
	uint32_t second;     /* FB_ACT_SEVERAL only */
	unsigned boots;	     /* worth taking at once, >= 1 when measuring */
	char reason[200];    /* one sentence for people and for the database */
	uint32_t candidates; /* size of the credible set at `confidence` */
	struct fb_explain explain; /* zeros before both ends have samples */
};

struct fb_engine;

/* The graph is borrowed and must outlive the engine. */
struct fb_engine *fb_engine_new(const struct fb_dag *dag,
				const struct fb_engine_params *params);
void fb_engine_free(struct fb_engine *e);

/*
 * Weights of the commits before anything is measured, dag->n of them, copied;
 * any scale. 0 is for what is proven unable to change the image. The default
 * is uniform, as it is when no weight is positive.
 */
void fb_engine_prior(struct fb_engine *e, const double *weight);

/*
 * The two nodes (commits or the good end point) are one and the same kernel.
 * Then no commit that only one of them contains can be the culprit, and what
 * one of them measures holds for both: the one that was not booted need not be.
 * Repeating it is harmless; it is ignored when it would rule out everything.
 */
void fb_engine_same(struct fb_engine *e, uint32_t a, uint32_t b);

/* Better estimates of the seconds that a build and a boot take. */
void fb_engine_costs(struct fb_engine *e, double build, double boot);

/*
 * A measured value of a node. Values that are not positive and finite count
 * as a failed boot. `verify` marks samples taken in FB_PHASE_VERIFY.
 */
void fb_engine_sample(struct fb_engine *e, uint32_t node, double value,
		      bool verify);

/* The same, with the second at which it was taken (any zero, rising). */
void fb_engine_sample_at(struct fb_engine *e, uint32_t node, double value,
			 bool verify, double at);

/* A failed boot; `final` when no further attempt can help. */
void fb_engine_failure(struct fb_engine *e, uint32_t node, bool final);

void fb_engine_next(struct fb_engine *e, struct fb_action *out);

/*
 * Up to k commits to build at once, most useful together, for parallel
 * machines; fills nodes[0..k), returns how many. 0 when what is next is not a
 * build: ask fb_engine_next().
 */
size_t fb_engine_batch(struct fb_engine *e, size_t k, uint32_t *nodes);

/* From the posterior: good or bad at .95. End points are what they are. */
enum fb_node_mark fb_engine_mark(struct fb_engine *e, uint32_t node);

/*
 * The probability of each commit of being the first bad one (belief.h), n
 * entries; of being the first of two when two changes were found. Uniform
 * before both end points have samples.
 */
void fb_engine_posterior(struct fb_engine *e, double *p);

/* The fitted end points; false before both of them have samples. */
bool fb_engine_classes(struct fb_engine *e, struct fb_classes *out);

/*
 * P(bad) of a node by its own samples alone, good and bad being equally likely
 * before; .5 without samples, 0 and 1 for the end points.
 */
double fb_engine_alone(struct fb_engine *e, uint32_t node);

/* Fresh boots that the culprit and each of its parents get at least. */
unsigned fb_engine_rounds(struct fb_engine *e);

/* Fills in explain and candidates of `out`, with p_bad of `node`. */
void fb_engine_explain(struct fb_engine *e, uint32_t node,
		       struct fb_action *out);

/* Median of a node's values in the metric's own unit; 0 without samples. */
double fb_engine_value(const struct fb_engine *e, uint32_t node);
size_t fb_engine_samples(const struct fb_engine *e, uint32_t node);

/* Steps (commits to test) that are probably still needed. */
unsigned fb_engine_steps_left(struct fb_engine *e);

#endif
