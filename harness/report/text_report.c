/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "errors.h"
#include "metric.h"
#include "report.h"

static const char *str(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsString(v) ? v->valuestring : "";
}

static double num(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static const cJSON *obj(const cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

int fb_report_exit_status(const char *status)
{
	static const struct {
		const char *status;
		int code;
	} codes[] = {
		{ "found", 0 },	       { "multiple", 0 },
		{ "skipped-only", 2 }, { "not-reproduced", 3 },
		{ "deadline", 4 },     { "error", 1 },
	};
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(codes[i].status, status) == 0)
			return codes[i].code;
	return 10;
}

static int not_finished(const struct fb_bisection *b, struct fb_error *err)
{
	return fb_error_set(err, FB_E_NOTFOUND,
			    "bisection %lld is not finished; `firstbad "
			    "resume` continues it",
			    (long long)b->id);
}

int fb_report_json(const struct fb_bisection *b, FILE *out,
		   struct fb_error *err)
{
	if (!b->result)
		return not_finished(b, err);
	fprintf(out, "%s\n", b->result);
	return 0;
}

static void print_answer(const cJSON *r, FILE *out)
{
	const char *status = str(r, "status");
	if (strcmp(status, "found") == 0) {
		fprintf(out, "%s is the first bad commit\n    %.12s (\"%s\")\n",
			str(r, "first_bad"), str(r, "first_bad"),
			str(r, "subject"));
		if (cJSON_IsTrue(obj(r, "merge")))
			fputs("    It is a merge: its parents are good, so the "
			      "merge itself made the difference.\n",
			      out);
	} else if (strcmp(status, "skipped-only") == 0) {
		fputs("There are only skipped commits left to test. The first "
		      "bad commit could be any of:\n",
		      out);
	} else {
		const char *reason = str(r, "reason");
		fprintf(out, "No commit is named: %s.\n", reason);
	}
	const cJSON *set = obj(r, "credible_set"), *row;
	if (strcmp(status, "found") == 0 && cJSON_GetArraySize(set) <= 1)
		return;
	cJSON_ArrayForEach(row, set)
		fprintf(out, "    %5.1f %%  %.12s (\"%s\")\n",
			100 * num(row, "probability"), str(row, "commit"),
			str(row, "subject"));
}

static void print_figures(const cJSON *r, FILE *out)
{
	const char *metric = str(r, "metric");
	const cJSON *check = obj(r, "verification");
	const cJSON *parent = obj(check, "parent"),
		    *culprit = obj(check, "culprit");
	bool found = cJSON_IsObject(culprit);

	const char *unit = fb_metric_unit(metric);
	fprintf(out, "\n%-12s %s%s%s\n", "metric", metric, *unit ? ", " : "",
		unit);
	fprintf(out, "%-12s %10.4g", found ? "before" : "good",
		num(r, "good_value"));
	if (found)
		fprintf(out, "   %.0f boots of %.12s", num(parent, "samples"),
			str(parent, "commit"));
	fprintf(out, "\n%-12s %10.4g", found ? "after" : "bad",
		num(r, "bad_value"));
	if (found)
		fprintf(out, "   %.0f boots of %.12s", num(culprit, "samples"),
			str(culprit, "commit"));
	fprintf(out, "\n%-12s %+9.1f %%\n", "change", num(r, "change_percent"));
	double p = num(r, "confidence");
	if (found)
		fprintf(out, "%-12s %s%6.2f %%\n", "confidence",
			p > .9999 ? " > " : "   ", p > .9999 ? 99.99 : 100 * p);
}

static void print_verdict(const cJSON *v, FILE *out)
{
	const char *cause = str(v, "cause");
	const cJSON *line;
	fprintf(out, "\nverdict: %s%s%s%s\n", str(v, "diagnosis"),
		*cause ? " (" : "", cause, *cause ? ")" : "");
	cJSON_ArrayForEach(line, obj(v, "evidence"))
		fprintf(out, "    %s\n", line->valuestring);
}

static void print_metrics(const cJSON *v, FILE *out)
{
	const cJSON *row;
	bool head = false;
	cJSON_ArrayForEach(row, obj(v, "metrics")) {
		const char *name = str(row, "metric");
		/* Counters that did not move would only bury the others. */
		if (!fb_metric_is_headline(name) &&
		    strcmp(str(row, "change"), "same") == 0)
			continue;
		if (!head)
			fprintf(out, "\n%-42s %10s %10s %8s\n", "figure",
				"before", "after", "change");
		head = true;
		fprintf(out, "%-42s %10.4g %10.4g %+7.1f %%  %s\n", name,
			num(row, "before"), num(row, "after"),
			100 * (num(row, "ratio") - 1), str(row, "change"));
	}
}

static void print_cost(const cJSON *r, FILE *out)
{
	const cJSON *s = obj(r, "seconds");
	char total[32], build[32], guest[32];
	double in_guest = num(s, "boot") + num(s, "probe");
	fprintf(out,
		"\nrange %.0f commits, built %.0f, booted %.0f, skipped "
		"%.0f; %s (building %s, in guests %s, ourselves "
		"%.1f s)\n",
		num(r, "range_commits"), num(r, "builds"), num(r, "boots"),
		num(r, "skipped"),
		fb_duration(num(s, "total"), total, sizeof(total)),
		fb_duration(num(s, "build"), build, sizeof(build)),
		fb_duration(in_guest, guest, sizeof(guest)), num(s, "harness"));
	const cJSON *row;
	cJSON_ArrayForEach(row, obj(r, "skipped_commits"))
		fprintf(out, "    skipped %.12s: %s\n", str(row, "commit"),
			str(row, "reason"));
}

int fb_report_text(const struct fb_bisection *b, FILE *out,
		   struct fb_error *err)
{
	cJSON *r = b->result ? cJSON_Parse(b->result) : NULL;
	if (!r)
		return not_finished(b, err);
	print_answer(r, out);
	print_figures(r, out);
	print_verdict(obj(r, "verdict"), out);
	print_metrics(obj(r, "verdict"), out);
	print_cost(r, out);
	cJSON_Delete(r);
	return 0;
}

static int decision_line(void *data, const struct fb_decision_row *row)
{
	FILE *out = data;
	fprintf(out, "decide  %-8s %-8s %.12s  %s\n", row->phase, row->action,
		row->revision ? row->revision : "", row->reason);
	return 0;
}

static int build_line(void *data, const struct fb_build_row *row)
{
	FILE *out = data;
	if (!row->cached)
		fprintf(out, "build   %.12s  %.1f s%s%s\n", row->revision,
			row->seconds, row->error ? "  " : "",
			row->error ? row->error : "");
	return 0;
}

static int boot_line(void *data, const struct fb_boot_row *row)
{
	FILE *out = data;
	fprintf(out, "boot    %-8s %.12s  %-12s", row->phase, row->revision,
		row->outcome);
	if (row->has_value)
		fprintf(out, " %10.4g", row->value);
	fprintf(out, "  %.1f s%s%s\n", row->seconds, row->detail ? "  " : "",
		row->detail ? row->detail : "");
	return 0;
}

static int step_line(void *data, const struct fb_step_row *row)
{
	FILE *out = data;
	fprintf(out, "mark    %-4s %.12s  %s\n", row->mark, row->revision,
		row->reason);
	return 0;
}

int fb_report_log(struct fb_db *db, const struct fb_bisection *b, FILE *out,
		  struct fb_error *err)
{
	int rc = fb_db_decisions(db, b->id, decision_line, out, err);
	if (rc == 0)
		rc = fb_db_builds(db, b->id, build_line, out, err);
	if (rc == 0)
		rc = fb_db_boots(db, b->id, b->metric, boot_line, out, err);
	return rc ? rc : fb_db_steps(db, b->id, step_line, out, err);
}
