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

struct fb_error;
struct fb_repo;

struct fb_graph {
	struct fb_dag dag; /* owns its arrays */
	git_oid *oid;	   /* dag.n object ids */
};

/*
 * Loads good..bad. Every good must be an ancestor of bad (see
 * fb_graph_merge_bases() for the other case). With first_parent only the first
 * parents are followed, as git bisect --first-parent.
 */
int fb_graph_load(struct fb_graph *graph, const struct fb_repo *repo,
		  const git_oid *good, size_t n_good, const git_oid *bad,
		  int first_parent, struct fb_error *err);
void fb_graph_release(struct fb_graph *graph);

/* Is `a` an ancestor of, or the same as, `b`? */
int fb_graph_is_ancestor(const struct fb_repo *repo, const git_oid *a,
			 const git_oid *b, int *yes, struct fb_error *err);

/* All merge bases of two commits; free *out. None: *n is 0. */
int fb_graph_merge_bases(const struct fb_repo *repo, const git_oid *a,
			 const git_oid *b, git_oid **out, size_t *n,
			 struct fb_error *err);

#endif
