/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "worktree.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "file.h"

static void drop_branch(const struct fb_repo *repo, const char *name)
{
	git_reference *branch;
	fb_autofree char *ref = fb_strf("refs/heads/%s", name);
	if (git_reference_lookup(&branch, repo->git, ref))
		return;
	git_reference_delete(branch);
	git_reference_free(branch);
}

static void drop_registration(const struct fb_repo *repo, const char *name)
{
	git_worktree_prune_options opts = GIT_WORKTREE_PRUNE_OPTIONS_INIT;
	git_worktree *tree;
	if (git_worktree_lookup(&tree, repo->git, name))
		return;
	opts.flags = GIT_WORKTREE_PRUNE_VALID | GIT_WORKTREE_PRUNE_LOCKED;
	git_worktree_prune(tree, &opts);
	git_worktree_free(tree);
}

/*
 * git_worktree_add() makes a branch of the work tree's name; the user's list
 * of branches is not ours to grow, so it goes again at once.
 */
static int add(struct fb_worktree *wt, const struct fb_repo *repo,
	       const char *name, struct fb_error *err)
{
	git_worktree *tree = NULL;
	git_oid head;

	drop_registration(repo, name);
	drop_branch(repo, name);
	if (fb_rm_rf(wt->path, err))
		return err->code;
	int rc = git_worktree_add(&tree, repo->git, name, wt->path, NULL);
	git_worktree_free(tree);
	if (rc == 0)
		rc = git_repository_open(&wt->git, wt->path);
	if (rc == 0)
		rc = git_reference_name_to_id(&head, wt->git, "HEAD");
	if (rc == 0)
		rc = git_repository_set_head_detached(wt->git, &head);
	if (rc)
		fb_git_error(err, FB_E_MACHINE, "cannot make the work tree %s",
			     wt->path);
	drop_branch(repo, name);
	return rc ? err->code : 0;
}

/* Of this repository, and registered there at this very place? */
static bool is_ours(const struct fb_worktree *wt, const struct fb_repo *repo)
{
	const char *workdir = git_repository_workdir(wt->git);
	struct stat a, b;
	return fb_streq(git_repository_commondir(wt->git), repo->path) &&
	       workdir && stat(workdir, &a) == 0 && stat(wt->path, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int fb_worktree_open(struct fb_worktree *wt, const struct fb_repo *repo,
		     const char *path, struct fb_error *err)
{
	*wt = (struct fb_worktree){ .path = fb_strdup(path) };
	fb_autofree char *copy = fb_strdup(path);
	const char *name = basename(copy);
	int rc = 0;

	if (git_repository_open(&wt->git, path) == 0 && !is_ours(wt, repo)) {
		git_repository_free(wt->git);
		wt->git = NULL;
	}
	if (!wt->git) {
		fb_autofree char *parent = fb_strdup(path);
		rc = fb_mkdir_p(dirname(parent), err);
		if (rc == 0)
			rc = add(wt, repo, name, err);
	}
	if (rc) {
		fb_worktree_release(wt);
		return rc;
	}
	wt->gitdir = fb_strdup(git_repository_path(wt->git));
	return 0;
}

void fb_worktree_release(struct fb_worktree *wt)
{
	git_repository_free(wt->git);
	free(wt->path);
	free(wt->gitdir);
	free(wt->good_word);
	free(wt->bad_word);
	*wt = (struct fb_worktree){ 0 };
}

int fb_worktree_checkout(struct fb_worktree *wt, const git_oid *oid,
			 struct fb_error *err)
{
	git_checkout_options opts;
	git_commit *commit = NULL;
	git_checkout_options_init(&opts, GIT_CHECKOUT_OPTIONS_VERSION);
	opts.checkout_strategy =
		GIT_CHECKOUT_FORCE | GIT_CHECKOUT_REMOVE_UNTRACKED;
	fb_autofree char *lock = fb_strf("%sindex.lock", wt->gitdir);
	unlink(lock); /* of a firstbad that was killed: we hold the state lock */
	int rc = 0;
	if (git_commit_lookup(&commit, wt->git, oid) ||
	    git_checkout_tree(wt->git, (git_object *)commit, &opts) ||
	    git_repository_set_head_detached(wt->git, oid))
		rc = fb_git_error(err, FB_E_MACHINE,
				  "cannot check out %s in %s",
				  git_oid_tostr_s(oid), wt->path);
	git_commit_free(commit);
	return rc;
}
