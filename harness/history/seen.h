/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that builds have read, and which changes can reach a kernel. */
#ifndef FB_SEEN_H
#define FB_SEEN_H

#include <stdbool.h>

#include "text.h"

struct fb_error;

struct fb_seen_file {
	char *path; /* below the top of the sources; directories end in / */
	unsigned objects; /* made again when it changes */
};

/* A set; begin with zeros, end with fb_seen_release(). */
struct fb_seen {
	struct fb_seen_file *file; /* sorted by path */
	size_t n, cap;
	struct fb_strv headers; /* last parts of all headers, sorted */
};

/*
 * Adds the files of a list as runners/build/inputs.h has it; of those that are
 * in both, the greater number of objects holds. *grew says whether any is new.
 * Lines that make no sense are FB_E_MACHINE: the list is damaged.
 */
int fb_seen_add(struct fb_seen *s, const char *list, bool *grew,
		struct fb_error *err);
void fb_seen_release(struct fb_seen *s);

/* SHA-256 of the paths, as 64 hex digits; the caller frees. */
char *fb_seen_identity(const struct fb_seen *s);

/*
 * Can a change of this path change the kernel? `comes_or_goes`: it is added or
 * removed. Yes for
 *   - files that were read, or are in directories of make's own tools;
 *   - Makefiles and Kbuild files of directories that make went into or read a
 *     file of, and localversion files at the top;
 *   - everything below scripts/, but for what no build runs;
 *   - headers that come or go where the build looks (below include/, or in a
 *     directory of which a file was read), when one of the same name was read:
 *     it may stand before that one now.
 * A header that nobody read so far changes nothing before a file that was read
 * includes it; neither do new sources before a Makefile names them, or new
 * Kconfig files before one that was read does.
 */
bool fb_seen_matters(const struct fb_seen *s, const char *path,
		     bool comes_or_goes);

/* How many objects are made again when this path changes; 0: none known. */
unsigned fb_seen_objects(const struct fb_seen *s, const char *path);

#endif
