/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What boots gave, as it happens and as the database tells it again. */
#include <stdlib.h>
#include <string.h>

#include "bisect_private.h"
#include "cleanup.h"
#include "clock.h"
#include "errors.h"
#include "plan.h"
#include "progress.h"

/*
 * Boots that chose the metric ran other workloads before it, and those of the
 * surrogate were too short: neither is a sample of the metric.
 */
static bool counts(const struct bisect *b, const struct fb_engine *engine,
		   const char *phase)
{
	if (fb_streq(phase, "choose"))
		return false;
	return engine != b->engine || !fb_starts_with(phase, "surrogate");
}

static bool is_fresh(const struct bisect *b, const struct fb_engine *engine,
		     const char *phase)
{
	return fb_streq(phase,
			engine == b->engine ? "verify" : "surrogate-verify");
}

void bisect_take(struct bisect *b, struct fb_engine *engine,
		 const struct bisect_taken *t)
{
	if (t->outcome != FB_OUTCOME_MEASURED) {
		fb_engine_failure(engine, t->node,
				  fb_outcome_final(t->outcome));
		return;
	}
	if (!counts(b, engine, t->phase))
		return;
	if (t->has_value)
		fb_engine_sample_at(engine, t->node, t->value,
				    is_fresh(b, engine, t->phase), t->at);
	else
		fb_engine_failure(engine, t->node, false);
}

/* Tells the engine how long builds and boots take here. */
static void learn_costs(struct bisect *b)
{
	struct fb_totals t;
	struct fb_error ignored = FB_ERROR_INIT;
	if (fb_db_totals(b->s->db, b->rec.id, b->rec.metric, &t, &ignored) ||
	    t.boots == 0) {
		fb_error_release(&ignored);
		return;
	}
	double boot = (t.boot_seconds + t.probe_seconds) / t.boots;
	double build = t.builds ? t.build_seconds / t.builds : 0;
	if (!b->s->runner->ops->prepare)
		build = boot / 100; /* nothing is built: all commits are near */
	fb_engine_costs(b->engine, build, boot);
	if (b->surrogate.engine)
		fb_engine_costs(b->surrogate.engine, build, boot);
}

static void tell_engines(struct bisect *b, struct bisect_taken *t,
			 const struct fb_boot *boot)
{
	struct fb_engine *const engines[] = { b->engine, b->surrogate.engine };
	const char *const metrics[] = { b->rec.metric, b->rec.surrogate };
	for (int i = 0; i < 2; i++) {
		if (!engines[i])
			continue;
		t->has_value = fb_boot_metric(boot, metrics[i], &t->value);
		/* Which figure counts is not chosen yet. */
		if (fb_streq(metrics[i], FB_METRIC_AUTO) &&
		    t->outcome == FB_OUTCOME_MEASURED)
			continue;
		bisect_take(b, engines[i], t);
	}
}

int bisect_boot(struct bisect *b, const struct bisect_wish *wish,
		int64_t decision, struct fb_error *err)
{
	struct fb_boot boot;
	struct fb_attempt attempt = {
		.purpose = { .bisection = b->rec.id, .decision = decision },
		.phase = wish->phase,
		.commit = bisect_oid(b, wish->node),
		.extent = wish->extent,
	};
	int rc = fb_attempt(b->s, &attempt, &boot, err);
	if (rc)
		return rc;
	struct bisect_taken t = { .node = wish->node,
				  .phase = wish->phase,
				  .outcome = boot.outcome,
				  .at = fb_wall() - boot.seconds };
	bisect_remember_tested(b, wish->node);
	if (boot.outcome != FB_OUTCOME_MEASURED) {
		fb_info("%.12s: %s (%s)", git_oid_tostr_s(attempt.commit),
			fb_outcome_name(boot.outcome),
			boot.detail ? boot.detail : "");
		bisect_remember_failure(b, wish->node,
					fb_outcome_name(boot.outcome),
					boot.detail);
	}
	tell_engines(b, &t, &boot);
	fb_boot_release(&boot);
	learn_costs(b);
	return bisect_store_time(b, err);
}

struct replay {
	struct bisect *b;
	struct fb_engine *engine;
};

static int replay_build(void *data, const struct fb_build_row *row)
{
	struct replay *r = data;
	uint32_t node = bisect_node(r->b, row->revision);
	if (node != FB_DAG_NONE && !fb_streq(row->outcome, "measured")) {
		bisect_remember_tested(r->b, node);
		bisect_remember_failure(r->b, node, row->outcome, row->error);
		fb_engine_failure(r->engine, node, true);
	}
	return 0;
}

static void note_machine(struct bisect *b, const char *machine)
{
	const char *now = b->s->runner->machine;
	if (now && machine && !fb_streq(now, machine)) {
		free(b->other_machine);
		b->other_machine = fb_strdup(machine);
	}
}

static int replay_boot(void *data, const struct fb_boot_row *row)
{
	struct replay *r = data;
	struct bisect *b = r->b;
	struct bisect_taken t = { .node = bisect_node(b, row->revision),
				  .phase = row->phase,
				  .detail = row->detail,
				  .has_value = row->has_value,
				  .value = row->value,
				  .at = row->started };
	note_machine(b, row->machine);
	if (t.node == FB_DAG_NONE ||
	    !fb_outcome_parse(row->outcome, &t.outcome) ||
	    t.outcome == FB_OUTCOME_MACHINE)
		return 0;
	bisect_remember_tested(b, t.node);
	if (t.outcome != FB_OUTCOME_MEASURED)
		bisect_remember_failure(b, t.node, row->outcome, row->detail);
	bisect_take(b, r->engine, &t);
	return 0;
}

int bisect_replay_metric(struct bisect *b, struct fb_engine *engine,
			 const char *metric, struct fb_error *err)
{
	struct replay r = { b, engine };
	struct fb_purpose all = { .bisection = b->rec.id };
	for (size_t i = 0; i < b->n_skips; i++) {
		uint32_t node = bisect_node(b, git_oid_tostr_s(&b->skips[i]));
		if (node != FB_DAG_NONE)
			fb_engine_failure(engine, node, true);
	}
	int rc = fb_db_builds(b->s->db, all, replay_build, &r, err);
	if (rc == 0)
		rc = fb_db_boots(b->s->db, all, metric, replay_boot, &r, err);
	return rc;
}

int bisect_replay(struct bisect *b, struct fb_error *err)
{
	int rc = bisect_replay_metric(b, b->engine, b->rec.metric, err);
	/* Figures of two machines or clocks cannot be held against another. */
	if (rc == 0 && b->other_machine)
		rc = fb_error_set(err, FB_E_USAGE,
				  "bisection %lld was measured with \"%s\", "
				  "but this is \"%s\"; start it anew",
				  (long long)b->rec.id, b->other_machine,
				  b->s->runner->machine);
	if (rc == 0)
		learn_costs(b);
	return rc;
}
