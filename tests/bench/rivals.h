/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other ways of finding a culprit, as their authors run them, one build
 * and one boot after the other.
 */
#ifndef FB_BENCH_RIVALS_H
#define FB_BENCH_RIVALS_H

#include "simulate.h"

/* Boots of each end point that git's threshold is made from. */
#define GIT_END_BOOTS 5

/*
 * `git bisect run` with a script that boots `samples` times and compares the
 * median with a threshold half way between the medians of the end points.
 * Each end point is built and booted GIT_END_BOOTS times, which is counted.
 */
enum result rival_git(struct world *w, unsigned samples);

/*
 * Chromium's Pinpoint in its performance mode (job_state.py, exploration.py
 * and models/compare of the catapult project), in our own words:
 *
 * - A list of commits from good to bad, PINPOINT_ATTEMPTS boots each.
 * - Neighbours are compared by the smaller p-value of a Mann-Whitney U test
 *   (normal approximation, continuity correction) and a two-sample
 *   Kolmogorov-Smirnov test (asymptotic, with Stephens's correction):
 *   p <= PINPOINT_LOW: different; p above the high threshold: same; else not
 *   known.
 * - The high threshold is the .99 quantile of the Mann-Whitney p-value of two
 *   normal samples of that size (the mean of both sizes) which differ by the
 *   magnitude, so that one in a hundred such differences is called the same.
 *   The magnitude is the drop that is looked for over the larger
 *   interquartile range of the two samples, cut to tenths from .3 to 4. They
 *   publish a table of simulated quantiles; ours is simulated here.
 * - Different neighbours: the commit in the middle is added with
 *   PINPOINT_ATTEMPTS boots. Not known: the neighbour with fewer boots gets
 *   PINPOINT_ATTEMPTS more, up to PINPOINT_MOST; then they are the same.
 * - When nothing is left to add, the younger of any two neighbours that differ
 *   is a culprit. Right is naming the culprit and nobody else.
 *
 * In its favour: it is told the exact drop; and it adds one commit at a time,
 * where theirs speculates two levels ahead to use many machines, which is
 * faster there but takes more builds. With merges, the middle is git's: the
 * commit nearest to half of those that no elder one of the list contains;
 * theirs walks a linear history.
 */
#define PINPOINT_ATTEMPTS 10
#define PINPOINT_MOST 160
#define PINPOINT_LOW 0.01

/* *several is set when the culprit is one of more that were named. */
enum result rival_pinpoint(struct world *w, bool *several);

#endif
