/* SPDX-License-Identifier: GPL-2.0-or-later */
/* git's bisection state; file formats as git's builtin/bisect--helper.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"
#include "worktree.h"

static const char *word(const struct fb_worktree *wt, enum fb_mark mark)
{
	switch (mark) {
	case FB_MARK_GOOD:
		return wt->good_word;
	case FB_MARK_BAD:
		return wt->bad_word;
	default:
		return "skip";
	}
}

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

static char *ref_name(const struct fb_worktree *wt, enum fb_mark mark,
		      const git_oid *oid)
{
	if (mark == FB_MARK_BAD)
		return fb_strf("refs/bisect/%s", wt->bad_word);
	return fb_strf("refs/bisect/%s-%s", word(wt, mark),
		       git_oid_tostr_s(oid));
}

static int set_ref(struct fb_worktree *wt, enum fb_mark mark,
		   const git_oid *oid, struct fb_error *err)
{
	git_reference *ref = NULL;
	fb_autofree char *name = ref_name(wt, mark, oid);
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

static char *comment(const struct fb_worktree *wt, const char *what,
		     const git_oid *oid)
{
	fb_autofree char *s = subject(wt, oid);
	return fb_strf("# %s: [%s] %s\n", what, git_oid_tostr_s(oid), s);
}

int fb_bisect_check_terms(const char *good, const char *bad,
			  struct fb_error *err)
{
	static const char *const commands[] = {
		"help", "start",  "skip", "next", "reset", "visualize",
		"view", "replay", "log",  "run",  "terms",
	};
	const char *const terms[] = { good, bad };
	for (int i = 0; i < 2; i++) {
		fb_autofree char *ref = fb_strf("refs/bisect/%s", terms[i]);
		int valid = 0;
		for (size_t k = 0; k < sizeof(commands) / sizeof(commands[0]);
		     k++)
			if (fb_streq(terms[i], commands[k]))
				return fb_error_set(err, FB_E_USAGE,
						    "\"%s\" is a command of "
						    "git bisect and cannot be "
						    "a term",
						    terms[i]);
		if (git_reference_name_is_valid(&valid, ref) || !valid ||
		    strchr(terms[i], '/'))
			return fb_error_set(err, FB_E_USAGE,
					    "\"%s\" cannot be a term: it must "
					    "be a valid part of a ref's name",
					    terms[i]);
	}
	if (fb_streq(good, bad) || fb_streq(good, "bad") ||
	    fb_streq(good, "new") || fb_streq(bad, "good") ||
	    fb_streq(bad, "old"))
		return fb_error_set(err, FB_E_USAGE,
				    "\"%s\" cannot stand for good and \"%s\" "
				    "for bad",
				    good, bad);
	return 0;
}

/* As git quotes words for a shell: 'it'\''s'. */
static void quote(FILE *out, const char *s)
{
	fputs(" '", out);
	for (; *s; s++) {
		if (*s == '\'' || *s == '!')
			fprintf(out, "'\\%c'", *s);
		else
			fputc(*s, out);
	}
	fputc('\'', out);
}

/* The comments and the command that begin BISECT_LOG. */
static char *first_lines(const struct fb_worktree *wt,
			 const struct fb_bisect_begin *begin)
{
	char *text = NULL;
	size_t size;
	FILE *log = open_memstream(&text, &size);
	fb_autofree char *bad = comment(wt, wt->bad_word, begin->bad);
	fputs(bad, log);
	for (size_t i = 0; i < begin->n_good; i++) {
		fb_autofree char *good =
			comment(wt, wt->good_word, &begin->good[i]);
		fputs(good, log);
	}
	fputs("git bisect start", log);
	if (begin->first_parent)
		quote(log, "--first-parent");
	if (begin->term_bad || begin->term_good) {
		fb_autofree char *n = fb_strf("--term-new=%s", wt->bad_word);
		fb_autofree char *o = fb_strf("--term-old=%s", wt->good_word);
		quote(log, n);
		quote(log, o);
	}
	quote(log, git_oid_tostr_s(begin->bad));
	for (size_t i = 0; i < begin->n_good; i++)
		quote(log, git_oid_tostr_s(&begin->good[i]));
	if (begin->paths && begin->paths->n)
		quote(log, "--");
	for (size_t i = 0; begin->paths && i < begin->paths->n; i++)
		quote(log, begin->paths->v[i]);
	fputc('\n', log);
	fclose(log);
	return text;
}

static char *path_names(const struct fb_strv *paths)
{
	char *text = NULL;
	size_t size;
	FILE *names = open_memstream(&text, &size);
	for (size_t i = 0; paths && i < paths->n; i++)
		quote(names, paths->v[i]);
	fputc('\n', names);
	fclose(names);
	return text;
}

int fb_bisect_start(struct fb_worktree *wt, const struct fb_bisect_begin *begin,
		    struct fb_error *err)
{
	free(wt->good_word);
	free(wt->bad_word);
	wt->good_word = fb_strdup(begin->term_good ? begin->term_good : "good");
	wt->bad_word = fb_strdup(begin->term_bad ? begin->term_bad : "bad");
	fb_autofree char *terms =
		fb_strf("%s\n%s\n", wt->bad_word, wt->good_word);
	fb_autofree char *names = path_names(begin->paths);
	fb_autofree char *log = first_lines(wt, begin);
	fb_autofree char *start =
		fb_strf("%s\n", git_oid_tostr_s(&begin->good[0]));

	int rc = clear(wt, err);
	if (rc == 0)
		rc = put(wt, "BISECT_TERMS", terms, err);
	if (rc == 0)
		rc = put(wt, "BISECT_NAMES", names, err);
	if (rc == 0 && begin->first_parent)
		rc = put(wt, "BISECT_FIRST_PARENT", "\n", err);
	if (rc == 0)
		rc = set_ref(wt, FB_MARK_BAD, begin->bad, err);
	for (size_t i = 0; rc == 0 && i < begin->n_good; i++)
		rc = set_ref(wt, FB_MARK_GOOD, &begin->good[i], err);
	if (rc == 0)
		rc = put(wt, "BISECT_LOG", log, err);
	/* git takes BISECT_START for "a bisection is going on": last. */
	return rc ? rc : put(wt, "BISECT_START", start, err);
}

static int already_marked(struct fb_worktree *wt, enum fb_mark mark,
			  const git_oid *oid)
{
	git_oid there;
	fb_autofree char *name = ref_name(wt, mark, oid);
	return git_reference_name_to_id(&there, wt->git, name) == 0 &&
	       git_oid_equal(&there, oid);
}

int fb_bisect_mark(struct fb_worktree *wt, enum fb_mark mark,
		   const git_oid *oid, struct fb_error *err)
{
	if (already_marked(wt, mark, oid))
		return 0;
	fb_autofree char *line = comment(wt, word(wt, mark), oid);
	fb_autofree char *text = fb_strf("%sgit bisect %s %s\n", line,
					 word(wt, mark), git_oid_tostr_s(oid));
	int rc = append_log(wt, text, err);
	return rc ? rc : set_ref(wt, mark, oid, err);
}

int fb_bisect_conclude(struct fb_worktree *wt, const git_oid *first_bad,
		       struct fb_error *err)
{
	fb_autofree char *what = fb_strf("first %s commit", wt->bad_word);
	fb_autofree char *line = comment(wt, what, first_bad);
	return append_log(wt, line, err);
}
