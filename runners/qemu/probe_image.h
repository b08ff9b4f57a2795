/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The firstbad-probe executable, embedded by CMakeLists.txt. */
#ifndef FB_PROBE_IMAGE_H
#define FB_PROBE_IMAGE_H

#include <stddef.h>

extern const unsigned char fb_probe_image[];
extern const size_t fb_probe_image_size;

#endif
