/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "db.h"
#include "file.h"
#include "text.h"
#include "unit.h"

#define OID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char dir[64], path[96];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/fb-db-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/results.db", dir);
	return 0;
}

static int tear_down(void **state)
{
	struct fb_error err = FB_ERROR_INIT;
	(void)state;
	return fb_rm_rf(dir, &err);
}

static struct fb_db *open_db(void)
{
	struct fb_db *db = NULL;
	struct fb_error err = FB_ERROR_INIT;
	assert_ok(fb_db_open(&db, path, &err), err);
	return db;
}

static int64_t add_bisection(struct fb_db *db)
{
	struct fb_error err = FB_ERROR_INIT;
	char repo[] = "/r", good[] = OID_A, bad[] = OID_B,
	     metric[] = "hdparm.buffered_read", config[] = "{}";
	struct fb_bisection b = { .repo = repo,
				  .good = good,
				  .bad = bad,
				  .metric = metric,
				  .config = config };
	assert_ok(fb_db_bisection_add(db, &b, &err), err);
	return b.id;
}

/* A kernel that an older version stored learns its signature later. */
static int count_builds(void *data, const struct fb_build_row *row)
{
	assert_string_equal(row->revision, OID_A);
	if (fb_streq(row->outcome, "measured")) {
		assert_string_equal(row->signature, "s");
		assert_string_equal(row->inputs, "/cache/inputs");
	} else {
		assert_null(row->signature);
		assert_true(row->predicted == 40);
	}
	(*(int *)data)++;
	return 0;
}

static void add_boot(struct fb_db *db, int64_t bisection, double value)
{
	struct fb_error err = FB_ERROR_INIT;
	struct fb_boot boot = { .outcome = FB_OUTCOME_MEASURED,
				.seconds = 5,
				.probe_seconds = 3 };
	struct fb_boot_key key = {
		{ .bisection = bisection }, 0, OID_A, "ends"
	};
	int64_t id;
	fb_boot_add_sample(&boot, NULL, "hdparm.buffered_read", value);
	fb_boot_add_evidence(&boot, "hdparm.buffered_read", "diskstats",
			     "reads", 12);
	assert_ok(fb_db_boot_add(db, &key, &boot, &id, &err), err);
	fb_boot_release(&boot);
}

