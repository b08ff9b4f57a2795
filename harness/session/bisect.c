/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop: ask the engine, do it, store it, ask again. All state is in the
 * database; the engine is rebuilt from it, so that going on after a crash is
 * the same as going on.
 */
#include <stdlib.h>
#include <string.h>

#include "bisect_private.h"
#include "cancel.h"
#include "cleanup.h"
#include "clock.h"
#include "errors.h"
#include "load.h"
#include "metric.h"
#include "progress.h"

/* As git: good must be an ancestor of bad, or their merge bases are tested. */
static int find_bases(struct bisect *b, struct fb_error *err)
{
	int yes = 0;
	struct fb_session *s = b->s;
	int rc = fb_graph_is_ancestor(&s->repo, &b->good, &b->bad, &yes, err);
	if (rc || yes)
		return rc;
	rc = fb_graph_is_ancestor(&s->repo, &b->bad, &b->good, &yes, err);
	if (rc)
		return rc;
	if (yes)
		return fb_error_set(err, FB_E_USAGE,
				    "the bad revision is an ancestor of the "
				    "good one: are they the wrong way round?");
	rc = fb_graph_merge_bases(&s->repo, &b->good, &b->bad, &b->bases,
				  &b->n_bases, err);
	if (rc)
		return rc;
	if (b->n_bases == 0)
		return fb_error_set(err, FB_E_USAGE,
				    "good and bad have no common history%s",
				    s->repo.shallow ?
					    " (a shallow clone: try git fetch "
					    "--unshallow)" :
					    "");
	fb_warn("good is not an ancestor of bad; their merge base %s is "
		"tested first",
		git_oid_tostr_s(&b->bases[0]));
	return 0;
}

static struct fb_engine_params engine_params(const struct fb_config *cfg,
					     size_t n_bases)
{
	return (struct fb_engine_params){
		.threshold = cfg->threshold / 100,
		.confidence = cfg->confidence,
		.lower_is_better = bisect_lower_is_better(cfg),
		.endpoint = cfg->samples.endpoint,
		.min = cfg->samples.min,
		.max = cfg->samples.max,
		.failures = cfg->samples.failures,
		.n_bases = (unsigned)n_bases,
	};
}

/* Graph and engine for rec.good..rec.bad. */
static int load(struct bisect *b, struct fb_error *err)
{
	git_oid_fromstr(&b->good, b->rec.good);
	git_oid_fromstr(&b->bad, b->rec.bad);
	int rc = find_bases(b, err);
	if (rc == 0)
		rc = fb_graph_load(&b->graph, &b->s->repo, &b->good, 1, &b->bad,
				   b->rec.first_parent, err);
	if (rc == 0 && b->graph.dag.n == 0)
		rc = fb_error_set(err, FB_E_USAGE,
				  "there are no commits between good and bad");
	if (rc)
		return rc;
	struct fb_engine_params p = engine_params(b->s->cfg, b->n_bases);
	b->engine = fb_engine_new(&b->graph.dag, &p);
	size_t n = b->graph.dag.n + 1 + b->n_bases;
	b->marked = fb_calloc(n, sizeof(*b->marked));
	b->failure = fb_calloc(n, sizeof(*b->failure));
	return 0;
}

static void release(struct bisect *b)
{
	for (size_t i = 0; b->failure && i < b->graph.dag.n + 1 + b->n_bases;
	     i++)
		free(b->failure[i]);
	free(b->failure);
	fb_engine_free(b->engine);
	fb_graph_release(&b->graph);
	free(b->bases);
	free(b->tested);
	free(b->marked);
	free(b->other_machine);
	fb_bisection_release(&b->rec);
}

static int store_time(struct bisect *b, struct fb_error *err)
{
	double now = fb_now(), spent = now - b->begun;
	b->begun = now;
	b->rec.seconds_total += spent;
	return fb_db_bisection_spent(b->s->db, b->rec.id, spent, err);
}

