/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A throughput may need dozens of boots a commit where a counter beside it,
 * such as the size of requests, tells good from bad in one short boot. The
 * search may then follow the counter, with an engine of its own. The culprit
 * that it names becomes the prior of the metric's engine, which confirms it with
 * a few boots, or looks elsewhere when the metric does not change there: two
 * changes are a finding, not a failure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bisect_private.h"
#include "cleanup.h"
#include "errors.h"
#include "metric.h"
#include "progress.h"
#include "separation.h"

#define NOISY 5	       /* drop of the metric, in scatters, below which */
#define CLEAN 10       /* the counter's, above which it is trusted */
#define CHANGE 0.05    /* least change of the counter, on log scale */
#define THRESHOLD 0.02 /* of its engine */
#define TRUST 0.9      /* that the metric changes where the counter does */

/* Of the same window, or whatever else an exec runner prints. */
static bool eligible(const struct bisect *b, const struct fb_comparison *row)
{
	size_t n = strlen(b->rec.metric);
	if (fb_streq(row->metric, b->rec.metric))
		return false;
	if (b->s->cfg->runner.kind == FB_RUNNER_EXEC)
		return true;
	return fb_metric_is_counter(row->metric) &&
	       strncmp(row->metric, b->rec.metric, n) == 0 &&
	       row->metric[n] == '.';
}

/* How clean it is, or 0 when it cannot be used. */
static double cleanliness(const struct bisect *b,
			  const struct fb_comparison *row,
			  const struct fb_comparison *metric)
{
	const char *wanted = b->s->cfg->surrogate;
	if (!metric || row->n_a != metric->n_a || row->n_b != metric->n_b ||
	    row->n_a < 2 || row->n_b < 2)
		return 0;
	struct fb_separation s = fb_separation(row);
	double d = fabs(s.change) / s.scatter;
	if (!s.apart)
		return 0;
	if (fb_streq(row->metric, wanted))
		return d;
	bool clean = d >= CLEAN && fabs(s.change) >= CHANGE;
	return fb_streq(wanted, "auto") && eligible(b, row) && clean ? d : 0;
}

static const struct fb_comparison *cleanest(const struct bisect *b,
					    const struct fb_verdict *v)
{
	const struct fb_comparison *best = NULL;
	const struct fb_comparison *metric = fb_verdict_find(v, b->rec.metric);
	double value = 0;
	for (size_t i = 0; i < v->n; i++) {
		double d = cleanliness(b, &v->rows[i], metric);
		if (d > value) {
			value = d;
			best = &v->rows[i];
		}
	}
	return best;
}

static bool metric_is_noisy(const struct bisect *b)
{
	struct fb_classes c;
	return fb_engine_classes(b->engine, &c) &&
	       fb_classes_drop(&c) < NOISY * c.sigma;
}

static int begin(struct bisect *b, const struct fb_comparison *row,
		 struct fb_error *err)
{
	struct fb_separation s = fb_separation(row);
	struct fb_engine_params p = bisect_engine_params(b);
	p.threshold = THRESHOLD;
	p.lower_is_better = s.change > 0;
	p.references = false;
	p.n_bases = 0;
	p.n_others += (unsigned)b->n_bases;
	b->surrogate.engine = fb_engine_new(&b->graph.dag, &p);
	fb_engine_prior(b->surrogate.engine, b->graph.weight);
	free(b->rec.surrogate);
	b->rec.surrogate = fb_strdup(row->metric);
	fb_info("the search follows %s: %+.1f %% between the end points, %.0f "
		"times its scatter; %s itself will confirm the answer",
		row->metric, 100 * expm1(s.change), fabs(s.change) / s.scatter,
		b->rec.metric);
	int rc = fb_db_bisection_metric(b->s->db, &b->rec, err);
	return rc ? rc :
		    bisect_replay_metric(b, b->surrogate.engine,
					 b->rec.surrogate, err);
}

int bisect_consider_surrogate(struct bisect *b, struct fb_error *err)
{
	const char *wanted = b->s->cfg->surrogate;
	bool named = !fb_streq(wanted, "auto");
	struct fb_verdict v;
	if (b->surrogate.considered || fb_streq(wanted, "off"))
		return 0;
	/* Noise shows itself in time: ask again as long as it is low. */
	if (!named && !b->rec.surrogate && !metric_is_noisy(b))
		return 0;
	b->surrogate.considered = true;
	int rc = bisect_end_samples(b, NULL, &v, err);
	if (rc)
		return rc;
	const struct fb_comparison *row =
		b->rec.surrogate ? fb_verdict_find(&v, b->rec.surrogate) :
				   cleanest(b, &v);
	if (row)
		rc = begin(b, row, err);
	else if (named)
		fb_warn("%s does not separate the end points in every boot; "
			"the search follows %s",
			wanted, b->rec.metric);
	fb_verdict_release(&v);
	return rc;
}

/* What the counter found is where the metric is expected to change, too. */
static void hand_over(struct bisect *b, uint32_t culprit)
{
	uint32_t n = b->graph.dag.n;
	fb_autofree double *prior = fb_calloc(n, sizeof(*prior));
	b->surrogate.culprit = culprit;
	for (uint32_t x = 0; x < n; x++)
		prior[x] = (1 - TRUST) / b->graph.candidates *
			   (b->graph.weight ? b->graph.weight[x] : 1);
	prior[culprit] += TRUST;
	fb_engine_prior(b->engine, prior);
	fb_progress_done();
	fb_info("%s changed in %.12s; does %s?", b->rec.surrogate,
		git_oid_tostr_s(bisect_oid(b, culprit)), b->rec.metric);
}

bool bisect_surrogate_next(struct bisect *b, struct fb_action *a,
			   struct bisect_wish *wish)
{
	struct bisect_surrogate *s = &b->surrogate;
	if (!bisect_stepping(b))
		return false;
	fb_engine_next(s->engine, a);
	if (a->kind == FB_ACT_FOUND) {
		hand_over(b, a->node);
		return false;
	}
	if (a->kind != FB_ACT_MEASURE) {
		/* The metric's engine may know better, or says the same. */
		s->given_up = true;
		return false;
	}
	bool fresh = a->phase == FB_PHASE_VERIFY;
	*wish = (struct bisect_wish){ a->node,
				      fresh ? "surrogate-verify" : "surrogate",
				      FB_EXTENT_SHORT };
	return true;
}
