/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commits and their parents by small numbers, from git's commit-graph file
 * where it has them and from the objects where not.
 */
#ifndef FB_COMMITS_H
#define FB_COMMITS_H

#include <stdbool.h>

#include "commit_graph.h"
#include "order.h"
#include "repo.h"

/* A commit that the file does not have. */
struct fb_loose {
	git_oid oid;
	uint32_t *parents; /* NULL until they are asked for */
	unsigned n;
	bool read;
};

struct fb_commits {
	const struct fb_repo *repo;
	struct fb_commit_graph *file; /* NULL: none, or git ignores it */
	struct fb_loose *loose;	      /* ids after those of the file */
	size_t n_loose, cap_loose;
	uint32_t *table; /* hash of loose commits: index + 1 */
	size_t n_table;
	bool damaged; /* the file gave an answer that cannot be */
};

/*
 * The file is left aside when git would: grafts, replace refs, shallow. libgit2
 * 1.5 follows neither grafts nor replace refs, and that is said.
 */
void fb_commits_open(struct fb_commits *s, const struct fb_repo *repo,
		     bool use_file);
void fb_commits_close(struct fb_commits *s);

uint32_t fb_commits_id(struct fb_commits *s, const git_oid *oid);
void fb_commits_oid(const struct fb_commits *s, uint32_t id, git_oid *oid);

/* Appends all parents; FB_E_USAGE when a commit cannot be read. */
int fb_commits_parents(struct fb_commits *s, uint32_t id, struct fb_ids *out,
		       struct fb_error *err);

#endif
