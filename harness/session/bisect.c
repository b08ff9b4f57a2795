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
#include "plan.h"
#include "progress.h"

int bisect_store_time(struct bisect *b, struct fb_error *err)
{
	double now = fb_now(), spent = now - b->begun;
	b->begun = now;
	b->rec.seconds_total += spent;
	return fb_db_bisection_spent(b->s->db, b->rec.id, spent, err);
}

/* What the engine knows of a node and of the culprit, for the log. */
static char *knowledge(const struct bisect *b, const struct fb_action *a)
{
	const struct fb_explain *x = &a->explain;
	if (!(x->sigma > 0))
		return NULL;
	cJSON *o = cJSON_CreateObject();
	if (a->node < b->graph.dag.n)
		cJSON_AddNumberToObject(o, "p_bad", x->p_bad);
	cJSON_AddNumberToObject(o, "candidates", a->candidates);
	cJSON_AddNumberToObject(o, "entropy_bits", x->entropy);
	cJSON_AddStringToObject(o, "likely",
				git_oid_tostr_s(bisect_oid(b, x->top)));
	cJSON_AddNumberToObject(o, "p_likely", x->p_top);
	cJSON_AddNumberToObject(o, "drop", x->drop);
	cJSON_AddNumberToObject(o, "sigma", x->sigma);
	cJSON_AddNumberToObject(o, "odds_of_two", x->two_changes);
	if (x->build > 0 || x->boot > 0) {
		cJSON_AddNumberToObject(o, "value_build", x->build);
		cJSON_AddNumberToObject(o, "value_boot", x->boot);
	}
	char *text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	return text;
}

static int store_decision(struct bisect *b, const struct fb_action *a,
			  const char *phase, int64_t *id, struct fb_error *err)
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
	fb_autofree char *before = knowledge(b, a);
	struct fb_decision d = { .revision = hex,
				 .phase = phase,
				 .action = names[a->kind],
				 .reason = a->reason,
				 .before = before,
				 .candidates = a->candidates };
	return fb_db_decision_add(b->s->db, b->rec.id, &d, id, err);
}

int bisect_decide(struct bisect *b, const struct bisect_wish *wish,
		  const char *reason, int64_t *id, struct fb_error *err)
{
	struct fb_action a = { .kind = FB_ACT_MEASURE, .node = wish->node };
	int rc = fb_cancel_check(err);
	snprintf(a.reason, sizeof(a.reason), "%s", reason);
	return rc ? rc : store_decision(b, &a, wish->phase, id, err);
}

static int store_outcome(struct bisect *b, int64_t decision, uint32_t node,
			 struct fb_error *err)
{
	struct fb_action after = { .node = node };
	fb_engine_explain(bisect_guide(b), node, &after);
	fb_autofree char *text = knowledge(b, &after);
	return fb_db_decision_done(b->s->db, decision, text, err);
}