/* Asked of SQLite itself, not of our own layer. */
static int pragma(const char *sql)
{
	sqlite3 *raw;
	sqlite3_stmt *st;
	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(raw, sql, -1, &st, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	int value = sqlite3_column_int(st, 0);
	if (strstr(sql, "journal_mode"))
		value = strcmp((const char *)sqlite3_column_text(st, 0),
			       "wal") == 0;
	sqlite3_finalize(st);
	sqlite3_close(raw);
	return value;
}

static void add_partial_boot(struct fb_db *db, int64_t bisection)
{
	struct fb_error err = FB_ERROR_INIT;
	struct fb_boot boot = { .outcome = FB_OUTCOME_MEASURED };
	struct fb_boot_key key = {
		{ .bisection = bisection }, 0, OID_A, "search"
	};
	double row[FB_VMSTAT_COLUMNS] = { [16] = 3 };
	int64_t id;
	fb_boot_add_sample(&boot, "m", "m", 12);
	fb_boot_add_setting(&boot, "ata0/disk", "scheduler", "[none]");
	fb_boot_add_timeline(&boot, "m", 1, row);
	fb_boot_add_bucket(&boot, "m", "read", 16, 17, 5);
	fb_boot_fail(&boot, FB_OUTCOME_PANIC, "panic while measuring");
	assert_ok(fb_db_boot_add(db, &key, &boot, &id, &err), err);
	fb_boot_release(&boot);
}

static int no_value(void *data, const struct fb_boot_row *row)
{
	assert_false(row->has_value);
	(*(int *)data)++;
	return 0;
}

static int any_sample(void *data, const struct fb_sample_row *row)
{
	(void)row;
	(*(int *)data)++;
	return 0;
}

static void partial_figures_are_kept_apart(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_db *db = open_db();
	int64_t id = add_bisection(db);
	int boots = 0, samples = 0;
	struct fb_totals t;
	add_partial_boot(db, id);
	assert_ok(fb_db_boots(db, (struct fb_purpose){ .bisection = id }, "m",
			      no_value, &boots, &err),
		  err);
	assert_int_equal(boots, 1);
	assert_ok(fb_db_samples(db,
				&(struct fb_boot_filter){ .bisection = id,
							  .revision = OID_A },
				any_sample, &samples, &err),
		  err);
	assert_int_equal(samples, 0);
	assert_ok(fb_db_totals(db, id, "m", &t, &err), err);
	assert_int_equal(t.samples, 0);
	fb_db_close(db);
	assert_int_equal(pragma("SELECT count(*) FROM samples"), 1);
	assert_int_equal(pragma("SELECT st FROM timeline"), 3);
	assert_int_equal(pragma("SELECT count FROM histograms"), 5);
	assert_int_equal(pragma("SELECT count(*) FROM settings"), 1);
}

static int count_boots(void *data, const struct fb_boot_row *row)
{
	assert_true(row->has_value);
	assert_string_equal(row->outcome, "measured");
	(*(int *)data)++;
	return 0;
}

static void everything_comes_back(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_db *db = open_db();
	int64_t id = add_bisection(db);
	add_boot(db, id, 78.5);
	add_boot(db, id, 79.5);
	fb_db_close(db);

	db = open_db();
	struct fb_bisection b;
	assert_ok(fb_db_bisection_get(db, 0, &b, &err), err);
	assert_int_equal(b.id, id);
	assert_string_equal(b.status, "running");
	assert_null(b.result);
	fb_bisection_release(&b);
	int n = 0;
	assert_ok(fb_db_boots(db, (struct fb_purpose){ .bisection = id },
			      "hdparm.buffered_read", count_boots, &n, &err),
		  err);
	assert_int_equal(n, 2);
	struct fb_totals t;
	assert_ok(fb_db_totals(db, id, "hdparm.buffered_read", &t, &err), err);
	assert_int_equal(t.boots, 2);
	assert_int_equal(t.samples, 2);
	assert_true(t.probe_seconds == 6);
	assert_true(t.boot_seconds == 4);
	assert_int_equal(fb_db_bisection_get(db, id + 1, &b, &err),
			 FB_E_NOTFOUND);
	fb_error_release(&err);
	fb_db_close(db);
}

/* Two builds of the same content are one kernel; a failed one is none. */
static void equal_kernels_are_one_row(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_db *db = open_db();
	int64_t id = add_bisection(db), build;
	char identity[] = "i", config[] = "c", failure[] = "a.c:1: error: x";
	char signature[] = "s", inputs[] = "/cache/inputs";
	struct fb_build built = { .outcome = FB_OUTCOME_MEASURED,
				  .identity = identity,
				  .tree = OID_B,
				  .config_hash = config };
	struct fb_build failed = { .outcome = FB_OUTCOME_BUILD_FAILED,
				   .error = failure,
				   .predicted = 40 };
	assert_ok(fb_db_build_add(db, (struct fb_purpose){ .bisection = id },
				  OID_A, &built, &build, &err),
		  err);
	built.cached = true;
	built.signature = signature;
	built.inputs = inputs;
	assert_ok(fb_db_build_add(db, (struct fb_purpose){ .bisection = id },
				  OID_A, &built, &build, &err),
		  err);
	assert_ok(fb_db_build_add(db, (struct fb_purpose){ .bisection = id },
				  OID_A, &failed, &build, &err),
		  err);
	int n = 0;
	assert_ok(fb_db_builds(db, (struct fb_purpose){ .bisection = id },
			       count_builds, &n, &err),
		  err);
	assert_int_equal(n, 3);
	fb_db_close(db);
	assert_int_equal(pragma("SELECT count(*) FROM kernels"), 1);
	assert_int_equal(pragma("SELECT count(*) FROM builds WHERE kernel"), 2);
}

static void file_is_wal_and_versioned(void **state)
{
	(void)state;
	fb_db_close(open_db());
	assert_int_equal(pragma("PRAGMA journal_mode"), 1);
	assert_int_equal(pragma("PRAGMA user_version"), 5);
	assert_int_equal(pragma("SELECT count(*) = 0 FROM "
				"pragma_foreign_key_check"),
			 1);
}

/* A database of the first schema: samples find the windows they came from. */
static void first_schema_is_brought_up_to_date(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	char *schema = NULL;
	sqlite3 *raw;
	assert_ok(fb_file_read(SCHEMA_DIR "/001.sql", 1 << 20, &schema, NULL,
			       &err),
		  err);
	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_exec(raw, schema, NULL, NULL, NULL), 0);
	assert_int_equal(
		sqlite3_exec(raw,
			     "INSERT INTO boots (id, revision, phase, outcome, "
			     "started, seconds, probe_seconds) VALUES "
			     "(7, 'x', 'run', 'measured', 0, 1, 1);"
			     "INSERT INTO samples VALUES (7, 'a/w', 1), "
			     "(7, 'a/w.request_kib', 2), (7, 'a/wide', 3);"
			     "INSERT INTO evidence VALUES "
			     "(7, 'a/w', 'stat', 'k', 1);"
			     "PRAGMA user_version = 1",
			     NULL, NULL, NULL),
		0);
	sqlite3_close(raw);
	free(schema);
	fb_db_close(open_db());
	assert_int_equal(pragma("SELECT count(*) FROM samples WHERE window = "
				"'a/w'"),
			 2);
	assert_int_equal(pragma("SELECT count(*) FROM samples WHERE window IS "
				"NULL"),
			 1);
	assert_int_equal(pragma("PRAGMA user_version"), 5);
}

