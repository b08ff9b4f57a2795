/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the formats share. Private to this folder. */
#ifndef FB_PASTE_READER_H
#define FB_PASTE_READER_H

#include "paste.h"

#define LINE_MAX_KEPT 4096
#define VMSTAT_MAX 24

/* One line without its quotation marks and the white space at its end. */
struct line {
	char *text;	  /* columns as they were */
	const char *word; /* the first byte that is not white space */
	int rank;	  /* of a heading, 1 is highest; 0: none */
	bool selected;
};

/* The dd command that was seen last, for the direction of its figure. */
struct dd_command {
	bool input, output; /* known */
	bool from_device, from_zero, to_null, fsync, direct_in, direct_out;
};

/* Means of vmstat's columns, until a figure comes that they belong to. */
struct timeline {
	double sum[VMSTAT_MAX];
	size_t n, line;
};

struct reader {
	struct line *lines;
	size_t n, at; /* lines, and the one that is read */
	struct fb_paste *out;
	char *heading, *device; /* labels, "" for none */
	char *window;		/* last figure of the section, or NULL */
	struct dd_command dd;
	struct timeline timeline;
	const char *why; /* a format says why it could not read, static */
};

/* A format returns how many lines it used, 0 when it cannot read them. */
struct format {
	const char *name;
	bool names_device; /* its figures belong to the device line above */
	bool (*looks)(const struct reader *r); /* at r->at */
	size_t (*read)(struct reader *r);
};

bool hdparm_looks(const struct reader *r);
size_t hdparm_read(struct reader *r);
bool bonnie_looks(const struct reader *r);
size_t bonnie_read(struct reader *r);
bool bonnie_csv_looks(const struct reader *r);
size_t bonnie_csv_read(struct reader *r);
bool dd_looks(const struct reader *r);
size_t dd_read(struct reader *r);
void dd_notice(struct reader *r); /* a line may hold a part of the command */
bool vmstat_looks(const struct reader *r);
size_t vmstat_read(struct reader *r);
void vmstat_flush(struct reader *r, const char *metric); /* NULL: alone */
bool calls_look(const struct reader *r);
size_t calls_read(struct reader *r);
bool time_looks(const struct reader *r);
size_t time_read(struct reader *r);
bool fio_looks(const struct reader *r);
size_t fio_read(struct reader *r);
bool stated_looks(const struct reader *r);
size_t stated_read(struct reader *r);

/* The words of a stated figure, before its dash; false when it is none. */
bool stated_words(const char *line, char *out, size_t size);

/* Adds to the arm, at the line being read and under its labels. */
void reader_figure(struct reader *r, const char *metric, double value);
/* A counter beside a figure: no window of its own. */
void reader_counter(struct reader *r, const char *metric, const char *suffix,
		    double value);
void reader_evidence(struct reader *r, const char *window, const char *source,
		     const char *key, double value);
void reader_setting(struct reader *r, const char *key, const char *value);
void reader_note(struct reader *r, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Text of the i-th line from here, "" behind the end. */
const char *reader_line(const struct reader *r, size_t i);

/*
 * Numbers as tools print them in any locale: "1.5", "1,5", "1.234,5". Moves
 * *s behind it; false, and *s untouched, when there is none.
 */
bool number(const char **s, double *out);
/* The same, of a whole word. */
bool number_word(const char *word, double *out);
/* Bytes of "k", "MB", "MiB", "Kbytes", ... Binary: k is 1024. 0: no unit. */
double unit_bytes(const char **s, bool binary);
/* "48553us", "295ms", "2s" in us; NAN when it is none. */
double microseconds(const char *word);

/* Splits into words, in place; how many, at most max. */
size_t words(char *text, char **out, size_t max);

struct line *lines_split(const char *text, size_t len, size_t *n);
void lines_free(struct line *lines, size_t n);

/* Marks what belongs to the selection and finds the headings. */
int sections_select(struct line *lines, size_t n,
		    const struct fb_selection *sel, struct fb_error *err);
/* The label of a heading; the caller frees it. */
char *section_label(const char *heading, const char *cut);
/* "sda" of "/dev/sda:", or NULL. The caller frees it. */
char *section_device(const char *word);

#endif
