/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error rates of the verdict, simulated: how often identical arms are called
 * slower or faster, how often a drop is seen within the boots that are asked
 * for, and how often "same" is said of what is not.
 *
 * usage: fb_bench_verdict [--trials N]
 * Prints tables as they are kept in tests/bench/verdict.md. The same seed gives
 * the same tables. Exit status 1 when something asked for does not hold.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "verdict.h"

#define METRICS 8
#define THRESHOLD .05
#define FIRST_BOOTS 3
#define ASK_MAX 1000

static uint64_t seed = 20070106;
static bool failed;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(1 - uniform())) *
	       cos(6.283185307179586 * uniform());
}

/* What a boot is like. Noise is the standard deviation of the logarithm. */
struct noise {
	double cv;
	double shared;	 /* of the variance, common to all metrics of a boot */
	double outliers; /* share of boots at 60 % of the speed */
};

static const char *const names[METRICS] = {
	"hdparm.buffered_read", "hdparm.direct_read", "hdparm.cached_read",
	"bonnie.block_read",	"bonnie.block_write", "bonnie.rewrite",
	"bonnie.seeks",		"dd.write",
};

static void boot(struct fb_verdict *v, char arm, int metrics,
		 const struct noise *noise, double ratio)
{
	double common = gauss() * sqrt(noise->shared);
	bool outlier = uniform() < noise->outliers;
	for (int m = 0; m < metrics; m++) {
		double z = common + gauss() * sqrt(1 - noise->shared);
		double value = 100 * exp(noise->cv * z);
		fb_verdict_add(v, names[m], arm,
			       value * (arm == 'b' ? ratio : 1) *
				       (outlier ? .6 : 1));
	}
}

static void boots(struct fb_verdict *v, unsigned n, int metrics,
		  const struct noise *noise, double ratio)
{
	for (unsigned i = 0; i < n; i++) {
		boot(v, 'a', metrics, noise, ratio);
		boot(v, 'b', metrics, noise, ratio);
	}
}

static size_t count(const struct fb_verdict *v, enum fb_change change)
{
	size_t n = 0;
	for (size_t i = 0; i < v->n; i++)
		n += v->rows[i].change == change;
	return n;
}

static void row(const char *what, const char *measured, const char *asked,
		bool holds)
{
	failed |= !holds;
	printf("| %s | %s | %s | %s |\n", what, measured, asked,
	       holds ? "yes" : "**no**");
}

/* Share of comparisons of identical arms with any metric slower or faster. */
static double false_positives(int trials, unsigned n, int metrics,
			      const struct noise *noise)
{
	int wrong = 0;
	for (int t = 0; t < trials; t++) {
		struct fb_verdict v = { 0 };
		boots(&v, n, metrics, noise, 1);
		fb_verdict_compare(&v, THRESHOLD);
		wrong += count(&v, FB_CHANGE_SLOWER) +
				 count(&v, FB_CHANGE_FASTER) >
			 0;
		fb_verdict_release(&v);
	}
	return (double)wrong / trials;
}

static void identical_arms(int trials)
{
	static const double cvs[] = { .01, .03, .05, .10, .20 };
	static const unsigned ns[] = { 2, 3, 5, 8, 20 };
	static const struct {
		const char *what;
		int metrics;
		double shared, outliers;
	} kinds[] = {
		{ "one metric", 1, 0, 0 },
		{ "eight metrics", METRICS, 0, 0 },
		{ "eight, half of the noise common", METRICS, .5, 0 },
		{ "eight, 5 % of boots at 60 % speed", METRICS, .5, .05 },
	};
	printf("| identical arms, %d comparisons a cell | noise | called "
	       "different, with 2, 3, 5, 8, 20 boots an arm | asked | holds "
	       "|\n| --- | --- | --- | --- | --- |\n",
	       trials);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (size_t c = 0; c < sizeof(cvs) / sizeof(cvs[0]); c++) {
			const struct noise noise = { cvs[c], kinds[k].shared,
						     kinds[k].outliers };
			double worst = 0;
			char what[128], cells[128] = "";
			for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]);
			     i++) {
				double p = false_positives(trials, ns[i],
							   kinds[k].metrics,
							   &noise);
				worst = fmax(worst, p);
				snprintf(cells + strlen(cells),
					 sizeof(cells) - strlen(cells),
					 "%s%.1f %%", i ? ", " : "", 100 * p);
			}
			snprintf(what, sizeof(what), "%s | %.0f %%",
				 kinds[k].what, 100 * cvs[c]);
			row(what, cells, "<= 5 %", worst <= .05);
		}
	}
}

