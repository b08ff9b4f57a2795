/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "commits.h"
#include "order.h"
#include "paths.h"
#include "repo.h"

/* The commits of the range, by the ids of `commits`. */
struct range {
	struct fb_commits commits;
	int first_parent;
	bool *in; /* inside: by id below n_in; `beyond` for the others */
	size_t n_in;
	bool beyond;
	struct fb_error *err;
};

static bool inside(const struct range *r, uint32_t id)
{
	return id < r->n_in ? r->in[id] : r->beyond;
}

static void set_inside(struct range *r, uint32_t id, bool yes)
{
	if (id >= r->n_in) {
		size_t n = 2 * (size_t)id + 1024;
		r->in = fb_realloc(r->in, n, sizeof(*r->in));
		memset(r->in + r->n_in, r->beyond, n - r->n_in);
		r->n_in = n;
	}
	r->in[id] = yes;
}

/*
 * With the file, everything that a good commit contains is visited: exact
 * whatever the clocks said, and a fraction of a second for any kernel.
 */
static int hide(struct range *r, const git_oid *good)
{
	struct fb_ids todo = { 0 };
	int rc = 0;
	r->beyond = true;
	fb_ids_add(&todo, fb_commits_id(&r->commits, good));
	while (rc == 0 && todo.n) {
		uint32_t id = todo.v[--todo.n];
		if (!inside(r, id))
			continue;
		set_inside(r, id, false);
		rc = fb_commits_parents(&r->commits, id, &todo, r->err);
	}
	free(todo.v);
	return rc;
}

/* Without it libgit2 walks, and stops where the dates allow it to. */
static int walk(struct range *r, const git_oid *good, size_t n_good,
		const git_oid *bad)
{
	const struct fb_repo *repo = r->commits.repo;
	git_revwalk *w;
	git_oid oid;
	if (git_revwalk_new(&w, repo->git))
		return fb_git_error(r->err, FB_E_MACHINE,
				    "cannot walk history");
	int rc = git_revwalk_push(w, bad);
	for (size_t i = 0; rc == 0 && i < n_good; i++)
		rc = git_revwalk_hide(w, &good[i]);
	git_revwalk_sorting(w, GIT_SORT_TOPOLOGICAL);
	if (rc == 0 && r->first_parent)
		rc = git_revwalk_simplify_first_parent(w);
	while (rc == 0 && (rc = git_revwalk_next(&oid, w)) == 0)
		set_inside(r, fb_commits_id(&r->commits, &oid), true);
	git_revwalk_free(w);
	if (rc == GIT_ITEROVER)
		return 0;
	return fb_git_error(
		r->err, FB_E_USAGE, "cannot walk %s%s", repo->path,
		repo->shallow ?
			" (a shallow clone: try git fetch --unshallow)" :
			"");
}

static int parents_inside(void *data, uint32_t id, struct fb_ids *out)
{
	struct range *r = data;
	size_t first = out->n, n = out->n;
	int rc = fb_commits_parents(&r->commits, id, out, r->err);
	if (r->first_parent && out->n > first + 1)
		out->n = first + 1;
	for (size_t i = first; i < out->n; i++)
		if (inside(r, out->v[i]))
			out->v[n++] = out->v[i];
	out->n = n;
	return rc;
}

static int number(struct range *r, const git_oid *bad, struct fb_graph *g)
{
	uint32_t *ids, tip = fb_commits_id(&r->commits, bad);
	if (!inside(r, tip)) {
		g->dag.at = fb_calloc(1, sizeof(*g->dag.at));
		return 0;
	}
	int rc = fb_order(tip, parents_inside, r, &g->dag, &ids);
	if (rc)
		return rc;
	g->oid = fb_calloc(g->dag.n, sizeof(*g->oid));
	for (uint32_t i = 0; i < g->dag.n; i++)
		fb_commits_oid(&r->commits, ids[i], &g->oid[i]);
	free(ids);
	return 0;
}

/* 1 when the file proves damaged: once more without it. */
static int load(struct fb_graph *g, const struct fb_repo *repo, bool use_file,
		const git_oid *good, size_t n_good, const git_oid *bad,
		int first_parent, struct fb_error *err)
{
	struct range r = { .first_parent = first_parent, .err = err };
	fb_commits_open(&r.commits, repo, use_file);
	bool file = r.commits.file;
	int rc = 0;
	for (size_t i = 0; file && rc == 0 && i < n_good; i++)
		rc = hide(&r, &good[i]);
	if (!file)
		rc = walk(&r, good, n_good, bad);
	if (rc == 0)
		rc = number(&r, bad, g);
	if (file && r.commits.damaged)
		rc = 1;
	fb_commits_close(&r.commits);
	free(r.in);
	return rc;
}

int fb_graph_load(struct fb_graph *g, const struct fb_repo *repo,
		  const git_oid *good, size_t n_good, const git_oid *bad,
		  int first_parent, const struct fb_strv *paths,
		  struct fb_error *err)
{
	*g = (struct fb_graph){ 0 };
	int rc = load(g, repo, true, good, n_good, bad, first_parent, err);
	if (rc > 0) {
		fb_graph_release(g);
		rc = load(g, repo, false, good, n_good, bad, first_parent, err);
	}
	if (rc > 0)
		rc = fb_error_set(err, FB_E_USAGE,
				  "the history of %s is a "
				  "circle",
				  repo->path);
	g->candidates = g->dag.n;
	if (rc == 0 && paths && paths->n && g->dag.n)
		rc = fb_graph_limit(g, repo, good, n_good, first_parent, paths,
				    err);
	if (rc)
		fb_graph_release(g);
	return rc;
}

void fb_graph_release(struct fb_graph *g)
{
	free(g->oid);
	free(g->weight);
	fb_dag_release(&g->dag);
	*g = (struct fb_graph){ 0 };
}

int fb_graph_is_ancestor(const struct fb_repo *repo, const git_oid *a,
			 const git_oid *b, int *yes, struct fb_error *err)
{
	if (git_oid_equal(a, b)) {
		*yes = 1;
		return 0;
	}
	int rc = git_graph_descendant_of(repo->git, b, a);
	if (rc < 0)
		return fb_git_error(err, FB_E_USAGE, "cannot walk %s",
				    repo->path);
	*yes = rc;
	return 0;
}

int fb_graph_merge_bases(const struct fb_repo *repo, const git_oid *a,
			 const git_oid *b, git_oid **out, size_t *n,
			 struct fb_error *err)
{
	git_oidarray bases = { 0 };
	*out = NULL;
	*n = 0;
	int rc = git_merge_bases(&bases, repo->git, a, b);
	if (rc == GIT_ENOTFOUND)
		return 0;
	if (rc)
		return fb_git_error(err, FB_E_USAGE, "cannot find merge bases");
	*out = fb_calloc(bases.count, sizeof(**out));
	memcpy(*out, bases.ids, bases.count * sizeof(**out));
	*n = bases.count;
	git_oidarray_dispose(&bases);
	return 0;
}
