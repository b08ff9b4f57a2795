/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where figures go: framed lines to the host (frame.h) in a guest; in a
 * command they are kept for output.h and the text goes to the terminal.
 *
 * The lines' JSON objects, by "type":
 *
 *	hello	 started, time
 *	setting	 subject, key, value (text): "system", "DISK/disk"
 *	begin	 window, time; waits for the host
 *	end	 window, seconds, bytes, from_disk; waits for the host
 *	evidence window, source, values {key: number, ...}
 *	sample	 window, metric, value
 *	vmstat	 window, at, values [17 numbers], see timeline.h
 *	histogram window, operation, buckets [low, high, count, ...] in ns
 *	output	 window, text: what a command printed, in pieces
 *	command	 window: all of its output is here
 *	error	 text: the boot has failed
 *	done	 time
 */
#ifndef FB_PROBE_RESULTS_H
#define FB_PROBE_RESULTS_H

#include "histogram.h"
#include "probe.h"
#include "timeline.h"

enum format { TEXT, CSV, JSON };

struct report {
	bool framed;
	bool prefix;
	char token[17];
	unsigned seq;
	int fd;		    /* the result channel */
	enum format format; /* of a command's output */
};

/* A key and its number, as evidence. */
struct fact {
	const char *key;
	double value;
};

/* `started`: when PID 1 began. */
void report_hello(struct report *r, double started);
void report_setting(struct report *r, const char *subject, const char *key,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Announces a window and waits until the host has read its own counters. */
int report_begin(struct report *r, const char *window);
/* `bytes` were moved, of which `from_disk` must have come from the disk. */
int report_end(struct report *r, const char *window, double seconds,
	       double bytes, double from_disk);
void report_sample(struct report *r, const char *window, const char *metric,
		   double value);
void report_evidence(struct report *r, const char *window, const char *source,
		     const struct fact *facts, size_t n);
void report_vmstat(struct report *r, const char *window,
		   const struct timeline_row *row);
void report_histogram(struct report *r, const char *window,
		      const char *operation, const struct histogram *h);
void report_output(struct report *r, const char *window, const char *text,
		   size_t len);
void report_command(struct report *r, const char *window);
/* The text as hdparm prints it; only shown on a terminal, as text. */
void report_text(struct report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Says what went wrong; always returns -1. */
int report_error(struct report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void report_done(struct report *r);

/* "DISK/FIGURE" or "FIGURE"; into buf, which is returned. */
const char *report_name(const struct report *r, const struct disk *d,
			const char *figure, char *buf, size_t size);

#endif
