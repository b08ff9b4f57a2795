/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules that a prebuilt kernel needs to see the disks of a guest. */
#ifndef FB_MODULES_H
#define FB_MODULES_H

#include "config.h"

struct fb_error;
struct fb_strv;

/*
 * Adds to `out` the files to load, in order: drivers of the disks' buses and
 * their file systems, each after what it depends on, softly too. They are
 * looked for in lib/modules/RELEASE beside the kernel image; without that
 * directory, or where the kernel has all built in, there are none.
 */
int fb_modules_find(const char *image, const struct fb_config *cfg,
		    struct fb_strv *out, struct fb_error *err);

#endif
