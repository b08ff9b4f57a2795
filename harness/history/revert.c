/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "revert.h"

#include "cleanup.h"
#include "text.h"

typedef int apply_fn(git_index **out, git_repository *repo, git_commit *commit,
		     git_commit *on, unsigned mainline,
		     const git_merge_options *options);

/* Ours by name, and as old as the commit: time must not change its id. */
static int write_commit(const struct fb_repo *repo, git_commit *commit,
			git_commit *on, const git_oid *tree_id,
			const char *message, git_oid *out)
{
	git_tree *tree = NULL;
	git_signature *who = NULL;
	const git_commit *parents[] = { on };
	const git_signature *when = git_commit_committer(commit);
	int rc = git_signature_new(&who, "firstbad", "firstbad@localhost",
				   when->when.time, when->when.offset);
	if (rc == 0)
		rc = git_tree_lookup(&tree, repo->git, tree_id);
	if (rc == 0)
		rc = git_commit_create(out, repo->git, NULL, who, who, NULL,
				       message, tree, 1, parents);
	git_tree_free(tree);
	git_signature_free(who);
	return rc;
}

static int make(const struct fb_repo *repo, apply_fn *apply, git_commit *commit,
		git_commit *on, const char *message, git_oid *out,
		bool *applies)
{
	git_index *index = NULL;
	git_oid tree;
	git_merge_options options;
	unsigned mainline = git_commit_parentcount(commit) > 1 ? 1 : 0;
	*applies = false;
	git_merge_options_init(&options, GIT_MERGE_OPTIONS_VERSION);
	int rc = apply(&index, repo->git, commit, on, mainline, &options);
	if (rc == 0 && !git_index_has_conflicts(index)) {
		rc = git_index_write_tree_to(&tree, index, repo->git);
		*applies = rc == 0 &&
			   !git_oid_equal(&tree, git_commit_tree_id(on));
		if (*applies)
			rc = write_commit(repo, commit, on, &tree, message,
					  out);
	}
	git_index_free(index);
	return rc;
}

static int change(const struct fb_repo *repo, bool back, const git_oid *commit,
		  const git_oid *on, git_oid *out, bool *applies,
		  struct fb_error *err)
{
	git_commit *what = NULL, *where = NULL;
	apply_fn *apply = back ? git_revert_commit : git_cherrypick_commit;
	int rc = git_commit_lookup(&what, repo->git, commit);
	if (rc == 0)
		rc = git_commit_lookup(&where, repo->git, on);
	if (rc == 0) {
		const char *subject = git_commit_summary(what);
		const char *id = git_oid_tostr_s(commit);
		fb_autofree char *message =
			back ? fb_strf("Revert \"%s\"\n\nThis reverts commit "
				       "%s.\n",
				       subject, id) :
			       fb_strf("%s\n\n(cherry picked from commit "
				       "%s)\n",
				       subject, id);
		rc = make(repo, apply, what, where, message, out, applies);
	}
	git_commit_free(what);
	git_commit_free(where);
	return rc ? fb_git_error(err, FB_E_MACHINE, "cannot %s %s",
				 back ? "revert" : "cherry-pick",
				 git_oid_tostr_s(commit)) :
		    0;
}

int fb_commit_revert(const struct fb_repo *repo, const git_oid *commit,
		     const git_oid *on, git_oid *out, bool *applies,
		     struct fb_error *err)
{
	return change(repo, true, commit, on, out, applies, err);
}

int fb_commit_repeat(const struct fb_repo *repo, const git_oid *commit,
		     const git_oid *on, git_oid *out, bool *applies,
		     struct fb_error *err)
{
	return change(repo, false, commit, on, out, applies, err);
}
