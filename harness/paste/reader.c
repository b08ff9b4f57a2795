/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of formats, and the walk through a text. */
#include "reader.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "metric.h"

#define NOTES_MAX 200

/* In this order: the first that looks like it reads. */
static const struct format formats[] = {
	{ "hdparm", true, hdparm_looks, hdparm_read },
	{ "bonnie++", false, bonnie_looks, bonnie_read },
	{ "bonnie++ CSV", false, bonnie_csv_looks, bonnie_csv_read },
	{ "dd", false, dd_looks, dd_read },
	{ "vmstat", false, vmstat_looks, vmstat_read },
	{ "ltrace -c or strace -c", false, calls_look, calls_read },
	{ "time", false, time_looks, time_read },
	{ "fio JSON", false, fio_looks, fio_read },
	{ "a stated figure", false, stated_looks, stated_read },
};

const char *reader_line(const struct reader *r, size_t i)
{
	return r->at + i < r->n ? r->lines[r->at + i].word : "";
}

static struct fb_pasted *item(struct reader *r, const char *metric)
{
	struct fb_paste *p = r->out;
	FB_GROW(p->items, p->n, p->cap);
	struct fb_pasted *i = &p->items[p->n++];
	*i = (struct fb_pasted){ .heading = fb_strdup(r->heading),
				 .device = fb_strdup(r->device),
				 .metric = fb_strdup(metric),
				 .line = r->at + 1 };
	return i;
}

void reader_counter(struct reader *r, const char *metric, const char *suffix,
		    double value)
{
	fb_autofree char *name = fb_strf("%s.%s", metric, suffix);
	if (isfinite(value))
		item(r, name)->value = value;
}

void reader_figure(struct reader *r, const char *metric, double value)
{
	if (!isfinite(value) || !fb_metric_name_ok(metric))
		return;
	item(r, metric)->value = value;
	if (r->window != metric) {
		free(r->window);
		r->window = fb_strdup(metric);
	}
	vmstat_flush(r, metric);
}

void reader_evidence(struct reader *r, const char *window, const char *source,
		     const char *key, double value)
{
	struct fb_pasted *i = item(r, window);
	i->source = fb_strdup(source);
	i->key = fb_strdup(key);
	i->value = value;
}

void reader_setting(struct reader *r, const char *key, const char *value)
{
	struct fb_pasted *i = item(r, "disk");
	i->key = fb_strdup(key);
	i->text = fb_strdup(value);
}

void reader_note(struct reader *r, size_t at, const char *fmt, ...)
{
	struct fb_paste *p = r->out;
	va_list ap;
	if (p->n_notes >= NOTES_MAX)
		return;
	FB_GROW(p->notes, p->n_notes, p->cap_notes);
	va_start(ap, fmt);
	p->notes[p->n_notes++] =
		(struct fb_paste_note){ at + 1, fb_vstrf(fmt, ap) };
	va_end(ap);
}

/* A number with a unit per second that nobody read. */
static bool has_rate(const char *s)
{
	static const char *const per[] = { "/s", "/sec" };
	for (; *s; s++) {
		if (!isdigit((unsigned char)*s))
			continue;
		const char *p = s;
		double value;
		if (!number(&p, &value))
			continue;
		if (unit_bytes(&p, true) > 0)
			for (size_t i = 0; i < sizeof(per) / sizeof(per[0]);
			     i++)
				if (strncmp(p, per[i], strlen(per[i])) == 0)
					return true;
		s = p > s ? p - 1 : s;
	}
	return false;
}

/* What was measured so far belongs to the section that ends here. */
static void end_section(struct reader *r)
{
	vmstat_flush(r, r->window);
	free(r->window);
	r->window = NULL;
	r->dd = (struct dd_command){ 0 };
}

static void set(char **label, char *value)
{
	free(*label);
	*label = value;
}

static void begin_section(struct reader *r, const struct fb_selection *sel)
{
	end_section(r);
	set(&r->heading,
	    sel->label ? fb_strdup(sel->label) :
			 section_label(r->lines[r->at].word, sel->from));
	set(&r->device, fb_strdup(""));
}

