/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commits of a range as a dense graph: those reachable from `bad` and
 * from no good commit, numbered 0..n-1 with parents before children, so that
 * `bad` is n-1. Parents outside the range are known good and left out.
 */
#ifndef FB_GRAPH_H
#define FB_GRAPH_H

#include <git2.h>

#include "dag.h"
#include "text.h"

struct fb_error;
struct fb_repo;

struct fb_graph {
	struct fb_dag dag; /* owns its arrays */
	git_oid *oid;	   /* dag.n object ids */
	/*
	 * With paths: 1 for a commit that changes one of them against all its
	 * parents, 0 for the others, which cannot be the answer; else NULL.
	 */
	double *weight;
	uint32_t candidates; /* commits of weight 1, or all */
};

/*
 * Loads good..bad. Every good must be an ancestor of bad (see
 * fb_graph_merge_bases() for the other case); whatever a good one contains is
 * left out. With first_parent only the first parents are followed, as git
 * bisect --first-parent. With paths (NULL or none: no limit) history is
 * simplified as git does by default: of a merge that is like one of its
 * parents in these paths, only that parent is followed. `bad` stays the last
 * node even when its weight is 0.
 *
 * The commit-graph file is used when there is one and git would use it.
 */
int fb_graph_load(struct fb_graph *graph, const struct fb_repo *repo,
		  const git_oid *good, size_t n_good, const git_oid *bad,
		  int first_parent, const struct fb_strv *paths,
		  struct fb_error *err);
void fb_graph_release(struct fb_graph *graph);

/* Is `a` an ancestor of, or the same as, `b`? */
int fb_graph_is_ancestor(const struct fb_repo *repo, const git_oid *a,
			 const git_oid *b, int *yes, struct fb_error *err);

/* All merge bases of two commits; free *out. None: *n is 0. */
int fb_graph_merge_bases(const struct fb_repo *repo, const git_oid *a,
			 const git_oid *b, git_oid **out, size_t *n,
			 struct fb_error *err);

#endif
