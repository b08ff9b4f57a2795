/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text as lines, without what mail put around them. */
#include <stdlib.h>
#include <string.h>

#include "reader.h"

/* Behind "> ", "> > ", ">>": what the innermost author wrote. */
static const char *unquote(const char *s, const char *end)
{
	for (;;) {
		const char *p = s;
		if (p < end && *p == ' ')
			p++;
		if (p == end || *p != '>')
			return s;
		s = p + 1;
		if (s < end && *s == ' ')
			s++;
	}
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static struct line make(const char *s, const char *end)
{
	struct line l = { 0 };
	const char *p = unquote(s, end);
	while (end > p && blank(end[-1]))
		end--;
	size_t n = (size_t)(end - p);
	l.text = fb_malloc((n < LINE_MAX_KEPT ? n : LINE_MAX_KEPT) + 1);
	size_t k = 0;
	for (; k < n && k < LINE_MAX_KEPT; k++)
		l.text[k] = p[k] ? p[k] : '?';
	l.text[k] = '\0';
	l.word = l.text;
	while (blank(*l.word))
		l.word++;
	return l;
}

struct line *lines_split(const char *text, size_t len, size_t *n)
{
	struct line *lines = NULL;
	size_t cap = 0;
	const char *end = text + len;
	*n = 0;
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;
		FB_GROW(lines, *n, cap);
		lines[(*n)++] = make(text, stop);
		text = nl ? nl + 1 : end;
	}
	return lines;
}

void lines_free(struct line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(lines[i].text);
	free(lines);
}