static size_t read_format(struct reader *r)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!formats[i].looks(r))
			continue;
		r->why = NULL;
		if (!formats[i].names_device)
			set(&r->device, fb_strdup(""));
		size_t used = formats[i].read(r);
		if (!used && r->why)
			reader_note(r, r->at, "looks like %s, but %s",
				    formats[i].name, r->why);
		if (used || r->why)
			return used;
	}
	return 0;
}

static void read_line(struct reader *r, const struct fb_selection *sel)
{
	const struct line *l = &r->lines[r->at];
	fb_autofree char *device = section_device(l->word);
	if (device) {
		set(&r->device, steal_ptr(device));
		r->at++;
		return;
	}
	if (l->rank)
		begin_section(r, sel);
	dd_notice(r);
	r->why = NULL;
	size_t used = read_format(r);
	if (!used && !r->why && has_rate(l->word))
		reader_note(r, r->at,
			    "holds a figure in no known format: %.60s",
			    l->word);
	r->at += used ? used : 1;
}

int fb_paste_read(struct fb_paste *p, const char *text, size_t len,
		  const struct fb_selection *sel, struct fb_error *err)
{
	static const struct fb_selection all;
	struct reader r = { .out = p };
	if (!sel)
		sel = &all;
	if (len > FB_PASTE_MAX)
		return fb_error_set(err, FB_E_USAGE, "more than %u MiB of text",
				    FB_PASTE_MAX >> 20);
	r.lines = lines_split(text, len, &r.n);
	int rc = sections_select(r.lines, r.n, sel, err);
	r.heading = fb_strdup(sel->label ? sel->label : "");
	r.device = fb_strdup("");
	bool inside = false;
	while (rc == 0 && r.at < r.n) {
		if (r.lines[r.at].selected) {
			read_line(&r, sel);
			inside = true;
			continue;
		}
		if (inside)
			end_section(&r);
		inside = false;
		r.at++;
	}
	end_section(&r);
	lines_free(r.lines, r.n);
	free(r.heading);
	free(r.device);
	return rc;
}

void fb_paste_add(struct fb_paste *p, const char *metric, double value)
{
	FB_GROW(p->items, p->n, p->cap);
	p->items[p->n++] = (struct fb_pasted){ .heading = fb_strdup(""),
					       .device = fb_strdup(""),
					       .metric = fb_strdup(metric),
					       .value = value };
}

int fb_paste_extract(struct fb_paste *p, const char *text, size_t len,
		     const char *metric, const char *regex,
		     struct fb_error *err)
{
	regex_t re;
	regmatch_t m[2];
	char why[128];
	int rc = regcomp(&re, regex, REG_EXTENDED | REG_NEWLINE);
	if (rc) {
		regerror(rc, &re, why, sizeof(why));
		return fb_error_set(err, FB_E_USAGE, "\"%s\": %s", regex, why);
	}
	fb_autofree char *copy = fb_strndup(text, len);
	rc = regexec(&re, copy, 2, m, 0);
	regfree(&re);
	if (rc || m[1].rm_so < 0)
		return fb_error_set(err, FB_E_USAGE,
				    "%s: \"%s\" matches nothing, or has no "
				    "group for the number",
				    metric, regex);
	const char *s = copy + m[1].rm_so;
	double value;
	if (!number(&s, &value))
		return fb_error_set(err, FB_E_USAGE,
				    "%s: what \"%s\" matches is no number",
				    metric, regex);
	fb_paste_add(p, metric, value);
	return 0;
}

void fb_paste_release(struct fb_paste *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->items[i].heading);
		free(p->items[i].device);
		free(p->items[i].metric);
		free(p->items[i].source);
		free(p->items[i].key);
		free(p->items[i].text);
	}
	for (size_t i = 0; i < p->n_notes; i++)
		free(p->notes[i].text);
	free(p->items);
	free(p->notes);
	*p = (struct fb_paste){ 0 };
}
