/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A/B: two arms that differ on one axis, booted in the order A B B A, so that
 * what drifts evenly hits both alike. Everything is stored, and read back from
 * the database before it is judged: after 4, 8, 16, 32, ... boots of each arm.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "cancel.h"
#include "cleanup.h"
#include "clock.h"
#include "compare_private.h"
#include "errors.h"
#include "load.h"
#include "metric.h"
#include "package.h"
#include "plan.h"
#include "process.h"
#include "progress.h"

#define FIRST_LOOK 4
#define BOOTS_MAX 32

/* A revision, or else a kernel that lies ready: an image or a package. */
static int find_kernel(struct compare *c, struct compare_arm *arm,
		       const char *name, struct fb_error *err)
{
	int rc = fb_repo_resolve(&c->s->repo, name, &arm->commit, err);
	if (rc == 0)
		return 0;
	arm->name = realpath(name, NULL);
	if (!arm->name)
		return fb_error_wrap(err, "neither a revision nor a file");
	if (c->s->cfg->runner.kind == FB_RUNNER_EXEC)
		return fb_error_set(err, FB_E_USAGE,
				    "the exec runner takes revisions, no "
				    "images: %s",
				    name);
	fb_error_release(err);
	if (fb_package_is(arm->name))
		return fb_package_unpack(c->s->cache, arm->name, &arm->image,
					 err);
	arm->image = fb_strdup(arm->name);
	return 0;
}

static int copy_config(const struct fb_config *from, struct fb_config *to,
		       struct fb_error *err)
{
	fb_autofree char *text = fb_config_dump(from);
	fb_config_init(to);
	return fb_config_parse(to, text, "configuration", err);
}

static int prepare_arm(struct compare *c, int i, struct fb_error *err)
{
	struct compare_arm *arm = &c->arm[i];
	const struct fb_compare_request *r = c->r;
	const char *value = i ? r->b : r->a;
	bool kernel = r->axis == FB_AXIS_KERNEL;
	int rc = copy_config(c->s->cfg, &arm->cfg, err);
	/* What the one arm's programs need, both kernels have. */
	if (rc == 0 && r->axis == FB_AXIS_USERSPACE)
		fb_strv_add(&arm->cfg.build.kconfig, "userspace");
	if (rc == 0)
		rc = fb_axis_apply(&arm->cfg, r->axis, value, err);
	if (rc == 0)
		rc = fb_config_check(&arm->cfg, err);
	if (rc == 0)
		rc = find_kernel(c, arm, kernel ? value : r->rev, err);
	return rc ? fb_error_wrap(err, "arm %c", 'A' + i) : 0;
}

static int open_arms(struct compare *c, struct fb_error *err)
{
	int rc = 0;
	/* Only what is built needs the one work tree there is. */
	if (!c->arm[0].image || !c->arm[1].image)
		rc = fb_session_worktree(c->s, err);
	for (int i = 0; rc == 0 && i < 2; i++) {
		struct compare_arm *arm = &c->arm[i];
		rc = fb_session_arm_open(&arm->s, c->s, &arm->cfg, err);
		arm->open = rc == 0;
	}
	return rc;
}

/* Runs what the host is to be set to; a failure is no measurement. */
static int set_host(const struct compare *c, int i, struct fb_error *err)
{
	const struct fb_strv *command = c->r->set[i];
	if (!command || command->n == 0)
		return 0;
	struct fb_process p = { .argv = fb_strv_args(command) };
	int rc = fb_process_check(&p, err);
	return rc ? fb_error_wrap(err,
				  "the host could not be set for arm %c; "
				  "nothing was measured",
				  'A' + i) :
		    0;
}

static int boot(struct compare *c, int i, struct fb_error *err)
{
	struct compare_arm *arm = &c->arm[i];
	struct fb_boot out;
	struct fb_attempt attempt = {
		.purpose = { .comparison = c->rec.id },
		.phase = i ? "b" : "a",
		.commit = &arm->commit,
		.image = arm->image,
		.name = arm->name,
		.extent = FB_EXTENT_FULL,
		.kernel = &arm->kernel,
	};
	int rc = set_host(c, i, err);
	if (rc == 0)
		rc = fb_attempt(&arm->s, &attempt, &out, err);
	if (rc)
		return rc;
	if (out.outcome == FB_OUTCOME_MEASURED) {
		arm->boots++;
		arm->failures = 0;
	} else {
		free(arm->failure);
		arm->failure = fb_strf("%s%s%s", fb_outcome_name(out.outcome),
				       out.detail ? ": " : "",
				       out.detail ? out.detail : "");
		fb_info("arm %c: %s", 'A' + i, arm->failure);
		arm->failures += fb_outcome_final(out.outcome) ?
					 c->s->cfg->samples.failures :
					 1;
	}
	fb_boot_release(&out);
	return 0;
}

