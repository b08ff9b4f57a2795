/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The range between goods and bad, as graph, engine and git's own state. */
#include <stdlib.h>
#include <string.h>

#include "bisect_private.h"
#include "cleanup.h"
#include "errors.h"
#include "progress.h"

static const char *unshallow(const struct bisect *b)
{
	return b->s->repo.shallow ? " (a shallow clone: try git fetch "
				    "--unshallow)" :
				    "";
}

static bool known_base(const struct bisect *b, const git_oid *oid)
{
	for (size_t i = 0; i < b->n_bases; i++)
		if (git_oid_equal(&b->bases[i], oid))
			return true;
	for (size_t i = 0; i < b->n_goods; i++)
		if (git_oid_equal(&b->goods[i], oid))
			return true;
	return false;
}

static void add_bases(struct bisect *b, const git_oid *bases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (known_base(b, &bases[i]))
			continue;
		b->bases =
			fb_realloc(b->bases, b->n_bases + 1, sizeof(*b->bases));
		b->bases[b->n_bases++] = bases[i];
		fb_warn("good is not an ancestor of bad; their merge base %s "
			"is tested first",
			git_oid_tostr_s(&bases[i]));
	}
}

/* As git: a good that is no ancestor of bad has its merge bases tested. */
static int find_bases(struct bisect *b, const git_oid *good,
		      struct fb_error *err)
{
	int yes = 0;
	struct fb_session *s = b->s;
	int rc = fb_graph_is_ancestor(&s->repo, good, &b->bad, &yes, err);
	if (rc || yes)
		return rc;
	rc = fb_graph_is_ancestor(&s->repo, &b->bad, good, &yes, err);
	if (rc)
		return rc;
	if (yes)
		return fb_error_set(err, FB_E_USAGE,
				    "the bad revision is an ancestor of the "
				    "good one %.12s: are they the wrong way "
				    "round?",
				    git_oid_tostr_s(good));
	git_oid *bases = NULL;
	size_t n = 0;
	rc = fb_graph_merge_bases(&s->repo, good, &b->bad, &bases, &n, err);
	if (rc == 0 && n == 0)
		rc = fb_error_set(err, FB_E_USAGE,
				  "good and bad have no common history%s",
				  unshallow(b));
	if (rc == 0)
		add_bases(b, bases, n);
	free(bases);
	return rc;
}

struct fb_engine_params bisect_engine_params(const struct bisect *b)
{
	const struct fb_config *cfg = b->s->cfg;
	bool references = cfg->samples.references == FB_SWITCH_AUTO ?
				  !b->s->runner->steady :
				  cfg->samples.references == FB_SWITCH_ON;
	return (struct fb_engine_params){
		.threshold = cfg->threshold / 100,
		.confidence = cfg->confidence,
		.lower_is_better = bisect_lower_is_better(b),
		.endpoint = cfg->samples.endpoint,
		.endpoint_max = cfg->samples.endpoint_max,
		.min = cfg->samples.min,
		.max = cfg->samples.max,
		.failures = cfg->samples.failures,
		.n_bases = (unsigned)b->n_bases,
		.n_others = N_SIDES,
		.references = references,
	};
}

static void skip_by_hand(struct bisect *b)
{
	for (size_t i = 0; i < b->n_skips; i++) {
		uint32_t node = bisect_node(b, git_oid_tostr_s(&b->skips[i]));
		if (node == FB_DAG_NONE)
			continue;
		bisect_remember_tested(b, node);
		bisect_remember_failure(b, node, "skipped by hand", NULL);
	}
}

int bisect_load(struct bisect *b, struct fb_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < b->n_goods; i++)
		rc = find_bases(b, &b->goods[i], err);
	if (rc == 0)
		rc = fb_graph_load(&b->graph, &b->s->repo, b->goods, b->n_goods,
				   &b->bad, b->rec.first_parent, &b->paths,
				   err);
	if (rc == 0 && b->graph.dag.n == 0)
		rc = fb_error_set(err, FB_E_USAGE,
				  "there are no commits between good and bad");
	if (rc)
		return rc;
	b->marked = fb_calloc(bisect_nodes(b), sizeof(*b->marked));
	b->failure = fb_calloc(bisect_nodes(b), sizeof(*b->failure));
	b->surrogate.culprit = FB_DAG_NONE;
	skip_by_hand(b);
	return 0;
}

void bisect_release(struct bisect *b)
{
	for (size_t i = 0; b->failure && i < bisect_nodes(b); i++)
		free(b->failure[i]);
	for (int i = 0; i < N_SIDES; i++)
		free(b->proof[i].detail);
	free(b->failure);
	fb_engine_free(b->engine);
	fb_engine_free(b->surrogate.engine);
	fb_graph_release(&b->graph);
	fb_strv_release(&b->paths);
	free(b->goods);
	free(b->skips);
	free(b->bases);
	free(b->tested);
	free(b->marked);
	free(b->other_machine);
	fb_bisection_release(&b->rec);
}

int bisect_start_git_state(struct bisect *b, struct fb_error *err)
{
	struct fb_bisect_begin begin = {
		.bad = &b->bad,
		.good = b->goods,
		.n_good = b->n_goods,
		.first_parent = b->rec.first_parent,
		.term_good = b->rec.term_good,
		.term_bad = b->rec.term_bad,
		.paths = &b->paths,
	};
	return fb_bisect_start(&b->s->worktree, &begin, err);
}
