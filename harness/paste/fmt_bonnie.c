/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++: the tables of 1.03 to 2.00 and their CSV lines. Rates of the old
 * tables are KiB/s, those of 1.98 and later carry k, m or g. When the CSV line
 * of the same run follows, it is read instead: it is not rounded, and the
 * tables of 2.00 print the number of files where the rate of creating them
 * should be.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "reader.h"

#define WORDS_MAX 32
#define FIELDS_MAX 64
#define PAIRS 6
#define CELLS (2 * PAIRS)
#define AHEAD 20
#define HEADERS_MAX 7 /* three, each of them wrapped */
#define KIB_PER_MIB 1024.0

/* In the order of the columns; rates of the first five are bytes. */
static const char *const block_names[PAIRS] = {
	"bonnie.per_char_write", "bonnie.block_write", "bonnie.rewrite",
	"bonnie.per_char_read",	 "bonnie.block_read",  "bonnie.seeks",
};
static const char *const file_names[PAIRS] = {
	"bonnie.seq_create", "bonnie.seq_stat", "bonnie.seq_delete",
	"bonnie.ran_create", "bonnie.ran_stat", "bonnie.ran_delete",
};

/* What one run printed; empty cells are "". */
struct cells {
	const char *v[CELLS];
};

static bool is_csv(const char *s)
{
	size_t commas = 0;
	for (const char *p = s; *p; p++)
		commas += *p == ',';
	return commas >= 20 && commas < FIELDS_MAX && !strchr(s, '{') &&
	       !strchr(s, '[') &&
	       (isdigit((unsigned char)*s) ? s[1] == '.' : commas <= 30);
}

/* MiB/s: plain KiB/s, or with a k, m or g of its own. */
static bool cell_rate(const char *cell, double *mib)
{
	double value;
	if (!number(&cell, &value))
		return false;
	switch (tolower((unsigned char)*cell)) {
	case '\0':
	case 'k':
		*mib = value / KIB_PER_MIB;
		break;
	case 'm':
		*mib = value;
		break;
	case 'g':
		*mib = value * KIB_PER_MIB;
		break;
	default:
		return false;
	}
	return !*cell || !cell[1];
}

/* false: no such cell, or "+++++" (too fast for a figure). */
static bool take_rate(const char *cell, bool bytes, double *out)
{
	return bytes ? cell_rate(cell, out) : number_word(cell, out);
}

static void emit(struct reader *r, const struct cells *c, bool blocks)
{
	const char *const *names = blocks ? block_names : file_names;
	size_t plus = 0;
	for (size_t i = 0; i < PAIRS; i++) {
		const char *cell = c->v[2 * i];
		double rate, cpu;
		plus += fb_starts_with(cell, "++");
		if (!*cell || !take_rate(cell, blocks && i < PAIRS - 1, &rate))
			continue;
		reader_figure(r, names[i], rate);
		if (number_word(c->v[2 * i + 1], &cpu))
			reader_counter(r, names[i], "cpu_percent", cpu);
	}
	if (plus)
		reader_note(r, r->at,
			    "%zu cell%s of +++++: under half a second, too "
			    "fast for bonnie++ to give a figure",
			    plus, plus > 1 ? "s" : "");
}

static void emit_latency(struct reader *r, char *const *w,
			 const char *const *names)
{
	for (size_t i = 0; i < PAIRS; i++)
		reader_counter(r, names[i], "latency_max", microseconds(w[i]));
}

/* One cell a word; or, when some are empty, by the columns' right ends. */
static bool split_row(const char *header, const char *copy, char **w, size_t n,
		      struct cells *c)
{
	if (n >= CELLS) {
		for (size_t i = 0; i < CELLS; i++)
			c->v[i] = w[n - CELLS + i];
		return true;
	}
	size_t ends[WORDS_MAX], k = 0;
	for (const char *p = header; *p && k < WORDS_MAX; p++)
		if (!isspace((unsigned char)*p) &&
		    (!p[1] || isspace((unsigned char)p[1])))
			ends[k++] = (size_t)(p - header);
	if (k < CELLS)
		return false;
	for (size_t i = 0; i < CELLS; i++)
		c->v[i] = "";
	for (size_t i = 0; i < n; i++) {
		size_t end = (size_t)(w[i] - copy) + strlen(w[i]) - 1;
		bool placed = end + 1 < ends[k - CELLS]; /* name and size */
		for (size_t j = 0; j < CELLS; j++) {
			if (end != ends[k - CELLS + j])
				continue;
			c->v[j] = w[i];
			placed = true;
		}
		if (!placed)
			return false;
	}
	return true;
}

static bool is_cell(const char *w)
{
	return isdigit((unsigned char)*w) || fb_starts_with(w, "++");
}

