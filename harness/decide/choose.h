/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do next: information about the culprit, in nats per second, of
 * building another commit or of booting one again that exists.
 */
#ifndef FB_CHOOSE_H
#define FB_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "dag.h"

/* How well n boots of one commit tell good from bad. */
struct fb_power {
	double drop, sigma; /* in z */
	double tau2;	    /* variance of a commit's own level */
	double level2;	    /* variance of the middle between the classes */
};

/*
 * Distance of the classes in standard deviations of the mean of n boots,
 * d(n)^2 = .85 drop^2 / (sigma^2 / n + tau^2 + level^2): .85 is what the
 * tails of the noise cost.
 */
double fb_power_of(const struct fb_power *p, unsigned n);

/* Boots to take at once when one tells d: round(.25 / d^2), 1 to 6. */
unsigned fb_power_batch(const struct fb_power *p);

struct fb_costs {
	double build, boot; /* seconds, positive */
};

struct fb_choice {
	uint32_t node;	/* FB_DAG_NONE: nothing is worth anything */
	unsigned boots; /* at once */
	double value;	/* nats per second */
};

/*
 * The best commit to build: max over k of
 * N rate(x) J(p_x, d(k)) / (build + k boot), J of numeric.h, k = 1..6 but at
 * least `least`. `open` marks what may be chosen; commits whose p_bad is NAN
 * are passed over. A new commit also shows what cannot be seen by repeating,
 * and clears doubts about its elders on the way: N is 1.4 where one boot
 * tells d(1) <= 1.1, 1.7 from 1.5 on, 2.7 from 4 on (from simulation).
 *
 * rate(x), the guessed chance that x builds, falls near commits that did not:
 * times 1 - .9 exp(-dist / L) for every one of n_skips `skips`, dist the
 * difference of numbers, L = 8 * 2^((n_skips - 1) / 2);
 * but at least .02 (1 - .9 exp(-nearest / 8)).
 */
void fb_choose_build(const struct fb_dag *dag, const double *p_bad,
		     const bool *open, const uint32_t *skips, size_t n_skips,
		     const struct fb_power *power, const struct fb_costs *costs,
		     unsigned least, struct fb_choice *out);

/* The value of `boots` more boots of a commit that has n samples. */
double fb_choose_boots(double p_bad, unsigned n, unsigned boots,
		       const struct fb_power *power,
		       const struct fb_costs *costs);

/*
 * k commits to build at once, for parallel machines: those whose p_bad lies
 * nearest to 1/(k+1) .. k/(k+1), no commit twice. Fills out[0..k), returns how
 * many were found.
 */
size_t fb_choose_batch(const struct fb_dag *dag, const double *p_bad,
		       const bool *open, size_t k, uint32_t *out);

#endif
