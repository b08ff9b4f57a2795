/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which metric to bisect when none was named: both end points are measured
 * with everything, and the figure that differs most clearly is taken.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arms.h"
#include "bisect_private.h"
#include "cleanup.h"
#include "errors.h"
#include "metric.h"
#include "plan.h"
#include "progress.h"
#include "separation.h"

int bisect_end_samples(struct bisect *b, const char *phase,
		       struct fb_verdict *v, struct fb_error *err)
{
	struct fb_boot_filter good = { .bisection = b->rec.id,
				       .revision = b->rec.good,
				       .phase = phase };
	struct fb_boot_filter bad = good;
	bad.revision = b->rec.bad;
	*v = (struct fb_verdict){ 0 };
	int rc = fb_load_samples(b->s->db, &good, 'a', v, err);
	return rc ? rc : fb_load_samples(b->s->db, &bad, 'b', v, err);
}

/* How clearly it got worse, in scatters; below 0 when it did not. */
static double worsening(const struct bisect *b, const struct fb_comparison *row)
{
	struct fb_separation s = fb_separation(row);
	bool lower = b->s->cfg->better == FB_BETTER_LOWER ||
		     (b->s->cfg->better == FB_BETTER_AUTO &&
		      fb_metric_better(row->metric) == FB_BETTER_LOWER);
	double change = lower ? s.change : -s.change;
	if (change < -log1p(-b->s->cfg->threshold / 100))
		return -1;
	return change / s.scatter;
}

static const struct fb_comparison *clearest(const struct bisect *b,
					    const struct fb_verdict *v)
{
	const struct fb_comparison *best = NULL, *any = NULL;
	double value = 0;
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		if (!fb_metric_is_headline(row->metric) ||
		    row->n_a < b->s->cfg->samples.endpoint ||
		    row->n_b < b->s->cfg->samples.endpoint)
			continue;
		any = any ? any : row;
		double w = worsening(b, row);
		if (w > value) {
			value = w;
			best = row;
		}
	}
	return best ? best : any;
}

static int take(struct bisect *b, const struct fb_verdict *v,
		struct fb_error *err)
{
	const struct fb_comparison *row = clearest(b, v);
	if (!row)
		return fb_error_set(err, FB_E_USAGE,
				    "no metric came from every boot of both "
				    "end points; name one with --metric");
	struct fb_separation s = fb_separation(row);
	free(b->rec.metric);
	free(b->s->metric);
	b->rec.metric = fb_strdup(row->metric);
	b->s->metric = fb_strdup(row->metric);
	fb_info("metric %s: %+.1f %% between the end points, %.1f times its "
		"scatter; the clearest change for the worse",
		row->metric, 100 * expm1(s.change), fabs(s.change) / s.scatter);
	return fb_db_bisection_metric(b->s->db, &b->rec, err);
}

static unsigned measured(const struct fb_verdict *v, char arm)
{
	size_t most = 0;
	for (size_t i = 0; i < v->n; i++) {
		size_t n = arm == 'a' ? v->rows[i].n_a : v->rows[i].n_b;
		most = n > most ? n : most;
	}
	return (unsigned)most;
}

/* An exec runner measures everything each time anyway. */
static const char *phase_of_choice(const struct bisect *b)
{
	return b->s->cfg->runner.kind == FB_RUNNER_EXEC ? "ends" : "choose";
}

static int boot_end(struct bisect *b, uint32_t node, struct fb_error *err)
{
	struct bisect_wish wish = { node, phase_of_choice(b), FB_EXTENT_FULL };
	int64_t id;
	int rc =
		bisect_decide(b, &wish, "which metric differs most?", &id, err);
	return rc ? rc : bisect_boot(b, &wish, id, err);
}

int bisect_choose_metric(struct bisect *b, struct fb_error *err)
{
	uint32_t n = b->graph.dag.n;
	unsigned least = b->s->cfg->samples.endpoint;
	for (;;) {
		struct fb_verdict v;
		int rc = bisect_end_samples(b, phase_of_choice(b), &v, err);
		unsigned good = measured(&v, 'a'), bad = measured(&v, 'b');
		bool enough = good >= least && bad >= least;
		uint32_t node = good <= bad ? n : n - 1;
		if (rc == 0 && enough)
			rc = take(b, &v, err);
		fb_verdict_release(&v);
		if (rc || enough)
			return rc;
		/* The metric's engine will say it. */
		if (fb_engine_mark(b->engine, node) == FB_NODE_SKIP)
			return 0;
		rc = boot_end(b, node, err);
		if (rc)
			return rc;
	}
}
