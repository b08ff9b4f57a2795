/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a bisection: final marks, verdict, and the result object. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arms.h"
#include "bisect_private.h"
#include "cleanup.h"
#include "clock.h"
#include "errors.h"
#include "verdict_json.h"

#define CREDIBLE_MAX 50

/* The surrogate changed in one commit, and the metric in another. */
static bool two_metrics(const struct bisect *b, const struct fb_action *end)
{
	return b->surrogate.culprit != FB_DAG_NONE &&
	       b->surrogate.culprit != end->node;
}

static const char *status_name(const struct bisect *b,
			       const struct fb_action *end)
{
	switch (end->kind) {
	case FB_ACT_FOUND:
		return two_metrics(b, end) ? "multiple" : "found";
	case FB_ACT_SEVERAL:
		return "multiple";
	case FB_ACT_SKIPPED_ONLY:
		return "skipped-only";
	case FB_ACT_NOT_REPRODUCED:
	case FB_ACT_BASE_BAD:
		return "not-reproduced";
	case FB_ACT_END_UNTESTABLE:
		return "error";
	case FB_ACT_UNDECIDED: /* no more is allowed, or would help */
	case FB_ACT_MEASURE:   /* there was more to do: the budget ended */
		break;
	}
	return "deadline";
}

static bool has_culprit(const struct fb_action *end)
{
	return end->kind == FB_ACT_FOUND || end->kind == FB_ACT_SEVERAL;
}

static int newest_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x < y) - (x > y);
}

/*
 * Marks may have changed with later samples: the log is written afresh. Bad
 * commits go last and descendants before ancestors, since git believes the
 * last one.
 */
static int rewrite_log(struct bisect *b, struct fb_error *err)
{
	size_t n = bisect_nodes(b);
	uint32_t *bad = fb_calloc(b->n_tested, sizeof(*bad));
	size_t n_bad = 0;
	memset(b->marked, 0, n * sizeof(*b->marked));
	int rc = bisect_start_git_state(b, err);
	for (size_t i = 0; rc == 0 && i < b->n_tested; i++) {
		if (bisect_mark(b, b->tested[i]) == FB_NODE_BAD)
			bad[n_bad++] = b->tested[i];
		else
			rc = bisect_mark_in_git(b, b->tested[i], err);
	}
	qsort(bad, n_bad, sizeof(*bad), newest_first);
	for (size_t i = 0; rc == 0 && i < n_bad; i++)
		rc = bisect_mark_in_git(b, bad[i], err);
	free(bad);
	return rc;
}

static const char *mark_name(enum fb_node_mark mark)
{
	static const char *const names[] = { "untested", "good", "bad", "skip",
					     "unclear" };
	return names[mark];
}

static char *node_reason(const struct bisect *b, uint32_t node)
{
	const char *metric;
	const struct fb_engine *e = bisect_judge(b, node, &metric);
	size_t n = fb_engine_samples(e, node);
	bool own = e == b->engine;
	if (n == 0)
		return fb_strdup(b->failure[node] ? b->failure[node] :
						    "never measured");
	return fb_strf("median %.6g%s%s of %zu boot%s",
		       fb_engine_value(e, node), own ? "" : " ",
		       own ? "" : metric, n, n > 1 ? "s" : "");
}

static int store_steps(struct bisect *b, struct fb_error *err)
{
	size_t n = b->n_tested;
	struct fb_step *steps = fb_calloc(n, sizeof(*steps));
	for (size_t i = 0; i < n; i++) {
		uint32_t node = b->tested[i];
		steps[i].revision =
			fb_strdup(git_oid_tostr_s(bisect_oid(b, node)));
		steps[i].mark = mark_name(bisect_mark(b, node));
		steps[i].reason = node_reason(b, node);
	}
	int rc = fb_db_steps_set(b->s->db, b->rec.id, steps, n, err);
	for (size_t i = 0; i < n; i++) {
		free((char *)steps[i].revision);
		free((char *)steps[i].reason);
	}
	free(steps);
	return rc;
}

/* The commit before x on the good side: its first parent, or good itself. */
static uint32_t predecessor(const struct bisect *b, uint32_t x)
{
	const struct fb_dag *dag = &b->graph.dag;
	return dag->at[x] < dag->at[x + 1] ? dag->parent[dag->at[x]] : dag->n;
}

