/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a byte stream from an untrusted writer into lines of bounded length.
 * The rest of an overlong line is dropped and the line marked as cut; a NUL
 * byte becomes '?', CR before LF disappears.
 */
#ifndef FB_LINES_H
#define FB_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct fb_lines {
	size_t max; /* longest line kept, in bytes */
	void (*line)(void *data, char *line, size_t len, bool cut);
	void *data;
	/* private */
	char *buf;
	size_t n;
	bool cut;
};

void fb_lines_init(struct fb_lines *l, size_t max,
		   void (*line)(void *, char *, size_t, bool), void *data);
void fb_lines_feed(struct fb_lines *l, const char *bytes, size_t len);

/* Hands on a last line that lacks its newline. */
void fb_lines_end(struct fb_lines *l);
void fb_lines_release(struct fb_lines *l);

#endif
