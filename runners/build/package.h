/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernels that others have built: Debian and RPM packages, tar archives. */
#ifndef FB_PACKAGE_H
#define FB_PACKAGE_H

#include <stdbool.h>

struct fb_error;

/* Does the file's name end as that of a package or archive does? */
bool fb_package_is(const char *path);

/*
 * Unpacks the kernel into the cache, under the SHA-256 of the package, unless
 * it is there: vmlinuz, config (where the package has one) and
 * lib/modules/RELEASE with the tables of depmod(8). *image is the kernel's
 * path, the caller's to free. Only regular files of these names are taken from
 * the package; its scripts are never run. USAGE when it holds no kernel or
 * several, is damaged, or unpacks to more than 4 GiB.
 */
int fb_package_unpack(const char *cache, const char *path, char **image,
		      struct fb_error *err);

#endif
