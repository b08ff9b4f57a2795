/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time: of bash ("real\t0m1.003s"), POSIX ("real 0.10"), zsh ("... 68% cpu 0.07
 * total"), GNU ("0.00user 0.05system 0:00.07elapsed 68%CPU") and GNU -v. The
 * figure is the elapsed seconds, the processor's share beside it.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "reader.h"

#define LINES_MAX 26

/* "1:02:03.4", "0m1.003s", "0.10" in seconds. */
static bool duration(const char *s, double *out)
{
	double sum = 0, part;
	s += strspn(s, " \t");
	for (int i = 0; i < 3; i++) {
		if (!number(&s, &part))
			return false;
		sum = 60 * sum + part;
		if (*s == 'h' || *s == 'm' || *s == ':') {
			s++;
			continue;
		}
		*out = sum;
		return true;
	}
	return false;
}

static bool after(const char *line, const char *word, double *out)
{
	size_t n = strlen(word);
	return fb_starts_with(line, word) && isspace((unsigned char)line[n]) &&
	       duration(line + n, out);
}

static void emit(struct reader *r, double real, double user, double sys)
{
	if (!(real > 0))
		return;
	reader_figure(r, "time.real_seconds", real);
	if (isfinite(user + sys))
		reader_counter(r, "time.real_seconds", "cpu_percent",
			       100 * (user + sys) / real);
}

static size_t of_shell(struct reader *r)
{
	double real = NAN, user = NAN, sys = NAN;
	size_t i = 0;
	for (; i < 3; i++) {
		const char *s = reader_line(r, i);
		if (!after(s, "real", &real) && !after(s, "user", &user) &&
		    !after(s, "sys", &sys))
			break;
	}
	if (isnan(real)) {
		r->why = "it has no real time";
		return 0;
	}
	emit(r, real, user, sys);
	return i;
}

/* The number that ends where `word` is found. */
static bool before(const char *line, const char *word, double *out)
{
	const char *end = strstr(line, word), *s = end;
	if (!end)
		return false;
	while (s > line && s[-1] == ' ')
		s--;
	while (s > line && strchr("0123456789.,:", s[-1]))
		s--;
	return s < end && duration(s, out);
}

static size_t of_one_line(struct reader *r, const char *u, const char *s,
			  const char *e)
{
	const char *line = reader_line(r, 0);
	double real, user, sys;
	if (!before(line, u, &user) || !before(line, s, &sys) ||
	    !before(line, e, &real)) {
		r->why = "a time is missing";
		return 0;
	}
	emit(r, real, user, sys);
	return 1;
}

static const char *const verbose[] = {
	"User time (seconds):",
	"System time (seconds):",
	"Elapsed (wall clock) time (h:mm:ss or m:ss):",
};

static size_t of_gnu(struct reader *r)
{
	double v[3] = { NAN, NAN, NAN };
	size_t last = 0;
	for (size_t i = 0; i < LINES_MAX; i++) {
		const char *s = reader_line(r, i);
		for (size_t k = 0; k < 3; k++)
			if (fb_starts_with(s, verbose[k]) &&
			    duration(s + strlen(verbose[k]), &v[k]))
				last = i;
		if (fb_starts_with(s, "Exit status:")) {
			last = i;
			break;
		}
	}
	if (isnan(v[2])) {
		r->why = "it has no elapsed time";
		return 0;
	}
	emit(r, v[2], v[0], v[1]);
	return last + 1;
}

enum kind { NOTHING, SHELL, GNU, GNU_VERBOSE, ZSH };

static enum kind kind_of(const char *s)
{
	double any;
	if (after(s, "real", &any))
		return SHELL;
	if (fb_starts_with(s, "Command being timed:") ||
	    fb_starts_with(s, verbose[0]))
		return GNU_VERBOSE;
	if (strstr(s, "elapsed") && strstr(s, "%CPU"))
		return GNU;
	return strstr(s, "% cpu ") && fb_ends_with(s, " total") ? ZSH : NOTHING;
}

bool time_looks(const struct reader *r)
{
	return kind_of(reader_line(r, 0)) != NOTHING;
}

size_t time_read(struct reader *r)
{
	switch (kind_of(reader_line(r, 0))) {
	case SHELL:
		return of_shell(r);
	case GNU_VERBOSE:
		return of_gnu(r);
	case GNU:
		return of_one_line(r, "user", "system", "elapsed");
	case ZSH:
		return of_one_line(r, "s user", "s system", " total");
	case NOTHING:
		break;
	}
	return 0;
}