static int compare(struct bisect *b, uint32_t before, uint32_t after,
		   struct fb_verdict *v, struct fb_error *err)
{
	const uint32_t nodes[] = { before, after };
	int rc = 0;
	for (int i = 0; rc == 0 && i < 2; i++) {
		char hex[FB_OID_SIZE];
		struct fb_boot_filter f = { .bisection = b->rec.id,
					    .revision = hex };
		git_oid_tostr(hex, sizeof(hex), bisect_oid(b, nodes[i]));
		rc = fb_load_arm(b->s->db, &f, i ? 'b' : 'a', v, err);
	}
	v->metric = b->rec.metric;
	v->axis = FB_AXIS_KERNEL;
	v->lower_is_better = bisect_lower_is_better(b);
	fb_verdict_compare(v, b->s->cfg->threshold / 100);
	fb_verdict_diagnose(v);
	return rc;
}

static void add_commit(cJSON *o, const char *key, const struct bisect *b,
		       uint32_t node)
{
	cJSON_AddStringToObject(o, key, git_oid_tostr_s(bisect_oid(b, node)));
}

/* Most likely first, until `confidence` is covered. */
static cJSON *credible_set(const struct bisect *b, const double *p)
{
	cJSON *list = cJSON_CreateArray();
	uint32_t n = b->graph.dag.n;
	bool *used = fb_calloc(n, sizeof(*used));
	double mass = 0;
	for (int k = 0; k < CREDIBLE_MAX && mass < b->s->cfg->confidence; k++) {
		uint32_t best = FB_DAG_NONE;
		for (uint32_t x = 0; x < n; x++)
			if (!used[x] && (best == FB_DAG_NONE || p[x] > p[best]))
				best = x;
		if (best == FB_DAG_NONE)
			break;
		used[best] = true;
		mass += p[best];
		cJSON *row = cJSON_CreateObject();
		fb_autofree char *subject =
			fb_repo_subject(&b->s->repo, bisect_oid(b, best));
		add_commit(row, "commit", b, best);
		cJSON_AddStringToObject(row, "subject", subject);
		cJSON_AddNumberToObject(row, "probability", p[best]);
		cJSON_AddItemToArray(list, row);
	}
	free(used);
	return list;
}

static cJSON *measured_json(const struct bisect *b, uint32_t node)
{
	cJSON *o = cJSON_CreateObject();
	add_commit(o, "commit", b, node);
	/* The real parent may lie outside the range, in good's history. */
	cJSON_AddBoolToObject(o, "end_point", bisect_is_end(b, node));
	cJSON_AddNumberToObject(o, "value", fb_engine_value(b->engine, node));
	cJSON_AddNumberToObject(o, "samples",
				(double)fb_engine_samples(b->engine, node));
	return o;
}

/* Every parent of a merge, the first one included. */
static cJSON *parents_json(const struct bisect *b, uint32_t node)
{
	const struct fb_dag *dag = &b->graph.dag;
	cJSON *list = cJSON_CreateArray();
	for (uint32_t k = dag->at[node]; k < dag->at[node + 1]; k++)
		cJSON_AddItemToArray(list, measured_json(b, dag->parent[k]));
	return list;
}

static void add_skips(cJSON *o, const struct bisect *b)
{
	cJSON *list = cJSON_CreateArray();
	for (size_t i = 0; i < b->n_tested; i++) {
		uint32_t node = b->tested[i];
		if (node >= bisect_side_node(b, 0) ||
		    bisect_mark(b, node) != FB_NODE_SKIP)
			continue;
		cJSON *row = cJSON_CreateObject();
		fb_autofree char *reason = node_reason(b, node);
		add_commit(row, "commit", b, node);
		cJSON_AddStringToObject(row, "reason", reason);
		cJSON_AddItemToArray(list, row);
	}
	cJSON_AddNumberToObject(o, "skipped", cJSON_GetArraySize(list));
	cJSON_AddItemToObject(o, "skipped_commits", list);
}