static int store_decision(struct bisect *b, const struct fb_action *a,
			  struct fb_error *err)
{
	static const char *const names[] = {
		[FB_ACT_MEASURE] = "measure",
		[FB_ACT_FOUND] = "found",
		[FB_ACT_SEVERAL] = "several",
		[FB_ACT_UNDECIDED] = "undecided",
		[FB_ACT_SKIPPED_ONLY] = "skipped-only",
		[FB_ACT_NOT_REPRODUCED] = "not-reproduced",
		[FB_ACT_BASE_BAD] = "base-bad",
		[FB_ACT_END_UNTESTABLE] = "end-untestable",
	};
	char hex[FB_OID_SIZE];
	git_oid_tostr(hex, sizeof(hex), bisect_oid(b, a->node));
	struct fb_decision d = { hex, bisect_phase_name(a->phase),
				 names[a->kind], a->reason, a->candidates };
	return fb_db_decision_add(b->s->db, b->rec.id, &d, err);
}

static void show_progress(struct bisect *b, const struct fb_action *a)
{
	struct fb_totals t;
	struct fb_error ignored = FB_ERROR_INIT;
	unsigned left = fb_engine_steps_left(b->engine);
	unsigned done = 0;
	for (size_t i = 0; i < b->n_tested; i++)
		done += bisect_decided(b, b->tested[i]);
	/* Both ends count as steps, and so does the confirmation. */
	unsigned ahead = left + 1;
	if (a->phase == FB_PHASE_VERIFY)
		ahead = 1;
	else if (a->phase == FB_PHASE_ENDS)
		ahead = left + 3 - (done < 2 ? done : 2);
	fb_progress_step(done, done + ahead);
	if (fb_db_totals(b->s->db, b->rec.id, b->rec.metric, &t, &ignored) ||
	    t.boots == 0) {
		fb_error_release(&ignored);
		return;
	}
	double boot = (t.boot_seconds + t.probe_seconds) / t.boots;
	double build = t.build_seconds / (t.builds ? t.builds : 1);
	fb_progress_left(left * (build + 2 * boot) + 4 * boot);
}

static int measure(struct bisect *b, const struct fb_action *a,
		   struct fb_error *err)
{
	struct fb_boot boot;
	struct fb_attempt attempt = {
		.bisection = b->rec.id,
		.phase = bisect_phase_name(a->phase),
		.commit = bisect_oid(b, a->node),
		/* What the verdict needs is measured where it matters. */
		.extent = a->phase == FB_PHASE_VERIFY ? FB_EXTENT_FULL :
							FB_EXTENT_METRIC,
	};
	int rc = fb_attempt(b->s, &attempt, &boot, err);
	if (rc)
		return rc;
	double value = 0;
	bisect_remember_tested(b, a->node);
	if (boot.outcome == FB_OUTCOME_MEASURED &&
	    fb_boot_metric(&boot, b->rec.metric, &value)) {
		fb_engine_sample(b->engine, a->node, value,
				 a->phase == FB_PHASE_VERIFY);
	} else {
		fb_info("%.12s: %s (%s)", git_oid_tostr_s(attempt.commit),
			fb_outcome_name(boot.outcome),
			boot.detail ? boot.detail : "");
		bisect_remember_failure(
			b, a->node, fb_outcome_name(boot.outcome), boot.detail);
		fb_engine_failure(b->engine, a->node,
				  fb_outcome_final(boot.outcome));
	}
	fb_boot_release(&boot);
	return bisect_update_marks(b, err);
}

/* Has the deadline passed, or the number of builds been reached? */
static bool out_of_budget(struct bisect *b, struct fb_action *a)
{
	const struct fb_config *cfg = b->s->cfg;
	struct fb_totals t = { 0 };
	struct fb_error ignored = FB_ERROR_INIT;
	if (cfg->max_builds)
		fb_db_totals(b->s->db, b->rec.id, b->rec.metric, &t, &ignored);
	fb_error_release(&ignored);
	bool late = cfg->deadline > 0 && b->rec.seconds_total >= cfg->deadline;
	bool full = cfg->max_builds && t.builds >= cfg->max_builds &&
		    fb_engine_samples(b->engine, a->node) == 0;
	if (late || full)
		snprintf(a->reason, sizeof(a->reason),
			 late ? "the deadline of %.0f s has passed" :
				"the limit of %.0f builds is reached",
			 late ? cfg->deadline : (double)cfg->max_builds);
	return late || full;
}

