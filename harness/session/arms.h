/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the database into the two arms of a verdict. */
#ifndef FB_ARMS_LOAD_H
#define FB_ARMS_LOAD_H

#include "db.h"
#include "verdict.h"

/* Figures alone. */
int fb_load_samples(struct fb_db *db, const struct fb_boot_filter *f, char arm,
		    struct fb_verdict *v, struct fb_error *err);

/* Figures, counters and settings. */
int fb_load_arm(struct fb_db *db, const struct fb_boot_filter *f, char arm,
		struct fb_verdict *v, struct fb_error *err);

#endif
