/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a verdict holds: rows, facts, findings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "verdict.h"

const struct fb_comparison *fb_verdict_find(const struct fb_verdict *v,
					    const char *metric)
{
	for (size_t i = 0; i < v->n; i++)
		if (fb_streq(v->rows[i].metric, metric))
			return &v->rows[i];
	return NULL;
}

static struct fb_comparison *row_of(struct fb_verdict *v, const char *metric)
{
	for (size_t i = 0; i < v->n; i++)
		if (fb_streq(v->rows[i].metric, metric))
			return &v->rows[i];
	FB_GROW(v->rows, v->n, v->cap);
	v->rows[v->n] = (struct fb_comparison){ .metric = fb_strdup(metric) };
	return &v->rows[v->n++];
}

static void append(double **values, size_t *n, size_t *cap, double value)
{
	FB_GROW(*values, *n, *cap);
	(*values)[(*n)++] = value;
}

void fb_verdict_add(struct fb_verdict *v, const char *metric, char arm,
		    double value)
{
	struct fb_comparison *row = row_of(v, metric);
	if (!isfinite(value) || value < 0) {
		row->refused++;
	} else if (value == 0) {
		row->zero_a += arm == 'a';
		row->zero_b += arm == 'b';
	} else if (arm == 'a') {
		append(&row->a, &row->n_a, &row->cap_a, value);
	} else if (arm == 'b') {
		append(&row->b, &row->n_b, &row->cap_b, value);
	} else {
		append(&row->c, &row->n_c, &row->cap_c, value);
	}
}

static struct fb_fact *add_fact(struct fb_verdict *v, char arm,
				const char *window, const char *source,
				const char *key)
{
	FB_GROW(v->facts, v->n_facts, v->cap_facts);
	struct fb_fact *f = &v->facts[v->n_facts++];
	*f = (struct fb_fact){ .arm = arm,
			       .window = fb_strdup(window),
			       .source = source ? fb_strdup(source) : NULL,
			       .key = fb_strdup(key) };
	return f;
}

void fb_verdict_add_evidence(struct fb_verdict *v, char arm, const char *window,
			     const char *source, const char *key, double value)
{
	if (isfinite(value))
		add_fact(v, arm, window, source, key)->value = value;
}

void fb_verdict_add_setting(struct fb_verdict *v, char arm, const char *subject,
			    const char *key, const char *value)
{
	add_fact(v, arm, subject, NULL, key)->text = fb_strdup(value);
}

const char *fb_change_name(enum fb_change change)
{
	static const char *const names[] = { "same", "slower", "faster",
					     "unclear" };
	return names[change];
}

static const char *const axis_names[FB_AXES] = {
	"unknown", "kernel",  "kconfig", "cmdline", "userspace",
	"disk",	   "machine", "host",	 "knob",
};

enum fb_axis fb_axis_parse(const char *name)
{
	for (int i = 0; i < FB_AXES; i++)
		if (fb_streq(axis_names[i], name))
			return (enum fb_axis)i;
	return FB_AXES;
}

const char *fb_axis_name(enum fb_axis axis)
{
	return axis_names[axis];
}

void fb_verdict_release(struct fb_verdict *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->rows[i].metric);
		free(v->rows[i].a);
		free(v->rows[i].b);
		free(v->rows[i].c);
	}
	for (size_t i = 0; i < v->n_facts; i++) {
		free(v->facts[i].window);
		free(v->facts[i].source);
		free(v->facts[i].key);
		free(v->facts[i].text);
	}
	for (size_t i = 0; i < v->n_findings; i++) {
		free(v->findings[i].disk);
		fb_strv_release(&v->findings[i].sentences);
	}
	free(v->rows);
	free(v->facts);
	free(v->findings);
	fb_strv_release(&v->sentences);
	fb_strv_release(&v->missing);
	*v = (struct fb_verdict){ 0 };
}
