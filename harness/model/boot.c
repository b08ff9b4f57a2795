/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void fb_build_release(struct fb_build *b)
{
	free(b->image);
	free(b->identity);
	free(b->config_hash);
	free(b->signature);
	free(b->inputs);
	free(b->toolchain);
	free(b->error);
	free(b->log);
	free(b->lost);
	*b = (struct fb_build){ 0 };
}

const char *const fb_vmstat_columns[FB_VMSTAT_COLUMNS] = {
	"r",  "b",  "swpd", "free", "buff", "cache", "si", "so", "bi",
	"bo", "in", "cs",   "us",   "sy",   "id",    "wa", "st",
};

void fb_boot_release(struct fb_boot *b)
{
	for (size_t i = 0; i < b->n_samples; i++) {
		free(b->samples[i].metric);
		free(b->samples[i].window);
	}
	for (size_t i = 0; i < b->n_evidence; i++) {
		free(b->evidence[i].window);
		free(b->evidence[i].source);
		free(b->evidence[i].key);
	}
	for (size_t i = 0; i < b->n_settings; i++) {
		free(b->settings[i].subject);
		free(b->settings[i].key);
		free(b->settings[i].value);
	}
	for (size_t i = 0; i < b->n_timeline; i++)
		free(b->timeline[i].window);
	for (size_t i = 0; i < b->n_buckets; i++) {
		free(b->buckets[i].window);
		free(b->buckets[i].operation);
	}
	free(b->samples);
	free(b->evidence);
	free(b->settings);
	free(b->timeline);
	free(b->buckets);
	free(b->detail);
	free(b->clock);
	free(b->machine);
	free(b->console);
	*b = (struct fb_boot){ 0 };
}

size_t fb_boot_values(const struct fb_boot *b)
{
	return b->n_samples + b->n_evidence + b->n_settings +
	       b->n_timeline * FB_VMSTAT_COLUMNS + b->n_buckets;
}

static struct fb_sample *find_sample(const struct fb_boot *b,
				     const char *metric)
{
	for (size_t i = 0; i < b->n_samples; i++)
		if (fb_streq(b->samples[i].metric, metric))
			return &b->samples[i];
	return NULL;
}

bool fb_boot_add_sample(struct fb_boot *b, const char *window,
			const char *metric, double value)
{
	if (!isfinite(value))
		return false;
	struct fb_sample *s = find_sample(b, metric);
	if (s) {
		s->value = value;
		return true;
	}
	FB_GROW(b->samples, b->n_samples, b->cap_samples);
	b->samples[b->n_samples++] =
		(struct fb_sample){ fb_strdup(metric),
				    window ? fb_strdup(window) : NULL, value };
	return true;
}

void fb_boot_add_evidence(struct fb_boot *b, const char *window,
			  const char *source, const char *key, double value)
{
	FB_GROW(b->evidence, b->n_evidence, b->cap_evidence);
	b->evidence[b->n_evidence++] =
		(struct fb_evidence){ fb_strdup(window), fb_strdup(source),
				      fb_strdup(key), value };
}

void fb_boot_add_setting(struct fb_boot *b, const char *subject,
			 const char *key, const char *value)
{
	FB_GROW(b->settings, b->n_settings, b->cap_settings);
	b->settings[b->n_settings++] =
		(struct fb_setting){ fb_strdup(subject), fb_strdup(key),
				     fb_strdup(value) };
}

void fb_boot_add_timeline(struct fb_boot *b, const char *window, double at,
			  const double v[FB_VMSTAT_COLUMNS])
{
	FB_GROW(b->timeline, b->n_timeline, b->cap_timeline);
	struct fb_timeline_row *row = &b->timeline[b->n_timeline++];
	*row = (struct fb_timeline_row){ .window = fb_strdup(window),
					 .at = at };
	memcpy(row->v, v, sizeof(row->v));
}

void fb_boot_add_bucket(struct fb_boot *b, const char *window,
			const char *operation, double low, double high,
			double count)
{
	FB_GROW(b->buckets, b->n_buckets, b->cap_buckets);
	b->buckets[b->n_buckets++] =
		(struct fb_bucket){ fb_strdup(window), fb_strdup(operation),
				    low, high, count };
}

bool fb_boot_metric(const struct fb_boot *b, const char *metric, double *value)
{
	const struct fb_sample *s = find_sample(b, metric);
	if (!s || b->outcome != FB_OUTCOME_MEASURED)
		return false;
	*value = s->value;
	return true;
}

void fb_boot_fail(struct fb_boot *b, enum fb_outcome outcome, const char *fmt,
		  ...)
{
	va_list ap;
	va_start(ap, fmt);
	free(b->detail);
	b->detail = fb_vstrf(fmt, ap);
	va_end(ap);
	b->outcome = outcome;
}
