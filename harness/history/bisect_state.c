/* SPDX-License-Identifier: GPL-2.0-or-later */
/* git's bisection state; file formats as git's builtin/bisect--helper.c. */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"
#include "worktree.h"

static const char *const words[] = {
	[FB_MARK_GOOD] = "good",
	[FB_MARK_BAD] = "bad",
	[FB_MARK_SKIP] = "skip",
};

static int put(const struct fb_worktree *wt, const char *name, const char *text,
	       struct fb_error *err)
{
	fb_autofree char *path = fb_strf("%s%s", wt->gitdir, name);
	return fb_file_write(path, text, strlen(text), err);
}

static int append_log(const struct fb_worktree *wt, const char *text,
		      struct fb_error *err)
{
	fb_autofree char *path = fb_strf("%sBISECT_LOG", wt->gitdir);
	return fb_file_append(path, text, err);
}

static char *subject(const struct fb_worktree *wt, const git_oid *oid)
{
	struct fb_repo repo = { .git = wt->git };
	return fb_repo_subject(&repo, oid);
}

static char *ref_name(enum fb_mark mark, const git_oid *oid)
{
	if (mark == FB_MARK_BAD)
		return fb_strdup("refs/bisect/bad");
	return fb_strf("refs/bisect/%s-%s", words[mark], git_oid_tostr_s(oid));
}

static int set_ref(struct fb_worktree *wt, enum fb_mark mark,
		   const git_oid *oid, struct fb_error *err)
{
	git_reference *ref = NULL;
	fb_autofree char *name = ref_name(mark, oid);
	if (git_reference_create(&ref, wt->git, name, oid, 1,
				 "firstbad bisect"))
		return fb_git_error(err, FB_E_MACHINE, "cannot set %s", name);
	git_reference_free(ref);
	return 0;
}

static int clear(struct fb_worktree *wt, struct fb_error *err)
{
	static const char *const files[] = {
		"BISECT_LOG",	       "BISECT_START",
		"BISECT_TERMS",	       "BISECT_NAMES",
		"BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK",
		"BISECT_FIRST_PARENT",
	};
	/*
	 * libgit2 reads and writes the refs of one work tree, but neither it
	 * nor git's own pack-refs lists or packs them: the folder is all.
	 */
	fb_autofree char *refs = fb_strf("%srefs/bisect", wt->gitdir);
	int rc = fb_rm_rf(refs, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		fb_autofree char *path = fb_strf("%s%s", wt->gitdir, files[i]);
		unlink(path);
	}
	return 0;
}

static char *comment(const struct fb_worktree *wt, const char *word,
		     const git_oid *oid)
{
	fb_autofree char *s = subject(wt, oid);
	return fb_strf("# %s: [%s] %s\n", word, git_oid_tostr_s(oid), s);
}

int fb_bisect_start(struct fb_worktree *wt, const git_oid *bad,
		    const git_oid *good, int first_parent, struct fb_error *err)
{
	char b[FB_OID_SIZE], g[FB_OID_SIZE];
	git_oid_tostr(b, sizeof(b), bad);
	git_oid_tostr(g, sizeof(g), good);
	int rc = clear(wt, err);
	fb_autofree char *bad_line = comment(wt, "bad", bad);
	fb_autofree char *good_line = comment(wt, "good", good);
	fb_autofree char *log = fb_strf(
		"%s%sgit bisect start %s'%s' '%s'\n", bad_line, good_line,
		first_parent ? "'--first-parent' " : "", b, g);
	fb_autofree char *start = fb_strf("%s\n", g);
	if (rc == 0)
		rc = put(wt, "BISECT_TERMS", "bad\ngood\n", err);
	if (rc == 0)
		rc = put(wt, "BISECT_NAMES", "\n", err);
	if (rc == 0 && first_parent)
		rc = put(wt, "BISECT_FIRST_PARENT", "\n", err);
	if (rc == 0)
		rc = set_ref(wt, FB_MARK_BAD, bad, err);
	if (rc == 0)
		rc = set_ref(wt, FB_MARK_GOOD, good, err);
	if (rc == 0)
		rc = put(wt, "BISECT_LOG", log, err);
	/* git takes BISECT_START for "a bisection is going on": last. */
	return rc ? rc : put(wt, "BISECT_START", start, err);
}

static int already_marked(struct fb_worktree *wt, enum fb_mark mark,
			  const git_oid *oid)
{
	git_oid there;
	fb_autofree char *name = ref_name(mark, oid);
	return git_reference_name_to_id(&there, wt->git, name) == 0 &&
	       git_oid_equal(&there, oid);
}

int fb_bisect_mark(struct fb_worktree *wt, enum fb_mark mark,
		   const git_oid *oid, struct fb_error *err)
{
	if (already_marked(wt, mark, oid))
		return 0;
	fb_autofree char *line = comment(wt, words[mark], oid);
	fb_autofree char *text = fb_strf("%sgit bisect %s %s\n", line,
					 words[mark], git_oid_tostr_s(oid));
	int rc = append_log(wt, text, err);
	return rc ? rc : set_ref(wt, mark, oid, err);
}

int fb_bisect_conclude(struct fb_worktree *wt, const git_oid *first_bad,
		       struct fb_error *err)
{
	fb_autofree char *line = comment(wt, "first bad commit", first_bad);
	return append_log(wt, line, err);
}
