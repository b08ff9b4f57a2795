/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which commits of a range can change the kernel that is built, and how likely
 * each of these is to be the culprit before anything is measured.
 */
#ifndef FB_RELEVANCE_H
#define FB_RELEVANCE_H

#include "graph.h"
#include "seen.h"

struct fb_repo;

/*
 * Weights of paths, as "PREFIX=WEIGHT": the longest prefix of a path holds, 1
 * without any. A commit weighs what the heaviest path does that it changes and
 * that matters. fb_weights_default is for block I/O: what lies on the way of a
 * read or write weighs up to 8.
 */
struct fb_weights {
	struct fb_weight {
		char *prefix;
		double weight;
	} * v;
	size_t n, cap;
};
/* Defaults first, then `more` (may be NULL), which overrides them. USAGE. */
int fb_weights_init(struct fb_weights *w, const struct fb_strv *more,
		    struct fb_error *err);
/* Every path weighs 1. */
void fb_weights_uniform(struct fb_weights *w);
void fb_weights_release(struct fb_weights *w);
double fb_weights_of(const struct fb_weights *w, const char *path);

/* All borrowed. */
struct fb_relevance {
	const struct fb_repo *repo;
	const struct fb_seen *seen;
	const struct fb_weights *weights;
	bool first_parent;
	const char *cache; /* directory for what was found, or NULL */
};

struct fb_relevance_counts {
	uint32_t relevant; /* commits of positive weight */
	uint32_t diffed;   /* commits that were not in the cache */
};

/*
 * Fills weight[0..n) of the graph's commits. 0 is for those that cannot change
 * the kernel: they differ from their parent in nothing that matters
 * (fb_seen_matters()), or, being a merge, from one of their parents, as git's
 * history simplification has it. Commits that the graph's own weights exclude
 * are 0 without a look.
 *
 * What was found is appended to a file of the cache, which is of use only with
 * the same files seen and the same weights; damaged lines of it are ignored,
 * and without it everything is looked up anew. FB_E_MACHINE when the repository
 * cannot be read.
 */
int fb_relevance_find(const struct fb_relevance *r, const struct fb_graph *g,
		      double *weight, struct fb_relevance_counts *counts,
		      struct fb_error *err);

#endif
