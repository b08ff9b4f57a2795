/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "db_private.h"

#define BISECTION_COLUMNS                                               \
	"id, repo, worktree, good, bad, first_parent, metric, config, " \
	"started, status, reason, result, seconds_total, term_good, "   \
	"term_bad, paths, surrogate"

void fb_bisection_release(struct fb_bisection *b)
{
	free(b->repo);
	free(b->worktree);
	free(b->good);
	free(b->bad);
	free(b->metric);
	free(b->config);
	free(b->term_good);
	free(b->term_bad);
	free(b->paths);
	free(b->surrogate);
	free(b->status);
	free(b->reason);
	free(b->result);
	*b = (struct fb_bisection){ 0 };
}

static void fill_bisection(struct fb_bisection *b, sqlite3_stmt *st)
{
	*b = (struct fb_bisection){
		.id = sqlite3_column_int64(st, 0),
		.repo = db_copy(st, 1),
		.worktree = db_copy(st, 2),
		.good = db_copy(st, 3),
		.bad = db_copy(st, 4),
		.first_parent = sqlite3_column_int(st, 5),
		.metric = db_copy(st, 6),
		.config = db_copy(st, 7),
		.started = sqlite3_column_double(st, 8),
		.status = db_copy(st, 9),
		.reason = db_copy(st, 10),
		.result = db_copy(st, 11),
		.seconds_total = sqlite3_column_double(st, 12),
		.term_good = db_copy(st, 13),
		.term_bad = db_copy(st, 14),
		.paths = db_copy(st, 15),
		.surrogate = db_copy(st, 16),
	};
}

static int one_bisection(void *data, sqlite3_stmt *st)
{
	fill_bisection(data, st);
	return 1;
}

int fb_db_bisection_get(struct fb_db *db, int64_t id, struct fb_bisection *out,
			struct fb_error *err)
{
	const char *sql = "SELECT " BISECTION_COLUMNS " FROM bisections "
			  "WHERE ?1 IN (0, id) ORDER BY id DESC LIMIT 1";
	int rc = db_each(db, db_prepare(db, sql, "i", id), one_bisection, out,
			 err);
	if (rc < 0)
		return rc;
	if (rc == 1)
		return 0;
	if (id)
		return fb_error_set(err, FB_E_NOTFOUND,
				    "there is no bisection %lld (`firstbad "
				    "status` lists them)",
				    (long long)id);
	return fb_error_set(err, FB_E_NOTFOUND, "there is no bisection yet");
}

/* Binds a typed callback to the rows of one query. */
struct each {
	void (*row)(void); /* its type is known to each query */
	void *data;
};

static int bisection_row(void *data, sqlite3_stmt *st)
{
	struct each *e = data;
	int (*row)(void *, const struct fb_bisection *) =
		(int (*)(void *, const struct fb_bisection *))e->row;
	struct fb_bisection b;
	fill_bisection(&b, st);
	int rc = row(e->data, &b);
	fb_bisection_release(&b);
	return rc;
}

int fb_db_bisections(struct fb_db *db,
		     int (*row)(void *data, const struct fb_bisection *b),
		     void *data, struct fb_error *err)
{
	struct each e = { (void (*)(void))row, data };
	const char *sql =
		"SELECT " BISECTION_COLUMNS " FROM bisections ORDER BY id DESC";
	return db_each(db, db_prepare(db, sql, ""), bisection_row, &e, err);
}

static int build_row(void *data, sqlite3_stmt *st)
{
	struct each *e = data;
	struct fb_build_row r = {
		.revision = db_text(st, 0),
		.outcome = db_text(st, 1),
		.error = db_text(st, 2),
		.log = db_text(st, 3),
		.lost_options = db_text(st, 4),
		.seconds = sqlite3_column_double(st, 5),
		.cached = sqlite3_column_int(st, 6),
		.signature = db_text(st, 7),
		.inputs = db_text(st, 8),
		.predicted = sqlite3_column_double(st, 9),
	};
	return ((int (*)(void *, const struct fb_build_row *))e->row)(e->data,
								      &r);
}

int fb_db_builds(struct fb_db *db, struct fb_purpose p,
		 int (*row)(void *, const struct fb_build_row *), void *data,
		 struct fb_error *err)
{
	struct each e = { (void (*)(void))row, data };
	const char *sql =
		"SELECT b.revision, b.outcome, b.error, b.log, b.lost_options, "
		"b.seconds, b.cached, k.signature, k.inputs, b.predicted "
		"FROM builds b LEFT JOIN kernels k ON k.id = b.kernel "
		"WHERE b.bisection = ?1 AND ?2 IN (0, b.decision) "
		"ORDER BY b.id";
	return db_each(db, db_prepare(db, sql, "ii", p.bisection, p.decision),
		       build_row, &e, err);
}

static int boot_row(void *data, sqlite3_stmt *st)
{
	struct each *e = data;
	struct fb_boot_row r = {
		.id = sqlite3_column_int64(st, 0),
		.revision = db_text(st, 1),
		.phase = db_text(st, 2),
		.outcome = db_text(st, 3),
		.detail = db_text(st, 4),
		.clock = db_text(st, 5),
		.machine = db_text(st, 6),
		.console = db_text(st, 7),
		.started = sqlite3_column_double(st, 8),
		.seconds = sqlite3_column_double(st, 9),
		.probe_seconds = sqlite3_column_double(st, 10),
		.has_value = sqlite3_column_type(st, 11) != SQLITE_NULL,
		.value = sqlite3_column_double(st, 11),
	};
	return ((int (*)(void *, const struct fb_boot_row *))e->row)(e->data,
								     &r);
}

