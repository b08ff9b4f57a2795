/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "midpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* One sweep: bit k of mask[x] is set iff block[k] is x or an ancestor. */
static void sweep(const struct fb_dag *dag, const uint32_t *block, unsigned n,
		  uint64_t *mask)
{
	memset(mask, 0, dag->n * sizeof(*mask));
	for (unsigned k = 0; k < n; k++)
		mask[block[k]] |= (uint64_t)1 << k;
	for (uint32_t x = block[0]; x < dag->n; x++)
		for (uint32_t k = dag->at[x]; k < dag->at[x + 1]; k++)
			mask[x] |= mask[dag->parent[k]];
}

void fb_midpoint_weights(const struct fb_dag *dag, const bool *candidate,
			 uint32_t *weight)
{
	uint64_t *mask = fb_calloc(dag->n, sizeof(*mask));
	memset(weight, 0, dag->n * sizeof(*weight));
	for (uint32_t next = 0; next < dag->n;) {
		uint32_t block[64];
		unsigned n = 0;
		for (; next < dag->n && n < 64; next++)
			if (candidate[next])
				block[n++] = next;
		if (n == 0)
			break;
		sweep(dag, block, n, mask);
		for (uint32_t x = block[0]; x < dag->n; x++)
			if (candidate[x])
				weight[x] +=
					(uint32_t)__builtin_popcountll(mask[x]);
	}
	free(mask);
}

uint32_t fb_midpoint_distance(uint32_t weight, uint32_t n_candidates)
{
	uint32_t rest = n_candidates - weight;
	return weight < rest ? weight : rest;
}

static double near_skips(uint32_t x, const struct fb_dag *dag,
			 const bool *candidate, const bool *skipped,
			 unsigned skips)
{
	double factor = 1;
	double length = 8 * pow(2, (skips - 1) / 2.0);
	for (uint32_t s = 0; s < dag->n; s++)
		if (candidate[s] && skipped[s])
			factor *= 1 - 0.9 * exp(-fabs((double)x - (double)s) /
						length);
	return factor;
}

uint32_t fb_midpoint_choose(const struct fb_dag *dag, const bool *candidate,
			    const bool *open, const bool *skipped)
{
	uint32_t *weight = fb_calloc(dag->n, sizeof(*weight));
	uint32_t best = FB_DAG_NONE, total = 0;
	unsigned skips = 0;
	double best_score = -1;

	fb_midpoint_weights(dag, candidate, weight);
	for (uint32_t x = 0; x < dag->n; x++) {
		total += candidate[x];
		skips += candidate[x] && skipped[x];
	}
	for (uint32_t x = 0; x < dag->n; x++) {
		if (!candidate[x] || !open[x])
			continue;
		double score = fb_midpoint_distance(weight[x], total);
		if (skips)
			score *= near_skips(x, dag, candidate, skipped, skips);
		if (score > best_score) {
			best_score = score;
			best = x;
		}
	}
	free(weight);
	return best;
}
