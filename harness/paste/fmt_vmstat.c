/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmstat N: its rows become the means of what happened beside a figure, the
 * next one of the section or else the last. The first row of a table is what
 * was since boot, and rows in which nothing moved and nobody waited are left
 * out: they tell how late somebody pressed ^C.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "reader.h"

#define COLUMNS_MIN 15
#define MOVES 1000.0 /* KiB/s */
#define WAITS 5.0    /* percent */

/* procps; older ones end before wa or st. */
static const char *const standard[] = {
	"r",  "b",  "swpd", "free", "buff", "cache", "si", "so", "bi",
	"bo", "in", "cs",   "us",   "sy",   "id",    "wa", "st", "gu",
};
#define N_STANDARD (sizeof(standard) / sizeof(standard[0]))

static bool is_title(const char *s)
{
	return fb_starts_with(s, "procs ") || fb_starts_with(s, "procs-");
}

static bool is_header(const char *s)
{
	fb_autofree char *copy = fb_strdup(s);
	char *w[4];
	return words(copy, w, 4) == 4 && fb_streq(w[0], "r") &&
	       fb_streq(w[1], "b") &&
	       (fb_streq(w[2], "swpd") || fb_streq(w[2], "w"));
}

bool vmstat_looks(const struct reader *r)
{
	return is_title(reader_line(r, 0)) || is_header(reader_line(r, 0));
}

struct table {
	const char *names[VMSTAT_MAX];
	size_t n; /* columns; 0: no header was given */
	char *header;
	bool first; /* the row since boot is still to come */
};

static void take_header(struct table *t, const char *s)
{
	free(t->header);
	t->header = fb_strdup(s);
	t->n = words(t->header, (char **)t->names, VMSTAT_MAX);
	/* A time stamp's column is named for its zone. */
	for (size_t i = 0; i < t->n; i++) {
		bool known = fb_streq(t->names[i], "w");
		for (size_t k = 0; k < N_STANDARD; k++)
			known |= fb_streq(t->names[i], standard[k]);
		if (!known) {
			t->n = i;
			break;
		}
	}
}

/* Numbers of a row; how many, 0 when it is none. */
static size_t numbers(const char *s, double v[VMSTAT_MAX])
{
	fb_autofree char *copy = fb_strdup(s);
	char *w[VMSTAT_MAX];
	size_t n = words(copy, w, VMSTAT_MAX), i = 0;
	while (i < n && number_word(w[i], &v[i]))
		i++;
	return i;
}

static double column(const struct table *t, const double v[VMSTAT_MAX],
		     size_t n, const char *name)
{
	const char *const *names = t->n ? t->names : standard;
	size_t m = t->n ? t->n : N_STANDARD;
	for (size_t i = 0; i < n && i < m; i++)
		if (fb_streq(names[i], name))
			return v[i];
	return NAN;
}

static bool active(const struct table *t, const double v[VMSTAT_MAX], size_t n)
{
	double wa = column(t, v, n, "wa");
	return column(t, v, n, "bi") + column(t, v, n, "bo") >= MOVES ||
	       wa >= WAITS;
}

static void add_row(struct reader *r, struct table *t,
		    const double v[VMSTAT_MAX], size_t n)
{
	struct timeline *sum = &r->timeline;
	if (t->first) {
		t->first = false;
		return;
	}
	if (!active(t, v, n))
		return;
	if (!sum->n++)
		*sum = (struct timeline){ .n = 1, .line = r->at };
	for (size_t i = 0; i < N_STANDARD; i++)
		sum->sum[i] += column(t, v, n, standard[i]);
}

/* Columns of a whole row: the header's, or any that procps had. */
static bool is_whole(const struct table *t, size_t n)
{
	return t->n ? n >= t->n : n >= COLUMNS_MIN && n <= N_STANDARD;
}

/* A row, or one that a mailer wrapped; lines used, 0 when it is none. */
static size_t row(const struct reader *r, size_t i, const struct table *t,
		  double v[VMSTAT_MAX], size_t *n)
{
	const char *line = reader_line(r, i), *next = reader_line(r, i + 1);
	double rest[VMSTAT_MAX];
	*n = numbers(line, v);
	if (is_whole(t, *n))
		return 1;
	if (*n < 4 || !numbers(next, rest) || is_whole(t, numbers(next, rest)))
		return 0;
	fb_autofree char *both = fb_strf("%s %s", line, next);
	*n = numbers(both, v);
	return is_whole(t, *n) ? 2 : 0;
}

size_t vmstat_read(struct reader *r)
{
	struct table t = { .first = true };
	size_t i = 0, rows = 0, used = 0;
	while (r->at + i < r->n && r->lines[r->at + i].selected) {
		const char *line = reader_line(r, i);
		double v[VMSTAT_MAX];
		size_t n, k;
		if (is_header(line)) {
			take_header(&t, line);
			used = ++i;
		} else if (is_title(line)) {
			used = ++i;
		} else if ((k = row(r, i, &t, v, &n))) {
			add_row(r, &t, v, n);
			rows++;
			used = i += k;
		} else if (fb_streq(line, "[snip]") ||
			   fb_streq(line, "[...]") || fb_streq(line, "...")) {
			i++; /* somebody cut rows out */
		} else {
			if (isdigit((unsigned char)*line) &&
			    numbers(line, v) >= 4)
				reader_note(r, r->at + i,
					    "a row of vmstat that is cut off");
			break;
		}
	}
	free(t.header);
	if (!rows)
		r->why = "no row follows";
	return rows ? used : 0;
}

void vmstat_flush(struct reader *r, const char *metric)
{
	static const struct {
		const char *column, *metric;
	} alone[] = { { "bi", "vmstat.bi" }, { "bo", "vmstat.bo" } };
	struct timeline t = r->timeline;
	if (!t.n)
		return;
	r->timeline = (struct timeline){ 0 };
	for (size_t i = 0; i < N_STANDARD; i++) {
		double mean = t.sum[i] / (double)t.n;
		if (metric && isfinite(mean))
			reader_evidence(r, metric, "timeline", standard[i],
					mean);
		for (size_t k = 0; !metric && k < 2; k++)
			if (fb_streq(standard[i], alone[k].column) && mean > 0)
				reader_figure(r, alone[k].metric, mean);
	}
	if (metric)
		return;
	/* Beside its own figures: the one that moved most. */
	const char *window = t.sum[8] > t.sum[9] ? "vmstat.bi" : "vmstat.bo";
	for (size_t i = 12; i < N_STANDARD; i++)
		if (isfinite(t.sum[i]))
			reader_evidence(r, window, "timeline", standard[i],
					t.sum[i] / (double)t.n);
}
