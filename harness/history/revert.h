/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commits that exist for a proof alone: one change taken out of, or put on, a
 * revision. Nothing refers to them, so that git's own garbage collection
 * removes them some weeks later. The same input gives the same object id.
 */
#ifndef FB_REVERT_H
#define FB_REVERT_H

#include <git2.h>
#include <stdbool.h>

#include "repo.h"

/*
 * Makes a commit on top of `on` that takes `commit` back, or that repeats it.
 * Of a merge, what it brought to its first parent. Messages are those of `git
 * revert` and `git cherry-pick -x`. *applies is false, and *out unchanged, when
 * there are conflicts or nothing is left to change.
 */
int fb_commit_revert(const struct fb_repo *repo, const git_oid *commit,
		     const git_oid *on, git_oid *out, bool *applies,
		     struct fb_error *err);
int fb_commit_repeat(const struct fb_repo *repo, const git_oid *commit,
		     const git_oid *on, git_oid *out, bool *applies,
		     struct fb_error *err);

#endif
