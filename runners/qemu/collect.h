/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the lines of the result channel (runners/guest/results.h) into what a
 * boot holds. The lines come from a kernel under test and are trusted in
 * nothing: token, sequence, length, checksum, types, names and number of
 * values are checked, and what the probe claims to have read from a disk is
 * held against what QEMU delivered. No I/O.
 */
#ifndef FB_COLLECT_H
#define FB_COLLECT_H

#include <stdbool.h>
#include <stddef.h>

#include "boot.h"
#include "config.h"
#include "frame.h"
#include "host.h"
#include "qmp.h"

enum fb_collect_event {
	FB_COLLECT_NOTHING, /* foreign text, or a value that was stored */
	FB_COLLECT_HELLO,
	FB_COLLECT_BEGIN,  /* the guest waits for an answer */
	FB_COLLECT_END,	   /* likewise */
	FB_COLLECT_ERROR,  /* the probe reports, and ends; see error */
	FB_COLLECT_FAILED, /* what it reports is no figure; it must be ended */
	FB_COLLECT_DONE,
	FB_COLLECT_DAMAGED /* the boot's results cannot be used */
};

struct fb_collect {
	struct fb_boot *boot;	     /* borrowed */
	const struct fb_config *cfg; /* borrowed */
	char token[FB_FRAME_TOKEN_LEN + 1];
	unsigned seq;
	bool hello, done, damaged, failed;
	char error[512];  /* text of an ERROR or of the damage */
	char window[128]; /* the one that is open, or "" */
	/* What the probe said of the window that ended: */
	double guest_seconds, bytes, from_disk;
	unsigned windows; /* that were ended */
	/* Clocks when the open window and the first one began, and between. */
	double guest_began, guest_first, host_first, guest_span, host_span;
	char *output; /* of a command, so far */
	size_t output_len;
};

void fb_collect_init(struct fb_collect *c, struct fb_boot *boot,
		     const struct fb_config *cfg);
void fb_collect_release(struct fb_collect *c);

/* One line without its newline; it may be modified. */
enum fb_collect_event fb_collect_line(struct fb_collect *c, char *line,
				      size_t len, bool cut);

/* What the host saw at one border of a window. */
struct fb_border {
	double time;		     /* monotonic, seconds */
	struct fb_blockstats *disks; /* in the order of cfg->disks */
	double instructions;	     /* see qmp.h */
	struct fb_host host;
};

/* The index of the disk that the open window is about. */
size_t fb_collect_disk(const struct fb_collect *c);

/*
 * Stores what the host saw of the window that just ended. Returns DAMAGED
 * when the disk delivered less than 98 % of what the probe claims to have
 * read from it, else NOTHING.
 */
enum fb_collect_event fb_collect_host(struct fb_collect *c,
				      const struct fb_border *before,
				      const struct fb_border *after);

#endif
