/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that runs in any case, even when this program is killed: a child
 * process waits for our end of a pipe to close and runs it then.
 */
#ifndef FB_UNDO_H
#define FB_UNDO_H

#include <sys/types.h>

struct fb_error;

struct fb_undo {
	const char *const *argv; /* borrowed; NULL: nothing to undo */
	int fd;			 /* our end; -1 when nobody waits */
	pid_t guardian;
};

/* From now on the command will be run once. */
int fb_undo_arm(struct fb_undo *u, const char *const *argv,
		struct fb_error *err);

/* Runs it now, waits for it, and fails when it does. Twice is harmless. */
int fb_undo_run(struct fb_undo *u, struct fb_error *err);

#endif