int fb_db_boots(struct fb_db *db, struct fb_purpose p, const char *metric,
		int (*row)(void *, const struct fb_boot_row *), void *data,
		struct fb_error *err)
{
	struct each e = { (void (*)(void))row, data };
	const char *sql =
		"SELECT b.id, b.revision, b.phase, b.outcome, b.detail, "
		"b.clock, b.machine, b.console, b.started, b.seconds, "
		"b.probe_seconds, s.value FROM boots b "
		"LEFT JOIN samples s ON s.boot = b.id AND s.metric = ?2 "
		"AND b.outcome = 'measured' "
		"WHERE b.bisection = ?1 AND ?3 IN (0, b.decision) "
		"ORDER BY b.id";
	return db_each(
		db, db_prepare(db, sql, "isi", p.bisection, metric, p.decision),
		boot_row, &e, err);
}

static int decision_row(void *data, sqlite3_stmt *st)
{
	struct each *e = data;
	struct fb_decision_row r = {
		.id = sqlite3_column_int64(st, 0),
		.revision = db_text(st, 1),
		.phase = db_text(st, 2),
		.action = db_text(st, 3),
		.reason = db_text(st, 4),
		.candidates = (uint32_t)sqlite3_column_int64(st, 5),
		.at = sqlite3_column_double(st, 6),
		.before = db_text(st, 7),
		.after = db_text(st, 8),
	};
	return ((int (*)(void *, const struct fb_decision_row *))e->row)(
		e->data, &r);
}

int fb_db_decisions(struct fb_db *db, int64_t bisection,
		    int (*row)(void *, const struct fb_decision_row *),
		    void *data, struct fb_error *err)
{
	struct each e = { (void (*)(void))row, data };
	const char *sql =
		"SELECT id, revision, phase, action, reason, candidates, at, "
		"before, after FROM decisions WHERE bisection = ? ORDER BY id";
	return db_each(db, db_prepare(db, sql, "i", bisection), decision_row,
		       &e, err);
}

static int mark_row(void *data, sqlite3_stmt *st)
{
	struct each *e = data;
	struct fb_mark_row r = { db_text(st, 0), db_text(st, 1) };
	return ((int (*)(void *, const struct fb_mark_row *))e->row)(e->data,
								     &r);
}

int fb_db_marks(struct fb_db *db, int64_t bisection,
		int (*row)(void *, const struct fb_mark_row *), void *data,
		struct fb_error *err)
{
	struct each e = { (void (*)(void))row, data };
	const char *sql = "SELECT revision, mark FROM marks WHERE "
			  "bisection = ? ORDER BY seq";
	return db_each(db, db_prepare(db, sql, "i", bisection), mark_row, &e,
		       err);
}

static int step_row(void *data, sqlite3_stmt *st)
{
	struct each *e = data;
	struct fb_step_row r = { db_text(st, 0), db_text(st, 1),
				 db_text(st, 2) };
	return ((int (*)(void *, const struct fb_step_row *))e->row)(e->data,
								     &r);
}

int fb_db_steps(struct fb_db *db, int64_t bisection,
		int (*row)(void *, const struct fb_step_row *), void *data,
		struct fb_error *err)
{
	struct each e = { (void (*)(void))row, data };
	const char *sql = "SELECT revision, mark, reason FROM steps "
			  "WHERE bisection = ? ORDER BY seq";
	return db_each(db, db_prepare(db, sql, "i", bisection), step_row, &e,
		       err);
}

static int totals_row(void *data, sqlite3_stmt *st)
{
	struct fb_totals *t = data;
	t->builds = (unsigned)sqlite3_column_int(st, 0);
	t->build_seconds = sqlite3_column_double(st, 1);
	t->boots = (unsigned)sqlite3_column_int(st, 2);
	t->boot_seconds = sqlite3_column_double(st, 3);
	t->probe_seconds = sqlite3_column_double(st, 4);
	t->samples = (unsigned)sqlite3_column_int(st, 5);
	return 1;
}

int fb_db_totals(struct fb_db *db, int64_t bisection, const char *metric,
		 struct fb_totals *out, struct fb_error *err)
{
	const char *sql =
		"SELECT (SELECT count(*) FROM builds WHERE bisection = ?1 AND "
		"NOT cached), (SELECT total(seconds) FROM builds WHERE "
		"bisection = ?1), count(*), "
		"total(seconds) - total(probe_seconds), total(probe_seconds), "
		"(SELECT count(*) FROM samples s JOIN boots b ON b.id = s.boot "
		"WHERE b.bisection = ?1 AND s.metric = ?2 AND "
		"b.outcome = 'measured') "
		"FROM boots WHERE bisection = ?1";
	*out = (struct fb_totals){ 0 };
	int rc = db_each(db, db_prepare(db, sql, "is", bisection, metric),
			 totals_row, out, err);
	return rc < 0 ? rc : 0;
}
