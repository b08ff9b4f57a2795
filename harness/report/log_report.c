/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of a bisection: for every step what was chosen and why, what was
 * measured, and how the probabilities moved. The text is made from the same
 * object that --json prints.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "errors.h"
#include "json_get.h"
#include "report.h"
#include "text.h"

struct log {
	struct fb_db *db;
	const struct fb_bisection *b;
	cJSON *steps;
	struct fb_error *err;
	int rc;
};

static void add_text(cJSON *o, const char *key, const char *value)
{
	if (value)
		cJSON_AddStringToObject(o, key, value);
}

static void add_parsed(cJSON *o, const char *key, const char *json)
{
	cJSON *value = json ? cJSON_Parse(json) : NULL;
	if (value)
		cJSON_AddItemToObject(o, key, value);
}

static int add_build(void *data, const struct fb_build_row *row)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "outcome", row->outcome);
	cJSON_AddNumberToObject(o, "seconds", row->seconds);
	cJSON_AddBoolToObject(o, "cached", row->cached);
	add_text(o, "error", row->error);
	add_text(o, "log", row->log);
	cJSON_AddItemToArray(data, o);
	return 0;
}

static int add_boot(void *data, const struct fb_boot_row *row)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "outcome", row->outcome);
	if (row->has_value)
		cJSON_AddNumberToObject(o, "value", row->value);
	cJSON_AddNumberToObject(o, "seconds", row->seconds);
	cJSON_AddNumberToObject(o, "at", row->started);
	add_text(o, "detail", row->detail);
	add_text(o, "console", row->console);
	cJSON_AddItemToArray(data, o);
	return 0;
}

/* Short boots of a surrogate are shown by its own figure. */
static const char *metric_of(const struct fb_bisection *b, const char *phase)
{
	bool surrogate = b->surrogate && fb_starts_with(phase, "surrogate");
	return surrogate ? b->surrogate : b->metric;
}

static int add_step(void *data, const struct fb_decision_row *row)
{
	struct log *log = data;
	struct fb_purpose p = { .bisection = log->b->id, .decision = row->id };
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "phase", row->phase);
	cJSON_AddStringToObject(o, "action", row->action);
	add_text(o, "commit", row->revision);
	cJSON_AddStringToObject(o, "reason", row->reason);
	cJSON_AddNumberToObject(o, "at", row->at);
	add_parsed(o, "before", row->before);
	cJSON *builds = cJSON_AddArrayToObject(o, "builds");
	cJSON *boots = cJSON_AddArrayToObject(o, "boots");
	log->rc = fb_db_builds(log->db, p, add_build, builds, log->err);
	if (log->rc == 0)
		log->rc = fb_db_boots(log->db, p, metric_of(log->b, row->phase),
				      add_boot, boots, log->err);
	add_parsed(o, "after", row->after);
	cJSON_AddItemToArray(log->steps, o);
	return log->rc;
}

static int add_mark(void *data, const struct fb_step_row *row)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "commit", row->revision);
	cJSON_AddStringToObject(o, "mark", row->mark);
	cJSON_AddStringToObject(o, "reason", row->reason);
	cJSON_AddItemToArray(data, o);
	return 0;
}

static cJSON *make_log(struct fb_db *db, const struct fb_bisection *b,
		       struct fb_error *err)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddNumberToObject(o, "bisect_id", (double)b->id);
	cJSON_AddStringToObject(o, "metric", b->metric);
	add_text(o, "surrogate", b->surrogate);
	struct log log = { .db = db,
			   .b = b,
			   .steps = cJSON_AddArrayToObject(o, "steps"),
			   .err = err };
	cJSON *marks = cJSON_AddArrayToObject(o, "marks");
	int rc = fb_db_decisions(db, b->id, add_step, &log, err);
	if (rc == 0)
		rc = log.rc;
	if (rc == 0)
		rc = fb_db_steps(db, b->id, add_mark, marks, err);
	if (rc) {
		cJSON_Delete(o);
		return NULL;
	}
	return o;
}

/* ---- as text */

static void print_builds(const cJSON *step, FILE *out)
{
	const cJSON *row;
	cJSON_ArrayForEach(row, obj(step, "builds")) {
		bool built = fb_streq(str(row, "outcome"), "measured");
		if (cJSON_IsTrue(obj(row, "cached")))
			continue;
		fprintf(out, "       %s %.1f s%s%s\n",
			built ? "built in" : "build failed after",
			num(row, "seconds"), built ? "" : ": ",
			str(row, "error"));
	}
}

static void print_boots(const cJSON *step, FILE *out)
{
	const cJSON *row;
	int on_line = 0;
	cJSON_ArrayForEach(row, obj(step, "boots")) {
		bool value = obj(row, "value") != NULL;
		if (!value && on_line)
			fputc('\n', out);
		if (!value)
			fprintf(out, "       boot: %s %s\n",
				str(row, "outcome"), str(row, "detail"));
		else
			fprintf(out, "%s%.5g",
				on_line ? "  " : "       measured ",
				num(row, "value"));
		on_line = value;
	}
	if (on_line)
		fputc('\n', out);
}

static void print_moved(const cJSON *step, FILE *out)
{
	const cJSON *a = obj(step, "before"), *b = obj(step, "after");
	if (!b)
		return;
	fputs("       ", out);
	if (obj(b, "p_bad") && obj(a, "p_bad"))
		fprintf(out, "P(bad) %.3f -> %.3f; ", num(a, "p_bad"),
			num(b, "p_bad"));
	else if (obj(b, "p_bad"))
		fprintf(out, "P(bad) %.3f; ", num(b, "p_bad"));
	if (a && num(a, "candidates") != num(b, "candidates"))
		fprintf(out, "%.0f -> ", num(a, "candidates"));
	fprintf(out, "%.0f candidates, %.1f bits; likeliest %.12s %.3f\n",
		num(b, "candidates"), num(b, "entropy_bits"), str(b, "likely"),
		num(b, "p_likely"));
}

static void print_text(const cJSON *log, FILE *out)
{
	const cJSON *row;
	int n = 0;
	cJSON_ArrayForEach(row, obj(log, "steps")) {
		const char *action = str(row, "action");
		fprintf(out, "%4d  %-8s  %.12s  %s%s%s\n", ++n,
			str(row, "phase"), str(row, "commit"),
			fb_streq(action, "measure") ? "" : action,
			fb_streq(action, "measure") ? "" : ": ",
			str(row, "reason"));
		print_builds(row, out);
		print_boots(row, out);
		print_moved(row, out);
	}
	if (cJSON_GetArraySize(obj(log, "marks")))
		fputs("\nmarks\n", out);
	cJSON_ArrayForEach(row, obj(log, "marks"))
		fprintf(out, "      %-8s  %.12s  %s\n", str(row, "mark"),
			str(row, "commit"), str(row, "reason"));
}

int fb_report_log(struct fb_db *db, const struct fb_bisection *b, bool json,
		  FILE *out, struct fb_error *err)
{
	cJSON *log = make_log(db, b, err);
	if (!log)
		return err->code;
	if (json) {
		char *text = cJSON_PrintUnformatted(log);
		fprintf(out, "%s\n", text);
		free(text);
	} else {
		print_text(log, out);
	}
	cJSON_Delete(log);
	return 0;
}