/* How many headline figures are still open, and could be settled. */
static unsigned undecided(const struct fb_verdict *v)
{
	unsigned n = 0;
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		n += row->change == FB_CHANGE_UNCLEAR && row->more > 0 &&
		     row->n_a && row->n_b && fb_metric_is_headline(row->metric);
	}
	return n;
}

static int look(const struct compare *c, unsigned *open, struct fb_error *err)
{
	struct fb_verdict v = { 0 };
	int rc = compare_judge(c, &v, err);
	if (rc == 0)
		*open = undecided(&v);
	fb_verdict_release(&v);
	return rc;
}

static char *unmeasured(const struct compare *c)
{
	for (int i = 0; i < 2; i++)
		if (c->arm[i].failures >= c->s->cfg->samples.failures)
			return fb_strf("arm %c cannot be measured: %s", 'A' + i,
				       c->arm[i].failure);
	return NULL;
}

static int measure(struct compare *c, const char **status, char **reason,
		   struct fb_error *err)
{
	unsigned most = c->r->boots ? c->r->boots : BOOTS_MAX;
	unsigned next = FIRST_LOOK < most ? FIRST_LOOK : most, open = 0;
	double deadline = c->s->cfg->deadline;
	for (unsigned k = 0;; k++) {
		unsigned done = c->arm[0].boots < c->arm[1].boots ?
					c->arm[0].boots :
					c->arm[1].boots;
		int rc = fb_cancel_check(err);
		if (rc)
			return rc;
		*status = "unmeasured";
		*reason = unmeasured(c);
		if (*reason)
			return 0;
		bool late = deadline > 0 && fb_now() - c->begun > deadline;
		if (done >= next || (late && done)) {
			rc = look(c, &open, err);
			*status = open ? "budget" : "decided";
			*reason = open ? fb_strf("%u figures are still open "
						 "after %u boots of each arm",
						 open, done) :
					 fb_strf("every figure is decided "
						 "after %u boots of each arm",
						 done);
			if (rc || !open || late || done >= most)
				return rc;
			free(*reason);
			next = 2 * next < most ? 2 * next : most;
		}
		fb_progress_step(c->arm[0].boots + c->arm[1].boots, 2 * next);
		rc = boot(c, "ABBA"[k % 4] - 'A', err);
		if (rc)
			return rc;
	}
}

static void release(struct compare *c)
{
	for (int i = 0; i < 2; i++) {
		struct compare_arm *arm = &c->arm[i];
		if (arm->open)
			fb_session_arm_close(&arm->s);
		fb_config_release(&arm->cfg);
		free(arm->image);
		free(arm->name);
		free(arm->kernel);
		free(arm->failure);
	}
	fb_comparison_record_release(&c->rec);
}

static int run(struct compare *c, struct fb_error *err)
{
	const char *status = NULL;
	fb_autofree char *reason = NULL;
	const struct fb_strv *undo = c->r->undo;
	int rc = fb_undo_arm(&c->undo, undo ? fb_strv_args(undo) : NULL, err);
	if (rc)
		return rc;
	rc = measure(c, &status, &reason, err);
	fb_progress_done();
	struct fb_error second = FB_ERROR_INIT;
	if (fb_undo_run(&c->undo, &second)) {
		fb_warn("%s", second.message);
		if (rc == 0)
			rc = fb_error_set(err, FB_E_MACHINE, "%s",
					  second.message);
	}
	fb_error_release(&second);
	return rc ? rc : compare_conclude(c, status, reason, err);
}

static int begin(struct compare *c, struct fb_error *err)
{
	const struct fb_compare_request *r = c->r;
	fb_autofree char *config = fb_config_dump(c->s->cfg);
	c->rec = (struct fb_comparison_record){
		.axis = fb_strdup(fb_axis_name(r->axis)),
		.a = fb_strdup(r->a),
		.b = fb_strdup(r->b),
		.revision =
			r->axis == FB_AXIS_KERNEL ? NULL : fb_strdup(r->rev),
		.repo = fb_strdup(c->s->repo.path),
		.config = steal_ptr(config),
	};
	return fb_db_comparison_add(c->s->db, &c->rec, err);
}

int fb_session_compare(struct fb_session *s, const struct fb_compare_request *r,
		       int64_t *id, struct fb_error *err)
{
	struct compare c = { .s = s, .r = r, .begun = fb_now() };
	c.undo.fd = -1;
	/* With an exec runner any figure may be the one. */
	if (s->cfg->runner.kind == FB_RUNNER_EXEC) {
		free(s->metric);
		s->metric = fb_strdup(FB_METRIC_AUTO);
	}
	int rc = 0;
	for (int i = 0; rc == 0 && i < 2; i++)
		rc = prepare_arm(&c, i, err);
	if (rc == 0)
		rc = open_arms(&c, err);
	if (rc == 0)
		rc = begin(&c, err);
	if (rc == 0) {
		*id = c.rec.id;
		rc = run(&c, err);
	}
	release(&c);
	return rc;
}
