/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "plan.h"
#include "progress.h"
#include "session.h"

#define MACHINERY_TRIES 3

struct checkout {
	struct fb_session *s;
	const git_oid *commit;
	const char *subject;
};

static int checkout(void *data, struct fb_error *err)
{
	struct checkout *c = data;
	fb_progress_doing("building %.12s (\"%s\")", git_oid_tostr_s(c->commit),
			  c->subject);
	return fb_worktree_checkout(&c->s->worktree, c->commit, err);
}

/* What is booted, as the database knows it. */
static char *revision(const struct fb_attempt *a)
{
	return fb_strdup(a->image ? a->name : git_oid_tostr_s(a->commit));
}

/* A directory of its own for the logs of this attempt. */
static int make_dir(const struct fb_session *s, const struct fb_attempt *a,
		    char **out, struct fb_error *err)
{
	const char *name = a->image ? "image" : git_oid_tostr_s(a->commit);
	fb_autofree char *parent = fb_strf("%s/runs/%lld", s->state,
					   (long long)a->purpose.bisection);
	int rc = fb_mkdir_p(parent, err);
	if (rc)
		return rc;
	*out = fb_strf("%s/%.12s-XXXXXX", parent, name);
	if (!mkdtemp(*out))
		return fb_error_errno(err, FB_E_MACHINE, "cannot create %s",
				      *out);
	return 0;
}

static int tree_of(const struct fb_session *s, const git_oid *commit, char *hex,
		   struct fb_error *err)
{
	git_commit *c;
	if (git_commit_lookup(&c, s->repo.git, commit))
		return fb_git_error(err, FB_E_MACHINE, "cannot read a commit");
	git_oid_tostr(hex, FB_OID_SIZE, git_commit_tree_id(c));
	git_commit_free(c);
	return 0;
}

static int build(struct fb_session *s, const struct fb_attempt *a,
		 const char *subject, const char *dir, struct fb_build *out,
		 int64_t *id, struct fb_error *err)
{
	char commit[FB_OID_SIZE], tree[FB_OID_SIZE];
	struct checkout c = { s, a->commit, subject };
	git_oid_tostr(commit, sizeof(commit), a->commit);
	int rc = tree_of(s, a->commit, tree, err);
	if (rc)
		return rc;
	struct fb_source src = { commit, tree,	   s->worktree.path,
				 dir,	 checkout, &c };
	rc = s->runner->ops->prepare(s->runner, &src, out, err);
	if (rc)
		return fb_error_wrap(err, "building %.12s", commit);
	if (out->lost)
		fb_warn("%.12s: options asked for, but not in its .config: %s",
			commit, out->lost);
	return fb_db_build_add(s->db, a->purpose, commit, out, id, err);
}

static int boot(struct fb_session *s, const struct fb_attempt *a,
		const char *dir, const char *image, struct fb_boot *out,
		struct fb_error *err)
{
	fb_autofree char *commit = revision(a);
	struct fb_plan plan;
	fb_plan_make(&plan, s->cfg, s->metric, a->extent);
	struct fb_job job = { commit, image, s->worktree.path, dir, &plan };
	int rc = s->runner->ops->measure(s->runner, &job, out, err);
	fb_plan_release(&plan);
	return rc;
}

static int store(struct fb_session *s, const struct fb_attempt *a,
		 int64_t build_id, const struct fb_boot *boot,
		 struct fb_error *err)
{
	fb_autofree char *commit = revision(a);
	int64_t id;
	struct fb_boot_key key = { a->purpose, build_id, commit, a->phase };
	return fb_db_boot_add(s->db, &key, boot, &id, err);
}

/*
 * A broken machine gets a few chances; it never counts against a commit. What
 * it had measured by then is kept.
 */
static int boot_patiently(struct fb_session *s, const struct fb_attempt *a,
			  int64_t build_id, const char *dir, const char *image,
			  struct fb_boot *out, struct fb_error *err)
{
	for (int try = 1;; try++) {
		int rc = boot(s, a, dir, image, out, err);
		if (rc == FB_E_MACHINE && out->outcome == FB_OUTCOME_MACHINE) {
			struct fb_error second = FB_ERROR_INIT;
			if (store(s, a, build_id, out, &second))
				fb_warn("%s", second.message);
			fb_error_release(&second);
			fb_boot_release(out);
		}
		if (rc != FB_E_MACHINE || try == MACHINERY_TRIES)
			return rc;
		fb_warn("the machinery failed (%s), trying again",
			err->message);
		fb_error_release(err);
		nanosleep(&(struct timespec){ .tv_sec = try }, NULL);
	}
}

/* The job promised the metric; a boot without it measured nothing. */
static void check_metric(const struct fb_session *s, struct fb_boot *boot)
{
	double value;
	bool any = fb_streq(s->metric, FB_METRIC_AUTO) && boot->n_samples;
	if (boot->outcome != FB_OUTCOME_MEASURED || any ||
	    (fb_boot_metric(boot, s->metric, &value) && value > 0))
		return;
	fb_boot_fail(boot, FB_OUTCOME_BAD_RESULT,
		     "no usable value of the metric %s came", s->metric);
}

int fb_attempt(struct fb_session *s, const struct fb_attempt *a,
	       struct fb_boot *out, struct fb_error *err)
{
	fb_autofree char *dir = NULL;
	fb_autofree char *rev = revision(a);
	fb_autofree char *subject =
		a->image ? fb_strdup("") : fb_repo_subject(&s->repo, a->commit);
	struct fb_build kernel = { .outcome = FB_OUTCOME_MEASURED };
	int64_t build_id = 0;

	*out = (struct fb_boot){ 0 };
	int rc = make_dir(s, a, &dir, err);
	if (a->image)
		kernel.image = fb_strdup(a->image);
	else if (rc == 0 && s->runner->ops->prepare)
		rc = build(s, a, subject, dir, &kernel, &build_id, err);
	if (rc == 0 && kernel.outcome != FB_OUTCOME_MEASURED) {
		fb_boot_fail(out, kernel.outcome, "%s",
			     kernel.error ? kernel.error : "does not build");
		fb_build_release(&kernel);
		return 0;
	}
	if (rc == 0) {
		if (a->image)
			fb_progress_doing("measuring %s",
					  strrchr(rev, '/') + 1);
		else
			fb_progress_doing("measuring %.12s (\"%s\")", rev,
					  subject);
		if (a->kernel && !*a->kernel && kernel.image)
			*a->kernel = fb_strdup(kernel.image);
		rc = boot_patiently(s, a, build_id, dir, kernel.image, out,
				    err);
	}
	if (rc == 0) {
		if (a->extent != FB_EXTENT_NOTHING)
			check_metric(s, out);
		rc = store(s, a, build_id, out, err);
	}
	fb_build_release(&kernel);
	if (rc)
		fb_boot_release(out);
	return rc;
}
