/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict_arms.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "metric.h"

static const char *const arm_names[] = { "a", "b", "stopped" };

static int load(const char *path, char **text, size_t *len,
		struct fb_error *err)
{
	int rc = fb_file_read(path, FB_PASTE_MAX, text, len, err);
	/* A file that is not there is the user's mistake here. */
	return rc ? (err->code = FB_E_USAGE) : 0;
}

/* Keeps which file the notes since `from` are about. */
static void keep_notes(struct fb_arms *arms, const struct fb_paste *p,
		       size_t from, const char *file)
{
	for (size_t i = from; i < p->n_notes; i++) {
		FB_GROW(arms->notes, arms->n_notes, arms->cap_notes);
		arms->notes[arms->n_notes++] =
			(struct fb_arm_note){ fb_strdup(file), p->notes[i] };
	}
}

static int read_text(struct fb_arms *arms, int arm, const char *path,
		     const struct fb_selection *sel, struct fb_error *err)
{
	struct fb_paste *p = &arms->arm[arm];
	size_t len, before = p->n_notes, figures = fb_paste_figures(p);
	fb_autofree char *text = NULL;
	int rc = load(path, &text, &len, err);
	if (rc)
		return rc;
	rc = fb_paste_read(p, text, len, sel, err);
	if (rc)
		return fb_error_wrap(err, "%s", path);
	keep_notes(arms, p, before, path);
	arms->has[arm] = true;
	if (fb_paste_figures(p) > figures)
		return 0;
	fb_autofree char *note =
		p->n_notes > before ?
			fb_strf("; line %zu: %s", p->notes[before].line,
				p->notes[before].text) :
			fb_strdup("");
	return fb_error_set(err, FB_E_USAGE,
			    "%s: no figure of a known format%s%s%s (hdparm, "
			    "bonnie++, dd, vmstat, ltrace -c, strace -c, time, "
			    "fio JSON)%s",
			    path, sel->from ? " where \"" : "",
			    sel->from ? sel->from : "",
			    sel->from ? "\" is" : "", note);
}

/* "FILE" when there is one of this name, else "FILE:REGEX". */
static int read_argument(struct fb_arms *arms, int arm, const char *text,
			 struct fb_error *err)
{
	struct fb_selection sel = { 0 };
	fb_autofree char *path = fb_strdup(text);
	if (!fb_exists(text)) {
		for (char *colon = strchr(path, ':'); colon;
		     colon = strchr(colon + 1, ':')) {
			*colon = '\0';
			if (fb_exists(path)) {
				sel.from = colon + 1;
				break;
			}
			*colon = ':';
		}
	}
	return read_text(arms, arm, path, &sel, err);
}

static const char *string_of(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
	return cJSON_IsString(v) ? v->valuestring : NULL;
}

static char *beside(const char *arms_file, const char *name)
{
	const char *slash = strrchr(arms_file, '/');
	return *name == '/' || !slash ?
		       fb_strdup(name) :
		       fb_strf("%.*s/%s", (int)(slash - arms_file), arms_file,
			       name);
}

static int add_figures(struct fb_arms *arms, int arm, const cJSON *figures,
		       const char *label, const char *path,
		       struct fb_error *err)
{
	const cJSON *f;
	size_t len = 0;
	fb_autofree char *text = NULL;
	int rc = path ? load(path, &text, &len, err) : 0;
	if (rc)
		return rc;
	cJSON_ArrayForEach(f, figures) {
		fb_autofree char *name = fb_strf("%s%s%s", label ? label : "",
						 label ? "/" : "", f->string);
		if (!fb_metric_name_ok(name))
			return fb_error_set(err, FB_E_USAGE,
					    "\"%s\" is no name of a figure",
					    name);
		if (cJSON_IsNumber(f))
			fb_paste_add(&arms->arm[arm], name, f->valuedouble);
		else if (cJSON_IsString(f) && text)
			rc = fb_paste_extract(&arms->arm[arm], text, len, name,
					      f->valuestring, err);
		else
			return fb_error_set(err, FB_E_USAGE,
					    "%s: a number, or an expression "
					    "and a \"file\"",
					    name);
		if (rc)
			return fb_error_wrap(err, "%s", path);
	}
	return 0;
}

static int read_source(struct fb_arms *arms, int arm, const cJSON *o,
		       const char *arms_file, struct fb_error *err)
{
	const struct fb_selection sel = { string_of(o, "from"),
					  string_of(o, "to"),
					  string_of(o, "label") };
	const char *file = string_of(o, "file");
	const cJSON *figures = cJSON_GetObjectItemCaseSensitive(o, "figures"),
		    *key;
	fb_autofree char *path = file ? beside(arms_file, file) : NULL;
	cJSON_ArrayForEach(key, o)
		if (!strstr(" file from to label figures ", key->string))
			return fb_error_set(err, FB_E_USAGE,
					    "%s: no key \"%s\" in an arm",
					    arms_file, key->string);
	if (!path && !cJSON_IsObject(figures))
		return fb_error_set(err, FB_E_USAGE,
				    "%s: an arm wants \"file\" or \"figures\"",
				    arms_file);
	arms->has[arm] = true;
	int rc = 0;
	if (path && (sel.from || !figures))
		rc = read_text(arms, arm, path, &sel, err);
	if (rc == 0 && figures)
		rc = add_figures(arms, arm, figures, sel.label, path, err);
	return rc;
}

static int read_arm(struct fb_arms *arms, int arm, const cJSON *o,
		    const char *arms_file, struct fb_error *err)
{
	const cJSON *source;
	int rc = 0;
	if (cJSON_IsObject(o))
		return read_source(arms, arm, o, arms_file, err);
	cJSON_ArrayForEach(source, o)
		if (rc == 0)
			rc = read_source(arms, arm, source, arms_file, err);
	return rc;
}

static int read_json(struct fb_arms *arms, const char *path,
		     struct fb_error *err)
{
	fb_autofree char *text = NULL;
	int rc = load(path, &text, NULL, err);
	if (rc)
		return rc;
	cJSON *o = cJSON_Parse(text);
	const char *axis = string_of(o, "axis");
	arms->axis = axis ? fb_axis_parse(axis) : FB_AXIS_UNKNOWN;
	if (!cJSON_IsObject(o) || arms->axis == FB_AXES)
		rc = fb_error_set(
			err, FB_E_USAGE,
			o ? "%s: \"axis\" is none that is known" :
			    "%s is not valid JSON; two files of output "
			    "are given as two arguments",
			path);
	for (int i = 0; rc == 0 && i < 3; i++)
		rc = read_arm(arms, i,
			      cJSON_GetObjectItemCaseSensitive(o, arm_names[i]),
			      path, err);
	if (rc == 0 && (!arms->has[0] || !arms->has[1]))
		rc = fb_error_set(err, FB_E_USAGE,
				  "%s wants both arms, \"a\" and \"b\"", path);
	cJSON_Delete(o);
	return rc;
}

int fb_arms_read(struct fb_arms *arms, char *const *args, int n,
		 struct fb_error *err)
{
	int rc = 0;
	if (n == 1)
		return read_json(arms, args[0], err);
	for (int i = 0; rc == 0 && i < n && i < 3; i++)
		rc = read_argument(arms, i, args[i], err);
	return rc;
}

void fb_arms_release(struct fb_arms *arms)
{
	for (size_t i = 0; i < arms->n_notes; i++)
		free(arms->notes[i].file);
	free(arms->notes);
	for (int i = 0; i < 3; i++)
		fb_paste_release(&arms->arm[i]);
	*arms = (struct fb_arms){ 0 };
}
