/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After try_to_simplify_commit() of git's revision.c. Parents that matter are
 * those inside the range, and the good commits themselves. A commit that is the
 * same as one of them, in these paths, is followed by that one alone. Else it
 * counts unless it is the same as all that matter, or, when none does, as all
 * others. A root is held against nothing.
 */
#include "paths.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "order.h"
#include "repo.h"

struct limit {
	const struct fb_graph *g;
	const struct fb_repo *repo;
	const git_oid *good;
	size_t n_good;
	const struct fb_strv *paths;
	int first_parent;
	double *weight; /* by node of the old graph */
	struct fb_error *err;
};

/* The object at a path of a tree; all zeros when there is none. */
static int entry(const git_tree *tree, const char *path, git_oid *oid,
		 git_filemode_t *mode)
{
	git_tree_entry *e;
	memset(oid, 0, sizeof(*oid));
	*mode = GIT_FILEMODE_UNREADABLE;
	if (tree && fb_streq(path, ".")) {
		git_oid_cpy(oid, git_tree_id(tree));
		return 0;
	}
	int rc = tree ? git_tree_entry_bypath(&e, tree, path) : GIT_ENOTFOUND;
	if (rc == GIT_ENOTFOUND)
		return 0;
	if (rc)
		return rc;
	git_oid_cpy(oid, git_tree_entry_id(e));
	*mode = git_tree_entry_filemode(e);
	git_tree_entry_free(e);
	return 0;
}

static int same(const struct limit *l, const git_tree *a, const git_tree *b,
		bool *yes)
{
	int rc = 0;
	*yes = true;
	for (size_t i = 0; rc == 0 && *yes && i < l->paths->n; i++) {
		git_oid x, y;
		git_filemode_t m = 0, n = 0;
		rc = entry(a, l->paths->v[i], &x, &m);
		if (rc == 0)
			rc = entry(b, l->paths->v[i], &y, &n);
		*yes = git_oid_equal(&x, &y) && m == n;
	}
	return rc;
}

/* *parent is left alone when it matters, but is no commit of the range. */
static bool matters(const struct limit *l, uint32_t node, const git_oid *oid,
		    uint32_t *parent)
{
	const struct fb_dag *dag = &l->g->dag;
	for (size_t i = 0; i < l->n_good; i++)
		if (git_oid_equal(&l->good[i], oid))
			return true;
	for (uint32_t k = dag->at[node]; k < dag->at[node + 1]; k++) {
		*parent = dag->parent[k];
		if (git_oid_equal(&l->g->oid[*parent], oid))
			return true;
	}
	*parent = FB_DAG_NONE;
	return false;
}

/* One commit against its parents; appends those that are followed. */
static int simplify(struct limit *l, uint32_t node, git_commit *commit,
		    struct fb_ids *out)
{
	git_tree *tree = NULL;
	unsigned n = git_commit_parentcount(commit);
	bool inner = false, changed = false, changed_outside = n == 0;
	size_t first = out->n;
	int rc = git_commit_tree(&tree, commit);
	if (rc == 0 && n == 0) {
		bool empty;
		rc = same(l, tree, NULL, &empty);
		changed_outside = !empty;
	}
	if (l->first_parent && n > 1)
		n = 1;
	for (unsigned k = 0; rc == 0 && k < n; k++) {
		git_commit *p = NULL;
		git_tree *before = NULL;
		uint32_t parent = FB_DAG_NONE;
		bool alike = false;
		bool in = matters(l, node, git_commit_parent_id(commit, k),
				  &parent);
		rc = git_commit_parent(&p, commit, k);
		if (rc == 0)
			rc = git_commit_tree(&before, p);
		if (rc == 0)
			rc = same(l, tree, before, &alike);
		git_tree_free(before);
		git_commit_free(p);
		if (in && alike) {
			out->n = first;
			if (parent != FB_DAG_NONE)
				fb_ids_add(out, parent);
			l->weight[node] = 0;
			git_tree_free(tree);
			return rc;
		}
		inner |= in;
		changed |= in && !alike;
		changed_outside |= !in && !alike;
		if (parent != FB_DAG_NONE)
			fb_ids_add(out, parent);
	}
	l->weight[node] = inner ? changed : changed_outside;
	git_tree_free(tree);
	return rc;
}

static int followed(void *data, uint32_t node, struct fb_ids *out)
{
	struct limit *l = data;
	git_commit *commit;
	int rc = git_commit_lookup(&commit, l->repo->git, &l->g->oid[node]);
	if (rc == 0) {
		rc = simplify(l, node, commit, out);
		git_commit_free(commit);
	}
	return rc ? fb_git_error(l->err, FB_E_USAGE, "cannot read %s",
				 git_oid_tostr_s(&l->g->oid[node])) :
		    0;
}

static int check(const struct fb_strv *paths, struct fb_error *err)
{
	for (size_t i = 0; i < paths->n; i++) {
		const char *path = paths->v[i];
		if (!*path || *path == ':' || *path == '/' ||
		    strpbrk(path, "*?[\\") || strstr(path, ".."))
			return fb_error_set(err, FB_E_USAGE,
					    "\"%s\": paths are plain names of "
					    "files or directories, from the "
					    "top of the tree",
					    path);
	}
	return 0;
}

/* As git writes them: no "./", no "//", no slash at the end; "." is all. */
static void clean(const struct fb_strv *paths, struct fb_strv *out)
{
	for (size_t i = 0; i < paths->n; i++) {
		fb_autofree char *copy = fb_strdup(paths->v[i]);
		fb_autofree char *name = fb_calloc(strlen(copy) + 2, 1);
		char *rest = copy, *part;
		while ((part = strsep(&rest, "/"))) {
			if (!*part || fb_streq(part, "."))
				continue;
			if (*name)
				strcat(name, "/");
			strcat(name, part);
		}
		fb_strv_add(out, *name ? name : ".");
	}
}

/* The commits of `ids` take the places of all of them. */
static void take_over(struct fb_graph *g, struct fb_dag *dag,
		      const uint32_t *ids, const double *weight)
{
	git_oid *oid = fb_calloc(dag->n, sizeof(*oid));
	g->weight = fb_calloc(dag->n, sizeof(*g->weight));
	g->candidates = 0;
	for (uint32_t x = 0; x < dag->n; x++) {
		oid[x] = g->oid[ids[x]];
		g->weight[x] = weight[ids[x]];
		g->candidates += g->weight[x] > 0;
	}
	free(g->oid);
	fb_dag_release(&g->dag);
	g->oid = oid;
	g->dag = *dag;
}

int fb_graph_limit(struct fb_graph *g, const struct fb_repo *repo,
		   const git_oid *good, size_t n_good, int first_parent,
		   const struct fb_strv *paths, struct fb_error *err)
{
	struct fb_strv names = { 0 };
	struct fb_dag dag;
	uint32_t *ids = NULL;
	fb_autofree double *weight = fb_calloc(g->dag.n, sizeof(*weight));
	int rc = check(paths, err);
	if (rc)
		return rc;
	clean(paths, &names);
	struct limit l = { g,	   repo,	 good,	 n_good,
			   &names, first_parent, weight, err };
	rc = fb_order(g->dag.n - 1, followed, &l, &dag, &ids);
	if (rc == 0)
		take_over(g, &dag, ids, weight);
	if (rc == 0 && g->candidates == 0) {
		fb_autofree char *all = fb_strv_join(&names, ", ");
		rc = fb_error_set(err, FB_E_USAGE,
				  "no commit between good and bad touches %s",
				  all);
	}
	free(ids);
	fb_strv_release(&names);
	return rc;
}
