/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "repo.h"
#include "text.h"

static int walk(git_revwalk *w, struct fb_graph *g, const struct fb_repo *repo,
		const git_oid *good, size_t n_good, const git_oid *bad,
		int first_parent, struct fb_error *err)
{
	size_t cap = 0;
	git_oid oid;
	int rc = git_revwalk_push(w, bad);
	for (size_t i = 0; rc == 0 && i < n_good; i++)
		rc = git_revwalk_hide(w, &good[i]);
	git_revwalk_sorting(w, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
	if (rc == 0 && first_parent)
		rc = git_revwalk_simplify_first_parent(w);
	while (rc == 0 && (rc = git_revwalk_next(&oid, w)) == 0) {
		FB_GROW(g->oid, g->dag.n, cap);
		g->oid[g->dag.n++] = oid;
	}
	if (rc != GIT_ITEROVER)
		return fb_git_error(
			err, FB_E_USAGE, "cannot walk %s%s", repo->path,
			repo->shallow ? " (a shallow clone: try git fetch "
					"--unshallow)" :
					"");
	return 0;
}

/* Object ids sorted, with the number of each: for look-ups by bisection. */
struct index {
	const git_oid *oid;
	uint32_t number;
};

static int by_oid(const void *a, const void *b)
{
	const struct index *x = a, *y = b;
	return git_oid_cmp(x->oid, y->oid);
}

static struct index *make_index(const struct fb_graph *g)
{
	struct index *index = fb_calloc(g->dag.n, sizeof(*index));
	for (uint32_t i = 0; i < g->dag.n; i++)
		index[i] = (struct index){ &g->oid[i], i };
	qsort(index, g->dag.n, sizeof(*index), by_oid);
	return index;
}

static uint32_t look_up(const struct index *index, uint32_t n,
			const git_oid *oid)
{
	struct index key = { oid, 0 };
	const struct index *hit =
		bsearch(&key, index, n, sizeof(*index), by_oid);
	return hit ? hit->number : FB_DAG_NONE;
}

static int link_parents(struct fb_graph *g, const struct fb_repo *repo,
			int first_parent, struct fb_error *err)
{
	struct index *index = make_index(g);
	size_t n = 0, cap = 0;
	int rc = 0;
	g->dag.at = fb_calloc((size_t)g->dag.n + 1, sizeof(uint32_t));
	for (uint32_t i = 0; rc == 0 && i < g->dag.n; i++) {
		git_commit *commit;
		if (git_commit_lookup(&commit, repo->git, &g->oid[i])) {
			rc = fb_git_error(err, FB_E_USAGE,
					  "cannot read a commit");
			break;
		}
		unsigned count = git_commit_parentcount(commit);
		if (first_parent && count > 1)
			count = 1;
		for (unsigned k = 0; k < count; k++) {
			uint32_t p = look_up(index, g->dag.n,
					     git_commit_parent_id(commit, k));
			if (p == FB_DAG_NONE)
				continue;
			FB_GROW(g->dag.parent, n, cap);
			g->dag.parent[n++] = p;
		}
		git_commit_free(commit);
		g->dag.at[i + 1] = (uint32_t)n;
	}
	free(index);
	return rc;
}

int fb_graph_load(struct fb_graph *g, const struct fb_repo *repo,
		  const git_oid *good, size_t n_good, const git_oid *bad,
		  int first_parent, struct fb_error *err)
{
	git_revwalk *w;
	*g = (struct fb_graph){ 0 };
	if (git_revwalk_new(&w, repo->git))
		return fb_git_error(err, FB_E_MACHINE, "cannot walk history");
	int rc = walk(w, g, repo, good, n_good, bad, first_parent, err);
	git_revwalk_free(w);
	if (rc == 0)
		rc = link_parents(g, repo, first_parent, err);
	if (rc)
		fb_graph_release(g);
	return rc;
}

void fb_graph_release(struct fb_graph *g)
{
	free(g->oid);
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
