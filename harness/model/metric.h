/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics are named WORKLOAD.FIGURE, e.g. "hdparm.buffered_read"; with several
 * disks "DISK/WORKLOAD.FIGURE". A counter of the same window carries a suffix:
 * "hdparm.buffered_read.request_kib".
 */
#ifndef FB_METRIC_H
#define FB_METRIC_H

#include <stdbool.h>
#include <stddef.h>

enum fb_better { FB_BETTER_AUTO, FB_BETTER_HIGHER, FB_BETTER_LOWER };

/*
 * Which direction is better when the user did not say: lower for anything
 * named a latency, a time or a cost, higher for the rest.
 */
enum fb_better fb_metric_better(const char *name);

/*
 * The unit of a metric of ours, or of another tool's output that we read, or
 * "" when the name is neither.
 */
const char *fb_metric_unit(const char *name);

/*
 * A figure with four significant digits, and without an exponent as long as it
 * is below 10 million. Returns `buf`.
 */
#define FB_FIGURE_SIZE 32
const char *fb_figure_text(double value, char buf[FB_FIGURE_SIZE]);

/* A counter of a window, by its suffix. */
bool fb_metric_is_counter(const char *name);

/*
 * A figure that people ask for (not a counter beside one). Names that are not
 * ours, as an exec runner's, count as asked for.
 */
bool fb_metric_is_headline(const char *name);

/*
 * May this be a metric's name? Letters, digits and "._/-", 1 to 96 of them:
 * whatever measures is not trusted with more.
 */
bool fb_metric_name_ok(const char *name);

/* The part after "DISK/", or the whole name. */
const char *fb_metric_base(const char *name);

/* What a workload measures. */
struct fb_figure {
	const char *name; /* of the metric, without a disk */
	const char *unit;
	enum fb_better better;
};

/* A workload that the probe knows: a row of workloads.inc. */
struct fb_workload {
	const char *name;   /* "hdparm.buffered_read" */
	const char *family; /* what a user may write for all: "hdparm" */
	const struct fb_figure *figures; /* ended by one without a name */
	unsigned flags;			 /* enum fb_workload_flag */
};

enum fb_workload_flag {
	FB_WORKLOAD_WRITES = 1,	    /* changes the disk */
	FB_WORKLOAD_ON_FILE = 2,    /* uses a file of the configured size */
	FB_WORKLOAD_ON_SCRATCH = 4, /* writes behind the file system */
	FB_WORKLOAD_AT_END = 8	    /* reads near the end of the disk */
};

/* All workloads, ended by a row without a name. */
extern const struct fb_workload fb_workloads[];

/* Is the workload meant by one of these names, its own or its family's? */
bool fb_workload_selected(const struct fb_workload *w, char *const *names,
			  size_t n);

/*
 * The workload that produces a metric (its disk prefix and counter suffix
 * are ignored), or NULL.
 */
const struct fb_workload *fb_workload_for_metric(const char *metric);

#endif
