/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of single operations, in nanoseconds, in buckets of logarithmic
 * width: sixteen to each power of two, so that a quantile is off by 1/32 of
 * its value at most. Safe to add to from several threads.
 */
#ifndef FB_PROBE_HISTOGRAM_H
#define FB_PROBE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BUCKETS 656 /* up to 2^44 ns, five hours */

struct histogram {
	uint32_t count[HISTOGRAM_BUCKETS];
	uint64_t n, max; /* max in ns, exact */
};

void histogram_add(struct histogram *h, uint64_t ns);

/* First and one past the last value of a bucket. */
uint64_t histogram_low(size_t bucket);
uint64_t histogram_high(size_t bucket);

/*
 * The nearest-rank quantile q (0..1], as the middle of its bucket but never
 * above the maximum; 0 when empty.
 */
double histogram_quantile(const struct histogram *h, double q);

#endif
