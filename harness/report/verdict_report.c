/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "metric.h"
#include "report.h"

#define NAME_MIN 20

static const char *str(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsString(v) ? v->valuestring : "";
}

/* NAN when it is null or not there. */
static double num(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

static void print_list(const char *indent, const cJSON *list, FILE *out)
{
	const cJSON *line;
	cJSON_ArrayForEach(line, list)
		if (cJSON_IsString(line))
			fprintf(out, "%s%s\n", indent, line->valuestring);
}

static void print_finding(const char *word, const cJSON *f, FILE *out)
{
	const char *cause = str(f, "cause"), *disk = str(f, "disk");
	fprintf(out, "%s: %s%s%s%s%s%s\n", word, str(f, "diagnosis"),
		*cause ? " (" : "", cause, *cause ? ")" : "",
		*disk ? ", on " : "", disk);
	print_list("    ", cJSON_GetObjectItemCaseSensitive(f, "evidence"),
		   out);
}

static bool worth_a_line(const cJSON *row)
{
	const char *name = str(row, "metric");
	/* Counters that did not move would only bury the others, and so would
	 * those that were seen once. */
	return fb_metric_is_headline(name) ||
	       (strcmp(str(row, "change"), "same") != 0 &&
		!(num(row, "n_before") < 2) && !(num(row, "n_after") < 2));
}

static void print_row(const cJSON *row, int width, FILE *out)
{
	double ratio = num(row, "ratio"), more = num(row, "more_boots");
	double low = num(row, "ratio_low"), high = num(row, "ratio_high");
	const char *unit = fb_metric_unit(str(row, "metric"));
	fprintf(out, "%-*s %-5s %10.4g %10.4g ", width, str(row, "metric"),
		unit, num(row, "before"), num(row, "after"));
	if (isnan(ratio))
		fprintf(out, "%8s   ", "new");
	else
		fprintf(out, "%+7.1f %% ", 100 * (ratio - 1));
	fprintf(out, " %-8s", str(row, "change"));
	if (high > low)
		fprintf(out, " %+.1f..%+.1f %%", 100 * (low - 1),
			100 * (high - 1));
	if (more > 0)
		fprintf(out, "  %.0f more would settle it", more);
	fputc('\n', out);
}

static void print_metrics(const cJSON *v, FILE *out)
{
	const cJSON *row,
		*rows = cJSON_GetObjectItemCaseSensitive(v, "metrics");
	int width = NAME_MIN, n = 0, single = 0;
	cJSON_ArrayForEach(row, rows) {
		if (!worth_a_line(row))
			continue;
		int len = (int)strlen(str(row, "metric"));
		width = len > width ? len : width;
		single += num(row, "n_before") < 2 || num(row, "n_after") < 2;
		n++;
	}
	if (!n)
		return;
	fprintf(out, "\n%-*s %-5s %10s %10s %9s\n", width, "figure", "",
		"before", "after", "change");
	cJSON_ArrayForEach(row, rows)
		if (worth_a_line(row))
			print_row(row, width, out);
	if (single)
		fprintf(out,
			"%s one value in an arm: no interval, the threshold of "
			"%.3g %% alone decides\n",
			single == n ? "Every figure is" :
				      "Figures without an interval are",
			num(v, "threshold_percent"));
}

void fb_report_verdict(const cJSON *v, FILE *out)
{
	const cJSON *f, *missing, *findings;
	findings = cJSON_GetObjectItemCaseSensitive(v, "findings");
	missing = cJSON_GetObjectItemCaseSensitive(v, "not_measured");
	/* Results of before there were findings have the primary one alone. */
	if (!cJSON_GetArraySize(findings))
		print_finding("verdict", v, out);
	cJSON_ArrayForEach(f, findings)
		print_finding(f->prev && f != findings->child ? "also" :
								"verdict",
			      f, out);
	print_metrics(v, out);
	if (!cJSON_GetArraySize(missing))
		return;
	fputs("\nnot measured, and would tell more:\n", out);
	print_list("    ", missing, out);
}
