/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commits.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"
#include "progress.h"
#include "text.h"

#define PARENTS 64 /* more are read a second time */

static bool has_replace_refs(const struct fb_repo *repo)
{
	git_reference_iterator *i;
	git_reference *ref;
	if (git_reference_iterator_glob_new(&i, repo->git, "refs/replace/*"))
		return false;
	bool yes = git_reference_next(&ref, i) == 0;
	if (yes)
		git_reference_free(ref);
	git_reference_iterator_free(i);
	return yes;
}

void fb_commits_open(struct fb_commits *s, const struct fb_repo *repo,
		     bool use_file)
{
	fb_autofree char *grafts = fb_strf("%s/info/grafts", repo->path);
	fb_autofree char *objects = fb_strf("%s/objects", repo->path);
	*s = (struct fb_commits){ .repo = repo };
	bool edited = fb_exists(grafts) || has_replace_refs(repo);
	if (edited && use_file)
		fb_warn("%s has grafts or replace refs: they are not followed, "
			"history is taken as it was committed",
			repo->path);
	if (use_file && !repo->shallow && !edited)
		s->file = fb_commit_graph_open(objects);
}

void fb_commits_close(struct fb_commits *s)
{
	for (size_t i = 0; i < s->n_loose; i++)
		free(s->loose[i].parents);
	free(s->loose);
	free(s->table);
	fb_commit_graph_close(s->file);
	*s = (struct fb_commits){ 0 };
}

static uint32_t in_file(const struct fb_commits *s)
{
	return s->file ? fb_commit_graph_size(s->file) : 0;
}

/* Object ids are hashes already. */
static uint32_t *slot(struct fb_commits *s, const git_oid *oid)
{
	size_t h;
	memcpy(&h, oid->id, sizeof(h));
	for (h &= s->n_table - 1; s->table[h]; h = (h + 1) & (s->n_table - 1))
		if (git_oid_equal(&s->loose[s->table[h] - 1].oid, oid))
			break;
	return &s->table[h];
}

static void grow_table(struct fb_commits *s)
{
	s->n_table = s->n_table ? 2 * s->n_table : 1024;
	free(s->table);
	s->table = fb_calloc(s->n_table, sizeof(*s->table));
	for (size_t i = 0; i < s->n_loose; i++)
		*slot(s, &s->loose[i].oid) = (uint32_t)i + 1;
}

uint32_t fb_commits_id(struct fb_commits *s, const git_oid *oid)
{
	if (s->file) {
		uint32_t x = fb_commit_graph_find(s->file, oid);
		if (x != FB_COMMIT_NONE)
			return x;
	}
	if (2 * s->n_loose >= s->n_table)
		grow_table(s);
	uint32_t *at = slot(s, oid);
	if (!*at) {
		FB_GROW(s->loose, s->n_loose, s->cap_loose);
		s->loose[s->n_loose++] = (struct fb_loose){ .oid = *oid };
		*at = (uint32_t)s->n_loose;
	}
	return in_file(s) + *at - 1;
}

void fb_commits_oid(const struct fb_commits *s, uint32_t id, git_oid *oid)
{
	if (id < in_file(s))
		fb_commit_graph_oid(s->file, id, oid);
	else
		*oid = s->loose[id - in_file(s)].oid;
}

static int read_loose(struct fb_commits *s, size_t i, struct fb_error *err)
{
	git_commit *commit;
	git_oid oid = s->loose[i].oid;
	if (git_commit_lookup(&commit, s->repo->git, &oid))
		return fb_git_error(err, FB_E_USAGE, "cannot read commit %s%s",
				    git_oid_tostr_s(&oid),
				    s->repo->shallow ?
					    " (a shallow clone: try git fetch "
					    "--unshallow)" :
					    "");
	unsigned n = git_commit_parentcount(commit);
	uint32_t *parents = fb_calloc(n + 1, sizeof(*parents));
	for (unsigned k = 0; k < n; k++)
		parents[k] = fb_commits_id(s, git_commit_parent_id(commit, k));
	git_commit_free(commit);
	s->loose[i].parents = parents; /* the array may have moved */
	s->loose[i].n = n;
	s->loose[i].read = true;
	return 0;
}

static void from_file(struct fb_commits *s, uint32_t id, struct fb_ids *out)
{
	uint32_t few[PARENTS];
	int n = fb_commit_graph_parents(s->file, id, few, PARENTS);
	fb_autofree uint32_t *many = NULL;
	const uint32_t *all = few;
	if (n > PARENTS) {
		many = fb_calloc((size_t)n, sizeof(*many));
		fb_commit_graph_parents(s->file, id, many, n);
		all = many;
	}
	s->damaged |= n < 0;
	for (int k = 0; k < n; k++)
		fb_ids_add(out, all[k]);
}

int fb_commits_parents(struct fb_commits *s, uint32_t id, struct fb_ids *out,
		       struct fb_error *err)
{
	uint32_t first = in_file(s);
	if (id < first) {
		from_file(s, id, out);
		return 0;
	}
	size_t i = id - first;
	int rc = s->loose[i].read ? 0 : read_loose(s, i, err);
	for (unsigned k = 0; rc == 0 && k < s->loose[i].n; k++)
		fb_ids_add(out, s->loose[i].parents[k]);
	return rc;
}