static int loop(struct bisect *b, struct fb_error *err)
{
	struct fb_action a;
	int rc = bisect_update_marks(b, err);
	while (rc == 0) {
		rc = fb_cancel_check(err);
		if (rc)
			break;
		fb_engine_next(b->engine, &a);
		bool stop = a.kind != FB_ACT_MEASURE || out_of_budget(b, &a);
		rc = store_decision(b, &a, err);
		if (rc || stop)
			break;
		show_progress(b, &a);
		rc = measure(b, &a, err);
		if (rc == 0)
			rc = store_time(b, err);
	}
	fb_progress_done();
	return rc ? rc : bisect_conclude(b, &a, err);
}

static int start_git_state(struct bisect *b, struct fb_error *err)
{
	return fb_bisect_start(&b->s->worktree, &b->bad, &b->good,
			       b->rec.first_parent, err);
}

static int resolve_ends(struct bisect *b, const char *good, const char *bad,
			struct fb_error *err)
{
	git_oid g, x;
	int rc = fb_repo_resolve(&b->s->repo, good, &g, err);
	if (rc == 0)
		rc = fb_repo_resolve(&b->s->repo, bad, &x, err);
	if (rc)
		return rc;
	if (git_oid_equal(&g, &x))
		return fb_error_set(err, FB_E_USAGE,
				    "good and bad are the same commit, %.12s",
				    git_oid_tostr_s(&g));
	b->rec.good = fb_strdup(git_oid_tostr_s(&g));
	b->rec.bad = fb_strdup(git_oid_tostr_s(&x));
	return 0;
}

int fb_session_bisect(struct fb_session *s, const char *good, const char *bad,
		      bool first_parent, int64_t *id, struct fb_error *err)
{
	struct bisect b = { .s = s, .begun = fb_now() };
	b.rec.first_parent = first_parent;
	b.rec.repo = fb_strdup(s->repo.path);
	b.rec.metric = fb_strdup(s->cfg->metric);
	b.rec.config = fb_config_dump(s->cfg);

	int rc = resolve_ends(&b, good, bad, err);
	if (rc == 0)
		rc = load(&b, err);
	if (rc == 0)
		rc = fb_session_worktree(s, err);
	if (rc == 0)
		b.rec.worktree = fb_strdup(s->worktree.path);
	if (rc == 0)
		rc = fb_db_bisection_add(s->db, &b.rec, err);
	if (rc == 0) {
		*id = b.rec.id;
		fb_info("%u commits between good and bad", b.graph.dag.n);
		rc = start_git_state(&b, err);
	}
	if (rc == 0)
		rc = loop(&b, err);
	release(&b);
	return rc;
}

static char *copy(const char *s)
{
	return s ? fb_strdup(s) : NULL;
}

int fb_session_resume(struct fb_session *s, const struct fb_bisection *stored,
		      struct fb_error *err)
{
	struct bisect b = { .s = s, .begun = fb_now() };
	b.rec = (struct fb_bisection){
		.id = stored->id,
		.good = copy(stored->good),
		.bad = copy(stored->bad),
		.metric = copy(stored->metric),
		.first_parent = stored->first_parent,
		.seconds_total = stored->seconds_total,
	};
	int rc = load(&b, err);
	if (rc == 0)
		rc = bisect_replay(&b, err);
	if (rc == 0)
		rc = fb_session_worktree(s, err);
	if (rc == 0)
		rc = start_git_state(&b, err);
	if (rc == 0)
		rc = loop(&b, err);
	release(&b);
	return rc;
}
