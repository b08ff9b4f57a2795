/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what `git bisect log` prints, to go on from it. As git's own replay:
 * "git bisect" and "git-bisect" are the same, lines may end in CR, comments
 * are ignored, later marks count more than earlier ones.
 */
#ifndef FB_BISECT_LOG_H
#define FB_BISECT_LOG_H

#include <stdbool.h>

#include "text.h"
#include "worktree.h"

struct fb_bisect_log {
	char *term_good, *term_bad; /* NULL: good, bad */
	bool first_parent;
	struct fb_strv paths;
	struct fb_log_mark {
		enum fb_mark mark;
		char *rev; /* as written */
	} * marks;
	size_t n, cap;
};

/*
 * FB_E_USAGE, with file and line, for what cannot be understood: an unknown
 * command, a mark without a revision, broken quotes, no start at all.
 */
int fb_bisect_log_read(struct fb_bisect_log *log, const char *path,
		       struct fb_error *err);
void fb_bisect_log_release(struct fb_bisect_log *log);

#endif