static int add_totals(cJSON *o, struct bisect *b, struct fb_error *err)
{
	struct fb_totals t;
	int rc = fb_db_totals(b->s->db, b->rec.id, b->rec.metric, &t, err);
	if (rc)
		return rc;
	cJSON_AddNumberToObject(o, "builds", t.builds);
	cJSON_AddNumberToObject(o, "boots", t.boots);
	cJSON_AddNumberToObject(o, "samples", t.samples);
	add_skips(o, b);
	double total = b->rec.seconds_total + fb_now() - b->begun;
	double busy = t.build_seconds + t.boot_seconds + t.probe_seconds;
	cJSON *s = cJSON_AddObjectToObject(o, "seconds");
	cJSON_AddNumberToObject(s, "total", total);
	cJSON_AddNumberToObject(s, "build", t.build_seconds);
	cJSON_AddNumberToObject(s, "boot", t.boot_seconds);
	cJSON_AddNumberToObject(s, "probe", t.probe_seconds);
	cJSON_AddNumberToObject(s, "harness", fmax(0, total - busy));
	return 0;
}

/* A culprit with several parents: was it the merge itself? */
static bool is_merge(const struct bisect *b, uint32_t node)
{
	git_commit *c;
	if (git_commit_lookup(&c, b->s->repo.git, bisect_oid(b, node)))
		return false;
	bool merge = git_commit_parentcount(c) > 1;
	git_commit_free(c);
	return merge;
}

static void add_surrogate(cJSON *o, const struct bisect *b,
			  const struct fb_action *end)
{
	const struct bisect_surrogate *s = &b->surrogate;
	cJSON *row = cJSON_AddObjectToObject(o, "surrogate");
	cJSON_AddStringToObject(row, "metric", b->rec.surrogate);
	if (s->culprit == FB_DAG_NONE)
		cJSON_AddNullToObject(row, "first_bad");
	else
		add_commit(row, "first_bad", b, s->culprit);
	cJSON_AddBoolToObject(row, "confirmed",
			      has_culprit(end) && end->node == s->culprit);
}

static void add_doubts(cJSON *o, const struct bisect *b)
{
	cJSON *list = cJSON_AddArrayToObject(o, "doubts");
	for (int side = 0; side < N_SIDES; side++) {
		fb_autofree char *doubt =
			bisect_proof_doubt(b, (enum bisect_side)side);
		if (doubt)
			cJSON_AddItemToArray(list, cJSON_CreateString(doubt));
	}
}

/* One commit, and how the metric moved over it. */
static cJSON *change_json(const struct bisect *b, uint32_t node,
			  struct fb_engine *e, const char *metric)
{
	cJSON *o = cJSON_CreateObject();
	fb_autofree char *subject =
		fb_repo_subject(&b->s->repo, bisect_oid(b, node));
	double before = fb_engine_value(e, predecessor(b, node));
	double after = fb_engine_value(e, node);
	add_commit(o, "first_bad", b, node);
	cJSON_AddStringToObject(o, "subject", subject);
	cJSON_AddStringToObject(o, "metric", metric);
	cJSON_AddNumberToObject(o, "good_value", before);
	cJSON_AddNumberToObject(o, "bad_value", after);
	cJSON_AddNumberToObject(o, "change_percent",
				before > 0 ? 100 * (after / before - 1) : 0);
	return o;
}

static void add_changes(cJSON *o, const struct bisect *b,
			const struct fb_action *end)
{
	cJSON *list = cJSON_AddArrayToObject(o, "changes");
	cJSON_AddItemToArray(
		list, change_json(b, end->node, b->engine, b->rec.metric));
	cJSON_AddItemToArray(
		list,
		end->kind == FB_ACT_SEVERAL ?
			change_json(b, end->second, b->engine, b->rec.metric) :
			change_json(b, b->surrogate.culprit,
				    b->surrogate.engine, b->rec.surrogate));
}

static int add_answer(cJSON *o, struct bisect *b, const struct fb_action *end,
		      struct fb_error *err)
{
	bool found = has_culprit(end);
	uint32_t n = b->graph.dag.n;
	double *p = fb_calloc(n, sizeof(*p));
	uint32_t bad = found ? end->node : n - 1;
	uint32_t good = found ? predecessor(b, bad) : n;
	fb_autofree char *subject =
		fb_repo_subject(&b->s->repo, bisect_oid(b, bad));

