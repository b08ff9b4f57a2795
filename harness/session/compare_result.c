/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison came to: verdict, drift, options, and the result object. */
#include <cjson/cJSON.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arms.h"
#include "cleanup.h"
#include "clock.h"
#include "compare_private.h"
#include "errors.h"
#include "file.h"
#include "kconfig_diff.h"
#include "metric.h"
#include "verdict_json.h"

#define CONFIG_MAX (8 << 20)
/*
 * Four looks at growing data at .0182 each keep the error of one at .05
 * (Pocock 1977); .035 is what verdict.h has for one.
 */
#define ALPHA (0.035 * 0.0182 / 0.05)

static struct fb_boot_filter boots_of(const struct compare *c, int arm)
{
	return (struct fb_boot_filter){ .comparison = c->rec.id,
					.phase = arm ? "b" : "a" };
}

/* Of the built kernels; an image that lies ready has none beside it. */
static void add_options(const struct compare *c, struct fb_verdict *v)
{
	char *text[2] = { NULL, NULL };
	for (int i = 0; i < 2; i++) {
		struct fb_error ignored = FB_ERROR_INIT;
		if (!c->arm[i].kernel)
			continue;
		fb_autofree char *copy = fb_strdup(c->arm[i].kernel);
		fb_autofree char *path = fb_strf("%s/config", dirname(copy));
		if (fb_file_read(path, CONFIG_MAX, &text[i], NULL, &ignored))
			fb_error_release(&ignored);
	}
	if (text[0] && text[1])
		fb_verdict_add_kconfig(v, text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

int compare_judge(const struct compare *c, struct fb_verdict *v,
		  struct fb_error *err)
{
	const struct fb_config *cfg = c->s->cfg;
	int rc = 0;
	for (int i = 0; rc == 0 && i < 2; i++) {
		struct fb_boot_filter f = boots_of(c, i);
		rc = fb_load_arm(c->s->db, &f, i ? 'b' : 'a', v, err);
	}
	if (rc)
		return rc;
	add_options(c, v);
	v->axis = c->r->axis;
	v->own_options = c->r->axis == FB_AXIS_KERNEL &&
			 (c->arm[0].image || c->arm[1].image);
	v->alpha = ALPHA;
	if (fb_verdict_find(v, cfg->metric) && cfg->better != FB_BETTER_AUTO) {
		v->metric = cfg->metric;
		v->lower_is_better = cfg->better == FB_BETTER_LOWER;
	}
	fb_verdict_compare(v, cfg->threshold / 100);
	fb_verdict_diagnose(v);
	return 0;
}

/* ---- drift: least squares of ln value on time, each arm with its own mean */

struct points {
	const char *metric;
	double *t, *z;
	size_t n, cap_t, cap_z;
	double squares, cross, rest; /* about the arms' means */
};

static int add_point(void *data, const struct fb_sample_row *row)
{
	struct points *p = data;
	if (!fb_streq(row->metric, p->metric) || !(row->value > 0))
		return 0;
	size_t n = p->n;
	FB_GROW(p->t, n, p->cap_t);
	FB_GROW(p->z, n, p->cap_z);
	p->t[n] = row->started / 3600;
	p->z[n] = log(row->value);
	p->n++;
	return 0;
}

static void sum_up(struct points *p)
{
	double t = 0, z = 0;
	for (size_t i = 0; i < p->n; i++) {
		t += p->t[i] / (double)p->n;
		z += p->z[i] / (double)p->n;
	}
	for (size_t i = 0; i < p->n; i++) {
		p->squares += pow(p->t[i] - t, 2);
		p->cross += (p->t[i] - t) * (p->z[i] - z);
		p->rest += pow(p->z[i] - z, 2);
	}
}

/* ln per hour, NAN when it is not known; *error is its standard error. */
static int find_drift(const struct compare *c, const char *metric,
		      double *drift, double *error, struct fb_error *err)
{
	double squares = 0, cross = 0, rest = 0, df = -3;
	int rc = 0;
	for (int i = 0; rc == 0 && i < 2; i++) {
		struct points p = { .metric = metric };
		struct fb_boot_filter f = boots_of(c, i);
		rc = fb_db_samples(c->s->db, &f, add_point, &p, err);
		sum_up(&p);
		squares += p.squares;
		cross += p.cross;
		rest += p.rest;
		df += (double)p.n;
		free(p.t);
		free(p.z);
	}
	bool known = squares > 0 && df > 0;
	*drift = known ? cross / squares : NAN;
	*error = known ? sqrt(fmax(rest - cross * cross / squares, 0) / df /
			      squares) :
			 NAN;
	return rc;
}

/* The one that was asked for when it is there, else the first that counts. */
static const char *main_metric(const struct compare *c,
			       const struct fb_verdict *v)
{
	if (fb_verdict_find(v, c->s->cfg->metric))
		return c->s->cfg->metric;
	for (size_t i = 0; i < v->n; i++)
		if (fb_metric_is_headline(v->rows[i].metric))
			return v->rows[i].metric;
	return "";
}

/* ---- the result object */

static cJSON *arm_json(const struct compare *c, int i)
{
	const struct compare_arm *arm = &c->arm[i];
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "value", i ? c->rec.b : c->rec.a);
	if (arm->image) {
		cJSON_AddStringToObject(o, "image", arm->name);
	} else {
		fb_autofree char *subject =
			fb_repo_subject(&c->s->repo, &arm->commit);
		cJSON_AddStringToObject(o, "commit",
					git_oid_tostr_s(&arm->commit));
		cJSON_AddStringToObject(o, "subject", subject);
	}
	cJSON_AddNumberToObject(o, "boots", arm->boots);
	if (arm->failure)
		cJSON_AddStringToObject(o, "failure", arm->failure);
	return o;
}

static const char *option_in(const struct fb_verdict *v, char arm,
			     const char *option)
{
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *f = &v->facts[i];
		if (f->arm == arm && f->text && fb_streq(f->key, option) &&
		    fb_streq(f->window, "kconfig"))
			return f->text;
	}
	return "n";
}

