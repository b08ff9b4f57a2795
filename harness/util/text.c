/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *p)
{
	if (!p) {
		fputs("firstbad: out of memory; `firstbad resume` continues "
		      "from the last finished boot\n",
		      stderr);
		exit(10);
	}
	return p;
}

void *fb_malloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *fb_calloc(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size ? size : 1));
}

void *fb_realloc(void *p, size_t n, size_t size)
{
	return check(reallocarray(p, n ? n : 1, size));
}

char *fb_strdup(const char *s)
{
	return check(strdup(s));
}

char *fb_strndup(const char *s, size_t n)
{
	return check(strndup(s, n));
}

char *fb_vstrf(const char *fmt, va_list ap)
{
	char *s = NULL;
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return check(s);
}

char *fb_strf(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = fb_vstrf(fmt, ap);
	va_end(ap);
	return s;
}

bool fb_streq(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool fb_starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool fb_ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);
	return n >= k && strcmp(s + n - k, suffix) == 0;
}

char *fb_strip(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	size_t n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	return s;
}

bool fb_parse_double(const char *s, double *out)
{
	char *end;
	errno = 0;
	double value = strtod(s, &end);
	if (end == s || *end || errno || !isfinite(value) ||
	    isspace((unsigned char)*s))
		return false;
	*out = value;
	return true;
}

bool fb_parse_long(const char *s, long min, long max, long *out)
{
	char *end;
	errno = 0;
	long value = strtol(s, &end, 10);
	if (end == s || *end || errno || value < min || value > max)
		return false;
	*out = value;
	return true;
}

static void strv_take(struct fb_strv *list, char *s)
{
	if (list->n + 1 >= list->cap) {
		list->cap = list->cap ? 2 * list->cap : 8;
		list->v = fb_realloc(list->v, list->cap, sizeof(*list->v));
	}
	list->v[list->n++] = s;
	list->v[list->n] = NULL;
}

void fb_strv_add(struct fb_strv *list, const char *s)
{
	strv_take(list, fb_strdup(s));
}

void fb_strv_addf(struct fb_strv *list, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	strv_take(list, fb_vstrf(fmt, ap));
	va_end(ap);
}

const char *const *fb_strv_args(const struct fb_strv *list)
{
	static const char *const none[] = { NULL };
	return list->v ? (const char *const *)list->v : none;
}

char *fb_strv_join(const struct fb_strv *list, const char *between)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	for (size_t i = 0; i < list->n; i++)
		fprintf(f, "%s%s", i ? between : "", list->v[i]);
	fclose(f);
	return text;
}

void fb_strv_release(struct fb_strv *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct fb_strv){ 0 };
}
