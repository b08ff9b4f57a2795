/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two arms, A before and B after, each with samples of several metrics and the
 * evidence beside them: what became slower, and what that means. Pure: no I/O.
 *
 * Zero a struct fb_verdict, add what was measured (figures, evidence,
 * settings), then fb_verdict_compare(), then fb_verdict_diagnose(). Everything
 * it holds is its own; strings are copied. Nothing here can fail: what cannot
 * be judged is said to be so.
 *
 * A third arm 'c' is optional: B again with a suspected activity stopped. It is
 * never compared for itself, it only tells how much of the change from A to B
 * goes away without that activity.
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

/* What the arms differ in on purpose. */
enum fb_axis {
	FB_AXIS_UNKNOWN,
	FB_AXIS_KERNEL,	   /* revision, image or package */
	FB_AXIS_KCONFIG,   /* options of one revision */
	FB_AXIS_CMDLINE,   /* the kernel's command line */
	FB_AXIS_USERSPACE, /* what runs above the kernel */
	FB_AXIS_DISK,	   /* bus, profile or the disk itself */
	FB_AXIS_MACHINE,   /* QEMU machine, processors */
	FB_AXIS_HOST,	   /* a setting of the host, as power saving */
	FB_AXIS_KNOB,	   /* scheduler, read-ahead and other sysfs knobs */
	FB_AXES
};

/* More boots than this are never asked for; a need beyond it is this. */
#define FB_VERDICT_BOOTS_MAX 1000

/* One metric in both arms. */
struct fb_comparison {
	char *metric;
	double *a, *b; /* positive values, in the order they came */
	size_t n_a, n_b, cap_a, cap_b;
	double *c; /* B with the suspect stopped */
	size_t n_c, cap_c;
	/* Figures without a logarithm: exact zeros, and refused ones. */
	size_t zero_a, zero_b, refused;

	/* Filled in by fb_verdict_compare(): */
	double mean_a, mean_b;	 /* geometric means; 0 when all are zero */
	double ratio, low, high; /* B/A and its 95 % interval */
	double sd;		 /* pooled, of the logarithms; 0: not known */
	double p, q;		 /* of "no difference"; q after the control */
	size_t set_aside;	 /* outliers left out, both arms */
	unsigned more;		 /* more boots an arm, to settle "unclear" */
	bool single;		 /* an arm has one figure: no interval */
	bool between;		 /* beyond the margin, short of the threshold */
	enum fb_change change;
};

/* One number or one setting beside the figures. */
struct fb_fact {
	char arm;
	char *window, *source, *key; /* a setting: its subject, NULL, key */
	double value;
	char *text; /* of a setting, else NULL */
};

/* One diagnosis of one disk. */
struct fb_finding {
	const char *name;  /* from the table in diagnose.c, static */
	const char *cause; /* finer name, static, or NULL */
	char *disk;	   /* "" when there is one disk, or for all of them */
	struct fb_strv sentences;
};

struct fb_verdict {
	struct fb_comparison *rows;
	size_t n, cap;
	struct fb_fact *facts;
	size_t n_facts, cap_facts;

	/* May be set before comparing: */
	const char *metric;   /* borrowed: the one that was asked about, its
				 direction overrides what its name says */
	bool lower_is_better; /* of that metric */
	enum fb_axis axis;
	bool own_options; /* kernels that others built bring their .config
				 along: it belongs to the axis */
	double margin;	  /* of equivalence; 0: half the threshold */
	double alpha;	  /* 0: .05; a caller who looks more than once at
				 growing data spends less of it each time */

	/* Filled in: */
	double threshold;
	struct fb_finding *findings; /* the primary one first; at least one */
	size_t n_findings, cap_findings;
	struct fb_strv missing;	  /* what was not measured, and what to run */
	const char *diagnosis;	  /* of the primary finding, borrowed */
	const char *cause;	  /* finer name, static, or NULL */
	struct fb_strv sentences; /* of the primary finding */
};

