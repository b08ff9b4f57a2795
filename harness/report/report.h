/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people and programs read. Everything comes from the database, so that
 * any report can be made again later.
 */
#ifndef FB_REPORT_H
#define FB_REPORT_H

#include <stdio.h>

#include "db.h"

struct fb_error;
struct cJSON;

/* The result object, one line; FB_E_NOTFOUND while it still runs. */
int fb_report_json(const struct fb_bisection *b, FILE *out,
		   struct fb_error *err);

/* The answer first, then a table, then what happened on the way. */
int fb_report_text(const struct fb_bisection *b, FILE *out,
		   struct fb_error *err);

/*
 * A verdict (verdict_json.h) as a page: what it is, the sentences of every
 * finding, the table of figures.
 */
void fb_report_verdict(const struct cJSON *verdict, FILE *out);

/* What a verdict on pasted figures lacks, and what to run; or nothing. */
void fb_report_not_measured(const struct cJSON *verdict, FILE *out);

/* The same of a comparison: the answer, the figures, what the arms were. */
int fb_report_comparison(const struct fb_comparison_record *c, bool json,
			 FILE *out, struct fb_error *err);
int fb_report_comparison_exit_status(const char *status);

/* Every step: what was chosen, why, what came of it and what it changed. */
int fb_report_log(struct fb_db *db, const struct fb_bisection *b, bool json,
		  FILE *out, struct fb_error *err);

/* The exit status of `firstbad bisect` for a bisection's status. */
int fb_report_exit_status(const char *status);

#endif
