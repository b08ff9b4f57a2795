/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of ltrace -c and strace -c. A figure is seconds over calls, in us
 * a call (the printed one is cut to an integer). Only calls that do I/O, and
 * with a dd command above not those on /dev/null and /dev/zero: they tell
 * nothing of a disk. Both tools slow down what they watch, so these figures
 * compare with each other only.
 */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "reader.h"

#define CALLS_MIN 10

static const struct {
	const char *call, *metric;
	bool reads;
} calls[] = {
	{ "read", "read", true },	 { "pread", "pread", true },
	{ "pread64", "pread", true },	 { "readv", "readv", true },
	{ "preadv", "preadv", true },	 { "fread", "fread", true },
	{ "write", "write", false },	 { "pwrite", "pwrite", false },
	{ "pwrite64", "pwrite", false }, { "writev", "writev", false },
	{ "pwritev", "pwritev", false }, { "fwrite", "fwrite", false },
	{ "fsync", "fsync", false },	 { "fdatasync", "fdatasync", false },
	{ "sync", "sync", false },	 { "msync", "msync", false },
};

static bool is_header(const char *s)
{
	return fb_starts_with(s, "% time") && strstr(s, "usecs/call");
}

bool calls_look(const struct reader *r)
{
	return is_header(reader_line(r, 0));
}

static void emit(struct reader *r, const char *tool, const char *call,
		 double seconds, double n)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		bool nowhere = calls[i].reads ? r->dd.from_zero : r->dd.to_null;
		if (!fb_streq(call, calls[i].call) || nowhere ||
		    n < CALLS_MIN || seconds <= 0)
			continue;
		fb_autofree char *metric =
			fb_strf("%s.%s_us", tool, calls[i].metric);
		reader_figure(r, metric, 1e6 * seconds / n);
	}
}

/* "99.86 14.597554 72987 200 read", strace with errors before the name. */
static bool row(struct reader *r, size_t i, const char *tool)
{
	fb_autofree char *copy = fb_strdup(reader_line(r, i));
	char *w[8];
	double percent, seconds, us, n;
	size_t k = words(copy, w, 8);
	if (k < 5 || k > 6 || !number_word(w[0], &percent) ||
	    !number_word(w[1], &seconds) || !number_word(w[2], &us) ||
	    !number_word(w[3], &n))
		return false;
	emit(r, tool, w[k - 1], seconds, n);
	return true;
}

size_t calls_read(struct reader *r)
{
	const char *header = reader_line(r, 0);
	const char *tool = strstr(header, "syscall") ? "strace" : "ltrace";
	size_t i = 1, rows = 0;
	for (; r->at + i < r->n && r->lines[r->at + i].selected; i++) {
		const char *s = reader_line(r, i);
		if (fb_starts_with(s, "------"))
			continue;
		if (!row(r, i, tool))
			break;
		rows++;
	}
	if (fb_ends_with(reader_line(r, i), "total"))
		i++;
	if (!rows)
		r->why = "no row follows";
	return rows ? i : 0;
}
