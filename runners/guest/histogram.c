/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "histogram.h"

#include <math.h>
#include <stdbool.h>

#define SUB_BITS 4
#define SUB (1 << SUB_BITS)

/* Below SUB each value has a bucket; above, the four bits after the first. */
static size_t bucket_of(uint64_t ns)
{
	if (ns < SUB)
		return (size_t)ns;
	unsigned top = 63 - (unsigned)__builtin_clzll(ns);
	size_t b = (size_t)(top - SUB_BITS + 1) * SUB +
		   (size_t)(ns >> (top - SUB_BITS) & (SUB - 1));
	return b < HISTOGRAM_BUCKETS ? b : HISTOGRAM_BUCKETS - 1;
}

uint64_t histogram_low(size_t b)
{
	if (b < SUB)
		return b;
	unsigned shift = (unsigned)(b / SUB - 1);
	return (uint64_t)(SUB + b % SUB) << shift;
}

uint64_t histogram_high(size_t b)
{
	return histogram_low(b + 1);
}

void histogram_add(struct histogram *h, uint64_t ns)
{
	__atomic_fetch_add(&h->count[bucket_of(ns)], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&h->n, 1, __ATOMIC_RELAXED);
	uint64_t max = __atomic_load_n(&h->max, __ATOMIC_RELAXED);
	while (ns > max &&
	       !__atomic_compare_exchange_n(&h->max, &max, ns, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

double histogram_quantile(const struct histogram *h, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)h->n), seen = 0;
	for (size_t b = 0; h->n && b < HISTOGRAM_BUCKETS; b++) {
		seen += h->count[b];
		if (seen < rank || !h->count[b])
			continue;
		double middle =
			(double)(histogram_low(b) + histogram_high(b) - 1) / 2;
		return middle < (double)h->max ? middle : (double)h->max;
	}
	return 0;
}