/* The differences of the .config files that may matter. */
static void add_kconfig(cJSON *o, const struct fb_verdict *v)
{
	cJSON *list = cJSON_AddArrayToObject(o, "kconfig");
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *f = &v->facts[i];
		if (f->arm != 'a' || !f->text ||
		    !fb_streq(f->window, "kconfig"))
			continue;
		cJSON *row = cJSON_CreateObject();
		cJSON_AddStringToObject(row, "option", f->key);
		cJSON_AddStringToObject(row, "a", f->text);
		cJSON_AddStringToObject(row, "b", option_in(v, 'b', f->key));
		cJSON_AddItemToArray(list, row);
	}
}

static void add_drift(cJSON *o, const char *metric, double drift, double error)
{
	cJSON *d = cJSON_AddObjectToObject(o, "drift");
	cJSON_AddStringToObject(d, "metric", metric);
	if (isnan(drift)) {
		cJSON_AddNullToObject(d, "percent_per_hour");
		return;
	}
	cJSON_AddNumberToObject(d, "percent_per_hour", 100 * expm1(drift));
	cJSON_AddNumberToObject(d, "standard_error", 100 * error);
}

int compare_conclude(struct compare *c, const char *status, const char *reason,
		     struct fb_error *err)
{
	struct fb_verdict v = { 0 };
	double drift = NAN, error = NAN;
	cJSON *o = cJSON_CreateObject();
	cJSON_AddNumberToObject(o, "comparison_id", (double)c->rec.id);
	cJSON_AddStringToObject(o, "status", status);
	cJSON_AddStringToObject(o, "reason", reason);
	cJSON_AddStringToObject(o, "axis", c->rec.axis);
	if (c->rec.revision)
		cJSON_AddStringToObject(o, "revision", c->rec.revision);
	cJSON_AddItemToObject(o, "a", arm_json(c, 0));
	cJSON_AddItemToObject(o, "b", arm_json(c, 1));
	int rc = compare_judge(c, &v, err);
	if (rc == 0) {
		const char *metric = main_metric(c, &v);
		rc = find_drift(c, metric, &drift, &error, err);
		add_drift(o, metric, drift, error);
		add_kconfig(o, &v);
		cJSON_AddItemToObject(o, "verdict", fb_verdict_json(&v));
	}
	cJSON_AddNumberToObject(o, "seconds", fb_now() - c->begun);
	if (rc == 0) {
		char *text = cJSON_PrintUnformatted(o);
		rc = fb_db_comparison_finish(c->s->db, c->rec.id, status,
					     reason, text, drift, err);
		free(text);
	}
	fb_verdict_release(&v);
	cJSON_Delete(o);
	return rc;
}
