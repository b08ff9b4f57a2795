/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of two resolved .config files can matter to block I/O. */
#ifndef FB_VERDICT_KCONFIG_DIFF_H
#define FB_VERDICT_KCONFIG_DIFF_H

#include "verdict.h"

/* How the options of two .config files differ. */
struct fb_kconfig_counts {
	size_t added;	 /* as settings: differ, and can matter */
	size_t harmless; /* differ, but no row of the table names them */
	size_t unknown;	 /* only one of the kernels has such an option */
};

/*
 * Compares the texts of the arms' .config files and adds the differing options
 * that can matter as settings of the subject "kconfig": block layer, schedulers
 * and drivers of disks, file systems, timers, preemption, DMA, debugging that
 * costs time. "# CONFIG_X is not set" is "n". Options that one of the kernels
 * does not know are counted only: they come and go with every release, and are
 * no choice of whoever configured them.
 */
struct fb_kconfig_counts fb_verdict_add_kconfig(struct fb_verdict *v,
						const char *a, const char *b);

#endif
