/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linked work tree that kernels are built in, and git's bisection state
 * inside it: refs/bisect/{bad,good-OID,skip-OID}, BISECT_LOG and the files
 * that `git bisect log`, `visualize` and `replay` read. All of it is private to
 * the work tree; the user's own bisection is not disturbed.
 */
#ifndef FB_WORKTREE_H
#define FB_WORKTREE_H

#include <git2.h>

#include "repo.h"

struct fb_worktree {
	git_repository *git;
	char *path;
	char *gitdir;		    /* .../worktrees/NAME/ */
	char *good_word, *bad_word; /* of the bisection that was begun */
};

/*
 * Opens the work tree at `path`, making it when it is missing. One whose
 * administrative files are gone or broken is made anew.
 */
int fb_worktree_open(struct fb_worktree *wt, const struct fb_repo *repo,
		     const char *path, struct fb_error *err);
void fb_worktree_release(struct fb_worktree *wt);

/*
 * Checks a commit out, detached. Whatever a build left or changed in tracked
 * files is overwritten; only files that differ are touched, so that make
 * rebuilds what changed and no more.
 */
int fb_worktree_checkout(struct fb_worktree *wt, const git_oid *oid,
			 struct fb_error *err);

/* What a bisection begins with, as `git bisect start`. All borrowed. */
struct fb_bisect_begin {
	const git_oid *bad;
	const git_oid *good; /* n_good of them */
	size_t n_good;
	bool first_parent;
	const char *term_good, *term_bad; /* NULL: good, bad */
	const struct fb_strv *paths;	  /* NULL: no limit */
};

/* Clears the old bisection's refs and files and writes the new ones. */
int fb_bisect_start(struct fb_worktree *wt, const struct fb_bisect_begin *begin,
		    struct fb_error *err);

/*
 * May these be the words for good and bad? As git: names that a ref can have,
 * different, none of them a command of git bisect nor the other one's usual
 * word.
 */
int fb_bisect_check_terms(const char *good, const char *bad,
			  struct fb_error *err);

enum fb_mark { FB_MARK_GOOD, FB_MARK_BAD, FB_MARK_SKIP };

/* Sets the ref and appends to BISECT_LOG. Marking twice is harmless. */
int fb_bisect_mark(struct fb_worktree *wt, enum fb_mark mark,
		   const git_oid *oid, struct fb_error *err);

/* Appends git's closing comment, "# first bad commit: [OID] subject". */
int fb_bisect_conclude(struct fb_worktree *wt, const git_oid *first_bad,
		       struct fb_error *err);

#endif
