/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME 96
#define MAX_VALUES 4096
#define MAX_VMSTAT 4096
#define MAX_HISTOGRAMS 64

static struct {
	struct {
		char metric[NAME];
		double value;
	} samples[MAX_VALUES];
	struct {
		char window[NAME], source[32], key[32];
		double value;
	} evidence[MAX_VALUES];
	struct {
		char subject[48], key[32], value[256];
	} settings[128];
	struct {
		char window[NAME];
		struct timeline_row row;
	} vmstat[MAX_VMSTAT];
	struct {
		char window[NAME], operation[16];
		struct histogram h;
	} histograms[MAX_HISTOGRAMS];
	size_t n_samples, n_evidence, n_settings, n_vmstat, n_histograms;
} kept;

#define FULL(what) (kept.n_##what == sizeof(kept.what) / sizeof(kept.what[0]))
#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

void output_setting(const char *subject, const char *key, const char *value)
{
	if (FULL(settings))
		return;
	COPY(kept.settings[kept.n_settings].subject, subject);
	COPY(kept.settings[kept.n_settings].key, key);
	COPY(kept.settings[kept.n_settings++].value, value);
}

void output_sample(const char *metric, double value)
{
	if (FULL(samples))
		return;
	COPY(kept.samples[kept.n_samples].metric, metric);
	kept.samples[kept.n_samples++].value = value;
}

void output_evidence(const char *window, const char *source,
		     const struct fact *fact)
{
	if (FULL(evidence))
		return;
	COPY(kept.evidence[kept.n_evidence].window, window);
	COPY(kept.evidence[kept.n_evidence].source, source);
	COPY(kept.evidence[kept.n_evidence].key, fact->key);
	kept.evidence[kept.n_evidence++].value = fact->value;
}

void output_vmstat(const char *window, const struct timeline_row *row)
{
	if (FULL(vmstat))
		return;
	COPY(kept.vmstat[kept.n_vmstat].window, window);
	kept.vmstat[kept.n_vmstat++].row = *row;
}

void output_histogram(const char *window, const char *operation,
		      const struct histogram *h)
{
	if (FULL(histograms))
		return;
	COPY(kept.histograms[kept.n_histograms].window, window);
	COPY(kept.histograms[kept.n_histograms].operation, operation);
	kept.histograms[kept.n_histograms++].h = *h;
}

bool output_find_sample(const char *metric, double *value)
{
	for (size_t i = 0; i < kept.n_samples; i++) {
		if (strcmp(kept.samples[i].metric, metric) == 0) {
			*value = kept.samples[i].value;
			return true;
		}
	}
	return false;
}

bool output_find_evidence(const char *window, const char *source,
			  const char *key, double *value)
{
	for (size_t i = 0; i < kept.n_evidence; i++) {
		if (strcmp(kept.evidence[i].window, window) == 0 &&
		    strcmp(kept.evidence[i].source, source) == 0 &&
		    strcmp(kept.evidence[i].key, key) == 0) {
			*value = kept.evidence[i].value;
			return true;
		}
	}
	return false;
}

/* JSON. Objects are opened and closed as the sorted keys change. */

static void print_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

/* The i-th of its kind begins a new group: closes the last, opens this. */
static void group(bool same, bool first, const char *name, char open, char end)
{
	if (same)
		return;
	if (!first)
		printf("%c,", end);
	print_string(name);
	printf(":%c", open);
}

static void json_evidence(void)
{
	for (size_t i = 0; i < kept.n_evidence; i++) {
		bool window = i && strcmp(kept.evidence[i].window,
					  kept.evidence[i - 1].window) == 0;
		bool source =
			window && strcmp(kept.evidence[i].source,
					 kept.evidence[i - 1].source) == 0;
		if (i && !window)
			putchar('}');
		group(window, !i, kept.evidence[i].window, '{', '}');
		group(source, !window, kept.evidence[i].source, '{', '}');
		printf("%s\"%s\":%.17g", source ? "," : "",
		       kept.evidence[i].key, kept.evidence[i].value);
	}
	printf("%s", kept.n_evidence ? "}}" : "");
}

static void json_settings(void)
{
	for (size_t i = 0; i < kept.n_settings; i++) {
		bool same = i && strcmp(kept.settings[i].subject,
					kept.settings[i - 1].subject) == 0;
		group(same, !i, kept.settings[i].subject, '{', '}');
		printf("%s\"%s\":", same ? "," : "", kept.settings[i].key);
		print_string(kept.settings[i].value);
	}
	printf("%s", kept.n_settings ? "}" : "");
}

static void json_timeline(void)
{
	for (size_t i = 0; i < kept.n_vmstat; i++) {
		bool same = i && strcmp(kept.vmstat[i].window,
					kept.vmstat[i - 1].window) == 0;
		group(same, !i, kept.vmstat[i].window, '[', ']');
		printf("%s[%.3f", same ? "," : "", kept.vmstat[i].row.at);
		for (int c = 0; c < VMSTAT_COLUMNS; c++)
			printf(",%lu", kept.vmstat[i].row.v[c]);
		putchar(']');
	}
	printf("%s", kept.n_vmstat ? "]" : "");
}

static void json_buckets(const struct histogram *h)
{
	const char *comma = "";
	putchar('[');
	for (size_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
		if (!h->count[b])
			continue;
		printf("%s[%llu,%llu,%u]", comma,
		       (unsigned long long)histogram_low(b),
		       (unsigned long long)histogram_high(b), h->count[b]);
		comma = ",";
	}
	putchar(']');
}

static void json_histograms(void)
{
	for (size_t i = 0; i < kept.n_histograms; i++) {
		bool same = i && strcmp(kept.histograms[i].window,
					kept.histograms[i - 1].window) == 0;
		group(same, !i, kept.histograms[i].window, '{', '}');
		printf("%s\"%s\":", same ? "," : "",
		       kept.histograms[i].operation);
		json_buckets(&kept.histograms[i].h);
	}
	printf("%s", kept.n_histograms ? "}" : "");
}

void output_json(void)
{
	printf("{\"samples\":{");
	for (size_t i = 0; i < kept.n_samples; i++)
		printf("%s\"%s\":%.17g", i ? "," : "", kept.samples[i].metric,
		       kept.samples[i].value);
	printf("},\"evidence\":{");
	json_evidence();
	printf("},\"settings\":{");
	json_settings();
	printf("},\"timeline\":{");
	json_timeline();
	printf("},\"histograms\":{");
	json_histograms();
	printf("}}\n");
}
