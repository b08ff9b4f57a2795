/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * P(x is bad) for every commit: the probability that the culprit is x or an
 * ancestor of x.
 */
#ifndef FB_REACH_H
#define FB_REACH_H

#include "dag.h"

/*
 * out[x] = sum of mass[y] over y = x and all ancestors y of x, both arrays of
 * dag->n. Takes 64 commits at a time through one topological pass, so it needs
 * n * (commits with mass) / 64 steps and no matrix of ancestors. Commits that
 * hold together less than 1e-9 of the mass are left out. With mass 1 for
 * every commit these are git's weights.
 */
void fb_reach(const struct fb_dag *dag, const double *mass, double *out);

/* Number of node visits that fb_reach() would make. */
double fb_reach_cost(const struct fb_dag *dag, const double *mass);

/*
 * The same, exactly, for the commits of the first-parent chain that ends in
 * the last commit, in n steps; out of the others is NAN. For graphs that are
 * too large for fb_reach(): the oldest chain commit owns its ancestors, each
 * later one those that nobody owns yet, and out is the sum so far.
 */
void fb_reach_chain(const struct fb_dag *dag, const double *mass, double *out);

#endif
