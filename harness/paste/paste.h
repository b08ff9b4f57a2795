/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the output of other tools as people paste it into mails: hdparm,
 * bonnie++, dd, vmstat, ltrace -c and strace -c, time, fio's JSON; and figures
 * stated as "old kernel - 7-10 MB/s (60% CPU)". The table of formats is in
 * reader.c. Quoted mail ("> ", any depth), CRLF, tabs, lines that a mailer
 * wrapped and decimal commas are understood. Pure: no I/O.
 *
 * A text is cut into sections by its headings: "1) ..." and "# Words" above
 * "a) ..." above lines that end with a colon. What a heading says after its
 * last comma, or after its last " on ", " to " or " of ", is the label of the
 * disk ("2.6.19.1, IDE:" is IDE); a device line ("/dev/sda:") names another.
 */
#ifndef FB_PASTE_H
#define FB_PASTE_H

#include <stdbool.h>
#include <stddef.h>

#include "verdict.h"

struct fb_error;

/* The largest text, in bytes, that is read. */
#define FB_PASTE_MAX (16u << 20)

/*
 * Which part of a text belongs to an arm. All borrowed, all may be NULL.
 *
 * `from` alone is a POSIX extended regular expression: every section whose
 * heading matches it, up to the next heading of the same kind or a higher one;
 * and every stated figure whose words match. When no heading does, the
 * paragraph of the first line that matches. What matched is cut from the label,
 * so that "2.6.19, IDE:" and "2.6.20, IDE:" are the same disk.
 *
 * With `to`: from the first line that matches `from` to the one before the
 * next line that matches `to`, or to the end.
 */
struct fb_selection {
	const char *from, *to;
	const char *label; /* of the disk, instead of what headings say */
};

/*
 * One thing that was read. A figure has a metric and a value; evidence has
 * source and key besides and the metric is its window; a setting of the disk
 * has key and text. Heading and device are "" when there is none.
 */
struct fb_pasted {
	char *heading, *device, *metric, *source, *key, *text;
	double value;
	size_t line; /* of the text, from 1 */
};

/* What could not be read, or was read with a reservation. */
struct fb_paste_note {
	size_t line;
	char *text;
};

/* One arm. Zero it first; several texts may be read into one. */
struct fb_paste {
	struct fb_pasted *items;
	size_t n, cap;
	struct fb_paste_note *notes;
	size_t n_notes, cap_notes;
};

/*
 * Reads the selected part of a text into `p`. FB_E_USAGE when an expression is
 * malformed, nothing matches, or the text is too large. A text in which no
 * format is found is no error here: `p` stays empty.
 */
int fb_paste_read(struct fb_paste *p, const char *text, size_t len,
		  const struct fb_selection *sel, struct fb_error *err);

/*
 * The number that an expression's first group matches anywhere in the text, as
 * a figure: for what is only told in prose. FB_E_USAGE when it does not match.
 */
int fb_paste_extract(struct fb_paste *p, const char *text, size_t len,
		     const char *metric, const char *regex,
		     struct fb_error *err);

/* Adds a figure that somebody typed in. */
void fb_paste_add(struct fb_paste *p, const char *metric, double value);

/* How many figures (not evidence, not settings) it holds. */
size_t fb_paste_figures(const struct fb_paste *p);

/*
 * Adds the arms to a verdict, as 'a', 'b' and, unless NULL, 'c'. A figure's
 * disk is heading and device; when that leaves the arms without a common
 * metric, one of the two alone or neither, as long as this does not mix two
 * disks of one arm (hda before, sda since libata). FB_E_USAGE when no figure
 * is in both arms, with the figures that each has.
 */
int fb_paste_join(const struct fb_paste *a, const struct fb_paste *b,
		  const struct fb_paste *c, struct fb_verdict *v,
		  struct fb_error *err);

void fb_paste_release(struct fb_paste *p);

#endif
