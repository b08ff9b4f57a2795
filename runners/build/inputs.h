/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files a build has read: what Kbuild leaves in the object directory. */
#ifndef FB_INPUTS_H
#define FB_INPUTS_H

struct fb_error;

/*
 * Writes the list of everything that the kernel in `objects` was made from to
 * the file `to`, sorted by path, a line each:
 *
 *	OBJECTS PATH
 *
 * PATH is relative to the work tree, as git has it; OBJECTS is how many
 * objects must be made again when it changes: the number of ".NAME.cmd" files
 * (dependencies and command lines, as scripts/basic/fixdep.c writes them) that
 * name it. Kconfig files come from include/config/auto.conf.cmd, with 0.
 * Generated headers are listed by their path in `objects`, and so is every
 * directory that make went into, with 0 and a slash at the end: its Makefile
 * was read. FB_E_MACHINE when `objects` cannot be read.
 */
int fb_inputs_write(const char *objects, const char *worktree, const char *to,
		    struct fb_error *err);

#endif
