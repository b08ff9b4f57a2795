/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "json_get.h"
#include "metric.h"
#include "report.h"

#define NAME_MIN 20

static bool alike(const cJSON *f, const cJSON *g)
{
	return strcmp(str(f, "diagnosis"), str(g, "diagnosis")) == 0 &&
	       strcmp(str(f, "cause"), str(g, "cause")) == 0;
}

/* Was this sentence in a finding of the group before? */
static bool said(const cJSON *from, const cJSON *to, const char *sentence)
{
	for (const cJSON *f = from; f != to; f = f->next) {
		const cJSON *line;
		cJSON_ArrayForEach(line, obj(f, "evidence"))
			if (strcmp(cJSON_GetStringValue(line), sentence) == 0)
				return true;
	}
	return false;
}

/* Findings of the same kind, one after the other, as one. */
static const cJSON *print_group(const char *word, const cJSON *first, FILE *out)
{
	const char *cause = str(first, "cause"), *between = ", on ";
	const cJSON *end = first, *line;
	fprintf(out, "%s: %s%s%s%s", word, str(first, "diagnosis"),
		*cause ? " (" : "", cause, *cause ? ")" : "");
	for (; end && alike(first, end); end = end->next) {
		if (*str(end, "disk")) {
			fprintf(out, "%s%s", between, str(end, "disk"));
			between = ", ";
		}
	}
	fputc('\n', out);
	for (const cJSON *f = first; f != end; f = f->next)
		cJSON_ArrayForEach(line, obj(f, "evidence"))
			if (!said(first, f, cJSON_GetStringValue(line)))
				fprintf(out, "    %s\n",
					cJSON_GetStringValue(line));
	return end;
}

static bool worth_a_line(const cJSON *row)
{
	const char *name = str(row, "metric");
	const char *change = str(row, "change");
	/* Counters that did not surely move would only bury the others, and so
	 * would those that were seen once. */
	return fb_metric_is_headline(name) ||
	       (strcmp(change, "same") != 0 && strcmp(change, "unclear") != 0 &&
		!(num_or(row, "n_before", NAN) < 2) &&
		!(num_or(row, "n_after", NAN) < 2));
}

static void print_row(const cJSON *row, int width, FILE *out)
{
	double ratio = num_or(row, "ratio", NAN),
	       more = num_or(row, "more_boots", NAN);
	double low = num_or(row, "ratio_low", NAN),
	       high = num_or(row, "ratio_high", NAN);
	char before[FB_FIGURE_SIZE], after[FB_FIGURE_SIZE], change[24] = "new";
	char interval[48] = "";
	if (!isnan(ratio))
		snprintf(change, sizeof(change), "%+.1f %%", 100 * (ratio - 1));
	if (high > low)
		snprintf(interval, sizeof(interval), "%+.1f..%+.1f %%",
			 100 * (low - 1), 100 * (high - 1));
	fprintf(out, "%-*s %-5s %10s %10s %9s  %s", width, str(row, "metric"),
		fb_metric_unit(str(row, "metric")),
		fb_figure_text(num_or(row, "before", NAN), before),
		fb_figure_text(num_or(row, "after", NAN), after), change,
		str(row, "change"));
	if (*interval)
		fprintf(out, " (%s)", interval);
	if (num(row, "set_aside") > 0)
		fprintf(out, ", %.0f set aside as outliers",
			num(row, "set_aside"));
	if (more > 0)
		fprintf(out, ", %.0f more would settle it", more);
	fputc('\n', out);
}

static void print_metrics(const cJSON *v, FILE *out)
{
	const cJSON *row, *rows = obj(v, "metrics");
	int width = NAME_MIN, n = 0, single = 0;
	cJSON_ArrayForEach(row, rows) {
		if (!worth_a_line(row))
			continue;
		int len = (int)strlen(str(row, "metric"));
		width = len > width ? len : width;
		single += num_or(row, "n_before", NAN) < 2 ||
			  num_or(row, "n_after", NAN) < 2;
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
			num_or(v, "threshold_percent", NAN));
}

void fb_report_verdict(const cJSON *v, FILE *out)
{
	const cJSON *line,
		*f = obj(v, "findings") ? obj(v, "findings")->child : NULL;
	/* Results of before there were findings have the primary one alone. */
	if (!f) {
		fprintf(out, "verdict: %s\n", str(v, "diagnosis"));
		cJSON_ArrayForEach(line, obj(v, "evidence"))
			fprintf(out, "    %s\n", cJSON_GetStringValue(line));
	}
	for (const char *word = "verdict"; f; word = "also")
		f = print_group(word, f, out);
	print_metrics(v, out);
}

void fb_report_not_measured(const cJSON *v, FILE *out)
{
	const cJSON *line, *missing = obj(v, "not_measured");
	if (!cJSON_GetArraySize(missing))
		return;
	fputs("\nnot measured, and would tell more:\n", out);
	cJSON_ArrayForEach(line, missing)
		fprintf(out, "    %s\n", cJSON_GetStringValue(line));
}
