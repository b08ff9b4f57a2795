/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which metric to bisect when none was named: both end points are measured
 * with everything, and the figure that differs most clearly is taken.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bisect_private.h"
#include "cleanup.h"
#include "errors.h"
#include "metric.h"
#include "plan.h"
#include "progress.h"
#include "separation.h"

struct arm {
	struct fb_verdict *v;
	char which;
};

static int add_value(void *data, const struct fb_sample_row *row)
{
	struct arm *arm = data;
	fb_verdict_add(arm->v, row->metric, arm->which, row->value);
	return 0;
}

int bisect_end_samples(struct bisect *b, struct fb_verdict *v,
		       struct fb_error *err)
{
	struct arm good = { v, 'a' }, bad = { v, 'b' };
	*v = (struct fb_verdict){ 0 };
	int rc = fb_db_samples(b->s->db, b->rec.id, b->rec.good, add_value,
			       &good, err);
	if (rc == 0)
		rc = fb_db_samples(b->s->db, b->rec.id, b->rec.bad, add_value,
				   &bad, err);
	return rc;
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

static int boot_end(struct bisect *b, uint32_t node, struct fb_error *err)
{
	/* An exec runner measures everything each time anyway. */
	bool exec = b->s->cfg->runner.kind == FB_RUNNER_EXEC;
	struct bisect_wish wish = { node, exec ? "ends" : "choose",
				    FB_EXTENT_FULL };
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
		int rc = bisect_end_samples(b, &v, err);
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
