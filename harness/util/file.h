/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and directories. Paths are borrowed, results belong to the caller. */
#ifndef FB_FILE_H
#define FB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb_error;

/*
 * Reads a whole file of at most `max` bytes; a larger one is an error. The
 * result is NUL-terminated (not counted in *len, which may be NULL).
 */
int fb_file_read(const char *path, size_t max, char **out, size_t *len,
		 struct fb_error *err);

/* Writes a temporary neighbour, syncs it and renames it over `path`. */
int fb_file_write(const char *path, const void *data, size_t len,
		  struct fb_error *err);

int fb_file_append(const char *path, const char *text, struct fb_error *err);

/* Creates `path` and its parents; an existing directory is fine. */
int fb_mkdir_p(const char *path, struct fb_error *err);

/* Removes a tree, or nothing when it is not there. Never follows links. */
int fb_rm_rf(const char *path, struct fb_error *err);

bool fb_exists(const char *path);

/* Copies, sharing extents where the file system can (cp --reflink). */
int fb_file_copy(const char *from, const char *to, struct fb_error *err);

/* Fails when the file system of `path` has less than `need` bytes free. */
int fb_need_space(const char *path, uint64_t need, struct fb_error *err);

/*
 * Takes an exclusive lock on `path` (created when missing), or fails at once
 * with a message that names the holder and ends with the advice. The lock lives
 * as long as *fd.
 */
int fb_lock(const char *path, const char *advice, int *fd,
	    struct fb_error *err);

/*
 * Full path of a program on PATH, in /usr/sbin or /sbin, or NULL. The caller
 * frees it.
 */
char *fb_find_program(const char *name);

#endif
