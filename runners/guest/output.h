/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the command prints at the end: bonnie++'s table and CSV line, or
 * everything as one JSON object. Values are kept as they are reported; there
 * is one run in a process.
 */
#ifndef FB_PROBE_OUTPUT_H
#define FB_PROBE_OUTPUT_H

#include "results.h"

void output_setting(const char *subject, const char *key, const char *value);
void output_sample(const char *metric, double value);
void output_evidence(const char *window, const char *source,
		     const struct fact *fact);
void output_vmstat(const char *window, const struct timeline_row *row);
void output_histogram(const char *window, const char *operation,
		      const struct histogram *h);

/* What was kept; false when there is no such thing. */
bool output_find_sample(const char *metric, double *value);
bool output_find_evidence(const char *window, const char *source,
			  const char *key, double *value);

/*
 * bonnie_table.c: the table of bonnie++ 2.00a with its 1.98 CSV line below, or the line
 * alone. Tests that did not run are "+++++", as those that took less than
 * half a second. Nothing is printed when no bonnie test ran.
 */
void output_bonnie(const struct params *p, bool csv_only);

/*
 * {"samples": {metric: value}, "evidence": {window: {source: {key: value}}},
 *  "settings": {subject: {key: text}}, "timeline": {window: [[at, ...]]},
 *  "histograms": {window: {operation: [[low, high, count]]}}}
 */
void output_json(void);

#endif
