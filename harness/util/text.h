/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and strings. Allocation does not return NULL: without memory the
 * program says so and exits with 10; everything finished is already in the
 * database, so nothing is lost by that.
 */
#ifndef FB_TEXT_H
#define FB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *fb_malloc(size_t size);
void *fb_calloc(size_t n, size_t size);
void *fb_realloc(void *p, size_t n, size_t size);
char *fb_strdup(const char *s);
char *fb_strndup(const char *s, size_t n);

/* A new string, printf style; the caller frees it. */
char *fb_strf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *fb_vstrf(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

bool fb_streq(const char *a, const char *b);
bool fb_starts_with(const char *s, const char *prefix);
bool fb_ends_with(const char *s, const char *suffix);

/* Cuts white space at both ends, in place; returns the first kept byte. */
char *fb_strip(char *s);

/* Strict numbers: the whole string, finite; false leaves *out untouched. */
bool fb_parse_double(const char *s, double *out);
bool fb_parse_long(const char *s, long min, long max, long *out);

/* Grows the array `p` of `n` used and `cap` allocated elements for one more. */
#define FB_GROW(p, n, cap)                                          \
	do {                                                        \
		if ((n) == (cap)) {                                 \
			(cap) = (cap) ? 2 * (cap) : 8;              \
			(p) = fb_realloc((p), (cap), sizeof(*(p))); \
		}                                                   \
	} while (0)

/* A list of owned strings, always followed by a NULL once non-empty. */
struct fb_strv {
	char **v;
	size_t n, cap;
};

void fb_strv_add(struct fb_strv *list, const char *s);
void fb_strv_addf(struct fb_strv *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The elements as argument vectors want them; NULL-terminated. */
const char *const *fb_strv_args(const struct fb_strv *list);
/* All elements in one new string, `between` two of them. Caller frees. */
char *fb_strv_join(const struct fb_strv *list, const char *between);
/* Removes every element; the list may be used again. */
void fb_strv_release(struct fb_strv *list);

#endif
