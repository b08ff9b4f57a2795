/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict_json.h"

#include <math.h>

static void add_number(cJSON *o, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(o, key, value);
	else
		cJSON_AddNullToObject(o, key);
}

static void add_strings(cJSON *o, const char *key, const struct fb_strv *list)
{
	cJSON_AddItemToObject(
		o, key,
		cJSON_CreateStringArray(fb_strv_args(list), (int)list->n));
}

static cJSON *row_json(const struct fb_comparison *c)
{
	cJSON *r = cJSON_CreateObject();
	cJSON_AddStringToObject(r, "metric", c->metric);
	add_number(r, "before", c->mean_a);
	add_number(r, "after", c->mean_b);
	add_number(r, "ratio", c->ratio);
	add_number(r, "ratio_low", c->low);
	add_number(r, "ratio_high", c->high);
	cJSON_AddStringToObject(r, "change", fb_change_name(c->change));
	add_number(r, "n_before", (double)(c->n_a + c->zero_a));
	add_number(r, "n_after", (double)(c->n_b + c->zero_b));
	add_number(r, "q", c->single ? NAN : c->q);
	if (c->more)
		add_number(r, "more_boots", c->more);
	if (c->set_aside)
		add_number(r, "set_aside", (double)c->set_aside);
	return r;
}

static void add_findings(cJSON *o, const struct fb_verdict *v)
{
	cJSON *list = cJSON_AddArrayToObject(o, "findings");
	for (size_t i = 0; i < v->n_findings; i++) {
		const struct fb_finding *f = &v->findings[i];
		cJSON *r = cJSON_CreateObject();
		cJSON_AddStringToObject(r, "diagnosis", f->name);
		if (f->cause)
			cJSON_AddStringToObject(r, "cause", f->cause);
		cJSON_AddStringToObject(r, "disk", f->disk);
		add_strings(r, "evidence", &f->sentences);
		cJSON_AddItemToArray(list, r);
	}
}

cJSON *fb_verdict_json(const struct fb_verdict *v)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "diagnosis", v->diagnosis);
	if (v->cause)
		cJSON_AddStringToObject(o, "cause", v->cause);
	add_strings(o, "evidence", &v->sentences);
	add_findings(o, v);
	add_strings(o, "not_measured", &v->missing);
	add_number(o, "threshold_percent", 100 * v->threshold);
	add_number(o, "margin_percent",
		   100 * (v->margin > 0 ? v->margin : v->threshold / 2));
	cJSON_AddStringToObject(o, "axis", fb_axis_name(v->axis));
	cJSON *rows = cJSON_AddArrayToObject(o, "metrics");
	for (size_t i = 0; i < v->n; i++)
		if (!isnan(v->rows[i].ratio))
			cJSON_AddItemToArray(rows, row_json(&v->rows[i]));
	return o;
}
