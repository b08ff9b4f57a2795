/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the engine; private to harness/decide.
 *
 * engine.c keeps the samples, view.c turns them into views, search.c and
 * ends.c choose from them. A view is one question about one change: between
 * a good and a bad node, the commits that can answer it, and the posterior.
 * There is one view of the whole range; with two changes, there are two more,
 * for the halves below and above a commit that lies between them.
 */
#ifndef FB_ENGINE_PRIVATE_H
#define FB_ENGINE_PRIVATE_H

#include "belief.h"
#include "changes.h"
#include "choose.h"
#include "engine.h"

struct node {
	double *z;    /* as measured */
	double *at;   /* second of each */
	double *calm; /* z without the drift */
	size_t n, cap, cap_at, cap_calm;
	unsigned failures, verified;
	bool final;
	uint32_t kernel; /* the first node that is the same one */
	bool twins;	 /* of that: there are others */
};

struct view {
	uint32_t good, bad; /* nodes that stand for the end points */
	bool *usable;	    /* commits whose class answers the question */
	double *prior;	    /* 0 outside */
	struct fb_test *tests;
	size_t n_tests;
	struct fb_classes classes;
	struct fb_question question;
	struct fb_belief belief;
	uint32_t best; /* most likely culprit */
	double *p_bad; /* of every commit; made on demand */
};

struct fb_engine {
	const struct fb_dag *dag;
	struct fb_engine_params p;
	struct node *nodes;
	uint32_t n_nodes;
	uint32_t last;	 /* node of the latest sample */
	double *weight;	 /* as given, not normed */
	bool *ruled_out; /* by equal kernels on both sides */
	double *prior;	 /* from these two */
	/* Made from the samples when asked for; `fresh` while they hold. */
	bool fresh;
	size_t n_views; /* 0, 1, or 3 */
	struct view view[3];
	struct fb_changes changes;
	uint32_t split; /* the commit between two changes, or FB_DAG_NONE */
};

static inline uint32_t good_end(const struct fb_engine *e)
{
	return e->dag->n;
}

static inline uint32_t bad_end(const struct fb_engine *e)
{
	return e->dag->n - 1;
}

static inline struct fb_zs zs(const struct fb_engine *e, uint32_t node)
{
	return (struct fb_zs){ e->nodes[node].calm, e->nodes[node].n };
}

/* ---- twins.c */

/* The prior from weights and what is ruled out. */
void engine_make_prior(struct fb_engine *e);

/*
 * The node that was booted in place of this one, being the same kernel; itself
 * when it was booted, or none was.
 */
uint32_t engine_booted(const struct fb_engine *e, uint32_t node);

/* ---- view.c */

/* Makes the views; there are none while an end point lacks samples. */
void engine_refresh(struct fb_engine *e);
void engine_forget(struct fb_engine *e);

bool engine_untestable(const struct fb_engine *e, uint32_t node);

/* P(x bad) in this view, dag->n entries, from the cache. */
const double *view_p_bad(const struct fb_engine *e, struct view *v);

/* Least number of commits that hold `confidence` of the mass. */
uint32_t view_credible(const struct fb_engine *e, const struct view *v);

double view_entropy(const struct fb_engine *e, const struct view *v);

/* Boots that a tested commit needs at least. */
unsigned view_least(const struct fb_engine *e, const struct view *v);

struct fb_power view_power(const struct view *v);

/* ---- ends.c: true when `a` says what to do, false when the phase is over */

bool engine_ends(struct fb_engine *e, struct fb_action *a);
bool engine_bases(struct fb_engine *e, struct fb_action *a);

/* ---- search.c */

/* Always decides; FOUND, SKIPPED_ONLY and UNDECIDED speak of this view. */
void engine_search(struct fb_engine *e, struct view *v, struct fb_action *a);

/* Fresh boots of each witness. */
unsigned engine_rounds(const struct view *v);

/* Commits that may still be built, dag->n entries; caller frees. */
bool *engine_open(const struct fb_engine *e, const struct view *v);

/* ---- engine.c */

void say(struct fb_action *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets kind and node; true, so that it can end a phase's function. */
bool act(struct fb_action *a, enum fb_action_kind kind, uint32_t node);

/* A drop of z as the change of the metric that people see, in percent. */
double engine_percent(const struct fb_engine *e, double drop);

#endif
