/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A figure that somebody states on a line of its own: "under 4.8  -  7-10
 * MBytes/s (UDMA33)(60%CPU Usage)". Words, a dash or colon, a rate or a range
 * (its geometric middle counts, as one figure), and in parentheses what else
 * is known. The line before the first of them names the disk.
 */
#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "reader.h"

#define WORDS_MAX 60

struct stated {
	double low, high; /* MiB/s */
	const char *rest; /* behind the unit */
};

/* "7-10 MBytes/s" and nothing but parentheses behind it. */
static bool rate(const char *s, struct stated *out)
{
	if (!number(&s, &out->low))
		return false;
	out->high = out->low;
	while (*s == ' ')
		s++;
	if (*s == '-' && (s++, !number(&s, &out->high)))
		return false;
	double unit = unit_bytes(&s, true);
	if (unit < 1024 || strncmp(s, "/s", 2) != 0)
		return false;
	s += strncmp(s, "/sec", 4) == 0 ? 4 : 2;
	while (*s == ' ')
		s++;
	out->low *= unit / (1 << 20);
	out->high *= unit / (1 << 20);
	out->rest = s;
	return (!*s || *s == '(') && out->low > 0 && out->high >= out->low;
}

/* Where the rate starts behind " - " or ": ", NULL when there is none. */
static const char *parse(const char *line, struct stated *out, size_t *n_words)
{
	static const char *const marks[] = { " - ", ": ", "- ", "= " };
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(line, marks[i]);
		if (!at || at == line || at - line > WORDS_MAX)
			continue;
		const char *s = at + strlen(marks[i]);
		while (*s == ' ')
			s++;
		if (rate(s, out)) {
			*n_words = (size_t)(at - line);
			return s;
		}
	}
	return NULL;
}

bool stated_words(const char *line, char *out, size_t size)
{
	struct stated s;
	size_t n;
	if (!parse(line, &s, &n) || n >= size)
		return false;
	memcpy(out, line, n);
	out[n] = '\0';
	return true;
}

bool stated_looks(const struct reader *r)
{
	struct stated s;
	size_t n;
	return parse(reader_line(r, 0), &s, &n) != NULL;
}

/* The last line before that is not of the same list. */
static char *context(const struct reader *r)
{
	char said[LINE_MAX_KEPT];
	for (size_t i = r->at; i-- > 0;) {
		const char *s = r->lines[i].word;
		if (!*s)
			break;
		if (stated_words(s, said, sizeof(said)) ||
		    fb_ends_with(s, "not tested"))
			continue;
		return section_label(s, NULL);
	}
	return fb_strdup("");
}

/* "60%CPU Usage", "~30%CPU" in parentheses. */
static bool processor(const char *s, double *percent)
{
	const char *at = strcasestr(s, "cpu");
	for (; at && at > s; at--)
		if (at[-1] == '(' || at[-1] == '~')
			break;
	return at && number(&at, percent) && *at == '%';
}

static char *transfer_mode(const char *s)
{
	static const char *const kinds[] = { "UDMA", "MWDMA", "WDMA", "PIO" };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *at = strstr(s, kinds[i]);
		if (at)
			return fb_strndup(at,
					  strspn(at, "UDMAWPIO/0123456789"));
	}
	return NULL;
}

size_t stated_read(struct reader *r)
{
	struct stated s;
	size_t n;
	double percent;
	if (!parse(reader_line(r, 0), &s, &n))
		return 0;
	char *label = context(r), *kept = r->heading;
	r->heading = *label ? label : kept;
	reader_figure(r, "stated.rate", sqrt(s.low * s.high));
	if (processor(s.rest, &percent))
		reader_counter(r, "stated.rate", "cpu_percent", percent);
	fb_autofree char *mode = transfer_mode(s.rest);
	if (mode)
		reader_setting(r, "claimed_transfer_mode", mode);
	if (s.high > s.low)
		reader_note(r, r->at,
			    "a range, %.4g to %.4g MiB/s: its middle counts, "
			    "as one figure",
			    s.low, s.high);
	r->heading = kept;
	free(label);
	return 1;
}
