/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that travel inside the program, see CMakeLists.txt. */
#ifndef FB_EMBEDDED_H
#define FB_EMBEDDED_H

#include <stddef.h>

/* The firstbad-probe executable. */
extern const unsigned char fb_probe_image[];
extern const size_t fb_probe_image_size;

/* The nbdkit plugin that spindle_plugin.c is built to. */
extern const unsigned char fb_spindle_image[];
extern const size_t fb_spindle_image_size;

#endif