	fb_engine_posterior(bisect_guide(b), p);
	if (found) {
		add_commit(o, "first_bad", b, bad);
		cJSON_AddStringToObject(o, "subject", subject);
		cJSON_AddBoolToObject(o, "merge", is_merge(b, bad));
	} else {
		cJSON_AddNullToObject(o, "first_bad");
		cJSON_AddNullToObject(o, "subject");
	}
	cJSON_AddNumberToObject(o, "confidence", found ? p[bad] : 0);
	/* Without a reproduced regression there is nothing to be found. */
	bool searched =
		end->kind == FB_ACT_MEASURE ||
		(end->phase != FB_PHASE_ENDS && end->kind != FB_ACT_BASE_BAD);
	cJSON_AddItemToObject(o, "credible_set",
			      searched ? credible_set(b, p) :
					 cJSON_CreateArray());
	free(p);
	double gv = fb_engine_value(b->engine, good),
	       bv = fb_engine_value(b->engine, bad);
	cJSON_AddStringToObject(o, "metric", b->rec.metric);
	cJSON_AddNumberToObject(o, "good_value", gv);
	cJSON_AddNumberToObject(o, "bad_value", bv);
	cJSON_AddNumberToObject(o, "change_percent",
				gv > 0 ? 100 * (bv / gv - 1) : 0);
	cJSON_AddNumberToObject(o, "range_commits", n);
	cJSON_AddNumberToObject(o, "candidate_commits", b->graph.candidates);

	struct fb_verdict v = { 0 };
	int rc = compare(b, good, bad, &v, err);
	cJSON_AddItemToObject(o, "verdict", fb_verdict_json(&v));
	fb_verdict_release(&v);
	cJSON *check = cJSON_AddObjectToObject(o, "verification");
	cJSON_AddItemToObject(check, "parent",
			      found ? measured_json(b, good) :
				      cJSON_CreateNull());
	cJSON_AddItemToObject(check, "parents",
			      found ? parents_json(b, bad) :
				      cJSON_CreateArray());
	cJSON_AddItemToObject(check, "culprit",
			      found ? measured_json(b, bad) :
				      cJSON_CreateNull());
	cJSON_AddItemToObject(check, "revert",
			      bisect_proof_json(b, SIDE_REVERT));
	cJSON_AddItemToObject(check, "apply", bisect_proof_json(b, SIDE_APPLY));
	add_doubts(o, b);
	if (b->rec.surrogate)
		add_surrogate(o, b, end);
	if (fb_streq(status_name(b, end), "multiple"))
		add_changes(o, b, end);
	return rc;
}

int bisect_conclude(struct bisect *b, const struct fb_action *end,
		    struct fb_error *err)
{
	cJSON *o = cJSON_CreateObject();
	const char *status = status_name(b, end);
	const char *why = b->failure[end->node];
	bool untestable = end->kind == FB_ACT_END_UNTESTABLE && why;
	fb_autofree char *reason =
		fb_strf("%s%s%s", end->reason, untestable ? ": " : "",
			untestable ? why : "");
	cJSON_AddStringToObject(o, "status", status);
	cJSON_AddStringToObject(o, "reason", reason);
	cJSON_AddStringToObject(o, "good", b->rec.good);
	cJSON_AddStringToObject(o, "bad", b->rec.bad);
	int rc = rewrite_log(b, err);
	if (rc == 0)
		rc = store_steps(b, err);
	if (rc == 0)
		rc = add_answer(o, b, end, err);
	if (rc == 0)
		rc = add_totals(o, b, err);
	if (rc == 0 && has_culprit(end))
		rc = fb_bisect_conclude(&b->s->worktree,
					bisect_oid(b, end->node), err);
	cJSON_AddNumberToObject(o, "bisect_id", (double)b->rec.id);
	if (rc == 0) {
		char *text = cJSON_PrintUnformatted(o);
		rc = fb_db_bisection_finish(b->s->db, b->rec.id, status, reason,
					    text, err);
		free(text);
	}
	cJSON_Delete(o);
	return rc;
}
