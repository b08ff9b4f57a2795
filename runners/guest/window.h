/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window: the time between two readings of every counter, guest's and
 * host's. What happens between open and close is what the figures are about.
 * Only one is open at a time.
 */
#ifndef FB_PROBE_WINDOW_H
#define FB_PROBE_WINDOW_H

#include <sys/resource.h>

#include "counters.h"
#include "histogram.h"
#include "results.h"

enum operation { OP_READ, OP_WRITE, OPERATIONS };

/* What a window's bytes must have cost. */
enum traffic {
	FROM_DISK, /* every byte read was delivered by the disk */
	TO_DISK,
	BOTH,	   /* read from the disk and written again */
	FROM_CACHE /* nothing is promised of the disk */
};

struct window {
	struct task *t;
	char name[96];
	struct counters before, target_before;
	struct rusage usage;
	double start;
	double last;	/* when the current operation began */
	double elapsed; /* set by close */
	bool cached;	/* set by close: flagged, see params.keep_cache */
};

int window_open(struct window *w, struct task *t, const char *figure);

/* Seconds since it was opened, by one look at the clock; no operation. */
double window_elapsed(const struct window *w);

/*
 * An operation ended now and the next one begins: its time is what passed
 * since the last call, so that each operation costs one look at the clock.
 */
void window_operation(struct window *w, enum operation op);
/* The same for a thread that keeps its own beginning. */
void window_operation_since(double *last, enum operation op);
/* What passed since the last operation was none. */
void window_skip(struct window *w);

/*
 * Closes it and reports elapsed time, counters, latencies and timeline.
 * `bytes` is what the workload says it moved. If a read from the disk was
 * delivered by the disk to less than 98 %, that is an error, or with
 * keep_cache sets w->cached.
 */
int window_close(struct window *w, uint64_t bytes, enum traffic traffic);

/* A figure of a closed window; one that was flagged gets ".from_cache". */
void window_figure(struct window *w, const char *figure, double value);

/*
 * window_close() and the figure with the window's name: `bytes` in units of
 * `unit` bytes a second, over `timed` seconds, or the elapsed when 0.
 */
int window_rate(struct window *w, uint64_t bytes, enum traffic traffic,
		double unit, double timed);

#endif
