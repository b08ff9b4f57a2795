/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of boots, and what lies beside them. */
#include "db_private.h"

/* ?1 bisection, ?2 comparison, ?3 revision, ?4 phase. */
#define MATCHES                                                        \
	"b.outcome = 'measured' AND ?1 IN (0, b.bisection) AND "       \
	"?2 IN (0, b.comparison) AND (?3 IS NULL OR b.revision = ?3) " \
	"AND (?4 IS NULL OR b.phase = ?4) AND "                        \
	"(?4 IS NOT NULL OR b.phase NOT IN "                           \
	"('choose', 'surrogate', 'surrogate-verify')) "

static sqlite3_stmt *prepare(struct fb_db *db, const char *sql,
			     const struct fb_boot_filter *f)
{
	return db_prepare(db, sql, "iiss", f->bisection, f->comparison,
			  f->revision, f->phase);
}

struct samples {
	int (*row)(void *, const struct fb_sample_row *);
	void *data;
};

static int sample_row(void *data, sqlite3_stmt *st)
{
	struct samples *s = data;
	struct fb_sample_row r = { db_text(st, 0), db_text(st, 1),
				   db_text(st, 2), sqlite3_column_double(st, 3),
				   sqlite3_column_double(st, 4) };
	return s->row(s->data, &r);
}

int fb_db_samples(struct fb_db *db, const struct fb_boot_filter *f,
		  int (*row)(void *, const struct fb_sample_row *), void *data,
		  struct fb_error *err)
{
	struct samples s = { row, data };
	const char *sql =
		"SELECT b.revision, b.phase, s.metric, s.value, b.started "
		"FROM boots b JOIN samples s ON s.boot = b.id WHERE " MATCHES
		"ORDER BY s.metric, b.id";
	return db_each(db, prepare(db, sql, f), sample_row, &s, err);
}

struct facts {
	int (*row)(void *, const struct fb_fact_row *);
	void *data;
};

static int evidence_row(void *data, sqlite3_stmt *st)
{
	struct facts *f = data;
	struct fb_fact_row r = { db_text(st, 0), db_text(st, 1), db_text(st, 2),
				 sqlite3_column_double(st, 3), NULL };
	return f->row(f->data, &r);
}

static int setting_row(void *data, sqlite3_stmt *st)
{
	struct facts *f = data;
	struct fb_fact_row r = { db_text(st, 0), "", db_text(st, 1), 0,
				 db_text(st, 2) };
	return f->row(f->data, &r);
}

/* One row of means becomes a fact for each of vmstat's columns. */
static int timeline_row(void *data, sqlite3_stmt *st)
{
	struct facts *f = data;
	int stop = 0;
	for (int i = 1; !stop && i <= FB_VMSTAT_COLUMNS; i++) {
		struct fb_fact_row r = { db_text(st, 0), "timeline",
					 fb_vmstat_columns[i - 1],
					 sqlite3_column_double(st, i), NULL };
		stop = f->row(f->data, &r);
	}
	return stop;
}

int fb_db_facts(struct fb_db *db, const struct fb_boot_filter *f,
		int (*row)(void *, const struct fb_fact_row *), void *data,
		struct fb_error *err)
{
	struct facts facts = { row, data };
	const char *evidence =
		"SELECT e.window, e.source, e.key, e.value FROM boots b "
		"JOIN evidence e ON e.boot = b.id WHERE " MATCHES
		"ORDER BY b.id";
	const char *timeline =
		"SELECT t.window, avg(r), avg(t.b), avg(swpd), avg(free), "
		"avg(buff), avg(cache), avg(si), avg(so), avg(bi), avg(bo), "
		"avg(\"in\"), avg(cs), avg(us), avg(sy), avg(t.id), avg(wa), "
		"avg(st) FROM boots b JOIN timeline t ON t.boot = b.id "
		"WHERE " MATCHES "GROUP BY b.id, t.window ORDER BY b.id";
	const char *settings = "SELECT s.subject, s.key, s.value FROM boots b "
			       "JOIN settings s ON s.boot = b.id WHERE " MATCHES
			       "ORDER BY b.id";
	int rc = db_each(db, prepare(db, evidence, f), evidence_row, &facts,
			 err);
	if (rc == 0)
		rc = db_each(db, prepare(db, timeline, f), timeline_row, &facts,
			     err);
	if (rc == 0)
		rc = db_each(db, prepare(db, settings, f), setting_row, &facts,
			     err);
	return rc;
}
