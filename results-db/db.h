/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results database. Nobody else writes SQL. WAL mode, foreign keys on,
 * one transaction for everything that belongs to one boot, so that a crash
 * leaves whole boots or nothing. Strings that come out belong to the caller.
 */
#ifndef FB_DB_H
#define FB_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "boot.h"

struct fb_error;
struct fb_db;

/* Opens or creates the file and brings its schema up to date. */
int fb_db_open(struct fb_db **db, const char *path, struct fb_error *err);
/* The same, but fails with FB_E_NOTFOUND when there is no file yet. */
int fb_db_open_existing(struct fb_db **db, const char *path,
			struct fb_error *err);
void fb_db_close(struct fb_db *db);

struct fb_bisection {
	int64_t id;
	char *repo, *worktree, *good, *bad, *metric, *config;
	/* Or NULL: good and bad, no limit, none chosen. */
	char *term_good, *term_bad, *paths, *surrogate;
	bool first_parent;
	double started;
	char *status; /* "running" until finished */
	char *reason, *result;
	double seconds_total;
};

void fb_bisection_release(struct fb_bisection *b);

/* Stores a new one and sets its id. */
int fb_db_bisection_add(struct fb_db *db, struct fb_bisection *b,
			struct fb_error *err);
/* By id, or the newest when id is 0; FB_E_NOTFOUND when there is none. */
int fb_db_bisection_get(struct fb_db *db, int64_t id, struct fb_bisection *out,
			struct fb_error *err);
int fb_db_bisection_finish(struct fb_db *db, int64_t id, const char *status,
			   const char *reason, const char *result,
			   struct fb_error *err);
/* Sets what is only known after the end points: metric and surrogate. */
int fb_db_bisection_metric(struct fb_db *db, const struct fb_bisection *b,
			   struct fb_error *err);
/* Adds to the time that the bisection has taken so far. */
int fb_db_bisection_spent(struct fb_db *db, int64_t id, double seconds,
			  struct fb_error *err);
/* Every bisection, newest first. */
int fb_db_bisections(struct fb_db *db,
		     int (*row)(void *data, const struct fb_bisection *b),
		     void *data, struct fb_error *err);

/* What a build or boot is for; 0: none (a single run has neither). */
struct fb_purpose {
	int64_t bisection, decision, comparison;
};

/* Sets *id. */
int fb_db_build_add(struct fb_db *db, struct fb_purpose purpose,
		    const char *revision, const struct fb_build *build,
		    int64_t *id, struct fb_error *err);

struct fb_boot_key {
	struct fb_purpose purpose;
	int64_t build; /* 0: none */
	const char *revision, *phase;
};

/* The boot with all its samples and evidence, in one transaction. */
int fb_db_boot_add(struct fb_db *db, const struct fb_boot_key *key,
		   const struct fb_boot *boot, int64_t *id,
		   struct fb_error *err);

struct fb_decision {
	const char *revision, *phase, *action, *reason;
	const char *before; /* JSON, or NULL */
	uint32_t candidates;
};

/* Sets *id. */
int fb_db_decision_add(struct fb_db *db, int64_t bisection,
		       const struct fb_decision *d, int64_t *id,
		       struct fb_error *err);
/* What is known once it has been done; JSON. */
int fb_db_decision_done(struct fb_db *db, int64_t id, const char *after,
			struct fb_error *err);

/* Adds what a person had marked: 'good', 'bad' or 'skip'. */
int fb_db_mark_add(struct fb_db *db, int64_t bisection, const char *revision,
		   const char *mark, struct fb_error *err);

/* Replaces the bisection's list of marks. */
struct fb_step {
	const char *revision, *mark, *reason;
};

int fb_db_steps_set(struct fb_db *db, int64_t bisection,
		    const struct fb_step *steps, size_t n,
		    struct fb_error *err);

