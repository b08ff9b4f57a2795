/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things are in JSON text; private to harness/config. */
#ifndef FB_LOCATE_H
#define FB_LOCATE_H

/* A copy with comments turned into blanks, line for line. Caller frees. */
char *json_blank_comments(const char *text);

/* The line, from 1, of a position within text. */
unsigned json_line_of(const char *text, const char *pos);

/*
 * The line of a key given as "section.key"; elements of lists do not count as
 * levels. 0 when it is not there. The text must be valid JSON.
 */
unsigned json_line_of_key(const char *text, const char *key);

#endif