/*
 * Adds one figure; arm is 'a', 'b' or 'c'. Zero is kept as a count: it has no
 * logarithm, but an arm of nothing else is an answer (the figure vanished).
 * Negative and not finite ones are refused, counted and never used.
 */
void fb_verdict_add(struct fb_verdict *v, const char *metric, char arm,
		    double value);

/*
 * Adds one counter of one boot, as results-db's table `evidence` has it:
 * window ("ahci0/hdparm.buffered_read"), source ("blockstats") and key
 * ("rd_bytes"). Sources that rules look at: "probe", "diskstats", "stat",
 * "blockstats", "clock", and "timeline" (means over the window of vmstat's
 * columns, percent and KiB/s). Not finite: dropped.
 */
void fb_verdict_add_evidence(struct fb_verdict *v, char arm, const char *window,
			     const char *source, const char *key, double value);

/*
 * Adds one setting of one boot, as the table `settings` has it: subject
 * ("system", "machine", "host", "ahci0/disk"), key and value. Options of the
 * resolved .config are subject "kconfig". A disk's "transfer_mode" is what the
 * drive reports; "claimed_transfer_mode" is what somebody wrote of it.
 */
void fb_verdict_add_setting(struct fb_verdict *v, char arm, const char *subject,
			    const char *key, const char *value);

/*
 * Compares every row, on log scale.
 *
 * ratio, low, high: B/A with Student's 95 % interval from the pooled variance
 * (both arms run on one machine, so they share their noise; with the two or
 * three boots that an arm has, Welch's one or two degrees of freedom would
 * settle nothing). From six figures an arm on, at most a fifth of an arm that
 * lies more than seven robust standard deviations (1.4826 n / (n - 0.8) times
 * the pooled median absolute deviation; Croux and Rousseeuw 1992) from its
 * median is set aside, and counted.
 *
 * slower/faster: q (the p-value after Benjamini and Hochberg 1995, over the
 * headline figures, and over the counters, each for themselves; the metric
 * that was asked about stands alone) is at most alpha (.035: the outliers that
 * are set aside cost some, and 5 % is to hold as measured, see
 * tests/bench/verdict.md), the estimate lies beyond the margin, and the interval reaches the threshold: a change as large
 * as the smallest that counts has to be possible. same: the whole interval
 * lies within the margin (two one-sided tests, Schuirmann 1987, at 2.5 %
 * each). Else unclear. "Slower" respects metrics for which lower is better.
 *
 * One figure in an arm: no interval (low = high = ratio) and the threshold
 * alone decides; `single` says so. No spread at all in both arms: the interval
 * has no width. An arm without figures: unclear, ratio NAN. All of one arm
 * zero, none of the other: ratio 0 or INFINITY, decided; zeros among other
 * figures: unclear. `threshold` is a fraction.
 *
 * more: for an unclear row the boots an arm that 90 % power needs beyond those
 * there are (at the upper limit of the noise; Chow, Shao, Wang and Lokhnygina
 * 2017, 3.2): first to see a change of the threshold, or of the estimate less
 * its standard error if that is larger; after as many boots without seeing it,
 * to show equivalence. An unknown noise asks for three an arm. `between`: the
 * interval lies between margin and threshold, so that no number of boots will
 * settle it; more is 0.
 */
void fb_verdict_compare(struct fb_verdict *v, double threshold);

/*
 * Applies the table of diagnoses to compared rows, disk by disk (metrics named
 * "DISK/..."). Confounders come first, then one blame a disk, then what else is
 * true. Calling it again starts afresh.
 */
void fb_verdict_diagnose(struct fb_verdict *v);

const struct fb_comparison *fb_verdict_find(const struct fb_verdict *v,
					    const char *metric);
const char *fb_change_name(enum fb_change change);

/* "kernel", "kconfig", ...; FB_AXES when there is no such name. */
enum fb_axis fb_axis_parse(const char *name);
const char *fb_axis_name(enum fb_axis axis);

void fb_verdict_release(struct fb_verdict *v);

#endif