static void show_progress(struct bisect *b, const struct fb_action *a)
{
	struct fb_totals t;
	struct fb_error ignored = FB_ERROR_INIT;
	unsigned left = fb_engine_steps_left(bisect_guide(b));
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

char *bisect_out_of_budget(struct bisect *b, uint32_t node)
{
	const struct fb_config *cfg = b->s->cfg;
	struct fb_totals t = { 0 };
	struct fb_error ignored = FB_ERROR_INIT;
	if (cfg->max_builds)
		fb_db_totals(b->s->db, b->rec.id, b->rec.metric, &t, &ignored);
	fb_error_release(&ignored);
	if (cfg->deadline > 0 && b->rec.seconds_total >= cfg->deadline)
		return fb_strf("the deadline of %.0f s has passed",
			       cfg->deadline);
	if (cfg->max_builds && t.builds >= cfg->max_builds &&
	    fb_engine_samples(bisect_guide(b), node) == 0)
		return fb_strf("the limit of %u builds is reached",
			       cfg->max_builds);
	return NULL;
}

/* What to do next, by the surrogate or by the metric itself. */
static int next(struct bisect *b, struct fb_action *a, struct bisect_wish *wish,
		struct fb_error *err)
{
	*a = (struct fb_action){ 0 };
	if (bisect_surrogate_next(b, a, wish))
		return 0;
	fb_engine_next(b->engine, a);
	bool searching =
		a->phase == FB_PHASE_SEARCH || a->phase == FB_PHASE_VERIFY;
	if (searching && !b->surrogate.considered) {
		int rc = bisect_consider_surrogate(b, err);
		if (rc || bisect_surrogate_next(b, a, wish))
			return rc;
	}
	*wish = (struct bisect_wish){
		a->node, bisect_phase_name(a->phase),
		/* What the verdict needs is measured where it matters. */
		a->phase == FB_PHASE_VERIFY ? FB_EXTENT_FULL : FB_EXTENT_METRIC
	};
	return 0;
}

static bool budget_ends(struct bisect *b, struct fb_action *a)
{
	fb_autofree char *why = bisect_out_of_budget(b, a->node);
	if (why)
		snprintf(a->reason, sizeof(a->reason), "%s", why);
	return why != NULL;
}

static int step(struct bisect *b, const struct fb_action *a,
		const struct bisect_wish *wish, int64_t decision,
		struct fb_error *err)
{
	int rc = 0;
	show_progress(b, a);
	for (unsigned k = 0; rc == 0 && k < a->boots; k++) {
		fb_autofree char *late =
			k ? bisect_out_of_budget(b, a->node) : NULL;
		if (late)
			break;
		rc = fb_cancel_check(err);
		if (rc == 0)
			rc = bisect_boot(b, wish, decision, err);
		/* A boot that failed changes what is worth doing. */
		if (b->failure[a->node])
			break;
	}
	if (rc == 0)
		rc = store_outcome(b, decision, a->node, err);
	return rc ? rc : bisect_update_marks(b, err);
}

static int loop(struct bisect *b, struct fb_error *err)
{
	struct fb_action a;
	struct bisect_wish wish;
	int64_t decision;
	int rc = bisect_update_marks(b, err);
	while (rc == 0) {
		rc = fb_cancel_check(err);
		if (rc == 0)
			rc = next(b, &a, &wish, err);
		if (rc)
			break;
		bool stop = a.kind != FB_ACT_MEASURE || budget_ends(b, &a);
		rc = store_decision(b, &a, wish.phase, &decision, err);
		if (rc || stop)
			break;
		rc = step(b, &a, &wish, decision, err);
	}
	fb_progress_done();
	if (rc == 0 && a.kind == FB_ACT_FOUND)
		rc = bisect_prove(b, a.node, err);
	fb_progress_done();
	return rc ? rc : bisect_conclude(b, &a, err);
}

static void make_engine(struct bisect *b)
{
	struct fb_engine_params p = bisect_engine_params(b);
	fb_engine_free(b->engine);
	b->engine = fb_engine_new(&b->graph.dag, &p);
	fb_engine_prior(b->engine, b->graph.weight);
}

static int search(struct bisect *b, struct fb_error *err)
{
	make_engine(b);
	int rc = bisect_start_git_state(b, err);
	if (rc == 0 && fb_streq(b->rec.metric, FB_METRIC_AUTO)) {
		rc = bisect_choose_metric(b, err);
		make_engine(b);
	}
	if (rc == 0)
		rc = bisect_replay(b, err);
	return rc ? rc : loop(b, err);
}

int fb_session_bisect(struct fb_session *s, const struct fb_bisect_request *r,
		      int64_t *id, struct fb_error *err)
{
	struct bisect b = { .s = s, .begun = fb_now() };
	b.rec.repo = fb_strdup(s->repo.path);
	b.rec.metric = fb_strdup(s->cfg->metric);
	b.rec.config = fb_config_dump(s->cfg);

	int rc = bisect_read_request(&b, r, err);
	if (rc == 0)
		rc = bisect_load(&b, err);
	if (rc == 0)
		rc = fb_session_worktree(s, err);
	if (rc == 0)
		b.rec.worktree = fb_strdup(s->worktree.path);
	if (rc == 0)
		rc = bisect_store_new(&b, err);
	if (rc == 0) {
		*id = b.rec.id;
		fb_info("%u commits between good and bad", b.graph.candidates);
		rc = search(&b, err);
	}
	bisect_release(&b);
	return rc;
}

int fb_session_resume(struct fb_session *s, const struct fb_bisection *stored,
		      struct fb_error *err)
{
	struct bisect b = { .s = s, .begun = fb_now() };
	int rc = bisect_read_stored(&b, stored, err);
	if (rc == 0)
		rc = bisect_load(&b, err);
	if (rc == 0)
		rc = fb_session_worktree(s, err);
	if (rc == 0)
		rc = search(&b, err);
	bisect_release(&b);
	return rc;
}
