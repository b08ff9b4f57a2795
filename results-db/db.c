/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening, migrations and the small helpers that every query uses. */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"
#include "db_private.h"
#include "file.h"
#include "schema.h"

/* Each entry takes the database from version i to i + 1. */
static const char *const migrations[] = { schema_001, schema_002, schema_003,
					  schema_004, schema_005 };
#define VERSION ((int)(sizeof(migrations) / sizeof(migrations[0])))

int db_error(struct fb_db *db, struct fb_error *err)
{
	int code = sqlite3_errcode(db->sql) & 0xff;
	if (!db->open && (code == SQLITE_READONLY || code == SQLITE_CANTOPEN ||
			  code == SQLITE_NOTADB))
		return fb_error_set(err, FB_E_USAGE,
				    "%s: %s; choose another place with --state",
				    db->path, sqlite3_errmsg(db->sql));
	return fb_error_set(err, FB_E_MACHINE, "%s: %s", db->path,
			    sqlite3_errmsg(db->sql));
}

int db_exec(struct fb_db *db, const char *sql, struct fb_error *err)
{
	return sqlite3_exec(db->sql, sql, NULL, NULL, NULL) ?
		       db_error(db, err) :
		       0;
}

int db_begin(struct fb_db *db, struct fb_error *err)
{
	return db_exec(db, "BEGIN IMMEDIATE", err);
}

int db_end(struct fb_db *db, int rc, struct fb_error *err)
{
	if (rc == 0 && db_exec(db, "COMMIT", err) == 0)
		return 0;
	sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
	return err->code;
}

sqlite3_stmt *db_prepare(struct fb_db *db, const char *sql, const char *types,
			 ...)
{
	sqlite3_stmt *st;
	if (sqlite3_prepare_v2(db->sql, sql, -1, &st, NULL))
		return NULL;
	va_list ap;
	va_start(ap, types);
	for (int i = 1; *types; types++, i++) {
		const char *text;
		int64_t number;
		switch (*types) {
		case 's':
			text = va_arg(ap, const char *);
			sqlite3_bind_text(st, i, text, -1, SQLITE_TRANSIENT);
			break;
		case 'i':
			sqlite3_bind_int64(st, i, va_arg(ap, int64_t));
			break;
		case 'k': /* a key: 0 is NULL */
			number = va_arg(ap, int64_t);
			if (number)
				sqlite3_bind_int64(st, i, number);
			break;
		case 'd':
			sqlite3_bind_double(st, i, va_arg(ap, double));
			break;
		}
	}
	va_end(ap);
	return st;
}

int db_run(struct fb_db *db, sqlite3_stmt *st, struct fb_error *err)
{
	int rc = st ? sqlite3_step(st) : SQLITE_ERROR;
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		db_error(db, err);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : err->code;
}

int db_each(struct fb_db *db, sqlite3_stmt *st,
	    int (*row)(void *data, sqlite3_stmt *st), void *data,
	    struct fb_error *err)
{
	int rc = st ? SQLITE_ROW : SQLITE_ERROR, stop = 0;
	while (rc == SQLITE_ROW && !stop) {
		rc = sqlite3_step(st);
		if (rc == SQLITE_ROW)
			stop = row(data, st);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
		db_error(db, err);
		stop = err->code;
	}
	sqlite3_finalize(st);
	return stop;
}

const char *db_text(sqlite3_stmt *st, int column)
{
	return (const char *)sqlite3_column_text(st, column);
}

char *db_copy(sqlite3_stmt *st, int column)
{
	const char *text = db_text(st, column);
	return text ? fb_strdup(text) : NULL;
}

int db_first_int(void *data, sqlite3_stmt *st)
{
	*(int64_t *)data = sqlite3_column_int64(st, 0);
	return 1;
}

static int migrate(struct fb_db *db, struct fb_error *err)
{
	int64_t version = 0;
	int rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = db_each(db, db_prepare(db, "PRAGMA user_version", ""),
		     db_first_int, &version, err);
	rc = rc < 0 ? rc : 0;
	if (rc == 0 && version > VERSION)
		rc = fb_error_set(err, FB_E_USAGE,
				  "%s was written by a newer firstbad "
				  "(schema %d, this one knows %d)",
				  db->path, (int)version, VERSION);
	for (int v = (int)version; rc == 0 && v < VERSION; v++) {
		fb_autofree char *mark =
			fb_strf("PRAGMA user_version = %d", v + 1);
		rc = db_exec(db, migrations[v], err);
		if (rc == 0)
			rc = db_exec(db, mark, err);
	}
	return db_end(db, rc, err);
}

static int open_file(struct fb_db **out, const char *path, int flags,
		     struct fb_error *err)
{
	struct fb_db *db = fb_calloc(1, sizeof(*db));
	db->path = fb_strdup(path);
	int rc = 0;
	if (sqlite3_open_v2(path, &db->sql, flags, NULL))
		rc = db_error(db, err);
	if (rc == 0)
		sqlite3_busy_timeout(db->sql, 10000);
	*out = db;
	return rc;
}

int fb_db_open(struct fb_db **out, const char *path, struct fb_error *err)
{
	struct fb_db *db;
	int rc = open_file(&db, path,
			   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
	/* FULL: a finished boot survives a power failure. */
	if (rc == 0)
		rc = db_exec(db,
			     "PRAGMA journal_mode = WAL;"
			     "PRAGMA synchronous = FULL;"
			     "PRAGMA foreign_keys = ON",
			     err);
	if (rc == 0)
		rc = migrate(db, err);
	if (rc) {
		fb_db_close(db);
		return rc;
	}
	db->open = true;
	*out = db;
	return 0;
}

int fb_db_open_existing(struct fb_db **out, const char *path,
			struct fb_error *err)
{
	if (!fb_exists(path))
		return fb_error_set(err, FB_E_NOTFOUND,
				    "no results yet: %s does not exist", path);
	return fb_db_open(out, path, err);
}

void fb_db_close(struct fb_db *db)
{
	if (!db)
		return;
	sqlite3_close(db->sql);
	free(db->path);
	free(db);
}
