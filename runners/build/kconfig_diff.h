/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two resolved .config files differ in. */
#ifndef FB_KCONFIG_DIFF_H
#define FB_KCONFIG_DIFF_H

#include <stdbool.h>
#include <stddef.h>

struct fb_kconfig_change {
	char *option, *a, *b; /* "n" when it is not set */
	bool matters;	      /* may change how fast I/O is, see the table */
};

struct fb_kconfig_diff {
	struct fb_kconfig_change *v; /* by name */
	size_t n, cap;
};

/*
 * Symbols that describe the compiler (CONFIG_CC_*, CONFIG_*_VERSION) and the
 * file's own comments are left out.
 */
void fb_kconfig_diff(const char *a, const char *b, struct fb_kconfig_diff *out);
void fb_kconfig_diff_release(struct fb_kconfig_diff *diff);

#endif
