/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Path limits, as git simplifies history by default. */
#ifndef FB_PATHS_H
#define FB_PATHS_H

#include "graph.h"

/*
 * Replaces the graph by the simplified one and sets the weights. FB_E_USAGE
 * for patterns and magic, and when nothing in the range touches the paths.
 */
int fb_graph_limit(struct fb_graph *g, const struct fb_repo *repo,
		   const git_oid *good, size_t n_good, int first_parent,
		   const struct fb_strv *paths, struct fb_error *err);

#endif
