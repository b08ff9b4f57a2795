/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "errors.h"
#include "json_get.h"
#include "metric.h"
#include "report.h"

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

/* Several commits, each with its own part. */
static void print_changes(const cJSON *r, FILE *out)
{
	const cJSON *row;
	fprintf(out, "There are %d separate changes:\n",
		cJSON_GetArraySize(obj(r, "changes")));
	cJSON_ArrayForEach(row, obj(r, "changes"))
		fprintf(out, "    %+6.1f %%  %s  %.12s (\"%s\")\n",
			num(row, "change_percent"), str(row, "metric"),
			str(row, "first_bad"), str(row, "subject"));
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
	} else if (strcmp(status, "multiple") == 0) {
		print_changes(r, out);
	} else if (strcmp(status, "skipped-only") == 0) {
		fputs("There are only skipped commits left to test. The first "
		      "bad commit could be any of:\n",
		      out);
	} else {
		const char *reason = str(r, "reason");
		fprintf(out, "No commit is named: %s.\n", reason);
	}
	const cJSON *set = obj(r, "credible_set"), *row;
	if ((strcmp(status, "found") == 0 && cJSON_GetArraySize(set) <= 1) ||
	    strcmp(status, "multiple") == 0)
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

/* What a change that was made for the proof came to. */
static void print_side(const cJSON *side, const char *what, FILE *out)
{
	const cJSON *detail = obj(side, "detail");
	if (!cJSON_IsObject(side))
		return;
	if (obj(side, "value"))
		fprintf(out, "%-12s %10.4g   %.0f boots on %.12s: %s\n", what,
			num(side, "value"), num(side, "samples"),
			str(side, "on"), str(side, "outcome"));
	else
		fprintf(out, "%-12s %10s   on %.12s: %s%s%s\n", what, "-",
			str(side, "on"), str(side, "outcome"),
			detail ? ", " : "", str(side, "detail"));
}

static void print_proof(const cJSON *r, FILE *out)
{
	const cJSON *check = obj(r, "verification"), *doubt;
	print_side(obj(check, "revert"), "reverted", out);
	print_side(obj(check, "apply"), "alone", out);
	const cJSON *s = obj(r, "surrogate");
	if (s)
		fprintf(out, "%-12s stepped by %s\n", "surrogate",
			str(s, "metric"));
	cJSON_ArrayForEach(doubt, obj(r, "doubts"))
		fprintf(out, "%-12s %s\n", "doubt", doubt->valuestring);
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
	print_proof(r, out);
	fputc('\n', out);
	fb_report_verdict(obj(r, "verdict"), out);
	print_cost(r, out);
	cJSON_Delete(r);
	return 0;
}
