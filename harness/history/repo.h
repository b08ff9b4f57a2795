/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A git repository, through libgit2. The user's checkout is only read;
 * everything that is built is checked out in a linked work tree of our own.
 */
#ifndef FB_REPO_H
#define FB_REPO_H

#include <git2.h>
#include <stdbool.h>

#include "boot.h"
#include "errors.h"

struct fb_repo {
	git_repository *git;
	char *path;   /* of its common git directory, absolute */
	bool shallow; /* history may be cut short */
};

/*
 * Opens the repository that `path` lies in; bare ones are fine. Release with
 * fb_repo_release().
 */
int fb_repo_open(struct fb_repo *repo, const char *path, struct fb_error *err);
void fb_repo_release(struct fb_repo *repo);

/* A revision as git understands it, peeled to a commit. */
int fb_repo_resolve(const struct fb_repo *repo, const char *rev, git_oid *out,
		    struct fb_error *err);

/* First line of the commit message; "" when it cannot be read. New string. */
char *fb_repo_subject(const struct fb_repo *repo, const git_oid *oid);

/* Turns libgit2's last error into ours. */
int fb_git_error(struct fb_error *err, enum fb_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
