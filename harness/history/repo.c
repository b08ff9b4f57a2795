/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "repo.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

int fb_git_error(struct fb_error *err, enum fb_code code, const char *fmt, ...)
{
	const git_error *e = git_error_last();
	va_list ap;
	va_start(ap, fmt);
	fb_autofree char *what = fb_vstrf(fmt, ap);
	va_end(ap);
	return fb_error_set(err, code, "%s: %s", what,
			    e && e->message ? e->message : "unknown git error");
}

int fb_repo_open(struct fb_repo *repo, const char *path, struct fb_error *err)
{
	*repo = (struct fb_repo){ 0 };
	git_libgit2_init();
	/*
	 * Hashing every object that is read costs most of a check-out's time;
	 * damage shows up as an error of zlib or of the object's header.
	 */
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	if (git_repository_open_ext(&repo->git, path, 0, NULL)) {
		fb_git_error(err, FB_E_USAGE,
			     "no git repository at %s (give --repo DIR)", path);
		git_libgit2_shutdown();
		return err->code;
	}
	repo->path = fb_strdup(git_repository_commondir(repo->git));
	repo->shallow = git_repository_is_shallow(repo->git) == 1;
	return 0;
}

void fb_repo_release(struct fb_repo *repo)
{
	if (!repo->git)
		return;
	git_repository_free(repo->git);
	free(repo->path);
	*repo = (struct fb_repo){ 0 };
	git_libgit2_shutdown();
}

int fb_repo_resolve(const struct fb_repo *repo, const char *rev, git_oid *out,
		    struct fb_error *err)
{
	git_object *object = NULL, *commit = NULL;
	int rc = git_revparse_single(&object, repo->git, rev);
	/* "c1" could be a short object id as well as a tag that is missing. */
	if (rc == GIT_ENOTFOUND || rc == GIT_EAMBIGUOUS)
		fb_error_set(err, FB_E_USAGE, "%s revision \"%s\" in %s (%s)",
			     rc == GIT_ENOTFOUND ? "unknown" :
						   "unknown or ambiguous",
			     rev, repo->path,
			     repo->shallow ? "a shallow clone: try git fetch "
					     "--unshallow --tags" :
					     "try git fetch --tags");
	else if (rc)
		fb_git_error(err, FB_E_USAGE, "cannot resolve \"%s\"", rev);
	else if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT))
		rc = fb_error_set(err, FB_E_USAGE, "\"%s\" is not a commit",
				  rev);
	else
		git_oid_cpy(out, git_object_id(commit));
	git_object_free(object);
	git_object_free(commit);
	return rc ? err->code : 0;
}

char *fb_repo_subject(const struct fb_repo *repo, const git_oid *oid)
{
	git_commit *commit;
	if (git_commit_lookup(&commit, repo->git, oid))
		return fb_strdup("");
	const char *summary = git_commit_summary(commit);
	char *copy = fb_strdup(summary ? summary : "");
	git_commit_free(commit);
	/* It goes to terminals, logs and mail: no control characters. */
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = ' ';
	return copy;
}
