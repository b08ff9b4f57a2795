/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of comparisons. */
#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "db_private.h"

#define COLUMNS                                                             \
	"id, axis, a, b, revision, repo, config, started, status, reason, " \
	"result"

void fb_comparison_record_release(struct fb_comparison_record *c)
{
	free(c->axis);
	free(c->a);
	free(c->b);
	free(c->revision);
	free(c->repo);
	free(c->config);
	free(c->status);
	free(c->reason);
	free(c->result);
	*c = (struct fb_comparison_record){ 0 };
}

int fb_db_comparison_add(struct fb_db *db, struct fb_comparison_record *c,
			 struct fb_error *err)
{
	c->started = fb_wall();
	int rc = db_run(db,
			db_prepare(db,
				   "INSERT INTO comparisons (axis, a, b, "
				   "revision, repo, config, started) "
				   "VALUES (?,?,?,?,?,?,?)",
				   "ssssssd", c->axis, c->a, c->b, c->revision,
				   c->repo, c->config, c->started),
			err);
	c->id = sqlite3_last_insert_rowid(db->sql);
	return rc;
}

int fb_db_comparison_finish(struct fb_db *db, int64_t id, const char *status,
			    const char *reason, const char *result,
			    double drift, struct fb_error *err)
{
	/* SQLite stores NaN as NULL. */
	return db_run(db,
		      db_prepare(db,
				 "UPDATE comparisons SET status = ?, reason = "
				 "?, result = ?, drift = ? WHERE id = ?",
				 "sssdi", status, reason, result, drift, id),
		      err);
}

static void fill(struct fb_comparison_record *c, sqlite3_stmt *st)
{
	*c = (struct fb_comparison_record){
		.id = sqlite3_column_int64(st, 0),
		.axis = db_copy(st, 1),
		.a = db_copy(st, 2),
		.b = db_copy(st, 3),
		.revision = db_copy(st, 4),
		.repo = db_copy(st, 5),
		.config = db_copy(st, 6),
		.started = sqlite3_column_double(st, 7),
		.status = db_copy(st, 8),
		.reason = db_copy(st, 9),
		.result = db_copy(st, 10),
	};
}

static int one(void *data, sqlite3_stmt *st)
{
	fill(data, st);
	return 1;
}

int fb_db_comparison_get(struct fb_db *db, int64_t id,
			 struct fb_comparison_record *out, struct fb_error *err)
{
	const char *sql = "SELECT " COLUMNS " FROM comparisons "
			  "WHERE ?1 IN (0, id) ORDER BY id DESC LIMIT 1";
	int rc = db_each(db, db_prepare(db, sql, "i", id), one, out, err);
	if (rc < 0)
		return rc;
	return rc == 1 ? 0 :
			 fb_error_set(err, FB_E_NOTFOUND,
				      id ? "there is no comparison %lld" :
					   "there is no comparison yet",
				      (long long)id);
}

struct each {
	int (*row)(void *, const struct fb_comparison_record *);
	void *data;
};

static int every(void *data, sqlite3_stmt *st)
{
	struct each *e = data;
	struct fb_comparison_record c;
	fill(&c, st);
	int stop = e->row(e->data, &c);
	fb_comparison_record_release(&c);
	return stop;
}

int fb_db_comparisons(struct fb_db *db,
		      int (*row)(void *data,
				 const struct fb_comparison_record *c),
		      void *data, struct fb_error *err)
{
	struct each e = { row, data };
	const char *sql = "SELECT " COLUMNS " FROM comparisons "
			  "ORDER BY id DESC";
	return db_each(db, db_prepare(db, sql, ""), every, &e, err);
}
