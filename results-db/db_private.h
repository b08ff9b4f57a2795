/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of results-db; private to the folder. */
#ifndef FB_DB_PRIVATE_H
#define FB_DB_PRIVATE_H

#include <sqlite3.h>
#include <stdarg.h>

#include "db.h"
#include "errors.h"
#include "text.h"

struct fb_db {
	sqlite3 *sql;
	char *path;
	bool open; /* opening is over: what fails now is the machine */
};

int db_error(struct fb_db *db, struct fb_error *err);
int db_exec(struct fb_db *db, const char *sql, struct fb_error *err);

int db_begin(struct fb_db *db, struct fb_error *err);
/* Commits when rc is 0, else rolls back; returns what then holds. */
int db_end(struct fb_db *db, int rc, struct fb_error *err);

/*
 * A statement with its parameters bound: 's' const char * (NULL is NULL),
 * 'i' int64_t, 'k' int64_t where 0 is NULL, 'd' double. NULL on error.
 */
sqlite3_stmt *db_prepare(struct fb_db *db, const char *sql, const char *types,
			 ...);

/* Steps once and finalizes; takes the NULL of a failed db_prepare(). */
int db_run(struct fb_db *db, sqlite3_stmt *st, struct fb_error *err);

/* Calls row() for each row until it returns non-zero, which is returned. */
int db_each(struct fb_db *db, sqlite3_stmt *st,
	    int (*row)(void *data, sqlite3_stmt *st), void *data,
	    struct fb_error *err);

/* A row callback: the first column of the first row into an int64_t. */
int db_first_int(void *data, sqlite3_stmt *st);

const char *db_text(sqlite3_stmt *st, int column);
char *db_copy(sqlite3_stmt *st, int column);

#endif
