/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "locate.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "text.h"

/* The first byte after the string that starts at the quote p. */
static char *skip_string(char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

char *json_blank_comments(const char *text)
{
	char *copy = fb_strdup(text);
	for (char *p = copy; *p;) {
		if (*p == '"') {
			p = skip_string(p);
		} else if (p[0] == '/' && p[1] == '/') {
			while (*p && *p != '\n')
				*p++ = ' ';
		} else if (p[0] == '/' && p[1] == '*') {
			char *end = strstr(p + 2, "*/");
			char *stop = end ? end + 2 : p + strlen(p);
			for (; p < stop; p++)
				if (*p != '\n')
					*p = ' ';
		} else {
			p++;
		}
	}
	return copy;
}

unsigned json_line_of(const char *text, const char *pos)
{
	unsigned line = 1;
	for (; text < pos && *text; text++)
		line += *text == '\n';
	return line;
}

/* Is the string that ends at p followed by a colon? Then it is a key. */
static bool is_key(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return *p == ':';
}

unsigned json_line_of_key(const char *text, const char *key)
{
	/* depth: objects that are open; matched: levels of key found so far */
	unsigned depth = 0, matched = 0;
	const char *want = key;
	for (const char *p = text; *p;) {
		if (*p == '{') {
			depth++;
		} else if (*p == '}') {
			depth--;
		} else if (*p == '"') {
			const char *end = skip_string((char *)p);
			size_t n = strcspn(want, ".");
			if (depth == matched + 1 && is_key(end) &&
			    (size_t)(end - p) == n + 2 &&
			    strncmp(p + 1, want, n) == 0) {
				if (!want[n])
					return json_line_of(text, p);
				want += n + 1;
				matched++;
			}
			p = end;
			continue;
		}
		p++;
	}
	return 0;
}
