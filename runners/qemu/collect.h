/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the lines of the result channel into samples and evidence of a boot.
 * The lines come from a kernel under test and are trusted in nothing: token,
 * sequence, length, checksum, types, names and number of values are checked.
 * No I/O.
 */
#ifndef FB_COLLECT_H
#define FB_COLLECT_H

#include <stdbool.h>
#include <stddef.h>

#include "boot.h"
#include "frame.h"
#include "qmp.h"

enum fb_collect_event {
	FB_COLLECT_NOTHING, /* foreign text, or a value that was stored */
	FB_COLLECT_HELLO,
	FB_COLLECT_BEGIN, /* the guest waits for an answer */
	FB_COLLECT_END,	  /* likewise */
	FB_COLLECT_ERROR, /* the probe reports; see error */
	FB_COLLECT_DONE,
	FB_COLLECT_DAMAGED /* the boot's results cannot be used */
};

struct fb_collect {
	struct fb_boot *boot; /* borrowed */
	char token[FB_FRAME_TOKEN_LEN + 1];
	unsigned seq;
	bool hello, done, damaged;
	char error[512];      /* text of an ERROR or of the damage */
	char window[128];     /* the one that is open, or "" */
	double guest_seconds; /* of the window that ended */
};

void fb_collect_init(struct fb_collect *c, struct fb_boot *boot);

/* One line without its newline; it may be modified. */
enum fb_collect_event fb_collect_line(struct fb_collect *c, char *line,
				      size_t len, bool cut);

/* Stores what the host saw of the window that just ended. */
void fb_collect_host(struct fb_collect *c, double host_seconds,
		     const struct fb_blockstats *before,
		     const struct fb_blockstats *after);

#endif