/* Lines of the row at i, wrapped or not; 0 when it cannot be one. */
static size_t read_row(struct reader *r, size_t i, const char *header,
		       bool blocks)
{
	const char *line = r->lines[r->at + i].text;
	fb_autofree char *both = fb_strf("%s %s", line, reader_line(r, i + 1));
	for (size_t used = 1; used <= 2; used++) {
		fb_autofree char *copy = fb_strdup(used == 1 ? line : both);
		char *w[WORDS_MAX];
		struct cells c;
		size_t n = words(copy, w, WORDS_MAX);
		if (used == 2 && n < CELLS)
			break;
		if (n < 2 || n > CELLS + 3 || !is_cell(w[n - 1]) ||
		    !split_row(header, copy, w, n, &c))
			continue;
		emit(r, &c, blocks);
		return used;
	}
	return 0;
}

static size_t read_latency(struct reader *r, size_t i, bool blocks)
{
	fb_autofree char *copy = fb_strdup(reader_line(r, i));
	char *w[WORDS_MAX];
	if (!fb_starts_with(copy, "Latency"))
		return 0;
	if (words(copy, w, WORDS_MAX) == PAIRS + 1)
		emit_latency(r, w + 1, blocks ? block_names : file_names);
	return 1;
}

static bool is_block_head(const char *s)
{
	return strstr(s, "Sequential Output") != NULL;
}

static bool is_file_head(const char *s)
{
	return strstr(s, "Sequential Create") != NULL;
}

bool bonnie_looks(const struct reader *r)
{
	return is_block_head(reader_line(r, 0)) ||
	       is_file_head(reader_line(r, 0));
}

/* Does the CSV line of the same run come behind its tables? */
static bool csv_follows(const struct reader *r)
{
	for (size_t i = 1; i < AHEAD && r->at + i < r->n; i++) {
		const char *s = reader_line(r, i);
		if (!r->lines[r->at + i].selected || is_block_head(s))
			return false;
		if (is_csv(s))
			return true;
	}
	return false;
}

/* "Version 2.00a ...": are its file rates the number of files? */
static bool prints_no_file_rates(const char *head)
{
	double version;
	const char *s = strstr(head, "Version");
	if (!s)
		return false;
	s += strlen("Version");
	return number(&s, &version) && version >= 1.98;
}

/* How many lines of headers come before the row: the last has "%CP". */
static size_t headers(const struct reader *r)
{
	size_t last = 0;
	for (size_t i = 1; i <= HEADERS_MAX && r->at + i < r->n; i++) {
		const char *s = reader_line(r, i);
		if (is_block_head(s) || is_file_head(s) ||
		    fb_starts_with(s, "Latency"))
			break;
		if (strstr(s, "%CP"))
			last = i;
	}
	return last;
}

size_t bonnie_read(struct reader *r)
{
	const char *head = reader_line(r, 0);
	bool blocks = is_block_head(head);
	size_t last = headers(r);
	if (!last || r->at + last + 1 >= r->n) {
		r->why = "the table is cut off";
		return 0;
	}
	if (csv_follows(r))
		return last + 2; /* the row is read from the CSV */
	if (!blocks && prints_no_file_rates(head)) {
		reader_note(r, r->at,
			    "bonnie++ 1.98 and later print the number of files "
			    "in this table, not the rate; paste the line of "
			    "commas too");
		return last + 2;
	}
	size_t used =
		read_row(r, last + 1, r->lines[r->at + last].text, blocks);
	if (!used) {
		r->why = "the cells of its row do not fit the columns";
		return 0;
	}
	used += last + 1;
	return used + read_latency(r, used, blocks);
}

bool bonnie_csv_looks(const struct reader *r)
{
	return is_csv(reader_line(r, 0));
}

static size_t split_csv(char *s, char **f)
{
	size_t n = 0;
	for (char *p = s; n < FIELDS_MAX;) {
		f[n++] = p;
		p = strchr(p, ',');
		if (!p)
			break;
		*p++ = '\0';
	}
	return n;
}

static bool version(const char *field)
{
	return isdigit((unsigned char)field[0]) && field[1] == '.';
}

/* Where the cells start, and what is between the two blocks of them. */
static bool layout(char **f, size_t n, size_t *first, size_t *between)
{
	double v;
	const char *s = f[0];
	if (version(f[0]) && n > 1 && version(f[1]) && number(&s, &v)) {
		*first = v >= 1.98 ? 9 : 7;
		*between = 5;
	} else {
		*first = 2; /* 1.03: name, size */
		*between = 1;
	}
	return n >= *first + CELLS;
}

size_t bonnie_csv_read(struct reader *r)
{
	fb_autofree char *copy = fb_strdup(reader_line(r, 0));
	char *f[FIELDS_MAX];
	struct cells c;
	size_t n = split_csv(copy, f), first, between;
	if (!layout(f, n, &first, &between) ||
	    (first == 2 && !isdigit((unsigned char)*f[1])))
		return 0; /* some other list */
	for (size_t i = 0; i < CELLS; i++)
		c.v[i] = f[first + i];
	emit(r, &c, true);
	size_t files = first + CELLS + between;
	if (n >= files + CELLS) {
		for (size_t i = 0; i < CELLS; i++)
			c.v[i] = f[files + i];
		emit(r, &c, false);
	}
	if (n >= files + 2 * CELLS) {
		emit_latency(r, f + files + CELLS, block_names);
		emit_latency(r, f + files + CELLS + PAIRS, file_names);
	}
	return 1;
}
