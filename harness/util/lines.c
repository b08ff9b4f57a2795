/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines.h"

#include <stdlib.h>

#include "text.h"

void fb_lines_init(struct fb_lines *l, size_t max,
		   void (*line)(void *, char *, size_t, bool), void *data)
{
	*l = (struct fb_lines){ .max = max, .line = line, .data = data };
	l->buf = fb_malloc(max + 1);
}

static void flush(struct fb_lines *l)
{
	if (l->n && l->buf[l->n - 1] == '\r')
		l->n--;
	l->buf[l->n] = '\0';
	size_t n = l->n;
	bool cut = l->cut;
	l->n = 0;
	l->cut = false;
	l->line(l->data, l->buf, n, cut);
}

void fb_lines_feed(struct fb_lines *l, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n')
			flush(l);
		else if (l->n < l->max)
			l->buf[l->n++] = bytes[i] ? bytes[i] : '?';
		else
			l->cut = true;
	}
}

void fb_lines_end(struct fb_lines *l)
{
	if (l->n || l->cut)
		flush(l);
}

void fb_lines_release(struct fb_lines *l)
{
	free(l->buf);
	l->buf = NULL;
}
