/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bisect_log.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

#define LOG_MAX (16 << 20)

static void add_mark(struct fb_bisect_log *log, enum fb_mark mark,
		     const char *rev)
{
	FB_GROW(log->marks, log->n, log->cap);
	log->marks[log->n++] = (struct fb_log_mark){ mark, fb_strdup(rev) };
}

/*
 * The next word, unquoted in place: git quotes with '...' and writes ' and !
 * as '\'' and '\!'. NULL at the end of the line; *broken when a quote is open.
 */
static char *next_word(char **at, bool *broken)
{
	char *in = *at + strspn(*at, " \t"), *out = in, *word = in;
	bool quoted = false;
	if (!*in)
		return NULL;
	for (; *in && (quoted || !strchr(" \t", *in)); in++) {
		if (*in == '\'')
			quoted = !quoted;
		else if (*in == '\\' && !quoted && in[1])
			*out++ = *++in;
		else
			*out++ = *in;
	}
	*broken |= quoted;
	*at = *in ? in + 1 : in;
	*out = '\0';
	return word;
}

static void set(char **to, const char *value)
{
	free(*to);
	*to = fb_strdup(value);
}

/* The value of "--name=value" under either of two names, or NULL. */
static const char *value_of(const char *word, const char *name,
			    const char *other)
{
	size_t n = strcspn(word, "=");
	if (word[n] && ((n == strlen(name) && !strncmp(word, name, n)) ||
			(n == strlen(other) && !strncmp(word, other, n))))
		return word + n + 1;
	return NULL;
}

static bool start(struct fb_bisect_log *log, char *rest, bool *broken)
{
	bool paths = false, bad = true;
	const char *value;
	char *word;
	while ((word = next_word(&rest, broken))) {
		if (paths) {
			fb_strv_add(&log->paths, word);
		} else if (fb_streq(word, "--")) {
			paths = true;
		} else if (fb_streq(word, "--first-parent")) {
			log->first_parent = true;
		} else if (fb_streq(word, "--no-checkout")) {
			continue;
		} else if ((value = value_of(word, "--term-good",
					     "--term-old"))) {
			set(&log->term_good, value);
		} else if ((value = value_of(word, "--term-bad",
					     "--term-new"))) {
			set(&log->term_bad, value);
		} else if (word[0] == '-') {
			return false;
		} else {
			add_mark(log, bad ? FB_MARK_BAD : FB_MARK_GOOD, word);
			bad = false;
		}
	}
	return true;
}

static bool is_word(const char *word, const char *term, const char *usual,
		    const char *other)
{
	return term ? fb_streq(word, term) :
		      fb_streq(word, usual) || fb_streq(word, other);
}

static bool command(struct fb_bisect_log *log, char *rest, bool *broken)
{
	char *word = next_word(&rest, broken), *rev;
	enum fb_mark mark;
	if (!word)
		return false;
	if (fb_streq(word, "start"))
		return start(log, rest, broken);
	if (fb_streq(word, "terms"))
		return true;
	if (fb_streq(word, "skip"))
		mark = FB_MARK_SKIP;
	else if (is_word(word, log->term_good, "good", "old"))
		mark = FB_MARK_GOOD;
	else if (is_word(word, log->term_bad, "bad", "new"))
		mark = FB_MARK_BAD;
	else
		return false;
	size_t before = log->n;
	while ((rev = next_word(&rest, broken)))
		add_mark(log, mark, rev);
	return log->n > before;
}

/* Blank lines and comments are fine, and so is nothing but a command. */
static bool read_line(struct fb_bisect_log *log, char *line)
{
	bool broken = false;
	line = fb_strip(line);
	if (!*line || *line == '#')
		return true;
	if (!fb_starts_with(line, "git bisect ") &&
	    !fb_starts_with(line, "git-bisect "))
		return false;
	return command(log, line + strlen("git bisect "), &broken) && !broken;
}

int fb_bisect_log_read(struct fb_bisect_log *log, const char *path,
		       struct fb_error *err)
{
	fb_autofree char *text = NULL;
	unsigned number = 1;
	*log = (struct fb_bisect_log){ 0 };
	int rc = fb_file_read(path, LOG_MAX, &text, NULL, err);
	for (char *line = text, *end; rc == 0 && line; line = end, number++) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		fb_autofree char *copy = fb_strdup(line);
		if (!read_line(log, line))
			rc = fb_error_set(err, FB_E_USAGE,
					  "%s:%u: not a line of git's bisect "
					  "log: %.60s",
					  path, number, copy);
	}
	if (rc == 0 && log->n == 0)
		rc = fb_error_set(err, FB_E_USAGE,
				  "%s: no marks of a bisection in it", path);
	if (rc)
		fb_bisect_log_release(log);
	return rc;
}

void fb_bisect_log_release(struct fb_bisect_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		free(log->marks[i].rev);
	free(log->marks);
	free(log->term_good);
	free(log->term_bad);
	fb_strv_release(&log->paths);
	*log = (struct fb_bisect_log){ 0 };
}
