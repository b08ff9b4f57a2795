/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void fb_build_release(struct fb_build *b)
{
	free(b->image);
	free(b->identity);
	free(b->config_hash);
	free(b->toolchain);
	free(b->error);
	free(b->log);
	free(b->lost);
	*b = (struct fb_build){ 0 };
}

static void drop_figures(struct fb_boot *b)
{
	for (size_t i = 0; i < b->n_samples; i++)
		free(b->samples[i].metric);
	for (size_t i = 0; i < b->n_evidence; i++) {
		free(b->evidence[i].window);
		free(b->evidence[i].source);
		free(b->evidence[i].key);
	}
	b->n_samples = b->n_evidence = 0;
}

void fb_boot_release(struct fb_boot *b)
{
	drop_figures(b);
	free(b->samples);
	free(b->evidence);
	free(b->detail);
	free(b->clock);
	free(b->machine);
	free(b->console);
	*b = (struct fb_boot){ 0 };
}

bool fb_boot_add_sample(struct fb_boot *b, const char *metric, double value)
{
	if (!isfinite(value))
		return false;
	for (size_t i = 0; i < b->n_samples; i++) {
		if (fb_streq(b->samples[i].metric, metric)) {
			b->samples[i].value = value;
			return true;
		}
	}
	FB_GROW(b->samples, b->n_samples, b->cap_samples);
	b->samples[b->n_samples++] =
		(struct fb_sample){ fb_strdup(metric), value };
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

bool fb_boot_metric(const struct fb_boot *b, const char *metric, double *value)
{
	for (size_t i = 0; i < b->n_samples; i++) {
		if (fb_streq(b->samples[i].metric, metric)) {
			*value = b->samples[i].value;
			return true;
		}
	}
	return false;
}

void fb_boot_fail(struct fb_boot *b, enum fb_outcome outcome, const char *fmt,
		  ...)
{
	va_list ap;
	va_start(ap, fmt);
	free(b->detail);
	b->detail = fb_vstrf(fmt, ap);
	va_end(ap);
	drop_figures(b);
	b->outcome = outcome;
}
