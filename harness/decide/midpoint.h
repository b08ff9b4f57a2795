/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * git's choice of what to test: the candidate x whose weight w (candidates
 * reachable from x, itself included) is nearest to half of all candidates.
 */
#ifndef FB_MIDPOINT_H
#define FB_MIDPOINT_H

#include "dag.h"

/*
 * weight[x] for every candidate; 0 for the others. Sweeps 64 candidates at a
 * time: n * candidates / 64 steps.
 */
void fb_midpoint_weights(const struct fb_dag *dag, const bool *candidate,
			 uint32_t *weight);

/* git's distance of a weight: min(w, n - w). */
uint32_t fb_midpoint_distance(uint32_t weight, uint32_t n_candidates);

/*
 * The candidate of the largest distance among those that are `open` (not yet
 * tested). Near skipped candidates the distance counts less, since what broke
 * them probably breaks their neighbours: times 1 - 0.9 exp(-d / L) for each
 * skip at a difference d of numbers, L = 8 * 2^((skips - 1) / 2). Without
 * skips the choice is in git's best distance class. FB_DAG_NONE when no
 * candidate is open.
 */
uint32_t fb_midpoint_choose(const struct fb_dag *dag, const bool *candidate,
			    const bool *open, const bool *skipped);

#endif
