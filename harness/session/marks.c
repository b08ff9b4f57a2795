/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of a bisection: their ids, and their marks in the engine and in git. */
#include <stdlib.h>

#include "bisect_private.h"
#include "cleanup.h"
#include "errors.h"
#include "metric.h"
#include "progress.h"

const git_oid *bisect_oid(const struct bisect *b, uint32_t node)
{
	uint32_t n = b->graph.dag.n;
	if (node < n)
		return &b->graph.oid[node];
	if (node == n)
		return &b->goods[0];
	if (node - n - 1 < b->n_bases)
		return &b->bases[node - n - 1];
	return &b->proof[node - n - 1 - b->n_bases].oid;
}

uint32_t bisect_node(const struct bisect *b, const char *hex)
{
	git_oid oid;
	uint32_t n = b->graph.dag.n;
	if (git_oid_fromstr(&oid, hex))
		return FB_DAG_NONE;
	for (uint32_t i = 0; i < n + 1 + b->n_bases; i++)
		if (git_oid_equal(bisect_oid(b, i), &oid))
			return i;
	return FB_DAG_NONE;
}

const char *bisect_phase_name(enum fb_phase phase)
{
	static const char *const names[] = { "ends", "bases", "search",
					     "verify" };
	return names[phase];
}

bool bisect_lower_is_better(const struct bisect *b)
{
	enum fb_better better = (enum fb_better)b->s->cfg->better;
	if (better == FB_BETTER_AUTO)
		better = fb_metric_better(b->rec.metric);
	return better == FB_BETTER_LOWER;
}

static bool is_decision(enum fb_node_mark mark)
{
	return mark != FB_NODE_UNTESTED && mark != FB_NODE_UNCLEAR;
}

bool bisect_stepping(const struct bisect *b)
{
	const struct bisect_surrogate *s = &b->surrogate;
	return s->engine && s->culprit == FB_DAG_NONE && !s->given_up;
}

struct fb_engine *bisect_guide(const struct bisect *b)
{
	return bisect_stepping(b) ? b->surrogate.engine : b->engine;
}

struct fb_engine *bisect_judge(const struct bisect *b, uint32_t node,
			       const char **metric)
{
	struct fb_engine *s = b->surrogate.engine;
	bool by_surrogate = s && node < b->graph.dag.n &&
			    fb_engine_samples(b->engine, node) == 0;
	*metric = by_surrogate ? b->rec.surrogate : b->rec.metric;
	return by_surrogate ? s : b->engine;
}

enum fb_node_mark bisect_mark(const struct bisect *b, uint32_t node)
{
	const char *metric;
	return fb_engine_mark(bisect_judge(b, node, &metric), node);
}

bool bisect_decided(const struct bisect *b, uint32_t node)
{
	return is_decision(bisect_mark(b, node));
}

void bisect_remember_tested(struct bisect *b, uint32_t node)
{
	for (size_t i = 0; i < b->n_tested; i++)
		if (b->tested[i] == node)
			return;
	FB_GROW(b->tested, b->n_tested, b->cap_tested);
	b->tested[b->n_tested++] = node;
}

void bisect_remember_failure(struct bisect *b, uint32_t node,
			     const char *outcome, const char *detail)
{
	free(b->failure[node]);
	b->failure[node] = fb_strf("%s%s%s", outcome, detail ? ": " : "",
				   detail ? detail : "");
}

int bisect_mark_in_git(struct bisect *b, uint32_t node, struct fb_error *err)
{
	if (bisect_is_end(b, node) || node >= bisect_side_node(b, 0))
		return 0;
	enum fb_node_mark mark = bisect_mark(b, node);
	if (!is_decision(mark) || b->marked[node] == mark)
		return 0;
	b->marked[node] = mark;
	return fb_bisect_mark(&b->s->worktree,
			      mark == FB_NODE_GOOD ? FB_MARK_GOOD :
			      mark == FB_NODE_BAD  ? FB_MARK_BAD :
						     FB_MARK_SKIP,
			      bisect_oid(b, node), err);
}

static void say_mark(const struct bisect *b, uint32_t node)
{
	const git_oid *oid = bisect_oid(b, node);
	fb_autofree char *subject = fb_repo_subject(&b->s->repo, oid);
	const char *metric;
	const struct fb_engine *e = bisect_judge(b, node, &metric);
	fb_progress_done();
	if (b->marked[node] == FB_NODE_SKIP && node > b->graph.dag.n)
		fb_warn("the merge base %.12s cannot be tested; it is taken "
			"for good",
			git_oid_tostr_s(oid));
	else if (b->marked[node] == FB_NODE_SKIP)
		fb_info("skip: %.12s (\"%s\")", git_oid_tostr_s(oid), subject);
	else
		fb_info("%s: %.12s (\"%s\"), %.4g %s",
			b->marked[node] == FB_NODE_BAD ? "bad" : "good",
			git_oid_tostr_s(oid), subject, fb_engine_value(e, node),
			fb_metric_unit(metric));
}

int bisect_update_marks(struct bisect *b, struct fb_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < b->n_tested; i++) {
		uint32_t node = b->tested[i];
		enum fb_node_mark before = b->marked[node];
		rc = bisect_mark_in_git(b, node, err);
		if (b->marked[node] != before)
			say_mark(b, node);
	}
	return rc;
}
