/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goods, bad and skips: as asked for, from git's log, or as stored. */
#include <stdlib.h>

#include "bisect_log.h"
#include "bisect_private.h"
#include "cleanup.h"
#include "errors.h"

static void add_oid(git_oid **list, size_t *n, const git_oid *oid)
{
	*list = fb_realloc(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = *oid;
}

static int resolve_ends(struct bisect *b, const struct fb_bisect_request *r,
			struct fb_error *err)
{
	git_oid good;
	int rc = fb_repo_resolve(&b->s->repo, r->good, &good, err);
	if (rc == 0)
		rc = fb_repo_resolve(&b->s->repo, r->bad, &b->bad, err);
	if (rc == 0)
		add_oid(&b->goods, &b->n_goods, &good);
	return rc;
}

/* The newest good that bad contains stands for good: it is the nearest. */
static int put_nearest_first(struct bisect *b, struct fb_error *err)
{
	for (size_t i = b->n_goods; i-- > 0;) {
		int yes = 0;
		int rc = fb_graph_is_ancestor(&b->s->repo, &b->goods[i],
					      &b->bad, &yes, err);
		if (rc)
			return rc;
		if (!yes)
			continue;
		git_oid nearest = b->goods[i];
		b->goods[i] = b->goods[0];
		b->goods[0] = nearest;
		return 0;
	}
	return 0;
}

static int take_mark(struct bisect *b, enum fb_mark mark, const char *rev,
		     struct fb_error *err)
{
	git_oid oid;
	int rc = fb_repo_resolve(&b->s->repo, rev, &oid, err);
	if (rc)
		return rc;
	if (mark == FB_MARK_BAD)
		b->bad = oid;
	else if (mark == FB_MARK_GOOD)
		add_oid(&b->goods, &b->n_goods, &oid);
	else
		add_oid(&b->skips, &b->n_skips, &oid);
	return 0;
}

static int read_log(struct bisect *b, const char *path, struct fb_error *err)
{
	struct fb_bisect_log log;
	bool bad = false;
	int rc = fb_bisect_log_read(&log, path, err);
	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < log.n; i++) {
		rc = take_mark(b, log.marks[i].mark, log.marks[i].rev, err);
		bad |= log.marks[i].mark == FB_MARK_BAD;
	}
	if (rc == 0 && (!bad || b->n_goods == 0))
		rc = fb_error_set(err, FB_E_USAGE,
				  "%s has no %s revision: both are needed",
				  path, bad ? "good" : "bad");
	if (rc == 0)
		rc = put_nearest_first(b, err);
	b->rec.first_parent |= log.first_parent;
	b->rec.term_good = steal_ptr(log.term_good);
	b->rec.term_bad = steal_ptr(log.term_bad);
	for (size_t i = 0; i < log.paths.n; i++)
		fb_strv_add(&b->paths, log.paths.v[i]);
	fb_bisect_log_release(&log);
	return rc;
}

int bisect_read_request(struct bisect *b, const struct fb_bisect_request *r,
			struct fb_error *err)
{
	b->rec.first_parent = r->first_parent;
	for (size_t i = 0; i < r->n_paths; i++)
		fb_strv_add(&b->paths, r->paths[i]);
	int rc = r->replay ? read_log(b, r->replay, err) :
			     resolve_ends(b, r, err);
	if (rc)
		return rc;
	if (git_oid_equal(&b->goods[0], &b->bad))
		return fb_error_set(err, FB_E_USAGE,
				    "good and bad are the same commit, %.12s",
				    git_oid_tostr_s(&b->bad));
	if (r->term_good) {
		free(b->rec.term_good);
		b->rec.term_good = fb_strdup(r->term_good);
	}
	if (r->term_bad) {
		free(b->rec.term_bad);
		b->rec.term_bad = fb_strdup(r->term_bad);
	}
	b->rec.good = fb_strdup(git_oid_tostr_s(&b->goods[0]));
	b->rec.bad = fb_strdup(git_oid_tostr_s(&b->bad));
	return fb_bisect_check_terms(
		b->rec.term_good ? b->rec.term_good : "good",
		b->rec.term_bad ? b->rec.term_bad : "bad", err);
}

int bisect_store_new(struct bisect *b, struct fb_error *err)
{
	if (b->paths.n) {
		cJSON *list = cJSON_CreateStringArray(fb_strv_args(&b->paths),
						      (int)b->paths.n);
		b->rec.paths = cJSON_PrintUnformatted(list);
		cJSON_Delete(list);
	}
	int rc = fb_db_bisection_add(b->s->db, &b->rec, err);
	for (size_t i = 1; rc == 0 && i < b->n_goods; i++)
		rc = fb_db_mark_add(b->s->db, b->rec.id,
				    git_oid_tostr_s(&b->goods[i]), "good", err);
	for (size_t i = 0; rc == 0 && i < b->n_skips; i++)
		rc = fb_db_mark_add(b->s->db, b->rec.id,
				    git_oid_tostr_s(&b->skips[i]), "skip", err);
	return rc;
}

static char *copy(const char *s)
{
	return s ? fb_strdup(s) : NULL;
}

static int stored_mark(void *data, const struct fb_mark_row *row)
{
	struct bisect *b = data;
	git_oid oid;
	if (git_oid_fromstr(&oid, row->revision))
		return 0;
	if (fb_streq(row->mark, "skip"))
		add_oid(&b->skips, &b->n_skips, &oid);
	else
		add_oid(&b->goods, &b->n_goods, &oid);
	return 0;
}

int bisect_read_stored(struct bisect *b, const struct fb_bisection *stored,
		       struct fb_error *err)
{
	git_oid good;
	b->rec = (struct fb_bisection){
		.id = stored->id,
		.good = copy(stored->good),
		.bad = copy(stored->bad),
		.metric = copy(stored->metric),
		.term_good = copy(stored->term_good),
		.term_bad = copy(stored->term_bad),
		.paths = copy(stored->paths),
		.surrogate = copy(stored->surrogate),
		.first_parent = stored->first_parent,
		.seconds_total = stored->seconds_total,
	};
	free(b->s->metric);
	b->s->metric = copy(stored->metric);
	git_oid_fromstr(&good, b->rec.good);
	git_oid_fromstr(&b->bad, b->rec.bad);
	add_oid(&b->goods, &b->n_goods, &good);
	cJSON *list = b->rec.paths ? cJSON_Parse(b->rec.paths) : NULL;
	const cJSON *path;
	cJSON_ArrayForEach(path, list)
		fb_strv_add(&b->paths, path->valuestring);
	cJSON_Delete(list);
	return fb_db_marks(b->s->db, b->rec.id, stored_mark, b, err);
}
