/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two arms, A before and B after, each with samples of several metrics: which
 * became slower, and what that means. Pure: no I/O.
 */
#ifndef FB_VERDICT_H
#define FB_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum fb_change {
	FB_CHANGE_SAME,
	FB_CHANGE_SLOWER,
	FB_CHANGE_FASTER,
	FB_CHANGE_UNCLEAR
};

/* One metric in both arms. */
struct fb_comparison {
	char *metric;
	double *a, *b; /* values */
	size_t n_a, n_b, cap_a, cap_b;
	/* Filled in by fb_verdict_compare(): */
	double mean_a, mean_b;	 /* geometric means */
	double ratio, low, high; /* B/A and its 95 % interval */
	enum fb_change change;
};

struct fb_verdict {
	struct fb_comparison *rows;
	size_t n, cap;
	/* Overrides what the name of one metric says of its direction. */
	const char *metric; /* borrowed, or NULL */
	bool lower_is_better;
	const char *diagnosis;	  /* name from 5-verdict's table, static */
	const char *cause;	  /* finer name, static, or NULL */
	struct fb_strv sentences; /* with their numbers */
};

/* Adds one value; arm is 'a' or 'b'. Values that are not positive: dropped. */
void fb_verdict_add(struct fb_verdict *v, const char *metric, char arm,
		    double value);

/*
 * Ratio on log scale with Student's 95 % interval from the pooled variance
 * (both arms run on one machine, so they share their noise; with the two or
 * three boots that an arm has, Welch's one or two degrees of freedom would
 * settle nothing). With one value in an arm there is no interval (low = high =
 * ratio) and the threshold alone decides.
 * slower/faster: the interval excludes 1 and the change passes `threshold`
 * (a fraction); same: the whole interval lies within half the threshold;
 * else unclear. "Slower" respects metrics for which lower is better.
 */
void fb_verdict_compare(struct fb_verdict *v, double threshold);

/* Applies the table of diagnoses to compared rows; first that fits. */
void fb_verdict_diagnose(struct fb_verdict *v);

const struct fb_comparison *fb_verdict_find(const struct fb_verdict *v,
					    const char *metric);
const char *fb_change_name(enum fb_change change);
void fb_verdict_release(struct fb_verdict *v);

#endif
