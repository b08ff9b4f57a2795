/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by machine.c, images.c and argv.c. */
#ifndef FB_MACHINE_PRIVATE_H
#define FB_MACHINE_PRIVATE_H

#include "machine.h"

/* QEMU splits option values at commas; a doubled comma is one. Caller frees. */
char *fb_escape_commas(const char *s);

/* Sets m->images, making those that are missing in the cache. */
int fb_machine_find_images(struct fb_machine *m, const struct fb_config *cfg,
			   const char *cache, struct fb_error *err);

#endif