/* Row by row, in order; a callback that returns non-zero stops the query. */
struct fb_build_row {
	const char *revision, *outcome, *error, *log, *lost_options;
	double seconds;
	bool cached;
	const char *signature, *inputs; /* of the kernel; NULL: not known */
	double predicted;		/* seconds; 0: not */
};
struct fb_boot_row {
	int64_t id;
	const char *revision, *phase, *outcome, *detail, *clock, *machine,
		*console;
	double started, seconds, probe_seconds;
	bool has_value;
	double value; /* of the metric asked for */
};
struct fb_decision_row {
	int64_t id;
	const char *revision, *phase, *action, *reason, *before, *after;
	uint32_t candidates;
	double at;
};
struct fb_mark_row {
	const char *revision, *mark;
};
struct fb_step_row {
	const char *revision, *mark, *reason;
};
struct fb_sample_row {
	const char *revision, *phase, *metric;
	double value, started; /* of its boot, seconds since 1970 */
};

/* Those of one decision, or all when it is 0. */
int fb_db_builds(struct fb_db *db, struct fb_purpose purpose,
		 int (*row)(void *, const struct fb_build_row *), void *data,
		 struct fb_error *err);
int fb_db_boots(struct fb_db *db, struct fb_purpose purpose, const char *metric,
		int (*row)(void *, const struct fb_boot_row *), void *data,
		struct fb_error *err);
int fb_db_decisions(struct fb_db *db, int64_t bisection,
		    int (*row)(void *, const struct fb_decision_row *),
		    void *data, struct fb_error *err);
int fb_db_marks(struct fb_db *db, int64_t bisection,
		int (*row)(void *, const struct fb_mark_row *), void *data,
		struct fb_error *err);
int fb_db_steps(struct fb_db *db, int64_t bisection,
		int (*row)(void *, const struct fb_step_row *), void *data,
		struct fb_error *err);
/*
 * Measured boots; 0 and NULL are any. Those that chose a metric or were cut
 * short for a surrogate are only found by their phase.
 */
struct fb_boot_filter {
	int64_t bisection, comparison;
	const char *revision, *phase;
};

/* All samples of these boots, by metric. */
int fb_db_samples(struct fb_db *db, const struct fb_boot_filter *f,
		  int (*row)(void *, const struct fb_sample_row *), void *data,
		  struct fb_error *err);

struct fb_fact_row {
	const char *window, *source, *key; /* a setting's: subject, "", key */
	double value;
	const char *text; /* of a setting, else NULL */
};

/*
 * What lies beside the figures of these boots: evidence, means of the timeline
 * over each window (source "timeline"), and settings.
 */
int fb_db_facts(struct fb_db *db, const struct fb_boot_filter *f,
		int (*row)(void *, const struct fb_fact_row *), void *data,
		struct fb_error *err);

struct fb_comparison_record {
	int64_t id;
	char *axis, *a, *b, *revision, *repo, *config;
	double started;
	char *status, *reason, *result;
};

void fb_comparison_record_release(struct fb_comparison_record *c);
/* Stores a new one and sets its id. */
int fb_db_comparison_add(struct fb_db *db, struct fb_comparison_record *c,
			 struct fb_error *err);
/* Drift: ln per hour; NAN when it is not known. */
int fb_db_comparison_finish(struct fb_db *db, int64_t id, const char *status,
			    const char *reason, const char *result,
			    double drift, struct fb_error *err);
/* By id, or the newest when id is 0; FB_E_NOTFOUND when there is none. */
int fb_db_comparison_get(struct fb_db *db, int64_t id,
			 struct fb_comparison_record *out,
			 struct fb_error *err);
/* Every comparison, newest first. */
int fb_db_comparisons(struct fb_db *db,
		      int (*row)(void *data,
				 const struct fb_comparison_record *c),
		      void *data, struct fb_error *err);

/* Sums over a bisection. */
struct fb_totals {
	unsigned builds, boots, samples;
	double build_seconds, boot_seconds, probe_seconds;
};

int fb_db_totals(struct fb_db *db, int64_t bisection, const char *metric,
		 struct fb_totals *out, struct fb_error *err);

#endif
