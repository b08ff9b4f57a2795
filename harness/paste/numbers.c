/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and units as tools print them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reader.h"

#define DIGITS_MAX 40

static bool mark(char c)
{
	return c == '.' || c == ',';
}

/* Length of digits with marks between them; the last mark is the decimal. */
static size_t span(const char *s, size_t *decimal)
{
	size_t n = 0;
	*decimal = 0;
	while (n < DIGITS_MAX &&
	       (isdigit((unsigned char)s[n]) ||
		(mark(s[n]) && n && isdigit((unsigned char)s[n + 1])))) {
		if (mark(s[n]))
			*decimal = n;
		n++;
	}
	return n;
}

bool number(const char **s, double *out)
{
	const char *p = *s;
	char plain[DIGITS_MAX + 1];
	size_t decimal, k = 0;
	while (*p == ' ' || *p == '\t')
		p++;
	size_t n = span(p, &decimal);
	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!mark(p[i]))
			plain[k++] = p[i];
		else if (i == decimal)
			plain[k++] = '.';
	}
	plain[k] = '\0';
	double value;
	if (!fb_parse_double(plain, &value))
		return false;
	p += n;
	/* "3.9e-05", as dd prints for very short runs */
	if ((*p == 'e' || *p == 'E') && (p[1] == '-' || p[1] == '+') &&
	    isdigit((unsigned char)p[2])) {
		char *end;
		long e = strtol(p + 1, &end, 10);
		if (e < -300 || e > 300)
			return false;
		value *= pow(10, (double)e);
		p = end;
	}
	*out = value;
	*s = p;
	return true;
}

bool number_word(const char *word, double *out)
{
	double value;
	const char *s = word;
	if (isspace((unsigned char)*s) || !number(&s, &value) || *s)
		return false;
	*out = value;
	return true;
}

double unit_bytes(const char **s, bool binary)
{
	static const char prefixes[] = "kmgt";
	static const char *const names[] = { "bytes", "byte", "octets", "b",
					     "o" };
	const char *p = *s;
	double base = binary ? 1024 : 1000, bytes = 1;
	while (*p == ' ' || *p == '\t')
		p++;
	const char *start = p;
	const char *at =
		*p ? strchr(prefixes, tolower((unsigned char)*p)) : NULL;
	if (at) {
		p++;
		if (*p == 'i') {
			base = 1024;
			p++;
		}
		for (const char *q = prefixes; q <= at; q++)
			bytes *= base;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);
		if (strncasecmp(p, names[i], n) == 0) {
			p += n;
			break;
		}
	}
	if (p == start)
		return 0;
	*s = p;
	return bytes;
}

double microseconds(const char *word)
{
	static const struct {
		const char *unit;
		double us;
	} units[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };
	double value;
	if (!number(&word, &value))
		return NAN;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(word, units[i].unit) == 0)
			return value * units[i].us;
	return NAN;
}

size_t words(char *text, char **out, size_t max)
{
	size_t n = 0;
	char *rest = NULL;
	for (char *w = strtok_r(text, " \t", &rest); w && n < max;
	     w = strtok_r(NULL, " \t", &rest))
		out[n++] = w;
	return n;
}
