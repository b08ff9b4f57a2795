/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * git's commit-graph file: who is whose parent, without unpacking a commit.
 * libgit2 1.5 uses it inside its walks only. Format: gitformat-commit-graph(5),
 * version 1, SHA-1; one file or a chain of them.
 *
 * It is a cache: whatever is missing, of another version or damaged makes it
 * unusable, which is no error. Offsets and positions are checked before use;
 * as in git, the checksum at the end is not.
 */
#ifndef FB_COMMIT_GRAPH_H
#define FB_COMMIT_GRAPH_H

#include <git2.h>
#include <stdbool.h>
#include <stdint.h>

#define FB_COMMIT_NONE UINT32_MAX

struct fb_commit_graph;

/* Of a directory of objects; NULL when there is none that can be used. */
struct fb_commit_graph *fb_commit_graph_open(const char *objects);
void fb_commit_graph_close(struct fb_commit_graph *g);

/* Commits are numbered 0..n-1. */
uint32_t fb_commit_graph_size(const struct fb_commit_graph *g);
uint32_t fb_commit_graph_find(const struct fb_commit_graph *g,
			      const git_oid *oid);
void fb_commit_graph_oid(const struct fb_commit_graph *g, uint32_t commit,
			 git_oid *oid);

/*
 * The parents in order, at most `max` of them; returns how many there are, or
 * -1 when the file is damaged.
 */
int fb_commit_graph_parents(const struct fb_commit_graph *g, uint32_t commit,
			    uint32_t *parents, int max);

#endif
