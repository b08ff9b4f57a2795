/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's machine protocol, as far as a measurement needs it: capabilities,
 * events, query-blockstats and query-replay (which knows the count of
 * executed instructions). Bytes go in through fb_qmp_feed(); what is to be
 * sent comes out through the send callback. No I/O of its own.
 */
#ifndef FB_QMP_H
#define FB_QMP_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "lines.h"

/* Counters of one block device, as QEMU's BlockDeviceStats. */
struct fb_blockstats {
	char device[64]; /* name given with -drive id= */
	double rd_operations, rd_bytes, rd_time_ns;
	double wr_operations, wr_bytes, wr_time_ns;
	double flush_operations;
};

struct fb_qmp {
	void (*send)(void *data, const char *text, size_t len);
	/*
	 * A reply to fb_qmp_query(), in order of asking. `instructions` is the
	 * number that the guest has executed under the instruction clock, else
	 * 0 or negative.
	 */
	void (*stats)(void *data, const struct fb_blockstats *stats, size_t n,
		      double instructions);
	/* An event by its name; `info` is its data object or NULL. */
	void (*event)(void *data, const char *name, const cJSON *info);
	/* The peer is no QMP server or sent an error: nothing more comes. */
	void (*broken)(void *data, const char *why);
	void *data;
	/* private */
	struct fb_lines lines;
	bool ready, failed;
	unsigned pending; /* questions asked before the greeting was answered */
	double instructions; /* of the question that is being answered */
};

/* The callbacks and data must be set. */
void fb_qmp_init(struct fb_qmp *q);
void fb_qmp_feed(struct fb_qmp *q, const char *bytes, size_t len);
/* Asks for all counters at once; stats() is the answer. */
void fb_qmp_query(struct fb_qmp *q);
void fb_qmp_release(struct fb_qmp *q);

#endif
