/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What vmstat shows, row by row, while a window is open: a thread reads /proc
 * `hz` times a second and keeps the rows in memory; they are reported when the
 * window is closed, so that reporting disturbs nothing.
 */
#ifndef FB_PROBE_TIMELINE_H
#define FB_PROBE_TIMELINE_H

#include "counters.h"

/*
 * vmstat's columns in its order: r b swpd free buff cache si so bi bo in cs us
 * sy id wa st. Memory in KiB; si so bi bo in KiB a second; in cs per second;
 * us to st in percent, rounded half up (procps 4.0.2, vmstat.c).
 */
#define VMSTAT_COLUMNS 17
#define TIMELINE_ROWS 600

struct timeline_row {
	double at; /* seconds since the window opened */
	unsigned long v[VMSTAT_COLUMNS];
};

/* The row between two readings that are `seconds` apart. */
void timeline_row(struct timeline_row *out, const struct counters *before,
		  const struct counters *after, const struct memory *m,
		  double seconds);

/* Only one runs at a time. `kname` is borrowed until the stop. */
void timeline_start(const char *kname, unsigned hz);
/* The rows belong to this file and last until the next start. */
const struct timeline_row *timeline_stop(size_t *n);

#endif
