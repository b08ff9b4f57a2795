/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hdparm -t and -T: " Timing buffered disk reads: 154 MB in  3.01 seconds =
 * 51.11 MB/sec". Its MB are MiB, its kB KiB (time_device() of hdparm.c, where
 * the figure is divided by 1024).
 */
#include <string.h>

#include "cleanup.h"
#include "reader.h"

static const struct {
	const char *words, *metric;
} kinds[] = {
	{ "cached reads", "hdparm.cached_read" },
	{ "buffer-cache reads", "hdparm.cached_read" },
	{ "buffered disk reads", "hdparm.buffered_read" },
	{ "buffered disk reads (offset", "hdparm.offset_read" },
	{ "O_DIRECT disk reads", "hdparm.direct_read" },
	{ "O_DIRECT disk reads (offset", "hdparm.direct_offset_read" },
	{ "O_DIRECT cached reads", "hdparm.direct_cached_read" },
};

/* The longest that fits: an offset is a figure of its own. */
static const char *metric_of(const char *words)
{
	const char *metric = NULL;
	size_t best = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].words);
		if (n <= best || strncmp(words, kinds[i].words, n) != 0)
			continue;
		best = n;
		metric = kinds[i].metric;
	}
	return metric;
}

/* The figure's name when the text begins like a line of hdparm, or NULL. */
static const char *begins(const char *text)
{
	static const char first[] = "Timing ";
	return fb_starts_with(text, first) ?
		       metric_of(text + sizeof(first) - 1) :
		       NULL;
}

/* The line, and the next one that a mailer may have cut off it. */
static char *two_lines(const struct reader *r)
{
	return fb_strf("%s %s", reader_line(r, 0), reader_line(r, 1));
}

bool hdparm_looks(const struct reader *r)
{
	fb_autofree char *both = two_lines(r);
	return begins(both) != NULL;
}

/* The rate behind the "=", in MiB/s; a missing unit is MB/sec. */
static bool rate(const char *line, double *out)
{
	const char *s = strrchr(line, '=');
	double value;
	if (!s++ || !number(&s, &value))
		return false;
	double unit = unit_bytes(&s, true);
	if (unit > 0 && strncmp(s, "/s", 2) != 0)
		return false;
	*out = value * (unit > 0 ? unit / (1 << 20) : 1);
	return true;
}

size_t hdparm_read(struct reader *r)
{
	const char *line = reader_line(r, 0);
	fb_autofree char *both = two_lines(r);
	const char *metric = begins(both);
	double value;
	if (begins(line) && rate(line, &value)) {
		reader_figure(r, metric, value);
		return 1;
	}
	if (!fb_starts_with(reader_line(r, 1), "Timing ") &&
	    rate(both, &value)) {
		reader_figure(r, metric, value);
		return 2;
	}
	r->why = "it has no rate";
	return 0;
}
