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

/* Bytes of a no-break space in UTF-8, which some locales put before units. */
static size_t no_break_space(const char *p, const char *end)
{
	static const char *const spaces[] = { "\xc2\xa0", "\xe2\x80\xaf" };
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		size_t n = strlen(spaces[i]);
		if ((size_t)(end - p) >= n && memcmp(p, spaces[i], n) == 0)
			return n;
	}
	return 0;
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
	while (p < end && k < LINE_MAX_KEPT) {
		size_t space = no_break_space(p, end);
		l.text[k++] = space ? ' ' : *p ? *p : '?';
		p += space ? space : 1;
	}
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