struct outcome {
	double slower, same, unclear, boots;
};

/*
 * Three boots an arm, then as many more as are asked for, until decided or
 * `rounds` requests were met.
 */
static struct outcome ask(int trials, const struct noise *noise, double ratio,
			  int rounds)
{
	struct outcome o = { 0 };
	for (int t = 0; t < trials; t++) {
		struct fb_verdict v = { 0 };
		unsigned n = FIRST_BOOTS;
		boots(&v, n, 1, noise, ratio);
		fb_verdict_compare(&v, THRESHOLD);
		for (int r = 0; r < rounds && v.rows[0].more &&
				n + v.rows[0].more < ASK_MAX;
		     r++) {
			n += v.rows[0].more;
			boots(&v, v.rows[0].more, 1, noise, ratio);
			fb_verdict_compare(&v, THRESHOLD);
		}
		o.slower += v.rows[0].change == FB_CHANGE_SLOWER;
		o.same += v.rows[0].change == FB_CHANGE_SAME;
		o.unclear += v.rows[0].change == FB_CHANGE_UNCLEAR;
		o.boots += n;
		fb_verdict_release(&v);
	}
	o.slower /= trials;
	o.same /= trials;
	o.unclear /= trials;
	o.boots /= trials;
	return o;
}

static void power(int trials)
{
	static const struct {
		double drop, cv;
		int rounds;
		double slower, same_min, same_max; /* asked for; -1: nothing */
	} rows[] = {
		{ .05, .03, 1, .90, -1, .05 }, { .05, .03, 2, .90, -1, .05 },
		{ .05, .01, 1, .90, -1, .05 }, { .05, .05, 2, .90, -1, .05 },
		{ .10, .03, 1, .90, -1, .05 }, { .10, .10, 3, .90, -1, .05 },
		{ .50, .20, 1, .90, -1, .05 }, { .00, .01, 2, -1, .90, 1 },
		{ .00, .03, 3, -1, .90, 1 },   { .025, .03, 3, -1, -1, 1 },
	};
	printf("\n| drop | noise | requests met | slower | same | unclear | "
	       "boots an arm | asked | holds |\n"
	       "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct noise noise = { rows[i].cv, 0, 0 };
		struct outcome o =
			ask(trials, &noise, 1 - rows[i].drop, rows[i].rounds);
		bool holds = o.slower >= rows[i].slower &&
			     o.same >= rows[i].same_min &&
			     o.same <= rows[i].same_max;
		failed |= !holds;
		printf("| %.3g %% | %.0f %% | %d | %.1f %% | %.1f %% | %.1f %% "
		       "| %.1f | %s | %s |\n",
		       100 * rows[i].drop, 100 * rows[i].cv, rows[i].rounds,
		       100 * o.slower, 100 * o.same, 100 * o.unclear, o.boots,
		       rows[i].slower > 0   ? "slower >= 90 %, same <= 5 %" :
		       rows[i].same_min > 0 ? "same >= 90 %" :
					      "-",
		       holds ? "yes" : "**no**");
	}
}

int main(int argc, char **argv)
{
	long trials = 2000;
	if (argc == 3 && strcmp(argv[1], "--trials") == 0 &&
	    !fb_parse_long(argv[2], 1, 1000000, &trials))
		return 2;
	printf("Error rates of the verdict, simulated; threshold %.0f %%, "
	       "margin %.1f %%, false-discovery rate 5 %%.\n\n",
	       100 * THRESHOLD, 50 * THRESHOLD);
	identical_arms((int)trials);
	power((int)trials);
	return failed;
}
