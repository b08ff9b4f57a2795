/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The closing line of dd, in any language: "1024000000 bytes (1.0 GB) copied,
 * 22.8884 s, 44.7 MB/s", "... bytes transferred in 15.6 secs (68 MB/sec)". The
 * figure is bytes over seconds in decimal MB/s, which is exact where the
 * printed one is rounded. What it is a figure of, its command tells.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "reader.h"

/* Where the value of "if=" or the like starts, as a word of its own. */
static const char *operand(const char *line, const char *name)
{
	for (const char *p = line; (p = strstr(p, name)); p++)
		if (p == line || p[-1] == ' ' || p[-1] == '\t')
			return p + strlen(name);
	return NULL;
}

static bool is_value(const char *s, const char *value)
{
	size_t n = strlen(value);
	return strncmp(s, value, n) == 0 &&
	       (!s[n] || isspace((unsigned char)s[n]));
}

/* A mailer may have wrapped the command: its parts add up. */
void dd_notice(struct reader *r)
{
	const char *line = r->lines[r->at].word, *s;
	struct dd_command *c = &r->dd;
	const char *dd = operand(line, "dd ");
	if (!dd && fb_starts_with(line, "dd "))
		dd = line;
	/* "user@box:~%dd if=..." */
	if (dd || strstr(line, "dd if=") || strstr(line, "dd of="))
		*c = (struct dd_command){ 0 };
	if ((s = operand(line, "if="))) {
		c->input = true;
		c->from_zero = is_value(s, "/dev/zero");
		c->from_device = fb_starts_with(s, "/dev/") && !c->from_zero &&
				 !fb_starts_with(s, "/dev/urandom") &&
				 !fb_starts_with(s, "/dev/shm/");
	}
	if ((s = operand(line, "of="))) {
		c->output = true;
		c->to_null = is_value(s, "/dev/null");
	}
	if ((s = operand(line, "conv=")))
		c->fsync = strstr(s, "sync") != NULL;
	if ((s = operand(line, "iflag=")))
		c->direct_in = strstr(s, "direct") != NULL;
	if ((s = operand(line, "oflag=")))
		c->direct_out = strstr(s, "direct") != NULL;
}

static const char *metric_of(const struct dd_command *c)
{
	if (!c->input && !c->output)
		return "dd.rate";
	if (c->to_null)
		return c->direct_in && c->from_device ? "dd.direct_read" :
		       c->from_device		      ? "dd.raw_read" :
							"dd.file_read";
	if (c->from_zero || c->output)
		return c->direct_out ? "dd.write_direct" :
		       c->fsync	     ? "dd.write_fsync" :
				       "dd.write";
	return "dd.rate";
}

/* Behind "N bytes (...)": the first number that is followed by seconds. */
static bool seconds_in(const char *s, double *out)
{
	static const char *const units[] = { " s,",  " s ", " sec", " Sek",
					     " seg", " с,", " 秒" };
	for (; *s; s++) {
		const char *p = s;
		double value;
		if (!isdigit((unsigned char)*s))
			continue;
		if (!number(&p, &value))
			return false;
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (strncmp(p, units[i], strlen(units[i])) == 0) {
				*out = value;
				return true;
			}
		}
		s = p - 1;
	}
	return false;
}

/* The line ends in a rate: "44.7 MB/s", "68 MB/sec)". */
static bool ends_in_rate(const char *line)
{
	const char *slash = strrchr(line, '/');
	return slash && slash > line && slash[1] == 's' &&
	       strlen(slash) <= sizeof("/sec)") - 1 &&
	       strchr("Bbso", slash[-1]);
}

static bool starts_with_bytes(const char *s)
{
	size_t n = strspn(s, "0123456789");
	return n && n < 20 && s[n] == ' ' &&
	       (strncasecmp(s + n + 1, "byte", 4) == 0 ||
		strncasecmp(s + n + 1, "octet", 5) == 0 || strstr(s + n, "B)"));
}

bool dd_looks(const struct reader *r)
{
	return starts_with_bytes(reader_line(r, 0));
}

static bool parse(const char *line, double *rate)
{
	const char *s = line;
	double bytes, seconds;
	if (!ends_in_rate(line) || !number(&s, &bytes) ||
	    !seconds_in(s, &seconds) || seconds <= 0)
		return false;
	*rate = bytes / seconds / 1e6;
	return true;
}

size_t dd_read(struct reader *r)
{
	const char *line = reader_line(r, 0);
	double rate;
	fb_autofree char *both = fb_strf("%s %s", line, reader_line(r, 1));
	bool one = parse(line, &rate);
	if (!one && !parse(both, &rate)) {
		r->why = "it has no time and rate";
		return 0;
	}
	const char *metric = metric_of(&r->dd);
	if (fb_streq(metric, "dd.rate"))
		reader_note(r, r->at,
			    "dd without its command: whether it read or wrote, "
			    "and what, is not known");
	reader_figure(r, metric, rate);
	return one ? 1 : 2;
}