static void newer_schema_is_refused(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_db *db = NULL;
	sqlite3 *raw;
	fb_db_close(open_db());
	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	sqlite3_exec(raw, "PRAGMA user_version = 99", NULL, NULL, NULL);
	sqlite3_close(raw);
	assert_int_equal(fb_db_open(&db, path, &err), FB_E_USAGE);
	assert_message(err, "newer firstbad");
	fb_error_release(&err);
}

static void garbage_is_refused(void **state)
{
	(void)state;
	struct fb_error err = FB_ERROR_INIT;
	struct fb_db *db = NULL;
	const char *text = "this is no database, but long enough to look at";
	assert_ok(fb_file_write(path, text, strlen(text), &err), err);
	assert_int_equal(fb_db_open(&db, path, &err), FB_E_USAGE);
	assert_message(err, path);
	fb_error_release(&err);
}

/* A second process that holds the write lock half way through a boot. */
static void boot_is_all_or_nothing(void **state)
{
	(void)state;
	struct fb_db *db = open_db();
	int64_t id = add_bisection(db);
	sqlite3 *raw;
	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	/* The samples' insert fails; the boot itself must not stay. */
	sqlite3_exec(raw,
		     "CREATE TRIGGER no BEFORE INSERT ON evidence BEGIN "
		     "SELECT RAISE(ABORT, 'disk on fire'); END",
		     NULL, NULL, NULL);
	sqlite3_close(raw);
	struct fb_error err = FB_ERROR_INIT;
	struct fb_boot boot = { .outcome = FB_OUTCOME_MEASURED };
	struct fb_boot_key key = { { .bisection = id }, 0, OID_A, "ends" };
	int64_t boot_id;
	fb_boot_add_sample(&boot, "m", "m", 1);
	fb_boot_add_evidence(&boot, "m", "s", "k", 1);
	assert_int_equal(fb_db_boot_add(db, &key, &boot, &boot_id, &err),
			 FB_E_MACHINE);
	assert_message(err, "disk on fire");
	fb_boot_release(&boot);
	fb_error_release(&err);
	assert_int_equal(pragma("SELECT count(*) FROM boots"), 0);
	assert_int_equal(pragma("SELECT count(*) FROM samples"), 0);
	fb_db_close(db);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	CASE(everything_comes_back),
	CASE(equal_kernels_are_one_row),
	CASE(file_is_wal_and_versioned),
	CASE(newer_schema_is_refused),
	CASE(first_schema_is_brought_up_to_date),
	CASE(partial_figures_are_kept_apart),
	CASE(garbage_is_refused),
	CASE(boot_is_all_or_nothing),
};

UNIT_MAIN(tests)
